"""Judges strategies and certificates of Ultimate Tic-Tac-Toe."""
