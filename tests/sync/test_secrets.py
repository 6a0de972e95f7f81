"""Literal secrets are found by place, their values are never shown, and honest text is left alone."""

from __future__ import annotations

import copy
import json
import pickle
import random
import string
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.sync.model import (
    Instructions,
    McpServer,
    McpState,
    Provenance,
    Scope,
    Setting,
    SourceTree,
    Template,
    TextPart,
    Transport,
)
from sightline.sync.secret_places import line_in_file
from sightline.sync.secret_shapes import is_placeholder, is_secret_name, known_shape, looks_random, reads_like_words
from sightline.sync.secrets import SecretValues, find_secrets, leaks, referenced_values, shown
from sightline.sync.source import read_source_tree
from tests.sync.hard_project import fake_secret, make_hard_project
from tests.sync.source.trees import SmallSource

HERE = Provenance(Path("/p/.mcp.json"), 3, Scope.PROJECT)
# Put together at run time: no scanner shall find a token in this file.
MIXED = "a8Fq2Lw9" + "Zx7Tc4Vn1" + "Bm6Kd3Hs5"
UPPER = "Q7ZK2PW9LX4VB1NT"


def _server(**fields: Any) -> McpServer:
    return McpServer("mcp:s@project", HERE, "s", Transport.STDIO, McpState.ENABLED, **fields)


def _places(server: McpServer) -> list[str]:
    return [found.place for found in find_secrets(SourceTree(mcp_servers=(server,))).found]


def _env(**values: str) -> McpServer:
    return _server(env={name: Template.parse(text) for name, text in values.items()})


def _in_text(text: str) -> bool:
    part = TextPart(text, HERE, is_private=False)
    instructions = Instructions("instructions:CLAUDE.md@project", HERE, Path("/p"), (part,))
    return bool(find_secrets(SourceTree(instructions=(instructions,))).found)


_TOKENS = {
    "Anthropic": "sk-" + "ant-api03-" + MIXED,
    "OpenAI": "sk-" + "proj-" + MIXED,
    "GitHub": "gh" + "p_" + MIXED + MIXED[:10],
    "GitHub fine": "github_" + "pat_" + MIXED,
    "GitLab": "gl" + "pat-" + MIXED,
    "AWS": "AK" + "IA" + UPPER,
    "Google": "AI" + "za" + (MIXED + MIXED)[:35],
    "Slack": "xo" + "xb-123456789012-" + MIXED,
    "publishing": "np" + "m_" + (MIXED + MIXED)[:36],
    "Hugging": "h" + "f_" + (MIXED + MIXED)[:34],
    "Stripe": "sk_" + "live_" + MIXED,
    "SendGrid": "S" + "G." + MIXED[:22] + "." + MIXED,
    "Figma": "fi" + "gd_" + MIXED,
    "web token": "ey" + "J" + MIXED + ".ey" + "J" + MIXED + "." + MIXED,
    "private key": "-----BEGIN " + "RSA PRIVATE KEY-----\n" + MIXED,
    "webhook": "https://hooks.slack.com/services/" + "T1A2B3C4D/B5E6F7G8H/" + MIXED,
}


@pytest.mark.parametrize("token", _TOKENS.values(), ids=_TOKENS)
def test_known_formats_are_found_everywhere(token: str) -> None:
    assert known_shape(f"before {token} after")
    assert _in_text(f"The value is `{token}`, do not tell.\n")
    assert _places(_env(HARMLESS=token)) == ["env.HARMLESS"]
    assert any(place.startswith("args[0]") for place in _places(_server(args=(Template.parse(token),))))


@pytest.mark.parametrize(
    "server",
    [
        _env(API_KEY=MIXED),
        _env(DB_PASSWORD="hunter" + "2!"),
        _env(PLAIN=MIXED),
        _env(TOKEN="${TOKEN:-" + MIXED + "}"),
        _env(OTHER="${MY_SECRET:-" + MIXED + "}"),
        _env(DATABASE_URL=f"postgres://app:{MIXED}@db/x"),
        _server(headers={"Authorization": Template.parse(f"Bearer {MIXED}")}),
        _server(headers={"X-Api-Key": Template.parse("short" + "1key")}),
        _server(headers={"Authorization": Template.parse("Basic ${USER}" + MIXED)}),
        _server(url=Template.parse(f"https://u:{MIXED}@h/x")),
        _server(url=Template.parse(f"https://h/x?api_key={MIXED}")),
        _server(url=Template.parse(f"https://h/mcp/{MIXED}/sse")),
        _server(args=(Template.parse("--token"), Template.parse(MIXED))),
        _server(args=(Template.parse(f"--token={MIXED}"),)),
        _server(args=(Template.parse("-e"), Template.parse(f"API_KEY={MIXED}"))),
        _server(args=(Template.parse("-H"), Template.parse(f"Authorization: Bearer {MIXED}"))),
        _server(args=(Template.parse(f"https://u:{MIXED}@h/x"),)),
        _server(oauth={"clientSecret": MIXED}),
        _server(extra={"deep": [{"password": MIXED}]}),
        _server(command=Template.parse(f"env TOKEN={MIXED} server")),
        _server(headers_helper=Template.parse(f"echo 'Authorization: Bearer {MIXED}'")),
    ],
)
def test_literal_values_at_known_places_are_found_and_never_shown(server: McpServer) -> None:
    scan = find_secrets(SourceTree(mcp_servers=(server,)))
    assert scan.found
    assert len(scan.values) >= 1
    for text in (repr(scan), "\n".join(shown(scan.found)), str(scan.found)):
        assert MIXED not in text
        assert "hunter" not in text


@pytest.mark.parametrize(
    "server",
    [
        _env(API_KEY="${API_KEY}", TOKEN="${OTHER_TOKEN}", SECRET="${SECRET:-}"),
        _env(API_KEY="YOUR_API_KEY", TOKEN="xxx", SECRET="changeme", PASSWORD="<password>", AUTH_TOKEN="..."),
        _env(OPENAI_API_KEY="sk-" + "x" * 40, GITHUB_TOKEN="ghp_" + "EXAMPLE" * 6, PASSWORD="your-password-here"),
        _env(MAX_TOKENS="4096", TOKEN_LIMIT="20000", TOKENIZER="cl100k_base", MAX_THINKING_TOKENS="31999"),
        _env(TOKEN_FILE="/run/secrets/token", SSH_KEY_PATH="~/.ssh/id_ed25519", SECRET_NAME="prod/db"),
        _env(AUTH_MODE="oauth", TOKEN_URL="https://login.example.com/oauth/token", PRIVATE_KEY_FILE="./key.pem"),
        _env(NODE_ENV="production", LOG_LEVEL="debug", REGION="eu-central-1", PATH="/usr/local/bin:/usr/bin:/bin"),
        _env(COMMIT="9fceb02d0ae598e95dc970b74767f19372d61af8", ID="123e4567-e89b-12d3-a456-426614174000"),
        _env(MODEL="claude-sonnet-4-5-20250929", IMAGE="ghcr.io/acme/server-with-long-name:v1.2.3-alpine3.19"),
        _server(headers={"Authorization": Template.parse("Bearer ${TOKEN}"), "X-Team": Template.parse("core")}),
        _server(headers={"Authorization": Template.parse("Token ${A}:${B}"), "Cookie": Template.parse("${COOKIE}")}),
        _server(headers={"X-Api-Version": Template.parse("2024-11-05"), "Accept": Template.parse("application/json")}),
        _server(url=Template.parse("https://${USER}:${PASS}@h.example.com/mcp?api_key=${KEY}&v=2")),
        _server(url=Template.parse("https://mcp.example.com/v1/projects/my-project-name/locations/europe-west1/sse")),
        _server(args=(Template.parse("-y"), Template.parse("@modelcontextprotocol/server-filesystem@2025.8.21"))),
        _server(args=(Template.parse("--token"), Template.parse("${TOKEN}"), Template.parse("--token=${TOKEN}"))),
        _server(
            args=(
                Template.parse("--key-file"),
                Template.parse("/etc/keys/server.key"),
                Template.parse("--token-env=GH"),
            )
        ),
        _server(
            args=(Template.parse("run"), Template.parse("-e"), Template.parse("GITHUB_TOKEN"), Template.parse("x/y"))
        ),
        _server(args=(Template.parse("server@sha256:" + "0123456789abcdef" * 4),)),
        _server(oauth={"clientId": "shop-client-id-12345", "callbackPort": 8080, "scopes": "read:user write:repo"}),
    ],
)
def test_references_placeholders_and_ordinary_values_are_no_secrets(server: McpServer) -> None:
    assert _places(server) == []


@pytest.mark.parametrize(
    "text",
    [
        "Set `API_KEY` in your shell: `export API_KEY=your-key-here`.",
        "export GITHUB_TOKEN=${GITHUB_TOKEN}\nexport TOKEN=$(gh auth token)\n",
        "Authorization: Bearer <token>\nAuthorization: Bearer $TOKEN\nAuthorization: Bearer YOUR_TOKEN_HERE",
        "token = request.headers.get('Authorization')\npassword = get_password(user_id)\n",
        "const apiKey = process.env.API_KEY;\nself.token = self.config.token_v2\n",
        "The secret is to write tests first. A password must have 12 characters, a token expires after 3600 seconds.",
        "secret_key_base: see config/credentials.yml.enc",
        "password: hunter",
        "tokens: 128000, max_tokens=4096, token_count: 12345678",
        "postgres://postgres:postgres@localhost:5432/dev",
        "postgres://user:password@localhost:5432/db and https://user:pass@example.com",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 by ada\nsha256:" + "0123456789abcdef" * 4,
        "curl -H 'Authorization: Bearer ${TOKEN}' https://api.example.com/v1/items?page=2",
        "AKIA" + "IOSFODNN7EXAMPLE is the key of the documentation.",
        "sk-" + "ant-" + "x" * 30 + " and ghp_" + "x" * 36,
        "import { tokenizeExpression } from './tokenizer-utils-v2'",
        "PASSWORD_RESET_TOKEN_EXPIRY_HOURS=24\nSECRET_SCANNING_ENABLED=true-by-default-2024",
        "api-key: see-the-wiki-page-for-2024",
        "private_key: Ed25519PrivateKey\nauth_token = SOCKS5_NO_ACCEPTABLE_AUTH",
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n"Sec-WebSocket-Key": "SGVsbG8sIHdvcmxkIQ==",',
        'password_last_set="2022-06-15T10:00:00"\ntoken_issued: 2024-02-29 08:00:00+02:00',
        "postgresql://{{{{username}}}}:{{{{password}}}}@db.internal/app",
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4ifQ.SflKxwRJSMeKKF2QT4fw",
    ],
)
def test_prose_and_code_about_secrets_are_no_secrets(text: str) -> None:
    assert not _in_text(text)


@pytest.mark.parametrize(
    "text",
    [
        f"export API_KEY={MIXED}\n",
        f'"password": "{MIXED}"',
        f"curl -H 'Authorization: Bearer {MIXED}' https://api.example.com",
        f'"Authorization": "Bearer {MIXED}"',
        f'Authorization = "Bearer {MIXED}"',
        f"mysql --password={MIXED}",
        "postgres://shopkeeper:shopkeeper@db.example.com/shop",
        f"git clone https://oauth2:{MIXED}@git.example.com/x.git",
        f"socket-key: {MIXED}\npassword: 2022-06-15{MIXED}",
    ],
)
def test_literal_secrets_in_prose_and_scripts_are_found(text: str) -> None:
    assert _in_text(text)


@pytest.mark.parametrize(
    "text", ["YOUR_API_KEY", "xxx", "xxxxxxxx", "changeme", "change-me", "example", "<token>", "****"]
)
def test_placeholders(text: str) -> None:
    assert is_placeholder(text)


@pytest.mark.parametrize("text", [MIXED, "correct-horse-battery", "p@ss" + "w0rd!1"])
def test_values_that_are_no_placeholders(text: str) -> None:
    assert not is_placeholder(text)


def test_names() -> None:
    secret = [
        "API_KEY",
        "apiKey",
        "GITHUB_TOKEN",
        "Authorization",
        "--password",
        "client_secret",
        "X-Api-Key",
        "DB_DSN",
    ]
    other = ["MAX_TOKENS", "TOKEN_FILE", "tokenUrl", "KEYBOARD", "PATH", "AUTHOR", "secretName", "PATTERN", "MONKEY"]
    assert [name for name in secret if not is_secret_name(name)] == []
    assert [name for name in other if is_secret_name(name)] == []


def test_random_text() -> None:
    assert looks_random(MIXED)
    assert not any(
        looks_random(text) for text in ("a" * 40, "/usr/local/lib/python3.11/site-packages/Xy", "server-filesystem-v2")
    )


def _drawn(draw: random.Random, *runs: tuple[str, int]) -> str:
    return "".join(draw.choice(alphabet) for alphabet, count in runs for _ in range(count))


@pytest.mark.parametrize(
    "runs",
    [
        ((string.ascii_letters, 9), (string.digits, 3), (string.ascii_letters, 8)),
        ((string.ascii_lowercase, 10), (string.digits, 4), (string.ascii_lowercase, 10)),
        ((string.ascii_letters, 22), (string.digits, 2)),
        ((string.ascii_letters + string.digits, 20),),
        ((string.ascii_letters, 32),),
    ],
)
@pytest.mark.parametrize("text", ["API_KEY={}", 'token: "{}"', "run --secret {} now", "Authorization: Bearer {}"])
def test_drawn_keys_are_found_in_free_text_whatever_the_order_of_letters_and_digits(
    runs: tuple[tuple[str, int], ...], text: str
) -> None:
    draw = random.Random(14)
    found = [_in_text(text.format(_drawn(draw, *runs))) for _ in range(100)]
    assert sum(found) >= 85


def test_a_drawn_key_in_a_sentence_is_found_and_a_digest_is_not() -> None:
    assert _in_text(f"For now the API key is {MIXED}, ask Ann for another.")
    assert not _in_text(f"The image is {MIXED}, see the keys of the table.")
    assert not _in_text("The token cache is at commit " + "9f86d081884c7d65" + "9a2feaa0c55ad015a3bf4f1b.")


NAMES = ("parseV2Response", "sha256Digest", "base64EncodedString", "oauth2ClientCredentials", "utf8DecoderStream")


@pytest.mark.parametrize("name", [*NAMES, "x509CertificateChain", "http2ServerConnection", "my-service-account-2024"])
def test_names_with_a_number_in_them_are_words(name: str) -> None:
    assert reads_like_words(name)
    assert not _in_text(f"token = {name}\napi_key: {name}\n--secret {name}")


def test_a_secret_is_named_by_the_real_line_of_its_file(tmp_path: Path) -> None:
    source = SmallSource(tmp_path.resolve())
    secret = fake_secret("slack")
    source.write(source.project / "notes.md", f"One.\n\nToken: {secret}\n")
    source.write(source.project / "CLAUDE.md", f"<!--\nlong\ncomment\n-->\nRead.\n\n@notes.md\n\nAPI_KEY={MIXED}\n")
    agent = f"---\nname: a\ndescription: A\n---\n\nUse {secret[:-1]}9\n"
    source.write(source.project / ".claude/agents/a.md", agent)
    source.write(source.project / ".claude/skills/s/SKILL.md", "---\ndescription: S\n---\nRun x.sh\n")
    source.write(source.project / ".claude/skills/s/x.sh", f"#!/bin/sh\n\n# why\nexport TOKEN={MIXED}\n")
    source.write(source.project / ".mcp.json", {"mcpServers": {"m": {"command": "m", "env": {"K": secret}}}})

    found = find_secrets(source.read(), partial(line_in_file, Path.read_bytes)).found
    assert sorted({(each.provenance.file.name, each.provenance.line) for each in found}) == [
        (".mcp.json", 6),
        ("CLAUDE.md", 9),
        ("a.md", 6),
        ("notes.md", 3),
        ("x.sh", 4),
    ]


def test_the_line_of_a_value_that_its_file_does_not_hold_is_that_of_the_item(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("one\ntwo\n")
    assert line_in_file(Path.read_bytes, Provenance(file, 2, Scope.PROJECT), MIXED) == 2
    assert line_in_file(Path.read_bytes, Provenance(tmp_path / "gone.md", 7, Scope.PROJECT), MIXED) == 7


def test_a_secret_in_other_settings_is_named_and_need_not_block() -> None:
    setting = Setting("setting:env@user", HERE, "env", {"TOKEN": MIXED})
    (found,) = find_secrets(SourceTree(settings=(setting,))).found
    assert (found.place, found.is_copied) == ("env.TOKEN", False)


def test_a_leak_is_named_by_place_in_every_spelling() -> None:
    value = MIXED + '"ü/'
    scan = find_secrets(SourceTree(mcp_servers=(_env(API_KEY=value),)))
    for text in (
        f"x {value} y",
        json.dumps({"a": value}),
        json.dumps(value, ensure_ascii=False),
        quote(value, safe=""),
    ):
        assert leaks(text, scan.values) == ("mcp:s@project env.API_KEY",)
    assert leaks(f"x {value} y".encode(), scan.values)
    assert leaks("nothing here", scan.values) == ()


@settings(deadline=None)
@given(st.text(min_size=6, max_size=30), st.text(), st.text())
def test_a_known_value_is_found_in_any_text(value: str, before: str, after: str) -> None:
    secrets = SecretValues({value: "place"})
    assert leaks(before + value + after, secrets) == ("place",)
    assert leaks(json.dumps([before, value]), secrets) == ("place",)


def test_values_cannot_be_printed_or_stored() -> None:
    secrets = SecretValues({MIXED: "place"})
    assert MIXED not in repr(secrets)
    assert MIXED not in f"{secrets}"
    with pytest.raises(TypeError):
        pickle.dumps(secrets)
    with pytest.raises(TypeError):
        copy.deepcopy(secrets)


def test_resolved_references_are_leaks_too(tmp_path: Path) -> None:
    hard = make_hard_project(tmp_path)
    tree = read_source_tree(hard.places)
    values = referenced_values(tree, hard.environment)
    assert leaks(f"token = {hard.environment['API_TOKEN']}", values) == ("${API_TOKEN}",)
    assert leaks(hard.environment["TEAM"], values) == ()


def test_every_planted_secret_of_the_hard_project_is_found_and_nothing_else(tmp_path: Path) -> None:
    clean = make_hard_project(tmp_path / "clean")
    assert find_secrets(read_source_tree(clean.places)).found == ()
    dirty = make_hard_project(tmp_path / "dirty", with_secrets=True)
    scan = find_secrets(read_source_tree(dirty.places))
    for value in dirty.secrets:
        assert leaks(value, scan.values), value[:4]
        assert value not in repr(scan) + "".join(shown(scan.found))
    items = {found.item_id for found in scan.found}
    assert {"mcp:leaky@project", "mcp:leaky-http@project", "mcp:user-leak@user", "setting:env@user"} <= items
    places = {(found.item_id, found.provenance.file.name) for found in scan.found}
    assert ("instructions:CLAUDE.md@project", "testing.md") in places


def test_fake_secrets_are_not_written_out_in_the_fixture() -> None:
    text = Path(__file__).with_name("hard_project.py").read_text()
    assert not any(fake_secret(kind) in text for kind in ("github", "anthropic", "slack", "plain"))
