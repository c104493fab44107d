// Qubic's cube in space: it is turned by dragging or with the arrow keys, beside the four layers.

import { svg } from "./dom.js";
import { t } from "./texts.js";

const SIZE = 320;
const STEP = 51; // between neighbours
const FAR = 900; // of the eye from the middle

export class Cube {
  /**
   * @param {HTMLElement} parent
   * @param {(cell: string) => void} press
   */
  constructor(parent, press) {
    this.press = press;
    this.yaw = -0.5;
    this.pitch = 0.45;
    /** @type {(cell: number) => {mark: "x" | "o" | ".", classes: string[]}} */
    this.view = () => ({ mark: ".", classes: [] });
    this.root = svg("svg", {
      class: "cube",
      viewBox: `${-SIZE / 2} ${-SIZE / 2} ${SIZE} ${SIZE}`,
      role: "img",
      tabindex: "0",
      "aria-label": t("qubic.cube"),
      onpointerdown: (/** @type {PointerEvent} */ event) => this.#drag(event),
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.#key(event),
    });
    parent.replaceChildren(this.root);
  }

  /** @param {(cell: number) => {mark: "x" | "o" | ".", classes: string[]}} view */
  show(view) {
    this.view = view;
    this.#draw();
  }

  /**
   * A point of the cube on the screen; its middle is the origin.
   * @param {number[]} point to the right, to the front, up
   */
  #at([x, y, z]) {
    const [sinYaw, cosYaw, sinPitch, cosPitch] = [
      Math.sin(this.yaw),
      Math.cos(this.yaw),
      Math.sin(this.pitch),
      Math.cos(this.pitch),
    ];
    const across = x * cosYaw - y * sinYaw;
    const depth = x * sinYaw + y * cosYaw;
    const up = z * cosPitch - depth * sinPitch;
    const near = depth * cosPitch + z * sinPitch;
    const scale = FAR / (FAR - near);
    return { x: across * scale, y: -up * scale, near, scale };
  }

  #draw() {
    const place = (/** @type {number} */ nth) => (nth - 1.5) * STEP;
    // Layer 1 is on top, as it is first to be read.
    const cells = Array.from({ length: 64 }, (_, cell) => ({
      cell,
      ...this.#at([place(cell % 4), place(Math.floor(cell / 4) % 4), -place(Math.floor(cell / 16))]),
    }));
    const corner = 2 * STEP;
    const layers = Array.from({ length: 4 }, (_, layer) => {
      const points = [
        [-1, -1],
        [1, -1],
        [1, 1],
        [-1, 1],
      ].map(([x, y]) => this.#at([x * corner, y * corner, -place(layer) - 8]));
      return {
        near: Math.min(...points.map((point) => point.near)),
        path: svg("path", {
          class: "layer-plate",
          d: `M${points.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}Z`,
        }),
      };
    });
    const balls = cells.map(({ cell, x, y, near, scale }) => {
      const { mark, classes } = this.view(cell);
      const radius = (mark === "." ? 5 : 15) * scale;
      const ball = svg(
        "circle",
        {
          class: ["ball", `of-${mark === "." ? "none" : mark}`, ...classes].join(" "),
          cx: x.toFixed(1),
          cy: y.toFixed(1),
          r: radius.toFixed(1),
          onclick: () => this.press(String(cell)),
        },
        svg("title", {}, String(cell)),
      );
      ball.dataset.cell = String(cell);
      return { near, path: ball };
    });
    // What is nearer is drawn later; plates lie under everything on them.
    this.root.replaceChildren(
      ...layers.map(({ path }) => path).reverse(),
      ...balls.sort((one, two) => one.near - two.near).map(({ path }) => path),
    );
  }

  /**
   * @param {number} yaw
   * @param {number} pitch
   */
  #turn(yaw, pitch) {
    this.yaw += yaw;
    this.pitch = Math.max(-0.2, Math.min(1.4, this.pitch + pitch));
    this.#draw();
  }

  /** @param {PointerEvent} event */
  #drag(event) {
    let { clientX, clientY } = event;
    const move = (/** @type {PointerEvent} */ moved) => {
      this.#turn((clientX - moved.clientX) / 120, (moved.clientY - clientY) / 120);
      ({ clientX, clientY } = moved);
    };
    const end = () => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", end);
      removeEventListener("pointercancel", end);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", end);
    addEventListener("pointercancel", end);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const [yaw, pitch] =
      { ArrowLeft: [0.15, 0], ArrowRight: [-0.15, 0], ArrowUp: [0, 0.15], ArrowDown: [0, -0.15] }[
        event.key
      ] ?? [];
    if (yaw === undefined) return;
    this.#turn(yaw, pitch);
    event.preventDefault();
  }
}
