"""Calls that a layout has seen: small arrays go straight to the kernel the second time.

What a call checks depends on the dtype, shape and strides of its arrays. Where these are those of a call before, only the memory
is left to be checked, and a kernel does that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._kernels.copy import MOST_DIMS, Call
from .threads import WORTH_SHARING

if TYPE_CHECKING:
    from .digits import Layout
    from .doors import Array
    from .planning import Planned

#: Calls that a layout keeps each way; small buffers are of few kinds.
MOST_CALLS = 8


def keep(layout: Layout, planned: Planned, way: str, array: Array, buffer: Array) -> None:
    """Remember a call, if it was one copy of few bytes that left no padding to be filled apart."""
    kept = layout.calls.packs if way == "pack" else layout.calls.unpacks
    is_whole = way == "unpack" or not layout.padding or planned.covered == layout.slots
    is_plain = array.dtype.isnative and 0 < array.ndim <= MOST_DIMS and type(array) is type(buffer) and buffer.ndim == 1
    if planned.copy is None or planned.rest or not is_whole or not is_plain or buffer.nbytes >= WORTH_SHARING or len(kept) >= MOST_CALLS:
        return
    start = planned.target if way == "pack" else planned.source
    kept.append(Call(planned.copy, array, buffer, start * array.itemsize, way == "pack", bytes(16) if planned.covered else None))
