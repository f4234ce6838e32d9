"""relayout: against pack(unpack(...)) and the reference, between any two layouts, in place and not."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilelayout as tl
from strategies_regions import any_layout, injective, shapes, shifted
from tilelayout import loops, planning, reference, transfers
from tilelayout.chains import chains
from tilelayout.relayouts import MOST_ASIDE, relayout

DTYPES = st.sampled_from(["u1", "u2", "<f4", ">u4", "u8", "c16"])


@settings(max_examples=120)
@given(st.data(), shapes, DTYPES)
def test_agrees_with_the_reference(data, shape, dtype):
    source, target = data.draw(any_layout(shape)), data.draw(injective(shape))
    buffer = (np.arange(source.slots) % 251).astype(dtype)
    laid = relayout(buffer, source, target, fill=7)
    assert laid.dtype == buffer.dtype
    assert laid.tolist() == reference.relayout(buffer.tolist(), shape, source.digits, target.digits, slots=target.slots, fill=7)
    out = np.full(target.slots, 99, dtype)
    assert relayout(buffer, source, target, fill=None, out=out) is out
    assert out.tolist() == reference.relayout(buffer.tolist(), shape, source.digits, target.digits, slots=target.slots, fill=99)


@given(st.data(), shapes, DTYPES, st.booleans())
def test_in_place_is_the_same(data, shape, dtype, filled):
    source, target = data.draw(injective(shape)), data.draw(injective(shape))
    slots = max(source.slots, target.slots)
    source, target = (tl.Layout(shape, layout.digits, slots=slots) for layout in (source, target))
    buffer = (np.arange(slots) % 251).astype(dtype)
    expected = relayout(buffer, source, target, out=buffer.copy(), fill=5 if filled else None)
    assert relayout(buffer, source, target, out=buffer, fill=5 if filled else None) is buffer
    assert buffer.tolist() == expected.tolist()


tilings = st.lists(st.lists(st.sampled_from([1, 2, 3, 4, 8, 16, 32, 128]), min_size=1, max_size=3).map(tuple), max_size=3).map(tuple)


@settings(max_examples=120)
@given(
    st.lists(st.sampled_from([1, 2, 7, 8, 16, 31, 40, 65, 128, 130]), min_size=1, max_size=3).map(tuple),
    st.tuples(tilings, tilings),
    st.sampled_from(["u1", "u2", "u4", "u8", "c16"]),
    st.randoms(use_true_random=False),
)
def test_tiles_large_enough_for_every_kernel(shape, tiles, dtype, random):
    source, target = (tl.xla.Layout(tuple(random.sample(range(len(shape)), len(shape))), tiles=t).bind(shape) for t in tiles)
    if source.slots + target.slots > 400_000:
        return
    buffer = np.random.default_rng(random.randrange(99)).integers(0, 250, source.slots).astype(dtype)
    expected = np.full(target.slots, 3, dtype)
    expected[target.offsets()] = buffer[source.offsets()]
    assert (relayout(buffer, source, target, fill=3) == expected).all()


#: Where digits of one side begin: within those of the other, across them, at the end of the axis, and in merged axes.
PAIRS = [
    ("{1,0:T(8,128)}", "{1,0:T(8,128)(2,1)}"),
    ("{1,0:T(16,128)}", "{1,0:T(8,128)}"),
    ("{1,0:T(8,128)}", "{0,1:T(16,128)(4,1)}"),
    ("{1,0:T(6,128)}", "{1,0:T(8,128)}"),
    ("{1,0:T(8,128)}", "{1,0:T(6,100)(3,2)}"),
    ("{1,0:T(*,128)}", "{1,0:T(8,128)}"),
    ("{1,0:T(8,128)}", "{0,1:T(*,96)}"),
    ("{1,0:T(*,128)}", "{0,1:T(*,96)}"),
]


@pytest.mark.parametrize("shape", [(24, 256), (37, 300), (85, 129), (1, 1), (0, 5)])
@pytest.mark.parametrize(("before", "after"), PAIRS + [pair[::-1] for pair in PAIRS])
def test_pairs_of_tilings(before, after, shape):
    array = np.random.default_rng(0).integers(0, 60000, shape).astype("u2")
    packed, expected = tl.pack(array, before, fill=1), tl.pack(array, after, fill=2)
    laid = relayout(packed, before, after, shape=shape, fill=2)
    assert (laid == expected).all()


def test_layouts_of_different_languages():
    array = np.arange(32, dtype="f4").reshape(4, 8)
    packed = tl.pack(array, "f32[4,8]{1,0:T(4,2)}")
    assert (relayout(packed, "f32[4,8]{1,0:T(4,2)}", "cute:(4,8):(8,1)") == array.ravel()).all()
    assert (relayout(array.ravel(), "cute:(4,8):(8,1)", "{1,0:T(4,2)}") == packed).all()
    assert relayout(packed.tobytes(), "{1,0:T(4,2)}", "f32[4,8]{0,1}").dtype == np.float32


def test_one_shape_is_enough():
    packed = np.arange(6, dtype="u1")
    for source, target, shape in [("u8[2,3]{1,0}", "{0,1}", None), ("{1,0}", "u8[2,3]{0,1}", None), ("{1,0}", "{0,1}", (2, 3))]:
        assert relayout(packed, source, target, shape=shape).tolist() == [0, 3, 1, 4, 2, 5]


class TestWidths:
    """The same type in slots of different widths."""

    def test_bytes_to_nibbles_and_back(self):
        array = np.random.default_rng(1).integers(-8, 8, (70, 200), np.int8)
        wide, narrow = "s4[70,200]{1,0:T(8,128)}", "s4[70,200]{1,0:T(64,128)(8,1)E(4)}"
        packed = relayout(tl.pack(array, wide), wide, narrow, fill=-3)
        assert packed.tobytes() == tl.pack(array, narrow, fill=-3).tobytes()
        assert relayout(packed, narrow, wide).tobytes() == tl.pack(array, wide).tobytes()
        unnamed = relayout(packed, narrow, "{1,0:T(8,128)}")
        assert unnamed.dtype == np.int8
        assert unnamed.tobytes() == tl.pack(array, wide).tobytes()
        into = np.full(len(packed), 0x11, np.uint8)
        relayout(tl.pack(array, wide), wide, narrow, fill=None, out=into)
        assert into.tobytes() == tl.pack(array, narrow, fill=1).tobytes()

    @pytest.mark.parametrize(("bits", "name"), [(4, "s4"), (2, "u2"), (1, "u1")])
    @pytest.mark.parametrize("shape", [(64, 256), (70, 200), (3, 5), (5, 8)])
    @pytest.mark.parametrize(
        "tiles", [("", ""), ("T(8,128)", ""), ("", "T(16,64)"), ("T(2,2)(3)", "T(8,128)"), ("T(8,128)(8,1)", "T(4,8)")]
    )
    @pytest.mark.parametrize("fill", [1, None])
    def test_nibbles_to_nibbles(self, bits, name, shape, tiles, fill):
        low = -8 if name == "s4" else 0
        array = np.random.default_rng(1).integers(low, low + (1 << bits), shape).astype("i1" if low else "u1")
        before, after = (f"{name}[{shape[0]},{shape[1]}]{{1,0:{tile}E({bits})}}" for tile in tiles)
        laid = relayout(tl.pack(array, before), before, after, fill=fill)
        assert laid.tobytes() == tl.pack(array, after, fill=fill or 0).tobytes()

    @pytest.mark.parametrize(("bits", "name"), [(4, "s4"), (2, "u2"), (1, "u1")])
    def test_neighbours_that_share_a_byte_in_both_are_moved_in_whole_bytes(self, bits, name, monkeypatch):
        shape = (21, 64)
        array = np.random.default_rng(2).integers(0, 1 << bits - (name == "s4"), shape).astype("i1" if name == "s4" else "u1")
        before, after = (f"{name}[21,64]{{1,0:{tile}E({bits})}}" for tile in ("T(4,16)", "T(8,32)(2,8)"))
        fill = -3 if name == "s4" else 1
        packed, expected = tl.pack(array, before), tl.pack(array, after, fill=fill)
        monkeypatch.setattr("tilelayout.stored.gather", None)
        assert relayout(packed, before, after, fill=fill).tobytes() == expected.tobytes()
        columns = (f"{name}[64,21]{{0,1:{tile}E({bits})}}" for tile in ("T(4,16)", "T(8,32)(2,8)"))
        assert relayout(packed, *columns, fill=fill).tobytes() == expected.tobytes()

    def test_bits_in_words(self):
        array = np.arange(30).reshape(5, 6) % 3 == 0
        word, byte, bit = "pred[5,6]{1,0:T(2,4)E(32)}", "pred[5,6]{0,1}", "pred[5,6]{1,0:T(8)E(1)}"
        for before in (word, byte, bit):
            for after in (word, byte, bit):
                assert relayout(tl.pack(array, before), before, after).tobytes() == tl.pack(array, after).tobytes()

    def test_values_that_do_not_fit(self):
        out = np.full(2, 0x55, np.uint8)
        with pytest.raises(tl.LayoutError, match="the array holds 9, which does not fit in 4 bits of int4; -8 to 7 do"):
            relayout(np.array([1, 9, 2], np.int8), "s4[3]{0}", "s4[3]{0:E(4)}", out=out)
        assert out.tolist() == [0x55, 0x55]

    def test_types(self):
        values = np.arange(6).astype(ml_dtypes.bfloat16)
        laid = relayout(values, "bf16[2,3]{1,0}", "{0,1}")
        assert laid.dtype == ml_dtypes.bfloat16
        assert relayout(values.view(np.uint16), "bf16[2,3]{1,0}", "{0,1}").tolist() == laid.view(np.uint16).tolist()
        assert relayout(values.tobytes(), "{1,0}", "bf16[2,3]{0,1}").tobytes() == laid.tobytes()
        assert relayout(np.arange(6, dtype=">f4"), "{1,0}", "f32[2,3]{0,1}").tolist() == [0, 3, 1, 4, 2, 5]
        with pytest.raises(tl.LayoutError, match="bfloat16"):
            relayout(values, "bf16[2,3]{1,0}", "f16[2,3]{0,1}")
        with pytest.raises(tl.LayoutError, match="float64"):
            relayout(np.zeros(6), "{1,0}", "f32[2,3]{0,1}")


class TestInPlace:
    """Within one buffer: block by block, whole, or not at all."""

    def check(self, array, before, after, *, aside, fill=3):
        buffer, expected = tl.pack(array, before), tl.pack(array, after, fill=fill)
        plan = transfers.plan_in_place(buffer, tl.layout(before, array.shape), tl.layout(after, array.shape), True)
        assert (plan.size if plan else None) == aside
        assert relayout(buffer, before, after, shape=array.shape, out=buffer, fill=fill) is buffer
        assert (buffer == expected).all()

    def test_blocks(self):
        array = np.random.default_rng(0).integers(0, 60000, (512, 1024)).astype("u2")
        self.check(array, "{1,0:T(8,128)}", "{1,0:T(8,128)(2,1)}", aside=1 << 18)
        self.check(array, "{1,0}", "{1,0:T(8,128)}", aside=1 << 18)
        self.check(array, "{1,0}", "{0,1}", aside=None)
        self.check(array[:1, :1], "{1,0}", "{0,1}", aside=None)

    def test_a_prime_number_of_blocks_that_are_large(self, monkeypatch):
        array = np.random.default_rng(0).integers(0, 60000, (56, 128)).astype("u2")
        monkeypatch.setattr(transfers, "TOGETHER", 6 << 11)
        self.check(array, "{1,0:T(8,128)}", "{1,0:T(8,128)(2,1)}", aside=1 << 11)

    def test_blocks_that_end_early(self):
        array = np.random.default_rng(0).integers(0, 60000, (509, 1021)).astype("u2")
        self.check(array, "{1,0:T(8,128)}", "{1,0:T(8,128)(2,1)}", aside=1 << 18)
        self.check(array, "{1,0:T(8,128)(4,1)}", "{1,0:T(8,128)(2,1)}", aside=1 << 18)

    def test_more_than_may_be_set_aside(self):
        shape = (4096, MOST_ASIDE // 4096 + 64)
        buffer = np.zeros(shape[0] * shape[1], np.uint8)
        buffer[1] = 1
        with pytest.raises(tl.LayoutError, match=rf"{buffer.size} bytes would have to be set aside, more than {MOST_ASIDE}; give another"):
            relayout(buffer, "{1,0}", "{0,1}", shape=shape, out=buffer)
        assert buffer[1] == 1
        buffer = buffer[: 4096 * 4096].reshape(2, 2048, 4096)
        expected = relayout(buffer, "{2,1,0}", "{1,2,0}", shape=buffer.shape)
        relayout(buffer.reshape(-1), "{2,1,0}", "{1,2,0}", shape=buffer.shape, out=buffer.reshape(-1))  # half of it at a time
        assert (buffer.reshape(-1) == expected).all()

    def test_raw_bytes_of_the_same_memory(self):
        values = np.arange(6, dtype="f4")
        relayout(values.view("u1"), "f32[2,3]{1,0}", "{0,1}", out=values)
        assert values.tolist() == [0, 3, 1, 4, 2, 5]

    def test_a_part_of_the_same_memory(self):
        room = np.zeros(12, "f4")
        for out in (room[3:9], room[1:7]):
            with pytest.raises(tl.LayoutError, match="shares memory"):
                relayout(room[:6], "{1,0}", "{0,1}", shape=(2, 3), out=out)


@settings(max_examples=120)
@given(
    st.lists(st.sampled_from([1, 2, 3, 7, 8, 16, 31, 40]), min_size=1, max_size=3).map(tuple),
    st.tuples(tilings, tilings),
    st.sampled_from([1, 64, 1 << 18]),
    st.booleans(),
)
def test_blocks_of_any_two_tilings(shape, tiles, together, filled):
    source, target = (tl.xla.Layout(tuple(range(len(shape)))[::-1], tiles=t).bind(shape) for t in tiles)
    slots = max(source.slots, target.slots)
    if slots > 100_000:
        return
    source, target = (tl.Layout(shape, layout.digits, slots=slots) for layout in (source, target))
    buffer = np.random.default_rng(slots).integers(0, 60000, slots).astype("u2")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transfers, "TOGETHER", together)
        plan = transfers.plan_in_place(buffer, source, target, filled)
    if plan:
        assert plan.size <= max(together, buffer.nbytes)
        pattern = np.full(8, 3, "u2").tobytes() if filled else None
        expected = relayout(buffer, source, target, out=buffer.copy(), fill=3 if filled else None)
        transfers.move_in_place(buffer, plan, pattern, 1)
        assert buffer.tolist() == expected.tolist()


@pytest.mark.parametrize("most", [0, 1 << 30])
@pytest.mark.parametrize(
    ("before", "after"),
    [("{1,0:T(8,16)}", "{1,0:T(5,7)}"), ("{1,0:T(3,4)}", "{0,1:T(6,9)}"), ("S<3,3,3> o 0 o (70,96):(96,1)", "{1,0:T(5,7)}")],
)
def test_digits_that_do_not_divide_each_other(monkeypatch, before, after, most):
    """By way of an array; of more bytes than are set aside for one, block by block, or slot by slot where there are no blocks."""
    monkeypatch.setattr(transfers, "MOST_BETWEEN", most)
    monkeypatch.setattr(transfers, "TOGETHER", 1 << 12)
    source, target = tl.layout(before, (70, 96)), tl.layout(after, (70, 96))
    array = np.random.default_rng(0).integers(0, 60000, (70, 96)).astype("u2")
    for fill in (0, 7):
        assert (relayout(tl.pack(array, source), source, target, fill=fill) == tl.pack(array, target, fill=fill)).all()
    room = np.full(target.slots, 9, "u2")
    assert (relayout(tl.pack(array, source), source, target, fill=None, out=room) == tl.pack(array, target, fill=9)).all()


@given(st.data(), shapes)
def test_chains_are_never_looked_up(data, shape):
    layout = data.draw(injective(shape))
    if chains(layout.canonical, shape) is not None and layout.size:
        digits = loops.in_bytes(layout.digits, 2), loops.in_strides(shape, np.empty(shape, "u2").strides)
        assert planning.plan(shape, *digits, 2).copy is not None


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("after", ["{1,0:T(8,128)(2,1)}", "{0,1}", "{1,0:T(6,128)}"])
def test_threads(threads, after):
    array = np.random.default_rng(0).integers(0, 60000, (2201, 2001)).astype("u2")
    packed = tl.pack(array, "{1,0:T(8,128)}")
    expected = tl.pack(array, after)
    assert (relayout(packed, "{1,0:T(8,128)}", after, shape=array.shape, threads=threads) == expected).all()
    if len(packed) == len(expected):
        assert (relayout(packed, "{1,0:T(8,128)}", after, shape=array.shape, threads=threads, out=packed) == expected).all()


class TestBadInput:
    buffer = np.zeros(24, "f4")

    def test_shapes(self):
        with pytest.raises(tl.ShapeError, match=r"\(3, 5\).*\(3, 4\)|\(3, 4\).*\(3, 5\)"):
            relayout(self.buffer, "f32[3,5]{1,0:T(2,2)}", "f32[3,4]{1,0}")
        with pytest.raises(tl.ShapeError, match="says nothing of sizes"):
            relayout(self.buffer, "{1,0:T(2,2)}", "{1,0}")
        with pytest.raises(tl.ShapeError, match=r"is an array of shape \(3, 5\), not \(3, 4\)"):
            relayout(self.buffer, "f32[3,5]{1,0:T(2,2)}", "{1,0}", shape=(3, 4))
        with pytest.raises(tl.ShapeError, match="no shape"):
            relayout(self.buffer, "{1,0:T(2,2)}", "{1,0}", shape="ab")

    @pytest.mark.parametrize("count", [0, 23, 25])
    def test_length(self, count):
        with pytest.raises(tl.ShapeError, match=f"a buffer of {count} elements .* takes 24 elements"):
            relayout(np.zeros(count, "f4"), "f32[3,5]{1,0:T(2,2)}", "{1,0}")

    def test_out(self):
        with pytest.raises(tl.ShapeError, match=r"it takes shape \(15,\)"):
            relayout(self.buffer, "f32[3,5]{1,0:T(2,2)}", "{1,0}", out=np.zeros(24, "f4"))
        with pytest.raises(tl.ShapeError, match=r"it takes shape \(15,\)"):
            relayout(self.buffer, "f32[3,5]{1,0:T(2,2)}", "{1,0}", out=self.buffer)
        with pytest.raises(tl.LayoutError, match="out is a list"):
            relayout(self.buffer, "f32[3,5]{1,0:T(2,2)}", "{1,0}", out=[])
        with pytest.raises(tl.LayoutError, match="gaps"):
            relayout(self.buffer, "f32[3,5]{1,0:T(2,2)}", "{1,0}", out=np.zeros(30, "f4")[::2])
        fixed = np.zeros(24, "f4")
        fixed.flags.writeable = False
        with pytest.raises(tl.LayoutError, match="read-only"):
            relayout(fixed, "f32[3,5]{1,0:T(2,2)}", "{0,1:T(2,2)}", out=fixed)

    def test_slots_that_are_shared(self):
        shared, own = tl.Layout((2, 2), [(0, 1, 2, 1), (1, 1, 2, 1)]), tl.Layout((2, 2), [(0, 1, 2, 2), (1, 1, 2, 1)])
        with pytest.raises(tl.NotInjective, match="several elements to slot 1"):
            relayout(np.zeros(4), own, shared)
        assert relayout(np.array([5, 6, 7]), shared, own).tolist() == [5, 6, 6, 7]

    @pytest.mark.parametrize("bad", [None, 5, object(), b"{0}", ["{0}"]])
    def test_no_layout_at_all(self, bad):
        with pytest.raises(tl.LayoutError, match="a layout is text"):
            relayout(np.zeros(3), bad, "{0}")
        with pytest.raises(tl.LayoutError, match="a layout is text"):
            relayout(np.zeros(3), tl.layout("{0}", (3,)), bad)

    @pytest.mark.parametrize("bad", [object(), [[1, 2], [3]], None, "text"])
    def test_no_buffer_at_all(self, bad):
        with pytest.raises(tl.LayoutError, match=r"a buffer of dtype|the buffer makes no array|the buffer is .*, and no array"):
            relayout(bad, "f32[3]{0}", "{0}")

    def test_a_buffer_with_gaps_that_memory_does_not_hold(self):
        with pytest.raises(tl.ShapeError, match="does not fit in memory"):
            relayout(np.broadcast_to(np.float32(0), (2**50,)), "f32[1125899906842624]{0}", "{0}")

    @pytest.mark.parametrize(("fill", "threads", "message"), [(0.5, None, "fill=0.5"), ("x", None, "fill="), (0, 0, "threads=0")])
    def test_other_arguments(self, fill, threads, message):
        with pytest.raises(tl.LayoutError, match=message):
            relayout(np.zeros(3, "i4"), "{0}", "{0:T(2)}", shape=(3,), fill=fill, threads=threads)


def test_backwards_and_from_an_offset():
    layout = tl.layout("u8[6]{0}")
    back = shifted(layout, True, 2)
    assert relayout(np.arange(6, dtype="u1"), layout, back, fill=9).tolist() == [9, 9, 5, 4, 3, 2, 1, 0]
    assert relayout(np.arange(8, dtype="u1"), back, layout).tolist() == [7, 6, 5, 4, 3, 2]
