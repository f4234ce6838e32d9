"""A side of a grid: an axis, its blocks at every level, and which of its coordinates are drawn where they are too many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ..digits import Layout
    from ..radix import Digit


class Level(NamedTuple):
    """How the blocks of a size are numbered, in words, their size, and after how many the numbers begin again."""

    name: str
    size: int
    turn: int | None

    def number(self, block: int) -> int:
        """The number that is written at a block."""
        return block % self.turn if self.turn else block


class Side(NamedTuple):
    """An axis as it is drawn: its size, its size with padding, the sizes of its blocks (largest first), and the coordinates kept.

    The kept coordinates have among them the ends of what is looked at, the first and the last, the last element and the padding next to it,
    what lies beside the ends, both sides of the first and of the last border between blocks of the largest size, and, where there is room,
    all elements and one of every such block.
    A grid has two sides; one without an axis has a single coordinate, which is not written.
    """

    axis: int | None
    size: int
    padded: int
    blocks: tuple[int, ...]
    kept: tuple[int, ...]

    def level(self, position: int) -> int | None:
        """The level of the border before this coordinate, 0 for the largest blocks; None within the smallest."""
        return next((level for level, block in enumerate(self.blocks) if position % block == 0), None)

    @property
    def levels(self) -> list[Level]:
        """What the lines of the head tell: the digits of the blocks from the largest on, then the coordinate itself."""
        if self.axis is None:
            return []
        name, found, above = f"x{self.axis}", [], 0
        for block in self.blocks:
            turn = above // block if above and above % block == 0 else None
            found.append(Level(f"{name}//{block}" + (f"%{turn}" if turn else ""), block, turn))
            above = block
        return [*found, Level(name, 1, None)]

    def like(self, other: Side, most: int) -> Side:
        """The side with the coordinates drawn of another for the same axis, and its own padding; whole where there is room for all."""
        own = {0, self.size - 1, min(self.size, self.padded - 1), self.padded - 1}
        kept = own.union(x for x in other.kept if x < self.size)
        return self if self.padded <= most else self._replace(kept=tuple(sorted(kept)))

    @property
    def left_out(self) -> list[tuple[int, int]]:
        """The first and last of each stretch of coordinates that are not drawn."""
        return [(a + 1, b - 1) for a, b in zip(self.kept, self.kept[1:], strict=False) if b > a + 1]


#: A side that is no axis.
NO_AXIS = Side(None, 1, 1, (), (0,))


def side(layout: Layout, axis: int, padded: int, most: int, wanted: Sequence[int] = ()) -> Side:
    """A side of at most so many coordinates, those that are wanted among them, of which the first two go before all others."""
    size, blocks = layout.shape[axis], block_sizes(layout, axis)
    return Side(axis, size, padded, blocks, _kept(size, padded, blocks, most, wanted))


def block_sizes(layout: Layout, axis: int) -> tuple[int, ...]:
    """The sizes of the blocks that an axis is cut into, largest first: where its digits begin and end.

    >>> import tilelayout as tl
    >>> block_sizes(tl.layout("bf16[16,256]{1,0:T(8,128)(2,1)}"), 0)
    (8, 2)

    Blocks as large as the axis are none. Digits as they were written count, if any read the axis itself: CuTe's nested modes are kept.
    """
    digits = list(_reading(layout.digits, axis)) or list(_reading(layout.canonical, axis))
    sizes = {size for d in digits for size in (d.divisor, d.divisor * d.radix)}
    return tuple(sorted((size for size in sizes if 1 < size < layout.shape[axis]), reverse=True))


def _reading(digits: Iterable[Digit], axis: int) -> Iterator[Digit]:
    return (digit for digit in digits if digit.axis == axis)


def _kept(size: int, padded: int, blocks: tuple[int, ...], most: int, wanted: Sequence[int]) -> tuple[int, ...]:
    if padded <= most:
        return tuple(range(padded))
    marks = [*wanted[:2], 0, padded - 1, size - 1, min(size, padded - 1), *wanted[2:]]
    if blocks:
        last = (size - 1) // blocks[0] * blocks[0]
        marks += [blocks[0] - 1, blocks[0], last - 1, last]
    kept = set(list(dict.fromkeys(mark for mark in marks if 0 <= mark < padded))[:most])
    for many in (range(size), range(0, padded, blocks[0] if blocks else padded)):
        if len(many) < most and len(kept.union(many)) <= most:
            kept.update(many)
    for distance in count(1):
        for neighbour in (m + step for m in marks for step in (distance, -distance)):
            if len(kept) >= most:
                return tuple(sorted(kept))
            if 0 <= neighbour < padded:
                kept.add(neighbour)
    raise AssertionError
