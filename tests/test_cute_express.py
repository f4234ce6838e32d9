"""CuTe's text for layouts of any origin: that it binds to an equal layout, is the simplest, and is refused only where there is none."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import strategies
import strategies_cute
import tilelayout as tl
from tilelayout import Layout, LayoutError, NotExpressible, cute
from tilelayout.cute import ComposedLayout, Swizzle, express


def said(layout):
    """The text, once it is known to be that of an equal layout."""
    text = str(express(layout))
    assert cute.parse_layout(text).bind() == layout
    return text


@given(strategies_cute.layouts())
def test_every_plain_layout_comes_back_plain(layout):
    bound = layout.bind()
    assert isinstance(express(bound), cute.Layout)
    said(bound)


@settings(max_examples=300)
@given(strategies_cute.swizzled())
def test_every_swizzled_layout_comes_back(layout):
    try:
        bound = layout.bind()
    except LayoutError:
        assume(False)
    said(bound)


@settings(max_examples=300)
@given(strategies.layouts() | strategies.strided_layouts())
def test_what_is_said_is_equal(layout):
    try:
        said(layout)
    except NotExpressible as error:
        assert "digit " in str(error) or "slots" in str(error) or "no elements" in str(error)


@given(strategies_cute.layouts())
def test_the_text_is_coalesced_mode_by_mode(layout):
    bound = layout.bind()
    text = express(bound)
    assert text.rank == bound.ndim
    assert text == cute.coalesce(text, (1,) * text.rank if isinstance(text.shape, tuple) else None)


#: The same layout in several languages; field survey of layout notations, checked by evaluating both sides.
EQUIVALENTS = [
    ("f32[6,8]{1,0:T(6,4)}", "(6,(4,2)):(4,(1,24))"),
    ("bf16[16,256]{1,0:T(8,128)(2,1)}", "((2,4,2),(128,2)):((1,256,2048),(2,1024))"),
    ("f32[16,200]{1,0:T(*,128)}", "(16,200):(200,1)"),
    # Tiles that do not divide: the layout of whole tiles behind one that leads to coordinates.
    ("f32[3,5]{1,0:T(2,2)}", "((2,2),(2,3)):((2,12),(1,4)) o (0,0) o (3,5):(1@0,1@1)"),
    ("f32[100,300]{1,0:T(8,128)}", "((8,13),(128,3)):((128,3072),(1,1024)) o (0,0) o (100,300):(1@0,1@1)"),
    ("f32[3,5,7]{2,1,0:T(2,*,4)}", "((2,2),(4,9)):((4,72),(1,8)) o (0,0) o (3,5,7):(1@0,7@1,1@1)"),
]


@pytest.mark.parametrize(("text", "expected"), EQUIVALENTS)
def test_layouts_of_xla(text, expected):
    assert said(tl.layout(text)) == expected


@pytest.mark.parametrize(
    ("shape", "digits", "expected"),
    [
        ((), [], "():()"),
        ((), [(None, 1, 2, 5)], "S<0,4,3> o 5 o ():()"),
        ((8,), [(0, 1, 8, 1)], "8:1"),
        ((8,), [(0, 1, 2, 4), (0, 2, 4, 1)], "((2,4)):((4,1))"),  # OddEven(8)
        ((1, 1), [], "(1,1):(0,0)"),
        ((3, 4), [(1, 1, 4, 2)], "(3,4):(0,2)"),
        ((4,), [(None, 1, 2, 3), (0, 1, 4, -1)], "4:-1"),
        ((4,), [(None, 1, 2, 9), (0, 1, 4, -2)], "S<0,4,3> o 9 o 4:-2"),
        ((4,), [(None, 1, 2, 2), (0, 1, 4, 5)], "S<0,4,3> o 2 o 4:5"),
        # digits that read one part twice, and those that cancel each other
        ((8,), [(0, 1, 4, 1), (0, 2, 4, 8)], "((2,2,2)):((1,10,16))"),
        ((6,), [(0, 1, 2, 1), (0, 2, 3, 2), (0, 1, 3, 5), (0, 3, 2, 15)], "6:6"),
        # sums that say no more than digits of axes do
        ((2, 3), [(((0, 1, 2, 3), (1, 1, 3, 1)), 1, 6, 2)], "(2,3):(6,2)"),
        ((5,), [(((0, 1, 5, 1),), 2, 3, 2), (((0, 1, 5, 1),), 1, 2, 1)], "(2,3):(1,2) o 0 o 5:1"),
        ((6,), [(0, 2, 2, 6)], "(2,2):(6,0) o 0 o ((2,3)):((0,1))"),
        ((6, 3), [(0, 3, 2, 4), (1, 1, 2, 6)], "(2,(2,2)):(4,(6,0)) o (0,0) o ((3,2),3):((0,1@0),1@1)"),
        ((4, 6), [(0, 1, 3, 1), (1, 1, 2, 2)], "((3,2),2):((1,0),2) o (0,0) o (4,(2,3)):(1@0,(1@1,0))"),
        # what no digits as they stand say, and a swizzle does
        ((4,), [(0, 1, 6, 6), (0, 2, 2, 6), (0, 3, 2, 1)], "S<1,0,2> o 0 o ((2,2)):((7,18))"),
        # what is read lies between parts of the axis that nothing reads
        ((4, 24), [(0, 1, 3, 1), (1, 1, 2, 20), (1, 2, 3, 3)], "((3,2),(2,3)):((1,0),(20,3)) o (0,0) o (4,(6,4)):(1@0,(1@1,0))"),
        ((4, 12), [(0, 1, 3, 10), (1, 2, 3, 1)], "((3,2),3):((10,0),1) o (0,0) o (4,(2,3,2)):(1@0,(0,1@1,0))"),
        ((10,), [(0, 2, 3, 3)], "(3,2):(3,0) o 0 o ((2,5)):((0,1))"),
        ((14,), [(0, 2, 3, 3)], "(3,3):(3,0) o 0 o ((2,7)):((0,1))"),
        # a bit with another one folded in
        ((3 << 30 | 1,), [(((0, 1, 2, 1), (0, 4, 2, 1)), 1, 2, 1), (0, 2, 1 << 31, 2)], "S<1,0,2> o 0 o 3221225473:1"),
        ((3 << 30 | 1,), [(0, 1, 4, 1), (((0, 1, 2, 1), (0, 4, 2, 1)), 1, 2, 4), (0, 8, 1 << 29, 8)], "S<1,0,-2> o 0 o 3221225473:1"),
        ((3 << 30 | 1,), [(((0, 4, 2, 1), (0, 1, 2, 1)), 1, 2, 1), (0, 2, 1 << 31, 2)], "S<1,0,2> o 0 o 3221225473:1"),
        ((2, 2), [(((0, 1, 2, 1), (1, 1, 2, 1)), 1, 2, 1), (0, 1, 2, 2)], "S<1,0,1> o 0 o (2,2):(2,1)"),
    ],
)
def test_simplest_text(shape, digits, expected):
    assert said(Layout(shape, digits)) == expected


@pytest.mark.parametrize(
    ("text", "shape", "expected"),
    [
        ("onednn:A4a", (7,), "(4,2):(1,4) o 0 o 7:1"),
        ("onednn:A8a", (7,), "(4,2):(1,4) o 0 o 7:1"),
        ("onednn:A10a", (8,), "(5,2):(1,5) o 0 o 8:1"),
        ("onednn:A9a", (7,), "(3,3):(1,3) o 0 o 7:1"),
        ("onednn:AB10a10b", (8, 8), "((5,2),(5,2)):((10,50),(1,5)) o (0,0) o (8,8):(1@0,1@1)"),
        ("{1,0:T(8,8)}", (7, 7), "((4,2),(4,2)):((8,32),(1,4)) o (0,0) o (7,7):(1@0,1@1)"),
        ("{1,0:T(8,8)}", (7, 16), "((4,2),(8,2)):((8,32),(1,64)) o (0,0) o (7,16):(1@0,1@1)"),
    ],
)
def test_a_digit_is_cut_where_its_axis_ends_within_its_room(text, shape, expected):
    """So that the layout reaches the slots behind the last element."""
    assert said(tl.layout(text, shape)) == expected


@pytest.mark.parametrize(
    ("text", "shape", "expected"),
    [
        ("{1,0:L(16)}", (3, 5), "(8,2):(1,8) o 0 o (3,5):(5,1)"),
        ("strides=(5,1), offset=2, slots=20", (3, 5), "(10,2):(1,10) o 2 o (3,5):(5,1)"),
        ("strides=(-5,1), offset=10, slots=16", (3, 5), "(8,2):(1,8) o 10 o (3,5):(-5,1)"),
        ("strides=(0,1), slots=6", (3, 5), "(3,2):(1,3) o 0 o (3,5):(0,1)"),
        ("{2,1,0:T(2,*,4)L(160)}", (3, 5, 7), "(80,2):(1,80) o 0 o ((2,2),(4,9)):((4,72),(1,8)) o (0,0) o (3,5,7):(1@0,7@1,1@1)"),
        ("{1,0:T(8)(3,1)}", (4, 12), "(48,2):(1,48) o 0 o (4,(8,2)):(24,(3,1)) o (0,0) o (4,12):(1@0,1@1)"),
        ("{1,0:L(1024)}", (10**8, 3), "(150000128,2):(1,150000128) o 0 o (100000000,3):(3,1)"),
    ],
)
def test_the_whole_buffer_is_cut_where_no_digit_reaches_its_end(text, shape, expected):
    assert said(tl.layout(text, shape)) == expected


@pytest.mark.parametrize(("text", "shape"), [("onednn:A7a", (5,)), ("onednn:A100a", (50,)), ("{0:T(128)}", (64,))])
def test_no_cut_reaches_the_room_of_twice_as_many_or_a_prime_one(text, shape):
    with pytest.raises(NotExpressible, match="lie beyond the last"):
        express(tl.layout(text, shape))


@pytest.mark.parametrize(
    "text",
    [
        "S<3,4,3> o 0 o (8,64):(64,1)",
        "S<2,0,-3> o 0 o (8,8):(8,1)",
        "S<1,0,3> o 0 o 1099511627776:16",
        "S<3,4,3> o 7 o S<2,0,3> o 3 o (64,(8,8)):(64,(8,1))",
        "(6,2):(1,6) o (2,1) o (2,3):(1@1,1@0)",
        "((2,2),(2,3)):((2,-12),(1,4)) o (0,0) o (3,5):(1@0,1@1)",
        "S<0,4,3> o 20 o ((2,2),(2,3)):((2,-12),(1,4)) o (0,0) o (3,5):(1@0,1@1)",
        "(2,3):(1,2) o 0 o 5:1",
        "(3,4):(4,1) o 1 o (3,4):(1,3) o 0 o (2,5):(5,1)",
        "(1073741824,(3,5)):(1,(0,2147483648))",
        # a swizzle of bits that no slot has, and modes that add up as bits do
        "S<2,1,3> o 0 o ((4,2)):((1,8))",
        "S<2,1,3> o 0 o ((4,4)):((1,8))",
        "S<2,1,3> o 0 o ((2,2)):((1,1))",
        "S<2,1,3> o 4 o S<1,1,4> o 0 o ((2,2)):((1,1))",
    ],
)
def test_texts_come_back(text):
    said(cute.parse_layout(text).bind())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("S<1,0,1> o 3 o (8,1):(1,0)", "S<0,4,3> o 2 o ((2,2,2),1):((2,3,4),0)"),  # plain, where that says it too
        ("S<3,2,-4> o 4 o (15,4):(1,15)", None),
        ("S<3,2,-4> o 4 o ((3,5),4):((1,4),32)", None),
        ("S<3,2,-4> o 4 o ((3,4),4):((1,4),32)", None),
        ("S<1,2,2> o 0 o S<2,0,2> o 16 o (1,4,4):(0,4,1)", None),
    ],
)
def test_swizzled_layouts_in_other_digits(text, expected):
    layout = cute.parse_layout(text).bind()
    assert said(Layout(layout.shape, layout.canonical, slots=layout.slots)) == (expected or text)


@pytest.mark.parametrize("text", ["S<2,2,2> o 3 o 15:1", "S<3,2,3> o 3 o (8,4):(1,8)"])
def test_no_swizzle_is_guessed_for_slots_that_it_alone_would_reach(text):
    """It would fold bits that no slot has."""
    layout = cute.parse_layout(text).bind()
    with pytest.raises(NotExpressible, match="lie beyond the last"):
        express(Layout(layout.shape, layout.canonical, slots=layout.slots))


def test_guesses_are_made_at_layouts_of_so_many_elements(monkeypatch):
    layout = Layout((4,), [(0, 1, 6, 6), (0, 2, 2, 6), (0, 3, 2, 1)])
    monkeypatch.setattr("tilelayout.cute.expressing.guess.MOST_COMPARED", 4)
    assert said(layout) == "S<1,0,2> o 0 o ((2,2)):((7,18))"
    monkeypatch.setattr("tilelayout.cute.expressing.guess.MOST_COMPARED", 3)
    with pytest.raises(NotExpressible, match="cannot be said: it cuts the axis at multiples of"):
        express(layout)
    told_by_bits = Layout((4, 4), [(0, 1, 2, 1), (((0, 1, 2, 1), (0, 2, 2, 1)), 1, 2, 2), (1, 1, 4, 4)])
    assert said(told_by_bits) == "S<1,0,-1> o 0 o (4,4):(1,4)"


def test_few_swizzles_are_bound_of_those_that_a_layout_might_have(monkeypatch):
    """Most of the thousands that its slots have room for are dismissed by a few elements."""
    bound = []
    plain = ComposedLayout.bind
    monkeypatch.setattr(ComposedLayout, "bind", lambda *given: bound.append(given) or plain(*given))
    places = "d0 * 8 + (d0 floordiv 3) * 5 + 3, d0 * 4 + ((d0 floordiv 3) mod 4) * 2 + (d0 mod 8) * 4"
    with pytest.raises(NotExpressible, match="cannot be said: it cuts the axis at multiples of 8"):
        express(tl.layout(f"affine_map<(d0) -> ({places})>", (1048576,)))
    assert len(bound) < 10


def test_shapes_of_many_elements_are_said_from_their_digits():
    swizzled = ComposedLayout(Swizzle(3, 4, 3), 0, cute.row_major((1 << 20, 1 << 20)))
    assert said(swizzled.bind()) == "S<3,4,3> o 0 o (1048576,1048576):(1048576,1)"


def test_a_swizzle_may_say_in_fewer_slots_what_digits_reach_beyond():
    assert said(Layout((3, 2), [(0, 1, 3, 1), (0, 2, 2, 1)], slots=4)) == "S<1,0,1> o 0 o (3,2):(1,0)"


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        (Layout((0, 3), []), "it has no elements, and extents in CuTe are 1 or more"),
        (
            Layout((4,), [(0, 1, 4, 1)], slots=7),
            "the simplest form reach 4, 3 lie beyond the last, and no form was found that reaches these",
        ),
        (Layout((2, 3), [(0, 1, 2, 3), (1, 1, 3, 1)], slots=10**12), "999999999994 lie beyond the last"),
        (tl.layout("{0:T(128)}", (5,)), "123 lie beyond the last"),
        (
            Layout((5,), [(0, 2, 3, 2), (0, 3, 2, 12)], slots=80),
            "digit (0, 3, 2, 12) (axis, divisor, radix, stride) cannot be said: it cuts the axis at multiples of 3, and",
        ),
        (Layout((7,), [(((0, 1, 2, 1),), 1, 2, 4), (((0, 1, 3, 1),), 1, 3, 1)]), "cannot be said: it cuts the axis at multiples of"),
        (
            Layout((2, 2, 2), [(((0, 1, 2, 1), (1, 1, 2, 1)), 1, 2, 1), (((1, 1, 2, 1), (2, 1, 2, 1)), 1, 2, 2)]),
            "digit ((x0 + x1) % 2) cannot be said: other digits read the same",
        ),
        (
            Layout((36,), [(0, 1, 3, 1), (0, 3, 4, 6), (0, 12, 3, 24), (0, 1, 2, 72)]),
            "(0, 1, 3, 1) (axis, divisor, radix, stride) cannot be said: it cuts the axis at multiples of 3, and 3 is no multiple of 2",
        ),
        (
            Layout((5, 4), [(0, 1, 2, 1), (((0, 2, 4, 3), (0, 2, 2, 1)), 1, 2, 2), (1, 1, 4, 4)]),
            "(0, 1, 2, 1) (axis, divisor, radix, stride) cannot be said: it cuts the axis at multiples of 4, and 5 is no multiple of 4",
        ),
        (
            Layout((16,), [(0, 1, 2, 1), (0, 2, 2, 2), (((0, 4, 2, 1), (0, 2, 2, 1)), 1, 2, 8), (0, 8, 2, 8)]),
            "digit (0, 1, 4, 1) (axis, divisor, radix, stride) cannot be said: other digits read the same part of axis 0",
        ),
        (
            Layout(
                (4, 4, 4),
                [
                    *((((0, 1, 4, 1), (1, 1, 4, 1)), *fields) for fields in ((1, 2, 1), (2, 4, 20))),
                    *((((1, 1, 4, 1), (2, 1, 4, 1)), *fields) for fields in ((1, 2, 2), (2, 4, 80))),
                ],
            ),
            "digit ((x0 + x1) % 2) cannot be said: other digits read the same part of axis 1",
        ),
    ],
)
def test_refusals_name_what_is_in_the_way(layout, message):
    with pytest.raises(NotExpressible) as caught:
        express(layout)
    assert f"shape {layout.shape} and {layout.slots} slots is not expressible in CuTe's notation" in str(caught.value)
    assert message in str(caught.value)


# Brute force: all CuTe layouts of small shapes, against layouts made of any digits.


def _factored(size):
    """All ways to write an extent as a mode: factors, the first one fastest."""
    if size == 1:
        return [()]
    return [(first, *rest) for first in range(2, size + 1) if size % first == 0 for rest in _factored(size // first)]


def _layouts(shape, strides):
    for modes in product(*(_factored(size) for size in shape)):
        count = sum(map(len, modes))
        for chosen in product(strides, repeat=count):
            rest = iter(chosen)
            yield cute.Layout(tuple(modes), tuple(tuple(next(rest) for _ in mode) for mode in modes))


def _key(layout):
    return layout.slots, tuple(layout.offsets().ravel().tolist())


def _sayable(shape):
    """The slots of each element for all plain layouts with small strides, offset or swizzled ones, that end with their last element."""
    swizzles = [
        Swizzle(0, 4, 3),
        *(Swizzle(1, base, shift) for base in (0, 1) for shift in (1, 2, -1, -2)),
        Swizzle(2, 0, 2),
        Swizzle(2, 0, -2),
    ]
    strides = range(-1, 5) if sum(shape) <= 6 else (-1, 0, 1, 2, 4)
    found = {}
    for inner in _layouts(shape, strides):
        candidates = [inner, *(ComposedLayout(swizzle, offset, inner) for swizzle in swizzles for offset in range(4))]
        for candidate in candidates:
            try:
                key = _key(candidate.bind())
            except LayoutError:  # a swizzle of negative offsets
                continue
            if key[0] == max(key[1]) + 1:
                found.setdefault(key, candidate)
    return found


SMALL = [(4,), (5,), (2, 2), (3, 2)]


@pytest.fixture(scope="module")
def sayable():
    return {shape: _sayable(shape) for shape in SMALL}


@st.composite
def any_digits(draw, shape):
    """A layout of a few digits of axes or of sums, with the slots that it reaches and no more."""
    axes = st.integers(0, len(shape) - 1)
    plain = st.tuples(axes, st.integers(1, 3), st.integers(2, 4), st.integers(1, 4))
    sums = st.tuples(st.lists(plain, min_size=1, max_size=2).map(tuple), st.integers(1, 2), st.integers(2, 3), st.integers(1, 3))
    digits = draw(st.lists(plain | sums, min_size=1, max_size=3))
    offset = draw(st.sampled_from([0, 0, 1, 3]))
    return Layout(shape, [*digits, *([(None, 1, 2, offset)] if offset else [])])


@settings(max_examples=300)
@given(st.sampled_from(SMALL).flatmap(any_digits))
def test_what_cute_can_say_is_not_refused(sayable, layout):
    try:
        said(layout)
    except NotExpressible as error:
        assert _key(layout) not in sayable[layout.shape], f"{sayable[layout.shape][_key(layout)]} says it; {error}"


@pytest.mark.parametrize("shape", SMALL)
def test_all_that_cute_says_is_said_from_slots_alone(sayable, shape):
    """From the digits that a table of slots would have: one for each coordinate of a merged axis."""
    known = sayable[shape]
    for slots, offsets in sorted(known)[:: max(1, len(known) // 100)]:
        said(_of_table(shape, offsets, slots))


def _of_table(shape, offsets, slots):
    """A layout with these slots that says nothing of how they come about: "the element is number k", times its slot, for each k."""
    number, size = [], 1
    for axis in reversed(range(len(shape))):
        number.append((axis, 1, shape[axis], size))
        size *= shape[axis]
    at_least = [((*number, (None, 1, 2, size - k)), size, 2, 1) for k in range(size)] + [((), 1, 2, 1)]
    picked = tuple(((at_least[k], at_least[k + 1]), 1, 2, offset) for k, offset in enumerate(offsets) if offset)
    layout = Layout(shape, [(picked, 1, slots, 1)] if picked else [], slots=slots)
    assert layout.offsets().ravel().tolist() == list(offsets)
    return layout
