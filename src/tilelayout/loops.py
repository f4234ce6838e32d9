"""Two lists of digits as one nest of loops: the common refinement of where elements come from and where they go.

Each axis is cut wherever either side has a digit that begins there. What is left between two cuts is one loop with a
stride on either side. An array is a side as well: one digit for each axis, in the array's own strides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from .chains import Chain, chains
from .radix import Digit

#: The axis of a loop that walks several.
NO_AXIS = -1


@dataclass(frozen=True, slots=True)
class Loop:
    """``n`` iterations that step ``source`` and ``target`` bytes, and ``divisor`` along ``axis``, which is ``clipped`` if it ends early."""

    n: int
    source: int
    target: int
    axis: int
    divisor: int
    clipped: bool

    def around(self, inner: Loop) -> Loop | None:
        """This loop and the next inner one as a single loop, if they are one."""
        if (self.source, self.target) != (inner.source * inner.n, inner.target * inner.n):
            return None
        return self.along(inner)

    def along(self, inner: Loop) -> Loop | None:
        """The same, if they count one index between them, whatever their strides."""
        if self.axis == inner.axis != NO_AXIS and self.divisor == inner.divisor * inner.n:
            return replace(inner, n=self.n * inner.n, clipped=self.clipped or inner.clipped)
        if self.clipped or inner.clipped:
            return None
        return replace(inner, n=self.n * inner.n, axis=NO_AXIS)

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
    return [digit._replace(stride=digit.stride * width) for digit in digits]


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
    for axis, size in enumerate(shape):
        cuts = sorted({digit.divisor for digit in (*from_[axis], *to[axis])})
        if any(high % low for low, high in pairwise(cuts)):
            return None
        for cut, end in pairwise([*cuts, max(size, _end(to[axis]))]):
            n = -(-end // cut)
            loops.append(Loop(n, _stride(from_[axis], cut), _stride(to[axis], cut), axis, cut, size % (cut * n) != 0))
    return loops


def overruns(target: Sequence[Digit], loops: Iterable[Loop]) -> bool:
    """Whether some loops count beyond the target's own digits, where they would fill what is not padding of theirs."""
    ends: dict[int, int] = {}
    for digit in target:
        if isinstance(digit.axis, int):
            ends[digit.axis] = max(ends.get(digit.axis, 1), digit.divisor * digit.radix)
    return any(loop.n > 1 and (loop.target == 0 or loop.divisor * loop.n > ends.get(loop.axis, loop.n)) for loop in loops)


def _end(chain: Chain) -> int:
    return chain[-1].divisor * chain[-1].radix if chain else 1


def _stride(chain: Chain, cut: int) -> int:
    """What a step of ``cut`` along the axis adds."""
    for digit in reversed(chain):
        if digit.divisor <= cut:
            return digit.stride * (cut // digit.divisor) if cut < digit.divisor * digit.radix else 0
    return 0
