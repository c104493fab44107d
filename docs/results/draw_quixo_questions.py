"""Draw the boards of quixo-questions.md into a folder: `python draw_quixo_questions.py FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from inarow.quixo.drawing import draw
from inarow.quixo.rules import Position
from inarow.quixo.strategy import read_strategy

POSITIONS = {
    "decided": "...../...../...o./...o./.oxxx x",
    "balanced-1": "o..../o..../o...x/o.x.x/....x x",
    "balanced-2": "o..../o..../o...x/o.x.x/...x. x",
    "balanced-3": "oooo./...../.x.x./...x./...x. x",
    "returning": "o.../..../o.xx/oxox x",
    "passing-1": ".oxo/o.xx/xx.o/oxo. x",
    "passing-2": ".ox./oxox/xoxo/.xo. x",
    "passing-3": "oxox/xo.o/oxxo/xoox x",
    "passing-4": ".ooxo/ox..x/o.o.o/x...x/oxox. x",
    "passing-5": ".ooxo/x..xx/o.o.o/x...o/oxox. x",
    "returning-5x5": "...../o..o./o..../o..xx/oxoxx x",
    "only-5x5": "..oo./ooxxx/xxox./.xooo/oxo.x x",
    "loop-5x5": ".o.oo/..ooo/..o.o/..xxx/xoxxx x",
    "loop-2": ".ooo/...x/oxxo/xoxx x",
    "loop-4": ".oo./ooox/x.xo/xoxx x",
}


STRATEGY = Path(__file__).parent / "quixo-4x4-perfect.json"


def main(folder: Path) -> None:
    strategy = read_strategy(STRATEGY)
    for nth, (word, move) in enumerate(strategy.answers.items(), start=1):
        position = strategy.rules.from_word(word).play(move)
        drawing = draw(position, 220)
        (folder / f"quixo-question-strategy-{nth}.svg").write_text(drawing, encoding="utf-8")
    for name, text in POSITIONS.items():
        (folder / f"quixo-question-{name}.svg").write_text(draw(Position.parse(text), 220), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
