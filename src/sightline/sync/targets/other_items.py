"""Items that no target writes as such: settings, and plugins, whose parts are items of their own."""

from __future__ import annotations

from collections.abc import Mapping

from sightline.sync.targets.findings import Fate
from sightline.sync.targets.selection import Selection

_APPLIED = ("dropped", "already applied when the source was read")
SETTING_FATES: Mapping[str, Fate] = {
    "env": ("dropped", "values of variables are never copied"),
    "model": ("dropped", "models have other names"),
    "claudeMdExcludes": _APPLIED,
    "enabledMcpjsonServers": _APPLIED,
    "disabledMcpjsonServers": _APPLIED,
    "enableAllProjectMcpServers": _APPLIED,
    "disableAllHooks": _APPLIED,
    "permissions.defaultMode": ("dropped", "no mode makes a target laxer"),
    "permissions.additionalDirectories": ("dropped", "no folder is opened for writing"),
}


def note_other_items(selection: Selection, fates: Mapping[str, Fate]) -> None:
    """A line for each setting and plugin; `fates` are the target's own, over those for all."""
    findings = selection.findings
    known = {**SETTING_FATES, **fates}
    for setting in selection.tree.settings:
        if selection.is_asked_for(setting):
            findings.note(setting.item_id, "", *known.get(setting.key, ("dropped", "no equivalent")))
    for plugin in selection.tree.plugins:
        if selection.is_asked_for(plugin):
            findings.note(plugin.item_id, "", "approximated", "its parts are carried over one by one")
            for part in plugin.unsupported:
                findings.note(plugin.item_id, part, "dropped", "no equivalent")
