// The text of a game, as docs/game-format.md specifies it, written from lines of moves.

/** @typedef {{move: string, comment?: string, before?: string}} Told a move with comments behind and before it */
/** @typedef {Record<string, string>} Headers */

const ORDER = ["Game", "Size", "Line", "DoubleLine", "Variant", "Position", "X", "O", "Date", "Result"];
const WIDTH = 90;

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
