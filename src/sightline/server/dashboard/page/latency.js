// One histogram per tool: how many calls took how long.

import { byId, el, empty, keyed, say, svg } from "/dashboard/dom.js";
import { plural, took, whole } from "/dashboard/format.js";

const HEIGHT = 44;
const STEP = 14;

export function drawLatency(state) {
  const tools = [...state.tools].sort((a, b) => b.count - a.count);
  keyed(byId("latency-list"), tools, (tool) => tool.operation, card, (node, tool) => tell(node, tool, state.bounds_ms));
  if (tools.length) empty(byId("latency-empty"), "");
  else if (!state.service.has_metrics) empty(byId("latency-empty"), "Figures are switched off.", "logging.metrics = true switches them on.");
  else empty(byId("latency-empty"), "No figures yet.", "Every tool gets a histogram with its first call.");
}

function card() {
  return el(
    "figure",
    { class: "histogram" },
    el("figcaption", {}, el("strong", { "data-fact": "name" }), el("span", { class: "muted", "data-fact": "count" })),
    el("div", { "data-fact": "picture" }),
    el("div", { class: "scale", "aria-hidden": "true" }, el("span", {}, "5 ms"), el("span", {}, "100 ms"), el("span", {}, "1 s"), el("span", {}, "30 s")),
    el("p", { class: "quantiles", "data-fact": "quantiles" }),
  );
}

function tell(node, tool, bounds) {
  const at = (name) => node.querySelector(`[data-fact="${name}"]`);
  const stamp = `${tool.count}/${tool.errors}`;
  if (node.dataset.stamp === stamp) return;
  node.dataset.stamp = stamp;
  say(at("name"), tool.operation);
  const failed = tool.errors ? ` · ${whole(tool.errors)} failed` : "";
  say(at("count"), `${plural(tool.count, "call")}${failed}`);
  at("picture").replaceChildren(picture(tool, bounds));
  at("quantiles").replaceChildren(...[["p50", tool.p50_ms], ["p95", tool.p95_ms], ["max", tool.max_ms]].map(([name, ms]) => el("span", {}, `${name} `, el("b", {}, took(ms)))));
}

function picture(tool, bounds) {
  const most = Math.max(...tool.classes, 1);
  const width = tool.classes.length * STEP;
  const bars = tool.classes.map((count, index) => {
    const high = count ? Math.max(2.5, (count / most) * (HEIGHT - 4)) : 0;
    const range = index < bounds.length ? `up to ${took(bounds[index])}` : `over ${took(bounds.at(-1))}`;
    const bar = svg("rect", { x: index * STEP + 1.5, y: HEIGHT - high, width: STEP - 3, height: high, rx: 1.5, class: "bar-ok" });
    const foot = svg("rect", { x: index * STEP + 1.5, y: HEIGHT + 1.5, width: STEP - 3, height: 1.5, class: "bar-foot" });
    return svg("g", {}, svg("title", {}, `${range}: ${plural(count, "call")}`), bar, foot);
  });
  const label = `${tool.operation}: ${plural(tool.count, "call")}, median ${took(tool.p50_ms)}, 95 percent within ${took(tool.p95_ms)}`;
  return svg("svg", { viewBox: `0 0 ${width} ${HEIGHT + 4}`, role: "img", "aria-label": label, preserveAspectRatio: "none" }, bars);
}
