"""JAX's layouts: ``jax.experimental.layout.Layout`` and ``Format``, as objects and as the text that they print.

    >>> layout = parse("Layout(major_to_minor=(0, 1), tiling=((8, 128), (2, 1)), sub_byte_element_size_in_bits=0)")
    >>> layout.bind((16, 256)).slots
    4096

They are XLA's layouts, with the order of dimensions the other way round. What they do not say is XLA's default. The names
of before JAX 0.7 are read too: ``DeviceLocalLayout``, whose fields begin with an underscore, in a ``Layout`` with a sharding.
The meaning of the fields is that of ``_to_xla_layout`` in jax/_src/layout.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, TypeVar

from .. import cursor, digits
from ..elements import element
from ..errors import LayoutError, shown
from . import xla
from .xla.expressing import without_element

T = TypeVar("T")

_LANGUAGE = "JAX's notation"
#: The names of the objects, today's layout first.
_NAMES = ("Layout", "Format", "DeviceLocalLayout")
_FIELDS = ("major_to_minor", "tiling", "sub_byte_element_size_in_bits")
_EXAMPLE = "Layout(major_to_minor=(0, 1), tiling=((8, 128),), sub_byte_element_size_in_bits=0)"
_HINT = f"a layout is written as {_EXAMPLE}"


@dataclass(frozen=True, slots=True, repr=False)
class Layout:
    """A layout as JAX has it.

    >>> Layout((0, 1), ((8, 128),))
    Layout(major_to_minor=(0, 1), tiling=((8, 128),), sub_byte_element_size_in_bits=0)

    Any sequences of integers are taken, and stored as tuples. Raises ``LayoutError`` for what XLA refuses in a layout.

    Parameters
    ----------
    major_to_minor
        The dimensions, slowest first.
    tiling
        The tiles, outermost first, or None.
    sub_byte_element_size_in_bits
        Bits that a slot takes, or 0 for whole bytes. JAX does not look at it where ``tiling`` is None.
    """

    major_to_minor: tuple[int, ...]
    tiling: tuple[tuple[int, ...], ...] | None = None
    sub_byte_element_size_in_bits: int = 0

    def __post_init__(self) -> None:
        order = xla.Layout(self.major_to_minor).minor_to_major
        tiling = None if self.tiling is None else xla.Layout((), tiles=self.tiling).tiles
        if tiling and any(size in (-1, "*") for tile in self.tiling or () for size in tile):
            raise LayoutError(f"tiling {shown(self.tiling)} has a size of -1 or '*'; XLA combines dimensions at {int(xla.COMBINE)}")
        bits = xla.Layout((), element_size_in_bits=self.sub_byte_element_size_in_bits).element_size_in_bits
        object.__setattr__(self, "major_to_minor", order)
        object.__setattr__(self, "tiling", None if tiling is None else tuple(tuple(map(int, tile)) for tile in tiling))
        object.__setattr__(self, "sub_byte_element_size_in_bits", bits)

    def to_xla(self) -> xla.Layout:
        """The same in XLA's notation.

        >>> print(Layout((0, 1), ((8, 128), (2, 1))).to_xla())
        {1,0:T(8,128)(2,1)}
        """
        if self.tiling is None:
            return xla.Layout(self.major_to_minor[::-1])
        return xla.Layout(self.major_to_minor[::-1], tiles=self.tiling, element_size_in_bits=self.sub_byte_element_size_in_bits)

    def bind(self, shape: Sequence[int] | None = None) -> digits.Layout:
        """The layout of an array of this shape; a shape of another rank, or none, raises ``ShapeError``."""
        return self.to_xla().bind(shape)

    def to_jax(self) -> Any:
        """The same as a ``jax.experimental.layout.Layout``; raises ``LayoutError`` where JAX 0.7 or later is not installed."""
        try:
            kind = import_module("jax.experimental.layout").Layout
            return kind(self.major_to_minor, self.tiling, self.sub_byte_element_size_in_bits)
        except (ImportError, AttributeError, TypeError):
            raise LayoutError("JAX 0.7 or later is not installed, whose Layout this makes: pip install 'tilelayout[jax]'") from None

    def __repr__(self) -> str:
        return f"Layout({', '.join(f'{field}={getattr(self, field)}' for field in _FIELDS)})"

    __str__ = __repr__


class _Parser(cursor.Cursor):
    """The text that JAX's objects print."""

    __slots__ = ()

    def whole(self) -> Layout:
        """``format | layout``, and nothing else."""
        begin = self.at
        found = self.held() if self.words[1:2] == ["("] and self.words[2:3] in (["layout"], ["device_local_layout"]) else self.layout()
        self.finish()
        return self.made(begin, partial(Layout, **found))

    def held(self) -> dict[str, Any]:
        """``name "(" name "=" layout "," "sharding" "=" anything ")"``"""
        for _ in range(3):
            self.advance()
        self.expect("=")
        if self.word in ("AUTO", "None"):
            raise self.error(
                f"the layout is {self.word}, which leaves it to the compiler", hint="compile first, and take the format of the result"
            )
        found = self.layout()
        self.expect(",")
        self.expect("sharding")
        self.expect("=")
        while self.word and self.words[self.at + 1]:
            self.advance()
        self.expect(")")
        return found

    def layout(self) -> dict[str, Any]:
        """``name "(" field "=" value {"," field "=" value} ")"``"""
        if self.word not in _NAMES:
            raise self.expected(_NAMES[0], hint=_HINT)
        self.advance()
        begin = self.at
        fields = self.listed("(", self.field, ")")
        names = [name for name, _ in fields]
        if len(set(names)) < len(names):
            raise self.error("a field is given twice", begin, hint=_HINT)
        if "major_to_minor" not in names:
            raise self.error("major_to_minor is missing", begin, hint=_HINT)
        return dict(fields)

    def field(self) -> tuple[str, Any]:
        """``field "=" value``"""
        name = self.word.removeprefix("_")
        if name not in _FIELDS:
            raise self.expected(f"a field ({', '.join(_FIELDS)})")
        self.advance()
        self.expect("=")
        if name == "sub_byte_element_size_in_bits":
            return name, self.integer()
        if name == "tiling" and self.word == "None":
            self.advance()
            return name, None
        return name, self.items(self.sizes if name == "tiling" else self.integer)

    def sizes(self) -> tuple[int, ...]:
        """A tile."""
        return self.items(self.integer)

    def items(self, rule: Callable[[], T]) -> tuple[T, ...]:
        """A tuple as Python prints it, with a comma after an only item."""
        self.expect("(")
        found = []
        while self.word != ")":
            found.append(rule())
            if self.word == ",":
                self.advance()
            elif self.word != ")":
                raise self.expected("',' or ')'")
        self.advance()
        return tuple(found)


def parse(text: str) -> Layout:
    """The layout that a text says.

    >>> parse("Format(layout=Layout(major_to_minor=(1, 0), tiling=None, sub_byte_element_size_in_bits=0), sharding=Sharding(x))")
    Layout(major_to_minor=(1, 0), tiling=None, sub_byte_element_size_in_bits=0)

    Raises ``LayoutSyntaxError`` for other text, and for a layout that is left to the compiler.
    """
    if not isinstance(text, str):
        raise LayoutError(f"JAX's notation is text, such as '{_EXAMPLE}', not {type(text).__name__}")
    return _Parser(text).whole()


def recognizes(text: str) -> bool:
    """Whether the text has the form of a JAX layout, right or wrong.

    >>> recognizes("Layout(major_to_minor=(0,))"), recognizes("Layout((3, 5), [])"), recognizes("f32[3]")
    (True, False, False)
    """
    return isinstance(text, str) and bool(re.match(rf"\s*({'|'.join(_NAMES)})\s*\(\s*(_?[a-z_]+)\s*=", text))


def adopt(described: object) -> Layout | None:
    """The layout that an object of JAX has: a ``Layout``, a ``Format``, or those of before 0.7; None for any other object.

    >>> from types import SimpleNamespace
    >>> adopt(SimpleNamespace(major_to_minor=(0, 1), tiling=((8, 128),), sub_byte_element_size_in_bits=0))
    Layout(major_to_minor=(0, 1), tiling=((8, 128),), sub_byte_element_size_in_bits=0)

    It is told by its attributes, and JAX is not imported. A layout that is left to the compiler raises ``LayoutError``.
    """
    if isinstance(described, type):
        return None
    if _has(described, "sharding") and (field := next((name for name in ("layout", "device_local_layout") if _has(described, name)), None)):
        held = getattr(described, field)
        if not _has(held, "major_to_minor"):
            raise LayoutError(f"{shown(described)} leaves the layout to the compiler: its {field} is {shown(held)}; compile first")
        return adopt(held)
    for prefix in ("", "_"):
        fields = (_FIELDS[0], *(prefix + field for field in _FIELDS[1:]))
        if all(_has(described, field) for field in fields):
            return Layout(*(getattr(described, field) for field in fields))
    return None


def express(layout: digits.Layout) -> Layout:
    """The layout in JAX's notation, which prints as JAX's object does, and makes it with ``to_jax``.

    >>> import tilelayout as tl
    >>> express(tl.layout("bf16[3,300]{1,0:T(8,128)(2,1)}"))
    Layout(major_to_minor=(0, 1), tiling=((8, 128), (2, 1)), sub_byte_element_size_in_bits=0)

    Raises ``NotExpressible`` where XLA's notation has no words, or says it by rounding the slots up (``L``), which JAX cannot.
    """
    digits.check_layout(layout)
    found = without_element(layout, aligned=False, language=_LANGUAGE)
    held = layout.element
    whole = held is None or (held.name and held == element(held.name))
    bits = 0 if held is None or whole else held.bits
    return Layout(found.minor_to_major[::-1], found.tiles if found.tiles or bits else None, bits)


def _has(described: object, name: str) -> bool:
    try:
        return hasattr(described, name)
    except Exception:  # whatever a stranger's property raises, it is no layout of JAX's
        return False


__all__ = ["Layout", "adopt", "express", "parse", "recognizes"]
