"""A whole session of each agent CLI with a scripted model: its settings, its command line, and what the model saw."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sightline.answers import compact_json
from tests.clients.conversation import Said
from tests.clients.dialects import (
    AnthropicMessages,
    ChatCompletions,
    CodeModeResponses,
    GenerateContent,
    OpenAiResponses,
)
from tests.clients.programs import SIGHTLINE, Ended, Program
from tests.clients.scripted_model import SERVER_NAME, Dialect, ScriptedModel, ToolCall, scripted_model

_PROMPT = "Follow the script."


@dataclass(frozen=True, slots=True)
class Session:
    """What the model was shown: each tool's result as text, in order, and everything else."""

    results: list[str]
    surroundings: str
    ended: Ended


@dataclass(frozen=True, slots=True)
class Agent:
    """How an agent CLI is set up with Sightline and a model, and started."""

    program: str
    context: str
    dialect: Callable[[], Dialect]
    shown: Callable[[Said], str]
    start: Callable[[Program, Path, ScriptedModel, Sequence[str]], Ended]

    def session(self, program: Program, project: Path, script: Sequence[ToolCall]) -> Session:
        with scripted_model(self.dialect(), script) as model:
            ended = self.start(replace(program, starts_sightline=True), project, model, self.command(project))
            last = model.last
        return Session(model.dialect.results(last), model.dialect.surroundings(last), ended)

    def command(self, project: Path) -> list[str]:
        """The server that the client starts; writing is on, which the preset of Codex turns off."""
        return [str(SIGHTLINE), "serve", "--project", str(project), *self.flags]

    @property
    def flags(self) -> list[str]:
        return ["--context", self.context, "--read-write"]


def _claude(program: Program, project: Path, model: ScriptedModel, command: Sequence[str]) -> Ended:
    servers = {"mcpServers": {SERVER_NAME: {"command": command[0], "args": command[1:]}}}
    file = program.home / "servers.json"
    file.write_text(json.dumps(servers), encoding="utf-8")
    return program.run(
        *("-p", _PROMPT, "--mcp-config", file, "--strict-mcp-config", "--allowedTools", f"mcp__{SERVER_NAME}"),
        *("--output-format", "stream-json", "--verbose"),
        folder=project,
        ANTHROPIC_BASE_URL=model.base,
        ANTHROPIC_API_KEY="none",
    )


def _codex(program: Program, project: Path, model: ScriptedModel, command: Sequence[str]) -> Ended:
    """A model that Codex does not know gets functions."""
    return _codex_with('model = "scripted"', program, project, model, command)


def _codex_in_code_mode(program: Program, project: Path, model: ScriptedModel, command: Sequence[str]) -> Ended:
    """Codex' own model gets scripts."""
    return _codex_with("", program, project, model, command)


def _codex_with(
    model_line: str, program: Program, project: Path, model: ScriptedModel, command: Sequence[str]
) -> Ended:
    settings = f"""{model_line}
model_provider = "scripted"
approval_policy = "never"
[model_providers.scripted]
name = "scripted"
base_url = "{model.base}/v1"
wire_api = "responses"
[mcp_servers.{SERVER_NAME}]
command = {json.dumps(command[0])}
args = {json.dumps(command[1:])}
default_tools_approval_mode = "approve"
required = true  # otherwise the first turn does not wait for the server
startup_timeout_sec = 60
"""
    file = program.home / ".codex" / "config.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(settings, encoding="utf-8")
    return program.run("exec", "--skip-git-repo-check", _PROMPT, folder=project)


def _gemini(program: Program, project: Path, model: ScriptedModel, command: Sequence[str]) -> Ended:
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "mcpServers": {SERVER_NAME: {"command": command[0], "args": command[1:]}},
    }
    file = program.home / ".gemini" / "settings.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(settings), encoding="utf-8")
    return program.run(
        *("-p", _PROMPT, "--yolo", "-m", "gemini-2.5-pro"),
        folder=project,
        GEMINI_API_KEY="none",
        GOOGLE_GEMINI_BASE_URL=model.base,
    )


def _opencode(program: Program, project: Path, model: ScriptedModel, command: Sequence[str]) -> Ended:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "scripted",
        "options": {"baseURL": f"{model.base}/v1", "apiKey": "none"},
        "models": {"scripted": {"name": "scripted"}},
    }
    settings = {
        "provider": {"scripted": provider},
        "mcp": {SERVER_NAME: {"type": "local", "command": command, "enabled": True, "timeout": 60_000}},
    }
    file = program.home / ".config" / "opencode" / "opencode.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(settings), encoding="utf-8")
    return program.run("run", "-m", "scripted/scripted", _PROMPT, folder=project)


def _claude_shows(said: Said) -> str:
    """The JSON form; of an error the text form."""
    return said.text if said.is_error else compact_json(said.data)


def _codex_shows(said: Said) -> str:
    """The JSON form."""
    return f"Wall time: 0 seconds\nOutput:\n{compact_json(said.data)}"


def _code_mode_shows(said: Said) -> str:
    """Both forms, as the object that a script gets: here the script prints all of it."""
    result = {
        "content": [{"type": "text", "text": said.text}],
        "structuredContent": said.data,
        "isError": said.is_error,
    }
    return f"Script completed\nWall time 0 seconds\nOutput:\n\n{compact_json(result)}"


def _gemini_shows(said: Said) -> str:
    """The text form; of an error the whole result within a sentence."""
    if not said.is_error:
        return f"<untrusted_context>\n{said.text}\n</untrusted_context>"
    tool, arguments = said.data["tool"], said.data["input"]
    result = {"content": [{"type": "text", "text": said.text}], "structuredContent": said.data, "isError": True}
    response = [{"functionResponse": {"name": tool, "response": result}}]
    call = compact_json({"name": tool, "args": arguments})
    return f"MCP tool '{tool}' reported tool error for function call: {call} with response: {compact_json(response)}"


def _opencode_shows(said: Said) -> str:
    """The text form."""
    return said.text


CLAUDE = Agent("claude", "claude", AnthropicMessages, _claude_shows, _claude)
CODEX = Agent("codex", "codex", OpenAiResponses, _codex_shows, _codex)
CODEX_IN_CODE_MODE = Agent("codex", "codex", CodeModeResponses, _code_mode_shows, _codex_in_code_mode)
GEMINI = Agent("gemini", "gemini", GenerateContent, _gemini_shows, _gemini)
OPENCODE = Agent("opencode", "opencode", ChatCompletions, _opencode_shows, _opencode)
