// What a game of Quixo can teach: mistakes as they are made, repetitions, and a summary at the end. Loaded after the
// first answer.

import { byId, html, onPress } from "./dom.js";
import { more, t, tn } from "./texts.js";
import { distanceWords } from "./values.js";

await more("review");

/** @typedef {import("./strip.js").Step} Step */
/** @typedef {import("./values.js").Outcome} Outcome */
/** @typedef {import("./game.js").Game<any, any>} Game */

const WORDS = /** @type {const} */ ({ win: "won", draw: "drawn", loss: "lost" });

/**
 * As in "won in 7 plies" or "drawn".
 * @param {Outcome} outcome that is known
 */
function state({ value, plies }) {
  const word = WORDS[value ?? "draw"];
  if (plies === null || word === "drawn") return t(`review.${word}`);
  return t(`review.${word}-in`, { distance: distanceWords(plies) });
}

/**
 * @param {Step} step that gave something away
 * @param {number} nth
 */
function mistakeWords({ turn, turned, move }, nth) {
  const { from, to } = /** @type {NonNullable<Step["turned"]>} */ (turned);
  const side = turn === "x" ? "O" : "X";
  return t("review.mistake", { number: nth, side, move: move ?? "", from: state(from), to: state(to) });
}

/**
 * @param {string} label
 * @param {() => void} action
 * @param {string} [kind]
 */
function press(label, action, kind = "") {
  const made = html("button", { type: "button", class: kind }, label);
  onPress(made, action);
  return made;
}

/**
 * Shows what is to be said about the last moves, or about the game if it is over.
 * @param {Game} game
 * @param {Step[]} steps of the line that is looked at
 * @param {{playAgain: () => void, practise: (position: string) => void}} can
 */
export function showReview(game, steps, can) {
  const { at, drawn } = game.state;
  const over = !!game.record?.over || !!drawn;
  const notice = byId("notice");
  const parts = over
    ? summary(game, steps.slice(0, at + 1), can)
    : [...mistake(game, steps), ...repetition(game)];
  notice.replaceChildren(...parts);
  notice.hidden = !parts.length;
  notice.classList.toggle("summary-of-game", over);
}

/**
 * The mistake among the last move of each side, with what can be done about it.
 * @param {Game} game
 * @param {Step[]} steps
 */
function mistake(game, steps) {
  const { at } = game.state;
  if (!game.settings.warn || game.following) return [];
  for (const nth of [at, at - 1]) {
    const step = steps[nth];
    if (!step?.turned) continue;
    const side = step.turn === "x" ? "o" : "x";
    const parts = [html("p", {}, mistakeWords(step, nth)), press(t("review.why"), () => game.follow(nth))];
    if (game.settings[side] === "person") {
      parts.splice(
        1,
        0,
        press(t("review.take-back"), () => game.go(nth - 1), "main"),
      );
    }
    return [html("div", { class: "said" }, ...parts)];
  }
  return [];
}

/** @param {Game} game */
function repetition(game) {
  const positions = [...Array(game.state.at + 1).keys()].map((at) => game.positionAt(at));
  const times = positions.filter((position) => position === game.here).length;
  if (times < 2) return [];
  /** @type {HTMLElement[]} */
  const parts = [html("p", {}, t(times === 2 ? "review.second-time" : "review.third-time", { times }))];
  if (times > 2 && game.settings.repetition) {
    parts.push(press(t("review.agree"), () => game.agree(), "main"));
  }
  return [html("div", { class: "said" }, ...parts)];
}

/**
 * @param {Game} game
 * @param {Step[]} steps
 * @param {{playAgain: () => void, practise: (position: string) => void}} can
 */
function summary(game, steps, can) {
  const made = steps.slice(1).map((step, nth) => ({ step, nth: nth + 1, known: steps[nth].outcome?.value }));
  const rows = /** @type {const} */ (["x", "o"]).map((side) => {
    const own = made.filter(({ step, known }) => (step.turn === "x" ? "o" : "x") === side && known);
    const wrong = own.filter(({ step }) => step.turned).length;
    const accuracy = own.length ? Math.round((100 * (own.length - wrong)) / own.length) : 100;
    const row = tn("review.side", wrong, { side: side.toUpperCase(), accuracy });
    return html("li", {}, row);
  });
  const turned = made.filter(({ step }) => step.turned);
  const first = turned[0];
  const mine = turned.find(({ step }) => game.settings[step.turn === "x" ? "o" : "x"] === "person") ?? first;
  const list = turned.map(({ step, nth }) =>
    html(
      "li",
      {},
      press(
        `${mistakeWords(step, nth)} ${t("review.best", { best: step.turned?.best ?? "" })}`,
        () => game.go(nth),
        "quiet-text",
      ),
    ),
  );
  const parts = [
    html("h2", {}, t(game.state.drawn ? "review.summary-drawn" : "review.summary")),
    html("ul", { class: "sides" }, ...rows),
    list.length
      ? html("ol", { class: "turns" }, ...list)
      : html("p", { class: "note" }, t("review.no-mistakes")),
  ];
  const buttons = [press(t("review.again"), can.playAgain, "main")];
  if (mine) {
    const position = game.positionAt(mine.nth - 1);
    buttons.push(press(t("review.practise"), () => can.practise(position)));
  }
  return [...parts, html("div", { class: "buttons" }, ...buttons)];
}
