"""One overview of an installed package in a fresh interpreter: `python -m bench.docs_overview PROJECT LIBRARY`."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from sightline.library_docs.libraries import LibraryId
from sightline.library_docs.page_text import fenced, shown_text
from sightline.library_docs.project_libraries import ProjectShelf
from sightline.paths import PathPolicy
from sightline.progress import no_progress
from sightline.projects import Surroundings
from sightline.tool import Call


def main(project: str, name: str) -> None:
    root = Path(project)
    shelf = ProjectShelf(Surroundings(os.environ, Path.home()), time.time)
    libraries = shelf.of(Call(root, PathPolicy(root, (root,)), no_progress), None)
    overview = libraries.docs.overview(LibraryId("pypi", name))
    sys.stdout.write(fenced(shown_text(overview.document).text, overview.document))


main(*sys.argv[1:])
