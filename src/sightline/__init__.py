"""Sight for AI coding agents: of the code, of the library docs, and of their own configuration."""

__version__ = "0.1.0"
