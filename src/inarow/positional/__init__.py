"""Positional games: lines on up to 128 cells."""
