"""Formulas in HTML, as their TeX source where the page still has it: MathJax, KaTeX, MathML."""

from __future__ import annotations

from sightline.library_docs.pages.html_elements import Element

_CONTAINERS = frozenset({"katex", "katex-display", "MathJax", "MathJax_Display"})


def formula_of(element: Element) -> str | None:
    """The formula between dollar signs; None where the element is no formula."""
    if element.tag not in {"math", "mjx-container", "script"} and element.classes.isdisjoint(_CONTAINERS):
        return None
    if element.tag == "script":
        return _tex_script(element)
    source = element.node.css_first('annotation[encoding="application/x-tex"]')
    text = source.text(deep=True) if source else element.get("alttext") or element.get("aria-label")
    if not text:
        readable = element.node.css_first("mjx-assistive-mml, .katex-mathml")
        text = (readable or element.node).text(deep=True)
    text = " ".join(text.split())
    is_display = "katex-display" in element.classes or element.get("display") in {"true", "block"}
    return _between(text, is_display)


def _tex_script(element: Element) -> str | None:
    kind = element.get("type")
    if not kind.startswith("math/tex"):
        return None
    return _between(" ".join(element.node.text(deep=True).split()), "mode=display" in kind)


def _between(text: str, is_display: bool) -> str:
    sign = "$$" if is_display else "$"
    return f"{sign}{text}{sign}" if text else ""
