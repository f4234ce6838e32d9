"""Copies of small arrays, element by element against numpy: offsets, gaps, padding and elements that share bytes, in every combination."""

from itertools import product
from random import Random

import ml_dtypes
import numpy as np
import pytest

import tilelayout as tl
from tilelayout import Layout, queries, relayouts, transfers
from tilelayout.elements import Element
from tilelayout.storage import for_buffer

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
def test_pairs_of_layouts(bits, fill):
    """A third of them for each width and fill."""
    array = numbers(bits, 32).reshape(4, 8)
    for one, other in Random(f"{bits} {fill}").sample(PAIRS, len(PAIRS) // 3):
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
def test_pairs_of_layouts_in_one_buffer(bits):
    """A third of them for each width."""
    array = numbers(bits, 32).reshape(4, 8)
    for (one, other), fill in product(Random(bits).sample(PAIRS, len(PAIRS) // 3), (2, None)):
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


@pytest.mark.parametrize("place", [0, 77, (1 << 24) - 1])
def test_one_element_of_many_that_does_not_fit(place):
    layout = tl.layout("s4[4096,4096]{1,0:E(4)}")
    array = np.zeros(1 << 24, np.int8)
    array[place] = 8
    for threads in (1, 3):
        with pytest.raises(tl.LayoutError, match="the array holds 8, which does not fit in 4 bits of int4; -8 to 7 do"):
            tl.pack(array.reshape(4096, 4096), layout, threads=threads)


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


def test_padding_behind_what_the_digits_count_is_filled_too():
    array = np.arange(60, dtype=np.uint8) % 16
    layout = Layout((60,), [(0, 1, 64, 1)], slots=128, element=named(4))
    slots = np.concatenate([array, np.full(68, 3, np.uint8)])
    assert np.array_equal(tl.pack(array, layout, fill=3), joined(slots, 4))
    rows, columns = ([(1, 2, 4, 4), (0, 1, 2, a), (1, 1, 2, b)] for a, b in ((2, 1), (1, 2)))
    source, target = (Layout((2, 8), digits, slots=20) for digits in (rows, columns))
    array = numbers(8, 16).reshape(2, 8)
    buffer = tl.pack(array, source, fill=9)
    assert np.array_equal(tl.relayout(buffer, source, target, fill=7, out=buffer), tl.pack(array, target, fill=7))


@pytest.mark.parametrize("count", [8, 9, 72, 576])
def test_elements_of_one_bit(count):
    array = numbers(1, count)
    for digits in ([(0, 1, count, 1)], [(0, 1, count, 64)]):
        layout = Layout((count,), digits, element=named(1))
        buffer = tl.pack(array, layout)
        slots = np.zeros(layout.slots, np.uint8)
        slots[layout.offsets()] = array
        assert np.array_equal(buffer, joined(slots, 1))
        assert np.array_equal(tl.unpack(buffer, layout), array)
        assert np.array_equal(tl.unpack(buffer, layout, region=np.s_[3:7]), array[3:7])
        tl.pack(1 - array[3:7], layout, out=buffer, region=np.s_[3:7])
        array[3:7] ^= 1
        assert np.array_equal(tl.unpack(buffer, layout), array)


def test_columns_of_bits():
    array = np.arange(54).reshape(18, 3) % 5 % 2
    packed = tl.pack(array.astype(np.uint8), "u1[18,3]{0,1:E(1)}")
    assert packed.tobytes() == np.packbits(array.T.ravel(), bitorder="little").tobytes()
    assert np.array_equal(tl.unpack(packed, "u1[18,3]{0,1:E(1)}"), array)


def test_regions_of_elements_of_one_bit_that_lie_far_apart():
    layout = Layout((4, 40), [(0, 1, 4, 1 << 13), (1, 1, 40, 1)], element=named(1))
    array = numbers(1, 160).reshape(4, 40)
    buffer = tl.pack(array, layout)
    assert np.array_equal(tl.unpack(buffer, layout, region=np.s_[1:3, 3:20]), array[1:3, 3:20])
    array[1:3, 3:20] ^= 1
    assert np.array_equal(tl.pack(array[1:3, 3:20], layout, out=buffer, region=np.s_[1:3, 3:20]), tl.pack(array, layout))


@pytest.mark.parametrize(("region", "expected"), [(np.s_[2:], [0xFF, 0xF5]), (np.s_[:1], [0xF5, 0xFF]), (np.s_[3:], [0xFF, 0xFF])])
def test_a_region_leaves_the_bits_behind_the_last_slot(region, expected):
    out = np.full(2, 0xFF, np.uint8)
    layout = Layout((3,), [(0, 1, 3, 1)], element=named(4))
    tl.pack(np.full(len(range(3)[region]), 5, np.uint8), layout, out=out, region=region)
    assert out.tolist() == expected


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize(("shape", "tile"), [((768, 5702), (256, 4)), ((1026, 4104), (4, 16)), ((1027, 4101), (4, 256))])
def test_large_copies_with_a_ragged_end(bits, shape, tile):
    rows, columns = (-(-n // k) for n, k in zip(shape, tile, strict=True))
    size = tile[0] * tile[1]
    digits = [(0, tile[0], rows, columns * size), (1, tile[1], columns, size), (0, 1, tile[0], tile[1]), (1, 1, tile[1], 1)]
    layout = Layout(shape, digits, slots=rows * columns * size, element=named(bits))
    array = numbers(bits, shape[0] * shape[1]).reshape(shape)
    full = np.zeros((rows * tile[0], columns * tile[1]), array.dtype)
    full[: shape[0], : shape[1]] = array
    slots = full.reshape(rows, tile[0], columns, tile[1]).swapaxes(1, 2).reshape(-1)
    assert np.array_equal(tl.pack(array, layout), joined(slots, bits))
    assert np.array_equal(tl.unpack(joined(slots, bits), layout), array)


def test_an_element_that_does_not_fit_is_refused_whichever_thread_finds_it():
    layout = Layout((160, 1 << 16), [(0, 1, 160, 1 << 17), (1, 1, 1 << 16, 1)], element=named(4))
    for row in (0, -1):
        array = np.zeros(layout.shape, np.uint8)
        array[row, 5] = 16
        with pytest.raises(tl.LayoutError, match="holds 16, which does not fit"):
            tl.pack(array, layout, threads=2)


def test_between_sums_and_digits():
    plain, swizzled = tl.layout("cute:(8,8):(8,1)"), tl.layout("cute:Sw<3,0,3> o 0 o (8,8):(8,1)")
    odd = Layout((8, 8), [(((0, 1, 8, 3), (1, 1, 8, 1)), 1, 29, 3), (1, 1, 8, 100)])
    array = numbers(8, 64).reshape(8, 8)
    for one, other in product((plain, swizzled, odd), repeat=2):
        assert np.array_equal(tl.relayout(tl.pack(array, one), one, other), tl.pack(array, other))


def test_elements_whose_layout_tells_their_bits_alone():
    wide, narrow = (Layout((4,), [(0, 1, 4, 1)], element=("", bits)) for bits in (16, 4))
    assert np.array_equal(tl.pack(np.array([1, -2, 3, 4], np.int8), wide).view(np.uint16), [1, 254, 3, 4])
    assert tl.pack(np.array([1, -2, 3, 4], ml_dtypes.int4), narrow).tolist() == [0xE1, 0x43]
    with pytest.raises(tl.LayoutError, match="bytes of elements of 9 bits, and nothing says of what type"):
        tl.unpack(np.zeros(5, np.uint8), Layout((4,), [(0, 1, 4, 1)], element=("", 9)))


def test_padding_is_zero_where_nothing_is_said_of_it():
    padded = tl.layout("{0:T(2)}", (3,))
    assert tl.pack(np.array([5, 6, 7]), padded).tolist() == [5, 6, 7, 0]
    assert tl.relayout(np.array([5, 6, 7]), tl.layout("{0}", (3,)), padded).tolist() == [5, 6, 7, 0]


def test_an_array_of_uint8_holds_bits_unless_it_is_said_to_be_raw():
    kinds = [for_buffer(np.dtype(np.uint8), Element("int8", 8), None, **raw).dtype for raw in ({}, {"is_raw": False}, {"is_raw": True})]
    assert kinds == [np.uint8, np.uint8, np.int8]


def test_bytes_come_back_as_the_type_that_is_named():
    assert tl.unpack(b"\x01\x02\x03", "s4[3]{0}").dtype == ml_dtypes.int4
    assert tl.unpack(b"\x21\x03", "s4[3]{0:E(4)}").dtype == np.int8


#: What may be meant by bytes of no type.
OR_ELSE = ", or as many of the type that dtype= names"


@pytest.mark.parametrize(
    ("dtype", "element", "told"),
    [
        ("float32", None, "a buffer of 3 elements of float32 for 4 slots of 32 bits; it takes 4 elements of float32, or 16 bytes"),
        ("int16", None, "a buffer of 3 elements of int16 for 4 slots of 16 bits; it takes 4 elements of int16, or 8 bytes"),
        ("int8", None, "a buffer of 3 elements of int8 for 4 slots of 8 bits; it takes 4 elements of int8"),
        ("uint8", None, f"a buffer of 3 elements of uint8 for 4 slots of 8 bits; it takes 4 elements of uint8{OR_ELSE}"),
        ("uint8", ("uint4", 4), "a buffer of 3 elements of uint8 for 4 slots of 4 bits; it takes 2 elements of uint8"),
    ],
)
def test_what_is_said_of_a_buffer_of_another_size(dtype, element, told):
    with pytest.raises(tl.ShapeError) as caught:
        tl.unpack(np.zeros(3, dtype), Layout((4,), [(0, 1, 4, 1)], element=element))
    assert str(caught.value) == told


def test_other_byte_orders_are_turned_each_time():
    layout = tl.Layout((2, 3), [(0, 1, 2, 1), (1, 1, 3, 2)], element=("float32", 32))
    array = np.arange(6, dtype=">f4").reshape(2, 3)
    for _ in range(3):
        packed = tl.pack(array, layout)
        assert packed.tolist() == [0, 3, 1, 4, 2, 5]
        assert tl.unpack(packed.astype(">f4"), layout).tolist() == array.tolist()


def test_an_array_without_axes_again_and_again():
    layout = Layout((), [(None, 1, 2, 1)], slots=3)
    for value in (5, 6, 7):
        packed = tl.pack(np.array(value, np.int16), layout)
        assert packed.tolist() == [0, value, 0]
        assert tl.unpack(packed, layout) == value


def test_what_is_set_aside_in_one_buffer(monkeypatch):
    rows, columns = ([(0, 2, 4, 16), (0, 1, 2, a), (1, 1, 8, b)] for a, b in ((8, 1), (1, 2)))
    source, target = (Layout((8, 8), digits, slots=64) for digits in (rows, columns))
    array = np.arange(64, dtype=np.uint8).reshape(8, 8)
    plain, turned = Layout((8, 8), [(0, 1, 8, 8), (1, 1, 8, 1)]), Layout((8, 8), [(0, 1, 8, 1), (1, 1, 8, 8)])
    monkeypatch.setattr(transfers, "TOGETHER", 16)
    monkeypatch.setattr(relayouts, "MOST_ASIDE", 16)
    for fill in (0, None):
        buffer = tl.pack(array, source)
        assert np.array_equal(tl.relayout(buffer, source, target, fill=fill, out=buffer), tl.pack(array, target))
    monkeypatch.setattr(relayouts, "MOST_ASIDE", 15)
    buffer = tl.pack(array, Layout((8, 8), rows))
    with pytest.raises(tl.LayoutError, match="so far that 16 bytes would have to be set aside, more than 15"):
        tl.relayout(buffer, Layout((8, 8), rows), Layout((8, 8), columns), out=buffer)
    monkeypatch.setattr(relayouts, "MOST_ASIDE", 64)
    buffer = tl.pack(array, plain)
    assert np.array_equal(tl.relayout(buffer, plain, turned, out=buffer), tl.pack(array, turned))


def test_what_might_overlap_is_taken_to(monkeypatch):
    layout, memory = Layout((2, 3, 2), [(0, 1, 2, 6), (1, 1, 3, 2), (2, 1, 2, 1)]), np.arange(60000).astype(np.uint8)
    out = np.lib.stride_tricks.as_strided(memory, (2, 3, 2), (15479, 12444, 6884))
    buffer = memory[29272:29284]
    tl.unpack(buffer, layout, out=out)
    monkeypatch.setattr("tilelayout.doors.MOST_OVERLAP_WORK", 1)
    with pytest.raises(tl.LayoutError, match="out shares memory with the input"):
        tl.unpack(buffer, layout, out=out)
