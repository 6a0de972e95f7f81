"""How editing text can fail. Nothing is returned then, so nothing can be written.

FormatFailed
├── Malformed       the text cannot be parsed, or says something twice
├── NotEditable     the text is fine, but the key path leads through something that cannot hold it
├── DamagedMarks    the marks of an owned block do not fit together
├── Unrenderable    the format has no way to say the value
└── WouldDamage     the guard found that foreign content would change: a defect of ours, caught
"""

from __future__ import annotations

from sightline.sync.formats.values import KeyPath, shown_path


class FormatFailed(Exception):
    """An edit that was not made."""


class Malformed(FormatFailed):
    """Text that cannot be parsed; `line` and `column` are 1-based and count characters."""

    def __init__(self, line: int, column: int, message: str) -> None:
        super().__init__(f"line {line}, column {column}: {message}")
        self.line = line
        self.column = column
        self.message = message


class NotEditable(FormatFailed):
    """A key path that leads through something that cannot hold it."""

    def __init__(self, path: KeyPath, reason: str) -> None:
        super().__init__(f"`{shown_path(path)}` cannot be edited: {reason}")
        self.path = path
        self.reason = reason


class DamagedMarks(FormatFailed):
    """Marks of owned blocks that do not fit together; `line` is 1-based."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line
        self.message = message


class Unrenderable(FormatFailed):
    """A value for which the format has no words; the message names the kind, never the value."""


class WouldDamage(FormatFailed):
    """An edit after which foreign content would not be what it was."""
