// A game on a page: its moves, undo and redo, the sides that inarow plays, and what is known about each position.
// Nothing can be played from the moment of a move until its position is on the board with its record.

import { Address, newState, positionOf } from "./address.js";
import {
  announce,
  button,
  byId,
  capital,
  onPress,
  pause,
  remember,
  remembered,
  select,
  share,
} from "./dom.js";
import { t } from "./texts.js";

/** @typedef {import("./contract.js").Mark} Mark */
/** @typedef {{position: string, turn: Mark, over: boolean}} TurnRecord what is known of a position in every game */
/** @typedef {{x: string, o: string, speed: string} & Record<string, string | boolean>} Settings each side is "person" or "inarow" */
/**
 * What the page of a game must know.
 * @template R the rules
 * @template {TurnRecord} T
 * @typedef {object} Plan
 * @property {string} name under which the settings are kept
 * @property {Settings} settings unless others were chosen
 * @property {(search: URLSearchParams) => {rules: R, begin: string, made?: import("./address.js").Made[]}} read
 * @property {(rules: R, position: string) => string} write the query of an address
 * @property {(rules: R) => string | null} start where games begin; null if positions tell their moves
 * @property {(asked: {rules: R, begin: string}) => {rules: R, begin: string}} instead where the address is wrong
 * @property {(rules: R, position: string) => Promise<T>} probe
 * @property {(record: T, move: string) => Promise<string>} after the position after a move
 * @property {(record: T) => Promise<string>} choose inarow's move
 * @property {(move: string) => string} moveWords
 * @property {(record: T) => string} sentence
 * @property {(record: T | null, slide: boolean) => Promise<void> | void} [expect] draws a position of which nothing may be
 *   known yet, with its last move sliding
 * @property {(record: T) => Promise<void> | void} show
 * @property {(record: T) => string | null} [stop] why inarow does not play on here, in words
 * @property {import("./exchange.js").Form<R>} form how it is written as text and drawn
 * @property {() => import("./lesson.js").Plan<any>} lesson the rules in three steps
 * @property {() => void} [leave] when another position comes from outside the page
 * @property {() => void} [controls] updates what else depends on the game
 */

/** @param {Mark} mark */
export const other = (mark) => (mark === "x" ? "o" : "x");

/** A seed for what a player leaves to chance. */
export const chance = () => Math.floor(Math.random() * 2 ** 31);

/**
 * @template R
 * @template {TurnRecord} T
 */
export class Game {
  /** @param {Plan<R, T>} plan */
  constructor(plan) {
    this.plan = plan;
    this.settings = remembered(plan.name, plan.settings);
    /** @type {Map<string, Promise<T>>} */
    this.asked = new Map();
    /** @type {Map<string, T>} */
    this.known = new Map();
    this.address = new Address(plan.read, plan.write, plan.start, (state) => this.#arrive(state));
    this.state = this.address.open();
    /** @type {T | null} */
    this.record = null; // of the position on the board
    /** @type {Mark | null} */
    this.first = null; // the side to move at the beginning, once that is known
    this.ready = false;
    this.suspended = false;
    this.followedFrom = 0;
    this.following = false; // the best line: inarow plays both sides
    this.failed = false;
    /** @type {import("./exchange.js").Exchange | undefined} */
    this.exchange = undefined;
    /** @type {import("./lesson.js").Lesson<any> | undefined} */
    this.lesson = undefined;
    this.shown = 0; // counts the positions shown, so that late answers about earlier ones are dropped
    this.#listen();
  }

  #listen() {
    for (const [id, name] of /** @type {const} */ ([
      ["player-x", "x"],
      ["player-o", "o"],
      ["speed", "speed"],
    ])) {
      select(id).addEventListener("change", () => this.set(name, select(id).value));
    }
    button("undo").addEventListener("click", () => this.undo());
    button("redo").addEventListener("click", () => this.redo());
    onPress(button("share"), () => share(button("share"), document.title));
    onPress(button("resume"), () => this.#resume());
    onPress(button("game-text"), async () => {
      const { Exchange } = await import("./exchange.js");
      this.exchange ??= new Exchange(this, this.plan.form);
      this.exchange.open();
    });
    const seen = remembered("lessons", /** @type {Record<string, boolean>} */ ({}));
    const dismiss = () => {
      byId("welcome").hidden = true;
      remember("lessons", { ...seen, [this.plan.name]: true });
    };
    byId("welcome").hidden = !!seen[this.plan.name] || location.search !== "";
    const learn = async () => {
      dismiss();
      const { Lesson } = await import("./lesson.js");
      this.lesson ??= new Lesson(this.plan.lesson());
      this.lesson.open();
    };
    onPress(button("learn"), learn);
    onPress(button("welcome-show"), learn);
    onPress(button("welcome-no"), dismiss);
    addEventListener("keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.target instanceof HTMLInputElement) return;
      const key = event.key.toLowerCase();
      if (key !== "z" && key !== "y") return;
      event.preventDefault();
      if (key === "y" || event.shiftKey) this.redo();
      else this.undo();
    });
  }

  /** Shows the game of the address; if there is none, says why, and shows another. */
  async open() {
    const { rules, begin } = this.state;
    let wrong = null;
    if (!this.moves.length || this.state.shared) {
      try {
        await this.probe(this.here);
      } catch (error) {
        const refused = /** @type {import("./refused.js").Refused} */ (error);
        if (!refused.temporary) {
          wrong = refused;
          const instead = this.plan.instead({ rules, begin });
          this.state = { ...newState(instead.rules, instead.begin), shared: true };
        }
      }
    }
    this.address.save(this.state, false);
    await this.show();
    if (wrong) this.say(capital(wrong.message), true);
    else if (this.state.told) await this.#replay(this.state.told);
  }

  /**
   * Plays the moves of an address, to know the positions before the one on the board.
   * @param {NonNullable<import("./address.js").State<R>["told"]>} told
   */
  async #replay({ begin, moves }) {
    const { state, here } = this;
    const from = begin ?? this.plan.start(this.rules) ?? here;
    const made = await this.playThrough(from, moves).catch(() => []);
    if (state !== this.state) return;
    const fits = made.length === moves.length && made[made.length - 1].position === here;
    this.state = fits
      ? { ...newState(this.rules, from), lines: [made], at: made.length, shared: true }
      : { ...newState(this.rules, here), shared: true };
    this.address.save(this.state, false);
    await this.show();
    if (!fits) this.say(t("game.moves-wrong"), true);
  }

  /**
   * Moves with the positions after them; rejects at the first that is not legal.
   * @param {string} begin
   * @param {string[]} moves
   * @param {R} [rules]
   */
  async playThrough(begin, moves, rules = this.rules) {
    /** @type {import("./address.js").Made[]} */
    const made = [];
    let position = begin;
    for (const [nth, move] of moves.entries()) {
      const error = Object.assign(new Error(t("game.illegal", { number: nth + 1, move })), { nth });
      const record = await this.probe(position, rules);
      position = await this.plan.after(record, move).catch(() => "");
      if (!position) throw error;
      made.push({ move, position });
    }
    if (!moves.length) await this.probe(position, rules);
    return made;
  }

  // --- What is known ---

  get here() {
    return positionOf(this.state);
  }

  /** @param {number} at */
  positionAt(at) {
    return positionOf({ ...this.state, at: Math.max(0, at) });
  }

  get rules() {
    return this.state.rules;
  }

  /** The line that is looked at. */
  get moves() {
    return this.state.lines[this.state.line];
  }

  /** The last move, if there is one. */
  get last() {
    const { at } = this.state;
    return at ? this.moves[at - 1].move : null;
  }

  /** The moves that led here. */
  get played() {
    return this.moves.slice(0, this.state.at).map(({ move }) => move);
  }

  /**
   * @param {string} position
   * @param {R} [rules]
   */
  #key(position, rules = this.rules) {
    return `${JSON.stringify(rules)} ${position}`;
  }

  /** @param {string} position */
  recall(position) {
    return this.known.get(this.#key(position)) ?? null;
  }

  /**
   * @param {T} record
   * @param {R} [rules]
   */
  keep(record, rules = this.rules) {
    this.known.set(this.#key(record.position, rules), record);
    return record;
  }

  /**
   * @param {string} position
   * @param {R} [rules]
   * @returns {Promise<T>}
   */
  probe(position, rules = this.rules) {
    const key = this.#key(position, rules);
    const known = this.known.get(key);
    if (known) return Promise.resolve(known);
    let asked = this.asked.get(key);
    if (!asked) {
      asked = this.plan.probe(rules, position).then((record) => {
        this.known.set(key, record);
        return record;
      });
      asked.catch(() => {}).finally(() => this.asked.delete(key));
      this.asked.set(key, asked);
    }
    return asked;
  }

  /**
   * The side to move after so many moves, if that is known: sides take turns.
   * @param {number} at
   */
  turnAt(at) {
    return this.first && at % 2 ? other(this.first) : this.first;
  }

  /** @param {number} at */
  #persons(at) {
    const turn = this.turnAt(at);
    return turn !== null && this.settings[turn] === "person";
  }

  /** Whether a person may make a move now. */
  get persons() {
    const { record } = this;
    return (
      !!record &&
      !record.over &&
      !this.state.drawn &&
      !this.following &&
      this.settings[record.turn] === "person"
    );
  }

  // --- Showing ---

  /** @param {boolean} [slide] whether the last move is shown in motion */
  async show(slide = false) {
    const number = ++this.shown;
    this.ready = false;
    this.failed = false;
    this.suspended = false;
    this.record = this.recall(this.here);
    this.#controls();
    const drawn = this.plan.expect?.(this.record, slide);
    try {
      const record = await this.probe(this.here);
      await drawn;
      if (number !== this.shown) return;
      this.record = record;
      this.first = this.state.at % 2 ? other(record.turn) : record.turn;
      this.ready = true;
      const shown = this.plan.show(record);
      const by = other(record.turn).toUpperCase();
      const made =
        this.last === null ? "" : t("game.played", { side: by, move: this.plan.moveWords(this.last) });
      announce(made + this.plan.sentence(record));
      await shown;
      if (number === this.shown) await this.#proceed(record, number);
    } catch (error) {
      if (number === this.shown) this.#fail(/** @type {Error} */ (error));
    }
  }

  #controls() {
    const { at } = this.state;
    select("player-x").value = this.settings.x;
    select("player-o").value = this.settings.o;
    select("speed").value = this.settings.speed;
    button("undo").disabled = at === 0;
    button("redo").disabled = at === this.moves.length;
    const waits = this.ready && !!this.record && !this.record.over && !this.persons && this.#isHeld();
    button("resume").hidden = !waits && !this.failed;
    button("resume").textContent = t(this.failed ? "game.try-again" : "game.let-move");
    this.plan.controls?.();
  }

  /** Whether inarow waits: somebody looks through the game, or has just been sent it. */
  #isHeld() {
    return (
      !this.following && (this.state.at < this.moves.length || !!this.state.shared || !!this.state.drawn)
    );
  }

  /**
   * A remark on the game, in place of the status.
   * @param {string} remark
   * @param {boolean} [wrong]
   */
  say(remark, wrong = false) {
    byId("status").className = "status";
    byId("status").classList.toggle("wrong", wrong);
    byId("status").replaceChildren(remark);
    announce(remark);
  }

  /** @param {Error} error */
  #fail(error) {
    this.failed = true;
    this.following = false;
    this.#controls();
    this.say(capital(error.message), true);
  }

  // --- Moves ---

  /**
   * Makes a person's move; nothing happens unless the board is ready for one.
   * @param {string} move
   */
  play(move) {
    if (this.ready && this.persons) this.#make(move, true);
  }

  /**
   * @param {string} move
   * @param {boolean} decided by a person
   */
  async #make(move, decided) {
    const number = ++this.shown;
    this.ready = false;
    try {
      const position = await this.plan.after(/** @type {T} */ (this.record), move);
      if (number !== this.shown) return;
      const { at } = this.state;
      this.#lead([...this.moves.slice(0, at), { move, position }], decided);
      await this.show(true);
    } catch (error) {
      if (number === this.shown) this.#fail(/** @type {Error} */ (error));
    }
  }

  /**
   * Makes the next move, if it is inarow's to make.
   * @param {T} record
   * @param {number} number
   */
  async #proceed(record, number) {
    const stop = record.over ? null : (this.plan.stop?.(record) ?? null);
    if (stop !== null) this.say(stop);
    const begins = this.following && this.state.at === this.followedFrom;
    if (record.over || stop !== null) this.following = false;
    this.#controls();
    if (record.over || stop !== null || this.persons || this.#isHeld()) return;
    const [move] = await Promise.all([this.plan.choose(record), pause(Number(this.settings.speed) * 0.7)]);
    if (number === this.shown) await this.#make(move, begins);
  }

  #resume() {
    if (!this.failed) this.#lead(this.moves.slice(0, this.state.at), false);
    this.show();
  }

  /**
   * Starts or stops the best line, from here or from an earlier position.
   * @param {number} [at]
   */
  follow(at = this.state.at) {
    this.following = !this.following;
    this.followedFrom = at;
    if (this.following) this.#lead(this.moves.slice(0, at), false);
    this.show();
  }

  /**
   * Looks at a line, up to its end. A line that it leaves stays as a variation, and one that it continues becomes it.
   * @param {import("./address.js").Made[]} path
   * @param {boolean} decided by a person
   */
  #lead(path, decided) {
    const { lines, line, at } = this.state;
    const ends = at === this.moves.length;
    const all = ends ? lines.map((one, nth) => (nth === line ? path : one)) : [...lines, path];
    const continues = (/** @type {typeof path} */ longer, /** @type {typeof path} */ shorter) =>
      shorter.every(({ move }, nth) => longer[nth]?.move === move);
    const kept = all.filter(
      (one, nth) =>
        one === path ||
        !all.some(
          (other_, other_nth) =>
            nth !== other_nth && continues(other_, one) && (other_.length > one.length || other_nth < nth),
        ),
    );
    this.#change({ lines: kept, line: kept.indexOf(path), at: path.length, result: undefined }, decided);
  }

  /**
   * @param {Partial<import("./address.js").State<R>>} change
   * @param {boolean} decided by a person
   */
  #change(change, decided) {
    this.state = { ...this.state, drawn: false, ...change, shared: false, told: undefined };
    this.address.save(this.state, decided);
  }

  /** @param {import("./address.js").State<R>} state */
  #arrive(state) {
    this.plan.leave?.();
    this.following = false;
    if (state.begin !== this.state.begin) this.first = null;
    this.state = state;
    this.show();
  }

  /**
   * To another position of the game.
   * @param {number} at
   * @param {number} [line]
   */
  go(at, line = this.state.line) {
    const forth = at === this.state.at + 1 && line === this.state.line;
    this.following = false;
    this.#change({ at, line }, true);
    this.show(forth);
  }

  /** Ends the game as a draw, on which the players agree. */
  agree() {
    this.#change({ drawn: true }, true);
    this.show();
  }

  /** Back to a person's last choice. */
  undo() {
    const before = this.state.at - 1;
    if (before < 0 || button("undo").disabled) return;
    let at = before;
    while (at > 0 && !this.#persons(at)) at--;
    // The first move may not be a person's: inarow would only make it again.
    this.go(this.#persons(at) ? at : before);
  }

  redo() {
    const { moves } = this;
    let at = this.state.at + 1;
    if (at > moves.length || button("redo").disabled) return;
    while (at < moves.length && !this.#persons(at)) at++;
    this.go(at);
  }

  /**
   * Begins another game, or takes one with its lines.
   * @param {R} rules
   * @param {string} begin
   * @param {import("./address.js").Made[][]} [lines]
   * @param {{headers?: Record<string, string>, about?: string, result?: string}} [more]
   */
  restart(rules, begin, lines = [[]], { headers, about, result } = {}) {
    this.following = false;
    this.first = null;
    const told = { headers, about, result };
    this.#change({ ...newState(rules, begin), ...told, lines, at: lines[0].length }, true);
    this.show();
  }

  /**
   * The same game with other names for its cells.
   * @param {R} rules
   * @param {string} begin
   * @param {import("./address.js").Made[][]} lines
   */
  rename(rules, begin, lines) {
    this.#change({ rules, begin, lines }, true);
    this.show();
  }

  /** Drops answers that are still to come; nothing can be played until something is shown again. */
  suspend() {
    this.shown++;
    this.suspended = true;
    this.ready = false;
    this.following = false;
    this.#controls();
  }

  /**
   * A position for a person as X against inarow.
   * @param {R} rules
   * @param {string} begin
   */
  pose(rules, begin) {
    Object.assign(this.settings, { x: "person", o: "inarow" });
    this.restart(rules, begin);
  }

  /**
   * @param {string} name
   * @param {string | boolean} value
   */
  set(name, value) {
    Object.assign(this.settings, { [name]: value });
    remember(this.plan.name, this.settings);
    if (this.suspended) return;
    if (name === "x" || name === "o") this.#change({}, false);
    this.show();
  }
}
