"""Solves Quixo: one schedule of pairs over interchangeable engines and stores."""
