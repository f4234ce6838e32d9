"""Blocked layouts: all of them over small shapes, there and back."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
import tilelayout as tl
from tilelayout.errors import NotExpressible
from tilelayout.notations.blocked import Block, Blocked, express

SHAPES = [(1,), (2,), (3,), (5,), (6,), (1, 1), (1, 3), (3, 1), (2, 3), (4, 5)]


def every(ndim, outer_first, most=3, sizes=(2, 3, 4)):
    """All blocked values of a rank with a few small blocks."""
    for order in itertools.permutations(range(ndim)):
        for count in range(most + 1):
            for inner in itertools.product(itertools.product(range(ndim), sizes), repeat=count):
                places = itertools.combinations(range(ndim + count), count)
                for at in [range(ndim, ndim + count)] if outer_first else places:
                    outer, blocks = map(Block, order), itertools.starmap(Block, inner)
                    yield Blocked(tuple(next(blocks) if k in at else next(outer) for k in range(ndim + count)))


def meaning(layout):
    return layout.shape, layout.slots, tuple(layout.offsets().ravel().tolist())


def known(shape, outer_first, **limits):
    """The fewest blocks that each layout takes."""
    found = {}
    for value in every(len(shape), outer_first, **limits):
        found.setdefault(meaning(value.bind(shape)), value)
    return found


def slot_by_definition(value, shape, coordinates):
    """The slot by taking each coordinate apart, block by block."""
    left, digits = list(coordinates), []
    for axis, size in reversed(value.blocks):
        if size is not None:
            left[axis], digit = divmod(left[axis], size)
            digits.append((digit, size))
        else:
            digits.append(axis)
    counts = list(shape)
    for axis, size in reversed(value.blocks):
        if size is not None:
            counts[axis] = -(-counts[axis] // size)
    slot, stride = 0, 1
    for digit in digits:
        value_here, size = digit if isinstance(digit, tuple) else (left[digit], counts[digit])
        slot, stride = slot + stride * value_here, stride * size
    return slot, stride


@pytest.mark.parametrize("shape", [(5,), (3, 4), (2, 3)], ids=str)
def test_binding_is_by_definition(shape):
    for value in itertools.islice(every(len(shape), False, most=2), 300):
        layout = value.bind(shape)
        for coordinates in itertools.product(*map(range, shape)):
            assert (layout(*coordinates), layout.slots) == slot_by_definition(value, shape, coordinates)


@pytest.mark.parametrize("outer_first", [True, False])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_blocked_layout_is_found_with_the_fewest_blocks(shape, outer_first):
    for value in known(shape, outer_first, most=3 if outer_first or len(shape) == 1 else 2).values():
        layout = value.bind(shape)
        found = express(layout, "blocks", outer_first=outer_first)
        assert found.bind(shape) == layout
        assert len(found.inner) <= len(value.inner)
        assert sorted(found.outer) == list(range(len(shape)))
        assert not outer_first or all(size is None for _, size in found.blocks[: len(shape)])


@settings(max_examples=300)
@given(strategies.layouts(), st.integers(1, 20), st.booleans())
def test_short_blocks_lie_as_long_ones(layout, most, outer_first):
    """A block that is longer than it may be is one that nothing up to there divides."""
    try:
        express(layout, "blocks", outer_first=outer_first)
    except NotExpressible:
        with pytest.raises(NotExpressible):
            express(layout, "blocks", outer_first=outer_first, most=most)
        return
    found = express(layout, "blocks", outer_first=outer_first, most=most)
    assert found.bind(layout.shape) == layout
    assert all(size <= most or all(size % part for part in range(2, most + 1)) for _, size in found.inner)


@settings(max_examples=300)
@given(strategies.layouts(most_slots=64))
def test_what_is_refused_is_no_blocked_layout(layout):
    try:
        found = express(layout, "blocks", outer_first=False)
    except NotExpressible:
        if layout.ndim <= 2 and all(isinstance(digit.axis, int) for digit in layout.canonical):
            assert meaning(layout) not in known(layout.shape, False, most=2, sizes=(2, 3, 4, 5, 8))
    else:
        assert found.bind(layout.shape) == layout


@settings(max_examples=200)
@given(strategies.strided_layouts())
def test_layouts_with_gaps_are_found_or_refused(layout):
    try:
        found = express(layout, "blocks")
    except NotExpressible:
        return
    assert found.bind(layout.shape) == layout


def test_the_customary_block_is_preferred():
    assert express(Blocked((Block(0), Block(0, 16))).bind((40,)), "blocks").inner == ((0, 16),)
    assert express(Blocked((Block(0), Block(1), Block(1, 16))).bind((2, 3)), "blocks").inner == ((1, 16),)
    assert express(tl.layout("{1,0:T(8,128)(2,1)}", (32, 256)), "blocks").inner == ((0, 4), (1, 128), (0, 2))


def test_room_of_a_vanished_digit_goes_to_an_axis_that_ends_below_it():
    """AB2a16b4a with 3 rows: the digit x // 4 has vanished, and its room stands above that of 16b."""
    layout = Blocked((Block(0), Block(1), Block(0, 2), Block(1, 16), Block(0, 4))).bind((3, 40))
    assert express(layout, "blocks").inner == ((0, 2), (1, 16), (0, 4))


@pytest.mark.parametrize(
    ("layout", "said"),
    [
        (tl.Layout((8,), [(0, 1, 2, 4), (0, 2, 4, 1)]), "highest divisor first"),
        (tl.Layout((2, 3), [(0, 1, 2, 5), (1, 1, 3, 1)], slots=11), "1 of the 11 slots are over at the end"),
        (tl.Layout((4, 6), [(1, 3, 2, 24), (0, 1, 4, 6), (1, 1, 3, 1)], slots=48), "no axis ends below it"),
        (tl.Layout((4, 6), [(1, 3, 2, 20), (0, 1, 4, 5), (1, 1, 3, 1)], slots=40), "counts 3 steps and has room for 5"),
        (tl.Layout((3,), [(0, 1, 3, 1), (None, 1, 2, 1)]), "before the first element"),
        (tl.Layout((3,), [(0, 1, 3, 2)], slots=6), "no axis ends below it"),
        (tl.Layout((3,), [(0, 1, 3, -1), (None, 1, 2, 2)]), "it walks backwards"),
        (tl.Layout((0,), [], slots=3), "an array without elements"),
        (tl.Layout((), [], slots=3), "no axis ends below it"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_refusals_say_why(layout, said):
    with pytest.raises(NotExpressible, match=said):
        express(layout, "blocks")


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1, 1, 1)], ids=str)
def test_arrays_with_nothing_to_order(shape):
    layout = Blocked(tuple(map(Block, range(len(shape))))).bind(shape)
    assert express(layout, "blocks").inner == ()
    assert express(layout, "blocks").bind(shape) == layout


@pytest.mark.parametrize(
    ("text", "shape", "onednn", "tvm"),
    [
        ("onednn:Ba3b", (1, 2**31), "aB3b", "HW->HW3w"),
        ("onednn:Ba3b", (2, 2**31), "Ba3b", "HW->WH3w"),
        ("onednn:A6a", (2**40 - 5,), "A4a", "W->W4w"),
        ("onednn:A2a65536a", (2**40 - 70000,), "A131072a", "W->W131072w"),
        ("onednn:A131072a", (2**31 - 1,), "A2a", "W->W2w"),
        ("{0:T(4294967296)}", (3,), "A4a1073741824a", "W->W4w1073741824w"),
        ("onednn:AB65536a65536a7b", (5, 8), "AB4a1073741824a7b", "HW->HW4h1073741824h7w"),
    ],
)
def test_blocks_are_no_longer_than_the_language_has_them(text, shape, onednn, tvm):
    layout = tl.layout(text, shape)
    assert (layout.to("onednn"), layout.to("tvm")) == (onednn, tvm)
    assert tl.layout(f"onednn:{onednn}", shape) == tl.layout(f"tvm:{tvm}", shape) == layout


@pytest.mark.parametrize("language", ["onednn", "tvm"])
def test_blocks_of_a_long_prime_are_refused(language):
    with pytest.raises(tl.NotExpressible, match="4294967311"):
        tl.layout("{0:T(4294967311)}", (3,)).to(language)
