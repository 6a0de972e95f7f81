"""Figures of a service: for Prometheus, and for an OpenTelemetry collector."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.support.http_service import serving_http
from tests.support.wire import seconds_until_gone

LINE = re.compile(r'[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.e+-]+')


def test_the_metrics_page_tells_calls_requests_servers_and_the_process(shop: Path, tmp_path: Path) -> None:
    with serving_http(shop, home=tmp_path) as server:
        server.call("check_types", {"path": "."})
        server.call("check_types", {"path": "nowhere"})
        server.get("/nowhere")
        answer = server.get("/metrics")
    lines = answer.text.splitlines()
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert all(line.startswith("# ") or LINE.fullmatch(line) for line in lines)
    assert {
        'sightline_call_duration_seconds_count{tool="check_types"} 2',
        'sightline_call_duration_seconds_bucket{tool="check_types",le="+Inf"} 2',
        'sightline_call_errors_total{tool="check_types"} 1',
        "sightline_calls_running 0",
        'sightline_http_requests_total{path="/mcp",status="200"} 2',
        'sightline_http_requests_total{path="refused",status="404"} 1',
        'sightline_http_refusals_total{reason="unknown_path"} 1',
        "sightline_http_requests_running 1",
        "sightline_sessions 0",
        'sightline_language_servers{server="pyright"} 1',
        "sightline_language_servers_limit 3",
        'sightline_language_server_events_total{event="started"} 1',
    } <= set(lines)
    memory = next(line for line in lines if line.startswith("sightline_language_server_memory_bytes"))
    assert float(memory.split()[-1]) > 1e6


def test_spans_and_figures_go_to_the_collector_that_the_environment_names(shop: Path, tmp_path: Path) -> None:
    with _collector() as (url, received):
        variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": url}
        with serving_http(shop, home=tmp_path, environment=variables) as server:
            server.call("get_current_config")
            server.call("check_types", {"path": "nowhere"})
    spans = [
        span
        for path, body in received
        if path == "/v1/traces"
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]
    assert {span.name for span in spans} >= {"tools/call get_current_config", "tools/call check_types"}
    figures = [
        metric.name
        for path, body in received
        if path == "/v1/metrics"
        for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    ]
    assert {"sightline.calls", "sightline.call.errors", "sightline.call.p95"} <= set(figures)


def test_a_collector_that_is_not_there_delays_no_call_and_no_end(shop: Path, tmp_path: Path) -> None:
    variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}
    with serving_http(shop, home=tmp_path, environment=variables) as server:
        assert server.is_serving()
        server.process.terminate()
        seconds_until_gone([server.process.pid], 8.0)
        assert server.process.wait(timeout=1) == 0


def test_without_the_exporter_it_says_which_extra_is_missing() -> None:
    """In an interpreter that cannot import the exporter, as one without the extra."""
    program = (
        "import logging, sys; logging.basicConfig(format='%(message)s %(remedy)s');"
        "sys.modules['opentelemetry.sdk'] = None;"
        "from sightline.server.telemetry import exporting;"
        "from sightline.metrics import Metrics\n"
        "with exporting({'OTEL_EXPORTER_OTLP_ENDPOINT': 'http://127.0.0.1:9'}) as telemetry:\n"
        "    telemetry.observe(Metrics())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "its exporter is not installed pip install '.[otel]'" in done.stderr


@contextmanager
def _collector() -> Generator[tuple[str, list[tuple[str, bytes]]]]:
    """A collector on loopback that keeps what it gets."""
    received: list[tuple[str, bytes]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append((self.path, _body(self)))
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the standard library
            """Tests are quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", received
        server.shutdown()


def _body(handler: BaseHTTPRequestHandler) -> bytes:
    import gzip

    body = handler.rfile.read(int(handler.headers["content-length"]))
    return gzip.decompress(body) if handler.headers["content-encoding"] == "gzip" else body
