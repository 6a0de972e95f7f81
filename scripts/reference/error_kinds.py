"""The page of error kinds."""

from __future__ import annotations

from reference.markdown import code, page, table
from sightline.errors import ErrorKind

_OPENING = """
A failed call has `ok: false` and an `error` with one of these kinds, a message, and `next_steps`.
What else an answer holds is told in [answers](../concepts/answers.md).
"""


def error_kinds_page() -> str:
    rows = [(code(kind), kind.meaning) for kind in ErrorKind]
    return page("Error kinds", _OPENING, table(["Kind", "Meaning"], rows))
