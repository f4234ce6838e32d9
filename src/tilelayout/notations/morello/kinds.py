"""The kinds of physical dimension that a Morello layout is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from ...errors import LayoutError, shown
from ...sizes import MOST_SLOTS, integer


class PhysDim:
    """How a physical dimension of a buffer takes its part of a logical one.

    >>> PhysDim.Dynamic, PhysDim.Packed(4), PhysDim.OddEven(16)
    (morello.PhysDim.Dynamic, morello.PhysDim.Packed(4), morello.PhysDim.OddEven(16))

    ``Dynamic`` takes all that is left of it, ``Packed(n)`` runs of ``n``. ``OddEven(n)`` takes runs of ``n`` as well (``n`` is even)
    and stores the even indices of each run first, then the odd ones. Source: morello/src/layout.rs, whose tests and formula have it
    so; a comment there has it the other way round.
    """

    __slots__ = ()

    Dynamic: ClassVar[PhysDim]
    Packed: ClassVar[type[Packed]]
    OddEven: ClassVar[type[OddEven]]


@dataclass(frozen=True, slots=True, repr=False)
class _Dynamic(PhysDim):
    def __repr__(self) -> str:
        return "morello.PhysDim.Dynamic"

    def __reduce__(self) -> str:
        return "PhysDim.Dynamic"


@dataclass(frozen=True, slots=True, repr=False)
class _Sized(PhysDim):
    size: int

    def __post_init__(self) -> None:
        size = integer(self.size)
        if size is None:
            raise LayoutError(f"{type(self).__name__}({shown(self.size)}) has no size: it takes an integer, such as 4")
        if not 2 <= size <= MOST_SLOTS:
            raise LayoutError(f"{type(self).__name__}({shown(size)}) is out of range: its size is 2 or more, and fits in 64 bits")
        object.__setattr__(self, "size", size)

    def __repr__(self) -> str:
        return f"morello.PhysDim.{type(self).__name__}({self.size})"


class Packed(_Sized):
    """A physical dimension of a fixed size."""

    __slots__ = ()


class OddEven(_Sized):
    """A physical dimension of a fixed even size, with the even indices in its first half."""

    __slots__ = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.size % 2:
            raise LayoutError(f"OddEven({self.size}) has an odd size, whose halves would overlap; {self.size + 1} would be right")


PhysDim.Dynamic = _Dynamic()
PhysDim.Packed = Packed
PhysDim.OddEven = OddEven

Dims: TypeAlias = tuple[tuple[int, PhysDim], ...]


def dim_text(dim: int, kind: PhysDim) -> str:
    """A physical dimension as Morello writes it.

    >>> dim_text(0, PhysDim.Dynamic), dim_text(0, PhysDim.Packed(4)), dim_text(1, PhysDim.OddEven(16))
    ('0', '0 p(4)', '1 oe(16)')
    """
    if isinstance(kind, Packed):
        return f"{dim} p({kind.size})"
    return f"{dim} oe({kind.size})" if isinstance(kind, OddEven) else str(dim)


def dims_text(dims: Dims) -> str:
    """A list of physical dimensions as Morello writes it."""
    return f"[{', '.join(dim_text(dim, kind) for dim, kind in dims)}]"
