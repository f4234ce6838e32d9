"""The slot of an element as a formula: to read, and to paste into a program."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import LayoutError, shown
from ..notations import LayoutLike
from ..notations import layout as as_layout
from .languages import LANGUAGES
from .simplify import simplified
from .sums import Formula

__all__ = ["LANGUAGES", "formula"]


def formula(layout: LayoutLike, language: str = "python", shape: Sequence[int] | None = None) -> str:
    r"""The slot of an element as source text, of its coordinates.

    >>> import tilelayout as tl
    >>> print(tl.formula("f32[3,5]{1,0:T(2,2)}"))
    def slot(x0, x1):
        return 12*(x0 // 2) + 4*(x1 // 2) + 2*(x0 % 2) + (x1 % 2)
    >>> print(tl.formula("{2,1,0:T(2,*,4)}", "cuda", shape=(3, 5, 7)))
    __host__ __device__ __forceinline__ long long slot(long long x0, long long x1, long long x2)
    {
        long long m0 = 7*x1 + x2;
        return 72*(x0 / 2) + 8*(m0 / 4) + 4*(x0 % 2) + (m0 % 4);
    }
    >>> print(tl.formula("f32[3,5]{1,0:T(2,2)}", "mlir"))
    affine_map<(d0, d1) -> ((d0 floordiv 2) * 12 + (d1 floordiv 2) * 4 + (d0 mod 2) * 2 + (d1 mod 2))>
    >>> print(tl.formula("f32[16,16]{1,0:T(16,8)}", "latex"))
    \begin{aligned}
    \operatorname{slot}(x_0, x_1) &= 128 \lfloor x_1 / 8 \rfloor + 8 x_0 + (x_1 \bmod 8)
    \end{aligned}

    Parameters
    ----------
    layout
        A layout, or its text in any notation.
    language
        ``"python"``, ``"numpy"``, ``"c"`` and ``"cuda"`` give a function ``slot``, one parameter a coordinate: ``numpy`` takes arrays
        that broadcast, ``c`` and ``cuda`` signed 64-bit integers, in which nothing overflows. ``"mlir"`` gives an ``affine_map``,
        ``"latex"`` an ``aligned`` environment.
    shape
        The extents, for a description that has none.

    The formula holds for coordinates inside the shape, which it does not check, and says slots: multiply by the bytes of an element
    for bytes. Sums that digits read (merged axes, swizzles) are named ``m0``, ``m1``, ...; MLIR has no names for them and repeats them.
    """
    if not isinstance(language, str) or language not in LANGUAGES:
        raise LayoutError(f"language={shown(language)} is none that formulas are written in; those are {', '.join(LANGUAGES)}")
    simple = simplified(as_layout(layout, shape))
    dialect, whole = LANGUAGES[language]
    return whole(Formula(simple, dialect), simple)
