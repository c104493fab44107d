// The menus for the shape of the board and the length of a line.

import { html, select } from "./dom.js";
import { longest } from "./quixo-position.js";

/** @typedef {import("./quixo-position.js").Shape} Shape */

/** @returns {Shape} */
export function chosenShape() {
  const [rows, columns] = select("size").value.split("x").map(Number);
  return { rows, columns };
}

/**
 * Shows rules in the menus, with the lengths of a line that the board allows.
 * @param {number} rows
 * @param {number} columns
 * @param {number} line
 */
export function showRules(rows, columns, line) {
  const size = select("size");
  const value = `${rows}x${columns}`;
  // A board that the menu does not offer, from an address or the editor, is added to it.
  if (![...size.options].some((option) => option.value === value)) {
    size.append(html("option", { value }, `${rows}×${columns}`));
  }
  size.value = value;
  const lengths = Array.from({ length: longest({ rows, columns }) - 1 }, (_, nth) => nth + 2);
  select("length").replaceChildren(
    ...lengths.map((length) => html("option", { value: length }, String(length))),
  );
  select("length").value = String(line);
}
