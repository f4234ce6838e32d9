"""Nothing for Python: what other kernels ask of a leaf."""
