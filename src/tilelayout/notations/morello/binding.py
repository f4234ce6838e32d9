"""From a list of physical dimensions and a shape to digits."""

from __future__ import annotations

from collections.abc import Sequence

from ... import digits
from ...moves import Dim, compact, split
from .kinds import Dims, OddEven


def bound(dims: Dims, shape: Sequence[int], sizes: Sequence[int]) -> digits.Layout:
    """The digits of an array of this shape, whose physical dimensions have these sizes.

    A physical dimension reads ``(x // inside) % size``, where ``inside`` is the product of the sizes further in that belong to its
    logical dimension. An OddEven is two digits: which parity, and outside of nothing but it, which pair.
    """
    inside = [1] * len(shape)
    result: list[Dim] = []
    for (dim, kind), size in zip(reversed(dims), reversed(sizes), strict=True):
        whole = Dim(dim, shape[dim], inside[dim], size)
        if isinstance(kind, OddEven) and size > 1:
            result += split((whole,), 0, 2)
        else:
            result.append(whole)
        inside[dim] *= size
    return compact(shape, tuple(reversed(result)))
