"""Drawings of Ultimate Tic-Tac-Toe: a position as an SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inarow.drawing import GOLD, INK, WELL, caption_text, framed, turn_mark
from inarow.values import Mark

if TYPE_CHECKING:  # the rules draw positions, so they import this module
    from inarow.ultimate.rules import Position

_PITCH = 60  # from spot to spot, in units of the drawing
_RIM = 10  # from the edge of a field to its spots
_FIELD = 3 * _PITCH + 2 * _RIM
_GAP = 18  # between fields
_MARGIN = 30  # around the fields
_STRIP = 54  # height of the strip under the fields: side to move, caption
_WIDTH = 2 * _MARGIN + 3 * _FIELD + 2 * _GAP
_HEIGHT = _MARGIN + 3 * _FIELD + 2 * _GAP + _STRIP

_MARKS: dict[Mark, str] = {
    "x": '<path d="M-14-14L14 14M14-14L-14 14"/>',
    "o": '<circle r="15"/>',
}
_DEFS = "".join(
    [
        "<defs>",
        '<g id="ultimate-tile">'
        '<rect x="-27" y="-25" width="54" height="54" rx="8" fill="#2a211c" opacity=".5"/>'
        '<rect x="-27" y="-27" width="54" height="54" rx="8" fill="#ebdcc2"/></g>',
        *(
            f'<g id="ultimate-{mark}" fill="none" stroke="{INK[mark]}" stroke-width="8" '
            f'stroke-linecap="round">{shape}</g>'
            for mark, shape in _MARKS.items()
        ),
        "</defs>",
    ]
)


def draw(position: Position, size_px: int = 420, caption: str | None = None) -> str:
    """An SVG of a position, `size_px` wide, with an optional caption under the board.

    Fields that the side to move may play in are lit, and their free spots show the text of the move. A field
    that is won shows a large mark; the three in a row that win the game are framed. The last move is on a
    golden tile, and the small mark in the corner is the side to move.
    """
    parts = [_field(position, number) for number in range(9)]
    status = position.status[0].upper() + position.status[1:]
    if not position.is_over:
        place = f"translate({_MARGIN + 16} {_HEIGHT - 27}) scale(.75)"
        parts.append(turn_mark(position.turn, status, place, 8, _MARKS))
    if caption is not None:
        room = _WIDTH - 2 * (_MARGIN + 34)  # the side to move stands at the left
        parts.append(caption_text(caption, _WIDTH // 2, _HEIGHT - 19, room, 24))
    about = " ".join([f"Moves: {position.text}.", *(f"{it[0].upper()}{it[1:]}." for it in position.captures)])
    title = f"Ultimate Tic-Tac-Toe ({position.rules.variant}), {status}"
    pixels = size_px, round(size_px * _HEIGHT / _WIDTH)
    return framed((_WIDTH, _HEIGHT), pixels, 19, title, about, _DEFS, "".join(parts))


def _field(position: Position, number: int) -> str:
    """A field in its place: the well, the tiles, and the mark of the side that has won it."""
    left = _MARGIN + number % 3 * (_FIELD + _GAP)
    top = _MARGIN + number // 3 * (_FIELD + _GAP)
    lit = number in position.active_fields
    owner = position.field_winner(number)
    well = INK[owner] if owner else WELL
    edge = f' stroke="{GOLD}" stroke-width="7"' if lit else ""
    parts = [
        f'<rect class="{"lit" if lit else "field"}" width="{_FIELD}" height="{_FIELD}" rx="16" '
        f'fill="{well}"{edge}/>'
    ]
    spots = [
        (_RIM + spot % 3 * _PITCH + _PITCH // 2, _RIM + spot // 3 * _PITCH + _PITCH // 2) for spot in range(9)
    ]
    parts += [f'<use href="#ultimate-tile" x="{x}" y="{y}"/>' for x, y in spots]
    if owner:
        # Between the tiles and the small marks, so that both can be read.
        centre = _FIELD // 2
        parts.append(
            f'<g class="won" transform="translate({centre} {centre}) scale(4.6)" fill="none" '
            f'stroke="{INK[owner]}" stroke-opacity=".4" stroke-width="5" stroke-linecap="round">'
            f"{_MARKS[owner]}</g>"
        )
    parts += [
        f'<g class="spot" transform="translate({x} {y})">{_spot(position, number, spot, lit)}</g>'
        for spot, (x, y) in enumerate(spots)
    ]
    if number in position.winning_fields:
        parts.append(
            f'<rect class="line" width="{_FIELD}" height="{_FIELD}" rx="16" fill="none" stroke="{GOLD}" '
            f'stroke-width="9"/>'
        )
    return f'<g transform="translate({left} {top})">{"".join(parts)}</g>'


def _spot(position: Position, field: int, spot: int, lit: bool) -> str:
    """What is drawn on a tile, from the lowest layer to the highest."""
    parts = []
    mark = position.mark(field, spot)
    if str(position.last_move) == f"{field}{spot}":
        parts.append(
            f'<rect class="move" x="-25" y="-25" width="50" height="50" rx="7" fill="{GOLD}" '
            f'fill-opacity=".6" stroke="#b98200" stroke-width="3"/>'
        )
    if mark:
        parts.append(f'<use class="mark" href="#ultimate-{mark}"/>')
    elif lit:
        parts.append(f'<text class="number" y="7" fill="#8a7355">{field}{spot}</text>')
    return "".join(parts)
