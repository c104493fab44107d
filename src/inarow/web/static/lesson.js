// The rules of a game in three steps on a real board, then a position to win. Loaded when it is asked for.

import { announce, button, byId, mayMove, onPress, pause } from "./dom.js";
import { more, t } from "./texts.js";

await more("lesson");

/**
 * @template F what a board shows at a moment
 * @typedef {object} Plan
 * @property {import("./texts.js").Key[]} texts of the three steps and of the task
 * @property {F[][]} steps what is shown one after the other in each step
 * @property {(parent: HTMLElement) => {draw: (frame: F) => void}} make
 * @property {() => void} attempt opens the position to win
 */

const FRAME = 1100; // milliseconds

/** @template F */
export class Lesson {
  /** @param {Plan<F>} plan */
  constructor(plan) {
    this.plan = plan;
    this.step = 0;
    this.shown = 0;
    this.dialog = /** @type {HTMLDialogElement} */ (byId("lesson"));
    this.board = plan.make(byId("lesson-board"));
    onPress(button("lesson-next"), () =>
      this.step < plan.steps.length - 1 ? this.#show(this.step + 1) : this.#try(),
    );
    onPress(button("lesson-back"), () => this.#show(this.step - 1));
    onPress(button("lesson-close"), () => this.dialog.close());
    this.dialog.addEventListener("close", () => this.shown++);
  }

  open() {
    this.dialog.showModal();
    this.#show(0);
  }

  #try() {
    this.dialog.close();
    this.plan.attempt();
  }

  /** @param {number} step */
  async #show(step) {
    const number = ++this.shown;
    const { steps, texts } = this.plan;
    this.step = step;
    byId("lesson-step").textContent = t("lesson.step", { number: step + 1, all: steps.length });
    const said = t(texts[step]);
    byId("lesson-text").textContent = said;
    announce(said);
    button("lesson-back").disabled = step === 0;
    button("lesson-next").textContent = t(step < steps.length - 1 ? "lesson.next" : "lesson.try");
    const frames = mayMove() ? steps[step] : steps[step].slice(-1);
    for (const frame of frames) {
      if (number !== this.shown) return;
      this.board.draw(frame);
      await pause(FRAME);
    }
  }
}
