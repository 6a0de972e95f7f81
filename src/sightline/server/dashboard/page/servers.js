// Language servers and the pool they live in, with the one button that changes something.

import { Refused, send } from "/dashboard/api.js";
import { byId, el, empty, keyed, say, show } from "/dashboard/dom.js";
import { megabytes, plural, span, whole } from "/dashboard/format.js";

export class Servers {
  #refusal = null;

  update(state) {
    this.#refusal = state.service.restart_refused;
    this.#pool(state);
    say(byId("servers-count"), `${state.pool.running} of ${state.pool.size} places taken`);
    keyed(byId("servers-list"), state.servers, (server) => server.row, (server) => this.#card(server), (node, server) => this.#tell(node, server));
    if (state.servers.length) empty(byId("servers-empty"), "");
    else empty(byId("servers-empty"), "No language server runs.", "The first call that needs one starts it.");
  }

  #pool(state) {
    const { pool, servers } = state;
    const used = servers.reduce((sum, server) => sum + server.memory_mb, 0);
    const share = Math.min(1, used / pool.memory_budget_mb);
    const box = byId("pool");
    if (!box.firstChild) {
      const fill = el("div", { class: "meter-fill" });
      box.append(
        el("div", { class: "pool-line" }, el("span", {}, "Memory"), el("span", { class: "pool-memory" })),
        el("div", { class: "meter", role: "meter", "aria-label": "Memory of the language servers", "aria-valuemin": 0 }, fill),
        el("p", { class: "pool-counts muted" }),
      );
    }
    say(box.querySelector(".pool-memory"), `${megabytes(used)} of ${megabytes(pool.memory_budget_mb)}`);
    const meter = box.querySelector(".meter");
    meter.setAttribute("aria-valuenow", Math.round(used));
    meter.setAttribute("aria-valuemax", pool.memory_budget_mb);
    meter.firstChild.style.width = `${(share * 100).toFixed(1)}%`;
    const counts = `${whole(pool.starts)} started · ${whole(pool.hits)} reused · ${whole(pool.evictions)} evicted · ${plural(pool.restarts, "failure")}`;
    say(box.querySelector(".pool-counts"), counts);
  }

  #card(server) {
    const fact = (name, label) => [el("dt", {}, label), el("dd", { "data-fact": name })];
    const titleId = `server-${server.row}`;
    const button = el("button", { class: "button restart", type: "button", "aria-describedby": titleId }, "Restart");
    button.addEventListener("click", () => this.#restart(button, server.row));
    return el(
      "article",
      { class: "server", "aria-labelledby": titleId },
      el(
        "div",
        { class: "server-head" },
        el("h3", { id: titleId }, el("span", { "data-fact": "id" }), " ", el("span", { class: "muted", "data-fact": "version" })),
        el("span", { class: "pill", "data-fact": "state" }),
        el("span", { class: "spring" }),
        button,
      ),
      el(
        "dl",
        { class: "facts" },
        fact("project", "Project"),
        fact("process", "Process"),
        fact("memory", "Memory"),
        fact("uptime", "Up for"),
        fact("files", "Files"),
        fact("interpreter", "Python"),
      ),
      el("p", { class: "note note-bad", "data-fact": "last_error", hidden: true }),
      el("p", { class: "note", role: "status", "data-fact": "said", hidden: true }),
      el("details", { class: "more", "data-fact": "stderr-box", hidden: true }, el("summary", {}, "Last lines of stderr"), el("pre", { tabindex: 0, "data-fact": "stderr" })),
    );
  }

  #tell(node, server) {
    const at = (name) => node.querySelector(`[data-fact="${name}"]`);
    say(at("id"), server.id);
    say(at("version"), server.version ?? "");
    say(at("state"), server.state);
    at("state").className = `pill pill-${server.state === "running" ? "ok" : server.state === "starting" ? "live" : "bad"}`;
    say(at("project"), server.root === "." ? server.project : `${server.project} (${server.root})`);
    say(at("process"), server.pid ? `pid ${server.pid}` : "not started");
    say(at("memory"), megabytes(server.memory_mb));
    say(at("uptime"), span(server.uptime_s));
    say(at("files"), `${whole(server.watched_files)} watched by ${server.watched_by === "kernel" ? "the kernel" : server.watched_by}, ${whole(server.open_documents)} open`);
    const why = [server.interpreter, server.interpreter_reason].filter(Boolean);
    say(at("interpreter"), why.length === 2 ? `${why[0]}, because of ${why[1]}` : (why[0] ?? "does not apply"));
    say(at("last_error"), server.last_error ? `Last error: ${server.last_error}` : "");
    show(at("last_error"), Boolean(server.last_error));
    say(at("stderr"), server.stderr.join("\n"));
    show(at("stderr-box"), server.stderr.length > 0);
    const button = node.querySelector(".restart");
    if (this.#refusal) {
      button.disabled = true;
      button.title = this.#refusal;
    }
  }

  async #restart(button, row) {
    const said = button.closest(".server").querySelector('[data-fact="said"]');
    button.setAttribute("aria-busy", "true");
    say(button, "Restarting…");
    try {
      await send("/dashboard/restart", { row });
      tell(said, "It was ended, and is being started again.", false);
    } catch (error) {
      tell(said, error instanceof Refused ? error.message : "the service does not answer", true);
    } finally {
      button.removeAttribute("aria-busy");
      say(button, "Restart");
    }
  }
}

function tell(node, text, isBad) {
  say(node, text);
  node.className = isBad ? "note note-bad" : "note";
  node.hidden = false;
  setTimeout(() => (node.hidden = true), 8000);
}
