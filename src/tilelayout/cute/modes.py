"""Modes in and out: the same operations on tuples, on layouts (shape and stride alike) and on the domains of composed layouts.

    >>> from tilelayout import cute
    >>> layout = cute.Layout((4, (2, 3)), (6, (3, 1)))
    >>> print(cute.get(layout, [1, 0]), cute.select(layout, [1, 0]), cute.flatten(layout), cute.append(layout, cute.Layout(5, 24)))
    2:3 ((2,3),4):((3,1),6) (4,2,3):(6,3,1) (4,(2,3),5):(6,(3,1),24)

The names are those of the CuTe DSL and of include/cute/layout.hpp; modes are numbered from 0, and no number counts from the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import CoordinateError, LayoutError
from ..sizes import MOST_LISTED
from .composed import ComposedLayout
from .layout import Layout
from .nesting import shallow
from .spelling import shown
from .swizzle import Swizzle
from .tuples import Shaped, flatten_to_tuple, integer, part_at, zip_transform


def on_modes(function: Callable[..., Any], *values: Any) -> Any:
    """A function of tuples applied to tuples, to shapes and to strides of layouts, or to the domain of a composed layout.

    >>> print(on_modes(lambda shape: shape[::-1], Layout((4, 8))))
    (8,4):(4,1)
    """
    if not values:
        raise LayoutError("modes are those of a tuple or a layout, and none is given")
    first, *others = values
    if isinstance(first, ComposedLayout):
        return ComposedLayout(first.outer, first.offset, on_modes(function, first.inner, *others))
    if isinstance(first, Layout):
        if not all(isinstance(other, Layout) for other in others):
            raise LayoutError(f"{', '.join(map(shown, values))}: to a layout belong modes that are layouts, such as 1:0")
        return Layout(*(function(*(getattr(value, part) for value in values)) for part in ("shape", "stride")))
    if any(isinstance(value, Shaped | Swizzle) for value in values):
        raise LayoutError(f"{', '.join(map(shown, values))}: modes are those of tuples, or of layouts, and the two do not mix")
    return function(*values)


def modes_of(tree: Any) -> tuple[Any, ...]:
    """The modes of a tuple; a leaf is its own one mode."""
    return tree if isinstance(tree, tuple) else (tree,)


def get(value: Any, mode: int | Sequence[int] = ()) -> Any:
    """The part that a mode path names.

    >>> get((4, (2, 3)), [1, 0]), get(Layout((4, 8)), 1)
    (2, cute.Layout(8, 4))
    """
    return on_modes(lambda tree: part_at(tree, mode), value)


def select(value: Any, mode: int | Sequence[int]) -> Any:
    """The modes of these numbers, in this order, as the modes of a new tuple.

    >>> select((4, 8, 2), [2, 0]), select(Layout((4, 8)), [1])
    ((2, 4), cute.Layout((8,), (4,)))
    """
    chosen = mode if isinstance(mode, tuple | list) else (mode,)
    return on_modes(lambda tree: tuple(part_at(modes_of(tree), integer(index)) for index in chosen), value)


def take(value: Any, begin: int, end: int | None = None) -> Any:
    """The modes from ``begin`` up to but not including ``end``, by default the rank.

    >>> take((4, 8, 2), 1), take((4, 8, 2), 0, 2)
    ((8, 2), (4, 8))
    """
    return on_modes(lambda tree: modes_of(tree)[slice(*_range(tree, begin, end))], value)


def group_modes(value: Any, begin: int, end: int | None = None) -> Any:
    """The modes from ``begin`` up to but not including ``end`` made into one.

    >>> group_modes((4, 8, 2), 0, 2), group_modes(Layout((4, 8, 2)), 1)
    (((4, 8), 2), cute.Layout((4, (8, 2)), (1, (4, 32))))
    """

    def grouped(tree: Any) -> Any:
        first, last = _range(tree, begin, end)
        modes = modes_of(tree)
        return (*modes[:first], modes[first:last], *modes[last:])

    return on_modes(grouped, value)


#: The name in CuTe C++.
group = group_modes


def _range(tree: Any, begin: int, end: int | None) -> tuple[int, int]:
    rank = len(modes_of(tree))
    first, last = integer(begin), rank if end is None else integer(end)
    if not 0 <= first < last <= rank:
        raise CoordinateError(f"expects 0 <= begin < end <= {rank}, the rank of {shown(tree)}, got begin={first}, end={last}")
    return first, last


def flatten(value: Any) -> Any:
    """The leaves in one tuple; what is a leaf already stays one.

    >>> flatten((4, (2, (3,)))), flatten(4), flatten(Layout((4, (2, 3))))
    ((4, 2, 3), 4, cute.Layout((4, 2, 3), (1, 4, 8)))
    """
    return on_modes(lambda tree: flatten_to_tuple(tree) if isinstance(tree, tuple) else tree, value)


def append(value: Any, element: Any = None, up_to_rank: int | None = None) -> Any:
    """The modes with the element behind them: once, or as often as it takes to reach a rank.

    >>> append((4, 8), 2), append(Layout((4, 8)), up_to_rank=4)
    ((4, 8, 2), cute.Layout((4, 8, 1, 1), (1, 4, 0, 0)))

    The element is 1, for a layout 1:0, if left out. A rank that is reached already leaves the value as it is.
    """
    return _extended(lambda modes, fill: (*modes, *fill), value, element, up_to_rank)


def prepend(value: Any, element: Any = None, up_to_rank: int | None = None) -> Any:
    """The modes with the element in front of them: once, or as often as it takes to reach a rank.

    >>> prepend((4, 8), 2), prepend(4, 1, up_to_rank=3)
    ((2, 4, 8), (1, 1, 4))
    """
    return _extended(lambda modes, fill: (*fill, *modes), value, element, up_to_rank)


def _extended(join: Callable[[Any, Any], Any], value: Any, element: Any, up_to_rank: int | None) -> Any:
    rank = len(modes_of(value.shape if isinstance(value, Shaped) else value))
    wanted = rank + 1 if up_to_rank is None else integer(up_to_rank)
    if not 1 <= wanted <= MOST_LISTED:
        raise LayoutError(f"expects a rank of 1 to {MOST_LISTED}, got {wanted}")
    if wanted <= rank:
        return value
    if element is None:
        element = Layout(1, 0) if isinstance(value, Shaped) else 1
    return on_modes(lambda tree, mode: join(modes_of(tree), (mode,) * (wanted - rank)), value, element)


def replace(value: Any, mode: int, element: Any) -> Any:
    """The modes with the element in place of one of them.

    >>> replace((4, 8, 2), 1, (3, 5)), replace(Layout((4, 8)), 0, Layout(2, 7))
    ((4, (3, 5), 2), cute.Layout((2, 8), (7, 4)))
    """

    def replaced(tree: Any, new: Any) -> Any:
        modes, index = modes_of(tree), integer(mode)
        part_at(modes, index)
        return (*modes[:index], new, *modes[index + 1 :])

    return on_modes(replaced, value, element)


def zip_(*values: Any) -> Any:
    """The first modes of all values as one mode, then the second modes, and so on; one value is taken for its modes.

    >>> zip_((1, 2, 3), (4, 5, 6)), zip_(((1, 2), (3, 4)))
    (((1, 4), (2, 5), (3, 6)), ((1, 3), (2, 4)))
    >>> print(zip_(Layout((2, 3)), Layout((4, 5), (6, 24))))
    ((2,4),(3,5)):((1,6),(2,24))
    """
    return on_modes(lambda *trees: _zipped(trees[0] if len(trees) == 1 else trees), *values)


def _zipped(trees: Any) -> Any:
    return zip_transform(lambda *modes: modes, *(modes_of(tree) for tree in modes_of(trees)))


def zip2_by(value: Any, guide: Any) -> Any:
    """The pairs of a tuple, nested as the guide, taken apart: all first halves, then all second halves and the modes beyond the guide.

    >>> zip2_by(((1, 2), ((3, 4), (5, 6)), 7), (None, (None, None)))
    ((1, (3, 5)), (2, (4, 6), 7))
    """
    return on_modes(lambda tree: _unzipped(tree, guide), value)


@shallow
def _unzipped(tree: Any, guide: Any) -> tuple[Any, ...]:
    modes = modes_of(tree)
    if not isinstance(guide, tuple):
        if len(modes) != 2:
            raise LayoutError(
                f"{shown(tree)} is no pair of modes; a leaf of the guide or tiler, here {shown(guide)}, meets two: a tile and the rest"
            )
        return modes
    if len(guide) > len(modes):
        raise LayoutError(f"the guide has rank {len(guide)}, more than rank {len(modes)} of {shown(tree)}; give at most as many modes")
    pairs = [_unzipped(mode, part) for mode, part in zip(modes, guide, strict=False)]
    return tuple(first for first, _ in pairs), (*(second for _, second in pairs), *modes[len(guide) :])
