"""The rules of the games, each in a module of its own."""
