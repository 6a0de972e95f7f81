"""The registry as one object: names, import names, aliases, places."""

from __future__ import annotations

import pytest

from sightline.library_docs.libraries import LibraryId
from tests.library_docs.registry.sample_registries import registry_with


def names(entries: tuple[object, ...]) -> list[str]:
    return [str(getattr(entry, "library", None)) for entry in entries]


def test_one_name_in_two_ecosystems_is_two_libraries() -> None:
    registry = registry_with({"pypi:redis": {"version": "7.0.0"}, "npm:redis": {"version": "5.0.0"}})

    python, npm = registry.by_name("pypi", "Redis"), registry.by_name("npm", "redis")

    assert python
    assert npm
    assert (python.version, npm.version) == ("7.0.0", "5.0.0")
    assert registry.by_name("python", "redis") is None


def test_a_reviewed_provider_of_an_import_hides_one_that_is_assumed() -> None:
    registry = registry_with({"pypi:jwt": {}, "pypi:pyjwt": {"imports": ["jwt"]}})

    assert names(registry.by_import("pypi", "jwt")) == ["pypi:pyjwt"]
    assert registry.by_import("npm", "jwt") == ()


def test_the_usual_provider_of_an_import_comes_before_the_others() -> None:
    rows: dict[str, object] = {
        "pypi:pycrypto": {"imports": ["Crypto"], "secondary": True},
        "pypi:pycryptodome": {"imports": ["Crypto"]},
        "pypi:psycopg2": {},
        "pypi:psycopg2-binary": {"imports": ["psycopg2"], "secondary": True},
    }
    registry = registry_with(rows)

    assert names(registry.by_import("pypi", "Crypto")) == ["pypi:pycryptodome", "pypi:pycrypto"]
    assert names(registry.by_import("pypi", "psycopg2")) == ["pypi:psycopg2", "pypi:psycopg2-binary"]


def test_an_alias_is_found_whatever_its_case() -> None:
    registry = registry_with({"npm:next": {"aliases": ["next.js"]}})

    assert names(registry.by_alias("Next.js")) == ["npm:next"]
    assert registry.by_alias("next") == ()


def test_places_belong_to_one_library_only() -> None:
    registry = registry_with({"pypi:a": {"docs": "https://a.example.com/"}, "pypi:b": {}})

    assert [place.host for place in registry.allowed_places(LibraryId("pypi", "a"))] == ["a.example.com"]
    assert registry.allowed_places(LibraryId("pypi", "b")) == ()
    assert registry.allowed_places(LibraryId("pypi", "unknown")) == ()
    assert set(registry.places_of_all()) == {LibraryId("pypi", "a"), LibraryId("pypi", "b")}


def test_the_registry_cannot_be_changed() -> None:
    registry = registry_with({"pypi:a": {}})

    with pytest.raises(TypeError):
        registry.entries[LibraryId("pypi", "b")] = registry.entries[LibraryId("pypi", "a")]  # pyright: ignore[reportIndexIssue]
