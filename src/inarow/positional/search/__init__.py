"""Searches for forced wins in positional games."""
