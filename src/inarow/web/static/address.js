// The address of a game's page: it can be shared, and the browser's Back returns to the last decision of a person.

/**
 * A game as the browser keeps it with an address.
 * @template R
 * @typedef {object} State
 * @property {number} format
 * @property {R} rules
 * @property {string} begin the position in which it began
 * @property {Made[][]} lines the moves played and variations, each from the beginning; the first was played first
 * @property {number} line the index of the one that is looked at
 * @property {number} at how many of its moves have been made in the position on the board
 * @property {boolean} [shared] whether it came from an address, and nobody has done anything with it yet
 * @property {Record<string, string>} [headers] of the text that it was read from: names, a date
 * @property {string} [about] a comment on the whole game, from there too
 * @property {string} [result] of that text, until another move is made
 * @property {boolean} [drawn] whether the players have agreed on a draw here
 * @property {{begin: string | null, moves: string[]}} [told] how an address says that the game came here; its
 *   positions are not known yet
 */
/** @typedef {{move: string, position: string, comment?: string, before?: string}} Made a move, the position after it, and comments */

const FORMAT = 4; // other states were kept by other versions, and are read from their addresses

/**
 * @template R
 * @param {R} rules
 * @param {string} begin
 * @returns {State<R>}
 */
export const newState = (rules, begin) => ({ format: FORMAT, rules, begin, lines: [[]], line: 0, at: 0 });

/** @param {State<unknown>} state */
export const positionOf = ({ begin, lines, line, at }) => (at ? lines[line][at - 1].position : begin);

const MOST = 2000; // characters of the moves in an address; servers take some 4,000 in all

/** @template R */
export class Address {
  /**
   * @param {(search: URLSearchParams) => {rules: R, begin: string, made?: Made[]}} read with the moves, where the
   *   position of an address tells them
   * @param {(rules: R, position: string) => string} write the query of an address
   * @param {(rules: R) => string | null} start where games begin; null if positions tell their moves
   * @param {(state: State<R>) => void} arrive when the browser goes back or forth
   */
  constructor(read, write, start, arrive) {
    this.read = read;
    this.write = write;
    this.start = start;
    addEventListener("popstate", (event) => arrive(this.#state(event.state)));
  }

  /** What the browser has kept with the address, else what the address says. */
  open() {
    return this.#state(history.state);
  }

  /**
   * @param {any} kept
   * @returns {State<R>}
   */
  #state(kept) {
    if (kept?.format === FORMAT) return kept;
    const search = new URLSearchParams(location.search);
    const { rules, begin, made = [] } = this.read(search);
    const moves = search.get("moves")?.split(",") ?? [];
    const told = moves.length ? { begin: search.get("begin"), moves } : undefined;
    const state = { ...newState(rules, begin), lines: [made], at: made.length };
    return { ...state, shared: search.has("position"), told };
  }

  /**
   * @param {State<R>} state
   * @param {boolean} decided by a person: Back will return to what was before
   */
  save(state, decided) {
    const { rules, begin, lines, line, at } = state;
    const start = this.start(rules);
    const moves = lines[line]
      .slice(0, at)
      .map(({ move }) => move)
      .join(",");
    const from = begin === start ? "" : `begin=${begin}&`;
    const played = start !== null && moves && moves.length < MOST ? `${from}moves=${moves}&` : "";
    // The position comes last, and is enough by itself.
    const query = this.write(rules, positionOf(state)).replace("?", `?${played}`);
    const push = decided && query !== location.search;
    history[push ? "pushState" : "replaceState"](state, "", query);
  }
}
