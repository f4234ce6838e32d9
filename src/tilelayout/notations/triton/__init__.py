"""Triton's layouts: attributes of registers and shared memory, and the linear layouts that they are for an array's shape.

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

An attribute is a small value with the fields of Triton's text. For a shape it makes a tile of a few steps (``tiles``), which is repeated
where the array is larger and cut where it is smaller, as ``toLinearLayout`` in Triton 3.9's LinearLayoutConversions.cpp does.
"""

from .blocked import Blocked
from .expressing import express
from .layout import LinearLayout
from .mfma import AmdMfma
from .mma import NvidiaMma
from .nvmma import NvmmaShared
from .operands import DotOp
from .padded import PaddedShared
from .parser import parse, recognizes
from .slices import Slice
from .swizzled import AmdRotatingShared, SwizzledShared
from .types import MemDescType, TensorType
from .wmma import AmdWmma

__all__ = [
    "AmdMfma",
    "AmdRotatingShared",
    "AmdWmma",
    "Blocked",
    "DotOp",
    "LinearLayout",
    "MemDescType",
    "NvidiaMma",
    "NvmmaShared",
    "PaddedShared",
    "Slice",
    "SwizzledShared",
    "TensorType",
    "express",
    "parse",
    "recognizes",
]
