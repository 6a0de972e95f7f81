"""Spans and figures for an OpenTelemetry collector, when the environment names one.

The MCP SDK makes a span for every request; here they get somewhere to go. Without the exporter's packages, which are
an extra, it is said once and nothing is exported.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from sightline import __version__
from sightline.metrics import Metrics, OperationSummary

if TYPE_CHECKING:
    from opentelemetry.metrics import CallbackOptions, MeterProvider, Observation

log = logging.getLogger(__name__)

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_LAST_WORDS_S = 1.5
_INSTALL = "pip install '.[otel]' in the clone of Sightline"


class Exporting(Protocol):
    """What can be exported beside the spans."""

    def observe(self, metrics: Metrics) -> None: ...


@contextmanager
def exporting(environment: Mapping[str, str]) -> Generator[Exporting]:
    """Export until the end of the block, if a collector is named."""
    if not any(environment.get(name) for name in ENDPOINTS):
        yield _NotExporting()
        return
    try:
        exporter = _Exporter()
    except ImportError:
        log.warning("OpenTelemetry is asked for, but its exporter is not installed", extra={"remedy": _INSTALL})
        yield _NotExporting()
        return
    try:
        yield exporter
    finally:
        exporter.end()


class _NotExporting:
    def observe(self, metrics: Metrics) -> None:
        """Nobody is told."""


class _Exporter:
    """Both pipelines of OpenTelemetry's SDK; where to, how often and with which headers is in its own variables."""

    def __init__(self) -> None:
        from opentelemetry import trace
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        resource = Resource.create({"service.name": "sightline", "service.version": __version__})
        self._spans = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._spans.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        trace.set_tracer_provider(self._spans)
        reader = PeriodicExportingMetricReader(OTLPMetricExporter())
        self._figures = MeterProvider([reader], resource=resource, shutdown_on_exit=False)
        log.info("exporting to OpenTelemetry")

    def observe(self, metrics: Metrics) -> None:
        _observe(self._figures, metrics)

    def end(self) -> None:
        """Send what is left, but do not wait long for a collector that does not answer."""
        threads = [
            threading.Thread(target=each.shutdown, daemon=True, name="telemetry")
            for each in (self._spans, self._figures)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(_LAST_WORDS_S)


def _observe(provider: MeterProvider, metrics: Metrics) -> None:
    from opentelemetry.metrics import Observation

    def told(
        value_of: Callable[[OperationSummary], float],
    ) -> Callable[[CallbackOptions], Iterable[Observation]]:
        return lambda _options: [Observation(value_of(each), {"tool": each.operation}) for each in metrics.summaries()]

    meter = provider.get_meter("sightline", __version__)
    meter.create_observable_counter("sightline.calls", [told(lambda each: each.count)], "1", "Tool calls answered")
    meter.create_observable_counter("sightline.call.errors", [told(lambda each: each.errors)], "1", "Calls that failed")
    meter.create_observable_gauge(
        "sightline.call.p95", [told(lambda each: each.p95_ms)], "ms", "95 % took at most this"
    )
