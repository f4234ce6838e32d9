"""Where two layouts differ: the first element whose slots are not the same, and how many such there are.

A slot is a sum of one function for each group of axes that digits mix, most often of one axis. So the first element whose slots
differ has all zeros but on one group, and it is found group by group, in arrays of any size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from . import queries
from .describe import counted
from .digits import Layout
from .errors import LayoutError, SizesMissing
from .formulas.simplify import simplified
from .formulas.sums import Formula
from .joining import gains_of
from .notations import LayoutLike
from .notations import layout as as_layout
from .radix import unravelled
from .relayouts import bound
from .tables import coordinate_text

#: Elements up to which those that differ are counted, and up to which axes that digits mix are gone through.
COUNTABLE = 1 << 28


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs between two layouts; false where nothing does. ``str`` says it in words.

    ``first`` is the first element, in row-major order, whose slots are not the same, and None where there is none or the shapes differ;
    ``first_slots`` are its slots in either layout. ``count`` is how many such elements there are, None where there are too many to count.
    """

    a: Layout
    b: Layout
    first: tuple[int, ...] | None
    first_slots: tuple[int, int] | None
    count: int | None

    @property
    def equal(self) -> bool:
        """Whether the layouts are equal: the same shape, the same number of slots, the same slot for each element."""
        return (self.a.shape, self.a.slots) == (self.b.shape, self.b.slots) and self.first is None

    def __bool__(self) -> bool:
        return not self.equal

    def __str__(self) -> str:
        said = self._differing() if self else ["equal: every element has the same slot in both"]
        return "\n".join([*_described("a", self.a), *_described("b", self.b), *said, *self._widths()])

    def _widths(self) -> Iterator[str]:
        """What slots hold is not compared, but that they are of other widths is worth a word."""
        a, b = self.a.element, self.b.element
        if a is not None and b is not None and a.bits != b.bits:
            yield f"slots have {counted(a.bits, 'bit')} in a, {b.bits} in b, which is not compared: the bytes of elements differ"

    def _differing(self) -> Iterator[str]:
        if self.a.shape != self.b.shape:
            yield f"the shapes differ: {coordinate_text(self.a.shape)} and {coordinate_text(self.b.shape)}"
            return
        if self.a.slots != self.b.slots:
            yield f"the buffers differ: {counted(self.a.slots, 'slot')} and {self.b.slots}"
        if self.first is None or self.first_slots is None:
            yield "every element has the same slot in both"
            return
        many = "some" if self.count is None else self.count
        yield f"{many} of {counted(self.a.size, 'element')} {'lies' if self.count == 1 else 'lie'} in another slot"
        yield f"first {coordinate_text(self.first)}: slot {self.first_slots[0]} in a, {self.first_slots[1]} in b"


def diff(a: LayoutLike, b: LayoutLike, shape: Sequence[int] | None = None) -> Difference:
    """What differs between two layouts.

    >>> import tilelayout as tl
    >>> found = tl.diff("f32[3,5]{1,0:T(2,2)}", "f32[3,5]{1,0}")
    >>> found.equal, found.first, found.first_slots, found.count
    (False, (0, 2), (4, 2), 13)
    >>> print(found)
    a   shape 3,5, 24 slots
        slot = 12*(x0 // 2) + 4*(x1 // 2) + 2*(x0 % 2) + (x1 % 2)
    b   shape 3,5, 15 slots
        slot = 5*x0 + x1
    the buffers differ: 24 slots and 15
    13 of 15 elements lie in another slot
    first 0,2: slot 4 in a, 2 in b
    >>> bool(tl.diff("{1,0}", "{0,1}", shape=(1, 7)))
    False

    ``shape`` gives the extents for descriptions that have none; one layout that has them is enough. What lies in a slot is not compared. In
    arrays of more than 2**28 elements those that differ are not counted. ``LayoutError`` is raised where digits mix axes of more than 2**28
    elements, and neither the digits nor the first so many elements tell whether the layouts are equal.
    """
    try:
        first, second = as_layout(a, shape), as_layout(b, shape)
    except SizesMissing:
        first, second = bound(a, b, shape)
    if first.shape != second.shape:
        return Difference(first, second, None, None, None)
    if first.canonical == second.canonical or not first.size:
        return Difference(first, second, None, None, 0)
    found = _first(simplified(first), simplified(second))
    if found is None:
        return Difference(first, second, None, None, 0)
    count = sum(int(np.count_nonzero(unlike)) for unlike in _unlike(first, second)) if first.size <= COUNTABLE else None
    return Difference(first, second, found, (first(*found), second(*found)), count)


def _described(name: str, layout: Layout) -> Iterator[str]:
    yield f"{name}   shape {coordinate_text(layout.shape)}, {counted(layout.slots, 'slot')}"
    yield from (f"    {line}" for line in str(Formula(layout)).splitlines())


def _first(a: Layout, b: Layout) -> tuple[int, ...] | None:
    origin = (0,) * a.ndim
    if a(*origin) != b(*origin):
        return origin
    found = (_first_on_axis(axes[0], a, b) if _is_plain(axes, a, b) else _first_on_axes(axes, a, b) for axes in _groups(a, b))
    return min((place for place in found if place is not None), default=None)


def _groups(a: Layout, b: Layout) -> list[tuple[int, ...]]:
    """The axes, those together that some digit of either layout mixes."""
    groups = {frozenset((axis,)) for axis in range(a.ndim)}
    for digit in (*a.canonical, *b.canonical):
        met = {group for group in groups if group & digit.axes}
        groups = groups - met | {frozenset().union(*met)} if met else groups
    return [tuple(sorted(group)) for group in groups]


def _is_plain(axes: Sequence[int], *layouts: Layout) -> bool:
    """Whether this is one axis, and no digit that depends on it reads a sum."""
    return len(axes) == 1 and not any(isinstance(d.axis, tuple) and axes[0] in d.axes for layout in layouts for d in layout.canonical)


def _first_on_axis(axis: int, a: Layout, b: Layout) -> tuple[int, ...] | None:
    """The first difference along an axis that digits read directly.

    Nothing differs below the least cut at which the gains differ, and there, as no other of these cuts divides it, the slots do.
    """
    ours, theirs = (gains_of((d for d in layout.canonical if d.axis == axis), a.shape[axis]) for layout in (a, b))
    least = min((cut for cut in {*ours, *theirs} if ours.get(cut, 0) != theirs.get(cut, 0)), default=None)
    return None if least is None else tuple(least if k == axis else 0 for k in range(a.ndim))


def _first_on_axes(axes: Sequence[int], a: Layout, b: Layout) -> tuple[int, ...] | None:
    """The first difference among the elements with zeros on all other axes, which are gone through."""
    shape = tuple(size if axis in axes else 1 for axis, size in enumerate(a.shape))
    begin = 0
    for unlike in _unlike(Layout(shape, a.canonical), Layout(shape, b.canonical)):
        if unlike.any():
            return unravelled(begin + int(unlike.argmax()), shape)
        begin += len(unlike)
        if begin >= COUNTABLE and begin < prod(shape):
            raise LayoutError(
                f"layouts of shape {a.shape} mix axes {tuple(axes)}, {prod(shape)} elements, in different ways, and the first {begin} "
                f"have the same slots; no more than {COUNTABLE} are gone through, so compare layouts of a smaller shape"
            )
    return None


def _unlike(a: Layout, b: Layout) -> Iterator[npt.NDArray[np.bool_]]:
    """Whether the slots of each element differ, in row-major order, a bounded piece at a time."""
    return (np.not_equal(x, y) for x, y in zip(queries.blocks(a), queries.blocks(b), strict=True))
