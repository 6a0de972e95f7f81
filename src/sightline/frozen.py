"""Frozen, slotted dataclasses that cost a quarter of the time to define; a short command defines hundreds of them.

`dataclass` compiles six methods of each class from text. Here only `__init__` is compiled, the others are shared. The
classes are dataclasses for everything that asks: `fields`, `replace`, `asdict`, `match`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any, TypeVar, dataclass_transform

C = TypeVar("C")

_MISSING: Any = object()


@dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field,))
def frozen(cls: type[C]) -> type[C]:
    """The class as a frozen, slotted dataclass, equal by its fields."""
    return _frozen(cls, kw_only=False)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(dataclasses.field,))
def frozen_by_name(cls: type[C]) -> type[C]:
    """The same, with fields that are given by their names only."""
    return _frozen(cls, kw_only=True)


def _frozen(cls: type[C], *, kw_only: bool) -> type[C]:
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)(cls)
    fields = dataclasses.fields(made)
    if any(not field.init and field.default_factory is dataclasses.MISSING for field in fields):
        raise TypeError(f"`{cls.__qualname__}`: a field that is not given needs a factory")
    methods = {
        "__init__": _init(made, fields),
        "__setattr__": _refuse_setting,
        "__delattr__": _refuse_deleting,
        "__getstate__": _state,
        "__setstate__": _set_state,
        "__repr__": recursive_repr()(_shown),
        **_comparing([field.name for field in fields if field.compare]),
    }
    for name, method in methods.items():
        if name not in cls.__dict__:
            setattr(made, name, method)
    return made


def _init(cls: type, fields: tuple[dataclasses.Field[Any], ...]) -> Callable[..., None]:
    """`def __init__(self, a, b=<default>, *, c=<default>)`, compiled, so that a call with wrong arguments says so."""
    known: dict[str, Any] = {"_set": object.__setattr__, "_missing": _MISSING}
    given = [_parameter(field, known) for field in fields if field.init and not field.kw_only]
    by_name = [_parameter(field, known) for field in fields if field.init and field.kw_only]
    lines = [f"def __init__({', '.join(('self', *given, *(('*', *by_name) if by_name else ())))}):"]
    lines += (f" _set(self, {field.name!r}, {_content(field, known)})" for field in fields)
    lines.append(" self.__post_init__()" if hasattr(cls, "__post_init__") else " return")
    exec("\n".join(lines), known)  # noqa: S102 - our own text, as `dataclasses` does it
    made = known["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


def _parameter(field: dataclasses.Field[Any], known: dict[str, Any]) -> str:
    if field.default_factory is not dataclasses.MISSING:
        return f"{field.name}=_missing"
    if field.default is dataclasses.MISSING:
        return field.name
    known[f"_default_{field.name}"] = field.default
    return f"{field.name}=_default_{field.name}"


def _content(field: dataclasses.Field[Any], known: dict[str, Any]) -> str:
    """What the field is set to: as given, or made anew; one that is not given is always made."""
    if field.default_factory is dataclasses.MISSING:
        return field.name
    known[f"_make_{field.name}"] = field.default_factory
    made = f"_make_{field.name}()"
    return f"{made} if {field.name} is _missing else {field.name}" if field.init else made


def _comparing(names: list[str]) -> dict[str, Any]:
    contents: Callable[[Any], Any] = attrgetter(*names) if names else _nothing

    def is_equal(self: Any, other: object) -> Any:
        return contents(self) == contents(other) if other.__class__ is self.__class__ else NotImplemented

    def hashed(self: Any) -> int:
        return hash(contents(self))

    return {"__eq__": is_equal, "__hash__": hashed}


def _nothing(_: object) -> tuple[()]:
    return ()


def _shown(self: Any) -> str:
    shown = (f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self) if field.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse_setting(self: object, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deleting(self: object, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for field, content in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, content)
