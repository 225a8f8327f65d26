// How the store is, and the sync that makes it equal to its folder.

import { get, isAborted, post } from "./api.js";
import { el, fill } from "./dom.js";
import { histogram } from "./histogram.js";
import { ago, count, duration, number } from "./text.js";

const POLL = 400; // milliseconds between two looks at a job
const DELETES = "urn:headwise:problem:mass-deletion";

export function healthView(main, route, left) {
  document.title = "Health · Headwise";
  const status = el("p", { role: "status", class: "verdict" }, "Looking…");
  const body = el("div", { class: "health" });
  const sync = syncPart(left, () => load());
  main.append(el("header", { class: "heading" }, el("h1", { tabindex: "-1" }, "Health"), status), body, sync.element);

  async function load() {
    try {
      const found = await get("health", {}, left);
      const well = found.status === "ok";
      status.className = `verdict ${well ? "well" : "ill"}`;
      status.textContent = well ? "The store is well." : (found.detail ?? "The store cannot be used.");
      fill(body, figuresOf(found), well && sizesOf(found.tokens), factsOf(found));
      sync.show(found);
    } catch (error) {
      if (isAborted(error)) return;
      status.className = "verdict ill";
      status.textContent = error.message;
    }
  }
  load();
  return null;
}

function figuresOf(found) {
  const names = [
    ["documents", "Documents"],
    ["chunks", "Chunks"],
    ["passages", "Passages"],
    ["pending", "Without a vector yet"],
  ];
  return el(
    "dl",
    { class: "figures" },
    names
      .filter(([name]) => typeof found[name] === "number")
      .map(([name, title]) => el("div", {}, el("dt", {}, title), el("dd", {}, number(found[name])))),
  );
}

function sizesOf(tokens) {
  if (!tokens?.histogram?.length) return null;
  const bars = tokens.histogram.map((bar) => ({ from: bar.from, to: bar.to, counts: [bar.count] }));
  const words = `Smallest ${number(tokens.min)}, median ${number(tokens.median)}, 95 % up to ${number(tokens.p95)}, largest ${number(tokens.max)} tokens.`;
  return el(
    "section",
    { class: "card", "aria-labelledby": "sizes" },
    el("h2", { id: "sizes" }, "Sizes of chunks"),
    histogram(bars, words),
    el("p", { class: "muted" }, words),
  );
}

function factsOf(found) {
  const last = found.last_sync;
  const rows = [
    ["Store", found.store && el("code", {}, found.store)],
    ["Model", found.model ?? "none: search by words"],
    ["Last sync", last ? `${ago(last.started)}, ${duration(last.seconds)}: ${changesOf(last.documents)}` : "none yet"],
    ["Headwise", found.version],
  ];
  return el(
    "section",
    { class: "card", "aria-labelledby": "about" },
    el("h2", { id: "about" }, "Store"),
    el(
      "dl",
      { class: "facts" },
      rows.filter(([, value]) => value).map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
    ),
  );
}

function changesOf(documents = {}) {
  const said = Object.entries(documents)
    .filter(([name, value]) => value && name !== "unchanged")
    .map(([name, value]) => `${number(value)} ${name}`);
  return said.join(", ") || "nothing had changed";
}

function syncPart(left, ondone) {
  const button = el("button", { type: "button", disabled: true, onclick: () => run(() => begin({})) }, "Sync now");
  const bar = el("progress", { "aria-label": "Sync", hidden: true });
  const status = el("p", { class: "muted", role: "status" });
  const report = el("div");

  let running = false;

  /** What the server says of its last job when the page is opened: one that runs is followed. */
  function show({ job = null, can_sync: able = true }) {
    if (running) return;
    button.disabled = !able;
    if (!able) status.textContent = "No folder is known here: start with headwise serve FOLDER.";
    else if (job?.state === "running") run(() => job);
    else if (job && !report.hasChildNodes()) tell(job);
  }

  async function run(start) {
    running = button.disabled = true;
    fill(report);
    status.textContent = "Started";
    try {
      const job = await start();
      bar.hidden = false;
      tell(await follow(job));
      running = false;
      ondone();
    } catch (error) {
      if (isAborted(error)) return;
      status.textContent = "";
      fill(report, el("p", { class: "problem", role: "alert" }, error.message));
    } finally {
      bar.hidden = true;
      running = button.disabled = false;
    }
  }

  /** A sync; if one runs already, that one. */
  async function begin(wanted) {
    try {
      return await post("index", wanted, left);
    } catch (error) {
      const { job } = error.status === 409 ? await get("health", {}, left) : {};
      if (job?.state === "running") return job;
      throw error;
    }
  }

  async function follow(job) {
    for (; job.state === "running"; job = await get(`jobs/${job.id}`, {}, left)) {
      const { done = 0, total = null, phase = "running" } = job.progress ?? {};
      if (total) [bar.max, bar.value] = [total, done];
      else bar.removeAttribute("value");
      status.textContent =
        `${phase[0].toUpperCase()}${phase.slice(1)} ${total ? `${number(done)} of ${number(total)}` : done ? number(done) : ""}`.trim();
      await pause(POLL, left);
    }
    return job;
  }

  function tell({ state, finished, problem, report: made }) {
    status.textContent = state === "done" ? `Done ${ago(finished)}` : "";
    const anyway =
      problem?.type === DELETES &&
      el(
        "button",
        {
          type: "button",
          class: "quiet",
          onclick: () => run(() => begin({ allow_mass_deletion: true })),
        },
        "Delete them from the store all the same",
      );
    fill(
      report,
      problem && el("p", { class: "problem", role: "alert" }, problem.detail ?? problem.title),
      anyway,
      made && reportOf(made),
    );
  }

  const element = el(
    "section",
    { class: "card", "aria-labelledby": "sync" },
    el("h2", { id: "sync" }, "Sync"),
    el("p", { class: "muted" }, "Makes the store equal to its folder: only what has changed is read."),
    el("p", { class: "act" }, button, bar),
    status,
    report,
  );
  return { element, show };
}

function reportOf(report) {
  const list = (title, items, say) =>
    items?.length > 0 && [
      el("h3", {}, `${title}, ${items.length}`),
      el(
        "ul",
        { class: "problems" },
        items.map((one) => el("li", {}, el("bdi", { class: "path" }, one.path), `: ${say(one)}`)),
      ),
    ];
  return [
    (report.notes ?? []).map((note) => el("p", {}, note)),
    el(
      "p",
      {},
      `In ${duration(report.seconds)}: ${changesOf(report.documents)}. ${count(report.chunks, "chunk")}, ${number(report.embedded)} new vectors, ${number(report.pending)} pending.`,
    ),
    list("Could not be read", report.problems, (one) => one.problem),
    list("Warnings", report.warnings, (one) => one.warning),
  ];
}

function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason)), { once: true });
  });
}
