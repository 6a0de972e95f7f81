"""Values as YAML that every reader understands alike: plain words stay plain, all other text is quoted."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime

from sightline.sync.formats.failures import Unrenderable
from sightline.sync.formats.values import Value, is_list, is_mapping

_PLAIN = re.compile(r"[A-Za-z](?:[A-Za-z0-9_./,()' -]*[A-Za-z0-9_./)])?")
# YAML 1.1 readers take these for booleans, nulls or numbers.
_NOT_TEXT = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"))
_TO_ESCAPE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def yaml_lines(values: Mapping[str, Value], indent: str) -> Iterator[str]:
    """The lines of a mapping."""
    for key, value in values.items():
        yield from _entry(f"{indent}{yaml_string(key)}:", value, indent + "  ")


def _entry(head: str, value: Value, indent: str) -> Iterator[str]:
    if is_mapping(value) and value:
        yield head
        yield from yaml_lines(value, indent)
    elif is_list(value) and value:
        yield head
        for item in value:
            yield from _entry(f"{indent}-", item, indent + "  ")
    else:
        yield f"{head} {_scalar(value)}"


def yaml_string(text: str) -> str:
    """Text as a plain word where no reader can mistake it, else in double quotes with escapes."""
    if _PLAIN.fullmatch(text) and text.lower() not in _NOT_TEXT:
        return text
    if _SURROGATE.search(text):
        raise Unrenderable("YAML cannot hold half of a surrogate pair")
    quoted = json.dumps(text, ensure_ascii=False)
    return _TO_ESCAPE.sub(lambda found: f"\\u{ord(found.group()):04x}", quoted)


def _scalar(value: Value) -> str:
    if isinstance(value, str):
        return yaml_string(value)
    if is_mapping(value) or is_list(value):
        return "{}" if is_mapping(value) else "[]"
    if isinstance(value, float):
        return _float(value)
    if value is None or isinstance(value, bool | int):
        return json.dumps(value)
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    raise Unrenderable(f"frontmatter has no {type(value).__name__}")


def _float(value: float) -> str:
    if not math.isfinite(value):
        raise Unrenderable("frontmatter has no infinite numbers")
    written = repr(value)
    # Readers of YAML 1.1 take `1e16` for text: they want a dot.
    return written if "." in written or "e" not in written else written.replace("e", ".0e")
