"""The types of Triton's GPU dialect: a shape, what an element is, and the attribute that says how it lies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from ...digits import Layout
from ...errors import LayoutError, ShapeError, shown
from ...sizes import checked_shape
from ..element_types import ELEMENTS, is_element_type
from .attribute import Attribute, Distributed, is_distributed
from .fields import truth
from .layout import SHARED, LinearLayout
from .padded import PaddedShared

Encoding: TypeAlias = Attribute | LinearLayout | PaddedShared


def is_shared(encoding: object) -> bool:
    """Whether an encoding says where elements lie in shared memory."""
    if isinstance(encoding, LinearLayout):
        return tuple(kind for kind, _ in encoding.bases) in (SHARED, SHARED[:1])
    return isinstance(encoding, PaddedShared | Attribute) and not isinstance(encoding, Distributed)


@dataclass(frozen=True, slots=True)
class Typed(ABC):
    """A shape, a type of elements and an encoding: what both types have."""

    #: Where the elements lie.
    _place: ClassVar[str]

    shape: tuple[int, ...]
    element_type: str
    encoding: Encoding

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", checked_shape(self.shape))
        if not is_element_type(self.element_type):
            raise LayoutError(f"{shown(self.element_type)} is no element type that is known, such as {', '.join(ELEMENTS)}")
        if not self._takes(self.encoding):
            raise LayoutError(f"{shown(self.encoding)} is no attribute of {self._place}")
        if _rank(self.encoding) not in (None, len(self.shape)):
            raise ShapeError(
                f"{self.encoding} is for arrays of {_rank(self.encoding)} dimensions, not for shape {self.shape}; "
                "of several buffers, write the type of one"
            )

    @staticmethod
    @abstractmethod
    def _takes(encoding: object) -> bool:
        """Whether an encoding says how arrays lie there."""

    def bind(self, shape: Sequence[int] | None = None) -> Layout:
        """The layout of the array as digits; another shape may only repeat that of the type."""
        if shape is not None and checked_shape(shape) != self.shape:
            raise ShapeError(f"{self} is of shape {self.shape}, not {checked_shape(shape)}")
        bound = self.encoding.bind(self.shape)
        return Layout(bound.shape, bound.digits, slots=bound.slots, element=ELEMENTS.get(self.element_type))

    def _told(self) -> str:
        return f"{''.join(f'{extent}x' for extent in self.shape)}{self.element_type}, {self.encoding}"


@dataclass(frozen=True, slots=True)
class TensorType(Typed):
    """``tensor<...>``: an array in registers.

    >>> from tilelayout.notations.triton import Blocked
    >>> print(TensorType((64,), "f32", Blocked((2,), (32,), (1,), (0,))))
    tensor<64xf32, #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>>
    """

    _place: ClassVar = "threads"
    _takes = staticmethod(is_distributed)

    def __str__(self) -> str:
        return f"tensor<{self._told()}>"


@dataclass(frozen=True, slots=True)
class MemDescType(Typed):
    """``!ttg.memdesc<...>``: an array in shared memory.

    >>> from tilelayout.notations.triton import SwizzledShared
    >>> print(MemDescType((8, 8), "f16", SwizzledShared(1, 1, 8, (1, 0)), mutable=True))
    !ttg.memdesc<8x8xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 8, order = [1, 0]}>, #ttg.shared_memory, mutable>
    """

    _place: ClassVar = "shared memory"
    _takes = staticmethod(is_shared)

    mutable: bool = False

    def __post_init__(self) -> None:
        Typed.__post_init__(self)
        truth("mutable", self.mutable)

    def __str__(self) -> str:
        return f"!ttg.memdesc<{self._told()}, #ttg.shared_memory{', mutable' if self.mutable else ''}>"


def _rank(encoding: Encoding) -> int | None:
    """The number of axes, where it is known."""
    if isinstance(encoding, PaddedShared):
        return encoding.unpadded.axes
    return encoding.axes if isinstance(encoding, LinearLayout) else encoding.rank
