"""Which library a query means, with a small registry made by hand."""

from __future__ import annotations

import pytest

from sightline.library_docs.libraries import Ecosystem
from sightline.library_docs.resolving import (
    Declared,
    DeclaredPackages,
    Resolution,
    Surroundings,
    parse_library_query,
    resolve,
)
from sightline.library_docs.resolving.suggestions import most_edits
from tests.library_docs.registry.sample_registries import registry_with
from tests.library_docs.resolving.known_packages import KnownPackages

REGISTRY = registry_with(
    {
        "pypi:click": {"version": "8.3.0"},
        "pypi:redis": {"version": "7.0.0"},
        "npm:redis": {"version": "5.0.0"},
        "npm:react": {"version": "19.0.0", "repo": "https://github.com/react/react", "aliases": ["reactjs"]},
        "npm:next": {"repo": "https://github.com/vercel/next.js", "aliases": ["next.js"]},
        "npm:vercel": {},
        "npm:socket.io": {},
        "npm:dotenv": {},
        "npm:@aws-sdk/client-s3": {},
        "pypi:python-dotenv": {"imports": ["dotenv"]},
        "pypi:pillow": {"imports": ["PIL"]},
        "pypi:opencv-python": {"imports": ["cv2"]},
        "pypi:opencv-python-headless": {"imports": ["cv2"], "secondary": True},
        "pypi:protobuf": {"imports": ["google.protobuf"]},
        "pypi:google-cloud-storage": {"imports": ["google.cloud.storage"]},
        "pypi:opentelemetry-api": {"imports": ["opentelemetry", "opentelemetry.trace"]},
        "pypi:opentelemetry-sdk": {"imports": ["opentelemetry.sdk"]},
        "pypi:scikit-learn": {"imports": ["sklearn"], "aliases": ["scikit learn"]},
        "pypi:datetime": {"imports": ["DateTime"]},
        "pypi:requests": {},
        "pypi:uv": {},
    }
)
NOTHING = DeclaredPackages()
STANDARD = frozenset({"json", "os", "socket", "datetime", "asyncio", "xml"})


def answer(
    text: str,
    ecosystem: Ecosystem | None = None,
    installed: tuple[KnownPackages, ...] = (),
    declared: DeclaredPackages = NOTHING,
) -> Resolution:
    return resolve(parse_library_query(text), Surroundings(REGISTRY, installed, declared, STANDARD), ecosystem)


def ids(resolution: Resolution) -> list[str]:
    return [str(match.library) for match in resolution.matches]


def suggested(resolution: Resolution) -> list[str]:
    return [str(suggestion.library) for suggestion in resolution.did_you_mean]


@pytest.mark.parametrize(
    ("text", "expected", "via"),
    [
        ("click", ["pypi:click"], "package_name"),
        ("Click>=8", ["pypi:click"], "package_name"),
        ("pypi:click", ["pypi:click"], "library_id"),
        ("uv", ["pypi:uv"], "package_name"),
        ("React", ["npm:react"], "package_name"),
        ("reactjs", ["npm:react"], "alias"),
        ("Next.js", ["npm:next"], "alias"),
        ("scikit learn", ["pypi:scikit-learn"], "alias"),
        ("import PIL", ["pypi:pillow"], "import_name"),
        ("PIL.Image", ["pypi:pillow"], "import_name"),
        ("pypi:PIL", ["pypi:pillow"], "import_name"),
        ("import cv2", ["pypi:opencv-python", "pypi:opencv-python-headless"], "import_name"),
        ("from google.cloud import storage", ["pypi:google-cloud-storage"], "import_name"),
        ("from google.protobuf.message import Message", ["pypi:protobuf"], "import_name"),
        ("import json", ["python:json"], "standard_library"),
        ("json", ["python:json"], "standard_library"),
        ("os.path", ["python:os"], "standard_library"),
        ("python:asyncio.TaskGroup", ["python:asyncio"], "standard_library"),
        ("datetime", ["python:datetime"], "standard_library"),
        ("pypi:datetime", ["pypi:datetime"], "library_id"),
        ("import DateTime", ["pypi:datetime"], "import_name"),
        ("socket.io", ["npm:socket.io"], "package_name"),
        ("@aws-sdk/client-s3/commands", ["npm:@aws-sdk/client-s3"], "package_name"),
        ('require("redis/client")', ["npm:redis"], "package_name"),
    ],
)
def test_an_exact_name_gives_its_library_and_says_how(text: str, expected: list[str], via: str) -> None:
    resolution = answer(text)

    assert ids(resolution) == expected
    assert resolution.matches[0].matched_via == via
    assert resolution.is_known
    assert resolution.did_you_mean == ()


def test_a_name_in_both_ecosystems_gives_both_never_one_for_the_other() -> None:
    assert ids(answer("redis")) == ["pypi:redis", "npm:redis"]
    assert ids(answer("npm:redis")) == ["npm:redis"]
    assert ids(answer("redis==5")) == ["pypi:redis"]
    assert ids(answer("redis", "npm")) == ["npm:redis"]
    assert ids(answer("pypi:redis", "npm")) == []
    assert ids(answer("datetime", "pypi")) == ["pypi:datetime"]


def test_an_import_name_comes_after_a_package_of_that_very_name() -> None:
    assert ids(answer("dotenv")) == ["npm:dotenv", "pypi:python-dotenv"]
    assert ids(answer("import dotenv")) == ["pypi:python-dotenv"]


NPM_REDIS = Declared("npm", "redis", "^4", None, "package.json")
PYTHON_REDIS = Declared("pypi", "redis", None, None, "pyproject.toml")


@pytest.mark.parametrize(
    ("installed", "declared", "first"),
    [
        ({}, DeclaredPackages(kinds=("npm",)), "npm:redis"),
        ({}, DeclaredPackages(kinds=("pypi",)), "pypi:redis"),
        ({}, DeclaredPackages((NPM_REDIS,)), "npm:redis"),
        ({"redis": "4.6.0"}, NOTHING, "npm:redis"),
        ({"redis": "4.6.0"}, DeclaredPackages((PYTHON_REDIS,), kinds=("pypi",)), "npm:redis"),
    ],
)
def test_what_the_project_uses_comes_first(installed: dict[str, str], declared: DeclaredPackages, first: str) -> None:
    assert ids(answer("redis", None, (KnownPackages("npm", installed),), declared))[0] == first


def test_a_match_carries_the_installed_declared_locked_and_latest_version() -> None:
    declared = DeclaredPackages((Declared("pypi", "click", ">=8", "8.1.7", "pyproject.toml"),), kinds=("pypi",))
    installed = (KnownPackages("pypi", {"click": "8.1.6"}),)

    (match,) = answer("click", installed=installed, declared=declared).matches

    assert (match.installed, match.declared, match.locked, match.latest) == ("8.1.6", ">=8", "8.1.7", "8.3.0")
    assert (match.matched_via, match.declared_in, match.relevance) == ("installed", "pyproject.toml", 1.0)


def test_a_package_that_only_the_project_knows_is_found() -> None:
    installed = (KnownPackages("pypi", {"acme-core": "1.0"}, {"acme": ("acme-core",)}),)
    declared = DeclaredPackages((Declared("pypi", "acme-web", None, None, "pyproject.toml"),))

    assert ids(answer("acme_core", installed=installed)) == ["pypi:acme-core"]
    assert ids(answer("from acme.web import x", installed=installed)) == ["pypi:acme-core"]
    assert ids(answer("acme-web", declared=declared)) == ["pypi:acme-web"]
    assert ids(answer("import acme_web", declared=declared)) == ["pypi:acme-web"]


def test_the_installed_provider_of_an_import_is_meant_before_the_usual_one() -> None:
    installed = (KnownPackages("pypi", {"opencv-python-headless": "4"}, {"cv2": ("opencv-python-headless",)}),)
    declared = DeclaredPackages((Declared("pypi", "opencv-python-headless", None, None, "x"),))

    assert ids(answer("import cv2", installed=installed)) == ["pypi:opencv-python-headless"]
    assert ids(answer("import cv2", declared=declared)) == ["pypi:opencv-python-headless"]


def test_a_part_of_a_path_that_several_packages_share_means_none_of_them() -> None:
    assert ids(answer("from google.unknown import thing")) == []
    assert ids(answer("import google")) == []
    assert ids(answer("google.unknown")) == []


def test_a_shared_name_means_its_package_only_when_it_is_the_whole_path() -> None:
    assert ids(answer("import opentelemetry")) == ["pypi:opentelemetry-api"]
    assert ids(answer("from opentelemetry import trace")) == ["pypi:opentelemetry-api"]
    assert ids(answer("import opentelemetry.sdk.trace")) == ["pypi:opentelemetry-sdk"]
    assert ids(answer("from opentelemetry.instrumentation.kafka import KafkaInstrumentor")) == []


def test_an_installed_package_of_a_shared_namespace_is_not_taken_for_its_neighbour() -> None:
    names: list[str] = ["google", "google.cloud", "google.cloud.storage", "google.protobuf"]
    providers: tuple[str, ...] = ("protobuf",)
    imports = dict.fromkeys(names, providers)
    elsewhere = frozenset({"google", "google.cloud", "google.cloud.storage"})
    installed = (KnownPackages("pypi", {"protobuf": "6.0"}, imports | {"google.cloud.storage": ()}, elsewhere),)

    assert ids(answer("from google.cloud import storage", installed=installed)) == ["pypi:google-cloud-storage"]
    assert ids(answer("import google.protobuf", installed=installed)) == ["pypi:protobuf"]
    assert ids(answer("import google.cloud.vision", installed=installed)) == []


def test_a_dot_in_an_npm_name_does_not_make_it_a_part_of_another() -> None:
    resolution = answer("react.debounce")

    assert resolution.matches == ()
    assert suggested(resolution) == ["npm:react"]


def test_what_the_project_imports_under_a_name_comes_before_a_known_package_of_that_name() -> None:
    installed = (KnownPackages("pypi", {"click-fork": "1.0"}, {"click": ("click-fork",)}),)

    assert ids(answer("click", installed=installed)) == ["pypi:click-fork", "pypi:click"]
    assert ids(answer("import click", installed=installed)) == ["pypi:click-fork"]


def test_an_alias_of_a_manifest_means_the_package_behind_it() -> None:
    declared = DeclaredPackages((Declared("npm", "@scope/thing", "^1", None, "package.json", known_as="old"),))

    assert ids(answer('require("old")', declared=declared)) == ["npm:@scope/thing"]


def test_a_manifest_that_gives_a_known_name_to_another_package_is_believed() -> None:
    declared = DeclaredPackages((Declared("npm", "preact", "^10", None, "package.json", known_as="react"),))

    assert ids(answer('import React from "react"', declared=declared)) == ["npm:preact"]
    assert ids(answer("react", declared=declared)) == ["npm:preact", "npm:react"]


def test_a_name_with_the_end_of_a_script_is_not_the_python_package_before_the_dot() -> None:
    installed = (KnownPackages("pypi", {"requests": "2.0"}, {"requests": ("requests",), "requests.js": ("requests",)}),)

    assert ids(answer("requests.js", installed=installed)) == []


def test_an_installed_package_with_the_name_of_a_standard_module_is_found() -> None:
    installed = (KnownPackages("pypi", {"datetime": "5.5"}),)

    assert ids(answer("datetime", installed=installed)) == ["pypi:datetime", "python:datetime"]


def test_an_owner_and_project_is_only_suggested() -> None:
    resolution = answer("vercel/next.js")

    assert resolution.matches == ()
    assert suggested(resolution) == ["npm:next"]
    assert suggested(answer("https://github.com/vercel/next.js/tree/canary")) == ["npm:next"]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("cilck", "pypi:click"),
        ("reqeusts", "pypi:requests"),
        ("python-requests", "pypi:requests"),
        ("scikitlearn", "pypi:scikit-learn"),
        ("import sklaern", "pypi:scikit-learn"),
        ("pil", "pypi:pillow"),
        ("client-s3", "npm:@aws-sdk/client-s3"),
        ("asynco", "python:asyncio"),
    ],
)
def test_a_near_name_is_suggested_and_never_a_match(text: str, first: str) -> None:
    resolution = answer(text)

    assert resolution.matches == ()
    assert suggested(resolution)[0] == first
    assert resolution.reason == "not installed, not declared, not known"


def test_names_of_the_project_are_suggested_before_those_of_the_registry() -> None:
    installed = (KnownPackages("pypi", {"slick": "1.0"}),)

    assert suggested(answer("clikc", "pypi", installed=installed))[0] == "pypi:click"
    assert suggested(answer("blick", "pypi", installed=installed))[:2] == ["pypi:slick", "pypi:click"]


def test_suggestions_stay_in_the_ecosystem_and_are_five_at_most() -> None:
    versions = {f"clack{letter}": "1" for letter in "abcdefgh"}
    installed = (KnownPackages("pypi", versions),)

    assert suggested(answer("npm:cilck")) == []
    assert len(answer("clackz", installed=installed).did_you_mean) == 5


@pytest.mark.parametrize("text", ["zorblax", "!!!", "a", "xyz", "foo.js", "requests.js"])
def test_an_unknown_name_has_no_match_and_says_so(text: str) -> None:
    resolution = answer(text)

    assert resolution.matches == ()
    assert not resolution.is_known
    assert resolution.reason == "not installed, not declared, not known"


def test_a_module_of_node_is_named_as_such() -> None:
    resolution = answer("node:fs")

    assert resolution.matches == ()
    assert "Node itself" in (resolution.reason or "")


def test_short_names_have_no_near_ones() -> None:
    assert [most_edits(length) for length in (1, 2, 3, 5, 6, 11, 12)] == [0, 0, 1, 1, 2, 2, 3]
    assert answer("uw").did_you_mean == ()
