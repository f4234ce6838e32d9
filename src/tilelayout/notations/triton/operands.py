"""The operands of dots, which depend on the layout of the result."""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import ClassVar, TypeAlias

from ...errors import LayoutError, shown
from ...sizes import integer
from .attribute import Distributed
from .blocked import Blocked
from .fields import among
from .layout import LinearLayout
from .mfma import LANES, AmdMfma, tiles_of
from .mma import NvidiaMma, fragment, warp_order
from .tiles import Tile, row_major, without
from .wmma import AmdWmma, repeated

Result: TypeAlias = Blocked | NvidiaMma | AmdMfma | AmdWmma
#: How many neighbours along K a lane may have, by version of wmma.
_WIDTHS = {1: (8, 16), 2: (4, 8, 16), 3: tuple(1 << bit for bit in range(16))}


@dataclass(frozen=True, slots=True)
class DotOp(Distributed):
    """``#ttg.dot_op``: an operand of a dot as its instructions read it from registers.

    >>> layout = DotOp(0, NvidiaMma(2, 0, (1, 1), (16, 8)), kWidth=2)
    >>> print(layout.linear((16, 16)))
    #ttg.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>

    Parameters
    ----------
    opIdx
        0 for the left operand, 1 for the right.
    parent
        The layout of the result.
    kWidth
        How many neighbours along K a thread has; 0, which is not written, where the parent is blocked.

    Warps that differ in the axis that the operand does not have hold copies.
    """

    _mnemonic: ClassVar = "dot_op"

    opIdx: int
    parent: Result
    kWidth: int = 0

    def __post_init__(self) -> None:
        side, width = among("opIdx", self.opIdx, (0, 1)), integer(self.kWidth)
        if not isinstance(self.parent, Result) or self.parent.rank < 2:
            raise LayoutError(
                f"parent = {shown(self.parent)} is no layout of a dot's result: blocked, nvidia_mma, amd_mfma or amd_wmma of 2 axes or more"
            )
        if width is None:
            raise LayoutError(f"kWidth = {shown(self.kWidth)} is no integer")
        check(self.parent, side, width)
        object.__setattr__(self, "opIdx", side)
        object.__setattr__(self, "kWidth", width)

    @property
    def rank(self) -> int:
        """The number of axes."""
        return self.parent.rank

    def _fitted(self, shape: tuple[int, ...]) -> LinearLayout:
        """The linear layout for a shape that is known to be one."""
        return laid_out(self.parent, self.opIdx, self.kWidth, shape)


def check(parent: Result, side: int, width: int) -> None:
    """Refuse an operand that the instructions of a layout do not take from registers."""
    if isinstance(parent, Blocked):
        if width:
            raise LayoutError(f"kWidth = {width} is not said of an operand whose parent is blocked: each thread has all of K")
    elif isinstance(parent, AmdWmma):
        among("kWidth", width, _WIDTHS[parent.version])
    elif not 0 < width < 1 << 16 or width.bit_count() != 1:
        raise LayoutError(f"kWidth = {width} is no power of two below 2**16; it says how many neighbours along K a thread has")
    elif isinstance(parent, NvidiaMma) and parent.versionMajor == 3 and side:
        raise LayoutError("opIdx = 1 is no operand that version 3 takes from registers: wgmma reads it in shared memory")


@singledispatch
def laid_out(parent: Result, side: int, width: int, shape: tuple[int, ...]) -> LinearLayout:
    """The linear layout of an operand of a dot whose result is laid out like the parent."""
    raise NotImplementedError


@laid_out.register
def _(parent: Blocked, side: int, width: int, shape: tuple[int, ...]) -> LinearLayout:
    inner = parent.rank - 1 - side
    sizes = (*parent.sizePerThread[:inner], shape[inner], *parent.sizePerThread[inner + 1 :])
    tile = Tile(parent.order).spread("register", sizes, parent.order)
    tile.spread("lane", parent.threadsPerWarp, parent.order, inner).spread("warp", parent.warpsPerCTA, parent.order, inner)
    return tile.fitted(shape, without(parent.CGALayout, inner))


@laid_out.register
def _(parent: NvidiaMma, side: int, width: int, shape: tuple[int, ...]) -> LinearLayout:
    order, m = _inwards(parent.rank, side), parent.instrShape[parent.rank - 2]
    inner, outer = order[:2]
    tile = fragment(Tile(order), (inner, width * (4 if m == 8 else 8)), (outer, 8 if side else m), width)
    return tile.spread("warp", parent.warpsPerCTA, warp_order(parent), inner).fitted(shape, without(parent.CGALayout, inner))


@laid_out.register
def _(parent: AmdMfma, side: int, width: int, shape: tuple[int, ...]) -> LinearLayout:
    order, lanes = _inwards(parent.rank, side), parent.instrShape[side]
    inner, outer = order[:2]
    tile = Tile(order).along("register", inner, width).along("lane", outer, lanes).along("lane", inner, LANES // lanes)
    if parent.instrShape[:2] == ((64, 4), (4, 64))[side]:
        tile.along("register", inner, 16)
    tile.along("register", inner, shape[inner] // tile.sizes[inner]).along("register", outer, tiles_of(parent, outer))
    return tile.spread("warp", parent.warpsPerCTA, row_major(parent.rank), inner).fitted(shape, parent.CGALayout)


@laid_out.register
def _(parent: AmdWmma, side: int, width: int, shape: tuple[int, ...]) -> LinearLayout:
    order = _inwards(parent.rank, side)
    inner, outer = order[:2]
    tile = Tile(order).along("register", inner, width).along("lane", outer, 16)
    if parent.version == 1:
        tile.copies("lane", 2)
    else:
        tile.along("lane", inner, 2)
    tile.along("register", inner, parent.instrShape[2] // (2 * width))
    tile.along("register", outer, parent.instrShape[side ^ parent.isTranspose] // 16)
    return repeated(tile, parent, inner).fitted(shape, without(parent.CGALayout, inner))


def _inwards(rank: int, side: int) -> tuple[int, ...]:
    """The axes of an operand: K, that of the result, and those of batches."""
    return (rank - 1 - side, rank - 2 + side, *row_major(rank)[2:])
