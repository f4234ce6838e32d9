"""XLA's ``LayoutProto`` and ``ShapeProto`` as they are read: dictionaries, JSON as in ``backend_config``, or protobuf's text.

Field names and enum numbers are those of xla/xla_data.proto.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple, TypeVar

from ...errors import LayoutError, LayoutSyntaxError, shown
from . import proto_text, validation
from .layout import Layout
from .proto_writing import UNBOUNDED, enum_name
from .shape import MOST_NESTED, Shape
from .types import INTEGER_TYPES

T = TypeVar("T")

#: The numbers of the enum ``PrimitiveType``.
_NUMBERS = {
    "pred": 1, "s8": 2, "s16": 3, "s32": 4, "s64": 5, "u8": 6, "u16": 7, "u32": 8, "u64": 9, "f16": 10, "f32": 11, "f64": 12,
    "tuple": 13, "opaque": 14, "c64": 15, "bf16": 16, "token": 17, "c128": 18, "f8e5m2": 19, "f8e4m3fn": 20, "s4": 21, "u4": 22,
    "f8e4m3b11fnuz": 23, "f8e5m2fnuz": 24, "f8e4m3fnuz": 25, "s2": 26, "u2": 27, "f8e4m3": 28, "f8e3m4": 29, "s1": 30, "u1": 31,
    "f4e2m1fn": 32, "f8e8m0fnu": 33, "buffer": 34, "f6e3m2fn": 35, "f6e2m3fn": 36,
}  # fmt: skip

#: What is called so here by the names and by the numbers of the enum.
_TYPES: dict[Any, str | None] = {enum_name(name): name for name in _NUMBERS}
_TYPES["PRIMITIVE_TYPE_INVALID"] = None
_NUMBERED: dict[Any, str | None] = {0: None, **{number: name for name, number in _NUMBERS.items()}}


def from_proto(message: Mapping[str, Any] | str) -> Layout | Shape:
    """The layout or shape that a message says, given as a dictionary, as JSON, or as protobuf's text.

    >>> print(from_proto('{"minor_to_major":["1","0"],"tiles":[{"dimensions":["8","128"]}],"memory_space":1}'))
    {1,0:T(8,128)S(1)}
    >>> print(from_proto({"elementType": "F32", "dimensions": ["3", "5"], "layout": {"minorToMajor": [0, 1]}}))
    f32[3,5]{0,1}
    >>> print(from_proto("layout { minor_to_major: 1 minor_to_major: 0 tiles { dimensions: 8 dimensions: 128 } }"))
    {1,0:T(8,128)}

    Names in the way of proto files are read as well as those of JSON, and integers as well as strings. A message with a field of
    ``ShapeProto`` is one. What XLA reads and drops, ``dimLevelTypes`` and the like, is dropped. Raises ``LayoutError`` for
    unknown fields and for values that the field cannot have, and names the field.
    """
    given = _parsed(message) if isinstance(message, str) else message
    fields = _fields(given, "the message", {**_LAYOUT, **_SHAPE})
    return _read_shape(given, "", 0) if fields.keys() & _SHAPE.keys() else _read_layout(given, "", 0)


def is_message(text: str) -> bool:
    """Whether the text begins as JSON's objects or protobuf's text with a field does, which no other text of XLA's does.

    >>> is_message('{"minorToMajor": ["0"]}'), is_message("minor_to_major: 0"), is_message("{0}"), is_message("f32[3]{0}")
    (True, True, False, False)
    """
    return bool(re.match(r'\s*\{\s*"', text)) or proto_text.recognizes(text)


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

    if proto_text.recognizes(text):
        return proto_text.parse(text)
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
        if name not in known and not (name in _DROPPED and known.keys() >= _LAYOUT.keys()):
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
    return {
        known[name].name: known[name].read(value, f"{path}.{name}" if path else name, depth)
        for name, value in fields.items()
        if name not in _DROPPED
    }


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
                None if size == UNBOUNDED and flag else size for size, flag in zip(values.get("dims", ()), flags, strict=True)
            )
        return Shape(**values)
    except LayoutError as error:
        raise type(error)(f"{path}: {error}" if path else str(error)) from None


def _integer(value: Any, path: str, depth: int) -> int:
    number = value if isinstance(value, int) and not isinstance(value, bool) else None
    if isinstance(value, str) and re.fullmatch("-?[0-9]{1,20}", value):
        number = int(value)
    if number is None or not UNBOUNDED <= number < -UNBOUNDED:
        raise LayoutError(f"{path} is {shown(value)}; it takes a 64-bit integer, such as 8 or '8'")
    return number


def _prefix(value: Any, path: str, depth: int) -> int:
    """Bytes in front; XLA takes a negative number for none."""
    return max(0, _integer(value, path, depth))


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
        raise LayoutError(f"{path} has the dimension -1; one that is combined with the next is {UNBOUNDED}")
    return sizes


def _split(value: Any, path: str, depth: int) -> tuple[int, tuple[int, ...]]:
    fields = _read(value, path, depth + 1, _SPLIT)
    return fields.get("dimension", 0), fields.get("split_indices", ())


def _nested_layout(value: Any, path: str, depth: int) -> Layout:
    return _read_layout(value, path, depth + 1)


def _nested_shape(value: Any, path: str, depth: int) -> Shape:
    return _read_shape(value, path, depth + 1)


#: What XLA reads of a layout and drops.
_DROPPED = frozenset({"dimLevelTypes", "dimUnique", "dimOrdered"})

_integers = partial(_each, _integer)

_TILE = {"dimensions": _Field("dimensions", _integers)}
_SPLIT = {"dimension": _Field("dimension", _integer), "splitIndices": _Field("split_indices", _integers)}
_LAYOUT = {
    "minorToMajor": _Field("minor_to_major", _integers),
    "tiles": _Field("tiles", partial(_each, _tile)),
    "elementSizeInBits": _Field("element_size_in_bits", _integer),
    "memorySpace": _Field("memory_space", _integer),
    "physicalShape": _Field("physical_shape", _nested_shape),
    "indexPrimitiveType": _Field("index_primitive_type", _integer_type),
    "pointerPrimitiveType": _Field("pointer_primitive_type", _integer_type),
    "dynamicShapeMetadataPrefixBytes": _Field("dynamic_shape_metadata_prefix_bytes", _prefix),
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
