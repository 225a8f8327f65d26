// The chunks of a document, one below the other. Their frames stand at once, and are filled when they are near or when
// there is time, so that a document of any size can be used at once and searched by the browser soon after.

import { el, fill, nodes } from "./dom.js";
import { lines, number, shown, toUnits } from "./text.js";

const NEAR = "1500px"; // how far from the screen chunks are filled first
const SLICE = 12; // chunks that are filled in one go, when there is time
const BESIDE = matchMedia("(min-width: 72rem)"); // else the panel lies over the chunks: only a click opens it
const LINE = 80; // characters in a line, to guess how high a chunk is

/**
 * The feed of chunks. *onselect* is given the chunk that pointer or focus is on; *onopen* is called when one is pressed,
 * and *ondetail* when the focus is to go to what is known of it. `select` makes a chunk the current one and, if wanted,
 * goes there.
 */
export function makeFeed({ text, unit: size, onselect, onopen, ondetail, left }) {
  const element = el("section", { class: "feed", "aria-label": "Chunks of the document" });
  const unit = text === null ? null : toUnits(text);
  let frames = [];
  let contents = new Map(); // frame → how it is filled; one that is filled is not in it any more
  let current = -1;

  const near = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) if (entry.isIntersecting) fillFrame(entry.target);
    },
    { rootMargin: NEAR },
  );
  left.addEventListener("abort", () => (near.disconnect(), contents.clear()));

  function fillFrame(frame) {
    const content = contents.get(frame);
    if (!content) return;
    contents.delete(frame);
    near.unobserve(frame);
    frame.querySelector(".body").append(content());
  }

  function fillRest(mine) {
    if (mine !== contents || !mine.size) return element.setAttribute("aria-busy", "false");
    for (const frame of [...mine.keys()].slice(0, SLICE)) fillFrame(frame);
    whenIdle(() => fillRest(mine));
  }

  function show(cut, asSource) {
    const place = anchor();
    near.disconnect();
    contents = new Map();
    frames = [];
    current = -1;
    const pieces = piecesOf(cut, text, unit);
    const made = pieces.map((piece) => {
      if (!piece.chunk) return aside(piece);
      const { chunk } = piece;
      const frame = chunkFrame(chunk, cut.chunks.length, size);
      contents.set(frame, () => (asSource ? sourceOf(chunk) : renderedOf(chunk)));
      frames.push(frame);
      return frame;
    });
    element.setAttribute("aria-busy", "true");
    element.classList.toggle("as-source", asSource);
    fill(element, made);
    if (frames[0]) frames[0].tabIndex = 0;
    else if (!pieces.length) fill(element, el("p", { class: "empty" }, "This document has no text."));
    for (const frame of frames) near.observe(frame);
    const mine = contents;
    whenIdle(() => fillRest(mine));
    if (place) settle(cut.chunks, place);
  }

  /** Which place of the document is at the top of the screen, and where on it: it is to stay there. */
  function anchor() {
    if (!frames.length || window.scrollY < 40) return null;
    const frame = frames.find((one) => one.getBoundingClientRect().bottom > 80);
    return frame && { start: Number(frame.dataset.start), top: frame.getBoundingClientRect().top };
  }

  function settle(chunks, { start, top }) {
    const at = Math.max(
      0,
      chunks.findLastIndex((chunk) => chunk.own_start <= start),
    );
    if (!frames[at]) return;
    for (const one of frames.slice(Math.max(0, at - 3), at + 8)) fillFrame(one);
    stay(frames[at], () =>
      window.scrollBy({ top: frames[at].getBoundingClientRect().top - Math.min(top, 80), behavior: "instant" }),
    );
  }

  function select(index, go = false) {
    const frame = frames[index];
    if (!frame) return;
    if (current !== index) {
      frames[current]?.classList.remove("current");
      for (const other of element.querySelectorAll('[tabindex="0"]')) if (other.matches(".chunk")) other.tabIndex = -1;
      frame.classList.add("current");
      frame.tabIndex = 0;
      current = index;
      onselect(frame.chunk);
    }
    if (go) {
      for (const one of frames.slice(Math.max(0, index - 3), index + 4)) fillFrame(one);
      frame.focus({ preventScroll: true });
      stay(frame, () => frame.scrollIntoView({ block: "start", behavior: "instant" }));
    }
  }

  /** Do *scroll*, and again as long as what lies above *frame* gets other heights than were guessed. */
  function stay(frame, scroll, times = 8) {
    scroll();
    const top = Math.round(frame.getBoundingClientRect().top);
    if (times && frame.isConnected) {
      requestAnimationFrame(
        () => Math.abs(frame.getBoundingClientRect().top - top) > 1 && stay(frame, scroll, times - 1),
      );
    }
  }

  const indexOf = (target) => frames.indexOf(target.closest?.(".chunk"));
  const isPinned = () => Boolean(document.activeElement?.closest(".feed, .panel")); // until the focus goes elsewhere

  element.addEventListener("pointerover", (event) => {
    if (event.pointerType === "mouse" && BESIDE.matches && !isPinned()) select(indexOf(event.target));
  });
  element.addEventListener("click", (event) => indexOf(event.target) >= 0 && onopen());
  element.addEventListener("focusin", (event) => select(indexOf(event.target)));
  element.addEventListener("keydown", (event) => {
    if (!event.target.matches(".chunk") || event.altKey || event.ctrlKey || event.metaKey) return;
    const at = indexOf(event.target);
    const box = event.target.getBoundingClientRect();
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 1, PageUp: -1 }[event.key] ?? 0;
    const hidden = step > 0 ? box.bottom > window.innerHeight : box.top < 0; // of a high chunk, first see the rest
    if (event.key === "Enter") ondetail();
    else if (event.key === "Home") select(0, true);
    else if (event.key === "End") select(frames.length - 1, true);
    else if (step && !hidden && frames[at + step]) select(at + step, true);
    else return;
    event.preventDefault();
  });

  return { element, show, select, focus: () => frames[current]?.focus() };
}

/** Chunks and all that lies between them, in order; without the document's text only the chunks. */
function piecesOf(cut, text, unit) {
  const places = cut.chunks.map((chunk) => ({ start: chunk.own_start, end: chunk.end, chunk }));
  if (text === null) return places;
  for (const { start, end, reason } of cut.dropped) places.push({ start, end, reason });
  places.sort((a, b) => a.start - b.start || a.end - b.end);
  const pieces = [];
  let at = 0;
  const between = (from, to) => {
    const gap = text.slice(unit(from), unit(to));
    if (gap.trim()) pieces.push({ reason: at ? "between the chunks" : "front matter", text: gap });
  };
  for (const place of places) {
    if (at < place.start) between(at, place.start);
    pieces.push(
      place.chunk
        ? place
        : { reason: `${place.reason}: in no chunk`, text: text.slice(unit(place.start), unit(place.end)) },
    );
    at = Math.max(at, place.end);
  }
  between(at, Infinity);
  return pieces;
}

function chunkFrame(chunk, of, size) {
  const title = `Chunk ${chunk.index + 1}, ${lines(chunk.start_line, chunk.end_line)}, ${number(chunk.tokens)} ${size}`;
  const frame = el(
    "article",
    {
      class: `chunk${chunk.index % 2 ? " odd" : ""}${chunk.oversize ? " over" : ""}`,
      tabindex: "-1",
      "aria-label": title,
      "aria-posinset": chunk.index + 1,
      "aria-setsize": of,
      "data-start": chunk.own_start,
    },
    el("p", { class: "label", "aria-hidden": "true" }, el("b", {}, number(chunk.index + 1)), " ", number(chunk.tokens)),
    el("div", { class: "body" }),
  );
  frame.chunk = chunk;
  const rows = chunk.text.split("\n").reduce((sum, row) => sum + Math.ceil((row.length + 1) / LINE), 0);
  frame.style.setProperty("--rows", rows);
  return frame;
}

const renderedOf = (chunk) => {
  const made = el("div", { class: "rendered", dir: "auto", lang: "" });
  made.append(nodes(chunk.html ?? ""));
  for (const table of made.querySelectorAll("table")) table.tabIndex = 0; // a wide one is scrolled by keyboard, too
  return made;
};

/** The source of a chunk, word for word, between what is added for the embedder. */
function sourceOf(chunk) {
  const unit = toUnits(chunk.text);
  const slice = (from, to) =>
    shown(chunk.text.slice(unit(Math.max(from, chunk.start) - chunk.start), unit(to - chunk.start)));
  const spans = [{ start: chunk.own_start, end: chunk.end }];
  for (const [index, passage] of (chunk.passages ?? []).entries())
    split(spans, passage, `passage${index % 2 ? " other" : ""}`);
  for (const span of chunk.omitted ?? []) split(spans, span, "omitted");
  const own = spans.map(({ start, end, kind }) =>
    kind ? el("span", { class: kind }, slice(start, end)) : slice(start, end),
  );
  const made = document.createDocumentFragment();
  made.append(
    ...added("added before", chunk.context),
    ...added("repeated from above", slice(chunk.start, chunk.own_start)),
    el("div", { class: "source", dir: "auto", lang: "" }, own),
    ...added("added after", chunk.context_after),
  );
  return made;
}

/** Mark *span* in *spans*, which are in order and without gaps: what it covers is of this *kind* as well. */
function split(spans, span, kind) {
  const at = spans.findIndex((one) => span.start < one.end);
  for (let next = at; next >= 0 && next < spans.length && spans[next].start < span.end; next++) {
    const one = spans[next];
    const [start, end] = [Math.max(one.start, span.start), Math.min(one.end, span.end)];
    const parts = [
      { ...one, end: start },
      { start, end, kind: one.kind ? `${one.kind} ${kind}` : kind },
      { ...one, start: end },
    ].filter((part) => part.start < part.end);
    spans.splice(next, 1, ...parts);
    next += parts.length - 1;
  }
}

function added(label, text) {
  const what = shown(text).replace(/^\n+|\n+$/g, "");
  return what
    ? [
        el(
          "div",
          { class: "added" },
          el("span", { class: "what" }, label),
          el("div", { class: "source", dir: "auto", lang: "" }, what),
        ),
      ]
    : [];
}

/** What is in no chunk, folded away if it is long. */
function aside({ reason, text }) {
  const what = el("div", { class: "source", dir: "auto", lang: "" }, shown(text).replace(/^\n+|\s+$/g, ""));
  return el(
    "details",
    { class: "dropped", open: text.length < 200 && reason !== "front matter" },
    el("summary", {}, reason),
    what,
  );
}

const whenIdle = (work) =>
  window.requestIdleCallback ? requestIdleCallback(work, { timeout: 500 }) : setTimeout(work, 30);
