// The search: results as one types, and the way from one to the next by keyboard.

import { get, isAborted } from "./api.js";
import { el, fill } from "./dom.js";
import { hitItem } from "./hit.js";
import { link } from "./route.js";
import { count, duration } from "./text.js";

const PAUSE = 150; // milliseconds without a key before a search starts
const PAGE = 10;
const MOST = 50;
const HINTS = [
  ['"motor driver"', "these words together"],
  ["-wheel", "not this word"],
  ["title:motor", "in the title"],
  ["tag:robot", "with this tag, or one inside it"],
  ["path:docs", "in this folder or file"],
  ["↑ ↓ Enter Esc", "from hit to hit, open one, come back"],
];

// What was found last and which hit was opened, so that coming back shows it at once.
let last = { hash: link("search"), answer: null, opened: null };

/** The hash of the search that was shown last. */
export const lastSearch = () => last.hash;

export function searchView(main, route, left) {
  const box = field("q", "search", "Words or a question", route, "Words or a question");
  const path = field("path", "text", "Path", route, "docs/*.md");
  const tag = field("tag", "text", "Tag", route, "robot/motor");
  const status = el("p", { class: "count muted", role: "status" });
  const heading = el("h1", {}, "Search your documents");
  const notes = el("ul", { class: "notes" });
  const tips = el("dl", { class: "tips" });
  const hits = el("ol", { class: "hits", "aria-label": "Hits" });
  const more = el(
    "button",
    { type: "button", class: "quiet more", hidden: true, onclick: () => run(limit + PAGE) },
    "More hits",
  );
  const form = el(
    "form",
    { class: "search", role: "search", onsubmit: (event) => (event.preventDefault(), run()) },
    heading,
    el("label", { class: "unseen", for: "q" }, "Search"),
    box,
    el("div", { class: "filters" }, labelled("Path", path), labelled("Tag", tag)),
  );
  main.append(form, tips, el("section", { class: "results", "aria-label": "Results" }, status, notes, hits, more));

  let limit = PAGE;
  let timer = 0;
  let asked = new AbortController();
  left.addEventListener("abort", () => (clearTimeout(timer), asked.abort()));

  const wanted = () => ({ q: box.value.trim(), path: path.value.trim(), tag: tag.value.trim() });

  /** Search now: what was asked before is not waited for any more. */
  async function run(size = PAGE) {
    clearTimeout(timer);
    asked.abort();
    asked = new AbortController();
    limit = size;
    const what = wanted();
    const hash = link("search", "", what);
    if (left.aborted) return;
    if (location.hash !== hash) history.replaceState(null, "", hash);
    document.title = what.q ? `${what.q} · Headwise` : "Headwise";
    if (!what.q && !what.path && !what.tag) {
      last = { hash, answer: null, opened: null };
      return welcome();
    }
    heading.className = "unseen";
    fill(tips);
    const slow = setTimeout(() => (status.textContent = "Searching…"), 400);
    try {
      show(await get("search", { ...what, limit }, asked.signal), hash);
    } catch (error) {
      if (isAborted(error)) return;
      clear();
      status.textContent = "";
      fill(notes, el("li", { class: "problem", role: "alert" }, error.message));
    } finally {
      clearTimeout(slow);
    }
  }

  function clear() {
    fill(hits);
    fill(notes);
    more.hidden = true;
  }

  function welcome() {
    clear();
    status.textContent = "";
    heading.className = "";
    fill(
      tips,
      HINTS.map(([typed, means]) => el("div", {}, el("dt", {}, el("code", {}, typed)), el("dd", {}, means))),
    );
  }

  function show(answer, hash) {
    const same = last.hash === hash;
    last = { hash, answer, opened: same ? last.opened : null };
    const found = answer.hits;
    fill(
      notes,
      answer.notes.map((note) => el("li", {}, note)),
    );
    fill(
      hits,
      found.map((hit) => hitItem(hit, () => (last.opened = hit.id))),
    );
    more.hidden = found.length < limit || limit >= MOST;
    if (found.length) {
      const all = more.hidden ? "" : "First ";
      status.textContent = `${all}${count(found.length, "hit")} in ${duration(answer.seconds)}`;
    } else {
      status.textContent = "Nothing found";
      const narrow = path.value.trim() || tag.value.trim();
      const advice = narrow ? "Fewer filters find more." : "Other words, or fewer of them, may find it.";
      notes.append(el("li", {}, advice));
    }
  }

  const later = () => (clearTimeout(timer), (timer = setTimeout(run, PAUSE)));
  for (const one of [box, path, tag]) one.addEventListener("input", later);
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && event.target === box && box.value) {
      event.preventDefault();
      box.value = "";
      run();
    } else if (event.key === "ArrowDown" && event.target === box) {
      event.preventDefault();
      focusHit(0);
    } else if (event.key === "Enter" && event.target.tagName === "INPUT") {
      event.preventDefault();
      run();
    }
  });
  hits.addEventListener("keydown", (event) => {
    const items = [...hits.children];
    const at = items.findIndex((item) => item.contains(event.target));
    if (event.key === "ArrowDown") focusHit(Math.min(at + 1, items.length - 1));
    else if (event.key === "ArrowUp") at > 0 ? focusHit(at - 1) : box.focus();
    else if (event.key === "Escape") box.focus();
    else return;
    event.preventDefault();
  });

  const focusHit = (at) => hits.children[at]?.querySelector(".title a").focus();

  const opened = last.opened;
  if (last.answer && last.hash === link("search", "", wanted())) {
    heading.className = "unseen";
    show(last.answer, last.hash);
  } else run();
  const back = opened && [...hits.children].find((item) => item.dataset.id === opened);
  if (back) back.querySelector(".title a").focus();
  else if (matchMedia("(hover: hover)").matches) box.focus(); // on a phone that would open its keyboard
  return null;
}

function field(name, type, title, route, hint) {
  return el("input", {
    id: name,
    type,
    title,
    placeholder: hint,
    value: route.params.get(name) ?? "",
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    enterkeyhint: "search",
    maxlength: 1000,
  });
}

const labelled = (name, input) => el("label", {}, el("span", {}, name), input);
