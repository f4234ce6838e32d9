"""The buffer indexing expression, as Morello prints it.

A term with a coefficient of 1 is written ``(t)``, any other ``c(t)``; quotients and remainders are written ``(e) / d`` and
``(e) % m`` of such a sum ``e``, so a point ``p1`` gathers two pairs of parentheses. Source: ``Display`` in morello/src/expr.rs.
"""

from __future__ import annotations

from collections.abc import Sequence

from .kinds import Dims, OddEven


def expression(dims: Dims, shape: Sequence[int], sizes: Sequence[int]) -> str:
    """The offset in terms of the point ``p0, p1, ...``, for a shape and its physical shape; sizes of 1 add no term."""
    left, terms, step = list(shape), [], 1
    for place in reversed(range(len(dims))):
        (dim, kind), size = dims[place], sizes[place]
        if size > 1:
            inside = shape[dim] // left[dim]
            point = _over("/", f"p{dim}", inside)
            if not isinstance(kind, OddEven):
                within = f"p{dim}" if size == left[dim] else _over("%", f"p{dim}", inside * size)
                terms.append(_term(step, _over("/", within, inside)))
            elif size > 2:
                terms.append(_term(step * size // 2, _over("%", point, 2)))
                terms.append(_term(step, _over("/", _over("%", point, size), 2)))
            else:
                terms.append(_term(step, _over("%", point, 2)))
        step *= size
        left[dim] //= size
    return " + ".join(reversed(terms)) or "0"


def _over(operation: str, value: str, number: int) -> str:
    return value if operation == "/" and number == 1 else f"(({value})) {operation} {number}"


def _term(factor: int, value: str) -> str:
    return f"{'' if factor == 1 else factor}({value})"
