"""The command line: one file for each command, and no rules of games in any of them."""
