"""Which offsets a layout reaches: each at most once, all of them, or the same ones as another layout.

>>> from tilelayout import cute
>>> padded, doubled = cute.Layout((4, 8), (1, 5)), cute.Layout((4, 8), (1, 2))
>>> cute.is_injective(padded), cute.is_surjective(padded), cute.is_injective(doubled), cute.is_surjective(doubled)
(True, False, False, True)
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from math import gcd, prod
from typing import Any

import numpy as np

from ..composed import AnyLayout, ComposedLayout
from ..layout import Layout
from ..swizzle import Swizzle
from .listing import as_offsets, fewest_modes, listed, plain_modes, unswizzled


def is_injective(layout: AnyLayout) -> bool:
    """Whether no two coordinates have the same offset.

    >>> is_injective(Layout((4, 8), (8, 1))), is_injective(Layout((3, 2), (2, 3))), is_injective(Layout((4, 2), (1, 0)))
    (True, True, False)

    The modes tell, also behind swizzles; offsets are looked at, up to ``listing.MOST_LISTED``, only where three or more modes interleave.
    """
    plain = unswizzled(as_offsets(layout))
    if plain is None:
        return len(np.unique(listed(layout))) == layout.size
    steps = sorted((abs(d), s) for s, d in plain_modes(plain))
    return all(map(_is_injective_block, _blocks(steps)))


def _blocks(steps: list[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """The pairs of stride and extent, sorted, in groups of which each begins beyond all that those before it reach.

    Where all further strides are multiples of a number that the modes before stay below, no offset of one group makes up for another's.
    """
    divisors = list(accumulate((d for d, _ in reversed(steps)), gcd))[::-1]
    block: list[tuple[int, int]] = []
    span = 0
    for (stride, extent), divisor in zip(steps, divisors, strict=True):
        if block and divisor > span:
            yield block
            block, span = [], 0
        block.append((stride, extent))
        span += stride * (extent - 1)
    if block:
        yield block


def _is_injective_block(block: list[tuple[int, int]]) -> bool:
    if block[0][0] == 0:
        return False
    if len(block) == 1:
        return True
    common = gcd(*(d for d, _ in block))
    steps = [(d // common, s) for d, s in block]
    size, span = prod(s for _, s in steps), sum(d * (s - 1) for d, s in steps)
    if size > span + 1 or any(_meet(a, b) for k, b in enumerate(steps) for a in steps[:k]):
        return False
    if len(steps) == 2:
        return True
    return len(np.unique(listed(Layout(tuple(s for _, s in steps), tuple(d for d, _ in steps))))) == size


def _meet(a: tuple[int, int], b: tuple[int, int]) -> bool:
    """Whether some steps of one mode make up for some of another: the first do at the least common multiple of the strides."""
    common = gcd(a[0], b[0])
    return a[1] > b[0] // common and b[1] > a[0] // common


def is_surjective(layout: AnyLayout) -> bool:
    """Whether every offset from 0 to the greatest is reached: the layout is onto ``0 .. cosize - 1``.

    >>> is_surjective(Layout((4, 2), (1, 2))), is_surjective(Layout(4, 2)), is_surjective(Layout(4, -1))
    (True, False, True)

    Where strides go backwards the offsets begin at the least one, below 0, as cosize counts them. The modes of plain layouts tell.
    """
    checked = as_offsets(layout)
    if isinstance(checked, Layout):
        return _fills(checked)
    if _swizzles_whole_blocks(checked):
        return True
    offsets = np.unique(listed(checked))
    return len(offsets) == int(offsets[-1]) - min(0, int(offsets[0])) + 1


def _fills(layout: Layout) -> bool:
    """Whether no stride, from the least on, is more than one beyond all that those before it reach."""
    reached = 0
    for stride, extent in sorted((abs(d), s) for s, d in plain_modes(layout)):
        if stride > reached + 1:
            return False
        reached += stride * (extent - 1)
    return True


def _swizzles_whole_blocks(layout: ComposedLayout) -> bool:
    """Whether a swizzle permutes the offsets of a layout without holes, since they are whole blocks of the bits that it touches."""
    outer, inner = layout.outer, layout.inner
    if not isinstance(outer, Swizzle) or not isinstance(inner, Layout) or layout.offset != 0:
        return False
    block = 1 << (outer.source_mask | outer.target_mask).bit_length()
    return inner.cosize % block == 0 and all(d >= 0 for _, d in plain_modes(inner)) and _fills(inner)


def is_bijective(layout: AnyLayout) -> bool:
    """Whether every offset from 0 to the greatest is reached once; where strides go backwards, from the least, as ``is_surjective`` has it.

    >>> is_bijective(Layout((4, 8), (8, 1))), is_bijective(Layout((4, 8), (9, 1))), is_bijective(Layout((4, 3), (-3, 1)))
    (True, False, True)
    """
    return is_injective(layout) and is_surjective(layout)


def is_compact(layout: AnyLayout) -> bool:
    """Whether the offsets are one run without holes, wherever it begins, and each is reached once.

    >>> is_compact(Layout((4, 8), (8, 1))), is_compact(ComposedLayout(Swizzle(0, 0, 0), 5, Layout(8))), is_compact(Layout(8, 2))
    (True, True, False)
    """
    if isinstance(layout, Layout):
        return is_bijective(layout)
    if not is_injective(layout):
        return False
    if isinstance(layout, ComposedLayout) and _swizzles_whole_blocks(layout):
        return True
    offsets = listed(layout)
    return int(offsets.max()) - int(offsets.min()) + 1 == layout.size


def functionally_equal(a: AnyLayout, b: AnyLayout) -> bool:
    """Whether two layouts have as many coordinates and the same offset at each 1-D coordinate.

    >>> functionally_equal(Layout((2, (1, 6)), (1, (6, 2))), Layout(12)), functionally_equal(Layout(12), Layout((3, 4), (4, 1)))
    (True, False)

    Plain layouts are compared by their modes: coalesced, those of equal functions are spelled alike. So are swizzled ones that
    differ inside only; else the offsets are looked at, up to ``listing.MOST_LISTED``.
    """
    as_offsets(a), as_offsets(b)
    if a.size != b.size:
        return False
    if isinstance(a, Layout) and isinstance(b, Layout):
        return fewest_modes(a) == fewest_modes(b)
    return _alike(a, b) or bool((listed(a) == listed(b)).all())


def _alike(a: Any, b: Any) -> bool:
    if isinstance(a, ComposedLayout) and isinstance(b, ComposedLayout):
        return (a.outer, a.offset) == (b.outer, b.offset) and _alike(a.inner, b.inner)
    return isinstance(a, Layout) and isinstance(b, Layout) and fewest_modes(a) == fewest_modes(b)
