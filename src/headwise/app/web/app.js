// The page's frame: shows the view that the hash names, and the keys that work everywhere.

import { fill } from "./dom.js";
import { documentView } from "./document.js";
import { documentsView } from "./documents.js";
import { healthView } from "./health.js";
import { link, parse } from "./route.js";
import { lastSearch, searchView } from "./search.js";

const VIEWS = { search: searchView, documents: documentsView, document: documentView, health: healthView };

const main = document.getElementById("main");
let here = { key: null, leave: new AbortController(), move: null };
let visited = 0;

/**
 * A view gets the element to fill, the route, and a signal for when it is left. It may return a function that takes
 * another route to the same path, so that a jump inside a document does not load it again.
 */
function show() {
  if (location.hash === "#main") return; // the skip link
  const route = parse(location.hash);
  const view = VIEWS[route.view] ? route.view : "search";
  const key = `${view}/${route.path}`;
  if (key === here.key && here.move) return here.move(route);
  here.leave.abort();
  here = { key, leave: new AbortController(), move: null };
  fill(main);
  for (const item of document.querySelectorAll(".top nav a")) {
    const current = item.hash === link(view) || (view === "document" && item.hash === link("documents"));
    if (current) item.setAttribute("aria-current", "page");
    else item.removeAttribute("aria-current");
  }
  main.dataset.view = view;
  window.scrollTo(0, 0);
  here.move = VIEWS[view](main, route, here.leave.signal) ?? null;
  if (visited++ && view !== "search") main.querySelector("h1")?.focus();
}

function onKey(event) {
  if (
    event.defaultPrevented ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    document.querySelector("dialog[open]")
  )
    return;
  const typing = event.target.closest("input, textarea, select");
  if (event.key === "/" && !typing) {
    event.preventDefault();
    const box = document.getElementById("q");
    if (box) box.focus();
    else location.hash = lastSearch();
  } else if (event.key === "Escape" && !typing && main.dataset.view !== "search") {
    location.hash = lastSearch();
  }
}

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
window.addEventListener("hashchange", show);
window.addEventListener("keydown", onKey);
show();
