"""Groups of commands, where a command's module is imported only when the command runs.

This is the one place in the command line that loads code late: `--help` and the completion of names need none
of it, and a command's own file imports what it uses at its top.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup


class Commands(TyperGroup):
    """The commands of a package: `inarow quixo solve` is the function `solve` in `inarow/cli/quixo/solve.py`.

    Some modules have several, which are named as in "probe.line". A package in a command's place is a group
    of its own, and holds it as `app`.
    """

    late: ClassVar[Mapping[str, TyperCommand]]

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "commands": dict(self.late)})

    @classmethod
    def app(cls, package: str, help: str, summaries: Mapping[str, str], **settings: Any) -> typer.Typer:
        """The group of a package, which shows its help when no command is named.

        There is a summary for each command: the first line of its docstring.
        """
        commands = [_Late(name, package, summary) for name, summary in summaries.items()]
        late = {str(command.name): command for command in commands}
        group = type(cls.__name__, (cls,), {"late": late})
        settings.setdefault("add_completion", False)
        # Plain help needs no Rich, and appears at once.
        app = typer.Typer(cls=group, help=help, rich_markup_mode=None, **settings)

        @app.callback(invoke_without_command=True)
        def show_help(context: typer.Context) -> None:
            if context.invoked_subcommand is None:
                typer.echo(context.get_help())

        return app


class _Late(TyperCommand):
    """A command whose name and summary are all that is known until it runs."""

    def __init__(self, name: str, package: str, summary: str) -> None:
        super().__init__(name.rpartition(".")[2], short_help=summary)
        self._module = f"{package}.{name.partition('.')[0]}"

    def make_context(self, info_name: Any, args: Any, parent: Any = None, **extra: Any) -> Any:
        return self._load().make_context(info_name, args, parent, **extra)

    def _load(self) -> Any:
        module = import_module(self._module)
        app = getattr(module, "app", None)
        if app is None:
            app = typer.Typer(add_completion=False, rich_markup_mode=None)
            app.command(self.name)(getattr(module, str(self.name)))
        return typer.main.get_command(app)
