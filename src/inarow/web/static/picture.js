// Pictures of a game to keep: a position as SVG, a whole game as an animated GIF. Nothing is loaded for them.

/** @typedef {{x: number, y: number, width: number, height: number}} Box */
/** @typedef {{x: number, y: number, size: number, mark: "x" | "o" | ".", lit?: boolean}} Tile its centre */
/** @typedef {{width: number, height: number, wells: Box[], tiles: Tile[]}} Picture */

const COLOURS = {
  wood: "#4a3b32",
  well: "#33281f",
  tile: "#efe1c8",
  lit: "#ffd978",
  x: "#1d4f7c",
  o: "#b4452b",
};

/**
 * A picture as shapes: rectangles, and the strokes of marks.
 * @param {Picture} picture
 */
function* shapes({ width, height, wells, tiles }) {
  yield { box: { x: 0, y: 0, width, height }, radius: 20, fill: COLOURS.wood };
  for (const box of wells) yield { box, radius: 14, fill: COLOURS.well };
  for (const { x, y, size, mark, lit } of tiles) {
    const box = { x: x - size / 2, y: y - size / 2, width: size, height: size };
    yield { box, radius: size * 0.15, fill: lit ? COLOURS.lit : COLOURS.tile };
    if (mark !== ".") yield { mark, x, y, arm: size * 0.26, stroke: size * 0.14, colour: COLOURS[mark] };
  }
}

/** @param {Picture} picture */
export function svgOf(picture) {
  const parts = [...shapes(picture)].map((one) => {
    if (one.box) {
      const { x, y, width, height } = one.box;
      return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${one.radius}" fill="${one.fill}"/>`;
    }
    const { x, y, arm, stroke, colour } = one;
    const line = `fill="none" stroke="${colour}" stroke-width="${stroke}" stroke-linecap="round"`;
    return one.mark === "o"
      ? `<circle cx="${x}" cy="${y}" r="${arm}" ${line}/>`
      : `<path d="M${x - arm} ${y - arm}l${2 * arm} ${2 * arm}m0 ${-2 * arm}l${-2 * arm} ${2 * arm}" ${line}/>`;
  });
  const { width, height } = picture;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">\n${parts.join("\n")}\n</svg>\n`;
}

/**
 * @param {Picture} picture
 * @param {CanvasRenderingContext2D} context
 * @param {number} scale
 */
function paint(picture, context, scale) {
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.fillStyle = "#fff";
  context.fillRect(0, 0, picture.width, picture.height);
  for (const one of shapes(picture)) {
    context.beginPath();
    if (one.box) {
      const { x, y, width, height } = one.box;
      context.roundRect(x, y, width, height, one.radius);
      context.fillStyle = /** @type {string} */ (one.fill);
      context.fill();
      continue;
    }
    const { x, y, arm, stroke, colour } = one;
    if (one.mark === "o") {
      context.arc(x, y, arm, 0, 2 * Math.PI);
    } else {
      for (const side of [1, -1]) {
        context.moveTo(x - arm, y - side * arm);
        context.lineTo(x + arm, y + side * arm);
      }
    }
    context.strokeStyle = colour;
    context.lineWidth = stroke;
    context.lineCap = "round";
    context.stroke();
  }
}

/** The colours of the pictures, and those in between at the edges of shapes: 64 in all. */
function palette() {
  const solid = ["#ffffff", ...Object.values(COLOURS)].map((colour) =>
    [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)),
  );
  const mixed = solid.flatMap((one, nth) =>
    solid
      .slice(nth + 1)
      .flatMap((other) =>
        [1 / 3, 2 / 3].map((share) =>
          one.map((value, at) => Math.round(value + (other[at] - value) * share)),
        ),
      ),
  );
  const all = [...solid, ...mixed].slice(0, 64);
  while (all.length < 64) all.push([0, 0, 0]);
  return all;
}

/**
 * A game as an animated GIF.
 * @param {Picture[]} pictures all of one size
 * @param {number} width in pixels
 * @param {number} [milliseconds] of each; the last stays three times as long
 */
export function gifOf(pictures, width, milliseconds = 900) {
  const scale = width / pictures[0].width;
  const height = Math.round(pictures[0].height * scale);
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = /** @type {CanvasRenderingContext2D} */ (
    canvas.getContext("2d", { willReadFrequently: true })
  );
  const colours = palette();
  /** @type {Map<number, number>} */
  const nearest = new Map();
  const indexOf = (/** @type {number} */ red, /** @type {number} */ green, /** @type {number} */ blue) => {
    const key = (red << 16) | (green << 8) | blue;
    let index = nearest.get(key);
    if (index === undefined) {
      const far = colours.map((one) => (one[0] - red) ** 2 + (one[1] - green) ** 2 + (one[2] - blue) ** 2);
      index = far.indexOf(Math.min(...far));
      nearest.set(key, index);
    }
    return index;
  };
  const short = (/** @type {number} */ value) => [value & 255, value >> 8];
  const ascii = (/** @type {string} */ word) => [...word].map((letter) => letter.charCodeAt(0));
  /** @type {number[]} */
  const bytes = [...ascii("GIF89a"), ...short(width), ...short(height), 0xf5, 0, 0, ...colours.flat()];
  bytes.push(0x21, 0xff, 11, ...ascii("NETSCAPE2.0"), 3, 1, 0, 0, 0); // for ever
  pictures.forEach((picture, nth) => {
    paint(picture, context, scale);
    const { data } = context.getImageData(0, 0, width, height);
    const pixels = new Uint8Array(width * height);
    for (let at = 0; at < pixels.length; at++) {
      pixels[at] = indexOf(data[4 * at], data[4 * at + 1], data[4 * at + 2]);
    }
    const hundredths = Math.round((milliseconds / 10) * (nth === pictures.length - 1 ? 3 : 1));
    bytes.push(0x21, 0xf9, 4, 4, ...short(hundredths), 0, 0);
    bytes.push(0x2c, 0, 0, 0, 0, ...short(width), ...short(height), 0);
    for (const byte of packed(pixels, 6)) bytes.push(byte);
  });
  bytes.push(0x3b);
  return new Blob([new Uint8Array(bytes)], { type: "image/gif" });
}

/**
 * Pixels as GIF packs them: LZW with codes that grow, in blocks of up to 255 bytes.
 * @param {Uint8Array} pixels
 * @param {number} bits of a pixel
 */
function packed(pixels, bits) {
  const clear = 1 << bits;
  const out = [];
  let held = 0;
  let count = 0;
  let size = bits + 1;
  const put = (/** @type {number} */ code) => {
    held |= code << count;
    for (count += size; count >= 8; count -= 8, held >>>= 8) out.push(held & 255);
  };
  /** @type {Map<number, number>} a code and the pixel behind it */
  let known = new Map();
  let next = clear + 2;
  put(clear);
  let code = pixels[0];
  for (let at = 1; at < pixels.length; at++) {
    const key = (code << bits) | pixels[at];
    const longer = known.get(key);
    if (longer !== undefined) {
      code = longer;
      continue;
    }
    put(code);
    if (next === 4096) {
      put(clear);
      known = new Map();
      next = clear + 2;
      size = bits + 1;
    } else {
      if (next === 1 << size) size++;
      known.set(key, next++);
    }
    code = pixels[at];
  }
  put(code);
  put(clear + 1);
  if (count) out.push(held & 255);
  const blocks = [bits];
  for (let at = 0; at < out.length; at += 255) {
    const block = out.slice(at, at + 255);
    blocks.push(block.length, ...block);
  }
  return [...blocks, 0];
}
