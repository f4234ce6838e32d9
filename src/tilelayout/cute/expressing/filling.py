"""Digits of axes that are filled up, cut so that they reach all of their room, and buffers that are.

CuTe knows no padding but what a mode reaches beyond the coordinates that lead to it: 7 elements in room for 8 are
``(4,2):(1,4) o 0 o 7:1``.
"""

from __future__ import annotations

from collections.abc import Iterator

from ... import digits
from ...places import Place, places
from ...radix import Digit, divisors
from ..composed import ComposedLayout
from ..layout import Layout
from .structure import Said

#: How far the least divisor of some room is looked for.
_MOST_DIVISORS = 1 << 12


def filled(layout: digits.Layout, language: str) -> tuple[Digit, ...]:
    """The digits of the layout's buffer, sorted by axis and divisor, those with spare room in two where that fills it.

    >>> import tilelayout as tl
    >>> filled(tl.layout("onednn:A10a", (8,)), "a mode")
    (Digit(axis=0, divisor=1, radix=5, stride=1), Digit(axis=0, divisor=5, radix=2, stride=5))

    Raises ``NotExpressible``, in the name of the language, where the buffer is no list of dimensions.
    """
    return tuple(digit for place in sorted(places(layout, language)) for digit in _pieces(place))


def lengthened(said: Said, reached: int, slots: int) -> Iterator[Said]:
    """What says a layout of fewer slots, behind a layout that leads each slot to itself and reaches more of them, where one does.

    >>> for longer in lengthened(Said(0, Layout((3, 5), (5, 1))), 15, 16):
    ...     print(longer.layout)
    (8,2):(1,8) o 0 o (3,5):(5,1)
    """
    pieces = [*_pieces(Place(Digit(0, 1, reached, 1), slots))]
    if len(pieces) > 1:
        outer = Layout(tuple(digit.radix for digit in pieces), tuple(digit.stride for digit in pieces))
        yield Said(0, ComposedLayout(outer, said.offset, said.layout))


def _pieces(place: Place) -> Iterator[Digit]:
    """The digit of a place; in two, the lower as long as can be, where the upper ends within the room's last part."""
    digit, room = place
    spare = room - digit.radix
    low = max(part for part in divisors(room, _MOST_DIVISORS) if part < room)
    if not 0 < spare < low:
        yield digit
    else:
        yield digit._replace(radix=low)
        yield Digit(digit.axis, digit.divisor * low, room // low, digit.stride * low)
