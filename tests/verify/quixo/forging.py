"""Changes of tables under right checksums, made from the page on the format of tables alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any


def change_manifest(folder: Path, change: Callable[[Any], object], *, signed: bool = True) -> None:
    """Change the manifest of a table, and its checksum unless it is not to be signed."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    change(manifest)
    if signed:
        manifest.pop("sha256", None)
        manifest["sha256"] = sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()
    if path.is_symlink():  # to a table that stays as it is
        path.unlink()
    path.write_text(json.dumps(manifest), encoding="utf-8")
