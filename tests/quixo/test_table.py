"""Tables answer as the oracle does, in pieces and as a whole, and notice what is wrong with them."""

import json
import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden.quixo_paper import FIGURE_8_BOARDS
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracle import quixo as plain_oracle
from oracle import quixo_arrays as oracle
from quixo.boards import random_words
from quixo.entries import plies as plies_of
from quixo.forms import Forms, change_outcomes, flip, opened, replace_record, run_of
from quixo.test_solve import all_pairs
from verify.quixo.forging import change_manifest

import inarow
from inarow._native.quixo import Locator
from inarow.errors import OldTable
from inarow.quixo.rules import DoubleLine, Position, Quixo
from inarow.quixo.table import reader
from inarow.quixo.table.entries import packed_size
from inarow.quixo.table.location import nearly_full_marks, solve_command
from inarow.quixo.table.manifest import Manifest
from inarow.quixo.table.pairs import PairId
from inarow.quixo.table.table import Table
from inarow.values import VALUES

RULES = Quixo(3)
EXPECTED = plain_oracle.solve(3, 3, 3, "loses")
ALL_WORDS = np.array([x << 32 | o for x, o in EXPECTED], np.uint64)
LOSES_IN_22 = "..../.oox/..../xo.. x"  # the only state, up to symmetry, that lasts so long

Answers = tuple[NDArray[np.int8], NDArray[np.int32]]

states = st.sampled_from(sorted(EXPECTED))


@pytest.fixture(params=["in pieces", "as a whole"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways to look positions up, whatever they cost."""
    if request.param == "in pieces":
        monkeypatch.setattr(reader, "_SMALL", 0)
    else:
        monkeypatch.setattr(reader, "_PRICE", np.inf)


@pytest.fixture
def copy(three: Forms, tmp_path: Path) -> Path:
    return Path(shutil.copytree(three.folder / "compact", tmp_path / "copy"))


@pytest.fixture(scope="session")
def table(three: Forms) -> Table:
    return three.compact


def by_the_core(rules: Quixo, words: NDArray[np.uint64]) -> Answers:
    """From the entries that the core finds, which are not written anywhere."""
    pairs = all_pairs(rules)
    planes, places = Locator(rules.native).locate_many(words)
    values, plies = np.empty(words.size, np.int8), np.empty(words.size, np.int32)
    for (a, b), entries in pairs.items():
        for number, plane in enumerate(np.split(entries, 1 if a == b else 2)):
            here = planes == (a << 6 | b << 1 | number)
            found = plane[places[here]]
            values[here] = (found > 127).astype(np.int8) - (found < 127).astype(np.int8)
            plies[here] = np.where(found == 127, -1, plies_of(found).astype(np.int32))
    return values, plies


def assert_right(forms: Forms, words: NDArray[np.uint64], expected: Answers) -> None:
    values, plies = expected
    for name in ("compact", "outcomes"):
        with inarow.open_table(forms.folder / name) as table:
            found, found_plies = table.probe_many(words)
            assert np.array_equal(found, values)
            assert np.array_equal(table.values(words), values)
            if name == "compact":
                assert np.array_equal(found_plies, plies)
            else:  # it knows which games are over, and the plies of nearly full boards
                marks = np.array([word.bit_count() for word in words.tolist()])
                known = (plies == 0) | (marks >= nearly_full_marks(forms.rules))
                assert np.array_equal(found_plies, np.where(known, plies, -1))


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("double_line", ["loses", "wins"])
@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        (2, 2),
        (3, 3),
        (2, 3),
        *(pytest.param(*wide, marks=pytest.mark.exhaustive) for wide in ((4, 2), (5, 2), (2, 5))),
    ],
)
def test_every_position_of_small_boards(
    rows: int, columns: int, double_line: DoubleLine, tmp_path: Path
) -> None:
    for line in range(2, max(rows, columns) + 1):
        (tmp_path / str(line)).mkdir()
        forms = Forms(tmp_path / str(line), Quixo(rows, columns, line, double_line))
        words, values, plies = oracle.solve(rows, columns, line, double_line)
        assert_right(forms, words, (values, plies))


@pytest.mark.usefixtures("way")
def test_random_positions_of_a_rectangle(tmp_path: Path) -> None:
    rules = Quixo(5, 3, line=3)
    words = random_words(rules, 20_000)
    assert_right(Forms(tmp_path, rules), words, by_the_core(rules, words))


@pytest.mark.usefixtures("way")
def test_random_positions_of_4x4(four: Forms) -> None:
    """Planes of several pieces; one at a time, with their moves, and many at once."""
    words = random_words(four.rules, 20_000)
    values, plies = by_the_core(four.rules, words)
    assert_right(four, words, (values, plies))
    for word, value, count in zip(words[:200].tolist(), values.tolist(), plies.tolist(), strict=False):
        position = four.rules.from_word(word)
        probe, coarse = four.compact.probe(position), four.outcomes.probe(position)
        assert (probe.outcome, coarse.value) == (four.compact.outcomes([position])[0], probe.value)
        assert (probe.value, probe.plies) == (VALUES[value], None if count < 0 else count)
        assert {(m.move, m.value) for m in coarse.moves} == {(m.move, m.value) for m in probe.moves}
        if probe.plies in (None, 0, 1) or coarse.plies is not None:
            assert (coarse.plies, coarse.reason) == (probe.plies, None)
        else:
            assert coarse.reason == "the table holds outcomes only, without plies"


def test_a_small_table_is_unpacked_when_many_positions_are_asked(
    three: Forms, monkeypatch: pytest.MonkeyPatch
) -> None:
    with inarow.open_table(three.folder / "compact") as table:
        for first in range(0, 300, 20):
            table.probe_many(ALL_WORDS[first : first + 20])
        assert not table.native.is_in_memory
        table.probe(RULES.start())
        table.values(ALL_WORDS[:20])
        assert table.native.is_in_memory
    monkeypatch.setattr(reader, "_SMALL", 2 * 3732 + (4 << 9) - 1)
    with inarow.open_table(three.folder / "compact") as large:
        large.probe_many(ALL_WORDS)
        assert not large.native.is_in_memory


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


def test_figure_8_of_the_paper(four: Forms) -> None:
    """Each board of the published optimal game is one ply nearer to X's win than the one before it."""
    before: Position | None = None
    for move, board in FIGURE_8_BOARDS.items():
        position = Position.parse(f"{board} {'o' if move % 2 else 'x'}")
        probe = four.compact.probe(position)
        assert (probe.value, probe.plies) == ("loss" if move % 2 else "win", 21 - move)
        if before is not None:
            assert position in {before.play(legal) for legal in before.legal_moves()}
        before = position
    assert before is not None
    assert before.winner == "x"


def test_figure_9_of_the_paper(four: Forms) -> None:
    """The eight states that lose in 22 are images of one; in those lost in 1, all moves give O a line."""
    rules = Quixo(4)
    longest, shortest = set(), set()
    for counts in four.compact.statistics.classes:
        if any(plies in (1, 22) and lost for plies, _, lost in counts.by_plies):
            words, values, plies = four.compact.positions(counts.x, counts.o)
            longest |= set(words[(values == -1) & (plies == 22)].tolist())
            shortest |= set(words[(values == -1) & (plies == 1)].tolist())
    assert len(longest) == 8
    assert {rules.from_word(word).canonical() for word in longest} == {Position.parse(LOSES_IN_22)}
    assert len(shortest) == 528
    for word in shortest:
        position = rules.from_word(word)
        assert all(position.play(move).winner == "o" for move in position.legal_moves())


def test_the_best_lines_from_the_start(three: Forms, four: Forms) -> None:
    for forms, plies in ((three, 7), (four, 21)):
        line = list(forms.compact.line(forms.rules.start()))
        assert [move.plies for move in line] == list(range(plies, 0, -1))
        assert [move.value for move in line] == ["win", "loss"] * (plies // 2) + ["win"]
        assert line[-1].position.winner == "x"
        assert not forms.compact.probe(line[-1].position).moves
    assert list(four.outcomes.line(four.rules.start())) == []


def test_json_of_a_probe(table: Table) -> None:
    data = table.probe(RULES.start()).to_json()
    assert list(data) == ["position", "value", "plies", "source", "reason", "moves"]
    assert (data["position"], data["value"], data["plies"]) == (".../.../... x", "win", 7)
    fields = ["move", "value", "plies", "position", "source", "losing_replies", "replies", "alike"]
    assert list(data["moves"][0]) == fields
    assert {data["source"], *(move["source"] for move in data["moves"])} == {"table"}
    assert len(data["moves"]) == 20
    assert json.loads(json.dumps(data)) == data


def test_statistics(three: Forms) -> None:
    assert three.compact.statistics == inarow.solve(RULES).statistics
    assert three.outcomes.statistics.states == three.compact.statistics.states
    data = three.outcomes.statistics.to_json()
    assert data["by_plies"] == []
    assert {counts["max_plies"] for counts in data["classes"]} == {None}


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


def test_a_closed_table_says_so(three: Forms) -> None:
    with inarow.open_table(three.folder / "compact") as table:
        table.probe(RULES.start())
    with pytest.raises(ValueError, match="closed"):
        table.probe(RULES.start())


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


@pytest.mark.usefixtures("way")
def test_wide_plies(four: Forms, tmp_path: Path) -> None:
    """Plies past 255 take two bytes, and are read so."""
    folder = Path(shutil.copytree(four.folder / "compact", tmp_path / "wide"))
    files, record = opened(folder, 16, 0)  # two entries that no other pair looks at
    [counts, others] = record.classes
    longer = replace(others, by_plies=((300, 0, 1),))
    plies = files.write_pieces(16, 0, 2, [run_of([b"", (300).to_bytes(2, "little")])])
    replace_record(folder, replace(record, width=2, plies=plies, classes=(counts, longer)))
    assert [record.width for record in Manifest.load(folder).pairs[:2]] == [2, 1]
    with inarow.open_table(folder) as table:
        assert table.probe_many([0xFFFF])[1].tolist() == [300]
        assert table.probe_many([0xFFFF << 32])[1].tolist() == [0]


def test_tables_may_be_used_by_several_threads(three: Forms) -> None:
    table: Table = inarow.open_table(three.folder / "compact")
    words = ALL_WORDS
    expected = three.compact.probe_many(words)
    with ThreadPoolExecutor(4) as pool:
        for values, plies in pool.map(table.probe_many, [words] * 8):
            assert np.array_equal(values, expected[0])
            assert np.array_equal(plies, expected[1])


# --- Damage ---


def look_at_everything(folder: Path) -> None:
    with inarow.open_table(folder) as table:
        assert len(list(table.check())) == 30
        table.probe_many(ALL_WORDS)


@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_any_flipped_bit_of_a_pair_is_noticed(
    three: Forms, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    copy = Path(shutil.copytree(three.folder / "compact", tmp_path_factory.mktemp("flip") / "copy"))
    file = data.draw(st.sampled_from(sorted(copy.glob("pair-*"))))
    content = bytearray(file.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= 1 << data.draw(st.integers(0, 7))
    file.write_bytes(content)
    with pytest.raises(inarow.DamagedFile, match=file.name):
        look_at_everything(copy)
    right = three.compact.probe_many(ALL_WORDS)
    with suppress(inarow.DamagedFile):  # what no position needs is not read
        found = inarow.open_table(copy).probe_many(ALL_WORDS)
        assert np.array_equal(found, right)


def test_a_flipped_bit_does_no_harm_elsewhere(copy: Path, three: Forms) -> None:
    """Also where the table is small enough to be unpacked as a whole."""
    file = copy / "pair-04-03.values"
    flip(file, 40)
    table = inarow.open_table(copy)
    marks = np.array([word.bit_count() for word in ALL_WORDS.tolist()])
    others = ALL_WORDS[marks != 7]
    assert np.array_equal(table.values(others), three.compact.values(others))
    with pytest.raises(inarow.DamagedFile, match=r"pair-04-03\.values is damaged: piece 0"):
        table.probe_many(ALL_WORDS[marks == 7])


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("name", ["pair-04-03.values", "pair-04-03.plies"])
def test_damage_is_noticed_by_probe_and_check(copy: Path, name: str) -> None:
    flip(copy / name, 40)  # in the first piece or the second
    table = inarow.open_table(copy)
    for look in (
        lambda: table.probe_many(ALL_WORDS),
        lambda: list(map(table.probe, map(RULES.from_word, ALL_WORDS.tolist()))),
        lambda: list(table.check()),
    ):
        with pytest.raises(inarow.DamagedFile, match=f"{name} is damaged: piece [01]"):
            look()


@pytest.mark.parametrize("name", ["pair-04-03.values", "pair-04-03.plies"])
def test_open_notices_what_headers_say(copy: Path, name: str) -> None:
    file, other = copy / name, copy / name.replace("04-03", "05-02")
    content = file.read_bytes()
    for wrong in (content[:-1], content[:100], b"GIF89a" + content, other.read_bytes()):
        file.write_bytes(wrong)
        with pytest.raises(inarow.DamagedFile, match=name):
            inarow.open_table(copy)
    file.unlink()
    with pytest.raises(inarow.MissingTable, match=name):
        inarow.open_table(copy)


def test_a_file_of_another_table_is_noticed(copy: Path, tmp_path: Path) -> None:
    forms = Forms(tmp_path, Quixo(3, double_line="wins"))
    shutil.copy(forms.folder / "compact" / "pair-04-03.values", copy)
    with pytest.raises(inarow.DamagedFile, match="not that of the pair"):
        inarow.open_table(copy)


@pytest.mark.parametrize("size", [0, 40, 100])
def test_a_file_that_is_cut_short_while_open(copy: Path, size: int) -> None:
    table = inarow.open_table(copy)
    table.probe_many(ALL_WORDS[:10])
    for file in copy.glob("pair-*"):
        os.truncate(file, size)
    with pytest.raises(inarow.DamagedFile, match="is cut short"):
        table.probe_many(ALL_WORDS)
    with pytest.raises(inarow.DamagedFile, match="cut short"):
        list(table.check())


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(
    ("pair", "position", "message"),
    [
        ((1, 0), ".../.../... x", "no position after it is lost"),
        ((0, 0), ".../.../... x", "is wrong: .* but its best move is .*: win in 7"),
        ((3, 0), "xxx/.../... o", "is wrong: .* but its game is over, a loss in 0"),
    ],
)
def test_a_contradiction_is_refused(copy: Path, pair: PairId, position: str, message: str) -> None:
    """With right checksums: a table that was made wrong, where a pair has draws alone."""
    change_outcomes(copy, *pair, lambda plane, codes: np.full_like(codes, 1))
    with pytest.raises(inarow.DamagedFile, match=message):
        inarow.open_table(copy).probe(Position.parse(position))


@pytest.mark.usefixtures("way")
def test_an_entry_that_means_nothing_is_noticed(copy: Path) -> None:
    files, record = opened(copy, 3, 3)
    threes = np.full(packed_size(record.entries), 0xFF, np.uint8)
    written = files.write_pieces(3, 3, 0, [run_of([threes.tobytes()])])
    replace_record(copy, replace(record, values=written))
    for look in (Table.probe_many, lambda table, _: table.probe(Position.parse("xox/oxo/... x"))):
        with pytest.raises(inarow.DamagedFile, match=r"pair-03-03\.values is damaged: piece 0"):
            look(inarow.open_table(copy), ALL_WORDS)


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
        (lambda m: m.pop("plies"), "damaged"),
        (lambda m: m.update(plies=False), "does not follow"),
        (lambda m: m["pairs"][3].pop("plies"), "damaged"),
        (lambda m: m["pairs"][3]["plies"].update(sha256="0" * 64), "checksum"),
        (lambda m: m["pairs"][3].update(bytes=1), "in the manifest"),
        (lambda m: m["pairs"][3].update(bytes=1 << 70), "a file of"),
        (lambda m: m["pairs"][3]["plies"].update(width=3), "plies of 3 bytes"),
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


@pytest.mark.parametrize(
    "change", [{"format": "inarow-quixo"}, {"version": 1}, {"format": "inarow-quixo", "version": 1}]
)
def test_a_table_of_an_older_release_says_what_to_do(copy: Path, change: dict[str, Any]) -> None:
    change_manifest(copy, lambda manifest: manifest.update(change))
    for look in (inarow.open_table, Manifest.load, lambda folder: inarow.solve(RULES, folder)):
        with pytest.raises(OldTable, match=r"older inarow.*\n.*: inarow quixo solve --size 3 --out DIR$"):
            look(copy)
    change_manifest(copy, lambda manifest: manifest.update(rules={"size": 3}))
    with pytest.raises(OldTable, match="inarow quixo solve --size N --out DIR"):
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
