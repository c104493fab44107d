"""Searches for forced wins in positional games."""

MEMORY = 4_000_000_000
"""Bytes for the positions that a search keeps, by default."""
