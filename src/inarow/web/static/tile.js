// The drawing of a tile, around the origin and 92 units wide, and of the wood that it lies in.

import { svg } from "./dom.js";

export const CROSS = "M-23-23L23 23M23-23L-23 23";
export const RING = 25; // the radius of an O

/** Both marks, of which the style sheet shows the one that the tile has; `more` is drawn below its frame. */
export function face(/** @type {Node[]} */ ...more) {
  return svg(
    "g",
    { class: "face" },
    svg("rect", { class: "shade", x: -46, y: -42, width: 92, height: 92, rx: 14 }),
    svg("rect", { class: "front", x: -46, y: -46, width: 92, height: 92, rx: 14 }),
    svg("rect", { class: "sheen", x: -46, y: -46, width: 92, height: 92, rx: 14, fill: "url(#sheen)" }),
    svg("path", { class: "mark x", d: CROSS }),
    svg("circle", { class: "mark o", r: RING }),
    ...more,
    svg("rect", { class: "frame", x: -44, y: -44, width: 88, height: 88, rx: 13 }),
  );
}

/**
 * The board under everything else.
 * @param {number} width
 * @param {number} height
 */
export function wood(width, height) {
  return [
    svg(
      "defs",
      {},
      svg(
        "linearGradient",
        { id: "sheen", x2: 0, y2: 1 },
        svg("stop", { class: "sheen-top", offset: 0 }),
        svg("stop", { class: "sheen-bottom", offset: 1 }),
      ),
      svg(
        "linearGradient",
        { id: "wood", x2: 1, y2: 1 },
        svg("stop", { class: "wood-light", offset: 0 }),
        svg("stop", { class: "wood-dark", offset: 1 }),
      ),
    ),
    svg("rect", { class: "wood", width, height, rx: 18, fill: "url(#wood)" }),
  ];
}
