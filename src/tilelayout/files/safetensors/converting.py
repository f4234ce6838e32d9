"""From one type of element to another: floats are rounded to the nearest, integers keep their values, and nothing else is converted."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...bridges import Array
from ...elements import BITS, numpy_dtype
from ...errors import LayoutError
from ...values import is_lost
from ..streaming import held_dtype


def conversion(source: str, target: str) -> Callable[[Array], Array] | None:
    """What makes elements of one type, as files hold them, those of another; None where there is nothing to do."""
    if source == target:
        return None
    kinds = _kind(source), _kind(target)
    if kinds[0] != kinds[1] or "" in kinds:
        raise LayoutError(f"{source} is not converted to {target}: floats are rounded to floats, and integers kept as integers")
    if BITS[source] < 8:
        raise LayoutError(
            f"{source} is not converted to {target}, for its elements share bytes in safetensors files; name no type, or its own"
        )
    return _integers(source, target) if kinds[0] == "integer" else _floats(source, target)


def _kind(name: str) -> str:
    if name.lstrip("u").startswith("int"):
        return "integer"
    return "float" if "float" in name else ""


def _integers(source: str, target: str) -> Callable[[Array], Array]:
    dtype = held_dtype(target)
    low = 0 if target.startswith("u") else -(1 << BITS[target] - 1)
    high = low + (1 << BITS[target]) - 1

    def convert(array: Array) -> Array:
        if array.size and not (low <= int(array.min()) and int(array.max()) <= high):
            raise LayoutError(f"it holds values from {array.min()} to {array.max()}, where {target} has {low} to {high}")
        return array.astype(dtype)

    return convert


def _floats(source: str, target: str) -> Callable[[Array], Array]:
    before, after = numpy_dtype(source), numpy_dtype(target)
    dtype = held_dtype(target)
    is_rounded_twice = before == np.float64 and after.isbuiltin != 1  # ml_dtypes goes by way of float32
    has_no_way = before.isbuiltin != 1 and after.isbuiltin != 1  # of its own from some types to others, all of which float32 has

    def convert(array: Array) -> Array:
        values = array.view(before)
        with np.errstate(all="ignore"):
            if has_no_way:
                values = values.astype(np.float32)
            result = (_to_odd(values) if is_rounded_twice else values).astype(after)
            lost = is_lost(values, result)
        if lost.any():
            raise LayoutError(f"it holds {values[lost][0]}, which is beyond what {target} can say")
        return result.view(dtype)

    return convert


def _to_odd(values: Array) -> Array:
    """Doubles as singles that a narrower type rounds as it would round the doubles.

    What is no single becomes that one of its two neighbours whose last bit is set: never half-way between two values of a narrower type,
    and on the side where the double was.
    """
    singles = values.astype(np.float32)
    bits = singles.view(np.uint32)
    inexact = np.isfinite(values) & (singles != values)
    bits -= inexact & (np.abs(singles) > np.abs(values))
    bits |= inexact
    return singles
