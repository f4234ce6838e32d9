"""All languages at once: what one writes is read back as an equal layout, whichever language it came from."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
import strategies_cute
import strategies_written
import tilelayout as tl
from tilelayout.notations import LANGUAGES, identified

#: Spec: one layout in several languages (Morello's book, XLA's and oneDNN's documentation).
SAME = {
    (6, 8): [
        "[1, 0, 1 p(4)]",
        "{1,0:T(6,4)}",
        "(6,(4,2)):(4,(1,24))",
        "onednn:Ba4b",
        "HW->WH4w",
        "mlir:inner_dims_pos = [1] inner_tiles = [4] outer_dims_perm = [1, 0]",
        "einops:h (a b) -> a h b, b=4",
    ],
    (8,): ["[0 oe(8)]", "((2,4)):((4,1))", "{0:T(2)(4,1)}", "triton:[[2], [4], [1]]", "einops:(a two) -> (two a), two=2"],
    (16,): ["[0, 0 oe(8)]", "(((2,4),2)):(((4,1),8))"],
    (16, 256): ["[0,1,0 p(8),1 p(128)]", "{1,0:T(8,128)}", "onednn:AB8a128b"],
    (32, 256): ["[0,1,0 p(4),1 p(128),0 p(2)]", "{1,0:T(8,128)(2,1)}"],
    (64, 96): ["[0,1,0 p(2),1 p(2),0 p(16),1 p(16)]", "{1,0:T(32,32)(16,16)}"],
    (8, 5): ["[0,1,0 p(2)]", "{1,0:T(2,1)}", "onednn:Ab2a"],
    (1, 8, 2, 3): ["[0,1,2,3,1 p(4)]", "nChw4c", "tvm:NCHW4c"],
    (256, 8): ["((32,4,2),(4,2)):((16,4,1024),(1,512))", "{0,1:T(8,32)(4,4,1)}", "preset:nvfp4_scales"],
}


@pytest.mark.parametrize("shape", SAME, ids=str)
def test_the_same_in_several_languages(shape):
    first, *others = (tl.layout(text, shape) for text in SAME[shape])
    for other in others:
        assert first == other
        assert hash(first) == hash(other)
        assert not tl.diff(first, other)


@pytest.mark.parametrize("language", ["mosaic", "triton", "strides", "preset"])
def test_what_takes_a_look_at_too_many_elements_is_not_said(language, monkeypatch):
    """No digits tell whether a stride says the sum, and nobody can wait for so many elements."""
    large, small = (tl.Layout((2, n), [(((0, 1, 2, 3),), 2, 2, n), (1, 1, n, 1)]) for n in (2**40, 2**4))
    assert tl.layout(f"{language}:{small.to(language)}", small.shape) == small
    monkeypatch.setattr("tilelayout.verifying.MOST_COMPARED", small.size)
    assert tl.layout(f"{language}:{small.to(language)}", small.shape) == small
    with pytest.raises(tl.NotExpressible, match=r"it is not known whether .* says it: more than 32 elements are not compared"):
        large.to(language)


@pytest.mark.parametrize("language", tl.notations.LANGUAGES)
@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("affine_map<(d0) -> (d0 + (d0 floordiv 3) * 4)>", (2**40,)),
        ("affine_map<(d0, d1) -> (d0 floordiv 8 + d1, d0 floordiv 8 + d1)>", (2**31, 1000)),
    ],
)
def test_an_answer_takes_no_time_that_grows_with_the_elements(text, shape, language):
    layout = tl.layout(text, shape)
    try:
        said = layout.to(language)
    except tl.NotExpressible:
        return
    assert tl.layout(f"{language}:{said}", shape) == layout


#: Words that texts of the languages are made of.
WORDS = """
    Layout( Format( _LAYOUT major_to_minor= ( ) [ ] [[ { } < > , : ; * / = - -> # % . _ ~ ? + o b 0 1 2 4 16 8 128 16c 4i16o4i p(4) oe(8)
    #tpu.tiled<( #tpu. memref<4x memref strided strides strides= offset: #ttg. #ttg.linear<{ -lane=1-> - NHWC layout! Layout::new Layout{
    dims nChw16c NCHW OI HW->WH4w abcd dnnl_ memory:: format_tag:: any undef :blocked: f32::blocked:ab::f0 affine_map< inner_dims_pos = [1]
    inner_tiles outer_dims_perm linalg.pack %a f32[ s8[ F32[3] token opaque pred T(2,2) h a S< Sw< (4,2):(2,1) is a size 1 dimension
"""


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from([*WORDS.split(), " ", "\n"]), max_size=7).map("".join))
def test_every_text_of_a_language_has_its_mark(text):
    """Else a text that the language reads would never be given to it."""
    for name, language in LANGUAGES.items():
        assert language.recognizes(text) == language.own.recognizes(text), name


#: A text of each language that says nothing of sizes.
WITHOUT_SIZES = (
    "{1,0:T(2,4)}",
    "[1, 0, 1 p(4)]",
    "onednn:Ba4b",
    "HW->WH4w",
    "mlir:inner_dims_pos = [1] inner_tiles = [4] outer_dims_perm = [1, 0]",
    "einops:h (a b) -> a h b, b=4",
    "mosaic:#tpu.tiled<(8,128)(2,1),[2,1]>",
)


@pytest.mark.parametrize("text", WITHOUT_SIZES)
def test_sizes_come_from_whatever_has_them(text):
    """From the array, from ``out``, or from the other of two layouts."""
    array = np.arange(48, dtype="u2").reshape(6, 8)
    with pytest.raises(tl.ShapeError, match=r"give (the|a) shape"):
        tl.layout(text)
    packed = tl.pack(array, text)
    assert (tl.unpack(packed, text, out=np.empty((6, 8), "u2")) == array).all()
    assert (tl.unpack(tl.relayout(packed, text, "u16[6,8]{0,1}"), "u16[6,8]{0,1}") == array).all()
    assert not tl.diff(text, tl.layout(text, (6, 8)))


any_layout = st.one_of(
    strategies.layouts(),
    strategies.strided_layouts(),
    strategies_cute.layouts().map(lambda layout: layout.bind()),
    strategies_written.some(),
)


@settings(max_examples=400, deadline=None)
@given(any_layout, st.sampled_from(sorted(LANGUAGES)))
def test_what_is_written_is_read_back(layout, name):
    try:
        text = layout.to(name)
    except tl.NotExpressible as error:
        assert str(layout.shape) in str(error)
        return
    assert tl.layout(f"{name}:{text.removeprefix('preset:')}", layout.shape) == layout


@settings(max_examples=200, deadline=None)
@given(any_layout, st.lists(st.sampled_from(sorted(LANGUAGES)), min_size=2, max_size=4))
def test_from_language_to_language(layout, names):
    """What a second language says of the first one's text is what it says of the layout."""
    for name in names:
        try:
            text = layout.to(name)
        except tl.NotExpressible:
            continue
        again = tl.layout(f"{name}:{text.removeprefix('preset:')}", layout.shape)
        assert again == layout
        layout = again


@pytest.mark.parametrize("name", sorted(LANGUAGES))
@pytest.mark.parametrize("text", ["", "?", "((", "]" * 5000, "(" * 5000, "9" * 5000, "\0", "a" * 70_000, "T(8,128)", "é", "[1,", "1:2:3"])
def test_every_parser_refuses_politely(name, text):
    with pytest.raises(tl.LayoutError):
        tl.layout(f"{name}:{text}", (4, 4))


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from([text for texts in SAME.values() for text in texts]),
    st.integers(0, 60),
    st.text("[](){}:,*-><0123456789abNCHWpoe ", max_size=3),
)
def test_mangled_text_is_read_or_refused(text, at, inserted):
    for shape in ((6, 8), (8,), None):
        try:
            tl.layout(text[:at] + inserted + text[at + 1 :], shape)
        except tl.LayoutError as error:
            assert str(error)


@pytest.mark.parametrize("name", sorted(LANGUAGES))
@pytest.mark.parametrize("text", [text for texts in SAME.values() for text in texts])
def test_a_wrong_prefix_is_told_the_right_one(name, text):
    right, own = identified(text)
    try:
        tl.layout(f"{name}:{own}", (6, 8))
    except tl.LayoutSyntaxError as error:
        if identified(own)[0] == right:
            assert error.hint == f"this is {right}'s; write {right}: in front of it, or no prefix"
    except tl.ShapeError:
        pass  # some have texts of the same form as others


@pytest.mark.parametrize(
    ("text", "part", "name"),
    [
        ("%w.1 = bf16[3,150]{1,0:T(8,128)(2,1)} parameter(0), sharding={replicated}", "bf16[3,150]{1,0:T(8,128)(2,1)}", "xla"),
        ("  ROOT %c = f32[3,5]{0,1:T(8,128)} copy(%p)", "f32[3,5]{0,1:T(8,128)}", "xla"),
        ("     Shape: s32[2048,4]{1,0:T(8,128)}", "s32[2048,4]{1,0:T(8,128)}", "xla"),
        ("layout = {1,0}", "{1,0}", "xla"),
        ("order [0, 1] here", "[0, 1]", "morello"),
        ("gmem_ptr[32b](0x7f0000000400) o (4,8):(8,1)", "(4,8):(8,1)", "cute"),
    ],
)
def test_a_layout_within_a_longer_text_is_pointed_out(text, part, name):
    with pytest.raises(tl.LayoutSyntaxError) as caught:
        tl.layout(text)
    assert caught.value.hint == f"{part} in it is {name}'s; give that alone"
    assert identified(part)[0] == name


@pytest.mark.parametrize(
    ("text", "under"),
    [
        ("strides:(1,2), offset=3, slots=-1", "-1"),
        ("strides=(1,2), slots=-1", "-1"),
        ("#ttg.swizzled_shared<{perPhase = 1, vec = 3, maxPhase = 4, order = [1, 0]}>", "3, maxPhase"),
        ("#ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 1]}>", "[1, 1]"),
        ("#ttg.padded_shared<[4:+2, 8:+3] {order = [1, 0], shape = [4, 4]}>", "8:+3"),
        ("#ttg.padded_shared<[4:+2, 4:+1] {order = [1, 0], shape = [4, 4]}>", "[4:+2"),
        ("#ttg.padded_shared<[4:+2] {offset = [[0, 1], [1, 1]], block = []}>", "{offset"),
        ("#ttg.linear<{register = [[0, 1]], lane = [[1, 0], [2]], warp = [], block = []}>", "[2]"),
        ("#ttg.shared_linear<{offset = [[1]]}, alignment = 3>", "3>"),
        (" - offset=1 -> (1)\n   offset=2 -> (-2)", "(-2)"),
        ("[[0, 1], [1, -1]]", "[1, -1]"),
        ("#tpu.tiled<(8,128)(2,1)(3,1), [1,1]>", "(3,1)"),
        ("#tpu.tiled<(8,128), [-9223372036854775808,1]>", "[-9"),
        ("Layout(tiling=((2,),), major_to_minor=(0, 0))", "(0, 0)"),
        ("Layout(major_to_minor=(0, 1), tiling=((8, 0),))", "((8, 0"),
        ("a b b -> a b", "b -> "),
        ("a b -> b c", "a b"),
        ("a b -> b a c", "c"),
        ("a 1 (b c) -> c b a", "b c)"),
        ("a b -> b a, b=3, a=2, c=4", "c=4"),
        ("a b -> b a, b=3, b=2", "b=2"),
        ("S<1,0,1> o 0 o ((4, 0), 2):((1, 4), 8)", "0), 2"),
        ("((4, 2), 2):((1, _), 8)", "_), 8"),
    ],
)
def test_the_caret_is_under_what_does_not_fit(text, under):
    with pytest.raises(tl.LayoutSyntaxError) as caught:
        tl.layout(text, (4, 4))
    assert caught.value.text[caught.value.position :].startswith(under)
    assert caught.value.hint is None


def test_a_part_is_pointed_out_only_where_nothing_is_read():
    """Of a text that says what cannot be, a part in another language's form is no help."""
    with pytest.raises(tl.LayoutSyntaxError, match="64 bases make more slots") as caught:
        tl.layout(f"#ttg.shared_linear<{{offset = [{'[1], ' * 63}[1]]}}, alignment = 16>")
    assert caught.value.hint is None


@pytest.mark.parametrize("text", ["tensor<ptr<f16, smem, align<16>, S<3,4,3>> o (64,64):(64,1)>", "some words (of any kind)"])
def test_what_is_no_whole_layout_is_not_pointed_out(text):
    """Behind a swizzle stands half of one."""
    with pytest.raises(tl.LayoutSyntaxError, match="a prefix says which is meant"):
        tl.layout(text)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("awq_int4", "preset:awq_int4"),
        ("XLA:{1,0}", "xla:{1,0}"),
        ("cutee:(3,4):(4,1)", "cute:(3,4):(4,1)"),
        ("'f32[3,5]{1,0:T(2,2)}'", "f32[3,5]{1,0:T(2,2)}"),
        ("``[1, 0, 1 p(4)]``", "[1, 0, 1 p(4)]"),
    ],
)
def test_what_was_probably_meant(text, meant):
    with pytest.raises(tl.LayoutSyntaxError) as caught:
        tl.layout(text)
    assert caught.value.hint == f"did you mean {meant}?"


@pytest.mark.parametrize("text", ["'f32[2]/*\udcb8\n*/'", "x = f32[2]/*\udcb8\n*/{0}, y"])
def test_messages_can_be_printed(text):
    """The comments of a text stay in what was meant by it, and half a character is none that can be written."""
    with pytest.raises(tl.LayoutSyntaxError, match=r"f32\[2\]/\* \n\*/"):
        tl.layout(text)


def test_a_notation_in_capitals():
    with pytest.raises(tl.LayoutError, match=r"did you mean xla\?"):
        tl.layout("f32[3,5]").to("XLA")


@pytest.mark.parametrize("name", sorted(LANGUAGES))
def test_axes_that_only_sums_read(name):
    """A swizzled axis of two elements among units: writers of tiles lost it."""
    swizzled = tl.cute.ComposedLayout(tl.cute.Swizzle(3, 0, -3), 0, tl.cute.Layout((1, 2, 1), (0, 1, 0)))
    layout = tl.cute.ComposedLayout(tl.cute.Swizzle(3, 3, 3), 0, swizzled).bind()
    try:
        text = layout.to(name)
    except tl.NotExpressible:
        return
    assert tl.layout(f"{name}:{text.removeprefix('preset:')}", layout.shape) == layout
