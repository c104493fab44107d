// The answers of `inarow serve`, over HTTP; contract.js has the contract.

import { beyondShape } from "./quixo-position.js";
import { Refused } from "./refused.js";
import { t, translated } from "./texts.js";

/** @typedef {import("./contract.js").QuixoRules} QuixoRules */
/** @typedef {Record<string, string | number | boolean | null | undefined>} Query */

const ROOT = new URL("../", import.meta.url);
const BATCH = 20; // positions in a request: as many as the server takes of a board without a table

/**
 * @param {string} path from the root of the server
 * @param {Query} [query] null and undefined are left out
 * @returns {Promise<any>}
 */
function get(path, query = {}) {
  const words = Object.entries(query)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value)).replaceAll("%2F", "/")}`);
  return ask(words.length ? `${path}?${words.join("&")}` : path);
}

/**
 * @param {string} address
 * @param {RequestInit} [options]
 */
async function ask(address, options) {
  let answer;
  try {
    answer = await fetch(new URL(address, ROOT), options);
  } catch {
    throw new Refused(t("common.no-server"), undefined, true);
  }
  const record = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    const { what } = record.error ?? {};
    const said = what ? translated(what) : t("common.server-answered", { status: answer.status });
    throw new Refused(said, record.error?.at, answer.status >= 500);
  }
  return record;
}

/**
 * Counts, puzzles or openings of a game.
 * @param {string} name
 */
const ofGame = (name) => (/** @type {QuixoRules} */ rules) =>
  get(`api/quixo/${name}`, { size: `${rules.rows}x${rules.columns}`, ...beyondShape(rules) });

/** @type {import("./contract.js").Source} */
export const source = {
  quixo: {
    probe: (rules, position) => get("api/quixo/probe", { position, ...beyondShape(rules) }),
    async probeMany(rules, positions) {
      const found = [];
      for (let first = 0; first < positions.length; first += BATCH) {
        const some = positions.slice(first, first + BATCH);
        const { probes } = await ask("api/quixo/probe", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ positions: some, ...beyondShape(rules) }),
        });
        found.push(...probes);
      }
      return found;
    },
    move: (rules, position, player) => get("api/quixo/move", { position, ...beyondShape(rules), ...player }),
    openings: ofGame("openings"),
    puzzles: ofGame("puzzles"),
    stats: ofGame("stats"),
  },
  qubic: {
    probe: (position, move) => get("api/qubic/probe", { position, move }),
    move: (position, seed) => get("api/qubic/move", { position, seed }),
  },
  ultimate: {
    probe: (position, move, variant) => get("api/ultimate/probe", { position, move, variant }),
    move: (position, seed, options) => get("api/ultimate/move", { position, seed, ...options }),
  },
  api: {
    description: () => get("api/openapi.json"),
    ask: (path, query) => get(path.replace(/^\//, ""), query),
  },
};
