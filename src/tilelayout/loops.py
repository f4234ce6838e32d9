"""Two lists of digits as one nest of loops: the common refinement of where elements come from and where they go.

Each axis is cut wherever either side has a digit that begins there. What is left between two cuts is one loop with a
stride on either side. An array is a side as well: one digit for each axis, in the array's own strides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from .chains import Chain, chains
from .radix import Digit

#: The axis of a loop that walks several.
NO_AXIS = -1


class Loop(NamedTuple):
    """``n`` iterations that step ``source`` and ``target`` bytes, and ``divisor`` along ``axis``, which is ``clipped`` if it ends early."""

    n: int
    source: int
    target: int
    axis: int
    divisor: int
    clipped: bool

    def around(self, inner: Loop) -> Loop | None:
        """This loop and the next inner one as a single loop, if they are one."""
        if self.source != inner.source * inner.n or self.target != inner.target * inner.n:
            return None
        return self.along(inner)

    def along(self, inner: Loop) -> Loop | None:
        """The same, if they count one index between them, whatever their strides."""
        if self.axis == inner.axis != NO_AXIS and self.divisor == inner.divisor * inner.n:
            return inner._replace(n=self.n * inner.n, clipped=self.clipped or inner.clipped)
        if self.clipped or inner.clipped:
            return None
        return inner._replace(n=self.n * inner.n, axis=NO_AXIS)

    def independent(self, other: Loop) -> bool:
        """Whether each can be clipped without regard to the other, as the two sides of a leaf are."""
        return not (self.clipped and other.clipped and self.axis == other.axis)

    def blocks(self, most: int) -> Loop:
        """The loop over blocks of ``most`` iterations of this one."""
        n = -(-self.n // most)
        return Loop(n, self.source * most, self.target * most, self.axis, self.divisor * most, self.clipped)


def in_strides(shape: Sequence[int], strides: Sequence[int]) -> list[Digit]:
    """The digits of an array in these strides."""
    return [Digit(axis, 1, n, stride) for axis, (n, stride) in enumerate(zip(shape, strides, strict=True))]


def in_bytes(digits: Iterable[Digit], width: int) -> list[Digit]:
    """The digits of a layout in a buffer whose slots have ``width`` bytes."""
    return [Digit(axis, divisor, radix, stride * width) for axis, divisor, radix, stride in digits]


def refined(shape: Sequence[int], source: Sequence[Digit], target: Sequence[Digit]) -> list[Loop] | None:
    """The loops that walk every element of an array of that shape from its place in ``source`` to its place in ``target``.

    >>> refined((8,), [Digit(0, 1, 8, 1)], [Digit(0, 2, 4, 1), Digit(0, 1, 2, 4)])
    [Loop(n=2, source=1, target=4, axis=0, divisor=1, clipped=False), Loop(n=4, source=2, target=1, axis=0, divisor=2, clipped=False)]

    Where the target's digits overrun an axis, so do the loops, for that is its padding. None where a side is no chain, or where
    the cuts of one do not divide those of the other.
    """
    from_, to = chains(source, shape), chains(target, shape)
    if from_ is None or to is None:
        return None
    loops = [Loop(digit.radix, 0, digit.stride, len(shape), 1, True) for digit in target if digit.axis == ()]
    for axis, (size, read, written) in enumerate(zip(shape, from_, to, strict=True)):
        cuts = sorted({digit.divisor for digit in (*read, *written)})
        for low, high in pairwise(cuts):
            if high % low:
                return None
        cuts.append(max(size, _end(written)))
        for cut, end in pairwise(cuts):
            n = -(-end // cut)
            loops.append(Loop(n, _stride(read, cut), _stride(written, cut), axis, cut, size % (cut * n) != 0))
    return loops


def _end(chain: Chain) -> int:
    return chain[-1].divisor * chain[-1].radix if chain else 1


def _stride(chain: Chain, cut: int) -> int:
    """What a step of ``cut`` along the axis adds."""
    for _, divisor, radix, stride in chain:
        if divisor <= cut < divisor * radix:
            return stride * (cut // divisor)
    return 0
