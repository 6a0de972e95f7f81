"""The `docs` tools, one module each."""

from __future__ import annotations

from sightline.library_docs.tools.get_library_docs import GET_LIBRARY_DOCS
from sightline.library_docs.tools.read_page import READ_PAGE
from sightline.library_docs.tools.resolve_library import RESOLVE_LIBRARY
from sightline.library_docs.tools.search_docs import SEARCH_DOCS
from sightline.tool import AnyTool

TOOLS: tuple[AnyTool, ...] = (RESOLVE_LIBRARY, GET_LIBRARY_DOCS, READ_PAGE, SEARCH_DOCS)
