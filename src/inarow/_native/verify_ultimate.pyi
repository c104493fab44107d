"""The checker of certificates for Ultimate Tic-Tac-Toe; native/bindings/verify_ultimate.cpp is its source."""

from collections.abc import Callable

def check(
    x: bool,
    plies: int,
    moves: list[int],
    answers: bytes,
    progress: Callable[[int, int], object] | None,
) -> tuple[int, int, int, str]:
    """Positions with the claim's side to move and with the other, the last ply, and why the claim fails."""
