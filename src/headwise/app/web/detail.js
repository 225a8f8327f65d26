// What is known of one chunk: a panel beside the document, a sheet at the bottom of a phone.

import { copyButton } from "./copy.js";
import { el, fill } from "./dom.js";
import { openLink } from "./open.js";
import { lines, number, shown, toUnits, trail, unitOf } from "./text.js";

/**
 * The panel; *select* goes to the chunk with an index, *back* to the one that is shown. Where it would lie over the
 * document it is put away until it is opened.
 */
export function detailPanel({ select, back }) {
  const heading = el("h2", { tabindex: "-1" }, "Chunk");
  const open = () => element.classList.remove("away");
  const leave = () => {
    element.classList.add("away");
    back();
  };
  const close = el(
    "button",
    {
      type: "button",
      class: "quiet close",
      "aria-label": "Close",
      onclick: leave,
    },
    "×",
  );
  const body = el("div", { class: "facts" });
  const element = el(
    "aside",
    { class: "panel away", "aria-label": "The chunk under the pointer" },
    el("div", { class: "bar" }, heading, close),
    body,
  );
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    leave();
  });

  function clear() {
    element.classList.add("none");
    heading.textContent = "Chunk";
    fill(
      body,
      el("p", { class: "muted" }, "Point at a chunk, or go to one with Tab and the arrow keys. Enter comes here."),
    );
  }

  function show(chunk, { chunks: { length: of }, settings }) {
    element.classList.remove("none");
    element.classList.toggle("odd", chunk.index % 2 === 1);
    heading.textContent = `Chunk ${number(chunk.index + 1)} of ${number(of)}`;
    fill(
      body,
      el("p", { class: "trail", dir: "auto" }, trail(chunk.title, chunk.headings).join(" › ")),
      el(
        "p",
        { class: "size" },
        meter(chunk.tokens, settings.max_tokens),
        `${number(chunk.tokens)} of ${number(settings.max_tokens)} ${unitOf(settings.tokenizer)}`,
      ),
      chunk.oversize && el("p", { class: "problem" }, "Over the limit: one character alone."),
      el(
        "p",
        { class: "muted" },
        `${lines(chunk.start_line, chunk.end_line)} · ${chunk.kinds.map((kind) => kind.replaceAll("_", " ")).join(", ")}`,
      ),
      neighbours(chunk, of, select),
      quoted("Added before", chunk.context),
      quoted("Added after", chunk.context_after),
      passageList(chunk),
      chunk.id && identity(chunk.id),
    );
  }

  clear();
  return { element, show, clear, open, focus: () => (open(), heading.focus()) };
}

function meter(tokens, limit) {
  const made = el("span", { class: "meter", "aria-hidden": "true" });
  made.style.setProperty("--share", Math.min(1, tokens / limit));
  return made;
}

function neighbours(chunk, of, select) {
  const step = (label, index, possible) =>
    el("button", { type: "button", class: "quiet small", disabled: !possible, onclick: () => select(index) }, label);
  return el(
    "p",
    { class: "neighbours" },
    step("↑ Previous", chunk.index - 1, chunk.index > 0),
    step("↓ Next", chunk.index + 1, chunk.index + 1 < of),
    openLink(chunk.open, `chunk ${chunk.index + 1}`),
  );
}

function quoted(title, text) {
  const what = shown(text).replace(/^\n+|\n+$/g, "");
  return what ? [el("h3", {}, title), el("div", { class: "source", dir: "auto", lang: "" }, what)] : null;
}

function passageList(chunk) {
  const passages = chunk.passages ?? [];
  if (!passages.length) return null;
  const unit = toUnits(chunk.text);
  const start = (passage) =>
    shown(chunk.text.slice(unit(Math.max(0, passage.start - chunk.start)), unit(passage.end - chunk.start))).trim();
  return [
    el("h3", {}, `Passages, ${passages.length}`),
    el(
      "ol",
      { class: "passages" },
      passages.map((passage) =>
        el(
          "li",
          {},
          el("span", { class: "snippet", dir: "auto" }, start(passage).slice(0, 160)),
          el("span", { class: "muted" }, number(passage.tokens)),
        ),
      ),
    ),
  ];
}

const identity = (id) => [
  el("h3", {}, "Id"),
  el("p", { class: "id" }, el("code", {}, id), copyButton("Copy", id, "id")),
];
