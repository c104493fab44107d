"""Strategies written down as positions and answers."""
