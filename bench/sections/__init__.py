"""The parts of the report, each in a file of its own: a function from the options to rows."""
