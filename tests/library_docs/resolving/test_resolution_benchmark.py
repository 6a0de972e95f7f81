"""How well names are resolved with the bundled registry, held against tables that were reviewed by hand.

`pytest -s` prints the figures.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from sightline.library_docs.libraries import python_name
from sightline.library_docs.registry import Registry, load_registry
from sightline.library_docs.resolving import Resolution, Surroundings, parse_library_query, resolve
from tests.library_docs.resolving.known_packages import KnownPackages

DATA = Path(__file__).parent / "data"
LEAST_RECALL = 0.98
LEAST_TYPOS = 0.9


@pytest.fixture(scope="module")
def registry() -> Registry:
    return load_registry(None)


def lines(name: str) -> list[str]:
    return [line for line in (DATA / name).read_text().splitlines() if line and not line.startswith("#")]


def table(name: str) -> list[tuple[str, list[str]]]:
    """Queries with the libraries that may be meant; a query may hold ` = ` itself."""
    return [(query, ids.split()) for query, _, ids in (line.rpartition(" = ") for line in lines(name))]


def ask(text: str, registry: Registry, *installed: KnownPackages) -> Resolution:
    return resolve(
        parse_library_query(text), Surroundings(registry, installed, standard_library=sys.stdlib_module_names)
    )


def ids(resolution: Resolution) -> list[str]:
    return [str(match.library) for match in resolution.matches]


def misses_and_wrong(answers: Iterable[tuple[str, list[str], list[str]]]) -> tuple[list[str], list[str]]:
    """The queries whose first library was not found, and those with a library that cannot be meant."""
    misses: list[str] = []
    wrong: list[str] = []
    for query, accepted, found in answers:
        if accepted[0] not in found:
            misses.append(query)
        wrong += [f"{query}: {name}" for name in found if name not in accepted]
    return misses, wrong


def report(what: str, total: int, misses: list[str], wrong: list[str]) -> None:
    sys.stdout.write(f"\n{what}: {total - len(misses)} of {total} found, {len(wrong)} wrong; missed: {misses}\n")


def test_popular_names_are_found_and_never_taken_for_another_library(registry: Registry) -> None:
    rows = table("popular_names.txt")
    misses, wrong = misses_and_wrong((query, accepted, ids(ask(query, registry))) for query, accepted in rows)
    report("popular names", len(rows), misses, wrong)

    assert len(rows) >= 300
    assert wrong == []
    assert len(misses) <= (1 - LEAST_RECALL) * len(rows)


def test_popular_names_with_a_version_or_an_ecosystem_are_found_in_that_ecosystem_only(registry: Registry) -> None:
    rows = table("popular_names.txt")
    answers = [
        (query, [library], ids(ask(f"{library}{form}", registry)))
        for query, accepted in rows
        for library in accepted
        for form in ("", "@1.2.3")
    ]
    misses, wrong = misses_and_wrong(answers)
    report("names with ecosystem", len(answers), misses, wrong)

    assert wrong == []
    assert len(misses) <= (1 - LEAST_RECALL) * len(answers)


def test_import_names_are_found_and_never_taken_for_another_library(registry: Registry) -> None:
    rows = table("import_names.txt")
    misses, wrong = misses_and_wrong((query, accepted, ids(ask(query, registry))) for query, accepted in rows)
    report("import names", len(rows), misses, wrong)

    assert len(rows) >= 100
    assert wrong == []
    assert len(misses) <= (1 - LEAST_RECALL) * len(rows)


def test_installed_names_are_found_first_whether_the_registry_knows_them_or_not(registry: Registry) -> None:
    popular = [accepted[0] for _, accepted in table("popular_names.txt")]
    names = [name.removeprefix("pypi:") for name in popular if name.startswith("pypi:")]
    names += [python_name(name) for name in lines("invented_names.txt") if not name.startswith("@")]
    installed = KnownPackages("pypi", dict.fromkeys(names, "1.0"))
    firsts = [(name, ask(name, registry, installed).matches[0]) for name in names]
    misses = [name for name, match in firsts if (match.library.name, match.matched_via) != (name, "installed")]
    report("installed names", len(names), misses, [])

    assert misses == []


def test_invented_names_have_no_match(registry: Registry) -> None:
    names = lines("invented_names.txt")
    found = {name: ids(ask(name, registry)) for name in names}
    suggested = [name for name in names if ask(name, registry).did_you_mean]
    sys.stdout.write(f"\ninvented names: {len(names)}, with a suggestion: {len(suggested)} {suggested}\n")

    assert len(names) >= 100
    assert {name: libraries for name, libraries in found.items() if libraries} == {}


def test_typos_are_no_match_and_the_right_library_is_suggested(registry: Registry) -> None:
    rows = table("typos.txt")
    answers = [(typo, meant[0], ask(typo, registry)) for typo, meant in rows]
    matched = [typo for typo, _, resolution in answers if resolution.matches]
    suggested = [
        (typo, meant, [str(suggestion.library) for suggestion in resolution.did_you_mean])
        for typo, meant, resolution in answers
    ]
    missed = [typo for typo, meant, names in suggested if meant not in names]
    first = sum(names[:1] == [meant] for _, meant, names in suggested)
    sys.stdout.write(f"\ntypos: {len(rows) - len(missed)} of {len(rows)} suggested, {first} as the first; {missed}\n")

    assert len(rows) >= 100
    assert matched == []
    assert len(missed) <= (1 - LEAST_TYPOS) * len(rows)


def test_every_library_of_the_registry_is_found_by_its_id_and_is_the_only_match(registry: Registry) -> None:
    others = {
        str(library): found
        for library in registry.entries
        if (found := ids(ask(str(library), registry))) != [str(library)]
    }

    assert others == {}
