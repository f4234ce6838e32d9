"""From CuTe's layouts to digits, the core's form of all layouts.

The logical array has one axis for each mode at the top. A leaf ``s:d`` of a mode is the digit ``x // divisor % s`` times ``d``,
the divisor being the product of the leaves to its left. What a composed layout puts in front of another becomes a sum that
digits read; a bit that a swizzle folds another into is their sum, modulo 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any, TypeAlias

from ..digits import Layout
from ..errors import LayoutError, ShapeError, shown
from ..joining import canonical
from ..radix import Digit, constant, evaluate, extent, fitting_radix, reach
from ..sizes import checked_shape
from .basis import E
from .tuples import IntTuple, Path, leaves, product

Digits: TypeAlias = tuple[Digit, ...]
#: What a layout leads to: a sum of digits for each path of a coordinate, or for the empty path where it is an offset.
Sums: TypeAlias = Mapping[Path, Digits]

#: The most elements among which the least offset is looked for, one by one.
MOST_LOOKED_AT = 1 << 20


def axes_of(shape: IntTuple) -> tuple[int, ...]:
    """The extents of the logical array: the sizes of the modes at the top.

    >>> axes_of((4, (2, 4))), axes_of(8)
    ((4, 8), (8,))
    """
    return tuple(map(product, shape)) if isinstance(shape, tuple) else (shape,)


def sums_of(shape: IntTuple, flat: Sequence[tuple[int, Any]]) -> Sums:
    """The sums of a layout, from its shape and the pairs of extent and stride of its leaves.

    >>> sums_of((4, (2, 4)), ((4, 2), (2, 1), (4, 8)))[()]
    (Digit(axis=0, divisor=1, radix=4, stride=2), Digit(axis=1, divisor=1, radix=2, stride=1), Digit(axis=1, divisor=2, radix=4, stride=8))
    """
    sums: dict[Path, Digits] = {}
    for (axis, divisor), (size, stride) in zip(_places(shape), flat, strict=True):
        path, value = ((), stride) if isinstance(stride, int) else (stride.path, stride.value)
        sums[path] = (*sums.get(path, ()), *([Digit(axis, divisor, size, value)] if size > 1 else []))
    return sums


def shifted(sums: Sums, offset: IntTuple, path: Path = ()) -> Sums:
    """The sums with an offset added."""
    if isinstance(offset, tuple):
        for mode, part in enumerate(offset):
            sums = shifted(sums, part, (*path, mode))
        return sums
    return {**sums, path: (*sums.get(path, ()), constant(offset))} if offset else sums


def swizzled(sums: Sums, source_mask: int, target_mask: int, axes: Sequence[int]) -> Sums:
    """The sums after a swizzle that folds the bits of one mask into those of the other."""
    offset = sums.get((), ())
    first, last = (target_mask & -target_mask).bit_length() - 1, target_mask.bit_length()
    shift = source_mask.bit_length() - last
    if not target_mask:
        return sums
    below = [Digit(offset, 1, 1 << first, 1)] if first else []
    folded = [Digit((Digit(offset, 1 << bit, 2, 1), Digit(offset, 1 << bit + shift, 2, 1)), 1, 2, 1 << bit) for bit in range(first, last)]
    above = Digit(offset, 1 << last, -(-extent(offset, axes) >> last) or 1, 1 << last)
    return {(): (*below, *folded, above)}


def followed(sums: Sums, shape: IntTuple, stride: Any, axes: Sequence[int], path: Path = ()) -> Digits:
    """The digits of the layout ``shape:stride`` at the coordinate that the sums lead to; the last leaf has no end."""
    if isinstance(shape, tuple) and (path not in sums or _says_nothing(sums, path)):
        parts = zip(shape, stride, strict=True)
        return tuple(d for mode, part in enumerate(parts) for d in followed(sums, *part, axes, (*path, mode)))
    source = sums.get(path, ())
    flat = list(zip(leaves(shape), leaves(stride), strict=True))
    for _, step in flat:
        if not isinstance(step, int):
            raise LayoutError(f"stride {step} leads to coordinates; slots take a layout whose outermost strides are integers")
    low, high = reach(source, axes)
    if not flat and (low or high):
        raise LayoutError(f"():() has the one coordinate 0, and is led from {low} to {high}; it takes a layout of zeros")
    even = _even_stride(flat, max(-low, high)) if low < 0 else None
    if even is not None:
        return tuple(digit._replace(stride=digit.stride * even) for digit in source)
    digits, divisor = [], 1
    for k, (size, step) in enumerate(flat):
        radix = size if k + 1 < len(flat) else max(1, -(-extent(source, axes) // divisor))
        digits.append(Digit(source, divisor, radix, step))
        divisor *= size
    return tuple(digits)


def _even_stride(flat: Sequence[tuple[int, int]], far: int) -> int | None:
    """The stride that leaves have together as far as that from 0, backwards too; None where they go on unevenly.

    >>> _even_stride([(4, 2), (3, 8), (2, 1)], 11), _even_stride([(4, 2), (3, 8), (2, 1)], 12)
    (2, None)
    """
    even, divisor = flat[0][1], 1
    for k, (size, step) in enumerate(flat):
        if divisor > far:
            break
        if size > 1 or k + 1 == len(flat):
            even = step if divisor == 1 else even
            if step != even * divisor:
                return None
        divisor *= size
    return even


def _says_nothing(sums: Sums, path: Path) -> bool:
    """Whether a sum is beside sums for parts of what its path leads to: it is 0 then, as a stride beside basis vectors may be."""
    deeper = next((longer for longer in sums if len(longer) > len(path) and longer[: len(path)] == path), None)
    if deeper is not None and any(digit.stride for digit in sums[path]):
        raise LayoutError(f"integers and coordinates are added at {E(*path)} and {E(*deeper)}; only 0 adds to both")
    return deeper is not None


def offset_digits(described: object, sums: Sums) -> Digits:
    """The digits of a layout that leads to offsets; ``LayoutError`` of one that leads to coordinates."""
    if set(sums) - {()}:
        raise LayoutError(
            f"{described} leads to coordinates, not to slots: its strides are basis vectors; compose a layout of integers with it"
        )
    return sums.get((), ())


def raised(digits: Digits, axes: Sequence[int]) -> tuple[Digits, int]:
    """The digits with enough added that they cannot come to less than 0, and how much that is."""
    low = min(0, reach(digits, axes)[0])
    return ((*digits, constant(-low)) if low else digits), -low


def bound(described: object, domain: IntTuple, sums: Sums, shape: Sequence[int] | None) -> Layout:
    """The core's layout; where strides go backwards the least slot becomes 0, as the first byte of a numpy view does."""
    axes = axes_of(domain)
    if shape is not None and (asked := checked_shape(shape)) != axes:
        raise ShapeError(f"{described} is a layout for arrays of shape {axes}, the sizes of its modes, not {shown(asked)}")
    digits = offset_digits(described, sums)
    if not _tells_least(digits, axes):
        Layout(axes, raised(digits, axes)[0])  # refuses sums below 0, of which ``canonical`` knows nothing
        digits = canonical(digits, axes)
        digits = digits if _tells_least(digits, axes) else _from_least(described, digits, axes)
    return Layout(axes, raised(digits, axes)[0])


def _tells_least(digits: Digits, axes: Sequence[int]) -> bool:
    """Whether the digits cannot come to less than 0, or one coordinate has the least of each: that where those backwards are greatest."""
    low = reach(digits, axes)[0]
    corner = [0] * len(axes)
    for digit in digits:
        if isinstance(digit.axis, int) and digit.stride < 0:
            corner[digit.axis] += digit.divisor * (fitting_radix(digit, axes) - 1)
    return low >= 0 or (all(x < size for x, size in zip(corner, axes, strict=True)) and evaluate(digits, corner) == low)


def _from_least(described: object, digits: Digits, axes: Sequence[int]) -> Digits:
    """The digits counted from the least offset where that is below 0, which is found by looking at all.

    Their sum is read modulo the number of offsets from the least to the greatest, with so much added that it begins at a whole round.
    """
    if prod(axes) > MOST_LOOKED_AT:
        raise LayoutError(
            f"{shown(described)} goes backwards behind a layout, so that its least slot is known only when all are; "
            f"it has {prod(axes)} elements, and {MOST_LOOKED_AT} are looked at"
        )
    found, added = raised(digits, axes)
    slots = Layout(axes, found).offsets()
    first, last = min(added, int(slots.min())), int(slots.max())
    count = last - first + 1
    return (Digit((*found, constant(-first % count)), 1, count, 1),)


def _places(shape: IntTuple) -> Iterator[tuple[int, int]]:
    """The axis and the divisor of each leaf."""
    for axis, mode in enumerate(shape if isinstance(shape, tuple) else (shape,)):
        divisor = 1
        for size in leaves(mode):
            yield axis, divisor
            divisor *= size
