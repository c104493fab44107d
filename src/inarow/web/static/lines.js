// The list of moves played, with variations; each leads to its position.

import { html } from "./dom.js";
import { numbered, tree } from "./game-text.js";

/** @typedef {import("./game-text.js").Node} Node */

/**
 * @param {HTMLElement} parent
 * @param {import("./game.js").Game<any, any>} game
 * @param {(move: string) => string} name
 * @param {(before: string, move: string) => boolean} [isMistake]
 */
export function showLines(parent, game, name, isMistake = () => false) {
  const { state } = game;
  const second = game.first === "o";
  const had = parent.contains(document.activeElement);
  const here = game.moves.slice(0, state.at);
  /** @type {HTMLElement | null} */
  let current = null;

  const button = (/** @type {Node} */ { told, line, at }, /** @type {boolean} */ fresh) => {
    const on = at === state.at && here.every(({ move }, nth) => state.lines[line][nth].move === move);
    const before = at > 1 ? state.lines[line][at - 2].position : state.begin;
    const wrong = isMistake(before, told.move);
    const made = html(
      "button",
      {
        type: "button",
        class: `ply by-${(at + Number(second)) % 2 ? "x" : "o"}`,
        "aria-current": on ? "step" : null,
        title: told.comment,
        onclick: () => game.go(at, line),
      },
      `${name(told.move)}${wrong ? "?" : ""}`,
    );
    if (on) current = made;
    const number = numbered(at, second, fresh);
    return number ? [html("span", { class: "nth" }, number), made] : [made];
  };
  const walk = (/** @type {Node} */ from, /** @type {boolean} */ first) => {
    /** @type {Node[] | HTMLElement[]} */
    const parts = [];
    let fresh = first;
    for (let node = from; node.children.length; [node] = node.children) {
      const [main, ...others] = node.children;
      /** @type {HTMLElement[]} */ (parts).push(...button(main, fresh));
      fresh = others.length > 0;
      for (const variation of others) {
        /** @type {HTMLElement[]} */ (parts).push(
          html("div", { class: "variation" }, ...button(variation, true), ...walk(variation, false)),
        );
      }
    }
    return /** @type {HTMLElement[]} */ (parts);
  };
  parent.replaceChildren(...walk(tree(state.lines), true));
  const shown = /** @type {HTMLElement | null} */ (current);
  if (had) shown?.focus();
  if (shown) parent.scrollTop = shown.offsetTop - parent.offsetTop - parent.clientHeight / 2;
  else if (state.at === 0) parent.scrollTop = 0;
}
