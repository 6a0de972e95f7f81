"""`docs.store_url`: set by the person, never by a repository, and never shown with its password."""

from __future__ import annotations

import pytest

from sightline.config.display import effective_settings
from sightline.config.keys import value_of
from sightline.config.layers import read_project_file
from sightline.config.loading import keys_that_need_trust
from sightline.errors import SettingsError
from tests.config.sandbox import Sandbox

PLAIN = "postgresql://team@db.example.org/docs"
SECRET = "-".join(["not", "a", "real", "one"])
NAMES = ("docs.store_url", "docs.store_max_mb")


@pytest.mark.parametrize("is_trusted", [True, False])
def test_a_project_file_cannot_set_the_shared_store_trusted_or_not(sandbox: Sandbox, is_trusted: bool) -> None:
    sandbox.write_project_file(f"[docs]\nstore_url = '{PLAIN}'\nstore_max_mb = 1\n")
    if is_trusted:
        sandbox.trust_project_file()
    loaded = sandbox.load()
    assert [value_of(loaded.values, name) for name in NAMES] == [None, 2000]
    assert sum("cannot be set in a project file" in message for message in loaded.ignored) == 2
    project = read_project_file(sandbox.root)
    assert project
    assert keys_that_need_trust(sandbox.root, project, sandbox.places) == []


def test_the_user_file_the_environment_and_the_command_line_can(sandbox: Sandbox) -> None:
    sandbox.write_user_file(f"[docs]\nstore_url = '{PLAIN}/user'\n")
    assert sandbox.value("docs.store_url") == f"{PLAIN}/user"
    variable = {"SIGHTLINE_DOCS__STORE_URL": f"{PLAIN}/env"}
    assert sandbox.value("docs.store_url", environment=variable) == f"{PLAIN}/env"
    assert sandbox.value("docs.store_url", environment=variable, command_line={"docs.store_url": PLAIN}) == PLAIN


@pytest.mark.parametrize(
    ("key", "address"),
    [
        ("store_url", f"postgresql://me:{SECRET}@h/db"),
        ("store_url", f"postgresql://me@h/db?password={SECRET}"),
        ("registry_url", f"https://me:{SECRET}@h/registry.json"),
    ],
)
def test_a_password_in_a_project_file_is_refused_and_not_repeated(sandbox: Sandbox, key: str, address: str) -> None:
    sandbox.write_project_file(f"[docs]\n{key} = '{address}'\n")
    with pytest.raises(SettingsError) as refused:
        sandbox.load()
    assert f"`docs.{key}`" in refused.value.message
    assert SECRET not in f"{refused.value.message} {refused.value.hint}"


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://me:{SECRET}@h/db",
        f"postgresql://me:a/{SECRET}@h/db",
        f"postgresql://me:{SECRET}@{SECRET}@h/db",
        f"postgresql://h/db?user=me&password={SECRET}",
        f"postgresql://h/db?sslpassword={SECRET}&sslmode=verify-full",
    ],
)
def test_a_password_is_never_shown(sandbox: Sandbox, address: str) -> None:
    sandbox.write_user_file(f"[docs]\nstore_url = '{address}'\n")
    shown = next(each for each in effective_settings(sandbox.load()) if each.key == "docs.store_url")
    assert SECRET not in str(shown)
    assert str(shown.value).startswith("postgresql://")
