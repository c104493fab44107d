// The page of Qubic: four layers, the threats on them, and the proof's next move with its reason.

import { Cube } from "./cube.js";
import { button, byId, capital, input, onPress } from "./dom.js";
import { Cells } from "./cells.js";
import { chance, Game } from "./game.js";
import { showLines } from "./lines.js";
import { source } from "./source.js";
import { t, tn, translated } from "./texts.js";

/** @typedef {import("./contract.js").QubicProbe} Record */

const PITCH = 92;
const WELL = 4 * PITCH + 12;
const GAP = 40;
const MARGIN = 36;
const WIDTH = 2 * MARGIN + 2 * WELL + GAP;

const wells = Array.from({ length: 4 }, (_, nth) => ({
  x: MARGIN + (nth % 2) * (WELL + GAP),
  y: MARGIN + Math.floor(nth / 2) * (WELL + GAP),
  width: WELL,
  label: t("qubic.layer", { number: nth + 1 }),
}));
const cells = Array.from({ length: 64 }, (_, cell) => {
  const well = wells[Math.floor(cell / 16)];
  return {
    id: String(cell),
    x: well.x + 6 + PITCH / 2 + (cell % 4) * PITCH,
    y: well.y + 6 + PITCH / 2 + (Math.floor(cell / 4) % 4) * PITCH,
  };
});
const plan = { label: t("qubic.board"), cells, wells, width: WIDTH, height: WIDTH - 8, tile: 84 };
const board = new Cells(byId("board"), plan, (id) => game.play(id));
const cube = new Cube(byId("cube"), (id) => game.play(id));
/** @type {Record["threats"]} */
const NONE = { x: [], o: [] };
let showing = false; // the forced win

const START = ".".repeat(64);

/** @type {Game<null, Record>} */
const game = new Game({
  name: "qubic",
  settings: { x: "inarow", o: "person", speed: "500", advice: true, names: false },
  read: (search) => ({ rules: null, begin: search.get("position") ?? START }),
  write: (_, position) => `?position=${position}`,
  start: () => START,
  instead: () => ({ rules: null, begin: START }),
  probe: (_, position) => source.qubic.probe(position),
  after: async (record, move) => game.keep(await source.qubic.probe(record.position, move)).position,
  choose: async ({ position }) => String((await source.qubic.move(position, chance())).move),
  moveWords: (move) => t("qubic.move", { move }),
  sentence,
  show: draw,
  lesson: () => ({
    texts: ["lesson.qubic-1", "lesson.qubic-2", "lesson.qubic-3"],
    steps: [
      [{ x: [21] }, { x: [21], o: [22] }],
      [
        { x: [5, 21, 37], o: [22, 0, 63] },
        { x: [5, 21, 37, 53], o: [22, 0, 63], won: [5, 21, 37, 53] },
      ],
      [
        { x: [1, 2, 4, 8], o: [21, 42, 62, 63] },
        { x: [0, 1, 2, 4, 8], o: [21, 42, 62, 63], threat: [3, 12] },
      ],
    ],
    make: (parent) => {
      const own = new Cells(parent, plan, () => {});
      return {
        draw: ({ x, o = [], won = [], threat = [] }) =>
          own.show(
            (id) => ({
              label: id,
              mark: x.includes(Number(id)) ? "x" : o.includes(Number(id)) ? "o" : ".",
              usable: false,
              classes: [
                "open",
                won.includes(Number(id)) ? "won" : "",
                threat.includes(Number(id)) ? "threat-x" : "",
              ],
            }),
            () => ({}),
          ),
      };
    },
    attempt: () => game.pose(null, ".xx.x...x............o....................o...................oo"),
  }),
  controls: () => {
    for (const name of ["advice", "names"]) input(name).checked = !!game.settings[name];
  },
  form: {
    name: "Qubic",
    headers: (_, begin) =>
      /** @type {import("./game-text.js").Headers} */ (begin === START ? {} : { Position: begin }),
    picture: (position, last) => board.picture((id) => position[Number(id)], last),
  },
});

/** @param {Record} record */
function sentence(record) {
  if (record.winner) return t(`game.${record.winner}-has-won`);
  if (record.over) return t("game.drawn");
  return t(record.forced && game.settings.advice ? "qubic.forced" : "game.to-move", {
    side: record.turn.toUpperCase(),
  });
}

function draw() {
  const { record, persons } = game;
  if (!record) return;
  const advice = !!game.settings.advice;
  const threats = advice ? record.threats : NONE;
  const forced = advice ? record.forced : null;
  const answer = advice ? record.answer : null;
  const sides = /** @type {const} */ (["x", "o"]);
  const order = new Map(showing && forced ? forced.map((cell, nth) => [cell, nth + 1]) : []);
  const last = game.last === null ? -1 : Number(game.last);
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
        text: mark !== "." ? null : number !== undefined ? String(number) : game.settings.names ? id : null,
        classes: [
          legal.has(cell) ? "open" : "",
          number === undefined && game.settings.names ? "named" : "",
          cell === last ? "last-mark" : "",
          record.winning_cells.includes(cell) ? "won" : "",
          ...threat.map((side) => `threat-${side}`),
          advised ? "advised" : "",
          number === undefined ? "" : number % 2 ? "step-mine" : "step-theirs",
        ],
        label: [
          t("qubic.cell", {
            cell,
            layer: Math.floor(cell / 16) + 1,
            mark: mark === "." ? t("qubic.free") : mark.toUpperCase(),
          }),
          ...threat.map((side) => t("qubic.would-complete", { side: side.toUpperCase() })),
          advised ? t("qubic.advised") : "",
          number === undefined ? "" : t("qubic.step", { number }),
        ]
          .filter(Boolean)
          .join(", "),
      };
    },
    () => ({}),
  );
  cube.show((cell) => ({
    mark: /** @type {"x" | "o" | "."} */ (record.position[cell]),
    classes: [
      persons && legal.has(cell) ? "usable" : "",
      cell === last ? "last-ball" : "",
      record.winning_cells.includes(cell) ? "won-ball" : "",
      ...sides.filter((side) => threats[side].includes(cell)).map((side) => `threat-${side}`),
    ],
  }));
  byId("status").className = `status ${record.winner ?? ""}`;
  byId("status").textContent = sentence(record);
  button("forced").disabled = !forced;
  button("forced").setAttribute("aria-pressed", String(showing && !!forced));
  // The reason for X's last move stays while O is to move.
  const before = advice ? (game.recall(game.positionAt(game.state.at - 1))?.answer ?? null) : null;
  const told = answer ?? (before?.cell === last ? before : null);
  for (const item of /** @type {HTMLElement[]} */ ([...byId("reasons").children])) {
    if (item.dataset.reason === told?.reason) item.setAttribute("aria-current", "step");
    else item.removeAttribute("aria-current");
  }
  byId("why").textContent = told
    ? t(answer ? "qubic.plays" : "qubic.played", { cell: told.cell, why: translated(told.why) })
    : record.reason
      ? `${capital(translated(record.reason))}.`
      : record.over
        ? t("game.over")
        : t("qubic.o-turn");
  const threatened = /** @type {const} */ (["x", "o"]).flatMap((side) =>
    threats[side].length
      ? [
          tn("qubic.threatens", threats[side].length, {
            side: side.toUpperCase(),
            cells: threats[side].join(", "),
          }),
        ]
      : [],
  );
  if (forced) {
    threatened.push(
      tn("qubic.by-force", forced.length, {
        side: record.turn.toUpperCase(),
        cells: forced.join(", "),
      }),
    );
  }
  byId("threats").textContent = threatened.join(" ") || t(advice ? "qubic.no-threats" : "qubic.hidden");
  showLines(byId("lines"), game, (move) => move);
  document.title = `${t("qubic.title", { sentence: sentence(record) })} · inarow`;
}

for (const name of ["advice", "names"]) {
  input(name).addEventListener("change", () => game.set(name, input(name).checked));
}
onPress(button("forced"), () => {
  showing = !showing;
  draw();
});
onPress(button("new"), () => game.restart(null, START));
game.open();
