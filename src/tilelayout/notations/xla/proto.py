"""XLA's ``LayoutProto`` and ``ShapeProto`` as JSON, the form that layouts have in the ``backend_config`` of HLO text.

Field names and enum numbers are those of xla/xla_data.proto; the form is the JSON mapping of proto3, in which a 64-bit
integer is a string and a field at its default is left out. Two fields are always there, as XLA always sets them:
``tailPaddingAlignmentInElements``, and a flag in ``isDynamicDimension`` for each dimension.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple, TypeVar

from ...errors import LayoutError, LayoutSyntaxError, shown
from . import validation
from .layout import Layout
from .shape import MOST_NESTED, Shape
from .types import INTEGER_TYPES

T = TypeVar("T")

_LEAST = -(2**63)

#: The numbers of the enum ``PrimitiveType``.
_NUMBERS = {
    "pred": 1, "s8": 2, "s16": 3, "s32": 4, "s64": 5, "u8": 6, "u16": 7, "u32": 8, "u64": 9, "f16": 10, "f32": 11, "f64": 12,
    "tuple": 13, "opaque": 14, "c64": 15, "bf16": 16, "token": 17, "c128": 18, "f8e5m2": 19, "f8e4m3fn": 20, "s4": 21, "u4": 22,
    "f8e4m3b11fnuz": 23, "f8e5m2fnuz": 24, "f8e4m3fnuz": 25, "s2": 26, "u2": 27, "f8e4m3": 28, "f8e3m4": 29, "s1": 30, "u1": 31,
    "f4e2m1fn": 32, "f8e8m0fnu": 33, "buffer": 34, "f6e3m2fn": 35, "f6e2m3fn": 36,
}  # fmt: skip

#: What is called so here by the names and by the numbers of the enum.
_TYPES: dict[Any, str | None] = {"OPAQUE_TYPE" if name == "opaque" else name.upper(): name for name in _NUMBERS}
_TYPES["PRIMITIVE_TYPE_INVALID"] = None
_NUMBERED: dict[Any, str | None] = {0: None, **{number: name for name, number in _NUMBERS.items()}}


def to_proto(described: Layout | Shape) -> dict[str, Any]:
    """The message as a dictionary, ready for ``json.dumps``.

    >>> json.dumps(to_proto(Layout((1, 0), tiles=((8, 128), (2, 1)))))[:72]
    '{"minorToMajor": ["1", "0"], "tiles": [{"dimensions": ["8", "128"]}, {"d'

    Raises ``LayoutError`` for an index or pointer type that is none: XLA keeps ``invalid`` only in text.
    """
    if isinstance(described, Layout):
        return _written_layout(described)
    if isinstance(described, Shape):
        return _written_shape(described)
    raise LayoutError(f"{shown(described)} is neither an xla.Layout nor an xla.Shape; only these have a message")


def from_proto(message: Mapping[str, Any] | str) -> Layout | Shape:
    """The layout or shape that a message says, given as a dictionary or as JSON.

    >>> print(from_proto('{"minor_to_major":["1","0"],"tiles":[{"dimensions":["8","128"]}],"memory_space":1}'))
    {1,0:T(8,128)S(1)}
    >>> print(from_proto({"elementType": "F32", "dimensions": ["3", "5"], "layout": {"minorToMajor": [0, 1]}}))
    f32[3,5]{0,1}

    Names in the way of proto files are read as well as those of JSON, and integers as well as strings. A message with a field of
    ``ShapeProto`` is one. What XLA reads and drops, ``dimLevelTypes`` and the like, is dropped. Raises ``LayoutError`` for
    unknown fields and for values that the field cannot have, and names the field.
    """
    given = _parsed(message) if isinstance(message, str) else message
    fields = _fields(given, "the message", {**_LAYOUT, **_SHAPE})
    return _read_shape(given, "", 0) if fields.keys() & _SHAPE.keys() else _read_layout(given, "", 0)


def is_json(text: str) -> bool:
    """Whether the text begins as a JSON object with a field does, which no other text of XLA's does.

    >>> is_json('{"minorToMajor": ["0"]}'), is_json("{0}")
    (True, False)
    """
    return bool(re.match(r'\s*\{\s*"', text))


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
            "dimensions": [str(_LEAST if size is None else size) for size in shape.dims],
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
    return None if name is None else "OPAQUE_TYPE" if name == "opaque" else name.upper()


class _Field(NamedTuple):
    """What a field is called here, and the rule for its value, its path and the depth of messages around it."""

    name: str
    read: Callable[[Any, str, int], Any]


def _parsed(text: str) -> Any:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise LayoutError(f"the JSON object with the fields {shown([name for name, _ in pairs])} has a field twice; each is given once")
        return found

    try:
        return json.loads(text, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise LayoutSyntaxError(f"this is no JSON: {error.msg}", text, error.pos) from None
    except RecursionError:
        raise LayoutError(f"JSON is nested too deep; shapes are read up to {MOST_NESTED} deep") from None
    except LayoutError:
        raise
    except ValueError as error:  # numbers of thousands of digits
        raise LayoutError(f"this is no JSON of a layout: {error}") from None


def _fields(message: Any, path: str, known: Mapping[str, _Field]) -> dict[str, Any]:
    """The fields that are set, by their names in JSON."""
    if not isinstance(message, Mapping):
        raise LayoutError(f"{path} is {shown(message)}; it takes an object with fields, such as {{'minorToMajor': ['1', '0']}}")
    found: dict[str, Any] = {}
    for given, value in message.items():
        name = re.sub("_([a-z])", lambda match: match[1].upper(), given) if isinstance(given, str) else ""
        if name not in known:
            raise LayoutError(f"{path} has the field {shown(given)}; the fields there are {', '.join(known)}")
        if name in found:
            raise LayoutError(f"{path} has the field {name} in both spellings; one is enough")
        if value is not None:
            found[name] = value
    return found


def _read(message: Any, path: str, depth: int, known: Mapping[str, _Field]) -> dict[str, Any]:
    """The values of the fields that are set and are not dropped, by their names here."""
    if depth > MOST_NESTED:
        raise LayoutError(f"messages nested more than {MOST_NESTED} deep are not read")
    fields = _fields(message, path or "the message", known)
    values = {known[name].name: known[name].read(value, f"{path}.{name}" if path else name, depth) for name, value in fields.items()}
    values.pop("", None)
    return values


def _read_layout(message: Any, path: str, depth: int) -> Layout:
    values = {"minor_to_major": (), **_read(message, path, depth, _LAYOUT)}
    if not values.get("tail_padding_alignment_in_elements", 1):
        del values["tail_padding_alignment_in_elements"]
    for name, value in values.items():
        try:
            validation.CHECKS[name](value)
        except LayoutError as error:
            where = next(field for field in _LAYOUT if _LAYOUT[field].name == name)
            raise LayoutError(f"{path}{'.' if path else ''}{where}: {error}") from None
    return Layout(**values)


def _read_shape(message: Any, path: str, depth: int) -> Shape:
    values = _read(message, path, depth, _SHAPE)
    if values.get("element_type") is None:
        raise LayoutError(f"{path or 'the message'} is a ShapeProto without elementType; set it, or give the message under layout alone")
    try:
        if len(values.get("dynamic", ())) == len(values.get("dims", ())):
            flags = values.get("dynamic", ())
            values["dims"] = tuple(
                None if size == _LEAST and flag else size for size, flag in zip(values.get("dims", ()), flags, strict=True)
            )
        return Shape(**values)
    except LayoutError as error:
        raise type(error)(f"{path}: {error}" if path else str(error)) from None


def _integer(value: Any, path: str, depth: int) -> int:
    number = value if isinstance(value, int) and not isinstance(value, bool) else None
    if isinstance(value, str) and re.fullmatch("-?[0-9]{1,20}", value):
        number = int(value)
    if number is None or not _LEAST <= number < -_LEAST:
        raise LayoutError(f"{path} is {shown(value)}; it takes a 64-bit integer, such as 8 or '8'")
    return number


def _flag(value: Any, path: str, depth: int) -> bool:
    if not isinstance(value, bool):
        raise LayoutError(f"{path} is {shown(value)}; it takes true or false")
    return value


def _type(value: Any, path: str, depth: int) -> str | None:
    known = _TYPES if isinstance(value, str) else _NUMBERED if type(value) is int else None
    if known is None or value not in known:
        raise LayoutError(f"{path} is {shown(value)}; it takes a PrimitiveType by name, such as 'BF16', or by number")
    return known[value]


def _integer_type(value: Any, path: str, depth: int) -> str | None:
    name = _type(value, path, depth)
    if name is not None and name not in INTEGER_TYPES:
        raise LayoutError(f"{path} is {shown(value)}; it takes an integer type, such as 'U32'")
    return name


def _each(read: Callable[[Any, str, int], T], value: Any, path: str, depth: int) -> tuple[T, ...]:
    if not isinstance(value, list | tuple):
        raise LayoutError(f"{path} is {shown(value)}; it takes a list")
    return tuple(read(item, f"{path}[{k}]", depth) for k, item in enumerate(value))


def _tile(value: Any, path: str, depth: int) -> tuple[int, ...]:
    sizes: tuple[int, ...] = tuple(_read(value, path, depth + 1, _TILE).get("dimensions", ()))
    if -1 in sizes:
        raise LayoutError(f"{path} has the dimension -1; one that is combined with the next is {_LEAST}")
    return sizes


def _split(value: Any, path: str, depth: int) -> tuple[int, tuple[int, ...]]:
    fields = _read(value, path, depth + 1, _SPLIT)
    return fields.get("dimension", 0), fields.get("split_indices", ())


def _nested_layout(value: Any, path: str, depth: int) -> Layout:
    return _read_layout(value, path, depth + 1)


def _nested_shape(value: Any, path: str, depth: int) -> Shape:
    return _read_shape(value, path, depth + 1)


def _dropped(value: Any, path: str, depth: int) -> None:
    return None


_integers = partial(_each, _integer)

_TILE = {"dimensions": _Field("dimensions", _integers)}
_SPLIT = {"dimension": _Field("dimension", _integer), "splitIndices": _Field("split_indices", _integers)}
_LAYOUT = {
    "minorToMajor": _Field("minor_to_major", _integers),
    "tiles": _Field("tiles", partial(_each, _tile)),
    "elementSizeInBits": _Field("element_size_in_bits", _integer),
    "memorySpace": _Field("memory_space", _integer),
    "dimLevelTypes": _Field("", partial(_each, _dropped)),
    "physicalShape": _Field("physical_shape", _nested_shape),
    "indexPrimitiveType": _Field("index_primitive_type", _integer_type),
    "pointerPrimitiveType": _Field("pointer_primitive_type", _integer_type),
    "dimUnique": _Field("", partial(_each, _dropped)),
    "dimOrdered": _Field("", partial(_each, _dropped)),
    "dynamicShapeMetadataPrefixBytes": _Field("dynamic_shape_metadata_prefix_bytes", _integer),
    "tailPaddingAlignmentInElements": _Field("tail_padding_alignment_in_elements", _integer),
    "splitConfigs": _Field("split_configs", partial(_each, _split)),
}
_SHAPE = {
    "elementType": _Field("element_type", _type),
    "dimensions": _Field("dims", _integers),
    "tupleShapes": _Field("parts", partial(_each, _nested_shape)),
    "layout": _Field("layout", _nested_layout),
    "isDynamicDimension": _Field("dynamic", partial(_each, _flag)),
}
