// Answers questions with a module of the core: lines of JSON in, lines of JSON out.
// node ask.mjs MODULE FILES: the packed module, and the folder of the files that it may need.
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const [module, files] = process.argv.slice(2);
const pages = new URL("../../../src/inarow/web/static/", import.meta.url);
const { Core } = await import(fileURLToPath(new URL("wasm-core.js", pages)));

const { fetchPart, isPart } = await import(fileURLToPath(new URL("wasm-pieces.js", pages)));

const file = (name) => (isPart(name) ? fetchPart(name) : readFile(`${files}/${name}`)).catch(() => null);
const core = await Core.load(await readFile(module), file);
for await (const line of createInterface({ input: process.stdin })) {
  const { name, fields } = JSON.parse(line);
  const begun = performance.now();
  const answer = await core.ask(name, fields).then(
    (record) => ({ record }),
    ({ message, at }) => ({ refused: { what: message, at: at ?? null } }),
  );
  console.log(JSON.stringify({ ...answer, seconds: (performance.now() - begun) / 1000 }));
}
