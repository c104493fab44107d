"""The tablebase on disk: write, open, check, probe. The format is specified in docs/tablebase-format.md."""
