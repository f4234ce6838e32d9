"""Nothing for Python: which leaf suits the loops of a copy."""
