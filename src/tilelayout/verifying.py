"""Whether what a language would write of a layout is the layout: what every way back from digits asks before it answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol, TypeVar

from .errors import LayoutError

if TYPE_CHECKING:
    from .digits import Layout


class Bindable(Protocol):
    """An object of some language."""

    def bind(self, shape: Sequence[int] | None = None) -> Layout:
        """The layout for arrays of that shape."""


T = TypeVar("T", bound=Bindable)


def first_equal(candidates: Iterable[T], layout: Layout) -> T | None:
    """The first of these that binds to an equal layout, if there is one; what cannot be bound, for want of slots, say, does not."""
    for candidate in candidates:
        with suppress(LayoutError):
            if candidate.bind(layout.shape) == layout:
                return candidate
    return None
