"""Copies of small arrays, element by element against numpy: offsets, gaps, padding and elements that share bytes, in every combination."""

from itertools import product

import numpy as np
import pytest

import tilelayout as tl
from tilelayout import Layout, queries

#: Digits of an array of 4 by 8: rows, columns, tiles, with gaps, backwards, pairs of neighbours apart, and merged axes.
DIGITS = {
    "rows": [(0, 1, 4, 8), (1, 1, 8, 1)],
    "columns": [(1, 1, 8, 4), (0, 1, 4, 1)],
    "tiles": [(0, 2, 2, 16), (1, 4, 2, 8), (0, 1, 2, 4), (1, 1, 4, 1)],
    "padded rows": [(0, 1, 4, 16), (1, 1, 8, 1)],
    "pairs": [(1, 2, 4, 8), (0, 1, 4, 2), (1, 1, 2, 1)],
    "gaps": [(0, 1, 4, 16), (1, 1, 8, 2)],
    "gaps of columns": [(1, 1, 8, 8), (0, 1, 4, 2)],
    "far pairs": [(0, 1, 4, 2), (1, 2, 4, 8), (1, 1, 2, 32)],
    "backwards": [(0, 1, 4, 8), (1, 1, 8, -1), (None, 1, 2, 7)],
    "halves of rows": [(0, 1, 4, 8), (1, 4, 2, 1), (1, 1, 4, 2)],
    "half backwards": [(0, 1, 4, 8), (1, 4, 2, 4), (1, 1, 4, -1), (None, 1, 2, 3)],
    "rows of 13": [(0, 1, 4, 13), (1, 1, 8, 1)],
    "rows in each other": [(0, 1, 4, 13), (1, 1, 8, 2)],
    "merged": [(((0, 1, 4, 8), (1, 1, 8, 1)), 5, 7, 5), (((0, 1, 4, 8), (1, 1, 8, 1)), 1, 5, 1)],
}
WAYS = [(name, offset, rest) for name in DIGITS for offset, rest in ((0, 0), (8, 3), (16, 8), (1, 0))]
#: Every third, in which each comes to stand with each kind of the others.
PAIRS = list(product(WAYS, repeat=2))[::3]


def laid_out(way, element=None):
    name, offset, rest = way
    digits = [*DIGITS[name], *([(None, 1, 2, offset)] if offset else [])]
    return Layout((4, 8), digits, slots=Layout((4, 8), digits).slots + rest, element=element)


def joined(slots, bits):
    """Slots as bytes, the first in the low bits."""
    if bits >= 8:
        return slots
    held = np.concatenate([slots, np.zeros(-len(slots) % (8 // bits), np.uint8)]).reshape(-1, 8 // bits)
    return (held << np.arange(0, 8, bits, dtype=np.uint8)).sum(axis=1, dtype=np.uint8)


def numbers(bits, count):
    kind = np.uint8 if bits <= 8 else np.dtype(f"u{bits // 8}")
    return np.random.default_rng(bits).integers(0, 1 << min(bits, 62), count).astype(kind)


def named(bits):
    return tl.Element(f"uint{bits}", bits) if bits < 8 else None


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("bits", [1, 2, 4, 8, 32])
def test_every_slot_is_written(way, bits):
    """Again and again, over what lay there before: a call that is known has nothing left to check, and the same to do."""
    layout = laid_out(way, named(bits))
    array = numbers(bits, 32).reshape(4, 8)
    for form, fill in product((np.array, np.asfortranarray), (0, 1, None, 0)):
        before = numbers(bits, layout.slots + 1)[1:]
        expected = before.copy() if fill is None else np.full_like(before, fill)
        expected[layout.offsets()] = array
        out = joined(before, bits)
        assert tl.pack(form(array), layout, fill=fill, out=out) is out
        assert np.array_equal(out, joined(expected, bits))
        back = form(np.zeros((4, 8), array.dtype))
        tl.unpack(out, layout, out=back)
        assert np.array_equal(back, array)
        expected[np.isin(np.arange(layout.slots), layout.offsets(), invert=True)] = fill or 0
        out[:] = -1 if out.dtype.kind == "i" else np.iinfo(out.dtype).max
        del out  # which leaves memory that is not zero to the next
        assert np.array_equal(tl.pack(form(array), layout, fill=fill), joined(expected, bits))


@pytest.mark.parametrize("bits", [2, 4, 8, 32])
@pytest.mark.parametrize("fill", [0, 1, None])
def test_every_pair_of_layouts(bits, fill):
    array = numbers(bits, 32).reshape(4, 8)
    for one, other in PAIRS:
        source, target = laid_out(one, named(bits)), laid_out(other, named(bits))
        buffer = tl.pack(array, source, fill=1)
        expected = np.full(target.slots, fill or 0, array.dtype)
        expected[target.offsets()] = array
        assert np.array_equal(tl.relayout(buffer, source, target, fill=fill), joined(expected, bits)), (one, other)


@pytest.mark.parametrize("bits", [2, 4, 8])
def test_what_is_broadcast_is_written_out(bits):
    slots = numbers(bits, 32)
    for digits in ([(1, 1, 8, 2)], [(0, 1, 4, 8)], [(0, 2, 2, 8), (1, 4, 2, 4)], [(0, 1, 4, 4), (1, 2, 4, 4)]):
        source = Layout((4, 8), digits, slots=32, element=named(bits))
        for way in WAYS:
            target = laid_out(way, named(bits))
            expected = np.zeros(target.slots, slots.dtype)
            expected[target.offsets()] = slots[source.offsets()]
            assert np.array_equal(tl.relayout(joined(slots, bits), source, target), joined(expected, bits)), (digits, way)


@pytest.mark.parametrize("bits", [4, 8, 32])
def test_every_pair_of_layouts_in_one_buffer(bits):
    array = numbers(bits, 32).reshape(4, 8)
    for (one, other), fill in product(PAIRS, (2, None)):
        slots = max(laid_out(one).slots, laid_out(other).slots)
        source, target = (Layout((4, 8), laid_out(way).digits, slots=slots, element=named(bits)) for way in (one, other))
        buffer = tl.pack(array, source, fill=1)
        assert tl.relayout(buffer, source, target, fill=fill, out=buffer) is buffer
        if fill is None:  # what is padding now may have held elements
            assert np.array_equal(tl.unpack(buffer, target), array), (one, other)
            continue
        expected = np.full(slots, fill, array.dtype)
        expected[target.offsets()] = array
        assert np.array_equal(buffer, joined(expected, bits)), (one, other)


@pytest.mark.parametrize("text", ["s4[4,6]{1,0:T(*,8)(2,4)E(4)}", "s4[3,50]{1,0:T(*,7)(3,5)E(4)}"])
def test_regions_of_merged_axes_that_share_bytes(text):
    layout = tl.layout(text)
    array = (np.arange(layout.size, dtype=np.int8).reshape(layout.shape) % 16) - 8
    packed = tl.pack(array, layout)
    for region in (np.s_[:, 1:3], np.s_[1, :], np.s_[1:3, 3:], np.s_[2, 2], np.s_[:0, :]):
        assert np.array_equal(tl.unpack(packed, layout, region=region), array[region])
        changed = array.copy()
        changed[region] = -1 - changed[region]
        assert np.array_equal(tl.pack(changed[region], layout, region=region, out=packed.copy()), tl.pack(changed, layout))


def test_regions_far_apart_in_pieces(monkeypatch):
    layout = tl.layout("s4[40,512]{1,0:E(4)}")
    array = (np.arange(layout.size, dtype=np.int64).reshape(layout.shape) % 15 - 8).astype(np.int8)
    packed = tl.pack(array, layout)
    changed = array.copy()
    changed[:, 3] = 7 - changed[:, 3] % 8
    monkeypatch.setattr(queries, "PIECE", 16)
    assert np.array_equal(tl.unpack(packed, layout, region=np.s_[:, 3]), array[:, 3])
    assert np.array_equal(tl.pack(changed[:, 3], layout, region=np.s_[:, 3], out=packed.copy()), tl.pack(changed, layout))
    with pytest.raises(tl.LayoutError, match="does not fit in 4 bits"):
        tl.pack(changed[:, 3] + np.int8(8) * (np.arange(40) == 39), layout, region=np.s_[:, 3], out=(untouched := packed.copy()))
    assert np.array_equal(untouched, packed)


@pytest.mark.parametrize("place", [0, 77, (1 << 22) - 1])
def test_one_element_of_many_that_does_not_fit(place):
    layout = tl.layout("s4[2048,2048]{1,0:E(4)}")
    array = np.zeros(1 << 22, np.int8)
    array[place] = 8
    for threads in (1, 3):
        with pytest.raises(tl.LayoutError, match="the array holds 8, which does not fit in 4 bits of int4; -8 to 7 do"):
            tl.pack(array.reshape(2048, 2048), layout, threads=threads)


def test_a_layout_has_its_shape():
    layout = Layout((4, 8), DIGITS["rows"])
    buffer = np.arange(32)
    assert np.array_equal(tl.unpack(buffer, layout, shape=(4, 8)), buffer.reshape(4, 8))
    with pytest.raises(tl.ShapeError, match=r"\(8, 4\)"):
        tl.unpack(buffer, layout, shape=(8, 4))


@pytest.mark.parametrize("strides", [(8, 8), (8, 2), (12, 4), (0, 4)])
def test_an_array_that_meets_itself_is_nowhere_to_write_to(strides):
    out = np.lib.stride_tricks.as_strided(np.zeros(64, np.int32), (2, 4), strides)
    with pytest.raises(tl.LayoutError, match="by which elements share memory"):
        tl.unpack(np.arange(8, dtype=np.int32), Layout((2, 4), [(0, 1, 2, 4), (1, 1, 4, 1)]), out=out)
