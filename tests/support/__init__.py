"""Real things that tests need: an application in this process, a server in another."""
