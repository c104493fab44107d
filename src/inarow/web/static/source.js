// Where the pages get everything that they show: contract.js says what it answers. The page names its source.

/** The source of this page. */
export const source = /** @type {import("./contract.js").Source} */ (
  (await import(`./source-${document.documentElement.dataset.source ?? "http"}.js`)).source
);
