"""Triton's padded shared memory: behind every so many elements lie some that hold nothing, so that those of a column lie in other banks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ... import digits
from ...errors import LayoutError, shown
from ...sizes import integers, listed
from .layout import LinearLayout
from .swizzled import SwizzledShared


@dataclass(frozen=True, slots=True)
class PaddedShared:
    """``#ttg.padded_shared``: a linear layout, and for each interval how many slots are left out behind it.

    >>> layout = PaddedShared(((2, 1), (4, 2)), LinearLayout((("offset", ((1,), (2,), (4,))),)))
    >>> print(layout)
    #ttg.padded_shared<[2:+1, 4:+2] {order = [0], shape = [8]}>
    >>> layout.bind().offsets()
    array([ 0,  1,  3,  4,  8,  9, 11, 12])

    Parameters
    ----------
    paddings
        Pairs of an interval and its padding, all powers of two, each interval once. An offset has the padding of every whole interval of
        each kind before it.
    unpadded
        The offsets of shared memory without padding. Each basis is a power of two along one axis.

    A buffer ends with its last element. The meaning is that of ``PaddedSharedLayout`` in triton/experimental/gluon/language/_layouts.py.
    """

    paddings: tuple[tuple[int, int], ...]
    unpadded: LinearLayout

    def __post_init__(self) -> None:
        pairs = [integers(pair) for pair in listed(self.paddings) or ()]
        if not pairs or any(pair is None or len(pair) != 2 for pair in pairs):
            raise LayoutError(f"paddings={shown(self.paddings)} are no pairs of an interval and its padding, such as ((4, 2),)")
        object.__setattr__(self, "paddings", tuple(pairs))
        for value in (value for pair in self.paddings for value in pair):
            if not 0 < value < 1 << 32 or value.bit_count() != 1:
                raise LayoutError(f"{shown(value)} among the intervals and paddings is no power of two below 2**32")
        if len({interval for interval, _ in self.paddings}) < len(self.paddings):
            raise LayoutError(f"paddings={shown(self.paddings)} have an interval twice")
        if not isinstance(self.unpadded, LinearLayout) or [kind for kind, _ in self.unpadded.bases] != ["offset"]:
            raise LayoutError(f"unpadded={shown(self.unpadded)} is no triton.LinearLayout of offsets alone")
        for basis in self._bases:
            if sum(map(int.bit_count, basis)) != 1:
                raise LayoutError(f"basis {list(basis)} of offset is no power of two along one axis; in padded memory each is")

    @property
    def _bases(self) -> tuple[tuple[int, ...], ...]:
        return self.unpadded.bases[0][1]

    def bind(self, shape: Sequence[int] | None = None) -> digits.Layout:
        """The layout of the array as digits; ``shape`` must be what the bases reach."""
        plain = self.unpadded.bind(shape)
        found = [digit._replace(stride=self._padded(digit.stride)) for digit in plain.digits]  # each is a bit of the offset
        return digits.Layout(plain.shape, found, slots=1 + sum(self._padded(1 << bit) for bit in range(len(self._bases))))

    def _padded(self, offset: int) -> int:
        """The slot of an offset that is a power of two; that of a sum of those is the sum of their slots."""
        return offset + sum(padding * (offset // interval) for interval, padding in self.paddings)

    def __str__(self) -> str:
        paddings = ", ".join(f"{interval}:+{padding}" for interval, padding in self.paddings)
        shape = self.unpadded.shape
        moved = [next(axis for axis, step in enumerate(basis) if step) for basis in self._bases]
        order = tuple(dict.fromkeys((*moved, *reversed(range(len(shape))))))
        if SwizzledShared(1, 1, 1, order).linear(shape) == self.unpadded:
            return f"#ttg.padded_shared<[{paddings}] {{order = {list(order)}, shape = {list(shape)}}}>"
        return f"#ttg.padded_shared<[{paddings}] {{offset = {[list(basis) for basis in self._bases]}, block = []}}>"
