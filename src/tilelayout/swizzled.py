"""Copies between layouts that XOR bits: for every value of some bits of the coordinates, loops as any others.

Where a bit of the slot is the XOR of several bits of the coordinates, one of them moves, and the others turn it: while these stay
as they are, the step of the first is what it would be without them, or back by as much. So a swizzle of three bits is eight copies
of an eighth each, of the same loops, some of which run backwards on one side.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, product
from typing import NamedTuple, TypeAlias

from . import bitwise
from ._kernels.loops import NOTHING, Loop, joined
from ._kernels.steps import CopyInSteps
from .joining import canonical
from .loops import Fields
from .radix import Digit, Source
from .twosteps import ROWS, Order, blocks, copy_of

#: Bits that may stay as they are, at the most: each doubles the number of copies.
MOST_TURNING = 5

#: A bit of an axis; or the one after the last by which the axis can be halved, which stands for all that is left of the coordinate.
Bit: TypeAlias = tuple[int, int]


class Walk(NamedTuple):
    """Loops, and the bytes on both sides from which they begin."""

    loops: list[Loop]
    source: int
    target: int


class Side(NamedTuple):
    """A side of a copy, in bytes from ``start`` on: what each bit adds, and what is added where an odd number of several bits is set."""

    start: int
    steps: dict[Bit, int]
    parities: list[tuple[frozenset[Bit], int]]

    def turning(self) -> set[Bit]:
        """The bits that turn others: of those that are XORed all but the one that has the fewest other uses, which moves."""
        uses = {bit: sum(bit in bits for bits, _ in self.parities) + bool(step) for bit, step in self.steps.items()}
        return {bit for bits, _ in self.parities for bit in sorted(bits, key=lambda bit: (uses[bit], bit))[1:]}

    def at(self, held: frozenset[Bit]) -> int:
        """The byte of the element whose coordinates have these bits set, and no others."""
        return self.start + sum(self.steps[bit] for bit in held) + sum(stride for bits, stride in self.parities if len(bits & held) % 2)

    def step(self, bit: Bit, held: frozenset[Bit]) -> int:
        """What is added to that if one more bit is set."""
        return self.steps[bit] + sum(-stride if len(bits & held) % 2 else stride for bits, stride in self.parities if bit in bits)


def walks(shape: Sequence[int], source: Sequence[Fields], target: Sequence[Fields]) -> list[Walk] | None:
    """Loops that between them walk every element from its place to its other; None where digits do more than to move and to XOR bits.

    >>> swizzled = [Digit(0, 2, 2, 2), Digit((Digit(0, 1, 2, 1), Digit(0, 2, 2, 1)), 1, 2, 1)]
    >>> for walk in walks((4,), [Digit(0, 1, 4, 1)], swizzled):
    ...     print(walk.source, walk.target, *((loop.n, loop.source, loop.target) for loop in walk.loops))
    0 0 (2, 1, 1)
    3 2 (2, -1, 1)
    """
    numbers = {(axis, bit): n for axis, size in enumerate(shape) for bit, n in _bits(size)}
    read, written = _side(source, shape, numbers), _side(target, shape, numbers)
    if read is None or written is None:
        return None
    turning = sorted(read.turning() | written.turning())
    if len(turning) > MOST_TURNING or any(numbers[bit] > 2 for bit in turning):
        return None
    moving = [bit for bit in numbers if bit not in turning]
    return [_walk(read, written, moving, numbers, held) for held in _choices(turning)]


def in_turns(found: Sequence[Walk], width: int, *, is_large: bool) -> CopyInSteps:
    """The copy that goes all of these ways, block by block, so that what lies together is read and written at about the same time."""
    alike = [len({(loop.source, loop.target) for loop in loops}) == 1 for loops in zip(*(walk.loops for walk in found), strict=True)]
    fixed = joined(list(compress(found[0].loops, alike)))
    turned = [list(compress(walk.loops, [not is_alike for is_alike in alike])) for walk in found]
    per = blocks(Order(turned[0], len(turned[0])), [*fixed, *turned[0]], width, ROWS[0])
    inner = [loop.replaced(n=per[loop]) for loop in fixed]
    outer = [(loop.n, per[loop], loop.source, loop.target) for loop in fixed if per[loop] < loop.n]
    steps = [
        (copy_of(joined([*inner, *loops]), width, (walk.source, walk.target), is_large=is_large), False, False)
        for walk, loops in zip(found, turned, strict=True)
    ]
    return CopyInSteps(steps, 0, outer)


def _bits(size: int) -> Iterator[tuple[int, int]]:
    """The bits by which an axis can be halved, with how many values they have; and what is left of it behind them."""
    bit = 0
    while size % 2 == 0 and size:
        yield bit, 2
        size, bit = size // 2, bit + 1
    if size > 1:
        yield bit, size


def _choices(bits: Sequence[Bit]) -> Iterator[frozenset[Bit]]:
    """Which of these bits may be set."""
    for are_set in product((False, True), repeat=len(bits)):
        yield frozenset(compress(bits, are_set))


def _walk(read: Side, written: Side, moving: Iterable[Bit], numbers: dict[Bit, int], held: frozenset[Bit]) -> Walk:
    """The loops where these bits are set, and no other of those that turn some; none of them runs backwards in the target."""
    loops = []
    source, target = read.at(held), written.at(held)
    for bit in moving:
        n, from_, to = numbers[bit], read.step(bit, held), written.step(bit, held)
        if to < 0:
            source, target, from_, to = source + from_ * (n - 1), target + to * (n - 1), -from_, -to
        loops.append(NOTHING.replaced(n=n, source=from_, target=to))
    return Walk(loops, source, target)


def _side(digits: Iterable[Fields], shape: Sequence[int], numbers: dict[Bit, int]) -> Side | None:
    """What each bit does on one side; None where they do more than to move and to XOR bits."""
    side = Side(0, dict.fromkeys(numbers, 0), [])
    for axis, divisor, radix, stride in canonical([Digit(*fields) for fields in digits], shape):
        if axis is None:
            side = side._replace(start=side.start + stride)
            continue
        found = _of_axis(axis, divisor, radix, shape, numbers) if isinstance(axis, int) else _of_sum(axis, divisor, radix, shape, numbers)
        if found is None:
            return None
        for bits, times in found:
            if len(bits) == 1:
                side.steps[next(iter(bits))] += times * stride
            elif bits:
                side.parities.append((bits, times * stride))
    return side


def _of_axis(axis: int, divisor: int, radix: int, shape: Sequence[int], numbers: dict[Bit, int]) -> list[tuple[frozenset[Bit], int]] | None:
    """The bits that a digit of an axis is made of, and how many of its steps each is; None where the digit ends amid one."""
    end = min(divisor * radix, shape[axis])
    found = []
    for bit, n in numbers.items():
        if bit[0] == axis and divisor < (n << bit[1]) and 1 << bit[1] < end:
            if (1 << bit[1]) % divisor or n << bit[1] > end:
                return None
            found.append((frozenset([bit]), (1 << bit[1]) // divisor))
    return found


def _of_sum(
    terms: tuple[Digit, ...], divisor: int, radix: int, shape: Sequence[int], numbers: dict[Bit, int]
) -> list[tuple[frozenset[Bit], int]] | None:
    """The bits of which each bit of a digit of a sum is the XOR, with its value; None where the sum carries."""

    def read(source: Source, width: int) -> bitwise.Moves | None:
        if isinstance(source, tuple):
            return bitwise.summed([term for term in source if term.stride % (1 << width)], shape, width, read)
        return None if source is None else {(source, 0): bitwise.ones(shape[source], width)}

    end = divisor * radix
    if divisor.bit_count() != 1 or end.bit_count() != 1:
        return None
    moves = read(terms, end.bit_length() - 1)
    if moves is None:
        return None
    found = []
    for place in range(divisor.bit_length() - 1, end.bit_length() - 1):
        bits = frozenset((axis, place - left) for (axis, left), mask in moves.items() if isinstance(axis, int) and mask >> place & 1)
        if any(numbers.get(bit) != 2 for bit in bits):
            return None
        found.append((bits, (1 << place) // divisor))
    return found
