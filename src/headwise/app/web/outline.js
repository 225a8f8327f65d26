// The headings of a document, to jump to.

import { el } from "./dom.js";
import { link } from "./route.js";

/** A list of links, each indented by its level. */
export function outlineList(path, sections) {
  if (!sections.length) return el("p", { class: "muted" }, "No headings.");
  const top = Math.min(...sections.map((section) => section.level));
  return el(
    "ol",
    { class: "outline" },
    sections.map((section) => {
      const item = el(
        "li",
        { dir: "auto" },
        el("a", { href: link("document", path, { line: section.start_line }) }, section.title || "(no title)"),
      );
      item.style.setProperty("--depth", section.level - top);
      return item;
    }),
  );
}
