"""What each command prints when all is well, for people and for programs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from cli.calling import Inarow
from golden.quixo_paper import START, TABLE_3_4X4, TOTALS_4X4
from quixo.boards import words_of

from inarow.quixo.rules import Position, Quixo
from inarow.quixo.table.manifest import Manifest
from inarow.quixo.table.table import open_table

START_3 = ".../.../... x"
START_4 = "..../..../..../.... x"


def objects(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


# --- solve ---


def test_solve_gives_the_numbers_of_the_paper(inarow: Inarow) -> None:
    result = inarow("quixo", "solve", "--size", "4", "--json")
    assert (result.code, result.err) == (0, "")
    (solution,) = objects(result.out)
    assert list(solution) == [
        "game",
        "rows",
        "columns",
        "line",
        "double_line",
        "value",
        "plies",
        "states",
        "by_plies",
        "classes",
        "seconds",
    ]
    assert (solution["game"], solution["rows"], solution["columns"], solution["line"]) == ("quixo", 4, 4, 4)
    assert solution["double_line"] == "loses"
    assert (solution["value"], solution["plies"]) == START[4]
    assert solution["states"] == TOTALS_4X4
    rows = [(row["plies"], row["win"], row["loss"]) for row in solution["by_plies"]]
    assert rows == list(TABLE_3_4X4)[: len(rows)]
    assert all(row[1:] == (0, 0) for row in TABLE_3_4X4[len(rows) :])
    assert len(solution["classes"]) == 153
    assert set(solution["classes"][0]) == {"x", "o", "win", "loss", "draw", "max_plies"}


def test_solve_for_people(inarow: Inarow, tmp_path: Path) -> None:
    result = inarow("quixo", "solve", "--size", "3", "--threads", "1", "--out", tmp_path / "t")
    assert (result.code, result.err) == (0, "")
    assert "Quixo 3×3, line 3, double line loses" in result.out
    assert "The first player wins in 7 plies." in result.out
    assert "19,683 states" in result.out
    assert "12,748  64.8%" in result.out
    assert "55 classes in all: --classes shows them" in result.out
    assert f"The table is in {tmp_path / 't'}" in result.out.replace("\n", "")
    assert max(map(len, result.out.splitlines())) <= 80 + len(str(tmp_path))
    assert open_table(tmp_path / "t").manifest.complete


def test_solve_shows_all_classes_when_asked(inarow: Inarow) -> None:
    few, all_of_them = (
        inarow("quixo", "solve", "-s", "3", *more).out.splitlines() for more in ((), ("--classes",))
    )
    assert len(all_of_them) == len(few) + 55 - 15 - 2 + 1
    assert "--classes" not in "".join(all_of_them)


def test_solve_stops_at_a_number_of_marks(inarow: Inarow, tmp_path: Path) -> None:
    args = "quixo", "solve", "--size", "3", "--out", tmp_path / "t"
    (part,) = objects(inarow(*args, "--stop-at", "7", "--json").out)
    assert (part["value"], part["plies"]) == (None, None)
    assert len(part["classes"]) == 10 + 9 + 8
    result = inarow(*args, "--stop-at", "7")
    assert (result.code, result.err) == (0, "")
    assert "Solved down to 7 marks: the value of the start is not known." in result.out
    assert not Manifest.load(tmp_path / "t").complete
    (whole,) = objects(inarow(*args, "--json").out)
    assert (whole["value"], whole["plies"]) == START[3]
    assert whole["classes"][: 10 + 9 + 8] == part["classes"]
    assert Manifest.load(tmp_path / "t").complete


def test_solve_takes_the_rules(inarow: Inarow, tmp_path: Path) -> None:
    args = "quixo", "solve", "--size", "4", "--line", "3", "--double-line", "wins", "--json"
    (solution,) = objects(inarow(*args, "--out", tmp_path / "t").out)
    assert (solution["line"], solution["double_line"]) == (3, "wins")
    assert Manifest.load(tmp_path / "t").rules == Quixo(4, line=3, double_line="wins")


def test_solve_without_plies_or_a_table(inarow: Inarow) -> None:
    (solution,) = objects(inarow("quixo", "solve", "--size", "3", "--outcomes-only", "--json").out)
    assert (solution["value"], solution["plies"], solution["by_plies"]) == ("win", None, [])


def test_size_4_is_the_default(inarow: Inarow) -> None:
    assert "[default: 4]" in inarow("quixo", "solve", "--help").out


# --- check and verify ---


def test_check(inarow: Inarow, table3: Path) -> None:
    result = inarow("quixo", "check", table3)
    assert (result.code, result.err) == (0, "")
    assert "Quixo 3×3" in result.out
    assert "The table is complete: 30 pairs" in result.out
    (found,) = objects(inarow("quixo", "check", table3, "--json").out)
    size = sum(path.stat().st_size for path in table3.iterdir())
    assert found == {
        "game": "quixo",
        "rows": 3,
        "columns": 3,
        "line": 3,
        "double_line": "loses",
        "complete": True,
        "files": 61,
        "bytes": size,
        "published": None,
    }


def test_check_tells_what_is_not_complete(inarow: Inarow, table3: Path, tmp_path: Path) -> None:
    folder = tmp_path / "part"
    shutil.copytree(table3, folder)
    manifest = Manifest.load(folder)
    Manifest(manifest.rules, manifest.pairs[:7]).save(folder)
    result = inarow("quixo", "check", folder)
    assert result.code == 3
    assert "not complete: 7 of 30 pairs" in result.out
    assert f"inarow quixo solve --size 3 --out {folder}" in result.err
    assert "Not part of the table: pair-00-00.plies" in result.err
    assert objects(inarow("quixo", "check", folder, "--json").out)[0]["complete"] is False
    result = inarow("quixo", "verify", folder)
    assert result.code == 0
    assert "Proven: the table is not complete, but every entry of the 7 of 30 pairs" in result.out
    (folder / "pair-07-02.values").unlink()
    result = inarow("quixo", "verify", folder)
    assert result.code == 3
    assert f"Complete or repair it with: inarow quixo solve --size 3 --out {folder}" in result.err


def test_verify(inarow: Inarow, table3: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(table3, tmp_path / "copy")  # what is verified is written down there
    result = inarow("quixo", "verify", copy, "--threads", "1")
    assert (result.code, result.err) == (0, "")
    assert "entries checked in" in result.out
    assert "Proven: every entry follows from the rules" in result.out
    (report,) = objects(inarow("quixo", "verify", copy, "--json").out)
    assert report["verdict"] == "proven"
    assert (report["rows"], report["columns"], report["complete"]) == (3, 3, True)
    assert report["positions"] == 3**9
    assert report["counterexample"] is None
    assert report["problem"] is None
    assert (report["sample"], report["remembered"], report["has_plies"]) == (None, 0, True)
    assert report["method"] == "plies"
    assert inarow("quixo", "check", copy).err == ""


def test_verify_a_sample(inarow: Inarow, table3: Path) -> None:
    result = inarow("quixo", "verify", table3, "--sample", "100", "--seed", "7")
    assert (result.code, result.err) == (6, "")
    assert "Consistent: a sample: 100 entries out of 3,732, drawn with seed 7, follow" in result.out
    (report,) = objects(inarow("quixo", "verify", table3, "--sample", "10", "--json").out)
    assert (report["verdict"], report["entries"], report["sample"]["count"]) == ("consistent", 10, 10)
    assert isinstance(report["sample"]["seed"], int)
    assert not (table3 / "verified.json").exists()


# --- info ---


def test_info(inarow: Inarow, table3: Path, tmp_path: Path) -> None:
    outcomes = tmp_path / "outcomes"
    assert inarow("quixo", "solve", "--size", "3", "--outcomes-only", "--out", outcomes).code == 0
    (checked,) = objects(inarow("quixo", "check", outcomes, "--json").out)
    assert checked["files"] == 31 + 37  # with those of nearly full boards
    result = inarow("quixo", "info", outcomes)
    assert (result.code, result.err) == (0, "")
    assert "It holds outcomes, without plies." in result.out
    assert "Complete: 30 pairs of classes, 19,683 positions." in result.out
    assert "Verified: not yet ('inarow quixo verify' does it)." in result.out
    assert inarow("quixo", "verify", outcomes, "--threads", "1").code == 0
    shown = inarow("quixo", "info", outcomes).out
    assert "Verified: proven, by inarow " in shown
    (found,) = objects(inarow("quixo", "info", outcomes, "--json").out)
    assert (found["has_plies"], found["pairs"], found["missing_pairs"]) == (False, 30, 0)
    assert found["entries"] == sum(layer["entries"] for layer in found["layers"]) == 3732
    assert found["bytes"] == sum(file.stat().st_size for file in outcomes.glob("pair-*"))
    assert (found["verified"]["verdict"], found["verified"]["pairs"]) == ("proven", 30)
    (whole,) = objects(inarow("quixo", "info", table3, "--json").out)
    assert (whole["has_plies"], whole["verified"]) == (True, None)


def test_info_of_a_part(inarow: Inarow, table3: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(table3, tmp_path / "part"))
    manifest = Manifest.load(folder)
    Manifest(manifest.rules, manifest.pairs[:7]).save(folder)
    (folder / "pair-09-00.plies").unlink()
    result = inarow("quixo", "info", folder)
    assert result.code == 0
    assert "Not complete: 7 pairs of classes, 23 are missing." in result.out
    assert "Listed but missing: pair-09-00.plies" in result.err
    (found,) = objects(inarow("quixo", "info", folder, "--json").out)
    assert [layer["missing"] for layer in found["layers"][:3]] == [0, 3, 4]
    assert found["missing_files"] == ["pair-09-00.plies"]


def test_no_less_is_known_with_a_table_without_plies(inarow: Inarow, tmp_path: Path) -> None:
    outcomes = tmp_path / "outcomes"
    assert inarow("quixo", "solve", "--size", "3", "--outcomes-only", "--out", outcomes).code == 0
    assert "wins in 7 plies (4 moves)" in inarow("quixo", "probe", START_3, "--table", outcomes).out
    (probe,) = objects(inarow("quixo", "probe", START_3, "--table", outcomes, "--json").out)
    assert (probe["value"], probe["plies"], probe["source"], probe["reason"]) == ("win", 7, "table", None)
    result = inarow("quixo", "line", START_3, "--table", outcomes)
    assert (result.code, "X has won" in result.out) == (0, True)
    result = inarow("quixo", "play", "--table", outcomes, stdin="hint\na1a3\nquit\n")
    assert result.code == 0
    assert "inarow plays" in result.out


# --- probe ---


def test_probe(inarow: Inarow) -> None:
    result = inarow("quixo", "probe", START_3)
    assert result.code == 0
    assert " 3   .  .  .\n" in result.out
    assert "X to move wins in 7 plies (4 moves)." in result.out
    assert "win in 7" in result.out
    assert "a1a3" in result.out


def test_probe_json_is_that_of_the_library(inarow: Inarow, table3: Path) -> None:
    position = Position.parse("x.o/.../... x")
    result = inarow("quixo", "probe", position.url_text, "--table", table3, "--json")
    assert (result.code, result.err) == (0, "")
    with open_table(table3) as table:
        assert objects(result.out) == [table.probe(position).to_json()]


def test_the_users_table_is_made_once(
    inarow: Inarow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    first, second = (inarow("quixo", "probe", START_3, "--json") for _ in range(2))
    assert "Solving Quixo 3×3" in first.err
    assert str(tmp_path) in first.err
    assert second.err == ""
    assert first.out == second.out


@pytest.mark.parametrize("dash", [(), ("-",)])
def test_probe_reads_positions_of_all_sizes_from_stdin(inarow: Inarow, dash: tuple[str, ...]) -> None:
    result = inarow("quixo", "probe", *dash, "--json", stdin=f"{START_3}\n\n../.._o\nxxx/.../... o\n")
    assert result.code == 0
    found = objects(result.out)
    assert [(probe["position"], probe["value"], probe["plies"]) for probe in found] == [
        (START_3, "win", 7),
        ("../.. o", "win", 3),
        ("xxx/.../... o", "loss", 0),
    ]
    assert found[-1]["moves"] == []


def test_probe_of_a_game_that_is_over(inarow: Inarow) -> None:
    assert "The game is over: X has won." in inarow("quixo", "probe", "xxx/.../... o").out


def test_probe_of_a_draw(inarow: Inarow, table4: Path) -> None:
    drawn = drawn_position(table4)
    result = inarow("quixo", "probe", str(drawn), "--table", table4)
    assert "a draw" in result.out


def test_the_rules_are_those_of_the_table(inarow: Inarow, tmp_path: Path) -> None:
    assert inarow("quixo", "solve", "-s", "4", "--line", "3", "-o", tmp_path / "t").code == 0
    assert inarow("quixo", "probe", START_4, "--table", tmp_path / "t").code == 0
    assert inarow("quixo", "probe", START_4, "--table", tmp_path / "t", "--line", "3").code == 0
    (found,) = objects(inarow("quixo", "line", "--table", tmp_path / "t", "--json").out)
    assert found["position"] == START_4


# --- line ---


def test_line_from_the_start_of_4x4(inarow: Inarow, table4: Path) -> None:
    result = inarow("quixo", "line", "--table", table4, "--json")
    assert (result.code, result.err) == (0, "")
    (game,) = objects(result.out)
    assert (game["position"], game["value"], game["plies"]) == (START_4, "win", 21)
    assert len(game["moves"]) == 21
    position = Quixo(4).start()
    with open_table(table4) as table:
        for number, move in enumerate(game["moves"]):
            probe = table.probe(position)
            # Both play the best they have: every move keeps the value and takes one ply.
            assert (move["value"], move["plies"]) == (probe.value, probe.plies)
            assert move["plies"] == 21 - number
            assert move["value"] == ("win" if number % 2 == 0 else "loss")
            position = position.play(move["move"])
            assert str(position) == move["position"]
    assert position.winner == "x"


def test_line_is_drawn(inarow: Inarow) -> None:
    result = inarow("quixo", "line", "--size", "3")
    assert result.code == 0
    assert "X to move wins in 7 plies (4 moves)." in result.out
    assert " 7. X " in result.out
    assert " 8. " not in result.out
    assert "X has won" in result.out
    assert max(map(len, result.out.splitlines())) <= 80


def test_line_from_a_position(inarow: Inarow) -> None:
    result = inarow("quixo", "line", "xx./.../o.o x")
    assert result.code == 0
    assert "X to move wins in 1 ply." in result.out
    assert " 1. X " in result.out


def test_line_of_a_draw_never_ends(inarow: Inarow, table4: Path, tmp_path: Path) -> None:
    drawn = str(drawn_position(table4))
    result = inarow("quixo", "line", drawn, "--table", table4)
    assert result.code == 0
    assert "best play never ends" in result.out
    (found,) = objects(inarow("quixo", "line", drawn, "--table", table4, "--json").out)
    assert (found["value"], found["plies"], found["moves"]) == ("draw", None, [])
    result = inarow("quixo", "line", drawn, "--table", table4, "--out", tmp_path / "game.svg")
    assert result.code == 2
    assert list(tmp_path.iterdir()) == []


def test_line_as_svg_and_gif(inarow: Inarow, tmp_path: Path) -> None:
    for name in ("game.svg", "game.GIF"):
        result = inarow("quixo", "line", "--size", "2", "--out", tmp_path / name)
        assert result.code == 0
        assert "3 moves written to" in result.out
    root = ElementTree.fromstring((tmp_path / "game.svg").read_text())
    assert root.tag.endswith("svg")
    assert (tmp_path / "game.GIF").read_bytes()[:6] == b"GIF89a"
    assert len(list(tmp_path.iterdir())) == 2


def drawn_position(folder: Path) -> Position:
    with open_table(folder) as table:
        rules = table.rules
        return next(
            position
            for position in map(rules.from_word, words_of(rules, 1, 2))
            if table.probe(position).value == "draw"
        )


# --- reachable ---
