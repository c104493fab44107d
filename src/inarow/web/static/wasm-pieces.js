// Parts of a compact table on another host: "ADDRESS#BEGIN-END" with what it is before it. A piece, which is packed with
// zstd, is "zstd ADDRESS#…"; an index, which goes with a header and their digest, "index HEADER DIGEST ADDRESS#…". The
// decoder is fzstd, and loaded only where there is a table.

const PART = /^(?:zstd|index ([0-9a-f]+) ([0-9a-f]+)) (https?:.*)#(\d+)-(\d+)$/;
/** Every frame of zstd begins with these bytes; those of a table leave them out. */
const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];

/** @param {string} name */
export const isPart = (name) => PART.test(name);

/**
 * The bytes of a part; null if the host does not serve ranges, or serves something else.
 * @param {string} name
 */
export async function fetchPart(name) {
  const [, header, digest, address, begin, end] = /** @type {RegExpExecArray} */ (PART.exec(name));
  const answer = await fetch(address, { headers: { range: `bytes=${begin}-${Number(end) - 1}` } });
  if (answer.status !== 206) return null;
  const found = new Uint8Array(await answer.arrayBuffer());
  if (!header) return withUnpacked(found);
  return (await sha256(Uint8Array.of(...bytesOf(header), ...found))) === digest ? found : null;
}

/** @param {string} hexadecimal */
const bytesOf = (hexadecimal) => (hexadecimal.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16));

/**
 * In hexadecimal. Browsers have it on pages from https and from this machine alone.
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
async function sha256(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * A piece as the core takes it: four bytes with its length, the piece, and what it unpacks to.
 * @param {Uint8Array} piece
 */
async function withUnpacked(piece) {
  const decoder = new URL("../vendor/fzstd.js", import.meta.url).href;
  const { decompress } = await import(decoder);
  /** @type {Uint8Array} */
  const unpacked = decompress(Uint8Array.of(...MAGIC, ...piece));
  const both = new Uint8Array(4 + piece.length + unpacked.length);
  new DataView(both.buffer).setUint32(0, piece.length, true);
  both.set(piece, 4);
  both.set(unpacked, 4 + piece.length);
  return both;
}
