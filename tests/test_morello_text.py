"""Morello's texts: what it prints, its macro, its Rust, and texts that are none of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies_morello import layouts
from tilelayout import LayoutError, LayoutSyntaxError
from tilelayout.notations import morello
from tilelayout.notations.morello import PhysDim


@given(layouts())
def test_text_is_read_back(layout):
    assert morello.parse(str(layout), normalized=False) == layout
    assert morello.parse(str(layout)) == morello.Layout(layout.dims, layout.contig)
    assert morello.recognizes(str(layout))


@given(layouts())
def test_rust_is_read(layout):
    names = {PhysDim.Packed: "Packed", PhysDim.OddEven: "OddEven"}
    kinds = [(dim, names.get(type(kind), "Dynamic"), getattr(kind, "size", None)) for dim, kind in layout.dims]
    debug = ", ".join(f"({dim}, {name}{'' if size is None else f'({size})'})" for dim, name, size in kinds)
    text = f"Layout {{ dims: [{debug}], contig: {layout.contig} }}"
    assert morello.parse(text, normalized=False) == layout
    made = "".join(f"  ({dim}, PhysDim::{name}{'' if size is None else f'(nz!({size}u32))'}),\n" for dim, name, size in kinds)
    whole = f"Layout::new(vec![\n{made}])"
    assert morello.parse(whole) == morello.Layout(layout.dims)
    macro = f"layout!{str(morello.Layout(layout.dims, normalized=False)).replace('NHWC', '[0, 2, 3, 1]')}"
    assert morello.parse(macro) == morello.Layout(layout.dims)
    assert all(map(morello.recognizes, (text, whole, macro)))


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("[0, 1, 0 p(4), 1 oe(16)]", "[0, 1, 0 p(4), 1 oe(16)]"),
        (" [ 1,0 ,1 p ( 4 ) ]\n", "[1, 0, 1 p(4)]"),
        ("[1,0,1p(4)]", "[1, 0, 1 p(4)]"),
        ("[]", "[]"),
        ("NHWC", "NHWC"),
        ("[0, 2, 3, 1]", "NHWC"),
        ("(NHWC, c2)", "(NHWC, c2)"),
        ("(NHWC, c4)", "NHWC"),
        ("([0, 1, 0 p(4)], c2)", "([0, 1, 0 p(4)], c2)"),
        ("([3], c0)", "([3], c0)"),
        ("[0, 0 p(4)]", "[0]"),
        ("[0 p(2), 0 p(4)]", "[0 p(8)]"),
        ("layout![0, 1 p(8)]", "[0, 1 p(8)]"),
        ("layout![0 oe(16), 1]", "[0 oe(16), 1]"),
        ("layout![0,, 1 p(8),,]", "[0, 1 p(8)]"),
        ("layout![]", "[]"),
        ("layout![\n  0,\n  1,\n  2, // will be dropped\n  1 p(256), // after, contig. with above\n  1 p(4),\n]", "[0, 1, 2, 1 p(1024)]"),
        ("Layout { dims: [(0, Dynamic), (1, Dynamic), (0, Packed(4))], contig: 3 }", "[0, 1, 0 p(4)]"),
        ("Layout { dims: [(0, Dynamic), (1, OddEven(4))], contig: 1 }", "([0, 1 oe(4)], c1)"),
        ("Layout { dims: [], contig: 0 }", "[]"),
        ("Layout {\n dims: [\n (\n 0,\n Dynamic,\n ),\n (\n 1,\n Packed(\n 4,\n ),\n ),\n ],\n contig: 2,\n}", "[0, 1 p(4)]"),
        ("Layout::new(vec![(1, PhysDim::Dynamic), (1, PhysDim::Packed(nz!(4u32)))])", "[1]"),
        ("Layout::new(vec![])", "[]"),
        ("morello::layout::Layout::new(vec![(0u8, layout::PhysDim::OddEven(8_u32))])", "[0 oe(8)]"),
        (
            "Layout::new(vec![\n  (1, PhysDim::Dynamic),\n  (0, PhysDim::Dynamic),\n  (1, PhysDim::Packed(nz!(4u32))),\n])",
            "[1, 0, 1 p(4)]",
        ),
        ("Layout::new(vec![\n    (1, PhysDim::Dynamic),\n    (0, PhysDim::Dynamic)\n])", "[1, 0]"),
    ],
)
def test_forms(text, printed):
    """The last two are the listings of Morello's book, "Data Layouts", as they stand."""
    assert str(morello.parse(text)) == printed
    assert morello.recognizes(text)


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        ("", 0, "expected a layout, found the end of the text\n*[1, 0, 1 p(4)], NHWC or ([0, 1], c1)"),
        ("nhwc", 0, "did you mean NHWC?"),
        ("NCHW", 0, "[0, 1, 2, 3]"),
        ("row_major", 0, "morello.row_major(shape)"),
        ("[0, 1", 5, "found the end of the text"),
        ("[0, 1]]", 6, "expected the end of the text, found ']'"),
        ("[0 1]", 3, "a dimension is written 0, 0 p(4) or 0 oe(16)"),
        ("[0,, 1]", 3, "expected the number of a dimension, found ','"),
        ("[a]", 1, "expected the number of a dimension, found 'a'"),
        ("[0, 1 p4]", 6, "did you mean p(4)?"),
        ("[0, 1 oe16]", 6, "did you mean oe(16)?"),
        ("[0, 1 P(4)]", 6, "did you mean p(4)?"),
        ("[0, 1 OE(8)]", 6, "did you mean oe(8)?"),
        ("[0, 1 packed(4)]", 6, "did you mean p(4)?"),
        ("[0, 1 q(4)]", 6, "expected p(size), oe(size), ',' or ']', found 'q'\n*a dimension is written"),
        ("[0, 1 p 4]", 8, "expected '(', found '4'"),
        ("[0, 1 p()]", 8, "expected a size, found ')'"),
        ("[0, 1 p(4]", 9, "expected ')'"),
        ("[0, 1 p(1)]", 8, "2 or more"),
        ("[0, 1 p(-4)]", 8, "Packed(-4)"),
        ("[0, 1 oe(3)]", 9, "4 would be right"),
        ("[0, 1 p(9223372036854775808)]", 8, "64 bits"),
        ("[-1]", 1, "-1 is no logical dimension"),
        ("[0, 256]", 4, "256 is no logical dimension: Morello numbers them from 0 to 255"),
        ("[0, 1, 0]", 7, "more than one Dynamic of dimension 0"),
        ("[0 p(2), 1, 0]", 12, "0 p(2) outside of 0"),
        ("[0 oe(4), 0 oe(4)]", 10, "side by side"),
        ("([0, 1])", 7, "expected ','"),
        ("([0, 1], 2)", 9, "it is written c2"),
        ("([0, 1], c3)", 9, "contig=3 of 2 physical dimensions; it is 0 to 2"),
        ("([0, 1], c1", 11, "expected ')'"),
        ("([0 p(2), 1, 0], c1)", 13, "outside of 0"),
        ("layout!(0)", 7, "expected '['"),
        ("Layout::new([])", 12, "expected 'vec!'"),
        ("Layout::empty()", 0, "Layout::empty makes no layout\n*it is Layout::new(vec![(0, PhysDim::Dynamic)])"),
        ("Layout::new(vec![(0, PhysDim::Strided(4))])", 21, "Strided is no kind of physical dimension\n*PhysDim::OddEven(n)"),
        ("Layout::new(vec![(0, Dynamic)", 29, "expected ','"),
        ("Layout { dims: [(0, Dynamic)], contig: 2 }", 39, "contig=2"),
        ("Layout { dims: [(0, Dynamic)] }", 30, "expected ','"),
        ("Layout", 6, "expected '{'"),
        ("Layout::new(vec![(0, PhysDim::Packed(nz!(nz!(4))))])", 41, "expected a size"),
        ("layout![0 p(2), 1, 0]", 19, "outside of 0"),
        ("layout![0, // p(2)\n 1 p()]", 24, "expected a size"),
        ("layout![0, 1 // ]", 17, "found the end of the text"),
    ],
)
def test_texts_that_are_no_layout(text, at, message):
    with pytest.raises(LayoutSyntaxError) as caught:
        morello.parse(text)
    assert caught.value.position == at
    for part in message.split("\n*"):
        assert part in str(caught.value)


@pytest.mark.parametrize("text", [None, 3, b"[0]", ["[0]"], morello.Layout([])])
def test_what_is_no_text(text):
    with pytest.raises(LayoutError, match=r"is an? .*; it takes Morello's text"):
        morello.parse(text)


@given(st.text(alphabet="[](){},: 0123456789pocewNHWCLayoutnew!vd<-_\n", max_size=40))
def test_no_text_does_more_than_raise_a_syntax_error(text):
    try:
        layout = morello.parse(text)
    except LayoutSyntaxError:
        return
    assert morello.parse(str(layout)) == layout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[" * 100_000, r"expected the number of a dimension, found '\['"),
        ("(" * 100_000, r"expected a layout, found '\('"),
        ("[0" + ", 1" * 100_000 + "]", "at most 255 physical dimensions"),
        ("[" + "9" * 100_000 + "]", "does not fit in 64 bits"),
        ("Layout" + "::a" * 10_000, "makes no layout"),
    ],
    ids=lambda text: text[:9],
)
def test_long_texts(text, said):
    with pytest.raises(LayoutSyntaxError, match=said):
        morello.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "f32[3,5]{1,0}",
        "{1,0:T(2,2)}",
        "(4,(2,4)):(2,(1,8))",
        "4:1",
        "nhwc",
        "NHWC4c",
        "a b -> b a",
        "Layout<_4>",
        "(f32[2], s32[])",
        "layout[0]",
    ],
)
def test_texts_of_other_languages(text):
    assert not morello.recognizes(text)


@pytest.mark.parametrize(("digits", "hint"), [(23, "did you mean p"), (24, "a dimension is written")])
def test_sizes_are_repeated_while_they_are_short(digits, hint):
    with pytest.raises(LayoutSyntaxError, match=hint):
        morello.parse(f"[0, 0 pack({'4' * digits})]")
