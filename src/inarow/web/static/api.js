// Requests to the server.

/** An error response of the server. */
export class Refused extends Error {
  /**
   * @param {string} what
   * @param {number} status
   * @param {number | undefined} at the wrong character, if there is one
   */
  constructor(what, status, at) {
    super(what);
    this.status = status;
    this.at = at;
  }
}

/**
 * @param {string} path
 * @param {Record<string, string | number | null | undefined>} [query]
 * @returns {Promise<any>}
 */
export function get(path, query = {}) {
  const words = Object.entries(query)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value)).replaceAll("%2F", "/")}`);
  return ask(words.length ? `${path}?${words.join("&")}` : path);
}

/**
 * @param {string} path
 * @param {object} body
 * @returns {Promise<any>}
 */
export function post(path, body) {
  return ask(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/**
 * @param {string} address
 * @param {RequestInit} [options]
 */
async function ask(address, options) {
  let answer;
  try {
    answer = await fetch(address, options);
  } catch {
    throw new Refused("The server does not answer. Is inarow serve still running?", 0, undefined);
  }
  const record = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    throw new Refused(
      record.error?.what ?? `The server answered ${answer.status}.`,
      answer.status,
      record.error?.at,
    );
  }
  return record;
}
