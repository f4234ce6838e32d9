"""The compiled kernels: they know pointers, extents and strides, and nothing of layouts."""

import sys
from importlib.util import find_spec

if find_spec(f"{__name__}.crew") is None:
    raise ImportError(
        f"{__path__[0]!r} has no compiled kernels for {sys.implementation.cache_tag}; in a clone build them with make build, "
        "or install with pip install . and import from outside its folder src"
    )
