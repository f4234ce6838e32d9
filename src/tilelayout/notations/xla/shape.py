"""XLA shapes as values: arrays with their layouts, and the tuples, buffers and tokens that stand among them.

As in XLA's ShapeProto there is one kind of shape, told apart by its element type: that of an array, or ``tuple``,
``buffer``, ``token``, ``opaque``. An array always has a layout; where none is given it is row-major.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

from ... import digits
from ...errors import LayoutError, ShapeError, shown
from ...sizes import checked_shape, listed
from . import binding, sizes, validation
from .layout import Layout
from .types import OPAQUE_TYPES, element_type

#: The deepest nesting of tuples that is read or built.
MOST_NESTED = 100

#: XLA marks every element of a tuple whose number is a multiple of this with a comment.
_MARKED_EVERY = 5


@dataclass(frozen=True, slots=True, repr=False)
class Shape:
    """An array, or a tuple, buffer, token or opaque value.

    >>> shape = Shape("f32", (3, 5), layout=Layout((1, 0), tiles=((2, 2),)))
    >>> print(shape)
    f32[3,5]{1,0:T(2,2)}
    >>> shape.elements, shape.padded_elements, shape.byte_size
    (15, 24, 96)
    >>> shape.bind()(2, 3)
    17
    >>> print(Shape("tuple", parts=(Shape("bf16", (2, 3)), Shape("token"))))
    (bf16[2,3]{1,0}, token[])

    Bounds and sizes are an array's, or a buffer's, which holds one; any other shape raises ``LayoutError`` for them. XLA
    gives a tuple a table of pointers, which is no sum of sizes: add up those ``leaves()`` that are arrays.

    Parameters
    ----------
    element_type
        XLA's name, or numpy's name or a dtype object for an array; else ``"tuple"``, ``"buffer"``, ``"token"`` or ``"opaque"``.
    dims
        The sizes; of a bounded dynamic dimension the bound, of an unbounded one None.
    layout
        The layout of an array; row-major if left out.
    dynamic
        Which dimensions are dynamic; none if left out.
    parts
        The elements of a tuple, or the one array of a buffer.
    """

    element_type: str
    dims: tuple[int | None, ...] = ()
    layout: Layout | None = None
    dynamic: tuple[bool, ...] = ()
    parts: tuple[Shape, ...] = ()
    _depth: int = field(default=1, init=False, compare=False)

    def __post_init__(self) -> None:
        compound = isinstance(self.element_type, str) and self.element_type in ("tuple", "buffer", *OPAQUE_TYPES)
        for name, value in (_compound_fields(self) if compound else _array_fields(self)).items():
            object.__setattr__(self, name, value)

    @property
    def is_array(self) -> bool:
        """Whether the shape is an array, with dimensions and a layout."""
        return self.layout is not None

    def leaves(self) -> Iterator[Shape]:
        """The arrays, tokens and opaque values that the shape is made of, in order.

        >>> pair = Shape("tuple", parts=(Shape("f32", (2,)), Shape("tuple", parts=(Shape("s8", (3,)), Shape("token")))))
        >>> sum(leaf.byte_size for leaf in pair.leaves() if leaf.is_array)
        11
        """
        if self.element_type not in ("tuple", "buffer"):
            yield self
        for part in self.parts:
            yield from part.leaves()

    def bind(self, shape: Sequence[int] | None = None) -> digits.Layout:
        """The array's layout as digits; a bounded dynamic dimension has the size of its bound.

        >>> Shape("s4", (2, 3), layout=Layout((0, 1), element_size_in_bits=4)).bind()
        Layout((2, 3), [(1, 1, 3, 2), (0, 1, 2, 1)], slots=6, element=('int4', 4))

        Raises ``ShapeError`` where a size is unknown (``?``) or another ``shape`` is asked for.
        """
        name, bounds, layout = self._array()
        if shape is not None and checked_shape(shape) != bounds:
            raise ShapeError(f"{self} is an array of shape {bounds}, not {tuple(shape)}; change the text, or what has the other shape")
        return binding.bound(layout, bounds, name)

    @property
    def bounds(self) -> tuple[int, ...]:
        """The dimensions as integers; an unbounded one (``?``) raises ``ShapeError``."""
        return self._array().bounds

    @property
    def expanded_shape(self) -> tuple[int, ...]:
        """The row-major dimensions, most major first, in which the array lies when every tile has cut it.

        >>> Shape("f32", (3, 5), layout=Layout((1, 0), tiles=((2, 2),))).expanded_shape
        (2, 3, 2, 2)
        """
        _, bounds, layout = self._array()
        return tuple(dim.radix for dim in binding.expanded_dims(layout, bounds))

    @property
    def memory_space(self) -> int:
        """The memory space ``S``; 0 is the backend's default."""
        if self.element_type == "buffer":
            return self.parts[0].memory_space
        return (self.layout or self._array().layout).memory_space

    @property
    def elements(self) -> int:
        """The number of elements, without padding."""
        return prod(self.bounds)

    @property
    def padded_elements(self) -> int:
        """The number of slots: all levels of tiling and the alignment ``L`` included."""
        return self.bind().slots

    @property
    def byte_size(self) -> int:
        """Bytes of all slots: padding of all levels of tiling and of ``L`` included.

        >>> Shape("f32", (3, 5), layout=Layout((1, 0), tiles=((2, 2),))).byte_size
        96
        """
        return sizes.byte_size(self.padded_elements, self._array())

    @property
    def allocation_byte_size(self) -> int:
        """What TPU compilers report as the size of an allocation: ``byte_size`` behind the prefix ``M``, of an array that ``SC`` cuts that
        of the largest piece.

        >>> Shape("f32", (3, 5), layout=Layout((1, 0), dynamic_shape_metadata_prefix_bytes=1024)).allocation_byte_size
        1084
        """
        array = self._array()
        return array.layout.dynamic_shape_metadata_prefix_bytes + sizes.byte_size(self.largest_piece.padded_elements, array)

    @property
    def logical_byte_size(self) -> int:
        """Bytes of the elements alone, each in whole bytes, as numpy's ``nbytes``: the unpadded size that TPU compilers report."""
        return sizes.byte_size(self.elements, self._array()._replace(layout=Layout(())))

    @property
    def xla_byte_size(self) -> int:
        """XLA's ``ByteSizeOf``: the elements without padding, each of ``E`` bits where the layout says so."""
        return sizes.byte_size(self.elements, self._array())

    @property
    def xla_array_size(self) -> int:
        """XLA's ``ArraySize``: padded by the first tile only; of a split dimension (``SC``) the largest piece counts.

        Without tiles it leaves the alignment ``L`` out too. A tile with ``*`` raises ``LayoutError``: XLA has no answer.
        """
        return sizes.xla_array_size(self._array())

    @property
    def largest_piece(self) -> Shape:
        """The array that the largest of the pieces is that ``SC`` cuts the array into; the array itself where it is not cut.

        >>> print(Shape("f32", (150, 200), layout=Layout((0, 1), split_configs=((1, (40, 130)),))).largest_piece)
        f32[90,200]{0,1}
        """
        if self.element_type == "buffer":
            return self.parts[0].largest_piece
        array = self._array()
        if not array.layout.split_configs:
            return self
        by_axis = dict(zip(reversed(array.layout.minor_to_major), sizes.split_sizes(array), strict=True))
        dims = tuple(by_axis[axis] for axis in range(len(by_axis)))
        return replace(self, dims=dims, layout=replace(array.layout, split_configs=()))

    @property
    def max_elements_per_split(self) -> int:
        """The elements of the largest piece that ``SC`` cuts the array into, without padding.

        >>> split = Layout((0, 1, 2), split_configs=((0, (30,)), (1, (40, 130))))
        >>> Shape("f32", (150, 200, 100), layout=split).max_elements_per_split == 150 * 90 * 70
        True
        """
        return self.largest_piece.elements

    def _array(self) -> sizes.Array:
        """What sizes and digits are made of, or an error where there is no array or a size is unknown."""
        if self.element_type == "buffer":
            return self.parts[0]._array()
        if self.layout is None:
            first = next((leaf for leaf in self.leaves() if leaf.is_array), None)
            hint = f"; give one of its arrays, such as {first}" if first else ""
            raise LayoutError(f"{shown(str(self))} is no array and has no size{hint}")
        bounds = tuple(size for size in self.dims if size is not None)
        if len(bounds) != len(self.dims):
            raise ShapeError(f"{self} has an unbounded dimension, so it has no size; write a size or a bound (<=8) in place of each '?'")
        return sizes.Array(self.element_type, bounds, self.layout)

    def __str__(self) -> str:
        if self.element_type == "tuple":
            return f"({', '.join(map(_marked, range(len(self.parts)), self.parts))})"
        if self.element_type == "buffer":
            return f"b({self.parts[0]})"
        layout = str(self.layout) if self.layout is not None else ""
        return f"{self.element_type}[{','.join(map(_dim_text, self.dims, self.dynamic))}]{layout if layout != '{}' else ''}"

    def __repr__(self) -> str:
        parts = [repr(self.element_type)]
        if self.dims:
            parts.append(repr(self.dims))
        if self.layout is not None and self.layout != Layout.descending(len(self.dims)):
            parts.append(f"layout={self.layout!r}")
        if self.dynamic != tuple(size is None for size in self.dims):
            parts.append(f"dynamic={self.dynamic!r}")
        if self.parts:
            parts.append(f"parts={self.parts!r}")
        return f"xla.Shape({', '.join(parts)})"


def _array_fields(shape: Shape) -> dict[str, Any]:
    """The checked fields of an array."""
    name = element_type(shape.element_type)
    dims = validation.dims(shape.dims)
    layout = Layout.descending(len(dims)) if shape.layout is None else shape.layout
    if not isinstance(layout, Layout):
        raise LayoutError(f"layout {shown(layout)} is no xla.Layout; text is read by xla.parse_layout")
    if listed(shape.parts) != ():
        raise LayoutError(f"an array of {name} has no parts; a tuple has them: xla.Shape('tuple', parts=...)")
    validation.check_for_shape(layout, dims)
    return {"element_type": name, "dims": dims, "layout": layout, "dynamic": validation.dynamic_flags(shape.dynamic, dims)}


def _compound_fields(shape: Shape) -> dict[str, Any]:
    """The checked fields of a tuple, buffer, token or opaque value."""
    kind = shape.element_type
    if listed(shape.dims) != () or listed(shape.dynamic) != () or shape.layout is not None:
        raise ShapeError(f"{kind} has neither dimensions nor a layout; it is written xla.Shape({kind!r})")
    parts = listed(shape.parts)
    if parts is None or not all(isinstance(part, Shape) for part in parts) or (parts and kind in OPAQUE_TYPES):
        raise LayoutError(f"parts {shown(shape.parts)} do not make a {kind}; a tuple is made of any xla.Shape, a buffer of one array")
    if kind == "buffer" and [part.is_array for part in parts] != [True]:
        raise LayoutError(f"b({', '.join(map(str, parts))}) is no buffer, which holds one array, as in b(f32[2,3])")
    depth = 1 + max((part._depth for part in parts), default=0)
    if depth > MOST_NESTED:
        raise LayoutError(f"shapes nested {depth} deep are deeper than {MOST_NESTED}, the most that is read or printed")
    return {"parts": parts, "_depth": depth}


def _marked(index: int, part: Shape) -> str:
    """An element of a tuple, with XLA's comment in front of every fifth."""
    return f"/*index={index}*/{part}" if index and index % _MARKED_EVERY == 0 else str(part)


def _dim_text(size: int | None, dynamic: bool) -> str:
    return "?" if size is None else f"<={size}" if dynamic else str(size)
