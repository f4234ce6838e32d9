"""What a layout cuts the axes of an array into, and the tiles that this makes."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from .chains import Chain, chains
from .formulas.sums import Formula, sources
from .radix import Digit, Source, extent

if TYPE_CHECKING:
    from .digits import Layout


class Tiles(NamedTuple):
    """Blocks whose elements lie side by side in memory: the extents of one, and how many there are along each axis."""

    extents: tuple[int, ...]
    counts: tuple[int, ...]


def tiles(layout: Layout) -> Tiles | None:
    """The blocks that the axes are cut into, where the slots of each follow each other; None where no axis is cut, or they do not.

    >>> import tilelayout as tl
    >>> tiles(tl.layout("f32[3,5]{1,0:T(2,2)}"))
    Tiles(extents=(2, 2), counts=(2, 3))
    """
    found = chains(layout.digits, layout.shape)
    if found is None or all(len(chain) < 2 for chain in found):
        return None
    outermost = {chain[-1] for chain in found if len(chain) > 1}
    extents = [1] * layout.ndim
    inwards = ((axis, digit) for axis, chain in enumerate(found) for digit in chain)
    for axis, digit in sorted(inwards, key=lambda pair: pair[1].stride):
        if digit in outermost or (digit.divisor, digit.stride) != (extents[axis], prod(extents)):
            break
        extents[axis] *= digit.radix
    if any(n != chain[-1].divisor for chain, n in zip(found, extents, strict=True) if len(chain) > 1):
        return None
    return Tiles(tuple(extents), tuple(prod(digit.radix for digit in chain) // n for chain, n in zip(found, extents, strict=True)))


def told(layout: Layout, formula: Formula) -> Iterator[str]:
    """What is cut or filled up of the axes, and of the sums that are read in place of one, and what that makes, a line each.

    >>> import tilelayout as tl
    >>> layout = tl.layout("bf16[13,256]{1,0:T(8,128)(2,1)}")
    >>> print("\\n".join(told(layout, Formula(layout))))
    axis 0 is cut into 2 blocks of 8, each of these into 4 of 2; for these it is filled up from 13 to 16
    axis 1 is cut into 2 blocks of 128
    this makes 2 x 2 = 4 tiles of 8,128, each of 1024 slots side by side
    """
    for source, digits in _readings(layout).items():
        size = extent(source, layout.shape)
        end = max((digit.divisor * digit.radix for digit in digits), default=0)
        if isinstance(source, tuple) and end < size:
            continue  # only the low part is read, as of the sums that stand for an exclusive or
        (chain,) = chains(digits, (size,)) or ((),)
        if not digits and size > 1:
            yield f"{called(source, formula)} is read by no digit: elements that differ in it alone share a slot"
        elif len(chain) > 1:
            filled = f"; for these it is filled up from {size} to {end}" if end > size else ""
            yield f"{called(source, formula)} is cut into {_blocks(chain)}{filled}"
        elif end > size:
            yield f"{called(source, formula)} is filled up from {size} to {end}"
    made = tiles(layout)
    if made:
        number, extents = " x ".join(map(str, made.counts)), ",".join(map(str, made.extents))
        total = f" = {prod(made.counts)}" if len(made.counts) > 1 else ""
        yield f"this makes {number}{total} tiles of {extents}, each of {prod(made.extents)} slots side by side"


def called(source: Source, formula: Formula) -> str:
    """What the words call an axis or a sum."""
    return f"axis {source}" if isinstance(source, int) else formula.names[source]


def _readings(layout: Layout) -> dict[Source, list[Digit]]:
    """What is read of each axis and sum, each part once, as digits of an axis 0."""
    found: dict[Source, dict[Digit, None]] = {axis: {} for axis in range(layout.ndim)}
    for digit in (*layout.digits, *(inner for source in sources(layout.digits) for inner in source)):
        if digit.axis not in ((), None):
            found.setdefault(digit.axis, {})[Digit(0, digit.divisor, digit.radix, 1)] = None
    return {source: list(digits) for source, digits in found.items()}


def _blocks(chain: Chain) -> str:
    outermost, *within = reversed(chain[1:])
    return f"{outermost.radix} blocks of {outermost.divisor}" + "".join(f", each of these into {d.radix} of {d.divisor}" for d in within)
