"""Documentation of libraries at the version that is installed: offline first, then the web.

The way in is `opening.open_docs`, the tools are `tools.TOOLS`; nothing is loaded here, because a part may be all that
is needed.
"""
