"""Chunks to suggest: as large as the limit allows, and each in a range of the buffer of its own where the layout has such chunks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import prod

import numpy as np
import numpy.typing as npt

from ..digits import Layout
from ..errors import LayoutError, shown
from ..extras import needed
from ..files.windows import Nested, largest_box, nested
from ..memory import check_axes
from ..notations import LayoutLike
from ..notations import layout as as_layout
from ..storage import checked_dtype, for_array
from .arrays import Chunks, checked_chunks
from .ranges import Cut, cut

#: How often the limit is halved in search of chunks that have ranges of their own.
HALVINGS = 7
#: Bytes for each element whose slot is looked up, apart from the element.
BESIDE = 24


def suggest_chunks(
    layout: LayoutLike, shape: Sequence[int] | None = None, *, dtype: npt.DTypeLike | None = None, limit: int | str | None = None
) -> tuple[int, ...]:
    """The extents of chunks that suit a layout: aligned to its tiles, each packed into one range of the buffer where that can be.

    >>> suggest_chunks("bf16[4096,8192]{1,0:T(8,128)(2,1)}", limit="16MiB")
    (1024, 8192)
    >>> suggest_chunks("{0,1:T(8,128)}", (4096, 8192), dtype="float32", limit="16MiB")
    (4096, 1024)

    They are what ``Array.rechunk`` and ``dask.array.from_array`` take as ``chunks``.

    Parameters
    ----------
    layout, shape
        As ``tilelayout.layout`` takes them.
    dtype
        Of the array, where the layout names no type of element.
    limit
        Bytes of a chunk at the most, packed or not, as a number or as text; by default dask's setting ``array.chunk-size``. A layout whose
        smallest chunks are larger than that is cut without regard to tiles, and its elements are looked up.
    """
    bound = as_layout(layout, shape)
    check_axes(bound.shape)
    if dtype is not None:
        store = for_array(checked_dtype(dtype), bound.element)
        width, bits = store.dtype.itemsize, store.bits
    elif bound.element is not None:
        width, bits = -(-bound.element.bits // 8), bound.element.bits
    else:
        raise LayoutError("the layout names no type of element, and dtype= says none; chunks are measured in bytes")
    most = checked_limit(limit)
    found = aligned(bound, bits, width, most)
    return tuple(max(sizes) for sizes in (found.chunks if found else unaligned(bound.shape, width, most)))


def aligned(layout: Layout, bits: int, width: int, limit: int) -> Cut | None:
    """A cut into chunks that have ranges of their own, with slots of so many bits and elements of so many bytes; None if there is none."""
    if not layout.size:
        return cut(layout, tuple((n,) for n in layout.shape), bits)
    if (found := nested(layout, bits)) is None:
        return None
    for halving in range(HALVINGS + 1):
        box = largest_box((found,), partial(_fits, found, width, limit >> halving), enough=limit)
        if box is not None and (done := cut(layout, regular(box, layout.shape), bits)) is not None:
            return done
    return None


def unaligned(shape: Sequence[int], width: int, limit: int, before: Chunks | None = None) -> Chunks:
    """Chunks that fit with all that it takes to look elements up; like those before, where there are some."""
    return checked_chunks("auto", shape, np.dtype(f"V{width + BESIDE}"), limit, before)


def checked_limit(limit: int | str | None = None) -> int:
    """The limit in bytes; by default that of dask's settings."""
    config, utils = (needed("dask", module, "tilelayout.dask") for module in ("dask.config", "dask.utils"))
    given = config.get("array.chunk-size") if limit is None else limit
    try:
        most = 0 if isinstance(given, bool) else int(utils.parse_bytes(given))
    except (ValueError, TypeError, ArithmeticError, AttributeError):
        most = 0
    if most < 1:
        raise LayoutError(f"limit={shown(given)} is no number of bytes; it takes an integer of 1 or more, or text such as '128MiB'")
    return most


def regular(extents: Sequence[int], shape: Sequence[int]) -> Chunks:
    """Chunks of these extents side by side from the first element on, cut short at the ends."""
    return tuple((n,) * (size // n) + ((size % n,) if size % n else ()) for n, size in zip(extents, shape, strict=True))


def _fits(found: Nested, width: int, limit: int, extents: tuple[int, ...]) -> bool:
    return prod(extents) * width <= limit and found.window(extents, extents).layout.slots * found.bits <= 8 * limit
