"""One configuration for every agent CLI: Claude Code's is read, the others are planned, written and verified."""
