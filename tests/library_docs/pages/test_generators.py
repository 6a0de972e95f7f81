"""Pages of the usual documentation generators: the documentation is kept, the furniture is not."""

from __future__ import annotations

import pytest

from sightline.library_docs.pages.html_to_markdown import convert_html
from tests.library_docs.pages.generator_pages import FILLER, GENERATORS, generated
from tests.library_docs.pages.markdown_reading import code_blocks

BASE = "https://docs.example.test/en/stable/guide/page.html"
FURNITURE = (
    "¶ § Navigation Copyright Edit Menu breadcrumb Skip On&this&page On&This&Page Next Previous Copy [source] "
    "Back&to&top \u200b \uf0c1 <div <span"
)


def markdown(name: str) -> str:
    return convert_html(generated(name), BASE).markdown


@pytest.mark.parametrize("name", GENERATORS)
def test_the_text_is_kept_and_the_furniture_is_not(name: str) -> None:
    converted = convert_html(generated(name), BASE)
    assert FILLER.strip() in converted.markdown
    assert converted.markdown.startswith("# ")
    assert converted.verdict == "ok"
    assert converted.hidden_elements == 0
    left = [word for word in FURNITURE.split() if word.replace("&", " ") in converted.markdown]
    assert left == []


def test_sphinx_objects_become_sections_with_their_signatures() -> None:
    text = markdown("sphinx")
    assert "## lantern.Lamp\n\n```python\nclass lantern.Lamp(fuel, *wicks)\n```\n\nA lamp that burns." in text
    assert "- **Parameters:**\n\n  - **fuel** \u2013 what it burns" in text
    assert "### lantern.Lamp.trim\n\n```python\ntrim() -> None\n```\n\nCut the wick." in text


def test_sphinx_code_tables_and_links() -> None:
    text = markdown("sphinx")
    assert "```python\nimport lantern\nlamp = lantern.Lamp('oil')\n```" in text
    assert "| Fuel | Hours |\n| --- | --- |\n| oil \\| paraffin | 6<br>or 7 |" in text
    assert "[Trimming](https://docs.example.test/en/stable/guide/wicks.html#trim)" in text
    assert "> **Warning**\n>\n> Never light it *indoors*." in text


def test_read_the_docs_console_and_versions() -> None:
    text = markdown("read_the_docs")
    assert "```console\n$ beacon up\n```" in text
    assert "Added in version 1.2: colours." in text


def test_furo_tabs_and_formulas() -> None:
    text = markdown("furo")
    assert "**Linux**\n\nUse the rope.\n\n**Windows**\n\nUse the chain." in text
    assert "\\(a^2\\)" in text


def test_material_tabs_line_numbers_and_details() -> None:
    text = markdown("material")
    assert "**pip**\n\n```bash\npip install pier\n```\n\n**uv**\n\n```bash\nuv add pier\n```" in text
    assert "```python\na = 1\nb = 2\n```" in text
    assert "**More about piers**\n\nThey rot." in text
    assert "> **Good to know**" in text
    assert "- [x] done" in text


def test_docusaurus_code_lines_and_hidden_tabs() -> None:
    text = markdown("docusaurus")
    assert "**npm**\n\n```bash\nnpm i gull\ngull up\n```\n\n**Yarn**\n\nyarn add gull" in text
    assert "> **info**\n>\n> Order is kept." in text
    assert "\n## Send\n" in text


def test_vitepress_code_groups() -> None:
    text = markdown("vitepress")
    assert "**config.js**\n\n```js\nexport\ndefault {}\n```\n\n**config.ts**\n\n```ts\nconst x: number = 1" in text
    assert "> **TIP**" in text


def test_starlight_title_outside_and_lines_without_newlines() -> None:
    text = markdown("starlight")
    assert text.startswith("# Routes\n\n")
    assert "> **Caution**\n>\n> Names are case sensitive." in text
    assert "**astro.config.mjs**\n\n```js\nlet a = 1;\nlet b = 2;\n```" in text


def test_mdbook_lists_and_quotations() -> None:
    text = markdown("mdbook")
    assert '```rust\nfn main() {\n    println!("tide");\n}\n```' in text
    assert "3. rise\n   - slowly\n4. fall" in text
    assert "> Time waits." in text


def test_rustdoc_methods_become_sections() -> None:
    text = markdown("rustdoc")
    assert text.startswith("# Struct Rope\n")
    assert "#### pub fn tie(&self) -> Knot\n\nTies a knot." in text
    assert code_blocks(text) == ["pub struct Rope { /* private fields */ }"]
    assert "Expand description" not in text


def test_pdoc_and_typedoc_signatures() -> None:
    assert "## row\n\n```python\ndef row(strokes: int) -> None:\n```\n\nPull the oars." in markdown("pdoc")
    assert code_blocks(markdown("typedoc")) == ["hoist(height: number): void"]


def test_nextra_code_and_formulas() -> None:
    text = markdown("nextra")
    assert "## Build\n\n```sh\nmast build\n```\n\n$x + 1$" in text


def test_titles_lose_the_name_of_the_site() -> None:
    found = [convert_html(generated(name), BASE).title for name in ("sphinx", "docusaurus", "material")]
    assert found == ["Lamps", "Queues", "Set up"]


def test_a_dozen_generators_are_tried() -> None:
    assert len(GENERATORS) == 12
