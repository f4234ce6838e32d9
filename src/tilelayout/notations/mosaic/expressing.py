"""From digits to Mosaic's notation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice
from math import prod

from ... import digits
from ...errors import LayoutError, NotExpressible
from ...places import places, refusal
from ...radix import Digit, Source, divisors, evaluate
from ...verifying import first_equal
from ..xla.customary import customary
from ..xla.expressing import row_major_tiles
from ..xla.tiling import Tile
from .layout import TYPES, MemRef, TiledLayout

_LANGUAGE = "Mosaic's notation"

#: Limits of the search for a first tile: ways to fill it up, steps to find them, divisors to try.
_MOST_BOXES = 64
_MOST_STEPS = 2000
_MOST_DIVISORS = 4096


def express(layout: digits.Layout) -> TiledLayout | MemRef:
    """The layout in Mosaic's notation: a whole type where MLIR has one for the elements, else the attribute.

    >>> import tilelayout as tl
    >>> print(express(tl.layout("bf16[3,300]{1,0:T(8,128)(2,1)}")))
    memref<3x300xbf16, #tpu.tiled<(8,128)(2,1),[3,1]>>

    Raises ``NotExpressible`` where the layout is no array of equal tiles, or its buffer does not end with the last of them. Not looked
    for is a tile that ends where elements of an axis lie on without a gap, as long as another axis leaves one, and one in which
    padding comes before the elements of its axis.
    """
    digits.check_layout(layout)
    found = first_equal(filter(None, (_with_strides(layout, tiles) for tiles in _candidates(layout))), layout, _LANGUAGE)
    if found is None:
        raise _refused(layout)
    held = layout.element
    kind = TYPES.get(held.name) if held else None
    typed = kind is not None and MemRef(layout.shape, kind, found).bind().element == held
    return MemRef(layout.shape, kind or "", found) if typed else found


def _with_strides(layout: digits.Layout, tiles: tuple[Tile, ...]) -> TiledLayout | None:
    """The strides between first tiles as the layout has them; a dimension of one tile gets the stride of tiles without gaps."""
    first = tiles[0] if tiles else ()
    sizes = (*[1] * (layout.ndim - len(first)), *first)
    tile, next_stride, strides = prod(first), 1, []
    begin = evaluate(layout.digits, [0] * layout.ndim) if layout.size else 0
    for axis in reversed(range(layout.ndim)):
        stride, rest = next_stride, 0
        if (count := -(-layout.shape[axis] // sizes[axis])) > 1 and layout.size:
            stride, rest = divmod(evaluate(layout.digits, [sizes[axis] * (k == axis) for k in range(layout.ndim)]) - begin, tile)
        if rest:
            return None
        strides.append(stride)
        next_stride *= max(1, count)
    try:
        found = TiledLayout(tiles, tuple(reversed(strides)))
        found.bind(layout.shape)
    except LayoutError:  # tiles of XLA's that Mosaic refuses, or a last tile that ends beyond 64 bits
        return None
    return found


def _candidates(layout: digits.Layout) -> Iterator[tuple[Tile, ...]]:
    """Tiles that may be the layout's: none, those of a TPU, else a first tile with what is not outside of it, the most outside first."""
    yield ()
    for usual in customary(layout):
        if usual.minor_to_major == tuple(reversed(range(layout.ndim))):
            yield usual.tiles
    if not layout.size or any(not isinstance(digit.axis, int) or digit.stride < 1 for digit in layout.canonical):
        return
    tops = [max(chain, key=lambda digit: digit.divisor) for axis in range(layout.ndim) if (chain := _digits_of(layout, axis))]
    for count in range(len(tops), -1, -1):
        for outside in islice(combinations(tops, count), _MOST_BOXES):
            size = layout.slots - sum(digit.stride * (digit.radix - 1) for digit in outside)
            if any(digit.stride % size for digit in outside):
                continue
            inside = sorted((digit for digit in layout.canonical if digit not in outside), key=lambda digit: digit.stride)
            for box in islice(_Boxes(layout.shape, inside, size, outside).fill(0, 1, {}), _MOST_BOXES):
                sizes = [prod(digit.radix for digit in box if digit.axis == axis) for axis in range(layout.ndim)]
                begin = next((axis for axis, size in enumerate(sizes) if size > 1), layout.ndim)
                for further in islice(row_major_tiles(digits.Layout(sizes, box)), 1):
                    yield tuple(sizes[begin:]), *further


def _digits_of(layout: digits.Layout, axis: int) -> list[Digit]:
    return [digit for digit in layout.canonical if digit.axis == axis]


class _Boxes:
    """The ways to fill up a first tile of so many slots, in which these digits lie, so that each slot of it belongs to a digit.

    The digits ``outside`` are the highest of their axes: where they begin the tile ends.
    """

    def __init__(self, shape: Sequence[int], rising: Sequence[Digit], size: int, outside: Iterable[Digit]) -> None:
        self.shape, self.rising = shape, rising
        self.outside = {digit.axis: digit.divisor for digit in outside}
        self.ends = (*(digit.stride for digit in rising), size)
        self.budget = iter(range(_MOST_STEPS))

    def fill(self, placed: int, stride: int, reached: Mapping[Source, int]) -> Iterator[tuple[Digit, ...]]:
        """The digits from this stride on, with so many of the layout's digits below it, which have ``reached`` these divisors."""
        room, rest = divmod(self.ends[placed], stride)
        if room < 1 or rest or next(self.budget, None) is None:
            return
        if room > 1:
            later = {digit.axis for digit in self.rising[placed:]}
            free = [axis for axis in range(len(self.shape)) if axis not in later and axis not in self.outside]
            choices = [Digit(axis, reached.get(axis, 1), radix, stride) for axis in free for radix in divisors(room, _MOST_DIVISORS)[:0:-1]]
        elif placed == len(self.rising):
            if all(reached.get(axis, 1) >= self.outside.get(axis, size) for axis, size in enumerate(self.shape)):
                yield ()
            return
        else:
            digit, placed = self.rising[placed], placed + 1
            above = [other.divisor for other in self.rising if other.axis == digit.axis and other.divisor > digit.divisor]
            end = min(above, default=self.outside.get(digit.axis))
            radices = divisors(self.ends[placed] // stride, _MOST_DIVISORS)[::-1] if end is None else [end // digit.divisor]
            choices = [digit._replace(radix=radix) for radix in radices if radix >= digit.radix]
        for choice in choices:
            end = max(reached.get(choice.axis, 1), choice.divisor * choice.radix)
            further = self.fill(placed, stride * choice.radix, {**reached, choice.axis: end})
            yield from ((choice, *others) for others in further)


def _refused(layout: digits.Layout) -> NotExpressible:
    """The error for a layout that is no array of equal tiles."""
    for digit in layout.canonical:
        if isinstance(digit.axis, tuple):
            return refusal(_LANGUAGE, layout, "it reads a sum of digits", digit)
    slowest = next((place.digit for place in places(layout, _LANGUAGE)), None)
    for tiles in _candidates(layout):
        found = _with_strides(layout, tiles)
        if found is not None and (bound := found.bind(layout.shape)).canonical == layout.canonical:
            return refusal(_LANGUAGE, layout, f"as {found} it takes {bound.slots} slots, and Mosaic has no other padding", slowest)
    why = "no first tile, and tiles that divide it, with all that is outside of it one stride for each dimension"
    return refusal(_LANGUAGE, layout, why, slowest)
