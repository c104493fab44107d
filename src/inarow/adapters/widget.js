// A board to play on in a notebook. A move is one cell or several, clicked one after the other; Python knows the rules.

/**
 * @typedef {object} Model
 * @property {(name: string) => any} get
 * @property {(name: string, listener: () => void) => void} on
 * @property {(name: string, listener: () => void) => void} off
 * @property {(message: object) => void} send
 */

const MARKS = { x: "X", o: "O", ".": "" };

/** @param {{ model: Model, el: HTMLElement }} context */
function render({ model, el }) {
  /** @type {number[]} the cells of a move that were clicked so far */
  let begun = [];
  const root = document.createElement("div");
  root.className = "inarow";
  const board = document.createElement("div");
  board.className = "board";
  const status = document.createElement("p");
  status.setAttribute("role", "status");
  const tools = document.createElement("p");
  for (const [action, text] of [
    ["undo", "Undo"],
    ["restart", "New game"],
  ]) {
    const button = document.createElement("button");
    button.textContent = text;
    button.addEventListener("click", () => model.send({ action }));
    tools.append(button);
  }
  root.append(board, status, tools);
  el.append(root);

  /** @type {[number, number][]} */
  const places = model.get("places");
  const cells = places.map(([row, column], cell) => {
    const button = document.createElement("button");
    button.style.gridRow = String(row + 1);
    button.style.gridColumn = String(column + 1);
    button.addEventListener("click", () => click(cell));
    return button;
  });
  // In the order of reading, which is that of the Tab key.
  const reading = cells.map((_, cell) => cell);
  reading.sort((a, b) => places[a][0] - places[b][0] || places[a][1] - places[b][1]);
  board.append(...reading.map((cell) => cells[cell]));

  /** @param {number[]} path the moves that begin with these cells */
  const moves = (path) =>
    model
      .get("moves")
      .filter((/** @type {number[]} */ move) => path.every((cell, nth) => move[nth] === cell));

  /** @param {number} cell */
  function click(cell) {
    if (begun.length && !moves([...begun, cell]).length) {
      begun = [];
    } else {
      begun = [...begun, cell];
      const [move] = moves(begun);
      if (move.length === begun.length) {
        begun = [];
        model.send({ action: "play", move });
      }
    }
    draw();
  }

  function draw() {
    const next = new Set(moves(begun).map((/** @type {number[]} */ move) => move[begun.length]));
    cells.forEach((button, cell) => {
      const mark = /** @type {keyof typeof MARKS} */ (model.get("marks")[cell]);
      button.textContent = MARKS[mark];
      button.className = mark === "." ? "" : mark;
      const owner = model.get("owners")[cell];
      if (owner !== ".") button.classList.add(`of-${owner}`);
      button.classList.toggle("last", model.get("last").includes(cell));
      button.classList.toggle("begun", begun.includes(cell));
      button.classList.toggle("next", next.has(cell));
      button.setAttribute("aria-label", `${model.get("labels")[cell]} ${MARKS[mark] || "empty"}`);
      button.disabled = !next.has(cell) && !begun.length;
    });
    status.textContent = begun.length
      ? `${model.get("labels")[begun[0]]}: push it in where?`
      : model.get("status");
  }

  const changed = () => {
    begun = [];
    draw();
  };
  model.on("change:turns", changed);
  draw();
  return () => model.off("change:turns", changed);
}

export default { render };
