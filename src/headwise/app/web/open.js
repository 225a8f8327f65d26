// The link that opens a place in an editor or in Obsidian.

import { el } from "./dom.js";

const NAMES = { "obsidian:": "Obsidian", "vscode:": "VS Code", "file:": "a viewer" };

/** A link, or nothing where the server gives none or one that is no such link; *what* it opens is said to screen readers. */
export function openLink(target, what) {
  if (!target || !URL.canParse(target)) return null;
  const { protocol } = new URL(target);
  if (["javascript:", "data:", "vbscript:"].includes(protocol)) return null;
  const label = `Open in ${NAMES[protocol] ?? "the editor"}`;
  return el("a", { href: target, "aria-label": `${label}: ${what}` }, label);
}
