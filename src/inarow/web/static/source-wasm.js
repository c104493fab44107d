// The answers of the core in a worker of the page; contract.js has the contract.

import { beyondShape } from "./quixo-position.js";
import { Refused } from "./refused.js";
import { t, translated } from "./texts.js";

/** @typedef {import("./wasm-core.js").Fields} Fields */
/** @typedef {{resolve: (record: any) => void, reject: (error: Refused) => void}} Waiting */

/** A worker for one game, started with its first question. */
class Game {
  /** @type {Worker | null} */
  #worker = null;
  /** @type {Map<number, Waiting>} */
  #waiting = new Map();
  #asked = 0;

  /** @param {string} name */
  constructor(name) {
    this.name = name;
  }

  /**
   * @param {string} name
   * @param {Fields} fields
   * @returns {Promise<any>}
   */
  ask(name, fields) {
    const worker = (this.#worker ??= this.#start());
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      worker.postMessage({ id, name, fields });
    });
  }

  #start() {
    const worker = new Worker(new URL("./wasm-worker.js", import.meta.url), {
      type: "module",
      name: this.name,
    });
    worker.addEventListener("message", ({ data: { id, record, refused, failed } }) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (failed) waiting?.reject(new Refused(t("common.solver-failed")));
      else if (refused) waiting?.reject(new Refused(translated(refused.message), refused.at));
      else waiting?.resolve(record);
    });
    worker.addEventListener("error", () => {
      for (const { reject } of this.#waiting.values()) {
        reject(new Refused(t("common.solver-not-loaded")));
      }
      this.#waiting.clear();
      this.#worker = null;
    });
    return worker;
  }
}

const [quixo, qubic, ultimate] = ["quixo", "qubic", "ultimate"].map((name) => new Game(name));

/** @type {import("./contract.js").Source} */
export const source = {
  quixo: {
    probe: (rules, position) => quixo.ask("probe", { position, ...beyondShape(rules) }),
    probeMany: (rules, positions) =>
      Promise.all(positions.map((position) => quixo.ask("probe", { position, ...beyondShape(rules) }))),
    move: (rules, position, { mistakes, ...player }) =>
      quixo.ask("move", {
        position,
        ...beyondShape(rules),
        ...player,
        mistakes: mistakes && Math.round(mistakes * 100),
      }),
    openings: (rules) => quixo.ask("openings", { ...rules }),
    puzzles: (rules) => quixo.ask("puzzles", { ...rules }),
    stats: async (rules) => quixo.ask("stats", { ...rules }),
  },
  qubic: {
    probe: (position, move) => qubic.ask("probe", { position, move }),
    move: (position, seed) => qubic.ask("move", { position, seed }),
  },
  ultimate: {
    probe: (position, move, variant) => ultimate.ask("probe", { position, move, variant }),
    move: (position, seed, options) => ultimate.ask("move", { position, seed, ...options }),
  },
  api: null,
};
