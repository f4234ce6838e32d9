"""Single values of a dtype, as exact as it can have them, and what is lost of floats where they are rounded."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import frexp
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from .elements import BITS
from .errors import LayoutError, shown
from .extras import needed

#: Characters of numpy's own words that a message repeats.
MOST_QUOTED = 200


def scalar(fill: Any, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """The fill value as an array of one element of the dtype, bit for bit if it has it already."""
    if isinstance(fill, np.ma.MaskedArray):
        raise LayoutError(f"fill={shown(fill)} is masked, and has no value; it takes one of dtype {dtype}")
    try:
        given = np.asarray(fill)
    except Exception as error:  # whatever a stranger's __array__ raises
        raise LayoutError(f"fill makes no array: {error}") from None
    if given.ndim:
        raise LayoutError(f"fill={shown(fill)} is no single value of dtype {dtype}")
    if given.dtype == dtype:
        return given
    if given.dtype.kind in "US" and _kind(dtype) in "ic":
        raise LayoutError(f"fill={shown(fill)} is text, and no value of dtype {dtype}; it takes a number")
    native = dtype.newbyteorder("=")
    if _is_borrowed(native) and not dtype.isnative:
        return scalar(fill, native).astype(dtype)  # ml_dtypes writes its numbers in the machine's order, whatever is asked
    if given.dtype.kind == "c" and dtype.kind != "c":
        raise LayoutError(f"fill={shown(fill)} is no value of dtype {dtype}, which has no imaginary part")
    try:
        with np.errstate(all="ignore"):
            if dtype.kind in "mM" and given.dtype.kind in "OU":
                given = _in_own_units(given, dtype)
            is_float = _is_borrowed(dtype) and _kind(dtype) == "f" and isinstance(fill, int)  # ml_dtypes takes no large ones
            value = given.astype(dtype) if isinstance(fill, np.generic) else np.array(float(fill) if is_float else fill, dtype)
            became = None if _is_exact(value, given) else str(value)
    except Exception as error:  # whatever a stranger's __float__ raises
        raise LayoutError(f"fill={shown(fill)} is no value of dtype {dtype}: {str(error)[:MOST_QUOTED]}{_range(dtype)}") from None
    if became is not None:
        raise LayoutError(f"fill={shown(fill)} is no value of dtype {dtype}; it would become {became}")
    return _nearest(value, given) if _kind(dtype) == "f" else value


def is_inexact(fill: Any) -> bool:
    """Whether a fill value is a float or a complex number, of whatever width."""
    return isinstance(fill, float | complex) or (isinstance(fill, np.generic | np.ndarray) and _kind(fill.dtype) in ("f", "c"))


def _in_own_units(given: npt.NDArray[Any], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """A time of Python's, or text, in units of its own. NaT, and text of how long a time is, have none: numpy 2.5 warns of such times."""
    kind = dtype.kind
    has_none = (given.dtype.kind == "U" and kind == "m") or np.isnat(given.astype(f"{kind}8[W]"))
    return given.astype(dtype if has_none else f"{kind}8")


def _range(dtype: np.dtype[Any]) -> str:
    """What would be right of integers, as a message ends."""
    return f"; {np.iinfo(dtype).min} to {np.iinfo(dtype).max} are" if dtype.kind in "iu" else ""


def _is_exact(value: npt.NDArray[Any], given: npt.NDArray[Any]) -> bool:
    """Whether a value is what was given: as a float or a complex number as near as can be."""
    kind, of = _kind(value.dtype), _kind(given.dtype)
    if kind == "i":
        return of in "if" and value.astype(object) == given.astype(object)
    if kind == "M" and of == "i":
        return bool(value.astype(np.int64).astype(object) == given.astype(object))
    if kind == "M":
        is_same = given.dtype.kind == value.dtype.kind
        return is_same and bool(value.astype(given.dtype) == given or (np.isnat(value) and np.isnat(given)))
    if kind in "fc" and given.dtype.kind in "OU" and np.isinf(value) and "inf" not in str(given).lower():
        return False  # numpy makes infinity of numbers beyond its own, as Decimal("1e400") is
    if kind == "f":
        return of in "ifU" and not bool(is_lost(given if of == "f" else given.astype(np.float64), value))
    if kind == "c" and of in "ifc":
        wide = given.astype(np.clongdouble)
        return not (is_lost(wide.real, value.real) or is_lost(wide.imag, value.imag))
    return kind == "V" and of in "VS" and given.itemsize <= value.itemsize


def _nearest(value: npt.NDArray[Any], given: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The float nearest to what was given: those of less than eight bytes come by way of a wider one, and may miss it by a step."""
    exact, found = _fraction(given), _fraction(value)
    if exact is None or found is None or found == exact or value.itemsize > 8:
        return value
    unsigned = np.dtype(f"u{value.itemsize}").newbyteorder("=" if _is_borrowed(value.dtype) else value.dtype.byteorder)
    bits = int(value.view(unsigned))
    steps = [
        (step % 2, np.array(step, unsigned).view(value.dtype)) for step in (bits - 1, bits, bits + 1) if 0 <= step < 1 << 8 * value.itemsize
    ]
    return min([(abs(at - exact), is_odd, step) for is_odd, step in steps if (at := _fraction(step)) is not None], key=itemgetter(0, 1))[2]


def _fraction(value: npt.NDArray[Any]) -> Fraction | None:
    """The number that a value is, or None where it is none, or is not finite."""
    number: Any = value[()]
    try:
        if isinstance(number, str | np.integer):
            return Fraction(number if isinstance(number, str) else int(number))
        return Fraction(*(float(number) if _is_borrowed(value.dtype) else number).as_integer_ratio())
    except (AttributeError, TypeError, ValueError, ArithmeticError):
        return None


def _kind(dtype: np.dtype[Any]) -> str:
    """Whether a dtype is of integers, floats, complex numbers, times or of something else, whoever made it."""
    if dtype.kind == "V":
        return "i" if dtype.name.startswith(("int", "uint")) else "f" if dtype.name in BITS else "V"
    return {"b": "i", "u": "i", "m": "M", "O": "i"}.get(dtype.kind, dtype.kind)


def is_lost(values: npt.NDArray[Any], rounded: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Where floats are no more what they were, in a dtype to which they were rounded: beyond its greatest, or not a number, or infinite."""
    wide = values.astype(np.float32) if _is_borrowed(values.dtype) else values
    is_beyond = np.isfinite(wide) & (~np.isfinite(rounded) | (np.abs(wide) > _greatest(rounded.dtype)))
    lost: npt.NDArray[np.bool_] = is_beyond | (np.isnan(wide) & ~np.isnan(rounded)) | (np.isinf(wide) & ~np.isinf(rounded))
    return lost


def _is_borrowed(dtype: np.dtype[Any]) -> bool:
    """Whether a dtype is not numpy's own, for which ``isbuiltin`` is 1, or 0 where somebody has said its order of bytes."""
    return dtype.isbuiltin == 2


@cache
def _greatest(dtype: np.dtype[Any]) -> float:
    """The greatest number that rounds to one of the dtype: half a step beyond its last."""
    found: Any = needed("dtypes", "ml_dtypes", "the range of a type", name="finfo")(dtype) if _is_borrowed(dtype) else np.finfo(dtype)
    most = float(found.max)
    step = 2.0 ** (frexp(most)[1] - 1 - int(found.nmant))
    return most + step / 2
