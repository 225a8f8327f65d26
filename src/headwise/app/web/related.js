// What a document has to do with others, loaded when it is unfolded.

import { get, isAborted } from "./api.js";
import { el, fill } from "./dom.js";
import { link } from "./route.js";

const GROUPS = [
  ["links", "Links to"],
  ["backlinks", "Linked from"],
  ["near", "Near in meaning"],
];

/** A part of the page that asks for the documents related to *path* once it is opened. */
export function relatedSection(path, left) {
  const body = el("div", { class: "related" });
  let asked = false;
  const load = async () => {
    if (asked) return;
    asked = true;
    fill(body, el("p", { class: "muted" }, "Looking…"));
    try {
      const found = await get("related", { path }, left);
      const groups = GROUPS.filter(([name]) => found[name]?.length).map(([name, title]) => [
        el("h3", {}, title),
        el(
          "ul",
          {},
          found[name].map((one) =>
            el("li", { dir: "auto" }, el("a", { href: link("document", one.path) }, one.title || one.path)),
          ),
        ),
      ]);
      fill(body, groups.length ? groups : el("p", { class: "muted" }, "Nothing links here, and nothing is near."));
    } catch (error) {
      if (isAborted(error)) return;
      asked = false;
      fill(body, el("p", { class: "problem", role: "alert" }, error.message));
    }
  };
  return el("details", { class: "also-see", ontoggle: load }, el("summary", {}, "Related documents"), body);
}
