"""The checker passes the solver's tables, and finds what is wrong with others."""

import shutil
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracle import quixo as oracle
from verify.quixo.forging import change_entry, change_manifest, forge_pair, read_pair
from verify.quixo.pairs import check_all, pair_of
from verify.quixo.small_tables import Form, SmallTable, write_table

from inarow import DamagedFile, InarowError, MissingTable, solve
from inarow._native import verify_quixo as native
from inarow.quixo.rules import DoubleLine, Position, Quixo
from inarow.verify.quixo.planes import Planes
from inarow.verify.quixo.rules import Rules
from inarow.verify.quixo.sample import verify_sample
from inarow.verify.quixo.table import verify_table
from inarow.verify.quixo.table_files import TableFiles

RULES = Quixo(3)
GAME = native.Game(3, 3, 3, False)  # the same rules
PAIRS = [(a, b) for b in range(5) for a in range(b, 10 - b)]
DRAW, TOP = 127, 255  # of entries of one byte


@pytest.fixture(scope="session")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A right table of RULES; not to be written to."""
    path = tmp_path_factory.mktemp("verify") / "table"
    solve(RULES, out=path)
    return path


@pytest.fixture
def copy(table: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(table, tmp_path / "copy"))


def pair_name(a: int, b: int) -> str:
    return f"pair-{a:02}-{b:02}.bin"


def entries_of(path: Path, a: int, b: int) -> NDArray[np.uint8]:
    return np.frombuffer(read_pair(path, pair_name(a, b))[1], np.uint8)


def widened(entries: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """The same values in entries of two bytes."""
    result = entries.astype(np.uint16)
    result[entries == DRAW] = 32767
    result[entries > DRAW] += 65535 - TOP
    return result


def change_byte(file: Path, offset: int, value: int) -> None:
    content = bytearray(file.read_bytes())
    content[offset] = value
    file.write_bytes(content)


@cache
def positions_of(a: int, b: int) -> list[Position]:
    """The positions of a pair of RULES in the order of their entries."""

    def is_canonical(mask: int) -> bool:
        return all(image.x >= mask for image in Position(RULES, mask, 0).symmetries())

    masks = range(1 << RULES.cells)
    larger = [mask for mask in masks if mask.bit_count() == a and is_canonical(mask)]
    # Local words are in the same order as the masks they come from.
    smaller = [mask for mask in masks if mask.bit_count() == b]
    boards = [(one, other) for one in larger for other in smaller if not one & other]
    plane_0 = [Position(RULES, one, other) for one, other in boards]
    plane_1 = [Position(RULES, other, one) for one, other in boards]
    return plane_0 if a == b else plane_0 + plane_1


def children(position: Position) -> set[int]:
    return {position.play(move).canonical().mover_word for move in position.legal_moves()}


# --- Right tables ---


@pytest.mark.parametrize("double_line", ["loses", "wins"])
@pytest.mark.parametrize("size", [2, 3])
def test_tables_of_the_solver_pass(size: int, double_line: DoubleLine, tmp_path: Path) -> None:
    solve(Quixo(size, double_line=double_line), out=tmp_path)
    calls: list[tuple[int, int]] = []
    report = verify_table(tmp_path, threads=2, progress=lambda done, total: calls.append((done, total)))
    assert report.verdict == "proven"
    assert report.reason == (
        "every entry follows from the rules and the entries of the positions after it, plies included"
    )
    assert report.counterexample is None
    assert report.problem is None
    assert (report.has_plies, report.method, report.is_complete) == (True, "plies", True)
    assert report.positions == 3 ** (size * size)
    assert calls == sorted(calls)
    assert calls[-1] == (report.entries, report.entries)
    assert report.per_second > 0


@pytest.mark.parametrize("double_line", ["loses", "wins"])
def test_values_of_the_oracle_pass(double_line: DoubleLine) -> None:
    """Entries made without the solver: all that checker and solver could have in common is the format."""
    values = oracle.solve(3, 3, 3, double_line)

    def entry(position: Position) -> int:
        value, plies = values[position.mover, position.other]
        return DRAW if plies is None else plies if value == "loss" else TOP - plies

    pairs = {pair: np.array([entry(p) for p in positions_of(*pair)], np.uint8) for pair in PAIRS}
    game = native.Game(3, 3, 3, double_line == "wins")
    for (a, b), entries in pairs.items():
        smaller = pairs.get((a, b + 1)) if a > b else None
        pair = pair_of(game, a, b, entries, pairs.get((a + 1, b)), smaller)
        assert check_all(game, a, b, pair) == (entries.size, None)


def test_each_pair_may_have_its_own_width(table: Path, tmp_path: Path) -> None:
    names = {pair: pair_name(*pair) for pair in ((4, 2), (5, 2), (4, 3))}
    for wide in np.ndindex(2, 2, 2):
        path = Path(shutil.copytree(table, tmp_path / str(wide)))
        for (a, b), name in [item for item, is_wide in zip(names.items(), wide, strict=True) if is_wide]:
            header, _ = read_pair(path, name)
            wider = widened(entries_of(table, a, b)).astype("<u2").tobytes()
            forge_pair(path, name, header[:15] + b"\2" + header[16:], wider)
        pair = Planes(TableFiles(path), 2).load(4, 2)
        assert check_all(GAME, 4, 2, pair.native) == (GAME.entry_count(4, 2), None)


# --- Wrong entries ---


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_a_changed_entry_is_found(
    table: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """The fault shows at the entry itself, or at a position that has it as a child: nowhere else."""
    a, b = data.draw(st.sampled_from(PAIRS), label="pair")
    entries = entries_of(table, a, b)
    index = data.draw(st.integers(0, entries.size - 1), label="index")
    right = int(entries[index])
    near = [(right + by) % 256 for by in (-2, -1, 1, 2)] + [TOP - right, 0, DRAW, DRAW + 1, TOP]
    wrong = data.draw(st.sampled_from(near) | st.integers(0, TOP), label="wrong")
    path = tmp_path_factory.mktemp("changed")
    for file in table.iterdir():
        (path / file.name).symlink_to(file)
    change_entry(path, pair_name(a, b), index, wrong)

    report = verify_table(path, threads=1)
    found = report.counterexample
    if wrong == right:
        assert report.verdict == "proven"
        return
    assert report.verdict == "wrong"
    assert found is not None
    assert str(found) in report.reason
    position = positions_of(a, b)[index]
    at = RULES.parse(found.position)
    assert at == position or position.canonical().mover_word in children(at)


@pytest.mark.parametrize(("a", "b"), [(3, 2), (2, 2), (5, 4), (4, 1)])
def test_a_wrong_entry_is_located(table: Path, a: int, b: int) -> None:
    """Each entry, changed and checked alone, is reported with its plane, block, rank and masks."""
    entries = entries_of(table, a, b)
    larger = entries_of(table, a + 1, b) if a + b < 9 else None
    smaller = entries_of(table, a, b + 1) if a + b < 9 and a > b else None
    positions = positions_of(a, b)
    assert len(positions) == entries.size == GAME.entry_count(a, b)
    blocks = len(GAME.orbits(a))
    ranks = entries.size // blocks // (1 if a == b else 2)
    for index, position in enumerate(positions):
        if position.canonical().mover_word in children(position):
            continue  # what is expected of it would change with it
        changed = entries.copy()
        changed[index] = 3 if entries[index] == DRAW else DRAW
        pair = pair_of(GAME, a, b, changed, larger, smaller)
        plane, block = divmod(index // ranks, blocks)
        checked, found = pair.check(plane, block, block + 1, False, 1)
        assert found is not None
        plane, block, rank, one, other, stored, expected = found
        if a == b and (plane * blocks + block) * ranks + rank < index:
            continue  # a position before it in the block has it as a child
        assert (plane * blocks + block) * ranks + rank == index
        assert checked == rank + 1
        assert rank < ranks
        assert block < blocks
        assert (position.mover, position.other) == ((one, other) if plane == 0 else (other, one))
        assert [stored, expected] == [widened(changed)[index], widened(entries)[index]]


@pytest.mark.parametrize(
    ("index", "entry", "words"),
    [
        (0, 5, "xxx/xxx/xxx x: stored loss in 5, expected win in 0 (pair {9, 0}, plane 0, block 0, rank 0)"),
        (
            1,
            254,
            "ooo/ooo/ooo x: stored win in 1, expected loss in 0 (pair {9, 0}, plane 1, block 0, rank 0)",
        ),
        (1, 127, "ooo/ooo/ooo x: stored draw, expected loss in 0 (pair {9, 0}, plane 1, block 0, rank 0)"),
    ],
)
def test_a_counterexample_in_words(copy: Path, index: int, entry: int, words: str) -> None:
    change_entry(copy, pair_name(9, 0), index, entry)
    report = verify_table(copy)
    assert str(report.counterexample) == words
    assert report.entries == index + 1
    assert report.positions == 0


def test_more_plies_than_an_entry_holds() -> None:
    """From the empty board every move leads to the next pair, so that pair alone says what is expected."""
    game = native.Game(2, 2, 2, False)
    children = game.entry_count(1, 0)

    def found(stored: np.uint8 | np.uint16, child: np.uint8 | np.uint16) -> tuple[int, ...] | None:
        """The value stored and the value expected if they differ."""
        successors = np.array([child] * children)
        wrong = check_all(game, 0, 0, pair_of(game, 0, 0, np.array([stored]), successors, None))[1]
        return None if wrong is None else wrong[5:]

    assert found(np.uint16(65535 - 127), np.uint8(126)) is None
    # In one byte that Win in 127 may not be stored, though 128 looks like it.
    assert found(np.uint8(128), np.uint8(126)) == (native.NOT_AN_ENTRY, 65535 - 127)
    assert found(np.uint16(32768), np.uint16(32766)) == (native.NOT_AN_ENTRY, native.NO_VALUE)
    assert found(np.uint16(32767), np.uint16(32769)) == (native.DRAW, native.NO_VALUE)


def test_the_rule_for_double_lines_matters(copy: Path) -> None:
    for file in copy.glob("pair-*.bin"):
        header, entries = read_pair(copy, file.name)
        forge_pair(copy, file.name, header[:12] + b"\1" + header[13:], entries)
    change_manifest(copy, lambda manifest: manifest["rules"].update(double_line="wins"))
    found = verify_table(copy).counterexample
    assert found is not None
    assert (found.stored, found.expected) == ("win in 0", "loss in 0")
    position = RULES.parse(found.position)
    assert RULES.has_line(position.x)
    assert RULES.has_line(position.o)


@pytest.mark.parametrize("faults", [[7], [20_000, 9_001, 9_000], [21_000, 17_000, 13_000, 21_999]])
def test_the_first_fault_is_reported_whatever_the_threads(faults: list[int]) -> None:
    """Three marks make no line of four, so all Draws are right; and a Win as a child changes nothing then."""
    game = native.Game(4, 4, 4, False)
    entries = np.full(game.entry_count(3, 3), DRAW, np.uint8)
    larger = np.full(game.entry_count(4, 3), DRAW, np.uint8)
    entries[faults] = TOP - 3
    pair = pair_of(game, 3, 3, entries, larger, None)
    blocks = game.orbits(3).size
    for threads in (1, 2, 5):
        for first in {0, min(faults) // 286}:
            checked, found = pair.check(0, first, blocks, False, threads)
            assert checked == min(faults) + 1 - first * 286
            assert found is not None
            assert found[1] * 286 + found[2] == min(faults)
    assert pair.check(0, 0, min(faults) // 286, False, 2)[1] is None


# --- Damaged files ---


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_flipped_bit_is_damage(
    table: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = Path(shutil.copytree(table, tmp_path_factory.mktemp("flipped") / "copy"))
    file = data.draw(st.sampled_from(sorted(path.glob("*.bin"))))
    content = file.read_bytes()
    place = data.draw(st.integers(0, len(content) - 1))
    change_byte(file, place, content[place] ^ 1 << data.draw(st.integers(0, 7)))
    assert file.name in refused(path)
    with pytest.raises(DamagedFile, match=file.name):
        verify_sample(path, 20_000, seed=1)


def test_a_file_of_version_1_is_checked_as_a_whole(tmp_path: Path) -> None:
    rules = Rules(3, 3, 3, "loses")
    small = SmallTable(rules)
    write_table(tmp_path, rules, small, small.values, Form(old=True))
    assert verify_table(tmp_path).verdict == "proven"
    file = tmp_path / pair_name(4, 3)
    change_byte(file, 100, file.read_bytes()[100] ^ 1)
    assert "is not that of its entries" in refused(tmp_path)


def test_a_manifest_with_a_wrong_checksum(copy: Path) -> None:
    path = copy / "manifest.json"
    path.write_text(path.read_text().replace('"loss": 0', '"loss": 1', 1))
    assert "does not match its checksum" in refused(copy)


# --- Wrong counts ---


@pytest.mark.parametrize("what", ["win", "loss", "draw", "by_plies", "x"])
def test_wrong_counts_in_the_manifest(copy: Path, what: str) -> None:
    def change(manifest: dict[str, Any]) -> None:
        record = next(pair for pair in manifest["pairs"] if (pair["a"], pair["b"]) == (3, 1))
        if what == "by_plies":
            record["classes"][1]["by_plies"][2][1] += 1
        else:
            record["classes"][1][what] += 1

    change_manifest(copy, change)
    report = verify_table(copy)
    assert report.verdict == "wrong"
    assert report.counterexample is None
    assert report.problem is not None
    assert report.problem == report.reason
    assert report.problem.startswith(pair_name(3, 1))


# --- Not a whole table ---


def refused(path: Path) -> str:
    with pytest.raises((DamagedFile, MissingTable)) as error:
        verify_table(path)
    return str(error.value)


def test_no_folder(tmp_path: Path) -> None:
    assert "manifest.json" in refused(tmp_path / "nowhere")


def test_a_missing_pair(copy: Path) -> None:
    (copy / pair_name(2, 1)).unlink()
    assert pair_name(2, 1) in refused(copy)


def test_a_pair_missing_in_the_manifest(copy: Path) -> None:
    change_manifest(copy, lambda manifest: manifest["pairs"].pop(7))
    assert "is not listed" in refused(copy)


@pytest.mark.parametrize("size", [0, 10, 63, 64, -1, 1])
def test_a_file_of_another_length(copy: Path, size: int) -> None:
    file = copy / pair_name(4, 3)
    content = file.read_bytes()
    file.write_bytes(content + b"\0" if size == 1 else content[:size])
    assert pair_name(4, 3) in refused(copy)


@pytest.mark.parametrize(
    ("offset", "what"),
    [
        (0, "magic"),
        (8, "version"),
        (10, "rows"),
        (11, "line"),
        (12, "double line"),
        (13, "a"),
        (14, "b"),
        (15, "width"),
        (16, "planes"),
        (17, "columns"),
        (19, "zeros"),
        (21, "entries of a piece"),
        (24, "entries"),
    ],
)
def test_a_header_that_disagrees(copy: Path, offset: int, what: str) -> None:
    change_byte(copy / pair_name(4, 3), offset, 77)
    assert f"{pair_name(4, 3)}: {what} in the header" in refused(copy)


def test_a_digest_that_disagrees(copy: Path) -> None:
    file = copy / pair_name(4, 3)
    change_byte(file, 40, file.read_bytes()[40] ^ 1)
    assert "digest" in refused(copy)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.update(format="chess"), "chess"),
        (lambda m: m.update(version=3), "version 3"),
        (lambda m: m.update(complete=0), "complete"),
        (lambda m: m.pop("rules"), "rules"),
        (lambda m: m["rules"].update(rows=True, columns=3), "rows"),
        (lambda m: m["rules"].update(rows=5, columns=6), "5 rows, 6 columns"),
        (lambda m: m["rules"].update(rows=1, columns=3), "1 rows"),
        (lambda m: m["rules"].update(line=4), "line 4"),
        (lambda m: m["rules"].update(double_line="draws"), "draws"),
        (lambda m: m["pairs"].append(m["pairs"][0]), "twice"),
        (lambda m: m["pairs"].append({"a": 1, "b": 2}), "{1, 2} is not a pair"),
        (lambda m: m["pairs"].append(3), "'a'"),
        (lambda m: m["pairs"][5].update(width=3), "width"),
        (lambda m: m["pairs"][5].update(entries=3), "entries"),
        (lambda m: m["pairs"][5].update(file="../x.bin"), "../x.bin"),
        (lambda m: m["pairs"][5].pop("classes"), "classes"),
        (lambda m: m["pairs"][5]["classes"][0].update(by_plies=[[1, 2]]), "by_plies"),
    ],
)
def test_a_malformed_manifest(copy: Path, change: Callable[[dict[str, Any]], object], message: str) -> None:
    change_manifest(copy, change)
    assert message in refused(copy)


def test_a_manifest_that_is_no_json(copy: Path) -> None:
    (copy / "manifest.json").write_bytes(b"{")
    assert "not JSON" in refused(copy)
    (copy / "manifest.json").write_bytes(b"\xff")
    assert "manifest.json" in refused(copy)


def test_what_makes_no_sense_is_refused(table: Path) -> None:
    with pytest.raises(InarowError, match="the device is 'cpu' or 'cuda', not 'tpu'"):
        verify_table(table, device="tpu")  # type: ignore[arg-type]
    for check in (verify_table, partial(verify_sample, count=1, seed=1)):
        with pytest.raises(InarowError, match="threads must be 1 to 1,024, not 100,000"):
            check(table, threads=100_000)
    with pytest.raises(InarowError, match="at most 10,000,000 can be drawn"):
        verify_sample(table, 99999999999, seed=1)


# --- The module in C++ ---


@pytest.mark.parametrize(
    "rules", [(6, 5, 3), (3, 3, 4), (3, 3, 1), (1, 5, 5), (2, 13, 3), (13, 2, 3), (5, 6, 3), (-2, -2, 2)]
)
def test_rules_are_checked(rules: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match=r"at (least|most)"):
        native.Game(*rules, False)


@pytest.mark.parametrize(
    ("a", "b", "sizes", "above", "blocks_and_threads"),
    [
        (9, 1, (1, 1), (None, None), (0, 0, 1, 1)),
        (9, 0, (2, 1), (None, None), (0, 0, 1, 1)),
        (9, 0, (1, 1), (None, None), (0, 0, 2, 1)),
        (9, 0, (1, 1), (None, None), (0, 1, 0, 1)),
        (9, 0, (1, 1), (None, None), (0, 0, 1, 0)),
        (9, 0, (1, 1), (None, None), (2, 0, 1, 1)),
        (9, 0, (1, 1), (1, None), (0, 0, 1, 1)),
        (9, 0, (1, None), (None, None), (0, 0, 1, 1)),
        (0, 0, (1, 1), (None, None), (0, 0, 1, 1)),
        (0, 0, (1, 1), (5, None), (0, 0, 1, 1)),
    ],
)
def test_arguments_are_checked(
    a: int,
    b: int,
    sizes: tuple[int | None, ...],
    above: tuple[int | None, ...],
    blocks_and_threads: tuple[int, int, int, int],
) -> None:
    def plane(size: int | None) -> Any:
        return None if size is None else native.Plane(np.zeros(size, np.uint8), native.Codes.PLAIN)

    plane_number, first, last, threads = blocks_and_threads
    with pytest.raises((ValueError, IndexError), match=r"\w"):
        native.Pair(GAME, a, b, [plane(n) for n in sizes], [plane(n) for n in above], True).check(
            plane_number, first, last, False, threads
        )
