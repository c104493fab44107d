// Makes elements, and announces changes to screen readers.

import { t } from "./texts.js";

/** @typedef {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} Attributes */
/** @typedef {Node | string | null | undefined | false} Child */

/**
 * @param {Element} element
 * @param {Attributes} attributes functions become listeners; null, undefined and false leave the attribute out
 * @param {Child[]} children
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else set(element, name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/**
 * @param {Element} element
 * @param {string} name
 * @param {string | number | boolean | null | undefined} value
 */
export function set(element, name, value) {
  if (value === null || value === undefined || value === false) {
    element.removeAttribute(name);
  } else if (element.getAttribute(name) !== String(value)) {
    element.setAttribute(name, value === true ? "" : String(value));
  }
}

/**
 * An HTML element.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {Child[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function html(tag, attributes = {}, ...children) {
  return /** @type {HTMLElementTagNameMap[Tag]} */ (fill(document.createElement(tag), attributes, children));
}

/**
 * An SVG element.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {Child[]} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  return /** @type {SVGElementTagNameMap[Tag]} */ (fill(element, attributes, children));
}

/**
 * The element with an id, which must be on the page.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element #${id}`);
  return found;
}

/** @param {string} id */
export const button = (id) => /** @type {HTMLButtonElement} */ (byId(id));
/** @param {string} id */
export const select = (id) => /** @type {HTMLSelectElement} */ (byId(id));
/** @param {string} id */
export const input = (id) => /** @type {HTMLInputElement} */ (byId(id));

/**
 * Announces a text to screen readers.
 * @param {string} text
 */
export function announce(text) {
  byId("live").textContent = text;
}

/** @param {string} sentence */
export const capital = (sentence) => sentence[0].toUpperCase() + sentence.slice(1);

/** Whether animations are welcome. */
export const mayMove = () => !matchMedia("(prefers-reduced-motion: reduce)").matches;

/** @param {number} milliseconds */
export const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/**
 * Calls a function when a button is pressed; a double click is one press.
 * @param {HTMLElement} element
 * @param {(byKey: boolean) => void} action
 */
export function onPress(element, action) {
  element.addEventListener("click", (event) => {
    if (event.detail < 2) action(event.detail === 0);
  });
}

/**
 * Copies the address of the page, or opens the phone's own menu for sharing.
 * @param {HTMLButtonElement} from the button that was pressed
 * @param {string} title
 */
export async function share(from, title) {
  const label = from.dataset.label ?? from.textContent ?? "";
  from.dataset.label = label;
  let said = t("common.link-copied");
  try {
    if (navigator.share && matchMedia("(pointer: coarse)").matches) {
      await navigator.share({ title, url: location.href });
      return;
    }
    await navigator.clipboard.writeText(location.href);
  } catch {
    said = t("common.link-in-bar");
  }
  from.textContent = said;
  announce(said);
  await pause(1800);
  from.textContent = label;
}

/**
 * Settings kept in the browser.
 * @template T
 * @param {string} key
 * @param {T} defaults
 * @returns {T}
 */
export function remembered(key, defaults) {
  try {
    return { ...defaults, ...JSON.parse(localStorage.getItem(key) ?? "{}") };
  } catch {
    return defaults;
  }
}

/**
 * @param {string} key
 * @param {object} settings
 */
export function remember(key, settings) {
  try {
    localStorage.setItem(key, JSON.stringify(settings));
  } catch {
    // Private windows may refuse; the settings then last as long as the page.
  }
}
