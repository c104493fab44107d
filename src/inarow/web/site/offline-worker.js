// The service worker of the site: everything that its pages load comes from a cache, which is filled at the first visit
// and belongs to one version of the site. A new version gets a cache of its own, and is used once no page of the old
// one is open.

const VERSION = "$version";
/** @type {string[]} paths from the root: what every visit may need */
const FILES = $files;

const NAME = `inarow-$${VERSION}`;
const ROOT = new URL("./", self.location.href);
const worker = /** @type {any} */ (self);

worker.addEventListener("install", (/** @type {any} */ event) => {
  event.waitUntil(
    caches.open(NAME).then((cache) =>
      // Past the browser's own cache, which may have files of an older version.
      cache.addAll(FILES.map((file) => new Request(new URL(file, ROOT), { cache: "reload" }))),
    ),
  );
});

worker.addEventListener("activate", (/** @type {any} */ event) => {
  const old = (/** @type {string} */ name) => name.startsWith("inarow-") && name !== NAME;
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name))))
      .then(() => worker.clients.claim()),
  );
});

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  if (request.method === "GET" && request.url.startsWith(ROOT.href) && !request.headers.has("range")) {
    event.respondWith(answer(request));
  }
});

/** @param {Request} request */
async function answer(request) {
  const cache = await caches.open(NAME);
  const address = new URL(request.url);
  address.search = "";
  if (address.pathname.endsWith("/")) address.pathname += "index.html";
  const kept = await cache.match(address);
  if (kept) return kept;
  // Hosts add the slash behind which the page's own links begin.
  if (request.mode === "navigate" && (await cache.match(`$${address.href}/index.html`))) {
    return Response.redirect(`$${address.href}/$${new URL(request.url).search}`);
  }
  const fetched = await fetch(request);
  // Pieces of the book: they are kept once they have been needed.
  if (fetched.ok && !fetched.redirected && request.mode !== "navigate") await cache.put(address, fetched.clone());
  return fetched;
}
