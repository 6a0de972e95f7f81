"""Settings as they are shown: all of them, with their origin, and no secret among them."""

from __future__ import annotations

import pytest

from sightline.config.display import EffectiveSetting, effective_settings, setting_line
from sightline.config.keys import all_keys
from sightline.contract import to_json
from tests.config.sandbox import Sandbox


def shown(sandbox: Sandbox, name: str) -> EffectiveSetting:
    return next(each for each in effective_settings(sandbox.load()) if each.key == name)


def test_every_setting_is_shown_once_in_its_order(sandbox: Sandbox) -> None:
    assert [each.key for each in effective_settings(sandbox.load())] == list(all_keys())


def test_a_section_is_shown_alone(sandbox: Sandbox) -> None:
    keys = [each.key for each in effective_settings(sandbox.load(), "code")]
    assert keys == [name for name in all_keys() if name.startswith("code.")]
    assert [each.key for each in effective_settings(sandbox.load(), "code.python")] == ["code.python.engine"]


def test_a_default_has_no_place_and_a_set_value_has_one(sandbox: Sandbox) -> None:
    sandbox.write_user_file("[server]\nport = 1\n")
    assert setting_line(shown(sandbox, "server.port")) == f"server.port = 1 (user file: {sandbox.user_file})"
    assert setting_line(shown(sandbox, "server.host")) == "server.host = 127.0.0.1 (default)"


def test_an_empty_value_is_shown_as_null_in_both_forms(sandbox: Sandbox) -> None:
    setting = shown(sandbox, "docs.store_url")
    assert setting_line(setting) == "docs.store_url = null (default)"
    assert to_json(setting) == {"key": "docs.store_url", "value": None, "origin": "default"}


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:hunter2@db.example/docs",
        "postgresql://me:hunter2@db.example:5432/docs?sslmode=require",
        "redis://:hunter2@db.example/0",
        "postgresql://me:p@hunter2@db.example/docs",
        "postgresql://me:p:hunter2@db.example/docs",
        "postgresql://db.example/docs?user=me&password=hunter2",
    ],
)
def test_the_password_of_the_store_is_hidden_and_its_host_is_not(sandbox: Sandbox, url: str) -> None:
    sandbox.write_user_file(f"[docs]\nstore_url = '{url}'\n")
    value = shown(sandbox, "docs.store_url").value
    assert "hunter2" not in value
    assert "db.example" in value


def test_a_store_without_a_password_is_shown_as_it_is(sandbox: Sandbox) -> None:
    sandbox.write_user_file("[docs]\nstore_url = 'postgresql://me@db.example:5432/docs'\n")
    assert shown(sandbox, "docs.store_url").value == "postgresql://me@db.example:5432/docs"


def test_the_environment_of_a_language_server_is_named_and_its_values_are_hidden(sandbox: Sandbox) -> None:
    sandbox.write_user_file(
        "[code.servers.x]\ncommand = 'x-ls'\nenv = { HARMLESS = 'hunter2', API_TOKEN = 'hunter2' }\n"
    )
    value = shown(sandbox, "code.servers").value
    assert value["x"]["command"] == "x-ls"
    assert set(value["x"]["env"]) == {"HARMLESS", "API_TOKEN"}
    assert "hunter2" not in str(value)


@pytest.mark.parametrize("place", ["settings", "initialization_options"])
def test_secrets_deep_in_a_language_servers_options_are_hidden(sandbox: Sandbox, place: str) -> None:
    sandbox.write_user_file(f"[code.servers.x.{place}.license]\napiKey = 'hunter2'\nurl = 'https://a:hunter2@h/'\n")
    value = shown(sandbox, "code.servers").value
    assert "apiKey" in value["x"][place]["license"]
    assert "hunter2" not in str(value)


def test_the_path_of_the_key_file_is_no_secret(sandbox: Sandbox) -> None:
    sandbox.write_user_file("[server]\nauth_key_file = '/run/key'\n")
    assert shown(sandbox, "server.auth_key_file").value == "/run/key"
