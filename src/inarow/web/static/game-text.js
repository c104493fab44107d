// The text of a game, as docs/game-format.md specifies it: read into lines of moves, and written from them. Whether the
// moves are legal is for the source to say.

import { t } from "./texts.js";

/** @typedef {{move: string, comment?: string, before?: string}} Told a move with comments behind and before it */
/** @typedef {Record<string, string>} Headers */
/** @typedef {{headers: Headers, lines: (Told & {at: number})[][], about: string, result: string}} Text `at` is where a move is in the text */

const ORDER = ["Game", "Size", "Line", "DoubleLine", "Variant", "Position", "X", "O", "Date", "Result"];
const RESULTS = ["1-0", "0-1", "1/2-1/2", "*"];
const WIDTH = 90;
const DEEPEST = 32;

/**
 * An error at a place of a text.
 * @param {string} text
 * @param {number} at
 * @param {string} message
 */
export function wrongAt(text, at, message) {
  const lines = text.slice(0, at).split("\n");
  return new Error(
    t("exchange.wrong-at", { line: lines.length, column: lines[lines.length - 1].length + 1, message }),
  );
}

const TOKEN = /\s*(?:(\[)|(\{(?:[^}\\]|\\[^])*\}?)|([()])|(\d+)(\.+)|([^\s[\](){}]+)|(.))/gy;

/**
 * Reads the first game of a text. Its errors name the line and the column.
 * @param {string} whole
 * @returns {Text}
 */
export function parseGame(whole) {
  const text = whole.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  const fail = (/** @type {number} */ at, /** @type {import("./texts.js").Key} */ key) => {
    throw wrongAt(text, at, t(key));
  };
  const plain = (/** @type {string} */ value) =>
    value
      .replace(/\\([^])/g, "$1")
      .replace(/\s+/g, " ")
      .trim();
  /** @type {Headers} */
  const headers = {};
  let result = "";
  /** @type {(Told & {at: number})[][]} */
  const lines = [];
  let about = "";
  /** @type {{path: (Told & {at: number})[], own: number, from: number, before: string}[]} */
  const open = [{ path: [], own: 0, from: 0, before: "" }];
  TOKEN.lastIndex = 0;
  for (let found; (found = TOKEN.exec(text));) {
    const [, bracket, comment, paren, , , word, other] = found;
    const at = found.index + found[0].search(/\S/);
    const line = open[open.length - 1];
    if (bracket) {
      const header = /\[\s*([A-Za-z]\w*)\s*"((?:[^"\\]|\\[^])*)"\s*\]/y;
      header.lastIndex = at;
      const parts = header.exec(text);
      if (line.path.length || open.length > 1 || !parts) throw wrongAt(text, at, t("exchange.bad-header"));
      if (parts[1] in headers) fail(at, "exchange.twice");
      headers[parts[1]] = plain(parts[2]);
      TOKEN.lastIndex = header.lastIndex;
    } else if (comment) {
      if (!comment.endsWith("}") || comment.endsWith("\\}")) fail(at, "exchange.no-end");
      const said = plain(comment.slice(1, -1));
      const last = line.path[line.path.length - 1];
      const joined = (/** @type {string | undefined} */ had) => (had ? `${had} ${said}` : said);
      if (line.path.length > line.own) last.comment = joined(last.comment);
      else line.before = joined(line.before);
    } else if (paren === "(") {
      if (line.path.length === line.own || open.length > DEEPEST) fail(at, "exchange.no-variation");
      const path = line.path.slice(0, -1).map((move) => ({ ...move }));
      open.push({ path, own: path.length, from: at, before: "" });
    } else if (paren) {
      if (open.length === 1 || line.path.length === line.own) fail(at, "exchange.no-variation");
      lines.push(line.path);
      open.pop();
    } else if (word && RESULTS.includes(word)) {
      if (open.length > 1) fail(at, "exchange.no-end");
      if (headers.Result && headers.Result !== word) fail(at, "exchange.two-results");
      result = word;
      break;
    } else if (word) {
      const before = line.path.length === line.own && line.before ? { before: line.before } : {};
      line.path.push({ move: word, at, ...(open.length > 1 ? before : {}) });
      if (open.length === 1 && before.before) about = before.before;
      line.before = line.path.length - line.own === 1 ? "" : line.before;
    } else if (other) {
      fail(at, "exchange.bad-header");
    }
  }
  const last = open[open.length - 1];
  if (open.length > 1) fail(last.from, "exchange.no-end");
  if (!headers.Game) fail(0, "exchange.bad-header");
  about ||= last.before;
  return { headers, lines: [last.path, ...lines], about, result: result || (headers.Result ?? "") };
}

/**
 * @typedef {object} Node
 * @property {Told} told
 * @property {number} line the first line that has it
 * @property {number} at how many moves have been made after it
 * @property {Node[]} children the first is the one that was played
 */

/**
 * Lines as a tree: what they share is there once.
 * @param {Told[][]} lines
 */
export function tree(lines) {
  /** @type {Node} */
  const root = { told: { move: "" }, line: 0, at: 0, children: [] };
  lines.forEach((moves, line) => {
    let node = root;
    moves.forEach((told, nth) => {
      let next = node.children.find((child) => child.told.move === told.move);
      if (!next) node.children.push((next = { told, line, at: nth + 1, children: [] }));
      node = next;
    });
  });
  return root;
}

/**
 * The number of a move, as it is written before it: "2." or "2...", and nothing before a second move that follows.
 * @param {number} at how many moves have been made after it
 * @param {boolean} second whether O made the first move
 * @param {boolean} always
 */
export function numbered(at, second, always) {
  const ply = at - 1 + Number(second);
  const number = Math.floor(ply / 2) + 1;
  return ply % 2 ? (always ? `${number}...` : "") : `${number}.`;
}

/**
 * Writes a game.
 * @param {{headers: Headers, lines: Told[][], about: string, second: boolean, result: string}} game `second`: O begins
 */
export function writeGame({ headers, lines, about, second, result }) {
  const known = ORDER.filter((name) => name === "Result" || headers[name]);
  const names = [...known, ...Object.keys(headers).filter((name) => !ORDER.includes(name))];
  const quoted = (/** @type {string} */ value) => value.replace(/["\\]/g, "\\$&");
  const head = names.map((name) => `[${name} "${quoted(name === "Result" ? result : headers[name])}"]\n`);
  /** @type {string[]} */
  const words = [];
  const remark = (/** @type {string | undefined} */ said) => {
    if (said) words.push(...`{${said.replace(/[}\\]/g, "\\$&")}}`.split(" "));
    return !!said;
  };
  const walk = (/** @type {Node} */ from, /** @type {boolean} */ first) => {
    let node = from;
    let fresh = first;
    while (node.children.length) {
      const [main, ...others] = node.children;
      fresh = put(main, fresh);
      for (const variation of others) {
        const begin = words.length;
        const after = put(variation, true);
        walk(variation, after);
        words[begin] = `(${words[begin]}`;
        words[words.length - 1] += ")";
        fresh = true;
      }
      node = main;
    }
  };
  const put = (/** @type {Node} */ { told, at }, /** @type {boolean} */ fresh) => {
    remark(told.before);
    const number = numbered(at, second, fresh);
    if (number) words.push(number);
    words.push(told.move);
    return remark(told.comment);
  };
  remark(about);
  walk(tree(lines), true);
  words.push(result);
  let written = "";
  let row = "";
  for (const word of words) {
    if (row && row.length + 1 + word.length > WIDTH) {
      written += `${row}\n`;
      row = word;
    } else {
      row = row ? `${row} ${word}` : word;
    }
  }
  return `${head.join("")}\n${written}${row}\n`;
}
