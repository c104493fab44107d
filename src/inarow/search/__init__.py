"""Searches in games that nobody has tabulated."""
