"""Tables and books: what solved pairs are stored in, and looked up in."""
