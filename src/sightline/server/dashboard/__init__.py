"""The dashboard: one page at `/` that shows a running service, and the little that it may do to it."""
