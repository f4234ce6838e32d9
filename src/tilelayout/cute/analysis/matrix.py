"""Layouts as matrices over GF(2): each bit of the offset a sum, modulo 2, of bits of the coordinate.

>>> from tilelayout import cute
>>> cute.to_F2_matrix(cute.ComposedLayout(cute.Swizzle(1, 0, 2), 0, cute.Layout((2, 4))))
array([[1, 0, 1],
       [0, 1, 0],
       [0, 0, 1]], dtype=uint8)
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import LayoutError
from ..composed import AnyLayout, ComposedLayout
from ..spelling import shown
from ..swizzle import Swizzle
from .listing import as_offsets, listed


def to_F2_matrix(layout: AnyLayout) -> npt.NDArray[np.uint8]:  # noqa: N802 - F2 is the field's name
    """The matrix M with ``bits of layout(c) == M @ bits of c`` modulo 2, least bits first: row ``r`` gives bit ``r`` of the offset.

    Column ``k`` holds the offset at the 1-D coordinate ``2**k``, whose bits are those of the leaves from left to right. There are as
    many rows as the offsets have bits.

    >>> from tilelayout.cute import Layout
    >>> to_F2_matrix(Layout((2, 4), (4, 1))).tolist()
    [[0, 1, 0], [0, 0, 1], [1, 0, 0]]

    Extents have to be powers of 2. A layout that is not linear raises ``LayoutError``, which names the first coordinate where the
    offset is not the XOR of those of its bits. The modes of plain and swizzled layouts tell; of others the offsets are looked at.
    """
    checked = as_offsets(layout)
    if checked.size & (checked.size - 1):
        raise LayoutError(f"{shown(layout)} has {checked.size} coordinates; a matrix over GF(2) takes extents that are powers of 2")
    images = [checked.extended(1 << k) for k in range(checked.size.bit_length() - 1)]
    broken = _first_broken(checked, images)
    if broken is not None:
        raise _refusal(checked, broken)
    rows = max((value.bit_length() for value in images), default=0)
    return np.array([[value >> row & 1 for value in images] for row in range(rows)], np.uint8).reshape(rows, len(images))


def _first_broken(layout: AnyLayout, images: list[int]) -> int | None:
    """The first coordinate whose offset is not the XOR of the offsets of its bits."""
    if layout.extended(0):
        return 0
    inner: Any = layout
    while isinstance(inner, ComposedLayout) and isinstance(inner.outer, Swizzle) and inner.offset == 0:
        inner = inner.inner  # a swizzle is linear and one-to-one, so it keeps what is linear and what is not
    if isinstance(inner, ComposedLayout):
        return _first_differing(layout, images)
    steps = [inner.extended(1 << k) for k in range(len(images))]
    negative = [1 << k for k, step in enumerate(steps) if step < 0]
    carrying = [1 << j | 1 << k for (j, a), (k, b) in combinations(enumerate(steps), 2) if a >= 0 and b >= 0 and a & b]
    return min([*negative, *carrying], default=None)


def _first_differing(layout: AnyLayout, images: list[int]) -> int | None:
    offsets = listed(layout)
    xors = np.zeros_like(offsets)
    for k, value in enumerate(images):
        xors[1 << k : 2 << k] = xors[: 1 << k] ^ value
    wrong = np.flatnonzero((offsets != xors) | (offsets < 0))
    return int(wrong[0]) if len(wrong) else None


def _refusal(layout: AnyLayout, coordinate: int) -> LayoutError:
    bits = [1 << k for k in range(coordinate.bit_length()) if coordinate >> k & 1]
    offset = layout.extended(coordinate)
    if len(bits) < 2:
        what = f"the offset is {offset}; linear layouts begin at 0 and go upwards"
    else:
        parts = " ^ ".join(str(layout.extended(bit)) for bit in bits)
        what = f"the offset is {offset}, not {parts}; strides that are powers of 2 times disjoint bits make it linear"
    return LayoutError(f"{shown(layout)} is not linear over GF(2): at c = {coordinate} {what}")
