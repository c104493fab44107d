// Answers the questions of a page beside it, so that the page never waits. The name of the worker is the module's.

import { Refused } from "./refused.js";
import { Core } from "./wasm-core.js";
import { fetchPart, isPart } from "./wasm-pieces.js";

/** @typedef {{id: number, name: string, fields: import("./wasm-core.js").Fields}} Job */

const ROOT = new URL("../", import.meta.url);

/** @param {string} name of a file of the site, or of a part of a table */
async function file(name) {
  try {
    if (isPart(name)) return await fetchPart(name);
    const answer = await fetch(new URL(name, new URL("data/", ROOT)));
    return answer.ok ? new Uint8Array(await answer.arrayBuffer()) : null;
  } catch {
    return null; // without a network the search knows less, but it answers
  }
}

async function load() {
  const answer = await fetch(new URL(`wasm/${self.name}.wasm.gz`, ROOT));
  if (!answer.ok) throw new Error(answer.statusText);
  return Core.load(new Uint8Array(await answer.arrayBuffer()), file);
}

/** @type {Promise<Core> | null} */
let core = null;
/** @type {Job[]} */
const jobs = [];

/** @param {Job} job */
async function work({ id, name, fields }) {
  try {
    core ??= load();
    postMessage({ id, record: await (await core).ask(name, fields) });
  } catch (error) {
    if (error instanceof Refused) {
      postMessage({ id, refused: { message: error.message, at: error.at } });
    } else {
      core = null; // the next question gets a new one
      postMessage({ id, failed: true });
    }
  }
}

addEventListener("message", ({ data }) => {
  jobs.push(data);
  // The latest question first: what was asked before it may be of a position that is not shown any more.
  setTimeout(() => {
    const job = jobs.pop();
    if (job) work(job);
  });
});
