"""A linear layout as a value: the bases of each kind of place."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

from ... import digits
from ...bitwise import bits, inverted
from ...errors import LayoutError, NotInjective, ShapeError, shown
from ...radix import Digit
from ...sizes import checked_shape

Basis = tuple[int, ...]
#: The bits of a slot's number, at most.
MOST_BITS = 62
#: The kinds of place that ``#ttg.linear`` and ``#ttg.shared_linear`` tell, in Triton's order.
DISTRIBUTED = ("register", "lane", "warp", "block")
SHARED = ("offset", "block")


@dataclass(frozen=True, slots=True, repr=False)
class LinearLayout:
    """The coordinates at which each bit of a place lies; those of bits that are set together are added by XOR.

    >>> layout = LinearLayout((("offset", ((2,), (4,), (1,))),))
    >>> print(layout)
    #ttg.shared_linear<{offset = [[2], [4], [1]]}, alignment = 16>
    >>> layout.bind().offsets()
    array([0, 4, 1, 5, 2, 6, 3, 7])

    Parameters
    ----------
    bases
        Pairs of a kind of place and its bases, the lowest bit first; each basis has a coordinate for each axis. The kind that
        stands first is fastest in the slot. Where a bit of ``offset`` with a basis of zeros is set, slots are padding.
    alignment
        Bytes to which Triton aligns shared memory; slots do not depend on it.
    axes
        How many axes the array has, which only has to be said where there are no bases, and may be left open there.
    """

    bases: tuple[tuple[str, tuple[Basis, ...]], ...]
    alignment: int = 16
    axes: int | None = None

    def __post_init__(self) -> None:
        try:
            bases = tuple((kind, tuple(tuple(map(operator.index, basis)) for basis in listed)) for kind, listed in self.bases)
            alignment = operator.index(self.alignment)
            axes = None if self.axes is None else operator.index(self.axes)
        except (TypeError, ValueError):
            raise LayoutError(
                f"bases={shown(self.bases)}, alignment={shown(self.alignment)}, axes={shown(self.axes)} make no linear layout: it takes "
                "pairs of a kind of place and its bases, such as (('offset', ((0, 1), (1, 0))),)"
            ) from None
        if tuple(kind for kind, _ in bases) == SHARED and not bases[1][1]:  # an attribute without blocks, as Triton prints it
            bases = bases[:1]
        object.__setattr__(self, "bases", bases)
        object.__setattr__(self, "alignment", alignment)
        if alignment < 1 or alignment.bit_count() != 1:
            raise LayoutError(f"alignment = {shown(alignment)} is no power of two")
        kinds = [kind for kind, _ in bases]
        if wrong := next((kind for kind in kinds if not isinstance(kind, str) or not kind.isidentifier() or kinds.count(kind) > 1), None):
            raise LayoutError(f"{shown(wrong)} is no kind of place that is named once; kinds are names such as {', '.join(DISTRIBUTED)}")
        listed = list(self._all())
        _check_bases(listed)
        told = len(listed[0][2]) if listed else axes
        if axes not in (None, told) or (axes or 0) < 0:
            raise LayoutError(f"axes={shown(axes)}: where there are bases it is the number of their coordinates, else 0 or more, or None")
        object.__setattr__(self, "axes", told)

    def _all(self) -> Iterator[tuple[str, int, Basis]]:
        """Every basis, that of the slot's lowest bit first, with the name and the number of its bit."""
        return ((kind, number, basis) for kind, listed in self.bases for number, basis in enumerate(listed))

    @property
    def has_bases(self) -> bool:
        """Whether there are bases, which have a coordinate for each axis."""
        return any(bases for _, bases in self.bases)

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of the array: the powers of two that the bases reach, ones where there are no bases."""
        listed = [basis for _, _, basis in self._all()]
        reached = tuple(1 << max(coordinate.bit_length() for coordinate in axis) for axis in zip(*listed, strict=True))
        return reached or (1,) * (self.axes or 0)

    def bind(self, shape: Sequence[int] | None = None) -> digits.Layout:
        """The layout of the array as digits; ``shape`` must be what the bases reach, or ones where that is left open.

        >>> LinearLayout((("offset", ((1, 0), (0, 1))),)).bind().digits
        (Digit(axis=1, divisor=1, radix=2, stride=2), Digit(axis=0, divisor=1, radix=2, stride=1))

        Raises ``NotInjective`` where two places hold the same element and ``ShapeError`` for another shape.
        """
        extents = self.shape
        if shape is not None:
            asked = checked_shape(shape)
            if asked != extents and (self.axes is not None or set(asked) - {1}):
                raise ShapeError(f"{self} is for arrays of shape {extents}, which its bases reach, not {shown(asked)}")
            extents = asked
        return digits.Layout(extents, self._digits(extents), slots=1 << len(list(self._all())))

    def _digits(self, shape: tuple[int, ...]) -> Iterator[Digit]:
        """A digit for each bit of the slot that depends on the coordinates, the highest first."""
        used = [(bit, kind, basis) for bit, (kind, _, basis) in enumerate(self._all()) if any(basis)]
        self._check_copies()
        places = [(axis, bit) for axis, extent in enumerate(shape) for bit in range(extent.bit_length() - 1)]
        at = {place: number for number, place in enumerate(places)}
        columns = [sum(1 << at[axis, bit] for axis, value in enumerate(basis) for bit in bits(value)) for _, _, basis in used]
        rows = inverted(columns) if len(columns) == len(places) else None
        if rows is None:
            raise NotInjective(
                f"{self} has {len(columns)} bases for the {len(places)} bits of the coordinates in shape {shape}, and they do not make "
                "each coordinate once; none may be a sum (XOR) of others"
            )
        for (bit, _, _), row in reversed(list(zip(used, rows, strict=True))):
            read = [Digit(places[number][0], 1 << places[number][1], 2, 1) for number in bits(row)]
            yield read[0]._replace(stride=1 << bit) if len(read) == 1 else Digit(tuple(read), 1, 2, 1 << bit)

    def _check_copies(self) -> None:
        for kind, number, basis in self._all():
            if kind != "offset" and not any(basis):
                raise NotInjective(
                    f"{kind}={1 << number} in {self} has a basis of zeros: both its places hold the same elements, where a layout has one"
                )

    def __str__(self) -> str:
        kinds = tuple(kind for kind, _ in self.bases)
        listed = ", ".join(f"{kind} = [{', '.join(map(_listed, bases))}]" for kind, bases in self.bases)
        if self.has_bases or self.axes is None:  # which an attribute does not have beside its bases
            if kinds in (SHARED[:1], SHARED):
                return f"#ttg.shared_linear<{{{listed}}}, alignment = {self.alignment}>"
            if kinds == DISTRIBUTED:
                return f"#ttg.linear<{{{listed}}}>"
        dims = ", ".join(f"dim{axis} (size {extent})" for axis, extent in enumerate(self.shape))
        if not kinds:
            return f"(empty layout with out-dims [{dims}])" if dims else "(empty layout)"
        return "\n".join((*map(_shown_kind, self.bases), *([] if self.axes is None else [f"where out dims are: [{dims}]"])))

    def __repr__(self) -> str:
        alignment = "" if self.alignment == 16 else f", {self.alignment}"
        axes = "" if self.has_bases or self.axes is None else f", axes={self.axes}"
        return f"triton.LinearLayout({self.bases!r}{alignment}{axes})"


def _listed(basis: Iterable[int]) -> str:
    return f"[{', '.join(map(str, basis))}]"


def _shown_kind(pair: tuple[str, tuple[Basis, ...]]) -> str:
    """The lines of a kind of place as Triton prints a LinearLayout."""
    kind, bases = pair
    if not bases:
        return f" - {kind} is a size 1 dimension"
    lines = (f"{kind}={1 << number} -> ({', '.join(map(str, basis))})" for number, basis in enumerate(bases))
    return " - " + "\n   ".join(lines)


def _check_bases(listed: Sequence[tuple[str, int, Basis]]) -> None:
    if len(listed) > MOST_BITS:
        raise ShapeError(f"{len(listed)} bases make more slots than a signed 64-bit integer numbers; there are {MOST_BITS} at most")
    for kind, number, basis in listed:
        where = f"basis {shown(list(basis))} of {kind}={1 << number}"
        if len(basis) != len(listed[0][2]) or not basis:
            raise LayoutError(f"{where} has {len(basis)} coordinates, the first has {len(listed[0][2])}; bases have one for each axis")
        if any(coordinate < 0 for coordinate in basis):
            raise LayoutError(f"{where} has a negative coordinate; coordinates are 0 or more")
        if reduce(operator.or_, basis).bit_length() > MOST_BITS:
            raise ShapeError(f"{where} lies beyond 2**{MOST_BITS}")
