// The words of the pages, in the language of the page. They are in texts/LANGUAGE.json, one file for a language; the
// server gives a page those that its scripts use.

/** @typedef {keyof typeof import("../texts/en.json")} Key */
/**
 * @template {string} K
 * @typedef {K extends `${infer Stem}.one` ? Stem : never} StemOf
 */
/** @typedef {StemOf<Key>} CountedKey of a text that has a form for one and one for many */
/** @typedef {Record<string, string | number | null>} Values */

const { lang, dataset } = document.documentElement;
/** @type {Record<string, string>} */
const texts = { ...(await import(`./texts-${lang}-${dataset.page}.js`)).default };
const loaded = new Set();
const plural = new Intl.PluralRules(lang);

/**
 * Loads the texts of what a page does not need at first.
 * @param {"exchange" | "review" | "lesson" | "openings"} section
 */
export async function more(section) {
  if (loaded.has(section)) return;
  Object.assign(texts, (await import(`./texts-${lang}-${section}.js`)).default);
  loaded.add(section);
}

/** @type {[string, string][]} */
const sentences = lang === "en" ? [] : (await import(`./texts-${lang}-told.js`)).default;
// What the source says in English, and the same in the language of the page; those that say more come first.
const told = sentences
  .sort(([one], [other]) => said(other).length - said(one).length)
  .map(([english, text]) => ({ english: pattern(english), text }));

/**
 * The words of a text without the names in braces.
 * @param {string} english
 */
function said(english) {
  return english.replace(/\{\w+\}/g, "");
}

/**
 * What matches a text, with its names as groups.
 * @param {string} english
 */
function pattern(english) {
  const named = new Set();
  const parts = english.split(/\{(\w+)\}/).map((part, nth) => {
    if (nth % 2 === 0) return part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
    if (named.has(part)) return `\\k<${part}>`;
    named.add(part);
    return `(?<${part}>.+)`;
  });
  return new RegExp(`^${parts.join("")}$`, "s");
}

/**
 * A sentence of the source in the language of the page; one that is not known stays as it is.
 * @param {string} sentence
 * @returns {string}
 */
export function translated(sentence) {
  for (const { english, text } of told) {
    const found = english.exec(sentence);
    if (found) return text.replace(/\{(\w+)\}/g, (_, name) => translated(found.groups?.[name] ?? ""));
  }
  return sentence;
}

/**
 * A text, with values in place of the names in braces.
 * @param {Key} key
 * @param {Values} [values]
 */
export function t(key, values = {}) {
  return texts[key].replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

/**
 * A text about so many things.
 * @param {CountedKey} key
 * @param {number} count
 * @param {Values} [values]
 */
export function tn(key, count, values = {}) {
  const form = `${key}.${plural.select(count)}` in texts ? plural.select(count) : "other";
  return t(/** @type {Key} */ (`${key}.${form}`), { count, ...values });
}
