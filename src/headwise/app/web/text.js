// Text and numbers, for people. Positions that the server gives count code points; those of JavaScript, UTF-16 units.

const INTEGER = new Intl.NumberFormat("en");
const SPOKEN = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const STEPS = [
  [60, "second"],
  [60, "minute"],
  [24, "hour"],
  [30, "day"],
  [12, "month"],
  [Infinity, "year"],
];

/** `1,234`. */
export const number = (value) => INTEGER.format(value);

/** `1 chunk`, `2 chunks`. */
export const count = (value, one, many = `${one}s`) => `${number(value)} ${value === 1 ? one : many}`;

/** `line 12`, `lines 12–30`. */
export const lines = (first, last) =>
  first === last ? `line ${number(first)}` : `lines ${number(first)}–${number(last)}`;

/** What sizes count, by the name of their measure. */
export const unitOf = (tokenizer) => ({ chars: "characters", words: "words" })[tokenizer] ?? "tokens";

/** The breadcrumb: title and headings, repeats collapsed. */
export const trail = (title, headings) => [title, ...headings].filter((name, at, all) => name && name !== all[at - 1]);

/** `3 days ago`, of an ISO 8601 instant; the text itself if it is none. */
export function ago(instant) {
  let value = (Date.parse(instant) - Date.now()) / 1000;
  if (Number.isNaN(value)) return String(instant);
  for (const [size, unit] of STEPS) {
    if (Math.abs(value) < size) return SPOKEN.format(Math.round(value), unit);
    value /= size;
  }
  return String(instant);
}

/** `12 ms`, `1.4 s`, `3 min`. */
export function duration(seconds) {
  if (seconds < 1) return `${Math.max(1, Math.round(seconds * 1000))} ms`;
  return seconds < 90 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds / 60)} min`;
}

/** Text as it is shown: one kind of newline. */
export const shown = (text) => text.replace(/\r\n?/g, "\n");

/**
 * From code points to UTF-16 units of *text*: a function that is quick for any text, as only characters that take two
 * units are looked at.
 */
export function toUnits(text) {
  const doubles = []; // code point positions of the characters that take two units
  let seen = 0;
  for (const pair of text.matchAll(/[\u{10000}-\u{10ffff}]/gu)) doubles.push(pair.index - seen++);
  return (point) => {
    let [low, high] = [0, doubles.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (doubles[middle] < point) low = middle + 1;
      else high = middle;
    }
    return point + low;
  };
}
