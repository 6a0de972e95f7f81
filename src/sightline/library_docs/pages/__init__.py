"""Pages as Markdown: from HTML and reStructuredText, with an outline, sections and windows of lines."""
