"""Nothing for Python: what other kernels ask of the source, where the machine does not fetch rows by itself."""
