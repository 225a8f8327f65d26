// The server: JSON in, JSON out, and everything that can go wrong as one kind of error.

import { askToken, token } from "./token.js";

/** What went wrong, in words for people; `status` is 0 where no answer came, `problem` the server's own account. */
export class Problem extends Error {
  constructor(status, message, problem = {}) {
    super(`${message[0].toUpperCase()}${message.slice(1).replace(/(?<![.?!])$/, ".")}`);
    this.status = status;
    this.problem = problem;
  }
}

/** GET *path* with the *params* that are not empty; a list gives a parameter several times. */
export function get(path, params = {}, signal = undefined) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const one of [value].flat()) if (one !== "" && one !== null && one !== undefined) query.append(name, one);
  }
  return request(query.size ? `${path}?${query}` : path, { signal });
}

/** POST *body* as JSON. */
export function post(path, body, signal = undefined) {
  const headers = { "Content-Type": "application/json" };
  return request(path, { method: "POST", body: JSON.stringify(body), headers, signal });
}

/** Whether *error* only says that nobody waits for the answer any more. */
export const isAborted = (error) => error.name === "AbortError";

async function request(path, options) {
  const used = token();
  const headers = { Accept: "application/json", ...options.headers };
  if (used) headers.Authorization = `Bearer ${used}`;
  let answer;
  try {
    answer = await fetch(new URL(path, document.baseURI), { ...options, headers });
  } catch (error) {
    if (isAborted(error)) throw error;
    throw new Problem(0, "The server does not answer. Is `headwise serve` still running?");
  }
  if (answer.status === 401) {
    await askToken(used);
    options.signal?.throwIfAborted();
    return request(path, options);
  }
  const body = await answer.json().catch((error) => {
    if (isAborted(error)) throw error;
    throw new Problem(answer.status, `The server answered ${answer.status} with what is no JSON.`);
  });
  if (!answer.ok && !isReport(body)) {
    throw new Problem(answer.status, body.detail || body.title || `The server answered ${answer.status}.`, body);
  }
  return body;
}

/** Health that is not well comes with 503, and is still what was asked for. */
const isReport = (body) => body.status === "unusable";
