"""Commands that Claude Code runs without asking because they only read, and those that it always asks about."""

from __future__ import annotations

from collections.abc import Sequence

_READERS = frozenset({"ls", "cat", "echo", "pwd", "head", "tail", "grep", "wc", "which", "diff", "stat", "du", "cd"})
_GIT_READS = frozenset({"status", "log", "diff", "show", "blame", "rev-parse", "ls-files", "shortlog", "describe"})
# Options by which a reading form of git or grep writes a file or runs a program.
_UNSAFE_OPTIONS = ("--output", "-o", "--ext-diff", "--textconv", "--exec", "-O", "--open-files-in-pager")
_FILE_READERS = frozenset({"cat", "head", "tail", "sed", "grep", "less", "more", "wc", "diff", "stat", "ls"})
_ALWAYS_ASKED = frozenset({"watch", "setsid", "ionice", "flock"})
_FIND_ACTIONS = frozenset({"-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprintf", "-fls"})


def is_read_only(words: Sequence[str]) -> bool:
    """Whether the command is in the built-in set; anything that the shell would expand is not."""
    if not words or any("$" in word for word in words):
        return False
    name, arguments = words[0], words[1:]
    if name in _READERS:
        return True
    if name == "find":
        return not _FIND_ACTIONS.intersection(arguments)
    if name == "git" and arguments and arguments[0] in _GIT_READS:
        return not any(word.startswith(_UNSAFE_OPTIONS) for word in arguments[1:])
    return False


def always_prompts(words: Sequence[str]) -> bool:
    """Whether only an exact rule can allow the command."""
    if not words:
        return False
    return words[0] in _ALWAYS_ASKED or (words[0] == "find" and bool(_FIND_ACTIONS.intersection(words)))


def paths_read(words: Sequence[str]) -> list[str]:
    """The words of a well-known reading command that can be paths."""
    if not words or words[0] not in _FILE_READERS | {"cd"}:
        return []
    arguments = [word for word in words[1:] if word and not word.startswith("-")]
    # The first word of these is an expression; it is a path only if it looks like one.
    return arguments[1:] if words[0] in {"grep", "sed"} else arguments
