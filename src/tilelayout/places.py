"""A layout as its buffer has it: places of a mixed-radix number, slowest first, each a digit and the room that it has.

Most languages write a buffer as a list of dimensions without gaps. ``places`` takes a layout apart into that list, padding
included, or says which digit stands in the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from .errors import NotExpressible, shown
from .radix import Digit, in_words, plain

if TYPE_CHECKING:
    from .digits import Layout


#: The most characters of a digit that reads a sum which a message repeats.
MOST_TOLD = 200


class Place(NamedTuple):
    """A dimension of a buffer: the digit that walks it, and the number of its positions, of which the digit uses the first."""

    digit: Digit
    room: int

    @property
    def axis(self) -> int:
        """The axis that the digit reads."""
        assert isinstance(self.digit.axis, int)
        return self.digit.axis


def places(layout: Layout, language: str) -> tuple[Place, ...]:
    """The dimensions of the layout's buffer, slowest first; their rooms multiply to its slots, but for what is over at the end.

    >>> import tilelayout as tl
    >>> for place in places(tl.layout("{1,0:T(2,2)}", (3, 5)), "a list of dimensions"):
    ...     print(place)
    Place(digit=Digit(axis=0, divisor=2, radix=2, stride=12), room=2)
    Place(digit=Digit(axis=1, divisor=2, radix=3, stride=4), room=3)
    Place(digit=Digit(axis=0, divisor=1, radix=2, stride=2), room=2)
    Place(digit=Digit(axis=1, divisor=1, radix=2, stride=1), room=2)

    The least stride is the first digit's, which is more than 1 where elements lie apart; digits of radix 1 are left out, so the room
    of their padding is that of the digit below them. An array without elements has no places. Raises ``NotExpressible``, in
    the name of the language, where digits read sums, walk backwards, count from an offset, repeat, overlap, or are no multiples.
    """
    if not layout.size:
        return ()
    for digit in sorted(layout.canonical, key=lambda digit: digit.axis is None):  # an offset may be that of places walked backwards
        if why := _obstacle(digit):
            raise refusal(language, layout, why, digit)
    _check_each_once(layout, language)
    rising = sorted(layout.canonical, key=lambda digit: digit.stride)
    found = []
    for digit, above in zip(rising, [*rising, None][1:], strict=True):
        if above is None:
            found.append(Place(digit, max(digit.radix, layout.slots // digit.stride)))
            continue
        room, rest = divmod(above.stride, digit.stride)
        if rest:
            raise refusal(language, layout, f"its stride is no multiple of {digit.stride}, the stride of {plain(digit)} below it", above)
        if room < digit.radix:
            raise refusal(
                language, layout, f"it counts {digit.radix} steps where the next digit, {plain(above)}, begins after {room}", digit
            )
        found.append(Place(digit, room))
    return tuple(reversed(found))


def refusal(language: str, layout: Layout, why: str, digit: Digit | None = None) -> NotExpressible:
    """The error for a layout, or one digit of it, that a language has no words for."""
    culprit = "" if digit is None else f" digit {_told(digit, layout.shape)} cannot be said:"
    return NotExpressible(f"a layout of shape {layout.shape} and {layout.slots} slots is not expressible in {language}:{culprit} {why}")


def _told(digit: Digit, shape: Sequence[int]) -> str:
    """The digit as a message has it: its fields, or as a formula where it reads a sum, whose fields nobody could read."""
    if not isinstance(digit.axis, tuple):
        return f"{shown(plain(digit))} (axis, divisor, radix, stride)"
    text = in_words(digit, shape)
    return text if len(text) <= MOST_TOLD else f"{text[:MOST_TOLD]}…"


def chains(listed: Sequence[Place], ndim: int) -> tuple[tuple[Place, ...], ...]:
    """The places of each axis, the lowest divisor first."""
    return tuple(tuple(sorted((p for p in listed if p.axis == axis), key=lambda place: place.digit.divisor)) for axis in range(ndim))


def _obstacle(digit: Digit) -> str | None:
    if isinstance(digit.axis, tuple):
        return "it reads a sum of digits (merged axes, a swizzle, or a tile that does not divide another)"
    if digit.stride < 0:
        return "it walks backwards"
    return None if digit.axis is not None else f"the buffer's first {digit.stride} slots lie before the first element"


def _check_each_once(layout: Layout, language: str) -> None:
    """Refuse digits that read a part of an axis twice, or not at all."""
    for axis, size in enumerate(layout.shape):
        reached = 1
        for digit in layout.canonical:
            if digit.axis == axis:
                reached = digit.divisor * digit.radix if digit.divisor == reached else -1
        if reached < size:
            raise refusal(language, layout, f"the digits of axis {axis} do not read each part of its {size} coordinates once")
