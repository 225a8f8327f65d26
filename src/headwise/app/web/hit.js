// One hit: where it stands, what it says with the best passage and the matched words marked, and the ways to open it.

import { el, fill } from "./dom.js";
import { openLink } from "./open.js";
import { link } from "./route.js";
import { count, lines, shown, toUnits, trail } from "./text.js";

const SHORT = 420; // characters of a hit that are shown at first

/** A list item; *onopen* is called when its document is opened. */
export function hitItem(hit, onopen) {
  const names = trail(hit.title, hit.headings);
  const heading = names.at(-1) ?? hit.path;
  const place = link("document", hit.path, { line: hit.passage?.start_line ?? hit.start_line });
  const where = lines(hit.start_line, hit.end_line);
  const [text, more] = textOf(hit);
  return el(
    "li",
    { class: "hit", "data-id": hit.id },
    names.length > 1 && el("p", { class: "trail", dir: "auto" }, names.slice(0, -1).join(" › ")),
    el("h2", { class: "title", dir: "auto" }, el("a", { href: place, onclick: onopen }, heading)),
    text,
    el(
      "p",
      { class: "place" },
      el("span", { class: "path" }, el("bdi", {}, hit.path), `, ${where}`),
      more,
      el(
        "a",
        { href: place, onclick: onopen, "aria-label": `Open in document: ${heading}, ${where}` },
        "Open in document",
      ),
      openLink(hit.open, heading),
    ),
    hit.also?.length &&
      el(
        "p",
        { class: "muted" },
        `Stands also in ${count(hit.also.length, "other place")}: `,
        hit.also.map((copy, at) => [at > 0 && ", ", el("a", { href: link("document", copy.path) }, copy.path)]),
      ),
  );
}

/** The text, shortened to what matched; and a button that shows all of it, if anything but headings was left out. */
function textOf(hit) {
  const parts = marked(hit, flowing(hit.text));
  const [from, to] = shortened(hit.text, parts);
  const isRaw = RAW.test(hit.text.slice(from, to)); // where columns and lines matter
  const element = el("p", { class: isRaw ? "text raw" : "text", dir: "auto", lang: "" });
  const isCut = hit.text.slice(0, from).replace(HEADINGS, "").trim() !== "";
  fill(element, isCut && "… ", between(parts, from, to), to < hit.text.length && " …");
  if (!isCut && to === hit.text.length) return [element, null];
  const more = el(
    "button",
    {
      type: "button",
      class: "quiet small",
      onclick: () => {
        fill(element, between(parts, 0, hit.text.length));
        more.remove();
      },
    },
    "Show all of it",
  );
  return [element, more];
}

const HEADINGS = /^(?:\s*#{1,6}[ \t][^\n]*\n)+\s*/;
const FENCE = /^\s*(?:```|~~~|\$\$)/;
const BEGINS = /^\s*(?:[-*+>#|=:`~$]|\d+[.)]|$)/; // what stands on a line of its own
const RAW = /^\s*(?:\||```|~~~|\$\$)/;

/** *text* with its paragraphs on one line each: as many characters, with a space for a line's end inside a paragraph. */
function flowing(text) {
  const rows = text.split("\n");
  let inCode = false;
  return rows
    .map((row, at) => {
      const next = rows[at + 1];
      if (FENCE.test(row)) inCode = !inCode;
      if (next === undefined) return row;
      const ends =
        inCode || FENCE.test(row) || !row.trim() || /^\s*#/.test(row) || / {2}\r?$/.test(row) || BEGINS.test(next);
      return row + (ends ? "\n" : " ");
    })
    .join("");
}

/** *text*, which is the hit's, in parts `{start, text, passage, word}`, positions in UTF-16 units. */
function marked({ start, passage, matched = [] }, text) {
  const edges = new Set([0, text.length]);
  const unit = toUnits(text);
  const best = passage ? [unit(Math.max(0, passage.start - start)), unit(passage.end - start)] : [0, 0];
  for (const edge of best) edges.add(Math.min(edge, text.length));
  const words = places(text, matched);
  for (const [from, to] of words) edges.add(from).add(to);
  const sorted = [...edges].sort((a, b) => a - b);
  let next = 0;
  return sorted.slice(0, -1).map((from, at) => {
    while (next < words.length && words[next][1] <= from) next++;
    const word = next < words.length && words[next][0] <= from;
    return { start: from, text: text.slice(from, sorted[at + 1]), passage: best[0] <= from && from < best[1], word };
  });
}

/** Where *words* stand in *text*: whole words only, but in scripts that put no space between them. */
function places(text, words) {
  if (!words.length) return [];
  const longest = [...words].sort((a, b) => b.length - a.length);
  const patterns = longest.map((word) => {
    const plain = word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
    return word.codePointAt(0) < 0xe00 ? `(?<![\\p{L}\\p{N}])${plain}(?![\\p{L}\\p{N}])` : plain;
  });
  return [...text.matchAll(new RegExp(patterns.join("|"), "giu"))].map((found) => [
    found.index,
    found.index + found[0].length,
  ]);
}

/** From where to where the text is shown at first: the passage with what stands around it, or the first matched word. */
function shortened(text, parts) {
  const head = HEADINGS.exec(text)?.[0].length ?? 0; // the title above says it
  const body = text.slice(head).trim() ? head : 0;
  if (text.length - body <= SHORT * 1.3) return [body, text.length];
  const first = parts.find((part) => part.passage) ?? parts.find((part) => part.word && part.start >= body);
  let from = Math.max(body, (first?.start ?? 0) - 80);
  if (from > body) from = text.indexOf(" ", from) + 1 || from;
  const end = Math.min(text.length, from + SHORT);
  const space = text.lastIndexOf(" ", end);
  return [from, end < text.length && space > from ? space : end];
}

/** The text from *from* to *to*, with the passage in one `mark` and each word in a `b`. */
function between(parts, from, to) {
  const made = [[], [], []]; // before the passage, in it, after it
  let place = 0;
  for (const part of parts) {
    if (part.passage !== (place === 1)) place++;
    const text = shown(part.text.slice(Math.max(0, from - part.start), Math.max(0, to - part.start)));
    if (text) made[place].push(part.word ? el("b", {}, text) : text);
  }
  const [before, passage, after] = made;
  return [before, passage.length > 0 && el("mark", {}, passage), after];
}
