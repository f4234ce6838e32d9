"""The shared memory of NVIDIA's tensor cores: tiles as the tensor memory accelerator writes them, with swizzled rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar

from ...errors import LayoutError, ShapeError, shown
from ...sizes import integer
from .attribute import Attribute
from .fields import among, steps, truth
from .layout import Basis, LinearLayout
from .tiles import Tile, per_block, row_major, unflattened

#: Bits of the vectors that swizzling exchanges, the rows after which it begins anew, and the largest side of a box.
_VECTOR, _ROWS, _LONGEST = 128, 8, 256
#: The axes that an array may have.
_MOST_AXES = 32


@dataclass(frozen=True, slots=True)
class NvmmaShared(Attribute):
    """``#ttg.nvmma_shared``: boxes as the tensor memory accelerator (TMA) writes them, in which vectors of 16 bytes are swizzled.

    >>> layout = NvmmaShared(swizzlingByteWidth=32, transposed=False, elementBitWidth=16)
    >>> print(layout)
    #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16}>
    >>> print(layout.linear((8, 16)))
    #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8]]}, alignment = 256>

    Parameters
    ----------
    swizzlingByteWidth
        How wide a row of a box is: 32, 64 or 128 bytes, or 0 for boxes that are not swizzled.
    transposed
        Whether the first axis is fastest, not the last.
    elementBitWidth
        The bits of an element: 4, 8, 16, 32 or 64.
    fp4Padded
        Whether behind every 8 bytes of packed fp4 there are 8 that hold nothing.
    CGALayout
        Bases of the blocks among which an array is shared out, counted in blocks.
    rank
        The number of axes. It is not written where ``CGALayout`` tells it.
    """

    _mnemonic: ClassVar = "nvmma_shared"

    swizzlingByteWidth: int
    transposed: bool
    elementBitWidth: int
    fp4Padded: bool = False
    CGALayout: tuple[Basis, ...] = ()
    rank: int = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "swizzlingByteWidth", among("swizzlingByteWidth", self.swizzlingByteWidth, (0, 32, 64, 128)))
        object.__setattr__(self, "elementBitWidth", among("elementBitWidth", self.elementBitWidth, (4, 8, 16, 32, 64)))
        for name in ("transposed", "fp4Padded"):
            truth(name, getattr(self, name))
        rank = integer(self.rank)
        if rank is None or not 0 < rank <= _MOST_AXES:
            raise LayoutError(f"rank = {shown(self.rank)} is no number of axes from 1 to {_MOST_AXES}")
        if rank < 2 and self.swizzlingByteWidth:
            raise LayoutError(
                f"rank = {rank} is of arrays that are not swizzled; swizzlingByteWidth = {self.swizzlingByteWidth} takes 2 axes or more"
            )
        if self.transposed and rank > 2 and not self.swizzlingByteWidth:
            raise LayoutError(f"transposed = True is of arrays of 2 axes where swizzlingByteWidth = 0; here there are {rank}")
        object.__setattr__(self, "rank", rank)
        object.__setattr__(self, "CGALayout", steps("CGALayout", self.CGALayout, rank))

    def _fitted(self, shape: tuple[int, ...]) -> LinearLayout:
        """The linear layout for a shape that is known to be one."""
        box = self._box(shape)
        first = 0 if self.transposed else self.rank - 1
        order = (first, *(axis for axis in row_major(self.rank) if axis != first))
        tile = Tile(range(self.rank) if self.swizzlingByteWidth else row_major(self.rank), ("offset",))
        for number in self._swizzled(box) if self.swizzlingByteWidth else _powers(1, prod(box)):
            tile.hold("offset", unflattened(number, box, order))
        return tile.fitted(shape, self.CGALayout, alignment=8 * (self.swizzlingByteWidth or 16))

    def _box(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The part of a block that is written at once."""
        within, first, packed = per_block(shape, self.CGALayout), 0 if self.transposed else self.rank - 1, 1 + self.fp4Padded
        width = 8 * self.swizzlingByteWidth // self.elementBitWidth // packed
        box = tuple(min(extent, _LONGEST // (packed if axis == first else 1)) for axis, extent in enumerate(within))
        if not width:
            return box
        rows = box[-1] if self.transposed else prod(box[:-1])
        if within[first] < width or rows < _ROWS:
            raise ShapeError(
                f"blocks have {_ROWS} rows of {width} elements or more along axis {first}; here one has {rows} of {within[first]}"
            )
        return tuple(width if axis == first else extent for axis, extent in enumerate(box))

    def _swizzled(self, box: tuple[int, ...]) -> Iterator[int]:
        """Where in a box the elements at each power of two lie, counted along its rows."""
        width, columns = box[0 if self.transposed else -1], prod(box[:-1]) if self.transposed else box[-1]
        vector, phases = _VECTOR // self.elementBitWidth, self.swizzlingByteWidth * 8 // _VECTOR
        for column in _powers(1, width * (1 + self.fp4Padded)):
            yield self._packed(column)
        for row in _powers(1, _ROWS):
            yield row * columns + self._packed(vector * (row * phases // _ROWS))
        for row in _powers(_ROWS, prod(box) // columns):
            yield row * columns
        yield from _powers(width, columns)

    def _packed(self, column: int) -> int:
        """The column without those that hold nothing."""
        return column // 16 * 8 + column % 8 if self.fp4Padded else column

    def _told(self) -> Iterator[tuple[str, Any]]:
        """The fields that the text has; the rank is not among them where the blocks tell it."""
        return ((name, value) for name, value in super(NvmmaShared, self)._told() if name != "rank" or not self.CGALayout)


def _powers(first: int, end: int) -> Iterator[int]:
    """The powers of two from one to another."""
    return (1 << bit for bit in range(first.bit_length() - 1, end.bit_length() - 1))
