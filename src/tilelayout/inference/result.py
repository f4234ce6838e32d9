"""What inference hands back: a layout that knows how it was found, or an error that knows how far it got."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..describe import counted
from ..digits import Layout, check_layout
from ..elements import Element
from ..errors import LayoutError
from ..formulas.sums import Formula


class NotInferred(LayoutError):  # noqa: N818 - named as NotExpressible is
    """A buffer that no layout which inference knows of explains.

    ``element`` is the coordinate of the first element that is missing from the buffer or breaks the best explanation, ``placed`` is
    the number of elements whose slot was certain, and ``axes`` are the axes whose own steps are digits; None, 0 and () where unknown.
    """

    def __init__(self, message: str, *, element: Sequence[int] | None = None, placed: int = 0, axes: Iterable[int] = ()) -> None:
        super().__init__(message)
        self.element = None if element is None else tuple(map(int, element))
        self.placed = placed
        self.axes = tuple(axes)


def too_few(slots: int, elements: int, shape: Sequence[int]) -> NotInferred:
    """What a buffer of fewer slots than there are elements is refused with."""
    return NotInferred(f"a buffer of {slots} slots cannot hold the {elements} elements of an array of shape {shape}")


class Inferred(Layout):
    """A layout that was found from an array and its buffer; a ``Layout`` in every respect, with a word on how sure it is.

    >>> import tilelayout as tl
    >>> from tilelayout.inference import infer
    >>> found = infer((3, 5), lambda x: tl.pack(x, "{1,0:T(2,2)}"))
    >>> found == tl.layout("f32[3,5]{1,0:T(2,2)}"), found.is_unique, found.alternatives
    (True, True, ())

    Copies and pickles are plain layouts.
    """

    #: Other layouts that explain the same bytes, simplest first; no more than ``MOST_ALTERNATIVES`` are kept.
    alternatives: tuple[Layout, ...]
    #: Whether no other layout of the families that were searched explains the bytes.
    is_unique: bool
    _how: str
    _placed: int
    _filled: str

    def __init__(
        self,
        layout: Layout,
        *,
        how: str,
        placed: int,
        filled: str,
        alternatives: Iterable[Layout] = (),
        exhaustive: bool = True,
        element: Element | None = None,
    ) -> None:
        check_layout(layout)
        super().__init__(layout.shape, layout.digits, slots=layout.slots, element=element)
        others = tuple([Layout(other.shape, other.digits, slots=other.slots, element=element) for other in alternatives])
        self._settle(alternatives=others, is_unique=exhaustive and not others, _how=how, _placed=placed, _filled=filled)

    def report(self) -> str:
        """How the layout was found, how many elements settled it, and what its padding holds, in a few lines.

        >>> import tilelayout as tl
        >>> from tilelayout.inference import infer
        >>> print(infer((3, 5), lambda x: tl.pack(x, "{1,0:T(2,2)}")).report())
        shape (3, 5) in 24 slots: 12*(x0 // 2) + 4*(x1 // 2) + 2*(x0 % 2) + (x1 % 2)
        found: each value lies in one slot, so the slot of every element is known
        settled by 15 of 15 elements
        padding: 9 slots, which hold 0
        """
        formula = Formula(self)
        lines = [f"shape {self.shape} in {counted(self.slots, 'slot')}: {formula.slot}"]
        lines += [f"  {name} = {meaning}" for name, meaning in formula.merged.items()]
        lines += [f"found: {self._how}", f"settled by {self._placed} of {counted(self.size, 'element')}"]
        lines += [f"padding: {self._filled}"]
        if self.alternatives:
            lines += ["as well explained by:", *(f"  {Formula(other).slot}" for other in self.alternatives)]
        elif not self.is_unique:
            lines += ["the search for others was not carried to its end"]
        return "\n".join(lines)
