"""Solvers: from the rules of a game to the value of every position."""
