"""The effective settings: layers merged in order, every value checked, and where each came from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, cast

from sightline.arguments import nearest
from sightline.config.keys import Key, all_keys, value_of, with_values
from sightline.config.layers import Layer, ProjectFile, read_environment, read_project_file, read_user_file
from sightline.config.narrowing import is_narrowing
from sightline.config.presets import preset_layers
from sightline.config.schema import LanguageServerSettings, Settings
from sightline.errors import SettingsError
from sightline.frozen import frozen
from sightline.places import Places
from sightline.redaction import holds_password
from sightline.trust import TrustStore


@frozen
class Origin:
    """Which source set a value: its rank, and the file, variable or preset."""

    source: str
    place: str


@frozen
class LoadedSettings:
    """The effective settings, the origin of every value that is not a default, and what was left out."""

    values: Settings
    origins: Mapping[str, Origin]
    ignored: tuple[str, ...] = ()
    project_file: ProjectFile | None = None
    is_trusted: bool = False

    def origin_of(self, name: str) -> Origin:
        return self.origins.get(name, Origin("default", "built in"))


@dataclass(slots=True)
class _Merge:
    """Settings under construction."""

    root: Path
    settings: Settings = field(default_factory=Settings)
    origins: dict[str, Origin] = field(default_factory=dict[str, Origin])
    ignored: list[str] = field(default_factory=list[str])

    def add(self, layer: Layer, *, is_trusted: bool = True) -> None:
        for name, raw in layer.values.items():
            key = all_keys()[name]
            value = _checked(key, raw, layer)
            if layer.origin == "project file" and isinstance(value, str) and holds_password(value):
                raise _password_in_project(key, layer)
            if self._may_set(key, value, layer, is_trusted=is_trusted):
                self._set(key, value, layer)

    def _may_set(self, key: Key, value: Any, layer: Layer, *, is_trusted: bool) -> bool:
        if key.rules.get("user_only") and layer.origin != "user file":
            message = f"`{key.name}` can be set in the user file only; ignored in {layer.place}"
        elif key.rules.get("not_in_project") and layer.origin == "project file":
            message = f"`{key.name}` cannot be set in a project file; ignored in {layer.place}"
        elif is_trusted or is_narrowing(key, value_of(self.settings, key.name), value, self.root):
            return True
        else:
            message = f"`{key.name}` in {layer.place} needs trust and is ignored; review it, then `sightline trust`"
        self.ignored.append(message)
        return False

    def _set(self, key: Key, value: Any, layer: Layer) -> None:
        if key.is_table:
            value = {**value_of(self.settings, key.name), **value}
        self.settings = with_values(self.settings, {key.name: value})
        self.origins[key.name] = Origin(layer.origin, layer.place)


def load_settings(
    root: Path,
    places: Places,
    environment: Mapping[str, str],
    *,
    command_line: Mapping[str, Any] | None = None,
    mode: str | None = None,
) -> LoadedSettings:
    """The settings for a project; raises `SettingsError` that names the key, its place and the remedy."""
    project = read_project_file(root)
    trusted = project is not None and TrustStore(places.trust).is_trusted(root, project.content)
    flags = Layer("command line", "command line", command_line or {})
    files = [read_user_file(places.user_settings), project and project.layer]
    above = [*(layer for layer in files if layer), *read_environment(environment), flags]
    merge = _Merge(root)
    for layer in [*preset_layers(_chosen_context(above, is_trusted=trusted), mode), *above]:
        merge.add(layer, is_trusted=trusted or layer.origin != "project file")
    return LoadedSettings(merge.settings, merge.origins, tuple(merge.ignored), project, trusted)


def keys_that_need_trust(root: Path, project: ProjectFile, places: Places) -> list[str]:
    """The keys of a project file that have no effect until the file is trusted."""
    untrusted = load_settings(root, replace(places, data=places.data / "nothing-trusted"), {})
    return [
        name
        for name in project.layer.values
        if untrusted.origin_of(name).source != "project file" and not _is_never_heard(all_keys()[name])
    ]


def _password_in_project(key: Key, layer: Layer) -> SettingsError:
    message = f"`{key.name}` in {layer.place} holds a password, which everybody with the repository can read"
    return SettingsError(message, "take it out and change it; passwords belong in the user file or the environment")


def _is_never_heard(key: Key) -> bool:
    """Whether a project file cannot set this key, trusted or not."""
    return bool(key.rules.get("user_only") or key.rules.get("not_in_project"))


def _chosen_context(layers: Sequence[Layer], *, is_trusted: bool) -> str | None:
    """The preset that the strongest source names; an untrusted project file names none."""
    heard = [layer for layer in layers if is_trusted or layer.origin != "project file"]
    chosen = [layer.values["server.context"] for layer in heard if "server.context" in layer.values]
    return str(chosen[-1]) if chosen else None


def _checked(key: Key, raw: Any, layer: Layer) -> Any:
    from typing import Annotated

    from pydantic import Field, TypeAdapter, ValidationError

    adapter: TypeAdapter[Any] = TypeAdapter(cast("Any", Annotated[key.type, Field(**key.limits)]))
    try:
        return adapter.validate_python(raw)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        where = ".".join([key.name, *(str(part) for part in problem["loc"])])
        if problem["type"] == "unexpected_keyword_argument":
            guess = nearest(str(problem["loc"][-1]), [each.name for each in fields(LanguageServerSettings)])
            hint = f"did you mean `{guess}`?" if guess else _expected(key)
            raise SettingsError(f"unknown setting: `{where}` in {layer.place}", hint) from None
        raise SettingsError(f"bad setting: `{where}` in {layer.place}: {problem['msg']}", _expected(key)) from None


def _expected(key: Key) -> str:
    default = "" if key.default in (None, (), {}) else f"; the default is `{json.dumps(key.default)}`"
    return f"{key.rules.get('description', key.name)}{default}"
