"""What a project declares: one requirement in one file, with the version that a lock file fixed."""

from __future__ import annotations

from dataclasses import dataclass

from sightline.library_docs.libraries import Ecosystem


@dataclass(frozen=True, slots=True)
class Declared:
    """A package that a manifest asks for, or (not `is_direct`) that only a lock file holds.

    `name` is in its normal form; `known_as` is the other name under which code imports it, if the manifest gives one.
    `file` is relative to the allowed root.
    """

    ecosystem: Ecosystem
    name: str
    specifier: str | None
    locked_version: str | None
    file: str
    is_direct: bool = True
    known_as: str | None = None


@dataclass(frozen=True, slots=True)
class ManifestWarning:
    """A file, or a line of one, that could not be used; the others were."""

    file: str
    line: int | None
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"`{place}`: {self.message}"


@dataclass(frozen=True, slots=True)
class DeclaredPackages:
    """Everything that is declared nearest to a path; `kinds` are the ecosystems that have a manifest at all."""

    packages: tuple[Declared, ...] = ()
    warnings: tuple[ManifestWarning, ...] = ()
    files: tuple[str, ...] = ()
    kinds: tuple[Ecosystem, ...] = ()

    def of(self, ecosystem: Ecosystem, name: str) -> Declared | None:
        """The first declaration of a package."""
        wanted = (ecosystem, name)
        return next((found for found in self.packages if (found.ecosystem, found.name) == wanted), None)
