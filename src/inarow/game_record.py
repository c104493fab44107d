"""Records of games: who played, by which rules, and the moves with comments and variations, as a text.

docs/game-format.md describes the text. It is the same for Quixo, Qubic and Ultimate.

>>> record = GameRecord.parse('[Game "Quixo"] [Size "3x3"] 1. a1a3 {Why not?} c1a1 (b1b3) 2. a2c2 *')
>>> [record.rules.move_text(step.move) for step in record.line.steps]
['a1a3', 'c1a1', 'a2c2']
>>> record.end.text, record.result
('x../..x/o.. o', None)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from itertools import chain
from typing import Any, Literal, NoReturn, TypeAlias

from inarow.errors import NotationError
from inarow.position import Position
from inarow.positional.rules import Game
from inarow.quixo.rules import VARIANTS, Quixo
from inarow.ultimate.rules import Ultimate
from inarow.words import listed

Result = Literal["x", "o", "draw"]
Rules: TypeAlias = Quixo | Game | Ultimate

MOST_NESTED = 32  # variations inside variations
WIDTH = 90  # of a line of text

_RESULTS: dict[str, Result | None] = {"1-0": "x", "0-1": "o", "1/2-1/2": "draw", "*": None}
_RESULT_TEXTS = {result: text for text, result in _RESULTS.items()}
_SPACE = " \t\r\n"
_NAMES = ("Game", "Size", "Line", "DoubleLine", "Variant", "Position", "X", "O", "Date", "Result")
_TAG_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_SPACES = re.compile(f"[{_SPACE}]*")
_WORD = re.compile(rf"[\s\S][^{_SPACE}{{}}()[\]]*")  # up to a space or a bracket
# Up to the end of a value or a comment; a backslash takes the next character as it is.
_UNTIL = {end: re.compile(rf"((?:\\[\s\S]|[^\\{end}])*){end}") for end in '"}'}


def plain(text: str) -> str:
    """The text with each run of spaces and ends of lines as one space, and none around it."""
    return " ".join(word for word in re.split(f"[{_SPACE}]+", text) if word)


class UnreadableGame(NotationError):
    """A text that is no game: `line` counts from 1, `column` from 0, and `text` is that line.

    >>> parse_games('[Game "Quixo"]\\n1. a1a5 e1e9')
    Traceback (most recent call last):
    ...
    inarow.game_record.UnreadableGame: line 2, column 12: no row '9'; must be 1 to 5
      1. a1a5 e1e9
                 ^
    """

    def __init__(self, reason: str, text: str, column: int, line: int) -> None:
        super().__init__(reason, text, column)
        self.args = (reason, text, column, line)
        self.line = line

    @classmethod
    def at(cls, text: str, place: int, reason: str) -> UnreadableGame:
        begin = text.rfind("\n", 0, place) + 1
        end = text.find("\n", place)
        line = text[begin : len(text) if end < 0 else end].rstrip("\r")
        return cls(reason, line, place - begin, text.count("\n", 0, begin) + 1)

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column + 1}: {super().__str__()}"


@dataclass(frozen=True, slots=True)
class Line:
    """Moves in order. `comment` stands before the first."""

    steps: tuple[Step, ...] = ()
    comment: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "comment", plain(self.comment))


@dataclass(frozen=True, slots=True)
class Step:
    """A move of a line, what was said about it, and lines that might have been played in its place."""

    move: Any
    comment: str = ""
    variations: tuple[Line, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "comment", plain(self.comment))


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game from its first position, with its moves played; every variation is legal too.

    `result` is None for a game that goes on, or whose end nobody knows. A game that is over has the result
    of its last position; another one may have any, since players resign and agree on draws. `date` is a year,
    a month or a day as in 2026-11-16, or nothing. `tags` are further facts about the game.

    `ValueError` says what is wrong.

    >>> record = GameRecord.parse('[Game "Quixo"] [Size "3x3"] [X "Ann"] 1. a1a3 c1a1 *')
    >>> record.x, len(record.line.steps), record.end.text
    ('Ann', 2, 'x../.../o.. x')
    """

    begin: Position[Any]
    line: Line = Line()
    result: Result | None = None
    x: str = ""
    o: str = ""
    date: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, text in (("x", self.x), ("o", self.o)):
            object.__setattr__(self, name, plain(text))
        object.__setattr__(self, "tags", {name: plain(text) for name, text in self.tags.items()})
        for name in self.tags:
            if not _TAG_NAME.fullmatch(name) or name in _NAMES:
                raise ValueError(f"tag {name!r}: must be letters, digits and '_', and no name of the format")
        if why := _why_no_date(self.date):
            raise ValueError(why)
        if self.result not in _RESULT_TEXTS:
            raise ValueError(f"result {self.result!r}: must be 'x', 'o', 'draw' or None")
        _game_name(self.rules)
        _play(self.begin, self.line)
        if why := _why_no_result(self.end, self.result):
            raise ValueError(why)

    @classmethod
    def parse(cls, text: str) -> GameRecord:
        """The one game of a text; `UnreadableGame` says where it is wrong."""
        games = parse_games(text)
        if len(games) != 1:
            raise UnreadableGame.at(text, 0, f"one game is needed; the text has {len(games)}")
        return games[0]

    @classmethod
    def of_moves(cls, begin: Position[Any], moves: Sequence[Any], **facts: Any) -> GameRecord:
        """A game without comments; its result is that of its last position, unless `facts` has one."""
        end = begin
        steps = []
        for move in moves:
            read = begin.rules.parse_move(move) if isinstance(move, str) else move
            end = end.play(read)
            steps.append(Step(read))
        return cls(begin, Line(tuple(steps)), **{"result": _result(end), **facts})

    @property
    def rules(self) -> Rules:
        rules: Rules = self.begin.rules
        return rules

    @property
    def moves(self) -> tuple[Any, ...]:
        """Those that were played."""
        return tuple(step.move for step in self.line.steps)

    @property
    def positions(self) -> tuple[Position[Any], ...]:
        """Before the first move, and after each that was played."""
        positions = [self.begin]
        for move in self.moves:
            positions.append(positions[-1].play(move))
        return tuple(positions)

    @property
    def end(self) -> Position[Any]:
        return self.positions[-1]

    @property
    def text(self) -> str:
        """The game as `parse` reads it, with lines of up to 90 characters where words allow it."""
        heads = [f'[{name} "{_quoted(value)}"]\n' for name, value in self._headers()]
        words = chain(_words(self.rules, self.line, _half(self.begin)), [_RESULT_TEXTS[self.result]])
        return f"{''.join(heads)}\n{_wrapped(words)}\n"

    def __str__(self) -> str:
        return self.text

    def _headers(self) -> Iterator[tuple[str, str]]:
        rules = self.rules
        yield "Game", _game_name(rules)
        if isinstance(rules, Quixo):
            yield "Size", f"{rules.rows}x{rules.columns}"
            if rules.line != max(rules.rows, rules.columns):
                yield "Line", str(rules.line)
            if rules.double_line != "loses":
                yield "DoubleLine", rules.double_line
            if rules.variant:
                yield "Variant", " ".join(rules.variant)
        elif isinstance(rules, Ultimate):
            yield "Variant", rules.variant
        if self.begin != self.rules.start():
            yield "Position", self.begin.text
        for name, value in (("X", self.x), ("O", self.o), ("Date", self.date)):
            if value:
                yield name, value
        yield "Result", _RESULT_TEXTS[self.result]
        yield from self.tags.items()


def parse_games(text: str) -> list[GameRecord]:
    """Every game of a text, one after the other; `UnreadableGame` says where it is wrong.

    >>> len(parse_games('[Game "Quixo"] 1. a1a5 * [Game "Quixo"] 1. a1e1 *'))
    2
    """
    return list(_Reader(text).games())


# --- Rules of the game, for all three ---


def _size(text: str) -> dict[str, Any]:
    return dict(zip(("rows", "columns"), Quixo.parse_size(text), strict=True))


def _length(text: str) -> dict[str, Any]:
    if not re.fullmatch("[0-9]{1,2}", text):
        raise ValueError(f"line {text!r}: must be a number")
    return {"line": int(text)}


def _variant(text: str) -> dict[str, Any]:
    """The names of what is not as in the official rules of Quixo."""
    for name in text.split():
        if name not in VARIANTS:
            raise ValueError(f"variant {name!r}: must be {listed(list(VARIANTS), 'or')}")
    return {name: not VARIANTS[name][0] for name in text.split()}


# What makes the rules of each game, and what its headers give to that.
_GAMES: dict[str, tuple[Callable[..., Rules], dict[str, Callable[[str], dict[str, Any]]]]] = {
    "Quixo": (
        Quixo,
        {
            "Size": _size,
            "Line": _length,
            "DoubleLine": lambda text: {"double_line": text},
            "Variant": _variant,
        },
    ),
    "Qubic": (lambda: Game.named("qubic"), {}),
    "Ultimate": (Ultimate, {"Variant": lambda text: {"variant": text}}),
}


def _game_name(rules: Rules) -> str:
    if isinstance(rules, Quixo | Ultimate):
        return type(rules).__name__
    if rules == Game.named("qubic"):
        return "Qubic"
    raise ValueError(f"{rules}: only games of Quixo, Qubic and Ultimate can be written")


def _half(begin: Position[Any]) -> int:
    """Of the first move: O's is the second half of move 1."""
    return 0 if begin.turn == "x" else 1


def _play(begin: Position[Any], line: Line) -> None:
    """`ValueError` if a move of a line or of its variations is not legal."""
    position = begin
    for step in line.steps:
        for variation in step.variations:
            if not variation.steps:
                raise ValueError("a variation has at least one move")
            _play(position, variation)
        position = position.play(step.move)


def _result(end: Position[Any]) -> Result | None:
    return (end.winner or "draw") if end.is_over else None


def _why_no_result(end: Position[Any], result: Result | None) -> str | None:
    is_so = _result(end)
    if is_so is None or is_so == result:
        return None
    return f"the result must be {_RESULT_TEXTS[is_so]}, since the last move ends the game"


def _why_no_date(text: str) -> str | None:
    if re.fullmatch("[0-9]{4}(-[0-9]{2}){0,2}", text):
        with suppress(ValueError):
            date.fromisoformat(f"{text}-01-01"[:10])
            return None
    return f"date {text!r}: must be a year, a month or a day, as in 2026-11-16" if text else None


# --- Writing ---


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _words(rules: Rules, line: Line, half: int) -> Iterator[str]:
    """What is written of a line; `half` counts half moves, so that X's are even, and two make a number."""
    yield from _comment(line.comment)
    numbered = True
    for nth, step in enumerate(line.steps, start=half):
        if nth % 2 == 0 or numbered:
            yield f"{nth // 2 + 1}{'.' if nth % 2 == 0 else '...'}"
        yield rules.move_text(step.move)
        yield from _comment(step.comment)
        for variation in step.variations:
            inside = list(_words(rules, variation, nth))
            inside[0] = f"({inside[0]}"
            inside[-1] = f"{inside[-1]})"
            yield from inside
        numbered = bool(step.comment or step.variations)


def _comment(text: str) -> Iterator[str]:
    if text:
        escaped = text.replace("\\", "\\\\").replace("}", "\\}")
        yield from f"{{{escaped}}}".split(" ")


def _wrapped(words: Iterator[str]) -> str:
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > WIDTH:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join(lines)


# --- Reading ---


class _Reader:
    """Walks through a text; `place` is where it has got to."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 1 if text.startswith("\ufeff") else 0  # some editors begin a file with a mark of order

    def games(self) -> Iterator[GameRecord]:
        self._skip()
        while self.place < len(self.text):
            yield self._game()
            self._skip()

    def fail(self, reason: str, place: int | None = None) -> NoReturn:
        raise UnreadableGame.at(self.text, self.place if place is None else place, reason) from None

    # --- Headers ---

    def _game(self) -> GameRecord:
        begin = self.place
        values: dict[str, str] = {}
        places: dict[str, int] = {}
        while self._peek() == "[":
            name, value, place = self._header()
            if name in values:
                self.fail(f"a second {name}", place)
            values[name], places[name] = value, place
        if "Game" not in values:
            self.fail('a game begins with its headers, of which [Game "Quixo"] is one', begin)
        position = self._position(values, places)
        if why := _why_no_date(values.get("Date", "")):
            self.fail(why, places["Date"])
        line, end = self._line(position, _half(position), 0)
        result = self._result(values, places, end)
        x, o, day = (values.get(name, "") for name in ("X", "O", "Date"))
        tags = {name: value for name, value in values.items() if name not in _NAMES}
        return GameRecord(position, line, result, x, o, day, tags)

    def _header(self) -> tuple[str, str, int]:
        """A name, its value and where the value begins."""
        self.place += 1
        name = self._match(_TAG_NAME)
        if name is None:
            self.fail('the name of a header must follow, as in [X "Ann"]')
        self._skip()
        self._take('"')
        begin = self.place
        value = self._until('"', "the value of this header")
        self._skip()
        self._take("]")
        self._skip()
        return name.group(), plain(value), begin

    def _position(self, values: Mapping[str, str], places: Mapping[str, int]) -> Position[Any]:
        game = next((name for name in _GAMES if name.lower() == values["Game"].lower()), None)
        if game is None:
            self.fail(f"no game {values['Game']!r}; must be {listed(list(_GAMES), 'or')}", places["Game"])
        make, fields = _GAMES[game]
        for _, others in _GAMES.values():
            for name in others:
                if name in values and name not in fields:
                    self.fail(f"{values['Game']} has no {name}", places[name])
        given: dict[str, Any] = {}
        name = "Game"
        try:
            rules = make()
            for name, read in fields.items():
                if name in values:
                    given |= read(values[name])
                    rules = make(**given)
            name = "Position"
            return rules.parse(values[name]) if values.get(name) else rules.start()
        except NotationError as error:
            self.fail(error.reason, places[name] + error.column)
        except ValueError as error:
            self.fail(str(error), places[name])

    # --- Moves ---

    def _line(self, begin: Position[Any], half: int, depth: int) -> tuple[Line, Position[Any]]:
        """A line up to its end, and its last position."""
        before, position = begin, begin
        moves: list[Any] = []
        comments = [""]  # before the first move, and after each
        variations: list[list[Line]] = []
        while True:
            self._skip()
            match self._peek():
                case "{":
                    self.place += 1
                    comments[-1] += f" {self._until('}', 'this comment')}"
                case "(":
                    if not moves:
                        self.fail("a variation stands after the move that it replaces")
                    if depth == MOST_NESTED:
                        self.fail(f"variations may be inside each other {MOST_NESTED} times at most")
                    opened = self.place
                    self.place += 1
                    variation, _ = self._line(before, half + len(moves) - 1, depth + 1)
                    if self._peek() != ")":
                        self.fail("this variation has no end; must be ')'", opened)
                    if not variation.steps:
                        self.fail("a variation has at least one move", opened)
                    self.place += 1
                    variations[-1].append(variation)
                case ")" if depth:
                    break
                case "" | "[":
                    break
                case ")" | "}" | "]" as char:
                    self.fail(f"nothing is open that {char!r} could end")
                case _:
                    word, place = self._word()
                    if word in _RESULTS and not depth:
                        self.place = place
                        break
                    move = self._move(position, word, place, half + len(moves))
                    if move is not None:
                        before, position = position, position.play(move)
                        moves.append(move)
                        comments.append("")
                        variations.append([])
        steps = map(Step, moves, comments[1:], map(tuple, variations))
        return Line(tuple(steps), comments[0]), position

    def _move(self, position: Position[Any], word: str, place: int, half: int) -> Any:
        """The move of a word, or None of a number alone."""
        found = re.match(r"([0-9]+)(\.+)", word)
        if found is not None:
            expected = f"{half // 2 + 1}{'.' if half % 2 == 0 else '...'}"
            if found.group() != expected:
                self.fail(f"{found.group()[:20]!r} stands before a move that is {expected}", place)
            word, place = word[found.end() :], place + found.end()
            if not word:
                return None
        try:
            move = position.rules.parse_move(word)
        except NotationError as error:
            self.fail(error.reason, place + error.column)
        try:
            position.play(move)
        except ValueError as error:
            self.fail(str(error), place)
        return move

    def _result(
        self, values: Mapping[str, str], places: Mapping[str, int], end: Position[Any]
    ) -> Result | None:
        """What the header and the word after the moves say, which must agree with the last position."""
        said = [(values["Result"], places["Result"])] if "Result" in values else []
        if self._peek() not in ("", "["):
            said.append(self._word())
        for text, place in said:
            if text not in _RESULTS:
                self.fail(f"no result {text!r}; must be 1-0, 0-1, 1/2-1/2 or *", place)
            if why := _why_no_result(end, _RESULTS[text]):
                self.fail(why, place)
        if len({text for text, _ in said}) > 1:
            self.fail(f"the header says {said[0][0]}", said[1][1])
        return _RESULTS[said[0][0]] if said else _result(end)

    # --- Characters ---

    def _peek(self) -> str:
        return self.text[self.place : self.place + 1]

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self.text, self.place)
        self.place = found.end() if found else self.place
        return found

    def _skip(self) -> None:
        self._match(_SPACES)

    def _take(self, char: str) -> None:
        if self._peek() != char:
            self.fail(f"{char!r} is missing")
        self.place += 1

    def _word(self) -> tuple[str, int]:
        """At least one character, and where they begin."""
        begin = self.place
        self._match(_WORD)
        return self.text[begin : self.place], begin

    def _until(self, end: str, what: str) -> str:
        """The text up to an end, which is passed."""
        found = self._match(_UNTIL[end])
        if found is None:
            self.fail(f"{what} has no end; must be {end!r}", self.place - 1)
        return re.sub(r"\\([\s\S])", r"\1", found[1])
