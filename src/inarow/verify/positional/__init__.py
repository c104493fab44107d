"""Judges dictionaries and pairings."""
