"""Strategies: the fewest positions, by another way to find them, and files that the checker must refuse."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from quixo.forms import Forms

from inarow.errors import DamagedFile, InarowError, MissingTable
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.solver.user_table import table_in_memory
from inarow.quixo.strategy import Strategy, make_strategy, read_strategy, write_strategy
from inarow.quixo.table.table import Table
from inarow.verify.quixo.strategy import verify_strategy

SHIPPED = Path(__file__).parents[2] / "docs" / "results"


@lru_cache(maxsize=4)
def table(rules: Quixo) -> Table:
    return table_in_memory(rules)


def written(strategy: Strategy, folder: Path) -> Path:
    write_strategy(folder / "strategy.json", strategy)
    return folder / "strategy.json"


@pytest.mark.parametrize("sees", [1, 3])
def test_nine_positions_win_3x3_and_eight_do_not(tmp_path: Path, sees: int) -> None:
    found = make_strategy(table(Quixo(3)), "any", sees)
    assert (len(found.answers), found.bound) == {1: (9, 9), 3: (6, 6)}[sees]
    report = verify_strategy(written(found, tmp_path))
    assert (report.verdict, report.positions, report.used) == (
        "proven",
        len(found.answers),
        len(found.answers),
    )
    assert read_strategy(tmp_path / "strategy.json").answers == found.answers


def test_the_bound_of_3x3_by_plain_search() -> None:
    """With fewer positions some reply to the answers has no answer: all sets of answers are tried."""
    rules = Quixo(3)
    fewest = make_strategy(table(rules), "any", 3).bound

    @cache
    def options(position: Position) -> tuple[frozenset[Position], ...]:
        """What each winning answer to a position leads to, where there is no win within three plies."""
        probe = table(rules).probe(position)
        found = set()
        for move in probe.moves:
            if move.value == "win":
                replies = table(rules).probe(move.position).moves
                found.add(frozenset(it.position.canonical() for it in replies if (it.plies or 0) - 1 > 3))
        return tuple(found)

    def closes(needed: frozenset[Position], answered: frozenset[Position]) -> bool:
        if len(needed) >= fewest:
            return False
        open_ones = needed - answered
        if not open_ones:
            return True
        first = min(open_ones, key=lambda it: len(options(it)))
        return any(closes(needed | after, answered | {first}) for after in options(first))

    start = frozenset({rules.start().canonical()})
    assert not closes(start, frozenset())
    fewest += 1
    assert closes(start, frozenset())


def test_thirteen_positions_win_4x4_against_perfect_resistance(tmp_path: Path, four: Forms) -> None:
    found = make_strategy(four.compact, "perfect")
    assert (len(found.answers), found.bound) == (13, 13)
    path = written(found, tmp_path)
    assert verify_strategy(path, four.folder / "compact").verdict == "proven"
    with pytest.raises(MissingTable, match="name a table"):
        verify_strategy(path)
    assert verify_strategy(SHIPPED / "quixo-4x4-perfect.json", four.folder / "compact").verdict == "proven"


@pytest.mark.exhaustive
def test_the_strategy_of_4x4_wins_against_any_resistance() -> None:
    report = verify_strategy(SHIPPED / "quixo-4x4-any.json")
    assert (report.verdict, report.positions, report.used) == ("proven", 11263, 11263)


def test_a_game_by_the_strategy_of_4x4_is_won() -> None:
    strategy = read_strategy(SHIPPED / "quixo-4x4-any.json")
    random = Random(1)
    for _ in range(40):
        position = strategy.rules.start()
        while not position.is_over:
            move = strategy.move(position)
            assert move is not None
            position = position.play(move)
            if not position.is_over:
                position = position.play(random.choice(position.legal_moves()))
        assert position.winner == "x"


def test_answers_are_turned_as_the_position_is() -> None:
    strategy = make_strategy(table(Quixo(3)))
    for word, answer in strategy.answers.items():
        position = strategy.rules.from_word(word)
        expected = position.play(answer).canonical().mover_word
        for image in position.symmetries():
            move = strategy.move(image)
            assert move is not None
            assert image.play(move).canonical().mover_word == expected


def change(**fields: Any) -> Callable[[dict[str, Any]], None]:
    return lambda data: data.update(fields)


def without_an_answer(data: dict[str, Any]) -> None:
    del data["answers"][list(data["answers"])[-1]]


def with_another_answer(data: dict[str, Any]) -> None:
    """To the position after which a wrong move throws the win away."""
    rules = Quixo(3)
    for text in data["answers"]:
        for move in table(rules).probe(rules.parse(text)).moves:
            if move.value == "loss":
                data["answers"][text] = move.text
                return


def with_an_image(data: dict[str, Any]) -> None:
    position = Quixo(3).parse(list(data["answers"])[-1])
    image = next(it for it in position.symmetries() if it != position)
    data["answers"][image.text] = Quixo(3).move_text(image.legal_moves()[0])


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (without_an_answer, "has no answer"),
        (with_another_answer, "has no answer|wins|loses"),
        (with_an_image, "turned or mirrored"),
        (change(answers={"../.. x": "a1a2"}), "no position with X to move"),
        (change(answers={".../.../... x": "b2b3"}), "is not legal"),
        (change(answers={}), "has no answer"),
    ],
)
def test_the_checker_refuses(damage: Callable[[dict[str, Any]], None], why: str, tmp_path: Path) -> None:
    path = written(make_strategy(table(Quixo(3))), tmp_path)
    data = json.loads(path.read_text())
    damage(data)
    path.write_text(json.dumps(data))
    report = verify_strategy(path)
    assert report.verdict == "wrong"
    assert report.wrong is not None
    assert any(word in report.wrong for word in why.split("|"))


def test_the_checker_refuses_games_without_an_end(tmp_path: Path) -> None:
    """On 2×4 the first player can keep the draw for ever, but not win."""
    rules = Quixo(2, 4)
    left, answers = [rules.start()], dict[str, str]()
    while left:
        position = left.pop().canonical()
        if position.text not in answers and table(rules).probe(position).plies not in (0, 1):
            best = table(rules).probe(position).moves[0]
            answers[position.text] = best.text
            left += [best.position.play(reply) for reply in best.position.legal_moves()]
    path = written(make_strategy(table(Quixo(2))), tmp_path)
    path.write_text(
        json.dumps({**json.loads(path.read_text()), "rules": rules.to_json(), "answers": answers})
    )
    report = verify_strategy(path)
    assert report.verdict == "wrong"
    assert "need not end" in str(report.wrong)


@pytest.mark.parametrize(
    "change",
    [
        b"",
        b"[]",
        b"{}",
        b'{"format": 1, "version": 1}',
        {"version": 2},
        {"sees": 0},
        {"resistance": "weak"},
        {"answers": {".../.../... x": "b2b3"}},
    ],
)
def test_what_is_no_strategy_is_damaged(change: bytes | dict[str, Any], tmp_path: Path) -> None:
    path = written(make_strategy(table(Quixo(3))), tmp_path)
    data = json.loads(path.read_text())
    path.write_bytes(change if isinstance(change, bytes) else json.dumps({**data, **change}).encode())
    with pytest.raises(DamagedFile):
        read_strategy(path)
    if isinstance(change, bytes):
        with pytest.raises(DamagedFile):
            verify_strategy(path)


def test_a_strategy_needs_a_win() -> None:
    with pytest.raises(InarowError, match="does not win"):
        make_strategy(table(Quixo(2, 4)))
    with pytest.raises(ValueError, match="at least 1"):
        make_strategy(table(Quixo(3)), sees=0)
    with pytest.raises(ValueError, match="must be one of"):
        make_strategy(table(Quixo(3)), "weak")  # type: ignore[arg-type]
