"""Complement: the layout of what another leaves out.

    >>> from tilelayout import cute
    >>> print(cute.complement(cute.Layout(4, 2), 24), cute.complement(cute.Layout((2, 2), (1, 6)), 24))
    (2,3):(1,8) (3,2):(2,12)

Sorted by stride, the modes of a layout leave gaps: between one mode's end and the next one's stride, and behind the last
one's end. The complement has a mode for each gap (include/cute/layout.hpp).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ..._kernels import modes as kernel
from ...errors import LayoutError, NotInjective
from ..division import ceil_div
from ..layout import Layout
from ..making import make_layout
from ..spelling import shown
from ..tuples import IntTuple, Path, as_shape, product, size
from .coalesce import spelled_out
from .composition import steps_by_path
from .domain import as_layout, has_basis, integer_modes
from .modes import Modes, coalesced, merged


def complement(layout: Layout, cotarget: IntTuple | Layout | None = None) -> Layout:
    """The ordered layout R that reaches, together with ``layout``, the offsets below the cotarget.

    Parameters
    ----------
    cotarget
        A size, or a shape, which is divided from the left as ``ceil_div`` does; the room that ``layout`` takes if left out.

    >>> print(complement(Layout((2, 4), (1, 6)), 24), complement(Layout((4, 6), (1, 4)), 24), complement(Layout((2, 2), (4, 1))))
    3:2 1:0 2:2

    R has increasing strides, and no two coordinates of ``(layout, R)`` share an offset; a layout that leaves no room for that raises
    ``NotInjective``. Where each stride divides the next, and the last one's run the cotarget, every offset below the cotarget is
    reached once. Where not, R is still ordered and disjoint, but has holes: ``(2,2):(1,3)`` and its complement ``2:6`` leave out 2.

    A layout that leads to coordinates takes no cotarget. Its complement has a mode for each of theirs, and in each a last one of extent
    1, which tells where the next copy would begin.
    """
    plain = as_layout(layout)
    size = 1 if cotarget is None else cotarget.shape if isinstance(cotarget, Layout) else as_shape(cotarget)
    if isinstance(size, int):
        quick = kernel.complement(plain, size)
        if quick is not None:
            return quick
    if has_basis(plain):
        if cotarget is not None:
            raise LayoutError(f"expects input with integer strides, but {shown(plain)} has non-integer strides; leave the cotarget out")
        return _by_path(plain, plain.coshape, lambda _, steps: open_complement(steps))
    return spelled_out(complement_modes(integer_modes(plain), size))


def complement_modes(modes: Modes, cotarget: IntTuple) -> Modes:
    """The modes of the complement of flat modes.

    >>> complement_modes(((4, 2),), 24), complement_modes(((4, 6), (4, 1)), 24)
    (((2, 1), (3, 8)), ((1, 0),))
    """
    found = gaps(modes)
    return coalesced((*found.modes, (product(ceil_div(cotarget, found.end)), found.end)))


def open_complement(modes: Modes) -> Modes:
    """The complement without an end: its last mode, of extent 1, goes on with whole copies of the modes.

    >>> open_complement(((4, 2),))
    ((2, 1), (1, 8))
    """
    found = gaps(modes)
    return (*found.modes, (1, found.end))


class Gaps(NamedTuple):
    """The modes that fill the gaps between others, the end of the last run, and the first offset that is left out if any is."""

    modes: Modes
    end: int
    hole: int | None


def gaps(modes: Modes) -> Gaps:
    """What lies between flat modes.

    >>> gaps(((2, 6), (2, 1))), gaps(((2, 1), (2, 3)))
    (Gaps(modes=((3, 2),), end=12, hole=None), Gaps(modes=(), end=6, hole=2))
    """
    found: list[tuple[int, int]] = []
    end, hole = 1, None
    for extent, stride in sorted(merged(tuple(pair for pair in modes if pair[1])), key=lambda pair: pair[::-1]):
        if stride < end:
            raise NotInjective(
                f"{shown(spelled_out(modes))} has no complement: its mode {extent}:{stride} begins inside a run that ends at {end}; "
                f"sorted by stride, each mode's stride has to be at least the extent times the stride of the one before, and positive"
            )
        if stride % end and hole is None:
            hole = stride // end * end
        found.append((stride // end, end))
        end = extent * stride
    return Gaps(merged(tuple(found)), end, hole)


def complement_in(tiler: Layout, shape: IntTuple, cotargets: Mapping[Path, IntTuple]) -> Layout:
    """The complement of a tiler in the coordinates of a shape: up to the cotargets of the modes it steps through, and all of the others.

    >>> from tilelayout.cute import E
    >>> print(complement_in(Layout(2, 64 * E(0)), (128, 64), {(0,): 128}))
    (64,64):(1@0,1@1)
    """
    return _by_path(tiler, shape, lambda path, steps: complement_modes(steps, cotargets.get(path) or size(shape, path)))


def _by_path(layout: Layout, shape: IntTuple, made: Callable[[Path, Modes], Modes]) -> Layout:
    """A layout in the nest of a shape, with modes made from the layout's steps in each mode that these go into."""
    groups = {path: tuple(pair for _, pair in leaves) for path, leaves in steps_by_path(layout)}

    def part(shape: IntTuple, path: Path) -> Layout:
        if isinstance(shape, tuple) and any(inner[: len(path)] == path and inner != path for inner in groups):
            return make_layout(*(part(mode, (*path, k)) for k, mode in enumerate(shape)))
        return spelled_out(made(path, groups.get(path, ())), (path,) if path else ())

    return part(shape, ())
