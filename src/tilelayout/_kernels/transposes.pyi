"""Nothing for Python: the block of a transpose."""
