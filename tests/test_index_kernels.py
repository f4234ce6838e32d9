"""The index kernels, at every level this machine has, against the plain-Python twin."""

from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tilelayout as tl
from strategies import layouts, layouts_of_sums, strided_layouts
from tilelayout import Layout, queries, reference, threads
from tilelayout._kernels import index as kernel
from tilelayout.radix import Digit, evaluate

BLOCK = 256
LINE = 64
DTYPES = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]

TILED = tl.layout("f32[70,90]{1,0:T(8,128)(2,1)}")
ODD_TILES = tl.layout("f32[90,70,11]{1,2,0:T(3,5)(7)}")
MERGED = tl.layout("f32[7,9,5]{2,1,0:T(*,4)(2)}")
BACKWARDS = Layout((6, 5), [(0, 1, 6, 7), (1, 1, 5, -1), (None, 1, 2, 6)])
CROSSED = Layout((3, 4), [(0, 1, 3, 2), (1, 1, 4, 3)])
SWIZZLED = tl.layout("cute:Sw<3,2,3> o 0 o (16,32):(32,1)")
SEVERAL = tl.layout("f32[3,2,5,2,3,2,2,4]{7,5,6,4,2,3,0,1:T(2,3)}")
WIDE = Layout((2**33, 700), [(0, 1, 2**33, 702), (1, 100, 7, 100), (1, 1, 100, 1)])
OFFSET = tl.layout("cute:S<2,1,3> o 5 o (16,24):(24,1)")
UPWARDS = tl.layout("cute:S<2,0,-3> o 0 o (64,48):(1,64)")
UNEVEN = tl.layout("cute:S<2,1,4> o 0 o (20,30):(30,1)")
PLAIN = [
    OFFSET,
    UPWARDS,
    UNEVEN,
    TILED,
    ODD_TILES,
    MERGED,
    BACKWARDS,
    CROSSED,
    SWIZZLED,
    SEVERAL,
    WIDE,
    Layout((5,), [(0, 1, 5, 3), (None, 1, 2, 2**40)]),
]

every_level = pytest.mark.parametrize("level", kernel.LEVELS)
small_layouts = st.one_of(layouts(), strided_layouts(), layouts(st.lists(st.integers(1, 3), min_size=5, max_size=8).map(tuple), 1 << 12))


@st.composite
def xor_layouts(draw):
    """Layouts in which each bit of the slot is the XOR of some bits of coordinates, whatever the extents."""
    shape = draw(st.lists(st.integers(1, 9), min_size=1, max_size=3).map(tuple))
    bits = [(axis, 1 << bit, 2, 1) for axis, size in enumerate(shape) for bit in range((size - 1).bit_length())]
    width = len(bits) + draw(st.integers(0, 2))
    chosen = draw(st.lists(st.sets(st.sampled_from(bits)) if bits else st.just(set()), min_size=width, max_size=width))
    digits = [(tuple(sorted(some)), 1, 2, 1 << at) for at, some in enumerate(chosen) if some]
    return Layout(shape, digits, slots=(1 << width) + draw(st.integers(0, 3)))


@st.composite
def flipped_layouts(draw):
    """Layouts whose axes are cut into digits that run either way, with gaps between their strides."""
    shape = draw(st.lists(st.integers(1, 40), min_size=1, max_size=4).map(tuple))
    cuts = []
    for axis, size in enumerate(shape):
        divisor = 1
        while divisor < size:
            cuts.append((axis, divisor, radix := draw(st.integers(2, 9))))
            divisor *= radix
    stride, first, digits = 1, draw(st.integers(0, 3)), []
    for axis, divisor, radix in draw(st.permutations(cuts)):
        values = min(radix, -(-shape[axis] // divisor))
        if draw(st.booleans()):
            first += stride * (values - 1)
            digits.append((axis, divisor, radix, -stride))
        else:
            digits.append((axis, divisor, radix, stride))
        stride *= values
        stride += draw(st.integers(0, 2))
    return Layout(shape, [*digits, (None, 1, 2, first)], slots=first + stride)


@contextmanager
def made_for(level, layout):
    """The layout again, its network made for that level."""
    before = kernel.level()
    kernel.set_level(level)
    try:
        fresh = Layout(layout.shape, layout.digits, slots=layout.slots)
        assert fresh.ready.network
        yield fresh
    finally:
        kernel.set_level(before)


def some_indices(layout, count, seed=0):
    corners = [[0] * layout.ndim, [n - 1 for n in layout.shape]]
    drawn = np.random.default_rng(seed).integers(0, layout.shape, (count, layout.ndim)) if layout.ndim else np.zeros((count, 0), int)
    return np.concatenate([corners, drawn])[:count].reshape(count, layout.ndim).astype(np.int64)


def slots_of(layout, indices):
    return [reference.slot(index, layout.digits) for index in indices.tolist()]


def test_there_is_always_plain_c():
    assert kernel.LEVELS[0] == "scalar"
    assert kernel.level() == kernel.LEVELS[-1]
    with pytest.raises(ValueError, match="no level 1024"):
        kernel.set_level("1024")


@every_level
@given(small_layouts, st.integers(0, 2 * BLOCK + 40))
def test_there_and_back(level, layout, count):
    if not layout.size:
        return
    indices = some_indices(layout, count)
    with made_for(level, layout) as fresh:
        slots = fresh.index(indices)
        assert slots.tolist() == slots_of(layout, indices)
        assert (fresh.coordinates(slots) == indices).all()
        held = set(reference.offsets(layout.shape, layout.digits))
        assert fresh.is_padding(range(layout.slots)).tolist() == [s not in held for s in range(layout.slots)]
        assert fresh.offsets().ravel().tolist() == reference.offsets(layout.shape, layout.digits)


@every_level
@given(xor_layouts())
def test_bits_there_and_back(level, layout):
    indices = list(reference.indices(layout.shape))
    expected = reference.offsets(layout.shape, layout.digits)
    with made_for(level, layout) as fresh:
        assert fresh.index(indices).tolist() == expected
        if len(set(expected)) < len(indices):
            assert not fresh.ready.is_reversible
            return
        held = reference.coordinates(layout.shape, layout.digits, range(layout.slots))
        marked = [list(index) if index is not None else [-1] * layout.ndim for index in held]
        assert fresh.coordinates(range(layout.slots), padding="mark").tolist() == marked
        assert fresh.is_padding(range(layout.slots)).tolist() == [index is None for index in held]
        if all(size.bit_count() == 1 for size in layout.shape):
            assert fresh.ready.is_reversible


@every_level
@given(flipped_layouts())
@example(Layout((2**33, 3), [(0, 1, 2**33, -3), (1, 1, 3, 1), (None, 1, 2, 3 * 2**33 - 3)]))
def test_digits_that_run_backwards_are_taken_apart_as_others_are(level, layout):
    indices = some_indices(layout, BLOCK + 9)
    expected = slots_of(layout, indices)
    with made_for(level, layout) as fresh:
        assert fresh.ready.is_reversible
        assert fresh.index(indices).tolist() == expected
        assert (fresh.coordinates(expected) == indices).all()
        if layout.slots < 1 << 14:
            held = reference.coordinates(layout.shape, layout.digits, range(layout.slots))
            marked = [list(index) if index is not None else [-1] * layout.ndim for index in held]
            assert fresh.coordinates(range(layout.slots), padding="mark").tolist() == marked
            assert fresh.padding == held.count(None)


def test_swizzles_are_inverted_in_place():
    for layout in (SWIZZLED, OFFSET, UPWARDS, UNEVEN):
        assert layout.ready.is_reversible
        slots = range(layout.slots)
        held = reference.coordinates(layout.shape, layout.digits, slots)
        assert layout.is_padding(slots).tolist() == [index is None for index in held]
        marked = [list(index) if index is not None else [-1, -1] for index in held]
        assert layout.coordinates(slots, padding="mark").tolist() == marked


@every_level
@pytest.mark.parametrize("layout", PLAIN, ids=str)
def test_layouts_of_every_kind(level, layout):
    indices = some_indices(layout, 3 * BLOCK + 7)
    expected = slots_of(layout, indices)
    with made_for(level, layout) as fresh:
        assert fresh.index(indices).tolist() == expected
        assert [fresh(*index) for index in indices[:50].tolist()] == expected[:50]
        if fresh.ready.is_reversible:
            assert (fresh.coordinates(expected) == indices).all()
            assert not fresh.is_padding(expected).any()


@every_level
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("count", [0, 1, 2, 31, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5])
def test_every_dtype_and_strides(level, dtype, count):
    for layout in (TILED, ODD_TILES, SEVERAL):
        indices = some_indices(layout, count)
        expected = slots_of(layout, indices)
        given_as = indices.astype(dtype)
        bytes_ = np.zeros(given_as.nbytes + 1, np.uint8)
        unaligned = bytes_[1:].view(dtype).reshape(given_as.shape)
        unaligned[...] = given_as
        forms = [given_as, np.asfortranarray(given_as), given_as[::-1].copy()[::-1], np.repeat(given_as, 3, axis=0)[::3], unaligned]
        forms.append(np.repeat(given_as, 2, axis=1)[:, ::2])
        forms.append(np.flip(np.flip(given_as).copy()))
        with made_for(level, layout) as fresh:
            for form in forms:
                assert fresh.index(form).tolist() == expected
            if layout.slots <= np.iinfo(dtype).max:
                slots = np.array(expected, dtype)
                for some in (slots, np.repeat(slots, 2)[::2], slots[::-1].copy()[::-1]):
                    assert (fresh.coordinates(some) == indices).all()


@every_level
@pytest.mark.parametrize("count", [1, 7, 8, 9, BLOCK + 13])
def test_pairs_in_lanes_of_64_bits(level, count):
    layout = tl.layout("bf16[4194304,524288]{1,0:T(8,128)(2,1)}")
    for dtype in (np.int32, np.uint32, np.int64, np.uint64):
        indices = some_indices(layout, count).astype(dtype)
        expected = slots_of(layout, indices)
        with made_for(level, layout) as fresh:
            for form in (indices, np.asfortranarray(indices)):
                assert fresh.index(form).tolist() == expected
                assert queries.index_by_axis(fresh, [*form.T]).tolist() == expected
                for axis, size in enumerate(layout.shape):
                    for bad in {size, 2**31 - 1, np.iinfo(dtype).max, np.iinfo(dtype).min} - {0}:
                        wrong = form.copy()
                        wrong[count - 1, axis] = bad
                        assert fresh.ready.network.slots(wrong, np.empty(count, np.int64)) == count - 1


#: Of two axes, whose slots are sums of quotients: with bits that move beside them, by either half of a product, of gaps, of one element.
ODD_PAIRS = [
    tl.layout("bf16[125,253]{1,0:T(6,96)(3,1)}"),
    tl.layout("f32[61,93]{1,0}"),
    tl.layout("bf16[50,70]{0,1:T(24,96)(2,1)}"),
    tl.layout("s8[2000003,2]{0,1:T(2,7)}"),
    tl.layout("s8[3,900001]{1,0:T(7)}"),
    tl.layout("f32[1,1]{1,0:T(8,128)}"),
    tl.layout("f32[1,5]{0,1:T(3,3)}"),
    Layout((6, 5), [(0, 1, 6, 21), (1, 1, 5, 3)], slots=130),
    Layout((6, 5), [(0, 1, 3, 1), (0, 3, 2, -40), (1, 1, 5, 3), (None, 1, 2, 40)], slots=100),
]


@every_level
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("layout", ODD_PAIRS, ids=str)
def test_pairs_of_quotients(level, dtype, layout):
    for count in (2, 16, BLOCK + 37):
        indices = some_indices(layout, count).astype(dtype)
        expected = slots_of(layout, indices)
        with made_for(level, layout) as fresh:
            for form in (indices, np.asfortranarray(indices)):
                assert fresh.index(form).tolist() == expected
            if fresh.ready.is_reversible:
                assert (fresh.coordinates(np.array(expected, dtype)) == indices).all()
            for axis, size in enumerate(layout.shape):
                wrong = indices.copy()
                wrong[count - 1, axis] = size
                assert fresh.ready.network.slots(wrong, np.empty(count, np.int64)) == count - 1
    if layout.slots < 1 << 16:
        with made_for(level, layout) as fresh:
            slots = np.arange(layout.slots, dtype=dtype)
            held = reference.coordinates(layout.shape, layout.digits, range(layout.slots))
            marked = [[-1, -1] if index is None else list(index) for index in held]
            assert fresh.coordinates(slots, padding="mark").tolist() == marked
            for k in slots[[index is None for index in held]]:
                with pytest.raises(tl.CoordinateError, match="is padding and holds no element"):
                    fresh.coordinates(np.full(3, k, dtype))


@every_level
@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint64])
@pytest.mark.parametrize("rank", range(1, 11))
def test_rows_of_several_axes(level, rank, dtype):
    """Side by side, where vectors take rows apart; with others beside them; each coordinate beyond its end in turn."""
    shape = (3, 2, 5, 2, 3, 1, 2, 2, 3, 2)[:rank]
    text = f"f32[{','.join(map(str, shape))}]{{{','.join(map(str, reversed(range(rank))))}:T(2,4)}}"
    layout = tl.layout(text)
    for count in (1, 15, 16, 17, BLOCK + 33):
        indices = some_indices(layout, count, seed=rank)
        rows, expected = indices.astype(dtype), slots_of(layout, indices)
        beside = np.concatenate([rows, rows + 100], axis=1)
        with made_for(level, layout) as fresh:
            assert fresh.index(rows).tolist() == fresh.index(beside[:, :rank]).tolist() == expected
            assert fresh.index(np.asfortranarray(rows)).tolist() == expected
            assert (fresh.coordinates(np.array(expected, dtype)) == indices).all()
            for axis, size in enumerate(shape):
                for bad in (size, 2**31 - 1, np.iinfo(dtype).max, np.iinfo(dtype).min):
                    wrong = rows.copy()
                    wrong[count // 2, axis] = bad
                    for form in (wrong, np.asfortranarray(wrong)):
                        done = fresh.ready.network.slots(form, np.empty(count, np.int64))
                        assert done == (count if bad == 0 else count // 2)
    with made_for(level, layout) as fresh:
        every = range(layout.slots)
        marked = [[-1] * rank if index is None else list(index) for index in reference.coordinates(shape, layout.digits, every)]
        assert fresh.coordinates(every, padding="mark").tolist() == marked


#: Of one axis, and of three to eight: quotients, an offset, flipped bits, sums that are registers of their own, an axis of one element.
ROWS = {
    "moves alone": Layout((200,), [(0, 8, 25, 1), (0, 1, 8, 32)], slots=256),
    "quotients alone": Layout((150,), [(0, 1, 6, 25), (0, 6, 25, 1)]),
    "one offset": Layout((60,), [(0, 1, 4, 15), (0, 4, 15, 1), (None, 1, 2, 7)]),
    "one backwards": Layout((60,), [(0, 1, 4, -15), (0, 4, 15, 1), (None, 1, 2, 45)]),
    "one swizzle": Layout((64,), [(((0, 1, 2, 1), (0, 8, 2, 1)), 1, 2, 1), (0, 2, 32, 2)]),
    "quotients": tl.layout("f32[5,6,7]{0,2,1:T(3,5)(3,1)}"),
    "offset": tl.Layout((4, 3, 5, 7), [(0, 1, 4, 105), (1, 1, 3, 35), (2, 1, 5, 7), (3, 1, 7, 1), (None, 1, 2, 41)]),
    "swizzle": tl.layout("cute:S<2,1,3> o 0 o (4,8,2):(1,4,32)"),
    "sums": tl.layout("f32[6,14,25]{2,1,0:T(4,6)(3,4)}"),
    "merged": tl.layout("f32[6,4,5,3,7]{4,3,2,1,0:T(*,2,8)}"),
    "unit": tl.layout("s8[2,1,3,2,5,2,3,2]{7,5,6,4,3,1,2,0:T(2,3)(2,1)}"),
}


@every_level
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("layout", ROWS.values(), ids=ROWS)
def test_rows_at_once(level, layout, dtype):
    """Whatever slots are made of, of numbers of rows about those that vectors take, ahead of which others are asked for; and by columns."""
    for count in (31, 32, 33, 63, 64, 65, 8 * BLOCK + 31, 17 * BLOCK + 1):
        indices = some_indices(layout, count, seed=count)
        rows, expected = indices.astype(dtype), slots_of(layout, indices)
        with made_for(level, layout) as fresh:
            assert fresh.index(rows).tolist() == fresh.index(np.asfortranarray(rows)).tolist() == expected
            assert (fresh.coordinates(np.array(expected, dtype)) == indices).all()


@every_level
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("name", ["moves alone", "quotients alone", "one offset", "one backwards"])
def test_slots_of_one_axis_that_hold_nothing_or_are_outside(level, name, dtype):
    layout = Layout(ROWS[name].shape, ROWS[name].digits, slots=ROWS[name].slots + 5)
    held = reference.coordinates(layout.shape, layout.digits, range(layout.slots))
    with made_for(level, layout) as fresh:
        marked = [[-1] if index is None else list(index) for index in held]
        assert fresh.coordinates(np.arange(layout.slots, dtype=dtype), padding="mark").tolist() == marked
        good = np.resize([slot for slot, index in enumerate(held) if index is not None], 3 * BLOCK).astype(dtype)
        for bad in (held.index(None), layout.slots, -1, np.iinfo(dtype).max, np.iinfo(dtype).min):
            for place in (0, 63, 64, 2 * BLOCK + 1, 3 * BLOCK - 1):
                asked = good.copy()
                asked[place:] = bad
                assert fresh.ready.network.coordinates(asked, np.empty((len(asked), 1), np.int64), None, True) == place


@every_level
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("rank", range(1, 6))
def test_many_go_past_the_caches(level, rank, dtype):
    """Of coordinates with an offset and of those without, which are made again, wherever answers begin in a line."""
    shape = (4, 3, 5, 7, 6)[-rank:]
    strides = [int(np.prod(shape[axis + 1 :])) for axis in range(rank)]
    count = (1 << 19) + 77
    indices = some_indices(Layout(shape, []), count, seed=3).astype(dtype)
    room = np.full((count + 2) * rank, -1)
    for first in (0, 41):
        digits = [(axis, 1, n, stride) for axis, (n, stride) in enumerate(zip(shape, strides, strict=True))]
        layout = Layout(shape, [*digits, (None, 1, 2, first)] if first else digits)
        expected = indices @ np.array(strides, dtype) + first
        with made_for(level, layout) as fresh:
            for begin in (0, 1):
                out = room[begin:][:count]
                for form in (indices, np.asfortranarray(indices)):
                    room[:] = -1
                    fresh.index(form, out=out, threads=1)
                    assert (out == expected).all()
                    assert room[:begin].tolist() == [-1] * begin
                    assert (room[begin + count :] == -1).all()
                room[:] = -1
                back = room[begin:][: count * rank].reshape(count, rank)
                fresh.coordinates(expected.astype(dtype), out=back, threads=1)
                assert (back == indices).all()
                assert room[:begin].tolist() == [-1] * begin
                assert (room[begin + count * rank :] == -1).all()


@every_level
@pytest.mark.parametrize("count", [1, BLOCK, BLOCK + 1, 2 * BLOCK + 9])
@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.uint32, np.int64, np.uint64])
def test_a_bad_coordinate_at_every_place_of_a_block(level, count, dtype):
    bad_ones = [np.iinfo(dtype).min, np.iinfo(dtype).max, 100]
    with made_for(level, TILED) as fresh:
        for place in sorted({0, count // 2, count - 1, min(BLOCK - 1, count - 1), min(BLOCK, count - 1)}):
            for axis in (0, 1):
                for bad in bad_ones:
                    indices = some_indices(TILED, count).astype(dtype)
                    indices[place, axis] = bad
                    indices[place + 1 :, 1 - axis] = 99
                    if 0 <= bad < TILED.shape[axis]:
                        continue
                    for form in (indices, np.asfortranarray(indices)):
                        with pytest.raises(tl.CoordinateError, match=rf": {bad} on axis {axis}, where"):
                            fresh.index(form)
                        assert fresh.ready.network.slots(form, np.empty(count, np.int64)) == place


@every_level
@pytest.mark.parametrize("count", [0, 1, BLOCK - 1, 2 * BLOCK + 9])
def test_an_array_for_each_axis(level, count):
    """Of dtypes and steps of their own, side by side in memory or anywhere."""
    for layout in (TILED, ODD_TILES, SEVERAL):
        indices = some_indices(layout, count)
        expected = slots_of(layout, indices)
        fitting = [dtype for dtype in DTYPES if max(layout.shape) <= np.iinfo(dtype).max]
        with made_for(level, layout) as fresh:
            for turn in range(len(fitting)):
                mixed = [indices[:, axis].astype(fitting[(turn + axis) % len(fitting)]) for axis in range(layout.ndim)]
                rows = indices.astype(fitting[turn])
                spread = [np.repeat(axis, 2)[::2] if k % 2 else axis[::-1].copy()[::-1] for k, axis in enumerate(mixed)]
                swapped = [axis.astype(axis.dtype.newbyteorder()) for axis in mixed]
                for axes in (mixed, spread, swapped, [*rows.T], [axis.reshape(1, -1, 1) for axis in mixed]):
                    assert queries.index_by_axis(fresh, axes).ravel().tolist() == expected


def test_many_in_an_array_for_each_axis():
    indices = some_indices(TILED, 7 * BLOCK * BLOCK)
    axes = [indices[:, 0].astype(np.int32), indices[:, 1].copy()]
    assert (queries.index_by_axis(TILED, axes, threads=2) == TILED.index(indices)).all()
    bad = indices.copy()
    for place in (len(bad) - 1, len(bad) // 2, 5):
        bad[place] = 1, 10**6
        with pytest.raises(tl.CoordinateError, match=r"\(1, 1000000\) lie outside .*: 1000000 on axis 1, where"):
            queries.index_by_axis(TILED, [*bad.T], threads=2)
        assert TILED.ready.network.slots_by_axis([*bad.T], np.empty(len(bad), np.int64)) == place


@every_level
@pytest.mark.parametrize("layout", [TILED, WIDE, BACKWARDS, CROSSED], ids=str)
def test_the_edges_of_each_axis(level, layout):
    with made_for(level, layout) as fresh:
        for axis, n in enumerate(layout.shape):
            for x in (-(2**63), -(2**31), -1, n, n + 1, 2**31, 2**32, 2**32 + 1, 2**62, 2**63 - 1):
                if 0 <= x < n:
                    continue
                index = [0] * layout.ndim
                index[axis] = x
                with pytest.raises(tl.CoordinateError, match=f"{x} on axis {axis}"):
                    fresh.index([index])
                with pytest.raises(tl.CoordinateError, match=f"{x} on axis {axis}"):
                    fresh(*index)
        for slot in (-1, layout.slots, -(2**63), 2**63 - 1):
            with pytest.raises(tl.CoordinateError, match="outside a buffer"):
                fresh.coordinates([layout(*[0] * layout.ndim), slot])


@every_level
@given(st.integers(2, 2**31), st.integers(1, 2**31), st.data())
@example(2**31, 2**31 - 1, None)
@example(2**31, 3, None)
@example(2**31 - 1, 7, None)
def test_quotients_of_31_bits_are_exact(level, size, divisor, data):
    _check_quotients(level, size, min(divisor, size - 1), data, 2**31)


@every_level
@given(st.integers(2, 2**20), st.integers(2, 2**14), st.data())
@example(65_537, 3, None)
@example(98_304, 3, None)
@example(98_305, 3, None)
def test_quotients_of_numbers_whose_products_have_32_bits_are_exact(level, size, divisor, data):
    _check_quotients(level, size, min(divisor, size - 1), data, 2**31)


@every_level
@given(st.integers(2**31 + 1, 2**62), st.integers(1, 2**62), st.data())
@example(2**62, 3, None)
@example(2**62, 2**31 - 1, None)
@example(2**62 - 1, 2**61 + 1, None)
def test_quotients_of_63_bits_are_exact(level, size, divisor, data):
    _check_quotients(level, size, min(divisor, size - 1), data, 2**63)


def _check_quotients(level, size, divisor, data, most):
    """A column-major tile: which of them and where in it change places."""
    count = -(-size // divisor)
    if count * divisor >= most:
        size, count = size // divisor * divisor, size // divisor
    layout = Layout((size,), [(0, 1, divisor, count), (0, divisor, count, 1)])
    near = [k * divisor + d for k in (0, 1, count // 2, count - 1, count) for d in (-1, 0, 1)]
    drawn = data.draw(st.lists(st.integers(0, size - 1), max_size=9)) if data else []
    indices = [x for x in [*near, size - 1, *drawn] if 0 <= x < size]
    expected = [x % divisor * count + x // divisor for x in indices]
    with made_for(level, layout) as fresh:
        assert fresh.index(np.array(indices)[:, None]).tolist() == expected
        assert fresh.coordinates(expected)[:, 0].tolist() == indices


@every_level
@pytest.mark.parametrize("place", range(0, LINE, 8))
@pytest.mark.parametrize("count", [0, 1, 5, 8, BLOCK - 8, BLOCK - 1, BLOCK, BLOCK + 3, 3 * BLOCK, 3 * BLOCK + 8])
def test_what_is_written_is_all_there_and_no_more(level, place, count):
    for layout in (TILED, ODD_TILES, SEVERAL, WIDE, SWIZZLED, ROWS["moves alone"]):
        indices = some_indices(layout, count)
        expected = slots_of(layout, indices)
        with made_for(level, layout) as fresh:
            network = fresh.ready.network
            room, slots = room_at(place, count)
            assert network.slots(indices, slots) == count
            assert slots.tolist() == expected
            assert np.count_nonzero(room == -7) == len(room) - count
            room, back = room_at(place, indices.size)
            assert network.coordinates(slots, back.reshape(indices.shape), None, True) == count
            assert (back == indices.ravel()).all()
            assert np.count_nonzero(room == -7) == len(room) - indices.size


def room_at(place, size):
    """An array of so many integers that begins ``place`` bytes behind the beginning of a line, and the room around it, all -7."""
    room = np.full(size + 32, -7)
    begin = (-room.ctypes.data % LINE + place) // 8 + 8
    return room, room[begin : begin + size]


@every_level
def test_holes_are_marked_or_stop(level):
    slots = np.arange(TILED.slots)
    expected = reference.coordinates(TILED.shape, TILED.digits, slots.tolist())
    first = expected.index(None)
    with made_for(level, TILED) as fresh:
        out, holes = np.empty((len(slots), 2), np.int64), np.empty(len(slots), bool)
        assert fresh.ready.network.coordinates(slots, out, holes, False) == len(slots)
        assert out.tolist() == [[-1, -1] if index is None else list(index) for index in expected]
        assert holes.tolist() == [index is None for index in expected]
        assert fresh.ready.network.coordinates(slots, out, None, True) == first


@pytest.mark.parametrize("bad", [[0], [299_999], [150_001, 150_000], [299_999, 37_500, 290_000], [255, 256]])
def test_threads_report_the_first_bad_query_of_all(bad, monkeypatch):
    monkeypatch.setenv(threads.VARIABLE, "3")
    indices = some_indices(TILED, 300_000)
    slots = TILED.index(indices)
    assert slots[::1000].tolist() == slots_of(TILED, indices[::1000])
    assert (TILED.coordinates(slots) == indices).all()
    assert not TILED.is_padding(slots).any()
    for place in bad:
        indices[place, 1] = 1000 + place
        slots[place] = -1 - place
    with pytest.raises(tl.CoordinateError, match=rf"{1000 + min(bad)} on axis 1"):
        TILED.index(indices)
    for ask in (TILED.coordinates, TILED.is_padding):
        with pytest.raises(tl.CoordinateError, match=rf"slot {-1 - min(bad)} lies outside"):
            ask(slots)


def test_a_network_that_has_no_elements():
    layout = Layout((0, 2**40), [(1, 1, 2**40, 2**40)], slots=5)
    assert layout.index(np.zeros((0, 2), int)).shape == (0,)
    assert layout.is_padding(range(5)).all()
    with pytest.raises(tl.CoordinateError, match="allowed are none"):
        layout.index([[0, 0]])


class TestOneElement:
    @pytest.mark.parametrize("layout", PLAIN, ids=str)
    def test_the_kernel_answers_plain_ints(self, layout):
        for index in some_indices(layout, 50).tolist():
            assert layout.ready.network.slot(tuple(index)) == reference.slot(index, layout.digits)

    @pytest.mark.parametrize("index", [(1,), (1, 2, 3), (True, 2), (np.int64(1), 2), (70, 0), (0, -1), (2**64, 0), (-(2**64), 0), (1.0, 2)])
    def test_and_leaves_the_rest_to_the_caller(self, index):
        assert TILED.ready.network.slot(index) is None

    def test_whatever_counts_as_an_integer_is_one(self):
        assert TILED(True, np.int8(2)) == TILED(1, 2)

    @given(st.one_of(small_layouts, xor_layouts()))
    def test_each_alone_or_a_few(self, layout):
        indices = list(reference.indices(layout.shape))
        expected = reference.offsets(layout.shape, layout.digits)
        assert [layout(*index) for index in indices] == expected
        for count in (1, 8, 9):
            few = np.array(indices[:count], np.int16).reshape(len(indices[:count]), layout.ndim)
            assert layout.index(few).tolist() == expected[:count]

    def test_more_registers_than_the_kernel_takes(self):
        layout = Layout((2,) * 32, [(axis, 1, 2, 1 << axis) for axis in range(32)])
        assert layout.ready.network.slot((1,) * 32) is None
        assert layout(*(1,) * 32) == layout.index(np.ones((1, 32), int))[0] == 2**32 - 1

    def test_more_axes_than_the_kernel_takes(self):
        layout = Layout((2,) * 40, [(axis, 1, 2, 1 << axis) for axis in range(40)])
        assert layout.ready.network.slot((1,) * 40) is None
        assert layout(*(1,) * 40) == 2**40 - 1


class TestWhereToWrite:
    """``out=`` and ``threads=`` of ``index`` and ``coordinates``."""

    layout = tl.layout("bf16[20,300]{1,0:T(8,128)(2,1)}")

    def test_out_is_written_and_returned(self):
        asked = np.stack(np.meshgrid(np.arange(20), np.arange(300), indexing="ij"), axis=-1)
        out = np.full((20, 300), -7, np.int64)
        assert self.layout.index(asked, out=out) is out
        assert (out == self.layout.offsets()).all()
        back = np.empty((20, 300, 2), np.int64)
        assert self.layout.coordinates(out, out=back) is back
        assert (back == asked).all()

    def test_out_may_have_strides(self):
        room = np.zeros((6, 2), np.int64)
        out = room[:, 1]
        assert self.layout.index([[k, 5] for k in range(6)], out=out) is out
        assert room.tolist() == [[0, self.layout(k, 5)] for k in range(6)]

    def test_threads_answer_alike(self):
        asked = np.random.default_rng(0).integers(0, (20, 300), (400_000, 2))
        alone, together = (self.layout.index(asked, threads=n) for n in (1, 3))
        assert (alone == together).all()
        assert (self.layout.coordinates(alone, threads=3) == asked).all()
        asked[123_456] = asked[300_000] = 20
        with pytest.raises(tl.CoordinateError, match=r"\(20, 20\)"):
            self.layout.index(asked, threads=3)

    @pytest.mark.parametrize(
        ("out", "message"),
        [
            (np.zeros(2, np.int32), "int64"),
            (np.zeros(3, np.int64), "takes shape"),
            ([0, 0], "takes a numpy array"),
        ],
    )
    def test_out_that_cannot_be(self, out, message):
        with pytest.raises(tl.LayoutError, match=message):
            self.layout.index([[0, 0], [1, 1]], out=out)

    @pytest.mark.parametrize(("dtype", "shape", "message"), [(np.int32, (2, 2), "int64"), (np.int64, (2, 3), "takes shape")])
    def test_out_that_cannot_be_of_slots_that_are_looked_up(self, dtype, shape, message):
        layout = Layout((4, 3), [(0, 1, 4, 3), (1, 1, 3, 4)])
        assert not layout.ready.is_reversible
        with pytest.raises(tl.LayoutError, match=message):
            layout.coordinates([0, 3], out=np.zeros(shape, dtype))

    def test_out_that_is_the_queries(self):
        asked = np.zeros((4, 2), np.int64)
        with pytest.raises(tl.LayoutError, match="shares memory"):
            self.layout.index(asked, out=asked[:, 0])


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize(
    "text",
    [
        "bf16[4095,4093]{1,0:T(8,128)(2,1)}",
        "bf16[4194304,524288]{1,0:T(8,128)(2,1)}",
        "bf16[3,7,16,127,253]{4,3,2,1,0:T(8,128)(2,1)}",
        "(24,1000):(1000,1)",
        "(24000):(1)",
    ],
)
def test_slots_stored_past_the_caches_are_those_of_smaller_calls(text, dtype):
    layout, count = tl.layout(text), (1 << 20) + 77
    coordinates = np.random.default_rng(7).integers(0, layout.shape, (count, layout.ndim)).astype(dtype)
    expected = np.concatenate([layout.index(coordinates[i : i + 10_000]) for i in range(0, count, 10_000)])
    for form in (coordinates.copy(), np.array(coordinates, order="F")):
        for place in (0, 8, 48):
            room, slots = room_at(place, count)
            assert layout.index(form, out=slots, threads=1) is slots
            assert (slots == expected).all()
            assert np.count_nonzero(room == -7) == len(room) - count
        for bad in (count - 1, 70_000, 3):
            form[bad] = [layout.shape[0]] + [0] * (layout.ndim - 1)
            assert layout.ready.network.slots(form, slots) == bad


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize(
    "text",
    [
        "bf16[4095,4093]{1,0:T(8,128)(2,1)}",
        "bf16[4095,4093]{1,0:T(6,96)(3,1)}",
        "bf16[1024,4096]{1,0:T(8,128)}",
        "bf16[3,7,16,127,253]{4,3,2,1,0:T(8,128)(2,1)}",
        "(24000):(1)",
    ],
)
def test_coordinates_stored_past_the_caches_are_those_of_smaller_calls(text, dtype):
    layout, count = tl.layout(text), (1 << 20) + 77
    slots = np.random.default_rng(8).integers(0, layout.slots, count).astype(dtype)
    expected = np.concatenate([layout.coordinates(slots[i : i + 10_000], padding="mark") for i in range(0, count, 10_000)])
    for place in (0, 8, 48):
        room, flat = room_at(place, count * layout.ndim)
        back = flat.reshape(count, layout.ndim)
        assert layout.coordinates(slots, out=back, padding="mark", threads=1) is back
        assert (back == expected).all()
        assert np.count_nonzero(room == -7) == len(room) - flat.size


def test_slots_that_are_no_elements_of_several_sums():
    """Each sum leaves out bits, of which the way back says that they are 0, all of the same axis."""
    sums = ((0, 1, 2, 1), (0, 2, 2, 4)), ((0, 4, 2, 1), (0, 8, 2, 4))
    layout = Layout((16,), [(sums[0], 1, 3, 12), (sums[0], 3, 2, 1), (sums[1], 1, 3, 4), (sums[1], 3, 2, 2)], slots=40)
    expected = np.full((layout.slots, 1), -1)
    expected[layout.offsets(), 0] = np.arange(16)
    assert layout.coordinates(np.arange(layout.slots), padding="mark").tolist() == expected.tolist()


def test_the_widest_register_is_taken_apart():
    swizzled = tl.layout("cute:Sw<1,0,1> o 0 o 4:1")
    layout = Layout(swizzled.shape, swizzled.digits, slots=2**63 - 1)
    places = swizzled.offsets()
    assert layout.coordinates(places).tolist() == swizzled.coordinates(places).tolist()
    assert layout.coordinates([2**62, 2**63 - 2], padding="mark").tolist() == [[-1], [-1]]


def test_bits_that_are_read_twice_need_no_search():
    layout = Layout((4,), [(0, 1, 4, 16), (0, 1, 8, 2)])
    assert layout.ready.is_reversible
    assert layout.coordinates(layout.offsets()).tolist() == [[0], [1], [2], [3]]


@given(layouts_of_sums())
@example(Layout((1, 5), [Digit((Digit(0, 1, 1, 3), Digit(1, 1, 5, 1)), 8, 1, 1)]))
def test_digits_of_any_sums(layout):
    """The one that is always 0 was the sum that it reads."""
    elements = [*np.ndindex(layout.shape)]
    slots = [evaluate(layout.digits, element) for element in elements]
    assert [layout(*element) for element in elements] == layout.index(elements).tolist() == slots
    if layout.ready.is_reversible:
        np.testing.assert_array_equal(layout.coordinates(slots), elements)
