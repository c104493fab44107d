"""Which command makes or repairs a table, beside the errors about it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from inarow.errors import DamagedFile, MissingTable
from inarow.quixo.rules import Quixo
from inarow.quixo.table.location import Location, is_url, solve_command
from inarow.quixo.table.manifest import MANIFEST_NAME, Manifest, make_command


@contextmanager
def repair_hints(location: Location, rules: Quixo | None = None) -> Iterator[None]:
    """Adds to errors about a table in a folder the command that makes it."""
    try:
        yield
    except (MissingTable, DamagedFile) as error:
        # Messages that name the command already are left alone.
        if (
            "inarow quixo solve" not in str(error)
            and not getattr(error, "__notes__", ())
            and not is_url(location)
        ):
            folder = Path(location)
            command = f"inarow quixo solve --size N --out {folder}"
            advice = "Make it"
            if (folder / MANIFEST_NAME).exists():
                advice = "Remove the folder and make it again"
                # With a sound manifest, solving again keeps what is there and repairs the rest.
                with suppress(DamagedFile):
                    command = make_command(Manifest.load(folder), folder)
                    advice = "Complete or repair it"
            elif rules is not None:
                command = solve_command(rules, folder)
            error.add_note(f"{advice} with: {command}")
        raise
