"""`inarow quixo engine`, and programs that ask engines for moves."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from cli.calling import PROGRAM, Inarow

from inarow.quixo import engine as engine_module
from inarow.quixo.engine import Engine, EngineError
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.table.table import open_table

RULES = Quixo(3)
WON = ".../.../xxx o"


def talk(inarow: Inarow, table: Path, *lines: str) -> list[str]:
    result = inarow("quixo", "engine", "--table", table, stdin="\n".join(lines))
    assert result.err == ""
    return result.out.splitlines()


def test_a_conversation(inarow: Inarow, table3: Path) -> None:
    said = talk(
        inarow, table3, "ugi", "isready", "", "position startpos moves a1a3", "go movetime 50", "quit"
    )
    assert said[0].startswith("id name inarow ")
    assert said[1:5] == ["id author The inarow authors", "rules 3x3 line 3 loses", "ugiok", "readyok"]
    info, best = said[5:]
    position = RULES.start().play("a1a3")
    with open_table(table3) as table:
        probe = table.probe(position)
    words = info.split()
    assert words[:7] == ["info", "value", probe.value, "plies", str(probe.plies), "source", "table"]
    line = words[words.index("pv") + 1 :]
    assert best == f"bestmove {line[0]}"
    assert len(line) == probe.plies
    for move in line:
        position = position.play(move)
    assert position.is_over


def test_questions(inarow: Inarow, table3: Path) -> None:
    questions = "query p1turn", "query gameover", "query result"
    said = talk(inarow, table3, *questions, f"position fen {WON}", *questions, "uginewgame", *questions)
    start = ["response true", "response false", "response none"]
    assert said == [*start, "response false", "response true", "response p1win", *start]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("nonsense", "no such command: nonsense"),
        ("go movetime soon", "no such command"),
        ("go movetime -5", "no such command"),
        ("position", "a position is startpos"),
        ("position fen ... x", "too few rows"),
        ("position startpos a1a3", "after a position come moves"),
        ("position startpos moves a1a9", "no row '9'"),
        ("position startpos moves a1a3 a3a1", "is the opponent's"),
        (f"position fen {WON} moves a1a3", "the game is over"),
        ("position fen ..../..../..../.... x", "row too long"),
    ],
)
def test_what_cannot_be_done(inarow: Inarow, table3: Path, line: str, reason: str) -> None:
    first, second = talk(inarow, table3, "position startpos moves a1a3", line, "query p1turn")
    assert first.startswith("error ")
    assert reason in first
    assert second == "response false"  # the position is still what it was


def test_no_move_after_the_end(inarow: Inarow, table3: Path) -> None:
    assert talk(inarow, table3, f"position fen {WON}", "go") == ["error the game is over"]


def command(*options: str | Path) -> list[str]:
    return [*PROGRAM, "quixo", "engine", *map(str, options)]


def test_two_processes_play(table3: Path) -> None:
    """X wins 3×3 in 7 plies if O holds out, and sooner or as late if O errs."""
    lengths = []
    for options in ((), ("--strength", "weaker", "--seed", "2")):
        with (
            Engine(command("--table", table3), RULES, seconds=1) as x,
            Engine(command("--table", table3, *options), RULES, seconds=1) as o,
        ):
            assert x.name.startswith("inarow ")
            game = [RULES.start()]
            while not game[-1].is_over:
                player = x if game[-1].turn == "x" else o
                answer = player.choose(game[-1], game[:-1])
                assert (answer.value == "win") == (player is x)
                game.append(game[-1].play(answer.move))
        assert game[-1].winner == "x"
        lengths.append(len(game) - 1)
    assert lengths[0] == 7
    assert lengths[1] <= 7


def test_a_search_can_be_stopped() -> None:
    """A minute's search of 5×5 ends when it is told to, and others are answered meanwhile."""
    position = "..x../.o.ox/xo.ox/.xoxo/..o.. x"
    engine = subprocess.Popen(
        command("--size", "5"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert engine.stdin
    assert engine.stdout
    engine.stdin.write(f"position fen {position}\ngo movetime 60000\nisready\n")
    engine.stdin.flush()
    assert engine.stdout.readline() == "readyok\n"
    out, _ = engine.communicate("stop\nquit\n", timeout=30)
    info, best = out.splitlines()
    assert info.startswith("info value ")
    Quixo(5).parse(position).play(best.removeprefix("bestmove "))


# --- Engines that misbehave ---

SAYS = "import sys\nfor line in sys.stdin:\n    print({ugi!r} if line == 'ugi\\n' else {go!r}, flush=True)"


def other(ugi: str = "ugiok", go: str = "") -> list[str]:
    return [sys.executable, "-c", SAYS.format(ugi=ugi, go=go)]


@pytest.mark.parametrize(
    ("go", "reason"),
    [
        ("bestmove", "plays ''"),
        ("bestmove a9a1", "no row '9'"),
        ("bestmove b2b1", "only a tile on the border"),
        ("bestmove a1a3", "is the opponent's"),
        ("error out of order", "says: out of order"),
        ("", "does not answer"),
    ],
)
def test_engines_that_misbehave(go: str, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "_PATIENCE", 2.0)
    with Engine(other(go=go), RULES, seconds=0) as engine, pytest.raises(EngineError, match=reason):
        engine.choose(Position.parse(".../.../o.. x"))


def test_engines_of_other_rules_and_none_at_all() -> None:
    with pytest.raises(EngineError, match="plays 4x4 line 4 loses, not Quixo 3×3"):
        Engine(other("rules 4x4 line 4 loses\nugiok"), RULES)
    with pytest.raises(EngineError, match="has ended"):
        Engine([sys.executable, "-c", ""], RULES)
    with pytest.raises(FileNotFoundError):
        Engine(["/no/such/program"], RULES)
    with Engine(other(), RULES) as engine, pytest.raises(ValueError, match="not Quixo 4×4"):
        engine.choose(Quixo(4).start())
