"""Framing without I/O: whatever a server writes, and however it arrives, messages come out whole."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.lsp.framing import Decoder, FrameTooLarge, encode

CAP = 1_000_000
LONGEST_HEADERS = 16_384

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=40)
MESSAGES = st.dictionaries(TEXTS, st.none() | st.booleans() | st.integers() | TEXTS | st.lists(TEXTS), max_size=4)
NOISE = st.sampled_from(
    [
        b"",
        b"warning\n",
        b"\r\n\r\n",
        b"Traceback:\r\n\r\n",
        "café 😀\n".encode(),
        b"\xff\xfe\x00",
        b"Content-Type: x\r\n",
    ]
)


def chunks_of(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({cut % (len(data) + 1) for cut in cuts} | {0, len(data)})
    return [data[start:end] for start, end in pairwise(places)]


def decode(chunks: list[bytes], cap: int = CAP) -> list[Any]:
    decoder = Decoder(cap)
    return [message for chunk in chunks for message in decoder.feed(chunk)]


@given(st.lists(MESSAGES, max_size=5), st.lists(st.integers(0, 10_000), max_size=20))
def test_any_messages_in_any_chunks_come_out_whole(messages: list[Any], cuts: list[int]) -> None:
    assert decode(chunks_of(b"".join(map(encode, messages)), cuts)) == messages


@given(st.lists(MESSAGES, max_size=3))
def test_messages_that_arrive_byte_by_byte_come_out_whole(messages: list[Any]) -> None:
    data = b"".join(map(encode, messages))

    assert decode([data[place : place + 1] for place in range(len(data))]) == messages


@given(st.lists(st.tuples(NOISE, MESSAGES), max_size=5), st.lists(st.integers(0, 10_000), max_size=20))
def test_stray_output_between_frames_does_no_harm(parts: list[tuple[bytes, Any]], cuts: list[int]) -> None:
    data = b"".join(noise + encode(message) for noise, message in parts)

    assert decode(chunks_of(data, cuts)) == [message for _, message in parts]


@given(st.binary(max_size=2000), st.lists(st.integers(0, 10_000), max_size=10))
def test_no_output_at_all_makes_it_fail(data: bytes, cuts: list[int]) -> None:
    decode(chunks_of(data, cuts))


def test_lengths_are_bytes_and_not_characters() -> None:
    frame = encode({"text": "é模😀"})

    assert frame.startswith(b"Content-Length: %d\r\n\r\n" % len('{"text":"é模😀"}'.encode()))
    assert decode([frame]) == [{"text": "é模😀"}]


@pytest.mark.parametrize(
    "headers",
    [
        b"content-length: 2\r\n\r\n",
        b"CONTENT-LENGTH:2\r\n\r\n",
        b"Content-Length:   2  \r\n\r\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n",
        b"Content-Length: 2\r\nContent-Type: application/vscode-jsonrpc\r\n\r\n",
    ],
)
def test_headers_are_read_as_the_protocol_allows_them(headers: bytes) -> None:
    assert decode([headers + b"{}"]) == [{}]


@pytest.mark.parametrize("body", [b"null", b"[]", b"1"])
def test_bodies_that_are_json_but_no_message_are_passed_on(body: bytes) -> None:
    """The connection drops them; OmniSharp sends bare nulls."""
    frame = b"Content-Length: %d\r\n\r\n%s" % (len(body), body)

    assert decode([frame, encode({"id": 1})])[-1] == {"id": 1}
    assert len(decode([frame])) == 1


@pytest.mark.parametrize("body", [b"{not json}", b"\xff\xfe", b"{} trailing", b""])
def test_a_body_that_is_not_json_is_set_aside_and_the_next_message_comes_out(body: bytes) -> None:
    decoder = Decoder(CAP)
    frame = b"Content-Length: %d\r\n\r\n%s" % (len(body), body)

    assert list(decoder.feed(frame + encode({"id": 1}))) == [{"id": 1}]
    assert bytes(decoder.stray).endswith(body)


@pytest.mark.parametrize("length", [b"", b"-5", b"two", b"0x10", b"1.5"])
def test_a_length_that_is_no_number_is_skipped_and_the_next_message_comes_out(length: bytes) -> None:
    assert decode([b"Content-Length: " + length + b"\r\n\r\n" + encode({"id": 1})]) == [{"id": 1}]


def test_a_line_of_output_that_mentions_the_header_does_not_swallow_the_next_message() -> None:
    noise = b"debug: sending Content-Length: 12 to the client\n"

    assert decode([noise + encode({"id": 1}) + encode({"id": 2})]) == [{"id": 1}, {"id": 2}]


def test_a_body_nested_too_deep_is_set_aside_and_the_next_message_comes_out() -> None:
    body = b"[" * 100_000
    frame = b"Content-Length: %d\r\n\r\n%s" % (len(body), body)

    assert decode([frame + encode({"id": 1})]) == [{"id": 1}]


def test_a_frame_over_the_cap_is_refused_before_its_body_arrives() -> None:
    with pytest.raises(FrameTooLarge, match="a message of 1,000,001 bytes; the cap is 1,000,000"):
        decode([b"Content-Length: 1000001\r\n\r\n"])


def test_a_frame_at_the_cap_is_let_through() -> None:
    message = {"text": "x" * 100}
    body = encode(message).partition(b"\r\n\r\n")[2]

    assert decode([encode(message)], cap=len(body)) == [message]


def test_a_length_of_very_many_digits_is_refused_and_not_a_failure_of_ours() -> None:
    with pytest.raises(FrameTooLarge):
        decode([b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n"])


@pytest.mark.parametrize("noise", [b"x" * 1000, b"Content-Length" + b"x" * 986, b"content-length: 1" + b"x" * 983])
def test_endless_stray_output_does_not_fill_the_memory(noise: bytes) -> None:
    decoder = Decoder(CAP)

    for _ in range(1000):
        assert list(decoder.feed(noise)) == []

    assert len(decoder.stray) <= LONGEST_HEADERS
    assert len(decoder._buffer) <= 2 * LONGEST_HEADERS  # pyright: ignore[reportPrivateUsage] - it is what must not grow


def test_a_large_message_in_small_chunks_takes_time_in_proportion_to_its_size() -> None:
    """Searching the whole buffer again at each chunk would be 4,000 times 4 MB."""
    message = {"text": "x" * 4_000_000}
    frame = encode(message)

    assert decode([frame[at : at + 1000] for at in range(0, len(frame), 1000)], cap=5_000_000) == [message]
