"""From a function of one coordinate to digits: the moves of ``split``, backwards.

A function that is 0 at 0 falls apart at ``t`` where ``f(x) == f(x % t) + f(x // t * t)`` for every x. The least such ``t`` is where its
steps first change, but where a tile does not divide the one around it; then ``t`` is a later change. Each half falls apart on its own.

Cut after cut any function at all would fall apart. So a later change is believed only where a second period is whole, and ``n`` values
have no more digits than ``n - 1`` has bits, which is as many as splits leave that divide what they cut.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .. import moves
from ..moves import Dim
from ..radix import Digit

Values = npt.NDArray[np.int64]

#: Changes of the steps that are tried as the place to cut a function.
MOST_CUTS = 64


def steps(values: Values, dim: Dim, most: int | None = None) -> tuple[Digit, ...] | None:
    """Digits of the dimension, ``most`` at most, whose sum is ``values``, which is 0 at 0; None if there are none.

    >>> steps(np.array([0, 4, 1, 5, 2, 6, 3, 7]), Dim(0, 8, 1, 8))
    (Digit(axis=0, divisor=2, radix=4, stride=1), Digit(axis=0, divisor=1, radix=2, stride=4))
    """
    if len(values) == 1:
        return ()
    bits = (len(values) - 1).bit_length()
    most = bits if most is None else min(bits, most)
    if not most:
        return None
    first = int(values[1])
    changes = np.flatnonzero(np.diff(values) != first) + 1
    if not len(changes):
        return (Digit(dim.source, dim.divisor, len(values), first),)
    for cut in changes[:MOST_CUTS].tolist() if most > 1 else ():
        if (cut > changes[0] and 2 * cut > len(values)) or first_flaw(values, cut) is not None:
            continue
        outer, inner = moves.split((dim,), 0, cut)
        below = steps(values[:cut], inner, most - 1)
        if below is not None and (above := steps(values[::cut], outer, most - len(below))) is not None:
            return above + below
    return None


def first_flaw(values: Values, cut: int) -> int | None:
    """The first coordinate at which the function is not what its values below ``cut`` and at multiples of it say, or None."""
    for begin, end in ((0, 4 * cut), (0, len(values))):
        part = values[begin:end]
        rows = len(part) // cut
        body = part[: rows * cut].reshape(rows, cut)
        wrong = body != body[:, :1] + values[:cut]
        if wrong.any():
            return int(wrong.argmax())
        rest = part[rows * cut :]
        if len(rest) and (flawed := rest != rest[0] + values[: len(rest)]).any():
            return int(rows * cut + flawed.argmax())
    return None
