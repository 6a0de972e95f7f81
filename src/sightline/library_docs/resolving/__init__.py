"""From what someone typed to the library that is meant: query, what the project declares, resolution."""

from __future__ import annotations

from sightline.library_docs.resolving.declared import Declared, DeclaredPackages, ManifestWarning
from sightline.library_docs.resolving.installed_packages import InstalledPackages
from sightline.library_docs.resolving.library_query import LibraryQuery, parse_library_query
from sightline.library_docs.resolving.manifests import declared_near
from sightline.library_docs.resolving.resolution import Match, Resolution, Surroundings, resolve
from sightline.library_docs.resolving.suggestions import Suggestion

__all__ = [
    "Declared",
    "DeclaredPackages",
    "InstalledPackages",
    "LibraryQuery",
    "ManifestWarning",
    "Match",
    "Resolution",
    "Suggestion",
    "Surroundings",
    "declared_near",
    "parse_library_query",
    "resolve",
]
