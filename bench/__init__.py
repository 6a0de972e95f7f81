"""Benchmarks: Sightline against the thing it replaces or is built on, as ratios within one run."""
