// The course of a game: a column for each position, up where X is better and down where O is, and the turning points.

import { html } from "./dom.js";
import { distanceWords, score, words } from "./values.js";
import { t } from "./texts.js";

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
  if (!outcome || outcome.value === null) return t("values.unknown");
  if (outcome.value === "draw") return t("values.draw");
  const winner = (outcome.value === "win") === (turn === "x") ? "x" : "o";
  if (outcome.plies === 0) return t(`quixo.${winner}-won`);
  if (outcome.plies === null) return t(`quixo.${winner}-wins`);
  return t(`quixo.${winner}-wins-in`, { distance: distanceWords(outcome.plies) });
}

/**
 * @param {HTMLElement} parent
 * @param {Step[]} steps
 * @param {number} at the position on the board
 * @param {(at: number) => void} go
 */
export function showStrip(parent, steps, at, go) {
  const had = parent.contains(document.activeElement);
  parent.replaceChildren(
    ...steps.map((step, nth) => {
      const by = step.turn === "x" ? "O" : "X";
      const name =
        nth === 0 ? t("quixo.start") : t("quixo.step", { number: nth, side: by, move: step.move ?? "" });
      const said = t("quixo.with-value", { what: name, value: balance(step) });
      const whole = step.turned
        ? t("quixo.step-turned", { step: said, from: words(step.turned.from), to: words(step.turned.to) })
        : said;
      const column = html(
        "button",
        {
          type: "button",
          class: `step${step.turned ? " turned" : ""}`,
          "aria-label": whole,
          title: whole,
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
