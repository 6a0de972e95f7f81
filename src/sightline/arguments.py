"""From the arguments a caller sent to the record a tool takes, with messages that name the mistake.

pydantic does the checking; none of its words or errors leave this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from sightline.errors import invalid_params

if TYPE_CHECKING:
    from pydantic import TypeAdapter

M = TypeVar("M")

_SHOWN_NAMES = 5

SHARED_PARAMETERS = ("max_results", "max_total_chars", "project")


def parse_arguments(model: type[M], arguments: Mapping[str, Any]) -> M:
    """The input record; raises `ToolFailure(invalid_params)` that names every wrong argument."""
    unknown = [str(name) for name in arguments if name not in parameter_names(model)]
    if unknown:
        raise invalid_params(_unknown_message(unknown, parameter_names(model)), _parameters_remedy(model))
    from pydantic import ValidationError

    try:
        parsed: Any = _adapter(model).validate_python({k: v for k, v in arguments.items() if v is not None})
    except ValidationError as error:
        problems = "; ".join(_problem(each) for each in error.errors(include_url=False)[:_SHOWN_NAMES])
        raise invalid_params(problems, _parameters_remedy(model)) from None
    for name, value in arguments.items():  # pydantic takes true for 1
        if isinstance(value, bool) and not isinstance(getattr(parsed, name), bool):
            raise invalid_params(f"`{name}`: must be an integer; got bool", _parameters_remedy(model))
    return parsed


def nearest(name: str, known: list[str]) -> str | None:
    """The known name most like `name`, if any is alike."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, known, n=1, cutoff=0.6)), None)


def parameter_names(model: type) -> list[str]:
    """The parameters of a tool, its own first and those that every tool has last."""
    names = [each.name for each in fields(model)]
    return sorted(names, key=lambda name: name in SHARED_PARAMETERS)


@lru_cache(maxsize=256)
def _adapter(model: type[M]) -> TypeAdapter[M]:
    from pydantic import TypeAdapter

    return TypeAdapter(model)


def _unknown_message(unknown: list[str], known: list[str]) -> str:
    def described(name: str) -> str:
        guess = nearest(name, known)
        shown = name if len(name) <= 60 else name[:60] + "…"
        return f"`{shown}` (did you mean `{guess}`?)" if guess else f"`{shown}`"

    more = f" and {len(unknown) - _SHOWN_NAMES} more" if len(unknown) > _SHOWN_NAMES else ""
    return "unknown argument: " + ", ".join(map(described, unknown[:_SHOWN_NAMES])) + more


def _parameters_remedy(model: type) -> str:
    return "parameters of this tool: " + ", ".join(f"`{name}`" for name in parameter_names(model))


def _problem(error: Any) -> str:
    place = ".".join(str(part) for part in error["loc"]) or "arguments"
    return f"`{place}`: {_WORDS.get(error['type'], _generic)(error)}"


def _generic(error: Any) -> str:
    return str(error["msg"]).replace("Input should be", "must be").replace("Value error, ", "")


def _too_long(error: Any) -> str:
    limit = error["ctx"]["max_length"]
    return f"at most {limit:,} characters or items; got {len(error['input']):,}"


def _wrong_type(wanted: str) -> Any:
    def describe(error: Any) -> str:
        return f"must be {wanted}; got {type(error['input']).__name__}"

    return describe


def _fractional(error: Any) -> str:
    return f"must be a whole number; got {error['input']}"


def _too_big(_error: Any) -> str:
    return "must be a smaller number"


def _no_match(error: Any) -> str:
    return f"must match {error['ctx']['pattern']}"


def _missing(_error: Any) -> str:
    return "is required"


def _unknown_key(_error: Any) -> str:
    return "is not known here"


_WORDS: dict[str, Any] = {
    "unexpected_keyword_argument": _unknown_key,
    "missing": _missing,
    "string_too_long": _too_long,
    "too_long": _too_long,
    "string_type": _wrong_type("a string"),
    "int_type": _wrong_type("an integer"),
    "int_parsing": _wrong_type("an integer"),
    "int_parsing_size": _too_big,
    "int_from_float": _fractional,
    "bool_type": _wrong_type("true or false"),
    "bool_parsing": _wrong_type("true or false"),
    "list_type": _wrong_type("a list"),
    "dict_type": _wrong_type("an object"),
    "dataclass_type": _wrong_type("an object"),
    "string_pattern_mismatch": _no_match,
}
