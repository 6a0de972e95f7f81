"""What a secret looks like: known token formats, names that announce one, random-looking text, and placeholders.

Every function answers with a reason or with nothing, and none of the reasons holds the text that was looked at.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from itertools import pairwise

# What it is, texts of which one must be there (looked for first, because that is fast), and the format.
_SHAPES: tuple[tuple[str, str, str], ...] = (
    ("an Anthropic key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{16,}"),
    ("an OpenAI key", "sk-", r"sk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{20,}"),
    (
        "a GitHub token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        r"gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}",
    ),
    ("a GitLab token", "glpat- gldt- glrt- glptt-", r"gl(?:pat|dt|rt|ptt)-[A-Za-z0-9_-]{16,}"),
    ("an AWS access key", "AKIA ASIA", r"(?:AKIA|ASIA)[0-9A-Z]{16}"),
    ("a Google API key", "AIza", r"AIza[0-9A-Za-z_-]{35}"),
    ("a Google OAuth token", "ya29.", r"ya29\.[0-9A-Za-z_-]{20,}"),
    ("a Slack token", "xox xapp-", r"xox[abeprs]-[0-9A-Za-z-]{10,}|xapp-\d-[0-9A-Za-z-]{10,}"),
    ("a Slack webhook", "hooks.slack.com/", r"hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,}"),
    ("a Discord webhook", "/api/webhooks/", r"discord(?:app)?\.com/api/webhooks/\d{10,}/[A-Za-z0-9_-]{20,}"),
    (
        "a publishing token",
        "npm_ pypi- rubygems_",
        r"npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{50,}|rubygems_[a-f0-9]{40,}",
    ),
    ("a Hugging Face token", "hf_", r"hf_[A-Za-z0-9]{30,}"),
    ("a Stripe key", "sk_ rk_ whsec_", r"(?:sk|rk)_(?:live|test)_[0-9A-Za-z]{16,}|whsec_[A-Za-z0-9+/=]{24,}"),
    ("a SendGrid key", "SG.", r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    ("a DigitalOcean token", "_v1_", r"do[opr]_v1_[a-f0-9]{40,}"),
    ("a Linear key", "lin_", r"lin_(?:api|oauth)_[A-Za-z0-9]{30,}"),
    ("a Notion token", "ntn_ secret_", r"(?:ntn_|secret_)[A-Za-z0-9]{40,}"),
    ("a Figma token", "figd_", r"figd_[A-Za-z0-9_-]{20,}"),
    ("a Sentry token", "sntr", r"sntr[ysu]+_[A-Za-z0-9_+/=-]{30,}"),
    ("an Atlassian token", "ATATT3", r"ATATT3[A-Za-z0-9_=-]{20,}"),
    ("a Docker token", "dckr_", r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}"),
    ("a Grafana token", "glc_ gla_ glsa_ glsc_", r"gls?[ac]_[A-Za-z0-9_]{30,}"),
    ("a Shopify token", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    ("a Postman key", "PMAK-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    ("an age key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[0-9A-Z]{50,}"),
    ("a JSON web token", "eyJ", r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}"),
    ("a private key", "-----BEGIN", r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s*[A-Za-z0-9+/=]{20}"),
)
# `{"sub":"1234567890",` in Base64: the start of what every example of a JSON web token says.
_SAMPLE_SUBJECT = "eyJzdWIiOiIxMjM0NTY3ODkwIi"
_MARKED_SHAPES = tuple((name, tuple(marks.split()), pattern) for name, marks, pattern in _SHAPES)
_ALL_MARKS = tuple(mark for _, marks, _ in _MARKED_SHAPES for mark in marks)
_PLACEHOLDER = re.compile(
    r"""[x*.\-_#0]+ | <[^<>]*> | \[[^\[\]]*\] | \{+[^{}]*\}+ | \$\w+ | \$\(.*\) | %\w+% | \{env:\w+\}
    | .*(?:example|change[-_ ]?me|place[-_ ]?holder|replace[-_ ]|insert[-_ ]|redacted|dummy|x{4,}|\*{3,}|\.{3}|…).*
    | (?:your|my|the|a|an|some|any)[-_ ].* | your\w* | (?:test|fake|mock|sample|demo)(?:[-_ ].*)?
    | (?:todo|fixme|none|null|nil|undefined|true|false|yes|no|on|off|secret|password|passwd|token|key|api[-_]?key|auto)
    | (?:insert|paste|put|add|enter|set|get|see|use)[-_ ].*""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_SECRET_NAME = re.compile(
    r"secret|passw(?:or)?d|passphrase|(?<![a-z])pat(?![a-z])|token|credential|bearer"
    r"|(?:api|access|auth|private|signing|encryption|master|account|service)[-_]?key|authorization|cookie"
    r"|(?:^|[-_])auth(?:$|[-_]?(?:key|header|value))|connection[-_]?string|(?:^|[-_])dsn$",
    re.IGNORECASE,
)
_NAME_WORDS = (
    "secret",
    "passw",
    "passphrase",
    "pat",
    "token",
    "credential",
    "bearer",
    "key",
    "auth",
    "cookie",
    "dsn",
    "string",
)
_NAME_OF_OTHER = re.compile(
    r"(?:max|min|num|total|input|output|context|thinking)[-_]?\w*tokens?|tokens?[-_](?:limit|count|budget|type|ttl|expiry)"
    r"|tokens$|tokenizer|tokenize|[-_](?:file|path|dir|url|uri|endpoint|name|id|type|ttl|enabled|helper|var|host|port|mode|"
    r"version|region|provider|store|manager|backend)$|\w(?:File|Path|Dir|Url|Uri|Endpoint|Name|Id|Type|Helper|Port)$",
)
# The key of a web socket's handshake is a number that is used once.
_KEY_NAME = re.compile(r"(?:^|(?<!sec-websocket)[-_])key$|(?<=[a-z])Key$", re.IGNORECASE)
_NO_SECRET_VALUE = re.compile(
    r"(?:~|\.{1,2})?/[\w./ @+-]* | [A-Za-z]:\\.* | \d{1,7} | [\d.]{1,15} | [a-z][a-z0-9+.-]*://[^@\s]*"
    r"| \d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-][\d:]+)?)?"
    r"| (?:bearer|basic|digest|token|oauth2?|none|default|keychain|keyring|env(?:ironment)?|prompt|system)",
    re.IGNORECASE | re.VERBOSE,
)
_LONGEST_NAME = 40
# The pairs of letters that words and names are mostly made of, by their first letter: nine of ten in words, a third in
# drawn letters. Counted over the documentation and code of some hundred packages.
_FOLLOWERS = (
    "abcdgilmnprstuvy baeilorsu cacehiklorstu dadeilorsu eabcdefgilmnopqrstvwx faefiloru gaehilnors haeiot "
    "iabcdefglmnoprstvxz keis ladeilostuy maeimopsu nacdefgiknopstuv oabcdgiklmnoprstuvw paehiloprstuy qu "
    "racdegiklmnoprstuvy sacehiklopstuy tacehiloprstuy uabceilmnprst vaei waei xept ypst ze"
)
_WORD_PAIRS = frozenset(first + each for first, *others in _FOLLOWERS.split() for each in others)
_LEAST_WORDLIKE = 0.55
_RANDOM = re.compile(r"[A-Za-z0-9+/_=.~-]{24,}")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def mentions_secret(text: str) -> bool:
    """Whether some word of a secret's name is in the text at all; quick, and never wrong about a no."""
    lowered = text.lower()
    return any(word in lowered for word in _NAME_WORDS)


def is_placeholder(text: str) -> bool:
    """Whether the text only stands for a value: `YOUR_API_KEY`, `xxx`, `changeme`, `<token>`, an example."""
    stripped = text.strip().strip("'\"")
    return len(stripped) < 4 or _PLACEHOLDER.fullmatch(stripped) is not None or len(set(stripped)) <= 3


def known_shape(text: str) -> str:
    """The kind of token that stands somewhere in the text, or nothing."""
    return next((name for name, _ in shapes_in(text)), "")


def shapes_in(text: str) -> list[tuple[str, str]]:
    """Each token of a known format in the text: what it is, and the token itself, for in-memory use only."""
    found: list[tuple[str, str]] = []
    if not any(mark in text for mark in _ALL_MARKS):
        return found
    for name, marks, pattern in _MARKED_SHAPES:
        if not any(mark in text for mark in marks):
            continue
        for match in re.finditer(rf"(?<![A-Za-z0-9])(?:{pattern})" if pattern[0].isalnum() else pattern, text):
            body = match[0]
            if not _is_sample_token(body) and not any(body in other for _, other in found):
                found.append((name, body))
    return found


def shown_name(name: str) -> str:
    """A name as ids and messages may hold it: one with a token in it becomes a digest."""
    if not shapes_in(name) and not looks_random(name):
        return name
    return f"#{hashlib.sha256(name.encode('utf-8', errors='surrogateescape')).hexdigest()[:8]}"


def _is_sample_token(token: str) -> bool:
    """Tokens of documentation: an example in words, or hardly any different characters after the prefix."""
    tail = token[6:]
    if re.search(r"example|x{4,}|\.{3}|your|placeholder|1234567890(?:abc|$)|abcdefgh", token, re.IGNORECASE):
        return True
    if _SAMPLE_SUBJECT in token:
        return True
    return len(set(tail)) <= 4 or not re.search(r"[0-9]|[A-Z].*[a-z]|[a-z].*[A-Z]", tail)


def is_secret_name(name: str) -> bool:
    """Whether a name announces a secret: `API_KEY`, `Authorization`, `--token`; not `MAX_TOKENS`, `TOKEN_FILE`."""
    bare = name.lstrip("-")
    if _NAME_OF_OTHER.search(bare) or _NAME_OF_OTHER.search(bare.lower()):
        return False
    return _SECRET_NAME.search(bare) is not None


def reason_by_name(name: str, value: str) -> str:
    """Why a value under this name is a secret, or nothing."""
    if is_placeholder(value) or _NO_SECRET_VALUE.fullmatch(value.strip()):
        return ""
    # A long name could be a secret itself.
    shown = f"`{name}`" if len(name) <= _LONGEST_NAME else "a long name"
    if is_secret_name(name):
        return f"{shown} holds a literal value"
    if _KEY_NAME.search(name) and len(value) >= 16 and entropy(value) >= 3.0 and not re.search(r"\s", value):
        return f"{shown} holds a literal value"
    return ""


def looks_random(text: str) -> bool:
    """Whether the whole text looks drawn at random: long, mixed, and with no words in it."""
    stripped = text.strip()
    if _RANDOM.fullmatch(stripped) is None or _UUID.fullmatch(stripped) or is_placeholder(stripped):
        return False
    if stripped.count("/") > 1 or stripped.startswith(("/", "./", "~", "@")) or "://" in stripped:
        return False
    classes = sum(bool(re.search(each, stripped)) for each in (r"[a-z]", r"[A-Z]", r"[0-9]"))
    digits = sum(character.isdigit() for character in stripped)
    return classes == 3 and digits >= 3 and entropy(stripped) >= 4.0 and not re.search(r"[-_.][a-z]{3,}[-_.]", stripped)


def reads_like_words(text: str) -> bool:
    """Whether the letters follow one another as they do in words and names, `parseV2Response` as well as `sha256`."""
    runs = re.findall(r"[a-z]+", text.lower())
    pairs = [first + second for run in runs for first, second in pairwise(run)]
    return sum(pair in _WORD_PAIRS for pair in pairs) >= _LEAST_WORDLIKE * len(pairs)


def entropy(text: str) -> float:
    """Bits per character, by how often each one occurs."""
    counts = Counter(text).values()
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts) if text else 0.0
