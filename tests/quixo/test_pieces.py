"""The files of a table: what is written is read, and what was changed is noticed."""

import shutil
import struct
import zlib
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quixo.forms import run_of

import inarow
from inarow.files import write_atomically
from inarow.quixo.rules import Quixo
from inarow.quixo.table.entries import Packed, pack, packed_size, unpack
from inarow.quixo.table.manifest import StoredFile
from inarow.quixo.table.pieces import (
    PIECE,
    LocalFile,
    PieceFile,
    Run,
    header,
    outcome_runs,
    write_pieces,
)

RULES = Quixo(4, 3, line=3, double_line="wins")
ENTRIES = 3 * PIECE + 5  # four pieces a plane, the last one short
HEADER, DIGEST = 32, 32
VALUES, PLIES = "pair-05-03.values", "pair-05-03.plies"


def random_plane(seed: int, entries: int = ENTRIES) -> Packed:
    """A plane whose second piece is all the same; the bits past the last entry are zero."""
    codes = np.random.default_rng(seed).integers(0, 3, entries, np.uint8)
    codes[PIECE : 2 * PIECE] = 1
    return pack(codes)


PLANES = [random_plane(1), random_plane(2)]


def write(path: Path, width: int, entries: int, runs: Iterable[Run], threads: int = 1) -> StoredFile:
    """A file of a pair, which its name tells."""
    _, a, b = path.stem.split("-")
    begin = header(RULES, int(a), int(b), width, entries)
    return write_pieces(lambda parts: write_atomically(path, parts), begin, runs, threads)


def opened(path: Path, digest: str, pair: tuple[int, int] = (5, 3), rules: Quixo = RULES) -> PieceFile:
    return PieceFile(LocalFile(path), rules, *pair, digest)


def unpacked(file: PieceFile, number: int, size: int) -> bytes:
    return file.unpack(number, np.array([size], np.uint32)).tobytes()


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, StoredFile]:
    """A file of the outcomes of {5, 3}; not to be written to."""
    folder = tmp_path_factory.mktemp("pieces")
    return folder, write(folder / VALUES, 0, ENTRIES, outcome_runs(PLANES), threads=2)


@pytest.mark.parametrize("entries", [0, 1, 2, 3, 4, 5, 1001])
def test_outcomes_are_packed_without_loss(entries: int) -> None:
    codes = np.random.default_rng(entries).integers(0, 3, entries, np.uint8)
    packed = pack(codes)
    assert packed.size == packed_size(entries)
    assert np.array_equal(unpack(packed, entries), codes)
    assert not np.any(unpack(packed, 4 * packed.size)[entries:])


def test_planes_are_read_as_they_were_written(written: tuple[Path, StoredFile]) -> None:
    folder, stored = written
    file = opened(folder / VALUES, stored.sha256)
    for number, plane in enumerate(PLANES):
        for threads in (1, 3):
            assert np.array_equal(file.plane(number, threads), plane)
    file.check()
    assert (file.pieces, file.entries, file.size) == (8, ENTRIES, stored.size)
    assert file.size == (folder / VALUES).stat().st_size


def test_many_pieces_are_unpacked_as_one_by_one(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    pieces = [bytes(random.integers(0, 1 + i % 7, 40 * i, np.uint8)) for i in range(1, 25)]
    pieces[5], pieces[11] = b"", b"\x07"
    runs = [run_of(pieces[:9]), run_of(pieces[9:])]
    stored = write(tmp_path / "pair-02-02.plies", 1, 24 * PIECE, runs)
    file = opened(tmp_path / "pair-02-02.plies", stored.sha256, (2, 2))
    for first, last in [(0, 24), (3, 6), (5, 6), (23, 24)]:
        run = run_of(pieces[first:last])
        for threads in (1, 3):
            assert np.array_equal(file.unpack(first, run.sizes, threads), run.data)
    for piece, by in [(8, 1), (8, -1), (5, 1)]:
        sizes = run_of(pieces).sizes.astype(np.int64)
        sizes[piece] += by
        with pytest.raises(inarow.DamagedFile, match=f"piece {piece} "):
            file.unpack(0, sizes.astype(np.uint32))


def test_bytes_do_not_depend_on_threads(written: tuple[Path, StoredFile], tmp_path: Path) -> None:
    folder, stored = written
    assert write(tmp_path / VALUES, 0, ENTRIES, outcome_runs(PLANES)) == stored
    assert (tmp_path / VALUES).read_bytes() == (folder / VALUES).read_bytes()


def test_the_file_is_as_its_page_says(written: tuple[Path, StoredFile]) -> None:
    folder, stored = written
    content = (folder / VALUES).read_bytes()
    fields = struct.pack("<8sHBBBBBBBBBBIQ", b"INAROWQC", 1, 4, 3, 1, 5, 3, 0, 2, 3, 0, 0, PIECE, ENTRIES)
    assert content[:HEADER] == fields
    index = content[-DIGEST - 8 * 8 : -DIGEST]
    assert sha256(fields + index).digest() == content[-DIGEST:] == bytes.fromhex(stored.sha256)
    place = HEADER
    for number, (length, crc) in enumerate(struct.iter_unpack("<II", index)):
        assert zlib.crc32(content[place : place + length]) == crc
        assert (length == 1) == (number in (1, 5))  # all equal
        place += length
    assert place == len(content) - DIGEST - len(index)


def test_plies_may_be_none_one_or_many(tmp_path: Path) -> None:
    pieces = [b"", b"\x07", b"\x03\x00" * 500, b"\x03\x03" * 2, b""]
    stored = write(tmp_path / "pair-02-02.plies", 2, 4 * PIECE + 1, [run_of(pieces)])
    file = opened(tmp_path / "pair-02-02.plies", stored.sha256, (2, 2))
    assert file.width == 2
    assert [unpacked(file, number, len(piece)) for number, piece in enumerate(pieces)] == pieces
    for number, size in ((0, 2), (2, 998), (2, 1002)):
        with pytest.raises(inarow.DamagedFile, match=f"piece {number}"):
            unpacked(file, number, size)


# --- Damage ---


def read_all(file: Path, digest: str) -> None:
    pieces = opened(file, digest)
    pieces.check()
    for plane in range(2):
        pieces.plane(plane)


@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_any_flipped_bit_is_noticed(
    written: tuple[Path, StoredFile], tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder, stored = written
    file = tmp_path_factory.mktemp("flip") / VALUES
    content = bytearray((folder / file.name).read_bytes())
    near_ends = st.integers(0, HEADER - 1) | st.integers(len(content) - 110, len(content) - 1)
    place = data.draw(near_ends | st.integers(0, len(content) - 1))
    content[place] ^= 1 << data.draw(st.integers(0, 7))
    file.write_bytes(content)
    with pytest.raises(inarow.DamagedFile, match=file.name):
        read_all(file, stored.sha256)


@pytest.mark.parametrize("change", [-1, -32, -33, -100, -10_000, 1, 8])
def test_another_length_is_noticed(written: tuple[Path, StoredFile], tmp_path: Path, change: int) -> None:
    folder, stored = written
    file = tmp_path / VALUES
    content = (folder / file.name).read_bytes()
    file.write_bytes(content[:change] if change < 0 else content + bytes(change))
    with pytest.raises(inarow.DamagedFile, match=file.name):
        opened(file, stored.sha256)


def test_swapped_pieces_are_noticed(written: tuple[Path, StoredFile], tmp_path: Path) -> None:
    """Even if they are as long as each other, and the header as it was."""
    folder, stored = written
    content = bytearray((folder / VALUES).read_bytes())
    index = np.frombuffer(content, "<u4", 16, len(content) - DIGEST - 64).reshape(8, 2).copy()
    starts = HEADER + np.cumsum(index[:, 0]) - index[:, 0]
    first, second = (slice(starts[i], starts[i] + index[i, 0]) for i in (0, 2))
    content[second], content[first] = bytes(content[first]), bytes(content[second])
    file = tmp_path / VALUES
    file.write_bytes(content)
    with pytest.raises(inarow.DamagedFile, match="piece 0"):
        unpacked(opened(file, stored.sha256), 0, packed_size(PIECE))
    # With the index changed to match, it is the index that differs.
    index[[0, 2]] = index[[2, 0]]
    content[-DIGEST - 64 : -DIGEST] = index.tobytes()
    file.write_bytes(content)
    with pytest.raises(inarow.DamagedFile, match="index"):
        unpacked(opened(file, stored.sha256), 0, packed_size(PIECE))


def test_a_foreign_piece_with_the_right_checksums_is_noticed(tmp_path: Path) -> None:
    """The digest of the file is right too: only what zstd makes of the piece is not."""
    fields = struct.pack("<8sH8B2xIQ", b"INAROWQC", 1, 4, 3, 1, 3, 3, 0, 1, 3, PIECE, 8)
    piece = b"not a frame of zstd"
    index = struct.pack("<II", len(piece), zlib.crc32(piece))
    digest = sha256(fields + index)
    path = tmp_path / "pair-03-03.values"
    path.write_bytes(fields + piece + index + digest.digest())
    file = opened(path, digest.hexdigest(), (3, 3))
    file.check()
    with pytest.raises(inarow.DamagedFile, match="piece 0"):
        unpacked(file, 0, 2)


def test_foreign_missing_and_swapped_files(written: tuple[Path, StoredFile], tmp_path: Path) -> None:
    folder, stored = written
    file = tmp_path / VALUES
    with pytest.raises(inarow.MissingTable, match="missing"):
        opened(file, stored.sha256)
    file.write_bytes(b"GIF89a" * 100)
    with pytest.raises(inarow.DamagedFile, match="not part of"):
        opened(file, stored.sha256)
    file.write_bytes(b"INAROWQC")
    with pytest.raises(inarow.DamagedFile, match="cut short"):
        opened(file, stored.sha256)
    shutil.copy(folder / VALUES, file)
    with pytest.raises(inarow.DamagedFile, match="not that of the pair"):
        opened(file, stored.sha256, (5, 2))
    for rules in (Quixo(4), Quixo(3, 4, line=3, double_line="wins"), Quixo(4, line=3, double_line="wins")):
        with pytest.raises(inarow.DamagedFile, match="not that of the pair"):
            opened(file, stored.sha256, rules=rules)
    with pytest.raises(inarow.DamagedFile, match="manifest"):
        opened(file, "0" * 64)
    shutil.copy(file, tmp_path / PLIES)
    with pytest.raises(inarow.DamagedFile, match="header"):
        opened(tmp_path / PLIES, stored.sha256)
