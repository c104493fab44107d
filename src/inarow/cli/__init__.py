"""The command line: a package for each game, a file for each command, and no rules of any game."""
