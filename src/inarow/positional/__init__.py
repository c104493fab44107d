"""Positional games: rules → search → dictionary. m,n,k boards, Qubic and polyominoes.

>>> from inarow.positional.rules import Game
>>> print(Game.named("qubic"))
qubic, 64 cells, 76 lines, maker-maker
"""
