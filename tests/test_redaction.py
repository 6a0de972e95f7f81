"""No private path and no secret survives redaction."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.redaction import HIDDEN, redacted, without_secrets

UNTIMED = settings(deadline=None)
ROOT = Path("/srv/project")
READABLE = Path("/usr/lib/python3")

NAMES = st.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.éß", min_size=1, max_size=8).filter(
    lambda name: name.strip(".") != ""
)
PRIVATE = st.lists(NAMES, min_size=3, max_size=6).map(lambda parts: "/private-" + "/".join(parts))
BEFORE = st.sampled_from(
    ["", " ", "\n", "\t", '"', "'", "`", "(", "[", "{", "<", "=", ":", ",", ";", "|", "file://", "@", "*"]
)
AFTER = st.sampled_from(["", " ", "\n", '"', "'", "`", ")", "]", ">", ":3:1", ",", ";", "|", ": error", "."])


@UNTIMED
@given(st.lists(st.tuples(BEFORE, PRIVATE, AFTER), min_size=1, max_size=5))
def test_no_path_outside_survives(pieces: list[tuple[str, str, str]]) -> None:
    text = " ".join(f"word{before}{path}{after}" if before else f"{path}{after}" for before, path, after in pieces)
    result = redacted(text, ROOT, [READABLE])
    for _, path, _ in pieces:
        assert path not in result
        assert str(Path(path).parent) not in result


@UNTIMED
@given(st.lists(NAMES, min_size=1, max_size=4), BEFORE.filter(lambda before: before != "file://"), AFTER)
def test_a_path_of_the_project_becomes_relative(parts: list[str], before: str, after: str) -> None:
    relative = "/".join(parts)
    after = "" if after == "." else after
    assert redacted(f"{before}{ROOT}/{relative}{after}", ROOT) == f"{before}{relative}{after}"


@UNTIMED
@given(st.lists(NAMES, min_size=1, max_size=4))
def test_a_readable_path_stays_as_it_is(parts: list[str]) -> None:
    text = f"see {READABLE}/{'/'.join(parts)} there"
    assert redacted(text, ROOT, [READABLE]) == text


@UNTIMED
@given(st.text(st.characters(exclude_characters="/\\", codec="utf-8")))
def test_text_without_paths_stays_as_it_is(text: str) -> None:
    assert redacted(text, ROOT) == text


@pytest.mark.parametrize(
    "text",
    [
        "-I/home/user/include",
        "\x1b[31m/home/user/file.py\x1b[0m",
        f"{READABLE}/../../../home/user/file.py",
        f"{ROOT}/../../home/user/file.py",
        "//home/user/file.py",
        "file:///home/user/file.py",
        "'/home/user/my file.py'",
        f"{ROOT}-twin/home/user/file.py",
    ],
)
def test_a_private_path_in_disguise_does_not_survive(text: str) -> None:
    assert "home/user" not in redacted(text, ROOT, [READABLE])


def test_the_last_name_of_a_private_path_is_kept_because_it_helps() -> None:
    assert redacted("cannot read '/home/user/.npmrc'", ROOT) == "cannot read '<…>/.npmrc'"


def test_relative_paths_and_divisions_stay_as_they_are() -> None:
    text = "src/shop/basket.py ./x ../y 1/2 and/or 3 / 4"
    assert redacted(text, ROOT) == text


def test_an_address_of_the_web_stays_readable() -> None:
    text = "see https://microsoft.github.io/pyright/#/configuration for help"
    assert redacted(text, ROOT) == text


@pytest.mark.parametrize(
    "name",
    [
        "password",
        "PASSWORD",
        "db_passwd",
        "passphrase",
        "api_key",
        "apiKey",
        "API_KEY",
        "auth_key",
        "access_token",
        "GITHUB_TOKEN",
        "client_secret",
        "credentials",
        "Authorization",
        "private_key",
        "AWS_SECRET_ACCESS_KEY",
        "access_key",
    ],
)
def test_what_its_name_calls_a_secret_is_hidden(name: str) -> None:
    assert without_secrets({"outer": [{name: "hunter2"}]}) == {"outer": [{name: HIDDEN}]}


@pytest.mark.parametrize("value", [["hunter2"], {"value": "hunter2"}, [{"x": ["hunter2"]}], 1234, 12.34])
def test_a_secret_is_hidden_whatever_its_form(value: Any) -> None:
    shown = str(without_secrets({"password": value}))
    assert "hunter2" not in shown
    assert "34" not in shown


def test_what_is_no_secret_stays_as_it_is() -> None:
    value = {"path": "src", "max_results": 5, "flags": [True, None, 1.5], "auth_key_file": "/run/key", "token": ""}
    assert without_secrets(value) == value


SAFE = st.text("abcdefghijklmnopqrstuvwxyz0123456789!$%&*+=~._-", min_size=1, max_size=12)


@UNTIMED
@given(
    user=st.one_of(st.just(""), SAFE), password=SAFE.map("§".__add__), host=st.from_regex(r"[a-z]{3,9}", fullmatch=True)
)
def test_a_password_in_an_address_is_hidden_and_the_rest_is_not(user: str, password: str, host: str) -> None:
    result = without_secrets(f"from https://{user}:{password}@{host}.example:80/x to y")
    assert result == f"from https://{user}:{HIDDEN}@{host}.example:80/x to y"


@UNTIMED
@given(SAFE, SAFE)
def test_an_at_sign_in_a_password_does_not_betray_its_end(first: str, second: str) -> None:
    result = without_secrets(f"pg://me:§{first}@§{second}@h/db")
    assert "§" not in result


def test_every_address_of_a_text_is_treated() -> None:
    assert "hunter2" not in without_secrets("a://u:hunter2@h b://u:hunter2@h, c://:hunter2@h")


def test_an_address_with_a_port_and_no_password_stays_as_it_is() -> None:
    for text in ("http://localhost:8765/a@b", "ssh://me@host:22/x", "mailto:me@example.org", "a: b@c"):
        assert without_secrets(text) == text
