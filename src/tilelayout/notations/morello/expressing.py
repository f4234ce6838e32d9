"""From digits to Morello's notation.

Morello stores the digits of a dimension in falling order, the most significant outside, with no room to spare; and an OddEven
is the one pair that is turned round, a parity directly outside of the digit above it. Digits in one agreed form are never cut
or joined to make such pairs, so each is looked at once, from the fastest.
"""

from __future__ import annotations

from ... import digits
from ...errors import LayoutError, NotExpressible
from ...places import Place, places, refusal
from .kinds import OddEven, Packed, PhysDim
from .layout import Layout
from .probing import probed

_LANGUAGE = "Morello's notation"
_ORDER = (
    "Morello stores the digits of a dimension in falling order, the most significant outside, and turns round none "
    "but a parity directly outside of the digit above it (oe)"
)
_SIDE_BY_SIDE = "Morello leaves undefined two oe of a dimension side by side, and no other dimension can be put between"


def express(layout: digits.Layout) -> Layout:
    """The layout in Morello's notation, with sizes left to the shape where they can be.

    >>> from tilelayout import Layout
    >>> print(express(Layout((6, 8), [(1, 4, 2, 24), (0, 1, 6, 4), (1, 1, 4, 1)])))
    [1, 0, 1 p(4)]

    Raises ``NotExpressible`` for padding, for digits of a dimension in another order, and for what no list of dimensions can say.
    """
    digits.check_layout(layout)
    listed = _compact(layout)
    inside = [1] * layout.ndim
    spare = [axis for axis, size in enumerate(layout.shape) if size == 1 for _ in range(2)]
    dims: list[tuple[int, PhysDim]] = []
    waiting = list(listed)
    while waiting:
        low = waiting.pop()
        if low.digit.divisor == inside[low.axis]:
            kind: Packed | OddEven = Packed(low.digit.radix)
        elif waiting and _is_parity(waiting[-1], low, inside[low.axis]):
            waiting.pop()
            kind = OddEven(2 * low.digit.radix)
            if dims and dims[-1][0] == low.axis and isinstance(dims[-1][1], OddEven):
                if not spare:
                    raise refusal(_LANGUAGE, layout, _SIDE_BY_SIDE, low.digit)
                dims.append((spare.pop(), Packed(2)))
        else:
            raise refusal(_LANGUAGE, layout, _ORDER, low.digit)
        dims.append((low.axis, kind))
        inside[low.axis] *= kind.size
        if inside[low.axis] == layout.shape[low.axis]:
            spare += [low.axis, low.axis]
    try:
        return Layout(reversed(_outermost_dynamic(dims)))
    except LayoutError as error:
        raise refusal(_LANGUAGE, layout, str(error)) from None


def _compact(layout: digits.Layout) -> tuple[Place, ...]:
    """The places of a layout whose buffer is full."""
    if not layout.size:
        raise refusal(_LANGUAGE, layout, "Morello's dimensions have size 1 or more")
    try:
        listed = places(layout, _LANGUAGE)
    except NotExpressible:
        plain = probed(layout)
        if plain is None:
            raise
        listed = places(plain, _LANGUAGE)
    if layout.slots != layout.size:
        raise _padded(layout, listed)
    return listed


def _padded(layout: digits.Layout, listed: tuple[Place, ...]) -> NotExpressible:
    why = f"Morello has no padding, and {layout.slots - layout.size} of the slots hold no element"
    for place in listed:
        if place.room != place.digit.radix:
            return refusal(_LANGUAGE, layout, f"{why}; it counts {place.digit.radix} in room for {place.room}", place.digit)
        if place.digit.divisor * place.digit.radix > layout.shape[place.axis]:
            return refusal(_LANGUAGE, layout, f"{why}; it reaches beyond the {layout.shape[place.axis]} of its axis", place.digit)
    if listed and listed[-1].digit.stride > 1:
        return refusal(_LANGUAGE, layout, f"{why}; it is the fastest and steps over slots", listed[-1].digit)
    return refusal(_LANGUAGE, layout, why)


def _is_parity(digit: Place, above: Place, divisor: int) -> bool:
    """Whether a place reads the bit at the divisor, and the other one what lies above that bit."""
    return digit.axis == above.axis and digit.digit.divisor == divisor and above.digit.divisor == 2 * divisor


def _outermost_dynamic(dims: list[tuple[int, PhysDim]]) -> list[tuple[int, PhysDim]]:
    """The dimensions, fastest first, with the last pack of each made Dynamic where no OddEven is outside of it."""
    last = {dim: place for place, (dim, _) in enumerate(dims)}
    return [(dim, PhysDim.Dynamic if last[dim] == place and isinstance(kind, Packed) else kind) for place, (dim, kind) in enumerate(dims)]
