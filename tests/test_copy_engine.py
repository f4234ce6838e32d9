"""The copy engine, each width of its vectors forced in turn, written directly and streamed: against slots that are looked up."""

from itertools import pairwise, permutations
from math import prod
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

import tilelayout as tl
from engines import share_little
from tilelayout import parts, planning, twosteps
from tilelayout._kernels import copy
from tilelayout._kernels.loops import NOTHING
from tilelayout._kernels.steps import CopyInSteps
from tilelayout.loops import in_bytes, in_strides

BEST = copy.LEVELS.index(copy.level())

TILES = st.lists(st.lists(st.sampled_from([1, 2, 3, 4, 8, 16, 32, 128]), min_size=1, max_size=3).map(tuple), max_size=3).map(tuple)
EXTENTS = st.sampled_from([1, 2, 7, 8, 16, 31, 40, 65, 128, 130, 300])


@st.composite
def layouts(draw, shape):
    order = draw(st.permutations(range(len(shape))))
    layout = tl.xla.Layout(tuple(order), tiles=draw(TILES)).bind(shape)
    return layout if layout.slots <= 300_000 else tl.xla.Layout(tuple(order)).bind(shape)


@st.composite
def shapes(draw):
    shape = tuple(draw(st.lists(EXTENTS, min_size=1, max_size=3)))
    return shape if np.prod(shape) <= 100_000 else shape[:2]


@st.composite
def batches(draw):
    """Of small matrices that are turned, in their order or another."""
    sides = st.sampled_from([2, 3, 4, 5, 7, 9, 16])
    shape = draw(st.sampled_from([1, 3, 30])), draw(st.sampled_from([1, 7])), draw(sides), draw(sides)
    return tl.xla.Layout(draw(st.sampled_from([(2, 3, 1, 0), (2, 3, 0, 1)]))).bind(shape)


#: What is around an array that is misplaced: a line at least on either side.
AROUND = 0xA5
misplaced_so_far = []


def misplaced(values, by):
    """A copy that begins ``by`` bytes behind the beginning of a line."""
    room = np.full(values.nbytes + 256, AROUND, np.uint8)
    begin = -room.ctypes.data % 64 + 64 + by
    end = begin + values.nbytes
    copied = room[begin:end].view(values.dtype).reshape(values.shape)
    copied[...] = values
    misplaced_so_far.append((room[:begin], room[end:]))
    if len(misplaced_so_far) > 32:
        check_around()
    return copied


def check_around():
    """Nothing is written beyond arrays that were misplaced."""
    for sides in misplaced_so_far:
        for side in sides:
            assert (side == AROUND).all()
    misplaced_so_far.clear()


@pytest.fixture(autouse=True)
def around():
    yield
    check_around()


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data(), shapes(), st.sampled_from(["u1", "u2", "u4", "u8", "c16"]))
@pytest.mark.engines
def test_pack_unpack_and_relayout(data, shape, dtype):
    first, second = data.draw(layouts(shape)), data.draw(layouts(shape))
    axes = data.draw(st.permutations(range(len(shape))))
    by = st.sampled_from([0, 1, 4, 16, 40])
    values = np.random.default_rng(len(shape)).integers(0, 250, [shape[a] for a in axes]).astype(dtype)
    array = misplaced(values, data.draw(by)).transpose(np.argsort(axes))
    fill = data.draw(st.sampled_from([0, 3, None]))
    expected = {}
    for layout in (first, second):
        expected[layout] = np.full(layout.slots, 9 if fill is None else fill, dtype)
        expected[layout][layout.offsets()] = array
    packed = tl.pack(array, first, fill=fill, out=misplaced(np.full(first.slots, 9, dtype), data.draw(by)))
    assert (packed == expected[first]).all()
    moved = tl.relayout(packed, first, second, fill=fill, out=misplaced(np.full(second.slots, 9, dtype), data.draw(by)))
    assert (moved == expected[second]).all()
    back = misplaced(np.zeros_like(values), data.draw(by)).transpose(np.argsort(axes))
    assert (tl.unpack(moved, second, out=back) == array).all()


@pytest.mark.parametrize(("dtype", "text"), [("u1", "{1,0:T(8,128)(4,1)}"), ("u2", "{1,0:T(8,128)(2,1)}"), ("u4", "{1,0:T(4,16)(2,1)}")])
@pytest.mark.parametrize("columns", [12, 20, 36, 100])
@pytest.mark.engines
def test_short_rows_that_are_brought_together(columns, dtype, text):
    """Blocks of few bytes each share a scratch that is as small as they are: a sanitizer sees what is written beyond it."""
    array = np.arange(1000 * columns).reshape(1000, columns).astype(dtype)
    assert (tl.unpack(tl.pack(array, text), text, shape=array.shape) == array).all()


#: Tiles whose elements stay together in another order from one layout to another, more often than not.
NESTED = st.builds(
    lambda outer, rows, columns, inner: ((outer * rows, 16), (rows, 1)) if inner else ((rows, columns),),
    st.sampled_from([1, 4, 32]),
    st.sampled_from([1, 2, 4, 8]),
    st.sampled_from([1, 2, 4, 8]),
    st.booleans(),
)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data(), st.sampled_from(["u1", "u2", "u4", "u8"]), st.sampled_from([0, 3, None]))
@pytest.mark.engines
def test_elements_in_another_order(data, dtype, fill):
    shape = tuple(data.draw(st.lists(st.sampled_from([2, 4, 8, 15, 32, 130]), min_size=2, max_size=3)))
    assume(np.prod(shape) <= 50_000)
    layouts = [tl.xla.Layout(tuple(data.draw(st.permutations(range(len(shape))))), tiles=data.draw(NESTED)).bind(shape) for _ in range(2)]
    array = np.random.default_rng(len(shape)).integers(0, 250, shape).astype(dtype)
    by = st.sampled_from([0, 1, 4, 8, 16, 40])
    one, other = (np.full(layout.slots, 9 if fill is None else fill, dtype) for layout in layouts)
    one[layouts[0].offsets()] = other[layouts[1].offsets()] = array
    moved = tl.relayout(misplaced(one, data.draw(by)), *layouts, fill=fill, out=misplaced(np.full(len(other), 9, dtype), data.draw(by)))
    assert (moved == other).all()


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "c16"])
@pytest.mark.parametrize("text", ["{1,0:T(8,128)}", "{1,0:T(8,128)(2,1)}", "{1,0:T(8,128)(4,1)}", "{0,1:T(8,128)}", "{0,1}"])
@pytest.mark.engines
def test_pieces_in_any_order(text, dtype):
    """Of the iterations of the outermost loop threads take some at a time."""
    for shape, by in [((64, 512), 0), ((64, 512), 16), ((61, 509), 16)]:
        layout = tl.layout(text, shape=shape)
        array = misplaced(np.random.default_rng(3).integers(0, 250, shape).astype(dtype), by)
        slots = np.full(layout.slots, 9, dtype)
        slots[layout.offsets()] = array
        sides = in_strides(shape, array.strides), in_bytes(layout.digits, array.itemsize)
        for source, target, ways in ((array, slots, sides), (slots, array, sides[::-1])):
            copied = misplaced(np.full_like(target, 9), by)
            planned = planning.plan(shape, *ways, array.itemsize)
            for part in (planned.copy, *planned.rest):
                for begin in reversed(range(0, part.iterations, 3)):
                    part.run(source, copied, None, (begin, min(begin + 3, part.iterations), 2, 1))
            assert (copied == target).all()


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4"])
@pytest.mark.parametrize("text", ["{1,2,0}", "{2,1,0:T(8,128)}", "{1,2,0:T(8,128)(2,1)}", "{0,2,1:T(4,16)}", "{1,2,0:T(32,128)(4,1)}"])
@pytest.mark.engines
def test_pieces_of_two_loops(text, dtype):
    """Where the outermost loop has few iterations, threads share those of the next one as well; padding is filled by whoever is there."""
    chance, pattern = Random(4), np.full(16 // np.dtype(dtype).itemsize, 7, dtype).tobytes()
    for shape in [(3, 40, 130), (2, 33, 300), (5, 64, 128)]:
        layout = tl.layout(text, shape=shape)
        array = np.random.default_rng(3).integers(0, 250, shape).astype(dtype)
        slots = np.full(layout.slots, 7, dtype)
        slots[layout.offsets()] = array
        planned = planning.plan(
            shape, in_strides(shape, array.strides), in_bytes(layout.digits, array.itemsize), array.itemsize, layout.slots
        )
        copied = np.full_like(slots, 9)
        for part in (planned.copy, *planned.rest):
            ends = sorted({0, part.iterations, *(chance.randrange(part.iterations + 1) for _ in range(9))})
            pieces = [*pairwise(ends)]
            chance.shuffle(pieces)
            for begin, end in pieces:
                part.run(array, copied, pattern if planned.covered else None, (begin, end, 2, 1))
        seen = slice(planned.covered) if planned.covered else layout.offsets()
        assert (copied[seen] == slots[seen]).all()


def test_few_planes_are_enough_for_many_threads():
    shape = (2, 3000, 5000)
    layout = tl.layout("{1,2,0}", shape=shape)
    planned = planning.plan(shape, in_strides(shape, (15_000_000, 5000, 1)), in_bytes(layout.digits, 1), 1, layout.slots)
    assert planned.copy.blocks == 2
    assert planned.copy.iterations > 32


def in_bits(slots, bits):
    """Slots of one byte each, several to a byte, the first in the low bits."""
    per_byte = 8 // bits
    whole = np.zeros(-(-len(slots) // per_byte) * per_byte, np.uint8)
    whole[: len(slots)] = slots & (1 << bits) - 1
    shifts = np.arange(per_byte, dtype=np.uint8) * bits
    return np.bitwise_or.reduce(whole.reshape(-1, per_byte) << shifts, axis=1)


def below_a_byte(text, shape, bits):
    plain = tl.layout(text, shape=shape)
    return tl.Layout(shape, plain.digits, slots=plain.slots, element=(f"uint{bits}", bits))


def check_below_a_byte(layout, array, by):
    """The array is packed to where its elements belong, and unpacked to memory like its own."""
    slots = np.zeros(layout.slots, "u1")
    slots[layout.offsets()] = array
    packed = tl.pack(array, layout, out=misplaced(np.zeros(layout.slots * layout.element.bits // 8, "u1"), by))
    assert (packed == in_bits(slots, layout.element.bits)).all()
    room = array if array.base is None else array.base
    back = misplaced(np.zeros_like(room), by)
    view = np.lib.stride_tricks.as_strided(back, array.shape, array.strides)
    assert (tl.unpack(packed, layout, out=view) == array).all()


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data(), shapes(), st.sampled_from([1, 2, 4]), st.booleans())
@pytest.mark.engines
def test_elements_below_a_byte(data, shape, bits, signed):
    plain = data.draw(layouts(shape))
    layout = tl.Layout(shape, plain.digits, slots=plain.slots, element=(f"int{bits}" if signed else f"uint{bits}", bits))
    low = -(1 << bits - 1) if signed else 0
    dtype, by = np.int8 if signed else np.uint8, st.sampled_from([0, 1, 4, 16, 40])
    axes = data.draw(st.permutations(range(len(shape))))
    values = np.random.default_rng(bits).integers(low, low + (1 << bits), [shape[a] for a in axes]).astype(dtype)
    array = misplaced(values, data.draw(by)).transpose(np.argsort(axes))
    fill = data.draw(st.sampled_from([0, low, None]))
    slots = np.full(layout.slots, (1 << bits) - 1 if fill is None else fill, dtype)
    slots[layout.offsets()] = array
    expected = in_bits(slots.view(np.uint8), bits)
    out = misplaced(np.full(expected.shape, 0xFF if fill is None else 0x5A, np.uint8), data.draw(by))
    tl.pack(array, layout, fill=fill, out=out)
    if fill is None:
        expected[-1:] |= ~(0xFF >> -layout.slots * bits % 8) & 0xFF  # bits behind the last slot are then as they were
    assert (out == expected).all()
    back = misplaced(np.zeros_like(values), data.draw(by)).transpose(np.argsort(axes))
    assert (tl.unpack(out, layout, dtype=dtype, out=back) == array).all()


@pytest.mark.engines
@pytest.mark.parametrize("text", ["{1,0:T(64,128)(8,1)E(4)}", "{0,1:T(8,128)E(4)}", "{1,0:T(8,128)E(4)}", "{1,0}"])
def test_one_element_that_does_not_fit(text):
    """It is found wherever it is; padding that is to stay as it is does."""
    layout = tl.layout(f"s4[70,300]{text if 'E' in text else '{1,0:E(4)}'}")
    for at in ((0, 0), (69, 299), (33, 128), (64, 255)):
        array = np.full(layout.shape, -8, np.int8)
        array[at] = 8
        out = np.full(-(-layout.slots // 2), 0x99, np.uint8)
        with pytest.raises(tl.LayoutError, match="holds 8, which does not fit in 4 bits of int4"):
            tl.pack(array, layout, out=out, fill=None)
        slots = tl.unpack(out, f"u4[{layout.slots}]{{0:E(4)}}")
        assert (slots[layout.is_padding(np.arange(layout.slots))] == 9).all()
        with pytest.raises(tl.LayoutError, match="holds 8, which does not fit in 4 bits of int4"):
            tl.pack(array, layout)


@pytest.mark.engines
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4"])
@pytest.mark.parametrize("text", ["{0,1:T(8,128)}", "{0,1}", "{1,0:T(8,128)(2,1)}", "{1,0:T(8,128)}", "{1,0:T(32,128)(32,1)}"])
def test_pieces_meet(text, dtype, monkeypatch):
    """Threads write parts of lines at the ends of their pieces."""
    share_little(monkeypatch)
    layout = tl.layout(f"xla:{text}", (260, 515))
    array = np.random.default_rng(1).integers(0, 250, layout.shape).astype(dtype)
    expected = np.full(layout.slots, 7, dtype)
    expected[layout.offsets()] = array
    out = misplaced(np.zeros(layout.slots, dtype), 16)
    assert (tl.pack(array, layout, fill=7, out=out, threads=3) == expected).all()
    assert (tl.unpack(out, layout, threads=3) == array).all()


#: Shapes of several axes whose outermost loops are often short, so that threads share those inside, too.
SIZES = st.sampled_from([3, 8, 20, 24, 48, 64, 100, 128, 130, 256])
SHARED = st.lists(SIZES, min_size=2, max_size=4).filter(lambda shape: prod(shape) <= 1 << 17)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    SHARED.flatmap(lambda shape: st.tuples(st.just(tuple(shape)), st.permutations(range(len(shape))).map(tuple))),
    st.sampled_from([(), ((8, 128),), ((8, 128), (2, 1)), ((32, 128), (4, 1)), ((4, 16),)]),
    st.sampled_from(["u1", "u2", "u4", "u8"]),
    st.sampled_from([0, 8, 16, 48]),
)
@example(((256, 16, 24), (0, 1, 2)), (), "u8", 16)
@example(((256, 7, 12), (0, 1, 2)), ((8, 128), (4, 1)), "u4", 16)
@pytest.mark.engines
def test_threads_write_all_there_is(axes, tiles, dtype, by):
    """Wherever arrays begin in a line: parts of what threads share were left out where blocks begin with lines and the target does not."""
    shape, order = axes
    layout = tl.xla.Layout(order, tiles=tiles).bind(shape)
    assume(layout.slots <= 1 << 18)
    array = np.random.default_rng(5).integers(1, 250, layout.shape).astype(dtype)
    slots = np.full(layout.slots, 7, dtype)
    slots[layout.offsets()] = array
    with pytest.MonkeyPatch.context() as patch:
        share_little(patch)
        out = misplaced(np.zeros_like(slots), by)
        assert (tl.pack(array, layout, fill=7, out=out, threads=3) == slots).all()
        back = misplaced(np.zeros_like(array), by)
        assert (tl.unpack(out, layout, out=back, threads=3) == array).all()


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data(), shapes(), st.sampled_from(["u1", "u2", "u4", "u8"]), st.booleans())
@pytest.mark.engines
def test_no_byte_is_written_by_two_pieces(data, shape, dtype, packs):
    """So that it does not matter which thread comes first; a thread sanitizer does not see what vectors store."""
    layout, by = data.draw(st.one_of(layouts(shape), batches())), data.draw(st.sampled_from([0, 4, 16, 40]))
    shape = layout.shape
    array, buffer = np.full(shape, -1).astype(dtype), np.full(layout.slots, -1).astype(dtype)
    copies = []

    def apart(planned, source, target, pattern, _):
        copies.append((planned.copy, source, target, pattern))
        return all(rest.run(source, target, pattern) for rest in planned.rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tilelayout.transfers.run", apart)
        out = misplaced(buffer * 0 if packs else array * 0, by)
        given = tl.pack(array, layout, fill=2 ** (8 * array.itemsize) - 1, out=out) if packs else tl.unpack(buffer, layout, out=out)
    filled_before = np.array(given.view(np.uint8))
    assume(copies)
    ((copy, source, target, pattern),) = copies
    written = np.zeros(filled_before.shape, int)
    for begin in range(copy.iterations):
        given.view(np.uint8)[...] = 0x55
        copy.run(source, target, pattern, (begin, begin + 1, 1, 1))
        written += given.view(np.uint8) != 0x55
    assert written.max(initial=0) <= 1
    assert (written[filled_before == 0] == 1).all()


def check_wherever_they_begin(layout, dtype, places):
    """Packed, padding filled, and unpacked, to arrays that begin so many bytes behind a line."""
    array = np.random.default_rng(2).integers(0, 250, layout.shape).astype(dtype)
    expected = np.full(layout.slots, 7, dtype)
    expected[layout.offsets()] = array
    for by in places:
        assert (tl.pack(array, layout, fill=7, out=misplaced(np.zeros(layout.slots, dtype), by)) == expected).all()
        assert (tl.unpack(expected, layout, out=misplaced(np.zeros(layout.shape, dtype), by)) == array).all()


@pytest.mark.engines
@pytest.mark.parametrize(
    ("shape", "text"),
    [
        # More tiles side by side than there is room for tails of, and fewer.
        *(((9, columns), text) for columns in (38_470, 38_400, 9000) for text in ("{1,0:T(8,128)}", "{1,0:T(8,128)(4,1)}")),
        # Axes that change places before the tiles.
        *(((19, rows, 100), "{2,0,1:T(8,128)}") for rows in (48, 300)),
        *(((19, 24, 80), text) for text in ("{2,0,1:T(8,128)}", "{2,0,1:T(4,128)(4,1)}", "{0,2,1:T(8,128)}")),
        # Tiles of which the same rows and columns are missing.
        *(((31, rows, columns), "{2,1,0:T(8,128)(4,1)}") for rows in (2, 5, 7) for columns in (80, 192, 384)),
    ],
    ids=str,
)
def test_a_source_is_read_as_it_lies(shape, text):
    """From end to end, or piece by piece, wherever the target begins."""
    check_wherever_they_begin(tl.layout(f"xla:{text}", shape), "u1", (0, 3, 16))


@pytest.mark.engines
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "c16"])
@pytest.mark.parametrize("text", ["{0,1:T(8,128)}", "{0,1}", "{0,1:T(128,128)}", "{0,1:T(3,40)}", "{1,0:T(8,128)(4,1)}", "{1,0:T(16,1)}"])
@pytest.mark.parametrize("shape", [(256, 320), (250, 320), (256, 333), (70, 1100)])
def test_lines_begin_anywhere(text, shape, dtype):
    """Rows that lie alike in their lines and rows that do not, whole ones and clipped ones, wherever the target begins."""
    check_wherever_they_begin(tl.layout(f"xla:{text}", shape), dtype, (0, 3, 16, 40))


@pytest.mark.engines
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "c16"])
@pytest.mark.parametrize("columns", [4, 9, 100, 700])
def test_rows_of_any_length_that_are_filled_up(columns, dtype):
    """By an element, or by more than the kernel has at hand, of two in a row of tiles and of one; wherever the target begins."""
    for rows in (1, 4):
        for shape in ((37, 301), (12, 1 + columns), (5, 1401)):
            check_wherever_they_begin(tl.layout(f"xla:{{1,0:T({rows},{columns})}}", shape), dtype, (0, 3, 16, 40))


@pytest.mark.engines
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "c16"])
@pytest.mark.parametrize(
    "modes",
    [
        "((128,4),(8,16)):((1,65536),(128,2048))",  # chains of eight rows, with which no block goes on
        "((128,4),(8,16)):((1,1024),(128,4096))",  # chains with which the next one does
        "((128,4),(8,2,8)):((1,65536),(128,2048,3072))",  # chains every other of which begins where one ends
        "((192,2),128):((1,24576),192)",  # all rows of a block
        "((128,4),(4,8,8)):((1,32768),(8192,128,1024))",  # chains of 64, of which every fourth row is one
        "((128,4),(4,8,8)):((1,65536),(16384,128,2048))",  # of eight, with which no block goes on
        "((128,4),(4,8,16)):((1,1024),(65536,128,4096))",  # with which the next one does
        "((128,4),(3,8,16)):((1,49152),(16384,128,1024))",  # every third row, of 384
    ],
)
def test_rows_that_follow_each_other(modes, dtype):
    """So many as a chain has, whole ones and clipped ones, wherever the target begins."""
    whole = tl.layout(modes)
    for shape in (whole.shape, (whole.shape[0] - 3, whole.shape[1] - 5)):
        check_wherever_they_begin(tl.Layout(shape, whole.digits, slots=whole.slots), dtype, (0, 8, 16, 40))


@pytest.mark.engines
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "c16"])
@pytest.mark.parametrize("heads", [(12, 64), (5, 128), (13, 40)])
def test_rows_that_the_next_block_goes_on_with(heads, dtype):
    """More than are carried on one by one, wherever the target begins; the last block may be shorter."""
    layout = tl.layout("xla:{1,0,2,3:T(8,128)}", (8, 1024 // np.dtype(dtype).itemsize, *heads))
    check_wherever_they_begin(layout, dtype, (0, 4, 16, 40, 63))


@pytest.mark.engines
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "c16"])
@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("{0,1,2:T(2,1)}", (16, 200, 32)),  # the last block has fewer chains
        ("{1,2,0,3:T(8,128)(2,1)}", (2, 256, 16, 64)),  # of rows of several heads
        ("{1,2,0,3:T(8,128)(4,1)}", (1, 256, 24, 128)),  # of which one follows the last one of the row before
        ("{1,2,3,0:T(8,128)}", (2, 256, 16, 64)),  # a hop is longer than a line
        ("{3,1,0,2,4}", (7, 5, 7, 6, 64)),  # the last rows of the last block are no whole lines of the source
    ],
)
def test_chains_that_go_on_with_others_of_the_block(text, shape, dtype):
    """Wherever the target begins, and whether anything lies between the rows of arrays or not."""
    layout = tl.layout(f"xla:{text}", shape)
    array = np.random.default_rng(8).integers(1, 250, shape).astype(dtype)
    buffer = tl.pack(array, layout)
    for by in (0, 4, 16, 40, 63):
        for gap in (0, 64 // array.itemsize):
            out = misplaced(np.zeros((*shape[:-1], shape[-1] + gap), dtype), by)
            assert (tl.unpack(buffer, layout, out=out[..., : shape[-1]]) == array).all()
            assert not out[..., shape[-1] :].any()


@pytest.mark.engines
@pytest.mark.parametrize(("dtype", "tiles"), [("u1", "T(32,128)(4,1)"), ("u2", "T(16,128)(2,1)"), ("u4", "T(16,128)(2,1)")])
@pytest.mark.parametrize("shape", [(128, 64, 24), (256, 32, 56), (130, 40, 40), (128, 64, 9), (128, 2, 64, 12)], ids=str)
def test_chains_of_rows_that_make_no_lines(shape, dtype, tiles):
    """They go on with each other by way of the scratch, wherever the target begins, and end amid lines."""
    axes = ",".join(map(str, range(len(shape))))
    check_wherever_they_begin(tl.layout(f"{{{axes}:{tiles}}}", shape), dtype, (0, 4, 24, 60))


@pytest.mark.engines
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "c16"])
@pytest.mark.parametrize("hops", [2, 4])
def test_chains_that_do_not_lie_alike(hops, dtype):
    """Of those that are a hop apart the first may begin with a line and others not."""
    for apart in (1, 3, 8, 16, 32):
        layout = tl.layout(f"cute:((32,16),({hops},32)):((1,1024),({16 * 1024 + apart},32))")
        check_wherever_they_begin(layout, dtype, (0, 16))


@pytest.mark.engines
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4"])
@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("{0,1}", (131, 9001)),  # the last of its blocks is shorter
        ("{0,1}", (333, 8200)),  # by less than a line of elements
        ("{0,1:T(16,32)(3)}", (127, 130)),  # the only one is, and rows of others follow, with holes between them
    ],
)
def test_blocks_of_fewer_rows_that_begin_anywhere(text, shape, dtype):
    """Those that are not there are neither read nor written."""
    check_wherever_they_begin(tl.layout(f"xla:{text}", shape), dtype, (0, 4, 16, 40, 63))


@pytest.mark.engines
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "c16"])
@pytest.mark.parametrize("rows", [2, 3, 4, 8, 16, 32])
def test_rows_that_take_turns(rows, dtype):
    """As many as a kernel of its own interleaves, and takes apart, to rows that lie alike in their lines and to others."""
    for columns in (1024, 900):
        check_wherever_they_begin(tl.layout(f"xla:{{1,0:T({rows},128)({rows},1)}}", (64, columns)), dtype, (0, 3, 40))


@pytest.mark.engines
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8"])
@pytest.mark.parametrize("blocks", [(24, 70), (31, 70), (70, 9), (31, 3, 40)])
@pytest.mark.parametrize("block", [(2, 16), (3, 40), (4, 64)])
def test_pages_that_take_turns(block, blocks, dtype):
    """Blocks in one piece on both sides, far apart on one: as many pages as divide a loop, or fewer the last time."""
    order = ",".join(map(str, (len(blocks), len(blocks) + 1, *range(len(blocks)))))
    layout = tl.layout(f"xla:{{{order}}}", (*blocks, *block))
    check_wherever_they_begin(layout, dtype, (0, 4, 40))


@pytest.mark.engines
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8"])
@pytest.mark.parametrize("rows", range(5, 14))
def test_a_few_rows_and_tuples_of_as_many(rows, dtype):
    """Tuples of less than a line of each row, of one, and of some and a part; in one block and in some that follow each other."""
    for text in ("{1,2,0}", "{1,2,0:T(5,100)}", "{0,2,1}"):
        for tuples in (15, 64, 333, 1100):
            check_wherever_they_begin(tl.layout(f"xla:{text}", (3, tuples, rows)), dtype, (0, 3, 40))


@pytest.mark.engines
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8"])
@pytest.mark.parametrize("rows", range(2, 14))
def test_tuples_with_gaps(rows, dtype):
    """A lane that a tuple does not fill may write over the next one, where tuples follow each other; not over a gap between them."""
    for tuples in (3, 15, 17, 64, 333):
        for gap in (1, 5):
            layout = tl.layout(f"({rows},{tuples}):(1,{rows + gap})")
            check_wherever_they_begin(layout, dtype, (0, 3, 40))


@pytest.mark.engines
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8"])
@pytest.mark.parametrize("rows", [24, 31, 56, 100])
def test_strips_in_pieces(rows, dtype):
    """Rows that follow each other, of which pieces are parts, and rows that do not; wherever the target begins."""
    for text in ("{1,2,0}", "{2,0,1}", "{1,2,0:T(5,100)}"):
        check_wherever_they_begin(tl.layout(f"xla:{text}", (3, 333, rows)), dtype, (0, 3, 40))


@pytest.mark.engines
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8"])
@pytest.mark.parametrize("rows", [2, 3, 4, 8, 16, 32])
@pytest.mark.parametrize("gap", [0, 1 << 9])
def test_blocks_that_take_turns(gap, rows, dtype):
    """Each goes on where it ended the last time, with nothing between them or something that is others'; wherever the target begins."""
    whole = tl.layout(f"(({rows},8),(128,9)):((1,{128 * rows}),({rows},{1024 * rows + gap}))")
    for shape in (whole.shape, (whole.shape[0] - 1, whole.shape[1] - 5)):
        check_wherever_they_begin(tl.Layout(shape, whole.digits, slots=whole.slots), dtype, (0, 4, 16, 40))


@pytest.mark.engines
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8"])
@pytest.mark.parametrize("rows", [2, 3, 4, 8, 16, 32])
def test_long_rows_and_short_ones(rows, dtype):
    """Long rows lie alike in their lines, wherever that is, or each in its way."""
    for columns in (192, 640, 1024, 1030):
        layout = tl.layout(f"xla:{{1,0:T({rows},{32 if columns == 192 else 128})({rows},1)}}", (rows * 3, columns))
        array = np.random.default_rng(7).integers(0, 250, layout.shape).astype(dtype)
        expected = np.full(layout.slots, 7, dtype)
        expected[layout.offsets()] = array
        for by in (0, 1, 2, 4, 8, 16, 40, 48):
            packed = tl.pack(misplaced(array, by), layout, fill=7, out=misplaced(np.zeros(layout.slots, dtype), by))
            assert (packed == expected).all()
            assert (tl.unpack(packed, layout, out=misplaced(np.zeros(layout.shape, dtype), by)) == array).all()


def check_there_and_back(layout, array, slots):
    """Packed into slots of that kind and unpacked, wherever the arrays begin, nothing but the elements is written."""
    expected = slots.copy()
    expected[layout.offsets()] = array
    for by in (0, 16, 40):
        packed = tl.pack(misplaced(array, by), layout, fill=None, out=misplaced(slots, by))
        assert (packed == expected).all()
        assert (tl.unpack(packed, layout, out=misplaced(np.zeros_like(array), by)) == array).all()


@pytest.mark.engines
@pytest.mark.parametrize("gap", [0, 5])
@pytest.mark.parametrize(
    ("dtype", "row"),
    [("u1", 3), ("u1", 7), ("u1", 24), ("u1", 31), ("u1", 32), ("u1", 63), ("u2", 5), ("u2", 16), ("u4", 5), ("u4", 15), ("u8", 3)],
)
def test_rows_of_less_than_a_line(dtype, row, gap):
    """Rows that follow each other, in blocks that go on where they ended or that something else is behind; wherever the target begins."""
    for n, blocks in ((256, 9), (250, 70), (30, 64), (12, 100)):
        whole = tl.layout(f"(({row},{blocks}),({n},3)):((1,{n * row + gap}),({row},{blocks * (n * row + gap) + gap}))")
        for shape in (whole.shape, (whole.shape[0] - 1, whole.shape[1] - n - 1)):
            layout = tl.Layout(shape, whole.digits, slots=whole.slots)
            array = np.random.default_rng(18).integers(0, 250, shape[::-1]).astype(dtype).T
            expected = np.full(layout.slots, 7, dtype)
            expected[layout.offsets()] = array
            for by in (0, 3, 16, 40):
                packed = tl.pack(array, layout, fill=None, out=misplaced(np.full(layout.slots, 7, dtype), by))
                assert (packed == expected).all()
                assert (tl.unpack(packed, layout, out=misplaced(np.zeros(shape[::-1], dtype), by).T) == array).all()


@pytest.mark.engines
@pytest.mark.parametrize("fill", [7, None])
@pytest.mark.parametrize(
    ("dtype", "columns", "row"),
    [
        ("u1", 1, 2), ("u1", 3, 4), ("u1", 5, 7), ("u1", 9, 24), ("u1", 30, 32), ("u1", 33, 40), ("u1", 63, 64), ("u1", 65, 80),
        ("u2", 3, 4), ("u2", 15, 16), ("u2", 17, 32), ("u4", 3, 4), ("u4", 5, 8), ("u8", 3, 4), ("u8", 7, 8), ("c16", 3, 4),
    ],
)  # fmt: skip
def test_short_rows_that_are_filled_up(dtype, columns, row, fill):
    """Few rows and many, close together in the source, far apart, all the same, or from the last to the first."""
    for rows in (1, 15, 130, 1100):
        layout = tl.layout(f"{{1,0:T(1,{row})}}", (rows, columns))
        wide = np.random.default_rng(21).integers(1, 250, (rows, 3 * columns)).astype(dtype)
        for array in (
            wide[:, :columns].copy(),
            wide[:, :columns],
            wide[::-1, columns : 2 * columns],
            np.broadcast_to(wide[0, :columns], layout.shape),
        ):
            expected = np.full(layout.slots, 9 if fill is None else fill, dtype)
            expected[layout.offsets()] = array
            for by in (0, 3, 40):
                packed = tl.pack(array, layout, fill=fill, out=misplaced(np.full(layout.slots, 9, dtype), by))
                assert (packed == expected).all()
                assert (tl.unpack(packed, layout, out=misplaced(np.zeros_like(array), by)) == array).all()


@pytest.mark.engines
@pytest.mark.parametrize(("dtype", "columns", "row"), [("u1", 70, 128), ("u2", 5, 64), ("u2", 250, 256), ("u4", 80, 128), ("c16", 5, 8)])
def test_rows_of_lines_that_are_filled_up(dtype, columns, row):
    """All rows of a tile, and some of its, wherever their lines begin."""
    for shape in ((64, columns), (130, columns), (3, 16, columns)):
        order = ",".join(map(str, reversed(range(len(shape)))))
        layout = tl.layout(f"{{{order}:T(8,{row})}}", shape)
        array = np.random.default_rng(24).integers(1, 250, shape).astype(dtype)
        expected = np.full(layout.slots, 7, dtype)
        expected[layout.offsets()] = array
        for by in (0, 2, 5, 16, 46):
            packed = tl.pack(array, layout, fill=7, out=misplaced(np.full(layout.slots, 9, dtype), by))
            assert (packed == expected).all()


@pytest.mark.engines
@pytest.mark.parametrize(
    ("dtype", "together"),
    [
        *(("u1", n) for n in (2, 3, 4, 5, 8, 10, 12)),
        *(("u2", n) for n in (2, 4, 6, 9, 11)),
        *(("u4", n) for n in (3, 4, 6, 9)),
        ("u8", 2),
    ],
)
@pytest.mark.parametrize("shape", [(1, 3000), (7, 1000), (5, 130), (20, 1, 512), (40, 3, 260), (9, 6, 64)])
def test_rows_of_tuples_that_are_not_all_there(shape, dtype, together):
    """Rows that interleave, as many as there are: the others are not there in the array, whatever is in the buffer."""
    order = ",".join(map(str, reversed(range(len(shape)))))
    layout = tl.layout(f"{{{order}:T({2 * together},128)({together},1)}}", shape)
    array = np.random.default_rng(22).integers(1, 250, shape).astype(dtype)
    slots = np.full(layout.slots, 251, dtype)
    slots[layout.offsets()] = array
    for by in (0, 5, 16):
        assert (tl.unpack(misplaced(slots, by), layout, out=misplaced(np.zeros_like(array), by)) == array).all()
        wide = np.zeros((*shape[:-1], shape[-1] + 5), dtype)
        tl.unpack(slots, layout, out=wide[..., 2:-3])
        assert (wide[..., 2:-3] == array).all()
        assert not wide[..., :2].any()
        assert not wide[..., -3:].any()


@pytest.mark.engines
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8"])
@pytest.mark.parametrize("text", ["{0,1,2}", "{1,2,0:T(16,1,1)}", "{2,1,0:T(8,8,1)}", "{0,1,2:T(1,40)}"])
@pytest.mark.parametrize("shape", [(96, 192, 9), (80, 130, 3), (600, 64, 7), (60, 64, 16)])
def test_odd_rows_that_make_whole_lines_together(shape, text, dtype):
    """Rows of three to nine elements, as many of them as end where a line does; some more of them, and clipped ones."""
    layout = tl.layout(text, shape)
    array = np.random.default_rng(20).integers(0, 250, shape).astype(dtype)
    check_there_and_back(layout, array, np.full(layout.slots, 7, dtype))


@pytest.mark.engines
@pytest.mark.parametrize("dtype", ["u1", "u2"])
@pytest.mark.parametrize("shape", [(3, 64, 14, 14), (2, 32, 28, 28), (2, 17, 56, 7), (5, 96, 7, 7)])
@pytest.mark.parametrize("order", ["{3,1,2,0}", "{3,0,1,2}"])
def test_pictures_whose_rows_are_short(order, shape, dtype):
    layout = tl.layout(order, shape)
    array = np.random.default_rng(19).integers(0, 250, shape).astype(dtype)
    check_there_and_back(layout, array, np.full(layout.slots, 7, dtype))


@pytest.mark.engines
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8"])
@pytest.mark.parametrize("together", [1, 2, 4])
@pytest.mark.parametrize("rows", [2, 3, 4, 8, 16, 32])
def test_short_rows_with_gaps(rows, together, dtype):
    """Few short rows follow each other, and then there is something that is others'."""
    columns = 256 // together
    text = f"(({rows},3),({together},{columns})):((1,{rows * 2 * together * columns}),({rows},{rows * 2 * together}))"
    layout = tl.layout(text)
    array = np.random.default_rng(8).integers(0, 250, layout.shape).astype(dtype)
    expected = np.full(layout.slots, 7, dtype)
    expected[layout.offsets()] = array
    for by in (0, 16, 40):
        packed = tl.pack(misplaced(array, by), layout, fill=None, out=misplaced(np.full(layout.slots, 7, dtype), by))
        assert (packed == expected).all()
        assert (tl.unpack(packed, layout, out=misplaced(np.zeros(layout.shape, dtype), by)) == array).all()


@pytest.mark.engines
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4"])
@pytest.mark.parametrize("rows", [2, 3, 4, 8])
@pytest.mark.parametrize("columns", [16, 24, 32, 48, 80])
def test_weights_interleaved_in_narrow_blocks(columns, rows, dtype):
    """Blocks of so many columns of rows in turn: what is read together is less than a line, or no whole number of lines."""
    for shape in ((8 * rows, 3 * columns), (8 * rows - 3, 3 * columns - 5)):
        layout = tl.onednn.parse(f"BA4a{columns}b{rows}a").bind(shape)
        array = np.random.default_rng(11).integers(0, 250, shape).astype(dtype)
        check_there_and_back(layout, array, np.full(layout.slots, 7, dtype))


@pytest.mark.engines
@pytest.mark.parametrize("by", [0, 5, 16])
@pytest.mark.parametrize("columns", [3, 64, 100, 127, 192, 300])
@pytest.mark.parametrize(
    ("dtype", "rows"),
    [
        *(("u1", n) for n in (2, 4, 7, 8, 11, 12)),
        *(("u2", n) for n in (2, 4, 5, 10, 12)),
        *(("u4", n) for n in (2, 4, 6, 7, 9)),
        ("u8", 3),
    ],
)
def test_edges_of_rows_that_interleave(dtype, rows, columns, by):
    """The last columns are a part of a block, and the last rows may be a part of those that are taken in turn."""
    by *= np.dtype(dtype).itemsize
    for shape in [(24, columns), (13, columns), (2, 7, columns)]:
        order = ",".join(map(str, reversed(range(len(shape)))))
        layout = tl.layout(f"{{{order}:T({2 * rows},128)({rows},1)}}", shape)
        array = misplaced(np.random.default_rng(columns).integers(0, 250, shape).astype(dtype), by)
        for fill in (0, 7, None):
            expected = np.full(layout.slots, 9 if fill is None else fill, dtype)
            expected[layout.offsets()] = array
            packed = tl.pack(array, layout, fill=fill, out=misplaced(np.full(layout.slots, 9, dtype), by))
            assert (packed == expected).all()
        assert (tl.unpack(packed, layout, out=misplaced(np.zeros(shape, dtype), by)) == array).all()


@pytest.mark.engines
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "c16"])
@pytest.mark.parametrize("columns", [3, 5, 6, 7, 9, 12, 17])
@pytest.mark.parametrize("gap", [0, 1])
def test_few_columns(gap, columns, dtype):
    """Taken apart and put together again, to rows that follow each other and to others."""
    for rows in (columns, 61, 301):
        shape = (rows, columns)
        array = np.random.default_rng(12).integers(0, 250, shape).astype(dtype)
        for strides in ((1, rows + gap), (columns + gap, 1)):
            layout = tl.layout(f"({rows},{columns}):({strides[0]},{strides[1]})")
            slots = np.full(layout.slots, 7, dtype)
            check_there_and_back(layout, array, slots)
            check_there_and_back(layout, np.asfortranarray(array), slots)


@pytest.mark.engines
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4"])
@pytest.mark.parametrize("tag", ["acdb", "cdba", "Acdb16a", "ABcd8b8a", "ABcd16b16a", "ABcd8b16a2b", "ABcd4b16a4b", "AcdB64a4b"])
def test_weights_of_convolutions(tag, dtype):
    """Nine neighbours on one side, and channels in blocks on the other."""
    for shape in ((32, 48, 3, 3), (13, 21, 3, 3)):
        layout = tl.onednn.parse(tag).bind(shape)
        array = np.random.default_rng(13).integers(0, 250, shape).astype(dtype)
        check_there_and_back(layout, array, np.full(layout.slots, 7, dtype))


@pytest.mark.engines
@pytest.mark.parametrize("short", [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65])
def test_runs_of_a_few_bytes(short):
    """Elements of so many bytes change places: of whole arrays and of padded ones, wherever they lie."""
    for shape, text in (((9, 70, short), "{2,0,1}"), ((9, 70, short), "{2,0,1:T(4,1)}"), ((70, 9, short), "{2,0,1:T(64,2,1)}")):
        layout = tl.layout(text, shape)
        array = np.random.default_rng(short).integers(0, 250, shape).astype("u1")
        expected = np.full(layout.slots, 7, "u1")
        expected[layout.offsets()] = array
        for by in (0, 3, 16):
            packed = tl.pack(misplaced(array, by), layout, fill=7, out=misplaced(np.zeros(layout.slots, "u1"), by))
            assert (packed == expected).all()
            assert (tl.unpack(misplaced(expected, by), layout, out=misplaced(np.zeros(shape, "u1"), by)) == array).all()


@pytest.mark.engines
@pytest.mark.parametrize(("bits", "rows"), [(1, 8), (1, 16), (1, 32), (2, 4), (2, 8), (2, 16), (4, 2), (4, 4), (4, 6), (4, 8)])
def test_rows_that_take_turns_and_share_bytes(bits, rows):
    """Rows that are whole lines, apart or one behind the other; or begin anywhere, and the last block of which is not all there."""
    for shape, columns in (
        ((64, 1024), 128),
        ((9, 64, 128), 128),
        ((3, 64, 256), 64),
        ((61, 1019), 128),
        ((6, 61, 128), 128),
        ((40, 453), 64),
    ):
        order = ",".join(map(str, reversed(range(len(shape)))))
        layout = below_a_byte(f"{{{order}:T({rows},{columns})({rows},1)}}", shape, bits)
        array = np.random.default_rng(3).integers(0, 1 << bits, shape).astype("u1")
        for by in (0, 3, 40):
            check_below_a_byte(layout, misplaced(array, by), by)


@pytest.mark.engines
@pytest.mark.parametrize(
    ("shape", "text", "bits"),
    [
        ((16, 1 << 12, 3), "{2,1,0:T(128,1)}", 4),
        ((16, 1 << 10, 8), "{2,1,0:T(128,1)}", 4),
        ((64, 6), "{1,0:T(16,6)(16,4)}", 4),
        ((65, 16), "{1,0:T(32,8)(32,4)}", 2),
        ((64, 6, 6), "{0,2,1:T(2,8)}", 1),
        ((64, 6, 6), "{0,2,1:T(4,8)}", 2),
        ((64, 16), "{1,0:T(16,16)(16,8)}", 1),
        ((96, 64), "{1,0:T(32,8)(8,8)}", 4),
        ((256, 8, 8), "{0,2,1:T(64)(5)}", 4),
        ((255, 6, 5), "{1,0,2:T(3,2)(8,128)}", 2),
        ((31, 64, 3), "{0,2,1:T(8,64)}", 1),
    ],
)
@pytest.mark.parametrize("order", "CF")
def test_short_groups_of_elements_that_share_bytes(order, shape, text, bits):
    """What lies together of the elements is no line of bytes."""
    values = np.random.default_rng(14).integers(0, 1 << bits, shape).astype("u1")
    for by in (0, 1, 4, 16):
        check_below_a_byte(below_a_byte(text, shape, bits), np.asarray(values, order=order), by)


@pytest.mark.engines
@pytest.mark.parametrize("fill", [0, 3, None])
def test_padding_that_is_filled_before(fill):
    """Rows of 12 elements would be clipped in a tile of 32, most of which is padding."""
    shape = (32, 100, 12)
    layout = tl.layout("{1,2,0:T(32,128)(4,1)}", shape)
    array = np.random.default_rng(20).integers(0, 250, shape).astype("u1")
    slots = np.full(layout.slots, 9 if fill is None else fill, "u1")
    slots[layout.offsets()] = array
    if parts.LARGE == 0:
        made = planning.plan(shape, in_strides(shape, array.strides), in_bytes(layout.digits, 1), 1, layout.slots)
        assert made.copy is not None and made.covered == 0
    for by in (0, 16):
        assert (tl.pack(array, layout, fill=fill, out=misplaced(np.full(layout.slots, 9, "u1"), by)) == slots).all()


@pytest.mark.engines
@pytest.mark.parametrize("fill", [3, None])
@pytest.mark.parametrize(
    ("shape", "text", "dtype"),
    [
        ((100, 100, 512), "{0,1,2:T(8,128)(2,1)}", "u1"),
        ((37, 5, 100, 96), "{2,0,3,1:T(32,128)(4,1)}", "u1"),
        ((64, 50, 80), "{1,0,2:T(32,128)(4,1)}", "u1"),
        ((73, 24, 300), "{0,1,2:T(32,128)(4,1)}", "u1"),
        ((42, 70, 64, 20), "{0,2,3,1:T(16,128)(2,1)}", "u2"),
        ((131, 10, 70), "{0,1,2:T(4,128)(2,1)}", "u2"),
        ((10, 130, 64), "{1,0,2:T(4,128)}", "u4"),
        ((130, 12, 7, 13), "{0,1,3,2:T(8,128)}", "u4"),
        ((53, 130, 3, 3), "ABcd16a16b", "u2"),
        ((53, 130, 3, 3), "ABcd4b16a4b", "u4"),
        ((69, 40, 3, 3), "ABcd16b16a", "u4"),
        ((64, 3, 3, 101), "{2,1,3,0:T(4,8)(2,1)}", "u8"),
        ((10, 130, 40), "{1,0,2:T(8,128)(2,1)}", "u4"),
        ((90, 31, 60), "{1,0,2:T(64,32)(64,2)}", "u1"),
    ],
)
def test_an_axis_ends_among_groups_of_elements(shape, text, dtype, fill):
    """Each step along the axis that ends early has several elements, of another axis, that lie side by side on one side of the copy."""
    layout = tl.layout(text, shape)
    array = np.random.default_rng(28).integers(0, 250, shape).astype(dtype)
    slots = np.full(layout.slots, 9 if fill is None else fill, dtype)
    slots[layout.offsets()] = array
    for by in (0, 4, 32):
        out = misplaced(np.full(layout.slots, 9, dtype), by)
        assert (tl.pack(misplaced(array, by), layout, fill=fill, out=out) == slots).all()
        assert (tl.unpack(misplaced(slots, by), layout, out=misplaced(np.zeros_like(array), by)) == array).all()


@pytest.mark.engines
@pytest.mark.parametrize(
    ("shape", "text", "dtype"),
    [
        ((300, 130), "{1,0:T(8,128)(4,1)}", "u1"),
        ((301, 192), "{1,0:T(8,128)(4,1)}", "u1"),
        ((290, 255), "{1,0:T(8,128)(4,1)}", "u1"),
        ((5, 270, 300), "{2,1,0:T(8,128)(4,1)}", "u1"),
        ((400, 480), "{1,0:T(8,128)(4,1)}", "u1"),
        ((270, 150), "{1,0:T(8,128)(2,1)}", "u1"),
        ((140, 135), "{1,0:T(4,128)(2,1)}", "u2"),
        ((33, 5, 200), "{2,0,1:T(4,128)(2,1)}", "u2"),
        ((200, 160), "{1,0:T(6,128)(3,1)}", "u1"),
        ((180, 97), "{1,0:T(5,64)(5,1)}", "u2"),
        ((64, 40), "{1,0:T(4,32)(2,1)}", "u8"),
        ((251, 187), "{0,1:T(16,2)}", "u2"),
        ((130, 300), "{0,1:T(8,2)}", "u4"),
        ((290, 130), "{1,0:T(8,128)}", "u1"),
        ((3, 270, 255), "{2,1,0:T(8,128)}", "u1"),
        ((500, 400), "{1,0:T(8,128)}", "u1"),
        ((300, 7, 99), "{2,1,0:T(8,16)}", "u4"),
        ((300, 77), "{1,0:T(16,16)}", "u4"),
        ((300, 5, 25), "{2,1,0:T(4,8)}", "u8"),
        ((140, 50, 76), "{0,2,1:T(8,128)(2,1)}", "u2"),
        ((140, 50, 150), "{0,2,1:T(8,128)}", "u1"),
    ],
)
def test_short_rows_end_within_a_block(shape, text, dtype):
    """They are written by blocks that take turns, the last of which are parts of lines, or less than one."""
    layout = tl.layout(text, shape)
    array = np.random.default_rng(29).integers(0, 250, shape).astype(dtype)
    slots = np.full(layout.slots, 3, dtype)
    slots[layout.offsets()] = array
    for by in (0, array.itemsize, 16, 40):
        assert (tl.unpack(misplaced(slots, by), layout, out=misplaced(np.zeros_like(array), by)) == array).all()
        assert (tl.pack(misplaced(array, by), layout, fill=3, out=misplaced(np.zeros_like(slots), by)) == slots).all()


@pytest.mark.engines
@pytest.mark.parametrize("text", ["{2,0,1}", "{2,0,1:T(8,16,%d)}"])
@pytest.mark.parametrize(
    ("dtype", "together"), [("u1", 3), ("u1", 5), ("u1", 6), ("u1", 7), ("u1", 9), ("u1", 11), ("u1", 13), ("u1", 15), ("u2", 7), ("u4", 3)]
)
def test_pixels_change_places(dtype, together, text):
    """Elements that stay together in a number that is no power of two are turned as one of 3 to 15 bytes."""
    shape = (70, 45, together)
    layout = tl.layout(text % together if "%" in text else text, shape=shape)
    array = np.random.default_rng(19).integers(0, 250, shape).astype(dtype)
    slots = np.full(layout.slots, 7, dtype)
    slots[layout.offsets()] = array
    for by in (0, 1, 16, 40):
        assert (tl.pack(misplaced(array, by), layout, fill=7, out=misplaced(np.zeros_like(slots), by)) == slots).all()
        assert (tl.unpack(misplaced(slots, by), layout, out=misplaced(np.zeros_like(array), by)) == array).all()


@pytest.mark.parametrize("fill", [0, None])
@pytest.mark.parametrize(
    ("shape", "text", "dtype"),
    [
        ((64, 71 * 128), "{1,0:T(32,128)}", "u1"),
        ((61, 137 * 128 - 5), "{1,0:T(32,128)}", "u1"),
        ((64, 71 * 128), "{1,0:T(32,128)(32,1)}", "u1"),
        ((256, 71 * 64), "{0,1:T(64,32)(64,2)}", "u2"),
        ((255, 71 * 64 - 1), "{0,1:T(64,32)(64,2)}", "u2"),
        ((256, 71 * 64), "{0,1:T(64,64)(64,4)}", "u1"),
        ((71 * 32, 256), "{0,1:T(64,32)(64,2)}", "u2"),
        ((71 * 64, 256), "{0,1:T(16,64)(16,4)}", "u1"),
        ((71 * 64 - 3, 250), "{0,1:T(16,64)(16,4)}", "u1"),
    ],
)
@pytest.mark.engines
def test_stretches_of_which_the_last_is_shorter(shape, text, dtype, fill, monkeypatch):
    """Of 71 tiles 64 come together, and then 7; of 137 twice 64, and then 9."""
    share_little(monkeypatch)
    layout = tl.layout(text, shape=shape)
    array = np.random.default_rng(17).integers(0, 250, shape).astype(dtype)
    slots = np.full(layout.slots, 3 if fill is None else fill, dtype)
    slots[layout.offsets()] = array
    for by, threads in ((0, 1), (0, 2), (16, 1)):
        packed = misplaced(np.full(layout.slots, 3, dtype), by)
        assert (tl.pack(array, layout, fill=fill, out=packed, threads=threads) == slots).all()
        assert (tl.unpack(packed, layout, out=misplaced(np.zeros_like(array), by), threads=threads) == array).all()


@pytest.mark.engines
@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize(("shape", "text"), [((24, 1024), "{1,0}"), ((19, 1100), "{1,0:T(8,512)}"), ((4, 9, 1024), "{2,1,0:T(3,512)}")])
@pytest.mark.parametrize("bits", [1, 2, 4])
def test_rows_of_whole_lines_that_share_bytes(bits, shape, text, signed):
    """Joined and spread line by line; one element that does not fit is found at any place of the vectors that this takes."""
    low = -(1 << bits - 1) if signed else 0
    plain = tl.layout(text, shape)
    layout = tl.Layout(shape, plain.digits, slots=plain.slots, element=(f"int{bits}" if signed else f"uint{bits}", bits))
    array = np.random.default_rng(18).integers(low, low + (1 << bits), shape).astype("i1" if signed else "u1")
    slots = np.zeros(layout.slots, array.dtype)
    slots[layout.offsets()] = array
    expected = in_bits(slots.view("u1"), bits)
    for by in (0, 1, 4, 60):
        here = misplaced(array, by)
        assert (tl.pack(here, layout, out=misplaced(np.zeros(expected.shape, "u1"), by)) == expected).all()
        back = misplaced(np.zeros_like(array), by)
        assert (tl.unpack(expected, layout, dtype=array.dtype, out=back) == array).all()
    flat = array.reshape(-1)
    for at in (*range(0, 600, 7), len(flat) - 1):
        was, flat[at] = flat[at], low + (1 << bits)
        with pytest.raises(tl.LayoutError, match="does not fit"):
            tl.pack(array, layout)
        flat[at] = was


@pytest.mark.engines
@pytest.mark.parametrize(
    ("shape", "text"),
    [((1024, 640), "{0,1}"), ((1024, 641), "{0,1}"), ((600, 700), "{0,1:T(8,512)}"), ((2, 512, 520), "{1,2,0}")],
)
@pytest.mark.parametrize("bits", [1, 2, 4])
def test_columns_that_share_bytes(bits, shape, text):
    """Joined and spread by way of a panel, whether lines of rows are whole or not; an element that does not fit is found anywhere."""
    layout = below_a_byte(text, shape, bits)
    array = np.random.default_rng(21).integers(0, 1 << bits, shape).astype("u1")
    for by in (0, 3, 16):
        check_below_a_byte(layout, misplaced(array, by), by)
    flat = array.reshape(-1)
    for at in (*range(0, len(flat), len(flat) // 40), len(flat) - 1):
        was, flat[at] = flat[at], 1 << bits
        with pytest.raises(tl.LayoutError, match="does not fit"):
            tl.pack(array, layout)
        flat[at] = was


@pytest.mark.parametrize("bits", [1, 2, 4])
@pytest.mark.engines
def test_rows_that_begin_within_a_byte(bits):
    digits = tl.Digit(0, 1, 8, 1025), tl.Digit(1, 1, 1024, 1)
    layout = tl.Layout((8, 1024), digits, slots=8 * 1025, element=(f"uint{bits}", bits))
    check_below_a_byte(layout, np.random.default_rng(16).integers(0, 1 << bits, layout.shape).astype("u1"), 0)


@pytest.mark.parametrize("bits", [1, 2, 4])
def test_strips_of_elements_that_share_bytes_end_with_bytes(bits):
    """Of rows of 300 bytes, no number of which that bytes make up is as much as goes through the scratch at a time."""
    values = np.random.default_rng(15).integers(0, 1 << bits, (17536, 303)).astype("u1")
    check_below_a_byte(below_a_byte("{1,0:T(1,8)}", (300, 17536), bits), values.T[:300], 0)


def larger(bits):
    """A thousand layouts and arrays: with blocks, strips, stretches and turns of all sizes, which the shapes above seldom reach."""
    random, numbers = Random(bits), np.random.default_rng(bits)
    extents = [2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 32, 33, 48, 64, 65, 71, 96, 128, 137, 256, 300, 512, 1024]
    tiles = [1, 2, 3, 4, 5, 8, 16, 32, 64, 128]
    done = 0
    while done < 1000:
        shape = tuple(random.choices(extents, k=random.choice([2, 2, 3, 3, 4])))
        order, axes = (tuple(random.sample(range(len(shape)), len(shape))) for _ in range(2))
        levels = tuple(tuple(random.choices(tiles, k=random.randint(1, 2))) for _ in range(random.randint(0, 2)))
        layout = tl.xla.Layout(order, tiles=levels).bind(shape)
        room = [shape[a] + random.choice([0, 0, 0, 1, 16]) for a in axes]
        if layout.slots <= 1 << 20 and layout.slots % 8 == 0:
            array = numbers.integers(0, 1 << bits, room, np.uint8).transpose(np.argsort(axes))[tuple(slice(extent) for extent in shape)]
            yield layout, array, random.choice([0, 1, 4, 16])
            done += 1


@pytest.mark.slow
@pytest.mark.parametrize("bits", [1, 2, 4])
@pytest.mark.engines
def test_larger_shapes_of_elements_below_a_byte(bits):
    for plain, array, by in larger(bits):
        check_below_a_byte(tl.Layout(plain.shape, plain.digits, slots=plain.slots, element=(f"uint{bits}", bits)), array, by)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "c16"])
@pytest.mark.engines
def test_larger_shapes(dtype):
    for layout, bytes_, by in larger(8):
        room = bytes_.base.astype(dtype)
        array = np.lib.stride_tricks.as_strided(room, bytes_.shape, [step * room.itemsize for step in bytes_.strides])
        slots = np.zeros(layout.slots, dtype)
        slots[layout.offsets()] = array
        packed = tl.pack(array, layout, out=misplaced(np.ones(layout.slots, dtype), by))
        assert (packed == slots).all()
        back = np.lib.stride_tricks.as_strided(misplaced(np.zeros_like(room), by), array.shape, array.strides)
        assert (tl.unpack(packed, layout, out=back) == array).all()


@pytest.mark.engines
@pytest.mark.parametrize(("dtype", "rows"), [("u1", 2), ("u1", 4), ("u1", 8), ("u2", 2), ("u2", 4), ("u4", 2)])
def test_rows_that_are_taken_apart_and_follow_each_other(dtype, rows):
    """As many as registers hold, in tiles of their own or of more, wherever the target begins."""
    columns = 512 // rows // np.dtype(dtype).itemsize
    for shape, height in (
        ((4 * rows, 3 * columns), rows),
        ((3 * rows, 2 * columns), 2 * rows),
        ((2 * rows + 1, 3 * columns - 5), 2 * rows),
    ):
        zipped = tl.layout(f"xla:{{1,0:T({height},{columns})({rows},1)}}", shape)
        tiled = tl.layout(f"xla:{{1,0:T({height},{columns})}}", shape)
        array = np.random.default_rng(5).integers(0, 250, shape).astype(dtype)
        packed, expected = tl.pack(array, zipped, fill=9), tl.pack(array, tiled, fill=9)
        for by in (0, 4, 16, 40):
            out = misplaced(np.zeros(tiled.slots, dtype), by)
            assert (tl.relayout(packed, zipped, tiled, fill=9, out=out) == expected).all()


@pytest.mark.parametrize("strides", [(2, 4), (1, 4), (6, 3), (4, 2)])
def test_loops_are_joined_only_where_both_sides_are_one(strides):
    """Two loops whose steps nearly are those of one, in the buffer or in the array."""
    layout = tl.Layout((2, 2), [(axis, 1, 2, stride) for axis, stride in enumerate(strides)])
    array = np.array([[1, 2], [3, 4]], np.uint8)
    expected = np.zeros(layout.slots, np.uint8)
    expected[layout.offsets()] = array
    assert (tl.pack(array, layout) == expected).all()
    assert (tl.unpack(expected, layout) == array).all()


@pytest.mark.engines
@pytest.mark.parametrize("step", [1, 64, 128, 4096])
@pytest.mark.parametrize("text", ["{1,2,0}", "{1,0,2}", "{2,1,0}", "{1,2,0:T(8,128)}"])
def test_windows_that_share_elements(text, step):
    """As many bytes apart as a block has, among others."""
    rows = np.random.default_rng(0).integers(0, 250, (5, 20_000)).astype(np.uint8)
    array = np.lib.stride_tricks.sliding_window_view(rows, 5000, axis=1)[:, ::step][:, :3].swapaxes(0, 1)
    layout = tl.layout(text, array.shape)
    expected = np.zeros(layout.slots, np.uint8)
    expected[layout.offsets()] = array
    assert (tl.pack(array, layout) == expected).all()


@pytest.mark.engines
@pytest.mark.parametrize("fill", [7, None])
@pytest.mark.parametrize("shape", [(263, 131), (261, 8), (5, 130), (3, 9)])
def test_ragged_ends_of_wider_elements(shape, fill):
    """Rows that stay together in fours on both sides, but for the last."""
    source, target = tl.layout("{0,1:T(8,128)}", shape), tl.layout("{1,0:T(8,128)(4,1)}", shape)
    array = np.random.default_rng(1).integers(0, 250, shape).astype("u1")
    expected = np.full(target.slots, 9 if fill is None else fill, "u1")
    expected[target.offsets()] = array
    buffer = tl.pack(array, source, fill=5)
    assert (tl.relayout(buffer, source, target, fill=fill, out=np.full(target.slots, 9, "u1")) == expected).all()
    assert (tl.relayout(expected, target, source, fill=5) == buffer).all()


@pytest.mark.parametrize("dtype", ["u1", "u4"])
@pytest.mark.parametrize("order", [*permutations(((1, 2), (2, 4), (8, 4)))], ids=str)
def test_digits_of_one_axis_in_any_order_and_cut_anywhere(order, dtype):
    """Where several end early, the last of one depends on the others."""
    for size in range(25, 33):
        strides = np.cumprod([1, *(radix for _, radix in order)]).tolist()
        digits = [(0, *digit, stride) for digit, stride in zip(order, strides, strict=False)]
        layout, array = tl.Layout((size,), digits, slots=32), np.arange(1, size + 1, dtype=dtype)
        expected = np.zeros(32, dtype)
        expected[layout.offsets()] = array
        assert (tl.pack(array, layout) == expected).all()
        assert (tl.unpack(expected, layout) == array).all()


@pytest.mark.engines
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "c16"])
@pytest.mark.parametrize("text", ["((16,3),(4,3)):((3,1),(144,48))", "((12,3),(8,5)):((3,1),(180,36))", "((16,3),(2,8)):((3,1),(384,48))"])
def test_rows_that_only_seem_to_follow_each_other(text, dtype):
    """Short rows of which the last of four is where it would be if they did."""
    layout = tl.layout(text)
    array = np.random.default_rng(4).integers(0, 250, layout.shape).astype(dtype)
    expected = np.zeros(layout.slots, dtype)
    expected[layout.offsets()] = array
    for by in (0, 16):
        assert (tl.pack(array, layout, out=misplaced(np.zeros(layout.slots, dtype), by)) == expected).all()
        assert (tl.unpack(expected, layout, out=misplaced(np.zeros(layout.shape, dtype), by)) == array).all()


@st.composite
def crossed(draw):
    """Layouts of two or three axes that are cut into small digits, the places of all of them in any order."""
    axes = draw(st.lists(st.lists(st.sampled_from([2, 2, 4, 3, 8]), min_size=1, max_size=3), min_size=2, max_size=3))
    digits, shape = [], []
    for axis, radixes in enumerate(axes):
        size = 1
        for radix in [*radixes, draw(st.sampled_from([1, 5, 16, 31, 64]))]:
            if prod(shape) * size * radix <= 60_000:
                digits.append((axis, size, radix))
                size *= radix
        shape.append(size)
    digits = draw(st.permutations(digits))
    strides = np.cumprod([1, *(radix for *_, radix in digits)]).tolist()
    return tl.Layout(shape, [(*digit, stride) for digit, stride in zip(digits, strides, strict=False)])


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(crossed(), st.sampled_from(["u1", "u2", "u4", "u8"]), st.sampled_from([0, 4, 16, 40]), st.integers(1, 3), st.booleans())
@pytest.mark.engines
def test_short_digits_in_any_order(layout, dtype, by, threads, is_turned):
    values = np.random.default_rng(5).integers(0, 250, layout.shape).astype(dtype)
    array = np.asfortranarray(values) if is_turned else values
    expected = np.zeros(layout.slots, dtype)
    expected[layout.offsets()] = array
    assert (tl.pack(array, layout, out=misplaced(np.zeros(layout.slots, dtype), by), threads=threads) == expected).all()
    out = misplaced(np.zeros_like(values), by)
    assert (tl.unpack(expected, layout, out=out, threads=threads) == values).all()


#: Layouts between whose short rows and an array's there is a scratch: fragments of tensor cores, and small square tiles that are turned.
IN_STEPS = [
    ("u2", "((8,2,16),(2,4,2,32)):((32,2,8192),(1,8,4,256))", "unpack"),
    ("u4", "((8,2,16),(4,2,64)):((16,1,8192),(4,2,128))", "unpack"),
    ("u1", "((8,2,16),(4,4,2,16)):((64,4,8192),(1,16,8,512))", "unpack"),
    *((dtype, f"(({n},64),({n},60)):((1,{n * n}),({n},{64 * n * n}))", "both") for n in (2, 4) for dtype in ("u1", "u2")),
    ("u1", "((8,63),(8,61)):((1,64),(8,4032))", "both"),
    ("u4", "((2,509),(2,67)):((1,4),(2,2036))", "both"),
]


@pytest.mark.engines
@pytest.mark.parametrize(("dtype", "text", "ways"), IN_STEPS)
def test_copies_in_two_steps(dtype, text, ways):
    """They are those, and each iteration of the outermost loop is on its own."""
    layout = tl.layout(text)
    array = np.random.default_rng(6).integers(0, 250, layout.shape).astype(dtype)
    slots = np.zeros(layout.slots, dtype)
    slots[layout.offsets()] = array
    sides = in_strides(layout.shape, array.strides), in_bytes(layout.digits, array.itemsize)
    for source, target, between, is_asked in ((array, slots, sides, ways == "both"), (slots, array, sides[::-1], True)):
        copied = np.zeros_like(target)
        part = planning.plan(layout.shape, *between, array.itemsize).copy
        assert isinstance(part, CopyInSteps) or not is_asked
        for begin in reversed(range(part.iterations)):
            assert part.run(source, copied, None, (begin, begin + 1, 2, 1))
        assert (copied == target).all()


#: Layouts whose padding is in the way of long rows: pictures of three channels, images in the innermost dimension, and pairs across an axis
#: that is turned and ends early.
PADDED_IN_STEPS = [
    ("u2", (20, 7, 30, 3), "{0,3,2,1:T(4,128)(2,1)}"),
    ("u1", (128, 5, 31, 3), "{0,3,2,1:T(4,128)(4,1)}"),
    ("u1", (70, 9, 31, 3), "{0,3,2,1:T(4,128)(4,1)}"),
    ("u1", (128, 9, 31, 2), "{0,3,2,1:T(4,128)(4,1)}"),
    ("u2", (40, 9, 31, 3), "{0,3,2,1:T(4,128)(4,1)}"),
    ("u2", (130, 40, 3), "{0,1,2:T(8,128)(2,1)}"),
    ("u2", (9, 50, 60, 3), "{3,2,1,0:T(8,4)(2,1)}"),
]

#: One of which an axis is so long that its end is a copy of its own.
LONG_END = ("u2", (580, 12, 14), "{0,2,1:T(4,128)(2,1)}")

#: Those whose padding goes on with rows, so that it is in the way where it is filled.
PADDED_ROWS = [
    LONG_END,
    ("u2", (40, 130, 3, 3), "{1,2,3,0:T(8,128)}"),
    ("u1", (64, 3, 7, 7), "{0,2,3,1:T(8,128)}"),
    ("u1", (1700, 6, 2, 24), "{0,1,3,2:T(4,128)(4,1)}"),
]


#: Those whose rows are so short that lines would be written in part: short stretches of many rows that share their places in a cache, rows
#: of which two parts share lines, and tiles whose rows share places in the scratch.
SCATTERED = [
    ("u1", (130, 1024, 12), "{0,1,2:T(8,128)(4,1)}"),
    ("u2", (128, 512, 12), "{0,1,2:T(8,128)(2,1)}"),
    ("u1", (256, 256, 56), "{0,2,1:T(32,128)(32,1)}"),
    ("u1", (70, 256, 48), "{0,2,1:T(32,128)(32,1)}"),
    ("u1", (64, 256, 4, 8), "{1,0,2,3:T(32,128)(32,1)}"),
    ("u4", (130, 1024, 3), "{0,2,1:T(2,128)}"),
    ("u1", (128, 8, 4, 128, 7), "{0,4,3,1,2:T(8,128)(4,1)}"),
    ("u1", (130, 16, 128, 5), "{2,3,0,1:T(8,128)(4,1)}"),
    ("u2", (256, 1024, 12), "{0,2,1:T(8,128)(2,1)}"),
]


@pytest.mark.engines
@pytest.mark.parametrize(("dtype", "shape", "text"), PADDED_IN_STEPS + PADDED_ROWS + SCATTERED)
def test_padding_in_two_steps(dtype, shape, text, monkeypatch):
    """It is filled in the first, or read by the first and left out by the second; nothing is written where there is no fill."""
    share_little(monkeypatch)
    layout = tl.layout(text, shape)
    array = np.random.default_rng(22).integers(1, 250, shape).astype(dtype)
    expected = np.full(layout.slots, 7, dtype)
    expected[layout.offsets()] = array
    for laid in (array, np.asfortranarray(array), array[::-1]):
        expected[layout.offsets()] = laid
        for fill, threads in ((7, 1), (7, 3), (None, 1)):
            packed = tl.pack(
                laid, layout, fill=fill, out=misplaced(np.full(layout.slots, 7 if fill is None else 9, dtype), 16), threads=threads
            )
            assert (packed == expected).all()
        for threads in (1, 3):
            assert (tl.unpack(packed, layout, out=misplaced(np.zeros_like(array), 16), threads=threads) == laid).all()


@given(st.permutations(range(5)), st.lists(st.sampled_from((2, 3, 7, 12)), min_size=5, max_size=5), st.data())
def test_a_block_is_read_over_from_end_to_end(places, numbers, data):
    """Whatever the order of its loops, which way they go, and where there are gaps: a piece, and others like it."""
    step, loops = 2, []
    for n in numbers:
        loops.append(NOTHING.replaced(n=n, source=data.draw(st.sampled_from((step, -step)))))
        step *= n + data.draw(st.sampled_from((0, 0, 1)))
    steps = twosteps.Steps([loops[at] for at in places], [], (), 2, 0, [])
    whole = np.array([0])
    for loop in loops:
        whole = np.add.outer(whole, np.arange(loop.n) * loop.source).ravel()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(twosteps, "READ_OVER", 2)
        size, begin, around = steps.reading()
    pieces = np.array([begin])
    for n, between in around:
        pieces = np.add.outer(pieces, np.arange(n) * between).ravel()
    assert sorted(np.add.outer(pieces, np.arange(0, size, 2)).ravel()) == sorted(whole)


@pytest.mark.parametrize(("dtype", "shape", "text"), SCATTERED)
def test_lines_are_written_whole(dtype, shape, text, monkeypatch):
    """By way of a scratch, where a nest would write many in part that are in no cache."""
    monkeypatch.setattr(parts, "LARGE", 0)
    layout = tl.layout(text, shape)
    width = np.dtype(dtype).itemsize
    rows = in_strides(shape, [width * prod(shape[k + 1 :]) for k in range(len(shape))])
    assert isinstance(planning.plan(shape, in_bytes(layout.digits, width), rows, width, read=layout.slots).copy, CopyInSteps)


@pytest.mark.engines
@pytest.mark.parametrize(
    ("dtype", "shape", "text"),
    [
        ("u1", (127, 43, 13), "{0,1,2:T(32,128)(4,1)}"),
        ("u2", (131, 61, 7), "{0,1,2:T(16,128)(2,1)}"),
        ("u1", (43, 131, 9), "{1,0,2:T(8,128)(4,1)}"),
        ("u4", (33, 37, 35), "{0,1,2:T(2,4,8)}"),
    ],
)
def test_arrays_that_are_ragged_in_several_axes(dtype, shape, text):
    """The ends of each are copies of their own, those of the ends as well."""
    layout = tl.layout(text, shape)
    array = np.random.default_rng(23).integers(1, 250, shape).astype(dtype)
    slots = np.full(layout.slots, 7, dtype)
    check_there_and_back(layout, array, slots)
    slots[layout.offsets()] = array
    assert (tl.pack(array, layout, fill=7) == slots).all()


@pytest.mark.parametrize(("dtype", "shape", "text"), PADDED_IN_STEPS + PADDED_ROWS)
def test_padding_is_in_the_way(dtype, shape, text):
    """So both ways, or that there, are taken in two steps, all of an array or most of it."""
    layout, array = tl.layout(text, shape), np.empty(shape, dtype)
    rows, slots = in_strides(shape, array.strides), in_bytes(layout.digits, array.itemsize)
    packing = planning.plan(shape, rows, slots, array.itemsize, layout.slots)
    unpacking = planning.plan(shape, slots, rows, array.itemsize, read=layout.slots)
    for plan in (packing, unpacking) if (dtype, shape, text) in PADDED_IN_STEPS else (packing,):
        assert any(isinstance(copy, CopyInSteps) for copy in (plan.copy, *plan.rest))


def test_the_end_of_a_long_axis_is_a_copy_of_its_own():
    dtype, shape, text = LONG_END
    layout, array = tl.layout(text, shape), np.empty(shape, dtype)
    packing = planning.plan(shape, in_strides(shape, array.strides), in_bytes(layout.digits, array.itemsize), array.itemsize, layout.slots)
    assert isinstance(packing.copy, CopyInSteps)
    assert packing.rest


def test_the_end_of_a_part_is_a_copy_of_its_own():
    """Of six rows in tiles of four, the last two are a part; what is left of its long axis behind whole tiles is another."""
    layout = tl.layout("{0,1,3,2:T(4,128)(4,1)}", (1700, 6, 2, 24))
    packing = planning.plan(layout.shape, in_strides(layout.shape, (288, 48, 24, 1)), in_bytes(layout.digits, 1), 1, layout.slots)
    assert isinstance(packing.copy, copy.CopyPlan)
    assert [type(part) for part in packing.rest] == [CopyInSteps, CopyInSteps]


def test_levels_are_those_of_the_machine():
    assert copy.level() == copy.LEVELS[BEST]
    with pytest.raises(ValueError, match="not in tuple"):
        copy.set_level("1024")
