"""Answers that still hold: what a finished "nothing to do" was made from, and whether all of that is as it was.

Imports neither model nor targets nor formats, so that asking costs next to nothing.
"""
