"""Inverses of a layout, and the coordinates that it sends to zero.

    >>> from tilelayout import cute
    >>> layout = cute.Layout((2, 4, 4, 6), (4, 1, 0, 8))
    >>> print(cute.right_inverse(layout), cute.left_inverse(layout), cute.nullspace(layout))
    (4,2,6):(2,1,32) (4,2,6):(2,1,32) 4:8

The inverse of a layout that leads to coordinates has a mode for each of theirs (include/cute/layout.hpp). That of a
swizzled layout is the layout's inverse after the swizzle, which undoes itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate, pairwise
from operator import attrgetter, mul
from typing import NamedTuple, TypeVar

from ...errors import LayoutError, NotInjective
from ..basis import ScaledBasis
from ..composed import ComposedLayout
from ..layout import Layout
from ..making import make_layout
from ..spelling import shown
from ..swizzle import Swizzle
from ..tuples import Path
from .coalesce import spelled_out
from .composition import composition
from .domain import as_layout, integer_modes
from .modes import Modes, coalesced
from .strides import decoded, encoded

L = TypeVar("L", Layout, ComposedLayout)

#: Coordinates of a layout, at the most, that are led back one by one to see whether a left inverse is one.
MOST_LED_BACK = 1 << 12


class Step(NamedTuple):
    """A mode of a layout seen from its offsets: its stride and extent, and how far apart its coordinates are."""

    stride: int
    extent: int
    weight: int


def right_inverse(layout: L) -> L:
    """The layout R with ``layout(R(i)) == i`` for all its coordinates, as long as strides from 1 on follow one another.

    >>> print(right_inverse(Layout((4, 3), (3, 1))), right_inverse(Layout((3, 16), (0, 1))), right_inverse(Layout(4, 2)))
    (3,4):(4,1) 16:3 1:0

    Of modes with equal strides the first is taken, as in the CuTe DSL, though another may lead further.

    >>> print(right_inverse(Layout((64, 3, 3), (1, 1, 66))), right_inverse(Layout((4, 2, 3), (1, 1, 2))))
    64:1 4:1
    """
    if isinstance(layout, ComposedLayout):
        inverse, swizzle = right_inverse(as_layout(layout.inner)), _undoing(layout)
        touched = 1 << (swizzle.source_mask | swizzle.target_mask).bit_length()
        if inverse.size % touched and ComposedLayout(swizzle, 0, Layout(inverse.size)).cosize > inverse.size:
            raise LayoutError(
                f"{shown(layout)} has no right inverse: {swizzle} leads out of the {inverse.size} offsets without gaps that are inside"
            )
        return composition(inverse, swizzle)
    return by_path(as_layout(layout), chain)


def left_inverse(layout: L) -> L:
    """The layout R with ``layout(R(layout(i))) == layout(i)`` for all ``i``; offsets that the layout leaves out go anywhere.

    >>> print(left_inverse(Layout((4, 3), (3, 1))), left_inverse(Layout(4, 2)), left_inverse(Layout((4, 2), (1, 5))))
    (3,4):(4,1) (2,4):(0,1) (5,2):(1,4)

    Each stride has to be a multiple of the one before; ``LayoutError`` is raised where strides do not divide. Where one lies inside the run
    before it, or is equal to it, offsets may be led to coordinates that the layout has only if it goes on behind its end;
    ``NotInjective`` where that does not lead them back either, or not within ``MOST_LED_BACK`` coordinates. Modes of stride 0 are left out.

    >>> print(left_inverse(Layout((4, 2), (1, 1))), left_inverse(Layout((5, 2, 6), (2, 2, 8))))
    2:4 (2,4,6):(0,1,10)
    """
    if isinstance(layout, ComposedLayout):
        swizzle, inverse = _undoing(layout), left_inverse(as_layout(layout.inner))
        return composition(_reaching(inverse, layout.cosize), swizzle)
    plain = as_layout(layout)
    return _assembled({path: _gapped(steps, plain) for path, steps in left_steps(plain).items()})


def _reaching(layout: Layout, size: int) -> Layout:
    """The layout with as much more of its last mode as so many coordinates take, which a swizzle may lead to."""
    if layout.size >= size:
        return layout
    *others, (extent, stride) = integer_modes(layout)
    return spelled_out((*others, (-(-size * extent // layout.size), stride)))


def _undoing(layout: ComposedLayout) -> Swizzle:
    if isinstance(layout.outer, Swizzle) and layout.offset == 0:
        return layout.outer
    raise LayoutError(f"{shown(layout)} has no inverse here; among composed layouts it takes a swizzle of a layout, without an offset")


def by_path(layout: Layout, inverted: Callable[[list[Step]], Modes]) -> Layout:
    """The inverse of the steps in each mode of the coordinates that the layout leads to."""
    return _assembled({path: inverted(steps) for path, steps in steps_to(layout).items()})


def steps_to(layout: Layout) -> dict[Path, list[Step]]:
    """The steps of a layout, coalesced, in each mode of the coordinates that it leads to; in the empty path where it leads to offsets."""
    modes, paths = encoded(layout.flat)
    flat = coalesced(modes)
    groups: dict[Path, list[Step]] = {path: [] for path in paths or [()]}
    for (extent, stride), weight in zip(flat, accumulate((s for s, _ in flat), mul, initial=1), strict=False):
        step = decoded(stride, paths)
        if isinstance(step, ScaledBasis):
            groups[step.path].append(Step(step.value, extent, weight))
        elif step:
            groups[()].append(Step(step, extent, weight))
    return groups


def _assembled(modes: Mapping[Path, Modes]) -> Layout:
    """The layout of these modes, coalesced, each in its place."""
    return _nested({path: spelled_out(coalesced(part)) for path, part in modes.items()}, ())


def _nested(parts: dict[Path, Layout], path: Path) -> Layout:
    if path in parts:
        return parts[path]
    below = [inner[len(path)] for inner in parts if inner[: len(path)] == path]
    return make_layout(*(_nested(parts, (*path, k)) for k in range(max(below) + 1))) if below else Layout(1, 0)


def chain(steps: Iterable[Step]) -> Modes:
    """The modes of the steps that follow one another, as ``linked`` finds them."""
    return tuple((step.extent, step.weight) for step in linked(steps))


def linked(steps: Iterable[Step]) -> Iterator[Step]:
    """The steps by rising stride that begin where the one before ends, the first at 1; of equal strides the first in the layout."""
    end = 1
    for step in sorted(steps, key=attrgetter("stride")):
        if step.stride == end:
            yield step
            end *= step.extent


def left_steps(layout: Layout) -> dict[Path, list[Step]]:
    """The steps by rising stride, in the order in which the left inverse has them; those that all go backwards are turned.

    Of equal strides the last leads offsets back: that which stands last in the layout, as in the CuTe DSL, or else the longest.
    """
    for key in attrgetter("stride"), attrgetter("stride", "extent"):
        steps = {path: sorted(_turned(part), key=key) for path, part in steps_to(layout).items()}
        inverse = _assembled({path: _gapped(part, layout) for path, part in steps.items()})
        met = next((pair for part in steps.values() for pair in pairwise(part) if _lies_inside(*pair)), None)
        if met is None or _leads_back(inverse, layout):
            return steps
        run, step = met
    raise NotInjective(
        f"unable to compute a left inverse for {shown(layout)}: stride {step.stride} lies inside "
        f"the run {run.extent}:{run.stride}; it has to be {run.extent * run.stride} or more"
    )


def _turned(steps: list[Step]) -> list[Step]:
    """The steps, with every sign turned where all go backwards: at ``-i`` stands the offset of ``i`` with its sign turned."""
    if all(step.stride < 0 for step in steps):
        return [Step(-stride, extent, -weight) for stride, extent, weight in steps]
    return steps


def _lies_inside(run: Step, step: Step) -> bool:
    return step.stride // run.stride < run.extent


def _gapped(steps: Iterable[Step], layout: Layout) -> Modes:
    """The modes that lead offsets back, with one for the gap in front of each stride."""
    result: list[tuple[int, int]] = []
    before = Step(1, 1, 0)
    for step in steps:
        gap, remainder = divmod(step.stride, before.stride)
        if step.stride < 0 or remainder:
            wrong = "goes backwards" if step.stride < 0 else f"is no multiple of {before.stride}"
            raise LayoutError(
                f"unable to compute a left inverse for {shown(layout)}: stride {step.stride} {wrong}; "
                f"sorted, the strides have to be positive and to divide one another"
            )
        result.append((gap, before.weight))
        before = step
    return (*result, (before.extent, before.weight))


def _leads_back(inverse: Layout, layout: Layout) -> bool:
    """Whether the inverse, and the layout behind its end, lead every offset to itself."""
    if layout.size > MOST_LED_BACK:
        return False
    return all(layout.extended(inverse.extended(offset)) == offset for offset in map(layout, range(layout.size)))


def nullspace(layout: Layout) -> Layout:
    """The layout of the coordinates whose offset is 0, as far as strides of 0 make it so.

    >>> print(nullspace(Layout((7, 5, 16), (3, 1, 0))), nullspace(Layout((2, 3, 2), (0, 1, 0))), nullspace(Layout(4)))
    16:35 (2,2):(1,6) 1:0

    A mode of extent 1 stays one, of stride 0, as in CUTLASS.
    """
    flat = as_layout(layout).flat
    weights = accumulate((s for s, _ in flat), mul, initial=1)
    kept = tuple((s, weight if s > 1 else 0) for (s, d), weight in zip(flat, weights, strict=False) if not _moves(d))
    return spelled_out(kept or ((1, 0),))


def _moves(stride: int | ScaledBasis) -> bool:
    return bool(stride.value if isinstance(stride, ScaledBasis) else stride)
