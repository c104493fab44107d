"""Judges tables of Quixo: its own rules, its own readers, its own checker in C++."""
