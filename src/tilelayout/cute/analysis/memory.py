"""What memory a layout touches, and how wide the accesses are that suit it.

>>> from tilelayout import cute
>>> layout = cute.Layout((8, 4), (1, 16))
>>> cute.footprint(layout, 16)
Footprint(least=0, greatest=55, touched=32, holes=24, bytes=112)
>>> cute.contiguity(layout), cute.vector_width(layout, 16), cute.vector_width(layout, 32)
(8, 8, 4)
"""

from __future__ import annotations

from math import gcd
from typing import NamedTuple

import numpy as np

from ...errors import LayoutError
from ..algebra.filtering import filter_zeros
from ..composed import AnyLayout, ComposedLayout
from ..layout import Layout
from ..spelling import shown
from ..swizzle import Swizzle
from ..tuples import integer
from .injectivity import is_injective, is_surjective
from .listing import Offsets, as_offsets, fewest_modes, listed, plain_modes, positive


class Footprint(NamedTuple):
    """The least and greatest offset, how many are touched, how many between them are not, and the bytes from the first to the last.

    >>> Footprint(0, 55, 32, 24, 112).span
    56
    """

    least: int
    greatest: int
    touched: int
    holes: int
    bytes: int

    @property
    def span(self) -> int:
        """The number of offsets from the least to the greatest."""
        return self.greatest - self.least + 1


def image(layout: AnyLayout) -> Offsets:
    """The offsets that a layout reaches, sorted, each once.

    >>> image(Layout((4, 2, 1000), (3, 1, 0)))
    array([ 0,  1,  3,  4,  6,  7,  9, 10])

    Modes of stride 0 add nothing and are left out; what remains has ``listing.MOST_LISTED`` coordinates at most.
    """
    return np.unique(listed(_unrepeated(as_offsets(layout))))


def _unrepeated(layout: AnyLayout) -> AnyLayout:
    """The layout without modes of stride 0."""
    if isinstance(layout, ComposedLayout):
        return ComposedLayout(layout.outer, layout.offset, _unrepeated(layout.inner))
    return filter_zeros(layout)


def footprint(layout: AnyLayout, element_bits: int = 8) -> Footprint:
    """What a layout touches of memory in which element ``i`` lies at the bits from ``i * element_bits`` on.

    Parameters
    ----------
    element_bits
        The width of an element, which may be less than a byte: parts of bytes count whole.

    >>> footprint(Layout(3, 2), 4), footprint(Layout(3, -1), 32).bytes
    (Footprint(least=0, greatest=4, touched=3, holes=2, bytes=3), 12)
    """
    bits = positive(element_bits, "element_bits")
    least, greatest, touched = _extremes(as_offsets(layout))
    begin, end = least * bits // 8, -(-(greatest + 1) * bits // 8)
    return Footprint(least, greatest, touched, greatest - least + 1 - touched, end - begin)


def _extremes(layout: AnyLayout) -> tuple[int, int, int]:
    """The least and the greatest offset, and how many there are."""
    if isinstance(layout, ComposedLayout):
        offsets = image(layout)
        return int(offsets[0]), int(offsets[-1]), len(offsets)
    steps = [d * (s - 1) for s, d in plain_modes(layout)]
    least, greatest = sum(min(0, step) for step in steps), sum(max(0, step) for step in steps)
    if is_surjective(layout):
        return least, greatest, greatest - least + 1
    moving = _unrepeated(layout)
    return least, greatest, moving.size if is_injective(moving) else len(image(layout))


def contiguity(layout: AnyLayout) -> int:
    """The largest ``n`` that divides the size and for which every block of coordinates ``k*n .. k*n + n - 1`` has consecutive offsets.

    >>> contiguity(Layout((8, 4), (1, 16))), contiguity(Layout((8, 4), (16, 1))), contiguity(Layout((2, 4), (1, 2)))
    (8, 1, 8)
    >>> contiguity(ComposedLayout(Swizzle(3, 2, 3), 0, Layout(256)))
    4

    The modes of plain layouts tell; the offsets of composed ones are looked at, up to ``listing.MOST_LISTED``.
    """
    checked = as_offsets(layout)
    if isinstance(checked, Layout):
        extent, stride = fewest_modes(checked)[0]
        return extent if stride == 1 else 1
    return _contiguity(listed(checked))


def _contiguity(offsets: Offsets) -> int:
    """The greatest common divisor of the size and of all places where a run ends."""
    ends = np.flatnonzero(np.diff(offsets) != 1) + 1
    return gcd(len(offsets), int(np.gcd.reduce(ends)) if len(ends) else 0)


def vector_width(layout: AnyLayout, element_bits: int, max_bits: int = 128) -> int:
    """The most elements, a power of 2, that aligned accesses of at most ``max_bits`` may move at once, 1-D coordinates in order.

    Each access takes ``n`` coordinates from a multiple of ``n`` on, whose offsets are consecutive and begin at a multiple of ``n``; so
    it is aligned if the memory is.

    >>> vector_width(Layout((8, 4), (1, 8)), 16), vector_width(Layout((8, 4), (1, 12)), 16), vector_width(Layout((8, 4), (4, 1)), 16)
    (8, 4, 1)
    >>> vector_width(ComposedLayout(Swizzle(3, 3, 3), 0, Layout((64, 8))), 16)
    8

    One element is an access of its own, however wide it is.
    """
    most = positive(max_bits, "max_bits") // positive(element_bits, "element_bits")
    checked = as_offsets(layout)
    if isinstance(checked, Layout):
        aligned = gcd(contiguity(checked), *(d for _, d in fewest_modes(checked)[1:]))
    else:
        offsets = listed(checked)
        run = _contiguity(offsets)
        aligned = gcd(run, int(np.gcd.reduce(offsets[::run])))
    power = aligned & -aligned
    while power > max(1, most):
        power //= 2
    return power


def max_alignment(layout: AnyLayout) -> int:
    """The number of elements whose offsets stay one aligned run, in whatever order of coordinates.

    >>> max_alignment(Layout((8, 4), (4, 1))), max_alignment(Layout((8, 4), (12, 1))), max_alignment(Layout(8, 2))
    (32, 4, 1)
    >>> max_alignment(ComposedLayout(Swizzle(3, 4, 3), 0, Layout((8, 64), (64, 1))))
    16

    That is the greatest common divisor of the run of offsets from 0 on that the modes fill, of the strides of the other modes and, where
    there is one, of the offset and of the ``2**base`` elements that a swizzle keeps together (include/cute/layout.hpp).
    """
    checked = as_offsets(layout)
    if isinstance(checked, Layout):
        return _aligned_run(checked)
    if not isinstance(checked.outer, Swizzle):
        raise LayoutError(f"{shown(layout)} has no alignment that its modes tell; give a swizzled layout, or compose the layouts")
    kept = 1 << checked.outer.base if checked.outer.bits else 0
    return gcd(max_alignment(checked.inner), integer(checked.offset), kept)


def _aligned_run(layout: Layout) -> int:
    """The run of offsets from 0 on that some modes fill, cut to what divides the other modes' strides."""
    end, others = 1, 0
    for stride, extent in sorted((d, s) for s, d in plain_modes(layout)):
        if stride == end:
            end *= extent
        else:
            others = gcd(others, stride)
    return gcd(end, others)
