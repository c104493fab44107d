// Which moves of Ultimate keep the win at ply 43: a walk through all optimal games, which
// inarow/ultimate/optimal.py finds and describes. The file is fetched when it is first asked.

/** @typedef {{symmetries: number[][], image: number, nodes: number[][]}} File */
/** @typedef {{move: number, node: number, symmetry: number}} Edge */
/** @typedef {{symmetries: number[][], image: number, nodes: Edge[][]}} Play */
/** @typedef {{moves: string[], leftAt: number | null}} OptimalMoves as in Python */

const END = -1;

/** @type {Promise<Play> | null} */
let fetched = null;

async function fetchPlay() {
  const name = "play"; // the checker of types does not look for the file, which the server makes
  /** @type {File} */
  const file = (await import(`./ultimate-optimal-${name}.js`)).default;
  let fresh = 1;
  const nodes = file.nodes.map((numbers) =>
    numbers.map((number) => {
      if (number < 0) return { move: -1 - number, node: END, symmetry: 0 };
      const rest = Math.floor(number / 81);
      const node = fresh - Math.floor(rest / 8);
      if (node === fresh) fresh++;
      return { move: number % 81, node, symmetry: rest % 8 };
    }),
  );
  return { ...file, nodes };
}

/**
 * The moves that keep the win after these moves; none if the game is over, or if one of them did not keep it.
 * @param {string[]} played
 * @returns {Promise<OptimalMoves>}
 */
export async function optimalMoves(played) {
  const { symmetries, image, nodes } = await (fetched ??= fetchPlay());
  let node = 0;
  let to = symmetries[image];
  for (const [nth, move] of played.entries()) {
    const wanted = 9 * to[Number(move[0])] + to[Number(move[1])];
    const edge = nodes[node].find((one) => one.move === wanted);
    if (!edge) return { moves: [], leftAt: nth + 1 };
    if (edge.node === END) return { moves: [], leftAt: null };
    const then = symmetries[edge.symmetry];
    to = to.map((cell) => then[cell]);
    node = edge.node;
  }
  const moves = nodes[node].map(({ move }) => `${to.indexOf(Math.floor(move / 9))}${to.indexOf(move % 9)}`);
  return { moves: moves.sort(), leftAt: null };
}
