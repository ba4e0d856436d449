"""The command line, `kalooki`: one file per verb."""
