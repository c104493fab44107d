// Reads texts of games, as docs/game-format.md specifies them; it accepts and refuses what inarow/game_record.py does.
// Whether moves are legal, and where they lead, is for the source to say.

import { doubleLine, longest, normal, start, VARIANTS, variantsOf } from "./quixo-position.js";
import { Refused } from "./refused.js";
import { source } from "./source.js";
import { t } from "./texts.js";

/** @typedef {import("./texts.js").Key} Key */
/** @typedef {import("./address.js").Made} Made */
/**
 * A game of a text, with its moves played; `lines` has the game itself first, then the variations.
 * @typedef {object} ReadGame
 * @property {string} name of the game: "quixo"
 * @property {any} rules
 * @property {string} begin
 * @property {Record<string, string>} headers
 * @property {Made[][]} lines
 * @property {string} about a comment before the first move
 * @property {string} result "*" if there is none
 */
/**
 * A position as the source knows it.
 * @typedef {{position: string, turn: "x" | "o", over: boolean, winner: "x" | "o" | null, moves: any[]}} Known
 */
/** @typedef {(name: string, rules: any, position: string) => Promise<Known>} Ask */
/** @typedef {Map<string, {value: string, place: number}>} Headers with where each value begins */

const MOST_SIDE = 12;
const MOST_CELLS = 25;
const CUBE = 64;
const DEEPEST = 32;
const LETTERS = "abcdefghijklm";
const RESULTS = ["1-0", "0-1", "1/2-1/2", "*"];
const SPACES = " \t\r\n";
// What Python takes for a space in a position, which is more.
const SPACE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/; // eslint-disable-line no-control-regex

/** What is wrong, and where in a word or a value. */
class Wrong extends Error {
  /**
   * @param {string} message
   * @param {number} at
   */
  constructor(message, at) {
    super(message);
    this.at = at;
  }
}

/**
 * @param {number} at
 * @param {Key} key
 * @param {import("./texts.js").Values} [values]
 * @returns {never}
 */
function refuse(at, key, values = {}) {
  throw new Wrong(t(key, values), at);
}

/** @param {string} text */
const quoted = (text) => {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  return mark + (mark === "'" ? text.replace(/[\\']/g, "\\$&") : text.replaceAll("\\", "\\\\")) + mark;
};

/** @param {string} text */
const plain = (text) =>
  text
    .split(/[ \t\r\n]+/)
    .filter(Boolean)
    .join(" ");

/**
 * A text without the spaces around it, and where it begins.
 * @param {string} text
 */
function stripped(text) {
  const chars = [...text];
  const first = chars.findIndex((char) => !SPACE.test(char));
  const at = first < 0 ? chars.length : first;
  while (chars.length > at && SPACE.test(chars[chars.length - 1])) chars.pop();
  return { at, text: chars.slice(at).join("") };
}

/**
 * The sentence of a source that refuses; other errors are not about the text.
 * @param {unknown} error
 */
function refusal(error) {
  if (error instanceof Refused && !error.temporary) return error.message;
  throw error;
}

/**
 * What the reader must know of a game.
 * @typedef {object} Notation
 * @property {string[]} names of the headers of its rules
 * @property {(headers: (name: string, otherwise: string) => string) => any} rules throws `Wrong` about the header that it
 *   has asked for last
 * @property {(rules: any, position: string, ask: (position: string) => Promise<Known>) => Promise<string>} begin the
 *   position of a header, or of none; throws `Wrong`
 * @property {(rules: any, word: string) => string} move the move of a word; throws `Wrong`
 * @property {(rules: any, known: Known, move: string) => Promise<string>} after the position after a move; throws `Wrong`
 */

/** @type {Record<string, Notation>} */
const NOTATIONS = {
  quixo: {
    names: ["Size", "Line", "DoubleLine", "Variant"],
    rules: (header) => {
      const found = /^([0-9]{1,3})(?:[xX×]([0-9]{1,3}))?$/.exec(header("Size", "5x5"));
      if (!found) return refuse(0, "wrong.size");
      const shape = { rows: Number(found[1]), columns: Number(found[2] ?? found[1]) };
      const size = `${shape.rows}×${shape.columns}`;
      for (const name of /** @type {const} */ (["rows", "columns"])) {
        const count = shape[name];
        if (count < 2 || count > MOST_SIDE) refuse(0, `wrong.${name}`, { count, most: MOST_SIDE });
      }
      const cells = shape.rows * shape.columns;
      if (cells > MOST_CELLS) refuse(0, "wrong.cells", { size, cells, most: MOST_CELLS });
      const most = longest(shape);
      const length = header("Line", String(most));
      if (!/^[0-9]{1,2}$/.test(length)) refuse(0, "exchange.line-number", { text: quoted(length) });
      const line = Number(length);
      if (line < 2 || line > most) {
        const first = Array.from({ length: most - 2 }, (_, nth) => nth + 2).join(", ");
        if (first) refuse(0, "wrong.line", { line, first, last: most, size });
        refuse(0, "wrong.line-only", { line, only: most, size });
      }
      const double_line = header("DoubleLine", "loses");
      if (doubleLine(double_line) !== double_line) {
        refuse(0, "exchange.double-line", { text: quoted(double_line) });
      }
      const names = header("Variant", "").split(" ").filter(Boolean);
      for (const name of names) {
        if (!(name in VARIANTS)) refuse(0, "exchange.quixo-variant", { text: quoted(name) });
      }
      const variant = names.map((name) => [name, !VARIANTS[/** @type {keyof typeof VARIANTS} */ (name)]]);
      return { ...shape, line, double_line, ...variantsOf(Object.fromEntries(variant)) };
    },
    begin: async (rules, position) => (position ? quixoBoard(rules, position) : start(rules)),
    move: quixoMove,
    after: async (_, { over, moves }, move) => {
      if (over) refuse(0, "exchange.over", { move });
      const found = moves.find((one) => one.move === move);
      const [cell] = move.match(/[a-z]\d+/) ?? [];
      return found ? normal(found.position) : refuse(0, "exchange.opponents", { move, cell: cell ?? "" });
    },
  },
  qubic: {
    names: [],
    rules: () => null,
    begin: async (_, position, ask) => {
      let cells = "";
      [...position].forEach((char, place) => {
        if (char === "/" || SPACE.test(char)) return;
        if (!"xo.".includes(char)) refuse(place, "wrong.no-cell", { char: quoted(char) });
        if (cells.length === CUBE) refuse(place, "wrong.too-long", { cells: CUBE });
        cells += char;
      });
      if (!position) return ".".repeat(CUBE);
      if (cells.length < CUBE) {
        refuse([...position].length, "wrong.too-short", { count: cells.length, cells: CUBE });
      }
      await ask(cells).catch((error) => {
        throw new Wrong(refusal(error), 0);
      });
      return cells;
    },
    move: (_, word) => {
      const { at, text } = stripped(word);
      if (!/^[0-9]+$/.test(text)) refuse(at, "wrong.cell-number");
      if (text.length > 9 || Number(text) >= CUBE) {
        refuse(at, "wrong.no-such-cell", { cell: text.slice(0, 9), last: CUBE - 1 });
      }
      return String(Number(text));
    },
    after: async (_, { position, turn, moves }, move) => {
      const cell = Number(move);
      if (moves.includes(cell)) return position.slice(0, cell) + turn + position.slice(cell + 1);
      throw new Wrong(String(await source.qubic.probe(position, move).catch(refusal)), 0);
    },
  },
  ultimate: {
    names: ["Variant"],
    rules: (header) => {
      const variant = header("Variant", "open");
      if (!["open", "closed"].includes(variant)) refuse(0, "exchange.variant", { text: quoted(variant) });
      return { variant };
    },
    begin: async (rules, position, ask) => {
      const chars = [...position];
      if (stripped(position).text.toLowerCase() === "start") return "start";
      let reached = "start";
      for (let place = 0, ply = 1; place < chars.length; place++) {
        const begin = place;
        while (place < chars.length && chars[place] !== "," && !SPACE.test(chars[place])) place++;
        if (place === begin) continue;
        const word = chars.slice(begin, place).join("");
        let move;
        try {
          move = ultimateMove(word);
        } catch (error) {
          const { message, at } = /** @type {Wrong} */ (error);
          throw new Wrong(t("wrong.ply", { ply, message }), begin + at);
        }
        try {
          reached = await ultimateAfter(rules, await ask(reached), move);
        } catch (error) {
          if (!(error instanceof Wrong)) throw error;
          throw new Wrong(t("exchange.ply-move", { ply, message: error.message }), begin);
        }
        ply++;
      }
      return reached;
    },
    move: (_, word) => ultimateMove(word),
    after: ultimateAfter,
  },
};

/**
 * @param {{rows: number, columns: number}} rules
 * @param {string} text
 */
function quixoBoard({ rows, columns }, text) {
  const chars = [...text];
  const blank = chars.findIndex((char) => " _".includes(char));
  const end = blank < 0 ? chars.length : blank;
  chars.slice(0, end).forEach((char, place) => {
    if (!"xoXO./".includes(char)) refuse(place, "wrong.no-cell", { char: quoted(char) });
  });
  const size = `${rows}×${columns}`;
  const found = chars.slice(0, end).join("").split("/");
  let place = 0;
  for (const [nth, row] of found.entries()) {
    if (nth === rows) refuse(place - 1, "wrong.too-many-rows", { size, count: rows });
    if (row.length > columns) refuse(place + columns, "wrong.row-too-long", { size, count: columns });
    if (row.length < columns) refuse(place + row.length, "wrong.row-too-short", { size, count: columns });
    place += row.length + 1;
  }
  if (found.length < rows) refuse(end, "wrong.too-few-rows", { size, count: rows });
  const side = chars[end + 1];
  if (side === undefined) return refuse(chars.length, "wrong.side-missing");
  if (!"xoXO".includes(side)) refuse(end + 1, "wrong.no-side", { char: quoted(side) });
  if (chars.length > end + 2) refuse(end + 2, "wrong.continues");
  return `${found.join("/")}_${side}`.toLowerCase();
}

/**
 * @param {{rows: number, columns: number}} rules
 * @param {string} word
 */
function quixoMove({ rows, columns }, word) {
  const chars = [...word];
  const letters = LETTERS.slice(0, columns);
  const cellAt = (/** @type {number} */ place) => {
    let end = place + 1;
    while (end < chars.length && /[0-9]/.test(chars[end])) end++;
    const letter = chars[place]?.toLowerCase();
    const number = chars.slice(place + 1, end).join("");
    if (letter !== undefined && !letters.includes(letter)) {
      refuse(place, "exchange.no-column", { letter: quoted(chars[place]), last: letters[columns - 1] });
    }
    if (place + 1 >= chars.length) refuse(chars.length, "exchange.ends-early");
    const row = Number(number);
    if (number !== String(row) || row < 1 || row > rows) {
      refuse(place + 1, "exchange.no-row", { row: quoted(number || chars[place + 1]), rows });
    }
    return { name: letter + number, column: letters.indexOf(letter), row: row - 1, end };
  };
  const taken = cellAt(0);
  const pushed = cellAt(taken.end);
  if (pushed.end < chars.length) refuse(pushed.end, "exchange.two-cells");
  const isEnd = ({ column = 0, row = 0 }) =>
    (row === taken.row && (column === 0 || column === columns - 1)) ||
    (column === taken.column && (row === 0 || row === rows - 1));
  if (!isEnd(taken)) refuse(0, "exchange.border");
  if (pushed.name === taken.name) refuse(taken.end, "exchange.same-place");
  if (!isEnd(pushed)) {
    refuse(taken.end, "exchange.not-an-end", { cell: chars.slice(0, taken.end).join("") });
  }
  return taken.name + pushed.name;
}

/** @param {string} word */
function ultimateMove(word) {
  const chars = [...word];
  for (const [place, digit] of chars.slice(0, 2).entries()) {
    if (!"012345678".includes(digit)) {
      refuse(place, place ? "wrong.no-spot" : "wrong.no-field", { digit: quoted(digit) });
    }
  }
  if (chars.length !== 2) refuse(Math.min(chars.length, 2), "wrong.two-digits");
  return word;
}

/**
 * @param {{variant: "open" | "closed"}} rules
 * @param {Known} known
 * @param {string} move
 */
async function ultimateAfter({ variant }, { position, moves }, move) {
  if (moves.includes(move)) return position === "start" ? move : `${position} ${move}`;
  throw new Wrong(String(await source.ultimate.probe(position, move, variant).catch(refusal)), 0);
}

/**
 * What the source says of a position, in the same form for all games.
 * @type {Ask}
 */
export async function askSource(name, rules, position) {
  if (name === "qubic") return source.qubic.probe(position);
  if (name === "ultimate") return source.ultimate.probe(position, null, rules.variant);
  const found = await source.quixo.probe(rules, position);
  const turn = position.endsWith("x") ? "x" : "o";
  return { ...found, position, turn, over: !found.moves.length };
}

/**
 * Every game of a text. An error names the line and the column.
 * @param {string} text
 * @param {Ask} ask
 */
export async function readGames(text, ask) {
  return new Reader([...text], ask).games();
}

/** Walks through a text; `place` is where it has got to. */
class Reader {
  /**
   * @param {string[]} chars
   * @param {Ask} ask
   */
  constructor(chars, ask) {
    this.chars = chars;
    this.ask = ask;
    this.place = chars[0] === "\ufeff" ? 1 : 0; // some editors begin a file with a mark of order
  }

  async games() {
    /** @type {ReadGame[]} */
    const games = [];
    try {
      this.#skip();
      while (this.place < this.chars.length) {
        games.push(await this.#game());
        this.#skip();
      }
      if (!games.length) refuse(0, "exchange.none");
    } catch (error) {
      if (!(error instanceof Wrong)) throw error;
      const before = this.chars.slice(0, error.at);
      const line = before.filter((char) => char === "\n").length + 1;
      const column = before.length - before.lastIndexOf("\n");
      throw new Error(t("exchange.wrong-at", { line, column, message: error.message }));
    }
    return games;
  }

  /**
   * Does something with a part of the text, which knows the places in that part alone.
   * @template T
   * @param {() => number} place where the part begins
   * @param {() => T | Promise<T>} work
   */
  async #at(place, work) {
    try {
      return await work();
    } catch (error) {
      throw error instanceof Wrong ? new Wrong(error.message, place() + error.at) : error;
    }
  }

  // --- Headers ---

  async #game() {
    const first = this.place;
    /** @type {Headers} */
    const headers = new Map();
    while (this.#peek() === "[") {
      const { name, value, place } = this.#header();
      if (headers.has(name)) refuse(place, "exchange.second", { name });
      headers.set(name, { value, place });
    }
    const game = headers.get("Game") ?? refuse(first, "exchange.headers-first");
    const name = game.value.toLowerCase();
    if (!Object.hasOwn(NOTATIONS, name)) {
      refuse(game.place, "exchange.no-game", { name: quoted(game.value) });
    }
    for (const { names } of Object.values(NOTATIONS)) {
      for (const theirs of names) {
        const header = headers.get(theirs);
        if (header && !NOTATIONS[name].names.includes(theirs)) {
          refuse(header.place, "exchange.other-header", { game: game.value, name: theirs });
        }
      }
    }
    const notation = NOTATIONS[name];
    let place = 0;
    const read = (/** @type {string} */ header, /** @type {string} */ otherwise) => {
      place = headers.get(header)?.place ?? 0;
      return headers.get(header)?.value ?? otherwise;
    };
    const where = () => place;
    const rules = await this.#at(where, () => notation.rules(read));
    const look = (/** @type {string} */ position) => this.ask(name, rules, position);
    const begin = await this.#at(where, () => notation.begin(rules, read("Position", ""), look));
    const date = headers.get("Date");
    if (date?.value && !isDate(date.value)) {
      refuse(date.place, "exchange.date", { text: quoted(date.value) });
    }
    this.game = { name, rules, notation, look };
    const known = await look(begin);
    /** @type {Made[][]} */
    const lines = [];
    const { about, end } = await this.#line(known, known.turn === "x" ? 0 : 1, [], lines);
    const result = this.#result(headers.get("Result"), end);
    const values = Object.fromEntries([...headers].map(([header, { value }]) => [header, value]));
    return { name, rules, begin, headers: values, lines, about, result };
  }

  /** A name, its value and where the value begins. */
  #header() {
    this.#take("[");
    const begin = this.place;
    while (/[A-Za-z0-9_]/.test(this.#peek())) this.place++;
    const name = this.chars.slice(begin, this.place).join("");
    if (!/^[A-Za-z]/.test(name)) refuse(begin, "exchange.header-name");
    this.#skip();
    this.#take('"');
    const place = this.place;
    const value = plain(this.#until('"', "exchange.value-no-end"));
    this.#skip();
    this.#take("]");
    this.#skip();
    return { name, value, place };
  }

  // --- Moves ---

  /**
   * A line up to its end.
   * @param {Known} begin
   * @param {number} half of its first move: X's are even, and two make a number
   * @param {Made[]} path the moves before it
   * @param {Made[][]} lines where it is added, before its variations
   * @param {number} [depth]
   */
  async #line(begin, half, path, lines, depth = 0) {
    const { rules, notation, look } = /** @type {NonNullable<Reader["game"]>} */ (this.game);
    const made = [...path];
    lines.push(made);
    let before = begin;
    let known = begin;
    let about = "";
    for (;;) {
      this.#skip();
      const char = this.#peek();
      const last = made.length > path.length ? made[made.length - 1] : null;
      if (char === "{") {
        this.place++;
        const said = this.#until("}", "exchange.comment-no-end");
        if (last) last.comment = plain(`${last.comment ?? ""} ${said}`) || undefined;
        else about = plain(`${about} ${said}`);
      } else if (char === "(") {
        if (!last) refuse(this.place, "exchange.variation-of-nothing");
        if (depth === DEEPEST) refuse(this.place, "exchange.too-deep", { most: DEEPEST });
        const opened = this.place++;
        const shared = made.slice(0, -1).map((one) => ({ ...one }));
        const inside = await this.#line(
          before,
          half + made.length - path.length - 1,
          shared,
          lines,
          depth + 1,
        );
        if (this.#peek() !== ")") refuse(opened, "exchange.variation-no-end");
        if (inside.made.length === shared.length) refuse(opened, "exchange.empty-variation");
        if (inside.about) inside.made[shared.length].before = inside.about;
        this.place++;
      } else if (!char || char === "[" || (char === ")" && depth)) {
        break;
      } else if (")}]".includes(char)) {
        refuse(this.place, "exchange.nothing-open", { char: quoted(char) });
      } else {
        const { word, place } = this.#word();
        if (RESULTS.includes(word) && !depth) {
          this.place = place;
          break;
        }
        const number = /^[0-9]+\.+/.exec(word)?.[0] ?? "";
        const nth = half + made.length - path.length;
        const expected = `${Math.floor(nth / 2) + 1}${nth % 2 ? "..." : "."}`;
        if (number && number !== expected) {
          refuse(place, "exchange.number", { found: quoted(number.slice(0, 20)), expected });
        }
        const rest = word.slice(number.length);
        if (!rest) continue;
        const here = known;
        made.push(
          await this.#at(
            () => place + number.length,
            async () => {
              const move = notation.move(rules, rest);
              return { move, position: await notation.after(rules, here, move) };
            },
          ),
        );
        before = known;
        known = await look(made[made.length - 1].position);
      }
    }
    return { made, about, end: known };
  }

  /**
   * What the header and the word after the moves say, which must agree with the last position.
   * @param {{value: string, place: number} | undefined} header
   * @param {Known} end
   */
  #result(header, end) {
    const said = header ? [{ word: header.value, place: header.place }] : [];
    if (!["", "["].includes(this.#peek())) said.push(this.#word());
    const is = end.over ? (end.winner ? { x: "1-0", o: "0-1" }[end.winner] : "1/2-1/2") : null;
    for (const { word, place } of said) {
      if (!RESULTS.includes(word)) refuse(place, "exchange.no-result", { text: quoted(word) });
      if (is && is !== word) refuse(place, "exchange.must-result", { result: is });
    }
    if (said.length > 1 && said[0].word !== said[1].word) {
      refuse(said[1].place, "exchange.header-says", { result: said[0].word });
    }
    return said[0]?.word ?? is ?? "*";
  }

  // --- Characters ---

  #peek() {
    return this.chars[this.place] ?? "";
  }

  #skip() {
    while (this.place < this.chars.length && SPACES.includes(this.chars[this.place])) this.place++;
  }

  /** @param {string} char */
  #take(char) {
    if (this.#peek() !== char) refuse(this.place, "exchange.missing", { char: quoted(char) });
    this.place++;
  }

  /** The characters up to a space or a bracket, at least one, and where they begin. */
  #word() {
    const place = this.place++;
    while (this.#peek() && !`${SPACES}{}()[]`.includes(this.#peek())) this.place++;
    return { word: this.chars.slice(place, this.place).join(""), place };
  }

  /**
   * The text up to an end, which is passed; a backslash takes the next character as it is.
   * @param {string} end
   * @param {"exchange.value-no-end" | "exchange.comment-no-end"} key
   */
  #until(end, key) {
    const begin = this.place;
    let found = "";
    while (this.#peek() !== end) {
      if (this.#peek() === "\\") this.place++;
      if (!this.#peek()) refuse(begin - 1, key, { end: quoted(end) });
      found += this.chars[this.place++];
    }
    this.place++;
    return found;
  }
}

/**
 * Whether a text is a year, a month or a day of the calendar.
 * @param {string} text
 */
function isDate(text) {
  const found = /^([0-9]{4})(?:-([0-9]{2}))?(?:-([0-9]{2}))?$/.exec(text);
  if (!found) return false;
  const [year, month, day] = found.slice(1).map((part) => Number(part ?? 1));
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
