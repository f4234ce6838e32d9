"""Calls that a layout has seen: small arrays go straight to the kernel the second time.

What a call checks depends on the dtype, shape and strides of its arrays. Where these are those of a call before, only the memory
is left to be checked, and a kernel does that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import threads
from ._kernels.calls import MOST_DIMS, Call

if TYPE_CHECKING:
    from .bridges import Array
    from .digits import Layout
    from .planning import Planned

#: Calls that a layout keeps of each kind; small buffers are of few kinds.
MOST_CALLS = 8


def is_plain(given: object, taken: Array) -> bool:
    """Whether an array is given as it is taken: no other is found by a kernel when its call is made again."""
    return type(given) is np.ndarray and (given.dtype, given.shape, given.strides) == (taken.dtype, taken.shape, taken.strides)


def keep_pack(layout: Layout, planned: Planned, array: Array, buffer: Array, bits: int) -> None:
    """Remember a call of ``pack`` to slots of so many bits, as far as it is worth it and can be."""
    if _is_whole(layout, planned):
        _keep(layout.calls.packs, planned, array, buffer, start=planned.target * bits // 8, packs=True)


def keep_unpack(layout: Layout, planned: Planned, array: Array, buffer: Array, bits: int) -> None:
    """Remember a call of ``unpack`` likewise."""
    _keep(layout.calls.unpacks, planned, array, buffer, start=planned.source * bits // 8, packs=False)


def keep_relayout(layout: Layout, planned: Planned, source: Array, other: Layout, target: Array) -> None:
    """Remember a call of ``relayout`` to another layout: it packs the slots of the one as an array into those of the other."""
    if not planned.source and source.dtype == target.dtype and _is_whole(other, planned):
        _keep(layout.calls.relayouts, planned, source, target, start=planned.target * target.itemsize, packs=True, other=other)


def _is_whole(layout: Layout, planned: Planned) -> bool:
    """Whether a copy leaves no padding of the buffer to be filled apart."""
    return layout.slots in (layout.size, planned.covered)


def _keep(kept: list[Call], planned: Planned, array: Array, buffer: Array, *, start: int, packs: bool, other: Layout | None = None) -> None:
    """Remember a call if copies of few bytes were all of it."""
    is_usual = array.dtype.isnative and 0 < array.ndim <= MOST_DIMS and type(array) is type(buffer) and buffer.ndim == 1
    is_small = max(array.nbytes, buffer.nbytes) < threads.WORTH_SHARING
    if planned.copy is not None and is_usual and is_small and len(kept) < MOST_CALLS:
        kept.append(Call((planned.copy, *planned.rest), array, buffer, start, packs, bytes(16) if planned.covered else None, other))
