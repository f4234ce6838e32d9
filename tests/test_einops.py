"""einops patterns, held against einops itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
import tilelayout as tl
from tilelayout import LayoutError, LayoutSyntaxError, NotExpressible, ShapeError
from tilelayout.notations import einops

NAMES = ["a", "b", "h", "w", "x1", "head_dim", "Q", "é"]


@st.composite
def patterns(draw):
    """A pattern, sizes for it, and a shape that it takes."""
    names = draw(st.permutations(NAMES))
    sizes = {name: draw(st.integers(1, 4)) for name in names}
    left, shape, given_sizes, used = [], [], {}, []
    groups = draw(st.lists(st.integers(0, 3), max_size=3))
    ellipsis_at = draw(st.integers(0, len(groups)) | st.none())
    for at, count in enumerate([*groups, None]):
        if at == ellipsis_at:
            left.append("...")
            shape += draw(st.lists(st.integers(1, 3), max_size=2))
        if count is None:
            break
        group, names = names[:count], names[count:]
        used += group
        left.append(
            group[0] if count == 1 and draw(st.booleans()) else f"({' '.join(group)})" if group else draw(st.sampled_from(["1", "()"]))
        )
        shape.append(int(np.prod([sizes[name] for name in group], dtype=int)))
        free = draw(st.sampled_from(group)) if group else None
        given_sizes |= {name: sizes[name] for name in group if name != free or draw(st.booleans())}
    right = draw(st.permutations([*used, *(["..."] if ellipsis_at is not None else [])]))
    if len(right) > 1 and draw(st.booleans()):
        right = [f"({right[0]} {right[1]})", "1", *right[2:]]
    return f"{' '.join(left)} -> {' '.join(right)}", given_sizes, tuple(shape)


@given(patterns())
def test_the_buffer_is_what_einops_makes(pattern):
    real = pytest.importorskip("einops")
    text, sizes, shape = pattern
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    parsed = einops.parse(", ".join([text, *(f"{name}={size}" for name, size in sizes.items())]))
    layout = parsed.bind(shape)
    assert np.array_equal(tl.pack(array, layout), real.rearrange(array, text, **sizes).ravel())
    assert layout.slots == array.size
    for said in (parsed, einops.express(layout)):
        assert einops.parse(str(said)) == said
        assert einops.recognizes(str(said))
        assert said.bind(shape) == layout
        pattern_text, *told = str(said).split(", ")
        again = real.rearrange(array, pattern_text, **{name: int(size) for name, size in (each.split("=") for each in told)})
        assert np.array_equal(again.ravel(), tl.pack(array, layout))


@pytest.mark.parametrize("pattern", ["a ... -> (...a)", "... -> ...1", "1... -> ...", "a... -> a ...", "a …b -> a … b", "a ......-> a ..."])
def test_an_ellipsis_stands_apart(pattern):
    """einops takes what is written against it for one name with it."""
    real = pytest.importorskip("einops")
    with pytest.raises(real.EinopsError):
        real.rearrange(np.zeros((1, 2)), pattern)
    with pytest.raises(LayoutSyntaxError, match=r"axes without names are written '\.\.\.', which stands apart"):
        einops.parse(pattern)


@given(strategies.layouts())
def test_what_is_said_is_equal_and_padding_is_refused(layout):
    try:
        said = einops.express(layout)
    except NotExpressible as error:
        assert "cannot be said" in str(error) or "slots hold no element" in str(error)
    else:
        assert layout.slots == layout.size
        assert einops.parse(str(said)).bind(layout.shape) == layout


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        # "packed" 6x8 of the field survey of layout notations: einops h (a b) -> a h b, b=4
        (tl.layout("{1,0:T(6,4)}", (6, 8)), "a (b c) -> b a c, c=4"),
        (tl.layout("cute:((2,4)):((4,1))"), "(a b) -> b a, b=2"),
        (tl.layout("{1,0}", (3, 1)), "a 1 -> a"),
        (tl.layout("{}", ()), "->"),
        (tl.Layout((0, 3), [], slots=0), "a b -> a b"),
        (tl.layout("{0,1,2}", (2, 3, 4)), "a b c -> c b a"),
    ],
)
def test_express(layout, expected):
    assert str(einops.express(layout)) == expected
    assert einops.parse(expected).bind(layout.shape) == layout


def test_names_go_on_after_z():
    shape = (2,) * 30
    said = str(einops.express(tl.Layout(shape, [(axis, 1, 2, 1 << 29 - axis) for axis in range(30)])))
    assert said.startswith("a b c ") and said.endswith(" z a1 b1 c1 d1")
    assert einops.parse(said).bind(shape).slots == 1 << 30


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        (
            tl.layout("{1,0:T(2,2)}", (3, 4)),
            "digit (0, 2, 2, 8) (axis, divisor, radix, stride) cannot be said: it does not divide its axis",
        ),
        (
            tl.layout("{0:T(8)}", (5,)),
            "it has room for 8 positions and takes 5; einops has no padding, and 3 of the 8 slots hold no element",
        ),
        (tl.layout("cute:(4,2):(1,8)"), "it has room for 8 positions and takes 4"),
        (tl.layout("cute:4:0"), "do not read each part of its 4 coordinates once"),
        (tl.layout("cute:4:-1"), "it walks backwards"),
        (tl.layout("S<1,0,2> o 0 o (4,4):(4,1)"), "it reads a sum of digits"),
        (tl.Layout((0, 3), [], slots=4), "4 of the 4 slots hold no element"),
    ],
)
def test_refusals_name_the_digit(layout, message):
    with pytest.raises(NotExpressible) as caught:
        einops.express(layout)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("h w -> h", "w stands on the left alone: all axes stand on the right too, as a layout reduces nothing"),
        ("h -> h w", "w stands on the right alone: all axes stand on the left too, as a layout repeats nothing"),
        ("... -> ", "... stands on the left alone"),
        ("h h -> h", "h stands twice on the left"),
        ("h -> h h", "h stands twice on the right"),
        ("h 2 -> h 2", "axis '2' has no name"),
        ("h 01 -> h", None),
        ("_h -> _h", "'_h' is no name of an axis"),
        ("2h -> 2h", "'2h' is no name of an axis"),
        ("(a (b c)) -> a b c", "parentheses do not stand in parentheses"),
        ("(a b -> a b", "expected the name of an axis, found '->'"),
        ("a) -> a", "expected the name of an axis, found ')'"),
        ("(... a) -> ... a", "on the left '...' stands for whole axes"),
        ("a . -> a", "expected the name of an axis, found '.'"),
        ("a b c", "expected '->', found the end of the text"),
        ("", "expected '->', found the end of the text"),
        ("a -> a -> a", "found '->'"),
        ("(a b) -> a b", "the sizes of a and b in (a b) cannot be told; give all but one, as in b=4"),
        ("a -> a, b=3", "'b'=3 is the size of no axis; the pattern has a"),
        ("a -> a, a=3, a=4", "a is given two sizes, 3 and 4"),
        ("a -> a, a=-1", "a=-1 is no size of an axis"),
        ("a -> a, a=" + "9" * 5000, "does not fit in 64 bits"),
        ("a -> a, a", "expected '='"),
        ("a -> a,", "expected the name of an axis, found the end of the text"),
        ("(" * 5000, "parentheses do not stand in parentheses"),
    ],
)
def test_bad_patterns_have_a_caret(text, message):
    if message is None:
        assert str(einops.parse(text)) == "h 1 -> h"
        return
    with pytest.raises(LayoutSyntaxError) as caught:
        einops.parse(text)
    assert message in str(caught.value)
    assert str(caught.value).count("^") >= 1


@pytest.mark.parametrize(
    ("text", "shape", "message"),
    [
        ("h (a b) -> a h b, b=3", (6, 8), "axis 1 is (a b) with b=3, whose size is a multiple of 3; it has 8"),
        ("h (a b) -> a h b, a=2, b=3", (6, 8), "axis 1 is (a b) with a=2, b=3, whose size is 6; it has 8"),
        ("h w -> w h", (2, 3, 4), "is for arrays of 2 dimensions; shape (2, 3, 4) has 3"),
        ("a ... b -> a b ...", (2,), "is for arrays of 2 or more dimensions; shape (2,) has 1"),
        ("a 1 -> a", (2, 2), "axis 1 is 1, whose size is 1; it has 2"),
        ("(a b) -> a b, a=0", (0,), "whose size is not told by 0"),
        ("a -> a", None, "does not say all sizes: give the shape of the array"),
        ("a -> a", (-1,), "negative extent"),
        ("a -> a", ("x",), "is no shape"),
    ],
)
def test_shapes_that_do_not_fit(text, shape, message):
    with pytest.raises(ShapeError) as caught:
        einops.parse(text).bind(shape)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: einops.parse(b"a -> a"), r"b'a -> a' is a bytes; it takes the text of a pattern"),
        (lambda: einops.Layout(3, ()), "is no pattern"),
        (lambda: einops.Layout((("a",),), ("a",), (("a", "x"),)), "is no pattern"),
        (lambda: einops.Layout(((5,),), (5,)), "5 is no name of an axis"),
        (lambda: einops.Layout((("a b",),), ("a b",)), "'a b' is no name of an axis"),
    ],
)
def test_values_that_are_no_patterns(make, message):
    with pytest.raises(LayoutError, match=message):
        make()
