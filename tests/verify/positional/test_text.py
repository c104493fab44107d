"""The checker's own reader of dictionaries against the library's."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from golden.dictionaries import THREE_OF_FOUR
from hypothesis import given
from hypothesis import strategies as st

from inarow.positional.dictionary.shipped import shipped_dictionary
from inarow.positional.dictionary.text import Dictionary, Line
from inarow.positional.rules import Game
from inarow.verify.positional.text import Answers, UnreadableDictionary, answers_of, read_answers


def same(read: Answers, dictionary: Dictionary) -> bool:
    expected = answers_of(dictionary.cells, dictionary.entries())
    numbers = [line.number for line in dictionary.lines for _ in line.entries()]
    return (
        np.array_equal(read.positions, expected.positions)
        and np.array_equal(read.moves, expected.moves)
        and read.lines.tolist() == numbers
    )


@st.composite
def dictionaries(draw: st.DrawFn) -> Dictionary:
    cells = draw(st.sampled_from([1, 2, 5, 12, 64, 65, 128]))
    lines = []
    for _ in range(draw(st.integers(1, 6))):
        marks = draw(st.text("....xoO", min_size=cells, max_size=cells))
        move = draw(st.integers(0, cells - 1))
        x, o, options = (
            sum(1 << cell for cell, found in enumerate(marks) if found == mark and cell != move)
            for mark in "xoO"
        )
        lines.append(Line(x, o, options, move))
    return Dictionary(cells, tuple(lines), draw(st.sampled_from(["", "By me.", "By me.\n\n1976 77"])))


@given(dictionaries())
def test_both_read_what_the_library_writes(dictionary: Dictionary) -> None:
    for format in ("blog", "patashnik"):
        text = dictionary.text(format)
        again = Dictionary.parse(text, dictionary.cells, balanced=False)
        assert (again.text(format), again.entries()) == (text, dictionary.entries())
        assert same(read_answers(text, dictionary.cells), again)


@pytest.mark.parametrize(
    "text",
    [
        THREE_OF_FOUR,
        f"\ufeff# a comment\r\n\r\n{THREE_OF_FOUR}# and another",
        "prose\n 0  1\n---\n 5\no4x 6\n\n1o3x 6 \n",
        "By me.\n\n 5\n",
    ],
)
def test_it_reads_as_the_library_does(text: str) -> None:
    assert same(read_answers(text, 16), Dictionary.parse(text, 16))


def test_published_and_shipped_ones(outside_data: Callable[[str], Path]) -> None:
    assert len(read_answers(shipped_dictionary(Game.named("qubic")).text(), 64).moves) == 1821
    whole, compressed = map(outside_data, ("patashnik-qubic.txt", "patashnik-qubic-951.txt"))
    for path in (whole, compressed):
        assert same(read_answers(path.read_text(), 64), Dictionary.read(path))
    dictionary = Dictionary.read(whole)
    assert len(set(dictionary.entries())) == len(dictionary.lines) == 2929
    assert set(Dictionary.read(compressed).entries()) == set(dictionary.entries())
    assert dictionary.text() == whole.read_text()
    assert Dictionary.parse(dictionary.text("blog")).text("patashnik") == whole.read_text()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("# nothing\n", 2),
        ("....X....", 1),
        (f"{THREE_OF_FOUR}.....X...x.....?", 13),
        (f"{THREE_OF_FOUR}.....X...X......", 13),
        (f"{THREE_OF_FOUR}................", 13),
        (f"{THREE_OF_FOUR} .....X..........", 13),
        ("By me.\n\n 5\no4x 16\n", 4),
        (" 5\no4x\n", 2),
        (" 5\nx99999999999999999999o 3\n", 2),
        (" 5\nx14o 3\nx15o 3\n", 3),
        ("---\n", 2),
        ("x2p 1\nx2o 1\n", 1),
    ],
)
def test_what_is_not_a_dictionary(text: str, line: int) -> None:
    with pytest.raises(UnreadableDictionary, match=f"line {line}: ") as caught:
        read_answers(text, 16)
    assert caught.value.line == line
    assert caught.value.exit_code == 4
