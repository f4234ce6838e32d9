"""Triton's swizzled shared memory: rows whose columns are exchanged by XOR, so that those of one column lie in different banks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...errors import LayoutError, shown
from .attribute import Attribute
from .fields import axes_in_order, power, steps
from .layout import Basis, LinearLayout
from .tiles import Tile, per_block


@dataclass(frozen=True, slots=True)
class SwizzledShared(Attribute):
    """``#ttg.swizzled_shared``: each row's vectors of columns are exchanged by XOR with the row's phase, ``row / perPhase % maxPhase``.

    >>> layout = SwizzledShared(vec=2, perPhase=1, maxPhase=2, order=(1, 0))
    >>> print(layout)
    #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 2, order = [1, 0]}>
    >>> print(SwizzledShared(1, 1, 4, (1, 0)).linear((4, 4)))
    #ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 1], [2, 2]]}, alignment = 16>
    >>> layout.bind((2, 4)).offsets()
    array([[0, 1, 2, 3],
           [6, 7, 4, 5]])

    Parameters
    ----------
    vec
        How many neighbours in a row stay together.
    perPhase
        How many rows in a row are swizzled alike.
    maxPhase
        How many ways of swizzling there are.
    order
        The axes, fastest first: the first is that of the columns, the second that of the rows.
    CGALayout
        Bases of the blocks among which an array is shared out, counted in blocks.

    The numbers are powers of two. The meaning is that of ``swizzledSharedToLinearLayout`` in triton's LinearLayoutConversions.cpp.
    """

    _mnemonic: ClassVar = "swizzled_shared"

    vec: int
    perPhase: int
    maxPhase: int
    order: tuple[int, ...]
    CGALayout: tuple[Basis, ...] = ()

    def __post_init__(self) -> None:
        for name in ("vec", "perPhase", "maxPhase"):
            object.__setattr__(self, name, power(name, getattr(self, name)))
        object.__setattr__(self, "order", axes_in_order("order", self.order))
        object.__setattr__(self, "CGALayout", steps("CGALayout", self.CGALayout, len(self.order)))

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.order)

    def _fitted(self, shape: tuple[int, ...]) -> LinearLayout:
        """The linear layout for a shape that is known to be one."""
        within, tile = per_block(shape, self.CGALayout), Tile(self.order, ("offset",))
        for place, axis in enumerate(self.order):
            for bit in range(within[axis].bit_length() - 1):
                basis = [0] * len(shape)
                basis[axis] = 1 << bit
                if place == 1:
                    basis[self.order[0]] = self.vec * self._phase(1 << bit) % within[self.order[0]]
                tile.hold("offset", tuple(basis))
        return tile.fitted(shape, self.CGALayout)

    def _phase(self, row: int) -> int:
        """By how many vectors the columns of a row are exchanged; rows are powers of two."""
        return row // self.perPhase % self.maxPhase


@dataclass(frozen=True, slots=True)
class AmdRotatingShared(SwizzledShared):
    """``#ttg.amd_rotating_shared``: swizzled memory in which phases change places, too, after every ``perPhase * maxPhase`` rows.

    >>> print(AmdRotatingShared(1, 1, 2, (1, 0)).linear((4, 2)))
    #ttg.shared_linear<{offset = [[0, 1], [1, 1], [2, 1]]}, alignment = 16>
    """

    _mnemonic: ClassVar = "amd_rotating_shared"

    def __post_init__(self) -> None:
        SwizzledShared.__post_init__(self)
        if self.CGALayout:
            raise LayoutError(f"CGALayout = {shown(self.CGALayout)} of rotating memory is not read; write #ttg.shared_linear")

    def _phase(self, row: int) -> int:
        """By how many vectors the columns of a row are exchanged; rows are powers of two."""
        return row // self.perPhase % self.maxPhase ^ row // self.maxPhase // self.perPhase % self.maxPhase
