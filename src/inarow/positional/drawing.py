"""Drawings of positional games: a position as an SVG, its layers side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inarow.drawing import GOLD, INK, MARKS, WELL, caption_text, framed, turn_mark

if TYPE_CHECKING:
    from inarow.positional.rules import Position

_MARGIN = 34  # around the wells
_PITCH = 100  # from cell to cell, in units of the drawing
_RIM = 6  # from the edge of a well to the tiles
_GAP = 40  # between layers
_STRIP = 62  # height of the strip below the wells: layers, side to move, caption
_PIXELS = 0.44  # of a unit of the drawing, unless a width is given
_NARROWEST, _WIDEST = 240, 960  # in pixels, unless a width is given

_DEFS = "".join(
    [
        "<defs>",
        '<linearGradient id="positional-wood" x2="0" y2="1">'
        '<stop stop-color="#f3e7d2"/><stop offset="1" stop-color="#e3d0b0"/></linearGradient>',
        '<g id="positional-tile">'
        '<rect x="-46" y="-43" width="92" height="92" rx="14" fill="#2a211c" opacity=".55"/>'
        '<rect x="-46" y="-46" width="92" height="92" rx="14" fill="url(#positional-wood)"/>'
        '<rect x="-45" y="-45" width="90" height="90" rx="13" fill="none" stroke="#fffaf0" '
        'stroke-opacity=".6" stroke-width="2"/></g>',
        *(
            f'<g id="positional-{mark}" fill="none" stroke="{INK[mark]}" stroke-width="13" '
            f'stroke-linecap="round">{shape}</g>'
            for mark, shape in MARKS.items()
        ),
        "</defs>",
    ]
)


def draw(
    position: Position,
    move: int | None = None,
    *,
    numbers: bool = False,
    size_px: int | None = None,
    caption: str | None = None,
) -> str:
    """An SVG of a position; `size_px` is its width, `numbers` writes the cell numbers on empty tiles.

    The tile of the cell `move` is golden; if it is empty, it gets a dashed edge and the mark of the side to
    move. The cells of a completed line are framed. A small mark in the corner shows the side to move; the
    caption is below the board.
    """
    layers, rows, columns = position.rules.shape
    well_width, well_height = columns * _PITCH + 2 * _RIM, rows * _PITCH + 2 * _RIM
    width = 2 * _MARGIN + layers * well_width + (layers - 1) * _GAP
    captioned = caption is not None
    # The labels of the layers and the caption get a row each.
    height = _MARGIN + well_height + _STRIP + (40 if captioned and layers > 1 else 0)
    if size_px is None:
        size_px = min(_WIDEST, max(_NARROWEST, round(width * _PIXELS)))

    parts = [
        f'<rect x="{_MARGIN + layer * (well_width + _GAP)}" y="{_MARGIN}" width="{well_width}" '
        f'height="{well_height}" rx="20" fill="{WELL}"/>'
        for layer in range(layers)
    ]
    if layers > 1:
        parts += [
            f'<text class="layer" x="{_MARGIN + layer * (well_width + _GAP) + well_width // 2}" '
            f'y="{_MARGIN + well_height + 40}">layer {layer + 1}</text>'
            for layer in range(layers)
        ]
    won = position.winning_cells
    for cell in range(position.rules.cells):
        layer, row, column = cell // (rows * columns), cell // columns % rows, cell % columns
        x = _MARGIN + layer * (well_width + _GAP) + _RIM + column * _PITCH + _PITCH // 2
        y = _MARGIN + _RIM + row * _PITCH + _PITCH // 2
        parts.append(
            f'<g class="cell" transform="translate({x} {y})"><use href="#positional-tile"/>'
            + _contents(position, cell, move, numbers, cell in won)
            + "</g>"
        )
    status = position.status[0].upper() + position.status[1:]
    if not position.is_over:
        place = f"translate({_MARGIN + 16} {height - 31}) scale(.4)"
        parts.append(turn_mark(position.turn, status, place, 15))
    if caption is not None:
        room = width - 2 * (_MARGIN + 44)  # the side to move is shown on the left
        parts.append(caption_text(caption, width // 2, height - 22, room, 28))
    title = f"{position.rules.name}, {status}"
    pixels = size_px, round(size_px * height / width)
    return framed((width, height), pixels, 25, title, _describe(position, move), _DEFS, "".join(parts))


def _contents(position: Position, cell: int, move: int | None, numbers: bool, won: bool) -> str:
    """What is drawn on a tile, from bottom to top."""
    mark = position.mark_at(cell)
    parts = []
    if cell == move:
        dashes = "" if mark else ' stroke-dasharray="11 8"'
        parts.append(
            f'<rect class="move" x="-42" y="-42" width="84" height="84" rx="11" fill="{GOLD}" '
            f'fill-opacity=".5" stroke="#b98200" stroke-width="4"{dashes}/>'
        )
        mark = position.mark_of_move(cell)
    if mark:
        parts.append(f'<use class="mark" href="#positional-{mark}"/>')
    if won:
        parts.append(
            f'<rect class="won" x="-45" y="-45" width="90" height="90" rx="13" fill="{GOLD}" '
            f'fill-opacity=".1" stroke="{GOLD}" stroke-width="7"/>'
        )
    if numbers and mark is None:
        parts.append(f'<text class="number" y="10" font-size="28" fill="#8a7355">{cell}</text>')
    return "".join(parts)


def _describe(position: Position, move: int | None) -> str:
    layers, rows, columns = position.rules.shape
    text = position.text
    lines = [text[start : start + columns] for start in range(0, len(text), columns)]
    boards = ["/".join(lines[start : start + rows]) for start in range(0, len(lines), rows)]
    cells = f"Rows from the top: {', '.join(boards)}." if layers == 1 else f"Layers: {', '.join(boards)}."
    return cells if move is None else f"{cells} {position.mark_of_move(move).upper()} at cell {move}."
