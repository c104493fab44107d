// The editor of the page of Quixo: a position set up by clicks or as text. Nothing else knows of it until it is done.

import { button, byId, input, onPress, select } from "./dom.js";
import { isPosition, longest, normal, parse, shapeOf, start, text } from "./quixo-position.js";
import { showRules } from "./quixo-rules.js";
import { source } from "./source.js";
import { t } from "./texts.js";

/** @typedef {import("./contract.js").QuixoRules} Rules */

const MARKS = /** @type {const} */ ([".", "x", "o"]);

export class QuixoEditor {
  /**
   * @param {import("./game.js").Game<Rules, any>} game
   * @param {import("./quixo-board.js").Board} board
   */
  constructor(game, board) {
    this.game = game;
    this.board = board;
    this.isOpen = false;
    /** @type {Rules} */
    this.rules = { rows: 0, columns: 0, line: 0, double_line: "loses" };
    this.position = "";
    this.checking = false;
    onPress(button("edit-cancel"), () => this.#cancel());
    onPress(button("edit-clear"), () => this.#set(start(this.rules)));
    byId("editor").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#finish();
    });
    input("edit-text").addEventListener("input", () => this.#read());
    select("edit-turn").addEventListener("change", () => {
      const turn = select("edit-turn").value === "o" ? "o" : "x";
      if (this.#isDrawn()) this.#set(text({ ...parse(this.position), turn }));
    });
  }

  toggle() {
    if (this.isOpen) this.#cancel();
    else this.#open();
  }

  #open() {
    const { game } = this;
    this.isOpen = true;
    this.rules = game.rules;
    game.suspend();
    byId("moves").replaceChildren();
    byId("moves-note").textContent = t("quixo.edit-moves");
    this.#set(game.here);
    game.say(t("quixo.editing"));
  }

  /** Closes the editor, without a change of the game. */
  close() {
    this.isOpen = false;
    byId("editor").hidden = true;
    button("edit").setAttribute("aria-pressed", "false");
    this.board.parent.classList.remove("stale");
    for (const id of ["line", "turn", "mirror", "new", "share"]) button(id).disabled = false;
  }

  #cancel() {
    this.close();
    this.game.show();
  }

  /** @param {string} cell */
  press(cell) {
    // Text that is no board yet is not overwritten: its writer has not finished.
    if (!this.#isDrawn()) return;
    const position = parse(this.position);
    position.marks[cell] = MARKS[(MARKS.indexOf(position.marks[cell]) + 1) % 3];
    this.#set(text(position));
  }

  /** @param {Rules} rules that were chosen in the menus */
  setRules(rules) {
    const { rows, columns } = this.rules;
    this.rules = rules;
    this.#set(rows === rules.rows && columns === rules.columns ? this.position : start(rules));
  }

  /** Whether the text is the board that is drawn. */
  #isDrawn() {
    return normal(input("edit-text").value) === this.position;
  }

  /** @param {string} position */
  #set(position) {
    input("edit-text").value = position.replace("_", " ");
    this.#draw(position);
  }

  /** Draws what has been typed, as soon as it is a board. */
  #read() {
    const typed = normal(input("edit-text").value);
    if (isPosition(typed)) this.#draw(typed);
    else this.board.parent.classList.add("stale");
  }

  /** @param {string} position */
  #draw(position) {
    this.position = position;
    const shape = shapeOf(position);
    // A board of another shape has another usual line.
    if (shape.rows !== this.rules.rows || shape.columns !== this.rules.columns) {
      this.rules = { ...this.rules, ...shape, line: longest(shape) };
    }
    this.board.parent.classList.remove("stale");
    this.board.show({ position, moves: [], hints: false, editing: true, last: null, won: [] });
    select("edit-turn").value = parse(position).turn;
    byId("edit-error").textContent = "";
    showRules(this.rules.rows, this.rules.columns, this.rules.line);
    byId("editor").hidden = false;
    button("edit").setAttribute("aria-pressed", "true");
    for (const id of ["undo", "redo", "line", "turn", "mirror", "new", "share"]) button(id).disabled = true;
  }

  async #finish() {
    if (this.checking) return;
    this.checking = true;
    const position = normal(input("edit-text").value);
    try {
      await source.quixo.probe(this.rules, position);
      if (!this.isOpen) return;
      this.close();
      this.game.restart(this.rules, position);
    } catch (error) {
      const { message, at } = /** @type {import("./refused.js").Refused} */ (error);
      byId("edit-error").replaceChildren(
        at === undefined ? message : t("quixo.character", { number: at + 1, message }),
      );
    } finally {
      this.checking = false;
    }
  }
}
