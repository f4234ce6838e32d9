"""A layout as a network of registers: what the index kernel runs, forwards to slots and backwards to coordinates.

The registers are the array's axes, then every sum that is read as a whole, then the slot. Forwards a sum is the XOR of bits of
other registers, moved, plus a constant and quotients of other registers, each times a weight. Sums that only move and XOR bits, as
a swizzle does, are nothing else, and take no registers for the sums within them. Backwards each register, from the slot down, gives
its sources by the inverse of that XOR, or is taken apart by falling stride, which a digit that runs backwards has as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ._kernels.index import Network
from .bitwise import Inverse, Moves, bits, inverse, ones, summed
from .cached import cached_property
from .radix import Digit, Source, extent, fitting_radix


class Part(NamedTuple):
    """A digit as the way back sees it: what one ``stride`` of the target is worth in the register ``source``."""

    source: int
    divisor: int
    radix: int
    stride: int


class Move(NamedTuple):
    """Bits on their way: those of the source, so many places to the left, flip those of the target that the mask has."""

    source: int
    target: int
    left: int
    mask: int


class Quotient(NamedTuple):
    """What the way there adds to a register: ``weight * (source // divisor)``."""

    source: int
    divisor: int
    weight: int


#: A power of two that no coordinate reaches.
BEYOND = 2**63
#: Bits of the widest register.
MOST_BITS = 63


class Wiring:
    """The registers of a layout and what is between them, in plain Python.

    With ``through`` the bits of a sum are read from what it is made of, past the register that other digits may need them in.
    """

    def __init__(self, shape: Sequence[int], digits: tuple[Digit, ...], slots: int, *, through: bool = True) -> None:
        self.shape, self.slots, self.through = shape, slots, through
        self.number: dict[Source, int] = {axis: axis for axis in range(len(shape))}
        self.extents: list[int] = list(shape)
        self.constants: list[int] = [0] * len(shape)
        self.sums: list[tuple[Digit, ...]] = [() for _ in shape]
        self.parts: list[list[Part] | None] = [[] for _ in shape]
        self.read: dict[tuple[Source, int], Moves] = {}
        self.slot = self._add(() if 0 in shape else digits)

    def _add(self, source: tuple[Digit, ...]) -> int:
        """A new register; without parts where these would be of sums that it does not need, as it is made of bits."""
        is_plain = not any(isinstance(digit.axis, tuple) for digit in source)
        moves, parts = self._moves(source), None  # what these read comes before it, for the slot is the last register
        if is_plain or not self.through or moves is None:
            counting = (d for d in source if d.axis is not None and fitting_radix(d, self.shape) > 1)
            parts = sorted(map(self._part, counting), key=lambda part: -abs(part.stride))
        self.sums.append(source)
        self.extents.append(extent(source, self.shape))
        self.constants.append(sum(d.stride for d in source if d.axis is None))
        self.parts.append(parts)
        return len(self.extents) - 1

    def _moves(self, source: tuple[Digit, ...]) -> Moves | None:
        return summed(source, self.shape, (extent(source, self.shape) - 1).bit_length(), self._read)

    def _part(self, digit: Digit) -> Part:
        return Part(self._register(digit.axis), digit.divisor, fitting_radix(digit, self.shape), digit.stride)

    def _register(self, source: Source) -> int:
        if source not in self.number and isinstance(source, tuple):
            self.number[source] = self._add(source)
        return self.number[source]

    def _read(self, source: Source, width: int) -> Moves | None:
        """The bits of an axis, or of a sum: of what it is made of, or else of its register."""
        if source is None:
            return None
        if (source, width) not in self.read:
            found = summed(source, self.shape, width, self._read) if self.through and isinstance(source, tuple) else None
            if found is None:
                register = self._register(source)
                found = {(register, 0): ones(self.extents[register], width)}
            self.read[source, width] = found
        return self.read[source, width]

    @cached_property
    def moves(self) -> list[Moves | None]:
        """The bits that make each register, None where it is not made of bits."""
        return [self._moves(source) for source in self.sums]

    @cached_property
    def inverses(self) -> list[Inverse | None]:
        """The way back through each register of bits that move."""
        return [inverse(found, self._width(register)) if found else None for register, found in enumerate(self.moves)]

    def _width(self, register: int) -> int:
        return ((self.slots if register == self.slot else self.extents[register]) - 1).bit_length()

    @cached_property
    def is_reversible(self) -> bool:
        """Whether a slot can be taken apart register by register: it gives every digit, and the digits give every coordinate."""
        return 0 in self.shape or self._gives_all(by_bits=False) or self._gives_all(by_bits=True)

    def _gives_all(self, *, by_bits: bool) -> bool:
        """Whether registers give all of their sources, each once; those of bits that move digit by digit where that is told sooner."""
        given: dict[int, list[tuple[int, int]]] = {}
        for register, parts in enumerate(self.parts):
            falls_apart = parts is not None and _falls_apart(parts)
            if (by_bits or not falls_apart) and (back := self.inverses[register]):
                pieces = [(source, 1 << bit, 2) for source, bit, _ in back.found]
            elif falls_apart:
                pieces = [(part.source, part.divisor, part.radix) for part in parts or ()]
            else:
                return False
            for source, divisor, radix in pieces:
                given.setdefault(source, []).append((divisor, radix))
        return all(_covers(given.get(register, ()), size) for register, size in enumerate(self.extents[: self.slot]))

    def network(self) -> Network:
        """The compiled form; the way back is left out of it where it is not register by register."""
        registers = range(len(self.extents))
        ways = [self._forward(target) for target in registers]
        backs: list[list[Move]] = [[] for _ in registers]
        parts: list[list[Part]] = [[] for _ in registers]
        if self.is_reversible:
            backs = self._backward()
            parts = [[] if back else each or [] for back, each in zip(backs, self.parts, strict=True)]
        moved, added = zip(*ways, strict=True)
        return Network(len(self.shape), self.extents, self.constants, moved, added, backs, parts, self.slots, self.is_reversible)

    def _forward(self, target: int) -> tuple[list[Move], list[Quotient]]:
        """A register's bits in place, where they are bits, and its other digits as quotients.

        Quotients need no remainders, for ``x // d % r`` is ``x // d - r * (x // (d * r))``. Neighbouring digits share them, and one
        beyond the source's extent is 0.
        """
        if (found := self.moves[target]) is not None:
            return [Move(source, target, left, mask) for (source, left), mask in sorted(found.items())], []
        moved: list[Move] = []
        weights: Counter[tuple[int, int]] = Counter()
        taken = 0
        for source, divisor, radix, stride in self.parts[target] or ():
            end = divisor * radix
            if end >= self.extents[source]:
                end = BEYOND
            left = stride.bit_length() - divisor.bit_length()
            mask = (min(end, 1 << self._width(source)) - divisor) * stride // divisor
            if stride > 0 and mask > 0 and not mask & taken and all(map(_is_power_of_two, (divisor, end, stride))):
                moved.append(Move(source, target, left, mask))
                taken |= mask
            else:
                weights[source, divisor] += stride
                weights[source, end] -= stride * radix
        quotients = [
            Quotient(source, divisor, weight) for (source, divisor), weight in sorted(weights.items()) if weight and divisor != BEYOND
        ]
        return sorted(moved), quotients

    def _backward(self) -> list[list[Move]]:
        """How the bits of each register give those of its sources; bits that must be 0 are put above a source's, outside its extent."""
        backs: list[list[Move]] = []
        top = [(size - 1).bit_length() for size in self.extents]
        for register, back in enumerate(self.inverses):
            masks: Moves = {}
            if back and top[first := min(back.found)[0]] + len(back.checks) <= MOST_BITS:
                checks = [(first, top[first] + k, mask) for k, mask in enumerate(back.checks)]
                top[first] += len(checks)
                for source, bit, mask in [*back.found, *checks]:
                    for at in bits(mask):
                        masks[source, bit - at] = masks.get((source, bit - at), 0) | 1 << bit
            backs.append([Move(register, source, left, mask) for (source, left), mask in sorted(masks.items())])
        return backs


def _covers(pieces: Sequence[tuple[int, int]], size: int) -> bool:
    reached = 1
    for divisor, radix in sorted(pieces):
        if divisor != reached:
            return False
        reached *= radix
    return reached >= size


def _falls_apart(parts: Sequence[Part]) -> bool:
    below = 0
    for part in reversed(parts):
        if abs(part.stride) <= below:
            return False
        below += abs(part.stride) * (part.radix - 1)
    return True


def _is_power_of_two(x: int) -> bool:
    return x & (x - 1) == 0
