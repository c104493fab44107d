// Positions and moves of Quixo as text, and where their cells are on the board. A cell has a name like a1: a letter
// for its column from the left and a number for its row from the bottom. The server knows which moves are legal.

import { t } from "./texts.js";

/** @typedef {"x" | "o"} Mark */
/** @typedef {{rows: number, columns: number}} Shape */
/** @typedef {Shape & {marks: Record<string, Mark | ".">, turn: Mark}} Position */

const LETTERS = "abcdefghijklm";

/** Whether the official rules have what a variant is named after; rules have what differs. */
export const VARIANTS = { misere: false, wrap: false, diagonals: true };

/**
 * The variants among some values, those that are as usual left out.
 * @param {Record<string, unknown>} values
 * @returns {Partial<typeof VARIANTS>}
 */
export const variantsOf = (values) =>
  Object.fromEntries(
    Object.entries(VARIANTS).flatMap(([name, usual]) => {
      const value = ["1", "true"].includes(String(values[name] ?? usual));
      return value === usual ? [] : [[name, value]];
    }),
  );

/**
 * The rules that a position does not show.
 * @param {import("./contract.js").QuixoRules} rules
 */
export const beyondShape = ({ line, double_line, ...rest }) => ({ line, double_line, ...variantsOf(rest) });

/**
 * @param {string | null | undefined} value
 * @returns {"loses" | "wins" | "draws"}
 */
export const doubleLine = (value) => (value === "wins" || value === "draws" ? value : "loses");

/** @param {Shape} shape */
export const start = ({ rows, columns }) => `${Array(rows).fill(".".repeat(columns)).join("/")}_x`;

/**
 * The longest line that fits on a board, which is also the usual one.
 * @param {Shape} shape
 */
export const longest = ({ rows, columns }) => Math.max(rows, columns);

/** @param {number} column from 0 */
export const letter = (column) => LETTERS[column];

/**
 * Column and row of a cell, both from 0, the row from the top.
 * @param {string} cell
 * @param {Shape} shape
 */
export const place = (cell, { rows }) => ({
  column: LETTERS.indexOf(cell[0]),
  row: rows - Number(cell.slice(1)),
});

/**
 * @param {number} column
 * @param {number} row
 * @param {Shape} shape
 */
export const cellAt = (column, row, { rows }) => `${LETTERS[column]}${rows - row}`;

/**
 * The cells row by row from the top, in the order of a position's text.
 * @param {Shape} shape
 */
export function cells(shape) {
  const { rows, columns } = shape;
  return Array.from({ length: rows * columns }, (_, nth) =>
    cellAt(nth % columns, Math.floor(nth / columns), shape),
  );
}

/**
 * The shape of the board in a text, whether or not the text is right.
 * @param {string} position
 * @returns {Shape}
 */
export function shapeOf(position) {
  const lines = position.split(/[ _]/)[0].split("/");
  return { rows: lines.length, columns: lines[0].length };
}

/**
 * Whether a text can be drawn as a board.
 * @param {string} position
 */
export function isPosition(position) {
  const [board, turn, ...more] = position.split("_");
  const { rows, columns } = shapeOf(position);
  const fits = board.split("/").every((row) => row.length === columns && /^[xo.]+$/.test(row));
  const sides = [rows, columns].every((side) => side >= 2 && side <= LETTERS.length);
  return fits && sides && /^[xo]$/.test(turn ?? "") && !more.length;
}

/**
 * The position of a text that can be drawn.
 * @param {string} written
 * @returns {Position}
 */
export function parse(written) {
  const [board, turn] = written.toLowerCase().split(/[ _]/);
  const shape = shapeOf(written);
  const names = cells(shape);
  /** @type {Position["marks"]} */
  const marks = {};
  [...board.replaceAll("/", "")].forEach(
    (mark, nth) => (marks[names[nth]] = /** @type {Mark | "."} */ (mark)),
  );
  return { ...shape, marks, turn: /** @type {Mark} */ (turn) };
}

/** @param {Position} position */
export function text(position) {
  const { rows, columns, marks, turn } = position;
  const all = cells(position).map((cell) => marks[cell]);
  const lines = Array.from({ length: rows }, (_, row) =>
    all.slice(row * columns, (row + 1) * columns).join(""),
  );
  return `${lines.join("/")}_${turn}`;
}

/**
 * The same text whether it came from an address or from the server.
 * @param {string} position
 */
export const normal = (position) => position.trim().toLowerCase().replace(/\s+/, "_");

/** @param {string} move */
export function ends(move) {
  const [taken, pushed] = move.match(/[a-z]\d+/g) ?? ["", ""];
  return { taken, pushed };
}

/**
 * The direction in which the tiles slide: across and down, each -1, 0 or 1.
 * @param {string} move
 * @param {Shape} shape
 */
export function direction(move, shape) {
  const { taken, pushed } = ends(move);
  const from = place(pushed, shape);
  const to = place(taken, shape);
  return { across: Math.sign(to.column - from.column), down: Math.sign(to.row - from.row) };
}

/**
 * The cells whose tiles have slid after a move, from the one pushed in.
 * @param {string} move
 * @param {Shape} shape
 */
export function slid(move, shape) {
  const { across, down } = direction(move, shape);
  const { taken, pushed } = ends(move);
  const names = [pushed];
  for (let { column, row } = place(pushed, shape); names[names.length - 1] !== taken;) {
    column += across;
    row += down;
    names.push(cellAt(column, row, shape));
  }
  return names;
}

/**
 * A move in words: "a1 to a4".
 * @param {string} move
 */
export const moveWords = (move) => t("quixo.move", ends(move));

/** @typedef {"turn" | "mirror"} Image clockwise by 90 degrees, or left to right */

/**
 * @param {Shape} shape
 * @param {Image} image
 * @returns {Shape}
 */
export const shapeImage = ({ rows, columns }, image) =>
  image === "turn" ? { rows: columns, columns: rows } : { rows, columns };

/**
 * @param {string} cell
 * @param {Shape} shape
 * @param {Image} image
 */
function cellImage(cell, shape, image) {
  const { column, row } = place(cell, shape);
  return image === "turn"
    ? cellAt(shape.rows - 1 - row, column, shapeImage(shape, image))
    : cellAt(shape.columns - 1 - column, row, shape);
}

/**
 * @param {string} position
 * @param {Image} image
 */
export function positionImage(position, image) {
  const { marks, turn, ...shape } = parse(position);
  /** @type {Position["marks"]} */
  const moved = {};
  for (const cell of cells(shape)) moved[cellImage(cell, shape, image)] = marks[cell];
  return text({ ...shapeImage(shape, image), marks: moved, turn });
}

/**
 * @param {string} move
 * @param {Shape} shape
 * @param {Image} image
 */
export function moveImage(move, shape, image) {
  const { taken, pushed } = ends(move);
  return cellImage(taken, shape, image) + cellImage(pushed, shape, image);
}
