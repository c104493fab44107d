"""The tablebase on disk; its formats are specified in docs/tablebase-format.md."""
