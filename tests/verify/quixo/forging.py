"""Changes of tables under right checksums, made from the page on the format of tables alone."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

HEADER = 64  # of a file of the plain form
PIECE = 4096


def change_manifest(folder: Path, change: Callable[[Any], object], *, signed: bool = True) -> None:
    """Change the manifest of a table, and its checksum unless it is not to be signed."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    change(manifest)
    if signed and "sha256" in manifest:
        del manifest["sha256"]
        manifest["sha256"] = sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()
    if path.is_symlink():  # to a table that stays as it is
        path.unlink()
    path.write_text(json.dumps(manifest), encoding="utf-8")


def forge_pair(folder: Path, name: str, header: bytes, entries: bytes) -> None:
    """Write a file of the plain form, the first 32 bytes and the entries given, and list it."""
    size = PIECE * header[15]
    sums = [zlib.crc32(entries[at : at + size]) for at in range(0, len(entries), size)]
    index = struct.pack(f"<{len(sums)}I", *sums)
    digest = sha256(header + index)
    (folder / name).unlink()  # it may be a link
    (folder / name).write_bytes(header + digest.digest() + entries + index)
    change_manifest(
        folder,
        lambda m: [
            p.update(sha256=digest.hexdigest(), width=header[15]) for p in m["pairs"] if p["file"] == name
        ],
    )


def read_pair(folder: Path, name: str) -> tuple[bytes, bytes]:
    """The first 32 bytes of a file of the plain form, and its entries."""
    content = (folder / name).read_bytes()
    header = content[:32]
    (count,) = struct.unpack_from("<Q", header, 24)
    return header, content[HEADER : HEADER + count * header[15]]


def change_entry(folder: Path, name: str, index: int, entry: int) -> None:
    """Change an entry of one byte in a table of the plain form."""
    header, entries = read_pair(folder, name)
    forge_pair(folder, name, header, entries[:index] + bytes([entry]) + entries[index + 1 :])
