"""Generated TOML files of other people: comments, dotted keys, tables out of order, arrays of tables, odd spacing."""

from __future__ import annotations

import tomllib
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

COMMENT_TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)
COMMENTS = st.one_of(
    COMMENT_TEXT.map(lambda text: "#" + text), st.sampled_from(["# [t]", '# key = "value"', '#"""', "# ]", "#\ttab"])
)
BLANKS = st.sampled_from(["", "", " ", "  ", "\t"])
KEYS = st.sampled_from(["a", "b", "c", "d", "e-1", "mcp_servers", '"q u"', '"é.x"', "'lit'", '""', "1"])
FEW_KEYS = st.sampled_from(["a", "b", "x", "mcp_servers", '"q u"'])
SCALARS = st.sampled_from(
    [
        "1", "-17", "0xFF", "1_000", "1.50", "-0.0", "6e-3", "inf", "nan", "true", "false",
        '"text"', '"a \\" b \\u00e9 # no"', "'lit \\ # no'", '"""\nlong\n[t]\n# no\n"""', '""""q""""',
        "'''\nraw \"x\" = 1\n'''",
        "1979-05-27", "1979-05-27T07:32:00Z", "1979-05-27 07:32:00.5-07:00", "07:32:00", '"😀"', '""',
    ]
)  # fmt: skip
OWNED_VALUES = st.recursive(
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
    | st.datetimes()
    | st.dates()
    | st.times(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


@st.composite
def _dotted(draw: st.DrawFn, names: st.SearchStrategy[str] = KEYS) -> str:
    keys = draw(st.lists(names, min_size=1, max_size=3))
    return f"{draw(BLANKS)}.{draw(BLANKS)}".join(keys)


@st.composite
def _arrays(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    gaps = st.one_of(BLANKS, st.sampled_from(["\n", "\n  "]), COMMENTS.map(lambda text: f" {text}\n  "))
    items = draw(st.lists(inner, max_size=3))
    text = ",".join(f"{draw(gaps)}{item}{draw(gaps)}" for item in items) or draw(gaps)
    return "[" + text + ("," + draw(gaps) if items and draw(st.booleans()) else "") + "]"


@st.composite
def _inline(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    keys = draw(st.lists(st.one_of(KEYS, _dotted()), max_size=3))
    parts = [f"{draw(BLANKS)}{key}{draw(BLANKS)}={draw(BLANKS)}{draw(inner)}{draw(BLANKS)}" for key in keys]
    return "{" + (",".join(parts) or draw(BLANKS)) + "}"


VALUES = st.recursive(SCALARS, lambda inner: _arrays(inner) | _inline(inner), max_leaves=5)


@st.composite
def _pair(draw: st.DrawFn) -> str:
    key = draw(st.one_of(KEYS, KEYS, _dotted()))
    return f"{draw(BLANKS)}{key}{draw(BLANKS)}={draw(BLANKS)}{draw(VALUES)}"


@st.composite
def _header(draw: st.DrawFn) -> str:
    opening, closing = draw(st.sampled_from([("[", "]"), ("[", "]"), ("[[", "]]")]))
    return f"{draw(BLANKS)}{opening}{draw(BLANKS)}{draw(_dotted(FEW_KEYS))}{draw(BLANKS)}{closing}"


@st.composite
def _line(draw: st.DrawFn) -> str:
    kind = draw(st.sampled_from(["pair", "pair", "pair", "header", "header", "comment", "blank"]))
    if kind == "blank":
        return draw(BLANKS)
    if kind == "comment":
        return draw(BLANKS) + draw(COMMENTS)
    statement = draw(_pair() if kind == "pair" else _header())
    return statement + draw(BLANKS) + (draw(COMMENTS) if draw(st.integers(0, 3)) == 0 else "")


def _says(lines: list[str]) -> dict[str, Any] | None:
    try:
        return tomllib.loads("\n".join(lines))
    except tomllib.TOMLDecodeError:
        return None


@st.composite
def foreign_toml(draw: st.DrawFn) -> tuple[bytes, dict[str, Any]]:
    """A file and its value; lines that would make it no TOML are left out."""
    lines: list[str] = []
    for line in draw(st.lists(_line(), min_size=draw(st.sampled_from([0, 6, 12])), max_size=18)):
        if _says([*lines, line]) is not None:
            lines.append(line)
    ending = draw(st.sampled_from(["", "\n", "\n", "\n\n"])) if lines else ""
    text = "\n".join(lines) + ending
    value = _says([text])
    assume(value is not None)
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return (draw(st.sampled_from(["", "", "\ufeff"])) + text).encode(), value or {}
