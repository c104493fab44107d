"""Questions about all positions of a game, a module for each; docs/results has the answers."""
