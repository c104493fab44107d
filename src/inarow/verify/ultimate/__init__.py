"""Checks of certificates and strategies for Ultimate Tic-Tac-Toe, with rules of their own."""
