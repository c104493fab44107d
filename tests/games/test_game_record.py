"""Games as text: what is read, what is written, and what is refused."""

from __future__ import annotations

import json
import pickle
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarow import Game, GameRecord, Quixo, Ultimate, parse_games
from inarow.game_record import MOST_NESTED, WIDTH, Line, Step, UnreadableGame
from inarow.position import Position

CASES = json.loads((Path(__file__).parent / "cases.json").read_text())
RULES: list[Any] = [Quixo(3), Quixo(4, 5), Quixo(5, line=4, double_line="wins"), Game.named("qubic")]
RULES += [Ultimate(), Ultimate("closed")]

words = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=12)


@st.composite
def lines(
    draw: st.DrawFn, begin: Position[Any], least: int = 0, depth: int = 0
) -> tuple[Line, Position[Any]]:
    """A line of legal moves with comments and variations, and its last position."""
    chance = random.Random(draw(st.integers(0, 10**6)))
    position = begin
    steps: list[Step] = []
    for _ in range(draw(st.integers(least, 5))):
        if position.is_over:
            break
        variations = draw(st.lists(lines(position, 1, depth + 1), max_size=2)) if depth < 2 else []
        move = chance.choice(position.legal_moves())
        steps.append(Step(move, draw(words), tuple(line for line, _ in variations)))
        position = position.play(move)
    return Line(tuple(steps), draw(words)), position


@st.composite
def records(draw: st.DrawFn) -> GameRecord:
    rules = draw(st.sampled_from(RULES))
    begin = rules.start()
    for _ in range(draw(st.integers(0, 3))):
        begin = begin.play(draw(st.sampled_from(begin.legal_moves())))
    line, end = draw(lines(begin))
    over = (end.winner or "draw") if end.is_over else None
    return GameRecord(
        begin,
        line,
        over or draw(st.sampled_from(["x", "o", "draw", None])),
        draw(words),
        draw(words),
        draw(st.sampled_from(["", "2026", "1999-12", "2024-02-29"])),
        draw(st.dictionaries(st.from_regex("[A-Z][a-z_]{2,8}[0-9]", fullmatch=True), words, max_size=2)),
    )


@settings(deadline=None, max_examples=80)
@given(st.lists(records(), max_size=3))
def test_what_is_written_is_read_again(games: list[GameRecord]) -> None:
    again = parse_games("\n".join(game.text for game in games))
    assert again == games
    assert [game.text for game in again] == [game.text for game in games]


@pytest.mark.parametrize("case", CASES["good"], ids=lambda case: case["text"][:40])
def test_good_texts(case: dict[str, str]) -> None:
    record = GameRecord.parse(case["text"])
    assert record.text == case["written"]
    assert GameRecord.parse(case["written"]) == record
    assert GameRecord.parse("\ufeff" + case["text"].replace("\n", "\r\n")) == record


@pytest.mark.parametrize("case", CASES["bad"], ids=lambda case: case["about"])
def test_bad_texts(case: dict[str, Any]) -> None:
    with pytest.raises(UnreadableGame) as caught:
        GameRecord.parse(case["text"])
    error = caught.value
    assert (error.line, error.column + 1) == (case["line"], case["column"]), str(error)
    assert error.text == case["text"].split("\n")[error.line - 1]
    assert str(error).startswith(f"line {case['line']}, column {case['column']}: ")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_variations_are_inside_each_other_so_far_only() -> None:
    head, move = '[Game "Quixo"] ', "1. a1a5 "
    deep = MOST_NESTED + 1
    GameRecord.parse(head + move + f"({move}" * (deep - 1) + ")" * (deep - 1))
    with pytest.raises(UnreadableGame, match="32 times"):
        GameRecord.parse(head + move + f"({move}" * deep + ")" * deep)


def test_one_game_is_needed() -> None:
    with pytest.raises(UnreadableGame, match="the text has 0"):
        GameRecord.parse(" \n")
    with pytest.raises(UnreadableGame, match="the text has 2"):
        GameRecord.parse('[Game "Qubic"] * [Game "Qubic"] *')


def test_long_games_are_wrapped() -> None:
    rules = Quixo(5)
    chance, position = random.Random(1), rules.start()
    moves: list[Any] = []
    while not position.is_over and len(moves) < 60:
        moves.append(chance.choice(position.legal_moves()))
        position = position.play(moves[-1])
    record = GameRecord.of_moves(rules.start(), moves, x="A" * 200)
    body = record.text.split("\n\n")[1].splitlines()
    assert len(body) > 1
    assert max(map(len, body)) <= WIDTH
    assert record.moves == tuple(moves)
    assert record.end == position


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"date": "yesterday"}, "date 'yesterday'"),
        ({"tags": {"Size": "3x3"}}, "tag 'Size'"),
        ({"tags": {"a b": ""}}, "tag 'a b'"),
        ({"result": "win"}, "result 'win'"),
        ({"line": Line((Step("a1a1"),))}, "cannot be pushed in"),
        ({"line": Line((Step(Quixo(3).parse_move("a1a3"), variations=(Line(),)),))}, "at least one move"),
    ],
)
def test_a_record_makes_sense(facts: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        GameRecord(Quixo(3).start(), **facts)


def test_other_games_have_no_text() -> None:
    with pytest.raises(ValueError, match="only games of Quixo, Qubic and Ultimate"):
        GameRecord(Game.named("mnk:3x3x3").start())


def test_the_example_of_the_docs() -> None:
    doc = (Path(__file__).parents[2] / "docs" / "game-format.md").read_text()
    record = GameRecord.parse(doc.split("```")[1])
    assert (record.x, record.date, len(record.moves)) == ("Ann", "2026-11-16", 4)
