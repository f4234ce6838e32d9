"""Analyses of layouts: what they reach, how their accesses fit memory, and how the algebra comes to its results.

>>> from tilelayout import cute
>>> layout = cute.ComposedLayout(cute.Swizzle(3, 3, 3), 0, cute.Layout((8, 64), (64, 1)))
>>> cute.is_bijective(layout), cute.max_alignment(layout)
(True, 8)

Where a layout's modes tell the answer, the time goes with their number; elsewhere offsets are looked at one by one, up to
``listing.MOST_LISTED`` of them, and a larger layout raises ``LayoutError``.
"""

from .explain import explain
from .injectivity import functionally_equal, is_bijective, is_compact, is_injective, is_surjective
from .matrix import to_F2_matrix
from .memory import Footprint, contiguity, footprint, image, max_alignment, vector_width
from .warps import BankConflicts, bank_conflicts, coalescing_efficiency

__all__ = [
    "BankConflicts",
    "Footprint",
    "bank_conflicts",
    "coalescing_efficiency",
    "contiguity",
    "explain",
    "footprint",
    "functionally_equal",
    "image",
    "is_bijective",
    "is_compact",
    "is_injective",
    "is_surjective",
    "max_alignment",
    "to_F2_matrix",
    "vector_width",
]
