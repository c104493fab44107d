"""Judges tables of Quixo."""
