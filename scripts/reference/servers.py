"""The page of language servers, made from their data."""

from __future__ import annotations

from collections.abc import Iterator

from reference.markdown import code, page, table, yes_or_no
from sightline.lsp.server_spec import ServerSpec, builtin_specs

_OPENING = """
These servers are known out of the box; none but Pyright is installed with Sightline. How to change one or to add your
own is told in [other languages](../guides/other-languages.md). Each is described by one file of data in
`src/sightline/lsp/servers/`.

- **Tested**: the contract suite of `tests/servers/` was run over it. The others are described after their
  documentation, and are held to promise nothing.
- **Diagnostics**: `pull` is asked for, `push` comes by itself and counts after a silence.
- **Opens files**: it knows only files that are opened for it, which is done when they are asked about.
- **Sees the disk**: what it reads again while it runs. After any other change a new session is started, so that no
  answer is stale.
- **`check_edit`**: whether an edit can be checked before it is written, with all files that depend on it.
"""

_HEADS = (
    *("Server", "Languages", "Files", "Tested", "Diagnostics", "Opens files", "Sees the disk", "`check_edit`"),
    "Runs the project's code",
)

_SEES = {"all": "everything", "changes": "changed files, not new or deleted ones", "never": "nothing"}
_MODES = {"tsserver": "pull, by its own command", "auto": "as it offers"}


def servers_page() -> str:
    rows = (_row(spec) for spec in builtin_specs())
    return page("Language servers", _OPENING, table(_HEADS, rows), *_blocks())


def _row(spec: ServerSpec) -> tuple[str, ...]:
    return (
        f"[{code(spec.id)}](#{spec.id})",
        ", ".join(spec.languages),
        " ".join(map(code, (*spec.extensions, *spec.filenames))),
        yes_or_no(spec.is_tested),
        _MODES.get(spec.diagnostics.mode, spec.diagnostics.mode),
        yes_or_no(spec.needs_open),
        "its open files" if spec.is_single_file else _SEES[spec.sees_disk],
        yes_or_no(spec.overlay == "all"),
        yes_or_no(spec.runs_project_code),
    )


def _blocks() -> Iterator[str]:
    for spec in builtin_specs():
        yield f"## {code(spec.id)}"
        yield "\n".join(_facts(spec))


def _facts(spec: ServerSpec) -> Iterator[str]:
    yield f"- [{spec.name}]({spec.url}), {spec.oldest} or later: {code(spec.install)}"
    yield f"- command: {code(' '.join((spec.command, *spec.args)))}"
    if spec.root_markers:
        yield "- its root is the nearest folder with " + " or ".join(map(code, spec.root_markers))
    if spec.diagnostics.needs:
        yield "- finds nothing without " + " and ".join(map(code, spec.diagnostics.needs))
    if spec.ready.only_with:
        yield "- knows only open files without " + " or ".join(map(code, spec.ready.only_with))
    if spec.is_single_file:
        yield "- looks at one file at a time: uses in other files are not found"
    if spec.role == "linter":
        yield "- a linter beside the type checker: no file is routed to it"
    if spec.runs_project_code:
        yield "- needs `code.run_project_code`, because it runs code of the project"
    if spec.notes:
        yield f"- {spec.notes}"
