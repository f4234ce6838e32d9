"""CuTe's text: read, written, and refused with a caret where reading stopped."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies_cute import bases, coordinates, identities, layouts, swizzled, swizzles, tilers
from tilelayout import LayoutError, LayoutSyntaxError, cute
from tilelayout.cute import ComposedLayout, E, Layout, ScaledBasis, Swizzle

DATA = Path(__file__).parent / "data"


@given(layouts() | identities() | swizzled() | swizzles() | bases | coordinates | tilers)
def test_what_is_written_is_read_back(value):
    assert cute.parse(cute.to_text(value)) == value


@given(layouts() | swizzled(), st.sampled_from([" ", "\n", "\t  "]))
def test_white_space_between_any_two_words(value, space):
    words = [word for word in str(value).replace(" ", "\0") if word != "\0"]
    spaced = "".join(word if word.isdigit() or word == "-" else f"{space}{word}{space}" for word in words)
    assert cute.parse(spaced) == value
    assert cute.recognizes(spaced)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("((2,2),(2,4)):((1,4),(2,8))", Layout(((2, 2), (2, 4)), ((1, 4), (2, 8)))),
        ("(_4,(_2,_3)):(_6,(_3,_-1))", Layout((4, (2, 3)), (6, (3, -1)))),
        ("4:2", Layout(4, 2)),
        ("(4):(2)", Layout((4,), (2,))),
        ("():()", Layout(())),
        ("007:1", Layout(7, 1)),
        ("(2,(3,4)):(1@0,(1@0@1,2@1@1))", Layout((2, (3, 4)), (E(0), (E(1, 0), 2 * E(1, 1))))),
        ("S<3,4,3>", Swizzle(3, 4, 3)),
        ("Sw<2,0,-3>", Swizzle(2, 0, -3)),
        ("Sw<3,4,3> o _0 o (_8,_64):(_64,_1)", ComposedLayout(Swizzle(3, 4, 3), 0, Layout((8, 64), (64, 1)))),
        ("S<1,0,2>o 2 o4:1", ComposedLayout(Swizzle(1, 0, 2), 2, Layout(4, 1))),
        ("(64,):(1,)", Layout((64,), (1,))),
        ("((4,),8,):((1,),4)", Layout(((4,), 8), ((1,), 4))),
        ("(1,(_,),)", (1, (None,))),
        ("(6,2):(1,3) o (2,1) o (2,3):(1@1,2@0)", ComposedLayout(Layout((6, 2), (1, 3)), (2, 1), Layout((2, 3), (E(1), 2 * E(0))))),
        ("<3:4, 8:2>", (Layout(3, 4), Layout(8, 2))),
        ("[3:4;8:2]", (Layout(3, 4), Layout(8, 2))),
        ("[_4:_1;[_;(2,3)]]", (Layout(4, 1), (None, (2, 3)))),
        # print of include/cute/container/tuple.hpp, of make_tile(Layout<_3,_4>{}, make_tile(_, Layout<Shape<_2,_4>>{}), Int<8>{})
        ("(_3:_4,(_,(_2,_4):(_1,_2)),_8)", (Layout(3, 4), (None, Layout((2, 4))), 8)),
        ("((4,8):(1,4),)", (Layout((4, 8)),)),
        ("_", None),
        ("(1,(_,3))", (1, (None, 3))),
        ("5", 5),
        ("2@1@0", ScaledBasis(2, (0, 1))),
    ],
)
def test_spellings(text, value):
    assert cute.parse(text) == value


def test_nested_composed_layouts_group_from_the_right():
    layout = cute.parse("Sw<2,0,3> o 1 o (64,2):(1,64) o 2 o (8,8):(1,8)")
    assert layout.outer == Swizzle(2, 0, 3)
    assert layout.inner == ComposedLayout(Layout((64, 2)), 2, Layout((8, 8)))
    assert str(layout) == "S<2,0,3> o 1 o (64,2):(1,64) o 2 o (8,8):(1,8)"


#: ``print`` of cute::GMMA's atoms (include/cute/atom/mma_traits_sm90_gmma.hpp) and the bits of their elements.
ATOMS = {
    "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)": "S<3,3,3> o 0 o (8,64):(64,1)",
    "Sw<3,4,3> o smem_ptr[8b](unset) o (_8,_128):(_128,_1)": "S<3,4,3> o 0 o (8,128):(128,1)",
    "Sw<2,4,3> o smem_ptr[32b](unset) o (_8,_16):(_16,_1)": "S<2,2,3> o 0 o (8,16):(16,1)",
    "Sw<1,4,3> o smem_ptr[4b](unset) o (_64,_8):(_1,_64)": "S<1,5,3> o 0 o (64,8):(1,64)",
    "Sw<3,4,3> o smem_ptr[1b](unset) o (_8,_1024):(_1024,_1)": "S<3,7,3> o 0 o (8,1024):(1024,1)",
    "Sw<3,4,3> o smem_ptr[128b](unset) o (_8,_8):(_8,_1)": "S<3,0,3> o 0 o (8,8):(8,1)",
    "Sw<3,4,3> o smem_ptr[16b](unset) o ((_8,_2),(_64,_3)):((_64,_512),(_1,_1024))": "S<3,3,3> o 0 o ((8,2),(64,3)):((64,512),(1,1024))",
    "S<1,0,2> o 3 o Sw<3,4,3> o smem_ptr [ 16 b ] ( unset ) o 8:1": "S<1,0,2> o 3 o S<3,3,3> o 0 o 8:1",
}


@pytest.mark.parametrize("text", ATOMS)
def test_swizzles_of_bytes_are_read_in_elements(text):
    assert str(cute.parse(text)) == ATOMS[text]
    assert cute.recognizes(text)


@pytest.mark.parametrize("bits", [1, 2, 4, 8, 16, 32, 64, 128])
def test_elements_lie_where_their_first_byte_does(bits):
    """The slot of an element times its bits is the swizzled address of its first bit: 8 times that of its byte, and the bits within it."""
    elements = cute.parse(f"Sw<3,4,3> o smem_ptr[{bits}b](unset) o 8192:1")
    for slot in range(0, 8192, 7):
        byte, within = divmod(slot * bits, 8)
        assert elements(slot) * bits == 8 * Swizzle(3, 4, 3)(byte) + within


@pytest.mark.parametrize(
    ("text", "message", "under"),
    [
        ("", "expected an integer, '_' or a tuple, found the end of the text", ""),
        ("not_valid", "expected an integer, '_' or a tuple, found 'not'", "not_valid"),
        ("(2,3:(1,2)", "expected ',' or ')', found ':'", ":(1,2)"),
        ("(1,,2)", "expected an integer, '_' or a tuple, found ','", ",2)"),
        ("(1,2))", "expected the end of the text, found ')'", ")"),
        ("((4,8):(1,4)", "expected ',' or ')', found ':'", ":(1,4)"),
        ("(3:4,8:2):1", "expected the end of the text, found ':'", ":1"),
        ("(,)", "expected an integer, '_' or a tuple, found ','", ",)"),
        ("(4,", "expected an integer, '_' or a tuple, found the end of the text", ""),
        ("[3:4;]", "expected an integer, '_' or a tuple, found ']'", "]"),
        ("S<3,4,3,>", "expected an integer, found '>'", ">"),
        ("(4,8):(1,2,4)", "expects a tuple of 2, got a tuple of 3", "(1,2,4)"),
        ("(4,(0,8)):(1,(4,32))", "at least 1, got 0 at mode path [1, 0]", "0,8)"),
        ("4:1 o (8,-1):(1,8)", "expected 'o', found ':'", ":(1,8)"),
        ("4:1 o 0 o (8,-1):(1,8)", "at least 1, got -1", "-1)"),
        ("((4,),(1@0@1,2)):(1,4)", "1@0@1 is no integer", "1@0@1"),
        ("(9223372036854775807,(2,)):(1,2)", "does not fit", "(9223372036854775807,(2"),
        ("(4,8):(1@0,_)", "'_' is no integer", "_)"),
        ("(_,8):(1,4)", "'_' is no integer", "_,8"),
        ("(1,1@0)", "all integers or all scaled basis vectors", "(1,1@0)"),
        ("((1@0@0,1@0@1),1@1)", "they end at leaves", "((1@0@0"),
        ("(2,3):(1,1@0)", "all integers or all scaled basis vectors", "(1,1@0)"),
        ("(2,3):(1@1@0,1@0)", "they end at leaves", "(1@1@0,1@0)"),
        ("(2,3):(1/2@0,1@1)", "found '/'", "/2@0"),
        ("(?,3):(1,2)", "found '?'", "?,3"),
        ("1@", "expected the number of a mode, found the end of the text", ""),
        ("(2):(1@300)", "is no path to a mode", "1@300"),
        ("S<3,4,2>", "is no swizzle", "S<3,4,2>"),
        ("S<1,0>", "three numbers, got 2", "S<1,0>"),
        ("4:1 o 0 o S<5,29,5>", "reaches beyond bit 32", "S<5,29,5>"),
        ("S<3,4,3> o 0 o (4,2):(1@0,1@1)", "swizzles integers", "S<3,4,3> o"),
        ("4:1 o S<3,4,3> o 4:1", "found 'S'", "S<3,4,3> o"),
        ("Sw<3,4,3> o smem_ptr[6b](unset) o 8:1", "cannot recast S<3,4,3> by 3", "6b"),
        ("Sw<3,4,3> o smem_ptr[256b](unset) o 8:1", "its base has to be 5 or more", "256b"),
        ("Sw<3,4,3> o smem_ptr[0b](unset) o 8:1", "to be positive, but got 0", "0b"),
        ("Sw<3,26,3> o smem_ptr[4b](unset) o 8:1", "reaches beyond bit 32", "4b"),
        ("Sw<3,4,3> o smem_ptr[16b](0x7f0) o 8:1", "expected 'unset'", "0x7f0"),
        ("Sw<3,4,3> o smem_ptr[16b](0x7f0) o 8:1", "write Sw<B,M,S> o smem_ptr[16b](unset)", "0x7f0"),
        # what a tensor in swizzled memory prints, by print(swizzle_ptr) of include/cute/pointer_swizzle.hpp
        ("Sw<3,4,3>_smem_ptr[16b](0x7f0) o 8:1", "write Sw<B,M,S> o smem_ptr[16b](unset)", "_smem_ptr"),
        ("Sw<3,4,3> o smem_ptr(unset) o 8:1", "expected '['", "(unset)"),
        ("4:1 o smem_ptr[16b](unset) o 8:1", "a pointer stands behind a swizzle", "smem_ptr"),
        ("[3:4,8:2]", "expected ';' or ']', found ','", ",8:2]"),
        ("<3:4;8:2>", "expected ',' or '>', found ';'", ";8:2>"),
        ("99999999999999999999:1", "does not fit in 64 bits", "9999"),
        ("4:1 5", "expected the end of the text, found '5'", "5"),
        ("(4,8):(1,é)", "found 'é'", "é)"),
    ],
)
def test_errors_point(text, message, under):
    with pytest.raises(LayoutSyntaxError) as caught:
        cute.parse(text)
    assert message in str(caught.value)
    assert text[caught.value.position :].startswith(under)
    assert (caught.value.position == len(text)) == (under == "")


@pytest.mark.parametrize(
    ("parse", "text", "said"),
    [
        (cute.parse_layout, "(4,8)", "this is no layout"),
        (cute.parse_layout, "S<3,4,3>", "this is no layout"),
        (cute.parse_swizzle, "4:1", "this is no swizzle"),
        (cute.parse_int_tuple, "(1,_)", "this is no tuple of integers"),
        (cute.parse_int_tuple, "4:1", "expected the end of the text, found ':'"),
        (cute.parse_coordinate, "(1,1@0)", "this is no coordinate"),
        (cute.parse_stride, "(1,_)", "'_' is no integer"),
        (cute.parse_tiler, "S<3,4,3>", "this is no tiler"),
        (cute.parse_tiler, "(1@0,2@1)", "this is no tiler"),
        (cute.parse_tiler, "(4,2@1)", "this is no tiler"),
    ],
)
def test_each_kind_refuses_others(parse, text, said):
    with pytest.raises(LayoutSyntaxError, match=said):
        parse(text)


@pytest.mark.parametrize("value", [None, 4, b"4:1", ("4:1",)])
def test_only_text_is_read(value):
    with pytest.raises(LayoutError, match=r"is an? .*; it takes CuTe's text"):
        cute.parse(value)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (1.5, "1.5 is no integer"),
        ("4:1", "'4:1' is no integer"),
        ((1, object()), "is no integer"),
        ({}, "is no integer"),
        (2**63, "does not fit in signed 64-bit integers"),
    ],
)
def test_only_values_of_cute_are_written(value, said):
    with pytest.raises(LayoutError, match=said):
        cute.to_text(value)


WORDS = [*"(),:48_0<>[];@?/é", "_4", "-1", "S", " o ", "1@0", "3:1", "S<3,4,3>", "smem_ptr[16b](unset)"]


@given(st.text(max_size=30) | st.lists(st.sampled_from(WORDS), max_size=12).map("".join))
def test_any_text_is_read_or_refused(text):
    cute.recognizes(text)
    for parse in (cute.parse, cute.parse_layout, cute.parse_tiler, cute.parse_stride, cute.parse_int_tuple):
        try:
            value = parse(text)
        except LayoutSyntaxError as error:
            assert 0 <= error.position <= len(text)
            assert str(error)
        else:
            assert cute.parse(cute.to_text(value)) == value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        *((opening * 100_000, "tuples are nested more than 64 deep") for opening in "([<"),
        ("9" * 100_000 + ":1", "does not fit in 64 bits"),
        ("1" + "@1" * 100_000, "is no path to a mode"),
        ("4:1" + " o 0 o 4:1" * 10_000, "more than 64 layouts are composed"),
        ("-" * 100_000, "expected an integer, '_' or a tuple, found '-'"),
    ],
    ids=lambda text: text[:9],
)
def test_long_texts_are_refused(text, said):
    with pytest.raises(LayoutSyntaxError, match=said):
        cute.parse(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(4,8):(1,4)", True),
        (" 8 : 1", True),
        ("_8:_1", True),
        ("Sw<3,4,3> o 0 o 8:1", True),
        ("((2,2),4):((1,2),4) o 0 o 8:1", True),
        ("f32[3,5]{1,0:T(2,2)}", False),
        ("(f32[2], s32[3])", False),
        ("{1,0:T(8,128)}", False),
        ("[1, 0, 1 p(4)]", False),
        ("(4,8)", False),
        ("(?,8):(1,?)", True),
        ("", False),
    ],
)
def test_recognizes_layouts(text, expected):
    assert cute.recognizes(text) is expected


@pytest.mark.parametrize("name", ["cute_open", "cute_majority", "cute_cpp_unit"])
def test_layouts_of_the_headers_are_read_as_written(name):
    """Also in the headers' own spelling, with ``_4`` and ``Sw``."""
    texts = 0
    for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        for arg in case["args"]:
            if arg["kind"] == "layout":
                layout = cute.parse_layout(arg["text"])
                assert str(layout) == arg["text"].replace("Sw", "S")
                assert cute.parse_layout(arg.get("raw", arg["text"])) == layout
                texts += 1
            elif arg["kind"] == "tile":
                assert cute.to_text(cute.parse_tiler(arg["text"])) in (arg["text"], arg["text"].replace("[_]", "(_)"))
    assert texts > 100


def test_nesting_is_counted_from_the_outside_in():
    siblings = "(1)," * 70
    assert parsed_depth(cute.parse_stride(f"({siblings}{'(' * 63}1{')' * 63})")) == 64
    for count in (64, 3000):
        with pytest.raises(LayoutSyntaxError, match="nested more than 64 deep"):
            cute.parse_stride(f"({'(1),' * count}{'(' * count}1{')' * count})")


@pytest.mark.parametrize("read", [cute.parse, cute.parse_coordinate])
def test_64_levels_are_read(read):
    assert parsed_depth(read(f"{'(' * 64}1{')' * 64}")) == 64
    with pytest.raises(LayoutSyntaxError, match="nested more than 64 deep"):
        read(f"{'(' * 65}1{')' * 65}")


def test_strides_are_written_in_tuples():
    assert cute.to_text((ScaledBasis(3, (0, 1)), (0, None))) == "(3@1@0,(0,_))"


def test_a_tiler_is_no_layout():
    with pytest.raises(LayoutSyntaxError, match=r"expected ',' or '\)', found ':'"):
        cute.parse_layout("(4,8:1,4)")


def parsed_depth(value):
    return 1 + max(map(parsed_depth, value)) if isinstance(value, tuple) else 0


def test_what_is_no_stride_is_shown_where_it_stands():
    with pytest.raises(LayoutSyntaxError, match=r"'_' is no integer.*\n *\(1,_\)\n *\^") as caught:
        cute.parse_stride("(1,_)")
    text, mark = str(caught.value).splitlines()[1:3]
    assert mark.index("^") == text.index("_")
