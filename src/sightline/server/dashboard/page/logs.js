// The latest log records, newest first.

import { byId, el, empty, keyed, say } from "/dashboard/dom.js";
import { clock, line, whole } from "/dashboard/format.js";

const KEPT = 500;
const SHOWN = 200;
const RANKS = { DEBUG: 1, INFO: 2, WARNING: 3, ERROR: 4, CRITICAL: 5 };

export class Logs {
  #records = [];
  #words = "";
  #least = 0;
  #count = 0;
  #timer = 0;

  constructor() {
    byId("logs-filter").addEventListener("input", (event) => {
      this.#words = event.target.value.trim().toLowerCase();
      this.draw();
    });
    byId("logs-level").addEventListener("change", (event) => {
      this.#least = Number(event.target.value);
      this.draw();
    });
  }

  reset() {
    this.#records = [];
  }

  add(record) {
    this.#count += 1;
    this.#records.unshift({ ...record, key: this.#count });
    this.#records.length = Math.min(this.#records.length, KEPT);
  }

  addLive(record) {
    this.add(record);
    this.#timer ||= setTimeout(() => this.draw(), 120);
  }

  draw() {
    this.#timer = 0;
    const fitting = this.#records.filter((record) => this.#isShown(record));
    keyed(byId("logs-body"), fitting.slice(0, SHOWN), (record) => record.key, row, () => {});
    const total = this.#records.length;
    const isFiltered = this.#words || this.#least;
    say(byId("logs-count"), isFiltered ? `${whole(fitting.length)} of the last ${whole(total)}` : total ? `last ${whole(total)}` : "");
    empty(byId("logs-empty"), fitting.length ? "" : isFiltered ? "No record fits the filter." : "Nothing was logged yet.");
  }

  #isShown(record) {
    if ((RANKS[record.level] ?? 2) < this.#least) return false;
    if (!this.#words) return true;
    return [record.message, record.logger, record.level, line(record.fields), record.trace ?? ""].join(" ").toLowerCase().includes(this.#words);
  }
}

function row(record) {
  const tone = { WARNING: "warn", ERROR: "bad", CRITICAL: "bad" }[record.level] ?? "plain";
  return el(
    "tr",
    { role: "row" },
    el("td", { role: "cell", class: "time" }, el("time", { datetime: new Date(record.at * 1000).toISOString() }, clock(record.at))),
    el("td", { role: "cell", class: "level" }, el("span", { class: `level-${tone}` }, record.level.toLowerCase())),
    el(
      "td",
      { role: "cell", class: "happened" },
      el("span", { class: "message" }, record.message),
      el("span", { class: "arguments" }, line(record.fields)),
      record.trace && el("details", { class: "more" }, el("summary", {}, "Traceback"), el("pre", { tabindex: 0 }, record.trace)),
    ),
  );
}
