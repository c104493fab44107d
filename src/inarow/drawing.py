"""What the drawings of all games share: colours, marks, captions, and the frame around a board.

A drawing is self-contained: it needs no style sheet, script or font, and has its own background, so that it
looks the same on a light and a dark page. Ids name the same shapes in every drawing: one page may hold
several.
"""

from __future__ import annotations

from html import escape

from inarow.values import Mark

# Dark wood, light tiles, blue X and red O.
BOARD = "#4a3b32"
WELL = "#3a2e27"
LABELS = "#cbb9a4"
INK: dict[Mark, str] = {"x": "#1d4f7c", "o": "#b4452b"}
BRIGHT: dict[Mark, str] = {"x": "#8fc1ea", "o": "#f2a184"}  # the same on the dark board
GOLD = "#f5bd2e"

# X and O differ in shape as well as in colour. Their origin is their centre.
MARKS: dict[Mark, str] = {
    "x": '<path d="M-23-23L23 23M23-23L-23 23"/>',
    "o": '<circle r="25"/>',
}


def framed(
    size: tuple[int, int], pixels: tuple[int, int], font: int, title: str, about: str, defs: str, body: str
) -> str:
    """An SVG of this many pixels: the body on a board of wood, whose size is in units of the drawing."""
    width, height = size
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{pixels[0]}" height="{pixels[1]}" '
        f'viewBox="0 0 {width} {height}"><title>{escape(title, quote=False)}</title>'
        f"<desc>{escape(about, quote=False)}</desc>{defs}"
        f'<rect width="{width}" height="{height}" rx="26" fill="{BOARD}"/>'
        f'<g font-family="system-ui, Helvetica, Arial, sans-serif" font-size="{font}" text-anchor="middle" '
        f'fill="{LABELS}">{body}</g></svg>'
    )


def caption_text(caption: str, x: int, y: int, room: int, largest: int) -> str:
    """A caption, centred; a long one is set smaller, until it fits the room at 0.6 em a letter."""
    font = min(largest, max(8, round(1.7 * room / max(1, len(caption)))))
    return (
        f'<text class="caption" x="{x}" y="{y}" font-size="{font}" fill="#efe3d2">'
        f"{escape(caption, quote=False)}</text>"
    )


def turn_mark(turn: Mark, status: str, place: str, stroke: int, shapes: dict[Mark, str] = MARKS) -> str:
    """The small mark of the side to move, at a place that is a transform; `status` is its tooltip."""
    return (
        f'<g class="turn" transform="{place}" fill="none" stroke="{BRIGHT[turn]}" stroke-width="{stroke}" '
        f'stroke-linecap="round"><title>{escape(status, quote=False)}</title>{shapes[turn]}</g>'
    )
