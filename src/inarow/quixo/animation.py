"""A game of Quixo as an animated GIF, for places that do not show a moving SVG. Needs Pillow."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from inarow.drawing import BOARD, BRIGHT, GOLD, INK, LABELS, WELL
from inarow.errors import InarowError

# The measures and captions are those of the SVG: the two are to look alike.
from inarow.quixo.drawing import CAPTION, LABEL, MARGIN, PITCH, Layer, caption_of, checked_game, extent
from inarow.quixo.rules import Position
from inarow.values import Mark

if TYPE_CHECKING:
    from PIL.Image import Image

_FINER = 2  # drawn so many times larger and then made smaller: Pillow has no smooth edges of its own
_SLIDE_FRAMES = 5
_SLIDE = 0.4  # of the time of a move
_TILE, _TILE_EDGE, _TILE_SHADOW, _HOLE = "#ecdcc2", "#f8efdf", "#30261f", "#a08a69"


def require_pillow() -> Any:
    """Pillow, imported when it is first needed; `InarowError` with what to do if it is not installed."""
    try:
        import PIL.Image
        import PIL.ImageDraw
        import PIL.ImageFont
    except ImportError:
        raise InarowError(
            "GIF files need Pillow, which is not installed.\n"
            "Install it with: pip install 'inarow[gif]', or write an .svg file"
        ) from None
    return PIL


def animate(positions: Iterable[Position], seconds_per_move: float = 1.2, size_px: int = 360) -> bytes:
    """A GIF that shows a game in a loop, the tiles of each move sliding into place.

    The board is `size_px` along its longer side. The moves are the `last_move` of the positions, as
    `Position.play` leaves it.
    """
    game = checked_game(positions, seconds_per_move)
    require_pillow()
    frames: list[Image] = []
    milliseconds: list[int] = []
    whole = 1000 * seconds_per_move
    for nth, position in enumerate(game):
        caption = caption_of(game, nth).replace("\N{EN DASH}", "-")  # the font that Pillow brings has none
        rest = whole
        if position.last_move is not None:
            for step in range(_SLIDE_FRAMES):
                # Fast at first and slower at the end.
                away = (1 - step / _SLIDE_FRAMES) ** 2
                frames.append(_Picture(position, size_px, caption, away).image)
                milliseconds.append(_hundredths(whole * _SLIDE / _SLIDE_FRAMES))
            rest = whole * (1 - _SLIDE)
        frames.append(_Picture(position, size_px, caption, 0.0).image)
        milliseconds.append(_hundredths(rest if nth < len(game) - 1 else 3 * whole))
    return _encode(frames, milliseconds)


def _hundredths(milliseconds: float) -> int:
    """The times that a GIF can hold; programs take less than two hundredths for a mistake."""
    return max(20, 10 * round(milliseconds / 10))


def _encode(frames: Sequence[Image], milliseconds: Sequence[int]) -> bytes:
    pillow = require_pillow()
    # One palette for all frames, or colours would flicker: made from the frame with most on it, and from
    # patches of the colours that are seldom seen, which would be lost in the multitude of the others.
    rare = (*BRIGHT.values(), *INK.values(), GOLD, _HOLE)
    patch = frames[-1].width // len(rare)
    sample = pillow.Image.new("RGB", (frames[-1].width, frames[-1].height + patch))
    sample.paste(frames[-1], (0, patch))
    for nth, colour in enumerate(rare):
        sample.paste(colour, (nth * patch, 0, (nth + 1) * patch, patch))
    palette = sample.quantize(colors=128, dither=pillow.Image.Dither.NONE)
    indexed = [frame.quantize(palette=palette, dither=pillow.Image.Dither.NONE) for frame in frames]
    file = io.BytesIO()
    indexed[0].save(
        file,
        format="GIF",
        save_all=True,
        append_images=indexed[1:],
        duration=list(milliseconds),
        loop=0,
        optimize=False,
    )
    return file.getvalue()


class _Picture:
    """A frame: a position, its last move `away` (from 1 to 0) from being finished."""

    def __init__(self, position: Position, size_px: int, caption: str, away: float) -> None:
        pillow = require_pillow()
        self._position = position
        self._layer = Layer(position)
        rules = position.rules
        width, height = extent(rules.columns), extent(rules.rows)
        self._width = width
        scale = size_px / max(width, height)
        self._scale = _FINER * scale
        pixels = round(width * scale), round((height + CAPTION) * scale)
        large = pillow.Image.new("RGB", (pixels[0] * _FINER, pixels[1] * _FINER), BOARD)
        self._pen = pillow.ImageDraw.Draw(large)

        self._box(MARGIN - 4, MARGIN - 4, rules.columns * PITCH + 8, 20, rules.rows * PITCH + 8, fill=WELL)
        for nth in range(rules.rows):
            self._text(LABEL, height - MARGIN - nth * PITCH - PITCH // 2, str(nth + 1), 27, LABELS)
        for nth, letter in enumerate(rules.column_letters):
            self._text(MARGIN + nth * PITCH + PITCH // 2, height - LABEL, letter, 27, LABELS)
        if position.last_move is not None:
            self._arrow()
        self._tiles(away)
        if away == 0:
            self._over()
        if not position.is_over:
            self._mark(LABEL + 3, height - LABEL - 3, position.turn, 0.36, 15, BRIGHT[position.turn])
        self._text(width // 2, height + 14, caption, 30, "#efe3d2")
        self.image = large.resize(pixels, pillow.Image.Resampling.LANCZOS)

    def _tiles(self, away: float) -> None:
        moved = self._layer.pushed_cells()
        across, down = self._layer.push_direction() if moved else (0, 0)
        # The tiles that slide lie over those that do not.
        for cell in sorted(range(self._position.rules.cells), key=lambda cell: cell in moved):
            x, y = map(float, self._layer.centre(cell))
            if cell in moved:
                x, y = x - across * PITCH * away, y - down * PITCH * away
            self._box(x - 46, y - 42, 92, 14, fill=_TILE_SHADOW)
            self._box(x - 46, y - 46, 92, 14, fill=_TILE, outline=_TILE_EDGE, width=2)
            mark = self._position.mark_at(cell)
            if mark is not None:
                self._mark(x, y, mark, 1.0, 13, INK[mark])

    def _over(self) -> None:
        move = self._position.last_move
        if move is not None:
            self._dashes(*self._layer.centre(move.taken))
        for cell in self._position.winning_cells:
            x, y = self._layer.centre(cell)
            self._box(x - 45, y - 45, 90, 13, outline=GOLD, width=7)

    def _arrow(self) -> None:
        move = self._position.last_move
        assert move is not None
        x, y = self._layer.centre(move.pushed)
        across, down = self._layer.push_direction()
        corners = [(-76, -15), (-55, 0), (-76, 15)]
        turned = [(x + a * across - b * down, y + a * down + b * across) for a, b in corners]
        colour = BRIGHT["o" if self._position.turn == "x" else "x"]
        self._pen.polygon([self._at(*corner) for corner in turned], fill=colour)

    def _dashes(self, x: int, y: int) -> None:
        """A dashed square: where the tile was taken."""
        corners = [(x - 38, y - 38), (x + 38, y - 38), (x + 38, y + 38), (x - 38, y + 38), (x - 38, y - 38)]
        for (x1, y1), (x2, y2) in pairwise(corners):
            right, below = (x2 > x1) - (x2 < x1), (y2 > y1) - (y2 < y1)
            for begin in range(4, 76, 17):
                end = min(begin + 9, 74)
                dash = (
                    self._at(x1 + right * begin, y1 + below * begin),
                    self._at(x1 + right * end, y1 + below * end),
                )
                self._pen.line(dash, fill=_HOLE, width=round(3 * self._scale))

    def _mark(self, x: float, y: float, mark: Mark, scale: float, width: float, colour: str) -> None:
        thick = max(1, round(width * scale * self._scale))
        if mark == "o":
            # The pen of an ellipse is inside it, that of the SVG on both sides of its edge.
            radius = (25 + width / 2) * scale
            box = (*self._at(x - radius, y - radius), *self._at(x + radius, y + radius))
            self._pen.ellipse(box, outline=colour, width=thick)
            return
        arm = 23 * scale
        for dx, dy in ((arm, arm), (arm, -arm)):
            self._pen.line((self._at(x - dx, y - dy), self._at(x + dx, y + dy)), fill=colour, width=thick)
            for sign in (-1, 1):
                end_x, end_y = self._at(x + sign * dx, y + sign * dy)
                half = thick / 2
                self._pen.ellipse((end_x - half, end_y - half, end_x + half, end_y + half), fill=colour)

    def _box(
        self,
        left: float,
        top: float,
        across: float,
        radius: float,
        down: float | None = None,
        fill: str | None = None,
        outline: str | None = None,
        width: float = 0,
    ) -> None:
        """A rounded rectangle, a square unless it is said how far down it goes."""
        corners = (*self._at(left, top), *self._at(left + across, top + (down or across)))
        thick = round(width * self._scale)
        self._pen.rounded_rectangle(corners, radius * self._scale, fill=fill, outline=outline, width=thick)

    def _text(self, x: float, y: float, text: str, font_size: int, colour: str) -> None:
        # Long captions are made to fit, as in the SVG.
        fitting = round(1.7 * (self._width - 2 * LABEL) / max(1, len(text)))
        font = require_pillow().ImageFont.load_default(round(min(font_size, fitting) * self._scale))
        self._pen.text(self._at(x, y), text, fill=colour, font=font, anchor="mm")

    def _at(self, x: float, y: float) -> tuple[float, float]:
        return x * self._scale, y * self._scale
