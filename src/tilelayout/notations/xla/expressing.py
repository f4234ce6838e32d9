"""From digits to XLA's notation, in the fewest and most customary words.

With tiles of any sizes XLA's notation says whatever a buffer without overlaps can be: a tile takes each dimension that it is
no smaller than to the end, padded to its size, so tiles put the digits of axes in any order, with any room. Written is
what people would write, if that is the layout: no tiles, else the tiles of a TPU, else the fewest tiles that do it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice
from math import prod

from ... import digits
from ...errors import NotExpressible
from ...places import places, refusal
from ...verifying import first_equal
from .constructing import constructed
from .customary import customary
from .dims import Dims, Step, dims_of
from .layout import Layout
from .shape import Shape
from .tiling import Tile
from .types import element_type, xla_element
from .undoing import Undoing
from .writing import tiles_of, with_units

#: The most tiles that are searched for, and the steps that the search may take for each number of tiles.
_MOST_TILES = 3
_BUDGET = 6000
#: The most layouts of one number of tiles of which the shortest is taken.
_MOST_COMPARED = 64
#: The most divisors that are tried for the smallest alignment of the slots.
_MOST_DIVISORS = 10_000


def express(layout: digits.Layout) -> Layout | Shape:
    """The layout in XLA's notation: a whole shape where the element type is known, else what stands between the braces.

    >>> import tilelayout as tl
    >>> print(express(tl.Layout((8,), [(0, 1, 2, 4), (0, 2, 4, 1)])))
    {0:T(2)(4,1)}
    >>> print(express(tl.layout("s4[70, 200]{1,0:T(64,128)(8,1)E(4)}")))
    s4[70,200]{1,0:T(64,128)(8,1)E(4)}

    The result is bound again and compared before it is returned. Raises ``NotExpressible`` where no tiles make the layout. One kind
    of tiles is not looked for: those that grow a dimension of size 1, fuse it with another, and cut off what it grew by.
    """
    digits.check_layout(layout)
    found = without_element(layout)
    element = layout.element
    if element is None:
        return found
    if not element.name:
        return replace(found, element_size_in_bits=element.bits)
    name = element_type(element.name)
    bits = element.bits if element != xla_element(name) else 0
    return Shape(name, layout.shape, replace(found, element_size_in_bits=bits))


def without_element(layout: digits.Layout, *, aligned: bool = True, language: str = "XLA's notation") -> Layout:
    """Order, tiles and alignment of the layout, or order and tiles alone if not ``aligned``; ``language`` is who asks, for errors."""
    if not layout.size:
        if layout.slots:
            raise refusal(language, layout, "an array without elements has no slots there")
        return Layout.descending(layout.ndim)

    def first(candidates: Iterable[Layout]) -> Layout | None:
        return first_equal((each for each in candidates if aligned or each.tail_padding_alignment_in_elements == 1), layout, language)

    usual = first(chain(_written(layout, 0, filled=True), customary(layout)))
    if usual:
        return usual
    shortest = [found for filled in (True, False) if (found := first(_by_tiles(layout, filled=filled)))]
    if not shortest:
        raise _refused(language, layout)
    return min(shortest, key=_awkwardness)


def _awkwardness(found: Layout) -> tuple[int, bool]:
    """Shorter text comes first, and among texts of one length the row-major order of axes."""
    return len(str(found)), found.minor_to_major != Layout.descending(found.rank).minor_to_major


def _refused(language: str, layout: digits.Layout) -> NotExpressible:
    """The error for a layout that no tiles make."""
    for digit in layout.canonical:
        if isinstance(digit.axis, tuple):
            return refusal(language, layout, "it reads a sum of digits, and no tiles were found that make it", digit)
    try:
        listed = places(layout, language)
    except NotExpressible as error:
        return NotExpressible(f"{error}; and no tiles that fuse dimensions by '*' were found to make it")
    last = listed[-1].digit
    taken = prod(place.room for place in listed) * last.stride
    why = f"its steps of {last.stride}, with room for each of them, make a buffer of {taken} slots"
    return refusal(language, layout, why, last)


def _by_tiles(layout: digits.Layout, *, filled: bool) -> Iterator[Layout]:
    """Layouts that may be this one, those of the fewest tiles first."""
    for tiles in range(_MOST_TILES + 1):
        yield from sorted(islice(_written(layout, tiles, filled=filled), _MOST_COMPARED), key=_awkwardness)
    for dims in dims_of(layout, filled=filled):
        if dims and (way := constructed(dims, layout.shape)):
            yield from _with_tiles(layout, dims, [way])


def _written(layout: digits.Layout, tiles: int, *, filled: bool) -> Iterator[Layout]:
    """Layouts of so many tiles that may be this one."""
    for dims in dims_of(layout, filled=filled):
        yield from _with_tiles(layout, dims, Undoing(layout.shape, _BUDGET).undo(dims, tiles))


def _with_tiles(layout: digits.Layout, dims: Dims, ways: Iterable[tuple[tuple[int, ...], tuple[Step, ...]]]) -> Iterator[Layout]:
    """The layouts that these ways to make the dimensions are, as far as tiles can be written for them."""
    units = [axis for axis, size in enumerate(layout.shape) if size == 1]
    used = prod(dim.high for dim in dims)
    if used > layout.slots:
        return
    alignment = _alignment(used, layout.slots)
    for order, steps in ways:
        if sorted(order) != [axis for axis in range(layout.ndim) if axis not in units]:  # an axis that is read twice, or only by sums
            continue
        full = with_units(order, units)
        tiles = tiles_of([axis not in units for axis in full], steps)
        if tiles is not None:
            yield Layout(full[::-1], tiles=tiles, tail_padding_alignment_in_elements=alignment)


def _alignment(used: int, slots: int) -> int:
    """The smallest alignment that makes so many slots of those used, or a small one where there are many divisors to try."""
    rest = slots - used
    if not rest:
        return 1
    for alignment in range(rest + 1, rest + 1 + _MOST_DIVISORS):
        if slots % alignment == 0:
            return alignment
    return next(slots // parts for parts in range(min((slots - 1) // rest, _MOST_DIVISORS), 0, -1) if slots % parts == 0)


def row_major_tiles(layout: digits.Layout) -> Iterator[tuple[Tile, ...]]:
    """Tiles that may make the layout of an array whose axes are in row-major order, without ``*``, the fewest first.

    >>> import tilelayout as tl
    >>> next(row_major_tiles(tl.Layout((8, 128), [(0, 2, 4, 256), (1, 1, 128, 2), (0, 1, 2, 1)])))
    ((2, 1),)
    """
    dims = next(iter(dims_of(layout, filled=True)), None)
    if dims is None or any(isinstance(dim.source, tuple) for dim in dims):
        return
    longer = [size != 1 for size in layout.shape]
    row_major = tuple(axis for axis in range(layout.ndim) if longer[axis])
    searched = (Undoing(layout.shape, _BUDGET).undo(dims, tiles) for tiles in range(_MOST_TILES + 1))
    for order, steps in chain(*searched, filter(None, [constructed(dims, layout.shape, ascending=True)])):
        if order == row_major and (tiles := tiles_of(longer, steps)) is not None:
            yield tiles
