// A game as text, SVG and GIF: to copy, paste, open and save. Loaded when it is first asked for.

import { announce, button, byId, onPress } from "./dom.js";
import { parseGame, writeGame, wrongAt } from "./game-text.js";
import { gifOf, svgOf } from "./picture.js";
import { more, t } from "./texts.js";

await more("exchange");

/** @typedef {import("./game-text.js").Headers} Headers */
/**
 * What a game must tell to be written and read.
 * @template R
 * @typedef {object} Form
 * @property {string} name in the header
 * @property {(rules: R, begin: string) => Headers} headers of its rules, and of the position if it is not the start
 * @property {(headers: Headers) => {rules: R, begin: string}} read
 * @property {(position: string, last: string | null) => import("./picture.js").Picture} picture
 */

/** Headers of the rules, and of the result, which the page knows. */
const OURS = new Set(["Game", "Size", "Line", "DoubleLine", "Variant", "Position", "Result"]);

const dialog = () => /** @type {HTMLDialogElement} */ (byId("exchange"));
const area = () => /** @type {HTMLTextAreaElement} */ (byId("exchange-text"));

export class Exchange {
  /**
   * @param {import("./game.js").Game<any, any>} game
   * @param {Form<any>} form
   */
  constructor(game, form) {
    this.game = game;
    this.form = form;
    onPress(button("exchange-copy"), () => this.#copy());
    onPress(button("exchange-load"), () => this.#load());
    onPress(button("exchange-close"), () => dialog().close());
    onPress(button("exchange-save"), () => this.#save("game", area().value));
    onPress(button("exchange-svg"), () => this.#save("svg", svgOf(this.#pictures()[game.state.at])));
    onPress(button("exchange-gif"), () => this.#save("gif", gifOf(this.#pictures(), 400)));
    const file = /** @type {HTMLInputElement} */ (byId("exchange-file"));
    onPress(button("exchange-open"), () => file.click());
    file.addEventListener("change", async () => {
      area().value = (await file.files?.[0]?.text()) ?? "";
      file.value = "";
      this.#load();
    });
  }

  open() {
    area().value = this.text();
    this.#say("");
    dialog().showModal();
    area().setSelectionRange(0, 0);
  }

  text() {
    const { state, settings, record } = this.game;
    const { rules, begin, lines, headers = {}, about = "" } = state;
    const names = Object.fromEntries(
      /** @type {const} */ (["x", "o"])
        .filter((side) => settings[side] !== "person")
        .map((side) => [side.toUpperCase(), "inarow"]),
    );
    const [main] = lines;
    const last = this.game.recall(main.length ? main[main.length - 1].position : begin) ?? record;
    const won = last?.winner ? (last.winner === "x" ? "1-0" : "0-1") : last?.over ? "1/2-1/2" : "*";
    const date = new Date();
    const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
    return writeGame({
      headers: {
        Date: day.map((part) => String(part).padStart(2, "0")).join("-"),
        ...names,
        ...headers,
        Game: this.form.name,
        ...this.form.headers(rules, begin),
      },
      lines,
      about,
      second: this.game.first === "o",
      result: state.drawn ? "1/2-1/2" : won,
    });
  }

  #pictures() {
    const { state, moves } = this.game;
    const made = [{ move: null, position: state.begin }, ...moves];
    return made.map(({ move, position }) => this.form.picture(position, move));
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(area().value);
      this.#say(t("exchange.copied"));
    } catch {
      area().select();
      this.#say(t("exchange.select-copy"));
    }
  }

  /** Takes the text as the game. */
  async #load() {
    const text = area().value;
    try {
      const { headers, lines, about } = parseGame(text);
      if (headers.Game.toLowerCase() !== this.form.name.toLowerCase()) {
        throw new Error(t("exchange.other-game", { game: headers.Game }));
      }
      const { rules, begin } = this.form.read(headers);
      const { game } = this;
      /** @type {import("./address.js").Made[][]} */
      const made = [];
      for (const line of lines) {
        const moves = line.map(({ move }) => move);
        const positions = await game.playThrough(begin, moves, rules).catch((error) => {
          const { at } = line[error.nth ?? 0] ?? { at: 0 };
          throw error.nth === undefined ? error : wrongAt(text, at, error.message);
        });
        made.push(
          positions.map((one, nth) => ({ ...one, comment: line[nth].comment, before: line[nth].before })),
        );
      }
      const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !OURS.has(name)));
      dialog().close();
      game.restart(rules, begin, made, { headers: kept, about });
    } catch (error) {
      this.#say(/** @type {Error} */ (error).message);
    }
  }

  /**
   * @param {string} ending
   * @param {string | Blob} content
   */
  #save(ending, content) {
    const blob = content instanceof Blob ? content : new Blob([content], { type: "text/plain" });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = `${this.form.name.toLowerCase()}.${ending}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    this.#say(t("exchange.saved", { name: link.download }));
  }

  /** @param {string} remark */
  #say(remark) {
    byId("exchange-note").textContent = remark;
    if (remark) announce(remark);
  }
}
