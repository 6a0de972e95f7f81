"""One contract over every language server that is installed: `make servers` installs them."""
