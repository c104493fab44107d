// The address of a game's page: it can be shared, and the browser's Back returns to the last decision of a person.

/**
 * A game as the browser keeps it with an address.
 * @template R
 * @typedef {object} State
 * @property {number} format
 * @property {R} rules
 * @property {string} begin the position in which it began
 * @property {{move: string, position: string}[]} moves each with the position after it
 * @property {number} at how many of them have been made in the position on the board
 * @property {boolean} [shared] whether it came from an address, and nobody has done anything with it yet
 */

const FORMAT = 3; // other states were kept by other versions, and are read from their addresses

/**
 * @template R
 * @param {R} rules
 * @param {string} begin
 * @returns {State<R>}
 */
export const newState = (rules, begin) => ({ format: FORMAT, rules, begin, moves: [], at: 0 });

/** @param {State<unknown>} state */
export const positionOf = ({ begin, moves, at }) => (at ? moves[at - 1].position : begin);

/** @template R */
export class Address {
  /**
   * @param {(search: URLSearchParams) => {rules: R, begin: string}} read
   * @param {(rules: R, position: string) => string} write the query of an address
   * @param {(state: State<R>) => void} arrive when the browser goes back or forth
   */
  constructor(read, write, arrive) {
    this.read = read;
    this.write = write;
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
    const { rules, begin } = this.read(search);
    return { ...newState(rules, begin), shared: search.has("position") };
  }

  /**
   * @param {State<R>} state
   * @param {boolean} decided by a person: Back will return to what was before
   */
  save(state, decided) {
    const query = this.write(state.rules, positionOf(state));
    const push = decided && query !== location.search;
    history[push ? "pushState" : "replaceState"](state, "", query);
  }
}
