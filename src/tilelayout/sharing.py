"""Copies in which elements of less than a byte share bytes on one side: what a plan of elements becomes where bytes move.

A plan is made as if every slot had a byte of its own. Where the elements of each byte move together, steps on the side that shares
bytes are so many times shorter, and the kernel joins those elements, or spreads them, as it moves their bytes. They lie along a row of
the array, or across as many of its rows, one element in each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ._kernels.copy import CopyPlan
from ._kernels.loops import Loop, target_stride
from ._kernels.nests import Nest
from ._kernels.shared import in_bytes


class Sharing(NamedTuple):
    """Elements of ``bits`` bits, joined to bytes in the target or spread from those of the source; they may have a ``sign``."""

    bits: int
    joins: bool
    sign: bool

    @property
    def per_byte(self) -> int:
        """How many elements share a byte."""
        return 8 // self.bits

    def begins(self, source: int, target: int) -> bool:
        """Whether a byte begins where a copy from so many slots on does."""
        return (target if self.joins else source) % self.per_byte == 0

    def is_whole(self, loops: list[Loop], covered: int) -> bool:
        """Whether every byte that is written is full, of elements and of padding that is filled with them."""
        if not self.joins:
            return True
        if not covered and any(loop.clipped for loop in loops):
            return False
        return (covered or _together(loops)) % self.per_byte == 0

    def copy(self, nest: Nest, sizes: Sequence[int], source: int, target: int) -> CopyPlan | None:
        """The copy of the bytes, from so many slots on, if those begin with bytes and the elements of each stay together."""
        found = in_bytes(nest, self.per_byte, self.joins) if self.begins(source, target) else None
        if found is None:
            return None
        of_bytes, is_across = found
        starts = (source, target // self.per_byte) if self.joins else (source // self.per_byte, target)
        return CopyPlan(of_bytes, sizes, *starts, (self.bits, self.joins, is_across, self.sign))


def _together(loops: list[Loop]) -> int:
    """How many elements follow the first side by side in the target."""
    count = 1
    for loop in sorted(loops, key=target_stride):
        if loop.n > 1 and loop.target != count:
            break
        count *= loop.n
    return count
