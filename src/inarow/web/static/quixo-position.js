// Positions and moves of Quixo as text: cells have names like a1, the column from the left and the row from the bottom.
// What is legal and what it is worth, the server knows.

/** @typedef {"x" | "o"} Mark */
/** @typedef {{size: number, marks: Record<string, Mark | ".">, turn: Mark}} Position */
/** @typedef {{size: number, line: number, double_line: "loses" | "wins"}} Rules */

const COLUMNS = "abcde";

/** @param {number} size */
export const start = (size) => `${Array(size).fill(".".repeat(size)).join("/")}_x`;

/** @param {Mark} mark */
export const other = (mark) => (mark === "x" ? "o" : "x");

/**
 * The cells row by row from the top, as they are written.
 * @param {number} size
 */
export function cells(size) {
  const names = [];
  for (let row = size; row >= 1; row--) {
    for (const column of COLUMNS.slice(0, size)) names.push(`${column}${row}`);
  }
  return names;
}

/**
 * Whether a text can be drawn as a board.
 * @param {string} position
 */
export function isPosition(position) {
  const [board, turn, ...more] = position.split("_");
  const rows = board.split("/");
  const fits = rows.every((row) => row.length === rows.length && /^[xo.]+$/.test(row));
  return fits && rows.length >= 2 && rows.length <= 5 && /^[xo]$/.test(turn ?? "") && !more.length;
}

/**
 * The position of a text that the server has written.
 * @param {string} written
 * @returns {Position}
 */
export function parse(written) {
  const [board, turn] = written.toLowerCase().split(/[ _]/);
  const rows = board.split("/");
  /** @type {Record<string, Mark | ".">} */
  const marks = {};
  const names = cells(rows.length);
  [...rows.join("")].forEach((mark, nth) => (marks[names[nth]] = /** @type {Mark | "."} */ (mark)));
  return { size: rows.length, marks, turn: /** @type {Mark} */ (turn) };
}

/** @param {Position} position */
export function text({ size, marks, turn }) {
  const row = (/** @type {number} */ nth) =>
    [...COLUMNS.slice(0, size)].map((column) => marks[`${column}${nth}`]).join("");
  return `${Array.from({ length: size }, (_, nth) => row(size - nth)).join("/")}_${turn}`;
}

/**
 * The same text whether it came from an address or from the server.
 * @param {string} position
 */
export const normal = (position) => position.trim().toLowerCase().replace(/\s+/, "_");

/**
 * Column and row of a cell, both from 0 and the row from the top.
 * @param {string} cell
 * @param {number} size
 */
export const place = (cell, size) => ({ column: COLUMNS.indexOf(cell[0]), row: size - Number(cell[1]) });

/**
 * @param {number} column
 * @param {number} row
 * @param {number} size
 */
export const cellAt = (column, row, size) => `${COLUMNS[column]}${size - row}`;

/** @param {string} move */
export const ends = (move) => ({ taken: move.slice(0, 2), pushed: move.slice(2) });

/**
 * Which way the tiles go: across and down, each -1, 0 or 1.
 * @param {string} move
 * @param {number} size
 */
export function direction(move, size) {
  const { taken, pushed } = ends(move);
  const from = place(pushed, size);
  const to = place(taken, size);
  return { across: Math.sign(to.column - from.column), down: Math.sign(to.row - from.row) };
}

/**
 * The cells whose tiles a move slides, after it.
 * @param {string} move
 * @param {number} size
 */
export function slid(move, size) {
  const { across, down } = direction(move, size);
  const { taken, pushed } = ends(move);
  const names = [pushed];
  for (let { column, row } = place(pushed, size); names[names.length - 1] !== taken;) {
    column += across;
    row += down;
    names.push(cellAt(column, row, size));
  }
  return names;
}

/**
 * A move in words: "a1 to a4".
 * @param {string} move
 */
export const moveWords = (move) => `${move.slice(0, 2)} to ${move.slice(2)}`;

/** @typedef {"turn" | "mirror"} Image clockwise by 90 degrees, or left to right */

/**
 * @param {string} cell
 * @param {number} size
 * @param {Image} image
 */
function cellImage(cell, size, image) {
  const { column, row } = place(cell, size);
  return image === "turn" ? cellAt(size - 1 - row, column, size) : cellAt(size - 1 - column, row, size);
}

/**
 * @param {string} position
 * @param {Image} image
 */
export function positionImage(position, image) {
  const { size, marks, turn } = parse(position);
  /** @type {Position["marks"]} */
  const moved = {};
  for (const cell of cells(size)) moved[cellImage(cell, size, image)] = marks[cell];
  return text({ size, marks: moved, turn });
}

/**
 * @param {string} move
 * @param {number} size
 * @param {Image} image
 */
export function moveImage(move, size, image) {
  const { taken, pushed } = ends(move);
  return cellImage(taken, size, image) + cellImage(pushed, size, image);
}
