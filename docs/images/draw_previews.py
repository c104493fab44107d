"""Draws the pictures that link previews show, with Chromium: src/inarow/web/static/preview*.png.

python docs/images/draw_previews.py
"""

from io import BytesIO
from pathlib import Path
from shutil import which

from PIL import Image
from playwright.sync_api import sync_playwright

from inarow.positional.rules import Game
from inarow.quixo.results import longest_win
from inarow.ultimate.rules import Ultimate

OUT = Path(__file__).parents[2] / "src" / "inarow" / "web" / "static"
QUIXO = longest_win()[-4].svg(430)
QUBIC = Game.named("qubic").start()
for cell in (0, 21, 3, 25, 15, 42, 12, 37, 48):
    QUBIC = QUBIC.play(cell)
ULTIMATE = Ultimate().parse("44 40 04 43 34 45 54 48 84 46 64 41 14 47 74").svg(430)
PICTURES = {
    "preview": ("inarow", "Perfect play in in-a-row games: explore, play, and check the proofs.", QUIXO),
    "preview-quixo": ("Quixo", "Play against inarow, and see the value of every move.", QUIXO),
    "preview-qubic": ("Qubic", "The proof that the first player wins, move by move.", QUBIC.svg()),
    "preview-ultimate": ("Ultimate", "A strategy that always wins, explained.", ULTIMATE),
    "preview-results": ("Results", "What solving these games has shown, in tables and plots.", QUIXO),
}
PAGE = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; width: 1200px; height: 630px; display: flex; align-items: center; background: #f5efe9;
  color: #2c2520; font-family: "DejaVu Serif", serif; gap: 60px; padding: 0 70px; box-sizing: border-box }}
h1 {{ font-size: 84px; margin: 0 0 24px }} p {{ font: 34px/1.4 "DejaVu Sans", sans-serif; margin: 0 }}
.board {{ flex: 0 0 520px; background: #fffdf8; border-radius: 24px; padding: 24px; box-sizing: border-box }}
.board svg {{ width: 100%; height: auto; display: block }}
</style><div class="board">{board}</div><div><h1>{title}</h1><p>{about}</p></div>"""

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=which("chromium"), args=["--no-sandbox"])
    page = browser.new_page(viewport={"width": 1200, "height": 630})
    for name, (title, about, board) in PICTURES.items():
        page.set_content(PAGE.format(title=title, about=about, board=board))
        picture = Image.open(BytesIO(page.screenshot()))
        # Few colours, as in the drawings: a third of the size.
        picture.convert("RGB").quantize(64, dither=Image.Dither.NONE).save(OUT / f"{name}.png", optimize=True)
    browser.close()
