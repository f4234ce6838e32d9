"""Arrays that are slices of others, written directly and streamed, each level of vectors forced in turn: nothing between is touched."""

from math import prod

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import tilelayout as tl

DTYPES = ["u1", "u2", "u4", "u8", "c16"]


def slice_of(room, begin, dtype, shape, slices):
    """Slices of an array of this shape that begins so many bytes into a room."""
    return room[begin : begin + prod(shape) * np.dtype(dtype).itemsize].view(dtype).reshape(shape)[slices]


def check(layout, dtype, shape, slices, begin=40):
    """Packs a slice, and unpacks it into a room full of other bytes."""
    source = np.random.default_rng(len(shape)).integers(0, 250, prod(shape) * np.dtype(dtype).itemsize + 128, np.uint8)
    array = slice_of(source, begin, dtype, shape, slices)
    slots = np.full(layout.slots, 7, dtype)
    slots[layout.offsets()] = array
    room = np.full(slots.nbytes + 128, 9, np.uint8)
    out = room[begin : begin + slots.nbytes].view(dtype)
    assert tl.pack(array, layout, fill=7, out=out).tobytes() == slots.tobytes()
    assert (room[:begin] == 9).all()
    assert (room[begin + slots.nbytes :] == 9).all()
    out[:] = 5
    slots[layout.is_padding(np.arange(layout.slots))] = 5
    assert tl.pack(array, layout, fill=None, out=out).tobytes() == slots.tobytes()
    target, expected = np.full(len(source), 9, np.uint8), np.full(len(source), 9, np.uint8)
    slice_of(expected, begin, dtype, shape, slices)[...] = array
    tl.unpack(slots, layout, out=slice_of(target, begin, dtype, shape, slices))
    assert (target == expected).all()


def rows(array_shape):
    return tl.layout(f"{{{','.join(map(str, reversed(range(len(array_shape)))))}}}", array_shape)


@settings(max_examples=10, deadline=None)
@given(st.data(), st.sampled_from(DTYPES))
@pytest.mark.engines
def test_any_slices(data, dtype):
    lengths = data.draw(st.lists(st.sampled_from([1, 2, 3, 7, 16, 31, 100, 257, 1000]), min_size=1, max_size=3))
    steps = [data.draw(st.sampled_from([1, 1, 2, 3, 4, 5, 8, 16, 33, -1, -2, -3])) for _ in lengths]
    shape = [n * abs(step) + data.draw(st.integers(0, 2)) for n, step in zip(lengths, steps, strict=True)]
    assume(prod(shape) <= 200_000)
    tiles = data.draw(st.sampled_from(["", "", ":T(2,2)", ":T(8,128)", ":T(3,5)"])) if len(shape) > 1 else ""
    order = data.draw(st.permutations(range(len(shape))))
    layout = tl.layout(f"{{{','.join(map(str, order))}{tiles}}}", lengths)
    assume(layout.slots <= 200_000)
    slices = tuple(
        slice(0, n * step, step) if step > 0 else slice(n * -step - 1, None, step) for n, step in zip(lengths, steps, strict=True)
    )
    check(layout, dtype, shape, slices, begin=data.draw(st.sampled_from([32, 35, 40, 61])))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("step", [2, 3, 4, 5, 8, 11, 16, 32, 100])
@pytest.mark.engines
def test_one_of_every_so_many(step, dtype):
    """As few as no vector moves, as many as one does, more, and more than a leaf has; rows that go on with each other, or do not."""
    for n, begin in ((1, 32), (15, 37), (16, 40), (17, 48), (33, 61), (600, 32), (5000, 37)):
        check(rows((n,)), dtype, (n * step,), slice(None, None, step), begin)
    for columns in (40, 64):
        shape = 9, columns * step - 1
        check(rows((9, columns)), dtype, shape, (slice(None), slice(None, None, step)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("of", "taken"), [(4, 3), (4, 2), (7, 2), (7, 6), (9, 3), (16, 15), (33, 3), (40, 12), (40, 33)])
@pytest.mark.engines
def test_some_of_every_so_many(of, taken, dtype):
    """Channels of pixels, such as the colours of those that have an opacity too."""
    for n in (1, 17, 700):
        for first in (0, of - taken):
            check(rows((n, taken)), dtype, (n, of), (slice(None), slice(first, first + taken)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("columns", [(0, 4, 8), (1, 2), (0, 7)])
@pytest.mark.engines
def test_few_of_every_row(columns, dtype):
    """So few that the rows of the array matter more than they do."""
    for n in (3, 400):
        check(rows((n, len(columns))), dtype, (n, 9), (slice(None), slice(columns[0], columns[-1] + 1, columns[1] - columns[0])))


@pytest.mark.parametrize("text", ["{1,0:T(8,128)}", "{0,1:T(8,128)}", "{1,0:T(8,128)(2,1)}", "{0,1}", "{1,0:T(4)(128)}"])
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8"])
@pytest.mark.engines
def test_slices_in_tiles(text, dtype):
    """Padding is filled around elements that lie apart in the array, and left out on the way back."""
    for lengths in ((16, 256), (13, 130)):
        for steps in ((1, 2), (2, 1), (3, 5)):
            shape = [n * step for n, step in zip(lengths, steps, strict=True)]
            check(tl.layout(text, lengths), dtype, shape, tuple(slice(None, None, step) for step in steps))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("text", ["{1,0}", "{1,0:T(8,128)}", "{0,1:T(4)(128)}"])
@pytest.mark.engines
def test_between_buffers(text, dtype):
    """A buffer with rows and elements at distances that suit no vector, to one in tiles and back; slots that no element has are kept."""
    lengths = 23, 150
    tiled = tl.layout(text, lengths)
    for steps in ((750, 5), (301, 2), (1, 23), (3, 70), (601, 4), (1, 149)):
        strided = tl.layout(f"strides={steps}", lengths)
        values = np.random.default_rng(3).integers(0, 250, lengths).astype(dtype)
        apart, packed = np.full(strided.slots, 9, dtype), np.full(tiled.slots, 7, dtype)
        apart[strided.offsets()], packed[tiled.offsets()] = values, values
        assert tl.relayout(apart, strided, tiled, fill=7).tobytes() == packed.tobytes()
        target = np.full_like(apart, 9)
        assert tl.relayout(packed, tiled, strided, fill=None, out=target).tobytes() == apart.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("text", ["{1,0}", "{1,0:T(8,128)}", "{0,1:T(4)(128)}", "strides=(700, 3)"])
@pytest.mark.engines
def test_regions(text, dtype):
    """A region of a slice, to where it belongs in a buffer and back, with all else as it was."""
    lengths, region = (21, 200), np.s_[2:19, 5:180]
    layout = tl.layout(text, lengths)
    for step in (2, 3, 7, 16):
        array = np.random.default_rng(step).integers(0, 250, (17, 175 * step)).astype(dtype)
        slots, expected = np.full(layout.slots, 7, dtype), np.full(layout.slots, 7, dtype)
        expected[layout.offsets()[region]] = array[:, ::step]
        tl.pack(array[:, ::step], layout, out=slots, region=region)
        assert slots.tobytes() == expected.tobytes()
        target, there = np.full_like(array, 9), np.full_like(array, 9)
        there[:, ::step] = array[:, ::step]
        tl.unpack(slots, layout, out=target[:, ::step], region=region)
        assert target.tobytes() == there.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lengths", [(70, 300), (3, 5000), (400, 5), (40, 5, 30), (1, 64), (16, 17, 3)])
@pytest.mark.engines
def test_elements_that_are_read_again_and_again(lengths, dtype):
    """Steps of nothing: along rows, down columns, along both and along all; in a line, in tiles and turned around."""
    for axes in ((0,), (len(lengths) - 1,), (0, len(lengths) - 1), tuple(range(len(lengths)))):
        some = np.random.default_rng(len(axes)).integers(0, 250, [1 if k in axes else n for k, n in enumerate(lengths)]).astype(dtype)
        array = np.broadcast_to(some, lengths)
        order = ",".join(map(str, range(len(lengths))))
        for layout in (rows(lengths), *(tl.layout(f"{{{order}{tiles}}}", lengths) for tiles in ("", ":T(8,128)"))):
            slots = np.full(layout.slots, 7, dtype)
            slots[layout.offsets()] = array
            assert tl.pack(array, layout, fill=7).tobytes() == slots.tobytes()
            room = np.full(slots.nbytes + 128, 9, np.uint8)
            tl.pack(array, layout, fill=7, out=room[37 : 37 + slots.nbytes].view(dtype))
            assert room[37 : 37 + slots.nbytes].tobytes() == slots.tobytes()
            assert (np.delete(room, np.s_[37 : 37 + slots.nbytes]) == 9).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.engines
def test_rows_backwards(dtype):
    """Of all lengths about those of vectors and lines; some of each row, so that there is something behind."""
    for columns in (2, 3, 5, 8, 9, 12, 16, 24, 33, 64, 100, 129):
        for begin in (32, 37):
            check(rows((9, columns)), dtype, (9, columns), (slice(None), slice(None, None, -1)), begin)
            check(rows((9, columns)), dtype, (9, columns + 3), (slice(None), slice(columns, 0, -1)), begin)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("gap", [1, 3, 16, 100])
@pytest.mark.engines
def test_rows_with_gaps(gap, dtype):
    """Columns cut from wider rows, of less than a line, of a few and of many."""
    for columns in (5, 16, 64, 70, 256, 1100):
        check(rows((17, columns)), dtype, (17, columns + gap), (slice(None), slice(0, columns)))
        turned = tl.layout("{0,1}", (17, columns))
        check(turned, dtype, (17, columns + gap), (slice(None), slice(gap, None)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [64, 128, 192, 256, 384])
@pytest.mark.engines
def test_stretches_of_whole_lines_with_gaps(size, dtype):
    """Made by transposes, and of interleaved rows, alike in their lines or not; they are streamed from some lengths on."""
    columns = size // np.dtype(dtype).itemsize
    for gap in (64, 16):
        shape = (70, columns + gap // np.dtype(dtype).itemsize)
        for text in ("{0,1}", f"{{1,0:T(8,{columns})(2,1)}}", f"{{1,0:T(8,{max(1, columns // 2)})(4,1)}}"):
            for begin in (40, 64):
                check(tl.layout(text, (70, columns)), dtype, shape, (slice(None), slice(0, columns)), begin)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.engines
def test_few_in_every_line_of_both(dtype):
    """Elements that have no neighbours in the array, and those of the buffer lie in the order of another axis."""
    for lengths in ((4, 5, 20, 128), (64, 5, 63), (30, 40)):
        order = ",".join(map(str, range(len(lengths))))
        for step in (3, 4, 16):
            shape = (*lengths[:-1], lengths[-1] * step)
            check(tl.layout(f"{{{order}}}", lengths), dtype, shape, (..., slice(None, None, step)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("columns", [1, 2, 3, 5, 7])
@pytest.mark.engines
def test_short_rows(columns, dtype):
    """Of a few elements, with gaps between them or not: brought together, or filled up to rows of less than a line and of more."""
    for row in (columns, columns + 1, 8, 11):
        layout = tl.layout(f"{{1,0:T(1,{row})}}", (301, columns))
        for gap in (0, 1, 13, 90):
            for begin in (32, 37):
                check(layout, dtype, (301, columns + gap), (slice(None), slice(0, columns)), begin)
