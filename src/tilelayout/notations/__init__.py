"""The languages of layouts, and ``layout``, which reads them all.

Each language is a room of its own that turns text into an object with ``bind(shape)``, and that into a ``Layout``.
None knows another; here is only the list of them, and how to tell their texts apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

from .. import cute
from ..digits import WRITERS, Layout
from ..errors import LayoutError, LayoutSyntaxError, ShapeError, shown
from ..sizes import integers
from . import einops, jax, mlir, morello, mosaic, onednn, strides, triton, tvm, xla


@runtime_checkable
class Notation(Protocol):
    """An object of some language that a shape turns into a ``Layout``."""

    def bind(self, shape: Sequence[int] | None = None) -> Layout:
        """The layout for arrays of that shape, which may be left out where the object has one."""


class Language(NamedTuple):
    """How a language reads and writes: whether a text has its form, the object that a text describes, and the text for a layout."""

    recognizes: Callable[[str], bool]
    parse: Callable[[str], Notation]
    express: Callable[[Layout], object]


LayoutLike: TypeAlias = str | Layout | Notation

#: The languages by the prefix that forces one; of those that recognize a text the first reads it.
LANGUAGES = {
    "jax": Language(jax.recognizes, jax.parse, jax.express),
    "mosaic": Language(mosaic.recognizes, mosaic.parse, mosaic.express),
    "triton": Language(triton.recognizes, triton.parse, triton.express),
    "strides": Language(strides.recognizes, strides.parse, strides.express),
    "morello": Language(morello.recognizes, morello.parse, morello.express),
    "onednn": Language(onednn.recognizes, onednn.parse, onednn.express),
    "tvm": Language(tvm.recognizes, tvm.parse, tvm.express),
    "mlir": Language(mlir.recognizes, mlir.parse, mlir.express),
    "xla": Language(xla.recognizes, xla.parse, xla.express),
    "einops": Language(einops.recognizes, einops.parse, einops.express),
    "cute": Language(cute.recognizes, cute.parse_layout, cute.express),
}
#: Readers of other libraries' objects: each gives a notation, or None for an object that is not its own.
ADOPTERS: tuple[Callable[[object], Notation | None], ...] = (jax.adopt,)
WRITERS.update((name, language.express) for name, language in LANGUAGES.items())


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
    if type(described) is Layout and (shape is None or shape == described.shape):
        return described
    extents = None if shape is None else _extents(shape)
    if isinstance(described, str):
        return _read(described, extents)
    if isinstance(described, Layout):
        if extents is not None and extents != described.shape:
            raise ShapeError(f"a layout of shape {described.shape} for an array of shape {extents}; the shapes must be equal")
        return described
    if isinstance(described, Notation) and not isinstance(described, type):
        return described.bind(extents)
    for adopt in ADOPTERS:
        if (adopted := adopt(described)) is not None:
            return adopted.bind(extents)
    raise LayoutError(
        f"{shown(described)} is a {type(described).__name__}; a layout is text in some notation, a notation's object, or a Layout"
    )


@lru_cache(maxsize=1024)
def _read(text: str, shape: tuple[int, ...] | None) -> Layout:
    name, colon, rest = text.partition(":")
    if colon and name.strip() in LANGUAGES:
        return LANGUAGES[name.strip()].parse(rest).bind(shape)
    for language in LANGUAGES.values():
        if language.recognizes(text):
            return language.parse(text).bind(shape)
    start = len(text) - len(text.lstrip())
    raise LayoutSyntaxError(
        "this is the form of no notation",
        text,
        start,
        "XLA's is dtype[dims]{minor_to_major:properties}, such as f32[3,5]{1,0:T(2,2)}, or the {...} alone with a shape given apart; "
        "CuTe's is shape:stride, such as (4,(2,4)):(2,(1,8)); Morello's is [dims], such as [1, 0, 1 p(4)]; "
        f"a prefix says which is meant, of {', '.join(f'{name}:' for name in LANGUAGES)}",
    )


def _extents(shape: Sequence[int]) -> tuple[int, ...]:
    extents = integers(shape)
    if extents is None:
        raise ShapeError(f"shape={shown(shape)} is no shape; it takes a sequence of integers, such as (3, 5)")
    return extents
