"""A pattern as a value: the names on either side of the arrow, and the sizes that are given."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from ... import digits
from ...errors import LayoutError, ShapeError, SizesMissing, shown
from ...moves import Dim, Dims, compact
from ...sizes import MOST_SLOTS, checked_shape, items_of

#: The name of all axes that have none.
ELLIPSIS = "..."


@dataclass(frozen=True, slots=True, repr=False)
class Layout:
    """What a pattern says: which axes the array's are made of, and in which order they lie in the buffer.

    >>> layout = Layout((("h",), ("a", "b")), ("a", "h", "b"), (("b", 4),))
    >>> print(layout, layout.bind((6, 8)).slots)
    h (a b) -> a h b, b=4 48

    Parameters
    ----------
    left
        The names of each axis of the array, slowest first; none for an axis of size 1, ``("...",)`` for axes without names.
    right
        The same names, slowest first.
    sizes
        Pairs of a name and its size. Of the names of an axis one may be without: its size is what remains.
    """

    left: tuple[tuple[str, ...], ...]
    right: tuple[str, ...]
    sizes: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        try:
            left = tuple(map(items_of, items_of(self.left)))
            right = items_of(self.right)
            sizes = tuple((name, operator.index(size)) for name, size in items_of(self.sizes))
        except (TypeError, ValueError):
            asked = f"{shown(self.left)} -> {shown(self.right)} with {shown(self.sizes)}"
            raise LayoutError(
                f"{asked} is no pattern: it takes tuples of names on the left, names on the right, and pairs of name and size"
            ) from None
        for field, value in (("left", left), ("right", right), ("sizes", sizes)):
            object.__setattr__(self, field, value)
        for name in (*(name for group in left for name in group), *right):
            if not (isinstance(name, str) and name == ELLIPSIS) and (why := fault(name)):
                raise LayoutError(why)
        for group in left:
            if ELLIPSIS in group and len(group) > 1:
                raise LayoutError(f"{spelled(group)}: on the left '...' stands for whole axes, outside parentheses")
        wrong = misfit(left, right, sizes)
        if wrong:
            raise LayoutError(wrong[2])

    def bind(self, shape: Sequence[int] | None = None) -> digits.Layout:
        """The layout of an array of this shape, as digits.

        >>> Layout((("...",), ("w",)), ("w", "...")).bind((2, 3, 4)).digits[0]
        Digit(axis=2, divisor=1, radix=4, stride=6)

        Raises ``ShapeError`` for a shape whose rank or sizes are not the pattern's, or none.
        """
        if shape is None:
            raise SizesMissing(f"{self} does not say all sizes: give the shape of the array")
        extents = checked_shape(shape)
        named = dict(self._named(extents))
        return compact(extents, tuple(dim for name in self.right for dim in named[name]))

    def _named(self, extents: tuple[int, ...]) -> Iterator[tuple[str, Dims]]:
        """The dimensions that each name stands for."""
        rest = len(extents) - len(self.left)
        at_least = (ELLIPSIS,) in self.left
        if rest < -1 or (rest != 0 and not at_least):
            wanted = f"{len(self.left) - at_least}{' or more' if at_least else ''}"
            raise ShapeError(f"{self} is for arrays of {wanted} dimensions; shape {shown(extents)} has {len(extents)}")
        axis = 0
        for group in self.left:
            if group == (ELLIPSIS,):
                yield ELLIPSIS, tuple(Dim(k, extents[k], 1, extents[k]) for k in range(axis, axis + rest + 1))
                axis += rest + 1
                continue
            divisor = 1
            for name, size in reversed(self._sized(group, axis, extents)):
                yield name, (Dim(axis, extents[axis], divisor, size),)
                divisor *= max(size, 1)
            axis += 1

    def _sized(self, group: tuple[str, ...], axis: int, extents: tuple[int, ...]) -> list[tuple[str, int]]:
        """The names of an axis with their sizes."""
        known = dict(self.sizes)
        extent, given = extents[axis], prod(known[name] for name in group if name in known)
        unknown = any(name not in known for name in group)
        whole = extent % given == 0 if unknown and given else extent == given and not unknown
        if not whole:
            told = ", ".join(f"{name}={known[name]}" for name in group if name in known)
            right = f"a multiple of {given}" if unknown and given else "not told by 0" if unknown else f"{given}"
            asked = f"{spelled(group)}{' with ' * bool(told)}{told}"
            raise ShapeError(f"{self} of shape {shown(extents)}: axis {axis} is {asked}, whose size is {right}; it has {extent}")
        return [(name, known[name] if name in known else extent // given) for name in group]

    def __str__(self) -> str:
        pattern = f"{' '.join(map(spelled, self.left))} -> {' '.join(self.right)}".strip()
        return ", ".join([pattern, *(f"{name}={size}" for name, size in self.sizes)])

    def __repr__(self) -> str:
        return f"einops.Layout({self.left!r}, {self.right!r}, {self.sizes!r})"


def spelled(group: Iterable[str]) -> str:
    """The names of one axis as a pattern has them.

    >>> spelled(("a", "b")), spelled(("a",)), spelled(())
    ('(a b)', 'a', '1')
    """
    names = list(group)
    return names[0] if len(names) == 1 else f"({' '.join(names)})" if names else "1"


def fault(name: Any) -> str | None:
    """What is wrong with the name of an axis, if anything is."""
    if isinstance(name, str) and name.isdecimal():
        return f"axis {shown(name)} has no name: a number repeats or drops elements; rearrange takes 1, or names with sizes"
    if not isinstance(name, str) or not name.isidentifier() or name.startswith("_") or name.endswith("_"):
        return f"{shown(name)} is no name of an axis: names are letters, digits and underscores, these not at either end, nor a digit first"
    return None


def misfit(left: Sequence[Sequence[str]], right: Sequence[str], sizes: Sequence[tuple[str, int]]) -> tuple[str, int, str] | None:
    """The first name or size that does not fit with the others, and why: ``"left"``, ``"right"`` or ``"sizes"``, and its number there."""
    named = [name for group in left for name in group]
    for side, names in (("left", named), ("right", right)):
        if len(set(names)) < len(names):
            first = {name: number for number, name in reversed(tuple(enumerate(names)))}
            number = next(number for number, name in enumerate(names) if first[name] < number)
            return side, number, f"{names[number]} stands twice on the {side}; each axis has a name of its own"
    for side, names, others, why in (
        ("left", named, set(right), "all axes stand on the right too, as a layout reduces nothing"),
        ("right", right, set(named), "all axes stand on the left too, as a layout repeats nothing"),
    ):
        for number, name in enumerate(names):
            if name not in others:
                return side, number, f"{name} stands on the {side} alone: {why}"
    known: dict[str, int] = {}
    axes = set(named) - {ELLIPSIS}
    for number, (name, size) in enumerate(sizes):
        if name not in axes:
            return "sizes", number, f"{shown(name)}={size} is the size of no axis; the pattern has {', '.join(sorted(axes)) or 'no names'}"
        if not 0 <= size <= MOST_SLOTS:
            return "sizes", number, f"{name}={shown(size)} is no size of an axis; sizes are 0 or more and fit in 64 bits"
        if name in known:
            return "sizes", number, f"{name} is given two sizes, {known[name]} and {size}"
        known[name] = size
    for group in left:
        unknown = [name for name in group if name not in known]
        if len(unknown) > 1:
            told = f"the sizes of {' and '.join(unknown)} in {spelled(group)} cannot be told"
            return "left", named.index(unknown[0]), f"{told}; give all but one, as in {unknown[-1]}=4"
    return None
