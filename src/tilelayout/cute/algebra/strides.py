"""Strides as integers: scaled basis vectors written as very large ones, so that the algebra knows only integers.

    >>> from tilelayout.cute import E
    >>> flat, paths = encoded(((4, 2 * E(0)), (3, E(1))))
    >>> flat[0], decoded(flat[1][1] * 5, paths)
    ((4, 2), cute.ScaledBasis(5, (1,)))

Each path gets a field of bits of its own, wide enough that no sum of offsets leaves it. Without basis vectors integers
stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from ...errors import LayoutError
from ..basis import ScaledBasis
from ..tuples import Path
from .modes import Modes

Paths: TypeAlias = tuple[Path, ...]

#: Bits of a field: offsets have 64, an extension past the end up to twice as many.
_FIELD = 160


def encoded(flat: Iterable[tuple[int, int | ScaledBasis]]) -> tuple[Modes, Paths]:
    """The pairs with integer strides, and the paths whose fields they use."""
    pairs = tuple(flat)
    paths = tuple(sorted({d.path for _, d in pairs if isinstance(d, ScaledBasis)}))
    if not paths:
        return pairs, ()  # type: ignore[return-value]
    weight = {path: 1 << (_FIELD * k) for k, path in enumerate(paths)}
    return tuple((s, d.value * weight[d.path] if isinstance(d, ScaledBasis) else d) for s, d in pairs), paths


def decoded(stride: int, paths: Paths) -> int | ScaledBasis:
    """The stride that an integer stands for; a sum of several basis vectors is none."""
    if not paths or stride == 0:
        return stride
    fields = [(value, path) for value, path in zip(_fields(stride, len(paths)), paths, strict=True) if value]
    if len(fields) > 1:
        vector = " + ".join(str(ScaledBasis(*field)) for field in fields)
        raise LayoutError(f"the result has the stride {vector}, which is no single scaled basis vector; a stride lies in one mode")
    return ScaledBasis(*fields[0])


def _fields(stride: int, count: int) -> list[int]:
    """The signed values of the fields, the first path's first."""
    values, half = [], 1 << (_FIELD - 1)
    for _ in range(count):
        value = (stride + half) % (2 * half) - half
        values.append(value)
        stride = (stride - value) >> _FIELD
    return values
