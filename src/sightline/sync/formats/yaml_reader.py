"""YAML 1.2 read safely into plain values: no tags of its own, no key twice, no bombs. The edge to ruamel.yaml.

Messages name the place and never quote a value, which may be a secret.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, cast

from sightline.sync.formats.failures import Malformed
from sightline.sync.formats.values import Value

_DEEPEST = 50
_MOST_VALUES = 20_000
_MOST_BRACKETS = 200
_BRACKET = re.compile(r"[\[\]{}]")
# ruamel.yaml 0.19 lets Python's own errors through: `2024-99-99`, an empty `!!int`, an `!!omap` of text.
_LEAKS = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, AssertionError, NotImplementedError)


def load_yaml(text: str, *, first_line: int = 1) -> Mapping[str, Value]:
    """A mapping, empty for no text; raises `Malformed`, counting lines from `first_line`."""
    if _bracket_depth(text) > _MOST_BRACKETS:
        raise Malformed(first_line, 1, "nested too deep")
    loaded = _parse(text, first_line)
    if loaded is None:
        return {}
    if not isinstance(loaded, dict):
        raise Malformed(first_line, 1, "this is not a mapping of keys to values")
    value: Any = _Converter(first_line).convert(loaded, 0)
    return value


def _bracket_depth(text: str) -> int:
    """The deepest that brackets can nest, quoted ones counted too: ruamel.yaml takes seconds to refuse thousands."""
    depth = deepest = 0
    for found in _BRACKET.finditer(text):
        depth += 1 if found.group() in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _parse(text: str, first_line: int) -> Any:
    from ruamel.yaml import YAML
    from ruamel.yaml.constructor import DuplicateKeyError
    from ruamel.yaml.error import MarkedYAMLError, YAMLError
    from ruamel.yaml.reader import ReaderError

    parser: Any = YAML(typ="safe", pure=True)
    parser.version = (1, 2)
    parser.composer.warn_double_anchors = False
    try:
        return parser.load(text)
    except DuplicateKeyError as error:
        raise _marked(error, first_line, "this key is there twice") from None
    except MarkedYAMLError as error:
        problem = getattr(error, "problem", None) or getattr(error, "context", None)
        raise _marked(error, first_line, str(problem)) from None
    except ReaderError as error:
        before = text[: int(getattr(error, "position", 0))]
        raise Malformed(before.count("\n") + first_line, 1, "a character that YAML does not allow") from None
    except RecursionError:
        raise Malformed(first_line, 1, "nested too deep") from None
    except (YAMLError, *_LEAKS):
        raise Malformed(first_line, 1, "a value does not fit its type") from None


def _marked(error: object, first_line: int, message: str) -> Malformed:
    mark: Any = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    return (
        Malformed(first_line, 1, message)
        if mark is None
        else Malformed(mark.line + first_line, mark.column + 1, message)
    )


@dataclass(slots=True)
class _Converter:
    """Aliases make small text large, or endless: everything is counted."""

    first_line: int
    count: int = 0

    def convert(self, loaded: Any, depth: int) -> Value:
        self.count += 1
        if depth > _DEEPEST or self.count > _MOST_VALUES:
            raise self._fail("nested too deep, or too many values")
        if isinstance(loaded, dict):
            items = cast("dict[Any, Any]", loaded)
            return {self._key(key): self.convert(item, depth + 1) for key, item in items.items()}
        if isinstance(loaded, list):
            values = cast("list[Any]", loaded)
            return [self.convert(item, depth + 1) for item in values]
        if loaded is None or isinstance(loaded, str | bool | int | float | datetime | date):
            return loaded
        raise self._fail(f"a value of a kind that is not used here: {type(loaded).__name__}")

    def _key(self, key: Any) -> str:
        if isinstance(key, bool) or key is None:
            return {True: "true", False: "false", None: "null"}[key]
        if isinstance(key, str | int | float | date):
            return str(key)
        raise self._fail("a key that is not text")

    def _fail(self, message: str) -> Malformed:
        return Malformed(self.first_line, 1, message)
