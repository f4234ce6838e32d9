"""From digits to a pattern."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from ... import digits
from ...places import Place, chains, places, refusal
from ...radix import Digit
from .layout import Layout

_EINOPS = "an einops pattern"


def express(layout: digits.Layout) -> Layout:
    """The layout as a pattern, whose names are a, b, c... in the order of the array's axes, z followed by a1, b1, c1...

    >>> import tilelayout as tl
    >>> print(express(tl.layout("{1,0:T(6,4)}", (6, 8))))
    a (b c) -> b a c, c=4

    An axis of size 1 is written 1. Of the parts of an axis all but the slowest have their size given. Raises
    ``NotExpressible`` where there is padding, or where the digits do not read each part of each axis once.
    """
    digits.check_layout(layout)
    listed = places(layout, _EINOPS)
    _check_filled(layout, listed)
    if not layout.size:
        listed = tuple(Place(Digit(axis, 1, size, 1), size) for axis, size in enumerate(layout.shape) if size != 1)
    names = _names()
    left, sizes, named = [], [], {}
    for chain in chains(listed, layout.ndim):
        group = [(next(names), place) for place in reversed(chain)]
        named.update({place: name for name, place in group})
        left.append(tuple(name for name, _ in group))
        sizes += [(name, place.digit.radix) for name, place in group[1:]]
    return Layout(tuple(left), tuple(named[place] for place in listed), tuple(sizes))


def _names() -> Iterator[str]:
    for number in count():
        yield chr(ord("a") + number % 26) + (str(number // 26) if number >= 26 else "")


def _check_filled(layout: digits.Layout, listed: tuple[Place, ...]) -> None:
    """Refuse padding: einops keeps the elements, and adds none."""
    if layout.slots == layout.size:
        return
    why = f"einops has no padding, and {layout.slots - layout.size} of the {layout.slots} slots hold no element"
    for place in listed:
        if place.room > place.digit.radix:
            raise refusal(_EINOPS, layout, f"it has room for {place.room} positions and takes {place.digit.radix}; {why}", place.digit)
    highest = (chain[-1].digit for chain in chains(listed, layout.ndim) if chain)
    uneven = next((d for d in highest if isinstance(d.axis, int) and d.divisor * d.radix > layout.shape[d.axis]), None)
    raise refusal(_EINOPS, layout, why if uneven is None else f"it does not divide its axis; {why}", uneven)
