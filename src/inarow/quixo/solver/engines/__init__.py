"""What solves pairs: the CPU with plies or without, a GPU, or the workers of a cluster."""
