"""The search for a win in Qubic: its parts against plain Python, and the dictionary that came out of it."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from inarow._native import qubic as _qubic
from inarow.errors import DamagedFile, InarowError
from inarow.positional.rules import Game, Position
from inarow.positional.search import qubic
from inarow.positional.search.threats import blocking_cells, forced_win, winning_cells

GAME = Game.named("qubic")


def random_positions(count: int, marks: range, seed: int) -> list[Position]:
    """X is to move and nobody can complete a line."""
    chance = random.Random(seed)
    found: list[Position] = []
    while len(found) < count:
        half = chance.choice(marks)
        cells = chance.sample(range(GAME.cells), 2 * half)
        x, o = (sum(1 << cell for cell in side) for side in (cells[:half], cells[half:]))
        if GAME.wins(x) or GAME.wins(o):
            continue
        position = Position(GAME, x, o)
        if not winning_cells(position) and not blocking_cells(position):
            found.append(position)
    return found


# --- The parts ---


def test_canonical_forms_are_those_of_the_rules() -> None:
    graph = _qubic.Graph(10)
    for position in random_positions(50, range(12), seed=1):
        canonical = position.canonical()
        assert graph.position(graph.node(position.x, position.o)) == (canonical.x, canonical.o)


def remaining(graph: _qubic.Graph, position: Position, found: set[int]) -> bool:
    """What needs an answer after a move of X's; false if O gets two threats at once. O is to move."""
    for after in map(position.play, position.legal_moves()):
        if winning_cells(after):
            continue
        must = blocking_cells(after)
        if len(must) > 1 or (must and not remaining(graph, after.play(must[0]), found)):
            return False
        if not must and forced_win(after) is None:
            found.add(graph.node(after.x, after.o))
    return True


def test_moves_are_judged_by_all_replies() -> None:
    graph, chance = _qubic.Graph(12), random.Random(2)
    held = lost = 0
    for position in random_positions(8, range(4, 6), seed=4):
        here = Position(GAME, *graph.position(node := graph.node(position.x, position.o)))
        while graph.known_up_to(node) < (1 << 31) - 1:
            graph.expand(node)
        actions = dict(graph.actions(node))
        # Up to symmetry; if a move leaves nothing, those that leave something are not listed.
        listed = {here.play(move).canonical(): set(children) for move, children in actions.items()}
        for move in (*list(actions)[:1], *chance.sample(here.legal_moves(), 2)):
            expected: set[int] = set()
            holds = remaining(graph, here.play(move), expected)
            if not (holds and expected and set() in listed.values()):
                assert listed.get(here.play(move).canonical()) == (expected if holds else None)
                held, lost = held + holds, lost + (not holds)
    assert min(held, lost) > 3


def test_nodes_are_quiet_positions() -> None:
    for x, o, reason in [
        (0b0111, 0b1110000000000000000, "at once"),
        (0b1111, 0, "complete"),
        (1, 1, "both marks"),
        (1, 0, "not to move"),
    ]:
        with pytest.raises(ValueError, match=reason):
            _qubic.Graph(10).node(x, o)


def test_a_graph_remembers_what_it_was_told() -> None:
    graph = _qubic.Graph(10)
    root = graph.node(0, 0)
    assert (graph.known_up_to(root), graph.actions(root)) == (-1, [])
    graph.expand(root)
    assert sorted(len(children) for _, children in graph.actions(root)) == [12, 23]
    assert len(graph) == 1 + 12 + 23
    again = _qubic.Graph(10)
    again.load(graph.save())
    assert (again.save(), again.actions(root)) == (graph.save(), graph.actions(root))
    for wrong in (graph.save()[:-1], graph.save() + b"x", b""):
        with pytest.raises(ValueError, match="graph"):
            _qubic.Graph(10).load(wrong)
    with pytest.raises(ValueError, match="node"):
        graph.actions(10_000)
    with pytest.raises(ValueError, match="nothing to choose"):
        _qubic.Choice(graph, root, 1)


# --- A part of the game, which is small enough to be solved here ---

PART = (1 << 0 | 1 << 63, 1 << 6 | 1 << 7)


def test_a_solved_position_is_won() -> None:
    """Walks all games from the position by the chosen moves."""
    graph = _qubic.Graph(16)
    root = graph.node(*PART)
    assert not graph.solve(root, float("inf"), 3)
    assert not graph.solve(root, 1, 1000), "it costs more"
    assert graph.expansions == 3
    assert graph.solve(root, float("inf"), 1000)
    cost = graph.cost(root)
    for optimistic in (True, False):
        graph.reset_costs(optimistic)
        assert (graph.solved(root), graph.cost(root)) == (True, cost)
    choice = _qubic.Choice(graph, root, 1)
    choice.anneal(20_000, 2, 0.2)
    answers = {(x, o): move for x, o, move in choice.answers(graph, all_moves=False)}
    assert 1 < len(answers) == len(choice) <= graph.cost(root)
    waiting, reached = [root], {root}
    while waiting:
        node = waiting.pop()
        remaining = set(dict(graph.actions(node))[answers[graph.position(node)]])
        waiting += remaining - reached
        reached |= remaining
    assert {graph.position(node) for node in reached} == answers.keys()

    # All moves that lead to nothing new.
    moves = choice.answers(graph, all_moves=True)
    assert len(moves) > len(answers) == len({(x, o) for x, o, _ in moves})
    for x, o, move in moves:
        assert reached.issuperset(dict(graph.actions(graph.node(x, o)))[move])


def searching() -> qubic._Search:
    return qubic._Search(seed=1, memory=1 << 30, progress=None, start=PART)


def test_rounds_make_it_no_larger_and_can_be_taken_up_again(tmp_path: Path) -> None:
    search = searching()
    search.prove()
    first = len(search._choice())
    search.minimise()
    search.save(tmp_path / "state")
    search.minimise()
    assert len(search.moves) <= first

    resumed = searching()
    resumed.restore(tmp_path / "state")
    assert resumed.round == 1
    resumed.minimise()
    assert resumed.moves == search.moves
    assert resumed.graph.save() == search.graph.save()
    answers = search.answers()
    assert resumed.answers() == answers
    assert len({(x, o) for x, o, _ in answers}) == len(search._choice()) < len(answers)


def test_an_interrupted_proof_resumes_with_the_same_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(at: int, progress: qubic.QubicProgress) -> None:
        assert progress.describe().startswith("looking for a win, round 0: about ")
        if progress.expansions == at:
            raise KeyboardInterrupt

    monkeypatch.setattr(qubic, "_EXPANSIONS_PER_REPORT", 50)
    broken, whole = tmp_path / "broken", tmp_path / "whole"
    for path, at in ((broken, 100), (broken, 250), (whole, 250)):
        with pytest.raises(KeyboardInterrupt):
            qubic.find_win(checkpoint=path, progress=partial(stop, at))
    assert broken.read_bytes() == whole.read_bytes()


def test_a_signal_stops_the_search_between_two_positions(interrupt_after: Callable[[float], None]) -> None:
    graph = _qubic.Graph(16)
    root = graph.node(0, 0)
    interrupt_after(0.3)
    with pytest.raises(KeyboardInterrupt):
        graph.solve(root, float("inf"), 1 << 40)
    done = graph.expansions
    assert done > 0
    assert not graph.solve(root, float("inf"), 10)
    assert graph.expansions == done + 10


def test_a_state_that_is_damaged_or_of_another_search_is_refused(tmp_path: Path) -> None:
    search = searching()
    search.prove()
    search.minimise()
    path = tmp_path / "state"
    search.save(path)
    whole = path.read_bytes()
    for damaged in (whole[:-1], whole[:200] + bytes([whole[200] ^ 1]) + whole[201:], b"", b"# a dictionary"):
        path.write_bytes(damaged)
        with pytest.raises(DamagedFile, match="state"):
            qubic.find_win(checkpoint=path)
    path.write_bytes(whole)
    with pytest.raises(InarowError, match="seed 1, not 2"):
        qubic.find_win(checkpoint=path, seed=2)
    with pytest.raises(InarowError, match="1 round, more than effort 0"):
        qubic.find_win(checkpoint=path, effort=0)
    with pytest.raises(InarowError, match="effort -1, seed 1: must not be negative"):
        qubic.find_win(effort=-1)
    with pytest.raises(InarowError, match=r"needs more than 1\.0 MB"):
        qubic.find_win(memory=1 << 20)
