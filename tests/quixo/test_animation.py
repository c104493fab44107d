"""The moving pictures: whole, timed, and true to the position."""

from __future__ import annotations

import io

import pytest
from quixo.boards import won_game

from inarow.quixo.rules import Quixo

Image = pytest.importorskip("PIL.Image")

from inarow.quixo.animation import animate  # noqa: E402


def test_every_move_slides_and_rests() -> None:
    with Image.open(io.BytesIO(animate(won_game(), seconds_per_move=1, size_px=120))) as gif:
        assert gif.format == "GIF"
        assert gif.width == 120
        assert gif.info["loop"] == 0
        assert gif.n_frames == 1 + 5 * (5 + 1)
        times = []
        for frame in range(gif.n_frames):
            gif.seek(frame)
            times.append(gif.info["duration"])
    # Six positions: the end is shown for three moves, and all but the start slide into place.
    assert sum(times) == 1000 + 4 * 1000 + 400 + 3000
    assert times[-1] == 3000


@pytest.mark.parametrize(("rows", "columns"), [(2, 2), (5, 5), (3, 5), (5, 3)])
def test_marks_have_their_colours(rows: int, columns: int) -> None:
    tiles = ["." * columns] * rows
    tiles[0] = "x" + "o" + "." * (columns - 2)
    position = Quixo(rows, columns).parse("/".join(tiles) + " x")
    with Image.open(io.BytesIO(animate([position], size_px=300))) as gif:
        picture = gif.convert("RGB")
    unit = 300 / (2 * 66 + 100 * max(rows, columns))  # pixels of a unit of the drawing
    assert picture.width == round(unit * (2 * 66 + 100 * columns))

    def colour(x: float, y: float) -> tuple[int, int, int]:
        pixel: tuple[int, int, int] = picture.getpixel((round(x * unit), round(y * unit)))
        return pixel

    red, _, blue = colour(66 + 50, 66 + 50)
    assert blue > red + 40, "the middle of the X is blue"
    red, _, blue = colour(66 + 150 + 25, 66 + 50)
    assert red > blue + 40, "the ring of the O is red"
    assert min(colour(66 + 50, 66 + 150)) > 150, "an empty tile is light"


def test_the_same_game_gives_the_same_bytes() -> None:
    assert animate(won_game(), size_px=80) == animate(won_game(), size_px=80)
