// The course of a game: a column for each position, up where X is better and down where O is, and the turning points.

import { html } from "./dom.js";
import { distanceWords, score, words } from "./values.js";

/** @typedef {import("./values.js").Outcome} Outcome */
/**
 * @typedef {object} Step
 * @property {"x" | "o"} turn the side to move
 * @property {string | null} move the move that led here, in words; null for the first position
 * @property {Outcome | null} outcome for the side to move; null while it is not known
 * @property {{from: Outcome, to: Outcome, best: string} | null} turned set if the move gave something away
 */

/**
 * @param {Step} step
 */
function balance({ turn, outcome }) {
  if (!outcome || outcome.value === null) return "not known";
  if (outcome.value === "draw") return "draw";
  const winner = (outcome.value === "win") === (turn === "x") ? "X" : "O";
  if (outcome.plies === 0) return `${winner} has won`;
  return outcome.plies === null ? `${winner} wins` : `${winner} wins in ${distanceWords(outcome.plies)}`;
}

/**
 * @param {HTMLElement} parent
 * @param {HTMLElement} story the list of turning points
 * @param {Step[]} steps
 * @param {number} at the position on the board
 * @param {(at: number) => void} go
 */
export function showStrip(parent, story, steps, at, go) {
  const had = parent.contains(document.activeElement);
  parent.replaceChildren(
    ...steps.map((step, nth) => {
      const name = nth === 0 ? "Start" : `Move ${nth}, ${step.turn === "x" ? "O" : "X"} ${step.move}`;
      const turned = step.turned
        ? `; turned a ${words(step.turned.from)} into a ${words(step.turned.to)}`
        : "";
      const column = html(
        "button",
        {
          type: "button",
          class: `step${step.turned ? " turned" : ""}`,
          "aria-label": `${name}: ${balance(step)}${turned}`,
          title: `${name}: ${balance(step)}${turned}`,
          "aria-current": nth === at ? "step" : null,
          onclick: () => go(nth),
        },
        bar(step),
        step.turned ? html("span", { class: "flag", "aria-hidden": "true" }, "!") : null,
      );
      return html("li", {}, column);
    }),
  );
  const current = /** @type {HTMLElement | null} */ (parent.querySelector('[aria-current="step"]'));
  if (had) current?.focus();
  if (current) parent.scrollLeft = current.offsetLeft - parent.clientWidth / 2;

  const turns = steps.flatMap(({ turned, move, turn }, nth) => (turned ? [{ turned, move, turn, nth }] : []));
  story.replaceChildren(
    ...turns.map(({ turned, move, turn, nth }) =>
      html(
        "li",
        {},
        `Move ${nth}: ${turn === "x" ? "O" : "X"} ${move} turned a ${words(turned.from)} into a ${words(turned.to)}. `,
        `Best was ${turned.best}.`,
      ),
    ),
  );
}

/** @param {Step} step */
function bar({ turn, outcome }) {
  const element = html("span", { class: "bar" });
  if (!outcome || outcome.value === null) {
    element.classList.add("unknown");
  } else {
    const forX = turn === "x" ? score(outcome) - 50 : 50 - score(outcome);
    element.classList.add(forX > 0 ? "for-x" : forX < 0 ? "for-o" : "even");
    element.style.setProperty("--height", `${Math.abs(forX)}%`);
  }
  return element;
}
