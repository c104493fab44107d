"""Quixo: rules → solver → table → prober → player. `import inarow` gives the names most programs need.

>>> from inarow.quixo.rules import Quixo
>>> len(Quixo(5).start().legal_moves())
44
"""
