"""The languages that a formula is exported to: how each writes sums, and what goes around them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from .sums import PYTHON, Dialect, Formula

if TYPE_CHECKING:
    from ..digits import Layout


class Language(NamedTuple):
    """How a language writes the parts of a formula, and how it writes the whole, given the layout that the formula is of."""

    dialect: Dialect
    whole: Callable[[Formula, Layout], str]


def _python(formula: Formula, layout: Layout) -> str:
    return "\n".join([f"def slot({_coordinates(formula, layout)}):", *_assignments(formula), f"    return {formula.slot}"])


def _numpy(formula: Formula, layout: Layout) -> str:
    """Coordinates of any integer dtype become 64-bit; an axis that the slot does not depend on still gives its part of the shape."""
    names = _coordinates(formula, layout)
    read = frozenset().union(*(digit.axes for digit in layout.digits))
    terms = [formula.slot] * (formula.slot != "0") + [f"0*{formula.names[axis]}" for axis in range(layout.ndim) if axis not in read]
    body = [*_assignments(formula), f"    return {' + '.join(terms)}"]
    if layout.ndim == 0:
        body = [f"    return np.int64({formula.slot})"]
    elif layout.ndim == 1:
        body.insert(0, f"    {names} = np.asarray({names}, np.int64)")
    else:
        body.insert(0, f"    {names} = (np.asarray(x, np.int64) for x in ({names}))")
    return "\n".join(["import numpy as np", "", "", f"def slot({names}):", *body])


def _c(formula: Formula, layout: Layout) -> str:
    return f"#include <stdint.h>\n\n{_c_function(formula, layout, 'int64_t', '')}"


def _cuda(formula: Formula, layout: Layout) -> str:
    return _c_function(formula, layout, "long long", "__host__ __device__ __forceinline__ ")


def _mlir(formula: Formula, layout: Layout) -> str:
    return f"affine_map<({_coordinates(formula, layout)}) -> ({formula.slot})>"


def _latex(formula: Formula, layout: Layout) -> str:
    slot = rf"\operatorname{{slot}}({_coordinates(formula, layout)})"
    lines = [f"{name} &= {meaning}" for name, meaning in (*formula.merged.items(), (slot, formula.slot))]
    return "\n".join([r"\begin{aligned}", " \\\\\n".join(lines), r"\end{aligned}"])


def _coordinates(formula: Formula, layout: Layout, kind: str = "") -> str:
    return ", ".join(f"{kind}{formula.names[axis]}" for axis in range(layout.ndim))


def _assignments(formula: Formula) -> list[str]:
    return [f"    {name} = {meaning}" for name, meaning in formula.merged.items()]


def _c_function(formula: Formula, layout: Layout, kind: str, qualifiers: str) -> str:
    parameters = _coordinates(formula, layout, f"{kind} ") or "void"
    lines = [f"    {kind} {name} = {meaning};" for name, meaning in formula.merged.items()]
    return "\n".join([f"{qualifiers}{kind} slot({parameters})", "{", *lines, f"    return {formula.slot};", "}"])


def _c_number(number: int) -> str:
    return f"{number}LL" if number >= 2**31 else str(number)


def _subscripted(letter: str) -> Callable[[int], str]:
    return lambda number: f"{letter}_{number}" if number < 10 else f"{letter}_{{{number}}}"


_C = Dialect(quotient="{x} / {d}", both="{x} / {d} % {r}", number=_c_number)

#: The languages by name.
LANGUAGES = {
    "python": Language(PYTHON, _python),
    "numpy": Language(PYTHON, _numpy),
    "c": Language(_C, _c),
    "cuda": Language(_C, _cuda),
    "mlir": Language(
        Dialect(
            quotient="{x} floordiv {d}",
            remainder="{x} mod {r}",
            both="({x} floordiv {d}) mod {r}",
            product="{x} * {k}",
            axis="d{}".format,
            merged=None,
        ),
        _mlir,
    ),
    "latex": Language(
        Dialect(
            quotient=r"\lfloor {x} / {d} \rfloor",
            remainder=r"{x} \bmod {r}",
            both=r"\lfloor {x} / {d} \rfloor \bmod {r}",
            product="{k} {x}",
            axis=_subscripted("x"),
            merged=_subscripted("m"),
            bracketed=True,
        ),
        _latex,
    ),
}
