// What is asked for when it is looked at: sync with its diffs, library docs, settings.

import { get } from "/dashboard/api.js";
import { byId, el, empty, say, toggle } from "/dashboard/dom.js";
import { megabytes, plural, whole } from "/dashboard/format.js";

// Loading and failure look the same everywhere.
async function filled(box, path, draw) {
  box.setAttribute("aria-busy", "true");
  if (!box.firstChild) box.replaceChildren(el("p", { class: "empty loading" }, el("span", {}, "Looking…")));
  try {
    draw(await get(path));
  } catch (error) {
    box.replaceChildren(el("p", { class: "note note-bad" }, error.message));
  } finally {
    box.removeAttribute("aria-busy");
  }
}

export class Sync {
  #open = new Set();

  constructor() {
    byId("sync-refresh").addEventListener("click", () => this.load());
  }

  load() {
    return filled(byId("sync-list"), "/dashboard/sync", (data) => this.#draw(data));
  }

  #draw(data) {
    const pending = new Set(data.targets.flatMap((target) => target.diffs.map((each) => each.path))).size;
    const said = data.running_s !== undefined || data.interrupted ? data.summary : pending ? `${plural(pending, "file")} would change` : "";
    say(byId("sync-summary"), `scope ${data.scope}${said ? ` · ${said}` : ""}`);
    const notes = data.targets.length ? [] : [el("p", { class: "empty" }, el("strong", {}, "No targets."), el("span", {}, "sync.targets names them."))];
    byId("sync-list").replaceChildren(...notes, ...data.targets.map((target) => this.#target(target)));
  }

  #target(target) {
    const remarks = [
      ...target.conflicts.map((each) => ["conflict", `${each.place}: ${each.reason}`]),
      ...target.problems.map((each) => ["problem", `${each.path}: ${each.message}`]),
      ...target.steps.map((each) => ["to do", each]),
      ...target.notes.map((each) => ["note", each]),
    ];
    const box = el(
      "details",
      { class: "target", open: this.#open.has(target.target) },
      el(
        "summary",
        {},
        el("span", { class: "target-name" }, target.target),
        el("span", { class: `pill pill-${toneOf(target.status)}` }, target.status === "never" ? "never synced" : target.status.replaceAll("_", " ")),
        el("span", { class: "muted" }, targetLine(target)),
      ),
      remarks.length > 0 && el("ul", { class: "remarks" }, remarks.map(([kind, text]) => el("li", {}, el("b", {}, kind), " ", text))),
      target.diffs.map((each) => diff(each)),
      !target.diffs.length && el("p", { class: "muted nothing" }, target.status === "unknown" ? "Nothing is looked into while a sync runs." : "Nothing would change."),
    );
    box.addEventListener("toggle", () => (box.open ? this.#open.add(target.target) : this.#open.delete(target.target)));
    return box;
  }
}

function toneOf(status) {
  if (status === "in_sync") return "ok";
  return ["conflict", "blocked", "malformed", "failed"].includes(status) ? "bad" : status === "unknown" ? "plain" : "warn";
}

function targetLine(target) {
  const parts = target.items ? [plural(target.items, "item")] : [];
  if (target.diffs.length) parts.push(`${plural(target.diffs.length, "file")} to write`);
  if (target.conflicts.length) parts.push(plural(target.conflicts.length, "conflict"));
  if (target.last_sync) parts.push(`synced ${target.last_sync}`);
  return parts.join(" · ");
}

function diff(each) {
  const lines = each.diff.replace(/\n$/, "").split("\n");
  const body = lines.slice(lines[0]?.startsWith("--- ") ? 2 : 0);
  const shown = body.map((text) => el("span", { class: lineKind(text) }, `${text}\n`));
  return el("figure", { class: "diff" }, el("figcaption", {}, el("code", {}, each.path), el("span", { class: "muted" }, each.action)), el("pre", { tabindex: 0 }, el("code", {}, shown)));
}

function lineKind(text) {
  return { "+": "diff-new", "-": "diff-old", "@": "diff-place" }[text[0]] ?? "diff-same";
}

export class Docs {
  constructor() {
    byId("docs-refresh").addEventListener("click", () => this.load());
  }

  load() {
    return filled(byId("docs-list"), "/dashboard/docs", (data) => this.#draw(data));
  }

  #draw({ store, shared, registry, offline, ttl_hours }) {
    const used = store.used_bytes / 1e6;
    const fill = el("div", { class: "meter-fill" });
    fill.style.width = `${Math.min(100, (used / store.max_mb) * 100).toFixed(1)}%`;
    const facts = [
      ["Pages of the web", `${whole(store.web_pages)}${store.pinned_pages ? `, ${whole(store.pinned_pages)} pinned` : ""}`],
      ["Installed packages", `${plural(store.installed_documents, "document")} of ${plural(store.collections, "package")}`],
      ["Passages to search", whole(store.passages)],
      ["Kept in", store.place],
      ...(shared ? [["Shared", `${shared.place}, ${plural(shared.web_pages, "page")}`]] : []),
      ["Network", offline ? "off" : `on, pages stay fresh for ${ttl_hours} h`],
      ["Registry", `${registry.version}, ${registry.origin}`],
      ["Known libraries", whole(registry.libraries)],
    ];
    const problems = [store.problem, store.search_problem, shared?.problem, ...registry.problems].filter(Boolean);
    byId("docs-list").replaceChildren(
      el("div", { class: "pool" }, el("div", { class: "pool-line" }, el("span", {}, "Cache"), el("span", {}, `${megabytes(used)} of ${megabytes(store.max_mb)}`)), el("div", { class: "meter", role: "meter", "aria-label": "Size of the cache", "aria-valuemin": 0, "aria-valuemax": store.max_mb, "aria-valuenow": Math.round(used) }, fill)),
      el("dl", { class: "facts" }, facts.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
      ...problems.map((text) => el("p", { class: "note note-bad" }, text)),
    );
  }
}

export class Settings {
  #data = { settings: [], ignored: [] };
  #words = "";
  #changedOnly = false;

  constructor() {
    byId("settings-filter").addEventListener("input", (event) => {
      this.#words = event.target.value.trim().toLowerCase();
      this.#draw();
    });
    toggle(byId("settings-changed"), (isOn) => {
      this.#changedOnly = isOn;
      this.#draw();
    });
  }

  load() {
    const notes = byId("settings-notes");
    return filled(notes, "/dashboard/settings", (data) => {
      this.#data = data;
      notes.replaceChildren(...data.ignored.map((text) => el("p", { class: "note note-warn" }, `Left out: ${text}`)));
      this.#draw();
    });
  }

  #draw() {
    const all = this.#data.settings;
    const shown = all.filter((each) => (!this.#changedOnly || each.origin !== "default") && textOf(each).includes(this.#words));
    const changed = all.filter((each) => each.origin !== "default").length;
    say(byId("settings-count"), `${all.length}, of which ${changed} differ from their defaults`);
    byId("settings-body").replaceChildren(...shown.map(settingRow));
    empty(byId("settings-empty"), shown.length ? "" : "No setting fits the filter.");
  }
}

const valueOf = (each) => (typeof each.value === "string" ? each.value : JSON.stringify(each.value ?? null));

const textOf = (each) => [each.key, valueOf(each), each.origin, each.place ?? ""].join(" ").toLowerCase();

function settingRow(each) {
  const [section, ...rest] = each.key.split(".");
  const origin = each.place && each.place !== each.origin ? `${each.origin}: ${each.place}` : each.origin;
  return el(
    "tr",
    { role: "row", class: each.origin === "default" ? "" : "changed" },
    el("td", { role: "cell", class: "key" }, el("span", { class: "muted" }, `${section}.`), rest.join(".")),
    el("td", { role: "cell", class: "value" }, el("code", {}, valueOf(each))),
    el("td", { role: "cell", class: "origin" }, origin),
  );
}
