// The page of Qubic: four layers, the threats on them, and the proof's next move with its reason.

import { button, byId, html } from "./dom.js";
import { Cells } from "./cells.js";
import { source } from "./source.js";
import { Turns } from "./turns.js";

/** @typedef {import("./source.js").QubicProbe} Record */

const PITCH = 92;
const WELL = 4 * PITCH + 12;
const GAP = 40;
const MARGIN = 36;
const WIDTH = 2 * MARGIN + 2 * WELL + GAP;

const wells = Array.from({ length: 4 }, (_, nth) => ({
  x: MARGIN + (nth % 2) * (WELL + GAP),
  y: MARGIN + Math.floor(nth / 2) * (WELL + GAP),
  width: WELL,
  label: `layer ${nth + 1}`,
}));
const cells = Array.from({ length: 64 }, (_, cell) => {
  const well = wells[Math.floor(cell / 16)];
  return {
    id: String(cell),
    x: well.x + 6 + PITCH / 2 + (cell % 4) * PITCH,
    y: well.y + 6 + PITCH / 2 + (Math.floor(cell / 4) % 4) * PITCH,
  };
});
const board = new Cells(
  byId("board"),
  { label: "Qubic: four layers of 4 by 4 cells", cells, wells, width: WIDTH, height: WIDTH - 8, tile: 84 },
  (id) => turns.play(id),
);
let showing = false; // the forced win
/** @type {{record: Record, before: Record | null, persons: boolean} | null} */
let latest = null;

/** @type {Turns<Record>} */
const turns = new Turns({
  path: "/qubic",
  source: source.qubic,
  start: ".".repeat(64),
  after: (position, move) => {
    const count = (/** @type {string} */ mark) => position.split(mark).length;
    const mark = count("x") > count("o") ? "o" : "x";
    return position.slice(0, Number(move)) + mark + position.slice(Number(move) + 1);
  },
  name: (move) => `cell ${move}`,
  sentence,
  show: (record, before, persons) => {
    latest = { record, before, persons };
    draw();
    document.title = `Qubic, ${sentence(record)} · inarow`;
  },
});

/** @param {Record} record */
function sentence(record) {
  if (record.winner) return `${record.winner.toUpperCase()} has won.`;
  if (record.over) return "Drawn.";
  const side = record.turn.toUpperCase();
  return record.forced ? `${side} to move, with a forced win.` : `${side} to move.`;
}

function draw() {
  if (!latest) return;
  const { record, before, persons } = latest;
  const { threats, forced, answer } = record;
  const order = new Map(showing && forced ? forced.map((cell, nth) => [cell, nth + 1]) : []);
  const moves = turns.game.moves.slice(0, turns.game.at);
  const last = moves.length ? Number(moves[moves.length - 1]) : -1;
  const legal = new Set(record.moves);
  board.show(
    (id) => {
      const cell = Number(id);
      const mark = /** @type {"x" | "o" | "."} */ (record.position[cell]);
      const threat = /** @type {const} */ (["x", "o"]).filter((side) => threats[side].includes(cell));
      const advised = persons && answer?.cell === cell;
      const number = order.get(cell);
      return {
        mark,
        usable: persons && legal.has(cell),
        text: number === undefined || mark !== "." ? null : String(number),
        classes: [
          legal.has(cell) ? "open" : "",
          cell === last ? "last-mark" : "",
          record.winning_cells.includes(cell) ? "won" : "",
          ...threat.map((side) => `threat-${side}`),
          advised ? "advised" : "",
          number === undefined ? "" : number % 2 ? "step-mine" : "step-theirs",
        ],
        label: [
          `cell ${cell}, layer ${Math.floor(cell / 16) + 1}: ${mark === "." ? "free" : mark.toUpperCase()}`,
          ...threat.map((side) => `${side.toUpperCase()} would complete a line`),
          advised ? "the proof's move" : "",
          number === undefined ? "" : `step ${number} of the forced win`,
        ]
          .filter(Boolean)
          .join(", "),
      };
    },
    () => ({}),
  );
  byId("status").className = `status ${record.winner ?? ""}`;
  byId("status").textContent = sentence(record);
  button("forced").disabled = !forced;
  button("forced").setAttribute("aria-pressed", String(showing && !!forced));
  // The reason for X's last move stays while O is to move.
  const told = answer ?? (before?.answer?.cell === last ? before.answer : null);
  for (const item of /** @type {HTMLElement[]} */ ([...byId("reasons").children])) {
    if (item.dataset.reason === told?.reason) item.setAttribute("aria-current", "step");
    else item.removeAttribute("aria-current");
  }
  byId("why").textContent = told
    ? `X ${answer ? "plays" : "played"} cell ${told.cell}. ${told.why}`
    : (record.reason ?? (record.over ? "The game is over." : "O's turn: any cell. X has an answer to each."));
  const threatened = /** @type {const} */ (["x", "o"]).flatMap((side) =>
    threats[side].length
      ? [
          `${side.toUpperCase()} threatens ${threats[side].length === 1 ? "cell" : "cells"} ${threats[side].join(", ")}.`,
        ]
      : [],
  );
  if (forced) {
    threatened.push(
      `${record.turn.toUpperCase()} wins by force in ${forced.length} plies: ${forced.join(", ")}.`,
    );
  }
  byId("threats").textContent = threatened.join(" ") || "No threats.";
  const begins = turns.game.begin.replaceAll(".", "").length;
  byId("moves").replaceChildren(
    ...moves.map((move, nth) => {
      const side = (begins + nth) % 2 ? "o" : "x";
      return html("li", { class: `by-${side}` }, `${side.toUpperCase()} ${move}`);
    }),
  );
}

button("forced").addEventListener("click", () => {
  showing = !showing;
  draw();
});
