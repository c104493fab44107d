"""Strategy dictionaries: what the first player answers in every position that matters."""
