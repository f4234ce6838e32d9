"""Rows of less than a line, of any number of bytes: brought together, filled up, and with gaps between them, and not a byte beside them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilelayout as tl
from rooms import ASIDE, is_untouched, placed

PLACES = st.sampled_from((0, 1, 4, 16, 63))


def amid(rows, columns, gap, place):
    """Rows of so many bytes with gaps between them, and all that is watched: they begin at this place in a line."""
    flat, room, begin = placed(rows * (columns + gap), np.uint8, place)
    return flat.reshape(rows, columns + gap)[:, :columns], flat, (room, begin, flat.nbytes)


@pytest.mark.engines
@settings(max_examples=300)
@given(
    shape=st.tuples(st.integers(1, 300), st.integers(1, 40)),
    gap=st.integers(0, 24),
    padding=st.integers(0, 24),
    places=st.tuples(PLACES, PLACES),
    fill=st.sampled_from((None, 3)),
)
def test_each_byte_is_moved_and_nothing_else(shape, gap, padding, places, fill):
    rows, columns = shape
    layout = tl.layout(f"u8[{rows},{columns}]{{1,0:T(1,{columns + padding})}}")
    array, *_ = amid(rows, columns, gap, places[0])
    array[...] = np.random.default_rng(rows).integers(0, 256, array.shape, np.uint8)
    buffer, room, begin = placed(layout.slots, np.uint8, places[1])
    tl.pack(array, layout, out=buffer, fill=fill, threads=1)
    lines = buffer.reshape(rows, columns + padding)
    assert (lines[:, :columns] == array).all()
    assert (lines[:, columns:] == (ASIDE if fill is None else fill)).all()
    assert is_untouched(room, begin, buffer.nbytes)
    again, flat, watched = amid(rows, columns, gap, places[0])
    tl.unpack(buffer, layout, out=again, threads=1)
    assert (again == array).all()
    assert (flat.reshape(rows, columns + gap)[:, columns:] == ASIDE).all()
    assert is_untouched(*watched)


@pytest.mark.engines
@settings(max_examples=300)
@given(
    windows=st.tuples(st.integers(1, 300), st.integers(1, 40), st.integers(0, 40)),
    padding=st.integers(0, 24),
    place=PLACES,
    backwards=st.booleans(),
)
def test_windows_that_overlap(windows, padding, place, backwards):
    rows, columns, step = windows
    flat, _, _ = placed((rows - 1) * step + columns, np.uint8, place)
    flat[:] = np.random.default_rng(rows).integers(0, 256, flat.size, np.uint8)
    array = np.lib.stride_tricks.as_strided(flat, (rows, columns), (step, 1))[:: -1 if backwards else 1]
    layout = tl.layout(f"u8[{rows},{columns}]{{1,0:T(1,{columns + padding})}}")
    packed = tl.pack(array, layout, fill=3, threads=1).reshape(rows, columns + padding)
    assert (packed[:, :columns] == array).all()
    assert (packed[:, columns:] == 3).all()
