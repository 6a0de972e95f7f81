"""Lists in a client's settings by which an entry that is there is not used. Only reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sightline.clients.client import NAME, Client, Surroundings
from sightline.clients.registration import editor
from sightline.regular_files import read_regular
from sightline.sync.formats.failures import FormatFailed
from sightline.sync.formats.values import KeyPath, Value, is_list


def find_blocks(client: Client, around: Surroundings) -> list[str]:
    """Each list that keeps the client from using our entry, and where it stands."""
    files = [*client.files("user", around), *client.files("project", around)]
    return [
        f"`{'.'.join(each.key)}` in {file}"
        for file in files
        for each in client.name_lists
        if (names := _names(client, file, each.key)) is not None and (NAME in names) == each.is_refusal
    ]


def _names(client: Client, file: Path, key: KeyPath) -> Sequence[Value] | None:
    try:
        value = editor(client.format).get_value(read_regular(file), key)
    except (OSError, FormatFailed):
        return None
    return value if is_list(value) else None
