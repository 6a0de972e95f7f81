"""Frozen classes are dataclasses to everybody who asks, and behave like those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import field
from typing import Any

import pytest

from sightline.frozen import frozen


@frozen
class Point:
    """Two numbers; the label is for show."""

    x: int
    y: int = 2
    tags: list[str] = field(default_factory=list[str], repr=False)
    label: str = field(default="", kw_only=True, compare=False)
    memo: dict[str, int] = field(default_factory=dict[str, int], init=False, compare=False, repr=False)

    @property
    def total(self) -> int:
        return self.x + self.y


@frozen
class Point3(Point):
    """A field more."""

    z: int = 0


@frozen
class Even:
    """Checks itself."""

    number: int

    def __post_init__(self) -> None:
        if self.number % 2:
            raise ValueError(self.number)

    def __repr__(self) -> str:
        return "an even number"


@dataclasses.dataclass(frozen=True, slots=True)
class Plain:
    """The model to be like."""

    x: int
    y: int = 2
    tags: list[str] = field(default_factory=list[str], repr=False)
    label: str = field(default="", kw_only=True, compare=False)
    memo: dict[str, int] = field(default_factory=dict[str, int], init=False, compare=False, repr=False)


@frozen
class Hashed:
    """Only what can be hashed."""

    x: int
    name: str


def test_fields_are_set_by_place_by_name_and_by_default() -> None:
    point = Point(1, tags=["a"], label="here")
    assert (point.x, point.y, point.tags, point.label, point.memo, point.total) == (1, 2, ["a"], "here", {}, 3)
    assert Point3(1, z=4).z == 4


def test_what_is_made_by_default_is_made_for_each() -> None:
    one, two = Point(1), Point(1)
    assert one.tags is not two.tags
    assert one.memo is not two.memo


@pytest.mark.parametrize("arguments", [(), (1, 2, [], "label"), (1, 2, [], "label", {})])
def test_wrong_arguments_are_refused(arguments: tuple[Any, ...]) -> None:
    for kind in (Point, Plain):
        with pytest.raises(TypeError, match=f"{kind.__name__}.__init__|argument"):
            kind(*arguments)


def test_nothing_can_be_set_or_deleted_or_added() -> None:
    point: Any = Point(1)
    for change in (lambda: setattr(point, "x", 5), lambda: delattr(point, "x"), lambda: setattr(point, "new", 5)):
        with pytest.raises(dataclasses.FrozenInstanceError):
            change()
    assert not hasattr(point, "__dict__")
    assert point.x == 1


def test_equality_and_hash_are_by_the_compared_fields_of_the_same_class() -> None:
    assert Point(1, label="a") == Point(1, label="b")
    assert Point(1) != Point(1, 3)
    assert Point(1) != Point3(1)
    assert Point(1) != Plain(1)
    assert len({Hashed(1, "a"), Hashed(1, "a"), Hashed(2, "a")}) == 2
    with pytest.raises(TypeError, match="unhashable"):
        hash(Point(1))


def test_it_is_shown_as_a_dataclass_is() -> None:
    assert repr(Point(1, label="a")) == repr(Plain(1, label="a")).replace("Plain", "Point")
    assert repr(Even(2)) == "an even number"


def test_a_check_of_its_own_is_made() -> None:
    with pytest.raises(ValueError, match="3"):
        Even(3)


def test_the_tools_for_dataclasses_work() -> None:
    point = Point(1, tags=["a"])
    assert dataclasses.is_dataclass(point)
    assert dataclasses.replace(point, y=7) == Point(1, 7, ["a"])
    assert dataclasses.asdict(point) == {"x": 1, "y": 2, "tags": ["a"], "label": "", "memo": {}}
    match point:
        case Point(x, y):
            assert (x, y) == (1, 2)


def test_copies_and_pickles_are_equal() -> None:
    point = Point3(1, tags=["a"], z=3)
    assert copy.copy(point) == copy.deepcopy(point) == pickle.loads(pickle.dumps(point)) == point
