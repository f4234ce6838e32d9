"""Tensor memory layouts: read them in any language, pack and unpack arrays, ask where elements lie."""

from . import _lazy

__getattr__, __dir__, __all__ = _lazy.handed_out(__name__)
