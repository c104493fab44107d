"""Quixo: rules, solver, table, prober, player."""
