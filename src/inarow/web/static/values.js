// How values are shown: each with a word, a shape and a colour.

import { html, svg } from "./dom.js";

/** @typedef {import("./source.js").Value} Value */
/** @typedef {{value: Value, plies: number | null}} Outcome */

/** Around the origin, some 20 units wide. */
const SHAPES = {
  win: "M0-10L11 9H-11Z",
  draw: "M-10-4H10M-10 4H10",
  loss: "M0 10L11-9H-11Z",
  unknown: "M-5-5a5 5 0 1 1 6 5q-1 .5-1 3M0 9v.1",
};

/** @param {Value} value */
export const kind = (value) => value ?? "unknown";

/**
 * As in "win in 21".
 * @param {Outcome} outcome
 */
export function words({ value, plies }) {
  if (value === null) return "not known";
  return plies === null ? value : `${value} in ${plies}`;
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
 * A shape and the plies on a pill, for a board.
 * @param {Outcome} outcome
 * @param {number} x
 * @param {number} y
 */
export function badge(outcome, x, y) {
  const plies = outcome.plies === null ? "" : String(outcome.plies);
  const width = plies ? 42 + 13 * plies.length : 40;
  return svg(
    "g",
    { class: `badge ${kind(outcome.value)}`, transform: `translate(${x} ${y})` },
    // The style sheet may scale what is in the group.
    svg(
      "g",
      {},
      svg("rect", { x: -width / 2, y: -16, width, height: 32, rx: 16 }),
      shape(outcome.value, { transform: `translate(${plies ? -width / 2 + 19 : 0} 0) scale(.85)` }),
      plies ? svg("text", { x: 12, y: 8, "text-anchor": "middle" }, plies) : null,
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
  const distance = plies === null ? 1 : plies / (plies + 12);
  return value === "win" ? 100 - 40 * distance : 40 * distance;
}
