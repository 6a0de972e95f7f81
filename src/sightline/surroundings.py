"""What is around a project: passed in by who starts the program, never read from the process."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sightline.frozen import frozen


@frozen
class Surroundings:
    """The environment variables, and the folder of the person."""

    variables: Mapping[str, str]
    home: Path
