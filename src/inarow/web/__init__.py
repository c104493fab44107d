"""The explorer: an HTTP API over the library, and the pages that use it."""
