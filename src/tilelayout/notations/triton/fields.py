"""The values of an attribute's fields, checked; messages begin with the name of the field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import LayoutError, shown
from ...sizes import integer, integers, listed
from .layout import Basis

#: What numbers of fields are below.
MOST = 1 << 32


def power(name: str, value: Any) -> int:
    """A field that is a power of two."""
    number = integer(value)
    if number is None or not 0 < number < MOST or number.bit_count() != 1:
        raise LayoutError(f"{name} = {shown(value)} is no power of two below 2**32")
    return number


def among(name: str, value: Any, known: Sequence[int]) -> int:
    """A field that has one of a few values."""
    number = integer(value)
    if number is None or number not in known:
        raise LayoutError(f"{name} = {shown(value)} is none of {', '.join(map(str, known))}")
    return number


def truth(name: str, value: Any) -> bool:
    """A field that is true or false."""
    if not isinstance(value, bool):
        raise LayoutError(f"{name} = {shown(value)} is neither True nor False")
    return value


def powers(name: str, values: Any, rank: int | None = None) -> tuple[int, ...]:
    """A field with a power of two for each axis."""
    numbers = integers(values)
    if not numbers or any(not 0 < number < MOST or number.bit_count() != 1 for number in numbers):
        raise LayoutError(f"{name} = {_shown(values)} are no powers of two below 2**32, one for each axis")
    if rank not in (None, len(numbers)):
        raise LayoutError(f"{name} = {_shown(numbers)} has {len(numbers)} numbers where there are {rank} axes")
    return numbers


def axes_in_order(name: str, order: Any, rank: int | None = None) -> tuple[int, ...]:
    """A field that names each axis once, fastest first."""
    axes = integers(order)
    if not axes or sorted(axes) != list(range(len(axes))) or rank not in (None, len(axes)):
        number = "" if rank is None else f" of {rank}"
        raise LayoutError(f"{name} = {_shown(order)} does not name each axis{number} once, from 0 on")
    return axes


def steps(name: str, bases: Any, rank: int) -> tuple[Basis, ...]:
    """A field of bases of which each is zeros or one step, along each axis steps of 1, 2, 4 and so on, each once."""
    given = listed(bases)
    read = None if given is None else [integers(basis) for basis in given]
    found = tuple(basis for basis in read or () if basis is not None and len(basis) == rank and sum(map(bool, basis)) <= 1)
    taken = [sorted(basis[axis] for basis in found if basis[axis]) for axis in range(rank)]
    if read is None or len(found) < len(read) or any(along != [1 << bit for bit in range(len(along))] for along in taken):
        raise LayoutError(
            f"{name} = {_shown(bases)} is no list of bases that have a coordinate for each of {rank} axes, of which one at most is not 0, "
            "and that make steps of 1, 2, 4 and so on along each axis"
        )
    return found


def blocks_of(ctas: Sequence[int], splits: Sequence[int], order: Sequence[int]) -> tuple[Basis, ...]:
    """``CGALayout`` for what was written before it: ``CTAsPerCGA``, how many parts they split an axis into, and in which order.

    >>> blocks_of((2, 2), (2, 1), (1, 0))
    ((0, 0), (1, 0))
    """
    rank = len(axes_in_order("CTAOrder", order))
    counts = list(zip(powers("CTAsPerCGA", ctas, rank), powers("CTASplitNum", splits, rank), strict=True))
    if wrong := next((pair for pair in counts if pair[1] > pair[0]), None):
        raise LayoutError(f"CTASplitNum = {_shown(splits)} splits an axis into {wrong[1]} parts for {wrong[0]} CTAs, which are fewer")
    return tuple(
        tuple(1 << bit if k == axis and 1 << bit < counts[axis][1] else 0 for k in range(rank))
        for axis in order
        for bit in range(counts[axis][0].bit_length() - 1)
    )


def _shown(values: Any) -> str:
    """The value of a field as a message repeats it: lists, as in Triton's text."""
    items = listed(values)
    return shown(values if items is None else [list(item) if isinstance(item, tuple) else item for item in items])
