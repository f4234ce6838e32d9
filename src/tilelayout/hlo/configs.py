"""Layouts in the ``backend_config`` of instructions: ``LayoutProto`` and ``ShapeProto`` in JSON, wherever they stand in it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..errors import LayoutError, expect
from ..notations.xla import Layout, Shape, from_proto
from .problems import Problems
from .scanning import Instruction

#: A quoted string, or outside of one the name of an attribute that is read.
_ATTRIBUTE = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|\b(?:backend_config|op_name)=', re.DOTALL)
_ESCAPED = re.compile(rb"\\(?:([0-7]{3})|(.))", re.DOTALL)
_MEANS = {b"n": b"\n", b"t": b"\t", b"r": b"\r"}
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL)

_SHAPE_FIELDS = ("element_type", "elementType")
_LAYOUT_FIELDS = ("minor_to_major", "minorToMajor")


class Configured(NamedTuple):
    """A layout or shape in an instruction's configuration, and the fields that lead to it: ``a.b[0]``."""

    instruction: Instruction
    path: str
    described: Layout | Shape


def configs_of(instruction: Instruction, problems: Problems | None = None) -> Iterator[Configured]:
    """The layouts and shapes in the configuration of an instruction; what cannot be read is noted, if there is where."""
    problems = problems or Problems()
    if "backend_config=" not in instruction.text or not any(field in instruction.text for field in _LAYOUT_FIELDS):
        return
    config = _config(instruction, problems)
    left: list[tuple[str, Any]] = [("", config)]
    while left:
        path, value = left.pop()
        if isinstance(value, list):
            left += reversed([(f"{path}[{k}]", item) for k, item in enumerate(value)])
        elif isinstance(value, dict):
            if any(field in value for field in (*_SHAPE_FIELDS, *_LAYOUT_FIELDS)):
                try:
                    yield Configured(instruction, path, from_proto(value))
                except LayoutError as error:
                    problems.note(
                        instruction.line, f"{instruction.name!r} has no layout that can be read in its backend_config.{path}: {error}"
                    )
            else:
                left += reversed([(f"{path}.{name}" if path else name, item) for name, item in value.items()])


def op_name(instruction: Instruction) -> str | None:
    """What the program that was compiled calls the operation: ``op_name`` of the metadata; None where it has none.

    >>> from tilelayout import hlo
    >>> instruction, *_ = hlo.read('x = f32[2]{0} negate(y), metadata={op_name="jit(f)/neg"}\\n').instructions()
    >>> op_name(instruction)
    'jit(f)/neg'
    """
    expect(instruction, Instruction, "an instruction of tilelayout.hlo.read")
    begin = _value_of("op_name", instruction.text)
    found = None if begin is None else _QUOTED.match(instruction.text, begin)
    return _unescaped(found[1]) if found else None


def _unescaped(text: str) -> str:
    """What was quoted, without the backslashes that XLA writes (``absl::CEscape``): bytes beyond ASCII are three octal digits."""
    return _ESCAPED.sub(_byte, text.encode()).decode(errors="replace") if "\\" in text else text


def _byte(found: re.Match[bytes]) -> bytes:
    octal = found[1]
    return bytes((int(octal, 8) & 0xFF,)) if octal else _MEANS.get(found[2], found[2])


def _config(instruction: Instruction, problems: Problems) -> Any:
    """The JSON of the attribute, which may be written as it is or as a quoted string."""
    text = instruction.text
    begin = _value_of("backend_config", text)
    if begin is None:
        return None
    decoder = json.JSONDecoder()
    try:
        config, _ = decoder.raw_decode(text, begin)
        if isinstance(config, str):
            return decoder.decode(config) if config.lstrip().startswith("{") else None
        return config
    except RecursionError:
        problems.note(instruction.line, f"{instruction.name!r} has a backend_config that is nested too deep to be read")
    except ValueError as error:  # of json's, or of a number of thousands of digits
        problems.note(instruction.line, f"{instruction.name!r} has a backend_config that is no JSON: {str(error)[:200]}")
    return None


def _value_of(name: str, text: str) -> int | None:
    """Where the value of an attribute begins; what is quoted has none."""
    return next((match.end() for match in _ATTRIBUTE.finditer(text) if match[0] == f"{name}="), None)
