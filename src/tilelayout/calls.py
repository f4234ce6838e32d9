"""Calls that a layout has seen: small arrays go straight to the kernel the second time.

What a call checks depends on the dtype, shape and strides of its arrays. Where these are those of a call before, only the memory
is left to be checked, and a kernel does that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ._kernels.calls import MOST_DIMS, Call
from .threads import WORTH_SHARING

if TYPE_CHECKING:
    from .digits import Layout
    from .doors import Array
    from .planning import Planned

#: Calls that a layout keeps of each kind; small buffers are of few kinds.
MOST_CALLS = 8


def is_plain(given: object, taken: Array) -> bool:
    """Whether an array is given as it is taken: no other is found by a kernel when its call is made again."""
    return type(given) is np.ndarray and (given.dtype, given.shape, given.strides) == (taken.dtype, taken.shape, taken.strides)


def keep_pack(layout: Layout, planned: Planned, array: Array, buffer: Array, bits: int) -> None:
    """Remember a call of ``pack`` to slots of so many bits, as far as it is worth it and can be."""
    _keep(layout.calls.packs, layout, planned, array, buffer, bits, packs=True)


def keep_unpack(layout: Layout, planned: Planned, array: Array, buffer: Array, bits: int) -> None:
    """Remember a call of ``unpack`` likewise."""
    _keep(layout.calls.unpacks, layout, planned, array, buffer, bits, packs=False)


def keep_relayout(layout: Layout, planned: Planned, source: Array, other: Layout, target: Array) -> None:
    """Remember a call of ``relayout`` to another layout: it packs the slots of the one as an array into those of the other."""
    if not planned.source and source.dtype == target.dtype:
        _keep(layout.calls.relayouts, other, planned, source, target, 8 * source.itemsize, packs=True, other=other)


def _keep(
    kept: list[Call], layout: Layout, planned: Planned, array: Array, buffer: Array, bits: int, *, packs: bool, other: Layout | None = None
) -> None:
    """Remember a call if it was one copy of few bytes that left no padding of the buffer to be filled apart."""
    is_whole = not packs or not layout.padding or planned.covered == layout.slots
    is_usual = array.dtype.isnative and 0 < array.ndim <= MOST_DIMS and type(array) is type(buffer) and buffer.ndim == 1
    is_small = max(array.nbytes, buffer.nbytes) < WORTH_SHARING
    if planned.copy is None or planned.rest or not is_whole or not is_usual or not is_small or len(kept) >= MOST_CALLS:
        return
    start = planned.target if packs else planned.source
    kept.append(Call(planned.copy, array, buffer, start * bits // 8, packs, bytes(16) if planned.covered else None, other))
