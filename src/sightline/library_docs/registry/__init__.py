"""The registry: which libraries are known, where their documentation is, and what may be read for each."""

from __future__ import annotations

from sightline.library_docs.registry.addresses import AllowedPlace
from sightline.library_docs.registry.entries import Entry
from sightline.library_docs.registry.loading import load_registry
from sightline.library_docs.registry.registry import Registry

__all__ = ["AllowedPlace", "Entry", "Registry", "load_registry"]
