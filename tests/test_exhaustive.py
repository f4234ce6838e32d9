"""Small spaces, walked through to the end: every layout in them agrees with the definition, in every question."""

from itertools import permutations, product

import numpy as np
import pytest

import tilelayout as tl
from tilelayout import reference

pytestmark = pytest.mark.slow

SIZES = (1, 2, 3)
TILES = [tile for rank in (1, 2, 3) for tile in product(SIZES, repeat=rank)]
MERGING = [("*", 1), ("*", 2), ("*", 3), (2, "*", 2), ("*", "*", 2), (1, "*", 3)]
SHAPES = [shape for rank in (0, 1, 2) for shape in product((1, 2, 3, 4), repeat=rank)]


def check(shape, order, tiles):
    layout = tl.xla.Layout(order, tiles=tiles).bind(shape)
    indices = list(reference.indices(shape))
    slots, count = [], 0
    for index in indices:
        slot, count = reference.tiled_slot(index, shape, order, tiles)
        slots.append(slot)
    assert layout.slots == count, (shape, order, tiles)
    assert layout.offsets().ravel().tolist() == slots, (shape, order, tiles)
    coordinates = np.array(indices, np.int64).reshape(len(indices), len(shape))
    assert (layout.coordinates(slots) == coordinates).all(), (shape, order, tiles)
    assert set(np.flatnonzero(~layout.is_padding(range(count))).tolist()) == set(slots), (shape, order, tiles)
    array = np.arange(1, 1 + len(indices), dtype=np.uint16).reshape(shape)
    packed = tl.pack(array, layout, fill=999)
    expected = np.full(count, 999, np.uint16)
    expected[slots] = array.ravel()
    assert (packed == expected).all(), (shape, order, tiles)
    assert (tl.unpack(packed, layout) == array).all(), (shape, order, tiles)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_xla_layout_of_one_tile_or_none(shape):
    for order in permutations(range(len(shape))):
        for tiles in ((), *((tile,) for tile in (*TILES, *MERGING))):
            check(shape, order, tiles)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_xla_layout_of_two_tiles(shape):
    for order in permutations(range(len(shape))):
        for tiles in product((*TILES, *MERGING), repeat=2):
            check(shape, order, tiles)


@pytest.mark.parametrize("shape", list(product((1, 2, 3), repeat=3)), ids=str)
def test_every_order_of_three_axes(shape):
    for order in permutations(range(3)):
        for tile in (*TILES, *MERGING):
            check(shape, order, (tile,))
