"""What the status tools look at. Knows no capability: each brings a probe of its own."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sightline.components import Probe
from sightline.config import LoadedSettings
from sightline.metrics import Metrics
from sightline.selection import Selection


@dataclass(frozen=True, slots=True)
class StatusService:
    """The service of the tools that are always there."""

    settings: LoadedSettings
    selection: Selection
    metrics: Metrics
    environment: Mapping[str, str]
    probes: Sequence[Probe] = ()
    started: float = field(default_factory=time.monotonic)
