"""The layouts of Mosaic, JAX's compiler for TPU kernels: ``#tpu.tiled<(8,128)(2,1),[2,1]>``, alone or in a ``memref`` type.

    >>> from tilelayout.notations import mosaic
    >>> layout = mosaic.parse("memref<16x256xbf16, #tpu.tiled<(8,128)(2,1),[2,1]>, #tpu.memory_space<vmem>>").bind()
    >>> layout.slots, layout(1, 0), layout(0, 128), layout(8, 0)
    (4096, 1, 1024, 2048)

The first tile cuts the last dimensions of the array, further tiles cut what lies in it, as XLA's do. In brackets is a stride for
each dimension of the array, counted in first tiles: how far it is to the next tile, or to the next element of a dimension
that is not tiled. A buffer ends with the last tile in use.

The source is the TPU dialect, ``TiledLayoutAttr`` in xla/mosaic/dialect/tpu/tpu_dialect.cc (up to 2025 in jaxlib/mosaic). What its
``verify`` refuses is refused here: further tiles that are not within the first, or do not divide it. Sizes below 1 and
tiles with more entries than there are dimensions, for which it has no answer, are refused too.
"""

from .expressing import express
from .layout import MemRef, TiledLayout
from .reading import parse, recognizes

__all__ = ["MemRef", "TiledLayout", "express", "parse", "recognizes"]
