"""What a person or an agent pastes to name a library, taken apart: names, ecosystem, extras, version request.

Requirement lines, lines of manifests, import statements, install commands, package addresses and bare names. Nothing
is looked up here. Any text gives a query; a text without a name gives one without candidates.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from sightline.errors import invalid_params
from sightline.library_docs.libraries import ECOSYSTEMS, Ecosystem, python_name
from sightline.library_docs.resolving.python_requirements import read_requirement

LONGEST_QUERY = 500

_PYTHON: tuple[Ecosystem, ...] = ("pypi", "python")
_NPM: tuple[Ecosystem, ...] = ("npm",)

_PYTHON_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\Z")
_NPM_NAME = re.compile(r"(?:@[A-Za-z0-9~-][\w.~-]*/)?[A-Za-z0-9~-][\w.~-]*\Z", re.ASCII)
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*\Z")

_PURL = re.compile(r"pkg:(pypi|npm)/([^?#\s]+)", re.I)
_PREFIXED = re.compile(r"(pypi|npm|python|node):\s*(?!//)(\S.*)\Z", re.I | re.S)
_JSON_LINE = re.compile(r"""(["'])(?P<name>[^"']+)\1\s*:\s*(["'])(?P<version>[^"']*)\3\Z""")
_TOML_LINE = re.compile(r"""(?P<name>[\w.@/-]+)\s*=\s*(?:\{.*?version\s*=\s*)?(["'])(?P<version>[^"']*)\2.*\Z""", re.S)
_PYTHON_IMPORT = re.compile(r"import\s+(?P<path>[\w.]+)(?:\s+as\s+\w+)?\s*(?:,.*)?\Z", re.S)
_PYTHON_FROM = re.compile(r"from\s+(?P<path>\w[\w.]*)\s+import\s+\(?\s*(?P<first>\w+|\*).*\Z", re.S)
_SCRIPT_IMPORT = re.compile(
    r"""(?:(?:import|export)\b[^"'`]*?\bfrom\s*|(?:import|export)\s*|.*?\b(?:require(?:\.resolve)?|import)\s*\(\s*)"""
    r"""(["'`])(?P<name>[^"'`]+)\1.*\Z""",
    re.S,
)
_COMMAND = re.compile(
    r"(?:\S*python[\d.]*\s+-m\s+)?(?P<tool>uv\s+pip|pip[\d.]*|uv|pipx|poetry|pdm|npm|npx|pnpm|yarn|bun)\s+"
    r"(?P<verb>install|add|i|dlx|view|show|info|update|upgrade|remove|uninstall)\s+(?P<rest>.+)\Z",
    re.S,
)
_NPM_TOOLS = frozenset({"npm", "npx", "pnpm", "yarn", "bun"})
_WEB_ADDRESS = re.compile(r"(?:git\+|git:|ssh:)?(?:https?:)?//(?:[^/@\s]*@)?[^/\s]+/(?P<path>\S*)", re.I)
_SCOPED = re.compile(r"(?P<name>@[\w.~-]+/[\w.~-]+)(?P<sub>/[^@\s]*)?(?:@(?P<version>\S.*))?\Z", re.S | re.ASCII)
_AT_VERSION = re.compile(r"(?P<name>[^@\s/][^@\s]*)@(?P<version>[^\s@/:]+(?:\s.*)?)\Z", re.S)
_SUB_PATH = re.compile(r"(?P<name>[\w.~-]+)/(?P<sub>[^\s@]+)(?:@(?P<version>\S+))?\Z", re.ASCII)
_NPM_RANGE = re.compile(r"[\^]|workspace\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryQuery:
    """A query taken apart. `ecosystems` are those that the text leaves possible; candidates are the likeliest first.

    `import_paths` are dotted Python names, the longest first. `repository` is `owner/project` where the text may mean
    one. `version` is the request as it was written.
    """

    text: str
    ecosystems: tuple[Ecosystem, ...] = ECOSYSTEMS
    python_names: tuple[str, ...] = ()
    npm_names: tuple[str, ...] = ()
    import_paths: tuple[str, ...] = ()
    is_import: bool = False
    extras: tuple[str, ...] = ()
    version: str | None = None
    repository: str | None = None
    is_node_builtin: bool = False

    @property
    def phrase(self) -> str:
        """The text as aliases are compared: lower case, single spaces."""
        return " ".join(self.text.split()).casefold()


_Reader = Callable[[str], LibraryQuery | None]


def parse_library_query(text: str) -> LibraryQuery:
    """The query in `text`; raises `ToolFailure` only for a text that is blank or too long."""
    if not text.strip():
        raise invalid_params("the query is empty", "name a library, such as `click` or `npm:react`")
    if len(text) > LONGEST_QUERY:
        message = f"the query has {len(text)} characters; the limit is {LONGEST_QUERY}"
        raise invalid_params(message, "name one library")
    cleaned = _cleaned(text)
    for reader in _READERS:
        if (query := reader(cleaned)) is not None:
            return replace(query, text=cleaned)
    return LibraryQuery(text=cleaned)


def _cleaned(text: str) -> str:
    """Without a comment, and without the punctuation around a word in a list or in prose."""
    text = re.sub(r"(?:^|\s)(?:#|//)\s.*\Z", "", text.strip(), flags=re.S) or text
    text = text.strip().rstrip(",;").strip()
    while len(text) > 2 and text[0] == text[-1] and text[0] in "`'\"" and text[0] not in text[1:-1]:
        text = text[1:-1].strip()
    return text


def _read_purl(text: str) -> LibraryQuery | None:
    from urllib.parse import unquote

    if not (match := _PURL.match(text)):
        return None
    name, _, version = (
        unquote(match[2]).rpartition("@") if "@" in unquote(match[2])[1:] else (unquote(match[2]), "", "")
    )
    return _named(_ecosystem(match[1]), name, version)


def _read_prefixed(text: str) -> LibraryQuery | None:
    if not (match := _PREFIXED.match(text)):
        return None
    prefix, rest = match[1].lower(), match[2].strip()
    if prefix == "node":
        return LibraryQuery(text=text, ecosystems=_NPM, is_node_builtin=True)
    if prefix == "python":
        return _python_path(rest, ("python",))
    inner = (_read_scoped(rest) or _read_at_version(rest)) if prefix == "npm" else _read_requirement(rest)
    inner = inner or _read_at_version(rest) or _read_plain(rest)
    return replace(inner, ecosystems=(_ecosystem(prefix),)) if inner else None


def _read_manifest_line(text: str) -> LibraryQuery | None:
    if match := _JSON_LINE.match(text):
        return _named("npm", match["name"], match["version"])
    if (match := _TOML_LINE.match(text)) and (query := _read_plain(match["name"])):
        return replace(query, version=match["version"] or None)
    return None


def _read_python_import(text: str) -> LibraryQuery | None:
    if match := _PYTHON_FROM.match(text):
        path = match["path"] if match["first"] == "*" else f"{match['path']}.{match['first']}"
    elif match := _PYTHON_IMPORT.match(text):
        path = match["path"]
    else:
        return None
    query = _python_path(path, _PYTHON)
    return replace(query, is_import=True) if query else None


def _read_script_import(text: str) -> LibraryQuery | None:
    if not (match := _SCRIPT_IMPORT.match(text)):
        return None
    if match["name"].startswith("node:"):
        return LibraryQuery(text=text, ecosystems=_NPM, is_node_builtin=True)
    query = _read_scoped(match["name"]) or _read_sub_path(match["name"]) or _read_plain(match["name"])
    return replace(query, ecosystems=_NPM, is_import=True, repository=None) if query else None


def _read_command(text: str) -> LibraryQuery | None:
    if not (match := _COMMAND.match(text)):
        return None
    words = [word for word in match["rest"].split() if not word.startswith("-")]
    if not words:
        return None
    word = words[0].strip("\"'")
    if match["tool"] in _NPM_TOOLS:
        query = _read_scoped(word) or _read_at_version(word) or _read_plain(word)
        return replace(query, ecosystems=_NPM) if query else None
    query = _read_requirement(word) or _read_at_version(word) or _read_plain(word)
    return replace(query, ecosystems=("pypi",)) if query else None


def _read_web_address(text: str) -> LibraryQuery | None:
    if not (match := _WEB_ADDRESS.match(text)):
        return None
    segments = [segment for segment in match["path"].split("#")[0].split("/") if segment]
    repository = "/".join(segments[:2]).removesuffix(".git") if len(segments) > 1 else None
    return LibraryQuery(text=text, repository=repository)


def _read_scoped(text: str) -> LibraryQuery | None:
    if not (match := _SCOPED.match(text)):
        return None
    return _named("npm", match["name"], match["version"])


def _read_at_version(text: str) -> LibraryQuery | None:
    if not (match := _AT_VERSION.match(text)) or not (query := _read_plain(match["name"])):
        return None
    ecosystems = _NPM if _NPM_RANGE.match(match["version"]) else query.ecosystems
    return replace(query, version=match["version"].strip(), ecosystems=ecosystems)


def _read_requirement(text: str) -> LibraryQuery | None:
    requirement = read_requirement(text)
    if requirement is None or not requirement.has_more_than_a_name:
        return None
    query = _read_plain(requirement.name)
    if query is None:
        return None
    return replace(query, ecosystems=("pypi",), extras=requirement.extras, version=requirement.version)


def _read_sub_path(text: str) -> LibraryQuery | None:
    match = _SUB_PATH.match(text)
    if not match or not (query := _read_plain(match["name"])):
        return None
    repository = f"{match['name']}/{match['sub']}" if "/" not in match["sub"] else None
    names = replace(query, ecosystems=_NPM, python_names=(), import_paths=())
    return replace(names, repository=repository, version=match["version"])


def _read_plain(text: str) -> LibraryQuery | None:
    """A bare name, in all spellings that it may have in either ecosystem."""
    python_names = (python_name(text),) if _PYTHON_NAME.match(text) else ()
    npm_names = tuple(dict.fromkeys((text, text.lower()))) if _NPM_NAME.match(text) else ()
    paths = _prefixes(text) if _DOTTED.match(text) else ()
    if not (python_names or npm_names or paths):
        return None
    return LibraryQuery(text=text, python_names=python_names, npm_names=npm_names, import_paths=paths)


def _python_path(path: str, ecosystems: tuple[Ecosystem, ...]) -> LibraryQuery | None:
    if not _DOTTED.match(path):
        return None
    paths = _prefixes(path)
    names = tuple(python_name(name) for name in paths if _PYTHON_NAME.match(name))
    return LibraryQuery(text=path, ecosystems=ecosystems, import_paths=paths, python_names=names)


def _prefixes(path: str) -> tuple[str, ...]:
    parts = path.split(".")
    return tuple(".".join(parts[:length]) for length in range(len(parts), 0, -1))


def _named(ecosystem: Ecosystem, name: str, version: str | None) -> LibraryQuery | None:
    query = _read_plain(name)
    return replace(query, ecosystems=(ecosystem,), version=(version or "").strip() or None) if query else None


def _ecosystem(word: str) -> Literal["pypi", "npm"]:
    return "npm" if word.lower() == "npm" else "pypi"


_READERS: tuple[_Reader, ...] = (
    _read_purl,
    _read_prefixed,
    _read_manifest_line,
    _read_script_import,
    _read_python_import,
    _read_command,
    _read_web_address,
    _read_scoped,
    _read_at_version,
    _read_requirement,
    _read_sub_path,
    _read_plain,
)
