"""Boards as the checker's own rows of text, from the top: "x" for the marks of the side to move."""

from __future__ import annotations


def word_of(board: list[str]) -> int:
    """With the marks of X in the upper half."""
    cells = "".join(board)
    return sum(
        1 << len(cells) - 1 - place << (32 if cell == "x" else 0)
        for place, cell in enumerate(cells)
        if cell != "."
    )


def moves_of(board: list[str]) -> dict[str, list[str]]:
    """Every move of X, and the board after it with the marks exchanged: the other is X then."""
    found = {}
    for sideways in (True, False):
        lines = board if sideways else ["".join(column) for column in zip(*board, strict=True)]
        for nth, line in enumerate(lines):
            inner = 0 < nth < len(lines) - 1
            for taken, tile in enumerate(line):
                if tile == "o" or (inner and 0 < taken < len(line) - 1):
                    continue
                rest = line[:taken] + line[taken + 1 :]
                for pushed, pushed_line in ((0, f"x{rest}"), (len(line) - 1, f"{rest}x")):
                    if pushed == taken:
                        continue
                    after = [*lines[:nth], pushed_line, *lines[nth + 1 :]]
                    after = after if sideways else ["".join(row) for row in zip(*after, strict=True)]
                    places = [(nth, place) if sideways else (place, nth) for place in (taken, pushed)]
                    text = "".join(f"{'abcdefghijkl'[column]}{len(board) - row}" for row, column in places)
                    found[text] = [row.translate(str.maketrans("xo", "ox")) for row in after]
    return found


def images_of(board: list[str]) -> list[tuple[str, ...]]:
    """The board turned and mirrored in all ways, those of the same shape."""
    images = []
    for first in (board, [row[::-1] for row in board]):
        image = first
        for _ in range(4):
            images.append(tuple(image))
            image = ["".join(column) for column in zip(*reversed(image), strict=True)]
    return [image for image in images if len(image) == len(board)]
