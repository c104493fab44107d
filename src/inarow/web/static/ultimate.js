// The page of Ultimate tic-tac-toe: a game against the strategy that always wins, which says what it is doing.

import { button, byId, capital, input, onPress, select } from "./dom.js";
import { Cells } from "./cells.js";
import { chance, Game } from "./game.js";
import { showLines } from "./lines.js";
import { source } from "./source.js";
import { t, tn, translated } from "./texts.js";
import { optimalMoves } from "./ultimate-optimal.js";

/** @typedef {import("./contract.js").UltimateProbe} Record */

const START = "start";
const WIN_IN_THREE =
  "12 21 14 47 73 36 60 03 38 81 11 18 86 67 74 48 87 76 61 15 57 77 75 58 80 08 88 82 24 41 10 04 43 35 51 17 71 13";
const PITCH = 62; // from tile to tile
const FIELD = 3 * PITCH + 8;
const PLACES = t("ultimate.places").split("|");

/**
 * The board; on a small screen nearly all of it is tiles.
 * @param {boolean} small
 * @param {HTMLElement} [parent]
 */
function build(small, parent = byId("board"), press = (/** @type {string} */ id) => game.play(id)) {
  const [gap, margin] = small ? [12, 8] : [40, 36];
  const width = 2 * margin + 3 * FIELD + 2 * gap;
  const wells = Array.from({ length: 9 }, (_, nth) => ({
    x: margin + (nth % 3) * (FIELD + gap),
    y: margin + Math.floor(nth / 3) * (FIELD + gap),
    width: FIELD,
    label: small ? "" : String(nth),
  }));
  const cells = wells.flatMap((well, field) =>
    Array.from({ length: 9 }, (_, spot) => ({
      id: `${field}${spot}`,
      x: well.x + 4 + PITCH / 2 + (spot % 3) * PITCH,
      y: well.y + 4 + PITCH / 2 + Math.floor(spot / 3) * PITCH,
    })),
  );
  const label = t("ultimate.board");
  const plan = { label, cells, wells, width, height: width, tile: PITCH - 4 };
  return new Cells(parent, plan, press);
}

const smallScreen = matchMedia("(max-width: 600px), (max-height: 500px)");
let board = build(smallScreen.matches);

/** @typedef {{variant: "open" | "closed"}} Rules */

/**
 * The moves of a game to a position, which is written as these moves.
 * @param {string} position
 */
function madeTo(position) {
  const moves = position === START ? [] : position.split(" ");
  return moves.map((move, nth) => ({ move, position: moves.slice(0, nth + 1).join(" ") }));
}

/** @type {Game<Rules, Record>} */
const game = new Game({
  name: "ultimate",
  settings: { x: "inarow", o: "person", speed: "500", advice: true },
  read: (search) => ({
    rules: { variant: search.get("variant") === "closed" ? "closed" : "open" },
    begin: START,
    made: madeTo((search.get("position") ?? START).replaceAll(",", " ")),
  }),
  write: ({ variant }, position) =>
    `?${variant === "open" ? "" : "variant=closed&"}position=${position.replaceAll(" ", ",")}`,
  start: () => null,
  instead: ({ rules }) => ({ rules, begin: START }),
  probe: ({ variant }, position) => source.ultimate.probe(position, null, variant),
  after: async (record, move) => {
    const { position, variant } = record;
    return game.keep(await source.ultimate.probe(position, move, variant), { variant }).position;
  },
  choose: async ({ position, turn, variant }) => {
    const searches = variant === "closed" || game.settings[turn] === "search";
    const player = searches ? "search" : "strategy";
    return (await source.ultimate.move(position, chance(), { variant, player })).move;
  },
  controls: () => {
    select("variant").value = game.rules.variant;
    input("advice").checked = !!game.settings.advice;
  },
  moveWords: (move) => t("ultimate.move", { field: move[0], spot: move[1] }),
  sentence,
  show: (record) => show(record, game.persons),
  lesson: () => ({
    texts: ["lesson.ultimate-1", "lesson.ultimate-2", "lesson.ultimate-3"],
    steps: [
      [
        { x: [], lit: [0, 1, 2, 3, 4, 5, 6, 7, 8] },
        { x: ["40"], lit: [0] },
      ],
      [
        { x: ["40"], lit: [0] },
        { x: ["40"], o: ["05"], lit: [5] },
      ],
      [
        { x: ["00", "01", "02"], o: ["44"], owners: ["x"], lit: [] },
        {
          x: ["00", "01", "02", "10", "14", "18", "22", "25", "28"],
          o: ["44", "41"],
          owners: ["x", "x", "x"],
          lit: [],
        },
      ],
    ],
    make: (parent) => {
      const own = build(true, parent, () => {});
      return {
        draw: ({ x, o = [], lit, owners = [] }) =>
          own.show(
            (id) => ({
              label: id,
              mark: x.includes(id) ? "x" : o.includes(id) ? "o" : ".",
              usable: false,
              classes: lit.includes(Number(id[0])) ? ["open"] : [],
            }),
            (nth) => ({
              owner: owners[nth] ?? null,
              classes: [
                lit.includes(nth) ? "lit" : "",
                owners[nth] ? "of-x" : "",
                owners.length === 3 && nth < 3 ? "won" : "",
              ],
            }),
          ),
      };
    },
    attempt: () => game.pose({ variant: "open" }, WIN_IN_THREE),
  }),
  form: {
    name: "Ultimate",
    headers: ({ variant }, begin) => ({ Variant: variant, ...(begin === START ? {} : { Position: begin }) }),
    picture: (position, last) =>
      board.picture((id) => game.recall(position)?.fields[Number(id[0])][Number(id[1])] ?? ".", last),
  },
});

/** @param {Record} record */
function sentence(record) {
  if (record.winner) return t(`game.${record.winner}-has-won`);
  if (record.over) return t("game.drawn");
  const side = record.turn.toUpperCase();
  const fields = record.active_fields;
  return fields.length === 1
    ? t("ultimate.in-field", { side, field: fields[0], place: PLACES[fields[0]] })
    : t("ultimate.any-field", { side });
}

/**
 * @param {Record} record
 * @param {boolean} persons
 * @param {string[]} optimal the moves that keep the win at ply 43, once they are known
 */
function showBoard(record, persons, optimal) {
  const played = movesOf(record);
  const last = played[played.length - 1];
  const legal = new Set(record.moves);
  board.show(
    (id) => {
      const mark = /** @type {"x" | "o" | "."} */ (record.fields[Number(id[0])][Number(id[1])]);
      const usable = persons && legal.has(id);
      const advised = persons && !!game.settings.advice && record.strategy?.move === id;
      const keeps = persons && optimal.includes(id);
      return {
        mark,
        usable,
        text: keeps ? "43" : null,
        classes: [id === last ? "last-mark" : "", legal.has(id) ? "open" : "", advised ? "advised" : ""],
        label: t("ultimate.spot", {
          field: id[0],
          spot: id[1],
          mark:
            mark === "."
              ? t(`ultimate.${advised ? "advised" : keeps ? "keeps" : legal.has(id) ? "free" : "blank"}`)
              : mark.toUpperCase(),
        }),
      };
    },
    (nth) => ({
      owner: record.field_winners[nth],
      classes: [
        record.active_fields.includes(nth) ? "lit" : "",
        record.winning_fields.includes(nth) ? "won" : "",
        record.field_winners[nth] ? `of-${record.field_winners[nth]}` : "",
      ],
    }),
  );
}

/** @param {Record} record */
function movesOf({ position }) {
  return position === START ? [] : position.split(" ");
}

/**
 * @param {Record} record
 * @param {boolean} persons
 */
function show(record, persons) {
  const played = movesOf(record);
  showBoard(record, persons, []);
  byId("status").className = `status ${record.winner ?? ""}`;
  byId("status").textContent = sentence(record);
  explain(record, played);
  const advises = !!game.settings.advice && record.variant === "open";
  byId("strategy").hidden = !advises;
  if (advises) lookUp(record, played);
  else byId("optimal").hidden = true;
  showLines(byId("lines"), game, (move) => move);
  document.title = `${t("ultimate.title", { sentence: sentence(record) })} · inarow`;
}

/**
 * Marks the optimal moves on the board once they are known.
 * @param {Record} record
 * @param {string[]} played
 */
async function lookUp(record, played) {
  // Where they cannot be fetched, the page does without.
  const optimal = await optimalMoves(played).catch(() => null);
  if (!optimal || game.record !== record || !game.settings.advice) return;
  byId("optimal").hidden = false;
  byId("optimal").textContent = judge(record, optimal);
  showBoard(record, game.persons, optimal.moves);
}

/**
 * What there is to say about the optimal moves.
 * @param {Record} record
 * @param {import("./ultimate-optimal.js").OptimalMoves} optimal
 */
function judge({ over, turn, moves: legal }, { moves, leftAt }) {
  if (leftAt !== null) return t(leftAt % 2 ? "ultimate.left-by-x" : "ultimate.left-by-o", { ply: leftAt });
  if (over) return t("ultimate.optimal-game");
  const side = turn.toUpperCase();
  if (moves.length === legal.length) return t("ultimate.all-keep", { side });
  if (moves.length === 1) return t("ultimate.one-keeps", { side, move: moves[0], all: legal.length });
  return t("ultimate.some-keep", { side, moves: moves.join(" "), kept: moves.length, all: legal.length });
}

/**
 * @param {Record} record
 * @param {string[]} played
 */
function explain(record, played) {
  const { strategy } = record;
  // The reason for X's last move stays while O is to move.
  const shown = strategy ?? record.last_strategy;
  for (const item of /** @type {HTMLElement[]} */ ([...byId("phases").children])) {
    const current = item.dataset.phase === shown?.phase;
    if (current) item.setAttribute("aria-current", "step");
    else item.removeAttribute("aria-current");
  }
  byId("why").textContent = shown
    ? t(strategy ? "ultimate.plays" : "ultimate.played", { move: shown.move, why: translated(shown.why) })
    : record.reason
      ? `${capital(translated(record.reason))}.`
      : record.over
        ? t("game.over")
        : t("ultimate.waits");
  const most = shown ? shown.at_most - (strategy ? 0 : 1) : 0;
  byId("left").textContent = tn(shown && !record.over ? "ultimate.within" : "ultimate.count", played.length, {
    most,
  });
}

smallScreen.addEventListener("change", () => {
  board = build(smallScreen.matches);
  if (game.record) show(game.record, game.persons);
});
select("variant").addEventListener("change", () => {
  game.restart({ variant: select("variant").value === "closed" ? "closed" : "open" }, START);
});
input("advice").addEventListener("change", () => game.set("advice", input("advice").checked));
onPress(button("new"), () => game.restart(game.rules, START));
game.open();
