"""Reading TypeScript declaration files without TypeScript: which names they declare and export, and their comments.

A scanner, no parser: it knows where a declaration begins and ends, and leaves its inside as text. What it cannot tell
apart it leaves out and counts, so that an answer can say so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

# Whatever is opened and never closed is taken to the end at once: to look for its end again and again takes forever.
_TOKEN = re.compile(
    r"(?P<space>[ \t\r\f\v\ufeff]+)|(?P<newline>\n)|(?P<doc>/\*\*(?!/)[\s\S]*?(?:\*/|\Z))"
    r"|(?P<comment>//[^\n]*|/\*[\s\S]*?(?:\*/|\Z))"
    r"|(?P<string>\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?|`(?:[^`\\]|\\[\s\S])*`?)"
    r"|(?P<word>[A-Za-z_$\u00a1-\uffff][\w$\u00a1-\uffff]*)|(?P<number>\d[\w.]*)|(?P<arrow>=>)|(?P<dots>\.\.\.)"
    r"|(?P<mark>[\s\S])"
)
_OPEN, _CLOSE = frozenset("({[<"), frozenset(")}]>")
_STARTERS = frozenset(
    {"export", "declare", "import", "interface", "class", "type", "function", "const", "let", "var", "namespace",
     "module", "abstract", "enum"}
)  # fmt: skip
_JOINERS = frozenset(
    {"|", "&", "=>", ":", "=", ",", "?", ".", "extends", "keyof", "typeof", "is", "in", "infer", "readonly"}
)
_MODIFIERS = frozenset({"export", "declare", "default", "abstract", "async"})
_MEMBER_MODIFIERS = frozenset(
    {"public", "protected", "private", "static", "readonly", "abstract", "get", "set", "async", "declare", "override",
     "accessor"}
)  # fmt: skip
_AFTER_A_NAME = frozenset("(:?<=!;,")
_NAMED = {
    "function": "function", "class": "class", "interface": "interface", "type": "type", "enum": "enum",
    "const": "const", "let": "const", "var": "const", "namespace": "namespace", "module": "namespace",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Token:
    """A word, mark or string, with the comment before it and whether it starts a line."""

    text: str
    start: int
    end: int
    starts_line: bool
    doc: str


@dataclass(frozen=True, slots=True)
class Declaration:
    """One declaration: the text from `start` to `end`, and its body between braces if it has one."""

    name: str
    kind: str
    start: int
    end: int
    line: int
    doc: str
    body: tuple[int, int] | None = None


@dataclass(slots=True)
class Scope:
    """What a file, a namespace or a `declare module` holds.

    `exports` maps a public name to where it comes from: a module (None for this scope) and a name there.
    """

    declarations: dict[str, list[Declaration]] = field(default_factory=dict[str, list[Declaration]])
    exports: dict[str, tuple[str | None, str]] = field(default_factory=dict[str, tuple[str | None, str]])
    imports: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    stars: list[str] = field(default_factory=list[str])
    modules: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    assigned: str | None = None
    unreadable: int = 0


def scan(text: str, start: int = 0, end: int | None = None, *, is_ambient: bool = False) -> Scope:
    """The declarations between two places of a text; in an ambient scope everything is exported."""
    scope = Scope()
    lines = _line_starts(text)
    for statement in _statements(list(_tokens(text, start, len(text) if end is None else end)), is_member=False):
        _Statement(statement, lines).add_to(scope, is_ambient=is_ambient)
    return scope


def scan_members(text: str, body: tuple[int, int]) -> list[Declaration]:
    """The members of a class, an interface or an enum."""
    lines = _line_starts(text)
    found: list[Declaration] = []
    for statement in _statements(list(_tokens(text, *body)), is_member=True):
        words = statement[_modifiers(statement) :]
        is_private = any(token.text in ("private", "#") for token in statement[:2])
        if not is_private:
            name = words[0].text.strip("\"'") if words[0].text not in "([<" else words[0].text
            doc = next((token.doc for token in statement if token.doc), "")
            found.append(_declaration(name, "member", statement, doc, lines))
    return found


def _modifiers(statement: list[Token]) -> int:
    """How many words stand before a member's name; `get(` and `static:` are names themselves."""
    count = 0
    while count + 1 < len(statement) and statement[count].text in _MEMBER_MODIFIERS:
        if statement[count + 1].text in _AFTER_A_NAME:
            break
        count += 1
    return count


def _tokens(text: str, start: int, end: int) -> Iterator[Token]:
    doc, starts_line = "", True
    for found in _TOKEN.finditer(text, start, end):
        kind = found.lastgroup
        if kind == "newline":
            starts_line = True
        elif kind == "doc":
            doc = found[0]
        elif kind not in ("space", "comment"):
            yield Token(found[0], found.start(), found.end(), starts_line, doc)
            doc, starts_line = "", False


def _statements(tokens: list[Token], *, is_member: bool) -> Iterator[list[Token]]:
    """Runs of tokens that belong together, by semicolons, closing braces and line starts outside of brackets."""
    current: list[Token] = []
    depth = 0
    for at, token in enumerate(tokens):
        if depth == 0 and current and _begins_anew(current, token, is_member=is_member):
            yield current
            current = []
        if depth == 0 and (token.text == ";" or (is_member and token.text == ",")):
            if current:
                yield current
            current = []
            continue
        current.append(token)
        if token.text in _OPEN:
            depth += 1
        elif token.text in _CLOSE and depth > 0:
            depth -= 1
            if depth == 0 and token.text == "}" and not is_member and _ends_with_block(current, tokens, at):
                yield current
                current = []
    if current:
        yield current


def _begins_anew(current: list[Token], token: Token, *, is_member: bool) -> bool:
    if not token.starts_line or current[-1].text in _JOINERS or token.text in _JOINERS:
        return False
    if is_member:
        return token.text not in ("{", ")", "]", "}", ">", "=>") and current[-1].text not in _MEMBER_MODIFIERS
    return token.text in _STARTERS and current[-1].text not in _MODIFIERS


def _ends_with_block(current: list[Token], tokens: list[Token], at: int) -> bool:
    following = tokens[at + 1].text if at + 1 < len(tokens) else ""
    keyword = next((token.text for token in current[:8] if token.text not in _MODIFIERS), "")
    if keyword in ("class", "interface", "enum", "namespace", "module", "global"):
        return True
    return keyword == "const" and len(current) > 2 and current[1].text == "enum" and following != "from"


class _Statement:
    """A statement of a scope: what it declares, exports or imports."""

    def __init__(self, tokens: list[Token], lines: list[int]) -> None:
        self._tokens = tokens
        self._lines = lines
        self._words = [token.text for token in tokens]

    def add_to(self, scope: Scope, *, is_ambient: bool) -> None:
        words = self._words
        if words[0] == "import" and (len(words) < 2 or words[1] != "("):
            self._add_import(scope)
        elif words[0] == "export" and len(words) > 1 and self._add_export_list(scope):
            return
        else:
            self._add_declaration(scope, is_ambient=is_ambient)

    def _add_import(self, scope: Scope) -> None:
        words = [word for word in self._words[1:] if word != "type"]
        source = _unquoted(words[-1]) if words and words[-1][0] in "\"'" else None
        if source is None:
            if len(words) > 2 and words[1] == "=":
                scope.imports[words[0]] = ("", "".join(words[2:]))
            return
        for name, local in _pairs(words):
            scope.imports[local] = (source, name)
        if words[0] == "*" and len(words) > 2:
            scope.imports[words[2]] = (source, "*")
        elif words[0] not in ("{", "*") and words[0][0] not in "\"'":
            scope.imports[words[0]] = (source, "default")

    def _add_export_list(self, scope: Scope) -> bool:
        words = self._words[2:] if self._words[1] == "type" and self._words[2:3] in (["{"], ["*"]) else self._words[1:]
        source = _unquoted(words[-1]) if words[-1][0] in "\"'" and "from" in words else None
        if words[0] == "{":
            for name, public in _pairs(words):
                scope.exports[public] = (source, name)
            return True
        if words[0] == "*" and source is not None:
            if words[1] == "as":
                scope.exports[_unquoted(words[2])] = (source, "*")
            else:
                scope.stars.append(source)
            return True
        if words[0] == "=" and len(words) > 1:
            scope.assigned = words[1]
            return True
        if words[0] == "default" and len(words) == 2 and words[1] not in _NAMED:
            scope.exports["default"] = (None, words[1])
            return True
        return words[0] == "as" and "namespace" in words

    def _add_declaration(self, scope: Scope, *, is_ambient: bool) -> None:
        at = 0
        while at < len(self._words) and self._words[at] in _MODIFIERS:
            at += 1
        rest = self._words[at:]
        if not rest or rest[0] in ("}", "{"):
            scope.unreadable += bool(rest)
            return
        kind = _NAMED.get(rest[0])
        named = rest[2:] if rest[:2] == ["const", "enum"] else rest[1:]
        if rest[0] == "global" or kind is None or not named:
            scope.unreadable += rest[0] != "global"
            return
        is_exported = is_ambient or "export" in self._words[:at]
        if rest[0] == "module" and named[0][0] in "\"'":
            self._add_module(scope, _unquoted(named[0]))
            return
        doc = next((token.doc for token in self._tokens[: at + 1] if token.doc), "")
        for name in self._names(kind, named):
            found = _declaration(
                name, "enum" if rest[:2] == ["const", "enum"] else kind, self._tokens, doc, self._lines
            )
            scope.declarations.setdefault(name, []).append(found)
            if is_exported:
                scope.exports["default" if "default" in self._words[:at] else name] = (None, name)

    def _names(self, kind: str, named: list[str]) -> list[str]:
        first = named[0]
        if not re.match(r"[A-Za-z_$\u00a1-\uffff]", first):
            return ["default"] if "default" in self._words[:3] else []
        if kind == "namespace":
            return [first]
        names, depth = [first], 0
        for at, word in enumerate(named):
            depth += (word in _OPEN) - (word in _CLOSE)
            if kind == "const" and depth == 0 and word == "," and at + 1 < len(named):
                names.append(named[at + 1])
        return names

    def _add_module(self, scope: Scope, name: str) -> None:
        body = _body(self._tokens)
        known = scope.modules.get(name)
        if body and (known is None or body[1] - body[0] > known[1] - known[0]):  # additions to a module are left out
            scope.modules[name] = body


def _declaration(name: str, kind: str, tokens: list[Token], doc: str, lines: list[int]) -> Declaration:
    from bisect import bisect_right

    start, end = tokens[0].start, tokens[-1].end
    body = _body(tokens) if kind in ("class", "interface", "enum", "namespace") else None
    return Declaration(name, kind, start, end, bisect_right(lines, start), doc, body)


def _body(tokens: list[Token]) -> tuple[int, int] | None:
    """The text between the last braces of a statement, outside of other brackets."""
    depth, opened = 0, None
    for token in tokens:
        if token.text == "{" and depth == 0:
            opened = token.end
        depth += (token.text in _OPEN) - (token.text in _CLOSE)
    return (opened, tokens[-1].start) if opened is not None and tokens[-1].text == "}" else None


def _pairs(words: list[str]) -> Iterator[tuple[str, str]]:
    """Names in braces: `a`, `a as b`, `type a as b`."""
    if "{" not in words or "}" not in words:
        return
    inner = " ".join(words[words.index("{") + 1 : words.index("}")])
    for part in inner.split(","):
        names = [_unquoted(word) for word in part.split() if word != "as"]
        if len(names) > 1 and names[0] == "type":
            names.pop(0)
        if names:
            yield names[0], names[-1]


def _unquoted(word: str) -> str:
    return word[1:-1] if len(word) > 1 and word[0] in "\"'`" else word


def _line_starts(text: str) -> list[int]:
    return [0, *(found.end() for found in re.finditer("\n", text))]
