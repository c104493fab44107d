"""The figures of the documents, worked out again: from what ships, from published counts, and by studies."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from math import sqrt
from pathlib import Path

import pytest
from documents import DOCUMENTS, ROOT, each_document, found, number, result, table, text
from shapes import SAMPLE, games, kept
from survey import survey

from inarow.quixo.prober import open_prober
from inarow.quixo.rules import Quixo

NUMBERS = {"two hundred": 200, "four": 4, "five": 5, "seven": 7, "nine": 9}

SURVEY: dict[tuple[int, int], dict[str, int]] = {
    (its["x"], its["o"]): its for its in result("survey")["classes"]
}


def wilson(share: float, trials: float) -> tuple[float, float]:
    """Wilson's 95% interval, by its definition: the shares that are 1.96 of their own deviations away."""
    z = 1.96**2 / trials
    a, b, c = 1 + z, -(2 * share + z), share * share
    root = sqrt(max(0.0, b * b - 4 * a * c))
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


def points(wins: str, draws: str, losses: str) -> tuple[float, int]:
    """The share of the points, and the games."""
    played = int(wins) + int(draws) + int(losses)
    return (int(wins) + int(draws) / 2) / played, played


def percents(share: float, trials: float) -> str:
    low, high = wilson(share, trials)
    return f"{100 * low:.0f} to {high:.0%}"


# --- Games on boards of all shapes ---


def test_games_are_as_many_as_are_told() -> None:
    of_24 = [rules for rules in kept() if rules.cells == 24]
    assert set(of_24) == {rules for rules in games() if rules.cells == 24}
    claims, quixo = "docs/results/claims.md", "docs/results/quixo.md"
    assert number(r"The (\d+) games of Quixo on boards of 24 cells, but", claims) == len(of_24)
    assert number(r"value of all (\d+) games on boards of 24 cells", claims) == len(of_24)
    assert number(r"all (\d+) on boards of 24 cells", quixo) == len(of_24)
    assert number(r"([\d,]+) entries of all classes of each", quixo) == SAMPLE
    assert {kept()[rules]["sampled"] for rules in of_24} == {SAMPLE}
    small = [rules for rules in kept() if rules.cells <= 22]
    assert number(r"all (\d+) games on boards of up to 22 cells", claims) == len(small)
    assert number(r"all (\d+) games on boards of up to 24 cells", quixo) == len(small) + len(of_24)


def test_the_games_said_to_be_proven_are_those_that_are() -> None:
    """docs/index.md, and the list in claims.md of what rests on one program."""
    found(
        "on boards of up to 22 cells, of the official 5×5 game, and of 5×5 with four in a row where a double "
        "line loses were proven",
        "docs/index.md",
    )
    found("Quixo on 5×5 where a double line wins, or with three in a row", "docs/results/claims.md")
    proven = {rules for rules, row in kept().items() if row["proven"]}
    assert proven == {*games(22), Quixo(5), Quixo(5, 5, 4)}
    found("re-derived most tables to the last entry and samples of the others", "README.md")
    assert 2 * len(proven) > len(kept())


def test_perfect_play_is_promised_only_where_it_is_to_be_had() -> None:
    said = [text(str(path.relative_to(ROOT))) for path in DOCUMENTS if path.name != "CHANGELOG.md"]
    said += [path.read_text(encoding="utf-8") for path in (ROOT / "src/inarow/cli").rglob("*.py")]
    promises = [
        sentence
        for it in said
        for sentence in re.split(r"(?<=[.:])[\s*]", re.sub(r"\s+", " ", it))
        if re.search(r"play[a-z]* (?:\w+ )*perfectly", sentence)
    ]
    assert len(promises) >= 3
    assert [its for its in promises if not re.search(r"where|On boards of|only", its)] == []


def test_the_animals_are_as_many_as_the_readme_says() -> None:
    animals = table("docs/results/strategies.md", "Harary's animals")
    said = found(r"for the (\w+) winners of three to five cells the smallest square board", "README.md")
    assert len(animals) == NUMBERS[said[1]]
    better = [row for row in animals if "**" in row[2] + row[3]]
    found("Harary's animals of three to five cells: smallest square boards", "docs/results/claims.md")
    said = found(r"fewest moves on them, (\w+) of them better", "docs/results/claims.md")
    assert NUMBERS[said[1]] == len(better)


# --- Quixo: questions about all positions ---

QUESTIONS = "docs/results/quixo-questions.md"


def test_draws_of_5x5() -> None:
    for row in table(QUESTIONS, "Draws on 5×5"):
        its = SURVEY[int(row[0]), int(row[1])]
        assert row[2:4] == [f"{its['drawn']:,}", f"{its['kept'] / its['moves']:.1%}"]
        single, _, share = row[5].partition(" ")
        assert single == f"{its['single']:,}"
        if share:
            digits = len(share.partition(".")[2].rstrip("%)"))
            assert share == f"({its['single'] / its['drawn']:.{digits}%})"


def test_replies_on_5x5_have_no_more_digits_than_the_sample_supports() -> None:
    """Of 400 positions of a class as many are drawn as the class has draws, roughly."""
    few = []
    for row in table(QUESTIONS, "Draws on 5×5"):
        its = SURVEY[int(row[0]), int(row[1])]
        drawn = 400 * its["drawn"] / its["states"]
        if its["x"] + its["o"] <= 8:
            assert re.fullmatch(r"\d+\.\d%", row[4])  # counted
        elif row[4] == "–":
            few.append(drawn)
        else:
            share = re.match(r"(\d+)% \(", row[4])
            assert share is not None, row
            assert row[4] == f"{share[1]}% ({percents(int(share[1]) / 100, drawn)})"
            assert drawn >= 50
    assert few
    assert max(few) < 50


def lost(x: int, o: int) -> float:
    """The share of the moves of drawn positions that lose."""
    its = SURVEY[x, o]
    return 1 - its["kept"] / its["moves"]


def test_moves_that_lose_a_draw_of_5x5() -> None:
    said = found(
        r"as many marks of each side, up to (\w+), less than one move in ([a-z ]+) loses;", QUESTIONS
    )
    most, one_in = NUMBERS[said[1]], NUMBERS[said[2]]
    assert all(lost(marks, marks) < 1 / one_in for marks in range(most + 1))
    assert lost(most + 1, most + 1) > 1 / one_in
    said = found(
        r"it is one in (\w+) with three against four, and one in (\w+) with four against five", QUESTIONS
    )
    assert [round(1 / lost(3, 4)), round(1 / lost(4, 5))] == [NUMBERS[said[1]], NUMBERS[said[2]]]


def by_marks(classes: list[dict[str, int]]) -> Iterator[tuple[int, dict[str, int]]]:
    """Counts of the survey, of all classes with as many marks."""
    for marks in range(26):
        those = [its for its in classes if its["x"] + its["o"] == marks]
        total = {name: sum(its[name] for its in those) for name in those[0]} if those else {}
        if total and total["with_choice"]:
            yield marks, total


def blanks_row(its: dict[str, int]) -> list[str]:
    own, positions = its["only_own"], its["with_choice"]
    return [
        f"{positions:,}",
        f"{its['blank_kept'] / its['blank_moves']:.1%}",
        f"{its['own_kept'] / its['own_moves']:.1%}",
        f"{its['only_blanks'] / positions:.1%}" if its["only_blanks"] else "0",
        f"{own / positions:.2%}" if own else "0",
    ]


def test_blank_tiles_of_5x5() -> None:
    totals = dict(by_marks(list(SURVEY.values())))
    for row in table(QUESTIONS, "Blank tiles on 5×5"):
        its = totals[int(row[0])]
        assert row[1:] == blanks_row(its)
    one_in = number(r"in one position of ([\d,]+) at most", QUESTIONS)
    assert one_in == min(
        its["with_choice"] // its["only_own"]
        for marks, its in totals.items()
        if marks <= 10 and its["only_own"]
    )


@pytest.mark.exhaustive
def test_blank_tiles_of_4x4() -> None:
    """Up to eight marks, which is what the text speaks of."""
    with open_prober(Quixo(4)) as prober:
        totals = dict(by_marks(survey(prober, most_marks=8)["classes"]))
    rows = {int(row[0]): row[1:] for row in table(QUESTIONS, "Is it good to take blank tiles?")}
    for marks in rows.keys() & totals.keys():
        assert rows[marks] == blanks_row(totals[marks])
    said = found(
        r"two to eight marks.* in (\d+) to (\d+)% of the positions if the number of marks is even, "
        r"and in (\d+) to (\d+)% if it is odd\. Up to (\w+) marks, taking an own mark never is",
        QUESTIONS,
    )
    shares = {
        marks: round(100 * its["only_blanks"] / its["with_choice"])
        for marks, its in totals.items()
        if marks > 1
    }
    for parity, least, most in ((0, said[1], said[2]), (1, said[3], said[4])):
        those = [share for marks, share in shares.items() if marks % 2 == parity]
        assert (min(those), max(those)) == (int(least), int(most))
    assert said[5] == "six"
    assert [marks for marks, its in totals.items() if its["only_own"]] == [7, 8]


def half_width(chosen: Callable[[int, int], bool], share: float) -> float:
    """Of a share in 2,000 positions of each class, weighted by the draws: in points, at 95%.

    At most, that is, as if the moves of a position were all alike.
    """
    those = [its for (x, o), its in SURVEY.items() if its["drawn"] and chosen(x, o)]
    drawn = sum(its["drawn"] for its in those)
    squares = sum(
        (its["drawn"] / drawn) ** 2 / (min(2000, its["states"]) * its["drawn"] / its["states"])
        for its in those
    )
    return 196 * sqrt(squares * share * (1 - share))


def test_rules_of_thumb_are_as_sure_as_is_said() -> None:
    said = found(
        r"shares of up to (\d)% are within ([\d.]+) points of the truth, the others within ([\d.]+):",
        QUESTIONS,
    )
    few, close, far = float(said[1]), float(said[2]), float(said[3])
    groups: list[Callable[[int, int], bool]] = [
        lambda x, o: True,
        lambda x, o: x == o,
        lambda x, o: o - x == 1,
        lambda x, o: o - x == 2,
        *(
            lambda x, o, marks=marks: o - x in (0, 1) and x + o in marks
            for marks in (range(11), range(11, 15), range(15, 19), range(19, 26))
        ),
    ]
    rows = table(QUESTIONS, "Rules of thumb for a draw on 5×5")
    for chosen, row in zip(groups, rows, strict=True):
        for cell in re.findall(r"[\d.]+(?=%)", " ".join(row[1:])):
            share = float(cell)
            assert half_width(chosen, share / 100) <= (close if share <= few else far)
            assert ("." in cell) == (share <= few)


# --- Games that were played ---


def test_scores_of_ultimate_have_their_intervals() -> None:
    rows = re.findall(
        r"^\|[^|\n]+\|(?:[^|\n]+\|)? (\d+) \| (\d+) \| (\d+) \| ([\d.]+) \| ([\d.]+ to [\d.]+) \|$",
        text("docs/results/ultimate.md"),
        re.MULTILINE,
    )
    assert len(rows) == 13
    for *games_played, score, interval in rows:
        share, played = points(*games_played)
        low, high = wilson(share, played)
        assert (score, interval) == (f"{share:.2f}", f"{low:.2f} to {high:.2f}")
    found(rf"search scores {score} \({interval}\) against OpenSpiel's", "docs/results/claims.md")


def test_levels_have_their_intervals() -> None:
    for row in table("docs/explorer.md", "Levels"):
        for cells in (row[2:4], row[4:6]):
            share, played = points(*cells[0].split(", "))
            assert cells[1] == f"{share:.0%} ({percents(share, played)})"


def test_searches_have_their_intervals() -> None:
    said = found(
        r"of (\d+) positions each .* about (\d+) of the random positions and (\d+) of the others",
        "docs/results/quixo.md",
    )
    every, *decided = map(int, said.groups())
    rows = re.findall(
        r"^\| (?:random|from games played at random) \|(.*%\).*)\|$",
        text("docs/results/quixo.md"),
        re.MULTILINE,
    )
    assert len(rows) == 2
    for row, those in zip(rows, decided, strict=True):
        for cell, among in zip(row.split("|"), (every, every, those, those), strict=True):
            share = re.match(r" (\d+)% ", cell)
            assert share is not None
            near = [
                percents(hits / among, among)
                for hits in range(among + 1)
                if f"{hits / among:.0%}" == f"{share[1]}%"
            ]
            assert re.search(r"\((.*)\)", cell)[1] in near  # type: ignore[index]


@each_document
def test_games_that_are_counted_have_their_intervals(path: Path) -> None:
    said = re.sub(r"\s+", " ", path.read_text(encoding="utf-8"))
    for won, played, interval in re.findall(r"\b(\d+) of (\d+) \((\d+ to \d+%)\)", said):
        assert interval == percents(int(won) / int(played), int(played))
    # "97 of 100 games" says nothing of how sure that is.
    assert re.findall(r"\b\d+ of (?:the )?\d+ games", said) == []
    assert re.findall(r"\bheld \d+\b(?! of| for|,)", said) == []


def test_games_against_openspiel_are_as_many_as_the_test_plays() -> None:
    played = number(r"GAMES = (\d+)", "tests/ultimate/test_openspiel.py")
    assert number(r"test_openspiel\.py` \| ([\d,]+) games", "docs/results/claims.md") == played
    assert number(r"test_openspiel\.py` plays ([\d,]+) random games", "docs/results/ultimate.md") == played


# --- How to begin ---


def test_all_documents_install_from_a_checkout() -> None:
    """No index has inarow. Once it is installed, `pip install 'inarow[EXTRA]'` adds what an extra needs."""
    for path in [*DOCUMENTS, *(ROOT / "docs").rglob("*.ipynb"), *(ROOT / "benchmarks").glob("*.py")]:
        assert re.findall(r"pip install '?inarow(?!\[)", path.read_text(encoding="utf-8")) == [], path
    for name in ("README.md", "docs/index.md", "docs/quixo.ipynb"):
        found(r"pip install \.", name)
    assert "pypi.org/project/inarow" not in text("pyproject.toml")
