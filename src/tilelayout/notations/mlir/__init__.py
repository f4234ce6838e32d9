"""MLIR: affine maps, strided layouts, memref types, and the attributes of ``linalg.pack``.

    >>> from tilelayout.notations import mlir
    >>> mlir.parse("affine_map<(d0, d1) -> (d0 floordiv 8, d1 floordiv 128, d0 mod 8, d1 mod 128)>").bind((20, 300)).slots
    9216
    >>> mlir.parse("linalg.pack %a inner_dims_pos = [1] inner_tiles = [4] into %b : tensor<6x8xf32> -> tensor<6x2x4xf32>").bind()(1, 5)
    13

The text is what MLIR prints; a map means what ``-normalize-memrefs`` makes of a memref that has it.
"""

from .affine import AffineMap, Strided
from .expressing import express
from .pack import Pack, PackOp
from .parser import parse, recognizes
from .types import MemRef

__all__ = ["AffineMap", "MemRef", "Pack", "PackOp", "Strided", "express", "parse", "recognizes"]
