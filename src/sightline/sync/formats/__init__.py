"""Editors that change what is ours in a file and leave every other byte alone. Bytes in, bytes out; no I/O.

A comment is foreign, always: it goes only with a value that it stands inside of.
"""
