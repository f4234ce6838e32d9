"""Regions: against numpy's own indexing, for packing, unpacking and what a box is."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tilelayout as tl
from strategies_regions import any_layout, indices, injective, shapes
from tilelayout import regions
from tilelayout.chains import chains


@given(st.data(), shapes)
def test_a_region_is_the_box_that_numpy_takes(data, shape):
    index = data.draw(indices(shape))
    taken = np.arange(np.prod(shape, dtype=int)).reshape(shape)[index]
    box = regions.box_of(index, shape)
    whole = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    assert box.shape == taken.shape
    assert np.array_equal(whole[tuple(slice(a, a + n) for a, n in zip(box.start, box.extents, strict=True))].ravel(), taken.ravel())


@given(st.data(), shapes, st.sampled_from(["u1", "u2", ">f4", "c16"]))
def test_unpack_reads_what_numpy_would_take_of_the_whole(data, shape, dtype):
    layout, index = data.draw(any_layout(shape)), data.draw(indices(shape))
    buffer = np.arange(layout.slots).astype(dtype)
    expected = tl.unpack(buffer, layout)[index]
    assert np.array_equal(tl.unpack(buffer, layout, region=index), expected)
    room = np.zeros([2 * n for n in expected.shape] + [2], dtype)
    out = room[(*(slice(None, None, 2) for _ in expected.shape), 1)] if expected.ndim else np.zeros((), dtype)
    assert tl.unpack(buffer, layout, region=index, out=out) is out
    assert np.array_equal(out, expected)


@given(st.data(), shapes, st.sampled_from(["u1", "u2", ">f4", "c16"]))
def test_pack_writes_the_region_and_nothing_else(data, shape, dtype):
    layout, index = data.draw(injective(shape)), data.draw(indices(shape))
    array = np.zeros(shape, dtype)
    array[index] = np.arange(array[index].size).reshape(array[index].shape) + 1
    mask = np.zeros(shape, bool)
    mask[index] = True
    buffer = np.full(layout.slots, 77, dtype)
    expected = buffer.copy()
    expected[layout.offsets()[mask]] = array[mask]
    assert tl.pack(np.asarray(array[index], dtype), layout, region=index, out=buffer) is buffer
    assert buffer.tolist() == expected.tolist()


NARROW = [
    "s4[70,200]{1,0:T(64,128)(8,1)E(4)}",
    "u2[9,5]{0,1:E(2)}",
    "u1[33]{0:T(8)E(1)}",
    "s4[3,7]{1,0:T(2,2)(3)E(4)}",
    "s4[300,512]{0,1:E(4)}",
    "u4[3,5]{1,0:T(*,7)(3)E(4)}",
]


@pytest.mark.parametrize("text", NARROW)
@given(data=st.data())
def test_elements_that_share_bytes(data, text):
    layout = tl.layout(text)
    index = data.draw(indices(layout.shape))
    low, high = (-8, 8) if layout.element.signed else (0, 1 << layout.element.bits)
    array = np.random.default_rng(3).integers(low, high, layout.shape).astype("i1" if low else "u1")
    buffer = tl.pack(array, layout, fill=1)
    assert np.array_equal(tl.unpack(buffer, layout, region=index, dtype=array.dtype), array[index])
    array[index] = low
    expected = tl.pack(array, layout, fill=1)
    beyond = 0xFF << (layout.slots * layout.element.bits - 1) % 8 + 1 & 0xFF  # bits behind the last slot, which stay as they are
    buffer[-1:] |= beyond
    expected[-1:] |= beyond
    assert tl.pack(array[index], layout, region=index, out=buffer).tobytes() == expected.tobytes()


def test_merged_layouts_in_pieces(monkeypatch):
    layout = tl.layout("u16[40,50]{1,0:T(*,7)(3,5)}")
    array = np.arange(2000, dtype=np.uint16).reshape(layout.shape)
    buffer, region = tl.pack(array, layout), np.s_[3:30, 7:22]
    monkeypatch.setattr("tilelayout.queries.PIECE", 64)
    assert np.array_equal(tl.unpack(buffer, layout, region=region), array[region])
    array[region] += 5000
    assert tl.pack(array[region], layout, region=region, out=buffer).tobytes() == tl.pack(array, layout).tobytes()


@pytest.mark.parametrize("index", [np.s_[:, 3], np.s_[:2], np.s_[250, :], np.s_[17, 4:5]])
def test_values_that_need_more_bits_are_refused_and_nothing_is_written(index):
    layout = tl.layout("s4[300,512]{0,1:E(4)}")
    buffer = tl.pack(np.ones(layout.shape, np.int8), layout)
    before = buffer.copy()
    array = np.zeros_like(layout.offsets()[index], np.int8)
    array[(-1,) * array.ndim] = 8
    with pytest.raises(tl.LayoutError, match="holds 8, which does not fit in 4 bits"):
        tl.pack(array, layout, region=index, out=buffer)
    assert (buffer == before).all()


@pytest.mark.parametrize("dtype", ["<u4", ">u4", "u1"])
def test_slots_wider_than_the_type(dtype):
    text = "pred[5,6]{1,0:T(2,4)E(32)}"
    array = np.arange(30).reshape(5, 6) % 3 == 0
    buffer = tl.pack(array, text).astype(dtype) if dtype != "u1" else tl.pack(array, text).view("u1")
    assert np.array_equal(tl.unpack(buffer, text, region=np.s_[1:4, -2:]), array[1:4, -2:])
    part = np.array([[True, True]])
    whole = tl.pack(array, text)
    tl.pack(part, text, out=whole, region=np.s_[4:, 1:3])
    array[4:, 1:3] = part
    assert np.array_equal(tl.unpack(whole, text), array)


def test_byte_order_of_a_named_type():
    text = "f32[5,6]{1,0:T(2,4)}"
    array = np.arange(30, dtype="f4").reshape(5, 6)
    buffer = tl.pack(array, text).astype(">f4")
    taken = tl.unpack(buffer, text, region=np.s_[1:3, 2:])
    assert taken.dtype == np.float32
    assert np.array_equal(taken, array[1:3, 2:])
    tl.pack(array[:2, :2].astype(">f4") + 1, text, out=(out := tl.pack(array, text)), region=np.s_[:2, :2])
    array[:2, :2] += 1
    assert np.array_equal(tl.unpack(out, text), array)


def test_regions_of_one_form_share_their_plans():
    layout = tl.layout("f32[640,1280]{1,0:T(8,128)}")
    buffer = np.zeros(layout.slots, "f4")
    tl.unpack(buffer, layout, region=np.s_[8:24, 128:384])
    made = len(layout.plans)
    for row in range(0, 640, 8):
        tl.unpack(buffer, layout, region=np.s_[row : row + 16, 256:512])
    assert len(layout.plans) == made + 1  # that at the end is shorter


@example(np.s_[3:29, 100:300])
@given(st.tuples(st.builds(slice, st.integers(0, 32), st.integers(0, 32)), st.builds(slice, st.integers(0, 400), st.integers(0, 400))))
def test_an_axis_is_cut_no_more_often_than_it_has_digits(index):
    layout = tl.layout("bf16[32,400]{1,0:T(8,128)(2,1)}")
    walks = chains(layout.canonical, layout.shape)
    box = regions.box_of(index, layout.shape)
    assert len(list(regions.pieces(box, walks))) <= len(walks[0]) * len(walks[1])


class TestBadInput:
    layout = tl.layout("f32[3,5]{1,0:T(2,2)}")
    buffer = np.zeros(24, "f4")

    @pytest.mark.parametrize(
        ("index", "message"),
        [
            (np.s_[::2], r"has step 2 on axis 0; a region is a box"),
            (np.s_[::-1], r"step -1"),
            (np.s_[::0], r"step 0"),
            (np.s_[:, 1.0:2], r"has slice\(1.0, 2, None\) on axis 1; the ends of a slice are integers"),
            (np.s_[:, ::1.0], r"the ends of a slice are integers"),
            (np.s_[3], r"asks for 3 on axis 0, where the allowed are -3 to 2"),
            (np.s_[-4], r"asks for -4 on axis 0"),
            (np.s_[10**30], r"asks for 1000000000000000000000000000000 on axis 0"),
            (np.s_[:, 10**5000], r"a very large"),
            (np.s_[1, 2, 3], r"has 3 indices for an array of 2 dimensions"),
            (np.s_[..., 1, 2, 3], r"has 3 indices for an array of 2 dimensions"),
            (np.s_[..., ...], r"has 2 ellipses; it may have one"),
            (np.s_[1.5], r"has 1.5 on axis 0; it takes integers, slices with step 1"),
            (np.s_[True], r"has True on axis 0"),
            (np.s_[:, None], r"has None on axis 1"),
            ([0, 1], r"has \[0, 1\] on axis 0"),
            (np.array([0, 1]), r"on axis 0"),
            ("a", r"has 'a' on axis 0"),
            (float("nan"), r"has nan on axis 0"),
        ],
    )
    def test_what_is_no_box(self, index, message):
        with pytest.raises(tl.LayoutError, match=message):
            tl.unpack(self.buffer, self.layout, region=index)
        with pytest.raises(tl.LayoutError, match=message):
            tl.pack(np.zeros((3, 5), "f4"), self.layout, region=index, out=self.buffer)
        with pytest.raises(tl.LayoutError, match=message):
            self.layout.runs(index)

    def test_outside_is_an_index_error_too(self):
        with pytest.raises(IndexError):
            tl.unpack(self.buffer, self.layout, region=5)
        with pytest.raises(tl.CoordinateError, match="none: it has no elements"):
            tl.unpack(np.zeros(0, "f4"), "f32[0]{0}", region=0)

    def test_huge_ends_are_cut_as_numpy_cuts_them(self):
        assert tl.unpack(self.buffer, self.layout, region=np.s_[-(10**30) : 10**30, 5:2]).shape == (3, 0)

    def test_a_region_is_written_into_something(self):
        with pytest.raises(tl.LayoutError, match=r"region .* without out; a region is written into a buffer that is there"):
            tl.pack(np.zeros((1, 5), "f4"), self.layout, region=np.s_[:1])

    def test_shapes_of_the_region(self):
        with pytest.raises(tl.ShapeError, match=r"an array of shape \(2, 5\) for region .* of shape \(1, 5\)"):
            tl.pack(np.zeros((2, 5), "f4"), self.layout, region=np.s_[:1], out=self.buffer)
        with pytest.raises(tl.ShapeError, match=r"out has shape \(3, 5\) .* it takes shape \(2,\)"):
            tl.unpack(self.buffer, self.layout, region=np.s_[:2, 0], out=np.zeros((3, 5), "f4"))

    def test_a_layout_without_a_shape(self):
        with pytest.raises(tl.ShapeError, match="says nothing of sizes"):
            tl.pack(np.zeros((1, 5), "f4"), "{1,0:T(2,2)}", region=np.s_[:1], out=self.buffer)

    def test_slots_that_are_shared(self):
        layout = tl.Layout((2, 2), [(0, 1, 2, 1), (1, 1, 2, 1)])
        with pytest.raises(tl.NotInjective, match="several elements to slot 1"):
            tl.pack(np.zeros((1, 2)), layout, region=np.s_[:1], out=np.zeros(3))

    def test_overlap(self):
        with pytest.raises(tl.LayoutError, match="shares memory"):
            tl.unpack(self.buffer, self.layout, region=np.s_[0, :2], out=self.buffer[:2])


@pytest.mark.parametrize(
    "digits",
    [
        [(0, 5, 3, 5), (0, 1, 5, 2), (None, 1, 2, 1)],
        [(0, 6, 2, 6), (0, 3, 2, 20), (0, 1, 3, 2)],
        [(0, 4, 3, 12), (0, 2, 2, -1), (0, 1, 2, 5), (None, 1, 2, 1)],
        [(0, 1, 12, -1), (None, 1, 2, 15)],
    ],
    ids=str,
)
@pytest.mark.parametrize("bits", [16, 4, 1])
def test_every_interval_of_an_axis_through_every_digit(digits, bits):
    """In bytes that elements share as well, from any slot on, with neighbours that stay."""
    element = None if bits == 16 else tl.Element(f"uint{bits}", bits)
    layout = tl.Layout((12, 2), [*digits, (1, 1, 2, 64)], slots=140, element=element)
    dtype = np.uint16 if bits == 16 else np.uint8
    assert len(np.unique(layout.offsets())) == layout.size
    slots = np.random.default_rng(bits).integers(0, 1 << min(bits, 15), layout.slots).astype(dtype)
    plain = tl.Layout((140,), [(0, 1, 140, 1)], element=element)
    buffer = tl.pack(slots, plain)
    whole = slots[layout.offsets()]
    assert np.array_equal(tl.unpack(buffer, layout), whole)
    for low, high in combinations(range(13), 2):
        for columns in (np.s_[:], np.s_[1:]):
            region = np.s_[low:high, columns]
            assert np.array_equal(tl.unpack(buffer, layout, region=region), whole[region])
            turned, expected = buffer.copy(), slots.copy()
            expected[layout.offsets()[region]] = whole[region] ^ 1
            tl.pack(whole[region] ^ 1, layout, region=region, out=turned)
            assert np.array_equal(tl.unpack(turned, plain), expected)


def test_a_region_of_an_array_whose_shape_nothing_says():
    with pytest.raises(tl.LayoutError, match=r"give tilelayout\.layout\(text, shape\)"):
        tl.pack(np.zeros((2, 2), "f4"), "{1,0:T(2,2)}", out=np.zeros(24, "f4"), region=np.s_[:2, :2])
