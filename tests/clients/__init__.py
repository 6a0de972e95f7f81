"""Programs that others wrote, driven against Sightline: `make test-clients`, not part of `make test`."""
