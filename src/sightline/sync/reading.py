"""The source as a sync needs it: the tree, what every target should hold because of it, and the secrets in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from sightline.sync.applying import SourceView
from sightline.sync.files import DISK, Files
from sightline.sync.model import SourceTree
from sightline.sync.model_values import Scope
from sightline.sync.outputs import OutputScope, Target, TargetPlaces
from sightline.sync.planning import Blocked
from sightline.sync.secret_places import line_in_file
from sightline.sync.secrets import SecretFound, find_secrets, referenced_values
from sightline.sync.source import SourcePlaces, read_source_tree


@dataclass(frozen=True, slots=True)
class SourceReading:
    """What was read, and what follows from it; `secrets` are those that would have to be copied."""

    tree: SourceTree
    view: SourceView
    secrets: tuple[SecretFound, ...]


def read_for(
    source: SourcePlaces,
    targets: Mapping[str, Target],
    places: TargetPlaces,
    scopes: frozenset[OutputScope],
    environment: Mapping[str, str],
    files: Files = DISK,
) -> SourceReading:
    """Read Claude Code's files and render them for all targets; nothing is raised for what is in them."""
    tree = read_source_tree(source, files=files)
    scan = find_secrets(tree, partial(line_in_file, files.read))
    view = SourceView(
        {name: target.render(tree, places, scopes) for name, target in targets.items()},
        tree.inputs,
        Blocked(frozenset(tree.blocked_kinds), tree.blocked_items),
        scan.values.joined(referenced_values(tree, environment)),
    )
    copied = tuple(each for each in scan.found if each.is_copied and _scope(each.provenance.scope) in scopes)
    return SourceReading(tree, view, copied)


def _scope(scope: Scope) -> OutputScope:
    return "project" if scope.is_committed else "user"
