// Keeps the site at hand for visits without a network. Not before the page had time for its own files.

const worker = new URL("../offline-worker.js", import.meta.url);
setTimeout(() => navigator.serviceWorker?.register(worker).catch(() => {}), 3000);
