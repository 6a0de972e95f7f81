"""Language servers as a caller may see them: what serves which files, and how each one is doing."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from sightline.code.language_servers import LanguageServers
from sightline.code.server_probe import Installed, Probe, greet_all, look_for_all
from sightline.lsp.pool import WorkspaceKey, memory_mb
from sightline.lsp.server_spec import ServerSpec
from sightline.lsp.workspace import Workspace
from sightline.paths import PathPolicy
from sightline.redaction import redacted
from sightline.tool import output_field, record

_STDERR_SHOWN = 5


@record
class ServerEntry:
    """A language server that is set up."""

    id: str
    languages: list[str]
    extensions: list[str]
    root_markers: list[str]
    installed: Installed = output_field("`found`: on the PATH, not asked yet")
    version: str | None = None
    reason: str | None = None
    running: int
    install: str


@record
class ServerState:
    """A running session."""

    id: str
    root: str
    state: str
    version: str | None = None
    pid: int | None = None
    interpreter: str | None = None
    uptime_s: float
    memory_mb: float
    open_documents: int
    watched_files: int
    watched_by: str
    last_error: str | None = None
    stderr: list[str]


async def server_entries(servers: LanguageServers, specs: Sequence[ServerSpec], *, ask: bool) -> list[ServerEntry]:
    """All servers that are set up; `ask` starts those that are found, to see whether they answer."""
    probes = await greet_all(specs, servers) if ask else await look_for_all(specs, servers)
    return [_entry(spec, servers, probe) for spec, probe in zip(specs, probes, strict=True)]


def server_states(
    servers: LanguageServers, paths: PathPolicy, workspaces: Mapping[WorkspaceKey, Workspace] | None = None
) -> list[ServerState]:
    """All running sessions, or those of these workspaces: in another thread the pool itself may change meanwhile."""
    running = servers.pool.workspaces() if workspaces is None else workspaces
    return [_state(key, workspace, servers, paths) for key, workspace in running.items()]


def _entry(spec: ServerSpec, servers: LanguageServers, probe: Probe) -> ServerEntry:
    return ServerEntry(
        id=spec.id,
        languages=list(spec.languages),
        extensions=list(spec.extensions),
        root_markers=list(spec.root_markers),
        installed=probe.installed,
        version=probe.version,
        reason=probe.reason,
        running=sum(key.server_id == spec.id for key in servers.pool.workspaces()),
        install=spec.install,
    )


def _state(key: WorkspaceKey, workspace: Workspace, servers: LanguageServers, paths: PathPolicy) -> ServerState:
    session = workspace.session
    last_error = servers.pool.last_error(key)
    interpreter = session.launch.settings.get("python", {}).get("pythonPath")
    return ServerState(
        id=key.server_id,
        root=paths.display(key.root),
        state=session.state if workspace.is_ready else "starting",
        version=session.version,
        pid=session.pid,
        interpreter=interpreter,
        uptime_s=round(time.monotonic() - session.born, 1),
        memory_mb=memory_mb(session.pid),
        open_documents=workspace.documents.count,
        watched_files=len(workspace.files.files),
        watched_by="kernel" if workspace.files.is_watched_by_kernel else "looking",
        last_error=redacted(last_error, key.root) if last_error else None,
        stderr=[redacted(line, key.root) for line in list(session.stderr)[-_STDERR_SHOWN:]],
    )
