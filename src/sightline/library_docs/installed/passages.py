"""Passages of documents that fit a topic: split at headings, ranked in memory, in an order that never varies."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from sightline.library_docs.documents import Document, Kind
from sightline.library_docs.installed.words import query_words, stem, words_of
from sightline.library_docs.pages.code_fences import OpenFence, fence_after

_LONGEST = 6_000
_MOST_PASSAGES = 20_000
_K1, _B = 1.2, 0.6
_HEADING_WEIGHT, _TITLE_WEIGHT = 4, 2
_ATX = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_UNDERLINE = re.compile(r"([=\-~^\"'*+#.:_])\1{2,}\s*$")
_WEIGHTS: dict[Kind, float] = {
    "skill": 1.15,
    "guide": 1.1,
    "readme": 1.0,
    "api": 1.0,
    "index": 0.6,
    "changelog": 0.5,
    "page": 1.0,
}


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a document under one heading; reading on starts at `line` of `address`."""

    address: str
    title: str
    heading: str
    line: int
    text: str
    kind: Kind
    score: float = 0.0
    is_cut: bool = False
    is_last: bool = False

    @property
    def whole_lines(self) -> str:
        """The text; one that was cut ends with a whole line, so that reading on loses nothing."""
        return (self.text.rpartition("\n")[0] or self.text) if self.is_cut else self.text

    @property
    def next_line(self) -> int | None:
        """Where its document goes on; the page of an object is whole unless it was cut."""
        if (self.kind == "api" or self.is_last) and not self.is_cut:
            return None
        return self.line + self.whole_lines.count("\n") + 1


def split(document: Document) -> Iterator[Passage]:
    """The passages of a document, each with the headings above it."""
    lines = document.text.split("\n")
    starts = [*_headings(lines)]
    if not starts or starts[0][0] > 0:
        starts.insert(0, (0, 0, ""))
    above: list[tuple[int, str]] = []
    for at, (line, level, heading) in enumerate(starts):
        end = starts[at + 1][0] if at + 1 < len(starts) else len(lines)
        above = [each for each in above if each[0] < level]
        if heading:
            above.append((level, heading))
        text = "\n".join(lines[line:end]).strip("\n")
        if text.strip():
            path = " > ".join(each[1] for each in above)
            cut = len(text) > _LONGEST
            yield Passage(
                document.address, document.title, path, line + 1, text[:_LONGEST], document.kind, is_cut=cut,
                is_last=end == len(lines),
            )  # fmt: skip


def rank(topic: str, passages: Iterable[Passage], *, limit: int) -> tuple[Passage, ...]:
    """The passages that fit best, by BM25 over their words with headings counted more; none without a shared word."""
    wanted = [stem(word) for word in query_words(topic)]
    pool = [passage for _, passage in zip(range(_MOST_PASSAGES), passages, strict=False)]
    if not wanted or not pool:
        return ()
    counts = [_count(passage, frozenset(wanted)) for passage in pool]
    average = sum(length for _, length in counts) / len(counts) or 1.0
    holding = Counter(word for found, _ in counts for word in found)
    scored = [
        (_score(found, length / average, holding, len(pool), wanted) * _WEIGHTS[passage.kind], passage)
        for passage, (found, length) in zip(pool, counts, strict=True)
        if found
    ]
    scored.sort(key=lambda each: (-round(each[0], 6), each[1].address, each[1].line))
    return tuple(_with_score(passage, score) for score, passage in scored[:limit])


def _count(passage: Passage, wanted: frozenset[str]) -> tuple[Counter[str], float]:
    """How often the wanted words stand in a passage, headings weighted, and about how many words it has."""
    found: Counter[str] = Counter()
    length = len(passage.text) / 6
    for text, weight in ((passage.text, 1), (passage.heading, _HEADING_WEIGHT), (passage.title, _TITLE_WEIGHT)):
        lowered = text.lower()
        if not any(word[:-1] in lowered for word in wanted):  # without its last letter, which an ending may change
            continue
        for word in words_of(text):
            if (plain := stem(word)) in wanted:
                found[plain] += weight
    return found, length


def _score(found: Counter[str], length: float, holding: Counter[str], total: int, wanted: Sequence[str]) -> float:
    score = 0.0
    for word in wanted:
        if times := found.get(word):
            rarity = math.log(1 + (total - holding[word] + 0.5) / (holding[word] + 0.5))
            score += rarity * times * (_K1 + 1) / (times + _K1 * (1 - _B + _B * length))
    share = len([word for word in wanted if word in found]) / len(wanted)
    return score * (0.4 + 0.6 * share)


def _with_score(passage: Passage, score: float) -> Passage:
    return replace(passage, score=round(score, 3))


def _headings(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """Line, level and text of headings outside of fenced code; underlined ones too, as reStructuredText has them."""
    fence: OpenFence | None = None
    is_markdown = any(_ATX.match(line) for line in lines)
    levels = ["=", "-"] if is_markdown else []
    for at, line in enumerate(lines):
        before, fence = fence, fence_after(line, fence)
        if fence or (before and before.ends_with(line)):
            continue
        if found := _ATX.match(line):
            yield at, len(found[1]), _without_closing(line[found.end() :])
        elif at and _is_underlined(lines, at):
            mark = line.strip()[0]
            if mark not in levels:
                if is_markdown:
                    continue
                levels.append(mark)
            yield at - 1, levels.index(mark) + 1, lines[at - 1].strip()[:200]


def _without_closing(text: str) -> str:
    """A heading's text without the hashes that may close it."""
    plain = text.strip()
    opened = plain.rstrip("#")
    return (opened if not opened or opened[-1] in " \t" else plain).strip()[:200]


def _is_underlined(lines: list[str], at: int) -> bool:
    title = lines[at - 1].strip()
    if (
        not title
        or not _UNDERLINE.fullmatch(lines[at])
        or _UNDERLINE.fullmatch(title)
        or title.startswith(("|", "- ", "* "))
    ):
        return False
    is_first = at == 1 or not lines[at - 2].strip() or bool(_UNDERLINE.fullmatch(lines[at - 2]))
    return is_first and len(lines[at].strip()) >= min(len(title), 4)
