"""The figures of a service in Prometheus' text form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import anyio.to_thread

from sightline import __version__
from sightline.app import App
from sightline.code import CodeService
from sightline.lsp.pool import PoolCounts, WorkspaceKey, memory_mb
from sightline.metrics import BOUNDS_S, Histogram
from sightline.server.http.in_flight import InFlight

Labels = Mapping[str, str]


@dataclass(slots=True)
class Family:
    """One metric: its name, kind and meaning, and its values by label."""

    name: str
    kind: str
    meaning: str
    lines: list[str] = field(default_factory=list[str])

    def add(self, value: float, labels: Labels | None = None, suffix: str = "") -> Family:
        told = ",".join(f'{name}="{_escaped(text)}"' for name, text in (labels or {}).items())
        self.lines.append(f"{self.name}{suffix}{f'{{{told}}}' if told else ''} {value:.15g}")
        return self

    def text(self) -> str:
        return "\n".join([f"# HELP {self.name} {self.meaning}", f"# TYPE {self.name} {self.kind}", *self.lines])


async def exposition(app: App, in_flight: InFlight, session_count: int) -> str:
    """Everything that is counted, as one page."""
    code: CodeService = app.boundary.services["code"]
    pool = code.servers.pool
    pids = {key: workspace.session.pid for key, workspace in pool.workspaces().items()}
    # Every process of the machine is looked at for its parent: too long for the thread that serves.
    sizes = await anyio.to_thread.run_sync(lambda: {key: memory_mb(pid) * 1e6 for key, pid in pids.items()})
    families = [
        *_calls(app),
        *_requests(in_flight, session_count),
        *_language_servers(sizes, pool.counts, app.settings.values.code.pool_size),
        *_process(),
    ]
    return "\n".join(family.text() for family in families) + "\n"


def _calls(app: App) -> Iterator[Family]:
    histograms = app.metrics.histograms()
    running = app.calls.running()
    yield Family("sightline_calls_running", "gauge", "Tool calls that run now.").add(len(running))
    errors = Family("sightline_call_errors_total", "counter", "Tool calls that failed.")
    durations = Family("sightline_call_duration_seconds", "histogram", "How long tool calls took.")
    for histogram in histograms:
        errors.add(histogram.errors, {"tool": histogram.operation})
        _add_histogram(durations, histogram)
    yield errors
    yield durations


def _add_histogram(family: Family, histogram: Histogram) -> None:
    tool = {"tool": histogram.operation}
    bounds: Sequence[str] = [*(f"{bound:g}" for bound in BOUNDS_S), "+Inf"]
    for bound, count in zip(bounds, accumulate(histogram.classes), strict=True):
        family.add(count, {**tool, "le": bound}, "_bucket")
    family.add(histogram.total_s, tool, "_sum").add(histogram.count, tool, "_count")


def _requests(in_flight: InFlight, session_count: int) -> Iterator[Family]:
    requests = Family("sightline_http_requests_total", "counter", "HTTP requests answered.")
    for (path, status), count in sorted(in_flight.statuses.items()):
        requests.add(count, {"path": path, "status": str(status)})
    yield requests
    refusals = Family("sightline_http_refusals_total", "counter", "HTTP requests that were not served, and why.")
    for reason, count in sorted(in_flight.refusals.items()):
        refusals.add(count, {"reason": reason})
    yield refusals
    yield Family("sightline_http_requests_running", "gauge", "HTTP requests open now.").add(in_flight.count)
    yield Family("sightline_sessions", "gauge", "Sessions of the protocol up to 2025-11-25.").add(session_count)


def _language_servers(sizes: Mapping[WorkspaceKey, float], counts: PoolCounts, limit: int) -> Iterator[Family]:
    running = Family("sightline_language_servers", "gauge", "Language servers that run now.")
    memory = Family("sightline_language_server_memory_bytes", "gauge", "Memory of the running language servers.")
    by_id: dict[str, list[float]] = {}
    for key, size in sizes.items():
        by_id.setdefault(key.server_id, []).append(size)
    for server_id, each in sorted(by_id.items()):
        running.add(len(each), {"server": server_id})
        memory.add(sum(each), {"server": server_id})
    yield running
    yield memory
    yield Family("sightline_language_servers_limit", "gauge", "Most language servers at once.").add(limit)
    events = Family("sightline_language_server_events_total", "counter", "What the pool of language servers did.")
    for event, count in (
        ("reused", counts.hits),
        ("started", counts.starts),
        ("evicted", counts.evictions),
        ("failed", counts.restarts),
    ):
        events.add(count, {"event": event})
    yield events


def _process() -> Iterator[Family]:
    import psutil

    process = psutil.Process()
    info = Family("sightline_info", "gauge", "The version that runs.").add(1, {"version": __version__})
    yield info
    yield Family("process_resident_memory_bytes", "gauge", "Memory of this process.").add(process.memory_info().rss)
    yield Family("process_start_time_seconds", "gauge", "When this process began.").add(process.create_time())


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
