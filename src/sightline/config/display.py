"""Settings as they may be shown: value, origin, and never a secret."""

from __future__ import annotations

import json
from typing import Any

from sightline.config.keys import Key, all_keys, value_of
from sightline.config.loading import LoadedSettings
from sightline.contract import to_json
from sightline.redaction import HIDDEN, without_password, without_secrets
from sightline.tool import output_field, record


@record
class EffectiveSetting:
    """A setting as it is in force; `place` tells the file or variable where it is not a default."""

    key: str
    value: Any = output_field(null=True)
    origin: str
    place: str | None = None


def effective_settings(loaded: LoadedSettings, section: str | None = None) -> list[EffectiveSetting]:
    """All settings, or those of one section."""
    return [
        _effective(loaded, key) for name, key in all_keys().items() if section is None or name.startswith(f"{section}.")
    ]


def setting_line(each: EffectiveSetting) -> str:
    value = each.value if isinstance(each.value, str) else json.dumps(each.value, separators=(",", ":"))
    return f"{each.key} = {value} ({each.origin}{': ' + each.place if each.place else ''})"


def _effective(loaded: LoadedSettings, key: Key) -> EffectiveSetting:
    origin = loaded.origin_of(key.name)
    return EffectiveSetting(
        key=key.name,
        value=_shown_value(key, value_of(loaded.values, key.name)),
        origin=origin.source,
        place=None if origin.source == "default" else origin.place,
    )


def _shown_value(key: Key, value: Any) -> Any:
    if key.name == "code.servers":
        return {name: _shown_server(to_json(server)) for name, server in value.items()}
    if key.name == "docs.store_url" and value:
        return without_password(value)
    return without_secrets(to_json(value), key.name)


def _shown_server(server: dict[str, Any]) -> dict[str, Any]:
    """The values of a server's environment are hidden whole: their names cannot be judged."""
    hidden = dict.fromkeys(server.get("env", {}), HIDDEN)
    return {**without_secrets(server), **({"env": hidden} if hidden else {})}
