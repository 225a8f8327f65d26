// The settings of the cut as sliders, and where the sizes lie before and after.

import { isAborted } from "./api.js";
import { el, fill } from "./dom.js";
import { figures, figureTable, histogram, ranges } from "./histogram.js";
import { number, unitOf } from "./text.js";

const PAUSE = 100; // milliseconds between a change and the question to the server
const STRATEGIES = ["headings", "paragraphs", "sentences", "fixed"];

/**
 * Sliders that start at the *settings* that *chunks* were cut with. *cut* is given settings and promises the new chunks;
 * one cut runs at a time, and only the last wish waits for it. *restore* shows the stored ones again.
 */
export function cutTools({ settings, chunks, text, cut, restore, left }) {
  const unit = unitOf(settings.tokenizer);
  const largest = Math.max(2000, settings.max_tokens * 2);
  const max = slider("max", `Maximum, in ${unit}`, 20, largest, settings.max_tokens);
  const min = slider(
    "min",
    "Minimum",
    0,
    Math.floor(settings.max_tokens / 2),
    minimumFor(settings, settings.max_tokens),
    1,
  );
  const overlap = slider("overlap", "Overlap", 0, Math.floor(settings.max_tokens / 2), overlapOf(settings), 1);
  const strategy = el(
    "select",
    { id: "cut-strategy" },
    STRATEGIES.map((name) => el("option", { value: name, selected: name === settings.strategy }, name)),
  );
  const reset = el("button", { type: "button", class: "quiet small", hidden: true }, "As stored");
  const status = el("p", { class: "muted", role: "status" });
  const result = el("div", { class: "result" });
  const stored = chunks.map((chunk) => chunk.tokens);
  const touched = new Set(); // an overlap such as "1s" is sent as it is, unless its slider was moved

  const wanted = () => ({
    max_tokens: Number(max.input.value),
    min_tokens: Number(min.input.value),
    overlap: touched.has(overlap.input) ? overlap.input.value : String(settings.overlap),
    strategy: strategy.value,
  });
  const isStored = (one) =>
    one.max_tokens === settings.max_tokens &&
    one.min_tokens === settings.min_tokens &&
    one.overlap === String(settings.overlap) &&
    one.strategy === settings.strategy;

  let timer = 0;
  let running = false;
  let waiting = false;
  left.addEventListener("abort", () => clearTimeout(timer));

  async function run() {
    timer = 0;
    if (running) return void (waiting = true);
    const what = wanted();
    reset.hidden = isStored(what);
    if (reset.hidden) {
      restore();
      return show(null);
    }
    running = true;
    status.textContent = "Cutting…";
    try {
      const made = await cut(what, left);
      show(
        made.map((chunk) => chunk.tokens),
        what,
      );
    } catch (error) {
      if (isAborted(error)) return;
      status.textContent = error.message;
    } finally {
      running = false;
    }
    if (waiting) {
      waiting = false;
      await run();
    }
  }

  function show(sizes, what = null) {
    const rows = [["stored", figures(stored)]];
    if (sizes) rows.push(["now", figures(sizes)]);
    const words = rows
      .map(
        ([name, of]) =>
          `${name}: ${number(of.count)} chunks of ${number(of.min)} to ${number(of.max)}, half of them up to ${number(of.median)}`,
      )
      .join("; ");
    fill(
      result,
      histogram(ranges(sizes ? [stored, sizes] : [stored]), `Sizes in ${unit}. ${words}`),
      figureTable(rows),
    );
    status.textContent = sizes ? `${number(stored.length)} chunks became ${number(sizes.length)}.` : "";
    if (what)
      fill(
        keep,
        el("p", {}, "To keep it, put this into ", el("code", {}, "headwise.toml"), ":"),
        el("pre", { tabindex: "0", "aria-label": "Settings" }, toml(what, settings)),
      );
    else fill(keep);
  }

  function changed() {
    const limit = Number(max.input.value);
    for (const one of [min, overlap]) one.input.max = Math.floor(limit / 2);
    if (!touched.has(min.input)) min.input.value = minimumFor(settings, limit);
    for (const one of [max, min, overlap]) one.output.textContent = number(Number(one.input.value));
    timer ||= setTimeout(run, PAUSE); // while a slider moves, too
  }

  for (const one of [max, min, overlap]) one.input.addEventListener("input", () => (touched.add(one.input), changed()));
  strategy.addEventListener("change", changed);
  reset.addEventListener("click", () => {
    touched.clear();
    max.input.value = settings.max_tokens;
    overlap.input.max = Math.floor(settings.max_tokens / 2); // it takes no value above
    [overlap.input.value, strategy.value] = [overlapOf(settings), settings.strategy];
    changed();
    max.input.focus();
  });

  const keep = el("div", { class: "keep muted" });
  const why = text === null ? "The file is not what it was when it was read: sync before you cut it anew." : "";
  const form = el(
    "fieldset",
    { class: "sliders", disabled: text === null },
    el("legend", { class: "unseen" }, "Cut it anew"),
    max.row,
    min.row,
    overlap.row,
    el("div", { class: "slider" }, el("label", { for: "cut-strategy" }, "Cut at"), strategy),
  );
  show(null);
  return {
    element: el(
      "div",
      { class: "cutting" },
      why && el("p", { class: "notice" }, why),
      form,
      result,
      status,
      reset,
      keep,
    ),
    again: run,
  };
}

function slider(name, label, least, most, value, step = 10) {
  const id = `cut-${name}`;
  const input = el("input", { id, type: "range", min: least, max: most, step, value });
  const output = el("span", { class: "value", "aria-hidden": "true" }, number(value)); // a slider says its value itself
  return { input, output, row: el("div", { class: "slider" }, el("label", { for: id }, label), output, input) };
}

/** An overlap as a number in the unit of the sizes, as near as a slider can say it. */
function overlapOf({ overlap, max_tokens: limit }) {
  const found = /^(\d+)(%|s)?$/.exec(String(overlap));
  if (!found || found[2] === "s") return 0;
  return found[2] ? Math.floor((limit * Number(found[1])) / 100) : Number(found[1]);
}

/** The smallest size for another limit: by the rule that gave the stored one, else the same as far as it fits. */
function minimumFor({ max_tokens: stored, min_tokens: given }, limit) {
  const rule = (of) => Math.min(20, Math.floor(of / 10));
  return given === rule(stored) ? rule(limit) : Math.min(given, Math.floor(limit / 2));
}

function toml(what, settings) {
  const lines = [`max_tokens = ${what.max_tokens}`];
  if (what.min_tokens !== minimumFor(settings, what.max_tokens)) lines.push(`min_tokens = ${what.min_tokens}`);
  if (what.overlap !== String(settings.overlap)) lines.push(`overlap = ${what.overlap}`);
  if (what.strategy !== settings.strategy) lines.push(`strategy = "${what.strategy}"`);
  return lines.join("\n");
}
