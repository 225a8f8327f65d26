// A button that copies a text.

import { el } from "./dom.js";

/** The button; *what* it copies is said to screen readers. Where there is no clipboard, the text is shown selected. */
export function copyButton(label, text, what) {
  const button = el("button", { type: "button", class: "quiet small", "aria-label": `${label}: ${what}` }, label);
  const tell = (word) => {
    button.textContent = word;
    button.setAttribute("aria-label", word);
  };
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      tell("Copied");
    } catch {
      const shown = el("code", {}, text);
      button.after(shown);
      getSelection().selectAllChildren(shown);
      tell("Selected");
    }
    setTimeout(() => (tell(label), button.setAttribute("aria-label", `${label}: ${what}`)), 2000);
  });
  return button;
}
