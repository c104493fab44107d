"""Drawings of Quixo: a position as an SVG, a game as an animated one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from inarow.drawing import BRIGHT, GOLD, INK, MARKS, WELL, caption_text, framed, turn_mark

if TYPE_CHECKING:  # the rules draw their positions
    from inarow.quixo.rules import Position, Quixo

PITCH = 100  # from tile to tile, in units of the drawing
MARGIN = 66  # around the tiles: letters and numbers outside, arrows inside
LABEL = 21  # from the edge to the middle of a letter or number
CAPTION = 48  # height of the strip for the caption

_DEFS = "".join(
    [
        "<defs>",
        '<linearGradient id="quixo-wood" x2="0" y2="1">'
        '<stop stop-color="#f3e7d2"/><stop offset="1" stop-color="#e3d0b0"/></linearGradient>',
        '<g id="quixo-blank">'
        '<rect x="-46" y="-42" width="92" height="92" rx="14" fill="#2a211c" opacity=".55"/>'
        '<rect x="-46" y="-46" width="92" height="92" rx="14" fill="url(#quixo-wood)"/>'
        '<rect x="-45" y="-45" width="90" height="90" rx="13" fill="none" stroke="#fffaf0" '
        'stroke-opacity=".6" stroke-width="2"/></g>',
        *(
            f'<g id="quixo-{mark}"><use href="#quixo-blank"/><g fill="none" stroke="{INK[mark]}" '
            f'stroke-width="13" stroke-linecap="round">{shape}</g></g>'
            for mark, shape in MARKS.items()
        ),
        "</defs>",
    ]
)


def draw(position: Position, size_px: int = 360, caption: str | None = None) -> str:
    """An SVG of a position, whose board is `size_px` along its longer side; a caption stands under it.

    The last move is shown by an arrow where the tile was pushed in and a dashed outline where it was
    taken; a finished line is framed; the small mark in the corner is the side to move.
    """
    layer = Layer(position)
    body = layer.under() + layer.tiles() + layer.over()
    if caption is not None:
        body += _caption_text(position.rules, caption)
    title = f"{_name(position)}, {_status(position)}"
    return _document(position, size_px, caption is not None, title, _describe(position), body)


def animate(
    positions: Iterable[Position],
    seconds_per_move: float = 1.2,
    size_px: int = 360,
    *,
    remarks: Sequence[str] = (),
) -> str:
    """One SVG that shows a game in a loop, the tiles of each move sliding into place.

    The moves are the `last_move` of the positions, as `Position.play` leaves it. A program that does
    not animate shows the last position. `remarks`, if there are any, are one for each position, and stand
    beside its move.
    """
    frames = checked_game(positions, seconds_per_move)

    # The end stays longer, to be seen before the game starts again.
    ends = list(accumulate([1.0] * (len(frames) - 1) + [3.0]))
    clock = _Clock(ends[-1], seconds_per_move)
    body = ""
    for nth, (frame, end) in enumerate(zip(frames, ends, strict=True)):
        begin = ends[nth - 1] if nth else 0.0
        layer = Layer(frame)
        words = f"{caption_of(frames, nth)} {remarks[nth] if remarks else ''}".rstrip()
        caption = _caption_text(frame.rules, words)
        settled = begin + 0.45 if frame.last_move else begin
        body += clock.show(
            layer.under() + layer.tiles(clock, begin, settled) + caption, begin, end
        ) + clock.show(layer.over(), settled, end)
    moves = [f.rules.move_text(f.last_move) for f in frames if f.last_move]
    title = f"{_name(frames[-1])} game, {len(moves)} moves, {_status(frames[-1])}"
    return _document(frames[-1], size_px, True, title, f"Moves: {' '.join(moves) or 'none'}", body)


def checked_game(positions: Iterable[Position], seconds_per_move: float) -> list[Position]:
    """The positions, if they can be shown as a game; else `ValueError`."""
    game = list(positions)
    if not game:
        raise ValueError("positions: there must be at least one")
    if len({position.rules.size_text for position in game}) > 1:
        raise ValueError("positions: all must be of one size")
    if not seconds_per_move > 0:
        raise ValueError(f"seconds_per_move {seconds_per_move!r}: must be more than 0")
    return game


class _Clock:
    """When things are seen in a loop of so many moves."""

    def __init__(self, moves: float, seconds_per_move: float) -> None:
        self._moves = moves
        self._loop = f'dur="{_number(moves * seconds_per_move)}s" repeatCount="indefinite"'

    def show(self, body: str, begin: float, end: float) -> str:
        """The body, seen from `begin` to `end`."""
        if not body:
            return ""
        last = end == self._moves
        states = [(0.0, "hidden")] * (begin > 0) + [(begin, "visible")] + [(end, "hidden")] * (not last)
        if len(states) == 1:
            return f"<g>{body}</g>"
        times = ";".join(self._time(time) for time, _ in states)
        values = ";".join(value for _, value in states)
        return (
            f'<g visibility="{"visible" if last else "hidden"}"><animate attributeName="visibility" '
            f'calcMode="discrete" keyTimes="{times}" values="{values}" {self._loop}/>{body}</g>'
        )

    def slide(self, body: str, offset: tuple[int, int], begin: float, end: float) -> str:
        """The body, coming from `offset` to its place between `begin` and `end`."""
        # A moment of rest before the slide shows the hole that the tile leaves.
        start = begin + (end - begin) * 0.25
        times = ";".join(self._time(time) for time in (0.0, start, end, self._moves))
        away = f"{offset[0]} {offset[1]}"
        return (
            f'<g><animateTransform attributeName="transform" type="translate" calcMode="spline" '
            f'keyTimes="{times}" values="{away};{away};0 0;0 0" '
            f'keySplines="0 0 1 1;.45 0 .25 1;0 0 1 1" {self._loop}/>{body}</g>'
        )

    def _time(self, moves: float) -> str:
        return _number(moves / self._moves)


class Layer:
    """The parts of the picture of one position, from the lowest to the highest."""

    def __init__(self, position: Position) -> None:
        self._position = position

    def under(self) -> str:
        """What lies under the tiles: the hole, the arrow, the side to move."""
        parts = []
        position = self._position
        if not position.is_over:
            place = f"translate({LABEL + 3} {extent(position.rules.rows) - LABEL - 3}) scale(.36)"
            parts.append(turn_mark(position.turn, _status(position), place, 15))
        move = position.last_move
        if move is not None:
            x, y = self.centre(move.pushed)
            across, down = self.push_direction()
            angle = {(1, 0): 0, (0, 1): 90, (-1, 0): 180, (0, -1): 270}[across, down]
            colour = BRIGHT["o" if position.turn == "x" else "x"]
            parts.append(
                f'<path class="arrow" transform="translate({x} {y}) rotate({angle})" '
                f'd="M-76-15L-55 0L-76 15Z" fill="{colour}" stroke="{colour}" stroke-width="5" '
                f'stroke-linejoin="round"/>'
            )
        return "".join(parts)

    def tiles(self, clock: _Clock | None = None, begin: float = 0.0, end: float = 0.0) -> str:
        """All tiles, and where the last one was taken; with a clock, those pushed slide."""
        still, pushed = "", ""
        moved = self.pushed_cells() if clock else set()
        for cell in reversed(range(self._position.rules.cells)):
            x, y = self.centre(cell)
            kind = self._position.mark_at(cell) or "blank"
            tile = f'<use class="tile" href="#quixo-{kind}" x="{x}" y="{y}"/>'
            still, pushed = (still, pushed + tile) if cell in moved else (still + tile, pushed)
        if clock and pushed:
            across, down = self.push_direction()
            pushed = clock.slide(pushed, (-across * PITCH, -down * PITCH), begin, end)
        return still + pushed

    def over(self) -> str:
        """What lies over the tiles: where the last one was taken, and the winner's lines."""
        parts = []
        move = self._position.last_move
        if move is not None:
            x, y = self.centre(move.taken)
            parts.append(
                f'<rect class="taken" x="{x - 38}" y="{y - 38}" width="76" height="76" rx="9" fill="none" '
                f'stroke="#8a7355" stroke-opacity=".75" stroke-width="3" stroke-dasharray="9 8"/>'
            )
        for cell in self._position.winning_cells:
            x, y = self.centre(cell)
            parts.append(
                f'<rect class="won" x="{x - 45}" y="{y - 45}" width="90" height="90" rx="13" '
                f'fill="{GOLD}" fill-opacity=".1" stroke="{GOLD}" stroke-width="7"/>'
            )
        return "".join(parts)

    def centre(self, cell: int) -> tuple[int, int]:
        rules = self._position.rules
        column, row = rules.columns - 1 - cell % rules.columns, rules.rows - 1 - cell // rules.columns
        return MARGIN + column * PITCH + PITCH // 2, MARGIN + row * PITCH + PITCH // 2

    def push_direction(self) -> tuple[int, int]:
        """Where the tiles went, across and down: each -1, 0 or 1."""
        move = self._position.last_move
        assert move is not None
        (x, y), (to_x, to_y) = self.centre(move.pushed), self.centre(move.taken)
        return (to_x > x) - (to_x < x), (to_y > y) - (to_y < y)

    def pushed_cells(self) -> set[int]:
        """The cells of the tiles that the last move shifted or pushed in."""
        move = self._position.last_move
        if move is None:
            return set()
        low, high = sorted((move.taken, move.pushed))
        columns = self._position.rules.columns
        return set(range(low, high + 1, 1 if low // columns == high // columns else columns))


def _document(
    position: Position, size_px: int, captioned: bool, title: str, description: str, body: str
) -> str:
    rules = position.rules
    width, board_height = extent(rules.columns), extent(rules.rows)
    height = board_height + CAPTION * captioned
    across, down = (count * PITCH + 8 for count in (rules.columns, rules.rows))
    scale = size_px / max(width, board_height)
    labels = "".join(
        f'<text x="{LABEL}" y="{board_height - MARGIN - nth * PITCH - PITCH // 2 + 9}">{nth + 1}</text>'
        for nth in range(rules.rows)
    ) + "".join(
        f'<text x="{MARGIN + nth * PITCH + PITCH // 2}" y="{board_height - LABEL + 9}">{letter}</text>'
        for nth, letter in enumerate(rules.column_letters)
    )
    well = f'<rect x="{MARGIN - 4}" y="{MARGIN - 4}" width="{across}" height="{down}" rx="20" fill="{WELL}"/>'
    pixels = round(width * scale), round(height * scale)
    return framed((width, height), pixels, 27, title, description, _DEFS, well + labels + body)


def _caption_text(rules: Quixo, text: str) -> str:
    width = extent(rules.columns)
    return caption_text(text, width // 2, extent(rules.rows) + 24, width - 2 * LABEL, 30)


def caption_of(frames: Sequence[Position], nth: int) -> str:
    """The caption of a frame of a game."""
    frame = frames[nth]
    if frame.last_move is None:
        return _status(frame)
    player = "O" if frame.turn == "x" else "X"
    end = f" \N{EN DASH} {_status(frame)}" if frame.is_over else ""
    number = sum(1 for earlier in frames[: nth + 1] if earlier.last_move)
    return f"{number}. {player} {frame.rules.move_text(frame.last_move)}{end}"


def _name(position: Position) -> str:
    rules = position.rules
    usual = rules.line == max(rules.rows, rules.columns)
    words = [f"Quixo {rules.size_text}", *([] if usual else [f"{rules.line} in a row"])]
    return ", ".join([*words, *(it.replace("-", " ") for it in rules.variant_words)])


def _status(position: Position) -> str:
    winner = position.winner
    over = "drawn" if position.is_over else f"{position.turn.upper()} to move"
    return f"{winner.upper()} has won" if winner else over


def _describe(position: Position) -> str:
    text = f"Rows from the top: {position.text.rsplit(' ', 1)[0]}."
    if position.last_move is not None:
        text += f" Last move {position.rules.move_text(position.last_move)}."
    return text


def extent(tiles: int) -> int:
    """The length of a side of the board with so many tiles, margins included."""
    return 2 * MARGIN + tiles * PITCH


def _number(value: float) -> str:
    return f"{value:.5f}".rstrip("0").rstrip(".")
