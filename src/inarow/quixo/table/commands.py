"""The commands that make tables, for messages about missing ones."""

from __future__ import annotations

from inarow.quixo.rules import Quixo
from inarow.quixo.table.location import Location, is_url
from inarow.quixo.table.manifest import Manifest


def solve_command(rules: Quixo, path: Location) -> str:
    """The command that makes a table of these rules."""
    options = f"--size {rules.rows}" if rules.is_square else f"--size {rules.rows}x{rules.columns}"
    if rules.line != max(rules.rows, rules.columns):
        options += f" --line {rules.line}"
    if rules.double_line != "loses":
        options += f" --double-line {rules.double_line}"
    return f"inarow quixo solve {options} --out {path}"


def make_command(manifest: Manifest, path: Location) -> str:
    """The command that makes a table like this one, or completes it; for a URL, in a folder of your own."""
    path = "DIR" if is_url(path) else path
    return solve_command(manifest.rules, path) + ("" if manifest.plies else " --outcomes-only")
