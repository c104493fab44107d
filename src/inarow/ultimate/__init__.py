"""Ultimate Tic-Tac-Toe: rules, prover, strategies, certificates, players."""
