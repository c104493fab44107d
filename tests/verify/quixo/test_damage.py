"""Damaged, malformed and hostile files: each is refused, and the error names the file and the place."""

import os
import shutil
import struct
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from verify.quixo.forging import change_manifest
from verify.quixo.small_tables import THREE, packed, solved, write_table

from inarow import DamagedFile, MissingTable
from inarow.verify.quixo import manifest, puzzles, record, strategy
from inarow.verify.quixo.sample import verify_sample
from inarow.verify.quixo.table import verify_table

VALUES, PLIES = BOTH = ["pair-04-03.values", "pair-04-03.plies"]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Not to be written to."""
    return write_table(tmp_path_factory.mktemp("damage") / "table", solved(THREE))


@pytest.fixture
def copy(table: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(table, tmp_path / "copy"))


def refused(path: Path) -> str:
    with pytest.raises((DamagedFile, MissingTable)) as error:
        verify_table(path, threads=1)
    return str(error.value)


def change_bytes(file: Path, at: int, value: bytes) -> None:
    content = bytearray(file.read_bytes())
    content[at : at + len(value)] = value
    file.write_bytes(content)


# --- Files of a pair ---


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_a_flipped_bit_is_damage(
    table: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = Path(shutil.copytree(table, tmp_path_factory.mktemp("flipped") / "copy"))
    file = data.draw(st.sampled_from(sorted(path.glob("pair-*"))))
    place = data.draw(st.integers(0, file.stat().st_size - 1))
    change_bytes(file, place, bytes([file.read_bytes()[place] ^ 1 << data.draw(st.integers(0, 7))]))
    assert file.name in refused(path)
    with pytest.raises(DamagedFile, match=file.name):
        verify_sample(path, 20_000, seed=1)


def not_a_file(make: Callable[[Path], object]) -> Callable[[Path], None]:
    """Something that might never end, and must not be waited for."""

    def damage(file: Path) -> None:
        file.unlink()
        make(file)

    return damage


def other_index(more: int) -> Callable[[Path], None]:
    """A piece longer than what is there, or than one can need: a hole takes no room on the disk."""

    def damage(file: Path) -> None:
        content = file.read_bytes()  # of two pieces
        length, hole = struct.unpack_from("<I", content, len(content) - 48)[0] + more, more if more > 1 else 0
        index = struct.pack("<I", length) + content[-44:-32]
        digest = sha256(content[:32] + index)
        with file.open("wb") as out:
            out.write(content[:32])
            out.seek(hole, os.SEEK_CUR)
            out.write(content[32:-48] + index + digest.digest())

        def change(listed: Any) -> None:
            (pair,) = (pair for pair in listed["pairs"] if pair["file"] == VALUES)
            of_file = pair if file.name == VALUES else pair["plies"]
            of_file.update(bytes=file.stat().st_size, sha256=digest.hexdigest())

        change_manifest(file.parent, change)

    return damage


def cut(length: int) -> Callable[[Path], object]:
    return lambda file: file.write_bytes(file.read_bytes()[:length])


def header(offset: int, value: bytes) -> Callable[[Path], object]:
    return lambda file: change_bytes(file, offset, value)


HEADER = {
    "magic": 0,
    "version": 8,
    "rows": 10,
    "line": 11,
    "lines": 12,
    "a": 13,
    "b": 14,
    "width": 15,
    "planes": 16,
    "columns": 17,
    "zeros": 19,
    "size of a piece": 20,
    "entries": 24,
}
DAMAGE: list[tuple[Callable[[Path], object], str]] = [
    *((cut(length), "") for length in (0, 10, 31, 60, -1)),
    (lambda file: file.write_bytes(file.read_bytes() + b"\0"), " bytes"),
    (
        lambda file: shutil.copy(file.parent / file.name.replace("04-03", "05-02"), file),
        "a in the header is 5",
    ),
    (lambda file: file.write_bytes(b"GIF89a" * 20), "magic in the header"),
    (Path.unlink, "is missing"),
    (not_a_file(Path.mkdir), "not a regular file"),
    (not_a_file(lambda file: os.mkfifo(file)), "not a regular file"),
    (not_a_file(lambda file: file.symlink_to("/dev/zero")), "not a regular file"),
    *((header(at, b"\x4d"), f"{what} in the header") for what, at in HEADER.items()),
    *((header(at, b"\0" if at == 17 else b"\xff"), f"{what} in the header") for what, at in HEADER.items()),
    *((other_index(more), "and an index of other pieces") for more in (1, 1 << 30)),
]


@pytest.mark.skipif(os.name == "nt", reason="no pipes or devices among files")
@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize(("damage", "message"), DAMAGE)
def test_a_damaged_file_of_a_pair(
    copy: Path, name: str, damage: Callable[[Path], object], message: str
) -> None:
    damage(copy / name)
    found = refused(copy)
    assert name in found
    assert message in found


def framed(piece: bytes) -> bytes:
    return bytes(zstandard.ZstdCompressor().compress(piece)[4:])


@pytest.mark.parametrize(
    ("name", "stored", "why"),
    [
        (VALUES, lambda piece: b"not a frame", "piece 1 cannot be unpacked"),
        (VALUES, lambda piece: framed(piece[:-1]), "piece 1 cannot be unpacked"),
        (VALUES, lambda piece: framed(piece + b"\0"), "piece 1 cannot be unpacked"),
        (VALUES, lambda piece: framed(bytes(1 << 24)), "piece 1 cannot be unpacked"),
        (VALUES, lambda piece: b"", "piece 1 does not have the expected"),
        (VALUES, lambda piece: packed(b"\x55" * (len(piece) - 1) + b"\5"), "expected 0 bytes"),  # all draws
        (PLIES, lambda piece: b"not a frame", "piece 1 cannot be unpacked"),
        (PLIES, lambda piece: framed(piece + b"\1"), "piece 1 cannot be unpacked"),
        (PLIES, lambda piece: b"", "piece 1 does not have the expected"),
    ],
)
def test_pieces_that_are_not_what_they_should_be(
    name: str, stored: Callable[[bytes], bytes], why: str, tmp_path: Path
) -> None:
    """Under right checksums."""

    def store(of_file: str, number: int, piece: bytes) -> bytes:
        return stored(piece) if (of_file, number) == (name, 1) else packed(piece)

    message = refused(write_table(tmp_path, solved(THREE), store=store))
    assert why in message
    assert "pair-04-03." in message


@pytest.mark.parametrize("plies", [True, False])
def test_bits_past_the_last_entry(plies: bool, tmp_path: Path) -> None:
    def store(name: str, number: int, piece: bytes) -> bytes:
        return b"\xaa" if name == "pair-09-00.values" else packed(piece)

    write_table(tmp_path, solved(THREE), plies=plies, store=store)
    assert "pair-09-00.values: piece 0 has bits set past its last entry" in refused(tmp_path)
    with pytest.raises(DamagedFile, match="past its last entry"):
        verify_sample(tmp_path, 20_000, seed=1)


# --- Manifests ---


def nested(levels: int) -> Any:
    found: Any = []
    for _ in range(levels):
        found = [found]
    return found


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.update(format="chess"), "chess"),
        (lambda m: m.update(format=None), "'format' is missing"),
        (lambda m: m.update(version=1), "version 1, only 2 is known"),
        (lambda m: m.update(complete=0), "complete"),
        (lambda m: m.pop("rules"), "rules"),
        (lambda m: m["rules"].update(rows=True, columns=3), "rows"),
        (lambda m: m["rules"].update(rows=5, columns=6), "5 rows, 6 columns"),
        (lambda m: m["rules"].update(rows=1, columns=3), "1 rows"),
        (lambda m: m["rules"].update(rows=10**4000), "no such board"),
        (lambda m: m["rules"].update(line=4), "line 4"),
        (lambda m: m["rules"].update(double_line="ties"), "ties"),
        (lambda m: m["rules"].update(misere=1), "misere"),
        (lambda m: m["rules"].update(rows=2, columns=3), "{9, 0} is not a pair"),
        (lambda m: m.pop("plies"), "'plies'"),
        (lambda m: m.update(plies=False), "has plies in a table without plies"),
        (lambda m: m.update(pairs=None), "'pairs' is missing"),
        (lambda m: m["pairs"].append(m["pairs"][0]), "twice"),
        (lambda m: m["pairs"].append({"a": 1, "b": 2}), "{1, 2} is not a pair"),
        (lambda m: m["pairs"].append({"a": 10**4000, "b": 2}), "is not a pair"),
        (lambda m: m["pairs"].append(3), "'a'"),
        (lambda m: m["pairs"].append(None), "'a'"),
        (lambda m: m["pairs"].pop(7), "which is not listed"),
        (lambda m: m["pairs"].pop(), "a complete table, but the pair {0, 0} is not listed"),
        (lambda m: m["pairs"][5]["plies"].update(width=3), "width"),
        (lambda m: m["pairs"][5].update(plies=None), "'plies' is missing"),
        (lambda m: m["pairs"][5].update(entries=3), "entries"),
        (lambda m: m["pairs"][5].update(file="../x.bin"), "../x.bin"),
        (lambda m: m["pairs"][5].update(file=nested(50)), "'file' is of type list"),
        (lambda m: m["pairs"][5].update(sha256="0" * 64), "not the one in manifest.json"),
        (lambda m: m["pairs"][5].update(bytes=7), "7 in manifest.json"),
        (lambda m: m["pairs"][5].pop("classes"), "classes"),
        (lambda m: m["pairs"][5]["classes"].append(None), "'by_plies' is missing"),
        (lambda m: m["pairs"][5]["classes"][0].update(by_plies=[[1, 2]]), "by_plies"),
        (lambda m: m["pairs"][5]["classes"][0].update(by_plies=[nested(50)]), "by_plies"),
        (lambda m: m["pairs"][5]["classes"][0].update(win=1.5), "'win' is of type float"),
    ],
)
def test_a_malformed_manifest(copy: Path, change: Callable[[Any], object], message: str) -> None:
    change_manifest(copy, change)
    assert message in refused(copy)
    assert len(refused(copy)) < 400


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff", b"null", b"[]", b"[" * 100_000, b'{"format": ' + b"[" * 900 + b"]" * 900 + b"}"]
    + [b'{"format":"inarow-quixo-compact","version":2,"sha256":"","x":' + b"[" * n + b"]" * n + b"}"
       for n in range(900, 1000, 9)],
)  # fmt: skip
def test_a_manifest_that_is_no_table(copy: Path, content: bytes) -> None:
    (copy / "manifest.json").write_bytes(content)
    assert "manifest.json" in refused(copy)


def test_a_manifest_with_a_wrong_checksum(copy: Path) -> None:
    change_manifest(copy, lambda m: m["pairs"][0]["classes"][0].update(loss=1), signed=False)
    assert "does not match its checksum" in refused(copy)


def test_no_folder(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere", Path(__file__)):
        assert "there is no manifest.json" in refused(path)
    (tmp_path / "manifest.json").mkdir()
    assert "manifest.json is not a regular file" in refused(tmp_path)


@pytest.mark.parametrize("limit", [100, 1 << 20])
def test_small_files_have_a_limit(copy: Path, limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifest, "_MOST_BYTES", limit)
    if limit == 100:
        assert "manifest.json has more than 100 bytes" in refused(copy)
    else:
        assert verify_table(copy).verdict == "proven"
    (copy / "verified.json").write_bytes(b" " * (record._MOST_BYTES + 1))
    assert record.verified(copy) is None
    monkeypatch.setattr("inarow.verify.quixo.claims._MOST_BYTES", 10)
    for check in (puzzles.verify_puzzles, strategy.verify_strategy):
        with pytest.raises(DamagedFile, match="has more than 10 bytes"):
            check(copy / "manifest.json")
