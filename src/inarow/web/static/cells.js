// A board of cells to mark, grouped in wells: the layers of Qubic, the fields of Ultimate.

import { set, svg } from "./dom.js";
import { CROSS, face, RING, wood } from "./tile.js";

/** @typedef {{id: string, x: number, y: number}} Cell the centre of its tile */
/** @typedef {{x: number, y: number, width: number, label: string}} Well */
/** @typedef {{label: string, mark: "x" | "o" | ".", usable: boolean, classes?: string[], text?: string | null}} CellView */
/** @typedef {{classes?: string[], owner?: "x" | "o" | null}} WellView */

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Cells {
  /**
   * @param {HTMLElement} parent
   * @param {object} plan
   * @param {string} plan.label
   * @param {Cell[]} plan.cells
   * @param {Well[]} plan.wells
   * @param {number} plan.width
   * @param {number} plan.height
   * @param {number} plan.tile the width of a tile
   * @param {(id: string) => void} press
   */
  constructor(parent, { label, cells, wells, width, height, tile }, press) {
    this.cells = new Map(cells.map((cell) => [cell.id, cell]));
    /** @type {Map<string, SVGGElement>} */
    this.tiles = new Map();
    this.press = press;
    this.size = { width, height };
    this.boxes = wells.map((well) => ({ x: well.x, y: well.y, width: well.width, height: well.width }));
    this.focus = cells[0].id;
    this.scale = tile / 92;
    this.wells = wells.map((well) =>
      svg(
        "g",
        { class: "layer", "aria-hidden": "true" },
        svg("rect", { class: "well", x: well.x, y: well.y, width: well.width, height: well.width, rx: 16 }),
        svg("text", { class: "well-label", x: well.x + well.width / 2, y: well.y - 8 }, well.label),
      ),
    );
    const owners = svg("g", { class: "owners", "aria-hidden": "true" });
    this.owners = wells.map((well) => {
      const at = `translate(${well.x + well.width / 2} ${well.y + well.width / 2}) scale(${well.width / 80})`;
      const owner = svg(
        "g",
        { class: "owner", transform: at },
        svg("path", { class: "mark x", d: CROSS }),
        svg("circle", { class: "mark o", r: RING }),
      );
      owners.append(owner);
      return owner;
    });
    const grid = svg("g");
    for (const cell of cells) {
      const element = this.#tile(cell);
      this.tiles.set(cell.id, element);
      grid.append(element);
    }
    this.root = svg(
      "svg",
      {
        class: "board cells-board",
        viewBox: `0 0 ${width} ${height}`,
        role: "group",
        "aria-label": label,
        onkeydown: (/** @type {KeyboardEvent} */ event) => this.#key(event),
      },
      ...wood(width, height),
      ...this.wells,
      grid,
      owners,
    );
    parent.style.setProperty("--ratio", String(width / height));
    parent.replaceChildren(this.root);
  }

  /** @param {Cell} cell */
  #tile({ id, x, y }) {
    const tile = svg(
      "g",
      {
        class: "tile",
        role: "button",
        transform: `translate(${x} ${y}) scale(${this.scale})`,
        onclick: () => this.#press(id),
        onfocus: () => (this.focus = id),
      },
      face(svg("text", { class: "number", y: 15 })),
    );
    tile.dataset.cell = id;
    return tile;
  }

  /** @param {string} id */
  #press(id) {
    this.focus = id;
    if (this.tiles.get(id)?.classList.contains("usable")) this.press(id);
  }

  /**
   * @param {(id: string) => CellView} cellView
   * @param {(nth: number) => WellView} wellView
   */
  show(cellView, wellView) {
    for (const [id, tile] of this.tiles) {
      const { label, mark, usable, classes = [], text = null } = cellView(id);
      set(tile, "data-mark", mark);
      set(tile, "aria-label", label);
      set(tile, "aria-disabled", usable ? null : "true");
      set(tile, "tabindex", id === this.focus ? "0" : "-1");
      set(tile, "class", ["tile", usable ? "usable" : "", ...classes].join(" "));
      /** @type {SVGTextElement} */ (tile.querySelector(".number")).textContent = text;
    }
    this.wells.forEach((well, nth) => {
      const { classes = [], owner = null } = wellView(nth);
      set(well, "class", ["layer", ...classes].join(" "));
      set(this.owners[nth], "data-mark", owner);
    });
  }

  /**
   * @param {(id: string) => string} mark
   * @param {string | null} last the cell of the last move
   * @returns {import("./picture.js").Picture}
   */
  picture(mark, last) {
    return {
      ...this.size,
      wells: this.boxes,
      tiles: [...this.cells.values()].map(({ id, x, y }) => ({
        x,
        y,
        size: this.scale * 92,
        mark: /** @type {"x" | "o" | "."} */ (mark(id)),
        lit: id === last,
      })),
    };
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const id = /** @type {SVGElement} */ (event.target).dataset.cell;
    if (!id || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") this.#press(id);
    else if (event.key in ARROWS) this.#step(id, ARROWS[/** @type {keyof typeof ARROWS} */ (event.key)]);
    else return;
    event.preventDefault();
  }

  /**
   * Moves the focus to the nearest cell in a direction; distance to the side counts more.
   * @param {string} id
   * @param {number[]} direction
   */
  #step(id, [across, down]) {
    const from = /** @type {Cell} */ (this.cells.get(id));
    let best = id;
    let least = Infinity;
    for (const cell of this.cells.values()) {
      const ahead = (cell.x - from.x) * across + (cell.y - from.y) * down;
      const aside = Math.abs((cell.x - from.x) * down) + Math.abs((cell.y - from.y) * across);
      if (ahead <= 1 || ahead + 4 * aside >= least) continue;
      least = ahead + 4 * aside;
      best = cell.id;
    }
    set(/** @type {SVGGElement} */ (this.tiles.get(this.focus)), "tabindex", "-1");
    set(/** @type {SVGGElement} */ (this.tiles.get(best)), "tabindex", "0");
    this.tiles.get(best)?.focus();
  }
}
