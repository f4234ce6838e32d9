"""How an operation comes to its result, step by step, in words.

>>> from tilelayout import cute
>>> print(cute.explain(cute.logical_divide, cute.Layout((4, 2, 3), (2, 1, 8)), cute.Layout(4, 2)))
logical_divide: the layout after (tiler, complement of the tiler)
  layout = (4,2,3):(2,1,8)
  tiler = 4:2
the complement of the tiler 4:2 up to (4,2,3), which goes from tile to tile:
  4:2 begins at 2; before it 2 runs of 1 find room, which gives 2:1, and its run ends at 4*2 = 8
  up to (4,2,3) there are 3 runs of 8, which gives 3:8
  the modes coalesced are the complement
  (2,3):(1,8)
tiler and complement side by side: (4,(2,3)):(2,(1,8))
the layout A after these, B:
  A coalesced, its last mode without an end: (4,2,3):(2,1,8)
  4:2 of B takes 4 coordinates of A, 2 apart:
    in 4:2, 2 coordinates 2 apart, with offsets 2*2 = 4 apart: 2:4
    in 2:1, 2 coordinates 1 apart, with offsets 1*1 = 1 apart: 2:1
  2:1 of B takes 2 coordinates of A, 1 apart:
    in 4:2, 2 coordinates 1 apart, with offsets 1*2 = 2 apart: 2:2
  3:8 of B takes 3 coordinates of A, 8 apart:
    4:2 is stepped over: 8 = 4*2, so the step in what follows is 2
    2:1 is stepped over: 2 = 2*1, so the step in what follows is 1
    in 3:8, 3 coordinates 1 apart, with offsets 1*8 = 8 apart: 3:8
  these take the places of B's leaves
the result is
((2,2),(2,3)):((4,1),(2,8))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from ...errors import LayoutError
from .. import algebra
from ..algebra.domain import as_tiler, has_basis
from ..composed import ComposedLayout
from ..layout import Layout
from ..nesting import shallow
from ..spelling import shown
from ..swizzle import Swizzle
from ..tuples import as_shape
from . import steps


class _Story(NamedTuple):
    """What an operation is, what its arguments are called, and how it is told."""

    summary: str
    names: tuple[str, ...]
    told: Callable[..., Iterator[str]]


@shallow
def explain(operation: Callable[..., Any] | str, *args: Any) -> str:
    """The derivation of ``operation(*args)``, a line a step; the last line is the result, ``str(operation(*args))``.

    Parameters
    ----------
    operation
        A function, or the name of one of the algebra. Told step by step are coalesce, composition, complement, logical_divide,
        zipped_divide, logical_product, right_inverse and left_inverse of layouts of integers; of others, the arguments and the result.

    >>> print(explain("coalesce", Layout((2, (1, 6)), (1, (6, 2)))))
    coalesce: neighbouring leaves joined, leaves of extent 1 left out
      layout = (2,(1,6)):(1,(6,2))
    2:1 comes first
    1:6 has one coordinate and goes
    6:2 begins where 2:1 ends (2*1 = 2), so both are 12:1
    the result is
    12:1

    What the operation refuses it refuses here too, with the same error.
    """
    function = _operation(operation)
    result = function(*args)
    name = getattr(function, "__name__", type(function).__name__)
    story = _STORIES.get(name) if function is getattr(algebra, name, None) else None
    summary, names = (f"{name}: {story.summary}", story.names) if story else (name, ())
    labels = (*names, *(f"argument {k}" for k in range(len(names), len(args))))
    given = steps.indented(f"{label} = {shown(value)}" for label, value in zip(labels, args, strict=False))
    told = story.told(*args) if story else iter(())
    return "\n".join((summary, *given, *told, "the result is", str(result)))


def _operation(operation: Any) -> Callable[..., Any]:
    if isinstance(operation, str):
        if operation not in algebra.__all__:
            raise LayoutError(f"{shown(operation)} is no operation of the algebra; those are {', '.join(algebra.__all__)}")
        operation = getattr(algebra, operation)
    if not callable(operation):
        raise LayoutError(f"{shown(operation)} is no operation; give a function such as cute.composition, or its name")
    return operation  # type: ignore[no-any-return]


def _inside(told: Callable[..., Iterator[str]]) -> Callable[..., Iterator[str]]:
    """The steps for composed layouts too: they are those of the layout inside."""

    def extended(layout: Any, *args: Any) -> Iterator[str]:
        if isinstance(layout, ComposedLayout):
            yield f"{layout.outer} and the offset {shown(layout.offset)} stay in front; inside, {layout.inner}:"
            yield from steps.indented(extended(layout.inner, *args))
        else:
            yield from told(layout, *args)

    return extended


def _is_plain(*layouts: Any) -> bool:
    return all(isinstance(layout, Layout) and not has_basis(layout) for layout in layouts)


def _by_mode(told: Callable[[Layout, Layout], Iterator[str]], layout: Layout, tiler: Any, beyond: str) -> Iterator[str]:
    """The steps for each mode and its part of the tiler."""
    if tiler is None:
        yield f"None leaves {layout} as it is"
    elif isinstance(tiler, tuple):
        modes = list(layout)
        for k, (mode, part) in enumerate(zip(modes, tiler, strict=False)):
            yield f"mode {k}, {mode} by {shown(part)}:"
            yield from steps.indented(_by_mode(told, mode, part, beyond))
        for k in range(len(tiler), len(modes)):
            yield f"mode {k}, {modes[k]}, has no part of the tiler and {beyond}"
    elif _is_plain(layout, tiler):
        yield from told(layout, tiler)


def _coalesce(layout: Layout, profile: Any = 1) -> Iterator[str]:
    parts: Sequence[Any] = profile if isinstance(profile, tuple | list) else ()
    if profile is None:
        yield f"None leaves {layout} as it is"
    elif isinstance(profile, tuple | list):
        modes = list(layout)
        for k, (mode, part) in enumerate(zip(modes, parts, strict=False)):
            yield f"mode {k}, {mode}:"
            yield from steps.indented(_coalesce(mode, part))
        for k in range(len(parts), len(modes)):
            yield f"mode {k}, {modes[k]}, is beyond the profile and stays"
    elif _is_plain(layout) and layout.shape != ():
        yield from steps.of_coalesce(layout)


def _composition(a: Any, b: Any) -> Iterator[str]:
    if not isinstance(a, Layout) or isinstance(b, ComposedLayout | Swizzle):
        return
    yield from _by_mode(steps.of_composition, a, as_tiler(b, lambda extent: Layout(extent, 1)), "is dropped")


def _complement(layout: Layout, cotarget: Any = None) -> Iterator[str]:
    if _is_plain(layout):
        size = 1 if cotarget is None else cotarget.shape if isinstance(cotarget, Layout) else as_shape(cotarget)
        yield from steps.of_complement(layout, size)


def _logical_divide(layout: Layout, tiler: Any) -> Iterator[str]:
    yield from _by_mode(steps.of_division, layout, as_tiler(tiler), "stays")


def _zipped_divide(layout: Layout, tiler: Any) -> Iterator[str]:
    yield from _logical_divide(layout, tiler)
    yield "the tiles of all modes go to mode 0, and all the rest to mode 1"


def _logical_product(layout: Layout, tiler: Any) -> Iterator[str]:
    yield from _by_mode(steps.of_product, layout, as_tiler(tiler), "stays")


def _inverse(told: Callable[[Layout], Iterator[str]]) -> Callable[..., Iterator[str]]:
    """The steps of an inverse; that of a swizzled layout comes after the swizzle, which undoes itself."""

    def extended(layout: Any) -> Iterator[str]:
        if isinstance(layout, ComposedLayout):
            yield f"{layout.outer} undoes itself; it is followed by the inverse of {layout.inner}:"
            yield from steps.indented(extended(layout.inner))
        elif _is_plain(layout):
            yield from told(layout)

    return extended


_STORIES = {
    "coalesce": _Story("neighbouring leaves joined, leaves of extent 1 left out", ("layout", "profile"), _inside(_coalesce)),
    "composition": _Story("the layout R with R(c) = A(B(c)) for all c of B", ("A", "B"), _inside(_composition)),
    "complement": _Story("the layout, in order, of what another leaves out", ("layout", "cotarget"), _complement),
    "logical_divide": _Story("the layout after (tiler, complement of the tiler)", ("layout", "tiler"), _inside(_logical_divide)),
    "zipped_divide": _Story("the layout after the tiler, and after its complement", ("layout", "tiler"), _inside(_zipped_divide)),
    "logical_product": _Story("the layout, and its repetitions as the tiler orders them", ("layout", "tiler"), _inside(_logical_product)),
    "right_inverse": _Story("the layout R with layout(R(i)) = i", ("layout",), _inverse(steps.of_right_inverse)),
    "left_inverse": _Story("the layout R with layout(R(layout(i))) = layout(i)", ("layout",), _inverse(steps.of_left_inverse)),
}
