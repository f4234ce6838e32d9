"""The operations that make layouts of layouts, exact or refused: composition, division, products, complements, inverses.

    >>> from tilelayout import cute
    >>> print(cute.composition(cute.Layout((10, 2), (16, 4)), cute.Layout((5, 4))))
    (5,(2,2)):(16,(80,4))

Each holds to what it promises for every input that it takes, decided by the functions that layouts are and not by tests
of divisibility: ``composition(A, B)(c) == A(B(c))``, ``R(L(R(i))) == R(i)``, complements disjoint and in order.
"""

from .coalesce import coalesce
from .common_layout import max_common_layout, max_common_vector
from .complement import complement
from .composition import composition
from .covering import ceil_div
from .divide import flat_divide, logical_divide, tiled_divide, zipped_divide
from .filtering import filter, filter_zeros, sort, squeeze
from .inverse import left_inverse, nullspace, right_inverse
from .partition import domain_distribute, local_partition, local_tile, make_layout_tv, tiler_to_layout
from .product import blocked_product, flat_product, logical_product, raked_product, tile_to_shape, tiled_product, zipped_product
from .recast import downcast, recast, recast_layout, upcast

__all__ = [
    "blocked_product",
    "ceil_div",
    "coalesce",
    "complement",
    "composition",
    "domain_distribute",
    "downcast",
    "filter",
    "filter_zeros",
    "flat_divide",
    "flat_product",
    "left_inverse",
    "local_partition",
    "local_tile",
    "logical_divide",
    "logical_product",
    "make_layout_tv",
    "max_common_layout",
    "max_common_vector",
    "nullspace",
    "raked_product",
    "recast",
    "recast_layout",
    "right_inverse",
    "sort",
    "squeeze",
    "tile_to_shape",
    "tiled_divide",
    "tiled_product",
    "tiler_to_layout",
    "upcast",
    "zipped_divide",
    "zipped_product",
]
