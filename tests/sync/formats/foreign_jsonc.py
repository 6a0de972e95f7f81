"""Generated JSON files of other people: comments everywhere, odd spacing, each with the value that it stands for."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

Written = tuple[str, Any]

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), max_size=6)
GAPS = st.lists(
    st.one_of(
        st.sampled_from(["", "", " ", "  ", "\t", "\n", "\n\n  ", "\r\n", "\n    "]),
        TEXT.map(lambda text: "//" + text.replace("\x00", "") + "\n"),
        TEXT.map(lambda text: "/*" + text.replace("*/", "").replace("/", "").rstrip("*") + "*/"),
        st.just("/* one\n  two */"),
        st.just("// `}` and ] and , \r\n"),
    ),
    max_size=2,
).map("".join)
NUMBERS = st.sampled_from(["0", "-0", "1", "-17", "1.50", "1e2", "1E+400", "123456789012345678901234567890", "0.1e-7"])
KEYS = st.one_of(st.sampled_from(["a", "b", "c", "d", "e", "mcp", "é", ""]), TEXT.map(lambda text: "f" + text))
OWNED_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


def _quoted(text: str, is_ascii: bool) -> str:
    return json.dumps(text, ensure_ascii=is_ascii)


def _number(written: str) -> Written:
    is_float = any(mark in written for mark in ".eE")
    return written, float(written) if is_float else int(written)


def _string(text: str, is_ascii: bool) -> Written:
    return _quoted(text, is_ascii), text


ODD_STRINGS: list[Written] = [('"\\ud800"', "\ud800"), ('"\\u0041\\/"', "A/"), ('"// no comment"', "// no comment")]
WORDS: list[Written] = [("true", True), ("false", False), ("null", None)]
STRINGS: st.SearchStrategy[Written] = st.one_of(
    st.builds(_string, st.text(st.characters(exclude_categories=["Cs"]), max_size=6), st.booleans()),
    st.sampled_from(ODD_STRINGS),
)
SCALARS: st.SearchStrategy[Written] = st.one_of(STRINGS, NUMBERS.map(_number), st.sampled_from(WORDS))


@st.composite
def _objects(draw: st.DrawFn, inner: st.SearchStrategy[Written]) -> Written:
    keys = draw(st.lists(KEYS, unique=True, max_size=4))
    if draw(st.booleans()):
        return _neat(keys, [draw(inner) for _ in keys], draw(st.sampled_from(["  ", "\t", "    "])))
    parts: list[str] = []
    value: dict[str, Any] = {}
    for key in keys:
        written, value[key] = draw(inner)
        name = _quoted(key, draw(st.booleans()))
        parts.append(f"{draw(GAPS)}{name}{draw(GAPS)}:{draw(GAPS)}{written}{draw(GAPS)}")
    tail = f",{draw(GAPS)}" if parts and draw(st.booleans()) else ""
    return "{" + (",".join(parts) or draw(GAPS)) + tail + "}", value


def _neat(keys: list[str], items: list[Written], unit: str) -> Written:
    lines = [f"{unit}{_quoted(key, False)}: {item[0]}" for key, item in zip(keys, items, strict=True)]
    text = "{\n" + ",\n".join(lines) + "\n}" if lines else "{}"
    return text, {key: item[1] for key, item in zip(keys, items, strict=True)}


@st.composite
def _arrays(draw: st.DrawFn, inner: st.SearchStrategy[Written]) -> Written:
    items = draw(st.lists(inner, max_size=3))
    text = ",".join(f"{draw(GAPS)}{item[0]}{draw(GAPS)}" for item in items) or draw(GAPS)
    return "[" + text + ("," if items and draw(st.booleans()) else "") + "]", [item[1] for item in items]


def _nested() -> st.SearchStrategy[Written]:
    return st.recursive(SCALARS, lambda inner: _objects(inner) | _arrays(inner), max_leaves=8)


@st.composite
def foreign_jsonc(draw: st.DrawFn) -> tuple[bytes, Any]:
    """A file and its value; an empty value for a file of nothing but comments."""
    mark = draw(st.sampled_from(["", "", "\ufeff"]))
    if draw(st.integers(0, 9)) == 0:
        return (mark + draw(GAPS)).encode(), {}
    text, value = draw(_objects(_nested()))
    if draw(st.booleans()):
        text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    return (mark + draw(GAPS) + text + draw(GAPS)).encode(), value
