"""Ready-made layouts for a shape, and the many that Morello's search tries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...errors import LayoutError, ShapeError, shown
from .kinds import OddEven, Packed, PhysDim
from .layout import Layout
from .physical import sizes_of
from .validation import at_least_one


def row_major(shape: Sequence[int]) -> Layout:
    """The dimensions in order, those of size 1 left out.

    >>> print(row_major((1, 4, 1, 5)))
    [1, 3]
    """
    sizes = sizes_of(shape)
    return _dynamic(range(len(sizes)), sizes)


def col_major(shape: Sequence[int]) -> Layout:
    """The dimensions in reverse order, those of size 1 left out.

    >>> print(col_major((2, 4, 5)))
    [2, 1, 0]
    """
    sizes = sizes_of(shape)
    return _dynamic(reversed(range(len(sizes))), sizes)


def batched_col_major(shape: Sequence[int]) -> Layout:
    """Dimension 0 first, then the others in reverse order, those of size 1 left out.

    >>> print(batched_col_major((5, 3, 4)))
    [0, 2, 1]
    """
    sizes = sizes_of(shape)
    return _dynamic(sorted(range(len(sizes)), key=lambda dim: -dim % len(sizes)), sizes)


def nhwc(shape: Sequence[int]) -> Layout:
    """Of an array of batches, channels, rows and columns: batches, rows, columns, channels; those of size 1 left out.

    >>> print(nhwc((2, 3, 4, 5)), nhwc((1, 3, 4, 5)))
    NHWC [2, 3, 1]

    Raises ``ShapeError`` for other than four dimensions.
    """
    sizes = sizes_of(shape)
    if len(sizes) != 4:
        raise ShapeError(f"NHWC is of four dimensions, given in the order N, C, H, W; shape {shown(sizes)} has {len(sizes)}")
    return _dynamic((0, 2, 3, 1), sizes)


def candidates(shape: Sequence[int], element_bytes: int, *, vector_bytes: Sequence[int] = (16, 32)) -> list[Layout]:
    """The layouts that Morello's search tries for a shape.

    >>> print(*candidates((8, 16), 4), sep="; ")
    [0, 1]; [1, 0]; [0, 1, 0 p(2)]; [0, 1, 0 p(4)]; [0, 1, 0 p(8)]; [1, 0, 1 p(2)]; [1, 0, 1 p(4)]; [1, 0, 1 p(8)]; \
[0, 1, 0 oe(8)]; [0, 1, 1 oe(8)]; [0, 1, 1 oe(16)]; [1, 0, 1 oe(8)]; [1, 0, 1 oe(16)]; [1, 0, 0 oe(8)]

    The row-major one, the column-major one of two dimensions, the NHWC one of four; then each of them with a pack of 2 or of a
    vector innermost, of any but the fastest dimension; then each with an OddEven of two vectors innermost. All sizes divide.
    Source: ``all_layouts_for_shape`` of Morello's CPU targets, whose vectors have 16 and 32 bytes.
    """
    sizes, width = sizes_of(shape), at_least_one(element_bytes, "element_bytes")
    if not isinstance(vector_bytes, Sequence):
        raise LayoutError(f"vector_bytes={shown(vector_bytes)} is no sequence of sizes, such as (16, 32)")
    vectors = [count for size in vector_bytes if (count := at_least_one(size, "vector_bytes") // width) > 1]
    packs, splits = dict.fromkeys([2, *vectors]), dict.fromkeys(2 * count for count in vectors)
    makers = [row_major, *{2: [col_major], 4: [nhwc]}.get(len(sizes), [])]
    bases = list(dict.fromkeys(make(sizes) for make in makers))
    packed = [(base, dim, Packed(n)) for base in bases for dim, _ in base.dims[:-1] for n in packs if sizes[dim] % n == 0]
    split = [(base, dim, OddEven(n)) for base in bases for dim, _ in base.dims for n in splits if sizes[dim] % n == 0]
    return bases + [Layout([*base.dims, (dim, kind)]) for base, dim, kind in packed + split]


def _dynamic(order: Iterable[int], sizes: Sequence[int]) -> Layout:
    return Layout([(dim, PhysDim.Dynamic) for dim in order if sizes[dim] != 1])
