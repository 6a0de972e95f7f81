"""A small shop: enough code for every Sightline tool to show something."""
