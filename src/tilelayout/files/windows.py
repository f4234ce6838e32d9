"""The stretches of a buffer that hold a box of the array and nothing else, and how large a box to take.

Where the digits of a layout nest, each counting whole steps of what lies below it, and a box ends where digits end, the box fills
stretches of the buffer whole, padding included. Put one behind the other, these are a buffer with a layout of the same digits. A digit
that runs backwards fills the same stretches as one that does not, and begins at the far end of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import lcm, prod
from typing import NamedTuple

from ..chains import Chain, chains
from ..digits import Layout
from ..radix import Digit, constant, divisors, reach
from ..runs import Stretches, Walk

#: Bytes of a stretch above which a longer one is no faster.
ENOUGH = 8 << 20
#: The largest radix that is cut at other places than its ends.
MOST_CUT = 1 << 16


class Window(NamedTuple):
    """The stretches that a box fills, from the slot of its first element, and its layout in those stretches put one behind the other."""

    stretches: Stretches
    layout: Layout


class Nested:
    """A layout whose digits nest: by ``rising`` stride, each steps over all that those below it reach. A slot has ``bits`` bits."""

    def __init__(self, layout: Layout, by_axis: tuple[Chain, ...], bits: int) -> None:
        self.layout, self.chains, self.bits = layout, by_axis, bits
        self.first, _ = reach(layout.canonical, layout.shape)
        self.rising = sorted((d for d in layout.canonical if d.axis is not None), key=_step)

    def window(self, extents: tuple[int, ...], units: tuple[int, ...]) -> Window:
        """What a box of these extents fills, where boxes begin at multiples of ``units``; what it lacks at the ends is padding."""
        if extents == self.layout.shape:
            return whole(self.layout)
        rounded = tuple(-(-n // step) * step for n, step in zip(extents, self._steps(units), strict=True))
        walks: list[Walk] = []
        length, counted, is_open = 1, [], True
        for digit, above in zip(self.rising, [*self.rising[1:], None], strict=True):
            count = _count(digit, rounded)
            step = _step(digit) if is_open else self._whole_bytes(length) * prod(walk.n for walk in walks)
            if not is_open and count > 1:
                walks.append(Walk(count, _step(digit)))
            if is_open:
                is_open = count == digit.radix
                length = _step(above) if above and is_open else _step(digit) * count
            if count > 1:
                counted.append(digit._replace(radix=count, stride=step if digit.stride > 0 else -step))
        length = self._whole_bytes(length)
        slots = length * prod(walk.n for walk in walks)
        first, least = (reach(digits, rounded)[0] for digits in (self.rising, counted))
        digits = [*counted, constant(-least)] if least else counted
        return Window(Stretches(first, length, tuple(reversed(walks))), Layout(extents, digits, slots=slots, element=self.layout.element))

    def stretch(self, extents: tuple[int, ...]) -> int:
        """Bytes of a stretch; 0 where boxes of these extents begin or end within a byte."""
        if extents == self.layout.shape:
            return self._whole()
        closing = self._closing(extents)
        if closing == len(self.rising):
            return 0 if self.first * self.bits % 8 else self._whole()
        digit = self.rising[closing]
        length = _step(digit) * _count(digit, extents)
        far = [_step(digit) * digit.radix] if digit.stride < 0 else []  # boxes are counted from there
        edges = (self.first, length, *far, *(_step(above) for above in self.rising[closing + 1 :]))
        return 0 if any(edge * self.bits % 8 for edge in edges) else length * self.bits // 8

    def wish(self, extents: tuple[int, ...]) -> int | None:
        """The axis along which a larger box has longer stretches."""
        closing = self._closing(extents)
        return None if closing == len(self.rising) else _axis(self.rising[closing])

    def is_covered(self, extents: tuple[int, ...]) -> bool:
        """Whether the stretches of all boxes leave nothing of the buffer out."""
        if extents == self.layout.shape:
            return True
        steps = self._steps(extents)
        reached = [-(-size // step) * step for size, step in zip(self.layout.shape, steps, strict=True)]
        if any(digit.divisor * digit.radix > reached[_axis(digit)] for digit in self.rising):
            return False
        closing = self._closing(extents)
        ends = [_step(digit) * digit.radix for digit in self.rising[closing:]]
        begins = [_step(digit) for digit in self.rising[closing + 1 :]]
        return not self.first and bool(ends) and ends == [*begins, self.layout.slots]

    def _whole(self) -> int:
        """Bytes of the whole buffer."""
        return -(-self.layout.slots * self.bits // 8)

    def _steps(self, units: Sequence[int]) -> list[int]:
        """Of what boxes are rounded up to multiples along each axis: the last digit's divisor, or the box's unit, if that is less."""
        return [min(unit, chain[-1].divisor) if chain else 1 for unit, chain in zip(units, self.chains, strict=True)]

    def _closing(self, extents: tuple[int, ...]) -> int:
        """Which of the rising digits is the first that a box does not count all through; beyond the last where there is none."""
        return next((k for k, digit in enumerate(self.rising) if _count(digit, extents) < digit.radix), len(self.rising))

    def _whole_bytes(self, slots: int) -> int:
        """So many slots, or as many more as make up whole bytes."""
        per_byte = max(1, 8 // self.bits)
        return -(-slots // per_byte) * per_byte


def whole(layout: Layout) -> Window:
    """The one stretch that the whole array fills."""
    return Window(Stretches(0, layout.slots, ()), layout)


def nested(layout: Layout, bits: int) -> Nested | None:
    """The layout, its digits nested; None where they read sums or reach into each other."""
    by_axis = chains(layout.canonical, layout.shape)
    if by_axis is None:
        return None
    found = Nested(layout, by_axis, bits)
    return None if any(_step(high) < _step(low) * low.radix for low, high in pairwise(found.rising)) else found


def largest_box(sides: Sequence[Nested], is_affordable: Callable[[tuple[int, ...]], bool], enough: int = ENOUGH) -> tuple[int, ...] | None:
    """The extents of a box whose stretches are long on all sides; None where no box has stretches of whole bytes."""
    shape = sides[0].layout.shape
    units = [_units([side.chains[axis] for side in sides], size) for axis, size in enumerate(shape)]
    levels = [0] * len(shape)

    def extents() -> tuple[int, ...]:
        return tuple(of_axis[level] for of_axis, level in zip(units, levels, strict=True))

    def grows(side: Nested) -> bool:
        axis = side.wish(extents())
        if axis is None or levels[axis] + 1 == len(units[axis]):
            return False
        levels[axis] += 1
        if is_affordable(extents()):
            return True
        levels[axis] -= 1
        return False

    while is_affordable(extents()):
        shortest_first = sorted(sides, key=lambda side: side.stretch(extents()))
        if shortest_first[0].stretch(extents()) >= enough or not any(grows(side) for side in shortest_first):
            break
    box = extents()
    return box if is_affordable(box) and all(side.stretch(box) for side in sides) else None


def _axis(digit: Digit) -> int:
    assert isinstance(digit.axis, int)
    return digit.axis


def _step(digit: Digit) -> int:
    """How many slots its values lie apart, forwards or backwards."""
    return abs(digit.stride)


def _count(digit: Digit, extents: Sequence[int]) -> int:
    """How many values the digit takes in a box."""
    return min(digit.radix, -(-extents[_axis(digit)] // digit.divisor))


def _units(along: Sequence[Chain], size: int) -> list[int]:
    """The extents along an axis at whose multiples no digit is cut but into equal parts, rising, the last the axis itself."""
    top = lcm(*(chain[-1].divisor for chain in along if chain))
    inner = {unit for chain in along for digit in chain[:-1] for unit in _parts(digit)} | {1}
    found = {unit for unit in inner if unit < size and all(_is_whole(unit, chain) for chain in along)}
    while top < size:
        found.add(top)
        top *= 2
    return [*sorted(found), size]


def _parts(digit: Digit) -> list[int]:
    return [digit.divisor * n for n in (divisors(digit.radix) if digit.radix <= MOST_CUT else (1, digit.radix))]


def _is_whole(unit: int, chain: Chain) -> bool:
    """Whether each multiple of the unit is where a digit begins or an equal part of it ends."""
    digit = next((digit for digit in reversed(chain) if digit.divisor <= unit), None)
    if digit is None:
        return True
    return unit % digit.divisor == 0 and (digit is chain[-1] or digit.radix % (unit // digit.divisor) == 0)
