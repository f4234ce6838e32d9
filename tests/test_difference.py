"""Differences are those that a comparison of every slot finds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tilelayout as tl
from strategies import dims, shapes
from strategies_written import some
from tilelayout import difference, moves
from tilelayout.difference import diff

FIGURE_1 = "f32[3,5]{1,0:T(2,2)}"


@st.composite
def pairs(draw):
    """Two layouts of one shape."""
    shape = draw(shapes)
    return tuple(moves.compact(shape, draw(dims(shape)), multiple=draw(st.sampled_from([1, 1, 8]))) for _ in range(2))


@st.composite
def near(draw):
    """Two layouts that differ in one number of one digit, if at all, or in a digit that says a thing twice."""
    layout = draw(some())
    digits = list(layout.digits)
    if digits:
        at = draw(st.integers(0, len(digits) - 1))
        change = draw(st.sampled_from(["stride", "radix", "twice", "none"]))
        if change == "twice":
            digits[at : at + 1] = [digits[at]._replace(stride=digits[at].stride - 1), digits[at]._replace(stride=1)]
        elif change != "none":
            digits[at] = digits[at]._replace(**{change: max(1, getattr(digits[at], change) + draw(st.integers(-2, 2)))})
    try:
        return layout, tl.Layout(layout.shape, digits, slots=layout.slots + draw(st.sampled_from([0, 0, 64])))
    except tl.LayoutError:
        return layout, layout


class TestBySlots:
    @given(st.one_of(pairs(), near()))
    def test_what_every_slot_says(self, pair):
        a, b = pair
        found = diff(a, b)
        unlike = np.argwhere(np.atleast_1d(a.offsets() != b.offsets()))
        assert found.count == len(unlike)
        assert found.first == (tuple(unlike[0].tolist()[: a.ndim]) if len(unlike) else None)
        assert found.first_slots == ((a(*found.first), b(*found.first)) if len(unlike) else None)
        assert found.equal is (a == b) is not bool(found)

    @given(some(), some())
    def test_it_is_false_where_layouts_are_equal(self, a, b):
        assert bool(diff(a, b)) == (a != b)
        assert not diff(a, a)


#: Too many elements to go through, with the first that differs.
HUGE = [
    ("f32[99999999999,16]{1,0:T(8,128)}", "f32[99999999999,16]{1,0:T(8,128)(2,1)}", (0, 1)),
    ("f32[99999999999,16]{1,0:T(8,128)}", "f32[99999999999,16]{1,0:T(16,128)}", None),
    ("f32[99999999999,256]{1,0:T(8,128)}", "f32[99999999999,256]{1,0:T(16,128)}", (0, 128)),
    ("f32[8589934592]{0:T(1024)}", "f32[8589934592]{0}", None),
    ("f32[4294967296,3]{0,1:T(1024)}", "f32[4294967296,3]{0,1:T(1000)}", (0, 1)),
    ("f32[4000,50000,7000]{2,1,0:T(*,*,7)}", "f32[4000,50000,7000]{2,1,0}", None),
    ("f32[4000,5000,700]{2,1,0:T(2,*,128)}", "f32[4000,5000,700]{2,1,0:T(2,*,64)}", (0, 0, 64)),
    ("f32[4000,5000,700]{2,1,0:T(2,*,128)}", "f32[4000,5000,700]{2,1,0:T(4,*,128)}", (0, 0, 128)),
    ("f32[4000,5000,700]{2,1,0:T(*,2,4)}", "f32[4000,5000,700]{2,1,0:T(*,4,4)}", (0, 0, 4)),
]  # fmt: skip


class TestHugeLayouts:
    @pytest.mark.parametrize(("a", "b", "first"), HUGE)
    def test_the_first_is_found_and_none_counted(self, a, b, first):
        a, b = tl.layout(a), tl.layout(b)
        found = diff(a, b)
        assert found.first == first
        assert found.count == (0 if first is None else None)
        if first is not None:
            assert found.first_slots == (a(*first), b(*first))
            assert f"some of {a.size} elements lie in another slot" in str(found)
        assert found.equal is (first is None and a.slots == b.slots)

    @given(st.integers(0, 40), st.integers(2, 9), st.data())
    def test_one_digit_of_many(self, place, factor, data):
        """Where only the digit of one bit has another stride, the first to differ is that bit's."""
        bits = [(0, 1 << bit, 2, 1 << bit) for bit in range(41)]
        other = [(0, divisor, radix, stride * factor if divisor == 1 << place else stride) for _, divisor, radix, stride in bits]
        found = diff(tl.Layout((1 << 41,), bits), tl.Layout((1 << 41,), data.draw(st.permutations(other))))
        assert found.first == (1 << place,)

    def test_mixed_axes_are_gone_through_only_so_far(self, monkeypatch):
        monkeypatch.setattr(difference, "COUNTABLE", 1 << 20)
        a = tl.Layout((1 << 11, 1 << 10), [(((0, 1, 1 << 11, 7), (1, 1, 1 << 10, 1)), 5, 1 << 12, 1)])
        halves = (0, 1, 1 << 10, 4), (0, 1 << 10, 2, 1 << 12)
        b = tl.Layout((1 << 11, 1 << 10), [(((0, 1, 1 << 11, 3), *halves, (1, 1, 1 << 10, 1)), 5, 1 << 12, 1)])
        with pytest.raises(
            tl.LayoutError, match=r"shape \(2048, 1024\) mix axes \(0, 1\), 2097152 elements, .* the first 1048576 have the same slots"
        ):
            diff(a, b)
        monkeypatch.setattr(difference, "COUNTABLE", 1 << 21)
        assert diff(a, b).equal


class TestWords:
    def test_what_is_said(self):
        assert str(diff(FIGURE_1, "f32[3,5]{1,0}")) == (
            "a   shape 3,5, 24 slots\n"
            "    slot = 12*(x0 // 2) + 4*(x1 // 2) + 2*(x0 % 2) + (x1 % 2)\n"
            "b   shape 3,5, 15 slots\n"
            "    slot = 5*x0 + x1\n"
            "the buffers differ: 24 slots and 15\n"
            "13 of 15 elements lie in another slot\n"
            "first 0,2: slot 4 in a, 2 in b"
        )

    @pytest.mark.parametrize(
        ("a", "b", "end"),
        [
            (FIGURE_1, FIGURE_1, "equal: every element has the same slot in both"),
            ("f32[3]", "f32[4]", "the shapes differ: 3 and 4"),
            ("f32[3]", "f32[3]{0:L(8)}", "the buffers differ: 3 slots and 8\nevery element has the same slot in both"),
            ("cute:2:1", "cute:2:3", "1 of 2 elements lies in another slot\nfirst 1: slot 1 in a, 3 in b"),
            ("f32[]", "f32[]{:L(2)}", "the buffers differ: 1 slot and 2\nevery element has the same slot in both"),
            ("cute:S<1,0,1> o 2 o 1:0", "cute:S<1,0,1> o 4 o 1:0", "first 0: slot 3 in a, 4 in b"),
            (
                "f32[4]",
                "s4[4]{0:E(4)}",
                "has the same slot in both\nslots have 32 bits in a, 4 in b, which is not compared: the bytes of elements differ",
            ),
        ],
    )
    def test_how_it_ends(self, a, b, end):
        assert str(diff(a, b)).endswith(end)

    def test_shapes_that_differ_have_no_first_element(self):
        found = diff("f32[3]", "f32[3,1]")
        assert found
        assert (found.first, found.first_slots, found.count) == (None, None, None)

    def test_a_shape_given_apart(self):
        assert diff("{1,0}", "{0,1}", (3, 5)).first == (0, 1)
        assert not diff("{1,0}", "{0,1}", shape=[1, 7])

    def test_one_layout_that_has_the_shape_is_enough(self):
        assert diff(FIGURE_1, "{1,0}") == diff(FIGURE_1, "f32[3,5]{1,0}")
        assert diff("{1,0}", FIGURE_1) == diff("{1,0}", FIGURE_1, (3, 5))
        with pytest.raises(tl.ShapeError, match="says nothing of sizes"):
            diff("{1,0}", "{0,1}")

    @pytest.mark.parametrize(("a", "b"), [("nonsense", FIGURE_1), (FIGURE_1, None), ("{2,1,0}", FIGURE_1), (7, 7)])
    def test_what_is_no_layout(self, a, b):
        with pytest.raises(tl.LayoutError, match=r"the form of no notation|a layout is text|Dimensions size"):
            diff(a, b)
