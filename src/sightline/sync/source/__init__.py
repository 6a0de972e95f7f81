"""Claude Code's files, read into the neutral model; the only part of sync that knows their formats."""

from sightline.sync.source.places import SourcePlaces, find_places
from sightline.sync.source.tree import read_source_tree

__all__ = ["SourcePlaces", "find_places", "read_source_tree"]
