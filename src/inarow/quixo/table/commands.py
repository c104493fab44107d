"""The commands that make tables, for messages about missing ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inarow.quixo.rules import Quixo
from inarow.quixo.table.location import Location, is_url

if TYPE_CHECKING:
    from inarow.quixo.table.manifest import Manifest


def solve_command(rules: Quixo, path: Location) -> str:
    """The command that makes a table of these rules."""
    return f"inarow quixo solve {rules.options} --out {path}"


def make_command(manifest: Manifest, path: Location) -> str:
    """The command that makes a table like this one, or completes it; for a URL, in a folder of your own."""
    path = "DIR" if is_url(path) else path
    return solve_command(manifest.rules, path) + ("" if manifest.plies else " --outcomes-only")
