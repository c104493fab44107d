// The page of puzzles: a position of Quixo with one right move, that of the day or any other.

import { announce, button, byId, html, onPress, pause, remember, remembered, select } from "./dom.js";
import { Board } from "./quixo-board.js";
import { moveWords, normal } from "./quixo-position.js";
import { source } from "./source.js";
import { t, tn } from "./texts.js";
import { distances, words } from "./values.js";

/** @typedef {import("./contract.js").QuixoPuzzle} Puzzle */

const DAY = 86_400_000;
const SIZES = { "4x4": 4, "5x5": 5 };
const today = () => new Date().toISOString().slice(0, 10);

/** @type {Record<string, Puzzle[]>} */
const kept = {};
/** How many wrong moves it took, by size and number. */
const solved = remembered("puzzles", /** @type {Record<string, number>} */ ({}));
const search = new URLSearchParams(location.search);
let size = search.get("size") === "5x5" ? "5x5" : "4x4";
/** @type {string | null} */
let day = search.get("puzzle") ? null : (search.get("day") ?? today());
/** @type {Puzzle | null} */
let puzzle = null;
let wrong = 0;
let over = false;

distances.unit = "moves";
const board = new Board(byId("board"), { play: (move) => attempt(move.move), edit: () => {} });

const rules = () => {
  const side = SIZES[/** @type {keyof typeof SIZES} */ (size)];
  return /** @type {const} */ ({ rows: side, columns: side, line: side, double_line: "loses" });
};

/** @param {number} number from 1 on; others go round */
async function open(number) {
  try {
    kept[size] ??= (await source.quixo.puzzles(rules())).puzzles;
    const count = kept[size].length;
    puzzle = kept[size][(((number - 1) % count) + count) % count];
    wrong = 0;
    over = false;
    const query = day ? `?size=${size}&day=${day}` : `?size=${size}&puzzle=${puzzle.id}`;
    history.replaceState(null, "", query);
    await show();
  } catch (error) {
    say(/** @type {Error} */ (error).message);
  }
}

/** @param {string} of a day */
async function openDaily(of) {
  kept[size] ??= (await source.quixo.puzzles(rules())).puzzles;
  day = of;
  await open((Math.floor(Date.parse(of) / DAY) % kept[size].length) + 1);
}

/** @param {string} remark */
function say(remark) {
  byId("status").textContent = remark;
  announce(remark);
}

async function show() {
  if (!puzzle) return;
  const { id, kind, grade } = puzzle;
  const position = normal(puzzle.position);
  const stars = "★".repeat(grade) + "☆".repeat(5 - grade);
  byId("puzzle-name").textContent = day
    ? t("puzzles.of-day", { day, size: size.replace("x", "×"), number: id })
    : t("puzzles.numbered", { size: size.replace("x", "×"), number: id });
  byId("stars").textContent = stars;
  byId("stars").setAttribute("aria-label", t("puzzles.grade", { grade }));
  byId("feedback").replaceChildren();
  byId("done").hidden = true;
  select("size").value = size;
  const key = `${size} ${id}`;
  byId("solved").textContent = key in solved ? t("puzzles.solved-before") : "";
  showCount();
  // The outcomes of the puzzle say what is legal; nothing else has to be looked up.
  const moves = Object.keys(puzzle.outcomes).map((move) => ({
    move,
    value: null,
    plies: null,
    position: "",
    source: /** @type {const} */ ("table"),
    losing_replies: null,
    replies: null,
  }));
  await board.show({
    position,
    moves: over ? [] : /** @type {any} */ (moves),
    hints: false,
    editing: false,
    last: null,
    won: [],
  });
  say(t(`puzzles.${kind}`));
}

function showCount() {
  const count = Object.keys(solved).filter((one) => one.startsWith(size)).length;
  byId("count").textContent = t("puzzles.count", { count, all: kept[size].length });
}

/**
 * What a move leads to, as an outcome.
 * @param {number} signed plies to a win, 0 for a draw, negative plies to a loss
 */
const outcome = (signed) => ({
  value: /** @type {import("./contract.js").Value} */ (signed > 0 ? "win" : signed < 0 ? "loss" : "draw"),
  plies: signed ? Math.abs(signed) : null,
});

/** @param {string} move */
async function attempt(move) {
  if (!puzzle || over) return;
  const value = words(outcome(puzzle.outcomes[move]));
  if (move !== puzzle.move) {
    wrong++;
    byId("feedback").prepend(
      html("li", { class: "loss" }, t("puzzles.wrong", { move: moveWords(move), value })),
    );
    say(t("puzzles.try-again"));
    return;
  }
  over = true;
  solved[`${size} ${puzzle.id}`] = wrong;
  remember("puzzles", solved);
  showCount();
  byId("feedback").prepend(
    html("li", { class: "win" }, t("puzzles.right", { move: moveWords(move), value })),
  );
  byId("done").hidden = false;
  const link = /** @type {HTMLAnchorElement} */ (byId("explore"));
  link.href = `../quixo/?position=${normal(puzzle.position)}`;
  say(wrong ? tn("puzzles.solved", wrong) : t("puzzles.solved-at-once"));
  const probe = await source.quixo.probe(rules(), puzzle.position).catch(() => null);
  const made = probe?.moves.find((one) => one.move === move);
  if (!made || !over) return;
  const position = normal(made.position);
  await board.show({ position, moves: [], hints: false, editing: false, last: move, won: [] }, 650);
}

/** The line that can be sent to others: it gives nothing away. */
function result() {
  if (!puzzle) return "";
  const { id, grade } = puzzle;
  const which = `${size.replace("x", "×")} #${id}${day ? ` ${day}` : ""}`;
  return `inarow ${which} ${"★".repeat(grade)}${"☆".repeat(5 - grade)} ${"✗".repeat(wrong)}✓`;
}

onPress(button("copy-result"), async () => {
  const label = button("copy-result").textContent;
  await navigator.clipboard.writeText(result()).catch(() => {});
  byId("result").textContent = result();
  button("copy-result").textContent = t("puzzles.copied");
  await pause(1500);
  button("copy-result").textContent = label;
});
onPress(button("daily"), () => openDaily(today()));
for (const [id, step] of /** @type {const} */ ([
  ["next", 1],
  ["previous", -1],
])) {
  onPress(button(id), () => {
    day = null;
    open((puzzle?.id ?? 1) + step);
  });
}
onPress(button("unsolved"), () => {
  day = null;
  const next = kept[size]?.find((one) => !(`${size} ${one.id}` in solved));
  open(next?.id ?? 1);
});
onPress(button("solution"), () => {
  if (!puzzle || over) return;
  // To see it is not to solve it.
  over = true;
  const value = words(outcome(puzzle.outcomes[puzzle.move]));
  byId("feedback").prepend(html("li", {}, t("puzzles.right", { move: moveWords(puzzle.move), value })));
  board.point(puzzle.move);
});
select("size").addEventListener("change", () => {
  size = select("size").value;
  if (day) openDaily(day);
  else open(1);
});
if (day) openDaily(day).catch((error) => say(error.message));
else open(Number(search.get("puzzle")) || 1);
