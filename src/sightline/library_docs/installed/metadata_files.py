"""The METADATA file of a Python distribution, read without the `email` package, which takes longer to load."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from sightline.library_docs.installed.packages import Markup

_HEADER = re.compile(r"([A-Za-z][A-Za-z0-9-]*):[ \t]?(.*)")
_LONGEST_VALUE = 2_000
_MOST_URLS = 40


@dataclass(frozen=True, slots=True)
class Metadata:
    """Header fields by lower-case name, each with all its values, and the description."""

    fields: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    description: str = ""

    def first(self, name: str) -> str:
        return next(iter(self.fields.get(name, ())), "").strip()[:_LONGEST_VALUE]

    @property
    def urls(self) -> tuple[tuple[str, str], ...]:
        pairs = [value.partition(",") for value in self.fields.get("project-url", ())]
        found = [(label.strip(), url.strip()) for label, _, url in pairs if url.strip()]
        if home := self.first("home-page"):
            found.append(("Home-page", home))
        return tuple(found[:_MOST_URLS])

    @property
    def license(self) -> str:
        lines = (self.first("license-expression") or self.first("license")).splitlines()
        return lines[0][:200] if lines else ""

    @property
    def markup(self) -> Markup:
        declared = self.first("description-content-type").partition(";")[0].strip().lower()
        if declared == "text/markdown":
            return "markdown"
        if declared == "text/plain":
            return "plain"
        return "rst" if declared == "text/x-rst" or _looks_like_rst(self.description) else "markdown"


def parse_metadata(text: str) -> Metadata:
    """The fields and the description; whatever is no header is passed over."""
    lines = iter(text.split("\n"))
    fields: dict[str, list[str]] = {}
    for name, value in _headers(lines):
        fields.setdefault(name, []).append(value)
    body = "\n".join(lines).strip("\n")
    description = body if body.strip() else _unfolded("".join(fields.get("description", [""])[:1]))
    return Metadata(fields, "" if description.strip() == "UNKNOWN" else description)


def _headers(lines: Iterator[str]) -> Iterator[tuple[str, str]]:
    name, values = "", list[str]()
    for line in lines:
        if not line.strip() and not line.startswith((" ", "\t")):
            break
        if line[0] in " \t":
            values.append(line)
            continue
        if name:
            yield name, "\n".join(values)
        found = _HEADER.match(line)
        name, values = (found[1].lower(), [found[2]]) if found else ("", [])
    if name:
        yield name, "\n".join(values)


def _unfolded(value: str) -> str:
    """A description from a header: older tools indent its lines by eight blanks, or by seven and a bar."""
    first, *rest = value.split("\n")
    return "\n".join([first, *(re.sub(r"^(?: {7}\|| {8}|\t)", "", line) for line in rest)])


def _looks_like_rst(text: str) -> bool:
    head = text[:20_000]
    if re.search(r"(?m)^#{1,4} \S|^```", head):
        return False
    return re.search(r"(?m)^\.\. \w|^[=\-~^]{4,}\s*$|`__?(?:\s|$)|::\s*$", head) is not None
