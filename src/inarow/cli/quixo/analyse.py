"""`inarow quixo analyse`: what the moves of a game gave away."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from inarow.cli.console import print_json, require_folder, stdout
from inarow.cli.options import JsonOption, path_option
from inarow.cli.quixo import options
from inarow.cli.quixo.lookup import Lookup
from inarow.cli.quixo.words import STYLES
from inarow.errors import DamagedFile, InarowError
from inarow.files import write_atomically
from inarow.game_record import GameRecord, UnreadableGame, parse_games
from inarow.quixo import drawing
from inarow.quixo.analysis import Analysis, JudgedMove
from inarow.quixo.analysis import analyse as analyse_game
from inarow.quixo.rules import Quixo
from inarow.values import Mark
from inarow.words import counted


def analyse(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="Games as text (docs/game-format.md); '-' is standard input."),
    ],
    table: options.TableOption = None,
    svg: Annotated[
        Path | None,
        path_option("--svg", help="Write the game as an animation."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Judge a game: mistakes, what they cost, and where it turned.

    A mistake is a move that made a win into a draw or a loss, or a draw into a loss. Accuracy is the share of
    a side's moves that were none.
    """
    if svg is not None:
        require_folder(svg.parent)
    games = _read(file)
    if svg is not None and len(games) > 1:
        raise InarowError(f"--svg draws one game; {file} has {len(games)}")
    lookup = Lookup(table)
    for game in games:
        rules = game.rules
        assert isinstance(rules, Quixo)
        found = analyse_game(lookup.prober(rules), game.begin, game.moves)  # type: ignore[arg-type]
        if svg is not None:
            _draw(svg, found)
        if as_json:
            print_json({"players": {"x": game.x, "o": game.o}, "date": game.date, **found.to_json()})
        else:
            _show(game, found)


def _read(file: str) -> list[GameRecord]:
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
        games = parse_games(text)
    except UnicodeDecodeError as error:
        raise DamagedFile(f"{file}: byte {error.start} is not UTF-8") from None
    except UnreadableGame as error:
        raise DamagedFile(f"{file}, {error}") from None
    if not games:
        raise DamagedFile(f"{file} has no game")
    for game in games:
        if not isinstance(game.rules, Quixo):
            raise InarowError(f"{file} has a game of {game.rules}; only Quixo can be analysed")
    return games


def _show(game: GameRecord, found: Analysis) -> None:
    console = stdout()
    names = {"x": game.x or "X", "o": game.o or "O"}
    console.print(f"{names['x']} – {names['o']}, {game.rules}", style="bold")
    for move in found.moves:
        line = f"{move.ply:3}. {move.side.upper()} {found.begin.rules.move_text(move.move)}"
        style = None
        if move.verdict is not None:
            line += f"  {move.cost}; best was {_best(move)}"
            style = STYLES["loss"] if move.verdict == "mistake" else STYLES["draw"]
        if move.seen > 1:
            line += f"  (this position for the {_ORDINALS.get(move.seen, f'{move.seen}th')} time)"
        console.print(line, style=style)
        if move.refutation:
            console.print(
                f"       {' '.join(map(found.begin.rules.move_text, move.refutation))}", style="dim"
            )
    sides: tuple[Mark, Mark] = ("x", "o")
    for mark in sides:
        side = found.side(mark)
        accuracy = "not known" if side.accuracy is None else f"{side.accuracy:.0%}"
        console.print(
            f"{names[mark]}: {counted(side.moves, 'move')}, {counted(side.mistakes, 'mistake')}, "
            f"{side.slow} slow, accuracy {accuracy}"
        )
    if found.turned is not None:
        turned = found.turned
        move_text = found.begin.rules.move_text(turned.move)
        console.print(f"It turned with move {turned.ply}, {turned.side.upper()} {move_text}: {turned.cost}.")
    console.print()


_ORDINALS = {2: "second", 3: "third"}


def _best(move: JudgedMove) -> str:
    return "not known" if move.best is None else move.position.rules.move_text(move.best)


def _draw(path: Path, found: Analysis) -> None:
    remarks = ["", *(move.cost if move.verdict == "mistake" else "" for move in found.moves)]
    positions = [*(move.position for move in found.moves), found.end]
    write_atomically(path, [drawing.animate(positions, remarks=remarks).encode()])
