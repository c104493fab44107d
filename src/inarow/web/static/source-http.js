// The answers of `inarow serve`, over HTTP; contract.js has the contract.

import { Refused } from "./refused.js";
import { t, translated } from "./texts.js";

/** @typedef {import("./contract.js").QuixoRules} QuixoRules */
/** @typedef {Record<string, string | number | null | undefined>} Query */

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

/** @param {QuixoRules} rules that the position's own shape does not tell, where they are not the usual ones */
const usual = ({ rows, columns, line, double_line }) => ({
  line: line === Math.max(rows, columns) ? null : line,
  double_line: double_line === "loses" ? null : double_line,
});

/** @type {import("./contract.js").Source} */
export const source = {
  quixo: {
    probe: (rules, position) => get("api/quixo/probe", { position, ...usual(rules) }),
    async probeMany({ line, double_line }, positions) {
      const found = [];
      for (let first = 0; first < positions.length; first += BATCH) {
        const some = positions.slice(first, first + BATCH);
        const { probes } = await ask("api/quixo/probe", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ positions: some, line, double_line }),
        });
        found.push(...probes);
      }
      return found;
    },
    move: (rules, position, player) => get("api/quixo/move", { position, ...usual(rules), ...player }),
    openings: ({ rows, columns, line, double_line }) =>
      get("api/quixo/openings", { size: `${rows}x${columns}`, line, double_line }),
    puzzles: ({ rows, columns, line, double_line }) =>
      get("api/quixo/puzzles", { size: `${rows}x${columns}`, line, double_line }),
    stats: ({ rows, columns, line, double_line }) =>
      get("api/quixo/stats", { size: `${rows}x${columns}`, line, double_line }),
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
