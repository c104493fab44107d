"""The drawings of positional games: well-formed, complete, and true to the position."""

import re
from xml.etree import ElementTree

import pytest
from drawings import SVG, of_class, parse

from inarow.positional.drawing import draw
from inarow.positional.rules import Game, Position


def marks(root: ElementTree.Element) -> str:
    """The text of the position that is drawn."""
    text = ""
    for cell in of_class(root, "cell"):
        found = of_class(cell, "mark")
        text += found[0].get("href", "").removeprefix("#positional-") if found else "."
    return text


def place(cell: ElementTree.Element) -> tuple[int, int]:
    match = re.fullmatch(r"translate\((\d+) (\d+)\)", cell.get("transform", ""))
    assert match is not None
    return int(match[1]), int(match[2])


def qubic() -> Position:
    return Game.named("qubic").start().play(0).play(21).play(63)


def test_cells_stand_in_their_layers() -> None:
    root = parse(qubic().svg())
    assert marks(root) == qubic().text
    places = [place(cell) for cell in of_class(root, "cell")]
    assert len(set(places)) == 64
    # Cells of one row of all layers are at one height, and layers go from left to right.
    assert {y for _, y in places[0:4] + places[16:20] + places[48:52]} == {places[0][1]}
    assert places[0:64:16] == sorted(places[0:64:16])
    assert [label.text for label in of_class(root, "layer")] == ["layer 1", "layer 2", "layer 3", "layer 4"]
    assert not of_class(parse(Game.named("mnk:3x3x3").start().svg()), "layer")


def test_a_move_is_pointed_out() -> None:
    assert not of_class(parse(qubic().svg()), "move")
    played = parse(qubic().svg(move=63))
    assert marks(played) == qubic().text
    (tile,) = of_class(of_class(played, "cell")[63], "move")
    assert tile.get("stroke-dasharray") is None
    answer = parse(qubic().svg(move=5))
    assert marks(answer)[5] == "o"
    (tile,) = of_class(of_class(answer, "cell")[5], "move")
    assert tile.get("stroke-dasharray")
    with pytest.raises(ValueError, match="cell 64"):
        qubic().svg(move=64)


def test_title_and_description() -> None:
    root = parse(draw(Game("<b> & co", 4, [3], shape=(1, 2, 2)).start().play(1), move=2))
    assert root.findtext(f"{SVG}title") == "<b> & co, O to move"
    assert root.findtext(f"{SVG}desc") == "Rows from the top: .x/... O at cell 2."
    assert parse(qubic().svg()).findtext(f"{SVG}desc") == (
        "Layers: x.../..../..../...., ..../.o../..../...., ..../..../..../...., ..../..../..../...x."
    )


def test_a_finished_line_is_framed_and_nobody_is_to_move() -> None:
    game = Game.named("mnk:3x3x3")
    root = parse(game.parse("xxxoo....").svg())
    assert [len(of_class(cell, "won")) for cell in of_class(root, "cell")] == [1, 1, 1, 0, 0, 0, 0, 0, 0]
    assert not of_class(root, "turn")
    assert len(of_class(parse(game.parse("ooox.x.x.").svg()), "won")) == 3
    assert of_class(parse(game.start().svg()), "turn")
    blocked = Game.named("polyomino:tic:3").parse("xo.oxx..o")
    assert not of_class(parse(blocked.svg()), "won"), "O has won without a line"


def test_numbers_size_and_caption() -> None:
    root = parse(Game.named("mnk:2x2x2").parse("x.o.").svg(move=3, numbers=True))
    assert [label.text for label in of_class(root, "number")] == ["1"]
    for game in ("qubic", "mnk:3x3x3"):
        root = parse(draw(Game.named(game).start(), size_px=500, caption="<script> & 'so' on"))
        (caption,) = of_class(root, "caption")
        assert (root.get("width"), caption.text) == ("500", "<script> & 'so' on")
        _, _, _, height = map(int, root.get("viewBox", "").split())
        assert int(caption.get("y", "")) < height
    for name, width in (("mnk:2x1x2", "240"), ("mnk:128x1x5", "960")):
        assert parse(Game.named(name).start().svg()).get("width") == width
    assert qubic()._repr_svg_() == draw(qubic()), "notebooks show the drawing"
