"""The checker of certificates for Ultimate Tic-Tac-Toe; its source is native/bindings/verify_ultimate.cpp."""

from collections.abc import Callable

def check(
    x: bool,
    plies: int,
    moves: list[int],
    answers: bytes,
    progress: Callable[[int, int], object] | None,
) -> tuple[int, int, int, str]:
    """Positions with the claim's side to move and with the other, the last ply, and why it is not shown.

    The claim is that X wins by the ply (`x`), or does not; `moves` lead to its position. The last of the
    results is empty if the answers show the claim. `ValueError` if it makes no sense.
    """
