"""Reference pages as Markdown. Each module makes one page from the code that it describes."""
