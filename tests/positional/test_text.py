"""Both notations: what they mean, what is refused and where, and that nothing is lost between them."""

from pathlib import Path

import pytest
from golden.dictionaries import THREE_OF_FOUR

from inarow.positional.dictionary.text import Dictionary, DictionaryError, Entry, Line

PROSE = """\
This dictionary is by somebody who wants credit.

 0  1  2     9 10 11
An example:
\txo1x8x8o41o 41
1976 77
And now, the dictionary.
---------
"""


def fails(text: str, cells: int | None = None) -> tuple[int, int, str]:
    with pytest.raises(DictionaryError) as caught:
        Dictionary.parse(text, cells)
    error = caught.value
    assert str(error).startswith(f"line {error.line}, column {error.column}: ")
    return error.line, error.column, error.reason


def test_the_example_of_the_blog_expands() -> None:
    dictionary = Dictionary.parse(THREE_OF_FOUR)
    assert (dictionary.cells, dictionary.format, len(dictionary.lines)) == (16, "blog", 12)
    assert [len(list(line.entries())) for line in dictionary.lines] == [1, 9, 12, 11, 10, 9, 8, 7, 6, 5, 4, 9]
    entries = dictionary.entries()
    assert len(set(entries)) == len(entries) == 91
    assert Entry(1 << 5, 1 << 10, 6) in entries
    assert Entry(1 << 5, 1 << 2, 6) not in entries
    assert dictionary.text() == THREE_OF_FOUR
    expanded = dictionary.expanded()
    assert expanded.entries() == entries
    assert len(expanded.lines) == len(entries)
    assert expanded.lines[-1].number == 12


def test_a_line_of_either_notation() -> None:
    (line,) = Dictionary.parse("OO..xX").lines
    assert line == Line(x=0b010000, o=0, options=0b000011, move=5, number=1)
    assert list(line.entries()) == [Entry(0b010000, 0b000001, 5), Entry(0b010000, 0b000010, 5)]
    dictionary = Dictionary.parse("xo1x8x8o41o 41\n 0\n")
    assert (dictionary.cells, dictionary.format) == (64, "patashnik")
    assert dictionary.entries() == [
        Entry(1 << 0 | 1 << 3 | 1 << 12, 1 << 1 | 1 << 21 | 1 << 63, 41),
        Entry(0, 0, 0),
    ]
    assert dictionary.text() == "xo1x8x8o41o 41\n 0\n"


def test_what_does_not_matter() -> None:
    text = "# By me.\n#\n#  indented\n\n....X....\n# between\n\nOO..x..X.\n"
    dictionary = Dictionary.parse(text)
    assert Dictionary.parse("\ufeff" + text.replace("\n", "  \r\n")).entries() == dictionary.entries()
    assert dictionary.entries() == [Entry(0, 0, 4), Entry(16, 1, 7), Entry(16, 2, 7)]
    assert [line.number for line in dictionary.lines] == [5, 8]
    assert dictionary.header == "By me.\n\n indented"
    assert dictionary.text() == "# By me.\n#\n#  indented\n....X....\nOO..x..X.\n"
    for same in ("x2o 1 \r\n\r\n", "x2o60 1"):
        assert Dictionary.parse(same).entries() == Dictionary.parse("x2o 1").entries()


def test_the_header_of_patashnik_goes_along() -> None:
    text = PROSE + " 0\nx14o 12\n"
    dictionary = Dictionary.parse(text)
    assert [line.number for line in dictionary.lines] == [9, 10]
    assert dictionary.text() == text
    as_blog = dictionary.text("blog")
    assert as_blog.startswith("# This dictionary is by somebody who wants credit.\n#\n")
    again = Dictionary.parse(as_blog)
    assert again.format == "blog"
    assert again.text("patashnik") == text
    # Where there is no rule, a blank line ends the prose.
    dictionary = Dictionary.parse("By me.\n\n 0\nx2o 1\n")
    assert (dictionary.header, len(dictionary.lines)) == ("By me.\n", 2)


@pytest.mark.parametrize("header", ["By me.", "By me.\n", "Title\n-----\nBy me.", "Such as\nx2o 1"])
def test_any_header_can_be_written_in_either_notation(header: str) -> None:
    dictionary = Dictionary(64, (Line(0, 0, 0, 5), Line(1, 2, 0, 5)), header)
    for format in ("patashnik", "blog"):
        again = Dictionary.parse(dictionary.text(format))
        assert again.entries() == dictionary.entries()
        assert again.header.replace("\t", "").startswith(header)
        assert again.format == format


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", (1, 1, "the file is empty")),
        (" \n\n", (1, 1, "the file is empty")),
        ("# only\n# comments\n", (1, 1, "there are no positions, only comments")),
        ("....X....\nOO..x..X", (2, 9, "8 cells, but line 1 has 9")),
        ("....X....\n\nOO..x..X..", (3, 10, "10 cells, but line 1 has 9")),
        ("....X...X", (1, 9, "a second capital X; a line has one answer")),
        ("....X....\nOO..x....", (2, 10, "no capital X: the answer is missing")),
        ("....X....\nOO.-x..X.", (2, 4, "'-' is none of . x o X O")),
        ("....X....\n  OO..x..X.", (2, 1, "' ' is none of . x o X O")),
        ("hello", (1, 1, "'h' is none of . x o X O")),
        ("oxOX", (1, 1, "1 x against 2 o, but X is to move: there must be as many of each")),
        (f"....X....\n{'.' * 5_000_000}\n", (2, 129, "5,000,000 cells: a board has at most 128")),
        (PROSE, (9, 1, "there are no positions below the header")),
        ("x2p 1\nx2o 1\n", (1, 3, "'p' is none of x, o and a number")),  # not taken for prose
    ],
    ids=range(14),
)
def test_what_is_refused(text: str, place: tuple[int, int, str]) -> None:
    assert fails(text) == place


@pytest.mark.parametrize(
    ("row", "place"),
    [
        ("x2o 0", (5, "cell 0 is taken")),
        ("x2o 3", (5, "cell 3 is taken")),
        ("x2o 64", (5, "cell 64: the board has 0 to 63")),
        ("x2o " + "9" * 5000, (5, "cell 99999999999999999999: the board has 0 to 63")),
        ("x2o", (4, "no answer: a space and the number of a cell")),
        ("x2o ", (4, "no answer: a space and the number of a cell")),
        ("x2o 1a", (6, "'a' in the answer, which is the number of a cell")),
        ("x2o  1", (5, "' ' in the answer, which is the number of a cell")),
        ("x2o -1", (5, "'-' in the answer, which is the number of a cell")),
        ("x2x 1", (1, "2 x against 0 o, but X is to move: there must be as many of each")),
        ("x62oo 1", (5, "past the end of a board of 64 cells")),
        ("x99o 1", (2, "past the end of a board of 64 cells")),
        ("x" + "9" * 5000 + "o 1", (2, "past the end of a board of 64 cells")),
        ("x0o 1", (2, "a run of no cells")),
        ("x2O 1", (3, "'O' is none of x, o and a number")),
        ("x2٣o 1", (3, "'٣' is none of x, o and a number")),
        ("\tx2o 1", (1, r"'\t' is none of x, o and a number")),
    ],
)
def test_what_patashniks_notation_refuses(row: str, place: tuple[int, str]) -> None:
    assert fails(f"{PROSE} 0\n{row}\nx14o 12\n") == (10, *place)
    assert fails(f"{PROSE}{row}\nx14o 12\n") == (9, *place)  # even where prose could end below it
    assert fails(f"{PROSE}{row}\n") == (9, *place)


def test_the_board_of_the_game_is_the_one_that_counts() -> None:
    assert fails("....X....", cells=16) == (1, 10, "9 cells, but the board has 16")
    assert fails("x2x14o 3\n", cells=16) == (1, 4, "past the end of a board of 16 cells")
    assert fails("x2o 16", cells=16) == (1, 5, "cell 16: the board has 0 to 15")
    assert Dictionary.parse("x2o 1", cells=16).cells == 16
    # What comes from no game can still be read.
    assert Dictionary.parse("Xx..oo", balanced=False).entries() == [Entry(0b10, 0b110000, 0)]
    assert Dictionary.parse("x2x 1", balanced=False).entries() == [Entry(0b1001, 0, 1)]


def test_files(tmp_path: Path) -> None:
    dictionary = Dictionary.parse(THREE_OF_FOUR)
    path = tmp_path / "three.txt"
    dictionary.write(path)
    assert Dictionary.read(path) == dictionary
    dictionary.write(path, "patashnik")
    assert Dictionary.read(path, cells=16).entries() == dictionary.entries()
    assert [file.name for file in tmp_path.iterdir()] == ["three.txt"]
    for data, place in [(b"....X....\n\0\1", (2, 1)), (b"..X\n.\xff.", (2, 2)), (b"\x89PNG\r\n", (1, 1))]:
        path.write_bytes(data)
        with pytest.raises(DictionaryError, match="not text, but a binary file") as caught:
            Dictionary.read(path)
        assert (caught.value.line, caught.value.column, caught.value.exit_code) == (*place, 4)
        assert str(caught.value).startswith(f"{path}, line ")
