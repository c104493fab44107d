// A game in which two sides mark cells: its moves, its address, undo and redo, and the side that inarow plays.

import { announce, button, byId, pause, remember, remembered, select, share } from "./dom.js";

/**
 * What the server says about a position in every game.
 * @typedef {object} TurnRecord
 * @property {string} position
 * @property {"x" | "o"} turn
 * @property {boolean} over
 */
/** @typedef {{begin: string, moves: string[], at: number}} Moves */
/**
 * @template {TurnRecord} T
 * @typedef {object} Plan
 * @property {string} path of the page
 * @property {{probe: (position: string) => Promise<T>, move: (position: string, seed: number) => Promise<{move: string | number}>}} source
 * @property {string} start
 * @property {(position: string, move: string) => string} after the text of the position after a move
 * @property {(record: T, before: T | null, persons: boolean) => void} show where we are, and where the last move was made
 * @property {(record: T) => string} sentence
 * @property {(move: string) => string} name of a move
 */

/**
 * @template {TurnRecord} T
 */
export class Turns {
  /** @param {Plan<T>} plan */
  constructor(plan) {
    this.plan = plan;
    this.settings = remembered(plan.path, { x: "inarow", o: "person", speed: "500" });
    /** @type {Moves} */
    this.game = history.state ?? this.#fromAddress();
    this.shown = 0;
    for (const [id, name] of /** @type {const} */ ([
      ["player-x", "x"],
      ["player-o", "o"],
      ["speed", "speed"],
    ])) {
      const choice = select(id);
      choice.value = this.settings[name];
      choice.addEventListener("change", () => {
        this.settings[name] = choice.value;
        remember(plan.path, this.settings);
        this.show();
      });
    }
    button("undo").addEventListener("click", () => this.undo());
    button("redo").addEventListener("click", () => this.redo());
    button("new").addEventListener("click", () => this.restart());
    button("share").addEventListener("click", () => share(button("share"), document.title));
    addEventListener("popstate", (event) => {
      this.game = event.state ?? this.#fromAddress();
      this.show();
    });
    addEventListener("keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.target instanceof HTMLInputElement) return;
      const key = event.key.toLowerCase();
      if (key !== "z" && key !== "y") return;
      event.preventDefault();
      if (key === "y" || event.shiftKey) this.redo();
      else this.undo();
    });
    this.#save(true);
    this.show();
  }

  /** @returns {Moves} */
  #fromAddress() {
    return {
      begin: new URLSearchParams(location.search).get("position") ?? this.plan.start,
      moves: [],
      at: 0,
    };
  }

  /** @param {number} at */
  position(at) {
    return this.game.moves.slice(0, at).reduce(this.plan.after, this.game.begin);
  }

  get here() {
    return this.position(this.game.at);
  }

  /** @param {boolean} [replace] */
  #save(replace = false) {
    const address = `?position=${this.here.replaceAll(" ", ",")}`;
    history[replace || address === location.search ? "replaceState" : "pushState"](this.game, "", address);
  }

  async show() {
    const number = ++this.shown;
    const { game, plan } = this;
    button("undo").disabled = game.at === 0;
    button("redo").disabled = game.at === game.moves.length;
    /** @type {T} */
    let record;
    /** @type {T | null} */
    let before = null;
    try {
      record = await plan.source.probe(this.here);
      if (game.at) before = await plan.source.probe(this.position(game.at - 1));
    } catch (error) {
      if (number === this.shown) this.#showError(/** @type {Error} */ (error));
      return;
    }
    if (number !== this.shown) return;
    const persons = this.settings[record.turn] === "person" && !record.over;
    plan.show(record, before, persons);
    byId("moves").scrollTop = byId("moves").scrollHeight;
    const last = game.at
      ? `${record.turn === "x" ? "O" : "X"} played ${plan.name(game.moves[game.at - 1])}. `
      : "";
    announce(last + plan.sentence(record));
    const through = game.at < game.moves.length;
    if (persons || record.over || through) return;
    try {
      const seed = Math.floor(Math.random() * 2 ** 31);
      const asked = plan.source.move(this.here, seed);
      const [{ move }] = await Promise.all([asked, pause(Number(this.settings.speed))]);
      if (number === this.shown) this.play(String(move));
    } catch (error) {
      if (number === this.shown) this.#showError(/** @type {Error} */ (error));
    }
  }

  /** @param {Error} error */
  #showError(error) {
    byId("status").className = "status wrong";
    byId("status").textContent = error.message;
  }

  /** @param {string} move */
  play(move) {
    const { moves, at, begin } = this.game;
    this.game = { begin, moves: [...moves.slice(0, at), move], at: at + 1 };
    this.#save();
    this.show();
  }

  /** @param {number} at */
  go(at) {
    this.game = { ...this.game, at };
    this.#save();
    this.show();
  }

  /** Whether a person plays the side to move after so many moves. */
  #persons(/** @type {number} */ at) {
    return this.settings[turnOf(this.position(at))] === "person";
  }

  undo() {
    if (!this.game.at) return;
    let at = this.game.at - 1;
    while (at > 0 && !this.#persons(at)) at--;
    this.go(this.#persons(at) ? at : this.game.at - 1);
  }

  redo() {
    const { moves } = this.game;
    let { at } = this.game;
    if (at === moves.length) return;
    at++;
    while (at < moves.length && !this.#persons(at)) at++;
    this.go(at);
  }

  restart() {
    this.game = { begin: this.plan.start, moves: [], at: 0 };
    this.#save();
    this.show();
  }
}

/**
 * The side to move, which follows from the marks or from the number of moves.
 * @param {string} position
 * @returns {"x" | "o"}
 */
function turnOf(position) {
  if (/\d/.test(position)) return position.split(/[ ,]+/).length % 2 ? "o" : "x";
  const count = (/** @type {string} */ mark) => position.split(mark).length;
  return position !== "start" && count("x") > count("o") ? "o" : "x";
}
