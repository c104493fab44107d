"""What a check records, and what it takes over from a record when it resumes."""

import json
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from verify.quixo.forging import change_manifest
from verify.quixo.small_tables import THREE, device, solved, write_table

from inarow import DamagedFile
from inarow._native import verify_quixo as native
from inarow.verify.quixo import gpu
from inarow.verify.quixo import record as record_module
from inarow.verify.quixo.manifest import digest_of
from inarow.verify.quixo.record import Verified, verified
from inarow.verify.quixo.report import TableReport
from inarow.verify.quixo.rules import Rules
from inarow.verify.quixo.sample import verify_sample
from inarow.verify.quixo.table import verify_table

TABLE = solved(THREE)
PAIRS = 30
ENTRIES = 3732


@pytest.fixture(params=["plies", "outcomes"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return write_table(tmp_path / request.param, TABLE, plies=request.param == "plies")


@pytest.fixture
def one(tmp_path: Path) -> Path:
    return write_table(tmp_path / "plies", TABLE)


def checked(folder: Path, **options: Any) -> TableReport:
    return verify_table(folder, threads=1, remember=True, **options)


def resumed(folder: Path, **options: Any) -> TableReport:
    return verify_table(folder, threads=1, resume=True, **options)


def interrupted(folder: Path, **options: Any) -> None:
    def stop(done: int, total: int) -> None:
        if done > total // 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        checked(folder, progress=stop, **options)


def recorded(folder: Path) -> Verified:
    found = verified(folder)
    assert found is not None
    return found


def change_record(folder: Path, change: Callable[[Any], object]) -> None:
    data = json.loads((folder / "verified.json").read_text(encoding="utf-8"))
    change(data)
    (folder / "verified.json").write_text(json.dumps(data), encoding="utf-8")


def forge(folder: Path) -> None:
    """Write a false value for the board full of x, from which nothing follows, under right checksums."""
    values = TABLE.values.copy()
    values[0] = native.DRAW
    write_table(folder, TABLE, values, plies=folder.name == "plies")


# --- Resuming ---


def test_an_interrupted_check_resumes(folder: Path) -> None:
    assert verified(folder) is None
    interrupted(folder)
    assert recorded(folder).verdict is None
    assert 0 < recorded(folder).pairs < PAIRS
    afresh = verify_table(folder, threads=1)
    assert (afresh.verdict, afresh.entries, afresh.remembered) == ("proven", ENTRIES, 0)
    assert "not looked at" not in afresh.reason
    change_record(folder, lambda data: [pair.update(inarow="0.7", at="2031-02-03") for pair in data["pairs"]])
    calls: list[tuple[int, int]] = []
    report = resumed(folder, progress=lambda *call: calls.append(call))
    assert report.verdict == "proven"
    assert report.entries + report.remembered == ENTRIES
    assert 0 < report.remembered < ENTRIES
    assert 0 < report.positions < 3**9  # those that were looked at
    assert calls == sorted(calls)
    assert calls[0][0] > report.remembered
    assert report.reason.endswith(
        f"; {report.remembered:,} of 3,732 entries were not looked at: according to verified.json, "
        "inarow 0.7 checked them until 2031-02-03, on files with the same content"
    )
    assert calls[-1] == (ENTRIES, ENTRIES)
    assert (recorded(folder).verdict, recorded(folder).pairs) == ("proven", PAIRS)
    report = resumed(folder)  # there is nothing left to resume
    assert (report.verdict, report.entries, report.remembered) == ("proven", ENTRIES, 0)


@pytest.mark.parametrize(("first", "then"), [("cpu", "cuda"), ("cuda", "cpu"), ("cuda", "cuda")])
def test_either_device_resumes(one: Path, first: str, then: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "CudaDevice", device())
    interrupted(one, device=first)
    report = resumed(one, device=then)
    assert (report.verdict, report.remembered > 0, recorded(one).verdict) == ("proven", True, "proven")


def test_nothing_is_written_unless_it_can_and_should_be(one: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> None:
        raise PermissionError

    verify_table(one, threads=1)
    verify_sample(one, 10, seed=1)
    monkeypatch.setattr(record_module, "write_atomically", refuse)
    assert checked(one).verdict == "proven"
    assert not (one / "verified.json").exists()


def test_a_table_that_grew(tmp_path: Path) -> None:
    """What is proven of an incomplete table need not be checked again when it is complete."""
    first = checked(write_table(tmp_path, TABLE, pairs=12))
    assert (first.verdict, first.is_complete) == ("proven", False)
    write_table(tmp_path, TABLE)
    assert (recorded(tmp_path).pairs, recorded(tmp_path).verdict) == (12, None)
    report = resumed(tmp_path)
    assert (report.verdict, report.is_complete, report.remembered) == ("proven", True, first.entries)


# --- What changed since ---


def test_a_changed_file_is_checked_again(folder: Path) -> None:
    interrupted(folder)
    file = next(folder.glob("pair-09-00.v*"))
    content = file.read_bytes()
    file.write_bytes(content[:-33] + bytes([content[-33] ^ 1]) + content[-32:])
    with pytest.raises(DamagedFile, match="pair-09-00"):
        resumed(folder)
    file.write_bytes(content)
    assert resumed(folder).verdict == "proven"


def test_pairs_below_a_changed_one_are_checked_again(one: Path) -> None:
    """They were checked against other entries."""
    interrupted(one)
    remembered: set[Any] = set()
    change_record(one, lambda data: remembered.update((pair["a"], pair["b"]) for pair in data["pairs"]))
    change_record(one, lambda data: data["pairs"][1].update(content="0" * 64))  # {8, 1}
    report = resumed(one)
    assert report.verdict == "proven"
    above = {(9, 0), (7, 2), (6, 3), (5, 4), (6, 2), (5, 3), (4, 4), (5, 2), (4, 3), (4, 2), (3, 3), (3, 2)}
    independent = remembered & above  # no chain of new marks leads from these to {8, 1}
    assert report.remembered == sum(THREE.entry_count(pair) for pair in independent)


def test_changed_counts_are_compared_again(folder: Path) -> None:
    interrupted(folder)
    change_manifest(folder, lambda manifest: manifest["pairs"][0]["classes"][0].update(win=0))
    report = resumed(folder)
    assert (report.verdict, report.remembered) == ("wrong", 0)
    assert report.problem is not None


def test_what_was_not_derived_is_checked_again(tmp_path: Path) -> None:
    folder = write_table(tmp_path, TABLE, plies=False, pairs=20)
    assert checked(folder, derive=False).verdict == "consistent"
    report = resumed(write_table(folder, TABLE, plies=False))
    assert (report.verdict, report.method, report.remembered) == ("proven", "derivation", 0)


# --- Forgeries ---


@pytest.mark.parametrize("check", [checked, interrupted])
def test_a_forged_table_is_found_despite_its_record(
    folder: Path, check: Callable[[Path], TableReport | None]
) -> None:
    """Changed values under new checksums; a fault replaces the record."""
    check(folder)
    forge(folder)
    found = verified(folder)
    assert found is None or found.verdict is None
    for report in (verify_table(folder, threads=1), resumed(folder)):
        assert (report.verdict, report.remembered) == ("wrong", 0)
        assert report.counterexample is not None
    assert check is interrupted or verified(folder) is None


def test_a_forged_record(folder: Path) -> None:
    """It is not read unasked, nor believed if it claims everything. A check that resumes trusts any other."""
    interrupted(folder)
    forge(folder)
    for count, resume in ((PAIRS - 1, False), (PAIRS, True)):
        forge_record(folder, count)
        report = verify_table(folder, threads=1, resume=resume)
        assert (report.verdict, report.remembered) == ("wrong", 0)
        interrupted(write_table(folder, TABLE, plies=folder.name == "plies"))
        forge(folder)
    forge_record(folder, 1)  # {9, 0}, where the false entry is
    report = resumed(folder)
    assert (report.entries, report.remembered) == (ENTRIES - 2, 2)
    assert "2 of 3,732 entries were not looked at: according to verified.json, inarow 9.9" in report.reason


def forge_record(folder: Path, count: int) -> None:
    """Claim, by hand, that the first pairs were checked as they are now."""
    pairs = []
    for listed in json.loads((folder / "manifest.json").read_text())["pairs"][:count]:
        files = [listed["file"], *([listed["plies"]["file"]] if "plies" in listed else [])]
        content = sha256(b"".join((folder / file).read_bytes() for file in files)).hexdigest()
        claim = {"listed": digest_of(listed), "content": content, "inarow": "9.9", "at": "2099-01-01"}
        pairs.append({"a": listed["a"], "b": listed["b"], **claim})
    change_record(folder, lambda data: data.update(pairs=pairs))


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_table(tmp_path_factory.mktemp("begun"), TABLE)
    interrupted(folder)
    return folder


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.update(version=1),
        lambda data: data.update(format="chess"),
        lambda data: data.update(verdict="splendid"),
        lambda data: data.update(derived="yes"),
        lambda data: data.pop("pairs"),
        lambda data: data.update(pairs=[3]),
        lambda data: data["pairs"][0].update(a="9"),
        lambda data: data["pairs"][0].update(content=7),
        lambda data: data["pairs"][0].update(inarow="\x1b[2J"),
        *["", "{", "[]", "null", "\xff", "[" * 100_000],
    ],
)
def test_a_record_that_makes_no_sense(begun: Path, tmp_path: Path, change: Any) -> None:
    folder = Path(shutil.copytree(begun, tmp_path / "copy"))
    if isinstance(change, str):
        (folder / "verified.json").write_text(change, encoding="latin-1")
    else:
        change_record(folder, change)
    assert verified(folder) is None
    assert resumed(folder).remembered == 0


def test_a_record_of_another_table(one: Path, tmp_path: Path) -> None:
    folder = write_table(tmp_path / "other", solved(Rules(2, 4, 4, "loses")))
    checked(folder)
    shutil.copy(folder / "verified.json", one)
    assert verified(one) is None
    assert resumed(one).remembered == 0
