// A game as text, SVG and GIF: to copy, paste, open and save. Loaded when it is first asked for.

import { announce, button, byId, html, onPress, select } from "./dom.js";
import { askSource, readGames } from "./game-reader.js";
import { writeGame } from "./game-text.js";
import { gifOf, svgOf } from "./picture.js";
import { more, t } from "./texts.js";

await more("exchange");

/** @typedef {import("./game-text.js").Headers} Headers */
/**
 * What a game must tell to be written.
 * @template R
 * @typedef {object} Form
 * @property {string} name in the header
 * @property {(rules: R, begin: string) => Headers} headers of its rules, and of the position if it is not the start
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
    /** @type {import("./game-reader.js").ReadGame[]} */
    this.games = [];
    select("exchange-which").addEventListener("change", () =>
      this.#take(this.games[Number(select("exchange-which").value)]),
    );
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
    select("exchange-which").hidden = true;
    this.#say("");
    dialog().showModal();
    area().setSelectionRange(0, 0);
    area().scrollTop = 0;
  }

  text() {
    const { state, settings, record } = this.game;
    const { rules, begin, lines, headers = {}, about = "", result = "*" } = state;
    const names = Object.fromEntries(
      /** @type {const} */ (["x", "o"])
        .filter((side) => settings[side] !== "person")
        .map((side) => [side.toUpperCase(), "inarow"]),
    );
    const [main] = lines;
    const last = this.game.recall(main.length ? main[main.length - 1].position : begin) ?? record;
    const won = last?.winner ? (last.winner === "x" ? "1-0" : "0-1") : last?.over ? "1/2-1/2" : result;
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

  /** Takes the game of the text, or lets one be chosen. */
  async #load() {
    const { game } = this;
    select("exchange-which").hidden = true;
    this.#say(t("exchange.reading"));
    try {
      this.games = await readGames(area().value, (name, rules, position) =>
        name === game.plan.name ? game.probe(position, rules) : askSource(name, rules, position),
      );
      const ours = this.games.filter(({ name }) => name === game.plan.name);
      if (!ours.length) {
        this.#say(t("exchange.other-game", { game: this.games[0].headers.Game }));
      } else if (this.games.length === 1) {
        this.#take(ours[0]);
      } else {
        this.#offer();
        this.#say(t("exchange.several", { count: this.games.length }));
      }
    } catch (error) {
      this.#say(/** @type {Error} */ (error).message);
    }
  }

  /** Lists the games of the text; only those of the page can be taken. */
  #offer() {
    const count = this.games.length;
    const which = select("exchange-which");
    which.replaceChildren(
      html("option", { value: "", disabled: true }, t("exchange.several", { count })),
      ...this.games.map(({ name, headers: { Game, X, O, Date } }, nth) => {
        const players = [Game, [X ?? "X", O ?? "O"].join("–"), Date].filter(Boolean).join(", ");
        const words = t("exchange.nth", { number: nth + 1, count, players });
        return html("option", { value: nth, disabled: name !== this.game.plan.name }, words);
      }),
    );
    which.value = "";
    which.hidden = false;
    which.focus();
  }

  /** @param {import("./game-reader.js").ReadGame} read */
  #take({ rules, begin, lines, headers, about, result }) {
    const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !OURS.has(name)));
    dialog().close();
    this.game.restart(rules, begin, lines, { headers: kept, about, result });
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
