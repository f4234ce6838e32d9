"""Two lists of digits as one nest of loops: the common refinement of where elements come from and where they go.

Each axis is cut wherever either side has a digit that begins there. What is left between two cuts is one loop with a
stride on either side. An array is a side as well: one digit for each axis, in the array's own strides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import TypeAlias

from ._kernels import loops as kernel
from ._kernels.loops import Loop
from .joining import canonical
from .radix import Digit, Source

#: A digit, or the plain tuple of its fields.
Fields: TypeAlias = tuple[Source, int, int, int]


def in_strides(shape: Sequence[int], strides: Sequence[int]) -> list[Fields]:
    """The digits of an array in these strides."""
    return list(zip(range(len(shape)), repeat(1), shape, strides, strict=False))


def in_bytes(digits: Iterable[Digit], width: int) -> list[Fields]:
    """The digits of a layout in a buffer whose slots have ``width`` bytes."""
    return [(axis, divisor, radix, stride * width) for axis, divisor, radix, stride in digits]


def refined(shape: Sequence[int], source: Sequence[Fields], target: Sequence[Fields], *, padded: bool = False) -> list[Loop] | None:
    """The loops that walk every element of an array of that shape from its place in ``source`` to its place in ``target``.

    >>> refined((8,), [Digit(0, 1, 8, 1)], [Digit(0, 2, 4, 1), Digit(0, 1, 2, 4)])
    [Loop(n=2, source=1, target=4, axis=0, divisor=1, clipped=False), Loop(n=4, source=2, target=1, axis=0, divisor=2, clipped=False)]

    Where the target is ``padded``, its digits may overrun the axes, and so do the loops, for that is its padding. None where a side is no
    chain, or where the cuts of one do not divide those of the other.
    """
    found: list[Loop] | None = kernel.refined(shape, source, target, padded)
    if found is None and any(isinstance(axis, tuple) for axis, *_ in (*source, *target)):
        source, target = ([Digit(*fields) for fields in side] for side in (source, target))
        found = kernel.refined(shape, canonical(source, shape), target if padded else canonical(target, shape), padded)
    return found


def with_long_ends(loops: list[Loop], sizes: Sequence[int]) -> tuple[list[Loop], Sequence[int]]:
    """The loops, and the sizes that end them: one that its axis ends within, and which goes on where another ends, is one with that.

    Its axis then counts the steps of the other: a row of 3 x 3 that is padded to 8 x 3 ends after 9 of 24.
    """
    for loop in loops:
        if not (loop.clipped and loop.divisor == 1 and loop.axis < len(sizes) and sizes[loop.axis] < loop.n):
            continue
        for inner in loops:
            if not inner.clipped and inner.source * inner.n == loop.source and inner.target * inner.n == loop.target:
                along = [each.replaced(divisor=each.divisor * inner.n) if each.axis == loop.axis else each for each in loops]
                along[loops.index(loop)] = loop.replaced(n=loop.n * inner.n, source=inner.source, target=inner.target)
                along.pop(loops.index(inner))
                return with_long_ends(along, [n * inner.n if axis == loop.axis else n for axis, n in enumerate(sizes)])
    return loops, sizes
