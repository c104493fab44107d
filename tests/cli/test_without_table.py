"""5×5 at the command line, where there is no table: the book, and a search past it."""

import json
from pathlib import Path

from cli.calling import Inarow

START = "/".join(["....."] * 5) + " x"
WON_IN_21 = "xxx../x..../...../...../o.o.. x"
PAST_THE_BOOK = "xo.xo/ox.../....x/o...o/x.ox. x"


def test_probe_from_the_book(inarow: Inarow) -> None:
    shown = inarow("quixo", "probe", START).out
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
    refused = inarow("quixo", "line", PAST_THE_BOOK, "--out", tmp_path / "game.svg")
    assert refused.code == 2
    assert "the book ends at 10 marks" in refused.err


def test_play_says_what_it_knows(inarow: Inarow) -> None:
    result = inarow("quixo", "play", "--size", "5", stdin="a1a5\nhint\nquit\n")
    assert result.code == 0
    told = " ".join(result.out.split())
    assert "A book knows all positions of up to 10 marks" in told
    assert "inarow plays" in told


def test_results_show_the_longest_win(inarow: Inarow) -> None:
    assert "The longest win takes 169 plies" in inarow("quixo", "results").out
    data = json.loads(inarow("quixo", "results", "--json").out)
    assert len(data["longest_win"]["moves"]) == 169
    assert "longest_win" not in json.loads(inarow("quixo", "results", "--line", "4", "--json").out)
