"""Calls that are made again: whatever is not the same as before goes the long way, and gives the same answer."""

import numpy as np
import pytest

import tilelayout as tl
from tilelayout._kernels.calls import MOST_LAYOUTS, MOST_TEXTS, Call, forget, pack_again, unpack_again

LAYOUT = "f32[5,7]{0,1:T(2,4)}"


@pytest.fixture
def layout():
    fresh = tl.layout(LAYOUT)
    return tl.Layout(fresh.shape, fresh.digits, slots=fresh.slots, element=fresh.element)


@pytest.fixture
def array():
    return np.arange(35, dtype=np.float32).reshape(5, 7)


def expected(array, layout, fill=0):
    buffer = np.full(layout.slots, fill, array.dtype)
    buffer[layout.offsets()] = array
    return buffer


def test_the_second_call_is_a_call_again(layout, array, monkeypatch):
    first = tl.pack(array, layout)
    tl.unpack(first, layout)
    assert len(layout.calls.packs) == len(layout.calls.unpacks) == 1
    monkeypatch.setattr("tilelayout.transfers.scatter", None)
    monkeypatch.setattr("tilelayout.transfers.gather", None)
    assert (tl.pack(array + 1, layout) == expected(array + 1, layout)).all()
    out = np.full(layout.slots, 9, np.float32)
    assert tl.pack(array + 2, layout, out=out) is out
    assert (out == expected(array + 2, layout)).all()
    back = np.empty((5, 7), np.float32)
    assert tl.unpack(out, layout, out=back) is back
    assert (back == array + 2).all()
    assert (tl.unpack(first, layout) == array).all()


@pytest.mark.parametrize(
    "text", ["s4[64,256]{1,0:T(64,128)(8,1)E(4)}", "u4[62,254]{0,1:T(8,128)E(4)}", "s2[60,250]{1,0:T(32,128)(8,1)E(2)}"]
)
def test_elements_that_share_bytes(text, monkeypatch):
    layout = tl.layout(text)
    rng = np.random.default_rng(5)
    low, high = {"s4": (-8, 8), "u4": (0, 16), "s2": (-2, 2)}[text[:2]]
    arrays = [rng.integers(low, high, layout.shape).astype(np.int8 if text[0] == "s" else np.uint8) for _ in range(2)]
    first, second = (tl.pack(array, text, fill=np.array(0, array.dtype)) for array in arrays)
    assert (tl.pack(arrays[0], layout) == first).all()
    assert (tl.unpack(first, layout) == arrays[0]).all()
    assert len(layout.calls.packs) == len(layout.calls.unpacks) == 1
    with monkeypatch.context() as patched:
        patched.setattr("tilelayout.narrow.scatter", None)
        patched.setattr("tilelayout.narrow.gather", None)
        out = np.full(len(second), 0xA5, np.uint8)
        assert tl.pack(arrays[1], layout, out=out) is out
        assert (out == second).all()
        back = tl.unpack(second, layout)
        assert back.dtype == arrays[1].dtype
        assert (back == arrays[1]).all()
    arrays[1][-1, -1] = high
    for _ in range(2):
        with pytest.raises(tl.LayoutError, match=f"the array holds {high}, which does not fit in"):
            tl.pack(arrays[1], layout)
    assert (tl.pack(arrays[0], layout) == first).all()


@pytest.mark.parametrize("rows", [8, 256])
def test_whatever_their_size(rows):
    text, array = "{1,0:T(8,128)(2,1)}", np.arange(rows * 200, dtype=np.int16).reshape(rows, 200)
    for _ in range(2):
        packed = tl.pack(array, text)
        assert (packed == expected(array, tl.layout(text, array.shape))).all()
        assert (tl.unpack(packed, text, shape=array.shape) == array).all()


@pytest.mark.parametrize(
    "other",
    [
        lambda x: x.copy(order="F"),
        lambda x: np.repeat(x, 2, axis=1)[:, ::2],
        lambda x: np.flip(np.flip(x).copy()),
        lambda x: x.astype(">f4"),
        lambda x: x.view(np.uint32),
        lambda x: x.tolist() and np.asarray(x.tolist(), np.float32).view(type("Sub", (np.ndarray,), {})),
    ],
)
def test_other_arrays_go_the_long_way(layout, array, other):
    tl.unpack(tl.pack(array, layout), layout)
    given = other(array + 3)
    packed = tl.pack(given, layout)
    assert packed.tolist() == expected(np.asarray(given), layout).tolist()
    assert tl.unpack(packed, layout).tolist() == np.asarray(given).tolist()


@pytest.mark.parametrize("text", [LAYOUT, "{0,1:T(2,4)}"])
def test_a_text_is_known_again(text, array, monkeypatch):
    out, back = np.empty(64, np.float32), np.empty((5, 7), np.float32)
    tl.pack(array, text, out=out)
    tl.unpack(out, text, out=back)
    monkeypatch.setattr("tilelayout.packing.as_layout", None)
    assert tl.pack(array + 1, text, out=out) is out
    assert (out == expected(array + 1, tl.layout(text, (5, 7)))).all()
    assert (tl.pack(array + 1, text) == out).all()
    assert tl.unpack(out, text, out=back) is back
    assert (back == array + 1).all()


def test_a_text_without_a_shape_is_known_by_all_of_them(array):
    text = "{0,1:T(2,4)}"
    for rows in (5, 3, 5, 3):
        buffer = tl.pack(array[:rows], text)
        assert (buffer == expected(array[:rows], tl.layout(text, (rows, 7)))).all()
        out = np.empty((rows, 7), np.float32)
        assert (tl.unpack(buffer, text, out=out) == array[:rows]).all()
        with pytest.raises(tl.ShapeError, match="says nothing of sizes"):
            tl.unpack(buffer, text)
        with pytest.raises(tl.ShapeError, match="elements of float32 for"):
            tl.unpack(buffer, text, out=np.empty((rows, 90), np.float32))


def test_other_arrays_by_a_text_are_refused_as_ever(array):
    buffer = tl.pack(array, LAYOUT)
    tl.unpack(buffer, LAYOUT, out=np.empty_like(array))
    with pytest.raises(tl.ShapeError, match=r"\(5, 7\), not \(7, 5\)"):
        tl.pack(array.reshape(7, 5), LAYOUT)
    with pytest.raises(tl.ShapeError, match=r"\(5, 7\), not \(7, 5\)"):
        tl.unpack(buffer, LAYOUT, shape=(7, 5))
    with pytest.raises(tl.LayoutError, match="threads=0"):
        tl.unpack(buffer, LAYOUT, out=np.empty_like(array), threads=0)


def test_few_layouts_of_few_texts_are_known(monkeypatch):
    forget()
    arrays = [np.arange(n, dtype=np.int16) for n in range(1, 2 * MOST_LAYOUTS)]

    def known():
        with monkeypatch.context() as patched:
            patched.setattr("tilelayout.packing.as_layout", lambda *_: pytest.fail("not known"))
            found = []
            for array in arrays:
                try:
                    found.append(tl.pack(array, "{0:T(4)}")[: len(array)].tolist() == array.tolist())
                except pytest.fail.Exception:
                    found.append(None)
        return found

    for _ in range(2):
        for array in arrays:
            assert tl.pack(array, "{0:T(4)}")[: len(array)].tolist() == array.tolist()
    assert known() == [True] * MOST_LAYOUTS + [None] * (len(arrays) - MOST_LAYOUTS)
    for k in range(MOST_TEXTS):
        assert tl.pack(np.arange(3, dtype=np.int16), f"s16[3]{{0:T({4 + k})}}").tolist() == [0, 1, 2, *[0] * (1 + k)]
    assert known() == [None] * len(arrays)


def test_other_arguments_go_the_long_way(layout, array):
    buffer = tl.pack(array, layout)
    assert (tl.pack(array, layout, fill=4) == expected(array, layout, 4)).all()
    assert tl.pack(array, layout, fill=None, out=np.full(layout.slots, 6, np.float32)).tolist() == expected(array, layout, 6).tolist()
    assert tl.unpack(buffer, layout, dtype="uint32").dtype == np.uint32
    assert tl.unpack(buffer, layout, region=np.s_[1:2]).shape == (1, 7)
    with pytest.raises(tl.LayoutError, match="threads=0"):
        tl.pack(array, layout, threads=0)


def test_memory_is_checked_again(layout, array):
    room = np.zeros(layout.slots + 40, np.float32)
    inside = room[: array.size].reshape(array.shape)
    tl.unpack(tl.pack(array, layout), layout)
    with pytest.raises(tl.LayoutError, match="shares memory"):
        tl.pack(inside, layout, out=room[: layout.slots])
    with pytest.raises(tl.LayoutError, match="shares memory"):
        tl.unpack(room[: layout.slots], layout, out=inside)
    locked = np.zeros(layout.slots, np.float32)
    locked.flags.writeable = False
    with pytest.raises(tl.LayoutError, match="read-only"):
        tl.pack(array, layout, out=locked)
    with pytest.raises(tl.ShapeError, match=r"out has shape \(63,\)"):
        tl.pack(array, layout, out=np.zeros(layout.slots - 1, np.float32))


def test_a_relayout_is_a_call_again(layout, array, monkeypatch):
    other = tl.layout("f32[5,7]{1,0:T(4,2)}")
    buffer = tl.pack(array, layout)
    tl.relayout(buffer, layout, other)
    assert len(layout.calls.relayouts) == 1
    monkeypatch.setattr("tilelayout.transfers.move", None)
    out = np.full(other.slots, 9, np.float32)
    assert tl.relayout(buffer, layout, other, out=out) is out
    assert (out == expected(array, other)).all()
    assert (tl.relayout(tl.pack(array + 1, layout), layout, other, threads=2) == expected(array + 1, other)).all()


def test_other_relayouts_go_the_long_way(layout, array):
    other, equal, third = tl.layout("f32[5,7]{1,0:T(4,2)}"), tl.layout("f32[5,7]{1,0:T(4,2)(1,1)}"), tl.layout("f32[5,7]{0,1}")
    buffer = tl.pack(array, layout)
    for target in (other, equal, third, other):
        assert (tl.relayout(buffer, layout, target) == expected(array, target)).all()
    assert len(layout.calls.relayouts) == 3
    assert (tl.relayout(buffer, layout, other, fill=4) == expected(array, other, 4)).all()
    left = np.full(other.slots, 6, np.float32)
    assert (tl.relayout(buffer, layout, other, fill=None, out=left) == expected(array, other, 6)).all()
    assert tl.relayout(buffer, layout, other, dtype="uint32").dtype == np.uint32
    assert (tl.relayout(buffer.tobytes(), layout, other) == expected(array, other)).all()
    assert (tl.relayout(np.repeat(buffer, 2)[::2], layout, other) == expected(array, other)).all()
    assert len(layout.calls.relayouts) == 3
    with pytest.raises(tl.LayoutError, match="threads=0"):
        tl.relayout(buffer, layout, other, threads=0)
    with pytest.raises(tl.LayoutError, match="shares memory"):
        room = np.zeros(layout.slots + other.slots, np.float32)
        tl.relayout(room[: layout.slots], layout, other, out=room[8 : 8 + other.slots])
    with pytest.raises(tl.ShapeError, match="a buffer of 63 elements of float32 for 64 slots"):
        tl.relayout(buffer[:-1], layout, other)


def test_a_buffer_laid_out_in_its_own_memory_goes_the_long_way(layout, array):
    other = tl.Layout(layout.shape, [(0, 1, 5, 7), (1, 1, 7, 1)], slots=layout.slots, element=layout.element)
    buffer = tl.pack(array, layout)
    moved = tl.relayout(buffer, layout, other)
    for _ in range(2):
        mine = buffer.copy()
        assert tl.relayout(mine, layout, other, out=mine) is mine
        assert (mine == moved).all()


def test_a_source_that_begins_later_goes_the_long_way(array):
    late = tl.Layout((5, 7), [(None, 1, 2, 3), (0, 1, 5, 7), (1, 1, 7, 1)], slots=40)
    buffer, other = tl.pack(array, late), tl.layout("{0,1}", (5, 7))
    for _ in range(2):
        assert (tl.relayout(buffer, late, other) == expected(array, other)).all()


def test_interleaved_memory_is_not_taken_for_shared(array):
    """Arrays between whose elements the buffer's lie are told apart by the long way."""
    layout = tl.Layout((4,), [(0, 1, 4, 1)])
    room = np.zeros((4, 2), np.float32)
    tl.pack(room[:, 0], layout)
    assert tl.pack(room[:, 0], layout, out=np.ones(4, np.float32)).tolist() == [0] * 4


@pytest.mark.parametrize("given", [lambda x: x.reshape(8, 8), lambda x: np.repeat(x, 2)[::2], lambda x: x.tobytes()])
def test_buffers_that_are_not_found_again_are_not_kept(layout, array, given):
    buffer, other = given(tl.pack(array, layout)), tl.layout("f32[5,7]{1,0:T(4,2)}")
    for _ in range(2):
        assert (tl.unpack(buffer, layout) == array).all()
        assert (tl.relayout(buffer, layout, other) == expected(array, other)).all()
    assert layout.calls.unpacks == layout.calls.relayouts == []


@pytest.mark.parametrize(
    ("given", "source", "target"),
    [
        (np.uint8([0x21, 0x03]), "u4[3]{0:E(4)}", "u4[3]{0}"),
        (np.int8([0x21, 0x03]), "s4[3]{0:E(4)}", "s4[3]{0}"),
        (np.uint8([0x21, 0x03]), "{0:E(4)}", "{0}"),
        (np.uint8([1, 2, 3]), "u4[3]{0}", "u4[3]{0:E(4)}"),
    ],
)
def test_relayouts_between_widths_go_the_long_way(given, source, target):
    expected = [1, 2, 3] if len(given) == 2 else [0x21, 0x03]
    for _ in range(2):
        assert tl.relayout(given, source, target, shape=(3,)).tolist() == expected


def test_targets_that_are_not_found_again_are_not_kept(layout, array):
    buffer = tl.pack(array, layout)
    for _ in range(3):
        tl.relayout(buffer, layout, tl.xla.Layout((1, 0)))
        tl.unpack(buffer.view("V4"), layout)
    assert layout.calls.relayouts == layout.calls.unpacks == []


def test_tensors_are_not_kept(layout, array):
    torch = pytest.importorskip("torch")
    buffer = tl.pack(array, layout)
    for _ in range(3):
        tl.relayout(buffer, layout, "{0,1}", out=torch.zeros(35))
        tl.unpack(buffer, layout, out=torch.zeros(5, 7))
    assert layout.calls.relayouts == layout.calls.unpacks == []


def test_layouts_keep_few_calls(layout, array):
    for k in range(1, 20):
        tl.pack(np.zeros((5, 7 * k), np.float32)[:, ::k], layout)
    assert 1 < len(layout.calls.packs) <= 8


@pytest.mark.parametrize("strides", [(4, 1), (-4, 1), (4, -1), (-4, -1), (1, 3), (-1, 3), (9, -2), (0, 1), (0, -1), (0, 0)])
def test_memory_that_may_overlap_goes_the_long_way(strides):
    """Wherever a buffer lies: what is between the elements of an array counts as its own."""
    layout = tl.Layout((3, 4), [(0, 1, 3, 4), (1, 1, 4, 1)])
    room = np.arange(100, dtype=np.uint8)
    array = np.lib.stride_tricks.as_strided(room[50:], (3, 4), strides)
    low = 50 + sum((n - 1) * step for n, step in zip(array.shape, strides, strict=True) if step < 0)
    high = 51 + sum((n - 1) * step for n, step in zip(array.shape, strides, strict=True) if step > 0)
    buffer = tl.pack(array, layout)
    if 0 not in strides:
        tl.unpack(buffer, layout, out=np.lib.stride_tricks.as_strided(np.zeros(100, np.uint8)[50:], (3, 4), strides))
    for at in range(len(room) - layout.slots):
        there = room.copy()
        array = np.lib.stride_tricks.as_strided(there[50:], (3, 4), strides)
        overlap = at < high and low < at + layout.slots
        assert (pack_again(layout.calls, array, there[at:][: layout.slots], 0, None, None) is None) == overlap
        if 0 not in strides:
            assert (unpack_again(layout.calls, there[at:][: layout.slots], None, None, array, None, None) is None) == overlap


def test_calls_of_as_many_dimensions_as_there_may_be():
    layout = tl.Layout((2,) * 8, [(axis, 1, 2, 1 << axis) for axis in range(8)])
    array = np.arange(256, dtype=np.int16).reshape(layout.shape)
    packed = tl.pack(array, layout)
    assert len(layout.calls.packs) == 1
    assert (tl.pack(array, layout) == packed).all()


def test_calls_of_many_dimensions_are_refused():
    with pytest.raises(ValueError, match="at most 8"):
        Call((), np.zeros((1,) * 9), np.zeros(1), 0, packs=True)


def test_a_buffer_that_counts_backwards_is_laid_out_again(monkeypatch):
    forwards, backwards = tl.Layout((6,), [(0, 1, 6, 1)]), tl.Layout((6,), [(0, 1, 6, -1), (None, 1, 2, 5)], slots=6)
    buffer = np.arange(6, dtype=np.int32)
    assert tl.relayout(buffer, forwards, backwards).tolist() == [5, 4, 3, 2, 1, 0]
    monkeypatch.setattr("tilelayout.transfers.move", None)
    out = np.full(6 + 8, -1, np.int32)
    assert tl.relayout(buffer + 1, forwards, backwards, out=out[4:-4]).tolist() == [6, 5, 4, 3, 2, 1]
    assert (np.delete(out, range(4, 10)) == -1).all()


def test_buffers_are_laid_out_again_for_whichever_layout_is_asked_for(monkeypatch):
    layouts = [tl.layout(text) for text in ("f32[4,6]{1,0}", "f32[4,6]{0,1}", "f32[4,6]{1,0:T(2,3)}")]
    source, *targets = [tl.Layout(each.shape, each.digits) for each in layouts]
    buffer = np.arange(24, dtype=np.float32)
    expected = [tl.relayout(buffer, source, target).tolist() for target in targets]
    monkeypatch.setattr("tilelayout.transfers.move", None)
    assert [tl.relayout(buffer, source, target).tolist() for target in targets] == expected


def test_large_arrays_of_small_buffers_are_not_kept():
    """New arrays of theirs are made of large pages, which a call that is made again knows nothing of."""
    layout = tl.layout("u1[2048,1024]{1,0:E(1)}")
    array = np.zeros(layout.shape, np.uint8)
    array[5, 7] = 1
    buffer = tl.pack(array, layout)
    assert (tl.unpack(buffer, layout) == array).all()
    assert not layout.calls.packs
    assert not layout.calls.unpacks
