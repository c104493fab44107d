// The board of Quixo: tiles that can be taken by click, key or drag, and the places where they can be pushed in.

import { mayMove, set, svg } from "./dom.js";
import { cellAt, cells, direction, ends, letter, parse, place, slid } from "./quixo-position.js";
import { face, wood } from "./tile.js";
import { badge, score, words } from "./values.js";
import { t } from "./texts.js";

/** @typedef {import("./contract.js").QuixoMove} MoveRecord */
/**
 * What the board shows.
 * @typedef {object} View
 * @property {string} position
 * @property {MoveRecord[]} moves those that may be made on this board now
 * @property {boolean} hints
 * @property {boolean} editing
 * @property {string | null} last the move that led here
 * @property {string[]} won the cells of the winner's lines
 * @property {import("./contract.js").QuixoThreats} [threats] drawn across the tiles
 */
/**
 * @typedef {object} Listener
 * @property {(move: MoveRecord) => void} play
 * @property {(cell: string) => void} edit
 */

const PITCH = 100;
const MARGIN = 52; // room for the places where a tile is pushed in, and no more
const NAMES = { x: "X", o: "O", ".": t("quixo.blank") };
/** @type {(at: number, count: number) => number} */
const clamp = (at, count) => Math.max(0, Math.min(count - 1, at));
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Board {
  /**
   * @param {HTMLElement} parent
   * @param {Listener} listener
   */
  constructor(parent, listener) {
    this.parent = parent;
    this.listener = listener;
    /** @type {Map<string, SVGGElement>} */
    this.tiles = new Map();
    /** @type {import("./quixo-position.js").Shape} */
    this.shape = { rows: 0, columns: 0 };
    /** @type {string | null} */
    this.selected = null;
    this.focus = "a1";
    /** @type {View} */
    this.view = { position: "", moves: [], hints: true, editing: false, last: null, won: [] };
    this.dragging = false; // a tile is held
    this.dragged = false; // it has left its place
  }

  /** @param {import("./quixo-position.js").Shape} shape */
  #build({ rows, columns }) {
    this.shape = { rows, columns };
    this.focus = "a1";
    this.selected = null;
    const width = 2 * MARGIN + columns * PITCH;
    const height = 2 * MARGIN + rows * PITCH;
    this.under = svg("g");
    this.over = svg("g", { "aria-hidden": "true" });
    this.flying = svg("g", { "aria-hidden": "true" });
    this.insertions = svg("g", { class: "insertions" });
    const grid = svg("g", {});
    this.tiles.clear();
    for (const cell of cells(this.shape)) {
      const tile = this.#tile(cell);
      this.tiles.set(cell, tile);
      grid.append(tile);
    }
    const labels = svg("g", { class: "labels", "aria-hidden": "true" });
    const middle = (/** @type {number} */ nth) => MARGIN + nth * PITCH + PITCH / 2;
    for (let column = 0; column < columns; column++) {
      labels.append(svg("text", { x: middle(column), y: height - 18 }, letter(column)));
    }
    for (let row = 0; row < rows; row++) {
      labels.append(svg("text", { x: 24, y: middle(row) + 7 }, String(rows - row)));
    }
    this.root = svg(
      "svg",
      {
        class: `board quixo-board${columns > 5 ? " wide" : ""}`,
        viewBox: `0 0 ${width} ${height}`,
        role: "group",
        "aria-label": t("quixo.board", { rows, columns }),
        onkeydown: (/** @type {KeyboardEvent} */ event) => this.#key(event),
      },
      ...wood(width, height),
      svg("rect", {
        class: "well",
        x: MARGIN - 6,
        y: MARGIN - 6,
        width: columns * PITCH + 12,
        height: rows * PITCH + 12,
        rx: 20,
      }),
      labels,
      this.under,
      grid,
      this.over,
      this.insertions,
      this.flying,
    );
    // A finger on a tile that can be taken drags it, elsewhere it scrolls the page. touch-action cannot say that:
    // browsers ignore it on parts of a drawing.
    this.root.addEventListener("touchmove", (event) => this.dragging && event.preventDefault(), {
      passive: false,
    });
    this.parent.style.setProperty("--board-width", `${columns > 5 ? width : 640}px`);
    this.parent.style.setProperty("--ratio", String(width / height));
    this.parent.replaceChildren(this.root);
  }

  /** @param {string} cell */
  #tile(cell) {
    const { x, y } = this.#centre(cell);
    const tile = svg(
      "g",
      {
        class: "tile",
        role: "button",
        transform: `translate(${x} ${y})`,
        onclick: () => this.#press(cell),
        onpointerdown: (/** @type {PointerEvent} */ event) => this.#drag(cell, event),
        onfocus: () => (this.focus = cell),
      },
      face(),
    );
    tile.dataset.cell = cell;
    return tile;
  }

  /** @param {string} cell */
  #centre(cell) {
    const { column, row } = place(cell, this.shape);
    return { x: MARGIN + column * PITCH + PITCH / 2, y: MARGIN + row * PITCH + PITCH / 2 };
  }

  /**
   * The middle of the place where a tile is pushed in, or with `whole` of the tile when it lies there.
   * @param {string} move
   * @param {boolean} [whole]
   */
  #outside(move, whole = false) {
    const { x, y } = this.#centre(ends(move).pushed);
    const { across, down } = direction(move, this.shape);
    const away = whole ? PITCH : PITCH / 2 + MARGIN / 2;
    return { x: x - across * away, y: y - down * away };
  }

  /**
   * Shows a position; tiles of its last move slide into place if `milliseconds` are given.
   * @param {View} view
   * @param {number} [milliseconds]
   */
  async show(view, milliseconds = 0) {
    const position = parse(view.position);
    if (position.rows !== this.shape.rows || position.columns !== this.shape.columns) this.#build(position);
    const hadFocus = this.root?.contains(document.activeElement);
    this.view = view;
    if (!view.moves.some((move) => ends(move.move).taken === this.selected)) this.selected = null;
    for (const [cell, tile] of this.tiles) set(tile, "data-mark", position.marks[cell]);
    this.#label();
    this.#drawLast();
    this.#drawThreats();
    const moved = milliseconds > 0 && view.last && mayMove() ? this.#slide(view.last, milliseconds) : null;
    if (hadFocus) this.tiles.get(this.focus)?.focus();
    await moved;
  }

  /** Updates what depends on the moves that can be made. */
  #label() {
    const { moves, hints, editing, won, position, last } = this.view;
    const { marks } = parse(position);
    for (const [cell, tile] of this.tiles) {
      const from = moves.filter((move) => ends(move.move).taken === cell);
      const usable = editing || from.length > 0;
      const hint = hints && from.length > 0 && !editing;
      const key = editing ? "tile-change" : hint ? "tile-best" : usable ? "tile-take" : "tile";
      const value = hint ? words(from[0]) : "";
      set(tile, "aria-label", t(`quixo.${key}`, { cell, mark: NAMES[marks[cell]], value }));
      set(tile, "aria-disabled", usable ? null : "true");
      set(tile, "aria-pressed", usable && !editing ? String(cell === this.selected) : null);
      set(tile, "tabindex", cell === this.focus ? "0" : "-1");
      tile.classList.toggle("usable", usable);
      tile.classList.toggle("fixed", !usable && moves.length > 0);
      tile.classList.toggle("selected", cell === this.selected);
      tile.classList.toggle("won", won.includes(cell));
      tile.classList.toggle("taken", !!last && ends(last).taken === cell);
      tile.querySelector(".badge")?.remove();
      if (hint && !this.selected) tile.append(badge(from[0], 0, 34));
    }
    this.#drawInsertions();
  }

  #drawInsertions() {
    const insertions = this.view.moves.filter((move) => ends(move.move).taken === this.selected);
    const best = Math.max(...insertions.map(score));
    this.insertions?.replaceChildren(
      ...insertions.map((move) => {
        const { x, y } = this.#outside(move.move);
        const { across, down } = direction(move.move, this.shape);
        const angle = across ? (across > 0 ? 0 : 180) : down > 0 ? 90 : 270;
        const what = t(across ? "quixo.push-side" : "quixo.push", { cell: ends(move.move).pushed });
        const group = svg(
          "g",
          {
            class: `insertion${this.view.hints && score(move) === best && move.value ? " best" : ""}`,
            role: "button",
            tabindex: "0",
            transform: `translate(${x} ${y})`,
            "aria-label": this.view.hints ? t("quixo.with-value", { what, value: words(move) }) : what,
            onclick: () => this.#play(move),
          },
          svg("rect", {
            class: "target",
            x: across ? -23 : -47,
            y: across ? -47 : -23,
            width: across ? 46 : 94,
            height: across ? 94 : 46,
            rx: 12,
          }),
          svg("path", { class: "arrow", transform: `rotate(${angle})`, d: "M18-12L33 0L18 12Z" }),
        );
        group.dataset.move = move.move;
        group.append(
          this.view.hints
            ? badge(move, -across * 3, -down * 3, !!across)
            : svg("circle", { class: "dot", cx: -across * 4, cy: -down * 4, r: 11 }),
        );
        return group;
      }),
    );
  }

  #drawThreats() {
    const { threats } = this.view;
    this.over?.replaceChildren(
      .../** @type {const} */ (["x", "o"]).flatMap((side) =>
        (threats?.[side] ?? []).map(({ line }) => {
          const [from, to] = [line[0], line[line.length - 1]].map((cell) => this.#centre(cell));
          return svg("path", { class: `threat by-${side}`, d: `M${from.x} ${from.y}L${to.x} ${to.y}` });
        }),
      ),
    );
  }

  #drawLast() {
    const { last } = this.view;
    this.under?.replaceChildren();
    if (!last) return;
    const { x, y } = this.#centre(ends(last).pushed);
    const { across, down } = direction(last, this.shape);
    const angle = across ? (across > 0 ? 0 : 180) : down > 0 ? 90 : 270;
    this.under?.append(
      svg("path", {
        class: "last",
        transform: `translate(${x} ${y}) rotate(${angle})`,
        d: "M-76-11L-60 0L-76 11Z",
      }),
    );
  }

  /**
   * The tile taken flies to its new end, then the row slides.
   * @param {string} move
   * @param {number} milliseconds
   */
  async #slide(move, milliseconds) {
    const { across, down } = direction(move, this.shape);
    const row = slid(move, this.shape).map((cell) => /** @type {SVGGElement} */ (this.tiles.get(cell)));
    const { taken, pushed } = ends(move);
    const from = this.#centre(taken);
    const to = this.#outside(move, true);
    const tile = svg(
      "g",
      { class: "tile flying", "data-mark": this.tiles.get(pushed)?.dataset.mark },
      face(),
    );
    this.flying?.replaceChildren(tile);
    const flight = milliseconds * 0.5;
    const away = `translate(${-across * PITCH}px, ${-down * PITCH}px)`;
    const before = row.map((element, nth) => {
      const { x, y } = this.#centre(/** @type {string} */ (element.dataset.cell));
      const there = `translate(${x}px, ${y}px)`;
      // The tile pushed in is the one that flies, until it has arrived.
      const options = {
        duration: milliseconds - flight,
        delay: flight,
        easing: "cubic-bezier(.45,0,.25,1)",
        fill: /** @type {const} */ ("backwards"),
      };
      if (nth === 0) element.animate([{ opacity: 0 }, { opacity: 0 }], { duration: flight });
      return element.animate([{ transform: `${there} ${away}` }, { transform: there }], options).finished;
    });
    await tile
      .animate(
        [
          { transform: `translate(${from.x}px, ${from.y}px)` },
          {
            transform: `translate(${(from.x + to.x) / 2}px, ${(from.y + to.y) / 2}px) scale(1.12)`,
            offset: 0.5,
          },
          { transform: `translate(${to.x}px, ${to.y}px)` },
        ],
        { duration: flight, easing: "ease-in-out", fill: "forwards" },
      )
      .finished.catch(() => {});
    tile.remove();
    await Promise.allSettled(before);
  }

  /** @param {string} cell */
  #press(cell) {
    if (this.dragged) return;
    this.focus = cell;
    if (this.view.editing) this.listener.edit(cell);
    else this.select(cell === this.selected ? null : cell);
  }

  /**
   * Selects a tile, or none.
   * @param {string | null} cell
   * @param {boolean} [byKey] then the focus moves to the best place to push it in
   */
  select(cell, byKey = false) {
    this.selected = this.view.moves.some((move) => ends(move.move).taken === cell) ? cell : null;
    this.#label();
    const [first] = /** @type {SVGGElement[]} */ ([...(this.insertions?.children ?? [])]);
    if (byKey) first?.focus();
  }

  /**
   * Highlights a move while the pointer is on it elsewhere on the page.
   * @param {string | null} move
   */
  point(move) {
    for (const [cell, tile] of this.tiles) {
      tile.classList.toggle("pointed", !!move && ends(move).taken === cell);
    }
    this.root?.querySelector(".pointing")?.remove();
    if (!move || !this.root) return;
    const { x, y } = this.#outside(move);
    const { across, down } = direction(move, this.shape);
    const angle = across ? (across > 0 ? 0 : 180) : down > 0 ? 90 : 270;
    this.root.append(
      svg("path", {
        class: "pointing",
        "aria-hidden": "true",
        transform: `translate(${x} ${y}) rotate(${angle})`,
        d: "M-30-8H6V-24L40 0L6 24V8H-30Z",
      }),
    );
  }

  /** @param {MoveRecord} move */
  #play(move) {
    this.focus = ends(move.move).pushed;
    this.selected = null;
    const keyboard = this.root?.contains(document.activeElement);
    this.listener.play(move);
    if (keyboard) this.tiles.get(this.focus)?.focus();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = /** @type {SVGElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const insertion = target.closest(".insertion");
    if (event.key === "Escape" && this.selected) {
      const cell = this.selected;
      this.select(null);
      this.tiles.get(cell)?.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      if (insertion) {
        this.#play(
          /** @type {MoveRecord} */ (
            this.view.moves.find((move) => move.move === /** @type {SVGElement} */ (insertion).dataset.move)
          ),
        );
      } else if (target.dataset.cell && this.view.editing) {
        this.#press(target.dataset.cell);
      } else if (target.dataset.cell) {
        this.select(target.dataset.cell, true);
      }
    } else if (event.key in ARROWS) {
      const [across, down] = ARROWS[/** @type {keyof typeof ARROWS} */ (event.key)];
      if (insertion) {
        const all = /** @type {SVGElement[]} */ ([...(this.insertions?.children ?? [])]);
        const nth = all.indexOf(/** @type {SVGElement} */ (insertion)) + (across + down);
        all[(nth + all.length) % all.length].focus();
      } else if (target.dataset.cell) {
        const { column, row } = place(target.dataset.cell, this.shape);
        const { rows, columns } = this.shape;
        const next = cellAt(clamp(column + across, columns), clamp(row + down, rows), this.shape);
        set(/** @type {SVGGElement} */ (this.tiles.get(this.focus)), "tabindex", "-1");
        set(/** @type {SVGGElement} */ (this.tiles.get(next)), "tabindex", "0");
        this.tiles.get(next)?.focus();
      } else {
        return;
      }
    } else {
      return;
    }
    event.preventDefault();
  }

  /**
   * Drags a tile out of the board to a place where it can be pushed in.
   * @param {string} cell
   * @param {PointerEvent} event
   */
  #drag(cell, event) {
    this.dragged = false;
    const { root } = this;
    if (!root || event.button !== 0 || this.view.editing) return;
    if (!this.view.moves.some((move) => ends(move.move).taken === cell)) return;
    const begin = { x: event.clientX, y: event.clientY };
    /** @type {SVGGElement | null} */
    let ghost = null;
    /** @type {MoveRecord | null} */
    let aim = null;

    const move = (/** @type {PointerEvent} */ moved) => {
      if (!ghost) {
        if (Math.hypot(moved.clientX - begin.x, moved.clientY - begin.y) < 8) return;
        this.dragged = true;
        this.select(cell);
        ghost = svg("g", { class: "tile flying", "data-mark": parse(this.view.position).turn }, face());
        this.flying?.replaceChildren(ghost);
        this.tiles.get(cell)?.classList.add("lifted");
      }
      const matrix = root.getScreenCTM();
      if (!matrix) return;
      const point = new DOMPoint(moved.clientX, moved.clientY).matrixTransform(matrix.inverse());
      set(ghost, "transform", `translate(${point.x} ${point.y}) scale(1.06)`);
      aim = null;
      let nearest = 80;
      for (const candidate of this.view.moves.filter((record) => ends(record.move).taken === cell)) {
        const { x, y } = this.#outside(candidate.move);
        const distance = Math.hypot(point.x - x, point.y - y);
        if (distance < nearest) {
          nearest = distance;
          aim = candidate;
        }
      }
      for (const insertion of /** @type {SVGElement[]} */ ([...(this.insertions?.children ?? [])])) {
        insertion.classList.toggle("aimed", insertion.dataset.move === aim?.move);
      }
    };
    const end = (/** @type {PointerEvent} */ ended) => {
      this.dragging = false;
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", end);
      removeEventListener("pointercancel", end);
      ghost?.remove();
      this.tiles.get(cell)?.classList.remove("lifted");
      // Ignore the click that follows a drag.
      setTimeout(() => (this.dragged = false));
      if (ended.type === "pointerup" && aim) this.#play(aim);
    };
    this.dragging = true;
    addEventListener("pointermove", move);
    addEventListener("pointerup", end);
    addEventListener("pointercancel", end);
  }
}
