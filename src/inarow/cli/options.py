"""Options that commands of several games take."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints

import typer

from inarow.processors import MOST_THREADS

_R = TypeVar("_R")
_POWERS = {"k": 1, "m": 2, "g": 3, "t": 4}


class Side(StrEnum):
    X = "x"
    O = "o"  # noqa: E741
    BOTH = "both"


def parse_memory(size: str | int) -> int:
    """Bytes: 18G, 18GB and 500M are powers of 1000, 18GiB is a power of 1024.

    >>> parse_memory("18G"), parse_memory("0.5 MB"), parse_memory("2GiB")
    (18000000000, 500000, 2147483648)
    """
    if isinstance(size, int):  # a default
        return size
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt])(i?)b?", size.strip(), re.IGNORECASE)
    if found is None:
        raise typer.BadParameter(f"{size!r} is not a size like 18G, 500M or 16GiB")
    return int(float(found[1]) * (1024 if found[3] else 1000) ** _POWERS[found[2].lower()])


def parse_path(text: str) -> Path:
    """A file or a folder; no name at all would be the current folder."""
    if not text:
        raise typer.BadParameter("the name is empty")
    return Path(text)


def path_option(*names: str, help: str, metavar: str = "FILE") -> Any:
    """An option that names a file, or a folder."""
    return typer.Option(*names, metavar=metavar, parser=parse_path, help=help)


def expanded(
    command: Callable[..., _R], name: str, options: Mapping[str, tuple[Any, Any]], make: Callable[..., Any]
) -> Callable[..., _R]:
    """The command with options in place of one of its parameters, which is made of them.

    There is an annotation and a default for each option.
    """
    hints = get_type_hints(command, include_extras=True)
    parameters = []
    for parameter in signature(command).parameters.values():
        if parameter.name == name:
            parameters += [
                Parameter(option, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
                for option, (annotation, default) in options.items()
            ]
        else:
            annotation = hints[parameter.name]
            parameters.append(parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=annotation))

    @wraps(command)
    def run(**given: Any) -> _R:
        made = make(**{option: given.pop(option) for option in options})
        return command(**given, **{name: made})

    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


ThreadsOption = Annotated[
    int | None,
    typer.Option(
        "--threads",
        "-t",
        metavar="T",
        min=1,
        max=MOST_THREADS,
        help="Number of threads; by default all processors.",
    ),
]
MemoryOption = Annotated[
    int | None,
    typer.Option(
        "--memory", metavar="SIZE", parser=parse_memory, help="The most memory to use, as in 18G or 500M."
    ),
]
SideOption = Annotated[
    Side | None,
    typer.Option("--as", help="The marks you play with; 'both' for two people."),
]
SeedOption = Annotated[
    int | None,
    typer.Option("--seed", metavar="S", min=0, help="For random choices: the same seed gives the same game."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
