"""Triton's linear layouts: bases, the coordinates at which the bits of a slot's number lie.

    >>> from tilelayout.notations import triton
    >>> layout = triton.parse("#ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 1], [2, 2]]}, alignment = 16>").bind()
    >>> layout.offsets()
    array([[ 0,  1,  2,  3],
           [ 5,  4,  7,  6],
           [10, 11,  8,  9],
           [15, 14, 13, 12]])

A linear layout leads from a place in hardware to coordinates: the bases of the bits that are set are added by XOR
(triton/include/triton/Tools/LinearLayout.h). Here that is turned round, and the places of several kinds, such as register, lane, warp and
block, become one slot: ``register`` counts fastest, as the kind that is written first always does.
"""

from .expressing import express
from .layout import LinearLayout
from .padded import PaddedShared
from .parser import parse, recognizes
from .swizzled import SwizzledShared

__all__ = ["LinearLayout", "PaddedShared", "SwizzledShared", "express", "parse", "recognizes"]
