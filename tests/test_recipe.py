"""A recipe does what the layout says: its steps, its code and its words, run on arrays."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tilelayout as tl
from strategies import shapes, strided_layouts
from strategies_written import some
from tilelayout import moves
from tilelayout.places import places
from tilelayout.recipes import recipe

FIGURE_1 = "f32[3,5]{1,0:T(2,2)}"


@st.composite
def nested(draw):
    """Layouts of axes split again and again, without remainder but at the end of an axis, in any order."""
    shape = draw(shapes)
    dims = moves.axes(shape)
    for _ in range(draw(st.integers(0, 5)) if dims else 0):
        at = draw(st.integers(0, len(dims) - 1))
        sizes = [size for size in (2, 3, 4, 8) if dims[at].reaches_the_end or dims[at].radix % size == 0]
        if sizes and draw(st.booleans()):
            dims = moves.split(dims, at, draw(st.sampled_from(sizes)))
        dims = moves.permute(dims, draw(st.permutations(range(len(dims)))))
    return moves.compact(shape, dims, multiple=draw(st.sampled_from([1, 1, 7])))


def numbered(layout):
    return np.arange(1, 1 + layout.size, dtype="i4").reshape(layout.shape)


def functions(text):
    names = {}
    exec(text, names)
    return names["pack"], names["unpack"]


def followed(steps, array, fill):
    """The array after the steps, by a reading of their fields that knows nothing of their code."""
    for step in steps:
        assert array.shape == step.before
        if step.action == "transpose":
            array = np.moveaxis(array, step.order, range(array.ndim))
        elif step.action == "reshape":
            array = np.array(array).ravel()[: np.prod(step.after, dtype=int)].reshape(step.after)
        else:
            resized = np.full(step.after, fill, array.dtype)
            shared = tuple(slice(min(sizes)) for sizes in zip(step.before, step.after, strict=True))
            resized[shared] = array[shared]
            array = resized
        assert array.shape == step.after
    return array


def check(layout):
    layout = tl.Layout(layout.shape, layout.digits, slots=layout.slots)  # of whatever element
    found = recipe(layout)
    array = numbered(layout)
    buffer = np.full(layout.slots, -1, "i4")
    buffer[layout.offsets()] = array
    pack, unpack = functions(found.code())
    for packed in (pack(array, fill=-1), tl.pack(array, layout, fill=-1), followed(found.steps, array, -1)):
        np.testing.assert_array_equal(packed, buffer, strict=True)
    np.testing.assert_array_equal(unpack(buffer), array, strict=True)
    np.testing.assert_array_equal(unpack(buffer), tl.unpack(buffer, layout), strict=True)
    np.testing.assert_array_equal(pack(array.tolist()) if array.size else pack(array), tl.pack(array, layout))


class TestRecipe:
    @given(nested())
    def test_splits_and_permutations_have_one(self, layout):
        check(layout)

    @given(strided_layouts(), st.sampled_from([1, 3]))
    def test_so_have_strides_that_divide_each_other(self, layout, apart):
        spread = tl.Layout(layout.shape, [digit._replace(stride=digit.stride * apart) for digit in layout.digits])
        for each in (layout, spread):
            try:
                places(each, "this test")
            except tl.NotExpressible:
                with pytest.raises(tl.NotExpressible):
                    recipe(each)
            else:
                check(each)

    @given(some())
    def test_any_layout_has_one_or_says_which_digit_has_none(self, layout):
        try:
            check(layout)
        except tl.NotExpressible as error:
            assert "is not expressible in pads, reshapes and transposes: " in str(error)

    def test_huge_layouts_are_only_numbers(self):
        found = recipe("f32[1000000000,1000000000]{1,0:T(8,128)}")
        assert found.steps[-1].after == (10**9 * (10**9),)

    @pytest.mark.parametrize(
        ("layout", "words"),
        [
            (FIGURE_1, "pad axis 0 from 3 to 4, axis 1 from 5 to 6; reshape to (2, 2, 3, 2); transpose (0, 2, 1, 3); flatten"),
            ("f32[3,128]{1,0:T(8,128)}", "pad axis 0 from 3 to 8; flatten"),
            ("f32[4,6]{1,0:T(2,2)L(100)}", "reshape to (2, 2, 3, 2); transpose (0, 2, 1, 3); flatten; pad the end from 24 to 100"),
            ("bf16[16,256]{1,0:T(8,128)(2,1)}", "reshape to (2, 4, 2, 2, 128); transpose (0, 3, 1, 4, 2); flatten"),
            ("f32[1,256]{1,0:T(8,128)}", "reshape to (2, 128); pad axis 1 from 128 to 1024; flatten"),
            ("f32[3,5]{0,1}", "transpose (1, 0); flatten"),
            ("f32[3,5]{1,0}", "flatten"),
            ("f32[5]{0:T(4)}", "pad the end from 5 to 8"),
            ("f32[]{:L(2)}", "flatten; pad the end from 1 to 2"),
            ("f32[0,5]{1,0}", "flatten"),
            ("f32[5]{0}", "nothing: the array is its own buffer"),
            ("cute:3:2", "reshape to (3, 1); pad axis 1 from 1 to 2; flatten; cut the end from 6 to 5"),
        ],
    )  # fmt: skip
    def test_words(self, layout, words):
        assert str(recipe(layout)) == words
        check(tl.layout(layout))

    def test_a_hole_inside_is_a_pad_between_reshapes(self):
        layout = tl.Layout((6, 2), [(0, 3, 2, 8), (0, 1, 3, 2), (1, 1, 2, 1)])
        assert str(recipe(layout)) == "reshape to (2, 3, 2); pad axis 1 from 3 to 4; flatten; cut the end from 16 to 14"
        check(layout)

    def test_equal_layouts_have_the_same(self):
        twice, once = tl.layout("affine_map<(d0) -> (d0, d0)>", (4,)), tl.layout("strides=(5,), slots=16", (4,))
        assert twice == once
        assert recipe(twice) == recipe(once)
        assert tl.formula(twice) == tl.formula(once)

    def test_a_shape_given_apart(self):
        assert recipe("{1,0:T(2,2)}", (3, 5)) == recipe(FIGURE_1, shape=[3, 5])

    def test_the_code_names_the_shape_and_needs_numpy_alone(self):
        code = recipe(FIGURE_1).code()
        assert re.findall(r"^(?:import|from) .*", code, re.MULTILINE) == ["import numpy as np"]
        assert '"""An array of shape (3, 5) as a buffer of 24 slots."""' in code

    @pytest.mark.parametrize(
        ("layout", "digit", "why"),
        [
            ("f32[3,5,7]{2,1,0:T(2,*,4)}", "digit ((7*x1 + x2) % 4) cannot", "it reads a sum of digits"),
            ("cute:S<1,0,2> o 0 o (4,4):(4,1)", "digit ((((4*x0 + x1) % 2) + ((4*x0 + x1) // 4 % 2)) % 2)", "it reads a sum of digits"),
            ("S<0,4,3> o 3 o (4,3):(1,4)", "digit (None, 1, 2, 3)", "the buffer's first 3 slots lie before the first element"),
            ("cute:(4,3):(-1,4)", "digit (0, 1, 4, -1)", "it walks backwards"),
            ("cute:(4,3):(0,1)", "", "the digits of axis 0 do not read each part of its 4 coordinates once"),
            ("cute:(4,3):(2,9)", "digit (1, 1, 3, 9)", "its stride is no multiple of 2"),
        ],
    )
    def test_what_has_none(self, layout, digit, why):
        with pytest.raises(tl.NotExpressible) as caught:
            recipe(layout)
        assert digit in str(caught.value)
        assert why in str(caught.value)

    @pytest.mark.parametrize("layout", ["nonsense", None, 7, "{1,0}"])
    def test_what_is_no_layout(self, layout):
        with pytest.raises(tl.LayoutError, match=r"the form of no notation|a layout is text|says nothing of sizes"):
            recipe(layout)
