"""From a layout and an array's strides to a loop nest: the plan of one pack or unpack.

Each digit is a loop with a stride in the array and one in the buffer. The planner joins loops that are one, treats
several narrow elements as one wide one where they stay together, picks the loop whose neighbours lie side by side in
the source (u) and the one whose neighbours lie side by side in the target (v) for the innermost kernel, and puts the
others around it, those with the longest strides outermost. A digit that overruns its axis is clipped, never copied.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from ._kernels.copy import CopyPlan
from .radix import Digit, fitting_radix

if TYPE_CHECKING:
    from .digits import Layout

#: A copy and the slots that it covers.
Planned: TypeAlias = tuple[CopyPlan | None, int]

#: Bytes of the source, and of the target, that one leaf of a transpose covers side by side.
BLOCK = 128
#: Bytes after which a run is cut, so that threads have something to share.
LONGEST_RUN = 1 << 16
#: Elements in one row of an interleaving leaf at the most.
LONGEST_ZIP = 1024
#: The axis of a loop that walks several.
NO_AXIS = -1
#: Bytes in a vector of the micro-kernels.
VECTOR = 16


@dataclass(frozen=True, slots=True)
class Loop:
    """``n`` iterations that step ``source`` and ``target`` bytes, and ``divisor`` along ``axis``, which is ``clipped`` if it ends early."""

    n: int
    source: int
    target: int
    axis: int
    divisor: int
    clipped: bool

    def around(self, inner: Loop) -> Loop | None:
        """This loop and the next inner one as a single loop, if they are one."""
        if (self.source, self.target) != (inner.source * inner.n, inner.target * inner.n):
            return None
        return self.along(inner)

    def along(self, inner: Loop) -> Loop | None:
        """The same, if they count one index between them, whatever their strides."""
        if self.axis == inner.axis != NO_AXIS and self.divisor == inner.divisor * inner.n:
            return replace(inner, n=self.n * inner.n, clipped=self.clipped or inner.clipped)
        if self.clipped or inner.clipped:
            return None
        return replace(inner, n=self.n * inner.n, axis=NO_AXIS)

    def independent(self, other: Loop) -> bool:
        """Whether each can be clipped without regard to the other, as the two sides of a leaf are."""
        return not (self.clipped and other.clipped and self.axis == other.axis)


@dataclass(slots=True)
class Side:
    """One dimension of the leaf: a loop, how its offsets run, and the outer loop over its blocks if it was cut."""

    loop: Loop
    offsets: tuple[int, ...]
    unit: int = 1
    blocks: Loop | None = None
    total: int = 1
    per: int = 1


NOTHING = Loop(1, 0, 0, NO_AXIS, 1, False)


def pack_plan(layout: Layout, strides: Sequence[int], itemsize: int) -> Planned:
    """The copy from an array in these strides to the layout's buffer, and the first so many slots that it writes, padding included.

    No copy where a digit reads merged axes, or where the digits do not count every element once; no slots where digits leave holes.
    """
    covered = _covered(layout)
    loops = _loops(layout, layout.digits if covered else _fitted(layout), strides, itemsize)
    return (None, 0) if loops is None else (_plan(loops, _sizes(layout), itemsize), covered)


def unpack_plan(layout: Layout, strides: Sequence[int], itemsize: int) -> Planned:
    """The copy from the layout's buffer to an array in these strides; there is none where ``pack_plan`` has none."""
    loops = _loops(layout, _fitted(layout), strides, itemsize)
    if loops is None:
        return None, 0
    turned = [replace(loop, source=loop.target, target=loop.source) for loop in loops]
    return _plan(turned, _sizes(layout), itemsize), 0


def _sizes(layout: Layout) -> Sequence[int]:
    """The sizes of the axes, and of the one after them, which has one element: the digits that are only padding walk it."""
    return (*layout.shape, 1)


def start(layout: Layout) -> int:
    """The slot that the loops of a plan count from: that of the first element, where every digit reads 0."""
    return sum(digit.stride for digit in layout.digits if digit.axis is None)


def _covered(layout: Layout) -> int:
    """The first so many slots that the digits count through, padding included; none if they leave holes or overrun the buffer."""
    if any(digit.axis is None for digit in layout.digits):
        return 0
    reached = 1
    for digit in sorted(layout.digits, key=lambda digit: digit.stride):
        if digit.stride != reached:
            return 0
        reached *= digit.radix
    return reached if reached <= layout.slots else 0


def _fitted(layout: Layout) -> list[Digit]:
    """The digits without what lies beyond the ends of their axes."""
    return [digit._replace(radix=radix) for digit in layout.digits if (radix := fitting_radix(digit, layout.shape)) > 1]


def _loops(layout: Layout, digits: Iterable[Digit], strides: Sequence[int], itemsize: int) -> list[Loop] | None:
    """These digits of the layout as loops from array to buffer, slowest first, if they count every element once."""
    if not layout.size:
        return None
    loops = []
    for digit in digits:
        target = digit.stride * itemsize
        if digit.axis is None:
            continue  # a constant moves the start of the buffer, and no loop
        if digit.axis == ():
            loops.append(Loop(digit.radix, 0, target, layout.ndim, 1, True))
        elif isinstance(digit.axis, int):
            clipped = layout.shape[digit.axis] % (digit.divisor * digit.radix) != 0
            loops.append(Loop(digit.radix, digit.divisor * strides[digit.axis], target, digit.axis, digit.divisor, clipped))
        else:
            return None
    return loops if all(_counts(axis, size, loops) for axis, size in enumerate(layout.shape)) else None


def _counts(axis: int, size: int, loops: Iterable[Loop]) -> bool:
    reached = 1
    for loop in sorted((loop for loop in loops if loop.axis == axis), key=lambda loop: loop.divisor):
        if loop.divisor != reached:
            return False
        reached *= loop.n
    return reached >= size


def _plan(loops: list[Loop], sizes: Sequence[int], width: int) -> CopyPlan:
    """The copy that runs these loops, each from ``source`` to ``target``."""
    loops = _join([loop for loop in loops if loop.n != 1])
    loops, width = _widen(loops, width)
    kernel, u, v, outer = _leaf(loops, width)
    outer.sort(key=lambda side: -_OUTERMOST[kernel](side[0]))
    clipped = sorted({loop.axis for loop in loops if loop.clipped})
    number = {axis: k for k, axis in enumerate(clipped)}

    def axis_of(loop: Loop) -> int:
        return number[loop.axis] if loop.clipped else -1

    return CopyPlan(
        kernel,
        width,
        [(loop.n, loop.source, loop.target, axis_of(loop), loop.divisor, leaf, side.total, side.per) for loop, leaf, side in outer],
        (u.loop.n, u.unit, axis_of(u.loop), u.loop.divisor, u.offsets),
        (v.loop.n, v.unit, axis_of(v.loop), v.loop.divisor, v.offsets),
        v.loop.target,
        [sizes[axis] for axis in clipped],
    )


def _source_stride(loop: Loop) -> float:
    return abs(loop.source)


def _target_stride(loop: Loop) -> float:
    return abs(loop.target)


def _stride(loop: Loop) -> float:
    return min(1.01 * abs(loop.source), abs(loop.target))


#: What comes outermost, by kernel: rows are read or written one after the other where they can be, and blocks take turns.
_OUTERMOST = {
    "run": _target_stride,
    "zip": _target_stride,
    "unzip": _source_stride,
    "transpose": _stride,
    "strided": _stride,
}


def _join(loops: list[Loop]) -> list[Loop]:
    """Neighbours in the buffer that are one loop, as one."""
    result: list[Loop] = []
    for loop in sorted(loops, key=lambda loop: -abs(loop.target)):
        joined = result[-1].around(loop) if result else None
        if joined:
            result[-1] = joined
        else:
            result.append(loop)
    return result


def _widen(loops: list[Loop], width: int) -> tuple[list[Loop], int]:
    """Let neighbours that stay together travel as one wider element."""
    for k, loop in enumerate(loops):
        if loop.source == loop.target == width and not loop.clipped and loop.n * width in (2, 4, 8, 16):
            return loops[:k] + loops[k + 1 :], loop.n * width
    return loops, width


def _leaf(loops: list[Loop], width: int) -> tuple[str, Side, Side, list[tuple[Loop, int, Side]]]:
    """The kernel, its two sides, and the loops left to go around it."""
    rest = sorted(loops, key=_stride)
    runs = [loop for loop in rest if loop.source == loop.target == width]
    if runs or not rest:
        run = runs[0] if runs else NOTHING
        rest = [loop for loop in rest if loop is not run]
        rows = next(filter(run.independent, rest), NOTHING)
        rest = [loop for loop in rest if loop is not rows]
        u, v = _cut(run, LONGEST_RUN // width, ()), _cut(rows, VECTOR, ())
        v.offsets = tuple(k * rows.source for k in range(v.loop.n))
        return "run", u, v, _around(rest, u, v)
    u_loop = next((loop for loop in rest if loop.source == width), NOTHING)
    v_loop = next((loop for loop in rest if loop.target == width and loop.independent(u_loop)), NOTHING)
    rest = [loop for loop in rest if loop is not u_loop and loop is not v_loop]
    lanes = VECTOR // width
    narrow = (2, 4, 8)
    if v_loop.n < lanes and v_loop.n in narrow and u_loop.target == v_loop.n * width:
        u, v = _cut(u_loop, LONGEST_ZIP, ()), _cut(v_loop, LONGEST_ZIP, ())
        kernel = "zip"
    elif u_loop.n < lanes and u_loop.n in narrow and v_loop.source == u_loop.n * width:
        u, v = _cut(u_loop, LONGEST_ZIP, ()), _cut(v_loop, LONGEST_ZIP, ())
        kernel = "unzip"
    else:
        u, rest = _extend(u_loop, v_loop, rest, width, "source")
        v, rest = _extend(v_loop, u.loop, rest, width, "target")
        kernel = "transpose" if min(u.loop.n, v.loop.n) >= lanes > 1 else "strided"
        return kernel, u, v, _around(rest, u, v)
    u.offsets = tuple(k * u_loop.target for k in range(u.loop.n))
    v.offsets = tuple(k * v_loop.source for k in range(v.loop.n))
    return kernel, u, v, _around(rest, u, v)


def _around(rest: list[Loop], u: Side, v: Side) -> list[tuple[Loop, int, Side]]:
    plain = Side(NOTHING, ())
    cut = [(side.blocks, leaf, side) for leaf, side in ((1, u), (2, v)) if side.blocks]
    return [*((loop, 0, plain) for loop in rest), *cut]


def _cut(loop: Loop, most: int, offsets: tuple[int, ...]) -> Side:
    """A side of at most ``most`` iterations of the loop, and the loop over its blocks."""
    if loop.n <= most:
        return Side(loop, offsets)
    blocks = Loop(-(-loop.n // most), loop.source * most, loop.target * most, loop.axis, loop.divisor * most, loop.clipped)
    return Side(replace(loop, n=most), offsets, 1, blocks, loop.n, most)


def _extend(first: Loop, other: Loop, rest: list[Loop], width: int, step: str) -> tuple[Side, list[Loop]]:
    """A side made of loops that follow each other side by side, up to a block; the last of them may be cut."""
    across = "target" if step == "source" else "source"
    most = BLOCK // width
    side = _cut(first, most, ())
    offsets = [k * getattr(first, across) for k in range(side.loop.n)]
    while side.blocks is None and side.loop.n < most:
        reach = width * side.loop.n
        found = next(((loop, whole) for loop in rest if getattr(loop, step) == reach and (whole := loop.along(side.loop))), None)
        if not found or not found[1].independent(other):
            break
        loop, whole = found
        rest = [left for left in rest if left is not loop]
        cut = _cut(loop, max(1, most // side.loop.n), ())
        unit = side.loop.n
        offsets = [k * getattr(loop, across) + offset for k in range(cut.loop.n) for offset in offsets]
        side = Side(replace(whole, n=unit * cut.loop.n), (), unit, cut.blocks, cut.total, cut.per)
    side.offsets = tuple(offsets)
    return side, rest
