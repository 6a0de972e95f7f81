"""`get_current_config`: the effective settings and where each comes from, never a secret value."""

from __future__ import annotations

from typing import Literal

from sightline.config.display import EffectiveSetting, effective_settings, setting_line
from sightline.config.layers import ENV_PREFIX
from sightline.contract import Evidence, Outcome
from sightline.status.service import StatusService
from sightline.tool import Call, Hints, LongToolInput, Tool, cut_list, output_field, param, record


@record
class ConfigInput(LongToolInput):
    section: Literal["server", "output", "code", "docs", "sync", "logging"] | None = param(
        "Only this section", default=None
    )
    include_env: bool = param("Also name the environment variables that are set", default=False)


@record
class ConfigOutput:
    read_only: bool
    allowed_roots: list[str] = output_field(brief=True)
    tools: list[str] = output_field(brief=True)
    settings: list[EffectiveSetting] = output_field(brief=True)
    ignored: list[str] = output_field(brief=True)
    environment: list[str] | None = output_field(default=None, brief=True)


async def run(service: StatusService, call: Call, args: ConfigInput) -> Outcome[ConfigOutput]:
    loaded = service.settings
    output = ConfigOutput(
        read_only=loaded.values.server.read_only,
        allowed_roots=[str(root) for root in call.paths.allowed_roots],
        tools=[tool.name for tool in service.selection.offered],
        settings=effective_settings(loaded, args.section),
        ignored=list(loaded.ignored),
        environment=_variables(service) if args.include_env else None,
    )
    return Outcome(output=output, evidence=Evidence(method="settings", scope=args.section or "all sections"))


def _variables(service: StatusService) -> list[str]:
    return sorted(name for name in service.environment if name.startswith(ENV_PREFIX))


def render(output: ConfigOutput) -> str:
    changed = sum(each.place is not None for each in output.settings)
    access = "read-only" if output.read_only else "writable"
    lines = [
        f"{access}; {changed} of {len(output.settings)} settings are not at their default",
        f"allowed roots: {', '.join(output.allowed_roots)}",
        f"tools: {', '.join(output.tools)}",
        *(f"ignored: {each}" for each in output.ignored),
        *(setting_line(each) for each in output.settings),
    ]
    if output.environment is not None:
        lines.append(f"environment: {', '.join(output.environment) or 'no variable of Sightline is set'}")
    return "\n".join(lines)


GET_CURRENT_CONFIG = Tool(
    name="get_current_config",
    title="Current configuration",
    description="The settings in force and where each comes from. Secret values are never shown.",
    toolset="always",
    input=ConfigInput,
    output=ConfigOutput,
    run=run,
    render=render,
    hints=Hints(read_only=True),
    cut=cut_list("settings", narrower="ask for one `section`, or with a larger `max_total_chars`"),
    example={"section": "server"},
)
