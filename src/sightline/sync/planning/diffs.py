"""Unified diffs for people: of shared files only the changed lines, and no line that holds a secret."""

from __future__ import annotations

from collections.abc import Sequence

from sightline.sync.secrets import SecretValues, holds_secret, leaks

_HIDDEN = "(a line with a secret is not shown)"


def shown_diff(name: str, before: bytes | None, after: bytes | None, secrets: SecretValues, *, is_shared: bool) -> str:
    """The change of one file; foreign lines around it are shown only if the whole file is ours."""
    from difflib import unified_diff

    try:
        old, new = _lines(before), _lines(after)
    except UnicodeDecodeError:
        return f"{name}: not text, {len(before or b'')} bytes before, {len(after or b'')} after\n"
    names = (name if before is not None else "/dev/null", name if after is not None else "/dev/null")
    lines = list(unified_diff(old, new, *names, lineterm="", n=0 if is_shared else 3))
    if _is_secret(lines, secrets):
        lines = [line[:1] + _HIDDEN if _is_secret([line], secrets) else line for line in lines]
    if _is_secret(lines, secrets):  # one over several lines, such as a private key
        lines = [*lines[:2], _HIDDEN]
    return "".join(f"{line}\n" for line in lines)


def _lines(content: bytes | None) -> list[str]:
    return (content or b"").decode("utf-8").splitlines()


def _is_secret(lines: Sequence[str], secrets: SecretValues) -> bool:
    text = "\n".join(line[1:] for line in lines)
    return holds_secret(text) or bool(leaks(text, secrets))
