"""Whether what a language would write of a layout is the layout: what every way back from digits asks before it answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import islice
from typing import Protocol, TypeVar

from .digits import Layout, pieces_agree, told
from .errors import LayoutError, shown
from .places import refusal
from .queries import PIECE


class Bindable(Protocol):
    """Whatever a shape turns into a ``Layout``."""

    def bind(self, shape: Sequence[int] | None = None) -> Layout:
        """The layout for arrays of that shape, which may be left out where the object has one."""


T = TypeVar("T", bound=Bindable)

#: The most elements whose slots are compared one by one.
MOST_COMPARED = 1 << 26


def first_equal(candidates: Iterable[T], layout: Layout, language: str) -> T | None:
    """The first of these that binds to an equal layout, if there is one; what cannot be bound, for want of slots, say, does not.

    Raises ``NotExpressible``, in the name of the language, where none is known to, and of one it is not known whether it does.
    """
    unknown = None
    for candidate in candidates:
        with suppress(LayoutError):
            equal = is_equal(candidate.bind(layout.shape), layout)
            if equal:
                return candidate
            if equal is None and unknown is None:
                unknown = candidate
    if unknown is not None:
        why = f"it is not known whether {shown(str(unknown))} says it: more than {MOST_COMPARED} elements are not compared one by one"
        raise refusal(language, layout, why)
    return None


def is_equal(found: Layout, layout: Layout) -> bool | None:
    """Whether two layouts are equal, as ``==`` says; None where too many elements agree for all of them to be compared.

    >>> import tilelayout as tl
    >>> is_equal(tl.layout("{1,0}", (3, 4)), tl.layout("cute:(3,4):(4,1)"))
    True
    """
    equal = told(found, layout)
    if equal is not None:
        return equal
    if not all(islice(pieces_agree(found, layout), -(-MOST_COMPARED // PIECE))):
        return False
    return True if layout.size <= MOST_COMPARED else None
