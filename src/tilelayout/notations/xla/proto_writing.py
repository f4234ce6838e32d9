"""XLA's ``LayoutProto`` and ``ShapeProto`` as JSON, the form that layouts have in the ``backend_config`` of HLO text.

Field names are those of xla/xla_data.proto; the form is the JSON mapping of proto3, in which a 64-bit integer is a string and a field at
its default is left out. Two fields are always there, as XLA always sets them: ``tailPaddingAlignmentInElements``, and a flag in
``isDynamicDimension`` for each dimension.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...errors import LayoutError, shown
from . import validation
from .layout import Layout
from .shape import Shape

#: The size of a dimension that has no bound.
UNBOUNDED = -(2**63)


def to_proto(described: Layout | Shape) -> dict[str, Any]:
    """The message as a dictionary, ready for ``json.dumps``.

    >>> import json
    >>> json.dumps(to_proto(Layout((1, 0), tiles=((8, 128), (2, 1)))))[:72]
    '{"minorToMajor": ["1", "0"], "tiles": [{"dimensions": ["8", "128"]}, {"d'

    Raises ``LayoutError`` for an index or pointer type that is none: XLA keeps ``invalid`` only in text.
    """
    if isinstance(described, Layout):
        return _written_layout(described)
    if isinstance(described, Shape):
        return _written_shape(described)
    raise LayoutError(f"{shown(described)} is neither an xla.Layout nor an xla.Shape; only these have a message")


def _written_layout(layout: Layout) -> dict[str, Any]:
    message: dict[str, Any] = {
        "minorToMajor": _strings(layout.minor_to_major),
        "tiles": [{"dimensions": _strings(tile)} if tile else {} for tile in layout.tiles],
        "elementSizeInBits": _string(layout.element_size_in_bits),
        "memorySpace": _string(layout.memory_space),
        "indexPrimitiveType": _type_name(layout.index_primitive_type),
        "pointerPrimitiveType": _type_name(layout.pointer_primitive_type),
        "physicalShape": None if layout.physical_shape is None else _written_shape(layout.physical_shape),
        "dynamicShapeMetadataPrefixBytes": _string(layout.dynamic_shape_metadata_prefix_bytes),
        "tailPaddingAlignmentInElements": str(layout.tail_padding_alignment_in_elements),
        "splitConfigs": [
            _without_defaults({"dimension": _string(dimension), "splitIndices": _strings(indices)})
            for dimension, indices in layout.split_configs
        ],
    }
    return _without_defaults(message)


def _written_shape(shape: Shape) -> dict[str, Any]:
    return _without_defaults(
        {
            "elementType": _type_name(shape.element_type),
            "dimensions": [str(UNBOUNDED if size is None else size) for size in shape.dims],
            "tupleShapes": [_written_shape(part) for part in shape.parts],
            "layout": None if shape.layout is None else _written_layout(shape.layout),
            "isDynamicDimension": list(shape.dynamic),
        }
    )


def _without_defaults(message: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in message.items() if value is not None and value != []}


def _string(number: int) -> str | None:
    return str(number) if number else None


def _strings(numbers: Iterable[int]) -> list[str]:
    return [str(int(number)) for number in numbers]


def _type_name(name: str | None) -> str | None:
    if name == validation.INVALID_TYPE:
        raise LayoutError("the type 'invalid' is in no message, where a type that is left out says as much; use None")
    return None if name is None else enum_name(name)


def enum_name(name: str) -> str:
    """The name that the enum ``PrimitiveType`` has for a type."""
    return "OPAQUE_TYPE" if name == "opaque" else name.upper()
