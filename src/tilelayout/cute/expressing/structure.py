"""CuTe's text for digits as they stand: a plain layout, or functions one after another.

    digits of axes that divide them          (4,(2,4)):(2,(1,8))
    sums of two bits, modulo 2               S<3,4,3> o offset o ...
    digits of one sum                        (2,3):(3,1) o offset o ...
    digits of several sums, or of axes       ((2,2),(2,3)):((2,12),(1,4)) o (0,0) o (3,5):(1@0,1@1)
    that they do not divide

What stands behind the last ``o`` leads to the sum, or to one coordinate for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...errors import LayoutError
from ...joining import Gains, gains_of
from ...radix import Digit, Source, constant, extent
from ..basis import E
from ..composed import AnyLayout, ComposedLayout
from ..layout import Layout
from ..swizzle import Swizzle
from .modes import Modes, as_mode, modes_of, odd_cut


class Obstacle(LayoutError):  # noqa: N818 - no error that leaves this room
    """A digit that the form at hand has no place for, and why."""

    def __init__(self, digit: Digit, why: str) -> None:
        self.digit, self.why = digit, why


class Said(NamedTuple):
    """What digits add up to: ``offset + layout(c)``."""

    offset: int
    layout: AnyLayout


def plain(digits: Sequence[Digit], shape: Sequence[int]) -> Said:
    """The digits as a plain layout; ``Obstacle`` where none is equal to them."""
    offset, rest = apart(digits)
    modes = []
    for axis, size in enumerate(shape):
        own = [digit for digit in rest if digit.axis == axis]
        gains = gains_of(own, size)
        cuts = sorted({1, *gains})
        if odd := odd_cut((*cuts, size)):
            raise _uneven(own, cuts, odd, size)
        modes.append(modes_of(gains, cuts, size))
    for digit in rest:
        if isinstance(digit.axis, tuple):
            raise Obstacle(digit, "it reads a sum of digits")
    return Said(offset, layout_of(modes))


def composed(digits: Sequence[Digit], shape: Sequence[int]) -> Said:
    """The digits as a layout, plain or composed; ``Obstacle`` where they have no such form as they stand."""
    try:
        return plain(digits, shape)
    except Obstacle:
        return _swizzled(digits, shape) or followed(digits, shape)


def apart(digits: Sequence[Digit]) -> tuple[int, list[Digit]]:
    """The constants among the digits in one, and the others."""
    rest = [digit for digit in digits if digit.axis is not None]
    return sum(digit.stride for digit in digits if digit.axis is None), rest


def layout_of(modes: Sequence[Modes]) -> Layout:
    """The plain layout of these modes, an axis for each; that of one leaf is written without parentheses."""
    return _layout([as_mode(each) for each in modes])


def _layout(pairs: Sequence[tuple[Any, Any]]) -> Layout:
    if len(pairs) == 1 and not isinstance(pairs[0][0], tuple):
        return Layout(*pairs[0])
    return Layout(tuple(shape for shape, _ in pairs), tuple(stride for _, stride in pairs))


def _uneven(digits: Sequence[Digit], cuts: Sequence[int], odd: int, size: int) -> Obstacle:
    below = max(cut for cut in cuts if cut < odd)
    cut = below if odd == size else odd
    culprit = next((digit for digit in digits if cut in (digit.divisor, digit.divisor * digit.radix)), digits[0])
    return Obstacle(culprit, f"it cuts the axis at multiples of {cut}, and {odd} is no multiple of {below}")


def _swizzled(digits: Sequence[Digit], shape: Sequence[int]) -> Said | None:
    """The digits as a swizzle of a sum, if two of its bits are folded somewhere; whether the rest fits is left to see."""
    offset, rest = apart(digits)
    pairs = [pair for digit in rest if (pair := _folded(digit))]
    if not pairs:
        return None
    source, _, shift = max(pairs, key=lambda pair: _depth(pair[0]))  # else a sum of two bits inside may be taken for the swizzle
    targets = [target for whole, target, apart_by in pairs if (whole, apart_by) == (source, shift)]
    bits = max(targets) - min(targets) + 1
    try:
        swizzle = Swizzle(bits, min(targets) + min(0, shift), shift)
        inner = composed(source, shape) if isinstance(source, tuple) else composed([Digit(source, 1, extent(source, shape), 1)], shape)
        return Said(offset, ComposedLayout(swizzle, inner.offset, inner.layout))
    except LayoutError:
        return None


def _folded(digit: Digit) -> tuple[Source, int, int] | None:
    """For a bit of a sum with another bit folded in: the sum, the number of the bit, and how far above it the other is."""
    terms = digit.axis
    if not isinstance(terms, tuple) or len(terms) != 2 or (digit.divisor, digit.radix) != (1, 2):
        return None
    if terms[0].axis is None or terms[0].axis != terms[1].axis:
        return None
    if digit.stride not in (terms[0].divisor, terms[1].divisor) or any(d.divisor.bit_count() != 1 or d[2:] != (2, 1) for d in terms):
        return None
    other = terms[0].divisor if terms[1].divisor == digit.stride else terms[1].divisor
    return terms[0].axis, digit.stride.bit_length() - 1, other.bit_length() - digit.stride.bit_length()


def _depth(source: Source) -> int:
    """How many sums are read one inside of the other."""
    return 1 + max((_depth(term.axis) for term in source), default=0) if isinstance(source, tuple) else 0


class _Part(NamedTuple):
    """A sum that digits read: what it is made of, and the modes of the outer layout that take it further."""

    terms: tuple[Digit, ...]
    modes: Modes
    first: Digit

    def gains(self, axis: int, size: int) -> Gains:
        """The gains of the sum on an axis."""
        return gains_of((term for term in self.terms if term.axis == axis), size)


def _part(source: Source, digits: Sequence[Digit], shape: Sequence[int]) -> _Part | None:
    """The part that these digits read of a source; of an axis that the lowest or the highest cut divides, only what lies between."""
    end = extent(source, shape)
    gains = gains_of(digits, end)
    if not gains:
        return None
    ends = {digit.divisor * digit.radix for digit in digits}
    cuts = sorted(cut for cut in ends.union({1}, (digit.divisor for digit in digits)) if cut < end)
    if odd := odd_cut(cuts):
        raise _uneven(digits, cuts, odd, end)
    modes = modes_of(gains, cuts, end)
    if isinstance(source, tuple):
        return _Part(source, modes, digits[0])
    low, size = 1, end
    if not modes[-1][1] and size % cuts[-1] == 0:
        end, modes = cuts[-1], modes[:-1]
    if not modes[0][1] and size % modes[0][0] == 0:
        low, modes = modes[0][0], modes[1:]
    return _Part((Digit(source, low, end // low, 1),), modes, digits[0])


def followed(digits: Sequence[Digit], shape: Sequence[int]) -> Said:
    """The digits as an outer layout, and one that leads to what they read."""
    offset, rest = apart(digits)
    sources = dict.fromkeys(digit.axis for digit in rest)
    parts = [part for source in sources if (part := _part(source, [d for d in rest if d.axis == source], shape))]
    if not parts:
        return plain([constant(offset)], shape)
    if len(parts) == 1:
        inner = composed(parts[0].terms, shape)
        return Said(offset, ComposedLayout(Layout(*as_mode(parts[0].modes)), inner.offset, inner.layout))
    for part in parts:
        if any(isinstance(term.axis, tuple) for term in part.terms):
            raise Obstacle(part.first, "it reads a sum of digits that read sums, beside other digits")
    outer = _layout([as_mode(part.modes) for part in parts])
    inner_layout = _layout([_leading(parts, axis, size) for axis, size in enumerate(shape)])
    return Said(offset, ComposedLayout(outer, tuple(apart(part.terms)[0] for part in parts), inner_layout))


def _leading(parts: Sequence[_Part], axis: int, size: int) -> tuple[Any, Any]:
    """The mode of an axis whose leaves lead to the parts, each to one."""
    gains = [part.gains(axis, size) for part in parts]
    readers = [part.first for part, own in zip(parts, gains, strict=True) if own]
    cuts = sorted({1}.union(*gains))
    if odd := odd_cut((*cuts, size)):
        raise _uneven(readers, cuts, odd, size)
    listed = [modes_of(own, cuts, size) for own in gains]
    strides: list[Any] = []
    for leaf in zip(*listed, strict=True):
        led = [(number, stride) for number, (_, stride) in enumerate(leaf) if stride]
        if len(led) > 1:
            raise Obstacle(readers[0], f"other digits read the same part of axis {axis}")
        strides.append(E(led[0][0]) * led[0][1] if led else 0)
    return as_mode(tuple((pair[0], stride) for pair, stride in zip(listed[0], strides, strict=True)))
