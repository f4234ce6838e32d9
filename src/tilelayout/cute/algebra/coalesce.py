"""Coalesce: the simplest layout that is the same function of 1-D coordinates.

>>> from tilelayout import cute
>>> layout = cute.Layout((2, (1, 6)), (1, (6, 2)))
>>> print(cute.coalesce(layout), cute.coalesce(layout, (1, 1)))
12:1 (2,6):(1,2)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..._kernels import modes as kernel
from ...errors import LayoutError
from ..layout import Layout
from ..making import make_layout
from ..spelling import shown
from ..tuples import Path, at, part_at
from .domain import check_nesting, on_domain
from .modes import Modes, coalesced
from .strides import Paths, decoded, encoded


@on_domain
def coalesce(layout: Layout, profile: Any = 1, *, mode: int | Sequence[int] | None = None) -> Layout:
    """The layout with neighbouring leaves joined and leaves of extent 1 dropped; ``size`` stays, and ``R(i) == layout(i)``.

    Parameters
    ----------
    profile
        Where it is a tuple, its modes are applied to the layout's modes, and what it meets at anything else is coalesced:
        the values do not matter, except that None leaves a mode as it is. Modes beyond the profile stay.
    mode
        A mode, or the path to one, to coalesce alone.

    >>> print(coalesce(Layout(((2, 2), (2, 2)), ((1, 2), (16, 32))), mode=1))
    ((2,2),4):((1,2),16)

    A layout of size 1 becomes ``1:0``.
    """
    if mode is None:
        return _by_profile(layout, profile, ())
    path = tuple(mode) if isinstance(mode, tuple | list) else (mode,)
    part_at(layout.shape, path)
    return _at_path(layout, path, profile)


def _by_profile(layout: Layout, profile: Any, path: Path) -> Layout:
    if profile is None or layout.shape == ():
        return layout
    if not isinstance(profile, tuple | list):
        quick = kernel.coalesce(layout)
        if quick is not None:
            return quick
        return spelled_out(*_coalesced(layout))
    check_nesting(path)
    if len(profile) > layout.rank:
        raise LayoutError(
            f"expects target_profile rank ({len(profile)}) to not exceed the layout rank ({layout.rank}){at(path)} of {shown(layout)}"
        )
    modes = list(layout)
    for k, part in enumerate(profile):
        modes[k] = _by_profile(modes[k], part, (*path, k))
    return make_layout(*modes)


def _at_path(layout: Layout, path: Path, profile: Any) -> Layout:
    if not path or not isinstance(layout.shape, tuple):
        return _by_profile(layout, profile, ())
    return make_layout(*(_at_path(mode, path[1:], profile) if k == path[0] else mode for k, mode in enumerate(layout)))


def _coalesced(layout: Layout) -> tuple[Modes, Paths]:
    modes, paths = encoded(layout.flat)
    return coalesced(modes), paths


def spelled_out(modes: Modes, paths: Paths = ()) -> Layout:
    """The layout of flat modes; a single one is not put in a tuple.

    >>> print(spelled_out(((4, 1),)), spelled_out(((4, 2), (3, 1))))
    4:1 (4,3):(2,1)
    """
    if len(modes) == 1:
        return Layout(modes[0][0], decoded(modes[0][1], paths))
    return Layout(tuple(s for s, _ in modes), tuple(decoded(d, paths) for _, d in modes))
