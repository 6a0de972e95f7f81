"""What the official conformance suite needs of a server beyond what Sightline offers, over its own HTTP service."""
