// Parts of a compact table on another host: "ADDRESS#BEGIN-END", or "zstd ADDRESS#BEGIN-END" for a piece, which is packed
// with zstd. The decoder is fzstd, and loaded only where there is a table.

const PART = /^(zstd )?(https?:.*)#(\d+)-(\d+)$/;
/** Every frame of zstd begins with these bytes; those of a table leave them out. */
const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];

/** @param {string} name */
export const isPart = (name) => PART.test(name);

/**
 * The bytes of a part; null if the host does not serve ranges.
 * @param {string} name
 */
export async function fetchPart(name) {
  const [, packed, address, begin, end] = /** @type {RegExpExecArray} */ (PART.exec(name));
  const answer = await fetch(address, { headers: { range: `bytes=${begin}-${Number(end) - 1}` } });
  if (answer.status !== 206) return null;
  const found = new Uint8Array(await answer.arrayBuffer());
  return packed ? withUnpacked(found) : found;
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
