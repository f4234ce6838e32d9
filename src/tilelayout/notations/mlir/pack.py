"""``linalg.pack``: tiles cut from some dimensions, and the order of what is left of all.

Source: ``PackOp`` in mlir/include/mlir/Dialect/Linalg/IR/LinalgRelayoutOps.td. Each dimension has at most one tile; the dimensions come
in the order of ``outer_dims_perm``, then the tiles in the order of ``inner_dims_pos``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...digits import Layout
from ...elements import Element
from ...errors import LayoutError, ShapeError, SizesMissing, shown
from ...sizes import checked_shape, integers, shape_of_rank
from ..blocked import Block, Blocked
from ..element_types import ELEMENTS
from .types import agreed, check_element_type, typed


@dataclass(frozen=True, slots=True)
class Pack:
    """The attributes of a ``linalg.pack``; without ``outer_dims_perm`` the dimensions keep their order.

    >>> print(Pack((1,), (4,), (1, 0)))
    outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [4]
    """

    inner_dims_pos: tuple[int, ...]
    inner_tiles: tuple[int, ...]
    outer_dims_perm: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        names = ("outer_dims_perm", "inner_dims_pos", "inner_tiles")
        lists = order, positions, tiles = tuple(integers(getattr(self, name)) for name in names)
        valid = order is not None and positions is not None and tiles is not None and sorted(order) == list(range(len(order)))
        valid = valid and len(set(positions)) == len(positions) == len(tiles)  # type: ignore[arg-type]
        if not valid or min((*positions, 0)) < 0 or min((*tiles, 1)) < 1:  # type: ignore[misc]
            asked = ", ".join(f"{name}={shown(getattr(self, name))}" for name in names)
            raise LayoutError(
                f"{asked} are no attributes of a pack: they are a permutation or nothing, different dimensions from 0, "
                "and as many tiles of 1 or more"
            )
        for name, values in zip(names, lists, strict=True):
            object.__setattr__(self, name, values)

    def bind(self, shape: Sequence[int] | None = None, element: Element | None = None) -> Layout:
        """The layout of an array of this shape; a dimension is padded to whole tiles.

        >>> Pack((1,), (4,), (1, 0)).bind((6, 8))(1, 5)
        29
        """
        extents = self.checked(shape)
        return self._blocked(len(extents)).bind(extents, element)

    def checked(self, shape: Sequence[int] | None) -> tuple[int, ...]:
        """The shape, if the attributes are ones for it."""
        if shape is None:
            raise SizesMissing(f"{self} says nothing of sizes: give a shape")
        extents = checked_shape(shape)
        if self.outer_dims_perm:
            shape_of_rank(extents, len(self.outer_dims_perm), self)
        if any(position >= len(extents) for position in self.inner_dims_pos):
            raise ShapeError(f"{self} cuts dimension {max(self.inner_dims_pos)} of shape {extents}; dimensions count from 0")
        return extents

    def packed_shape(self, extents: Sequence[int]) -> tuple[int, ...]:
        """The shape of the packed tensor.

        >>> Pack((1,), (2,), (2, 1, 0)).packed_shape((200, 127, 256))
        (256, 64, 200, 2)
        """
        extents = self.checked(extents)
        tiles = dict(zip(self.inner_dims_pos, self.inner_tiles, strict=True))
        outer = [-(-size // tiles.get(axis, 1)) for axis, size in enumerate(extents)]
        return (*(outer[axis] for axis in self._order(len(extents))), *self.inner_tiles)

    def _order(self, rank: int) -> Sequence[int]:
        return self.outer_dims_perm or range(rank)

    def _blocked(self, rank: int) -> Blocked:
        tiles = zip(self.inner_dims_pos, self.inner_tiles, strict=True)
        return Blocked((*map(Block, self._order(rank)), *(Block(*tile) for tile in tiles)))

    def __str__(self) -> str:
        lists = (("outer_dims_perm", self.outer_dims_perm), ("inner_dims_pos", self.inner_dims_pos), ("inner_tiles", self.inner_tiles))
        return " ".join(f"{name} = [{', '.join(map(str, values))}]" for name, values in lists if values or name != "outer_dims_perm")


@dataclass(frozen=True, slots=True)
class PackOp:
    """A whole ``linalg.pack`` operation, with the types of what it reads and writes."""

    pack: Pack
    shape: tuple[int, ...]
    element_type: str
    padded: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.pack, Pack):
            raise LayoutError(f"pack={shown(self.pack)} is no mlir.Pack")
        check_element_type(self.element_type)
        object.__setattr__(self, "shape", self.pack.checked(self.shape))

    def bind(self, shape: Sequence[int] | None = None) -> Layout:
        """The layout of its source in its destination."""
        return self.pack.bind(agreed(shape, self.shape, self), ELEMENTS.get(self.element_type))

    def __str__(self) -> str:
        padding = f" padding_value(%pad : {self.element_type})" if self.padded else ""
        source, target = (typed(shape, self.element_type) for shape in (self.shape, self.pack.packed_shape(self.shape)))
        return f"%packed = linalg.pack %source{padding} {self.pack} into %dest : tensor<{source}> -> tensor<{target}>"
