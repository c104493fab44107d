// The page of Quixo: a game, its address, its players, and the value of every move.

import { announce, button, byId, html, input, pause, remember, remembered, select, share } from "./dom.js";
import { Board } from "./quixo-board.js";
import {
  ends,
  isPosition,
  longest,
  moveImage,
  moveWords,
  normal,
  other,
  parse,
  positionImage,
  shapeImage,
  shapeOf,
  start,
  text,
} from "./quixo-position.js";
import { chosenShape, showRules } from "./quixo-rules.js";
import { source } from "./source.js";
import { showStrip } from "./strip.js";
import { chip, icon, kind, score } from "./values.js";

/** @typedef {import("./source.js").QuixoMove} MoveRecord */
/** @typedef {import("./source.js").QuixoProbe} Probe */
/** @typedef {import("./source.js").QuixoRules} Rules */
/** @typedef {{rules: Rules, begin: string, moves: {move: string, position: string}[], at: number}} Game */

const LONG = 50; // moves after which inarow stops playing both sides of a draw
const SQUARE = { rows: 4, columns: 4 };

const settings = remembered("quixo", { x: "person", o: "inarow", strength: "0", speed: "650", hints: true });
/** @type {Map<string, Promise<Probe>>} */
const probes = new Map();
/** @type {Map<string, Probe>} */
const known = new Map();
/** @type {Game} */
let game;
let editing = false;
let playingLine = false;
let busy = false; // while tiles slide, nothing can be moved
let shown = 0; // counts the positions shown, so that late answers about earlier ones are dropped

const board = new Board(byId("board"), {
  play: (move) => play(move, "person"),
  edit: (cell) => {
    const position = parse(game.begin);
    const marks = /** @type {const} */ ([".", "x", "o"]);
    position.marks[cell] = marks[(marks.indexOf(position.marks[cell]) + 1) % 3];
    setEdited(text(position));
  },
});

// --- Positions and what is known of them ---

const here = () => (game.at ? game.moves[game.at - 1].position : game.begin);
/** @param {number} at */
const positionAt = (at) => (at ? game.moves[at - 1].position : game.begin);

/**
 * The rules in an address, where they are not the usual ones.
 * @param {Rules} rules
 */
function query({ line, double_line, ...shape }) {
  return {
    line: line === longest(shape) ? null : line,
    double_line: double_line === "loses" ? null : double_line,
  };
}

/** @param {string} position */
const key = (position) => `${position} ${game.rules.line} ${game.rules.double_line}`;

/**
 * @param {string} position
 * @returns {Promise<Probe>}
 */
function probe(position) {
  const name = key(position);
  let asked = probes.get(name);
  if (!asked) {
    asked = source.quixo.probe(game.rules, position).then((record) => keep(name, record));
    asked.catch(() => probes.delete(name));
    probes.set(name, asked);
  }
  return asked;
}

/**
 * @param {string} name
 * @param {Probe} record
 */
function keep(name, record) {
  known.set(name, {
    ...record,
    position: normal(record.position),
    moves: record.moves.map((move) => ({ ...move, position: normal(move.position) })),
  });
  return /** @type {Probe} */ (known.get(name));
}

/** @param {string[]} positions */
async function probeMany(positions) {
  const missing = [...new Set(positions)].filter((position) => !known.has(key(position)));
  const records = missing.length ? await source.quixo.probeMany(game.rules, missing) : [];
  missing.forEach((position, nth) => {
    const record = keep(key(position), records[nth]);
    probes.set(key(position), Promise.resolve(record));
  });
}

// --- The address ---

/** @param {string} position */
function address(position) {
  const { line, double_line } = query(game.rules);
  return `?position=${position}${line ? `&line=${line}` : ""}${double_line ? `&double_line=${double_line}` : ""}`;
}

/** @param {boolean} [replace] */
function save(replace = false) {
  const now = address(here());
  history[replace || now === location.search ? "replaceState" : "pushState"](game, "", now);
}

/** @returns {Game} */
function fromAddress() {
  const search = new URLSearchParams(location.search);
  const asked = normal(search.get("position") ?? start(SQUARE));
  const begin = isPosition(asked) ? asked : start(SQUARE);
  const shape = shapeOf(begin);
  return {
    rules: {
      ...shape,
      line: Number(search.get("line") ?? longest(shape)),
      double_line: search.get("double_line") === "wins" ? "wins" : "loses",
    },
    begin,
    moves: [],
    at: 0,
  };
}

/**
 * The game that the browser has kept with an address, if it is one of this version; else the address alone.
 * @param {Game | null} state
 */
const keptGame = (state) => (state?.rules?.rows ? state : fromAddress());

// --- Showing ---

/** @param {number} [milliseconds] of sliding */
async function show(milliseconds = 0) {
  const number = ++shown;
  const position = here();
  let record = known.get(key(position)) ?? null;
  const last = game.at ? game.moves[game.at - 1].move : null;
  showControls();
  const sliding = board.show(view(record, last), milliseconds);
  if (record) tell(record);
  else byId("status").replaceChildren("Looking it up …");
  try {
    record = await probe(position);
  } catch (error) {
    if (number === shown) showError(/** @type {Error} */ (error));
    return;
  }
  busy = milliseconds > 0;
  await sliding;
  busy = false;
  if (number !== shown) return;
  board.show(view(record, last));
  tell(record);
  showMoves(record);
  await showCourse(number);
  if (number === shown) proceed(record, number);
}

/**
 * @param {Probe | null} record
 * @param {string | null} last
 * @returns {import("./quixo-board.js").View}
 */
function view(record, last) {
  const persons = record && settings[parse(here()).turn] === "person" && !playingLine;
  return {
    position: here(),
    moves: persons && !editing ? record.moves : [],
    hints: settings.hints,
    editing,
    last: editing ? null : last,
    won: record?.winning_cells ?? [],
  };
}

/** @param {Probe} record */
function sentence(record) {
  const turn = parse(record.position).turn.toUpperCase();
  if (record.winner) return `${record.winner.toUpperCase()} has won.`;
  if (!settings.hints && !playingLine) return `${turn} to move.`;
  if (record.value === null) return `${turn} to move. The value is not known.`;
  if (record.value === "draw") return `${turn} to move: a draw with best play.`;
  const verb = record.value === "win" ? "wins" : "loses";
  if (record.plies === null) return `${turn} to move ${verb}.`;
  return `${turn} to move ${verb} in ${record.plies} ${record.plies === 1 ? "ply" : "plies"}.`;
}

/** @param {Probe} record */
function tell(record) {
  const plain = !settings.hints || record.winner;
  byId("status").replaceChildren(plain ? "" : icon(record.value), sentence(record));
  byId("status").className = `status ${record.winner ?? (plain ? "" : kind(record.value))}`;
  const last = game.at
    ? `${parse(here()).turn === "x" ? "O" : "X"} played ${moveWords(game.moves[game.at - 1].move)}. `
    : "";
  announce(last + sentence(record));
}

/**
 * A remark on the game, in place of the value of the position.
 * @param {string} remark
 */
function say(remark) {
  byId("status").className = "status";
  byId("status").textContent = remark;
  announce(remark);
}

/** @param {Error} error */
function showError(error) {
  byId("status").className = "status wrong";
  byId("status").replaceChildren(error.message);
  byId("moves").replaceChildren();
  byId("moves-note").textContent = "";
  announce(error.message);
}

/** @param {string} sentences */
const capital = (sentences) => sentences[0].toUpperCase() + sentences.slice(1);

/** @param {Probe} record */
function showMoves(record) {
  const note = byId("moves-note");
  const list = byId("moves");
  const persons = settings[parse(here()).turn] === "person" && !playingLine && !editing;
  note.replaceChildren();
  if (record.winner) {
    note.textContent = "The game is over.";
  } else if (!settings.hints) {
    note.textContent = `${record.moves.length} moves. Their values are hidden.`;
  } else {
    const from = { table: "", book: ", from the book", search: ", by search", results: ", from the results" }[
      record.source
    ];
    note.textContent = `${record.moves.length} moves, best first${from}.`;
    if (record.reason) note.textContent += ` ${capital(record.reason)}.`;
  }
  const moves = settings.hints ? record.moves : [];
  list.replaceChildren(
    ...moves.map((move) => {
      const bar = html("span", { class: `bar ${kind(move.value)}` });
      bar.style.setProperty("--width", `${score(move)}%`);
      return html(
        "li",
        {},
        html(
          "button",
          {
            type: "button",
            title:
              move.losing_replies === null ? "" : `${move.losing_replies} of ${move.replies} replies lose`,
            disabled: !persons,
            onclick: () => play(move, "person"),
            onmouseenter: () => board.point(move.move),
            onmouseleave: () => board.point(null),
            onfocus: () => board.point(move.move),
            onblur: () => board.point(null),
          },
          html("span", { class: "move" }, `${ends(move.move).taken}\u2009→\u2009${ends(move.move).pushed}`),
          chip(move),
          html("span", { class: "track", "aria-hidden": "true" }, bar),
        ),
      );
    }),
  );
}

/** @param {number} number */
async function showCourse(number) {
  const positions = [game.begin, ...game.moves.map((move) => move.position)];
  try {
    await probeMany(positions);
  } catch {
    // Positions that could not be looked up are shown as not known.
  }
  if (number !== shown) return;
  const hidden = !settings.hints && !known.get(key(positions[positions.length - 1]))?.winner;
  const steps = positions.map((position, nth) => {
    const outcome = hidden ? null : (known.get(key(position)) ?? null);
    const before = nth && !hidden ? known.get(key(positions[nth - 1])) : null;
    const made = before?.moves.find((move) => move.move === game.moves[nth - 1].move);
    const turned =
      before && made && made.value !== null && before.value !== null && made.value !== before.value;
    return {
      turn: parse(position).turn,
      move: nth ? moveWords(game.moves[nth - 1].move) : null,
      outcome,
      turned: turned ? { from: before, to: made, best: moveWords(before.moves[0].move) } : null,
    };
  });
  showStrip(byId("strip"), byId("story"), steps, game.at, (at) => go(at));
}

function showControls() {
  const { rows, columns, line, double_line } = game.rules;
  showRules(rows, columns, line);
  select("double-line").value = double_line;
  select("player-x").value = settings.x;
  select("player-o").value = settings.o;
  select("strength").value = settings.strength;
  select("speed").value = settings.speed;
  input("hints").checked = settings.hints;
  button("undo").disabled = game.at === 0 || editing;
  button("redo").disabled = game.at === game.moves.length || editing;
  for (const id of ["line", "turn", "mirror", "new", "share"]) button(id).disabled = editing;
  button("line").textContent = playingLine ? "Stop" : "Best line";
  button("edit").setAttribute("aria-pressed", String(editing));
  byId("editor").hidden = !editing;
  document.title = `Quixo ${here().replace("_", " ")} · inarow`;
}

// --- Playing ---

/**
 * @param {MoveRecord} move
 * @param {"person" | "inarow"} by
 */
function play(move, by) {
  if (busy || editing || (by === "person" && playingLine)) return;
  game = {
    ...game,
    moves: [...game.moves.slice(0, game.at), { move: move.move, position: move.position }],
    at: game.at + 1,
  };
  board.point(null);
  save();
  show(Math.min(700, Number(settings.speed)));
}

/**
 * To another position of the game.
 * @param {number} at
 */
function go(at) {
  playingLine = false;
  const forth = at === game.at + 1;
  game = { ...game, at };
  save();
  show(forth ? 350 : 0);
}

/** Back to a person's last choice. */
function undo() {
  if (editing || !game.at) return;
  let at = game.at - 1;
  while (at > 0 && settings[parse(positionAt(at)).turn] !== "person") at--;
  // Against inarow as X the first move is not the person's: it would only be made again.
  go(settings[parse(positionAt(at)).turn] === "person" ? at : game.at - 1);
}

function redo() {
  if (editing || game.at === game.moves.length) return;
  let at = game.at + 1;
  while (at < game.moves.length && settings[parse(positionAt(at)).turn] !== "person") at++;
  go(at);
}

/**
 * Makes the next move, if it is inarow's to make.
 * @param {Probe} record
 * @param {number} number
 */
async function proceed(record, number) {
  const alone = settings.x !== "person" && settings.o !== "person";
  const drawn = record.value === "draw";
  const endless = playingLine ? record.plies === null : alone && drawn && game.at >= LONG;
  if (endless) {
    say(drawn ? "A draw: best play never ends." : "The best line is not known from here on.");
  }
  if (editing || endless || !record.moves.length) {
    playingLine = false;
    showControls();
    return;
  }
  // A game that a person is looking through is not continued.
  const through = game.at < game.moves.length;
  if (!playingLine && (through || settings[parse(here()).turn] === "person")) return;
  try {
    const [move] = await Promise.all([inarowsMove(), pause(Number(settings.speed) * 0.7)]);
    if (number === shown) play(move, "inarow");
  } catch (error) {
    if (number === shown) showError(/** @type {Error} */ (error));
  }
}

/**
 * The server's choice: the best move for the best line, else a move of the player that was set.
 * @returns {Promise<MoveRecord>}
 */
async function inarowsMove() {
  const mistakes = Number(settings.strength);
  /** @type {import("./source.js").QuixoPlayer} */
  const player = playingLine
    ? { player: "best" }
    : {
        player: mistakes ? "weaker" : "best",
        mistakes: mistakes || undefined,
        seed: Math.floor(Math.random() * 2 ** 31),
      };
  const move = await source.quixo.move(game.rules, here(), player);
  byId("player-note").textContent = move.player;
  return { ...move, position: normal(move.position) };
}

/**
 * Starts another game, on an empty board unless a position is given.
 * @param {Partial<Rules>} [change]
 * @param {string} [begin]
 */
function restart(change = {}, begin) {
  const rules = { ...game.rules, ...change };
  playingLine = false;
  game = { rules, begin: begin ?? start(rules), moves: [], at: 0 };
  save();
  show();
}

/** @param {import("./quixo-position.js").Image} image */
function transform(image) {
  const { rules } = game;
  game = {
    ...game,
    rules: { ...rules, ...shapeImage(rules, image) },
    begin: positionImage(game.begin, image),
    moves: game.moves.map(({ move, position }) => ({
      move: moveImage(move, rules, image),
      position: positionImage(position, image),
    })),
  };
  save();
  show();
}

// --- Editing: the position being edited is the start of a game without moves ---

/** @type {Game | null} */
let beforeEdit = null;

function edit() {
  if (editing) return cancelEdit();
  beforeEdit = game;
  editing = true;
  playingLine = false;
  shown++;
  game = { ...game, begin: here(), moves: [], at: 0 };
  setEdited(game.begin);
  byId("edit-text").focus();
}

/** @param {string} position */
function setEdited(position) {
  game = { ...game, begin: position };
  input("edit-text").value = position.replace("_", " ");
  select("edit-turn").value = parse(position).turn;
  byId("edit-error").textContent = "";
  showControls();
  board.show(view(null, null));
  byId("status").className = "status";
  byId("status").replaceChildren("Editing the position");
  for (const id of ["moves", "moves-note", "strip", "story"]) byId(id).replaceChildren();
}

function cancelEdit() {
  if (beforeEdit) game = beforeEdit;
  editing = false;
  show();
}

/** @param {Event} event */
async function finishEdit(event) {
  event.preventDefault();
  const position = normal(input("edit-text").value);
  const shape = shapeOf(position);
  const same = shape.rows === game.rules.rows && shape.columns === game.rules.columns;
  // A board of another shape has another usual line.
  const rules = same ? game.rules : { ...game.rules, ...shape, line: longest(shape) };
  try {
    await source.quixo.probe(rules, position);
  } catch (error) {
    const { message, at } = /** @type {import("./refused.js").Refused} */ (error);
    byId("edit-error").textContent = at === undefined ? message : `Character ${at + 1}: ${message}`;
    return;
  }
  editing = false;
  game = { rules, begin: position, moves: [], at: 0 };
  save();
  show();
}

// --- The page ---

/**
 * @param {string} id
 * @param {keyof typeof settings} name
 */
function setting(id, name) {
  byId(id).addEventListener("change", () => {
    const value = name === "hints" ? input(id).checked : select(id).value;
    Object.assign(settings, { [name]: value });
    remember("quixo", settings);
    if (!editing) show();
  });
}

setting("player-x", "x");
setting("player-o", "o");
setting("strength", "strength");
setting("speed", "speed");
setting("hints", "hints");
select("size").addEventListener("change", () => {
  const shape = chosenShape();
  restart({ ...shape, line: longest(shape) });
});
select("length").addEventListener("change", () => restart({ line: Number(select("length").value) }, here()));
select("double-line").addEventListener("change", () =>
  restart({ double_line: select("double-line").value === "wins" ? "wins" : "loses" }, here()),
);
button("undo").addEventListener("click", undo);
button("redo").addEventListener("click", redo);
button("turn").addEventListener("click", () => transform("turn"));
button("mirror").addEventListener("click", () => transform("mirror"));
button("new").addEventListener("click", () => restart());
button("edit").addEventListener("click", edit);
button("share").addEventListener("click", () => share(button("share"), document.title));
button("line").addEventListener("click", () => {
  playingLine = !playingLine;
  if (playingLine) game = { ...game, moves: game.moves.slice(0, game.at) };
  show();
});
byId("editor").addEventListener("submit", finishEdit);
button("edit-cancel").addEventListener("click", cancelEdit);
button("edit-clear").addEventListener("click", () => setEdited(start(game.rules)));
select("edit-turn").addEventListener("change", () => {
  const position = parse(game.begin);
  setEdited(
    text({
      ...position,
      turn: position.turn === select("edit-turn").value ? position.turn : other(position.turn),
    }),
  );
});
addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.target instanceof HTMLInputElement) return;
  const again = event.key.toLowerCase() === "y" || (event.key.toLowerCase() === "z" && event.shiftKey);
  if (!again && event.key.toLowerCase() !== "z") return;
  event.preventDefault();
  (again ? redo : undo)();
});
addEventListener("popstate", (event) => {
  editing = playingLine = false;
  game = keptGame(event.state);
  show();
});

const wanted = new URLSearchParams(location.search).get("position");
game = keptGame(history.state);
save(true);
await show();
// An address without a valid position shows the start of a game, and says what is wrong.
if (wanted && !isPosition(normal(wanted))) source.quixo.probe(game.rules, wanted).catch(showError);
