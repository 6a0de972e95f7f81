"""Documentation on the web: which pages of a library to try, in which order, and which version they describe."""
