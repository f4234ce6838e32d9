"""Explanations end with the result, and tell the steps to it."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from strategies_cute import identities, layouts, swizzled, tilers
from tilelayout import LayoutError, cute
from tilelayout.cute import ComposedLayout, Layout, Swizzle

any_layout = st.one_of(layouts(), layouts(st.integers(0, 12)), swizzled(), identities())
TOLD = ["coalesce", "composition", "complement", "logical_divide", "zipped_divide", "logical_product", "right_inverse", "left_inverse"]


def check(operation, *args):
    """The explanation, which ends with the result, or refuses what the operation refuses."""
    try:
        wanted = getattr(cute, operation)(*args)
    except LayoutError as refusal:
        with pytest.raises(type(refusal)) as raised:
            cute.explain(operation, *args)
        assert str(raised.value) == str(refusal)
        return None
    text = cute.explain(operation, *args)
    assert text == cute.explain(getattr(cute, operation), *args)
    assert text.splitlines()[-2:] == ["the result is", str(wanted)]
    return text


@given(any_layout)
def test_explanations_of_one_layout(layout):
    for operation in ("coalesce", "complement", "right_inverse", "left_inverse", "nullspace", "filter"):
        check(operation, layout)


@given(any_layout, st.one_of(tilers, swizzled(), layouts(st.integers(0, 12))))
def test_explanations_of_a_layout_and_a_tiler(layout, tiler):
    for operation in ("composition", "logical_divide", "zipped_divide", "tiled_divide", "logical_product"):
        check(operation, layout, tiler)


@given(any_layout, st.one_of(st.integers(1, 300), st.lists(st.integers(1, 9), max_size=3).map(tuple), layouts()))
def test_explanations_with_a_cotarget_or_profile(layout, other):
    check("complement", layout, other)
    check("coalesce", layout, other)


def told(text):
    return [line.strip() for line in text.splitlines()]


@given(layouts(st.integers(1, 12)), layouts(st.integers(1, 12)))
def test_divisions_and_products_name_their_parts(layout, tiler):
    """What is told on the way is what the result is made of."""
    text = check("logical_divide", layout, tiler)
    assume(text)
    tile, rest = cute.logical_divide(layout, tiler)
    both = next(line for line in told(text) if line.startswith("tiler and complement side by side: "))
    parts = cute.parse_layout(both.split(": ")[1])
    assert str(parts[0]) == str(tiler)
    assert (parts[0].size, parts[1].size) == (tile.size, rest.size)


def test_the_long_composition():
    """CUTLASS's documentation, "Layout Algebra", section "Composition": (6,2):(8,2) after (4,3):(3,1)."""
    assert cute.explain("composition", Layout((6, 2), (8, 2)), Layout((4, 3), (3, 1))).splitlines() == [
        "composition: the layout R with R(c) = A(B(c)) for all c of B",
        "  A = (6,2):(8,2)",
        "  B = (4,3):(3,1)",
        "A coalesced, its last mode without an end: (6,2):(8,2)",
        "4:3 of B takes 4 coordinates of A, 3 apart:",
        "  in 6:8, 2 coordinates 3 apart, with offsets 3*8 = 24 apart: 2:24",
        "  in 2:2, 2 coordinates 1 apart, with offsets 1*2 = 2 apart: 2:2",
        "3:1 of B takes 3 coordinates of A, 1 apart:",
        "  in 6:8, 3 coordinates 1 apart, with offsets 1*8 = 8 apart: 3:8",
        "these take the places of B's leaves",
        "the result is",
        "((2,2),3):((24,2),8)",
    ]


def test_steps_where_strides_do_not_divide():
    text = cute.explain("composition", Layout((16, 7), (59, 24)), Layout(6, 6))
    assert "6:6 of B does not divide A's extents; the offsets themselves, one by one, are those of (3,2):(354,142)" in text


def test_steps_by_mode():
    """CUTLASS's documentation, "Layout Algebra", section "Logical Divide 2-D Example"."""
    layout = Layout((9, (4, 8)), (59, (13, 1)))
    lines = told(cute.explain("zipped_divide", layout, (Layout(3, 3), Layout((2, 4), (1, 8)))))
    assert "mode 0, 9:59 by 3:3:" in lines
    assert "mode 1, (4,8):(13,1) by (2,4):(1,8):" in lines
    assert lines[-1] == "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))"
    lines = told(cute.explain("logical_divide", layout, (None, 4)))
    assert "None leaves 9:59 as it is" in lines
    assert "mode 1, (4,8):(13,1), has no part of the tiler and is dropped" in told(cute.explain("composition", layout, (3,)))
    assert "mode 1, (4,8):(13,1), has no part of the tiler and stays" in told(cute.explain("logical_product", layout, (2,)))


def test_steps_inside_a_swizzled_layout():
    layout = ComposedLayout(Swizzle(3, 0, 3), 0, Layout((8, 8), (8, 1)))
    assert "S<3,0,3> and the offset 0 stay in front; inside, (8,8):(8,1):" in cute.explain("logical_divide", layout, 4)
    assert "S<3,0,3> undoes itself; it is followed by the inverse of (8,8):(8,1):" in cute.explain("right_inverse", layout)


def test_whole_tiles():
    """(7,3):(9,1) by 4 is divided as (8,3):(9,1), as CUTLASS does (tests of cutlass, test/unit/cute/core/logical_divide.cpp)."""
    assert "the layout in whole tiles, since 4 does not divide it: (8,3):(9,1)" in cute.explain("logical_divide", Layout((7, 3), (9, 1)), 4)


def test_other_operations_get_a_short_form():
    assert cute.explain(cute.size, (4, 8)) == "size\n  argument 0 = (4,8)\nthe result is\n32"


@pytest.mark.parametrize("operation", TOLD)
def test_every_story_has_steps(operation):
    second = {"complement": (24,), "coalesce": (), "right_inverse": (), "left_inverse": ()}.get(operation, (Layout(2),))
    layout = Layout((4, 2), (1, 4))
    assert len(check(operation, layout, *second).splitlines()) > 4 + len(second)


@pytest.mark.parametrize("operation", ["compose", "explain", "", 3, None])
def test_no_operation(operation):
    with pytest.raises(LayoutError, match="is no operation"):
        cute.explain(operation, Layout(4))
