"""How a Markdown parser of its own reads what was written."""

from __future__ import annotations

from markdown_it import MarkdownIt

SENTINEL = "The end of the page stands alone."


def code_blocks(markdown: str) -> list[str]:
    """The content of every fence, without the final newline."""
    tokens = MarkdownIt("commonmark", {"maxNesting": 60}).parse(markdown)
    return [token.content.removesuffix("\n") for token in tokens if token.type == "fence"]


def is_closed(markdown: str) -> bool:
    """Whether what follows the text is outside of everything in it: no fence, no HTML block swallows it."""
    tokens = MarkdownIt("commonmark", {"maxNesting": 60}).parse(f"{markdown}\n\n{SENTINEL}\n")
    return [token.type for token in tokens[-3:]] == ["paragraph_open", "inline", "paragraph_close"] and (
        tokens[-2].content == SENTINEL and tokens[-3].level == 0
    )
