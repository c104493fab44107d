"""Tables and books of inarow 0.1 are read, completed and repaired.

data/tables-0.1.tar.xz has what 0.1 made of 3×3: the table in its plain form, compact, and compact without
plies, and a book with its counts.
"""

import json
import shutil
import tarfile
from pathlib import Path

import numpy as np
import pytest
from oracle import quixo as oracle
from quixo.forms import contents

import inarow
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.solution import Solution
from inarow.quixo.table.book import open_book
from inarow.quixo.table.convert import convert
from inarow.quixo.table.manifest import Manifest

RULES = Quixo(3)
NAMES = {1: "win", 0: "draw", -1: "loss"}


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folders of the archive; not to be written to."""
    folder = tmp_path_factory.mktemp("old")
    with tarfile.open(Path(__file__).parent / "data" / "tables-0.1.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return folder


def solve_again(form: str, folder: Path) -> tuple[str, ...]:
    """What completes and repairs a table of a form, if `solve` can make it."""
    return inarow.solve(RULES, folder, outcomes_only=form == "outcomes").repaired


@pytest.mark.parametrize("form", ["plain", "compact", "outcomes"])
def test_every_position_is_read(old: Path, form: str) -> None:
    expected = oracle.solve(3, 3, 3, "loses")
    words = np.array([x << 32 | o for x, o in expected], np.uint64)
    with inarow.open_table(old / form) as table:
        assert table.rules == RULES
        assert len(list(table.check())) == 30
        values, plies = table.probe_many(words)
    assert [NAMES[value] for value in values.tolist()] == [value for value, _ in expected.values()]
    if form != "outcomes":
        assert plies.tolist() == [-1 if count is None else count for _, count in expected.values()]


def test_the_headers_are_those_of_0_1(old: Path) -> None:
    """The byte that now holds the columns was 0, and the manifest had a size."""
    for file in (old / "plain" / "pair-04-03.bin", old / "compact" / "pair-04-03.plies"):
        assert file.read_bytes()[10:18] == bytes([3, 3, 0, 4, 3, 1, 2, 0])
    assert json.loads((old / "plain" / "manifest.json").read_text())["rules"] == {
        "size": 3,
        "line": 3,
        "double_line": "loses",
    }


@pytest.mark.parametrize("form", ["plain", "outcomes"])
def test_a_part_is_completed_in_the_old_layout(old: Path, form: str, tmp_path: Path) -> None:
    part = Path(shutil.copytree(old / form, tmp_path / "part"))
    manifest = Manifest.load(part)
    for record in manifest.pairs[12:]:
        next(part.glob(f"pair-{record.a:02}-{record.b:02}.*")).unlink()
    data = json.loads((part / "manifest.json").read_text())
    data |= {"complete": False, "pairs": data["pairs"][:12]}
    (part / "manifest.json").write_text(json.dumps(data))
    assert solve_again(form, part) == ()
    assert contents(part) == contents(old / form)


@pytest.mark.parametrize("form", ["plain", "outcomes"])
def test_a_damaged_table_is_repaired(old: Path, form: str, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(old / form, tmp_path / "copy"))
    file = next(copy.glob("pair-05-03.*"))
    content = bytearray(file.read_bytes())
    content[-40] ^= 1
    file.write_bytes(content)
    assert solve_again(form, copy) == (file.name,)
    assert contents(copy) == contents(old / form)


def test_conversions_give_tables_of_today(old: Path, tmp_path: Path) -> None:
    inarow.solve(RULES, tmp_path / "plain")
    convert(tmp_path / "plain", tmp_path / "compact")
    convert(tmp_path / "plain", tmp_path / "outcomes", plies=False)
    convert(old / "compact", tmp_path / "plain of old", "plain")
    convert(old / "plain", tmp_path / "compact of old")
    convert(old / "compact", tmp_path / "outcomes of old", plies=False)
    for form in ("plain", "compact", "outcomes"):
        assert contents(tmp_path / f"{form} of old") == contents(tmp_path / form)


def test_a_book_and_its_counts(old: Path, tmp_path: Path) -> None:
    inarow.solve(RULES, tmp_path / "book", store=False)
    name = "3x3-line3-loses.book"
    before, now = open_book(old / "book" / name), open_book(tmp_path / "book" / name)
    assert before.rules == now.rules == RULES
    assert before.classes == now.classes
    assert before.pairs.keys() == now.pairs.keys()
    for pair in now.pairs:
        assert np.array_equal(before.entries(*pair), now.entries(*pair))
    solution = Solution.from_data((old / "book" / "3x3-line3-loses.json").read_text())
    assert solution.rules == RULES
    assert solution.statistics == inarow.solve(RULES).statistics
