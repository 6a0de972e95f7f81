// Calls as they happen, newest first; those that still run stand on top.

import { byId, el, empty, keyed, say, svg, toggle } from "/dashboard/dom.js";
import { chars, clock, line, plural, took, whole } from "/dashboard/format.js";

const KEPT = 300;
const SHOWN = 150;
const DOTS = 120;
const SAID_EVERY_MS = 4000;

export class Calls {
  #calls = [];
  #running = [];
  #words = "";
  #failedOnly = false;
  #isPaused = false;
  #unseen = 0;
  #unsaid = [];
  #timer = 0;

  constructor() {
    byId("calls-filter").addEventListener("input", (event) => {
      this.#words = event.target.value.trim().toLowerCase();
      this.#draw();
    });
    toggle(byId("calls-failed"), (isOn) => {
      this.#failedOnly = isOn;
      this.#draw();
    });
    toggle(byId("calls-pause"), (isOn) => {
      this.#isPaused = isOn;
      this.#unseen = 0;
      this.#nameButton();
      if (!isOn) this.#draw();
    });
    setInterval(() => this.#announce(), SAID_EVERY_MS);
  }

  reset() {
    this.#calls = [];
    this.#unseen = 0;
  }

  add(call) {
    this.#calls.unshift(call);
    this.#calls.length = Math.min(this.#calls.length, KEPT);
  }

  addLive(call) {
    this.add(call);
    this.#running = this.#running.filter((each) => each.number !== call.number);
    if (this.#isPaused) {
      this.#unseen += 1;
      this.#nameButton();
      return;
    }
    this.#unsaid.push(call);
    this.#timer ||= setTimeout(() => this.#draw(), 60);
  }

  update(state) {
    const ended = new Set(this.#calls.map((call) => call.number));
    this.#running = state.calls.running.filter((call) => !ended.has(call.number));
    this.now = state.service.now;
    this.#draw();
  }

  // The median of the latest calls, or null before the first.
  median() {
    const sorted = this.#calls.map((call) => call.ms).sort((a, b) => a - b);
    return sorted.length ? { ms: sorted[Math.floor((sorted.length - 1) / 2)], count: sorted.length } : null;
  }

  #nameButton() {
    say(byId("calls-pause"), this.#isPaused ? `Resume${this.#unseen ? ` (${this.#unseen} new)` : ""}` : "Pause");
  }

  #isShown(call) {
    if (this.#failedOnly && call.ending !== "failed") return false;
    if (!this.#words) return true;
    const text = [call.tool, call.project, call.client, call.error_kind, call.ending, line(call.arguments)];
    return text.join(" ").toLowerCase().includes(this.#words);
  }

  #draw() {
    this.#timer = 0;
    if (this.#isPaused) return;
    const running = this.#running.map((call) => ({ ...call, ending: "running" })).reverse();
    const fitting = [...running, ...this.#calls].filter((call) => this.#isShown(call));
    const shown = fitting.slice(0, SHOWN);
    keyed(byId("calls-body"), shown, keyOf, row, (node, call) => this.#age(node, call));
    const isFiltered = this.#failedOnly || this.#words;
    const total = this.#calls.length;
    say(byId("calls-count"), isFiltered ? `${whole(fitting.length)} of the last ${whole(total)}` : total ? `last ${whole(total)}` : "");
    if (shown.length) empty(byId("calls-empty"), "");
    else if (isFiltered) empty(byId("calls-empty"), "No call fits the filter.");
    else empty(byId("calls-empty"), "No calls yet.", "They appear here as agents make them.");
    strip(this.#calls.slice(0, DOTS).reverse());
  }

  #age(node, call) {
    if (call.ending === "running") say(node.querySelector(".took"), took(Math.max(0, this.now - call.started_at) * 1000));
  }

  #announce() {
    if (!this.#unsaid.length || this.#isPaused) return;
    const failed = this.#unsaid.filter((call) => call.ending === "failed");
    const last = this.#unsaid.at(-1);
    const what = this.#unsaid.length === 1 ? `${last.tool} ${last.ending}` : plural(this.#unsaid.length, "call");
    say(byId("announcer"), failed.length ? `${what}, ${failed.length} failed` : what);
    this.#unsaid = [];
  }
}

const keyOf = (call) => `${call.number}-${call.ending}`;

function row(call) {
  const time = new Date(call.started_at * 1000).toISOString();
  return el(
    "tr",
    { role: "row", "data-ending": call.ending },
    cell("time", el("time", { datetime: time }, clock(call.started_at))),
    cell("tool", el("span", { class: "tool-name" }, call.tool), el("span", { class: "arguments", title: line(call.arguments) }, line(call.arguments))),
    cell("project", call.project ?? ""),
    cell("client", ...client(call.client)),
    cell("result", el("span", { class: tone(call) }, call.error_kind ?? call.ending)),
    cell("number took", call.ms === undefined ? "" : took(call.ms)),
    cell("number size", call.ending === "ok" || call.ending === "failed" ? chars(call.chars) : ""),
  );
}

function tone(call) {
  return { ok: "said-ok", failed: "pill pill-bad", running: "pill pill-live" }[call.ending] ?? "pill";
}

// The version is worth less room than the name.
function client(text) {
  const [, name, version] = /^(.*?)( \d\S*)?$/.exec(text) ?? [];
  return [el("span", { title: text }, name ?? text), el("span", { class: "muted" }, version ?? "")];
}

function cell(kind, ...children) {
  return el("td", { role: "cell", class: kind }, children);
}

// The latencies of the latest calls on a logarithmic scale, oldest at the left.
function strip(calls) {
  const box = byId("calls-strip");
  box.hidden = calls.length < 2;
  if (box.hidden) return;
  const width = 1000;
  const height = 56;
  const y = (ms) => height - 6 - ((Math.log10(Math.min(30000, Math.max(1, ms))) / Math.log10(30000)) * (height - 12));
  const lines = [10, 100, 1000, 10000].map((ms) => svg("line", { x1: 0, x2: width, y1: y(ms), y2: y(ms), class: "grid" }));
  const step = width / DOTS;
  const bars = calls.map((call, index) =>
    svg("rect", {
      x: ((DOTS - calls.length + index) * step + 1).toFixed(1),
      y: y(call.ms).toFixed(1),
      width: (step - 2).toFixed(1),
      height: (height - 2 - y(call.ms)).toFixed(1),
      class: call.ending === "failed" ? "bar-bad" : "bar-ok",
    }),
  );
  const slowest = Math.max(...calls.map((call) => call.ms));
  const label = `Latency of the last ${calls.length} calls, the slowest ${took(slowest)}`;
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": label }, lines, bars);
  const marks = [[10, "10 ms"], [1000, "1 s"]].map(([ms, text]) => el("span", { class: `strip-mark strip-${ms}`, "aria-hidden": "true" }, text));
  box.replaceChildren(picture, ...marks);
}
