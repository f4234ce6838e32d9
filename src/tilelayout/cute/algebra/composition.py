"""Composition: the layout that is ``A(B(c))``, and an error where no layout is.

>>> from tilelayout import cute
>>> print(cute.composition(cute.Layout((6, 2), (8, 2)), cute.Layout((4, 3), (3, 1))))
((2,2),3):((24,2),8)
>>> cute.composition(cute.Layout((4, 6, 8), (2, 3, 5)), cute.Layout(6, 3))  # doctest: +ELLIPSIS
Traceback (most recent call last):
tilelayout.errors.LayoutError: no layout equals A(B(c)) for A = (4,6,8):(2,3,5) and B = 6:3: at c = 3 the offsets before it call for 13...
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import accumulate
from operator import mul
from typing import Any, overload

from ..._kernels import modes as kernel
from ...errors import LayoutError
from ..basis import ScaledBasis
from ..composed import AnyLayout, ComposedLayout
from ..layout import Layout
from ..spelling import shown
from ..swizzle import Swizzle
from ..tuples import Path, unflatten
from .composing import composed
from .domain import Tiler, as_layout, as_tiler, by_mode
from .exact import Disagreement
from .modes import Modes, coalesced_open
from .strides import Paths, decoded, encoded
from .swizzled import after_swizzle, merged_swizzles


@overload
def composition(a: Layout, b: Tiler) -> Layout: ...
@overload
def composition(a: Layout, b: ComposedLayout | Swizzle) -> ComposedLayout: ...
@overload
def composition(a: ComposedLayout, b: AnyLayout | Tiler | Swizzle) -> ComposedLayout: ...
@overload
def composition(a: AnyLayout, b: AnyLayout | Tiler | Swizzle) -> AnyLayout: ...
@overload
def composition(a: Swizzle, b: AnyLayout) -> ComposedLayout: ...
@overload
def composition(a: Swizzle, b: Swizzle) -> Swizzle: ...
def composition(a: AnyLayout | Swizzle, b: AnyLayout | Tiler | Swizzle) -> AnyLayout | Swizzle:
    """The layout R with ``R(c) == A(B(c))`` for all coordinates of B, and with B's shape, whose leaves may be refined.

    Parameters
    ----------
    a
        A layout, which is evaluated as ``Layout.extended`` does: past its end its last leaf goes on counting. Or a swizzle.
    b
        A layout; a tiler, which is composed with A by mode, and A's modes beyond it are dropped; or a swizzle.

    >>> print(composition(Layout((12, (4, 8)), (59, (13, 1))), (Layout(3, 4), Layout(8, 2))))
    (3,(2,4)):(236,(26,1))

    R is found whenever there is one, and where there is none ``LayoutError`` names the first coordinate at which every
    layout differs. CUTLASS tests whether strides divide extents instead. Where they do, the time this takes goes with the
    number of modes; where they do not, it may go with the size of B, up to ``exact.MOST_SEARCHED`` coordinates.

    A basis stride ``d@path`` of B steps through the mode of A at the path. A swizzle in front of a layout makes a
    ``ComposedLayout``; one behind it moves in front where the layout only permutes bits, else the composition stays as it is.
    """
    if isinstance(a, Layout) and isinstance(b, Layout):
        return layout_after(a, b)
    if isinstance(a, Swizzle):
        if isinstance(b, Swizzle):
            return merged_swizzles(a, b)
        return ComposedLayout(a, 0, b if isinstance(b, ComposedLayout) else as_layout(b))
    if isinstance(a, ComposedLayout):
        return ComposedLayout(a.outer, a.offset, composition(a.inner, b))
    layout = as_layout(a)
    if isinstance(b, Swizzle):
        return _swizzled(layout, ComposedLayout(b, 0, Layout(layout.shape)))
    if isinstance(b, ComposedLayout):
        return _swizzled(layout, b)
    return by_mode(layout_after, layout, as_tiler(b, lambda extent: Layout(extent, 1)), beyond=False)


def _swizzled(a: Layout, b: ComposedLayout) -> ComposedLayout:
    """A after a composed layout, with the swizzle in front where it can go there."""
    if isinstance(b.outer, Swizzle) and isinstance(b.inner, Layout) and b.offset == 0:
        outer = after_swizzle(a, b.outer, b.inner.cosize)
        if outer is not None:
            with suppress(LayoutError):
                return ComposedLayout(outer, 0, composition(a, b.inner))
    return ComposedLayout(a, 0, b)


def layout_after(a: Layout, b: Layout) -> Layout:
    """A after B, both plain layouts: by the kernel where strides divide, else by the search that decides."""
    quick = kernel.composition(a, b)
    if quick is not None:
        return quick
    check_empty(a, b)

    def modes_at(path: Path) -> tuple[Modes, Paths]:
        modes, paths = encoded(a[path].flat)
        return coalesced_open(modes), paths

    return composed_at(modes_at, b, shown(a))


def check_empty(a: Layout, b: Layout) -> None:
    """Raise ``LayoutError`` where A has no modes, which could go on, and B leads past its one coordinate."""
    if not a.flat and any(size > 1 and stride for size, stride in b.flat):
        raise LayoutError(f"{shown(a)} has the one coordinate 0, and {shown(b)} goes beyond it; it takes a layout of zeros")


def composed_at(modes_at: Callable[[Path], tuple[Modes, Paths]], b: Layout, name: str) -> Layout:
    """The composition of B with the modes that its strides step through, under the name that messages call it by."""
    results: dict[int, tuple[tuple[int, Any], ...]] = {}
    for path, leaves in steps_by_path(b):
        modes, paths = modes_at(path)
        try:
            parts = composed(modes, tuple(pair for _, pair in leaves))
        except Disagreement as found:
            raise _refusal(name, b, dict(zip((k for k, _ in leaves), found.coordinate, strict=True)), found, paths) from None
        for (k, _), part in zip(leaves, parts, strict=True):
            results[k] = tuple((s, decoded(d, paths)) for s, d in part)
    pieces = [results.get(k, ((s, 0),)) for k, (s, _) in enumerate(b.flat)]
    extents = (piece[0][0] if len(piece) == 1 else tuple(s for s, _ in piece) for piece in pieces)
    strides = (piece[0][1] if len(piece) == 1 else tuple(d for _, d in piece) for piece in pieces)
    return Layout(unflatten(extents, b.shape), unflatten(strides, b.shape))


def steps_by_path(b: Layout) -> Iterator[tuple[Path, list[tuple[int, tuple[int, int]]]]]:
    """The leaves of a layout by the path of their strides, ``()`` for integers: for each its number, extent and integer stride."""
    groups: dict[Path, list[tuple[int, tuple[int, int]]]] = {}
    for k, (extent, stride) in enumerate(b.flat):
        if isinstance(stride, ScaledBasis):
            groups.setdefault(stride.path, []).append((k, (extent, stride.value)))
        else:
            groups.setdefault((), []).append((k, (extent, stride)))
    if len(groups) > 1:
        groups.pop((), None)  # among basis vectors an integer stride is 0
    yield from groups.items() or (((), []),)


def _refusal(name: str, b: Layout, digits: dict[int, int], found: Disagreement, paths: Paths) -> LayoutError:
    weights = tuple(accumulate((s for s, _ in b.flat), mul, initial=1))
    coordinate = sum(digit * weights[k] for k, digit in digits.items())
    told = found.failure.reason.format(*(_shown_offset(offset, paths) for offset in found.failure.offsets))
    return LayoutError(
        f"no layout equals A(B(c)) for A = {name} and B = {shown(b)}: at c = {coordinate} {told}; "
        f"B has to go through A's modes in whole runs, or to stay inside them"
    )


def _shown_offset(offset: int, paths: Paths) -> str:
    return str(offset) if not paths else "a coordinate"
