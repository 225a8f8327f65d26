// The way from a place on the page to the same place in an editor or in Obsidian.

import { copyButton } from "./copy.js";
import { el } from "./dom.js";

const NAMES = { obsidian: "Obsidian", vscode: "VS Code" };

/**
 * A link for *target*, or a button that copies it if it is a path and a line, or nothing if there is none; *what* it
 * opens is said to screen readers.
 */
export function openLink(target, what) {
  if (!target) return null;
  const name = NAMES[/^(\w+):\/\//.exec(target)?.[1]];
  if (!name) return copyButton("Copy path", target, what);
  return el("a", { href: target, "aria-label": `Open in ${name}: ${what}` }, `Open in ${name}`);
}
