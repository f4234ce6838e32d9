"""Mosaic's layouts and array types as values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ... import digits, moves
from ...elements import BITS, Element, element
from ...errors import LayoutError, ShapeError, SizesMissing, shown
from ...radix import Digit
from ...sizes import MOST_SLOTS, checked_product, checked_shape, listed
from ..xla.tiling import Tile, expanded, tile_text
from ..xla.validation import checked_integers, dims

#: The elements of MLIR's types; an integer without a sign is taken for a signed one.
ELEMENTS = {
    "bf16": "bfloat16",
    **{f"f{bits}": f"float{bits}" for bits in (16, 32, 64)},
    **{"f" + name.removeprefix("float").replace("_", "").upper(): name for name in BITS if name.startswith(("float4", "float8"))},
    **{f"si{bits}": f"int{bits}" for bits in (2, 4, 8, 16, 32, 64)},
    **{f"i{bits}": f"int{bits}" for bits in (2, 4, 8, 16, 32, 64)},
    **{f"ui{bits}": f"uint{bits}" for bits in (2, 4, 8, 16, 32, 64)},
}
TYPES = {name: text for text, name in ELEMENTS.items()}


@dataclass(frozen=True, slots=True, repr=False)
class TiledLayout:
    """Tiles, and for each dimension the stride between tiles.

    >>> layout = TiledLayout(((8, 128),), (3, 1))
    >>> print(layout)
    #tpu.tiled<(8,128),[3,1]>
    >>> layout.bind((16, 300)).slots
    6144

    Any sequences of integers are taken, and stored as tuples. Raises ``LayoutError`` for tiles that the dialect refuses.
    """

    tiles: tuple[Tile, ...]
    tile_strides: tuple[int, ...]

    def __post_init__(self) -> None:
        tiles = listed(self.tiles)
        if tiles is None:
            raise LayoutError(f"tiles {shown(self.tiles)} are no sequence of tiles, such as ((8, 128), (2, 1))")
        object.__setattr__(self, "tiles", tuple(checked_integers(tile, "tile") for tile in tiles))
        object.__setattr__(self, "tile_strides", checked_integers(self.tile_strides, "tile_strides"))
        wrong = fault(self.tiles, self.tile_strides)
        if wrong:
            raise LayoutError(wrong[1])

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.tile_strides)

    def bind(self, shape: Sequence[int] | None = None) -> digits.Layout:
        """The layout of an array of this shape; a shape of another rank, or none, raises ``ShapeError``."""
        if shape is None:
            raise SizesMissing(f"{self} says nothing of sizes: give a shape of {self.rank} dimensions, or write memref<16x256xf32, {self}>")
        return self.bound(shape, None)

    def bound(self, shape: Sequence[int], held: Element | None) -> digits.Layout:
        """The layout of an array of this shape and these elements."""
        shape = checked_shape(shape)
        if len(shape) != self.rank:
            raise ShapeError(f"{self} is for {self.rank} dimensions, and the shape {shape} has {len(shape)}; there is one stride for each")
        first = self.tiles[0] if self.tiles else ()
        begin = self.rank - len(first)
        sizes = (*[1] * begin, *first)
        inner: moves.Dims = ()
        found = []
        slots = tile = checked_product(first, "slots of a tile")
        for axis, (dim, size, stride) in enumerate(zip(moves.axes(shape), sizes, self.tile_strides, strict=True)):
            outer, within = moves.split((dim,), 0, size)
            found.append(Digit(axis, outer.divisor, outer.radix, stride * tile))
            slots += max(0, stride) * tile * max(0, outer.radix - 1)
            inner = (*inner, within) if axis >= begin else inner
        found += moves.compact(shape, expanded(inner, self.tiles[1:])).digits
        return digits.Layout(shape, found, slots=0 if 0 in shape else slots, element=held)

    def __str__(self) -> str:
        return f"#tpu.tiled<{''.join(map(tile_text, self.tiles))},[{','.join(map(str, self.tile_strides))}]>"

    def __repr__(self) -> str:
        return f"mosaic.TiledLayout({self.tiles}, {self.tile_strides})"


def fault(tiles: Sequence[Tile], strides: Sequence[int]) -> tuple[int, str] | None:
    """What the dialect refuses first: the number of the tile, or that behind the last for the strides, and why."""
    for stride in strides:
        if abs(stride) > MOST_SLOTS:
            return (
                len(tiles),
                f"tile stride {shown(stride)} does not fit in 64 bits; where it is -2**63 it is dynamic, which Mosaic refuses",
            )
    within = [*strides]
    for number, tile in enumerate(tiles):
        for size in tile:
            if not 1 <= size <= MOST_SLOTS:
                return number, f"the tile size {shown(size)} is out of range; sizes are 1 or more, and fit in 64 bits"
        if len(tile) > len(within):
            first = ",".join(map(str, tiles[0]))
            where = f"the {len(within)} dimensions that tiles have cut ({first}) into" if number else f"{len(within)} dimensions"
            return number, f"{tile_text(tile)} has {len(tile)} entries for {where}; Mosaic's tiles do not reach beyond"
        if not number:
            within = [*tile]
            continue
        rest = len(within) - len(tile)
        for size, inner in zip(within[rest:], tile, strict=True):
            if size % inner:
                return number, f"{tile_text(tile)} does not divide what lies in the first tile: {inner} is no divisor of {size}"
        within = [*within[:rest], *(size // inner for size, inner in zip(within[rest:], tile, strict=True)), *tile]
    return None


@dataclass(frozen=True, slots=True, repr=False)
class MemRef:
    """An array in memory: MLIR's ``memref`` type with a layout of Mosaic's, or none, which is row-major.

    >>> print(MemRef((16, None), "f32", TiledLayout(((8, 128),), (2, 1)), "#tpu.memory_space<vmem>"))
    memref<16x?xf32, #tpu.tiled<(8,128),[2,1]>, #tpu.memory_space<vmem>>

    Parameters
    ----------
    dims
        The sizes, None for a dynamic one.
    element_type
        MLIR's name of a type. Of those that numpy or ml_dtypes do not have the layout does not say what lies in a slot.
    layout
        The tiles and strides.
    memory_space
        As in text; it has no part in where elements lie.
    """

    dims: tuple[int | None, ...]
    element_type: str
    layout: TiledLayout | None = None
    memory_space: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "dims", dims(self.dims))
        if not isinstance(self.element_type, str) or not isinstance(self.layout, TiledLayout | None):
            raise LayoutError(
                f"{shown((self.element_type, self.layout))} are no element type and layout, such as 'f32' and a mosaic.TiledLayout"
            )
        if self.layout is not None and self.layout.rank != len(self.dims):
            raise ShapeError(
                f"{self.layout} is for {self.layout.rank} dimensions in a memref of {len(self.dims)}; there is one stride for each"
            )

    def bind(self, shape: Sequence[int] | None = None) -> digits.Layout:
        """The layout of the array; a shape is needed where a size is dynamic, and must agree with those that are not."""
        extents = self.dims if shape is None else checked_shape(shape)
        known = tuple(size for size in extents if size is not None)
        if len(known) != len(self.dims):
            raise SizesMissing(f"{self} needs a shape of {len(self.dims)} dimensions; give one that has a size for each, dynamic ones too")
        if any(size not in (None, given) for size, given in zip(self.dims, known, strict=True)):
            raise ShapeError(f"{self} is no array of shape {known}; only dynamic sizes (?) may be chosen")
        name = ELEMENTS.get(self.element_type)
        held = None if name is None else element(name, BITS[name])
        if self.layout is None:
            return moves.compact(known, moves.axes(known), element=held)
        return self.layout.bound(known, held)

    def __str__(self) -> str:
        sizes = "".join(f"{'?' if size is None else size}x" for size in self.dims)
        return f"memref<{', '.join(str(part) for part in (sizes + self.element_type, self.layout, self.memory_space) if part is not None)}>"

    def __repr__(self) -> str:
        return f"mosaic.MemRef({self.dims}, {self.element_type!r}, {self.layout!r}, {self.memory_space!r})"
