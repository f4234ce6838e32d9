"""Tiles: what places hold, one step behind the other, and how that is fitted to a shape."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Self

from ...bitwise import bits
from ...errors import ShapeError
from .layout import DISTRIBUTED, MOST_BITS, Basis, LinearLayout


class Tile:
    """The bases of a part of an array, from which those of the whole are made: every attribute is a few such steps.

    >>> tile = Tile((1, 0)).along("register", 1, 2).along("lane", 0, 4)
    >>> print(tile.fitted((4, 8)))
    #ttg.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0]], warp = [], block = []}>

    ``order`` are the axes in the order in which the first kind of place goes on where the array is larger than the tile.
    """

    __slots__ = ("held", "order", "sizes")

    def __init__(self, order: Iterable[int], kinds: Sequence[str] = DISTRIBUTED[:-1]) -> None:
        self.order = tuple(order)
        self.sizes = [1] * len(self.order)
        self.held: dict[str, list[Basis]] = {kind: [] for kind in kinds}

    def hold(self, kind: str, basis: Basis) -> Self:
        """The next bit of a kind of place, with its basis."""
        if sum(map(len, self.held.values())) == MOST_BITS:
            raise ShapeError(f"the places of a layout's tile take more than {MOST_BITS} bits to number, which are the most that are read")
        self.held[kind].append(basis)
        self.sizes = [max(size, 1 << step.bit_length()) for size, step in zip(self.sizes, basis, strict=True)]
        return self

    def along(self, kind: str, axis: int, count: int) -> Self:
        """So many places side by side on an axis, behind what the tile has there."""
        for _ in range(count.bit_length() - 1):
            self.hold(kind, tuple(self.sizes[axis] if k == axis else 0 for k in range(len(self.sizes))))
        return self

    def copies(self, kind: str, count: int) -> Self:
        """So many places that hold the same."""
        for _ in range(count.bit_length() - 1):
            self.hold(kind, (0,) * len(self.sizes))
        return self

    def spread(self, kind: str, counts: Sequence[int], order: Iterable[int], copied: int | None = None) -> Self:
        """Places on each axis, in an order of the axes; those of the axis ``copied`` hold the same."""
        for axis in order:
            if axis == copied:
                self.copies(kind, counts[axis])
            else:
                self.along(kind, axis, counts[axis])
        return self

    def fitted(self, shape: Sequence[int], blocks: Sequence[Basis] = (), *, spare: bool = True, alignment: int = 16) -> LinearLayout:
        """The linear layout of a whole array, which is cut into blocks before it is filled with the tile.

        Where the array is smaller than the tile, places hold copies; registers that would are left out unless they are ``spare``.
        """
        within = per_block(shape, blocks)
        first = next(iter(self.held))
        for axis in self.order:
            self.along(first, axis, within[axis] // self.sizes[axis])
        held = {kind: tuple(cut(basis, within) for basis in bases) for kind, bases in self.held.items()}
        if not spare:
            held["register"] = tuple(basis for basis in held["register"] if any(basis))
        cuts = tuple(tuple(step * size for step, size in zip(cut(basis, shape), within, strict=True)) for basis in blocks)
        held["block"] = (*held.get("block", ()), *cuts)
        return LinearLayout(tuple(held.items()), alignment, len(shape))


def per_block(shape: Sequence[int], blocks: Sequence[Basis]) -> tuple[int, ...]:
    """The part of a shape that one of the blocks has.

    >>> per_block((64, 64), ((1, 0), (2, 0), (0, 1)))
    (16, 32)
    """
    reached = [1 << max((basis[axis].bit_length() for basis in blocks), default=0) for axis in range(len(shape))]
    return tuple(extent // min(extent, size) for extent, size in zip(shape, reached, strict=True))


def without(blocks: tuple[Basis, ...], axis: int) -> tuple[Basis, ...]:
    """The bases of blocks that share out no part of an axis."""
    return tuple((*basis[:axis], 0, *basis[axis + 1 :]) for basis in blocks)


def cut(basis: Basis, shape: Sequence[int]) -> Basis:
    """The basis without steps that lead out of the shape."""
    return tuple(step if step < extent else 0 for step, extent in zip(basis, shape, strict=True))


def unflattened(number: int, shape: Sequence[int], order: Iterable[int]) -> Basis:
    """The coordinates of an element that has this number where the axes are counted in an order, fastest first.

    >>> unflattened(6, (4, 4), (1, 0))
    (1, 2)
    """
    found = [0] * len(shape)
    places = [(axis, 1 << bit) for axis in order for bit in range(shape[axis].bit_length() - 1)]
    for bit in bits(number):
        axis, step = places[bit]
        found[axis] |= step
    return tuple(found)


def row_major(rank: int) -> tuple[int, ...]:
    """The axes, the last of them fastest."""
    return tuple(reversed(range(rank)))
