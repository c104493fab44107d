// A module of the core: questions in, records out. It runs in a worker of the page, and in Node for its tests.

import { Refused } from "./refused.js";

/** @typedef {Record<string, string | number | boolean | null | undefined>} Fields */
/** @typedef {(name: string) => Promise<Uint8Array<ArrayBuffer> | null>} Fetch the content of a file; null if it cannot be had */
/**
 * @typedef {object} Exports what native/wasm/module.cpp exports
 * @property {WebAssembly.Memory} memory
 * @property {() => void} _initialize
 * @property {(bytes: number) => number} room
 * @property {(bytes: number) => void} ask
 * @property {(name: number, content: number, found: boolean) => void} give
 * @property {() => number} output_at
 * @property {() => number} output_size
 */

/**
 * The bytes of a file that may be packed with gzip: some hosts unpack it on the way.
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
export async function unpacked(bytes) {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * What the chunks of a file unpack to, one after the other: it has their count, their lengths, and then the chunks. Null
 * if they are damaged.
 * @param {Uint8Array<ArrayBuffer>} file
 */
async function chunks(file) {
  try {
    const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
    const lengths = Array.from({ length: view.getUint32(0, true) }, (_, nth) =>
      view.getUint32(4 + 4 * nth, true),
    );
    let at = 4 + 4 * lengths.length;
    const streams = lengths.map((length) => {
      const packed = new Blob([file.subarray(at, (at += length))]);
      return new Response(packed.stream().pipeThrough(new DecompressionStream("deflate"))).blob();
    });
    return new Uint8Array(await new Blob(await Promise.all(streams)).arrayBuffer());
  } catch {
    return null;
  }
}

export class Core {
  /** @type {Exports} */
  #core;
  #fetch;

  /**
   * @param {Exports} core
   * @param {Fetch} fetch
   */
  constructor(core, fetch) {
    this.#core = core;
    this.#fetch = fetch;
  }

  /**
   * @param {Uint8Array<ArrayBuffer>} bytes of the module, which may be packed
   * @param {Fetch} fetch
   */
  static async load(bytes, fetch) {
    const module = await WebAssembly.compile(await unpacked(bytes));
    /** @type {{core?: Exports}} */
    const running = {};
    /** @type {Record<string, Record<string, Function>>} */
    const system = {};
    // Of the system it needs the time, and nothing else.
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      system[from] ??= {};
      system[from][name] = () => 52; // not supported
    }
    system.wasi_snapshot_preview1 ??= {};
    system.wasi_snapshot_preview1.clock_time_get = (
      /** @type {number} */ _,
      /** @type {bigint} */ __,
      /** @type {number} */ at,
    ) => {
      const { memory } = /** @type {Exports} */ (running.core);
      new DataView(memory.buffer).setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    };
    const instance = await WebAssembly.instantiate(module, /** @type {WebAssembly.Imports} */ (system));
    running.core = /** @type {Exports} */ (/** @type {unknown} */ (instance.exports));
    running.core._initialize();
    return new Core(running.core, fetch);
  }

  /**
   * The record that answers a question; fetches what it needs on the way.
   * @param {string} name
   * @param {Fields} fields null and undefined are left out
   * @returns {Promise<any>}
   */
  async ask(name, fields) {
    const lines = Object.entries(fields)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([field, value]) => `${field}=${String(value).replaceAll("\n", "␤")}`);
    const question = new TextEncoder().encode([name, ...lines].join("\n"));
    for (;;) {
      this.#write(question);
      this.#core.ask(question.length);
      const at = this.#core.output_at();
      const output = new Uint8Array(this.#core.memory.buffer, at, this.#core.output_size());
      const { record, refused, files } = JSON.parse(new TextDecoder().decode(output));
      if (refused) throw new Refused(refused.what, refused.at ?? undefined);
      if (!files) return record;
      await Promise.all(files.map((/** @type {string} */ file) => this.#give(file)));
    }
  }

  /** @param {string} file */
  async #give(file) {
    const found = await this.#fetch(file);
    const content = found && file.endsWith(".chunks") ? await chunks(found) : found;
    const name = new TextEncoder().encode(file);
    this.#write(name, content ?? new Uint8Array());
    this.#core.give(name.length, content?.length ?? 0, content !== null);
  }

  /** @param {Uint8Array[]} parts */
  #write(...parts) {
    let at = this.#core.room(parts.reduce((sum, part) => sum + part.length, 0));
    for (const part of parts) {
      new Uint8Array(this.#core.memory.buffer, at, part.length).set(part);
      at += part.length;
    }
  }
}
