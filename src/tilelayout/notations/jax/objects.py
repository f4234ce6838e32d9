"""JAX's own objects: layouts, formats and arrays, told by their attributes, and made where JAX is installed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ... import digits
from ...bridges import has
from ...errors import LayoutError, ShapeError, shown, type_of
from ...sizes import checked_shape
from .. import xla
from ..xla.types import element_type, xla_element
from .expressing import express
from .layout import FIELDS, Layout, theirs


def adopt(described: object) -> Layout | None:
    """The layout that an object of JAX has: a ``Layout``, a ``Format``, or those of before 0.7; None for any other object.

    >>> from types import SimpleNamespace
    >>> adopt(SimpleNamespace(major_to_minor=(0, 1), tiling=((8, 128),), sub_byte_element_size_in_bits=0))
    Layout(major_to_minor=(0, 1), tiling=((8, 128),), sub_byte_element_size_in_bits=0)

    It is told by its attributes, and JAX is not imported. A layout that is left to the compiler raises ``LayoutError``.
    """
    if isinstance(described, type):
        return None
    if has(described, "sharding") and (field := next((name for name in ("layout", "device_local_layout") if has(described, name)), None)):
        held = getattr(described, field)
        if not has(held, "major_to_minor"):
            raise LayoutError(f"{shown(described)} leaves the layout to the compiler: its {field} is {shown(held)}; compile first")
        return adopt(held)
    for prefix in ("", "_"):
        fields = (FIELDS[0], *(prefix + field for field in FIELDS[1:]))
        if all(has(described, field) for field in fields):
            return Layout(*(getattr(described, field) for field in fields))
    return None


def from_jax(described: object, shape: Sequence[int] | None = None) -> digits.Layout:
    """The layout of an array of JAX; or of a ``Layout`` or ``Format`` of JAX, for arrays of a shape that is given.

    >>> from types import SimpleNamespace
    >>> held = SimpleNamespace(major_to_minor=(0, 1), tiling=((8, 128), (2, 1)), sub_byte_element_size_in_bits=0)
    >>> from_jax(held, (17, 300)).to("xla")
    '{1,0:T(8,128)(2,1)}'

    An array says its shape and its type itself, and so does a ``jax.ShapeDtypeStruct`` with a format. Where it is sharded, the layout
    is that of one shard, of ``array.sharding.shard_shape(array.shape)``: what lies in the memory of one device. Elements below a byte share
    bytes there, though in JAX 0.10 the layout of an array on the CPU does not say so. JAX is not imported.

    Raises ``LayoutError`` for other objects and for a layout that is left to the compiler, ``ShapeError`` where the shape is
    missing or another than the array's.
    """
    if _is_array(described):
        array: Any = described
        if has(array, "is_deleted") and array.is_deleted():
            raise LayoutError(
                f"the array of shape {tuple(array.shape)} was deleted, or donated, and has no layout any more; ask before that"
            )
        found = _adopted(array.format, described)
        extents = tuple(array.sharding.shard_shape(array.shape))
        if shape is not None and checked_shape(shape) != extents:
            whole = "" if extents == tuple(array.shape) else f", shards of shape {extents}"
            raise ShapeError(f"shape={shown(shape)} for an array of shape {tuple(array.shape)}{whole}; leave the shape out")
        return _in_memory(found.to_xla(), array.dtype).bind(extents, array.dtype)
    return _adopted(described, described).bind(shape)


def to_jax(layout: digits.Layout, sharding: object = None) -> Any:
    """The layout as a ``jax.experimental.layout.Layout``; with a sharding, as the ``Format`` that ``jax.jit`` and ``jax.device_put`` take.

    ``jax.device_put(x, to_jax(layout, x.sharding))`` puts an array into the layout. Raises ``NotExpressible`` where JAX has no words
    for a layout (see ``express``), and ``LayoutError`` where JAX 0.7 or later is not installed.
    """
    made = express(layout).to_jax()
    return made if sharding is None else theirs("Format")(made, sharding)


def _is_array(described: object) -> bool:
    return not isinstance(described, type) and all(has(described, name) for name in ("format", "sharding", "shape", "dtype"))


def _in_memory(layout: xla.Layout, dtype: object) -> xla.Layout:
    """The layout of an array in memory: JAX 0.10 may say whole bytes of elements that it keeps in less."""
    bits = xla_element(element_type(dtype)).value_bits
    return replace(layout, element_size_in_bits=bits) if 1 < bits < 8 and not layout.element_size_in_bits else layout


def _adopted(described: object, given: object) -> Layout:
    found = adopt(described)
    if found is None:
        raise LayoutError(f"{shown(given)} is {type_of(given)}; it takes an array, a Layout or a Format of JAX")
    return found
