// The page of Quixo: a game, its players, the value of every move, and the course of the game.

import { button, byId, capital, html, input, onPress, select } from "./dom.js";
import { chance, Game } from "./game.js";
import { Board } from "./quixo-board.js";
import {
  cells,
  doubleLine,
  ends,
  isPosition,
  longest,
  moveImage,
  moveWords,
  normal,
  parse,
  place,
  positionImage,
  shapeImage,
  shapeOf,
  start,
  VARIANTS,
  variantsOf,
} from "./quixo-position.js";
import { chosenShape, showRules } from "./quixo-rules.js";
import { source } from "./source.js";
import { chip, distances, distanceWords, icon, kind, score } from "./values.js";
import { t, tn, translated } from "./texts.js";

/** @typedef {import("./contract.js").QuixoRules} Rules */
/** @typedef {import("./contract.js").QuixoProbe & {turn: import("./contract.js").Mark, over: boolean}} Record */

const LONG = 50; // moves after which inarow stops playing both sides of a draw
const SWITCHES = ["hints", "warn", "repetition"];
const SQUARE = { rows: 4, columns: 4 };
const variantBoxes = /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll(".variant"));
let listed = false; // whether the last move was chosen in the list by keyboard: the focus then stays there

const board = new Board(byId("board"), {
  play: (move) => game.play(move.move),
  edit: (cell) => editor?.press(cell),
});

/** @type {Game<Rules, Record>} */
const game = new Game({
  name: "quixo",
  settings: {
    x: "person",
    o: "inarow",
    strength: "0",
    speed: "650",
    hints: true,
    warn: true,
    repetition: true,
    distances: "moves",
  },
  read: (search) => {
    const begin = normal(search.get("position") ?? start(SQUARE));
    const shape = shapeOf(begin);
    const line = Number(search.get("line") ?? longest(shape));
    const double_line = doubleLine(search.get("double_line"));
    return { rules: { ...shape, line, double_line, ...variantsOf(Object.fromEntries(search)) }, begin };
  },
  write: ({ rows, columns, line, double_line, ...variant }, position) =>
    [
      `?position=${position}`,
      line === longest({ rows, columns }) ? "" : `&line=${line}`,
      double_line === "loses" ? "" : `&double_line=${double_line}`,
      ...Object.entries(variant).map(([name, value]) => `&${name}=${Number(value)}`),
    ].join(""),
  start,
  instead: ({ begin }) => {
    // A position that can be drawn is kept, with the usual rules in place of those that do not fit.
    const position = isPosition(begin) ? begin : start(SQUARE);
    const shape = shapeOf(position);
    return { rules: { ...shape, line: longest(shape), double_line: "loses" }, begin: position };
  },
  probe: async (rules, position) => read(await source.quixo.probe(rules, position)),
  after: async ({ moves }, move) => moves.find((one) => one.move === move)?.position ?? "",
  choose,
  moveWords,
  sentence,
  expect: (record, slide) => {
    if (record) tell(record);
    else byId("status").replaceChildren(t("quixo.looking"));
    if (record) showMoves(record);
    else for (const move of moveButtons()) move.disabled = true;
    return board.show(view(null), slide ? Math.min(700, Number(game.settings.speed)) : 0);
  },
  show: (record) => {
    board.show(view(record));
    tell(record);
    showMoves(record);
    return showCourse();
  },
  stop: (record) => {
    const drawn = record.value === "draw";
    const alone = game.settings.x !== "person" && game.settings.o !== "person";
    const endless = game.following ? record.plies === null : alone && drawn && game.state.at >= LONG;
    if (!endless) return null;
    return t(drawn ? "quixo.endless-draw" : "quixo.line-unknown");
  },
  form: {
    name: "Quixo",
    headers: ({ rows, columns, line, double_line, ...variant }, begin) => ({
      Size: `${rows}x${columns}`,
      ...(line === longest({ rows, columns }) ? {} : { Line: String(line) }),
      ...(double_line === "loses" ? {} : { DoubleLine: double_line }),
      ...(Object.keys(variant).length ? { Variant: Object.keys(variant).join(" ") } : {}),
      ...(begin === start({ rows, columns }) ? {} : { Position: begin.replace("_", " ") }),
    }),
    picture: (position, last) => picture(position, last),
  },
  lesson: () => ({
    texts: ["lesson.quixo-1", "lesson.quixo-2", "lesson.quixo-3"],
    steps: [
      [{ position: "..../..../..../...._x" }, { position: "..../..../..../...._x", point: "a1a4" }],
      [
        { position: "..../..../..../...._x", point: "a1a4" },
        { position: "x.../..../..../...._o", last: "a1a4" },
      ],
      [
        { position: "xxx./.o../..o./...o_x", point: "d2d4" },
        { position: "xxxx/.o../..o./...o_o", last: "d2d4", won: ["a4", "b4", "c4", "d4"] },
      ],
    ],
    make: (parent) => {
      const own = new Board(parent, { play: () => {}, edit: () => {} });
      return {
        draw: async ({ position, last = null, won = [], point = null }) => {
          own.point(null);
          await own.show({ position, moves: [], hints: false, editing: false, last, won }, last ? 700 : 0);
          own.point(point);
        },
      };
    },
    attempt: () => game.pose({ rows: 4, columns: 4, line: 4, double_line: "loses" }, "x.../oo.x/.o.x/oxxo_x"),
  }),
  leave: () => editor?.close(),
  controls: showControls,
});

/** @type {import("./quixo-editor.js").QuixoEditor | null} */
let editor = null; // loaded when it is first opened

/**
 * A record with positions as they are in addresses.
 * @param {import("./contract.js").QuixoProbe} record
 * @returns {Record}
 */
function read(record) {
  const position = normal(record.position);
  const moves = record.moves.map((move) => ({ ...move, position: normal(move.position) }));
  return { ...record, position, moves, turn: parse(position).turn, over: !moves.length };
}

/**
 * The best move for the best line, else a move of the player that was set.
 * @param {Record} record
 */
async function choose({ position }) {
  const { strength } = game.settings;
  const level = Number(strength);
  /** @type {import("./contract.js").QuixoPlayer} */
  const player = game.following
    ? { player: "best" }
    : strength === "trap"
      ? { player: "trap", seed: chance() }
      : level >= 1
        ? { player: "level", level, seed: chance() }
        : { player: "best", seed: chance() };
  const move = await source.quixo.move(game.rules, position, player);
  byId("player-note").textContent = translated(move.player);
  return move.move;
}

// --- Showing ---

/**
 * @param {Record | null} record
 * @returns {import("./quixo-board.js").View}
 */
function view(record) {
  return {
    position: game.here,
    moves: record && game.persons ? record.moves : [],
    hints: !!game.settings.hints,
    editing: false,
    last: game.last,
    won: record?.winning_cells ?? [],
    threats: record && game.settings.hints && !record.winner ? record.threats : undefined,
  };
}

/** @param {Record} record */
function sentence(record) {
  const side = record.turn.toUpperCase();
  if (game.state.drawn) return t("game.drawn");
  if (record.winner) return t(`game.${record.winner}-has-won`);
  if (!game.settings.hints && !game.following) return t("game.to-move", { side });
  if (record.value === null) return t("quixo.value-unknown", { side });
  if (record.value === "draw") return t("quixo.is-draw", { side });
  const verb = record.value === "win" ? "wins" : "loses";
  if (record.plies === null) return t(`quixo.${verb}`, { side });
  return t(`quixo.${verb}-in`, { side, distance: distanceWords(record.plies) });
}

/** @param {Record} record */
function tell(record) {
  const plain = !game.settings.hints || record.winner || game.state.drawn;
  byId("status").replaceChildren(plain ? "" : icon(record.value), sentence(record));
  byId("status").className = `status ${record.winner ?? (plain ? "" : kind(record.value))}`;
}

/** @param {Record} record */
function movesNote(record) {
  const moves = tn("quixo.count", record.moves.length);
  if (record.winner) return t("game.over");
  if (!game.settings.hints) return t("quixo.values-hidden", { moves });
  const unknown = record.moves.filter((move) => move.value === null).length;
  const from = { table: "", book: t("quixo.from-book"), search: t("quixo.by-search"), results: "" }[
    record.source
  ];
  const key = unknown === record.moves.length ? "none-known" : unknown === 0 ? "best-first" : "some-unknown";
  const note = t(`quixo.${key}`, { moves, unknown, source: from });
  return record.reason ? `${note} ${capital(translated(record.reason))}.` : note;
}

/** @param {Record} record */
function threatWords({ threats, turn }) {
  const span = (/** @type {string[]} */ line) => `${line[0]}–${line[line.length - 1]}`;
  const said = /** @type {const} */ (["x", "o"]).flatMap((side) => {
    const found = threats[side];
    if (!found.length) return [];
    const lines = found.map(({ line }) => span(line)).join(", ");
    const key = found.length > 1 ? "quixo.double-threat" : "quixo.threat";
    return [t(key, { side: side.toUpperCase(), count: found.length, lines })];
  });
  const { blocks } = threats;
  if (blocks && !threats[turn].length) {
    const moves = blocks.slice(0, 6).map(shortMove).join(", ");
    const list = blocks.length > 6 ? `${moves} …` : moves;
    said.push(blocks.length ? tn("quixo.blocks", blocks.length, { moves: list }) : t("quixo.no-block"));
  }
  return said.join(" ");
}

const moveButtons = () =>
  /** @type {NodeListOf<HTMLButtonElement>} */ (byId("moves").querySelectorAll("button"));

/** @param {Record} record */
function showMoves(record) {
  byId("moves-note").textContent = movesNote(record);
  byId("threats").textContent = game.settings.hints && !record.winner ? threatWords(record) : "";
  const open = game.ready && game.persons;
  const moves = game.settings.hints ? record.moves : [];
  const kinds = [...new Set(moves.map(({ value }) => kind(value)))];
  byId("moves").replaceChildren(
    ...kinds.map((which) => {
      const rows = moves.filter(({ value }) => kind(value) === which);
      return html(
        "section",
        { class: which, "aria-label": t(`quixo.group-${which}`) },
        html("h3", {}, t(`quixo.group-${which}`), html("span", { class: "count" }, String(rows.length))),
        html("ol", {}, ...folded(rows).map((alike) => html("li", {}, moveButton(alike, open)))),
      );
    }),
  );
  if (!listed || !open) return;
  listed = false;
  if (document.activeElement === document.body) moveButtons()[0]?.focus();
}

/**
 * Moves that are the same by symmetry, together.
 * @param {import("./contract.js").QuixoProbedMove[]} moves
 */
function folded(moves) {
  /** @type {Map<number, typeof moves>} */
  const groups = new Map();
  for (const move of moves) groups.set(move.alike, [...(groups.get(move.alike) ?? []), move]);
  return [...groups.values()];
}

/**
 * The row of a move, and of those that are the same.
 * @param {import("./contract.js").QuixoProbedMove[]} alike
 * @param {boolean} open whether it can be made
 */
function moveButton(alike, open) {
  const [move, ...others] = alike;
  const bar = html("span", { class: `bar ${kind(move.value)}` });
  bar.style.setProperty("--width", `${score(move)}%`);
  const made = html(
    "button",
    {
      type: "button",
      title: others.length
        ? t("quixo.alike", {
            count: others.length,
            moves: others.map((one) => shortMove(one.move)).join(", "),
          })
        : null,
      disabled: !open,
      onmouseenter: () => board.point(move.move),
      onmouseleave: () => board.point(null),
      onfocus: () => board.point(move.move),
      onblur: () => board.point(null),
    },
    html(
      "span",
      {},
      html("span", { class: "move" }, shortMove(move.move)),
      others.length ? html("span", { class: "alike", "aria-hidden": "true" }, `×${alike.length}`) : null,
    ),
    chip(move),
    move.losing_replies === null
      ? html("span", { class: "track", "aria-hidden": "true" }, bar)
      : html(
          "span",
          { class: "replies" },
          tn("quixo.replies-lose", move.losing_replies, { replies: move.replies }),
        ),
  );
  onPress(made, (byKey) => {
    listed = byKey;
    board.point(null);
    game.play(move.move);
  });
  return made;
}

async function showCourse() {
  const { rules, state, moves } = game;
  const positions = [state.begin, ...moves.map((move) => move.position)];
  const missing = [...new Set(positions)].filter((position) => !game.recall(position));
  try {
    const records = missing.length ? await source.quixo.probeMany(rules, missing) : [];
    if (state !== game.state) return;
    for (const record of records) game.keep(read(record));
  } catch {
    // Positions that could not be looked up are shown as not known.
  }
  const hidden = !game.settings.hints && !game.recall(positions[positions.length - 1])?.winner;
  const steps = positions.map((position, nth) => ({
    turn: parse(position).turn,
    move: nth ? moveWords(moves[nth - 1].move) : null,
    outcome: game.recall(position),
    turned: nth ? turnedBy(positions[nth - 1], moves[nth - 1].move) : null,
  }));
  const shown = hidden ? steps.map((step) => ({ ...step, outcome: null, turned: null })) : steps;
  const [{ showStrip }, { showLines }, { showReview }] = await Promise.all([
    import("./strip.js"),
    import("./lines.js"),
    import("./quixo-review.js"),
  ]);
  if (state !== game.state) return;
  const isMistake = (/** @type {string} */ position, /** @type {string} */ move) =>
    !hidden && turnedBy(position, move) !== null;
  showLines(byId("lines"), game, shortMove, isMistake);
  showStrip(byId("strip"), shown, state.at, (at) => game.go(at));
  showReview(game, steps, {
    playAgain: () => game.restart(rules, state.begin),
    practise: (position) => game.restart(rules, position),
  });
}

/**
 * What a move gave away, if it did.
 * @param {string} position
 * @param {string} move
 * @returns {import("./strip.js").Step["turned"]}
 */
function turnedBy(position, move) {
  const before = game.recall(position);
  const made = before?.moves.find((one) => one.move === move);
  if (!before || !made || made.value === null || before.value === null) return null;
  return made.value === before.value
    ? null
    : { from: before, to: made, best: moveWords(before.moves[0].move) };
}

function showControls() {
  const { rows, columns, line, double_line, ...variant } = game.rules;
  const { settings } = game;
  distances.unit = settings.distances === "plies" ? "plies" : "moves";
  select("distances").value = distances.unit;
  showRules(rows, columns, line);
  const usual = double_line === "loses" && !Object.keys(variant).length;
  byId("openings").hidden = !(rows === 5 && columns === 5 && line === 5 && usual);
  /** @type {{[name: string]: boolean}} */
  const variants = { ...VARIANTS, ...variant };
  for (const box of variantBoxes) box.checked = variants[box.name];
  select("double-line").value = double_line;
  const alone = settings.x === "person" && settings.o === "person";
  select("strength").value = alone ? "none" : String(settings.strength);
  for (const name of SWITCHES) input(name).checked = !!settings[name];
  button("line").textContent = t(game.following ? "quixo.stop" : "quixo.best-line");
  document.title = `${t("quixo.title", { position: game.here.replace("_", " ") })} · inarow`;
}

/** @param {string} move */
const shortMove = (move) => `${ends(move).taken}\u2009→\u2009${ends(move).pushed}`;

/**
 * @param {string} position
 * @param {string | null} last
 * @returns {import("./picture.js").Picture}
 */
function picture(position, last) {
  const { marks, ...shape } = parse(position);
  const { rows, columns } = shape;
  return {
    width: 100 * columns + 60,
    height: 100 * rows + 60,
    wells: [{ x: 24, y: 24, width: 100 * columns + 12, height: 100 * rows + 12 }],
    tiles: cells(shape).map((cell) => {
      const { column, row } = place(cell, shape);
      const lit = !!last && ends(last).pushed === cell;
      return { x: 80 + 100 * column, y: 80 + 100 * row, size: 92, mark: marks[cell], lit };
    }),
  };
}

// --- The page ---

/** @param {import("./quixo-position.js").Image} image */
function transform(image) {
  const { rules, state } = game;
  game.rename(
    { ...rules, ...shapeImage(rules, image) },
    positionImage(state.begin, image),
    state.lines.map((line) =>
      line.map(({ move, position }) => ({
        move: moveImage(move, rules, image),
        position: positionImage(position, image),
      })),
    ),
  );
}

/**
 * Other rules: of the position being edited, or of another game from here.
 * @param {Partial<Rules>} change
 */
function setRules(change) {
  const { rows, columns, line, double_line, ...variant } = { ...game.rules, ...change };
  const rules = { rows, columns, line, double_line, ...variantsOf(variant) };
  const reshaped = "rows" in change;
  if (editor?.isOpen) editor.setRules(rules);
  else game.restart(rules, reshaped ? start(rules) : game.here);
}

select("strength").addEventListener("change", () => {
  const { value } = select("strength");
  const alone = game.settings.x === "person" && game.settings.o === "person";
  if (value === "none") {
    game.set("x", "person");
    game.set("o", "person");
  } else {
    game.set("strength", value);
    if (alone) game.set("o", "inarow");
  }
});
select("distances").addEventListener("change", () => game.set("distances", select("distances").value));
for (const name of SWITCHES) {
  input(name).addEventListener("change", () => game.set(name, input(name).checked));
}
select("size").addEventListener("change", () => {
  const shape = chosenShape();
  setRules({ ...shape, line: longest(shape) });
});
select("length").addEventListener("change", () => setRules({ line: Number(select("length").value) }));
select("double-line").addEventListener("change", () =>
  setRules({ double_line: doubleLine(select("double-line").value) }),
);
for (const box of variantBoxes) {
  box.addEventListener("change", () => setRules({ [box.name]: box.checked }));
}
button("turn").addEventListener("click", () => transform("turn"));
button("mirror").addEventListener("click", () => transform("mirror"));
byId("openings").addEventListener("toggle", async () => {
  if (byId("openings-tree").childElementCount) return;
  const { showOpenings } = await import("./openings.js");
  await showOpenings(game);
});
onPress(button("edit"), async () => {
  const { QuixoEditor } = await import("./quixo-editor.js");
  editor ??= new QuixoEditor(game, board);
  editor.toggle();
});
onPress(button("new"), () => game.restart(game.rules, start(game.rules)));
onPress(button("line"), () => game.follow());
game.open();
