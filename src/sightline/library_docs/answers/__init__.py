"""What the docs tools answer. Apart from the tools themselves, so that these are listed without loading any of it."""
