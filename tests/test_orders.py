"""Elements that stay together on both sides of a copy: the wider ones as which they travel hold the same bytes in the same places."""

import random
from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tilelayout as tl
from tilelayout._kernels import copy as kernels
from tilelayout._kernels.loops import Loop, joined
from tilelayout._kernels.orders import ordered, together, uneven


def strides(radices, order, width):
    """Those of dimensions that lie without gaps, in that order from the fastest on."""
    found = {}
    for k in order:
        found[k] = width
        width *= radices[k]
    return found


@st.composite
def copies(draw):
    """Loops through all of some bytes, in an order and direction of their own on either side, and the bytes of an element."""
    width = draw(st.sampled_from([1, 2, 4, 8, 16]))
    some = st.lists(st.sampled_from([2, 2, 2, 3, 4, 4, 8, 16]), min_size=1, max_size=5)
    radices = draw(some.filter(lambda radices: prod(radices) <= 512))
    inner = draw(st.integers(0, len(radices)))
    changed = [*draw(st.permutations(range(inner))), *draw(st.permutations(range(inner, len(radices))))]
    source, target = strides(radices, range(len(radices)), width), strides(radices, changed, width)
    signs = draw(st.sampled_from([[1] * len(radices), *product([1, -1], repeat=len(radices))]))
    return [Loop(n, sign * source[k], target[k], k, 1, False) for k, (n, sign) in enumerate(zip(radices, signs, strict=True))], width


def walked(loops, width):
    """Where each byte of the target is read."""
    found = {}
    for steps in product(*(range(loop.n) for loop in loops)):
        source, target = (sum(k * getattr(loop, side) for k, loop in zip(steps, loops, strict=True)) for side in ("source", "target"))
        found |= {target + byte: source + byte for byte in range(width)}
    return found


def walked_in_order(loops, width, order):
    """The same for elements whose bytes are looked up in the order, which is that of a line if a line has a whole number of them.

    More than a lane of such a line goes along one of the loops.
    """
    assert len(order.at) == (64 if 64 % width == 0 else width)
    periods = (size for size in (16, 32, 64) if all(order.at[k] == order.at[k - size] + size for k in range(size, 64)))
    size = next(periods) if width == 16 else width
    if size > width:
        along = next(loop for loop in loops if loop.source == loop.target == width)
        assert along.n % (size // width) == 0
        loops = [loop for loop in loops if loop is not along]
        loops.append(along.replaced(n=along.n * width // size, source=size, target=size))
    found = walked(loops, 1)
    return {target + k: source + order.begin + order.at[k] for target, source in found.items() for k in range(size)}


@given(copies())
def test_the_same_bytes_come_to_the_same_places(copy):
    loops, width = copy
    found, wide, order = ordered(loops, width)
    assert not together(joined(loops), width) or order is not None
    assert walked(loops, width) == (walked(found, wide) if order is None else walked_in_order(found, wide, order))


def of(*pairs, width=1, clipped=None):
    return [Loop(n, source, target, k, 1, k == clipped) for k, (n, source, target) in enumerate(pairs)], width


def test_a_square_of_bytes_is_one_element():
    loops, width, order = ordered(*of((4, 1, 4), (4, 4, 1), (100, 16, 32)))
    assert (width, [loop.n for loop in loops]) == (16, [100])
    assert list(order.at) == [k + 4 * row + lane for lane in (0, 16, 32, 48) for k in range(4) for row in range(4)]


@pytest.mark.parametrize(("step", "left"), [(64, [(400, 16)]), (128, [(100, 128), (4, 16)])])
def test_an_element_of_more_than_a_lane_travels_lane_by_lane(step, left):
    """In one loop with those that follow it."""
    loops, width, order = ordered(*of((2, 4, 32), (8, 8, 4), (100, step, step), width=4))
    assert (width, [(loop.n, loop.source) for loop in loops]) == (16, left)
    assert list(order.at[:32:4]) == [0, 8, 16, 24, 32, 40, 48, 56]


@pytest.mark.parametrize(
    "copy",
    [
        of((4, 1, 4), (4, 4, 1), clipped=0),
        of((4, 1, 1), (4, 4, 4), (4, 16, 64)),  # as they lie
        of((4, 1, 4), (4, 4, 2)),  # apart in the target
        of((4, 1, 4), (4, 8, 1)),  # apart in the source
        of((17, 1, 16), (16, 17, 1)),  # more than vectors hold
        of((64, 1, 3), (3, 64, 1)),  # a line of the source
        of((2, -1, -2), (2, 2, 1)),  # backwards in the target
        of((2, -5, 1), (2, 1, -7)),
    ],
)
def test_what_does_not_stay_together_has_no_order(copy):
    loops, width, order = ordered(*copy)
    assert order is None
    assert width == copy[1]
    assert walked(loops, width) == walked(*copy)


@pytest.mark.skipif(kernels.level() in ("scalar", "128"), reason="this machine has no vectors that pick bytes")
@pytest.mark.parametrize(("rows", "columns", "width"), [(3, 2, 1), (3, 3, 4), (7, 4, 4), (9, 5, 2), (16, 8, 1), (16, 16, 1)])
def test_a_matrix_is_one_element(rows, columns, width):
    """However many bytes it has, up to 256."""
    loops, size, order = ordered(*of((columns, width, rows * width), (rows, columns * width, width), (100, 256, 512), width=width))
    assert (size, [loop.n for loop in loops]) == (rows * columns * width, [100])
    assert list(order.at[::width]) == [(row * columns + k) * width for k in range(columns) for row in range(rows)]


@pytest.mark.parametrize(
    ("copy", "wide", "left", "begin"),
    [
        (of((96, -4, 4), width=4), 16, [(6, -64), (4, 16)], -60),  # lines
        (of((100, 9, 9), (3, -1, 1), (3, -3, 3)), 9, [(100, 9)], -8),
        (of((100, 3, 3), (3, -1, 1)), 3, [(100, 3)], -2),
        (of((30, -9, 9), (9, 1, 1)), 90, [(3, -90)], -81),
        (of((1024, 300, 300), (100, -3, 3), (3, 1, 1)), 75, [(1024, 300), (4, -75)], -72),
        (of((97, -2, 2), width=2), 2, [(97, -2)], None),  # there is no such piece
        (of((5, -100, 100), (100, 1, 1)), 1, [(5, -100), (100, 1)], None),
    ],
)
def test_what_runs_backwards_is_cut_in_pieces(copy, wide, left, begin):
    if kernels.level() in ("scalar", "128") and 64 % wide:
        pytest.skip("this machine has no vectors that pick bytes")
    loops, width, order = ordered(*copy)
    assert (width, sorted((loop.n, loop.source) for loop in loops)) == (wide, sorted(left))
    assert begin == (None if order is None else order.begin)


@pytest.mark.parametrize(
    ("n", "size", "whole"), [(97, 2, 96), (997, 1, 960), (1009, 4, 1008), (1021, 3, 1008), (96, 4, None), (61, 1, None)]
)
def test_pieces_that_do_not_come_out_even(n, size, whole):
    found = uneven([Loop(n, -size, size, 0, 1, False)], size)
    if whole is None:
        assert found is None
        return
    (first,), (second,), source, target = found
    assert (first.n, second.n) == (whole, n - whole)
    assert -source == target == whole * size


@pytest.mark.engines
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "c16"])
def test_arrays_that_run_backwards(dtype):
    """Along any of their axes, in any order, packed from there and unpacked there."""
    chance = random.Random(dtype)
    for _ in range(80):
        shape = [chance.choice([1, 2, 3, 4, 9, 16, 31, 64, 100, 257, 1000]) for _ in range(chance.choice([1, 1, 2, 2, 3]))]
        if prod(shape) > 40_000:
            continue
        axes = chance.sample(range(len(shape)), len(shape))
        flips = tuple(slice(None, None, chance.choice([1, -1, -1])) for _ in shape)
        array = np.frombuffer(chance.randbytes(prod(shape) * np.dtype(dtype).itemsize), dtype).reshape(shape)[flips]
        layout = tl.layout("xla:{" + ",".join(map(str, reversed(axes))) + "}", shape=array.shape)
        expected = np.ascontiguousarray(array.transpose(axes)).ravel()
        begin = chance.choice([0, array.itemsize, 16, chance.randrange(64)]) + 32
        room = np.full(array.nbytes + 128, 0xAB, "u1")
        out = room[begin : begin + array.nbytes].view(dtype)
        assert tl.pack(array, layout, out=out).tobytes() == expected.tobytes(), (shape, axes, flips)
        assert tl.unpack(expected, layout, out=out.reshape(shape)[flips]).tobytes() == array.tobytes(), (shape, axes, flips)
        assert (room[:begin] == 0xAB).all()
        assert (room[begin + array.nbytes :] == 0xAB).all()


@pytest.mark.engines
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "c16"])
def test_batches_of_small_matrices(dtype):
    """Turned, with their batches turned as well or not, to memory that begins anywhere; nothing beside is touched."""
    chance = random.Random(dtype)
    for _ in range(80):
        inner = [chance.choice([2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 12, 16]) for _ in range(chance.choice([2, 2, 2, 3]))]
        if prod(inner) > 320 // np.dtype(dtype).itemsize:
            continue
        outer = [chance.choice([1, 2, 3, 7, 13, 40, 100]) for _ in range(chance.randrange(3))]
        axes = [*chance.sample(range(len(outer)), len(outer)), *(len(outer) + k for k in chance.sample(range(len(inner)), len(inner)))]
        array = np.frombuffer(chance.randbytes(prod(outer + inner) * np.dtype(dtype).itemsize), dtype).reshape(outer + inner)
        layout = tl.layout("xla:{" + ",".join(map(str, reversed(axes))) + "}", shape=array.shape)
        expected = np.ascontiguousarray(array.transpose(axes)).ravel()
        room = np.full(array.nbytes + 128, 0xAB, "u1")
        begin = chance.choice([0, array.itemsize, 3 * array.itemsize, 16, chance.randrange(64)]) + 32
        out = room[begin : begin + array.nbytes].view(dtype)
        for moved in (
            tl.pack(array, layout, out=out).tobytes() == expected.tobytes(),
            tl.unpack(expected, layout, out=out.reshape(array.shape)).tobytes() == array.tobytes(),
        ):
            assert moved, (array.shape, axes, begin)
            assert (room[:begin] == 0xAB).all()
            assert (room[begin + array.nbytes :] == 0xAB).all()


def test_ragged_elements_are_found_for_the_rest_to_travel_so():
    loops, width = of((4, 1, 4), (4, 4, 1), clipped=1)
    assert len(together(joined(loops), width)) == 2


def test_rows_of_any_length_are_put_in_order():
    """Rows aside of 60 bytes each, 127 of them: what comes behind them begins where it can."""
    array = np.random.default_rng(6).integers(0, 250, (600, 254, 30)).astype("u1")
    source, target = "{2,1,0:T(2,2)}", "{1,2,0:T(2,2)}"
    assert (tl.relayout(tl.pack(array, source), source, target, shape=array.shape) == tl.pack(array, target)).all()


@pytest.mark.parametrize("shape", [(64, 512), (61, 509), (4095, 2189)])
@pytest.mark.parametrize("fill", [0, 7])
@pytest.mark.parametrize(
    ("dtype", "source", "target"),
    [
        ("u2", "{1,0:T(8,128)(2,1)}", "{0,1:T(8,128)(2,1)}"),
        ("u1", "{1,0:T(8,128)(4,1)}", "{0,1:T(8,128)(2,1)}"),
        ("u4", "{1,0:T(4,4)}", "{0,1:T(4,4)}"),
    ],
)
def test_ragged_ends_of_either_axis_are_copied_afterwards(dtype, source, target, fill, shape):
    array = np.random.default_rng(5).integers(0, 250, shape).astype(dtype)
    packed, expected = (tl.pack(array, text, fill=fill) for text in (source, target))
    assert (tl.relayout(packed, source, target, shape=shape, fill=fill) == expected).all()
