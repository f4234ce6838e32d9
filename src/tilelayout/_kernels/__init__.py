"""The compiled kernels: they know pointers, extents and strides, and nothing of layouts."""
