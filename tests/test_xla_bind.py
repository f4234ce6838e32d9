"""What a layout means: the numbers of XLA's documents and tests, and agreement with the definition."""

from itertools import product

import pytest
from hypothesis import given

import tilelayout as tl
from strategies_xla import small_arrays
from tilelayout import LayoutError, ShapeError
from tilelayout.notations import xla
from tilelayout.radix import evaluate
from xla_definition import nested

DOC, TESTS = "tiled_layout.md", "layout_util_test.cc"


def slot(text, *index):
    return evaluate(xla.parse_shape(text).bind().digits, index)


@pytest.mark.parametrize(
    ("source", "text", "index", "expected"),
    [
        (f"{DOC}, Figure 1", "f32[3,5]{1,0:T(2,2)}", (2, 3), 17),
        (f"{DOC}, combining", "f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}", (0, 0, 0, 0, 9), 18),
        (f"{DOC}, combining", "f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}", (0, 0, 0, 1, 0), 19),
        (f"{DOC}, combining", "f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}", (0, 0, 1, 0, 0), 3),
        (f"{DOC}, combining", "f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}", (0, 1, 0, 0, 0), 888),
        (f"{DOC}, combining", "f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}", (1, 0, 0, 0, 0), 6216),
        (f"{DOC}, combining", "f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}", (1, 6, 7, 10, 9), 12430),
        ("draft of PR 32107 for the same page", "f32[8,8]{1,0:T(2,4)(2,1,1,1)}", (6, 5), 51),
        (TESTS, "bf16[2048]{0:T(1024)(128)(2,1)}", (0,), 0),
        (TESTS, "bf16[2048]{0:T(1024)(128)(2,1)}", (128,), 1),
        (TESTS, "bf16[2048]{0:T(1024)(128)(2,1)}", (1,), 2),
        (TESTS, "bf16[2,8,128]{2,1,0:T(8,128)(2,1)}", (0, 2, 0), 256),
        (TESTS, "f32[8,4]{1,0:T(2,2)}", (3, 1), 11),
        (TESTS, "f32[8,4]{1,0}", (3, 1), 13),
        (TESTS, "u32[]{:T(128)}", (), 0),
        (TESTS, "f32[3]{0:T(8,128)}", (2,), 2),
        (TESTS, "f32[8]{0:T(2,2)}", (5,), 9),
        ("computed", "bf16[2,3,1004]{2,1,0:T(2,*,128)}", (1, 2, 1003), 6083),
        ("computed", "bf16[17,257]{1,0:T(8,128)(2,1)}", (16, 256), 8192),
        ("computed", "bf16[17,257]{1,0:T(8,128)(2,1)}", (3, 130), 1285),
        ("computed", "bf16[1500]{0:T(1024)(128)(2,1)}", (1499,), 1463),
    ],
)
def test_slots(source, text, index, expected):
    assert slot(text, *index) == expected, source


@pytest.mark.parametrize(
    ("text", "expanded", "slots"),
    [
        ("f32[3,5]{1,0:T(2,2)}", (2, 3, 2, 2), 24),
        ("f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}", (56, 37, 2, 3), 12432),
        ("bf16[32,256]{1,0:T(8,128)(2,1,1,1)}", (2, 2, 8, 128, 2, 1, 1, 1), 8192),
        ("f32[3]{0:T(8,128)}", (1, 1, 8, 128), 1024),
        ("f32[8,8]{1,0:T(2,2)(2,2,2,2,2)}", (1, 2, 2, 1, 1, 2, 2, 2, 2, 2), 128),
        ("bf16[2,3,1004]{2,1,0:T(2,*,128)}", (1, 24, 2, 128), 6144),
        ("bf16[8,2,3,1004]{3,2,1,0:T(2,*,*,128)}", (4, 48, 2, 128), 49152),
        ("bf16[17,257]{1,0:T(8,128)(2,1)}", (3, 3, 4, 128, 2, 1), 9216),
        ("bf16[1500]{0:T(1024)(128)(2,1)}", (2, 4, 128, 2, 1), 2048),
        ("s4[70,200]{1,0:T(64,128)(8,1)E(4)}", (2, 2, 8, 128, 8, 1), 32768),
        ("f32[0,3]{1,0:T(8,128)}", (0, 1, 8, 128), 0),
        ("f32[5]{0:L(4)}", (5,), 8),
        ("f32[200001,128]{1,0:T(8)L(1024)}", (200001, 16, 8), 25601024),
    ],
)
def test_expanded_shapes(text, expanded, slots):
    shape = xla.parse_shape(text)
    assert (shape.expanded_shape, shape.padded_elements, shape.bind().slots) == (expanded, slots, slots)


def test_figure_1_in_memory_order():
    """tiled_layout.md, Figure 1."""
    memory = ["_"] * 24
    for r, c in product(range(3), range(5)):
        memory[slot("f32[3,5]{1,0:T(2,2)}", r, c)] = f"{r}{c}"
    assert " ".join(memory) == "00 01 10 11 02 03 12 13 04 _ 14 _ 20 21 _ _ 22 23 _ _ 24 _ _ _"


def test_figure_2_slots():
    """tiled_layout.md, Figure 2: (2,4)(2,1) on 4x8."""
    grid = [[slot("bf16[4,8]{1,0:T(2,4)(2,1)}", r, c) for c in range(8)] for r in range(4)]
    assert grid == [
        [0, 2, 4, 6, 8, 10, 12, 14],
        [1, 3, 5, 7, 9, 11, 13, 15],
        [16, 18, 20, 22, 24, 26, 28, 30],
        [17, 19, 21, 23, 25, 27, 29, 31],
    ]


def test_every_level_pads():
    assert [slot("s32[5]{0:T(4)(3)}", i) for i in range(5)] == [0, 1, 2, 3, 6]
    assert [slot("s32[8]{0:T(4)(3)}", i) for i in range(8)] == [0, 1, 2, 3, 6, 7, 8, 9]
    assert xla.parse_shape("s32[5]{0:T(4)(3)}").padded_elements == 12


def test_a_star_in_the_second_tile():
    memory = ["_"] * 32
    for r, c in product(range(4), range(6)):
        memory[slot("f32[4,6]{1,0:T(2,3)(*,4)}", r, c)] = str(6 * r + c)
    assert " ".join(memory) == "0 1 2 6 7 8 _ _ 3 4 5 9 10 11 _ _ 12 13 14 18 19 20 _ _ 15 16 17 21 22 23 _ _"


@given(small_arrays())
def test_digits_agree_with_the_definition(shape):
    layout = shape.bind()
    order, alignment = shape.layout.minor_to_major, shape.layout.tail_padding_alignment_in_elements
    tiles = [["*" if size == xla.COMBINE else size for size in tile] for tile in shape.layout.tiles]
    _, slots = nested([0] * len(shape.dims), shape.dims, order, tiles)
    assert layout.slots == -(-slots // alignment) * alignment
    for index in product(*map(range, shape.dims)):
        assert evaluate(layout.digits, index) == nested(index, shape.dims, order, tiles)[0]


@given(small_arrays())
def test_every_layout_is_taken_apart_without_a_table(shape):
    layout = shape.bind()
    assert layout.ready.is_reversible
    held = {evaluate(layout.digits, index): list(index) for index in product(*map(range, shape.dims))}
    marked = [held.get(slot, [-1] * layout.ndim) for slot in range(layout.slots)]
    assert layout.coordinates(range(layout.slots), padding="mark").tolist() == marked


@pytest.mark.parametrize(
    "text",
    [
        "s8[1048576,33554432]{0,1:T(*,4)(3,3)}",  # bits of the fused axes are read, and the rest of them
        "s8[4194304,3145728]{0,1:T(3,*,2)(3,*,3)}",  # the dimension inside the first tile ends within the second
        "s8[500001,3,3000001,2]{1,0,2,3:T(*,*,3)(1,1,2,1)(2)}",  # the last tile cuts a dimension of 1
    ],
)
def test_no_table_would_hold_these(text):
    layout = tl.layout(text)
    corners = [[0] * layout.ndim, [n // 3 for n in layout.shape], [n - 1 for n in layout.shape]]
    assert layout.coordinates(layout.index(corners)).tolist() == corners


@pytest.mark.parametrize(
    ("text", "name", "bits"),
    [
        ("bf16[2]", "bfloat16", 16),
        ("pred[2]", "bool", 8),
        ("pred[2]{0:E(32)}", "bool", 32),
        ("s4[2]", "int4", 8),
        ("s4[2]{0:E(4)}", "int4", 4),
        ("u1[2]{0:E(1)}", "uint1", 1),
        ("f8e4m3b11fnuz[2]", "float8_e4m3b11fnuz", 8),
        ("f6e2m3fn[2]", "float6_e2m3fn", 8),
        ("c64[2]", "complex64", 64),
    ],
)
def test_what_lies_in_a_slot(text, name, bits):
    assert xla.parse_shape(text).bind().element == (name, bits)


@pytest.mark.parametrize("bits", [1, 2, 4, 8, 16, 32, 64])
def test_integers_of_every_width(bits):
    for letter, name in (("s", "int"), ("u", "uint")):
        assert xla.parse_shape(f"{letter}{bits}[2]").bind().element == (f"{name}{bits}", max(bits, 8))
    with pytest.raises(LayoutError, match=f"did you mean 's{bits}'"):
        xla.parse_shape(f"i{bits}[2]")


def test_a_layout_alone_takes_the_shape_given():
    layout = xla.parse_layout("{0,1:T(2,2)E(4)}")
    assert layout.bind((3, 5)) == xla.parse_shape("s4[3,5]{0,1:T(2,2)E(4)}").bind()
    assert layout.bind((3, 5)).element == ("", 4)
    assert xla.Layout((1, 0)).bind((3, 5)).element is None
    assert layout.bind((3, 5), "int4").element == ("int4", 4)
    with pytest.raises(ShapeError, match="give a shape of 2 dimensions"):
        layout.bind()
    with pytest.raises(ShapeError, match="Dimensions size is 1, but minor to major size is 2"):
        layout.bind((3,))


def test_a_shape_given_must_agree():
    shape = xla.parse_shape("f32[<=3,5]")
    assert shape.bind((3, 5)).shape == (3, 5)
    with pytest.raises(ShapeError, match=r"shape \(3, 5\), not \(5, 3\)"):
        shape.bind((5, 3))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f32[?,3]", "unbounded dimension"),
        ("f32[4,4]{1,0:T(2,*)}", "ends in '\\*'"),
        ("f32[]{:T()}", "empty tile"),
        ("token[]", r"token\[\]. is no array"),
        ("opaque[]", r"opaque\[\]. is no array"),
        ("(f32[2])", r"is no array and has no size; give one of its arrays, such as f32\[2\]"),
        ("f32[9223372036854775807]{0:T(2)}", "64-bit"),
        ("f32[3]{0:T(9223372036854775807,2)}", "64-bit"),
        ("f32[9223372036854775807]{0:L(2)}", "64-bit"),
    ],
)
def test_what_has_no_meaning_raises(text, message):
    with pytest.raises(LayoutError, match=message):
        xla.parse_shape(text).bind()


def test_a_buffer_is_bound_as_its_array():
    assert xla.parse_shape("b(f32[2,3]{0,1})").bind() == xla.parse_shape("f32[2,3]{0,1}").bind()
