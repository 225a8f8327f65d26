// Sizes as a small picture, and in words beside it.

import { el, svg } from "./dom.js";
import { number } from "./text.js";

const [WIDTH, HEIGHT, GAP] = [240, 80, 3];
const MOST = 12; // bars at most

/** Where sizes lie: smallest, median, 95th percentile, largest. */
export function figures(sizes) {
  const ordered = [...sizes].sort((a, b) => a - b);
  const rank = (share) => ordered[Math.max(0, Math.ceil(share * ordered.length) - 1)] ?? 0;
  return { count: ordered.length, min: ordered[0] ?? 0, median: rank(0.5), p95: rank(0.95), max: ordered.at(-1) ?? 0 };
}

/** How many sizes lie in each of equal ranges, the same for all *lists*: `[{from, to, counts}]`. */
export function ranges(lists) {
  const largest = Math.max(1, ...lists.map((sizes) => sizes.reduce((most, size) => Math.max(most, size), 0)));
  const width = widths().find((one) => one * MOST > largest);
  const made = Array.from({ length: Math.floor(largest / width) + 1 }, (_, at) => ({
    from: at * width,
    to: (at + 1) * width - 1,
    counts: lists.map(() => 0),
  }));
  lists.forEach((sizes, list) => sizes.forEach((size) => made[Math.floor(size / width)].counts[list]++));
  return made;
}

/** Bars for `[{from, to, counts}]`, those of one list beside those of the next; *label* says all in words. */
export function histogram(bars, label) {
  const most = Math.max(1, ...bars.flatMap((bar) => bar.counts));
  const step = WIDTH / Math.max(bars.length, 1);
  const picture = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": label,
  });
  bars.forEach((bar, at) => {
    const width = (step - GAP) / bar.counts.length;
    bar.counts.forEach((value, list) => {
      const height = value ? Math.max(1.5, (value / most) * HEIGHT) : 0;
      const box = { x: at * step + list * width, y: HEIGHT - height, width: Math.max(width - 0.5, 0.5), height };
      const last = list === bar.counts.length - 1;
      picture.append(
        svg("rect", { class: last ? "now" : "before", ...box }, svg("title", {}, `${bar.from}–${bar.to}: ${value}`)),
      );
    });
  });
  const ends = [bars[0]?.from ?? 0, (bars.at(-1)?.to ?? 0) + 1];
  return el(
    "div",
    { class: "histogram" },
    picture,
    el(
      "div",
      { class: "scale", "aria-hidden": "true" },
      ends.map((end) => el("span", {}, number(end))),
    ),
  );
}

/** The same as a table: a row `[name, figures]` for each list. */
export function figureTable(rows) {
  const cells = ["count", "min", "median", "p95", "max"];
  const heads = ["chunks", "min", "median", "p95", "max"];
  return el(
    "table",
    { class: "sizes" },
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        el("td"),
        heads.map((head) => el("th", { scope: "col" }, head)),
      ),
    ),
    el(
      "tbody",
      {},
      rows.map(([name, of]) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, name),
          cells.map((cell) => el("td", {}, number(of[cell]))),
        ),
      ),
    ),
  );
}

function widths() {
  return Array.from({ length: 27 }, (_, at) => [1, 2, 5][at % 3] * 10 ** Math.floor(at / 3));
}
