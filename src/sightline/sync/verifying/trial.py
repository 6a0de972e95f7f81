"""The trial: a home and a project in a folder of their own, with the target's files and nothing else.

It holds what is there now with what is planned put over it. Nothing is linked to the originals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from sightline.frozen import frozen

MAX_FILE_BYTES = 4_000_000


@frozen
class TrialRoot:
    """A folder that the CLI reads: the real one, its name in the trial, and which of its files count."""

    real: Path
    name: str
    patterns: tuple[str, ...]


@frozen
class Trial:
    """The folder of one trial."""

    folder: Path
    roots: tuple[TrialRoot, ...]

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def project(self) -> Path:
        return self.folder / "project"

    def place_of(self, path: Path) -> Path:
        """Where a file stands in the trial."""
        root = root_of(path, self.roots)
        if root is None:
            raise ValueError(f"`{path}` is in no folder of the target")
        return self.folder / root.name / path.relative_to(root.real)

    def write(self, contents: Mapping[Path, bytes]) -> None:
        """Make home and project; the project is the root of a repository, as most are."""
        for folder in (self.home, self.project, self.folder / "tmp"):
            folder.mkdir(0o700, parents=True, exist_ok=True)
        for name in ("refs", "objects"):
            (self.project / ".git" / name).mkdir(parents=True, exist_ok=True)
        (self.project / ".git/HEAD").write_text("ref: refs/heads/main\n")
        for path, content in contents.items():
            file = self.place_of(path)
            file.parent.mkdir(0o700, parents=True, exist_ok=True)
            file.write_bytes(content)

    def shown(self, text: str) -> str:
        """The text with the real folders for those of the trial."""
        for root in sorted(self.roots, key=lambda root: -len(root.name)):
            text = text.replace(str(self.folder / root.name), str(root.real))
        return text


def root_of(path: Path, roots: Iterable[TrialRoot]) -> TrialRoot | None:
    """The innermost root that holds the path."""
    holding = (root for root in roots if path.is_relative_to(root.real))
    return max(holding, key=lambda root: len(root.real.parts), default=None)


def collect(roots: Sequence[TrialRoot], planned: Mapping[Path, bytes | None]) -> dict[Path, bytes]:
    """What the CLI would find after the plan, by real path; a file planned as none is gone."""
    found = dict(_existing(roots))
    for path, content in planned.items():
        if content is None:
            found.pop(path, None)
        elif root_of(path, roots) is not None:
            found[path] = content
    return found


def _existing(roots: Sequence[TrialRoot]) -> Iterator[tuple[Path, bytes]]:
    for root in roots:
        for pattern in root.patterns:
            for path in sorted(root.real.glob(pattern)):
                try:
                    if path.is_file() and path.stat().st_size <= MAX_FILE_BYTES:
                        yield path, path.read_bytes()
                except OSError:
                    continue
