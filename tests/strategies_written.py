"""Layouts as every language makes them: compact, strided, tiled, merged, swizzled, backwards, broadcast, shifted, empty."""

from __future__ import annotations

from hypothesis import strategies as st

import strategies
import strategies_cute
import strategies_xla
import tilelayout as tl


def some(most=1 << 12):
    """A layout of any kind, of no more than so many slots."""
    kinds = st.one_of(
        strategies.layouts(most_slots=most),
        strategies.strided_layouts(),
        strategies_xla.small_arrays(),
        strategies_cute.layouts(),
        strategies_cute.swizzled(),
    )
    return kinds.map(tl.layout).filter(lambda layout: layout.slots <= most)
