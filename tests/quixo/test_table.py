"""Probing, and what happens to tables that are not what they should be."""

import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden.quixo_paper import FIGURE_8_BOARDS
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import quixo as oracle
from quixo.forms import change_outcomes
from verify.quixo.forging import change_manifest

import inarow
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.table.commands import solve_command
from inarow.quixo.table.table import Table

RULES = Quixo(3)
EXPECTED = oracle.solve(3, 3, 3, "loses")
ALL_WORDS = np.array([x << 32 | o for x, o in EXPECTED], np.uint64)
LOSES_IN_22 = "..../.oox/..../xo.. x"  # the only state, up to symmetry, that lasts so long

states = st.sampled_from(sorted(EXPECTED))


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A right table of RULES; not to be written to."""
    path = tmp_path_factory.mktemp("tables") / "table"
    inarow.solve(RULES, path)
    return path


@pytest.fixture(scope="session")
def table(folder: Path) -> Table:
    return inarow.open_table(folder)


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder, tmp_path / "copy"))


def check(folder: Path) -> None:
    with inarow.open_table(folder) as opened:
        assert len(list(opened.check())) == len(opened.manifest.pairs)


@given(state=states, o_to_move=st.booleans())
@settings(max_examples=200, deadline=None)
def test_probe_says_what_the_moves_are_worth(table: Table, state: tuple[int, int], o_to_move: bool) -> None:
    position = RULES.from_word(state[0] << 32 | state[1])
    if o_to_move:
        position = position.swap()
    probe = table.probe(position)
    assert (probe.value, probe.plies) == EXPECTED[state]
    assert {move.move for move in probe.moves} == set(position.legal_moves())
    for move in probe.moves:
        child = move.position
        assert child == position.play(move.move)
        value, plies = EXPECTED[child.mover, child.other]
        assert plies is not None
        assert (move.value, move.plies) == ("win" if value == "loss" else "loss", plies + 1)
    if probe.moves:
        assert (probe.moves[0].value, probe.moves[0].plies) == (probe.value, probe.plies)
    rank: dict[str | None, int] = {"win": 0, "draw": 1, "loss": 2}
    keys = [
        (rank[m.value], 0 if m.plies is None else m.plies if m.value == "win" else -m.plies)
        for m in probe.moves
    ]
    assert keys == sorted(keys)


@given(state=states)
@settings(max_examples=100, deadline=None)
def test_symmetric_positions_probe_alike(table: Table, state: tuple[int, int]) -> None:
    position = RULES.from_word(state[0] << 32 | state[1])
    words = [image.mover_word for image in position.symmetries()]
    values, plies = table.probe_many(words)
    assert len(set(values.tolist())) == len(set(plies.tolist())) == 1


def test_the_best_line_from_the_start(table: Table) -> None:
    line = list(table.line(RULES.start()))
    assert [move.plies for move in line] == [7, 6, 5, 4, 3, 2, 1]
    assert [move.value for move in line] == ["win", "loss"] * 3 + ["win"]
    assert line[-1].position.winner == "x"
    assert not table.probe(line[-1].position).moves


@pytest.fixture(scope="session")
def table_4x4(tmp_path_factory: pytest.TempPathFactory) -> Table:
    path = tmp_path_factory.mktemp("tables") / "4x4"
    inarow.solve(Quixo(4), path)
    return inarow.open_table(path)


def test_figure_8_of_the_paper(table_4x4: Table) -> None:
    """Each board of the published optimal game is one ply nearer to X's win than the one before it."""
    before: Position | None = None
    for move, board in FIGURE_8_BOARDS.items():
        position = Position.parse(f"{board} {'o' if move % 2 else 'x'}")
        probe = table_4x4.probe(position)
        assert (probe.value, probe.plies) == ("loss" if move % 2 else "win", 21 - move)
        if before is not None:
            assert position in {before.play(legal) for legal in before.legal_moves()}
        before = position
    assert before is not None
    assert before.winner == "x"


def test_a_best_game_of_4x4_takes_21_moves(table_4x4: Table) -> None:
    line = list(table_4x4.line(Quixo(4).start()))
    assert [move.plies for move in line] == list(range(21, 0, -1))
    assert line[-1].position.winner == "x"


def test_figure_9_of_the_paper(table_4x4: Table) -> None:
    """The eight states that lose in 22 are images of one; in those lost in 1, all moves give O a line."""
    rules = Quixo(4)
    masks = np.arange(1 << 16, dtype=np.uint64)
    longest, shortest = set(), set()
    for x in range(1 << 16):
        words = masks[(masks & np.uint64(x)) == 0] | np.uint64(x << 32)
        values, plies = table_4x4.probe_many(words)
        longest |= set(words[(values == -1) & (plies == 22)].tolist())
        shortest |= set(words[(values == -1) & (plies == 1)].tolist())
    assert len(longest) == 8
    assert {rules.from_word(word).canonical() for word in longest} == {Position.parse(LOSES_IN_22)}
    assert len(shortest) == 528
    for word in shortest:
        position = rules.from_word(word)
        assert all(position.play(move).winner == "o" for move in position.legal_moves())


def test_json_of_a_probe(table: Table) -> None:
    data = table.probe(RULES.start()).to_json()
    assert list(data) == ["position", "value", "plies", "source", "reason", "moves"]
    assert (data["position"], data["value"], data["plies"]) == (".../.../... x", "win", 7)
    fields = ["move", "value", "plies", "position", "source", "losing_replies", "replies", "alike"]
    assert list(data["moves"][0]) == fields
    assert {data["source"], *(move["source"] for move in data["moves"])} == {"table"}
    assert len(data["moves"]) == 20
    assert json.loads(json.dumps(data)) == data


def test_probe_many_takes_any_shape(table: Table) -> None:
    words = np.array([[0, 1], [2, 1 << 32]], np.uint64)
    values, plies = table.probe_many(words)
    assert values.shape == plies.shape == (2, 2)
    assert values.dtype == np.int8
    assert plies.dtype == np.int32
    assert table.probe_many([])[0].shape == (0,)


@pytest.mark.parametrize(
    "words",
    [
        [0.0, 1.0],
        [0, 2.5],
        [True],
        ["0"],
        [None],
        np.array([0, 1], np.float64),
        np.array([0, 1], np.uint32),
        np.array([0, 1], np.int32),
        np.array([0, 1], np.int8),
        np.array([0, 1], object),
    ],
    ids=str,
)
def test_probe_many_takes_words_of_64_bits_only(table: Table, words: Any) -> None:
    with pytest.raises(TypeError, match="words of 64 bits"):
        table.probe_many(words)


def test_probe_many_takes_what_converts_without_loss(table: Table) -> None:
    expected = table.probe_many(np.array([0, 1 << 32], np.uint64))
    same: list[Any] = [[0, 1 << 32], (0, 1 << 32), [np.uint64(0), 1 << 32], np.array([0, 1 << 32], np.int64)]
    for words in same:
        assert np.array_equal(table.probe_many(words), expected)
    for number in (-1, 2**64):
        with pytest.raises(ValueError, match="word"):
            table.probe_many([number])


@pytest.mark.parametrize("word", [1 << 32 | 1, 1 << 9, 1 << 41, 2**64 - 1])
def test_probe_many_names_a_bad_word(table: Table, word: int) -> None:
    with pytest.raises(ValueError, match=rf"word 1 \(0x{word:016x}\)"):
        table.probe_many([0, word])


def test_positions_of_other_rules_are_refused(table: Table) -> None:
    with pytest.raises(inarow.WrongTable, match="double line wins"):
        table.probe(Quixo(3, double_line="wins").start())


def test_a_closed_table_says_so(folder: Path) -> None:
    with inarow.open_table(folder) as opened:
        opened.probe(RULES.start())
    with pytest.raises(ValueError, match="closed"):
        opened.probe(RULES.start())


def test_an_incomplete_table_knows_what_it_has(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done > total // 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        inarow.solve(RULES, tmp_path / "part", progress=stop)
    with inarow.open_table(tmp_path / "part") as part:
        assert not part.manifest.complete
        full = Position.parse("xox/oxo/oxo x")
        assert (part.probe(full).value, part.probe(full).plies) == EXPECTED[full.x, full.o]
        assert part.get(RULES.start(), None) is None
        missing, known = part.outcomes([RULES.start(), full])
        assert missing is None
        assert known is not None
        assert (known.value, known.plies) == EXPECTED[full.x, full.o]
        with pytest.raises(inarow.MissingTable, match=r"inarow quixo solve --size 3 --out .*part"):
            part.probe(RULES.start())


def test_the_command_that_makes_a_table() -> None:
    assert solve_command(Quixo(4, line=3, double_line="wins"), Path("t")) == (
        "inarow quixo solve --size 4 --line 3 --double-line wins --out t"
    )
    assert solve_command(Quixo(4, 5), Path("t")) == "inarow quixo solve --size 4x5 --out t"


def test_a_whole_table_passes(folder: Path) -> None:
    check(folder)


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_any_flipped_bit_of_a_pair_is_noticed(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    copy = Path(shutil.copytree(folder, tmp_path_factory.mktemp("flip") / "copy"))
    file = data.draw(st.sampled_from(sorted(copy.glob("pair-*"))))
    content = bytearray(file.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= 1 << data.draw(st.integers(0, 7))
    file.write_bytes(content)
    with pytest.raises(inarow.DamagedFile, match=file.name):
        check(copy)
    right = inarow.open_table(folder).probe_many(ALL_WORDS)
    with suppress(inarow.DamagedFile):  # what no position needs is not read
        found = inarow.open_table(copy).probe_many(ALL_WORDS)
        assert np.array_equal(found, right)


def test_a_flipped_bit_does_no_harm_elsewhere(copy: Path, folder: Path) -> None:
    """Also where the table is small enough to be unpacked as a whole."""
    file = copy / "pair-04-03.values"
    content = bytearray(file.read_bytes())
    content[40] ^= 1
    file.write_bytes(content)
    table = inarow.open_table(copy)
    marks = np.array([word.bit_count() for word in ALL_WORDS.tolist()])
    others = ALL_WORDS[marks != 7]
    assert np.array_equal(table.values(others), inarow.open_table(folder).values(others))
    with pytest.raises(inarow.DamagedFile, match=r"pair-04-03\.values is damaged: piece 0"):
        table.probe_many(ALL_WORDS[marks == 7])


def test_a_contradiction_is_refused(copy: Path) -> None:
    """With right checksums: a table that was made wrong."""
    change_outcomes(copy, 0, 0, lambda plane, codes: np.full_like(codes, 1))
    with pytest.raises(inarow.DamagedFile, match=r"is wrong: .* but its best move is .*: win in 7"):
        inarow.open_table(copy).probe(RULES.start())
    change_outcomes(copy, 3, 0, lambda plane, codes: np.full_like(codes, 1))
    with pytest.raises(inarow.DamagedFile, match=r"is wrong: .* but its game is over, a loss in 0"):
        inarow.open_table(copy).probe(Position.parse("xxx/.../... o"))


@pytest.mark.parametrize("length", [0, 10, 63, 64])
def test_a_truncated_pair_is_noticed_at_once(copy: Path, length: int) -> None:
    file = copy / "pair-03-03.values"
    file.write_bytes(file.read_bytes()[:length])
    with pytest.raises(inarow.DamagedFile, match=r"pair-03-03\.values is (cut short|damaged)"):
        inarow.open_table(copy)


def test_a_longer_pair_is_noticed(copy: Path) -> None:
    file = copy / "pair-03-03.values"
    file.write_bytes(file.read_bytes() + b"\0")
    with pytest.raises(inarow.DamagedFile, match="pair-03-03"):
        inarow.open_table(copy)


def test_swapped_pairs_are_noticed(copy: Path) -> None:
    first, second = copy / "pair-04-03.values", copy / "pair-05-02.values"
    kept = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(kept)
    with pytest.raises(inarow.DamagedFile, match="not that of the pair"):
        inarow.open_table(copy)


def test_a_pair_of_other_rules_is_noticed(copy: Path, tmp_path: Path) -> None:
    inarow.solve(Quixo(3, double_line="wins"), tmp_path / "other")
    shutil.copy(tmp_path / "other" / "pair-04-03.values", copy / "pair-04-03.values")
    with pytest.raises(inarow.DamagedFile, match="pair-04-03"):
        inarow.open_table(copy)


def test_foreign_and_missing_files(copy: Path, tmp_path: Path) -> None:
    with pytest.raises(inarow.MissingTable, match="no table"):
        inarow.open_table(tmp_path / "nowhere")
    (copy / "pair-04-03.values").unlink()
    with pytest.raises(inarow.MissingTable, match="pair-04-03"):
        inarow.open_table(copy)
    (copy / "pair-04-03.values").write_bytes(b"GIF89a" * 100)
    with pytest.raises(inarow.DamagedFile, match="not part of a Quixo tablebase"):
        inarow.open_table(copy)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.update(format="chess"), "not the manifest"),
        (lambda m: m.update(version=99), "version 99"),
        (lambda m: m["rules"].update(rows=1), "damaged"),
        (lambda m: m["rules"].update(rows=4), "order"),
        (lambda m: m["rules"].pop("columns"), "damaged"),
        (lambda m: m.pop("rules"), "damaged"),
        (lambda m: m["pairs"].pop(3), "order"),
        (lambda m: m["pairs"].reverse(), "order"),
        (lambda m: m.update(complete=False), "complete does not follow"),
        (lambda m: m["pairs"][3].update(sha256="0" * 64), "checksum"),
        (lambda m: m["pairs"][3].pop("classes"), "damaged"),
        (lambda m: m["pairs"][3].update(entries=1), "other counts than the game"),
        (lambda m: m["pairs"][3]["plies"].update(width=2), "in the manifest"),
        (lambda m: m["pairs"][3].update(file="pair-00-00.plies"), r"pairs\[3\].file does not follow"),
        (lambda m: m["pairs"][3]["classes"][0].update(win=1), r"pairs\[3\].classes\[0\].win does not follow"),
        (lambda m: m["pairs"][3]["classes"][0].update(draw=1), "other counts than the game"),
        (lambda m: m["pairs"][3]["classes"][0]["by_plies"][0].__setitem__(1, 1), "does not follow"),
        (lambda m: m["pairs"][3].update(more=1), "more does not follow"),
    ],
)
def test_a_wrong_manifest_is_noticed(copy: Path, change: Callable[[Any], object], message: str) -> None:
    change_manifest(copy, change)
    with pytest.raises(inarow.DamagedFile, match=message):
        inarow.open_table(copy)


def test_a_manifest_has_a_checksum_of_its_own(copy: Path) -> None:
    """A loss in 3 instead of one in 5 contradicts nothing else."""

    def change(manifest: Any) -> None:
        rows = manifest["pairs"][-1]["classes"][0]["by_plies"]
        rows[0][0] += 2

    change_manifest(copy, change, signed=False)
    with pytest.raises(inarow.DamagedFile, match=r"manifest\.json is damaged: .* its checksum"):
        inarow.open_table(copy)
    change_manifest(copy, lambda manifest: manifest.pop("sha256"), signed=False)
    with pytest.raises(inarow.DamagedFile, match="checksum"):
        inarow.open_table(copy)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe\x00", b"null"])
def test_a_garbled_manifest_is_noticed(copy: Path, content: bytes) -> None:
    (copy / "manifest.json").write_bytes(content)
    with pytest.raises(inarow.DamagedFile, match=r"manifest\.json"):
        inarow.open_table(copy)
