"""From digits to CuTe's notation.

First the digits are read as they stand (``structure``), then cut to fill their room (``filling``); where that leads nowhere, slots are
looked at (``guess``), or, if all that is missing are some at the end, the whole buffer is cut to fill it. Nothing is returned that does
not bind to an equal layout.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress

from ... import digits
from ...errors import LayoutError, NotExpressible
from ...places import refusal
from ...radix import MOST_DIGITS, Digit
from ...verifying import first_equal, is_equal
from ..composed import AnyLayout, ComposedLayout
from ..layout import Layout
from ..swizzle import Swizzle
from .filling import filled, lengthened
from .guess import plain_guesses, swizzled_guesses
from .structure import Obstacle, Said, composed, followed, plain

#: The swizzle that changes nothing, as CUTLASS writes it in the layouts that are not swizzled.
NO_SWIZZLE = Swizzle(0, 4, 3)


def express(layout: digits.Layout) -> AnyLayout:
    """The layout in CuTe's notation, with a mode at the top for each axis.

    >>> import tilelayout as tl
    >>> print(express(tl.Layout((8,), [(0, 1, 2, 4), (0, 2, 4, 1)])))
    ((2,4)):((4,1))
    >>> print(express(tl.layout("f32[6,8]{1,0:T(6,4)}")))
    (6,(4,2)):(4,(1,24))

    Where digits read bits modulo 2 the layout is swizzled, and where they do not divide their axis it is composed of one for
    whole tiles and one that leads to coordinates in it. An offset is written behind the swizzle that changes nothing.

    >>> print(express(tl.layout("f32[3,5]{1,0:T(2,2)}")))
    ((2,2),(2,3)):((2,12),(1,4)) o (0,0) o (3,5):(1@0,1@1)
    >>> print(express(tl.Layout((4,), [(None, 1, 2, 5), (0, 1, 4, 2)])))
    S<0,4,3> o 5 o 4:2

    Slots beyond the last element are reached by a digit that is cut in two, one of an axis or of the whole buffer.

    >>> print(express(tl.layout("f32[3,5]{1,0:L(16)}")))
    (8,2):(1,8) o 0 o (3,5):(5,1)

    Raises ``NotExpressible`` for slots that no form found reaches, for an array without elements, and for digits
    that no such text says; it names the digit.
    """
    digits.check_layout(layout)
    if not layout.size:
        raise refusal(_CUTE, layout, "it has no elements, and extents in CuTe are 1 or more")
    found = first_equal(_forms(_candidates(layout)), layout, _CUTE)
    if found is None:
        raise _refused(layout)
    return found


_CUTE = "CuTe's notation"


def _candidates(layout: digits.Layout) -> Iterator[Said]:
    """What may say the layout, the simplest first. The digits as they were given may reach more slots than the canonical ones."""
    yield from _plain(layout)
    yield from _structured(composed, layout, layout.canonical)
    yield from _structured(composed, layout, layout.digits)
    yield from _structured(followed, layout, layout.digits)
    with suppress(LayoutError):
        yield from _structured(followed, layout, filled(layout, _CUTE))
    short = [(found, reached) for found in _unswizzled(layout) if 0 < (reached := _reached(found, layout)) < layout.slots]
    if not short:
        yield from swizzled_guesses(layout)
    for found, reached in short:
        yield from lengthened(found, reached, layout.slots)


def _plain(layout: digits.Layout) -> Iterator[Said]:
    yield from _structured(plain, layout, layout.canonical)
    yield from plain_guesses(layout)


def _unswizzled(layout: digits.Layout) -> Iterator[Said]:
    """What may say the layout without a swizzle."""
    yield from _plain(layout)
    for found in _structured(composed, layout, layout.canonical):
        if isinstance(found.layout, ComposedLayout) and isinstance(found.layout.outer, Layout):
            yield found


def _structured(form: Callable[..., Said], layout: digits.Layout, listed: Sequence[Digit]) -> Iterator[Said]:
    with suppress(LayoutError):
        yield form(listed, layout.shape)


def _forms(candidates: Iterable[Said]) -> Iterator[AnyLayout]:
    """The layouts without their offset, for which backward strides may account, and then with it."""
    for said in candidates:
        if _count(said.layout) <= MOST_DIGITS:
            yield said.layout
            if said.offset:
                yield from _shifted(said)


def _shifted(said: Said) -> Iterator[AnyLayout]:
    with suppress(LayoutError):
        yield ComposedLayout(NO_SWIZZLE, said.offset, said.layout)


def _count(layout: AnyLayout) -> int:
    """How many digits a layout has, with those of the sums they read, counted each time one is read."""
    if isinstance(layout, Layout):
        return len(layout.flat)
    own = 2 * layout.outer.bits + 2 if isinstance(layout.outer, Swizzle) else len(layout.outer.flat)
    return own * (1 + _count(layout.inner))


def _refused(layout: digits.Layout) -> NotExpressible:
    """The error for a layout that nothing says: for its number of slots if that alone is in the way, else for a digit."""
    for found in (*_plain(layout), *_structured(composed, layout, layout.canonical)):
        if reached := _reached(found, layout):
            beyond = f"{layout.slots - reached} lie beyond the last, and no form was found that reaches these"
            more = beyond if reached < layout.slots else "and no form was found that reaches fewer"
            why = f"a CuTe layout has the slots that its digits reach; those of the simplest form reach {reached}, {more}"
            return refusal(_CUTE, layout, why)
    try:
        composed(layout.canonical, layout.shape)
    except Obstacle as obstacle:
        return refusal(_CUTE, layout, obstacle.why, obstacle.digit)
    except LayoutError as error:
        return refusal(_CUTE, layout, str(error), _reading(layout))
    return refusal(_CUTE, layout, "no swizzle, and no layout in front of another, says what it reads", _reading(layout))


def _reached(said: Said, layout: digits.Layout) -> int:
    """The slots of what is the layout but for their number, or 0."""
    if _count(said.layout) > MOST_DIGITS:
        return 0
    with suppress(LayoutError):
        bound = ComposedLayout(NO_SWIZZLE, said.offset, said.layout).bind()
        slots = max(bound.slots, layout.slots)
        if is_equal(*(digits.Layout(layout.shape, each.digits, slots=slots) for each in (bound, layout))):
            return bound.slots
    return 0


def _reading(layout: digits.Layout) -> Digit:
    """The first digit that reads a sum, if there is one."""
    return next((d for d in layout.canonical if isinstance(d.axis, tuple)), layout.canonical[0])
