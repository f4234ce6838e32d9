"""What becomes of each tensor of a checkpoint, and how a packed one says what it is.

A packed tensor is stored under its name as bytes, ``U8`` with one dimension, so that nobody takes it for the tensor it was. What it is, is
written in the header's metadata, under ``tilelayout``: for each packed tensor the layout as text, the type and the shape.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ...bridges import Array
from ...digits import Layout
from ...elements import BITS, Element
from ...errors import LayoutError, shown
from ...notations import layout as as_layout
from ...sizes import checked_shape
from ..opening import ordered
from ..sides import Terms
from ..streaming import held_dtype
from .converting import conversion
from .dtypes import NAMES, stored_bits, tag_of
from .header import Header, Tensor, parsed
from .rules import Rule, matched

#: The entry of the metadata that says what is packed.
KEY = "tilelayout"
#: The version of that entry.
VERSION = 1


@dataclass(frozen=True, slots=True)
class Part:
    """A tensor on its way: as it is in the source, as it will be in the target, and the layouts that it is in there.

    ``held`` is the dtype as which its bytes are read, ``dtype`` that of its elements, into which ``convert`` makes them.
    """

    source: Tensor
    target: Tensor
    before: Layout
    after: Layout
    held: np.dtype[Any]
    dtype: np.dtype[Any] | None = None
    convert: Callable[[Array], Array] | None = None

    def terms(self, terms: Terms, done: int, total: int) -> Terms:
        """The terms for this tensor, where so many bytes of all are done."""
        tell = terms.progress
        progress = None if tell is None else lambda here, _: tell(done + here, total)
        return replace(terms, is_fresh=True, dtype=self.dtype, convert=self.convert, progress=progress)


class Plan(NamedTuple):
    """What becomes of each tensor, the metadata of the target, and the layouts of the tensors that are packed in either file."""

    parts: dict[str, Part]
    metadata: dict[str, str]
    layouts: dict[str, Layout]


def packing(head: Header, rules: Sequence[Rule], *, allow_unmatched: bool = False) -> Plan:
    """Pack what the rules match, and copy the rest."""
    if KEY in head.metadata:
        raise LayoutError("it is packed already; unpack it first")
    parts, described, layouts = {}, {}, {}
    chosen = matched(rules, head.tensors, allow_unmatched=allow_unmatched)
    for name, tensor in head.tensors.items():
        if (rule := chosen.get(name)) is None:
            parts[name] = _copied(tensor)
            continue
        dtype = rule.dtype or NAMES[tensor.tag]
        try:
            text = rule.text(tensor.shape, dtype)
            parts[name] = _packed(tensor, dtype, as_layout(text, tensor.shape))
        except LayoutError as error:
            raise LayoutError(f"tensor {shown(name)}, by rule '{rule}': {error}") from None
        described[name] = {"layout": text, "dtype": dtype, "shape": tensor.shape}
        layouts[name] = _typed(parts[name].after, dtype)
    metadata = {**head.metadata, KEY: json.dumps({"version": VERSION, "tensors": described}, separators=(",", ":"))}
    return Plan(parts, metadata, layouts)


def unpacking(head: Header) -> Plan:
    """Unpack what says that it is packed, and copy the rest."""
    if KEY not in head.metadata:
        raise LayoutError(f"its metadata has no {KEY!r}, which says how its tensors are packed; it was not written by pack_checkpoint")
    described = _described(head.metadata[KEY])
    if missing := described.keys() - head.tensors.keys():
        raise LayoutError(f"it says that {shown(min(missing))} is packed, and has no tensor of that name")
    parts, layouts = {}, {}
    for name, tensor in head.tensors.items():
        if name not in described:
            parts[name] = _copied(tensor)
            continue
        try:
            parts[name] = _unpacked(tensor, described[name])
        except LayoutError as error:
            raise LayoutError(f"tensor {shown(name)}: {error}") from None
        layouts[name] = _typed(parts[name].before, described[name]["dtype"])
    return Plan(parts, {key: text for key, text in head.metadata.items() if key != KEY}, layouts)


def _copied(tensor: Tensor) -> Part:
    layout = ordered((tensor.nbytes,))
    return Part(tensor, tensor, layout, layout, np.dtype(np.uint8))


def _packed(tensor: Tensor, dtype: str, after: Layout) -> Part:
    before, held = _stored(tensor, NAMES[tensor.tag])
    if (tag := tag_of(dtype)) is None:
        raise LayoutError(f"{dtype} has no name in safetensors files, so it could not be unpacked; known are {', '.join(NAMES.values())}")
    _stored(Tensor(tag, tensor.shape), dtype)  # what could not be unpacked is not packed
    _check_names(after, dtype)
    if after.size > after.slots:
        raise LayoutError(f"{after.size} elements are more than the {after.slots} slots of the layout")
    elements = held_dtype(dtype)
    target = Tensor("U8", (_bytes_of(after, elements),))
    return Part(tensor, target, before, after, held, elements, conversion(NAMES[tensor.tag], dtype))


def _unpacked(tensor: Tensor, entry: Any) -> Part:
    if not isinstance(entry, dict) or entry.keys() != {"layout", "dtype", "shape"} or not isinstance(entry["layout"], str):
        raise LayoutError(f"it is described by {shown(entry)}; that takes layout, dtype and shape")
    dtype, shape = entry["dtype"], entry["shape"]
    if not isinstance(dtype, str) or dtype not in BITS or (tag := tag_of(dtype)) is None:
        raise LayoutError(f"its dtype is {shown(dtype)}; known are {', '.join(NAMES.values())}")
    if not isinstance(shape, list) or not all(type(n) is int for n in shape):
        raise LayoutError(f"its shape is {shown(shape)}, which is no list of sizes")
    before = as_layout(entry["layout"], checked_shape(shape))
    _check_names(before, dtype)
    elements = held_dtype(dtype)
    nbytes = _bytes_of(before, elements)
    if (tensor.tag, tensor.shape) != ("U8", (nbytes,)) or before.size > before.slots:
        raise LayoutError(f"it is {tensor.tag} of shape {tensor.shape}, where what its layout says is U8 of shape {(nbytes,)}")
    target = Tensor(tag, before.shape)
    after, _ = _stored(target, dtype)
    held = elements if before.element is None else np.dtype(np.uint8)
    return Part(tensor, target, before, after, held, elements)


def _stored(tensor: Tensor, name: str) -> tuple[Layout, np.dtype[Any]]:
    """A tensor's elements as a file has them, row-major, and the dtype of its bytes."""
    plain, bits = ordered(tensor.shape), stored_bits(tensor.tag)
    if bits == 6:
        raise LayoutError(f"elements of 6 bits, as {tensor.tag} has them, lie across bytes and cannot be packed; leave them 'plain'")
    if plain.size * bits % 8:
        raise LayoutError(f"{plain.size} elements of {bits} bits are no whole bytes, as tensors in safetensors files are")
    if bits % 8 == 0:
        return plain, held_dtype(name)
    return Layout(plain.shape, plain.digits, slots=plain.slots, element=Element(name, bits)), np.dtype(np.uint8)


def _typed(layout: Layout, dtype: str) -> Layout:
    """The layout, which says of what type its elements are."""
    if layout.element is not None and layout.element.name:
        return layout
    bits = layout.element.bits if layout.element else 8 * held_dtype(dtype).itemsize
    return Layout(layout.shape, layout.digits, slots=layout.slots, element=Element(dtype, bits))


def _bytes_of(layout: Layout, elements: np.dtype[Any]) -> int:
    bits = elements.itemsize * 8 if layout.element is None else layout.element.bits
    return -(-layout.slots * bits // 8)


def _check_names(layout: Layout, dtype: str) -> None:
    named = layout.element and layout.element.name
    if named and named != dtype:
        raise LayoutError(f"the layout is one of {named}, and the elements are {dtype}; convert them, or leave the type out of the layout")


def _described(text: str) -> dict[str, Any]:
    """What the metadata says of each packed tensor."""
    try:
        entry = parsed(text, f"the {KEY!r} of its metadata")
    except LayoutError as error:
        raise LayoutError(f"it {error}") from None
    except (ValueError, RecursionError):
        entry = None
    is_told = isinstance(entry, dict) and type(entry.get("version")) is int and isinstance(entry.get("tensors"), dict)
    if not is_told or entry["version"] != VERSION:
        read = f"version {VERSION} of that, with an object of 'tensors', can be read"
        raise LayoutError(f"its metadata says {shown(text)} of what is packed; {read}")
    tensors: dict[str, Any] = entry["tensors"]
    return tensors
