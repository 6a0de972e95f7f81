"""Rules for shell commands as `prefix_rule` lines.

Codex compares leading words and knows no star. An allow is written only if its words are plain and the star stands
alone at the end; a deny or an ask may cover more than it says. An allow also leaves Codex' sandbox, so it is kept back
where anything that Claude Code would ask or refuse could pass by it.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Collection, Iterable, Sequence
from pathlib import PurePosixPath
from typing import Literal

from sightline.frozen import frozen
from sightline.sync.model import PermissionKind, PermissionRule
from sightline.sync.permission_readonly import paths_read

Decision = Literal["forbidden", "prompt", "allow"]
_STRICTEST_FIRST: tuple[Decision, ...] = ("forbidden", "prompt", "allow")
_PLAIN_WORD = re.compile(r"[A-Za-z0-9_./@%+=,:-]+")


def _words_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Programs that run what their arguments say: a rule about the inner command would not see it.
_RUNNERS = _words_of(
    "sh bash zsh dash ksh fish csh tcsh env sudo doas su xargs timeout time nice nohup stdbuf command builtin noglob "
    "exec eval watch setsid ionice flock find parallel ssh cd source . npx bunx uvx busybox chroot unshare script "
    "strace ltrace gdb"
)


@frozen
class ExecRule:
    """One `prefix_rule`."""

    words: tuple[str, ...]
    decision: Decision

    @property
    def line(self) -> str:
        pattern = ", ".join(json.dumps(word) for word in self.words)
        return f'prefix_rule(pattern=[{pattern}], decision="{self.decision}")'


@frozen
class Cover:
    """What of a deny or ask can be said: leading words, and whether nothing that the rule means is outside of them."""

    words: tuple[str, ...]
    is_complete: bool
    is_wider: bool = False


def rules_file(rules: Iterable[ExecRule]) -> bytes:
    """The file, strictest rules first, each once."""
    distinct = dict.fromkeys(rules)
    ordered = sorted(distinct, key=lambda rule: (_STRICTEST_FIRST.index(rule.decision), rule.words))
    return "".join(f"{rule.line}\n" for rule in ordered).encode()


def normal_pattern(rule: PermissionRule) -> str:
    """The pattern with a trailing `:*` written as ` *`; a lone star for the whole tool."""
    pattern = (rule.pattern or "*").strip()
    return f"{pattern[:-2]} *" if pattern.endswith(":*") else pattern


def cover_of(rule: PermissionRule) -> Cover:
    """The leading words that meet everything a deny or ask means."""
    pattern = normal_pattern(rule)
    body = pattern.removesuffix(" *")
    has_tail = body != pattern
    fixed, star, _ = body.partition("*")
    if not star:
        words = _words(body)
        if words is None:
            leading = _leading_plain(body)
            return Cover(leading, bool(leading), is_wider=True)
        return Cover(words, bool(words), is_wider=not has_tail)
    is_glued = bool(fixed) and not fixed[-1].isspace()
    leading = _leading_plain(fixed)
    whole = leading[:-1] if is_glued and len(leading) == len(fixed.split()) else leading
    if whole:
        return Cover(whole, True, is_wider=True)
    # `rm*` also means `rmdir`; only the word itself can be named.
    return Cover(leading, False)


def _words(text: str) -> tuple[str, ...] | None:
    """The words of a command, none if the shell would make something else of them."""
    if re.search(r"[$`\\|&;<>(){}~#!?\[\]\n]", text):
        return None
    try:
        words = tuple(shlex.split(text))
    except ValueError:
        return None
    return words if words and "=" not in words[0] else None


def _leading_plain(text: str) -> tuple[str, ...]:
    words: list[str] = []
    for word in text.split():
        if not _PLAIN_WORD.fullmatch(word) or (not words and "=" in word):
            break
        words.append(word)
    return tuple(words)


def allowed_words(rule: PermissionRule) -> tuple[str, ...] | None:
    """The words of an allow whose star is the lone last one; none if Codex would allow more, or something else."""
    pattern = normal_pattern(rule)
    body = pattern.removesuffix(" *")
    words = tuple(body.split())
    if body == pattern or "*" in body or not words or not all(_PLAIN_WORD.fullmatch(word) for word in words):
        return None
    return None if " ".join(words) != body or "=" in words[0] else words


def obstacle(
    words: Sequence[str],
    restrictions: Sequence[PermissionRule],
    *,
    has_sandbox: bool,
    unwritten: Collection[str] = (),
) -> str:
    """Why an allow for these words would let something through; empty if it would not."""
    program = PurePosixPath(words[0]).name
    if program in _RUNNERS:
        return "the command runs other commands, which Codex does not look at"
    if has_sandbox:
        return "Claude Code runs commands in its sandbox; an allowed one leaves that of Codex"
    names_files = bool(paths_read([program, "x", "y"]))
    for rule in restrictions:
        if rule.tool in {"Read", "Edit"} and names_files:
            return f"the command reads files, which `{rule.item_id}` restricts"
        is_held = rule.item_id not in unwritten and cover_of(rule).is_complete
        if is_command_rule(rule) and not is_held and _overlaps(normal_pattern(rule), words):
            return f"`{rule.item_id}` cannot be said in full and concerns the same commands"
    return ""


def is_command_rule(rule: PermissionRule) -> bool:
    """Whether the rule is about shell commands; a name with a star can be, too."""
    if "*" in rule.tool:
        return re.fullmatch(re.escape(rule.tool).replace(r"\*", ".*"), "Bash") is not None
    return rule.tool == "Bash"


def _overlaps(pattern: str, words: Sequence[str]) -> bool:
    """Whether a command that starts with the words can match; wrong only to the safe side."""
    fixed = re.split(r"[*'\"\\]", pattern, maxsplit=1)[0]
    start = " ".join(words)
    squeezed = " ".join(fixed.split())
    return start.startswith(squeezed) or squeezed.startswith(start)


def decision_for(effect: PermissionKind) -> Decision:
    return "forbidden" if effect is PermissionKind.DENY else "prompt"
