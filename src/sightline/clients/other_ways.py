"""Other ways in which a client may have Sightline: a plugin, or an entry for one person in one project. Only reads.

With one of them an entry of ours is not needed, and may offer every tool twice.
"""

from __future__ import annotations

from pathlib import Path

from sightline.clients.client import Client, Surroundings
from sightline.clients.registration import editor
from sightline.regular_files import read_regular
from sightline.sync.formats.failures import FormatFailed
from sightline.sync.formats.values import Missing


def find_other_ways(client: Client, around: Surroundings) -> list[str]:
    """Each way that is in use, and where that is told."""
    return [f"{way.label} in {way.path}" for way in client.other_ways(around) if _is_there(client, way.path, way.key)]


def _is_there(client: Client, path: Path, key: tuple[str, ...]) -> bool:
    if not key:
        return path.exists()
    try:
        value = editor(client.format).get_value(read_regular(path), key)
    except (OSError, FormatFailed):
        return False
    return not isinstance(value, Missing) and value is not False
