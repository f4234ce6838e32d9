"""Format tags and memory descriptors as values, and how they become digits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_lowercase

from ... import moves
from ...digits import Layout
from ...errors import LayoutError, shown
from ...radix import Digit
from ...sizes import checked_product, integers, listed, shape_of_rank
from ..blocked import Block, Blocked
from .names import DATA_TYPES, MOST_AXES, MOST_BLOCK


@dataclass(frozen=True, slots=True)
class Tag:
    """A format tag: the axes in the order of memory, slowest first, then the blocks as pairs of axis and size.

    >>> print(Tag((0, 2, 3, 1)), Tag((0, 1, 2, 3), ((1, 16),)))
    acdb aBcd16b
    """

    outer: tuple[int, ...]
    inner: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        outer, pairs = integers(self.outer), listed(self.inner)
        inner = () if pairs is None else tuple(integers(pair) for pair in pairs)
        valid = outer is not None and sorted(outer) == list(range(len(outer))) and 0 < len(outer) <= MOST_AXES >= len(inner)
        valid = valid and pairs is not None and all(pair and len(pair) == 2 for pair in inner)
        if not valid or not all(axis in outer and 1 < size <= MOST_BLOCK for axis, size in inner):  # type: ignore[misc, operator]
            raise LayoutError(
                f"outer={shown(self.outer)} and inner={shown(self.inner)} are no format tag: it has the axes from 0 in some order, "
                f"{MOST_AXES} at most, and as many pairs of an axis and a size of 2 to {MOST_BLOCK}"
            )
        object.__setattr__(self, "outer", outer)
        object.__setattr__(self, "inner", inner)

    @property
    def blocked(self) -> Blocked:
        """The dimensions that the tag lists."""
        return Blocked((*map(Block, self.outer), *(Block(*block) for block in self.inner)))

    def bind(self, shape: Sequence[int] | None = None) -> Layout:
        """The layout of an array of this shape; raises ``ShapeError`` for a shape of another rank, or none.

        >>> Tag((1, 0), ((1, 4),)).bind((6, 8))(1, 5)
        29
        """
        return self.blocked.bind(self.checked(shape))

    def checked(self, shape: Sequence[int] | None) -> tuple[int, ...]:
        """The shape, if it has as many dimensions as the tag."""
        return shape_of_rank(shape, len(self.outer), f"format tag {self}")

    def __str__(self) -> str:
        cut = {axis for axis, _ in self.inner}
        outer = (ascii_lowercase[axis].upper() if axis in cut else ascii_lowercase[axis] for axis in self.outer)
        return "".join([*outer, *(f"{size}{ascii_lowercase[axis]}" for axis, size in self.inner)])


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory descriptor as the verbose log prints it: a data type, a tag, and strides where the outer dimensions lie apart.

    >>> print(Memory("bf16", Tag((0, 1)), (16, 1)))
    bf16::blocked:ab:16x1:f0
    >>> Memory("bf16", Tag((0, 1)), (16, 1)).bind((2, 3)).slots
    32
    """

    data_type: str
    tag: Tag
    strides: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.data_type, str) or self.data_type not in DATA_TYPES:
            raise LayoutError(f"{shown(self.data_type)} is no data type of oneDNN; they are {', '.join(DATA_TYPES)}")
        if not isinstance(self.tag, Tag):
            raise LayoutError(f"tag={shown(self.tag)} is no onednn.Tag; text is read by onednn.parse")
        if self.strides is None:
            return
        strides = integers(self.strides)
        if strides is None or len(strides) != len(self.tag.outer) or min(strides) < 0:
            raise LayoutError(
                f"strides={shown(self.strides)} do not go with {self.tag}: give one for each of its {len(self.tag.outer)} axes, 0 or more"
            )
        object.__setattr__(self, "strides", strides)

    def bind(self, shape: Sequence[int] | None = None) -> Layout:
        """The layout of an array of this shape, with the data type as its element."""
        extents, element = self.tag.checked(shape), DATA_TYPES[self.data_type]
        if self.strides is None:
            return self.tag.blocked.bind(extents, element)
        dims = self.tag.blocked.dims(moves.axes(extents))
        outer, inner = dims[: len(extents)], dims[len(extents) :]
        block = checked_product((dim.radix for dim in inner), "slots of a block")
        digits = [Digit(d.source, d.divisor, d.radix, self.strides[axis]) for axis, d in zip(self.tag.outer, outer, strict=True)]
        within = moves.compact(extents, inner).digits if block else ()
        spans = (d.radix * (self.strides[axis] if d.radix > 1 else 1) for axis, d in zip(self.tag.outer, outer, strict=True))
        slots = 0 if 0 in extents else max(block, *spans)
        return Layout(extents, (*digits, *within), slots=slots, element=element)

    def __str__(self) -> str:
        return f"{self.data_type}::blocked:{self.tag}:{'x'.join(map(str, self.strides or ()))}:f0"
