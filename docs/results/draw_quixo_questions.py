"""Draw the boards of quixo-questions.md into a folder: `python draw_quixo_questions.py FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from inarow.quixo.drawing import draw
from inarow.quixo.rules import Position

POSITIONS = {
    "decided": "...../...../...o./...o./.oxxx x",
    "balanced-1": "o..../o..../o...x/o.x.x/....x x",
    "balanced-2": "o..../o..../o...x/o.x.x/...x. x",
    "balanced-3": "oooo./...../.x.x./...x./...x. x",
    "returning": "o.../..../o.xx/oxox x",
    "passing-1": ".oxo/o.xx/xx.o/oxo. x",
    "passing-2": ".ox./oxox/xoxo/.xo. x",
    "passing-3": "oxox/xo.o/oxxo/xoox x",
    "loop-2": ".ooo/...x/oxxo/xoxx x",
    "loop-4": ".oo./ooox/x.xo/xoxx x",
}


def main(folder: Path) -> None:
    for name, text in POSITIONS.items():
        (folder / f"quixo-question-{name}.svg").write_text(draw(Position.parse(text), 220), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
