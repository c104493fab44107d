"""Damaged, malformed and hostile files: each is refused, and the error names the file and the place."""

import json
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
from verify.quixo.small_tables import packed, solved, write_table

from inarow import DamagedFile, MissingTable
from inarow.verify.quixo import manifest, puzzles, record, strategy
from inarow.verify.quixo.manifest import Manifest
from inarow.verify.quixo.rules import Rules
from inarow.verify.quixo.sample import verify_sample
from inarow.verify.quixo.table import verify_table

THREE = Rules(3, 3, 3, "loses")
BOTH = ["pair-04-03.values", "pair-04-03.plies"]


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


@settings(max_examples=60, deadline=None)
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


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("length", [0, 10, 31, 60, -1, 1])
def test_files_of_another_length(copy: Path, name: str, length: int) -> None:
    content = (copy / name).read_bytes()
    (copy / name).write_bytes(content + b"\0" if length == 1 else content[:length])
    assert name in refused(copy)


@pytest.mark.parametrize("name", BOTH)
def test_missing_and_foreign_files(copy: Path, name: str) -> None:
    file = copy / name
    shutil.copy(copy / name.replace("04-03", "05-02"), file)
    assert f"{name}: a in the header is 5, expected 4" in refused(copy)
    file.write_bytes(b"GIF89a" * 20)
    assert f"{name}: magic in the header" in refused(copy)
    file.unlink()
    assert f"{name} is missing" in refused(copy)


@pytest.mark.parametrize("name", [*BOTH, "manifest.json"])
@pytest.mark.parametrize("kind", ["pipe", "folder", "link to a device"])
def test_what_is_no_regular_file(copy: Path, name: str, kind: str) -> None:
    """It might never end, and must not be waited for."""
    (copy / name).unlink()
    if kind == "pipe":
        if not hasattr(os, "mkfifo"):
            pytest.skip("no pipes among files")
        os.mkfifo(copy / name)
    elif kind == "folder":
        (copy / name).mkdir()
    else:
        (copy / name).symlink_to("/dev/zero" if Path("/dev/zero").exists() else "NUL")
    message = refused(copy)
    assert name in message
    assert "not a regular file" in message or "missing" in message


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize(
    ("offset", "what"),
    [
        (0, "magic"),
        (8, "version"),
        (10, "rows"),
        (11, "line"),
        (12, "lines"),
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
def test_a_header_that_disagrees(copy: Path, name: str, offset: int, what: str) -> None:
    for value in (b"\x4d", b"\0" if what == "columns" else b"\xff"):
        change_bytes(copy / name, offset, value)
        assert f"{name}: {what} in the header" in refused(copy)


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("more", [1, 1 << 30])
def test_an_index_that_disagrees(copy: Path, name: str, more: int) -> None:
    """A piece longer than what is there, or than one can need: a hole takes no room on the disk."""
    content = (copy / name).read_bytes()  # of two pieces
    length, hole = struct.unpack_from("<I", content, len(content) - 48)[0] + more, more if more > 1 else 0
    index = struct.pack("<I", length) + content[-44:-32]
    digest = sha256(content[:32] + index)
    with (copy / name).open("wb") as file:
        file.write(content[:32])
        file.seek(hole, os.SEEK_CUR)
        file.write(content[32:-48] + index + digest.digest())
    size = (copy / name).stat().st_size

    def change(listed: Any) -> None:
        (pair,) = (pair for pair in listed["pairs"] if pair["file"] == BOTH[0])
        (pair if name == BOTH[0] else pair["plies"]).update(bytes=size, sha256=digest.hexdigest())

    change_manifest(copy, change)
    assert f"{name} has {size} bytes, and an index of other pieces" in refused(copy)


def framed(piece: bytes, **options: Any) -> bytes:
    return bytes(zstandard.ZstdCompressor(**options).compress(piece)[4:])


@pytest.mark.parametrize(
    ("name", "stored", "why"),
    [
        (BOTH[0], lambda piece: b"not a frame", "piece 1 cannot be unpacked"),
        (BOTH[0], lambda piece: framed(piece[:-1]), "piece 1 cannot be unpacked"),
        (BOTH[0], lambda piece: framed(piece + b"\0"), "piece 1 cannot be unpacked"),
        (BOTH[0], lambda piece: framed(bytes(1 << 24)), "piece 1 cannot be unpacked"),
        (BOTH[0], lambda piece: b"", "piece 1 does not have the expected"),
        (
            BOTH[0],
            lambda piece: packed(b"\x55" * (len(piece) - 1) + b"\5"),
            "expected 0 bytes",
        ),  # draws have no plies
        (BOTH[1], lambda piece: b"not a frame", "piece 1 cannot be unpacked"),
        (BOTH[1], lambda piece: framed(piece + b"\1"), "piece 1 cannot be unpacked"),
        (BOTH[1], lambda piece: b"", "piece 1 does not have the expected"),
    ],
)
def test_pieces_that_are_not_what_they_should_be(
    name: str, stored: Callable[[bytes], bytes], why: str, tmp_path: Path
) -> None:
    """Under right checksums."""

    def store(of_file: str, number: int, piece: bytes) -> bytes:
        return stored(piece) if (of_file, number) == (name, 1) else packed(piece)

    write_table(tmp_path, solved(THREE), store=store)
    message = refused(tmp_path)
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
        (lambda m: m.update(version=3), "version 3"),
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


@pytest.mark.parametrize(
    ("older", "what"),
    [
        ({"format": "inarow-quixo"}, "the plain form"),
        ({"format": "inarow-quixo", "version": 1}, "the plain form"),
        ({"version": 1}, "the form of inarow 0.1"),
        ({"version": 1, "rules": {"size": 3, "line": 3, "double_line": "loses"}}, "the form of inarow 0.1"),
    ],
)
def test_tables_of_older_forms(copy: Path, older: dict[str, Any], what: str) -> None:
    """They are named, with the command that makes one of today's form."""
    change_manifest(copy, lambda listed: listed.update(older))
    message = refused(copy)
    assert f"the table in {copy} has {what}, which is no longer read; solve the game again: " in message
    assert "inarow quixo solve --size 3x3 --line 3 --double-line loses --out " in message
    with pytest.raises(DamagedFile, match="no longer read"):
        Manifest.load(copy)
    change_manifest(copy, lambda listed: listed.update(rules={"rows": json.loads("1e9")}))
    assert "'rows' is of type float" in refused(copy)
