"""TVM's layout strings."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
import tilelayout as tl
from tilelayout.errors import LayoutError, LayoutSyntaxError, NotExpressible, ShapeError
from tilelayout.notations import tvm

#: Pairs, an index and a shape, and what TVM 0.27's SBijectiveLayout says of them (forward_index, forward_shape), executed.
EXECUTED = [
    ("NCHW", "NCHW16c", (1, 17, 3, 4), (2, 33, 5, 5), (1, 1, 3, 4, 1), (2, 3, 5, 5, 16)),
    ("NCHW16c", "NCHW8c", (1, 1, 3, 4, 9), (2, 3, 5, 5, 16), (1, 3, 3, 4, 1), (2, 6, 5, 5, 8)),
    ("NCHW", "16cNCHW", (1, 17, 3, 4), (2, 33, 5, 5), (1, 1, 1, 3, 4), (16, 2, 3, 5, 5)),
    ("HW", "WH4w", (3, 6), (6, 8), (1, 3, 2), (2, 6, 4)),
    ("OI", "IO[4i8o]", (9, 5), (16, 8), (1, 1, 9), (2, 2, 32)),
]


@pytest.mark.parametrize("executed", EXECUTED, ids=str)
def test_slots_are_row_major_in_the_target(executed):
    source, target, index, shape, target_index, target_shape = executed
    layout = tvm.parse(f"{source} -> {target}").bind(shape)
    assert layout.slots == np.prod(target_shape)
    assert layout(*index) == np.ravel_multi_index(target_index, target_shape)


def slot_by_definition(source, target, index, shape):
    """The slot by TVM's index rule: put the primal coordinates together, and take them apart again."""
    whole = {letter: 0 for letter, size in source if size is None}
    counts = dict(whole)
    for k, (letter, size) in enumerate(source):
        weight = np.prod([s for name, s in source if name == letter and s], dtype=int)
        if size is None:
            counts[letter] = shape[k] * weight
        else:
            weight = np.prod([s for name, s in source[k + 1 :] if name == letter and s], dtype=int)
        whole[letter] += index[k] * int(weight)
    slot, slots = 0, 1
    for k, (letter, size) in enumerate(target):
        below = int(np.prod([s for name, s in (target if size is None else target[k + 1 :]) if name == letter and s], dtype=int))
        extent = -(-counts[letter] // below) if size is None else size
        slot, slots = slot * extent + whole[letter] // below % extent, slots * extent
    return slot, slots


@st.composite
def sides(draw):
    letters = draw(st.lists(st.sampled_from("NCHWOI"), unique=True, max_size=3))
    blocks = draw(st.lists(st.tuples(st.sampled_from(letters), st.sampled_from([2, 3, 4])), max_size=3)) if letters else []
    return tuple(draw(st.permutations([*((letter, None) for letter in letters), *blocks])))


@given(sides(), st.data())
def test_pairs_follow_the_index_rule_and_go_there_and_back(target, data):
    primal = [letter for letter, size in target if size is None]
    cut = data.draw(st.sampled_from([None, *primal]))
    source = data.draw(st.permutations([*((letter, None) for letter in primal), *([(cut, 2)] if cut else [])]))
    pair = tvm.Bijection(tuple(source), target)
    assert tvm.parse(str(pair)) == pair
    shape = [size or data.draw(st.sampled_from([1, 2, 3, 5, 8])) for _, size in source]
    layout = pair.bind(shape)
    for index in itertools.islice(itertools.product(*map(range, shape)), 50):
        assert (layout(*index), layout.slots) == slot_by_definition(source, target, index, shape)
    if not cut:
        assert tvm.express(layout).bind(shape) == layout


@given(strategies.layouts())
def test_what_is_expressed_is_equal(layout):
    try:
        text = str(tvm.express(layout))
    except NotExpressible:
        return
    assert tvm.parse(text).bind(layout.shape) == layout


@pytest.mark.parametrize(
    ("text", "full"),
    [
        ("NHWC", "NCHW->NHWC"),
        ("NDHWC8c", "NCDHW->NDHWC8c"),
        ("HWIO", "OIHW->HWIO"),
        ("OHWI16i64o2i", "OIHW->OHWI16i64o2i"),
        ("WH4w", "HW->WH4w"),
        ("TNC", "TNC->TNC"),
        ("BA", "BA->BA"),
        ("OI->IO[4i8o]", "OI->IO4i8o"),
        (" NCHW -> NHWC ", "NCHW->NHWC"),
        ("->", "->"),
        ("", "->"),
    ],
)
def test_the_logical_array(text, full):
    assert str(tvm.parse(text)) == full
    assert tvm.parse(full) == tvm.parse(text)


def test_letters_are_by_rank():
    for rank, letters in enumerate(["", "W", "HW", "NCW", "NCHW", "NCDHW", "ABCDEF"]):
        assert str(tvm.express(tl.Layout((1,) * rank, []))) == f"{letters}->{letters}"
    with pytest.raises(NotExpressible, match="26 letters"):
        tvm.express(tl.Layout((1,) * 27, []))


def test_a_block_may_be_the_slowest():
    """TVM alone among the blocked formats: 2wW is a de-interleave, with the low digit outside."""
    layout = tl.Layout((8,), [(0, 1, 2, 4), (0, 2, 4, 1)])
    assert str(tvm.express(layout)) == "W->2wW"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("NCHWc", "block 'c' has no size"),
        ("NCHW16", "expected the lower-case letter"),
        ("NCHW16C", "expected the lower-case letter"),
        ("NCHW0c", "a block of 0"),
        ("NCHW4294967296c", "blocks have 1 to 2147483647"),
        (f"NCHW{10**40}c", "does not fit in 64 bits"),
        ("NCHW16x", "a block of axis 'X', which is missing"),
        ("NNCHW", "axis 'N' is named twice"),
        ("NCHW->NCH", "the axes CHNW are laid out as CHN"),
        ("NCHW->", "the axes CHNW are laid out as of a scalar"),
        ("N->C->N", "expected the end of the text"),
        ("N C", "expected the end of the text"),
        ("N[4c]C", "brackets fuse two blocks or more"),
        ("NC[4c4n", "expected ']'"),
        ("NC[4cW]", "'W' is no block"),
        ("NC]", "expected an upper-case letter"),
        ("NC-HW", "expected an upper-case letter"),
        ("__undef__", "expected an upper-case letter"),
    ],
)
def test_other_text_is_refused(text, said):
    with pytest.raises(LayoutSyntaxError) as error:
        tvm.parse(text)
    assert said in str(error.value)
    assert str(error.value).count("^") == 1


def test_a_letter_that_should_be_small():
    with pytest.raises(LayoutSyntaxError, match=r"did you mean 16c\?"):
        tl.layout("NCHW16C", (1, 16, 2, 2))


@pytest.mark.parametrize("thing", [None, 3, b"NCHW"])
def test_other_things_are_refused(thing):
    with pytest.raises(LayoutError, match=r"is an? .*; it takes the text of a layout string"):
        tvm.parse(thing)


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        (None, "says nothing of sizes"),
        ((), r"not for shape \(\)"),
        ((2, 3), r"not for shape \(2, 3\)"),
        ((2, 3, 7), "has 4 places on axis 'w'"),
        ((-1, 2, 4), "negative extent"),
        ((2**62, 2**62, 4), "64-bit"),
        (3, "3 is no shape"),
        ("abc", "'abc' is no shape"),
    ],
)
def test_shapes_that_do_not_fit(shape, said):
    with pytest.raises(ShapeError, match=said):
        tvm.parse("HW4w->HW").bind(shape)


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("NCHW", True),
        ("HW->WH4w", True),
        ("NCHWc", True),
        ("HW->HW4x", True),
        ("NCHW16C", True),
        ("nchw", False),
        ("Hello", False),
        ("Layer3a", False),
        ("BF16", False),
        ("->", False),
        ("h w -> w h", False),
    ],
)
def test_texts_that_are_recognized(text, is_one):
    assert tvm.recognizes(text) is is_one
