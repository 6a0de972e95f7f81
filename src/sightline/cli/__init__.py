"""The command line: one file per subcommand, each imported only when it is used."""
