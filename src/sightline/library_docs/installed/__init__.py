"""Documentation from packages on disk: what they ship, and their API, at exactly the version that is installed.

Files are read; no package is imported and no interpreter is started.
"""
