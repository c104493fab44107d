"""The search for a win in Qubic: its parts against plain Python, and the dictionary that came out of it."""

from __future__ import annotations

import random
import signal
from pathlib import Path
from types import FrameType

import pytest

from inarow._native import qubic as _qubic
from inarow.errors import DamagedFile, InarowError
from inarow.positional.rules import Game, Position
from inarow.positional.search import qubic
from inarow.positional.search.threats import blocking_cells, forced_win, winning_cells
from inarow.symmetry import image

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
    for position in random_positions(50, range(12), seed=1):
        canonical = position.canonical()
        assert _qubic.canonical(position.x, position.o) == (canonical.x, canonical.o)


def test_images_have_the_same_canonical_form() -> None:
    symmetries = GAME.symmetries("full")
    assert len(symmetries) == 192
    (position,) = random_positions(1, range(5, 6), seed=2)
    forms = {_qubic.canonical(image(position.x, to), image(position.o, to)) for to in symmetries}
    assert len(forms) == 1


def test_forced_wins_are_those_of_the_plain_search() -> None:
    positions = random_positions(300, range(4, 11), seed=3)
    found, nodes = _qubic.forced_wins([(position.x, position.o) for position in positions])
    assert found == [forced_win(position) is not None for position in positions]
    assert 0 < sum(found) < len(found)
    assert nodes >= len(positions)


def test_forced_wins_need_a_quiet_position() -> None:
    with pytest.raises(ValueError, match="at once"):
        _qubic.forced_wins([(0b0111, 0b1110000000000000000)])
    with pytest.raises(ValueError, match="complete"):
        _qubic.forced_wins([(0b1111, 0)])
    with pytest.raises(ValueError, match="both marks"):
        _qubic.forced_wins([(1, 1)])


def plainly_remaining(after: Position) -> set[tuple[int, int]] | None:
    """What needs an answer after a move of X's; None if O gets two threats at once."""
    found: set[tuple[int, int]] = set()
    for reply in after.legal_moves():
        position = after.play(reply)
        blocks = blocking_cells(position)
        if winning_cells(position):
            continue
        if len(blocks) > 1:
            return None
        if blocks:
            further = plainly_remaining(position.play(blocks[0]))
            if further is None:
                return None
            found |= further
        elif forced_win(position) is None:
            found.add(_qubic.canonical(position.x, position.o))
    return found


def test_what_remains_after_a_move_is_what_the_rules_say() -> None:
    chance = random.Random(4)
    seen = set()
    for position in random_positions(4, range(3, 5), seed=4):
        if forced_win(position) is not None:
            continue
        move = chance.choice(position.legal_moves())
        plain = plainly_remaining(position.play(move))
        found = _qubic.remaining(position.x, position.o, move)
        assert plain == (None if found is None else set(found))
        assert found is None or len(found) == len(set(found))
        seen.add(None if plain is None else min(len(plain), 1))
    assert 1 in seen


def test_a_graph_remembers_what_it_was_told() -> None:
    graph = _qubic.Graph(10)
    root = graph.node(0, 0)
    assert graph.known_up_to(root) == -1
    assert graph.actions(root) == []
    graph.expand(root)
    assert sorted(len(children) for _, children in graph.actions(root)) == [12, 23]
    again = _qubic.Graph(10)
    again.load(graph.save())
    assert again.save() == graph.save()
    assert again.actions(root) == graph.actions(root)
    for wrong in (graph.save()[:-1], graph.save() + b"x", b""):
        with pytest.raises(ValueError, match="graph"):
            _qubic.Graph(10).load(wrong)
    with pytest.raises(ValueError, match="node"):
        graph.actions(10_000)
    with pytest.raises(ValueError, match="nothing to choose"):
        _qubic.Choice(graph, root, 1)


# --- A part of the game, which is small enough to be solved here ---

PART = (1 << 0 | 1 << 63, 1 << 6 | 1 << 7)


def solved_part() -> tuple[_qubic.Graph, int]:
    graph = _qubic.Graph(16)
    root = graph.node(*PART)
    assert graph.solve(root, float("inf"), 1000)
    return graph, root


def test_a_solved_position_is_won() -> None:
    """Walks all games from the position by the chosen moves."""
    graph, root = solved_part()
    choice = _qubic.Choice(graph, root, 1)
    choice.anneal(20_000, 2, 0.2)
    answers = {(x, o): move for x, o, move in choice.answers(graph, all_moves=False)}
    assert 1 < len(answers) == len(choice) <= graph.cost(root)
    waiting = [Position(GAME, *graph.position(root))]
    reached = set(waiting)
    while waiting:
        position = waiting.pop()
        left = _qubic.remaining(position.x, position.o, answers[position.x, position.o])
        assert left is not None
        remaining = {Position(GAME, x, o) for x, o in left}
        waiting += remaining - reached
        reached |= remaining
    assert {(position.x, position.o) for position in reached} == answers.keys()


def test_all_moves_lead_to_nothing_new() -> None:
    graph, root = solved_part()
    choice = _qubic.Choice(graph, root, 1)
    answers = choice.answers(graph, all_moves=True)
    positions = {(x, o) for x, o, _ in answers}
    assert len(answers) > len(positions) == len(choice)
    for x, o, move in random.Random(5).sample(answers, 10):
        remaining = _qubic.remaining(x, o, move)
        assert remaining is not None
        assert positions.issuperset(remaining)


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
    win = search.win()
    assert resumed.win().answers == win.answers
    assert (win.seed, win.effort) == (1, 2)
    assert len({(x, o) for x, o, _ in win.answers}) == len(search._choice()) < len(win.answers)


class _Interrupt:
    """Interrupts the search at one of its reports."""

    def __init__(self, at: int) -> None:
        self.expansions = at

    def __call__(self, progress: qubic.QubicProgress) -> None:
        assert progress.phase == "prove"
        assert progress.positions > 0
        assert progress.describe().startswith("looking for a win, round 0: about ")
        if progress.expansions == self.expansions:
            raise KeyboardInterrupt


def test_an_interrupted_proof_resumes_with_the_same_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(qubic, "_EXPANSIONS_PER_REPORT", 50)
    broken, whole = tmp_path / "broken", tmp_path / "whole"
    for path, at in ((broken, 100), (broken, 250), (whole, 250)):
        with pytest.raises(KeyboardInterrupt):
            qubic.find_win(checkpoint=path, progress=_Interrupt(at))
    assert broken.read_bytes() == whole.read_bytes()


def test_a_signal_stops_the_search_between_two_positions() -> None:
    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    graph = _qubic.Graph(16)
    root = graph.node(0, 0)
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            graph.solve(root, float("inf"), 1 << 40)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    done = graph.expansions
    assert done > 0
    assert not graph.solve(root, float("inf"), 10)
    assert graph.expansions == done + 10


def test_a_damaged_state_is_refused(tmp_path: Path) -> None:
    search = searching()
    search.prove()
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


def test_a_state_of_more_rounds_than_asked_for_is_refused(tmp_path: Path) -> None:
    search = searching()
    search.prove()
    search.minimise()
    search.save(tmp_path / "state")
    with pytest.raises(InarowError, match="1 round, more than effort 0"):
        qubic.find_win(checkpoint=tmp_path / "state", effort=0)


def test_memory_has_a_limit() -> None:
    with pytest.raises(InarowError, match=r"needs more than 1\.0 MB"):
        qubic.find_win(memory=1 << 20)


def test_numbers_must_not_be_negative() -> None:
    with pytest.raises(InarowError, match="effort -1: must not be negative"):
        qubic.find_win(effort=-1)
    with pytest.raises(InarowError, match="seed -1: must not be negative"):
        qubic.find_win(seed=-1)
