"""Morello's layout as a value: physical dimensions from the slowest to the fastest, of no shape in particular."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ... import digits
from ...errors import LayoutError, expect, shown
from . import normal, tiling
from .binding import bound
from .expression import expression
from .kinds import Dims, PhysDim, dims_text
from .physical import physical_shape, shape_for
from .validation import at_least_one, checked_contig, checked_dims, logical_dims

_NHWC = tuple((dim, PhysDim.Dynamic) for dim in (0, 2, 3, 1))


@dataclass(frozen=True, slots=True, repr=False, init=False)
class Layout:
    """How the elements of an array lie in a buffer, for all the shapes that it applies to.

    >>> layout = Layout([(1, PhysDim.Dynamic), (0, PhysDim.Dynamic), (1, PhysDim.Packed(4))])
    >>> print(layout)
    [1, 0, 1 p(4)]
    >>> layout.bind((6, 8))(2, 5)
    33

    Parameters
    ----------
    dims
        Pairs of a logical dimension and its kind, slowest first. A Dynamic is the outermost of its dimension.
    contig
        How many of the fastest physical dimensions are known to form one run; all, if not given. It is a property of tiles
        (``update_for_tiling``) and changes no offset.
    normalized
        Whether neighbours of the same dimension are merged, as ``Layout::new`` does; ``[0, 0 p(4)]`` is ``[0]``.

    Layouts are equal if they are written alike; ``bind`` both to compare what they mean. Raises ``LayoutError`` for a list that is
    no layout of any shape.
    """

    dims: Dims
    contig: int

    def __init__(self, dims: Iterable[tuple[int, PhysDim]], contig: int | None = None, *, normalized: bool = True) -> None:
        listed = checked_dims(dims)
        runs = len(listed) if contig is None else checked_contig(contig, listed)
        expect(normalized, bool, "True or False: whether neighbours are merged")
        if normalized:
            listed, runs = normal.merged(listed, runs)
        object.__setattr__(self, "dims", listed)
        object.__setattr__(self, "contig", runs)

    @property
    def is_empty(self) -> bool:
        """Whether there are no physical dimensions."""
        return not self.dims

    @property
    def is_fully_contiguous(self) -> bool:
        """Whether all physical dimensions together are known to form one run."""
        return self.contig == len(self.dims)

    @property
    def is_row_major(self) -> bool:
        """Whether all dimensions are Dynamic, in rising order."""
        return self._is_plain and self._numbers == sorted(self._numbers)

    @property
    def is_col_major(self) -> bool:
        """Whether all dimensions are Dynamic, in falling order."""
        return self._is_plain and self._numbers == sorted(self._numbers, reverse=True)

    @property
    def _is_plain(self) -> bool:
        return all(kind is PhysDim.Dynamic for _, kind in self.dims)

    @property
    def _numbers(self) -> list[int]:
        return [dim for dim, _ in self.dims]

    def bind(self, shape: Sequence[int] | None = None, *, pad: bool = False) -> digits.Layout:
        """The layout of an array of this shape, as digits.

        >>> Layout([(0, PhysDim.Dynamic), (1, PhysDim.Dynamic), (0, PhysDim.Packed(4))]).bind((6, 2), pad=True).slots
        16

        Where a pack does not divide what it is to take, ``pad`` rounds up; otherwise that is a ``ShapeError``, as in Morello.
        """
        sizes = shape_for(self.dims, shape)
        return bound(self.dims, sizes, physical_shape(self.dims, sizes, pad=pad))

    def physical_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The sizes of the physical dimensions, slowest first; their product is the array's size.

        >>> Layout([(0, PhysDim.Dynamic), (1, PhysDim.Dynamic), (0, PhysDim.Packed(4))]).physical_shape((64, 10))
        (16, 10, 4)

        Raises ``ShapeError`` for a shape that the layout does not apply to.
        """
        return physical_shape(self.dims, shape_for(self.dims, shape))

    def applies_to_shape(self, shape: Sequence[int]) -> bool:
        """Whether the layout applies to a shape.

        >>> Layout([(0, PhysDim.Packed(2))]).applies_to_shape((6,))
        False
        """
        try:
            self.physical_shape(shape)
        except LayoutError:
            return False
        return True

    def index_expression(self, shape: Sequence[int]) -> str:
        """The offset of the point ``p0, p1, ...`` as Morello prints it; sizes of 1 add no term.

        >>> Layout([(1, PhysDim.Dynamic), (0, PhysDim.Dynamic), (1, PhysDim.Packed(4))]).index_expression((6, 8))
        '24(((p1)) / 4) + 4(p0) + (((p1)) % 4)'
        """
        sizes = shape_for(self.dims, shape)
        return expression(self.dims, sizes, physical_shape(self.dims, sizes))

    def canonicalize(self, shape: Sequence[int]) -> Layout:
        """The form for a shape that has no dimensions of size 1, no neighbours to merge and no pack that holds a whole dimension.

        >>> print(Layout([(1, PhysDim.Dynamic), (0, PhysDim.Dynamic), (1, PhysDim.Packed(8))]).canonicalize((32, 8)))
        [0, 1]

        The offsets are the same. An OddEven stays, even one of size 2, which moves nothing, and so does what keeps two of them apart.
        """
        sizes = shape_for(self.dims, shape)
        return self.update_for_tiling(sizes, sizes)

    def update_for_tiling(self, parent_shape: Sequence[int], tile_shape: Sequence[int]) -> Layout:
        """The canonical form for a tile of an array, with what Morello claims of its contiguity in ``contig``.

        >>> print(Layout([(0, PhysDim.Dynamic), (1, PhysDim.Dynamic)]).update_for_tiling((6, 8), (6, 4)))
        ([0, 1], c1)

        The claim is an estimate, and too high for tiles that cut packs unevenly; ``contiguity`` is exact. Raises ``ShapeError``
        where the layout does not apply to one of the shapes.
        """
        parent, tile = self._tiled(parent_shape, tile_shape)
        contig = tiling.claimed(self.physical_shape(parent), self.physical_shape(tile), self.contig)
        return Layout(*normal.canonical(self.dims, contig, tile), normalized=False)

    def contiguity(self, parent_shape: Sequence[int], tile_shape: Sequence[int]) -> int:
        """How many of the fastest physical dimensions form one run of the parent's buffer, in every tile at a multiple of its size.

        >>> layout = Layout([(0, PhysDim.Dynamic), (1, PhysDim.Dynamic), (0, PhysDim.Packed(4))])
        >>> layout.contiguity((12, 4), (4, 4)), layout.contiguity((12, 4), (3, 1)), layout.update_for_tiling((12, 4), (3, 1)).contig
        (3, 0, 1)

        The second tile begins at row 3 as well, and holds rows 4 and 5 of the next pack; Morello claims that it is one run.
        Tiles that the parent's end cuts are counted as far as they go. The figure is of this layout's own dimensions, and at most
        its ``contig``, which says as much of the parent.
        """
        parent, tile = self._tiled(parent_shape, tile_shape)
        return min(self.contig, tiling.contiguous(self.dims, parent, self.physical_shape(parent), self.physical_shape(tile)))

    def estimate_cache_lines(self, shape: Sequence[int], element_bytes: int, *, line_bytes: int = 64) -> int:
        """How many cache lines the array takes, if each of its runs (``contig``) begins a new one.

        >>> Layout([(0, PhysDim.Dynamic), (1, PhysDim.Dynamic)], contig=1).estimate_cache_lines((6, 128), 4)
        48
        """
        sizes = self.physical_shape(shape)
        return tiling.cache_lines(sizes, self.contig, at_least_one(element_bytes, "element_bytes"), at_least_one(line_bytes, "line_bytes"))

    def swap_dims(self, dims: tuple[int, int]) -> Layout:
        """The layout of the array with two dimensions swapped, in the same buffer.

        >>> print(Layout([(0, PhysDim.Dynamic), (1, PhysDim.Dynamic), (0, PhysDim.Packed(4))]).swap_dims((0, 1)))
        [1, 0, 1 p(4)]
        """
        numbers = logical_dims(dims, "to swap")
        if len(numbers) != 2:
            raise LayoutError(f"{shown(dims)} are no two dimensions to swap, such as (0, 1)")
        renamed = dict(zip(numbers, reversed(numbers), strict=True))
        return Layout([(renamed.get(dim, dim), kind) for dim, kind in self.dims], self.contig, normalized=False)

    def dim_drop(self, dropped: Iterable[int]) -> Layout:
        """The layout without some logical dimensions, of which those after them are renumbered; meant for dimensions of size 1.

        >>> print(Layout([(0, PhysDim.Dynamic), (1, PhysDim.Dynamic), (0, PhysDim.Packed(4))]).dim_drop({1}))
        [0]

        Neighbours that become adjacent are merged, even where that makes ``contig`` say less.
        """
        gone = frozenset(logical_dims(dropped, "to drop"))
        if not gone:
            return self
        dims, contig = normal.kept(self.dims, self.contig, [dim not in gone for dim, _ in self.dims])
        renumbered = tuple((dim - sum(other < dim for other in gone), kind) for dim, kind in dims)
        return Layout(*normal.merged(renumbered, contig, across=True), normalized=False)

    def one_prefix(self) -> Layout:
        """The layout with a dimension of size 1 in front.

        >>> print(Layout([(1, PhysDim.Dynamic), (0, PhysDim.Dynamic)]).one_prefix())
        [0, 2, 1]
        """
        contig = self.contig + self.is_fully_contiguous
        return Layout([(0, PhysDim.Dynamic), *((dim + 1, kind) for dim, kind in self.dims)], contig, normalized=False)

    def _tiled(self, parent_shape: Sequence[int], tile_shape: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        parent, tile = shape_for(self.dims, parent_shape), shape_for(self.dims, tile_shape)
        tiling.check_tile(parent, tile)
        return parent, tile

    def __str__(self) -> str:
        text = "NHWC" if self.dims == _NHWC else dims_text(self.dims)
        return text if self.is_fully_contiguous else f"({text}, c{self.contig})"

    def __repr__(self) -> str:
        parts = [repr(list(self.dims))]
        if not self.is_fully_contiguous:
            parts.append(f"contig={self.contig}")
        if normal.merged(self.dims, self.contig) != (self.dims, self.contig):
            parts.append("normalized=False")
        return f"morello.Layout({', '.join(parts)})"
