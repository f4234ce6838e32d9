"""Nothing for Python: what other kernels ask of the rows of a block."""
