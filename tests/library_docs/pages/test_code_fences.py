"""Parts of Markdown that stand by themselves: code that is cut is opened again and closed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from sightline.library_docs.pages.code_fences import closed, part_of

TEXT = """\
Intro.

```python title="x.py"
first()
second()
third()
```

1. In a list:

   ```bash
   # no heading
   run
   ```

> ~~~~js
> quoted()
> ~~~
> still()
> ~~~~

Outro."""
PAGE = TEXT.split("\n")


def open_fences(text: str) -> list[str]:
    """What the parser finds open at the end; in the middle it is the end of a list or a quotation that closes."""
    last = len(text.split("\n"))
    return [
        token.content
        for token in MarkdownIt("commonmark").parse(text + "\n")
        if token.type == "fence" and token.map and token.map[1] >= last
        if token.map[1] - token.map[0] == token.content.count("\n") + 1
    ]


@pytest.mark.parametrize(
    ("first", "count", "expected"),
    [
        (0, 4, 'Intro.\n\n```python title="x.py"\nfirst()\n```'),
        (4, 1, '```python title="x.py"\nsecond()\n```'),
        (4, 5, '```python title="x.py"\nsecond()\nthird()\n```\n\n1. In a list:'),
        (11, 2, "   ```bash\n   # no heading\n   run\n   ```"),
        (17, 2, "> ~~~~js\n> ~~~\n> still()\n> ~~~~"),
    ],
)
def test_code_that_is_cut_is_opened_again_with_its_language_and_closed(first: int, count: int, expected: str) -> None:
    assert part_of(PAGE, first, first + count, 400) == (first, expected)


def test_no_empty_block_is_made_of_the_mark_at_either_end() -> None:
    assert part_of(PAGE, 6, 9, 400) == (7, "\n1. In a list:")
    assert part_of(PAGE, 0, 3, 400) == (0, "Intro.")


def test_a_part_within_its_limit_holds_what_closes_it() -> None:
    lines = ["```python", "x = '" + "y" * 1000 + "'", "```"]
    first, shown = part_of(lines, 1, 3, 100)
    assert first == 1
    assert len(shown) <= 100
    assert shown.startswith("```python\nx = 'yyy")
    assert shown.endswith("…\n```")


def test_a_fence_longer_than_the_limit_is_left_out() -> None:
    _, shown = part_of(["words", "`" * 500, "code"], 0, 3, 100)
    assert shown.startswith("words")
    assert len(shown) <= 100
    assert open_fences(shown) == []


def test_a_text_that_never_closes_its_code_is_closed() -> None:
    assert closed("a\n\n````md\n```\nx\n```") == "a\n\n````md\n```\nx\n```\n````"
    assert closed("a\n\n```\nx\n```") == "a\n\n```\nx\n```"


def test_what_only_looks_like_a_fence_is_not_closed() -> None:
    page = "<pre>\n```\nin html\n</pre>"
    assert closed(page) == page


LINES = st.sampled_from(
    ["```", "```py", "~~~", "~~~~ js", "````", "   ```", "    ```", "- ```sh", "  ```", "> ```", "> x", "1. a", "   b",
     "text", "", "# head", "`` ` ``", "- item", "<pre>", "</pre>", "\t```", "    deep"]
)  # fmt: skip


@given(st.lists(LINES, min_size=1, max_size=30), st.data())
def test_every_part_is_well_formed_and_within_its_limit(lines: list[str], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(lines) - 1))
    after = data.draw(st.integers(first + 1, len(lines)))
    most = data.draw(st.integers(20, 200))
    begins, shown = part_of(lines, first, after, most)
    assert begins in (first, first + 1)
    assert len(shown) <= most
    assert open_fences(shown) == []
