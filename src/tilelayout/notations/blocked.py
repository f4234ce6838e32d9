"""Blocked layouts, the idea that oneDNN's format tags, TVM's layout strings and MLIR's ``linalg.pack`` share.

Blocks are cut from an axis, fastest first; what is left of it counts its blocks. The buffer is a row-major array of all of
these dimensions, in any order in which the blocks of one axis come slowest first. An axis is padded to whole blocks.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import NamedTuple

from .. import moves
from ..digits import Layout
from ..elements import Element
from ..places import Place, chains, places, refusal
from ..radix import divisors, plain
from ..sizes import MOST_SLOTS

#: How far the least divisors of a block are looked for.
_MOST_DIVISORS = 1 << 16


class Block(NamedTuple):
    """A dimension of the buffer: a block of ``size`` of an axis, or, without a size, the number of the axis's blocks."""

    axis: int
    size: int | None = None


class Blocked(NamedTuple):
    """The dimensions of a blocked buffer, slowest first; each axis is there once without a size.

    >>> Blocked((Block(1), Block(0), Block(1, 4))).bind((6, 8)).offsets()[1].tolist()
    [4, 5, 6, 7, 28, 29, 30, 31]
    """

    blocks: tuple[Block, ...]

    @property
    def outer(self) -> tuple[int, ...]:
        """The axes in the order in which their blocks are counted, slowest first."""
        return tuple(block.axis for block in self.blocks if block.size is None)

    @property
    def inner(self) -> tuple[tuple[int, int], ...]:
        """The blocks as pairs of axis and size, slowest first."""
        return tuple((block.axis, block.size) for block in self.blocks if block.size is not None)

    def dims(self, source: moves.Dims) -> moves.Dims:
        """The dimensions of the buffer when the axes are these."""
        whole, result = list(source), []
        cut = [_cut(whole, block) for block in reversed(self.blocks)]
        for block, piece in zip(self.blocks, reversed(cut), strict=True):
            result.append(whole[block.axis] if piece is None else piece)
        return tuple(result)

    def bind(self, shape: Sequence[int], element: Element | None = None) -> Layout:
        """The layout of an array of this shape."""
        return moves.compact(shape, self.dims(moves.axes(shape)), element=element)


def _cut(whole: list[moves.Dim], block: Block) -> moves.Dim | None:
    if block.size is None:
        return None
    whole[block.axis], piece = moves.split((whole[block.axis],), 0, block.size)
    return piece


def express(layout: Layout, language: str, *, outer_first: bool = True, most: int = MOST_SLOTS) -> Blocked:
    """The blocks of a layout, as few as there can be; with ``outer_first``, all numbers of blocks come before all blocks.

    A block longer than ``most`` is one only where it has no divisors that are not.

    >>> import tilelayout as tl
    >>> found = express(tl.layout("{1,0:T(8,128)}", (20, 300)), "blocks")
    >>> found.outer, found.inner
    ((0, 1), ((0, 8), (1, 128)))

    Room that no element uses is that of blocks longer than what is left of their axis. Raises ``NotExpressible``, in the name of the
    language, where some room can be no block's, or the digits of an axis lie in another order.
    """
    if not layout.size:
        if layout.slots:
            raise refusal(language, layout, "an array without elements has no slots there")
        return Blocked(tuple(map(Block, range(layout.ndim))))
    return _Finder(layout, language, outer_first, most).found()


class _Finder:
    """The places of a layout, and which of them are blocks.

    Nothing is tried out: the leading places that are the highest digits of their axes, without room to spare, count blocks, and more of
    them would leave fewer axes to give blocks to. Spare room at the highest digit of an axis makes that block longer; anywhere else it is
    an empty block of an axis that has ended, and which one does not matter.
    """

    def __init__(self, layout: Layout, language: str, outer_first: bool, most: int) -> None:
        self.layout, self.language, self.outer_first, self.most = layout, language, outer_first, most
        self.places = places(layout, language)
        #: The place of each axis's highest digit, and the places of each axis, by position.
        self.tops = {chain[-1].axis: self.places.index(chain[-1]) for chain in chains(self.places, layout.ndim) if chain}
        self.positions = {axis: [k for k, place in enumerate(self.places) if place.axis == axis] for axis in range(layout.ndim)}
        self.leading = next((k for k, place in enumerate(self.places) if not self._is_exact_top(k, place)), len(self.places))
        self._check_order()
        self._check_end()
        #: The axes that are a single block, or several, and so may have further, empty ones.
        self.closed = {axis for axis, top in self.tops.items() if self._may_be_blocks(axis) and self._must_be_block(top)}

    def found(self) -> Blocked:
        hosts = {k: self._host(k, excess) for k in range(len(self.places)) if (excess := self._excess(k)) > 1}
        least = self.places[-1].digit.stride if self.places else self.layout.slots
        last = [Block(self._host(len(self.places), least), least)] if least > 1 else []
        self.closed |= {axis for axis in hosts.values() if axis in self.tops}
        result: list[Block] = []
        for k, place in enumerate(self.places):
            if k in hosts:
                result.append(Block(hosts[k], self._excess(k)))
            result += self._blocks(k, place, hosts.values())
        short = [piece for block in (*result, *last) for piece in _short(block, self.most)]
        return Blocked(tuple(_completed(short, self.layout.ndim)))

    def _blocks(self, k: int, place: Place, hosts: Collection[int]) -> list[Block]:
        axis, radix = place.axis, place.digit.radix
        if k != self.tops[axis]:
            return [Block(axis, radix)]
        if axis not in self.closed:
            return [Block(axis)]
        size = _customary(radix, place.room, self.most)
        if size == place.room or axis in hosts or (self.outer_first and k > self.leading):
            return [Block(axis, place.room)]
        return [Block(axis), Block(axis, size)]

    def _is_exact_top(self, k: int, place: Place) -> bool:
        return k == self.tops[place.axis] and place.room == place.digit.radix

    def _must_be_block(self, top: int) -> bool:
        return top >= self.leading if self.outer_first else not self._is_exact_top(top, self.places[top])

    def _may_be_blocks(self, axis: int) -> bool:
        """Whether all digits of the axis can be blocks: the highest one is the slowest."""
        return axis not in self.tops or self.tops[axis] == self.positions[axis][0]

    def _excess(self, k: int) -> int:
        """The room at a place that no block of its own axis can have, as a factor."""
        place = self.places[k]
        if k == self.tops[place.axis] and place.axis in self.closed:
            return 1
        factor, rest = divmod(place.room, place.digit.radix)
        if rest:
            raise self._refusal(f"it counts {place.digit.radix} steps and has room for {place.room}, no whole number of times as many", k)
        return factor

    def _host(self, k: int, excess: int) -> int:
        """An axis that may have an empty block slower than place ``k``: all its digits are blocks, and faster."""
        shape = self.layout.shape
        able = [axis for axis in range(len(shape)) if self._may_be_blocks(axis) and all(at > k for at in self.positions[axis])]
        if not able:
            raise self._refusal(f"there is room for {excess} times what lies there, and no axis ends below it whose block that could be", k)
        return min(able, key=lambda axis: (axis not in self.closed, shape[axis] != 1))

    def _check_order(self) -> None:
        for axis, positions in self.positions.items():
            kept = [k for k in positions if self.outer_first or k != self.tops[axis]]
            for slow, fast in pairwise(kept):
                low, high = self.places[slow].digit, self.places[fast].digit
                if low.divisor < high.divisor:
                    raise self._refusal(f"it is slower than {plain(high)}, and blocks of an axis lie highest divisor first", slow)

    def _check_end(self) -> None:
        if self.places and (rest := self.layout.slots % self.places[0].digit.stride):
            raise self._refusal(f"{rest} of the {self.layout.slots} slots are over at the end", 0)

    def _refusal(self, why: str, k: int) -> Exception:
        digit = self.places[min(k, len(self.places) - 1)].digit if self.places else None
        return refusal(self.language, self.layout, why, digit)


def _customary(radix: int, room: int, most: int) -> int:
    """The size of the blocks when ``radix`` steps are padded to ``room``: a power of two if one will do, else a single block.

    Of those that may not be longer than ``most`` it is the shortest that will do.
    """
    size = room & -room
    if 1 < size <= most and room - size < radix:
        return size
    return room if room <= most else next((part for part in divisors(room, _MOST_DIVISORS) if room - radix < part <= most), room)


def _short(block: Block, most: int) -> list[Block]:
    """The block, or several of the same axis that lie as it does and are no longer than ``most``, if there are any."""
    if block.size is None or block.size <= most:
        return [block]
    size = max(part for part in divisors(block.size, _MOST_DIVISORS) if part <= most)
    return [*_short(Block(block.axis, block.size // size), most), Block(block.axis, size)] if size > 1 else [block]


def _completed(blocks: list[Block], ndim: int) -> list[Block]:
    """The blocks with those axes that have a single one, each in its natural place."""
    for axis in range(ndim):
        if Block(axis) not in blocks:
            blocks.insert(blocks.index(Block(axis - 1)) + 1 if axis else 0, Block(axis))
    return blocks
