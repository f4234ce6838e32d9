"""Layouts: functions from coordinates to offsets, written ``shape:stride``.

    >>> from tilelayout import cute
    >>> layout = cute.Layout((4, (2, 3)), (2, (1, 8)))
    >>> print(layout, layout(1, 5), layout(1, (1, 2)), layout(21))
    (4,(2,3)):(2,(1,8)) 19 19 19
    >>> print(layout(None, 5), layout[1])
    (4):(2) (2,3):(1,8)

A layout takes a coordinate of its shape, finds the integer in each leaf, and adds these up times the strides
(include/cute/layout.hpp). Two layouts are equal when they are written alike, shape and stride.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from .. import digits
from .._kernels.modes import Nested
from ..errors import LayoutError, ShapeError
from ..sizes import MOST_SLOTS
from . import batch, binding
from .basis import ScaledBasis, Stride, as_stride, span_of
from .coordinates import Coordinate, Flat, checked_coordinate, offset_at
from .spelling import shown, spelled
from .tuples import IntTuple, Path, Shaped, as_shape, at, depth, leaves, part_at, product, transform_leaf, unflatten
from .wildcards import has_wildcard, sliced


class Layout(Nested, Shaped):
    """A shape, and a stride for each of its leaves.

    Parameters
    ----------
    shape
        A nest of integers that are at least 1.
    stride
        Integers, or scaled basis vectors and zeros, in the same nest; those of a compact column-major layout if left out.

    >>> Layout((4, 8)), Layout((2, 1, 3)).stride
    (cute.Layout((4, 8), (1, 4)), (1, 0, 2))

    ``flat`` holds the pairs of extent and stride from left to right, ``size`` counts the coordinates. Offsets and sizes fit in 64 bits.

    A call gives the offset at a coordinate: one integer, one tuple, or an argument for each mode; with None among them a slice, with
    arrays an array.

    >>> layout = Layout((4, 8), (8, 1))
    >>> layout(9), layout((1, 2)), layout(1, 2), layout(None, 2)
    (10, 10, 10, cute.Layout((4,), (8,)))

    >>> import numpy as np
    >>> layout(np.arange(3)), layout(np.arange(3), 5)
    (array([ 0,  8, 16]), array([ 5, 13, 21]))

    A coordinate outside the shape raises ``CoordinateError``. A slice has the modes that meet None, and starts at 0: the
    offset of the integers beside them is told by ``slice_and_offset``.
    """

    __slots__ = ()

    shape: IntTuple
    stride: Stride
    flat: Flat

    @staticmethod
    def _checked(shape: Any, stride: Any) -> tuple[IntTuple, Stride, Flat, int]:
        """What a layout is made of, from anything that may be a shape and a stride; plain ones the kernel makes on its own."""
        extents = as_shape(shape)
        strides = column_major_stride(extents) if stride is None else as_stride(stride)
        _check_congruent(extents, strides, ())
        flat = tuple(zip(leaves(extents), leaves(strides), strict=True))
        if max(leaves(_coshape(flat))) > MOST_SLOTS:
            asked = f"{shown(extents)}:{shown(strides)}"
            raise ShapeError(
                f"the cosize of {asked}, one more than its greatest offset, does not fit in signed 64-bit integers; give smaller strides"
            )
        return extents, strides, flat, product(extents)

    def _called(self, coordinate: tuple[Coordinate, ...]) -> Any:
        """The answer to a call that is not plainly one integer, or one for each leaf, within the shape."""
        if batch.has_array(*coordinate):
            return batch.evaluate(self, *coordinate)
        place = coordinate[0] if len(coordinate) == 1 else coordinate
        checked_coordinate(place, self.shape)
        if has_wildcard(place):
            return slice_of(self, place)
        return offset_at(place, self.shape, self.stride)

    def extended(self, coordinate: Coordinate) -> Any:
        """The offset at a coordinate that may lie outside the shape: past its end the last leaf goes on counting.

        >>> Layout((4, 3), (3, 1)).extended(13), Layout(4, 2).extended(-1)
        (6, -2)

        This is what composition means by ``A(i)`` for any integer ``i``; at ``-i`` stands the offset of ``i`` with its sign turned.
        """
        return offset_at(coordinate, self.shape, self.stride)

    @property
    def rank(self) -> int:
        """The number of modes."""
        return len(self.shape) if isinstance(self.shape, tuple) else 1

    @property
    def depth(self) -> int:
        """The levels of nesting of the shape."""
        return depth(self.shape)

    @property
    def cosize(self) -> int:
        """The number of offsets from the least to the greatest: ``1 + sum((extent - 1) * abs(stride))``.

        >>> Layout((4, 8), (1, 10)).cosize, Layout((4, 8), (-1, 10)).cosize
        (74, 74)
        """
        return product(self.coshape)

    @property
    def coshape(self) -> IntTuple:
        """The shape that offsets lie in: the cosize, or the extents of the coordinates that basis strides lead to.

        >>> from tilelayout.cute import E
        >>> Layout((4, 8), (E(1), 2 * E(0))).coshape
        (15, 4)
        """
        return _coshape(self.flat)

    def sums(self, domain: IntTuple | None = None) -> binding.Sums:
        """The offset as sums of the core's digits, for the axes of ``domain``, a nest of the shape's leaves; the shape if left out."""
        return binding.sums_of(self.shape if domain is None else domain, self.flat)

    def after(self, sums: binding.Sums, axes: Sequence[int]) -> binding.Sums:
        """This layout at the coordinate that the sums lead to, in an array of these axes."""
        return {(): binding.followed(sums, self.shape, self.stride, axes)}

    def bind(self, shape: Sequence[int] | None = None) -> digits.Layout:
        """The core's layout, with which arrays are packed and many coordinates evaluated: an axis for each mode at the top.

        >>> Layout((4, (2, 4)), (2, (1, 8))).bind().index([[1, 5], [3, 7]])
        array([19, 31])

        Where strides go backwards the least offset becomes slot 0, as the first byte of a numpy view does. Raises
        ``LayoutError`` for basis strides, which lead to coordinates, and ``ShapeError`` where ``shape`` is not that of the modes.
        """
        return binding.bound(self, self.shape, self.sums(), shape)

    def __getitem__(self, mode: int | Sequence[int]) -> Layout:
        return Layout(part_at(self.shape, mode), part_at(self.stride, mode))

    def __iter__(self) -> Iterator[Layout]:
        return map(Layout, self.shape, self.stride) if isinstance(self.shape, tuple) else iter((self,))  # type: ignore[arg-type]

    def __str__(self) -> str:
        return f"{spelled(self.shape)}:{spelled(self.stride)}"

    def __repr__(self) -> str:
        return f"cute.Layout({self.shape!r}, {self.stride!r})"


def slice_of(layout: Layout, coordinate: Coordinate) -> Layout:
    """The modes of a layout that meet None, as a layout that starts at 0."""
    return Layout(sliced(coordinate, layout.shape), sliced(coordinate, layout.stride))


def least_offset(layout: Layout) -> int:
    """The least offset of a layout with integer strides: 0, but where some go backwards.

    >>> least_offset(Layout((3, 4), (-2, 5))), least_offset(Layout(4))
    (-4, 0)
    """
    return sum((s - 1) * min(0, cast(int, d)) for s, d in layout.flat)


def _coshape(flat: Flat) -> IntTuple:
    steps = ((s - 1, ScaledBasis(abs(d.value), d.path) if isinstance(d, ScaledBasis) else abs(d)) for s, d in flat)
    return cast(IntTuple, transform_leaf(lambda span: span + 1, span_of(steps)))


def column_major_stride(shape: IntTuple) -> IntTuple:
    """The strides of a compact layout whose leftmost leaf is fastest; leaves of extent 1 have stride 0.

    >>> column_major_stride((4, (1, 3), 2))
    (1, (0, 4), 12)
    """
    stride, result = 1, []
    for extent in leaves(shape):
        result.append(stride if extent > 1 else 0)
        stride *= extent
    return cast(IntTuple, unflatten(result, shape))


def _check_congruent(shape: Any, stride: Any, path: Path) -> None:
    """Raise ``LayoutError`` at the first place where the nests differ."""
    if isinstance(shape, tuple) != isinstance(stride, tuple) or (isinstance(shape, tuple) and len(shape) != len(stride)):
        wanted, got = (f"a tuple of {len(tree)}" if isinstance(tree, tuple) else "an integer" for tree in (shape, stride))
        raise LayoutError(f"the stride of shape {shown(shape)} expects {wanted}, got {got} ({shown(stride)}){at(path)}")
    if isinstance(shape, tuple):
        for mode, parts in enumerate(zip(shape, stride, strict=True)):
            _check_congruent(*parts, (*path, mode))
