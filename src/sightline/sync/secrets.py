"""Literal secrets in a source tree, named by place and never by value, and a scan for them before each write.

References (`${TOKEN}`) are no secrets. Values live only inside `SecretValues`, which cannot be printed, copied out or
stored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NoReturn
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlsplit

from sightline.frozen import frozen
from sightline.sync.model import (
    Agent,
    Command,
    Hook,
    Instructions,
    Item,
    McpServer,
    PermissionRule,
    Rule,
    Setting,
    Skill,
    SkillFile,
    SourceTree,
    TextPart,
)
from sightline.sync.model_values import Frontmatter, JsonValue, Provenance, Template
from sightline.sync.secret_shapes import (
    is_placeholder,
    is_secret_name,
    looks_random,
    mentions_secret,
    reads_like_words,
    reason_by_name,
    shapes_in,
)

MIN_LEAK_CHARS = 6
_SHORTEST_LINE = 12
_OWN_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
_SCHEME = re.compile(r"\s*(?:bearer|basic|token|apikey|digest)\b[\s:]*", re.IGNORECASE)
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://[^\s\"'`<>]+", re.IGNORECASE)
_OPTION = re.compile(r"(--?[A-Za-z][\w-]*|[A-Za-z_][A-Za-z0-9_]*)=(.+)", re.DOTALL)
_ASSIGNED = re.compile(r"(?P<name>[A-Za-z_][\w-]*)[\"'`]?\s*[:=]\s*[\"'`]?(?P<value>[^\s\"'`,;)}\]]{8,})")
_FLAGGED = re.compile(r"(?P<name>--[A-Za-z][\w-]*)\s+[\"'`]?(?P<value>[^\s\"'`,;)}\]-][^\s\"'`,;)}\]]{7,})")
_HEADER = re.compile(
    r"(?P<name>[A-Za-z][A-Za-z-]*(?:Authorization|-Key|-Token)|Authorization)[\"']?\s*[:=]\s*[\"']?(?P<value>[^\"'\n]+)"
)
_WORD = re.compile(r"[A-Za-z][\w-]*(?: [Kk]eys?\b)?")
_NAME_SHAPE = re.compile(r"[A-Za-z_.]+\d*[A-Za-z_.]*|[A-Za-z]+(?:[-_][A-Za-z]+)*[-_]?\d{0,4}")
_LONG_RUN = re.compile(r"(?<![\w/+.=-])[A-Za-z0-9+_=~-]{24,}(?![\w/+.=-])")
_REFERENCE = re.compile(r"\$\{[^}]*\}|\$[A-Za-z_]\w*|\{env:[^}]*\}")


@frozen
class SecretFound:
    """A literal secret: which item, which field of it, where, and why it is taken for one.

    `is_copied` is false for settings that no target ever gets; such a secret need not block.
    """

    item_id: str
    place: str
    reason: str
    provenance: Provenance
    is_copied: bool = True


@frozen
class _Candidate:
    place: str
    reason: str
    value: str
    provenance: Provenance | None = None


class SecretValues:
    """The values to look for in outputs; in memory only."""

    __slots__ = ("_forms", "_places")

    def __init__(self, places: Mapping[str, str] | None = None) -> None:
        self._places = {value: place for value, place in (places or {}).items() if len(value) >= MIN_LEAK_CHARS}
        self._forms = [(written_forms(value), place) for value, place in self._places.items()]

    def __len__(self) -> int:
        return len(self._places)

    def __repr__(self) -> str:
        return f"SecretValues({len(self._places)})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("secret values are never stored")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SecretValues) and self._places == other._places

    def __hash__(self) -> int:
        return hash(frozenset(self._places))

    def joined(self, other: SecretValues) -> SecretValues:
        return SecretValues({**self._places, **other._places})

    def places_in(self, text: str) -> tuple[str, ...]:
        """The places whose values stand in the text, plainly or as JSON or an address would write them."""
        found = (place for forms, place in self._forms if any(form in text for form in forms))
        return tuple(dict.fromkeys(found))


def written_forms(value: str) -> tuple[str, ...]:
    """The value plainly, and as JSON or an address would write it."""
    escaped = json.dumps(value)[1:-1]
    return tuple(dict.fromkeys((value, escaped, json.dumps(value, ensure_ascii=False)[1:-1], quote(value, safe=""))))


@frozen
class SecretScan:
    """What was found in a tree, and the values to keep out of everything that is written."""

    found: tuple[SecretFound, ...]
    values: SecretValues


def find_secrets(tree: SourceTree, line_of: Callable[[Provenance, str], int] | None = None) -> SecretScan:
    """Every literal secret of every item, shadowed ones included; `line_of` tells the line of a value in its file.

    A tree is looked through once: who asks first says how lines are told.
    """
    known = tree.worked_out.get(SecretScan)
    if isinstance(known, SecretScan):
        return known
    scan = tree.worked_out[SecretScan] = _scanned(tree, line_of)
    return scan


def _scanned(tree: SourceTree, line_of: Callable[[Provenance, str], int] | None) -> SecretScan:
    found: dict[SecretFound, None] = {}
    values: dict[str, str] = {}
    for item in tree.items():
        for candidate in _candidates(item):
            place = f"{item.item_id} {candidate.place}"
            provenance = candidate.provenance or item.provenance
            if line_of is not None:
                provenance = provenance.at_line(line_of(provenance, candidate.value))
            is_copied = not isinstance(item, Setting)
            secret = SecretFound(item.item_id, candidate.place, candidate.reason, provenance, is_copied)
            found[secret] = None
            values.setdefault(candidate.value, place)
    return SecretScan(tuple(found), SecretValues(values))


def secrets_in_value(value: JsonValue) -> SecretValues:
    """The literal secrets of one JSON value, such as an entry of a client's file, judged by the names around them."""
    return SecretValues({each.value: each.place for each in _in_value(value, "")})


def referenced_values(tree: SourceTree, environment: Mapping[str, str]) -> SecretValues:
    """The values that references would resolve to, so that a scan finds one that was resolved by mistake.

    Only names that announce a secret and values that look like one count: others are too common in honest text.
    """
    names = {
        reference.name for server in tree.mcp_servers for text in _templates(server) for reference in text.references
    }
    named = {
        environment[name]: f"${{{name}}}" for name in sorted(names) if is_secret_name(name) and name in environment
    }
    return SecretValues({value: place for value, place in named.items() if not is_placeholder(value)})


def leaks(text: str | bytes, secrets: SecretValues) -> tuple[str, ...]:
    """The places of all known secrets that the text would give away; to be called before each write."""
    return secrets.places_in(text.decode("utf-8", errors="replace") if isinstance(text, bytes) else text)


def holds_secret(text: str) -> bool:
    """Whether a free text holds a literal secret, and must not be shown."""
    return next(_in_text(text, ""), None) is not None


def _templates(server: McpServer) -> Iterator[Template]:
    yield from filter(None, (server.command, server.cwd, server.url, server.headers_helper))
    yield from server.args
    yield from server.env.values()
    yield from server.headers.values()


def _candidates(item: Item) -> Iterator[_Candidate]:
    yield from _in_names(item)
    match item:
        case McpServer():
            yield from _in_server(item)
        case Hook():
            yield from _in_value(dict(item.fields), "")
        case Setting():
            yield from _in_value(item.value, item.key)
        case PermissionRule():
            yield from _in_text(item.text, "rule")
        case Skill():
            yield from _in_frontmatter(item.frontmatter)
            for file in item.files:
                provenance = replace(item.provenance, file=item.directory / file.path, line=1)
                yield from (replace(found, provenance=provenance) for found in _in_file(file))
        case Agent() | Command():
            yield from _in_frontmatter(item.frontmatter)
            yield from _in_text(item.body, "text")
        case Rule():
            yield from _in_frontmatter(item.frontmatter)
            yield from _in_parts(item.parts)
        case Instructions():
            yield from _in_parts(item.parts)
        case _:
            return


def _in_names(item: Item) -> Iterator[_Candidate]:
    """What a target would show or make a file name of."""
    if isinstance(item, McpServer | Skill | Command | Agent | Rule):
        yield from _in_text(item.name, "name")
    if isinstance(item, Hook):
        yield from _in_text(item.matcher, "matcher")


def _in_parts(parts: tuple[TextPart, ...]) -> Iterator[_Candidate]:
    for part in parts:
        yield from (replace(found, provenance=part.provenance) for found in _in_text(part.text, "text"))


def _in_file(file: SkillFile) -> Iterator[_Candidate]:
    text = file.content.decode("utf-8", errors="replace")
    if b"\0" not in file.content:
        yield from _in_text(text, f"file {file.path}")
    else:
        yield from (_Candidate(f"file {file.path}", f"looks like {kind}", token) for kind, token in shapes_in(text))


def _in_frontmatter(frontmatter: Frontmatter) -> Iterator[_Candidate]:
    yield from _in_value(dict(frontmatter.fields), "")


def _in_server(server: McpServer) -> Iterator[_Candidate]:
    for name, template in server.env.items():
        yield from _in_named(name, template, f"env.{name}")
    for name, template in server.headers.items():
        yield from _in_named(name, template, f"headers.{name}")
    for place, template in (("command", server.command), ("cwd", server.cwd), ("headersHelper", server.headers_helper)):
        if template is not None:
            yield from _in_text(template.text, place)
    if server.url is not None:
        yield from _in_address(server.url.text, "url")
        yield from _in_text(server.url.text, "url")
    yield from _in_arguments([template.text for template in server.args])
    yield from _in_value(dict(server.oauth or {}), "oauth")
    yield from _in_value(dict(server.extra), "")


def _in_named(name: str, template: Template, place: str) -> Iterator[_Candidate]:
    """A value of a table of names; each fixed piece of it, and the default of each reference under its own name."""
    for part in template.parts:
        if isinstance(part, str):
            yield from _in_piece(name, part, place)
        elif part.default:
            yield from _in_piece(name if is_secret_name(name) else part.name, part.default, f"{place} default")


def _in_piece(name: str, text: str, place: str) -> Iterator[_Candidate]:
    value = _SCHEME.sub("", text, count=1).strip()
    shapes = shapes_in(text)
    if shapes:
        yield from (_Candidate(place, f"looks like {kind}", token) for kind, token in shapes)
    elif _ADDRESS.match(value):
        yield from _in_address(value, place)
    elif reason := reason_by_name(name, value):
        yield _Candidate(place, reason, value)
    elif looks_random(value):
        yield _Candidate(place, "random-looking text", value)


def _in_address(text: str, place: str) -> Iterator[_Candidate]:
    """Passwords before the host, and named values in the query."""
    for match in _ADDRESS.finditer(_REFERENCE.sub("", text)):
        try:
            parts = urlsplit(match[0])
            password, user = parts.password, parts.username
        except ValueError:
            continue
        if password and not is_placeholder(unquote(password)) and not _is_local_default(parts):
            yield _Candidate(place, "a password in an address", unquote(password))
        elif user and not password and looks_random(unquote(user)):
            yield _Candidate(place, "a key in an address", unquote(user))
        for name, value in parse_qsl(parts.query):
            if reason_by_name(name, value) or looks_random(value):
                yield _Candidate(place, f"`{name}` in the query of an address", value)
        for segment in parts.path.split("/"):
            if looks_random(segment):
                yield _Candidate(place, "random-looking text in an address", segment)


def _is_local_default(address: SplitResult) -> bool:
    """`postgres:postgres@localhost`: a name that is its own password on one's own machine keeps nothing secret."""
    return address.password == address.username and address.hostname in _OWN_HOSTS


def _in_arguments(arguments: list[str]) -> Iterator[_Candidate]:
    before = ""
    for index, argument in enumerate(arguments):
        place = f"args[{index}]"
        text = _REFERENCE.sub("", argument)
        option = _OPTION.fullmatch(text)
        if option:
            yield from _in_piece(option[1], option[2], place)
        elif before.startswith("-") and not text.startswith("-"):
            yield from _in_piece(before, text, place)
        yield from _in_address(text, place)
        yield from _in_text(text, place)
        before = argument


def _in_value(value: JsonValue, path: str) -> Iterator[_Candidate]:
    """Any JSON value; strings are judged by the name that they stand under."""
    match value:
        case dict():
            for key, item in value.items():
                yield from _in_value(item, f"{path}.{key}" if path else key)
        case list():
            for index, item in enumerate(value):
                yield from _in_value(item, f"{path}[{index}]")
        case str():
            name = re.sub(r"\[\d+\]$", "", path).rpartition(".")[2]
            fixed = Template.parse(value)
            yield from _in_named(name, fixed, path)
            yield from _in_text(value, path)
        case _:
            return


def _in_text(text: str, place: str) -> Iterator[_Candidate]:
    """Free text: only known formats, credentials in headers and addresses, and random text behind a telling name."""
    yield from (_Candidate(place, f"looks like {kind}", token) for kind, token in shapes_in(text))
    for line in text.split("\n"):
        if len(line) >= _SHORTEST_LINE and mentions_secret(line):
            bare = _REFERENCE.sub("", line)
            named = list(_in_line(bare, place))
            yield from named or _behind_names(bare, place)
    if "://" in text and "@" in text:
        yield from (found for found in _in_address(text, place) if "password" in found.reason)


def _in_line(bare: str, place: str) -> Iterator[_Candidate]:
    for match in _HEADER.finditer(bare):
        value = _SCHEME.sub("", match["value"], count=1).strip()
        reason = reason_by_name(match["name"], value)
        if reason and len(value) >= 8 and _is_mixed(value):
            yield _Candidate(place, reason, value)
    for match in (*_ASSIGNED.finditer(bare), *_FLAGGED.finditer(bare)):
        name, value = match["name"], match["value"]
        reason = reason_by_name(name, value)
        if reason and is_secret_name(name) and _is_mixed(value) and not shapes_in(value):
            yield _Candidate(place, reason, value)


def _behind_names(bare: str, place: str) -> Iterator[_Candidate]:
    """Prose: `the API key is …`."""
    for match in _LONG_RUN.finditer(bare):
        words = (word.replace(" ", "_") for word in _WORD.findall(bare[: match.start()]))
        if looks_random(match[0]) and not shapes_in(match[0]) and any(map(is_secret_name, words)):
            yield _Candidate(place, "random-looking text behind the name of a secret", match[0])


def _is_mixed(text: str) -> bool:
    """Letters and digits in no order, and no call or member access: words and code do not look like that."""
    if re.search(r"[()\[\]{}<>|$\\]|\w\.\w+\.\w|::|/", text) or len(text) < 12 or len(set(text)) < 8:
        return False
    if _NAME_SHAPE.fullmatch(text) and reads_like_words(text):
        return False
    has_digits, has_letters = re.search(r"\d", text) is not None, re.search(r"[A-Za-z]", text) is not None
    return has_letters and (has_digits or _is_drawn(text))


def _is_drawn(text: str) -> bool:
    """A key that happens to have no digit: long, small and large letters, and nothing to read in it."""
    has_both = re.search(r"[a-z]", text) is not None and re.search(r"[A-Z]", text) is not None
    return text.isalpha() and len(text) >= 20 and has_both and not reads_like_words(text)


def shown(found: Iterable[SecretFound]) -> list[str]:
    """One line per secret for an answer: item, field, file and line, reason."""
    return [
        f"{each.item_id}: {each.place} ({each.provenance.file.name}:{each.provenance.line}): {each.reason}"
        for each in found
    ]
