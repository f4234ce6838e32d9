"""The languages of layouts, and ``layout``, which reads them all.

Each language is a room of its own that turns text into an object with ``bind(shape)``, and that into a ``Layout``.
None knows another, but for JAX's and Mosaic's, whose tiles are XLA's. Here is only the list of them, and how to tell their texts apart.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from types import ModuleType
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

from .._lazy import imported
from ..digits import Layout
from ..errors import LayoutError, LayoutSyntaxError, ShapeError, shown, type_of
from ..sizes import integers
from ..verifying import Bindable


@runtime_checkable
class Notation(Bindable, Protocol):
    """An object of some language that a shape turns into a ``Layout``."""


class Language(NamedTuple):
    """A language: its room, which is imported where a text has the mark that all of its texts have (and others may have, too)."""

    room: str
    mark: str

    @property
    def own(self) -> ModuleType:
        """The room."""
        return imported(self.room, __name__)

    def recognizes(self, text: str) -> bool:
        """Whether a text has the form of the language, right or wrong."""
        return isinstance(text, str) and re.search(self.mark, text) is not None and bool(self.own.recognizes(text))

    def parse(self, text: str) -> Notation:
        """The object that a text describes."""
        described: Notation = self.own.parse(text)
        return described

    def express(self, layout: Layout) -> object:
        """The object for a layout, which prints as its text; raises ``NotExpressible`` where there is none."""
        described: object = self.own.express(layout)
        return described


LayoutLike: TypeAlias = str | Layout | Notation

#: The languages by the prefix that forces one; of those that recognize a text the first reads it.
LANGUAGES = {
    "jax": Language(".jax", r"\A\s*\w+\s*\("),
    "mosaic": Language(".mosaic", r"#tpu\."),
    "triton": Language(".triton", r"\A\s*(#|-|\(empty|\[\s*\[|tensor\s*<|!tt)"),
    "strides": Language(".strides", r"\A\s*strides"),
    "morello": Language(".morello", r"\A\s*(\(\s*)?(\[|NHWC)|layout!|Layout"),
    "onednn": Language(".onednn", r"\A\s*[\w:]+\s*\Z|:blocked:"),
    "tvm": Language(".tvm", r"\A[\w\s\[\]>-]*\Z"),
    "mlir": Language(".mlir", r"\A\s*(affine_map|memref|strided|inner_|outer_|%|linalg|tensor)"),
    "xla": Language(".xla", r"[{\[a-zA-Z]"),
    "einops": Language(".einops", r"->"),
    "cute": Language(".cute", r"\A\s*[-\d_(?S]"),
    "preset": Language("..presets", r"(?!)"),  # no text: a name alone may be anything
}
#: Where in a longer text a layout may begin, how many such places are looked at, and how long it may be; behind a swizzle is half of one.
_BEGINNING = re.compile(r"(?<=\s)[\w#.]*[\[({<]")
_SWIZZLE = re.compile(r"\bSw?\s*<")
MOST_BEGINNINGS, LONGEST_PART = 20, 1000
#: What layouts look like, for whoever wrote something else.
_FORMS = (
    "XLA's is dtype[dims]{minor_to_major:properties}, such as f32[3,5]{1,0:T(2,2)}, or the {...} alone with a shape given apart; "
    "CuTe's is shape:stride, such as (4,(2,4)):(2,(1,8)); Morello's is [dims], such as [1, 0, 1 p(4)]; "
    f"a prefix says which is meant, of {', '.join(f'{name}:' for name in LANGUAGES)}"
)
#: The languages that read objects of other libraries, too: ``adopt`` gives a notation, or None for an object that is not its own.
ADOPTERS = ("jax",)


def __getattr__(name: str) -> ModuleType:
    """The room of a language, as ``notations.xla``."""
    if name not in LANGUAGES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return LANGUAGES[name].own


def layout(described: LayoutLike, shape: Sequence[int] | None = None) -> Layout:
    """The layout that is described, in any notation: text, a notation's object, or a ``Layout``, which is returned as it is.

    >>> import tilelayout as tl
    >>> tl.layout("f32[3,5]{1,0:T(2,2)}")(2, 3)
    17
    >>> tl.layout("{1,0:T(2,2)}", shape=(3, 5)) == tl.layout("f32[3,5]{1,0:T(2,2)}")
    True

    ``shape`` is needed where the description has none, and must agree where it has one (else ``ShapeError``).
    Text is told apart by its form: ``{...}`` and ``dtype[...]`` are XLA's, ``shape:stride`` is CuTe's, ``[...]`` and ``NHWC`` are
    Morello's, ``nChw16c`` is oneDNN's, ``NCHW16c`` is TVM's, ``affine_map<...>`` is MLIR's. A prefix such as ``xla:`` forces it.
    Text that is no layout raises ``LayoutSyntaxError``, with a caret where reading stopped.
    """
    if type(described) is Layout and (shape is None or integers(shape) == described.shape):
        return described
    extents = None if shape is None else _extents(shape)
    if isinstance(described, str):
        return read(described, extents)
    if isinstance(described, Layout):
        if extents is not None and extents != described.shape:
            raise ShapeError(f"a layout of shape {described.shape} for an array of shape {shown(extents)}; the shapes must be equal")
        return described
    if isinstance(described, Notation) and not isinstance(described, type):
        return described.bind(extents)
    for name in ADOPTERS:
        adopted: Notation | None = LANGUAGES[name].own.adopt(described)
        if adopted is not None:
            return adopted.bind(extents)
    asked = "; of a function that packs, tilelayout.probe finds it" if callable(described) else ""
    raise LayoutError(
        f"{shown(described)} is {type_of(described)}; a layout is text in some notation, a notation's object, or a Layout{asked}"
    )


def identified(text: str) -> tuple[str | None, str]:
    """The name of the language of a text, None if it has the form of none, and the text without a prefix.

    >>> identified("(4,8):(8,1)"), identified("cute:8"), identified("dump.txt")
    (('cute', '(4,8):(8,1)'), ('cute', '8'), (None, 'dump.txt'))
    """
    prefix, colon, rest = text.partition(":")
    if colon and prefix.strip() in LANGUAGES:
        return prefix.strip(), rest
    return next((name for name, language in LANGUAGES.items() if language.recognizes(text)), None), text


@lru_cache(maxsize=1024)
def read(text: str, shape: tuple[int, ...] | None) -> Layout:
    """The layout that a text describes for arrays of that shape, of plain ints; kept, for texts are read again and again."""
    name, own = identified(text)
    start = len(text) - len(text.lstrip())
    if name is not None:
        try:
            return LANGUAGES[name].parse(own).bind(shape)
        except LayoutSyntaxError as error:
            if own != text and (other := _reader(own)) is not None:
                hint = f"this is {other}'s; write {other}: in front of it, or no prefix"
            elif error.position == start and error.message.startswith("expected") and (found := _part(text)) and found[0] != name:
                hint = _alone(*found)
            else:
                raise
            raise LayoutSyntaxError(error.message, error.text, error.position, hint) from None
    found = _part(text)
    raise LayoutSyntaxError(
        "this is the form of no notation" if text.strip() else "an empty text is no layout",
        text,
        start,
        _alone(*found) if found else _meant(text) or _FORMS,
    )


def _meant(text: str) -> str | None:
    """What was probably meant by a text that is no layout: one in quotes, with another prefix, or the name of a preset."""
    from difflib import get_close_matches  # noqa: PLC0415 - as in xla/types.py, for a rare message

    bare = text.strip("'\"` \t\n")
    prefix, colon, rest = bare.partition(":")
    close = get_close_matches(prefix.strip().casefold(), LANGUAGES, 1) if colon else []
    for meant in (bare, *(f"{name}:{rest}" for name in close), f"preset:{bare}"):
        if meant != text and _reader(meant) is not None:
            return f"did you mean {meant}?"
    return None


def _part(text: str) -> tuple[str, str] | None:
    """The name of a language, and the first part of a longer text that it reads, such as a line of a dump."""
    for begin in islice(_BEGINNING.finditer(text), MOST_BEGINNINGS):
        part = text[begin.start() : begin.start() + LONGEST_PART]
        name, _ = identified(part)
        is_field = part.startswith("[") and text[: begin.start()].rstrip().endswith("=")
        if name is None or is_field or _SWIZZLE.search(text, 0, begin.start()):
            continue
        try:
            LANGUAGES[name].parse(part)
        except LayoutSyntaxError as error:
            part = part[: error.position].rstrip()
        except LayoutError:
            continue
        if _reader(part) == name:
            return name, part
    return None


def _alone(name: str, part: str) -> str:
    return f"{part} in it is {name}'s; give that alone"


def _reader(text: str) -> str | None:
    """The name of the language that reads a text, if one does."""
    name, own = identified(text)
    if name is not None:
        try:
            LANGUAGES[name].parse(own)
        except LayoutError:
            return None
    return name


def _extents(shape: Sequence[int]) -> tuple[int, ...]:
    extents = integers(shape)
    if extents is None:
        raise ShapeError(f"shape={shown(shape)} is no shape; it takes a sequence of integers, such as (3, 5)")
    return extents
