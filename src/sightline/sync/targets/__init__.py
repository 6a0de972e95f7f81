"""The agent CLIs that we sync to, one module each, plus what several of them share."""
