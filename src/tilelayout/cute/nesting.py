"""How deep tuples may be nested, and what functions that go down into them say where that is too deep."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from ..errors import LayoutError

P = ParamSpec("P")
R = TypeVar("R")

#: The deepest nesting of tuples that makes a layout or is read from text.
MOST_NESTED = 64


def shallow(function: Callable[P, R]) -> Callable[P, R]:
    """The function, which goes down into tuples, with a ``LayoutError`` for those that are nested deeper than it can go."""

    @wraps(function)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except RecursionError:
            raise LayoutError(
                f"tuples are nested deeper than {function.__name__} goes; those of a layout may have {MOST_NESTED} levels"
            ) from None

    return guarded
