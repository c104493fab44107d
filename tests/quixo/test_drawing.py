"""The drawings: well-formed, complete, and true to the position."""

from xml.etree import ElementTree

import pytest
from drawings import SVG, of_class, parse
from quixo.boards import won_game

from inarow.quixo.drawing import animate, draw
from inarow.quixo.rules import Position, Quixo


def tiles(root: ElementTree.Element) -> list[str]:
    return [tile.get("href", "").removeprefix("#quixo-") for tile in of_class(root, "tile")]


@pytest.mark.parametrize(("rows", "columns"), [(2, 2), (5, 5), (4, 5), (2, 12), (12, 2)])
def test_tiles_and_labels_are_inside_and_in_line(rows: int, columns: int) -> None:
    root = parse(draw(Quixo(rows, columns).start(), size_px=300, caption="Under the board"))
    assert max(int(root.get("width", "")), int(root.get("height", ""))) in range(300, 350)
    assert tiles(root) == ["blank"] * rows * columns
    *_, width, height = map(int, root.get("viewBox", "").split())
    places = [(int(tile.get("x", "")), int(tile.get("y", ""))) for tile in of_class(root, "tile")]
    across, down = (sorted(set(along)) for along in zip(*places, strict=True))
    assert (len(across), len(down)) == (columns, rows)
    texts = {text.text: (int(text.get("x", "")), int(text.get("y", ""))) for text in root.iter(f"{SVG}text")}
    assert [texts[letter][0] for letter in "abcdefghijklm"[:columns]] == across
    assert [texts[str(row)][1] - 9 for row in range(rows, 0, -1)] == down
    assert all(0 < x < width and 0 < y < height for x, y in [*places, *texts.values()])
    assert texts["Under the board"][1] > max(y for _, y in places)


@pytest.mark.parametrize(
    ("text", "kinds"), [("xo./..x/.oo x", "xo...x.oo"), (".xo./...x o", ".xo....x"), ("x./../.o x", "x....o")]
)
def test_tiles_stand_as_in_the_text(text: str, kinds: str) -> None:
    root = parse(Position.parse(text).svg())
    assert tiles(root) == [{".": "blank"}.get(kind, kind) for kind in kinds]
    places = [(int(tile.get("y", "")), int(tile.get("x", ""))) for tile in of_class(root, "tile")]
    assert places == sorted(places)


def test_title_and_description() -> None:
    root = parse(Quixo(5, line=4).start().play("e4a4").svg())
    assert root.findtext(f"{SVG}title") == "Quixo 5×5, 4 in a row, O to move"
    assert root.findtext(f"{SVG}desc") == "Rows from the top: ...../x..../...../...../...... Last move e4a4."


@pytest.mark.parametrize(
    ("shape", "move", "angle"),
    [
        ((5, 5), "e4a4", 0),
        ((5, 5), "a4e4", 180),
        ((5, 5), "b1b5", 90),
        ((5, 5), "b5b1", 270),
        ((2, 12), "l1a1", 0),
        ((2, 12), "a2l2", 180),
        ((2, 12), "c1c2", 90),
        ((2, 12), "c2c1", 270),
    ],
)
def test_last_move_is_shown(shape: tuple[int, int], move: str, angle: int) -> None:
    start = Quixo(*shape).start()
    assert not of_class(parse(start.svg()), "arrow")
    root = parse(start.play(move).svg())
    (arrow,) = of_class(root, "arrow")
    assert f"rotate({angle})" in arrow.get("transform", "")
    (taken,) = of_class(root, "taken")
    column, row = (int(taken.get(along, "")) // 100 for along in "xy")
    assert ("abcdefghijklm"[column], str(shape[0] - row)) == (move[0], move[1])


def test_winning_line_is_framed_and_nobody_is_to_move() -> None:
    root = parse(won_game()[-1].svg())
    assert len(of_class(root, "won")) == 3
    assert won_game()[-1]._repr_svg_() == won_game()[-1].svg() == draw(won_game()[-1])
    assert not of_class(root, "turn")
    assert not of_class(parse(won_game()[0].svg()), "won")
    assert of_class(parse(won_game()[0].svg()), "turn")


def test_size_and_caption() -> None:
    plain = parse(draw(Quixo().start(), size_px=200))
    assert (plain.get("width"), plain.get("height")) == ("200", "200")
    root = parse(draw(Quixo().start(), size_px=200, caption="<script> & 'so' on"))
    assert int(root.get("height", "")) > 200
    (caption,) = of_class(root, "caption")
    assert caption.text == "<script> & 'so' on"


def test_animation_has_every_frame() -> None:
    positions = won_game()
    root = parse(animate(positions))
    shown = tiles(root)
    assert len(shown) == 9 * len(positions)
    assert shown[:9] == ["blank"] * 9
    assert [caption.text for caption in of_class(root, "caption")] == [
        "X to move",
        "1. X a1a3",
        "2. O c1c3",
        "3. X b1a1",
        "4. O c2c3",
        "5. X a2a1 – X has won",
    ]
    assert root.findtext(f"{SVG}title") == "Quixo 3×3 game, 5 moves, X has won"
    assert root.findtext(f"{SVG}desc") == "Moves: a1a3 c1c3 b1a1 c2c3 a2a1"


def test_animation_timing_is_valid() -> None:
    root = parse(animate(won_game(), seconds_per_move=2))
    slides = list(root.iter(f"{SVG}animateTransform"))
    assert len(slides) == 5
    for slide in slides:
        assert slide.get("dur") == "16s"
        assert len(slide.get("keySplines", "").split(";")) == 3
        assert slide.get("keyTimes", "").endswith(";1")
    for element in [*slides, *root.iter(f"{SVG}animate")]:
        times = [float(time) for time in element.get("keyTimes", "").split(";")]
        assert times[0] == 0
        assert times == sorted(set(times))
        assert times[-1] <= 1
        assert len(element.get("values", "").split(";")) == len(times)


def test_one_frame_is_seen_at_any_time() -> None:
    positions = won_game()
    root = parse(animate(positions))
    frames = [
        group for group in root.iter(f"{SVG}g") if group.find(f"{SVG}text[@class='caption']") is not None
    ]
    assert len(frames) == len(positions)
    assert [frame.get("visibility") for frame in frames] == ["hidden"] * 5 + ["visible"]
    for moment in (0.0, 0.01, 0.3, 0.5, 0.7, 0.99):
        seen = 0
        for frame in frames:
            animation = frame.find(f"{SVG}animate")
            assert animation is not None
            times = [float(time) for time in animation.get("keyTimes", "").split(";")]
            values = animation.get("values", "").split(";")
            seen += [v for t, v in zip(times, values, strict=True) if t <= moment][-1] == "visible"
        assert seen == 1


def test_animation_of_a_single_position_stands_still() -> None:
    svg = animate([Quixo().start()])
    assert len(tiles(parse(svg))) == 25
    assert "<animate" not in svg


@pytest.mark.parametrize(
    ("positions", "seconds", "message"),
    [
        ([], 1.0, "at least one"),
        ([Quixo(3).start(), Quixo(4).start()], 1.0, "of one size"),
        ([Quixo(3).start(), Quixo(4, 3).start()], 1.0, "of one size"),
        (won_game(), 0, "seconds_per_move 0: must be more than 0"),
    ],
)
def test_what_cannot_be_shown(positions: list[Position], seconds: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        animate(positions, seconds_per_move=seconds)
