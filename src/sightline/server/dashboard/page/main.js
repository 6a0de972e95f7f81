// The page: gets in, follows the events, and hands each panel what concerns it.

import { Refused, enter, follow, forgetVisit, hasVisit, leave } from "/dashboard/api.js";
import { Calls } from "/dashboard/calls.js";
import { byId, el, keyed, say, show } from "/dashboard/dom.js";
import { megabytes, span, took, whole } from "/dashboard/format.js";
import { drawLatency } from "/dashboard/latency.js";
import { Logs } from "/dashboard/logs.js";
import { Docs, Settings, Sync } from "/dashboard/panels.js";
import { Servers } from "/dashboard/servers.js";

const LINK = "#link=";
const calls = new Calls();
const logs = new Logs();
const servers = new Servers();
const sync = new Sync();
const docs = new Docs();
const settings = new Settings();
let following = null;
let isCaughtUp = false;
let stale = new Set();

function onEvent(kind, data) {
  if (kind === "hello") {
    isCaughtUp = false;
    if (!data.is_continued) {
      calls.reset();
      logs.reset();
    }
  } else if (kind === "caught_up") {
    isCaughtUp = true;
    logs.draw();
  } else if (kind === "state") onState(data);
  else if (kind === "call") onCall(data);
  else if (kind === "log") isCaughtUp ? logs.addLive(data) : logs.add(data);
  else if (kind === "ended") lock("The visit is over. Open a new link.");
}

function onCall(call) {
  if (!isCaughtUp) return calls.add(call);
  calls.addLive(call);
  if (call.tool.includes("sync")) refreshSoon(sync);
  if (["get_library_docs", "read_page", "search_docs", "resolve_library"].includes(call.tool)) refreshSoon(docs);
}

function refreshSoon(panel) {
  if (!stale.size) setTimeout(() => {
    for (const each of stale) each.load();
    stale = new Set();
  }, 500);
  stale.add(panel);
}

function onState(state) {
  if (!state.service) return;
  const { service } = state;
  say(byId("project"), service.project);
  show(byId("project"), true);
  show(byId("read-only"), service.read_only);
  document.title = `${service.project} · Sightline`;
  figures(state);
  calls.update(state);
  servers.update(state);
  drawLatency(state);
  say(byId("foot"), `Sightline ${service.version} · Python ${service.python} · process ${service.pid} · ${service.url}`);
  byId("board").dataset.loaded = "true";
}

function figures(state) {
  const { service, calls: counted, pool, servers: running } = state;
  const median = calls.median();
  const memory = running.reduce((sum, server) => sum + server.memory_mb, service.memory_mb);
  const shown = [
    ["Calls", whole(counted.count), `${whole(counted.running.length)} running now`],
    ["Failed", whole(counted.errors), counted.count ? `${((counted.errors / counted.count) * 100).toFixed(1)} % of all` : "none yet"],
    ["Median", median ? took(median.ms) : "–", median ? `of the last ${whole(median.count)} calls` : "no calls yet"],
    ["Language servers", `${pool.running}`, `of at most ${pool.size}`],
    ["Memory", megabytes(memory), `${megabytes(service.memory_mb)} of it Sightline`],
    ["Up for", span(service.now - service.started_at), service.read_only ? "read only" : "reads and writes"],
  ];
  keyed(
    byId("figures"),
    shown,
    ([name]) => name,
    ([name]) => el("div", { class: "figure" }, el("dt", {}, name), el("dd", {}, el("strong", {}), el("span", { class: "muted" }))),
    (node, [, value, hint]) => {
      say(node.querySelector("strong"), value);
      say(node.querySelector("dd span"), hint);
    },
  );
}

function onConnection(state, message = "") {
  if (state === "locked") return lock("The visit is over, or the service was started again. Open a new link.");
  const box = byId("connection");
  box.dataset.state = state;
  say(box, state === "live" ? "live" : message ? `reconnecting: ${message}` : "reconnecting");
}

function open() {
  show(byId("gate"), false);
  for (const id of ["board", "sections", "leave", "foot"]) show(byId(id), true);
  following?.abort();
  following = new AbortController();
  follow(onEvent, onConnection, following.signal);
  for (const panel of [sync, docs, settings]) panel.load();
}

function lock(error = "") {
  following?.abort();
  forgetVisit();
  for (const id of ["board", "sections", "leave", "foot", "project", "read-only"]) show(byId(id), false);
  const box = byId("connection");
  box.dataset.state = "idle";
  say(box, "not connected");
  show(byId("gate"), true);
  say(byId("gate-error"), error);
  show(byId("gate-error"), Boolean(error));
}

async function tryToEnter(proof) {
  try {
    await enter(proof);
    open();
  } catch (error) {
    const said = error instanceof Refused ? error.message : "the service does not answer";
    lock(`${said[0].toUpperCase()}${said.slice(1)}.`);
  }
}

// The link leaves the address bar and the history before it is used.
function start() {
  if (location.hash.startsWith(LINK)) {
    const link = location.hash.slice(LINK.length);
    history.replaceState(null, "", location.pathname);
    return tryToEnter({ link });
  }
  return hasVisit() ? open() : lock();
}

byId("key-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const field = byId("key");
  const key = field.value.trim();
  field.value = "";
  tryToEnter({ key });
});

byId("leave").addEventListener("click", async () => {
  following?.abort();
  try {
    await leave();
  } finally {
    forgetVisit();
    location.replace("/"); // anew, so that nothing of what was shown stays in this tab
  }
});

window.addEventListener("hashchange", () => location.hash.startsWith(LINK) && start());

start();
