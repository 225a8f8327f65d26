// The colour theme: the system's, or the one that was chosen last. A classic script in the head, so that a chosen
// theme is there before the first paint.
"use strict";

(() => {
  const CHOICES = ["auto", "light", "dark"];
  const KEY = "headwise-theme";
  const root = document.documentElement;

  const stored = () => {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null; // storage is forbidden: the system's theme, then
    }
  };

  const show = (choice) => {
    root.dataset.theme = choice;
    const button = document.getElementById("theme");
    if (button) {
      button.textContent = { auto: "Auto", light: "Light", dark: "Dark" }[choice];
      button.setAttribute("aria-label", `Colour theme: ${choice === "auto" ? "as the system" : choice}. Change`);
      button.dataset.choice = choice;
    }
  };

  const next = () => {
    const choice = CHOICES[(CHOICES.indexOf(root.dataset.theme) + 1) % CHOICES.length];
    try {
      localStorage.setItem(KEY, choice);
    } catch {
      // it holds for this page, at least
    }
    show(choice);
  };

  const first = CHOICES.includes(stored()) ? stored() : "auto";
  show(first);
  document.addEventListener("DOMContentLoaded", () => {
    show(root.dataset.theme);
    document.getElementById("theme").addEventListener("click", next);
  });
})();
