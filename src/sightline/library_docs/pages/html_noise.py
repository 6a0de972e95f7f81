"""Which elements of a documentation page are not documentation: navigation, buttons, permalinks, banners.

Classes are compared as whole words: a part of a name would catch content (`toctree-wrapper` is the text of an index).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

Attributes = Mapping[str, str | None]

_NOISE_TAGS_WORDS = (
    "audio button canvas datalist dialog embed footer iframe input link meta nav noscript object script select "
    "style svg template textarea title video"
)
NOISE_TAGS = frozenset(_NOISE_TAGS_WORDS.split())
_NOISE_CLASSES_WORDS = (
    "breadcrumb breadcrumbs wy-breadcrumbs theme-doc-breadcrumbs md-path rst-footer-buttons pagination-nav "
    "pagination-links prev-next prev-next-area prev-next-footer related-pages related md-footer "
    "theme-doc-footer theme-edit-this-page edit-this-page edit-link edit-link-button edit-page-link "
    "md-content__button md-source-file last-updated theme-last-updated git-revision-date-localized-plugin page-info "
    "headerlink header-anchor hash-link heading-link anchor-link permalink sl-anchor-link tsd-anchor-icon "
    "subheading-anchor doc-anchor viewcode-link viewcode-back copybtn copy-button copy-code-button clipboard-button "
    "o-tooltip--left md-clipboard copy vpi-copy line-numbers-wrapper linenos linenodiv lineno line-number line-numbers "
    "blob-num gutter rouge-gutter src-line-numbers sphinx-bs-copy toc toc-tree table-of-contents "
    "theme-doc-toc-desktop theme-doc-toc-mobile tocCollapsible on-this-page page-toc bd-toc bd-sidebar-secondary "
    "sphinxsidebar sphinxsidebarwrapper wy-nav-side sidebar-tree tsd-navigation tsd-breadcrumb nav-chapters "
    "nav-wrapper mobile-nav-chapters skip-link skip-to-content skip-to-main theme-version-toggle "
    "feedback page-feedback feedback-widget cookie-banner cookie-consent cookie-notice cookieconsent gdpr-banner "
    "announcement-bar theme-announcement-bar md-banner ethical-ad ethical-rtd carbonads newsletter-form "
    "rustdoc-toolbar rightside src-toggle hideme content-icon-container back-to-top backtotop "
    "view-source-button"
)
_NOISE_CLASSES = frozenset(_NOISE_CLASSES_WORDS.split())
_NOISE_ROLES = frozenset(
    {"navigation", "search", "banner", "contentinfo", "button", "dialog", "alertdialog", "tooltip"}
)
_NOISE_WORDS = re.compile(
    r"cookie|(?:^|[-_\s])(?:breadcrumbs?|pagination|edit-this-page)(?:$|[-_\s])|tableOfContents", re.I
)
_STRAY_TEXT = re.compile(
    r"(?:edit (?:this page|on \w+|page)|(?:view|show) (?:page )?source|suggest (?:an )?edits?|report (?:an )?issue|"
    r"improve this (?:page|doc)|copy(?: code| page| to clipboard)?|skip to (?:main )?content|back to top|"
    r"\[(?:source|docs)\]|permalink|direct link to .*)",
    re.IGNORECASE,
)
_PERMALINK_SIGNS = frozenset({"", "¶", "#", "§", "🔗", "\uf0c1", "\u200b", "\u200b#", "link"})
_HIDING_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0(?:\.0*)?\s*(?:;|!|$)|"
    r"font-size\s*:\s*0(?:\.\d+)?(?:px|pt|em|rem|%)?\s*(?:;|!|$)|"
    r"(?:left|top|text-indent)\s*:\s*-\d{3,}|clip\s*:\s*rect\(\s*0",
    re.IGNORECASE,
)
_HIDDEN_CLASSES = frozenset({"sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text"})


def is_noise(tag: str, attributes: Attributes, classes: frozenset[str]) -> bool:
    """Whether the element is never part of the text; one with a tab's role is looked at by its role alone."""
    role = attributes.get("role")
    if role in {"tab", "tablist", "tabpanel", "main"}:
        return False
    if tag in NOISE_TAGS or role in _NOISE_ROLES:
        return True
    if not classes:
        return False
    if not classes.isdisjoint(_NOISE_CLASSES) and tag not in {"pre", "code", "table", "body", "main", "article"}:
        return True
    if (tag, "src") == ("a", next(iter(classes))) or (tag == "span" and classes == frozenset({"lang"})):
        return True  # rustdoc's link to the source, VitePress's label of a code block
    is_local_contents = "contents" in classes and not classes.isdisjoint({"topic", "local"})
    return is_local_contents or _NOISE_WORDS.search(attributes.get("class") or "") is not None


def is_hidden(attributes: Attributes, classes: frozenset[str]) -> bool:
    """Whether readers of the page do not see the element; panels of tabs, seen one at a time, count as seen."""
    if attributes.get("role") == "tabpanel":
        return False
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        return True
    if attributes.get("aria-hidden") == "true" or not classes.isdisjoint(_HIDDEN_CLASSES):
        return True
    return bool((style := attributes.get("style")) and _HIDING_STYLE.search(style))


def is_stray_link(text: str, href: str) -> bool:
    """Whether a link is the page's furniture: a permalink sign, or an invitation to edit."""
    text = text.strip()
    return (text in _PERMALINK_SIGNS and "#" in href) or (len(text) < 60 and _STRAY_TEXT.fullmatch(text) is not None)
