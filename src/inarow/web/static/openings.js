// The book of 5×5 as a tree of lines with names. Loaded when it is first opened.

import { byId, html, onPress } from "./dom.js";
import { normal } from "./quixo-position.js";
import { source } from "./source.js";
import { more, t, translated } from "./texts.js";
import { chip } from "./values.js";

await more("openings");

/** @typedef {import("./contract.js").QuixoOpening} Opening */
/** @typedef {import("./game.js").Game<import("./contract.js").QuixoRules, any>} Game */

/**
 * @param {Game} game
 * @param {Opening} opening
 * @param {{move: string, position: string}[]} path that leads to it
 * @returns {HTMLElement}
 */
function branch(game, opening, path) {
  const { move, name, position, value, losing_replies, replies, lines } = opening;
  const line = [...path, { move, position: normal(position) }];
  const show = html("button", { type: "button", class: "quiet-text" }, t("openings.show"));
  onPress(show, () => game.restart(game.rules, game.plan.start(game.rules) ?? "", [line]));
  const title = html("span", { class: "name" }, name ? translated(name) : move);
  const traps = losing_replies ? t("openings.traps", { count: losing_replies, all: replies }) : "";
  return html(
    "li",
    {},
    html(
      "details",
      {},
      html("summary", {}, title, " ", chip({ value, plies: null }), " ", traps),
      html("p", { class: "note" }, `${line.map((one) => one.move).join(" ")} `, show),
      html("ul", {}, ...lines.map((next) => branch(game, next, line))),
    ),
  );
}

/** @param {Game} game on the usual board of 5×5 */
export async function showOpenings(game) {
  const { lines } = await source.quixo.openings(game.rules);
  byId("openings-tree").replaceChildren(...lines.map((opening) => branch(game, opening, [])));
}
