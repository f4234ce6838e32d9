"""From the slot of every element to digits, where bits of coordinates are folded into others by XOR, as swizzles do.

Flipping a folded bit moves an element by one distance, forwards or backwards as the bits folded into it say. So a bit whose
flips all have one length, with a sign that is a parity of other bits, is a digit that reads the sum of those bits modulo 2.
"""

from __future__ import annotations

import numpy as np

from .. import moves
from ..moves import Dim, Dims
from ..radix import Digit
from .steps import Values


def unfolded(values: Values, dims: Dims) -> tuple[Digit, Values, Dims] | None:
    """Take off one bit of a dimension, with the bits folded into it: its digit, and the values without it; None if no bit is so.

    >>> digit, rest, _ = unfolded(np.array([[0, 1], [5, 4]]), moves.axes([2, 2]))
    >>> digit.stride, rest.reshape(-1).tolist()
    (1, [0, 4])
    """
    for axis, dim in enumerate(dims):
        size = values.shape[axis]
        for k in range((size & -size).bit_length() - 1):
            cut = values.reshape(*values.shape[:axis], size >> k + 1, 2, 1 << k, *values.shape[axis + 1 :])
            clear, lit = np.moveaxis(cut, axis + 1, 0)
            flips = lit - clear
            step = int(flips.reshape(-1)[0])
            backwards = flips != step
            if (flips[backwards] != -step).any():
                continue
            outer, inner = moves.split((dim,), 0, 1 << k)
            upper, _ = moves.split((outer,), 0, 2)
            others = (*dims[:axis], upper, inner, *dims[axis + 1 :])
            folds = _parities(backwards.astype(np.int64), others)
            if folds is None:
                continue
            return _parity((_bit(dim, k), *folds.get(0, ())), step), clear - step * backwards, others
    return None


def folded(values: Values, dims: Dims) -> tuple[Digit, ...] | None:
    """Digits for the bits of the values, each the parity of some bits of the coordinates; None if some bit is no parity."""
    if (values < 0).any():
        return None
    bits = _parities(values, dims)
    if bits is None:
        return None
    return tuple(_parity(sources, 1 << place) for place, sources in bits.items())


def _parities(values: Values, dims: Dims) -> dict[int, tuple[Digit, ...]] | None:
    """For each bit that the values have, the bits of coordinates whose parity it is, if the values are such parities."""
    predicted = np.zeros((1,) * values.ndim, np.int64)
    sources: dict[int, tuple[Digit, ...]] = {}
    for axis, dim in enumerate(dims):
        size = values.shape[axis]
        table = np.zeros(size, np.int64)
        for k in range((size - 1).bit_length()):
            basis = int(values[tuple(1 << k if other == axis else 0 for other in range(values.ndim))])
            table ^= (np.arange(size) >> k & 1) * basis
            for place in range(basis.bit_length()):
                if basis >> place & 1:
                    sources[place] = (*sources.get(place, ()), _bit(dim, k))
        predicted = predicted ^ table.reshape([-1 if other == axis else 1 for other in range(values.ndim)])
    return sources if np.array_equal(predicted, values) else None


def _parity(bits: tuple[Digit, ...], stride: int) -> Digit:
    return bits[0]._replace(stride=stride) if len(bits) == 1 else Digit(bits, 1, 2, stride)


def _bit(dim: Dim, k: int) -> Digit:
    """Bit ``k`` of a dimension."""
    above = moves.split((dim,), 0, 1 << k)[0]
    bit = moves.split((above,), 0, 2)[1]
    return Digit(bit.source, bit.divisor, 2, 1)


def without_units(values: Values, dims: Dims) -> tuple[Values, Dims]:
    """The values without axes of one coordinate."""
    kept = [axis for axis, size in enumerate(values.shape) if size > 1]
    return values.reshape([values.shape[axis] for axis in kept]), tuple(dims[axis] for axis in kept)
