"""Diagnostics that come unasked: which of them are the answer, and when there is none."""

from __future__ import annotations

from typing import Any

import anyio

from sightline.lsp.published import Published

LONG_S, QUIET_S, NO_TIME_S = 20.0, 0.5, 0.05
URI = "file:///a"


def publish(*messages: str, version: int | None = None, uri: str = URI) -> dict[str, Any]:
    found: dict[str, Any] = {"uri": uri, "diagnostics": [{"message": message} for message in messages]}
    return found if version is None else {**found, "version": version}


async def settled(published: Published, *later: dict[str, Any], version: int | None = None, after: int = 0) -> Any:
    """What is held to be complete, if these come while it is awaited."""
    answers: list[Any] = []

    async def wait() -> None:
        items = await published.settled(URI, after=after, version=version, quiet_s=QUIET_S, timeout_s=LONG_S)
        answers.append(items and [each["message"] for each in items])

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wait)
        for each in later:
            await anyio.wait_all_tasks_blocked()
            published.take(each)
    return answers[0]


async def test_the_second_of_two_publishes_is_the_answer() -> None:
    assert await settled(Published(), publish("syntax"), publish("syntax", "types")) == ["syntax", "types"]


async def test_an_empty_first_publish_is_not_taken_for_clean() -> None:
    assert await settled(Published(), publish(), publish("types")) == ["types"]


async def test_silence_after_an_empty_publish_means_clean() -> None:
    assert await settled(Published(), publish()) == []


async def test_a_publish_of_another_version_or_another_file_is_not_the_answer() -> None:
    others = (publish("old", version=1), publish("elsewhere", version=2, uri="file:///b"), publish("no version"))

    assert await settled(Published(), *others, publish("right", version=2), version=2) == ["right"]


async def test_what_was_published_before_the_question_is_not_the_answer() -> None:
    published = Published()
    published.take(publish("before"))

    assert await settled(published, publish("after"), after=published.count) == ["after"]


async def test_nothing_in_time_is_no_answer_and_not_clean() -> None:
    published = Published()
    published.take(publish(version=1))

    found = await published.settled(URI, after=0, version=2, quiet_s=0, timeout_s=NO_TIME_S)

    assert found is None


async def test_a_server_that_never_falls_silent_gives_no_answer() -> None:
    published = Published()
    published.take(publish("first"))

    assert await published.settled(URI, after=0, version=None, quiet_s=LONG_S, timeout_s=NO_TIME_S) is None
