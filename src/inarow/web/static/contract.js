// The contract of `source`, from which the pages get everything that they show. Browsers do not load this file. A page
// asks `source` and nothing else: it never fetches, and knows no rules. There are two sources with the same answers:
// "http" asks the API of `inarow serve`
// (source-http.js), "wasm" runs the core in a worker of the page (source-wasm.js). The page names its source:
// <html data-source="http">.
//
// The contract:
//
// - Every method returns a promise of a record in the shape of the API's answer (/api/openapi.json describes each
//   field), as a fresh object that the page may keep and must not change.
// - Positions and moves are texts in the notation of the API. A position of Quixo may have "_" in place of the space.
// - Values are for the side to move, distances in plies.
// - A request that cannot be answered rejects with `Refused`, whose message is a sentence for people. `at` is the
//   index of the wrong character, where the notation is wrong; `temporary` says that asking again may help.
// - Requests may be made at any time, also while earlier ones are not answered, and are answered in any order. The
//   page drops answers that come too late.
// - The same `seed` in the same position gives the same move of a player.

/** @typedef {"x" | "o"} Mark */
/** @typedef {"win" | "draw" | "loss" | null} Value null: not known */

// --- Quixo ---

/** @typedef {{rows: number, columns: number, line: number, double_line: "loses" | "wins" | "draws", misere?: boolean, wrap?: boolean, diagonals?: boolean}} QuixoRules */
/** @typedef {"table" | "book" | "search" | "results"} QuixoSource where a value comes from */
/**
 * A legal move, with its value for the side that makes it and its plies from the position before it.
 * @typedef {object} QuixoMove
 * @property {string} move as in "a1a4"
 * @property {Value} value
 * @property {number | null} plies
 * @property {string} position after the move
 * @property {QuixoSource} source
 * @property {number | null} losing_replies
 * @property {number | null} replies
 */
/** @typedef {QuixoMove & {alike: number}} QuixoProbedMove `alike` is equal for moves that are the same by symmetry */
/**
 * A line that a side could complete with one move, and win, if it were to move.
 * @typedef {{line: string[], moves: string[]}} QuixoThreat
 */
/**
 * `blocks` are the moves of the side to move after which the other cannot complete a line at once; null if it
 * threatens to complete none.
 * @typedef {{x: QuixoThreat[], o: QuixoThreat[], blocks: string[] | null}} QuixoThreats
 */
/**
 * @typedef {object} QuixoProbe
 * @property {string} position
 * @property {Value} value
 * @property {number | null} plies
 * @property {QuixoProbedMove[]} moves every legal move, best first; none if the game is over
 * @property {QuixoSource} source
 * @property {string | null} reason why value or plies are not known, where they are not
 * @property {Mark | null} winner
 * @property {string[]} winning_cells
 * @property {QuixoThreats} threats
 */
/** @typedef {{player: "best" | "trap" | "level" | "weaker", level?: number, mistakes?: number, seed?: number}} QuixoPlayer `level` is 1 to 6, `mistakes` a share from 0 to 1 */
/** @typedef {QuixoMove & {player: string}} QuixoChosen `player` says in words how it plays */
/** @typedef {{plies: number, win: number, loss: number}} PlyCounts */
/** @typedef {{x: number, o: number, win: number, loss: number, draw: number, max_plies: number | null}} ClassCounts */
/** @typedef {{value: "win" | "draw" | "loss", plies: number | null, states: {win: number, loss: number, draw: number}, by_plies: PlyCounts[], classes: ClassCounts[]}} QuixoStats */
/**
 * A move of a line of the book; lines of one or two moves have a name.
 * @typedef {object} QuixoOpening
 * @property {string} move
 * @property {string | null} name
 * @property {string} position after the move
 * @property {Value} value for the side that makes it
 * @property {number | null} losing_replies
 * @property {number | null} replies
 * @property {QuixoOpening[]} lines what is played next
 */
/**
 * A position with X to move; docs/puzzles.md tells how it is graded, and which is that of a day.
 * @typedef {object} QuixoPuzzle
 * @property {number} id from 1 on
 * @property {"win" | "draw" | "defend"} kind
 * @property {string} position
 * @property {Value} value
 * @property {number | null} plies
 * @property {string} move the only right one
 * @property {number} grade 1 to 5
 * @property {number} depth
 * @property {number} tempting
 * @property {"table" | "search"} source
 * @property {Record<string, number>} outcomes of every move: plies to a win, 0 for a draw, negative plies to a loss
 */
/**
 * @typedef {object} QuixoQuestions
 * @property {(rules: QuixoRules, position: string) => Promise<QuixoProbe>} probe GET /api/quixo/probe
 * @property {(rules: QuixoRules, positions: string[]) => Promise<QuixoProbe[]>} probeMany any number of them, in
 *   their order: POST /api/quixo/probe
 * @property {(rules: QuixoRules, position: string, player: QuixoPlayer) => Promise<QuixoChosen>} move of one of
 *   inarow's players, in a game that is not over: GET /api/quixo/move
 * @property {(rules: QuixoRules) => Promise<{lines: QuixoOpening[]}>} openings of the usual rules on 5×5:
 *   GET /api/quixo/openings
 * @property {(rules: QuixoRules) => Promise<{puzzles: QuixoPuzzle[]}>} puzzles of the usual rules on 4×4 and 5×5:
 *   GET /api/quixo/puzzles
 * @property {(rules: QuixoRules) => Promise<QuixoStats>} stats GET /api/quixo/stats
 */

// --- Qubic ---

/**
 * @typedef {object} QubicProbe
 * @property {string} position
 * @property {Mark} turn
 * @property {boolean} over
 * @property {Mark | null} winner
 * @property {number[]} winning_cells
 * @property {number[]} moves
 * @property {{x: number[], o: number[]}} threats
 * @property {number[] | null} forced
 * @property {{cell: number, reason: "win" | "block" | "dictionary" | "forced", why: string, line_number: number | null, sequence: number[] | null} | null} answer
 * @property {string} [reason]
 */
/**
 * @typedef {object} QubicQuestions
 * @property {(position: string, move?: string) => Promise<QubicProbe>} probe of the position, or of the one after a
 *   legal move from it: GET /api/qubic/probe
 * @property {(position: string, seed: number) => Promise<{move: number}>} move inarow's, in a game that is not over:
 *   GET /api/qubic/move
 */

// --- Ultimate ---

/** @typedef {{move: string, phase: "opening" | "middlegame" | "endgame", why: string, at_most: number}} UltimateStrategy */
/**
 * @typedef {object} UltimateProbe
 * @property {string} position
 * @property {"open" | "closed"} variant
 * @property {Mark} turn
 * @property {string[]} fields
 * @property {(Mark | null)[]} field_winners
 * @property {number[]} active_fields
 * @property {string[]} moves
 * @property {boolean} over
 * @property {Mark | null} winner
 * @property {number[]} winning_fields
 * @property {UltimateStrategy | null} strategy
 * @property {UltimateStrategy | null} last_strategy
 * @property {string[]} resistance
 * @property {string} [reason]
 */
/** @typedef {"open" | "closed"} UltimateVariant open where it is not given */
/** @typedef {{variant?: UltimateVariant, player?: "strategy" | "search"}} UltimatePlayer by strategies if not told otherwise */
/**
 * @typedef {object} UltimateQuestions
 * @property {(position: string, move?: string | null, variant?: UltimateVariant) => Promise<UltimateProbe>} probe of the
 *   position, or of the one after a legal move from it: GET /api/ultimate/probe
 * @property {(position: string, seed: number, options?: UltimatePlayer) => Promise<{move: string}>} move inarow's, in a
 *   game that is not over: GET /api/ultimate/move
 */

// --- The API itself ---

/**
 * For the page about the API; null where there is no server.
 * @typedef {object} ApiQuestions
 * @property {() => Promise<Record<string, any>>} description GET /api/openapi.json
 * @property {(path: string, query: Record<string, string | null>) => Promise<unknown>} ask any GET request
 */

/** @typedef {{quixo: QuixoQuestions, qubic: QubicQuestions, ultimate: UltimateQuestions, api: ApiQuestions | null}} Source */

export {};
