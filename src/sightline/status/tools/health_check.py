"""`health_check`: whether Sightline works here, and how it has been doing."""

from __future__ import annotations

import platform
import time
from typing import Literal

from sightline import __version__
from sightline.components import Component
from sightline.contract import Evidence, Outcome
from sightline.metrics import OperationSummary
from sightline.status.service import StatusService
from sightline.tool import Call, Hints, LongToolInput, Tool, cut_list, output_field, record
from sightline.wording import counted


@record
class HealthOutput:
    status: Literal["healthy", "degraded"]
    version: str
    python_version: str
    platform: str
    uptime_s: float
    memory_mb: float
    request_count: int
    error_count: int
    tools: list[str] = output_field(brief=True)
    components: list[Component] = output_field(brief=True)
    operations: list[OperationSummary] = output_field(brief=True)


async def run(service: StatusService, _call: Call, _args: LongToolInput) -> Outcome[HealthOutput]:
    components = [await probe() for probe in service.probes]
    output = HealthOutput(
        status="healthy" if all(each.works for each in components) else "degraded",
        version=__version__,
        python_version=platform.python_version(),
        platform=f"{platform.system()} {platform.machine()}",
        uptime_s=round(time.monotonic() - service.started, 1),
        memory_mb=_memory_mb(),
        request_count=service.metrics.call_count,
        error_count=service.metrics.error_count,
        tools=[tool.name for tool in service.selection.offered],
        components=components,
        operations=service.metrics.summaries(),
    )
    return Outcome(output=output, evidence=Evidence(method="self", scope="this process since its start"))


def _memory_mb() -> float:
    import psutil

    return round(psutil.Process().memory_info().rss / 1e6, 1)


def render(output: HealthOutput) -> str:
    return "\n".join(
        [
            f"{output.status}: Sightline {output.version} on Python {output.python_version}, {output.platform}",
            f"up {output.uptime_s} s; {output.memory_mb} MB",
            f"{counted(output.request_count, 'request')}, {counted(output.error_count, 'error')}",
            f"tools: {', '.join(output.tools)}",
            *(_component_line(each) for each in output.components),
            *(_operation_line(each) for each in output.operations),
        ]
    )


def _component_line(component: Component) -> str:
    version = f" {component.version}" if component.version else ""
    state = "works" if component.works else f"broken: {component.problem or 'see the detail'}"
    return f"{component.name}{version}: {state}" + (f" ({component.detail})" if component.detail else "")


def _operation_line(each: OperationSummary) -> str:
    return (
        f"{each.operation}: {counted(each.count, 'call')}, {counted(each.errors, 'error')}, "
        f"average {each.average_ms} ms, "
        f"p50 {each.p50_ms} ms, p95 {each.p95_ms} ms, max {each.max_ms} ms"
    )


HEALTH_CHECK = Tool(
    name="health_check",
    title="Health check",
    description="Whether Sightline and its engines work here: versions, uptime, calls, errors, latencies.",
    toolset="always",
    input=LongToolInput,
    output=HealthOutput,
    run=run,
    render=render,
    hints=Hints(read_only=True, idempotent=False),
    cut=cut_list("operations", narrower="ask with larger `max_results` and `max_total_chars`"),
)
