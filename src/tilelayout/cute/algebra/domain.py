"""What the operations of the algebra take: layouts, plain or composed, and tilers.

An operation on the domain of a layout does to ``outer o offset o inner`` what it does to ``inner``. A tiler is applied to
a layout by mode: a tuple to the modes one by one, a ``Layout`` or an integer ``n``, which means ``n:1``, to all that it
meets, and None leaves that as it is (CUTLASS's documentation, "Layout Algebra", section "By-mode composition").
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeAlias, TypeVar, Union, cast

from ...errors import LayoutError
from ..composed import AnyLayout, ComposedLayout
from ..layout import Layout
from ..making import make_layout
from ..nesting import MOST_NESTED
from ..spelling import shown
from ..tuples import Path, at, integer
from .modes import Modes

Tiler: TypeAlias = Union[Layout, int, "tuple[Tiler, ...]", None]

P = ParamSpec("P")
L = TypeVar("L", bound=AnyLayout)


class DomainOperation(Protocol[P]):
    """An operation that gives a layout of the kind that it takes."""

    def __call__(self, layout: L, /, *args: P.args, **kwargs: P.kwargs) -> L:
        """The operation."""


def on_domain(operation: Callable[Concatenate[Layout, P], Layout]) -> DomainOperation[P]:
    """The operation extended to composed layouts, and refused to anything else."""

    @wraps(operation)
    def extended(layout: Any, /, *args: P.args, **kwargs: P.kwargs) -> Any:
        if isinstance(layout, ComposedLayout):
            return ComposedLayout(layout.outer, layout.offset, extended(layout.inner, *args, **kwargs))
        return operation(as_layout(layout), *args, **kwargs)

    return extended


def as_layout(value: Any) -> Layout:
    """The value if it is a plain layout."""
    if isinstance(value, Layout):
        return value
    if isinstance(value, ComposedLayout):
        raise LayoutError(f"{shown(value)} is composed; this takes a Layout of integers, such as its inner {shown(value.inner)}")
    raise LayoutError(
        f"{shown(value)} is no layout of CuTe; this takes one, such as cute.Layout((4, 8), (8, 1)) or cute.parse('(4,8):(8,1)')"
    )


def has_basis(layout: Layout) -> bool:
    """Whether the layout leads to coordinates instead of offsets."""
    return not all(isinstance(stride, int) for _, stride in layout.flat)


def integer_modes(layout: Layout) -> Modes:
    """The pairs of extent and stride of a layout whose strides are integers."""
    return cast(Modes, layout.flat)


def as_tiler(value: Any, of_integer: Callable[[int], Layout] = Layout, path: Path = ()) -> Tiler:
    """A checked tiler, with layouts for integers and tuples for lists."""
    if value is None or isinstance(value, Layout):
        return value
    if isinstance(value, tuple | list):
        check_nesting(path)
        return tuple(as_tiler(part, of_integer, (*path, k)) for k, part in enumerate(value))
    if isinstance(value, ComposedLayout):
        raise LayoutError(f"a tiler holds plain layouts, got {shown(value)}{at(path)}")
    return of_integer(integer(value))


def check_nesting(path: Path) -> None:
    """Raise ``LayoutError`` where a tuple lies deeper than any layout's."""
    if len(path) >= MOST_NESTED:
        raise LayoutError(f"tuples are nested more than {MOST_NESTED} deep; layouts are not")


def by_mode(operation: Callable[[Layout, Layout], Layout], layout: Layout, tiler: Tiler, *, beyond: bool) -> Layout:
    """The operation of the layout's modes and a checked tiler's; ``beyond`` says whether modes without a tiler stay or go."""
    if tiler is None:
        return layout
    if isinstance(tiler, tuple):
        if len(tiler) > layout.rank:
            raise LayoutError(
                f"expects rank(tiler) <= rank(input), but got rank {len(tiler)} tiler and rank {layout.rank} input {shown(layout)}; "
                f"a Layout as tiler applies to all modes at once"
            )
        modes = list(layout)
        tiled = (by_mode(operation, mode, part, beyond=beyond) for mode, part in zip(modes, tiler, strict=False))
        return make_layout(*tiled, *(modes[len(tiler) :] if beyond else ()))
    return operation(layout, tiler)  # type: ignore[arg-type]
