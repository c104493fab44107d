"""Tables answer as the oracle does, in pieces and as a whole, and notice what is wrong with them."""

import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from oracle import quixo_arrays as oracle
from quixo.entries import plies as plies_of
from quixo.forms import Forms, change_outcomes, opened, replace_record
from quixo.test_solve import all_pairs
from verify.quixo.forging import change_manifest

import inarow
from inarow._native.quixo import Locator
from inarow.errors import OldTable
from inarow.quixo.arrays import moves_many
from inarow.quixo.rules import DoubleLine, Position, Quixo
from inarow.quixo.table import reader
from inarow.quixo.table.entries import packed_size
from inarow.quixo.table.files import files_of
from inarow.quixo.table.manifest import Manifest
from inarow.quixo.table.nearly_full import nearly_full_marks
from inarow.quixo.table.pieces import Run
from inarow.quixo.table.reader import TableReader
from inarow.quixo.table.table import Table

RULES = Quixo(3)

Answers = tuple[NDArray[np.int8], NDArray[np.int32]]


@pytest.fixture(params=["in pieces", "as a whole"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways to look positions up, whatever they cost."""
    if request.param == "in pieces":
        monkeypatch.setattr(reader, "_SMALL", 0)
    else:
        monkeypatch.setattr(reader, "_PRICE", np.inf)


@pytest.fixture
def in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "_SMALL", 0)


@pytest.fixture(scope="session")
def three(tmp_path_factory: pytest.TempPathFactory) -> Forms:
    return Forms(tmp_path_factory.mktemp("three"), RULES)


@pytest.fixture(scope="session")
def four(tmp_path_factory: pytest.TempPathFactory) -> Forms:
    return Forms(tmp_path_factory.mktemp("four"), Quixo(4))


@pytest.fixture
def copy(three: Forms, tmp_path: Path) -> Path:
    return Path(shutil.copytree(three.folder / "compact", tmp_path / "copy"))


def all_words(cells: int) -> NDArray[np.uint64]:
    words = np.zeros(1, np.uint64)
    for cell in range(cells):
        bit = np.uint64(1 << cell)
        words = np.concatenate([words, words | bit, words | bit << np.uint64(32)])
    return words


def random_words(cells: int, count: int) -> NDArray[np.uint64]:
    tiles = np.random.default_rng(1).integers(0, 3, (cells, count), np.uint8)
    words = np.zeros(count, np.uint64)
    for cell in range(cells):
        words |= np.where(tiles[cell] == 1, np.uint64(1 << cell + 32), np.uint64(0))
        words |= np.where(tiles[cell] == 2, np.uint64(1 << cell), np.uint64(0))
    return words


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
@pytest.mark.parametrize(("rows", "columns"), [(2, 2), (3, 3), (2, 3), (4, 2), (5, 2), (2, 5)])
def test_every_position_of_small_boards(
    rows: int, columns: int, double_line: DoubleLine, tmp_path: Path
) -> None:
    for line in range(2, max(rows, columns) + 1):
        (tmp_path / str(line)).mkdir()
        forms = Forms(tmp_path / str(line), Quixo(rows, columns, line, double_line))
        words, values, plies = oracle.solve(rows, columns, line, double_line)
        assert_right(forms, words, (values, plies))


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("rules", [Quixo(3, 4), Quixo(5, 3, line=3), Quixo(2, 7, line=4)], ids=str)
def test_random_positions_of_rectangles(rules: Quixo, tmp_path: Path) -> None:
    words = random_words(rules.cells, 20_000)
    assert_right(Forms(tmp_path, rules), words, by_the_core(rules, words))


@pytest.mark.usefixtures("way")
def test_random_positions_of_4x4(four: Forms) -> None:
    words = random_words(16, 20_000)
    assert_right(four, words, by_the_core(four.rules, words))


def test_a_small_table_is_unpacked_when_many_positions_are_asked(
    three: Forms, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = TableReader(
        files_of(three.folder / "compact", three.compact.manifest), three.compact.manifest.pairs
    )
    words = all_words(9)
    for first in range(0, 300, 20):
        table.probe(words[first : first + 20])
    assert table._whole is None
    table.probe_with_moves(0)
    table.values(words[:20])
    assert table._whole is not None
    monkeypatch.setattr(reader, "_SMALL", 2 * 3732 + (4 << 9) - 1)
    large = inarow.open_table(three.folder / "compact")
    large.probe_many(words)
    assert large._open_reader._whole is None


@pytest.mark.usefixtures("in_pieces")
def test_probes_of_single_positions(four: Forms) -> None:
    words = random_words(16, 200)
    _, plies = by_the_core(four.rules, words)
    for word, expected in zip(words.tolist(), plies.tolist(), strict=True):
        position = four.rules.from_word(word)
        probe = four.compact.probe(position)
        assert probe.plies == (None if expected < 0 else expected)
        coarse = four.outcomes.probe(position)
        assert coarse.value == probe.value
        assert {(m.move, m.value) for m in coarse.moves} == {(m.move, m.value) for m in probe.moves}
        if probe.value == "draw" or probe.plies in (0, 1):
            assert (coarse.plies, coarse.reason) == (probe.plies, None)
        elif coarse.plies is None:
            assert coarse.reason == "the table holds outcomes only, without plies"
        else:
            assert coarse.plies == probe.plies


def with_moves(rules: Quixo, word: int) -> NDArray[np.uint64]:
    return np.concatenate((np.array([word], np.uint64), moves_many(rules, [word]).words))


@pytest.mark.usefixtures("in_pieces")
@pytest.mark.parametrize("kept", [reader._KEPT, 0])
@pytest.mark.parametrize("rules", [RULES, Quixo(3, double_line="wins"), Quixo(3, 4)], ids=str)
def test_a_position_with_its_moves_is_looked_up_as_many_positions_are(
    rules: Quixo, kept: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "_KEPT", kept)
    forms = Forms(tmp_path, rules)
    for table in (forms.compact, forms.outcomes):
        for word in random_words(rules.cells, 300).tolist():
            values, plies = table.probe_many(with_moves(rules, word))
            assert table.known_with_moves(word) == (values.tolist(), plies.tolist())


@pytest.mark.usefixtures("in_pieces")
@pytest.mark.parametrize("kept", [reader._KEPT, 0])
def test_the_values_of_a_few_positions_are_those_of_many(
    kept: int, three: Forms, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "_KEPT", kept)
    words = random_words(9, reader._SOME + 200)
    for folder in ("compact", "outcomes"):
        table: Table = inarow.open_table(three.folder / folder)
        values = table.values(words)
        for first in range(0, words.size, 7):
            assert table.values(words[first : first + 7]).tolist() == values[first : first + 7].tolist()


def test_the_best_line(four: Forms) -> None:
    start = four.rules.start()
    assert [move.plies for move in four.compact.line(start)] == list(range(21, 0, -1))
    assert list(four.outcomes.line(start)) == []


def test_statistics(three: Forms) -> None:
    assert three.compact.statistics == inarow.solve(RULES).statistics
    assert three.outcomes.statistics.states == three.compact.statistics.states
    data = three.outcomes.statistics.to_json()
    assert data["by_plies"] == []
    assert {counts["max_plies"] for counts in data["classes"]} == {None}


def test_shapes_and_bad_words(three: Forms) -> None:
    values, plies = three.compact.probe_many(np.array([[0, 1], [2, 1 << 32]], np.uint64))
    assert values.shape == plies.shape == (2, 2)
    assert three.compact.probe_many([])[0].shape == (0,)
    with pytest.raises(ValueError, match=r"word 1 \(0x0000000100000001\)"):
        three.compact.probe_many([0, 1 << 32 | 1])


def test_a_closed_table_says_so(three: Forms) -> None:
    with inarow.open_table(three.folder / "compact") as table:
        table.probe(RULES.start())
    with pytest.raises(ValueError, match="closed"):
        table.probe(RULES.start())


def test_an_incomplete_table_knows_what_it_has(copy: Path, three: Forms) -> None:
    manifest = Manifest.load(copy)
    Manifest(RULES, manifest.pairs[:12]).save(copy)
    with inarow.open_table(copy) as part:
        full = Position.parse("xox/oxo/oxo x")
        assert part.probe(full) == three.compact.probe(full)
        assert part.get(RULES.start(), None) is None
        with pytest.raises(inarow.MissingTable, match="inarow quixo solve --size 3 --out"):
            part.probe(RULES.start())


@pytest.mark.usefixtures("way")
def test_wide_plies(four: Forms, tmp_path: Path) -> None:
    """Plies past 255 take two bytes, and are read so."""
    folder = Path(shutil.copytree(four.folder / "compact", tmp_path / "wide"))
    files, record = opened(folder, 16, 0)  # two entries that no other pair looks at
    [counts, others] = record.classes
    longer = replace(others, by_plies=((300, 0, 1),))
    lost = Run(np.array([300], "<u2").view(np.uint8), np.array([0, 2], np.uint32))
    plies = files.write_pieces(16, 0, 2, [lost])
    replace_record(folder, replace(record, width=2, plies=plies, classes=(counts, longer)))
    assert [record.width for record in Manifest.load(folder).pairs[:2]] == [2, 1]
    with inarow.open_table(folder) as table:
        assert table.probe_many([0xFFFF])[1].tolist() == [300]
        assert table.probe_many([0xFFFF << 32])[1].tolist() == [0]


# --- Damage ---


def look_at_everything(folder: Path) -> None:
    with inarow.open_table(folder) as table:
        assert len(list(table.check())) == 30
        table.probe_many(all_words(9))


def test_a_whole_table_passes(three: Forms) -> None:
    look_at_everything(three.folder / "compact")
    look_at_everything(three.folder / "outcomes")


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("name", ["pair-04-03.values", "pair-04-03.plies"])
def test_damage_is_noticed_by_probe_and_check(copy: Path, name: str) -> None:
    content = bytearray((copy / name).read_bytes())
    content[40] ^= 4  # in the first piece or the second
    (copy / name).write_bytes(content)
    table = inarow.open_table(copy)
    with pytest.raises(inarow.DamagedFile, match=f"{name} is damaged: piece [01]"):
        table.probe_many(all_words(9))
    with pytest.raises(inarow.DamagedFile, match=f"{name} is damaged: piece [01]"):
        list(map(table.probe, map(RULES.from_word, all_words(9).tolist())))
    with pytest.raises(inarow.DamagedFile, match=f"{name} is damaged: piece [01]"):
        list(table.check())


@pytest.mark.parametrize("name", ["pair-04-03.values", "pair-04-03.plies"])
def test_open_notices_what_headers_say(copy: Path, three: Forms, tmp_path: Path, name: str) -> None:
    file, other = copy / name, copy / name.replace("04-03", "05-02")
    content = file.read_bytes()
    for wrong, error in (
        (content[:-1], inarow.DamagedFile),
        (content[:100], inarow.DamagedFile),
        (b"GIF89a" + content, inarow.DamagedFile),
        (other.read_bytes(), inarow.DamagedFile),
    ):
        file.write_bytes(wrong)
        with pytest.raises(error, match=name):
            inarow.open_table(copy)
    file.unlink()
    with pytest.raises(inarow.MissingTable, match=name):
        inarow.open_table(copy)


def test_a_file_of_another_table_is_noticed(copy: Path, tmp_path: Path) -> None:
    forms = Forms(tmp_path, Quixo(3, double_line="wins"))
    shutil.copy(forms.folder / "compact" / "pair-04-03.values", copy)
    with pytest.raises(inarow.DamagedFile, match="not that of the pair"):
        inarow.open_table(copy)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.update(version=3), "version 3"),
        (lambda m: m.pop("plies"), "damaged"),
        (lambda m: m.update(plies=False), "does not follow"),
        (lambda m: m["pairs"][3].pop("plies"), "damaged"),
        (lambda m: m["pairs"][3]["plies"].update(sha256="0" * 64), "checksum"),
        (lambda m: m["pairs"][3]["plies"].update(width=2), "plies of 1 bytes"),
        (lambda m: m["pairs"][3].update(bytes=1), "in the manifest"),
        (lambda m: m["pairs"][3].update(entries=1), "other counts than the game"),
        (lambda m: m["pairs"].reverse(), "order"),
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


@pytest.mark.parametrize("size", [0, 40, 100])
def test_a_file_that_is_cut_short_while_open(copy: Path, size: int) -> None:
    table = inarow.open_table(copy)
    table.probe_many(all_words(9)[:10])
    for file in copy.glob("pair-*"):
        os.truncate(file, size)
    with pytest.raises(inarow.DamagedFile, match="is cut short"):
        table.probe_many(all_words(9))
    with pytest.raises(inarow.DamagedFile, match="cut short"):
        list(table.check())


@pytest.mark.usefixtures("way")
def test_a_win_that_nothing_lost_follows_is_noticed(copy: Path) -> None:
    """With right checksums: a table that was made wrong. The empty board is won by a move to a lost one."""
    change_outcomes(copy, 1, 0, lambda plane, codes: np.full_like(codes, 1))
    with pytest.raises(inarow.DamagedFile, match="no position after it is lost"):
        inarow.open_table(copy).probe(RULES.start())


@pytest.mark.usefixtures("way")
def test_an_entry_that_means_nothing_is_noticed(copy: Path) -> None:
    files, record = opened(copy, 3, 3)
    threes = np.full(packed_size(record.entries), 0xFF, np.uint8)
    written = files.write_pieces(3, 3, 0, [Run(threes, np.array([threes.size], np.uint32))])
    replace_record(copy, replace(record, values=written))
    with pytest.raises(inarow.DamagedFile, match=r"pair-03-03\.values is damaged: piece 0"):
        inarow.open_table(copy).probe_many(all_words(9))
    with pytest.raises(inarow.DamagedFile, match=r"pair-03-03\.values is damaged: piece 0"):
        inarow.open_table(copy).probe(Position.parse("xox/oxo/... x"))


@pytest.mark.usefixtures("in_pieces")
def test_threads_may_probe_while_others_make_room(three: Forms, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "_KEPT", 0)
    table: Table = inarow.open_table(three.folder / "compact")
    positions = [RULES.from_word(word) for word in random_words(9, 300).tolist()]
    expected = list(map(three.compact.probe, positions))
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: list(map(table.probe, positions)), range(4)):
            assert found == expected


def test_tables_may_be_used_by_several_threads(three: Forms) -> None:
    table: Table = inarow.open_table(three.folder / "compact")
    words = all_words(9)
    expected = three.compact.probe_many(words)
    with ThreadPoolExecutor(4) as pool:
        for values, plies in pool.map(table.probe_many, [words] * 8):
            assert np.array_equal(values, expected[0])
            assert np.array_equal(plies, expected[1])
