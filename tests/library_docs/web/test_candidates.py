"""Which pages of a library are tried, and in which order."""

from __future__ import annotations

from sightline.library_docs.libraries import LibraryId
from sightline.library_docs.registry.entries import Entry
from sightline.library_docs.web.candidates import candidates, inventory_address

RTD = Entry(
    library=LibraryId("pypi", "bakery"),
    docs="https://bakery.readthedocs.io/en/stable/",
    homepage="https://github.com/baker/bakery",
    repo="https://github.com/baker/bakery",
)


def test_the_site_of_the_installed_version_comes_before_the_newest_one() -> None:
    found = candidates(RTD, "2.4.1")

    assert [(each.url, each.version) for each in found[:3]] == [
        ("https://bakery.readthedocs.io/en/2.4.1/", "2.4.1"),
        ("https://bakery.readthedocs.io/en/v2.4.1/", "2.4.1"),
        ("https://bakery.readthedocs.io/en/2.4/", "2.4"),
    ]
    assert [each.url for each in found].index("https://bakery.readthedocs.io/en/stable/") > 2


def test_a_repository_is_no_site_but_its_readme_is_tried_at_the_tag_first() -> None:
    found = [each for each in candidates(RTD, "2.4.1") if each.kind == "readme"]

    assert found[0].url == "https://raw.githubusercontent.com/baker/bakery/2.4.1/README.md"
    assert (found[-1].url.split("/")[5], found[-1].version) == ("HEAD", None)
    assert "https://github.com/baker/bakery" not in [each.url for each in candidates(RTD, "2.4.1")]


def test_a_known_index_is_tried_and_nothing_is_guessed_beside_it() -> None:
    entry = Entry(
        library=LibraryId("npm", "oven"), docs="https://oven.example/docs/", llms_txt="https://oven.example/llms.txt"
    )

    assert [each.url for each in candidates(entry, None)] == [
        "https://oven.example/llms.txt",
        "https://oven.example/docs/",
    ]


def test_nothing_known_gives_nothing_to_try() -> None:
    assert candidates(Entry(library=LibraryId("pypi", "bakery")), "1.0") == []


def test_an_inventory_is_looked_for_at_the_root_of_the_release() -> None:
    assert inventory_address("https://a.example/en/stable/guide/x.html") == "https://a.example/en/stable/objects.inv"
    assert inventory_address("https://a.example/docs/x.html") == "https://a.example/docs/objects.inv"
    assert inventory_address("https://a.example") == "https://a.example/objects.inv"


def test_the_readme_of_a_repository_that_others_share_is_not_tried() -> None:
    assert [each for each in candidates(RTD, "2.4.1", has_own_repo=False) if each.kind == "readme"] == []
