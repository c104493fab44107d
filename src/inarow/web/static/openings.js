// The book of 5×5 as a tree of lines. A move is named after the cell where its mark lands: corner, shoulder or gate, and
// a line after its moves. Loaded when it is first opened.

import { byId, html, onPress } from "./dom.js";
import { ends, place } from "./quixo-position.js";
import { more, t } from "./texts.js";
import { chip } from "./values.js";

await more("openings");

/** @typedef {import("./contract.js").QuixoProbedMove} Move */
/** @typedef {import("./game.js").Game<import("./contract.js").QuixoRules, any>} Game */

const DEEPEST = 6;

/** @param {string} move of which the mark lands at an end of a row or column, so on the border */
function name(move) {
  const { column, row } = place(ends(move).pushed, { rows: 5, columns: 5 });
  const [far, near] = [Math.abs(column - 2), Math.abs(row - 2)].sort((one, two) => two - one);
  return t(near === 2 && far === 2 ? "openings.corner" : near === 1 ? "openings.shoulder" : "openings.gate");
}

/**
 * The moves from a position that give nothing away, one for each that is the same by symmetry.
 * @param {Game} game
 * @param {string} position
 * @param {{move: string, position: string}[]} path
 * @param {string[]} names
 * @returns {Promise<HTMLElement[]>}
 */
async function branches(game, position, path, names) {
  const record = await game.probe(position);
  /** @type {Move[]} */
  const moves = record.moves.filter((/** @type {Move} */ { value }) => value === record.value);
  const distinct = moves.filter(({ alike }, nth) => moves.findIndex((one) => one.alike === alike) === nth);
  return distinct.map((move) => {
    const line = [...path, { move: move.move, position: move.position }];
    const called = [...names, name(move.move)];
    const list = html("ul", {});
    const show = html("button", { type: "button", class: "quiet-text" }, t("openings.show"));
    onPress(show, () => game.restart(game.rules, game.plan.start(game.rules) ?? "", [line]));
    const replies =
      move.losing_replies === null
        ? null
        : html(
            "span",
            { class: "replies" },
            t("openings.traps", { count: move.losing_replies, all: move.replies }),
          );
    const item = html(
      "details",
      {},
      html("summary", {}, html("span", { class: "name" }, called.join(" – ")), " ", chip(move), " ", replies),
      html("p", { class: "note" }, `${line.map((one) => one.move).join(" ")} `, show),
      list,
    );
    item.addEventListener("toggle", async () => {
      if (!item.open || list.childElementCount || line.length >= DEEPEST) return;
      list.replaceChildren(...(await branches(game, move.position, line, called)));
    });
    return html("li", {}, item);
  });
}

/** @param {Game} game on the empty board of 5×5 */
export async function showOpenings(game) {
  const start = game.plan.start(game.rules) ?? "";
  byId("openings-tree").replaceChildren(...(await branches(game, start, [], [])));
}
