// How values are shown: each with a word, a shape and a colour.

import { html, svg } from "./dom.js";
import { t, tn } from "./texts.js";

/** @typedef {import("./contract.js").Value} Value */
/** @typedef {{value: Value, plies: number | null}} Outcome */

/** Around the origin, some 20 units wide. */
const SHAPES = {
  win: "M0-10L11 9H-11Z",
  draw: "M-10-4H10M-10 4H10",
  loss: "M0 10L11-9H-11Z",
  unknown: "M-5-5a5 5 0 1 1 6 5q-1 .5-1 3M0 9v.1",
};

/** How distances are told: in plies, or in the winner's own moves. */
export const distances = { unit: /** @type {"plies" | "moves"} */ ("plies") };

/**
 * A distance in the unit that was chosen.
 * @param {number} plies
 */
export const distance = (plies) => (distances.unit === "plies" ? plies : Math.ceil(plies / 2));

/**
 * With its unit, as in "6 moves".
 * @param {number} plies
 */
export const distanceWords = (plies) => tn(`values.${distances.unit}`, distance(plies));

/** @param {Value} value */
export const kind = (value) => value ?? "unknown";

/**
 * As in "win in 21", or "win in 11 moves".
 * @param {Outcome} outcome
 */
export function words({ value, plies }) {
  if (plies === null || value === null || value === "draw") return t(`values.${kind(value)}`);
  const far = distances.unit === "plies" ? plies : distanceWords(plies);
  return t(`values.${value}-in`, { distance: far });
}

/**
 * @param {Value} value
 * @param {import("./dom.js").Attributes} [attributes]
 */
export function shape(value, attributes = {}) {
  return svg("path", { class: `shape ${kind(value)}`, d: SHAPES[kind(value)], ...attributes });
}

/**
 * The shape alone, as part of a text.
 * @param {Value} value
 */
export function icon(value) {
  return svg("svg", { class: "icon", viewBox: "-13 -13 26 26", "aria-hidden": "true" }, shape(value));
}

/**
 * The shape and the words.
 * @param {Outcome} outcome
 */
export function chip(outcome) {
  return html("span", { class: `chip ${kind(outcome.value)}` }, icon(outcome.value), words(outcome));
}

/**
 * A shape and the distance on a pill, for a board.
 * @param {Outcome} outcome
 * @param {number} x
 * @param {number} y
 * @param {boolean} [upright] the shape above the number, where there is little room to the sides
 */
export function badge(outcome, x, y, upright = false) {
  const number = outcome.plies === null ? "" : String(distance(outcome.plies));
  const [width, height] = !number ? [36, 30] : upright ? [40, 54] : [42 + 13 * number.length, 30];
  const [across, down] = !number ? [0, 0] : upright ? [0, -12] : [-width / 2 + 19, 0];
  return svg(
    "g",
    { class: `badge ${kind(outcome.value)}`, transform: `translate(${x} ${y})` },
    // The style sheet may scale what is in the group.
    svg(
      "g",
      {},
      svg("rect", { x: -width / 2, y: -height / 2, width, height, rx: 15 }),
      shape(outcome.value, { transform: `translate(${across} ${down}) scale(.8)` }),
      number
        ? svg("text", { x: upright ? 0 : 12, y: upright ? 20 : 8, "text-anchor": "middle" }, number)
        : null,
    ),
  );
}

/**
 * How good an outcome is, from 0 to 100: fast wins on top, fast losses at the bottom. What is good for one side is as
 * bad for the other: best play of both never changes sides, and moves further from the middle at every move.
 * @param {Outcome} outcome
 */
export function score({ value, plies }) {
  if (value === null) return 0;
  if (value === "draw") return 50;
  const far = plies === null ? 1 : plies / (plies + 12);
  return value === "win" ? 100 - 40 * far : 40 * far;
}
