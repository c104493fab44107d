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
