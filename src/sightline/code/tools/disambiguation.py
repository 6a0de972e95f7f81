"""Several candidates for one name, in text."""

from __future__ import annotations

from collections.abc import Iterable

from sightline.code.navigation import Candidate


def candidate_lines(candidates: Iterable[Candidate]) -> list[str]:
    return [f"  {each.name_path} ({each.kind}) {each.file}:{each.line}:{each.column}" for each in candidates]
