"""Copies in two steps, by way of a scratch that stays in a cache.

Where a loop that is side by side in the source is also among those that make up short rows of the target, no kernel has long rows on both
sides: of {0,1:T(2,2)} it has rows of two elements. Were these loops to change places on one side, it would. So each block is copied to a
scratch in which they have, and from there to where it belongs: one of the steps is a copy of long rows, and the other puts elements that
stay together in order.
"""

from __future__ import annotations

from typing import NamedTuple

from ._kernels.copy import CopyPlan
from ._kernels.loops import NOTHING, Loop, joined, widened
from ._kernels.nests import Nest, nest
from ._kernels.orders import crosses, innermost, ordered
from ._kernels.steps import CopyInSteps

#: What a leaf that moves well enough does, as ``Nest.moves`` has it.
WELL = 1024
#: How many times as well it is to move for two steps to be worth it.
WORTH = 4
#: Bytes of rows in a block at the most, on either side; and of a block whose rows are fewer or shorter, about.
ROW, BLOCK = 1 << 10, 1 << 16


class Crossed(NamedTuple):
    """Loops, and the innermost of one side in the order that they have in the scratch, which is otherwise as that side."""

    loops: list[Loop]
    inner: list[Loop]
    by_source: bool


def in_two_steps(loops: list[Loop], width: int, found: Nest, source: int, target: int) -> CopyInSteps | None:
    """The copy of these loops by way of a scratch, where that is worth it beside the nest that was found for them."""
    if any([loop.clipped for loop in loops]):
        return None
    moved = found.moves()
    loops = joined(loops)
    if not crosses(loops, width):
        return None
    loops, width = widened(loops, width)
    best: Crossed | None = None
    for by_source in (True, False):
        inner = innermost(loops, width, by_source)
        if inner is not None:
            well = nest(joined(_swapped(loops, inner, width, by_source)), width, False).moves()
            if well >= WORTH * moved:
                moved, best = well // WORTH, Crossed(loops, inner, by_source)
    return None if best is None else _made(best, width, source, target, found.is_large)


def _step(loop: Loop, by_source: bool) -> int:
    return loop.source if by_source else loop.target


def _swapped(loops: list[Loop], inner: list[Loop], width: int, by_source: bool) -> list[Loop]:
    """The loops as the step sees them that has long rows: with the innermost ones of one side in their new order there."""
    swapped = [loop for loop in loops if loop not in inner]
    size = width
    for loop in inner:
        swapped.append(loop.replaced(source=size) if by_source else loop.replaced(target=size))
        size *= loop.n
    return swapped


def _made(crossed: Crossed, width: int, source: int, target: int, is_large: bool) -> CopyInSteps:
    """The two steps, and the loops around their blocks."""
    per = _blocks(crossed, width)
    in_order = [*crossed.inner]
    in_order += sorted((loop for loop in crossed.loops if loop not in in_order), key=lambda loop: _step(loop, crossed.by_source))
    first, second, outer = [], [], []
    size = width
    for loop in in_order:
        n = per[loop]
        if n > 1:
            first.append(NOTHING.replaced(n=n, source=loop.source, target=size))
            second.append(NOTHING.replaced(n=n, source=size, target=loop.target))
            size *= n
        if n < loop.n:
            outer.append((loop.n, n, loop.source, loop.target))
    outer.sort(key=lambda fields: abs(fields[3]), reverse=True)
    return CopyInSteps(_plan(first, width, False), _plan(second, width, is_large), size, outer, source, target)


def _plan(loops: list[Loop], width: int, is_large: bool) -> CopyPlan:
    loops, width, order = ordered(loops, width)
    return CopyPlan(nest(loops, width, is_large), (), order=order)


def _blocks(crossed: Crossed, width: int) -> dict[Loop, int]:
    """How many iterations of each loop are in a block: rows of either side, as far as they go, and then what is nearest."""
    per = {loop: loop.n if loop in crossed.inner else 1 for loop in crossed.loops}
    for by_source in (True, False):
        row = width
        for loop in sorted(crossed.loops, key=lambda loop: _step(loop, by_source)):
            if _step(loop, by_source) != row or row >= ROW:
                break
            per[loop] = max(per[loop], _evenly(loop.n, ROW // row))
            row *= loop.n
    for loop in sorted(crossed.loops, key=lambda loop: min(abs(loop.source), abs(loop.target))):
        size = width
        for n in per.values():
            size *= n
        per[loop] = max(per[loop], _evenly(loop.n, per[loop] * BLOCK // size))
    return per


def _evenly(n: int, most: int) -> int:
    """How many of n come together, so that there are as few and as even blocks of ``most`` at the most as can be."""
    blocks = -(-n // max(1, most))
    return -(-n // blocks)
