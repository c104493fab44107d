"""Polyominoes: their names, drawings in text, and where they fit on a board."""

from __future__ import annotations

from inarow.errors import NotationError

Polyomino = frozenset[tuple[int, int]]  # (row, column), from the top and the left, both from 0

# Rows from the top, joined by "/". Names without a hyphen are Harary's.
NAMES = {
    "monomino": "x",
    "domino": "xx",
    "i-tromino": "xxx",
    "v-tromino": "x./xx",
    "i-tetromino": "xxxx",
    "l-tetromino": "x./x./xx",
    "o-tetromino": "xx/xx",
    "t-tetromino": "xxx/.x.",
    "z-tetromino": "xx./.xx",
    "f-pentomino": ".xx/xx./.x.",
    "i-pentomino": "xxxxx",
    "l-pentomino": "x./x./x./xx",
    "n-pentomino": ".x/.x/xx/x.",
    "p-pentomino": "xx/xx/x.",
    "t-pentomino": "xxx/.x./.x.",
    "u-pentomino": "x.x/xxx",
    "v-pentomino": "x../x../xxx",
    "w-pentomino": "x../xx./.xx",
    "x-pentomino": ".x./xxx/.x.",
    "y-pentomino": ".x/xx/.x/.x",
    "z-pentomino": "xx./.x./.xx",
    "tic": "xxx",
    "el": "x./xx",
    "skinny": "xxxx",
    "elly": "x./x./xx",
    "fatty": "xx/xx",
    "knobby": "xxx/.x.",
    "tippy": "xx./.xx",
    "snaky": "xxxx./...xx",
}


def polyomino(text: str) -> Polyomino:
    """The polyomino of a name or a drawing like ``xx/.x``; `ValueError` if the text is neither."""
    text = text.lower()
    rows = NAMES.get(text, text).split("/")
    if text not in NAMES and not set(text) <= set("x./"):
        names = ", ".join(NAMES)
        raise ValueError(f"polyomino {text!r}: neither a drawing like 'xx/.x' nor one of the names {names}")
    width = len(rows[0])
    place = 0
    for row in rows:
        if len(row) != width or not row:
            raise NotationError(f"a row of {len(row)} cells after one of {width}", text, place + len(row))
        place += len(row) + 1
    cells = {
        (row, column) for row, line in enumerate(rows) for column, char in enumerate(line) if char == "x"
    }
    if not cells:
        raise NotationError("a polyomino has at least one cell, an 'x'", text, 0)
    apart = cells - _connected(cells)
    if apart:
        down, right = min(apart)
        reason = "this cell touches no cell of the first piece by an edge"
        raise NotationError(reason, text, down * (width + 1) + right)
    return _at_corner(cells)


def orientations(shape: Polyomino) -> tuple[Polyomino, ...]:
    """Its distinct rotations and reflections, sorted by their cells."""
    images = set()
    for mirrored in (shape, frozenset((row, -column) for row, column in shape)):
        turned = mirrored
        for _ in range(4):
            images.add(_at_corner(turned))
            turned = frozenset((column, -row) for row, column in turned)
    return tuple(sorted(images, key=sorted))


def placements(shape: Polyomino, rows: int, columns: int) -> tuple[int, ...]:
    """The masks of all its placements on a board, in any orientation; cell = row * columns + column."""
    masks = []
    for turned in orientations(shape):
        height, width = (1 + max(places) for places in zip(*turned, strict=True))
        corner = sum(1 << row * columns + column for row, column in turned)
        masks += [
            corner << down * columns + right
            for down in range(rows - height + 1)
            for right in range(columns - width + 1)
        ]
    return tuple(sorted(masks))


def _connected(cells: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """The cells connected to the first one."""
    waiting = [min(cells)]
    piece = set(waiting)
    while waiting:
        row, column = waiting.pop()
        around = {(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)}
        found = (around & cells) - piece
        piece |= found
        waiting += found
    return piece


def _at_corner(cells: set[tuple[int, int]] | Polyomino) -> Polyomino:
    top = min(row for row, _ in cells)
    left = min(column for _, column in cells)
    return frozenset((row - top, column - left) for row, column in cells)
