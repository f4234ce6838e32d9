"""Copies in a cache where the machine fetches no rows (tl_steady_near.h): any part of a leaf, at any place, and not a byte beside it."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilelayout as tl
from engines import LEVELS
from rooms import is_untouched, placed

DTYPES = {"s8": np.int8, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
#: Tiles that runs, zips and unzips move, of as many rows as halving leads to or not; columns that are whole lines or not.
ROWS = "(8,128) (2,64) (8,20) (3,100) (1,128)"
TUPLES = "(8,128)(2,1) (8,128)(4,1) (16,32)(2,1) (6,64)(3,1) (12,40)(6,1) (9,70)(9,1)"
TILES = [*ROWS.split(), *TUPLES.split()]
#: Small copies of a machine that fetches no rows.
ENGINE = ("512 bytes", 1 << 60, "sweeping", False)


@st.composite
def layouts(draw):
    """Rows and columns in tiles that fit or not, alone or in a batch, of which that may be the other way round."""
    shape = [
        *draw(st.lists(st.integers(1, 9), max_size=1)),
        draw(st.integers(1, 70)),
        draw(st.one_of(st.integers(1, 300), st.sampled_from((128, 512)))),
    ]
    order = list(range(len(shape)))[::-1]
    if len(shape) > 2 and draw(st.booleans()):
        order[1:] = order[:0:-1]
    name = draw(st.sampled_from(sorted(DTYPES)))
    text = f"{name}{shape}{{{','.join(map(str, order))}:T{draw(st.sampled_from(TILES))}}}"
    return tl.layout(text.replace(" ", "")), np.dtype(DTYPES[name])


PLACES = st.sampled_from((0, 8, 16, 48))


@pytest.mark.skipif(ENGINE[0] not in LEVELS, reason="takes vectors of 512 bits")
@pytest.mark.engines(ENGINE)
@settings(max_examples=1500)
@given(layouts(), PLACES, PLACES, st.sampled_from((None, 3)))
def test_each_element_is_moved_and_nothing_else(made, source_place, target_place, fill):
    layout, dtype = made
    bits = np.dtype(f"u{dtype.itemsize}")
    array, _, _ = placed(layout.size, dtype, source_place)
    array.view(np.uint8)[:] = np.random.default_rng(layout.size).integers(0, 256, array.nbytes, np.uint8)
    array = array.reshape(layout.shape)
    buffer, room, begin = placed(layout.slots, dtype, target_place)
    expected = buffer.view(bits).copy() if fill is None else np.full(layout.slots, fill, dtype).view(bits)
    expected[layout.offsets().ravel()] = array.view(bits).ravel()
    tl.pack(array, layout, out=buffer, fill=fill, threads=1)
    assert (buffer.view(bits) == expected).all()
    assert is_untouched(room, begin, buffer.nbytes)
    again, room, begin = placed(layout.size, dtype, source_place)
    tl.unpack(buffer, layout, out=again.reshape(layout.shape), threads=1)
    assert (again.view(bits) == array.view(bits).ravel()).all()
    assert is_untouched(room, begin, again.nbytes)
