"""oneDNN's format tags and memory descriptors."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
import tilelayout as tl
from tilelayout.elements import Element
from tilelayout.errors import LayoutError, LayoutSyntaxError, NotExpressible, ShapeError
from tilelayout.notations import onednn

#: All of dnnl_format_tag_t of oneDNN 3.13 (oneapi/dnnl/dnnl_types.h), with the tag that an alias is set equal to.
HEADER = [line.split("\t") for line in (Path(__file__).parent / "data" / "onednn_tags.tsv").read_text().splitlines()]


def test_every_tag_of_the_header_is_what_the_header_says():
    assert len(HEADER) == 1671
    for name, tag in HEADER:
        assert onednn.recognizes(name), name
        assert str(onednn.parse(name)) == str(onednn.parse(f"dnnl_{name}")) == tag, name


@pytest.mark.parametrize(
    ("text", "shape", "slots", "some"),
    [
        ("nchw", (2, 3, 4, 5), 120, {(1, 2, 3, 4): 119, (0, 1, 0, 0): 20}),
        ("nhwc", (2, 3, 4, 5), 120, {(0, 1, 0, 0): 1, (0, 0, 0, 1): 3, (1, 0, 0, 0): 60}),
        # "nChw8c": channel blocks outside, 8 channels inside (dnnl_format_tag_t); 17 channels are padded to 24.
        ("nChw8c", (1, 17, 2, 2), 96, {(0, 7, 0, 0): 7, (0, 8, 0, 0): 32, (0, 0, 0, 1): 8}),
        # OIhw4i16o4i is {4, 16, 4} of {i, o, i} (dnnl_blocking_desc_t::inner_idxs): i = 4 * (i // 4 % 4) + i % 4.
        ("OIhw4i16o4i", (16, 16, 1, 1), 256, {(0, 3, 0, 0): 3, (1, 0, 0, 0): 4, (0, 4, 0, 0): 64, (15, 15, 0, 0): 255}),
        ("BA16a64b4a", (64, 64), 4096, {(0, 1): 4, (3, 0): 3, (4, 0): 256, (63, 63): 4095}),
    ],
)
def test_slots(text, shape, slots, some):
    layout = onednn.parse(text).bind(shape)
    assert layout.slots == slots
    assert {x: layout(*x) for x in some} == some


def test_packing_a_tag_is_pad_reshape_transpose():
    x = np.arange(17 * 6, dtype=np.float32).reshape(17, 6)
    padded = np.zeros((32, 8), np.float32)
    padded[:17, :6] = x
    expected = padded.reshape(2, 16, 2, 4).transpose(2, 0, 1, 3).ravel()
    np.testing.assert_array_equal(tl.pack(x, onednn.parse("BA16a4b").bind(x.shape)), expected)


@st.composite
def tags(draw):
    outer = draw(st.integers(1, 4).flatmap(lambda rank: st.permutations(range(rank))))
    inner = draw(st.lists(st.tuples(st.sampled_from(outer), st.sampled_from([2, 3, 4, 8, 16])), max_size=3))
    return onednn.Tag(tuple(outer), tuple(inner))


@given(tags(), st.data())
def test_tags_go_there_and_back(tag, data):
    assert onednn.parse(str(tag)) == tag
    shape = data.draw(st.lists(strategies.extents, min_size=len(tag.outer), max_size=len(tag.outer)))
    layout = tag.bind(shape)
    assert onednn.express(layout).bind(shape) == layout


@given(strategies.layouts())
def test_what_is_expressed_is_equal(layout):
    try:
        text = str(onednn.express(layout))
    except NotExpressible:
        return
    assert onednn.parse(text).bind(layout.shape) == layout


@pytest.mark.parametrize(
    ("text", "memory"),
    [
        ("src:f32::blocked:aBcd16b::f0", onednn.Memory("f32", onednn.Tag((0, 1, 2, 3), ((1, 16),)))),
        ("bf16::blocked:ab:f0", onednn.Memory("bf16", onednn.Tag((0, 1)))),
        ("src_f32::blocked:abcd:f0", onednn.Memory("f32", onednn.Tag((0, 1, 2, 3)))),  # logs of 1.x and 2.x
        ("diff_dst_f8_e4m3::blocked:ba::f0", onednn.Memory("f8_e4m3", onednn.Tag((1, 0)))),
        ("bia_f32::blocked:abc::f0_mask4", onednn.Memory("f32", onednn.Tag((0, 1, 2)))),
        ("wei:s8:ap:blocked:BA16a64b4a::f0", onednn.Memory("s8", onednn.Tag((1, 0), ((0, 16), (1, 64), (0, 4))))),
        ("dst:f8_e4m3::blocked:ab:16x1:f0", onednn.Memory("f8_e4m3", onednn.Tag((0, 1)), (16, 1))),
    ],
)
def test_descriptors_of_the_verbose_log(text, memory):
    """The form is 'dt:[a|p|o|0]:fmt_kind:fmt:strides:extra' (src/common/verbose.cpp), with a name in front; 2.x had no strides."""
    assert onednn.recognizes(text)
    assert onednn.parse(text) == memory == onednn.parse(str(memory))


def test_a_descriptor_knows_its_element_and_strides():
    layout = onednn.parse("f32::blocked:aBc8b:100x50x8:f0").bind((2, 3, 4))
    assert layout.element == Element("float32", 32)
    assert (layout(1, 2, 3), layout.slots) == (100 + 24 + 2, 200)
    assert onednn.parse("s4::blocked:ab::f0").bind((2, 2)).element == Element("int4", 4)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nchw16c", "did you mean nChw16c?"),
        ("NCHW16c", "did you mean nChw16c?"),
        ("nChw", "did you mean nchw?"),
        ("ABcd4A16b", "did you mean ABcd4a16b?"),
        ("aa", "axis 'a' is named twice"),
        ("abd", "'abd' are not the axes of a tensor"),
        ("nChw16x", "a block of axis 'x', which is not among 'nchw'"),
        ("nChw16", "expected the letter of the axis"),
        ("nChw0c", "a block of 0"),
        (f"nChw{10**30}c", "does not fit in 64 bits"),
        ("nChw4294967296c", "a block of 4294967296"),
        ("any", "oneDNN chooses the layout"),
        ("dnnl_format_tag_undef", "an empty memory descriptor"),
        ("", "expected a letter for each axis"),
        ("a b", "expected the end of the text"),
        ("A" + "2a" * 13, "a tag has at most 12"),
        ("f33::blocked:ab::f0", "expected a data type, found 'f33'"),
        ("f32:0:blocked:ab::f0", "flag '0' says that the data are offset"),
        ("f32::blocked:ab::f8:s8m1", "more than the array lies in the buffer"),
        ("f32::blocked:ab:5:f0", "1 strides are given for the 2 dimensions of ab"),
        ("f32::blocked:any::f0", "oneDNN chooses the layout"),
    ],
)
def test_other_text_is_refused(text, said):
    with pytest.raises(LayoutSyntaxError) as error:
        onednn.parse(text)
    assert said in str(error.value)
    assert str(error.value).count("^") == 1


@pytest.mark.parametrize("thing", [None, 3, b"nchw", ["nchw"]])
def test_other_things_are_refused(thing):
    with pytest.raises(LayoutError, match=r"is an? .*; it takes the text of a format tag"):
        onednn.parse(thing)


@pytest.mark.parametrize(
    "fields", [((1,),), ((0, 0),), ((),), ((0,), ((0, 1),)), ((0,), ((1, 4),)), ((0,), (4,)), (("a",),), (None,), (range(13),)], ids=str
)
def test_fields_that_are_no_tag(fields):
    with pytest.raises(LayoutError, match="are no format tag"):
        onednn.Tag(*fields)


@pytest.mark.parametrize(
    ("data_type", "strides", "said"),
    [("float", None, "no data type"), (None, None, "no data type"), ("f32", (1,), "one for each")],
)
def test_fields_that_are_no_descriptor(data_type, strides, said):
    with pytest.raises(LayoutError, match=said):
        onednn.Memory(data_type, onednn.Tag((0, 1)), strides)


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        (None, "says nothing of sizes"),
        ((), r"not for shape \(\)"),
        ((2,), r"not for shape \(2,\)"),
        ((2, 3, 4), r"not for shape \(2, 3, 4\)"),
        ((-1, 2), "negative extent"),
        ((2**62, 2**62), "64-bit"),
        ("ab", "'ab' is no shape"),
        (3, "3 is no shape"),
    ],
)
def test_shapes_that_do_not_fit(shape, said):
    with pytest.raises(ShapeError, match=said):
        onednn.parse("aB16b").bind(shape)


@pytest.mark.parametrize(
    ("layout", "said"),
    [
        (tl.Layout((), []), "1 to 12 axes"),
        (tl.Layout((1,) * 13, []), "1 to 12 axes"),
        (tl.Layout((4,), [(0, 1, 4, 1)], slots=2**32 + 15), "none above"),  # a prime
        (tl.Layout((8,), [(0, 1, 2, 4), (0, 2, 4, 1)]), r"digit \(0, 1, 2, 4\)"),
    ],
)
def test_what_tags_cannot_say(layout, said):
    with pytest.raises(NotExpressible, match=said):
        onednn.express(layout)


@pytest.mark.parametrize(
    ("text", "is_one"), [("abcd", True), ("x", True), ("NCHW", False), ("OHWI16i64o2i", False), ("row", False), ("", False), ("4", False)]
)
def test_texts_that_are_recognized(text, is_one):
    assert onednn.recognizes(text) is is_one
