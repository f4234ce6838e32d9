"""Reading and printing: what XLA's parser accepts, what it refuses, and what the refusals say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies_xla import layouts, shapes
from tilelayout import LayoutError, LayoutSyntaxError, ShapeError
from tilelayout.notations import xla
from tilelayout.sizes import MOST_LISTED

MIN = -(2**63)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("f32[2,3]", "f32[2,3]{1,0}"),
        ("f32[]", "f32[]"),
        ("f32[]{:T(128)}", "f32[]{:T(128)}"),
        ("u32[]{:S(2)}", "u32[]{:S(2)}"),
        ("f32[4]{0:}", "f32[4]{0}"),
        ("f32[4]{0:S(0)}", "f32[4]{0}"),
        ("f32[4]{0:L(1)}", "f32[4]{0}"),
        ("f32[4]{0:M(-4)}", "f32[4]{0}"),
        ("f32[01,2]{01,0}", "f32[1,2]{1,0}"),
        ("s8[4]{0:E(8)}", "s8[4]{0:E(8)}"),
        ("f32[4]{0:E(32)}", "f32[4]{0:E(32)}"),
        ("f32[2,3]{1,0:D(D,C)}", "f32[2,3]{1,0}"),
        ("f32[2,3]{1,0:D(D,C+~)T(2,2)}", "f32[2,3]{1,0:T(2,2)}"),
        ("f32[2,3]{1,0:D(S,H)}", "f32[2,3]{1,0}"),
        ("f32[2,3]{1,0:SC(1:2)(0:1)}", "f32[2,3]{1,0:SC(1:2)(0:1)}"),
        ("f32[2,3]{1,0:SC(1:)}", "f32[2,3]{1,0:SC(1:)}"),
        ("f32[2,3]{1,0:T(2,*)}", "f32[2,3]{1,0:T(2,*)}"),
        (f"f32[2,3]{{1,0:T(2,{MIN})}}", "f32[2,3]{1,0:T(2,*)}"),
        ("f32[<=2,3]", "f32[<=2,3]{1,0}"),
        ("f32[?,3]", "f32[?,3]{1,0}"),
        ("f32[0,3]{1,0:T(8,128)}", "f32[0,3]{1,0:T(8,128)}"),
        ("f32[3]{0:T(8,128)}", "f32[3]{0:T(8,128)}"),
        ("f32[ 2 , 3 ] {1, 0 : T( 2 , * ) (2,1)/*x*/S( 1 )}", "f32[2,3]{1,0:T(2,*)(2,1)S(1)}"),
        ("\tf32\r\n[2]// rows\n{0} /**/ ", "f32[2]{0}"),
        ("token[]", "token[]"),
        ("opaque[]", "opaque[]"),
        ("()", "()"),
        ("(f32[], (token[]))", "(f32[], (token[]))"),
        ("b(f32[2,3]{1,0:T(2,2)})", "b(f32[2,3]{1,0:T(2,2)})"),
        ("(b(f32[2]),s4[1])", "(b(f32[2]{0}), s4[1]{0})"),
        (f"({','.join(['f32[1]'] * 7)})", "(f32[1]{0}, f32[1]{0}, f32[1]{0}, f32[1]{0}, f32[1]{0}, /*index=5*/f32[1]{0}, f32[1]{0})"),
        ("pred[64,512]{1,0:T(8,128)E(32)}", "pred[64,512]{1,0:T(8,128)E(32)}"),  # 2019 and 2020
        ("bf16[]{:T(512)(2,1)}", "bf16[]{:T(512)(2,1)}"),  # 2019
    ],
)
def test_shapes_that_are_read(text, printed):
    shape = xla.parse_shape(text)
    assert str(shape) == printed
    assert xla.parse_shape(printed) == shape


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "{1,0}",
        "{:T(128)}",
        "{3,2,1,0:T(42,123)(4,5)}",
        "{3,2,1,0:T(*,*,42,123)}",
        "{3,2,1,0:L(100)}",
        "{3,2,1,0:#(u32)}",
        "{3,2,1,0:#(s32)}",
        "{3,2,1,0:*(u16)}",
        "{3,2,1,0:E(42)}",
        "{3,2,1,0:S(3)}",
        "{0,1:SC(0:3)(1:0,4)}",
        "{0,1:P(s32[10,20]{1,0})}",
        "{0,1:M(123)}",
        "{3,2,1,0:T(42,123)(4,5)L(100)E(42)}",
        "{0:T(2)L(3)#(u32)*(u16)E(4)S(-128)SC(0:1)P(b(f32[2]{0}))M(9)}",
    ],
)
def test_layouts_that_print_as_written(text):
    """The print tests of layout_test.cc, and one with everything."""
    assert str(xla.parse_layout(text)) == text


def test_an_index_type_that_is_no_integer_is_invalid():
    assert str(xla.parse_layout("{0:#(f32)*(pred)}")) == "{0:#(invalid)*(invalid)}"


@pytest.mark.parametrize(
    ("text", "kind", "position"),
    [
        ("f32[]{}", LayoutSyntaxError, 6),
        ("f32[2,3]{}", LayoutSyntaxError, 9),
        ("token[]{}", LayoutSyntaxError, 8),
        ("token[]{0}", LayoutSyntaxError, 5),
        ("token[3]", LayoutSyntaxError, 5),
        ("opaque[2]", LayoutSyntaxError, 6),
        ("f32[2,3]{0,0}", LayoutSyntaxError, 11),
        ("f32[2,3]{2,1}", LayoutSyntaxError, 9),
        ("f32[2,3]{0, /* , */ -1}", LayoutSyntaxError, 20),
        ("f32[2,3]{1,0,}", LayoutSyntaxError, 13),
        ("f32[4]{0:S(1)T(4)}", LayoutSyntaxError, 13),
        ("f32[2,3]{1,0:L(4)T(2,2)}", LayoutSyntaxError, 17),
        ("f32[2,3]{1,0:S(1)E(4)}", LayoutSyntaxError, 17),
        ("f32[2,3]{1,0:*(u16)#(u32)}", LayoutSyntaxError, 19),
        ("f32[2,3]{1,0:T(2,2)T(2,1)}", LayoutSyntaxError, 19),
        ("f32[2,3]{1,0:T(2,2),T(2,1)}", LayoutSyntaxError, 19),
        ("f32[2,3]{1,0:T(2,2)X(3)}", LayoutSyntaxError, 19),
        ("f32[2,3]{1,0:t(2,2)}", LayoutSyntaxError, 13),
        ("f32[2,3]{1,0:T2,2}", LayoutSyntaxError, 13),
        ("f32[2,3]{1,0:T:(2,2)}", LayoutSyntaxError, 14),
        ("f32[2,3]{1,0:(2,2)}", LayoutSyntaxError, 13),
        ("f32[2,3]{1,0,T(2,2)}", LayoutSyntaxError, 13),
        ("f32[4]{0:T(0)}", LayoutSyntaxError, 11),
        ("f32[4,4]{1,0:T(2,-1)}", LayoutSyntaxError, 17),
        ("f32[4]{0:L(0)}", LayoutSyntaxError, 9),
        ("f32[4]{0:T(4)S(200)}", LayoutSyntaxError, 13),
        ("f32[4]{0:S(-129)}", LayoutSyntaxError, 9),
        ("f32[4]{0:E(-4)}", LayoutSyntaxError, 9),
        ("f32[2,3]{1,0:D(X,C)}", LayoutSyntaxError, 15),
        ("f32[2,3]{1,0:D(C~+)}", LayoutSyntaxError, 17),
        ("f32[2,3]{1,0:T(2,2)D(D,C)}", LayoutSyntaxError, 19),
        ("f32[2,3]{1,0:T(2,2}", LayoutSyntaxError, 18),
        ("f32[4]{0:S(1}", LayoutSyntaxError, 12),
        ("f32[4]{0:SC(0:1}", LayoutSyntaxError, 15),
        ("f32[4]{0:SC(0:1,)}", LayoutSyntaxError, 16),
        ("f32[2,3]{1,0:D(D,C}", LayoutSyntaxError, 18),
        ("f32[<=?,3]", LayoutSyntaxError, 6),
        ("f32[-2,3]", LayoutSyntaxError, 4),
        ("f32[+2]", LayoutSyntaxError, 4),
        ("f32[0x2]", LayoutSyntaxError, 5),
        ("f32[1_0]", LayoutSyntaxError, 5),
        ("f32[2.5]", LayoutSyntaxError, 5),
        ("f32[\u0663]", LayoutSyntaxError, 4),
        ("f32[18446744073709551615]", LayoutSyntaxError, 4),
        ("f32[2,3", LayoutSyntaxError, 7),
        ("f32[2] f32[3]", LayoutSyntaxError, 7),
        ("f32[2] /* x", LayoutSyntaxError, 7),
        ("(f32[2],)", LayoutSyntaxError, 8),
        ("(f32[2]){0}", LayoutSyntaxError, 8),
        ("b(b(f32[2]))", LayoutSyntaxError, 0),
        ("b((f32[2]))", LayoutSyntaxError, 0),
        ("b(token[])", LayoutSyntaxError, 0),
        ("opaque_type[]", LayoutSyntaxError, 0),
        ("tuple[2]", LayoutSyntaxError, 0),
        ("F32[2]", LayoutSyntaxError, 0),
    ],
)
def test_text_that_is_no_shape(text, kind, position):
    with pytest.raises(kind) as caught:
        xla.parse_shape(text)
    assert caught.value.position == position


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f32[4]{:T(128)}", "Dimensions size is 1, but minor to major size is 0"),
        ("f32[2,3]{0}", "Dimensions size is 2, but minor to major size is 1"),
        ("f32[]{0}", "Dimensions size is 0, but minor to major size is 1"),
        ("f32[4]{0:T()}", "empty tile"),
        ("f32[2,3]{1,0:#(u32)}", "not for a sparse array"),
        ("f32[2,3]{1,0:*(u16)}", "not for a sparse array"),
        ("f32[6]{0:P(f32[6]{0})}", "physical shape .* not for a sparse array"),
        ("f32[4,4]{1,0:SC(5:2)}", "physical dimension 5 of 2"),
        ("f32[4,4]{1,0:SC(-1:2)}", "physical dimension -1 of 2"),
        ("f32[4,4]{1,0:SC(1:2,1)}", "increase strictly"),
        ("f32[4,4]{1,0:SC(1:0,1)}", "above 0"),
        ("f32[4,9]{1,0:SC(0:4)}", "below 4"),
        ("f32[4,9]{0,1:SC(0:9)}", "below 9"),
        ("f32[4,4]{1,0:SC(1:2)(1:3)}", "dimension 1 twice"),
        ("f32[9223372036854775807,9]", "Dimensions overflow"),
    ],
)
def test_layouts_that_do_not_fit_their_array(text, message):
    with pytest.raises(ShapeError, match=message):
        xla.parse_shape(text)


@pytest.mark.parametrize(
    ("text", "under"),
    [
        ("(s8[], f32[2,3]{0:T(8)})", "{0:T(8)})"),
        ("f32[4]{0:T()E(32)}", "T()E(32)}"),
        ("f32[2,3]{1,0:T(2,2)#(u32)*(u16)}", "#(u32)*(u16)}"),
        ("f32[2,3]{1,0:T(2,*)*(u16)}", "*(u16)}"),
        ("f32[6]{0:S(1)P(f32[6]{0:T(4)})}", "P(f32[6]{0:T(4)})}"),
        ("f32[4,4]{1,0:T(2,2)S(1)SC(5:2)}", "SC(5:2)}"),
        ("(f32[9223372036854775807,9]{1,0:SC(5:2)})", "f32[9223372036854775807,9]{1,0:SC(5:2)})"),
    ],
)
def test_the_caret_is_under_what_does_not_fit(text, under):
    with pytest.raises(ShapeError) as caught:
        xla.parse_shape(text)
    _, shown, caret = str(caught.value).splitlines()[:3]
    assert shown.strip() == text
    assert shown[caret.index("^") :] == under


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("bf16[4,8]{1,0,T(8,128)}", "{1,0:T(8,128)}"),
        ("f32[3,5]{1,0:(2,2)}", "{1,0:T(2,2)}"),
        ("f32[3,5]{1,0:(2,2)(2,1)}", "{1,0:T(2,2)(2,1)}"),
        ("f32[3,5]{1,0:T(2,2)T(2,1)}", "{1,0:T(2,2)(2,1)}"),
        ("f32[3,5]{1,0:T(2,2),(2,1)}", "{1,0:T(2,2)(2,1)}"),
        ("f32[3,5]{1,0:t(2,2)}", "{1,0:T(2,2)}"),
        ("f32[3,5]{1,0:T2,2}", "{1,0:T(2,2)}"),
        ("f32[3,5]{1,0:S(1)T(2,2)}", "{1,0:T(2,2)S(1)}"),
        ("f32[3,5]{1,0:T(2,2}", "{1,0:T(2,2)}"),
        ("f32[3,5]{1,0:SC(0:1}", "{1,0:SC(0:1)}"),
        ("f32[3,5]{1,0", "{1,0}"),
        ("f32[3,5]{1,0,}", "{1,0}"),
        ("(f32[2]{0}, f32[3,5]{1 0})", "{1,0}"),
        ("f32[3,5]{1,0:T(-1,2)}", "T(*,128)"),
        ("F32[3,5]{1,0}", "'f32'"),
        ("float32[3]", "'f32'"),
        ("bfloat16[3]", "'bf16'"),
        ("bool[3]", "'pred'"),
        ("int8[3]", "'s8'"),
        ("uint4[3]", "'u4'"),
        ("i32[3]", "'s32'"),
        ("complex64[3]", "'c64'"),
        ("float8_e4m3fn[3]", "'f8e4m3fn'"),
        ("f8e4m3f[3]", "'f8e4m3fn'"),
        ("float8_e4m3b11fnux[3]", "'f8e4m3b11fnuz'"),  # as long as the longest name
        ("double[3]", "'f64'"),
        ("TOKEN[]", "'token'"),
        ("(f33[3])", "'f32'"),
        ("xyzzy[3]", "element types are pred, "),
        ("f32", "f32[]"),
        ("f32{1,0}", "in brackets"),
        ("[3,5]{1,0}", "f32[3,5]"),
        ("{1,0}", "parse_layout"),
        ("", "f32[3,5]{1,0:T(2,2)}"),
        ("  ", "f32[3,5]{1,0:T(2,2)}"),
        ("f32[3]{}", "left out"),
        ("tuple[3]", "(f32[2], s32[])"),
    ],
)
def test_hints_name_the_right_spelling(text, right):
    with pytest.raises(LayoutSyntaxError) as caught:
        xla.parse_shape(text)
    assert right in (caught.value.hint or "")
    assert str(caught.value).endswith(caught.value.hint)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("{1,0:(8,128)}", "{1,0:T(8,128)}"),
        ("{(8,128)}", "{:T(8,128)}"),
        ("{1 0:T(8 128)(2 1)}", "{1,0:T(8,128)(2,1)}"),
        ("{0:(2)L(2)#(u32)*(u32)E(8)S(1)SC(0:1)P(f32[2])M(8)}", "{0:T(2)L(2)#(u32)*(u32)E(8)S(1)SC(0:1)P(f32[2])M(8)}"),
        ("{1,0:(2,2)" + 389 * " " + "}", "{1,0:T(2,2)}"),  # 400 characters
    ],
)
def test_hints_for_a_layout_alone(text, right):
    with pytest.raises(LayoutSyntaxError) as caught:
        xla.parse_layout(text)
    assert caught.value.hint == f"did you mean {right}?"


def test_only_the_layout_of_a_hint_is_bounded():
    """At 400 characters, whatever stands before it."""
    with pytest.raises(LayoutSyntaxError, match=r"did you mean \{1,0:T\(2,2\)\}"):
        xla.parse_shape("(" + "f32[2], " * 100 + "f32[3,5]{1,0:(2,2)})")
    with pytest.raises(LayoutSyntaxError) as caught:
        xla.parse_layout("{1,0:(2,2)" + 390 * " " + "}")
    assert caught.value.hint is None


@pytest.mark.parametrize(
    "text",
    [
        "f32[]{:()}",
        "f32[3]{0:T(8)S()}",
        "f32[3,5]{1,0:X(2)}",
        "f32[3,5]{1,0:T[2,2]}",
        "f32[3,5]{T(2,2)}",
        "f32[3,5]{1,0:S(1)S(2)}",
        "f32[2]// {(\0(\udcb8\n\0",
    ],
)
def test_no_hint_that_would_not_be_read(text):
    with pytest.raises(LayoutSyntaxError) as caught:
        xla.parse_shape(text)
    assert caught.value.hint is None


def test_a_shape_where_a_layout_is_expected():
    with pytest.raises(LayoutSyntaxError) as caught:
        xla.parse_layout("f32[3]{0}")
    assert "parse_shape" in caught.value.hint


@pytest.mark.parametrize("value", [None, 3, b"f32[3]", ["f32[3]"]])
def test_what_is_no_text(value):
    for read in (xla.parse, xla.parse_shape, xla.parse_layout):
        with pytest.raises(LayoutError, match=r"is an? .*; it takes XLA's text"):
            read(value)


def test_nesting_is_bounded():
    deepest = "(" * 100 + ")" * 100
    assert str(xla.parse_shape(deepest)) == deepest
    wide = f"({', '.join(['(f32[2])'] * 200)})"
    assert len(xla.parse_shape(wide).parts) == 200
    for text in ("(" * 101 + ")" * 101, "(" * 100_000, "b(" * 100_000, "f32[2]{0:P(" * 100_000):
        with pytest.raises(LayoutSyntaxError, match="nested more than 100 deep"):
            xla.parse_shape(text)


@pytest.mark.parametrize("text", ["f32[{}]", "f32[-{}]", "f32[2]{{0:T({})}}", "f32[2]{{0:E({})}}", "f32[2]{{{}}}"])
def test_huge_numbers_are_refused_at_once(text):
    with pytest.raises(LayoutSyntaxError, match="does not fit in 64 bits"):
        xla.parse_shape(text.format("9" * 100_000))


def test_leading_zeros_do_not_make_a_number_huge():
    assert xla.parse_shape(f"f32[{'0' * 100_000}7]").dims == (7,)


@given(shapes())
def test_shapes_round_trip(shape):
    assert xla.parse_shape(str(shape)) == shape
    assert xla.parse(str(shape)) == shape
    assert str(xla.parse_shape(str(shape))) == str(shape)


@given(layouts())
def test_layouts_round_trip(layout):
    assert xla.parse_layout(str(layout)) == layout
    assert xla.parse(str(layout)) == layout


@given(shapes(), st.data())
def test_damaged_text_raises_nothing_but_layout_errors(shape, data):
    text = str(shape)
    begin = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(begin, min(len(text), begin + 4)))
    damaged = text[:begin] + data.draw(st.text("{}[]()<=?,:*#TLESCPMDb019-/ \n", max_size=3)) + text[end:]
    try:
        read = xla.parse_shape(damaged)
    except LayoutError as error:
        assert str(error)
    else:
        assert xla.parse_shape(str(read)) == read


@pytest.mark.parametrize(
    "text", ["f32[3]", "F32 [3]", "float32[3]", "{1,0}", "{", " /* c */ (f32[2])", "((s8[2]))", "b(f32[2])", "f32", "token[]"]
)
def test_forms_that_are_xla(text):
    assert xla.recognizes(text)


@pytest.mark.parametrize("text", ["", "(4,2):(2,1)", "[1, 0, 1 p(4)]", "4:1", "_4:_1", "()", "nchw", "b"])
def test_forms_that_are_not(text):
    assert not xla.recognizes(text)


def test_no_form_of_what_is_no_text():
    assert xla.recognizes(3) is False


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f32[-1]", "dimension -1 is negative"),
        ("f32[4]{0:T(2)L(4)T(2)}", "property T is given twice"),
        ("f32[4]{0:L(4)T(2)}", "property T is out of order"),
        ("f32[10]{0:SC(0:3 4)}", r"expected '\)', found '4'"),
        ("f32[3] /* x", "a comment that is not closed"),
        ("f32[3] x", "found 'x'"),
        ("(" + "(f32[]," * 500 + "f32[]" + ")" * 501, "nested more than"),
        ("(" + "((),f32[]," * 500 + "f32[]" + ")" * 501, "nested more than"),
    ],
)
def test_what_is_wrong_is_said(text, message):
    with pytest.raises(LayoutSyntaxError, match=message):
        xla.parse_shape(text)


@pytest.mark.parametrize(("order", "value"), [("2,0", 2), ("-1,0", -1), ("0,5", 5)])
def test_the_number_that_names_no_dimension(order, value):
    with pytest.raises(LayoutError, match=f"has the out-of-bounds value {value}"):
        xla.parse_layout(f"{{{order}}}")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: xla.Layout((1, 0), tiles=[("8",)]), "is no sequence of sizes"),
        (lambda: xla.Layout((1, 0), tiles=[("8", "*")]), "is no sequence of sizes"),
        (lambda: xla.Shape("f32", (2.5,)), "are no sequence of sizes"),
        (lambda: xla.Shape("f32", 3), "are no sequence of sizes"),
        (lambda: xla.Shape("f32", (2,), dynamic=(2,)), "is no sequence of flags"),
        (lambda: xla.Shape("f32", (2,), dynamic=(-1,)), "is no sequence of flags"),
        (lambda: xla.Shape("f32", (2,), dynamic=("yes",)), "is no sequence of flags"),
        (lambda: xla.parse_shape("f32[2,3]{1,0:SC(2:1)}"), "splits physical dimension 2 of 2"),
        (lambda: xla.parse_shape("f32[2,3]{1,0:SC(-1:1)}"), "splits physical dimension -1 of 2"),
        (lambda: xla.parse_shape("f32[?,4]{1,0:SC(0:1)}"), "splits physical dimension 0, which is unbounded"),
        (lambda: xla.parse_shape("f32[4]{0:SC(0:0)}"), "lie above 0 and below 4"),
        (lambda: xla.parse_shape("f32[4]{0:SC(0:4)}"), "lie above 0 and below 4"),
    ],
)
def test_fields_that_cannot_be(make, message):
    with pytest.raises(LayoutError, match=message):
        make()


def test_the_most_dimensions():
    assert xla.Layout.descending(MOST_LISTED).rank == MOST_LISTED
    with pytest.raises(ShapeError, match="no number of dimensions"):
        xla.Layout.descending(MOST_LISTED + 1)


def test_fields_that_can_be():
    assert xla.Layout((1, 0), tiles=[("*", 8)]).tiles == ((xla.COMBINE, 8),)
    for flags in ((1, 0), (True, False), (np.True_, np.False_), (np.int8(1), 0)):
        assert xla.Shape("f32", (2, 3), dynamic=flags).dynamic == (True, False)
    for text in ("f32[?,4]{1,0:SC(0:)(1:1)}", "f32[<=4]{0:SC(0:3)}", "f32[0]{0:SC(0:)}"):
        assert str(xla.parse_shape(text)) == text


@pytest.mark.parametrize("innermost", [xla.Shape("f32", (2,)), xla.Shape("token"), xla.Shape("tuple")], ids=str)
def test_shapes_of_100_levels_are_read_as_printed(innermost):
    shape = innermost
    for _ in range(99):
        shape = xla.Shape("tuple", parts=(shape,))
    assert xla.parse_shape(str(shape)) == shape == xla.from_proto(xla.to_proto(shape))
    with pytest.raises(LayoutError, match="shapes nested 101 deep are deeper than 100"):
        xla.Shape("tuple", parts=(shape,))


def test_the_depth_of_a_shape_is_counted():
    with pytest.raises(TypeError, match="_depth"):
        xla.Shape("f32", (2,), _depth=-100)


@pytest.mark.parametrize(
    ("field", "least", "most"),
    [
        ("tail_padding_alignment_in_elements", 1, 2**63 - 1),
        ("element_size_in_bits", 0, 2**63 - 1),
        ("memory_space", -128, 127),
        ("dynamic_shape_metadata_prefix_bytes", 0, 2**63 - 1),
    ],
)
def test_numbers_of_a_layout_have_bounds(field, least, most):
    for number in (least, most):
        assert getattr(xla.Layout((0,), **{field: number}), field) == number
    for number in (least - 1, most + 1):
        with pytest.raises(LayoutError, match="is out of range"):
            xla.Layout((0,), **{field: number})


def test_parts_of_any_depth_are_counted():
    """The deepest counts, not the shallowest."""
    deep = xla.Shape("f32", ())
    with pytest.raises(LayoutError, match="nested"):
        for _ in range(1000):
            deep = xla.Shape("tuple", parts=(xla.Shape("f32", ()), deep))
