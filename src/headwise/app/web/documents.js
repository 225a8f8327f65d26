// All documents, a page after the other as one goes down.

import { get, isAborted } from "./api.js";
import { el, fill } from "./dom.js";
import { link } from "./route.js";
import { ago, count } from "./text.js";

const PAUSE = 200;
const PAGE = 200;

export function documentsView(main, route, left) {
  document.title = "Documents · Headwise";
  const filter = el("input", {
    id: "filter",
    type: "search",
    placeholder: "Part of a path, or a pattern such as docs/*.md",
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    value: route.params.get("path") ?? "",
  });
  const status = el("p", { class: "count muted", role: "status" });
  const list = el("ul", { class: "documents", "aria-label": "Documents" });
  const more = el("button", { type: "button", class: "quiet more", hidden: true }, "More documents");
  main.append(
    el("header", { class: "heading" }, el("h1", { tabindex: "-1" }, "Documents")),
    el(
      "form",
      { class: "search", onsubmit: (event) => (event.preventDefault(), load()) },
      el("label", { class: "unseen", for: "filter" }, "Path"),
      filter,
    ),
    status,
    list,
    more,
  );

  let next = null;
  let timer = 0;
  let asked = new AbortController();
  left.addEventListener("abort", () => (clearTimeout(timer), asked.abort(), seen.disconnect()));

  /** The first page of what the filter lets through, or the one after *after*. */
  async function load(after = null) {
    clearTimeout(timer);
    asked.abort();
    asked = new AbortController();
    const wanted = filter.value.trim();
    const hash = link("documents", "", { path: wanted });
    if (location.hash !== hash) history.replaceState(null, "", hash);
    try {
      const found = await get("documents", { path: pattern(wanted), after, limit: PAGE }, asked.signal);
      const items = found.documents.map(item);
      if (after === null) fill(list, items);
      else list.append(...items);
      next = found.next;
      more.hidden = next === null;
      const shown = list.children.length;
      status.textContent =
        shown < found.total
          ? `${shown.toLocaleString("en")} of ${count(found.total, "document")}`
          : count(found.total, "document");
      if (!found.total)
        fill(
          list,
          el(
            "li",
            { class: "empty" },
            wanted
              ? "No document has such a path. Letter case matters."
              : "The store is empty. Sync it, or run `headwise index`.",
          ),
        );
    } catch (error) {
      if (isAborted(error)) return;
      status.textContent = "";
      fill(list, el("li", { class: "problem", role: "alert" }, error.message));
      more.hidden = true;
    }
  }

  async function goOn() {
    if (next === null || more.disabled) return;
    more.disabled = true;
    await load(next);
    more.disabled = false;
    seen.unobserve(more); // if it is still in sight, that is to be noticed anew
    seen.observe(more);
  }
  const seen = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && goOn(), {
    rootMargin: "600px",
  });
  more.addEventListener("click", goOn);
  seen.observe(more);
  filter.addEventListener("input", () => (clearTimeout(timer), (timer = setTimeout(load, PAUSE))));
  load();
  return null;
}

function item(found) {
  return el(
    "li",
    {},
    el("a", { href: link("document", found.path) }, el("bdi", {}, found.title || found.path)),
    el("span", { class: "path muted" }, el("bdi", {}, found.path)),
    el(
      "span",
      { class: "facts muted" },
      [count(found.chunks, "chunk"), count(found.tokens, "token"), found.mtime && ago(found.mtime)]
        .filter(Boolean)
        .join(" · "),
    ),
  );
}

/** What was typed, as a pattern for paths: plain text may stand anywhere in a name. */
function pattern(typed) {
  return !typed || /[*?]/.test(typed) || typed.endsWith("/") ? typed : `*${typed}*`;
}
