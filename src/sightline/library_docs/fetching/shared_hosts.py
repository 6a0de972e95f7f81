"""Hosts and domains where many strangers publish side by side, and names that never lead to the public web."""

from __future__ import annotations

# How many segments of the path make one publisher's place.
SEGMENTS_OF_A_PLACE = {
    "bitbucket.org": 2,
    "cdn.jsdelivr.net": 2,
    "codeberg.org": 2,
    "codeload.github.com": 2,
    "dev.to": 1,
    "docs.google.com": 3,
    "docs.rs": 1,
    "gist.github.com": 2,
    "gist.githubusercontent.com": 2,
    "git.sr.ht": 2,
    "gitee.com": 2,
    "github.com": 2,
    "gitlab.com": 2,
    "godoc.org": 2,
    "huggingface.co": 2,
    "launchpad.net": 1,
    "media.githubusercontent.com": 3,
    "medium.com": 1,
    "nbviewer.org": 3,
    "pkg.go.dev": 2,
    "raw.githubusercontent.com": 2,
    "readthedocs.org": 2,
    "s3.amazonaws.com": 1,
    "sites.google.com": 2,
    "sourceforge.net": 2,
    "sr.ht": 2,
    "storage.googleapis.com": 1,
    "unpkg.com": 1,
    "www.github.com": 2,
    "www.gitlab.com": 2,
}

# Here `/Owner/Name` and `/owner/name` are the same place.
CASELESS = frozenset({"bitbucket.org", "codeberg.org", "github.com", "gitlab.com", "raw.githubusercontent.com"})

# The same publisher's same files under another host, with the same first segments.
TWINS = {"github.com": "raw.githubusercontent.com"}

# Domains whose subdomains belong to strangers although the public suffix list does not say so.
DOMAINS_OF_STRANGERS = frozenset(
    {
        "amazonaws.com",
        "atlassian.net",
        "bitbucket.org",
        "gitbook.com",
        "github.com",
        "githubusercontent.com",
        "gitlab.com",
        "google.com",
        "googleapis.com",
        "huggingface.co",
        "mintlify.app",
        "notion.site",
        "readme.io",
        "sharepoint.com",
        "sourceforge.net",
        "zendesk.com",
    }
)

# Names for machines, local networks and tests; a private one can be listed by its user.
SPECIAL_TOP_LABELS = frozenset(
    {
        "alt",
        "arpa",
        "corp",
        "example",
        "home",
        "internal",
        "intranet",
        "invalid",
        "lan",
        "local",
        "localdomain",
        "localhost",
        "mail",
        "onion",
        "private",
        "test",
    }
)
