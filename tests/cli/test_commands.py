"""What each command prints when all is well, for people and for programs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from cli.calling import Inarow
from golden.quixo_paper import START, TABLE_3_4X4, TOTALS_4X4
from quixo.boards import words_of
from quixo.forms import change_plies
from quixo.host_device import HostDevice
from serving import faulty

from inarow.quixo.rules import Position, Quixo
from inarow.quixo.solver.engines import cuda
from inarow.quixo.solver.engines.gpu_memory import gpu_memory_needed
from inarow.quixo.solver.solve import solve
from inarow.quixo.table.manifest import Manifest
from inarow.quixo.table.table import open_table

START_3 = ".../.../... x"
START_4 = "..../..../..../.... x"


def objects(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


# --- solve ---


def test_solve_gives_the_numbers_of_the_paper(inarow: Inarow) -> None:
    result = inarow("quixo", "solve", "--json")  # 4×4 is the default
    assert result.err == ""
    (solution,) = objects(result.out)
    assert Quixo.from_json(solution) == Quixo(4)
    assert (solution["value"], solution["plies"]) == START[4]
    assert solution["states"] == TOTALS_4X4
    rows = [(row["plies"], row["win"], row["loss"]) for row in solution["by_plies"]]
    assert rows == list(TABLE_3_4X4)[: len(rows)]
    assert all(row[1:] == (0, 0) for row in TABLE_3_4X4[len(rows) :])
    assert len(solution["classes"]) == 153


def test_solve_for_people(inarow: Inarow, tmp_path: Path) -> None:
    result = inarow("quixo", "solve", "--size", "3", "--threads", "1", "--out", tmp_path / "t")
    assert result.err == ""
    assert "Quixo 3×3, line 3, double line loses" in result.out
    assert "The first player wins in 7 plies." in result.out
    assert "19,683 states" in result.out
    assert "12,748  64.8%" in result.out
    assert "55 classes in all: --classes shows them" in result.out
    assert f"The table is in {tmp_path / 't'}" in result.out.replace("\n", "")
    assert max(map(len, result.out.splitlines())) <= 80 + len(str(tmp_path))
    assert open_table(tmp_path / "t").manifest.complete


def test_solve_stops_at_a_number_of_marks(inarow: Inarow, tmp_path: Path) -> None:
    args = "quixo", "solve", "--size", "3", "--out", tmp_path / "t"
    (part,) = objects(inarow(*args, "--stop-at", "7", "--json").out)
    assert (part["value"], part["plies"]) == (None, None)
    assert len(part["classes"]) == 10 + 9 + 8
    result = inarow(*args, "--stop-at", "7")
    assert result.err == ""
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


# --- check and verify ---


def test_check(inarow: Inarow, table3: Path) -> None:
    result = inarow("quixo", "check", table3)
    assert result.err == ""
    assert "Quixo 3×3" in result.out
    assert "The table is complete: 30 pairs" in result.out
    (found,) = objects(inarow("quixo", "check", table3, "--json").out)
    size = sum(path.stat().st_size for path in table3.iterdir())
    more = {"complete": True, "files": 61, "bytes": size, "published": None}
    assert found == {"game": "quixo", **Quixo(3).to_json(), **more}


def test_check_tells_what_is_not_complete(inarow: Inarow, table3: Path, tmp_path: Path) -> None:
    folder = tmp_path / "part"
    shutil.copytree(table3, folder)
    manifest = Manifest.load(folder)
    Manifest(manifest.rules, manifest.pairs[:7]).save(folder)
    result = inarow("quixo", "check", folder, code=3)
    assert "not complete: 7 of 30 pairs" in result.out
    assert f"inarow quixo solve --size 3 --out {folder}" in result.err
    assert "Not part of the table: pair-00-00.plies" in result.err
    assert objects(inarow("quixo", "check", folder, "--json", code=3).out)[0]["complete"] is False
    result = inarow("quixo", "verify", folder)
    assert "Proven: the table is not complete, but every entry of the 7 of 30 pairs" in result.out
    (folder / "pair-07-02.values").unlink()
    result = inarow("quixo", "verify", folder, code=3)
    assert f"Complete or repair it with: inarow quixo solve --size 3 --out {folder}" in result.err


def test_verify(inarow: Inarow, table3: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(table3, tmp_path / "copy")  # what is verified is written down there
    result = inarow("quixo", "verify", copy, "--threads", "1")
    assert result.err == ""
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
    result = inarow("quixo", "verify", table3, "--sample", "100", "--seed", "7", code=6)
    assert result.err == ""
    assert "Consistent: a sample: 100 entries out of 3,732, drawn with seed 7, follow" in result.out
    (report,) = objects(inarow("quixo", "verify", table3, "--sample", "10", "--json", code=6).out)
    assert (report["verdict"], report["entries"], report["sample"]["count"]) == ("consistent", 10, 10)
    assert isinstance(report["sample"]["seed"], int)
    assert not (table3 / "verified.json").exists()


# --- info ---


def test_info(inarow: Inarow, table3: Path, tmp_path: Path) -> None:
    outcomes = tmp_path / "outcomes"
    inarow("quixo", "solve", "--size", "3", "--outcomes-only", "--out", outcomes)
    (checked,) = objects(inarow("quixo", "check", outcomes, "--json").out)
    assert checked["files"] == 31 + 37  # with those of nearly full boards
    result = inarow("quixo", "info", outcomes)
    assert result.err == ""
    assert "It holds outcomes, without plies." in result.out
    assert "Complete: 30 pairs of classes, 19,683 positions." in result.out
    assert "Verified: not yet ('inarow quixo verify' does it)." in result.out
    inarow("quixo", "verify", outcomes, "--threads", "1")
    consistent = inarow("quixo", "verify", outcomes, "--no-derive", code=6)
    assert "Consistent:" in consistent.out
    inarow("quixo", "verify", outcomes)
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
    assert "Not complete: 7 pairs of classes, 23 are missing." in result.out
    assert "Listed but missing: pair-09-00.plies" in result.err
    (found,) = objects(inarow("quixo", "info", folder, "--json").out)
    assert [layer["missing"] for layer in found["layers"][:3]] == [0, 3, 4]
    assert found["missing_files"] == ["pair-09-00.plies"]


def test_no_less_is_known_with_a_table_without_plies(inarow: Inarow, tmp_path: Path) -> None:
    outcomes = tmp_path / "outcomes"
    inarow("quixo", "solve", "--size", "3", "--outcomes-only", "--out", outcomes)
    assert "wins in 7 plies (4 moves)" in inarow("quixo", "probe", START_3, "--table", outcomes).out
    (probe,) = objects(inarow("quixo", "probe", START_3, "--table", outcomes, "--json").out)
    assert (probe["value"], probe["plies"], probe["source"], probe["reason"]) == ("win", 7, "table", None)
    result = inarow("quixo", "line", START_3, "--table", outcomes)
    assert "X has won" in result.out
    result = inarow("quixo", "play", "--table", outcomes, stdin="hint\na1a3\nquit\n")
    assert "inarow plays" in result.out


# --- probe ---


def test_probe_json_is_that_of_the_library(inarow: Inarow, table3: Path) -> None:
    position = Position.parse("x.o/.../... x")
    result = inarow("quixo", "probe", position.url_text, "--table", table3, "--json")
    assert result.err == ""
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
    found = objects(result.out)
    assert [(probe["position"], probe["value"], probe["plies"]) for probe in found] == [
        (START_3, "win", 7),
        ("../.. o", "win", 3),
        ("xxx/.../... o", "loss", 0),
    ]
    assert found[-1]["moves"] == []


def test_the_rules_are_those_of_the_table(inarow: Inarow, tmp_path: Path) -> None:
    inarow("quixo", "solve", "-s", "4", "--line", "3", "-o", tmp_path / "t")
    inarow("quixo", "probe", START_4, "--table", tmp_path / "t")
    inarow("quixo", "probe", START_4, "--table", tmp_path / "t", "--line", "3")
    (found,) = objects(inarow("quixo", "line", "--table", tmp_path / "t", "--json").out)
    assert found["position"] == START_4


# --- line ---


def test_line_from_the_start_of_4x4(inarow: Inarow, table4: Path) -> None:
    result = inarow("quixo", "line", "--table", table4, "--json")
    assert result.err == ""
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


def test_line_of_a_draw_never_ends(inarow: Inarow, table4: Path, tmp_path: Path) -> None:
    drawn = str(drawn_position(table4))
    result = inarow("quixo", "line", drawn, "--table", table4)
    assert "best play never ends" in result.out
    (found,) = objects(inarow("quixo", "line", drawn, "--table", table4, "--json").out)
    assert (found["value"], found["plies"], found["moves"]) == ("draw", None, [])
    result = inarow("quixo", "line", drawn, "--table", table4, "--out", tmp_path / "game.svg", code=2)
    assert list(tmp_path.iterdir()) == []


def test_line_as_svg_and_gif(inarow: Inarow, tmp_path: Path) -> None:
    for name in ("game.svg", "game.GIF"):
        result = inarow("quixo", "line", "--size", "2x4", "--line", "2", "--out", tmp_path / name)
        assert "3 moves written to" in result.out
    root = ElementTree.fromstring((tmp_path / "game.svg").read_text())
    assert root.tag.endswith("svg")
    assert (tmp_path / "game.GIF").read_bytes()[:6] == b"GIF89a"
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("probe", START_3), [" 3   .  .  .\n", "X to move wins in 7 plies (4 moves).", "win in 7", "a1a3"]),
        (("probe", "xxx/.../... o"), ["The game is over: X has won."]),
        (("probe", "..../..../..../oo.x x"), ["a draw"]),
        (("line", "--size", "3"), ["wins in 7 plies (4 moves).", " 7. X ", "X has won"]),
        (("line", "xx./.../o.o x"), ["X to move wins in 1 ply.", " 1. X "]),
        (("solve", "--size", "3", "--classes"), ["The first player wins in 7 plies.", "  0   0 "]),
        (("solve", "--size", "3", "--outcomes-only"), ["The first player wins.\n"]),
    ],
)
def test_what_is_shown(inarow: Inarow, args: tuple[str, ...], told: list[str]) -> None:
    result = inarow("quixo", *args)
    assert [words for words in told if words not in result.out] == []
    assert max(map(len, result.out.splitlines())) <= 80


def drawn_position(folder: Path) -> Position:
    with open_table(folder) as table:
        rules = table.rules
        return next(
            position
            for position in map(rules.from_word, words_of(rules, 1, 2))
            if table.probe(position).value == "draw"
        )


# --- `inarow quixo export` ---


def test_export(inarow: Inarow, table3: Path, tmp_path: Path) -> None:
    out = tmp_path / "data.npz"
    options = "--table", table3, "--out", out, "--sample", "50", "--seed", "3", "--value", "loss", "--moves"
    result = inarow("quixo", "export", *options)
    assert result.err == ""
    assert f"50 positions in {out}" in result.out
    with np.load(out) as data:
        assert data["tiles"].shape == (50, 9)
        assert set(data["value"].tolist()) == {-1}
        assert "move_values" in data
    result = inarow("quixo", "export", *options, "--json")
    assert json.loads(result.out) == {
        "game": "quixo",
        "rows": 3,
        "columns": 3,
        "line": 3,
        "double_line": "loses",
        "file": str(out),
        "positions": 50,
        "bytes": out.stat().st_size,
    }


def test_a_small_board_needs_no_table(inarow: Inarow, tmp_path: Path) -> None:
    out = tmp_path / "data.npz"
    inarow("quixo", "export", "--size", "2x3", "--out", out, "--json")
    with np.load(out) as data:
        assert data["word"].size == 3**6


# --- `inarow quixo check --published` and `--write-list` ---


def test_the_published_table(
    inarow: Inarow, table4: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with faulty(table4.parent) as server:
        result = inarow("quixo", "check", f"{server.url}{table4.name}", "--published")
    assert "163 files" in result.out
    assert result.out.splitlines()[-1].startswith("This is the published table")
    solve(Quixo(4), tmp_path / "part", stop_at=14, outcomes_only=True)
    result = inarow("quixo", "check", tmp_path / "part", "--published", code=3)
    told = " ".join(result.out.split())
    assert "The files present are those of the published table: " in told
    assert "Missing are 81 files of plies and 56 files of values." in told
    result = inarow("quixo", "check", tmp_path / "part", "--published", "--json", code=3)
    found = json.loads(result.out)["published"]
    assert (found["different"], len(found["missing"])) == ([], 137)


def test_another_table(inarow: Inarow, table4: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(table4, tmp_path / "copy"))
    change_plies(copy, 5, 5, 0, 0, 2)
    result = inarow("quixo", "check", copy, "--published", code=1)
    assert "Not the published table: 1 files differ: pair-05-05.plies" in result.out
    inarow("quixo", "check", copy)
    (copy / "pair-05-05.plies").write_bytes(b"")
    inarow("quixo", "check", copy, "--published", code=4)


def test_a_list_is_written(inarow: Inarow, table3: Path, tmp_path: Path) -> None:
    path = tmp_path / "list.json"
    result = inarow("quixo", "check", table3, "--write-list", path)
    assert result.out.splitlines()[-1] == f"The checksums are in {path}"
    assert len(json.loads(path.read_text())["files"]) == 60
    result = inarow("quixo", "check", table3, "--write-list", tmp_path / "none" / "list.json", code=3)
    assert result.out == ""
    solve(Quixo(3), tmp_path / "part", stop_at=5)
    result = inarow("quixo", "check", tmp_path / "part", "--write-list", path, code=3)
    assert "is not complete" in result.err


# --- Commands for a GPU alone, with its code run on the CPU ---


def test_solve_within_a_budget(inarow: Inarow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda, "CudaDevice", HostDevice)
    arguments = ("quixo", "solve", "--size", "3x4", "--json")
    rules = Quixo(3, 4)
    kilobytes = gpu_memory_needed(rules, streamed=True) // 1000 + 1
    assert kilobytes * 1000 < gpu_memory_needed(rules)
    on_gpu = inarow(*arguments, "--device", "cuda", "--gpu-memory", f"{kilobytes}k")
    assert json.loads(on_gpu.out)["classes"] == json.loads(inarow(*arguments).out)["classes"]
    refused = inarow(*arguments, "--device", "cuda", "--gpu-memory", "1000k", code=2)
    assert "of GPU memory; --gpu-memory allows 1.0 MB" in refused.err
    inarow(*arguments, "--gpu-memory", "1G", code=2)


# --- 5×5 at the command line, where there is no table ---


START_5 = "/".join(["....."] * 5) + " x"
WON_IN_21 = "xxx../x..../...../...../o.o.. x"
PAST_THE_BOOK = "xo.xo/ox.../....x/o...o/x.ox. x"


def test_probe_from_the_book(inarow: Inarow) -> None:
    shown = inarow("quixo", "probe", START_5).out
    assert "a draw" in shown
    assert "From the book." in shown
    data = json.loads(inarow("quixo", "probe", WON_IN_21, "--json").out)
    assert (data["value"], data["plies"], data["source"], data["reason"]) == ("win", 21, "book", None)
    assert (data["moves"][0]["plies"], data["moves"][0]["source"]) == (21, "book")


def test_probe_past_the_book(inarow: Inarow) -> None:
    shown = inarow("quixo", "probe", PAST_THE_BOOK).out
    assert "nobody knows" in shown
    assert "within 8 plies" in shown.replace("\n", " ")
    data = json.loads(inarow("quixo", "probe", PAST_THE_BOOK, "--json").out)
    assert (data["value"], data["plies"], data["source"]) == (None, None, "search")
    assert {move["value"] for move in data["moves"]} == {None}


def test_a_line_ends_where_knowledge_does(inarow: Inarow, tmp_path: Path) -> None:
    shown = inarow("quixo", "line", WON_IN_21).out
    assert "wins in 21 plies" in shown
    assert "Best play is known no further. A full table has it all: inarow quixo solve --size 5" in shown
    assert "a draw" in inarow("quixo", "line", "--size", "5").out
    refused = inarow("quixo", "line", PAST_THE_BOOK, "--out", tmp_path / "game.svg", code=2)
    assert "the book ends at 10 marks" in refused.err


def test_play_says_what_it_knows(inarow: Inarow) -> None:
    result = inarow("quixo", "play", "--size", "5", stdin="a1a5\nhint\nquit\n")
    told = " ".join(result.out.split())
    assert "A book knows all positions of up to 10 marks" in told
    assert "inarow plays" in told


def test_results_show_the_longest_win(inarow: Inarow) -> None:
    assert "The longest win takes 169 plies" in inarow("quixo", "results").out
    data = json.loads(inarow("quixo", "results", "--json").out)
    assert len(data["longest_win"]["moves"]) == 169
    assert "longest_win" not in json.loads(inarow("quixo", "results", "--line", "4", "--json").out)
