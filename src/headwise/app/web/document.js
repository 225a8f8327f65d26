// A document and its chunks: coloured over what it says, with what is known of each, and cut anew as one likes.

import { get, isAborted, post } from "./api.js";
import { cutTools } from "./cutting.js";
import { detailPanel } from "./detail.js";
import { add, el, fill } from "./dom.js";
import { makeFeed } from "./feed.js";
import { openLink } from "./open.js";
import { outlineList } from "./outline.js";
import { relatedSection } from "./related.js";
import { encodePath, link, parse } from "./route.js";
import { count, unitOf } from "./text.js";

const WIDE = "(min-width: 72rem)";

export function documentView(main, route, left) {
  const name = route.path.split("/").at(-1);
  const title = el("h1", { tabindex: "-1" }, el("bdi", {}, name));
  const status = el("p", { class: "muted", role: "status" }, "Opening…");
  main.append(el("header", { class: "heading" }, title, status));
  document.title = `${name} · Headwise`;
  let move = null;
  get(`documents/${encodePath(route.path)}`, {}, left).then(
    (found) => {
      fill(title, el("bdi", {}, found.title || name));
      document.title = `${found.title || name} · Headwise`;
      status.remove();
      move = showDocument(main, found, left);
      move(route);
    },
    (error) => {
      if (isAborted(error)) return;
      fill(
        status,
        el("span", { class: "problem" }, error.message),
        " ",
        el("a", { href: link("documents") }, "All documents"),
      );
    },
  );
  return (next) => move?.(next);
}

/** Everything below the title; gives the function that jumps to the place a route names. */
function showDocument(main, found, left) {
  const { settings } = found;
  const stored = { chunks: found.chunks, dropped: found.dropped, sections: found.sections, settings };
  let cut = stored;

  const panel = detailPanel({ select: (index) => feed.select(index, true), back: () => feed.focus() });
  const feed = makeFeed({
    text: found.text,
    unit: unitOf(settings.tokenizer),
    onselect: (chunk) => panel.show(chunk, cut),
    onopen: () => panel.open(),
    ondetail: () => panel.focus(),
    left,
  });
  const outline = el("div");
  const chunkCount = el("span", {}, count(found.chunks.length, "chunk"));

  const showCut = (next) => {
    cut = next;
    chunkCount.textContent = count(cut.chunks.length, "chunk");
    panel.clear();
    feed.show(cut, source.checked);
    fill(outline, outlineList(found.path, cut.sections));
  };

  const lacksHtml = ({ chunks }) => chunks.some((chunk) => typeof chunk.html !== "string");
  const cutAnew = async (wanted, signal) => {
    const next = await post("chunk", { text: found.text, path: found.path, ...wanted, html: !source.checked }, signal);
    if (!source.checked && lacksHtml(next)) return cutAnew(wanted, signal); // it was not asked for, but is wanted by now
    showCut(next);
    return next.chunks;
  };
  const restore = () => showCut(stored);
  const tools = cutTools({ settings, chunks: found.chunks, text: found.text, cut: cutAnew, restore, left });

  const view = (value, label, checked) => {
    const input = el("input", { type: "radio", name: "view", value, checked });
    return [input, el("label", { class: "choice" }, input, label)];
  };
  const [rendered, renderedLabel] = view("rendered", "Rendered", true);
  const [source, sourceLabel] = view("source", "Source", false);
  for (const one of [rendered, source]) {
    one.addEventListener("change", () => {
      if (rendered.checked && lacksHtml(cut)) tools.again();
      else feed.show(cut, source.checked);
    });
  }

  const wide = matchMedia(WIDE).matches;
  add(
    main.querySelector(".heading"),
    el("p", { class: "path muted" }, el("bdi", {}, found.path), " · ", chunkCount),
    el(
      "div",
      { class: "actions" },
      el("fieldset", { class: "choices" }, el("legend", { class: "unseen" }, "Show"), renderedLabel, sourceLabel),
      openLink(found.open, found.title || found.path),
      found.tags.length > 0 &&
        el(
          "ul",
          { class: "tags", "aria-label": "Tags" },
          found.tags.map((tag) => el("li", {}, el("a", { href: link("search", "", { tag }) }, `#${tag}`))),
        ),
    ),
    found.stale &&
      el(
        "p",
        { class: "notice" },
        "The file is not as it was when it was read: this is what the store knows of it. ",
        el("a", { href: link("health") }, "Sync"),
      ),
  );
  main.append(
    el(
      "div",
      { class: "document" },
      el(
        "div",
        { class: "tools" },
        el("details", { open: wide }, el("summary", {}, "Cut"), tools.element),
        el("details", { open: wide }, el("summary", {}, "Outline"), el("nav", { "aria-label": "Outline" }, outline)),
      ),
      el("div", { class: "reading" }, feed.element, relatedSection(found.path, left)),
      panel.element,
    ),
  );
  showCut(stored);

  const jump = (route) => {
    const section = sectionCalled(found.sections, route.params.get("section"));
    const line = Number(route.params.get("line")) || section?.start_line;
    if (!line) return;
    const at = cut.chunks.findLastIndex((chunk) => chunk.start_line <= line);
    feed.select(Math.max(at, 0), true);
  };
  outline.addEventListener("click", ({ target }) => {
    if (target.closest("a")?.hash === location.hash) jump(parse(location.hash)); // the browser sees no change
  });
  return jump;
}

/** The section that a link means: by its anchor, or by its title as it is written. */
function sectionCalled(sections, name) {
  if (!name) return null;
  const wanted = name.toLowerCase();
  return sections.find((one) => one.anchor === name) ?? sections.find((one) => one.title.toLowerCase() === wanted);
}
