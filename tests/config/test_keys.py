"""The settings that exist: the table of the design, literally."""

from __future__ import annotations

from typing import Any

import pytest

from sightline.config import Settings
from sightline.config.keys import all_keys, value_of, with_values

DESIGN: dict[str, Any] = {
    "server.transport": "stdio",
    "server.host": "127.0.0.1",
    "server.port": 8765,
    "server.auth_key_file": None,
    "server.allowed_roots": (),
    "server.read_only": False,
    "server.context": None,
    "server.toolsets": ("code", "docs", "sync"),
    "server.tools": (),
    "server.exclude_tools": (),
    "server.allowed_hosts": (),
    "server.allowed_origins": (),
    "server.max_body_mb": 4,
    "server.receive_timeout_s": 15,
    "server.requests_per_second": 500,
    "server.max_connections": 800,
    "server.max_sessions": 1000,
    "server.session_idle_s": 1800,
    "server.shutdown_grace_s": 2,
    "output.format": "both",
    "output.max_total_chars": 10_000,
    "output.max_results": {},
    "code.command_timeout_s": 30,
    "code.request_timeout_s": 15,
    "code.request_timeouts": {},
    "code.start_timeout_s": 60,
    "code.idle_timeout_s": 300,
    "code.pool_size": 3,
    "code.memory_budget_mb": 4096,
    "code.max_message_mb": 64,
    "code.run_project_code": False,
    "code.linters": (),
    "code.only_server": None,
    "code.bridge_commands": (),
    "code.python.engine": "pyright",
    "code.servers": {},
    "docs.offline": False,
    "docs.ttl_hours": 24,
    "docs.cleanup_interval_hours": 6,
    "docs.cache_max_mb": 500,
    "docs.store_url": None,
    "docs.store_max_mb": 2000,
    "docs.registry_url": None,
    "docs.extra_registries": (),
    "docs.allowed_hosts": (),
    "docs.private_hosts": {},
    "docs.folders": {},
    "docs.max_page_mb": 5,
    "docs.timeout_s": 30,
    "docs.max_redirects": 3,
    "sync.targets": ("codex", "gemini", "opencode"),
    "sync.scope": "project",
    "sync.debounce_s": 3,
    "sync.backups_kept": 10,
    "sync.allow_secrets": False,
    "sync.verify": "auto",
    "logging.level": "INFO",
    "logging.mode": "stderr",
    "logging.format": "json",
    "logging.dir": None,
    "logging.metrics": True,
}

SERVER_KEYS = [
    *("command", "args", "extensions", "languages", "root_markers", "root_dir", "workspace_folders", "cwd", "env"),
    *("settings", "initialization_options", "request_timeouts", "idle_timeout_s"),
]


def test_the_keys_are_those_of_the_design_in_its_order() -> None:
    assert list(all_keys()) == list(DESIGN)


@pytest.mark.parametrize("name", DESIGN)
def test_a_default_is_that_of_the_design(name: str) -> None:
    assert value_of(Settings(), name) == DESIGN[name]
    assert all_keys()[name].default == DESIGN[name]


@pytest.mark.parametrize("name", DESIGN)
def test_every_key_says_what_it_means(name: str) -> None:
    assert len(all_keys()[name].rules["description"]) > 10


def test_a_language_server_has_the_keys_of_the_design() -> None:
    from dataclasses import fields

    from sightline.config.schema import LanguageServerSettings

    assert [each.name for each in fields(LanguageServerSettings)] == SERVER_KEYS


def test_two_settings_share_no_table() -> None:
    first = Settings()
    first.code.servers["x"] = object()  # pyright: ignore[reportArgumentType] - only whether it is shared matters
    assert Settings().code.servers == {}


def test_replacing_a_nested_key_leaves_all_others_and_the_original_alone() -> None:
    original = Settings()
    changed = with_values(original, {"code.python.engine": "ty", "server.port": 1})
    assert (changed.code.python.engine, changed.server.port) == ("ty", 1)
    others = set(DESIGN) - {"code.python.engine", "server.port"}
    assert all(value_of(changed, name) == DESIGN[name] for name in others)
    assert original == Settings()
