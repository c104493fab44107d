"""The checker reads the compact form with code of its own, and finds what is wrong there."""

import shutil
import struct
import zlib
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from quixo.forms import Forms, change_outcomes, change_plies, opened, replace_record
from verify.quixo.forging import change_manifest
from verify.quixo.small_tables import Form, SmallTable, write_table

from inarow import DamagedFile, InarowError, MissingTable
from inarow._native import verify_quixo as native
from inarow.quixo.rules import Quixo
from inarow.quixo.table.entries import unpack
from inarow.quixo.table.manifest import Manifest
from inarow.verify.quixo import sample as sampling
from inarow.verify.quixo.planes import Planes
from inarow.verify.quixo.rules import Rules
from inarow.verify.quixo.sample import _draw, verify_sample
from inarow.verify.quixo.table import verify_table

RULES = Quixo(3)
PAIRS = [(a, b) for b in range(5) for a in range(b, 10 - b)]
NAMES = ["compact", "outcomes"]


@pytest.fixture(scope="session")
def forms(tmp_path_factory: pytest.TempPathFactory) -> Forms:
    """Not to be written to."""
    return Forms(tmp_path_factory.mktemp("verify"), RULES)


@pytest.fixture(scope="session")
def four(tmp_path_factory: pytest.TempPathFactory) -> Forms:
    return Forms(tmp_path_factory.mktemp("verify-four"), Quixo(4))


@pytest.fixture(params=NAMES)
def copy(request: pytest.FixtureRequest, forms: Forms, tmp_path: Path) -> Path:
    """A compact table with plies, and one without."""
    return Path(shutil.copytree(forms.folder / request.param, tmp_path / request.param))


def refused(path: Path) -> str:
    with pytest.raises((DamagedFile, MissingTable)) as error:
        verify_table(path, threads=1)
    return str(error.value)


# --- Right tables ---


@pytest.mark.parametrize("rules", [Quixo(2), RULES, Quixo(3, double_line="wins")], ids=str)
def test_right_tables_pass(rules: Quixo, tmp_path: Path) -> None:
    Forms(tmp_path, rules)
    for name in NAMES:
        for threads in (1, 3):
            report = verify_table(tmp_path / name, threads=threads)
            assert report.verdict == "proven"
            assert report.positions == 3**rules.cells
            assert report.has_plies == (name == "compact")
            assert report.method == ("plies" if name == "compact" else "derivation")


@pytest.mark.parametrize("name", ["plain", *NAMES])
def test_samples_of_right_tables_pass(four: Forms, name: str) -> None:
    """Draws and many pieces are only found on 4×4."""
    report = verify_sample(four.folder / name, 600, seed=3)
    assert report.verdict == "consistent"
    assert "a sample: 600 entries out of 5,604,135, drawn with seed 3" in report.reason
    assert (report.entries, report.method) == (600, None)


# --- Wrong tables whose checksums are right ---


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_a_changed_outcome_is_found(
    forms: Forms, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    a, b = data.draw(st.sampled_from(PAIRS), label="pair")
    which, by = data.draw(st.integers(0, 10**6)), data.draw(st.integers(1, 2))
    path = Path(shutil.copytree(forms.folder / "outcomes", tmp_path_factory.mktemp("changed") / "t"))

    def change(plane: int, codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
        if plane == 0:
            codes[which % codes.size] = (codes[which % codes.size] + by) % 3
        return codes

    change_outcomes(path, a, b, change)
    report = verify_table(path, threads=1)
    assert report.counterexample is not None
    assert {report.counterexample.stored, report.counterexample.expected} <= {"win", "loss", "draw"}
    # A sample that draws all the entries there are finds it too.
    assert verify_sample(path, 60_000, seed=1).verdict == "wrong"


@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_changed_plies_are_found(
    forms: Forms, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = Path(shutil.copytree(forms.folder / "compact", tmp_path_factory.mktemp("changed") / "t"))
    a, b = data.draw(st.sampled_from([(5, 2), (4, 3), (3, 3), (2, 2)]), label="pair")
    (record,) = (pair for pair in forms.plain.manifest.pairs if (pair.a, pair.b) == (a, b))
    losses = [counts.loss for counts in record.classes]
    change_plies(path, a, b, losses.index(max(losses)), 0, data.draw(st.sampled_from([1, 2, 7])))
    assert verify_table(path, threads=1).counterexample is not None
    assert verify_sample(path, 60_000, seed=1).verdict == "wrong"


def test_a_win_that_nothing_follows(forms: Forms, tmp_path: Path) -> None:
    """The empty board is won, by a move to a lost one; were that a draw, so would the empty board be."""
    path = Path(shutil.copytree(forms.folder / "compact", tmp_path / "t"))
    change_outcomes(path, 1, 0, lambda plane, codes: np.full_like(codes, 1))
    with pytest.raises(DamagedFile, match=r"pair-01-00\.plies: piece"):
        verify_table(path, threads=1)  # there are more plies than losses now
    path = Path(shutil.copytree(forms.folder / "outcomes", tmp_path / "o"))
    change_outcomes(path, 0, 0, lambda plane, codes: np.full_like(codes, 0))
    found = verify_table(path, threads=1).counterexample
    assert str(found) == (".../.../... x: stored loss, expected win (pair {0, 0}, plane 0, block 0, rank 0)")


def test_a_code_that_means_nothing(copy: Path) -> None:
    """Three is no outcome: whole checks say so, and so do samples."""
    rewrite(copy, "pair-03-03.values", lambda piece: b"\xff" * len(piece))
    if copy.name == "compact":
        assert "pair-03-03.plies" in refused(copy)  # nothing is lost, but plies are there
        return
    found = verify_table(copy, threads=1).counterexample
    assert found is not None
    assert found.stored == "a code without a meaning"
    assert verify_sample(copy, 20_000, seed=1).verdict == "wrong"


def test_a_code_that_means_nothing_in_place_of_a_win(forms: Forms, tmp_path: Path) -> None:
    """It is not taken for the win that it replaces: a reader may take it for something else."""
    path = Path(shutil.copytree(forms.folder / "compact", tmp_path / "t"))
    files, record = opened(path, 4, 3)
    entries = record.entries // record.planes
    planes = [np.array(files.open(record).plane(plane)) for plane in range(record.planes)]
    codes = unpack(planes[0], entries)
    at = int(np.flatnonzero(codes == 2)[100])
    planes[0][at // 4] |= 1 << at % 4 * 2
    written = files.write_values(4, 3, entries, planes)
    replace_record(path, replace(record, sha256=written.sha256, size=written.size))
    found = verify_table(path, threads=1).counterexample
    assert found is not None
    assert found.stored == "a code without a meaning"
    assert (found.a, found.b, found.plane, found.block * comb(5, 3) + found.rank) == (4, 3, 0, at)


def rewrite(folder: Path, name: str, change: Callable[[bytes], bytes]) -> None:
    """Change the pieces of a file of one piece a plane, each stored as a single byte; checksums are right."""
    content = (folder / name).read_bytes()
    header, entries = content[:32], struct.unpack_from("<Q", content, 24)[0]
    raw = [change(bytes(-(-entries // 4))) for _ in range(content[16])]
    pieces = [piece[:1] for piece in raw]
    index = b"".join(struct.pack("<II", len(piece), zlib.crc32(piece)) for piece in pieces)
    digest = sha256(header + index)
    (folder / name).write_bytes(header + b"".join(pieces) + index + digest.digest())
    size = (folder / name).stat().st_size
    change_manifest(
        folder,
        lambda m: [p.update(sha256=digest.hexdigest(), bytes=size) for p in m["pairs"] if p["file"] == name],
    )


def test_bits_past_the_last_entry(copy: Path) -> None:
    rewrite(copy, "pair-09-00.values", lambda piece: b"\xaa" * len(piece))
    assert "past its last entry" in refused(copy)


@pytest.mark.parametrize("what", ["win", "loss", "draw", "x"])
def test_wrong_counts_in_the_manifest(copy: Path, what: str) -> None:
    def change(manifest: dict[str, Any]) -> None:
        record = next(pair for pair in manifest["pairs"] if (pair["a"], pair["b"]) == (3, 1))
        record["classes"][1][what] += 1

    change_manifest(copy, change)
    report = verify_table(copy, threads=1)
    assert report.problem is not None
    assert report.problem.startswith("pair-03-01.values")


# --- Memory ---


def test_what_does_not_fit_is_refused(four: Forms) -> None:
    for name in ("plain", *NAMES):
        with pytest.raises(InarowError, match=r"up to 2\d\d\.\d MB of memory; --memory allows 100\.0 MB"):
            verify_table(four.folder / name, memory=100_000_000)
    assert verify_table(four.folder / "compact", memory=300_000_000, threads=2).verdict == "proven"


def test_more_different_values_than_codes_of_one_byte(tmp_path: Path) -> None:
    """A made-up table: it is wrong, not refused."""
    rules = Rules(3, 3, 3, "loses")
    table = SmallTable(rules)
    values = table.values.copy()
    where = table.pair(3, 3)
    values[where] = 300 + np.arange(where.stop - where.start)
    write_table(tmp_path, rules, table, values, Form(compact=True))
    found = verify_table(tmp_path, threads=2).counterexample
    assert found is not None
    assert (found.a, found.b, found.block, found.rank) == (3, 3, 0, 0)
    assert found.stored == "loss in 300"


def test_codes_of_two_bytes(forms: Forms, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Planes, "_width", lambda self, a, b: 2)
    report = verify_table(forms.folder / "compact", threads=2)
    assert (report.verdict, report.positions) == ("proven", 3**9)


# --- Damage ---


def test_damaged_pieces(copy: Path) -> None:
    for name in ("pair-04-03.values", "pair-04-03.plies"):
        if not (copy / name).exists():
            continue
        content = (copy / name).read_bytes()
        (copy / name).write_bytes(content[:40] + bytes([content[40] ^ 1]) + content[41:])
        assert name in refused(copy)
        assert "checksum of piece" in refused(copy)
        with pytest.raises(DamagedFile, match=name):
            verify_sample(copy, 20_000, seed=1)
        (copy / name).write_bytes(content)


def test_a_piece_that_is_no_frame(copy: Path) -> None:
    name = "pair-03-03.values"
    header, piece = (copy / name).read_bytes()[:32], b"not a frame"
    index = struct.pack("<II", len(piece), zlib.crc32(piece))
    digest = sha256(header + index)
    (copy / name).write_bytes(header + piece + index + digest.digest())
    size = (copy / name).stat().st_size
    change_manifest(
        copy,
        lambda m: [p.update(sha256=digest.hexdigest(), bytes=size) for p in m["pairs"] if p["file"] == name],
    )
    assert "piece 0 cannot be unpacked" in refused(copy)


@pytest.mark.parametrize("length", [0, 10, 31, 60, -1, 1])
def test_files_of_another_length(copy: Path, length: int) -> None:
    for file in copy.glob("pair-04-03.*"):
        content = file.read_bytes()
        file.write_bytes(content + b"\0" if length == 1 else content[:length])
        assert file.name in refused(copy)
        file.write_bytes(content)


def test_swapped_missing_and_foreign_files(copy: Path) -> None:
    for suffix in ("values", "plies"):
        first, second = copy / f"pair-04-03.{suffix}", copy / f"pair-05-02.{suffix}"
        if not first.exists():
            continue
        content = first.read_bytes()
        first.write_bytes(second.read_bytes())
        assert f"{first.name}: a in the header is 5, expected 4" in refused(copy)
        first.write_bytes(b"GIF89a" * 20)
        assert "magic in the header" in refused(copy)
        first.unlink()
        assert f"{first.name} is missing" in refused(copy)
        first.write_bytes(content)


@pytest.mark.parametrize(
    ("offset", "what"),
    [
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
        (20, "entries of a piece"),
        (24, "entries of a plane"),
    ],
)
def test_a_header_that_disagrees(copy: Path, offset: int, what: str) -> None:
    file = copy / "pair-04-03.values"
    content = bytearray(file.read_bytes())
    content[offset] ^= 64
    file.write_bytes(content)
    assert f"{file.name}: {what} in the header" in refused(copy)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.pop("plies"), "'plies'"),
        (lambda m: m["pairs"][5].update(sha256="0" * 64), "digest"),
        (lambda m: m["pairs"][5].update(bytes=7), "7 in manifest.json"),
        (lambda m: m["pairs"][5].update(entries=7), "7 entries"),
        (lambda m: m["pairs"][5].update(file="../x"), "../x"),
        (lambda m: m["pairs"][5].pop("classes"), "classes"),
        (lambda m: m.update(plies=not m["plies"]), "plies"),
    ],
)
def test_a_malformed_manifest(copy: Path, change: Callable[[dict[str, Any]], object], message: str) -> None:
    change_manifest(copy, change)
    assert message in refused(copy)


# --- Samples ---


def test_a_seed_draws_the_same_entries(forms: Forms, tmp_path: Path) -> None:
    path = Path(shutil.copytree(forms.folder / "outcomes", tmp_path / "t"))
    for pair in Manifest.load(path).pairs:
        change_outcomes(path, pair.a, pair.b, lambda plane, codes: (codes + 2) % 3)
    found = [verify_sample(path, 5, seed) for seed in (1, 1, 2)]
    assert str(found[0].counterexample) == str(found[1].counterexample)
    assert found[0].entries == found[1].entries
    assert str(found[0].counterexample) != str(found[2].counterexample)


def test_entries_are_drawn_alike(four: Forms, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs are met as often as their sizes say."""
    met: dict[tuple[int, int], int] = {}

    def note(table: object, a: int, b: int, indices: NDArray[np.int64], threads: int) -> tuple[int, None]:
        met[a, b] = met.get((a, b), 0) + len(indices)
        return len(indices), None

    monkeypatch.setattr(sampling, "_check_entries", note)
    verify_sample(four.folder / "outcomes", 20_000, seed=5)
    assert sum(met.values()) == 20_000
    game = native.Game(4, 4, 4, False)
    for pair, count in met.items():
        expected = 20_000 * game.entry_count(*pair) / 5604135
        assert abs(count - expected) < 6 * (expected + 1) ** 0.5


@given(
    total=st.integers(1, 3000),
    count=st.integers(1, 2000),
    seed=st.integers(0, 99),
    run=st.sampled_from([1, 7, 256]),
)
def test_a_sample_is_drawn_in_runs(total: int, count: int, seed: int, run: int) -> None:
    drawn = _draw(total, count, seed, run)
    assert drawn.size == count
    assert drawn.min() >= 0
    assert drawn.max() < total
    assert (np.diff(drawn) >= 0).all()
    assert np.array_equal(drawn, _draw(total, count, seed, run))
    if total % run == 0:  # all runs have the same length; the last one drawn may be in two parts
        assert np.count_nonzero(np.diff(np.unique(drawn)) > 1) <= -(-count // run)


def test_every_entry_is_as_likely_as_any_other() -> None:
    drawn = np.bincount(np.concatenate([_draw(1000, 300, seed, 64) for seed in range(600)]), minlength=1000)
    assert abs(drawn - drawn.mean()).max() < 6 * drawn.mean() ** 0.5
