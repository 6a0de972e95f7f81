"""Only ordinary unicast addresses of the internet are public."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.library_docs.fetching.addresses import parse_address, why_not_public


@pytest.mark.parametrize(
    "text",
    [
        "1.1.1.1", "8.8.8.8", "93.184.216.34", "100.63.255.255", "100.128.0.1", "126.255.255.255", "128.0.0.1",
        "169.253.255.255", "169.255.0.1", "172.15.255.255", "172.32.0.1", "192.0.1.1", "192.167.255.255", "192.169.0.1",
        "198.17.255.255", "198.20.0.1", "223.255.255.255", "2606:4700::1111", "2a00:1450:4001::1",
        "2001:4860:4860::8888",
        "2001:200::1", "2003::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2606:4700::5efe:8.8.8.8",
    ],
)  # fmt: skip
def test_ordinary_addresses_are_public(text: str) -> None:
    assert why_not_public(ip_address(text)) is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("127.0.0.1", "loopback"),
        ("::ffff:127.0.0.1", "loopback, inside an IPv6 address"),
        ("64:ff9b::a9fe:a9fe", "link-local, inside an IPv6 address"),
        ("2606:4700::200:5efe:10.0.0.1", "private, inside an IPv6 address"),
        ("224.0.0.1", "multicast"),
        ("2002:808:808::1", "6to4"),
        ("fe80::1%eth0", "scoped"),
        ("64:ff9b:1::808:808", "not global unicast"),
        ("fec0::1", "not global unicast"),
    ],
)
def test_the_kind_of_another_address_is_said(text: str, kind: str) -> None:
    assert why_not_public(ip_address(text)) == kind


@given(st.integers(0, 2**32 - 1).map(IPv4Address))
def test_what_is_public_is_nothing_that_python_calls_special(address: IPv4Address) -> None:
    if why_not_public(address) is None:
        assert address.is_global
        assert not any((address.is_multicast, address.is_reserved, address.is_loopback, address.is_link_local))


@given(st.one_of(st.ip_addresses(v=6).map(str), st.ip_addresses(v=4).map(lambda inner: f"::ffff:{inner}")))
def test_an_ipv6_address_is_public_only_in_the_public_ranges(text: str) -> None:
    address = IPv6Address(text)
    if why_not_public(address) is None:
        inner = address.ipv4_mapped
        if inner is None:
            assert any(address in IPv6Network(network) for network in ("2000::/3", "64:ff9b::/96"))
        else:
            assert why_not_public(inner) is None


@given(
    st.ip_addresses(v=4), st.sampled_from(["::ffff:{}", "64:ff9b::{}", "2606:4700::5efe:{}", "2606:4700::200:5efe:{}"])
)
def test_wrapping_an_address_does_not_make_it_public(inner: IPv4Address, form: str) -> None:
    if why_not_public(inner) is not None:
        assert why_not_public(ip_address(form.format(inner))) is not None


@pytest.mark.parametrize(
    "text", ["", "localhost", "127.1", "0x7f.1", "fe80::1%eth0", "1.1.1.1 ", "[::1]", "1.1.1.1:80"]
)
def test_what_is_no_plain_address_is_none(text: str) -> None:
    assert parse_address(text) is None
