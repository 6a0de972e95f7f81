"""Which network addresses are public: ordinary unicast addresses of the internet, and nothing else.

An address that carries an IPv4 address inside is judged by that one too. Old tunnels (6to4, Teredo, IPv4-compatible)
and the local NAT64 prefix are refused as a whole: no documentation lives there, and they lead anywhere.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

IPAddress = IPv4Address | IPv6Address

_REFUSED_V4 = {
    IPv4Network("0.0.0.0/8"): "this network",
    IPv4Network("10.0.0.0/8"): "private",
    IPv4Network("100.64.0.0/10"): "carrier-grade NAT",
    IPv4Network("127.0.0.0/8"): "loopback",
    IPv4Network("168.63.129.16/32"): "platform service of a cloud",
    IPv4Network("169.254.0.0/16"): "link-local",
    IPv4Network("172.16.0.0/12"): "private",
    IPv4Network("192.0.0.0/24"): "protocol assignments",
    IPv4Network("192.0.2.0/24"): "documentation",
    IPv4Network("192.88.99.0/24"): "6to4 relay",
    IPv4Network("192.168.0.0/16"): "private",
    IPv4Network("198.18.0.0/15"): "benchmark",
    IPv4Network("198.51.100.0/24"): "documentation",
    IPv4Network("203.0.113.0/24"): "documentation",
    IPv4Network("224.0.0.0/4"): "multicast",
    IPv4Network("240.0.0.0/4"): "reserved or broadcast",
}
_REFUSED_V6 = {
    IPv6Network("2001::/23"): "protocol assignments (Teredo, benchmark, ORCHID and others)",
    IPv6Network("2001:db8::/32"): "documentation",
    IPv6Network("2002::/16"): "6to4",
    IPv6Network("3fff::/20"): "documentation",
}
_GLOBAL_UNICAST_V6 = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
_ISATAP_MARKS = (0x00005EFE, 0x02005EFE)


def parse_address(text: str) -> IPAddress | None:
    """The address that a resolver or a setting wrote; None for anything else, a scoped address included."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return None if isinstance(address, IPv6Address) and address.scope_id else address


def why_not_public(address: IPAddress) -> str | None:
    """What kind of non-public address this is; None for a public one."""
    if isinstance(address, IPv4Address):
        return _why_not_public_v4(address)
    if address.scope_id:
        return "scoped"
    if (inner := _carried(address)) is not None and (why := _why_not_public_v4(inner)) is not None:
        return f"{why}, inside an IPv6 address"
    if address.ipv4_mapped is not None or address in _NAT64:
        return None
    if address not in _GLOBAL_UNICAST_V6:
        return "not global unicast"
    return next((what for network, what in _REFUSED_V6.items() if address in network), _not_global(address))


def _why_not_public_v4(address: IPv4Address) -> str | None:
    return next((what for network, what in _REFUSED_V4.items() if address in network), _not_global(address))


def _not_global(address: IPAddress) -> str | None:
    """What the interpreter's own tables know beyond ours."""
    return None if address.is_global else "not global"


def _carried(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address in a mapped, NAT64 or ISATAP address."""
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    number = int(address)
    if address in _NAT64 or (number >> 32) & 0xFFFFFFFF in _ISATAP_MARKS:
        return IPv4Address(number & 0xFFFFFFFF)
    return None
