"""Ultimate Tic-Tac-Toe: rules → prover → strategy, certificate → players.

>>> from inarow.ultimate.rules import Ultimate
>>> len(Ultimate().start().legal_moves())
81
"""
