"""Checkers of solved games, each independent of what solved them."""
