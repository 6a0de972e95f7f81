"""Every setting with its type, default, limits and meaning; the reference page is made from this file.

`project` says what a project file may do with a key while it is untrusted: `lower` a number, set it to `true`,
name a `subset` (or a `choice`, where empty means all), `extend` a list, stay `inside` the root, or set it at all
(`any`). Keys without it need trust; keys marked `user_only` can be set in the user file alone, and keys marked
`not_in_project` anywhere but in a project file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

from sightline.contract import MAX_TOTAL_CHARS, MIN_TOTAL_CHARS
from sightline.frozen import frozen_by_name

Toolset = Literal["code", "docs", "sync"]
Context = Literal["claude", "codex", "gemini", "opencode", "navigation", "full"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """Limits of a value inside a table. pydantic takes it for `annotated_types.Interval`, which is slow to import."""

    gt: float | None = None
    ge: float | None = None
    le: float | None = None

    @property
    def __is_annotated_types_grouped_metadata__(self) -> Literal[True]:
        return True

    def __iter__(self) -> Iterator[object]:
        import annotated_types

        yield from annotated_types.Interval(gt=self.gt, ge=self.ge, le=self.le)


Seconds = Annotated[float, Interval(gt=0, le=3600)]
ResultCount = Annotated[int, Interval(ge=1, le=100_000)]
Target = Literal["codex", "gemini", "opencode", "cursor"]


def setting(default: Any, meaning: str, **rules: Any) -> Any:
    """A setting: its default, what it means, its limits, and what a project file may do with it."""
    metadata = {"description": meaning, **rules}
    if isinstance(default, dict):
        return field(default_factory=dict[str, Any], metadata=metadata)
    return field(default=default, metadata=metadata)


@frozen_by_name
class ServerSettings:
    """`[server]`: how Sightline is served and what it offers."""

    transport: Literal["stdio", "http"] = setting("stdio", "How clients connect")
    host: str = setting("127.0.0.1", "Address to listen on; any but loopback needs a key")
    port: int = setting(8765, "Port to listen on; 0: any free one", ge=0, le=65535)
    auth_key_file: str | None = setting(None, "File that holds the bearer key for HTTP; readable by its owner alone")
    allowed_roots: tuple[str, ...] = setting(
        (), "Folders that calls may reach; empty: the project root", project="inside"
    )
    read_only: bool = setting(False, "Hide and refuse every write and every server control", project="true")
    context: Context | None = setting(None, "Preset for a client: fills what is left open")
    toolsets: tuple[Toolset, ...] = setting(("code", "docs", "sync"), "Groups of tools to offer", project="subset")
    tools: tuple[str, ...] = setting((), "Offer only these tools; empty: all of the toolsets", project="choice")
    exclude_tools: tuple[str, ...] = setting((), "Tools not to offer", project="extend")
    allowed_hosts: tuple[str, ...] = setting((), "Names in a `Host` header that are answered beside the address itself")
    allowed_origins: tuple[str, ...] = setting((), "Origins of web pages that may call, beside our own")
    max_body_mb: float = setting(4.0, "Largest body of an HTTP request", gt=0, le=64)
    receive_timeout_s: float = setting(
        15.0, "Head and body of an HTTP request must each arrive within this time", gt=0, le=600
    )
    requests_per_second: float = setting(500.0, "Most HTTP requests of one address, on average", gt=0)
    max_connections: int = setting(800, "Most HTTP connections at once", ge=1, le=100_000)
    max_sessions: int = setting(1000, "Most sessions of the protocol up to 2025-11-25", ge=1, le=100_000)
    session_idle_s: float = setting(1800.0, "A session unused for this long is ended", gt=0)
    shutdown_grace_s: float = setting(2.0, "Calls that run at the end of the service have this long", ge=0, le=600)


@frozen_by_name
class OutputSettings:
    """`[output]`: the form and size of answers."""

    format: Literal["both", "text"] = setting("both", "`text` leaves the JSON form out", project="any")
    max_total_chars: int = setting(
        10_000,
        "Most characters of an answer; one beyond ASCII counts as its bytes",
        ge=MIN_TOTAL_CHARS,
        le=MAX_TOTAL_CHARS,
        project="lower",
    )
    max_results: dict[str, ResultCount] = setting({}, "Most results per tool, by tool name")


@frozen_by_name
class PythonSettings:
    """`[code.python]`: how Python is checked."""

    engine: Literal["pyright", "basedpyright", "ty", "pyrefly"] = setting("pyright", "Type checker for Python")


@frozen_by_name
class LanguageServerSettings:
    """`[code.servers.<id>]`: a language server, added or changed."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    command: str | None = None
    args: tuple[str, ...] | None = None
    extensions: tuple[str, ...] | None = None
    languages: tuple[str, ...] | None = None
    root_markers: tuple[str, ...] | None = None
    root_dir: str | None = None
    workspace_folders: tuple[str, ...] | None = None
    cwd: str | None = None
    env: dict[str, str] | None = None
    settings: dict[str, Any] | None = None
    initialization_options: dict[str, Any] | None = None
    request_timeouts: dict[str, Seconds] | None = None
    idle_timeout_s: Seconds | None = None


@frozen_by_name
class CodeSettings:
    """`[code]`: language servers and type checks."""

    command_timeout_s: float = setting(30.0, "Deadline of a type check by command", gt=0, le=3600, project="lower")
    request_timeout_s: float = setting(
        15.0, "Deadline of a request to a language server", gt=0, le=3600, project="lower"
    )
    request_timeouts: dict[str, Seconds] = setting({}, "Deadlines per LSP method, in seconds")
    start_timeout_s: float = setting(60.0, "Deadline of a language server's start", gt=0, le=3600, project="lower")
    idle_timeout_s: float = setting(300.0, "A language server unused for this long is stopped", gt=0, project="lower")
    pool_size: int = setting(3, "Most language servers at once", ge=1, le=64, project="lower")
    memory_budget_mb: int = setting(4096, "Most memory of all language servers together", ge=256, project="lower")
    max_message_mb: int = setting(64, "Largest message or output of an engine", ge=1, le=1024, project="lower")
    run_project_code: bool = setting(
        False, "Let servers that run a project's own code, such as build scripts, do so", user_only=True
    )
    linters: tuple[str, ...] = setting((), "Servers that add their findings to `check_types`, such as `ruff`")
    only_server: str | None = setting(None, "Serve the files of this language server alone, and start it at once")
    bridge_commands: tuple[str, ...] = setting(
        (), "Programs that `serve --server` may start beside those of the known servers", user_only=True
    )
    python: PythonSettings = field(default_factory=PythonSettings)
    servers: dict[str, LanguageServerSettings] = setting({}, "Language servers, added or changed, by id")


@frozen_by_name
class DocsSettings:
    """`[docs]`: library documentation."""

    offline: bool = setting(False, "Never use the network", project="true")
    ttl_hours: float = setting(24.0, "A cached page is fresh for this long", ge=0)
    cleanup_interval_hours: float = setting(6.0, "How often the cache is tidied", gt=0)
    cache_max_mb: int = setting(500, "Largest size of the cache", ge=1, project="lower")
    store_url: str | None = setting(
        None,
        "PostgreSQL in which machines share pages of public sites; empty: SQLite in the data folder",
        not_in_project=True,
    )
    store_max_mb: int = setting(2000, "Largest size of the shared pages in `store_url`", ge=1, not_in_project=True)
    registry_url: str | None = setting(None, "Where to ask for a newer registry; empty: never ask")
    extra_registries: tuple[str, ...] = setting((), "Registry files merged with the bundled one")
    allowed_hosts: tuple[str, ...] = setting((), "Hosts that may be read beside the registered ones")
    private_hosts: dict[str, tuple[str, ...]] = setting({}, "Private hosts and their addresses", user_only=True)
    folders: dict[str, str] = setting(
        {}, "Folders with documentation that is published nowhere, by library id", user_only=True
    )
    max_page_mb: float = setting(5.0, "Largest page", gt=0, le=100, project="lower")
    timeout_s: float = setting(30.0, "Deadline of a fetch", gt=0, le=600, project="lower")
    max_redirects: int = setting(3, "Most redirects of a fetch", ge=0, le=20, project="lower")


@frozen_by_name
class SyncSettings:
    """`[sync]`: configuration of other agent CLIs."""

    targets: tuple[Target, ...] = setting(("codex", "gemini", "opencode"), "CLIs to sync to", project="subset")
    scope: Literal["project", "user", "all"] = setting("project", "Which configuration is synced")
    debounce_s: float = setting(3.0, "Triggers closer together than this count once", ge=0)
    backups_kept: int = setting(10, "Backups to keep", ge=1)
    allow_secrets: bool = setting(False, "Let literal secrets through", user_only=True)
    verify: Literal["auto", "always", "never"] = setting("auto", "Ask the target CLI whether it understood")


@frozen_by_name
class LoggingSettings:
    """`[logging]`: logs and metrics."""

    level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = setting("INFO", "Least level that is logged")
    mode: Literal["stderr", "file", "both"] = setting("stderr", "Where logs go")
    format: Literal["json", "text"] = setting("json", "Form of a log line")
    dir: str | None = setting(None, "Folder of log files; empty: the platform's log folder")
    metrics: bool = setting(True, "Measure calls")


@frozen_by_name
class Settings:
    """All settings, by section."""

    server: ServerSettings = field(default_factory=ServerSettings)
    output: OutputSettings = field(default_factory=OutputSettings)
    code: CodeSettings = field(default_factory=CodeSettings)
    docs: DocsSettings = field(default_factory=DocsSettings)
    sync: SyncSettings = field(default_factory=SyncSettings)
    logging: LoggingSettings = field(default_factory=LoggingSettings)
