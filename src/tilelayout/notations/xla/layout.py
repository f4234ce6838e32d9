"""The layout of an XLA array as a value: everything between the braces of ``f32[3,5]{1,0:T(2,2)}``.

The fields carry the names of XLA's LayoutProto, and print in the one order that XLA's parser accepts. A field at its
default is not printed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from ... import digits
from ...errors import ShapeError, SizesMissing, shown
from ...sizes import MOST_LISTED, checked_shape, integer
from . import binding, validation
from .tiling import Tile, tile_text
from .types import element_type
from .validation import SplitConfig

if TYPE_CHECKING:
    from .shape import Shape


@dataclass(frozen=True, slots=True, repr=False)
class Layout:
    """How an array of some rank lies in memory.

    >>> Layout((1, 0))
    xla.Layout((1, 0))
    >>> print(Layout((1, 0), tiles=((8, 128), (2, 1)), memory_space=1))
    {1,0:T(8,128)(2,1)S(1)}
    >>> print(Layout((2, 1, 0), tiles=[(2, "*", 128)]))
    {2,1,0:T(2,*,128)}

    A tile entry of ``"*"``, -1 or ``xla.COMBINE`` combines its dimension with the next more minor one. Any sequences of
    integers are taken, and stored as tuples. Raises ``LayoutError`` for what XLA refuses in a layout of any array.

    Parameters
    ----------
    minor_to_major
        The dimensions, fastest first.
    tiles
        The tiles, outermost first (``T``).
    tail_padding_alignment_in_elements
        The number of slots is rounded up to a multiple of this (``L``).
    index_primitive_type, pointer_primitive_type
        Integer types of sparse arrays (``#``, ``*``): read and printed, refused for an array.
    element_size_in_bits
        Bits that a slot takes, or 0 for the element type's whole bytes (``E``).
    memory_space
        A number whose meaning is the backend's (``S``); -128 to 127.
    split_configs
        Cuts of physical dimensions (``SC``); the order of slots does not depend on them.
    physical_shape
        The shape of a sparse array's storage (``P``): read and printed, refused for an array.
    dynamic_shape_metadata_prefix_bytes
        Bytes in front of the data (``M``); slots count from behind them.
    """

    minor_to_major: tuple[int, ...]
    tiles: tuple[Tile, ...] = ()
    tail_padding_alignment_in_elements: int = 1
    index_primitive_type: str | None = None
    pointer_primitive_type: str | None = None
    element_size_in_bits: int = 0
    memory_space: int = 0
    split_configs: tuple[SplitConfig, ...] = ()
    physical_shape: Shape | None = None
    dynamic_shape_metadata_prefix_bytes: int = 0

    def __post_init__(self) -> None:
        for field, default in _DEFAULTS:
            value = getattr(self, field)
            if value is not default:
                object.__setattr__(self, field, validation.CHECKS[field](value))

    @classmethod
    def descending(cls, rank: int) -> Layout:
        """The row-major layout, which an array has when no other is given.

        >>> print(Layout.descending(3))
        {2,1,0}
        """
        number = integer(rank)
        if number is None or not 0 <= number <= MOST_LISTED:
            raise ShapeError(f"rank={shown(rank)} is no number of dimensions; it is an integer, 0 to {MOST_LISTED}")
        return cls(tuple(reversed(range(number))))

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.minor_to_major)

    def bind(self, shape: Sequence[int] | None = None, dtype: object = None) -> digits.Layout:
        """The layout of an array of this shape, as digits.

        >>> Layout((1, 0), tiles=((2, 2),)).bind((3, 5)).slots
        24

        ``dtype`` says what lies in a slot: XLA's or numpy's name, or a dtype object. Raises ``ShapeError`` for a shape of
        another rank, or none.
        """
        if shape is None:
            raise SizesMissing(f"{self} says nothing of sizes: give a shape of {self.rank} dimensions, or write it in front as f32[...]")
        return binding.bound(self, checked_shape(shape), None if dtype is None else element_type(dtype))

    def __str__(self) -> str:
        properties = self._properties()
        return f"{{{','.join(map(str, self.minor_to_major))}{':' if properties else ''}{properties}}}"

    def _properties(self) -> str:
        parts = []
        if self.tiles:
            parts += ["T", *map(tile_text, self.tiles)]
        if self.tail_padding_alignment_in_elements != 1:
            parts.append(f"L({self.tail_padding_alignment_in_elements})")
        if self.index_primitive_type is not None:
            parts.append(f"#({self.index_primitive_type})")
        if self.pointer_primitive_type is not None:
            parts.append(f"*({self.pointer_primitive_type})")
        if self.element_size_in_bits:
            parts.append(f"E({self.element_size_in_bits})")
        if self.memory_space:
            parts.append(f"S({self.memory_space})")
        if self.split_configs:
            parts += ["SC", *(f"({dimension}:{','.join(map(str, indices))})" for dimension, indices in self.split_configs)]
        if self.physical_shape is not None:
            parts.append(f"P({self.physical_shape})")
        if self.dynamic_shape_metadata_prefix_bytes:
            parts.append(f"M({self.dynamic_shape_metadata_prefix_bytes})")
        return "".join(parts)

    def __repr__(self) -> str:
        parts = [repr(self.minor_to_major)]
        for field, default in _DEFAULTS[1:]:
            value = getattr(self, field)
            if value != default:
                plain = tuple(map(tuple, value)) if field == "split_configs" else value
                parts.append(f"{field}={plain!r}")
        return f"xla.Layout({', '.join(parts)})"


#: The fields, each with the value that needs neither checking nor printing.
_DEFAULTS = tuple((field.name, field.default) for field in fields(Layout))
