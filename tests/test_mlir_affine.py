"""MLIR's affine maps, strided layouts and memref types."""

import itertools
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
import tilelayout as tl
from tilelayout.elements import Element
from tilelayout.errors import LayoutError, LayoutSyntaxError, NotExpressible, ShapeError
from tilelayout.notations import mlir

#: Maps with the shapes that MLIR's -normalize-memrefs gives their memrefs (iree-opt 3.13, executed).
NORMALIZED = [
    ("affine_map<(d0, d1) -> (d0 floordiv 8, d1 floordiv 128, d0 mod 8, d1 mod 128)>", (5, 200), (1, 2, 8, 128)),
    ("affine_map<(d0) -> (d0 mod 8)>", (5,), (8,)),
    ("affine_map<(d0) -> (d0 mod 8 floordiv 2, d0 mod 2)>", (5,), (4, 2)),
    ("affine_map<(d0, d1) -> ((d0 * 7 + d1) floordiv 4, (d0 * 7 + d1) mod 4)>", (5, 7), (9, 4)),
    ("affine_map<(d0, d1) -> (d0 * 10 + 3, d1)>", (5, 7), (44, 7)),
    ("affine_map<(d0) -> (d0 ceildiv 4, 3)>", (6,), (3, 4)),
    ("affine_map<(d0) -> (d0 - (d0 floordiv 8) * 8)>", (5,), (8,)),
    ("affine_map<(d0) -> (d0 floordiv 8, (d0 floordiv 8) * -8 + d0)>", (20,), (3, 8)),
    ("affine_map<(d0) -> (d0 floordiv 2 - (d0 floordiv 2 floordiv 4) * 4)>", (20,), (4,)),
    ("affine_map<(d0) -> (d0 * 2 - (d0 floordiv 4) * 4)>", (20,), (23,)),
    ("affine_map<(d0) -> ((d0 floordiv 4) * 4 - d0 + 3)>", (20,), (4,)),
    ("affine_map<(d0) -> (d0 - d0 mod 8)>", (20,), (17,)),
    ("affine_map<(d0, d1) -> (d0 * 8 + d1 - (d0 * 8 + d1) mod 3)>", (5, 8), (40,)),
]
#: Sums in which MLIR's parser finds a remainder, and what it prints (iree-compiler 3.13, executed).
REMAINDERS = [
    ("d0 - (d0 floordiv 8) * 8", "d0 mod 8"),
    ("d1 + d0 - 4 * (d1 floordiv 4)", "d0 + d1 mod 4"),
    ("d0 * 7 + d1 - ((d0 * 7 + d1) floordiv 4) * 4", "(d0 * 7 + d1) mod 4"),
    ("d0 mod 8 - 4 * ((d0 mod 8) floordiv 4)", "d0 mod 4"),
    ("d0 floordiv 2 - 4 * ((d0 floordiv 2) floordiv 4)", "(d0 floordiv 2) mod 4"),
    ("d0 - 4 * (d0 floordiv 4) + d1 - 2 * (d1 floordiv 2)", "d0 mod 4 + d1 mod 2"),
]


@pytest.mark.parametrize(("text", "shape", "buffer"), NORMALIZED, ids=str)
def test_a_map_is_a_row_major_buffer(text, shape, buffer):
    assert mlir.parse(text).bind(shape).slots == np.prod(buffer)


@pytest.mark.parametrize(("text", "printed"), REMAINDERS)
def test_what_a_quotient_leaves_is_a_remainder(text, printed):
    parsed, expected = (mlir.parse(f"affine_map<(d0, d1) -> ({each})>") for each in (text, printed))
    assert parsed == expected
    assert str(parsed) == str(expected)


@st.composite
def expressions(draw, rank, depth=3):
    """An affine expression as text, whose meaning Python's own arithmetic gives."""
    kind = draw(st.sampled_from(["dim"] * 3 + ["number", "+", "-", "*", "floordiv", "ceildiv", "mod", "rest"])) if depth else "dim"
    if kind == "dim" and rank:
        return f"d{draw(st.integers(0, rank - 1))}"
    if kind in ("dim", "number"):
        return str(draw(st.integers(0, 9)))
    left = draw(expressions(rank, depth - 1))
    if kind in "+-":
        return f"({left} {kind} {draw(expressions(rank, depth - 1))})"
    by = draw(st.integers(1, 6))
    return f"({left} - {by} * ({left} floordiv {by}))" if kind == "rest" else f"({left} {kind} {by})"


@given(expressions(2), st.integers(1, 8), st.integers(-3, 3))
def test_quotients_and_remainders_make_up_for_each_other(text, by, times):
    """Whatever is divided, in whichever order; of remainders of dimensions alone."""
    rest = mlir.parse(f"affine_map<(d0, d1) -> ({times} * ({text} mod {by}))>")
    assert mlir.parse(f"affine_map<(d0, d1) -> ({times} * ({text} - {by} * ({text} floordiv {by})))>") == rest
    assert mlir.parse(f"affine_map<(d0, d1) -> ({-by * times} * ({text} floordiv {by}) + {times} * {text})>") == rest
    if not re.search("mod|div", text):
        whole = mlir.parse(f"affine_map<(d0, d1) -> ({by * times} * ({text} floordiv {by}))>")
        assert mlir.parse(f"affine_map<(d0, d1) -> ({times} * ({text} - {text} mod {by}))>") == whole


def test_long_sums_are_read_in_bounded_time():
    text = " - ".join(["d0 * 20000", *(f"{by} * (d0 floordiv {by})" for by in range(2, 5000))])
    assert len(mlir.parse(f"affine_map<(d0) -> ({text})>").results[0].terms) == 4999
    short = " - ".join(["d0 * 63", *(f"{by} * (d0 floordiv {by})" for by in range(2, 65))])
    assert str(mlir.parse(f"affine_map<(d0) -> ({short})>")).count("mod") == 63


class Number(int):
    """An integer that divides upwards with ``@``."""

    def __add__(self, other):
        return Number(int(self) + int(other))

    def __sub__(self, other):
        return Number(int(self) - int(other))

    def __mul__(self, other):
        return Number(int(self) * int(other))

    def __floordiv__(self, other):
        return Number(int(self) // int(other))

    def __mod__(self, other):
        return Number(int(self) % int(other))

    def __matmul__(self, other):
        return Number(-(-int(self) // int(other)))


def value(text, coordinates):
    """What Python makes of an expression, with its own operators in place of MLIR's."""
    python = text.replace("floordiv", "//").replace("ceildiv", "@").replace("mod", "%")
    python = re.sub(r"(?<!d)\b\d+", r"Number(\g<0>)", python)
    return int(eval(python, {"Number": Number} | {f"d{k}": Number(x) for k, x in enumerate(coordinates)}))


@pytest.mark.parametrize(
    "text",
    [
        "d0 mod 2 - 4 * (d0 floordiv 8) + 8",
        "d0 floordiv 2 - d0 mod 8 + 7",
        "d1 floordiv 2 - 4 * (d0 floordiv 8) + 8",
        "d0 floordiv 3 - 2 * (d0 floordiv 8) + 4",
        "d0 * 2 - d0 mod 8 + 7",
        "d0 floordiv 2 - (d0 floordiv 2) mod 4 + 3",
        "d0 - 3 * (d0 floordiv 2) + 21",
        "d0 - (d0 + d1) mod 4 + 3",
    ],
)
def test_sums_that_are_left_as_they_are(text):
    parsed = mlir.parse(f"affine_map<(d0, d1) -> ({text})>")
    assert str(parsed).count(" - ") == 1
    layout = parsed.bind((16, 8))
    assert [layout(*x) for x in np.ndindex(16, 8)] == [value(text, x) for x in np.ndindex(16, 8)]


@settings(max_examples=300)
@given(st.data())
def test_maps_mean_what_arithmetic_says(data):
    shape = data.draw(st.lists(st.sampled_from([1, 2, 3, 5, 8]), min_size=1, max_size=3))
    results = data.draw(st.lists(expressions(len(shape)), min_size=1, max_size=3))
    text = f"affine_map<({', '.join(f'd{k}' for k in range(len(shape)))}) -> ({', '.join(results)})>"
    parsed = mlir.parse(text)
    assert mlir.parse(str(parsed)) == parsed
    coordinates = list(itertools.islice(itertools.product(*map(range, shape)), 60))
    try:
        layout = parsed.bind(shape)
    except LayoutError as error:
        assert "goes down to -" in str(error)
        return
    indices = np.array([[value(result, x) for result in results] for x in coordinates])
    assert indices.min() >= 0
    slots = layout.index(coordinates)
    if len(results) == 1:
        assert (slots == indices[:, 0]).all()
    same = {(tuple(index), int(slot)) for index, slot in zip(indices, slots, strict=True)}
    assert len(same) == len({index for index, _ in same}) == len({slot for _, slot in same})
    assert layout.slots >= np.prod(indices.max(axis=0) + 1)
    assert mlir.express(layout).bind(shape) == layout


@given(st.one_of(strategies.layouts(), strategies.strided_layouts()))
def test_every_layout_is_expressible(layout):
    if layout.ndim == 0 and layout.slots > 1:
        return
    text = str(mlir.express(layout))
    assert mlir.recognizes(text)
    assert mlir.parse(text).bind(layout.shape) == layout


@pytest.mark.parametrize(
    ("layout", "text"),
    [
        (tl.layout("{1,0}", (3, 5)), "affine_map<(d0, d1) -> (d0, d1)>"),
        (tl.layout("{0,1}", (3, 5)), "affine_map<(d0, d1) -> (d1, d0)>"),
        (tl.layout("{1,0:T(8,128)}", (20, 300)), "inner_dims_pos = [0, 1] inner_tiles = [8, 128]"),
        (
            tl.layout("{1,0:T(8,128)(2,1)}", (32, 256)),
            "affine_map<(d0, d1) -> (d0 floordiv 8, d1 floordiv 128, (d0 floordiv 2) mod 4, d1 mod 128, d0 mod 2)>",
        ),
        (tl.layout("(2,4):(4,1)"), "affine_map<(d0, d1) -> (d0, d1)>"),
        (tl.Layout((8,), [(0, 1, 2, 4), (0, 2, 4, 1)]), "affine_map<(d0) -> ((d0 mod 2) * 4 + d0 floordiv 2)>"),
        (tl.Layout((3,), [(0, 1, 3, 2)], slots=9), "affine_map<(d0) -> ((d0 * 2) mod 9)>"),
        (tl.Layout((3,), [(0, 1, 3, -1), (None, 1, 2, 2)]), "affine_map<(d0) -> (-d0 + 2)>"),
        (tl.Layout((1,), [(None, 1, 2, 5)], slots=8), "affine_map<(d0) -> ((d0 + 5) mod 8)>"),
        (tl.Layout((4,), [(None, 1, 2, 5)], slots=8), "affine_map<(d0) -> ((d0 floordiv 4 + 5) mod 8)>"),
        (tl.Layout((0, 3), [], slots=7), "affine_map<(d0, d1) -> (d0 mod 7)>"),
        (tl.Layout((), [(None, 1, 2, 3)]), "affine_map<() -> (3)>"),
    ],
)
def test_the_simplest_form(layout, text):
    assert str(mlir.express(layout)) == text
    assert mlir.parse(text).bind(layout.shape) == layout


def test_slots_behind_a_scalar_cannot_be_said():
    with pytest.raises(NotExpressible, match="without dimensions a map has one slot"):
        mlir.express(tl.Layout((), [], slots=2))


@pytest.mark.parametrize(
    ("text", "shape", "slots", "element"),
    [
        ("memref<3x5xf32>", (3, 5), 15, Element("float32", 32)),
        ("memref<f32>", (), 1, Element("float32", 32)),
        ("memref<0x5xi1>", (0, 5), 0, Element("bool", 8)),
        ("memref<3x5xf32, strided<[5, 1], offset: 2>>", (3, 5), 17, Element("float32", 32)),
        ("memref<3x5xf32, strided<[8, -1], offset: 4>, 1>", (3, 5), 21, Element("float32", 32)),
        ("memref<3x5xbf16, affine_map<(i, j) -> (j, i)>, #gpu.address_space<workgroup>>", (3, 5), 15, Element("bfloat16", 16)),
        ("memref<3x5xf32, 1 : i32>", (3, 5), 15, Element("float32", 32)),
        ("memref<3x5xf32, strided<[1,3]>, 1 : i32>", (3, 5), 15, Element("float32", 32)),
        ("memref<3x5xf32, -1>", (3, 5), 15, Element("float32", 32)),
        ('memref<3x5x // rows, columns\n f32, "http://space"> // of %0', (3, 5), 15, Element("float32", 32)),
        ("memref<3x5xf32, #foo.bar<a<b -> c>>>", (3, 5), 15, Element("float32", 32)),
        ("memref<3x5xf32, #foo<bar>>", (3, 5), 15, Element("float32", 32)),
        ("memref<4xcomplex<f32>, affine_map<(i) -> (i mod 8)>>", (4,), 8, Element("complex64", 64)),
        ("memref<4xcomplex<f16>, affine_map<(i) -> (i mod 8)>>", (4,), 8, None),
        ("memref<4xcomplex< i32 >>", (4,), 4, None),
        ("memref<4xvector<4x[2]xf32>, strided<[2]>>", (4,), 7, None),
        ("memref<4 x vector<f32>>", (4,), 4, None),
        ("memref<4xi24>", (4,), 4, None),
        ("memref<4xi128>", (4,), 4, None),
        ("memref<4xi0>", (4,), 4, None),
        ("memref<4xf80>", (4,), 4, None),
        ("memref<4xf128>", (4,), 4, None),
        ("memref<4xtf32>", (4,), 4, None),
        ("memref<4xf8E4M3B11FNUZ>", (4,), 4, Element("float8_e4m3b11fnuz", 8)),
        ("memref<4xmemref<2xf32>>", (4,), 4, None),
        ("memref<4xmemref<2xmemref<3xf32, affine_map<(d0) -> (d0)>, 3>>, 1>", (4,), 4, None),
        ('memref<4x!foo.bar<"<", a -> b>>', (4,), 4, None),
    ],
)
def test_memref_types(text, shape, slots, element):
    memref = mlir.parse(text)
    assert mlir.parse(str(memref)) == memref
    layout = memref.bind()
    assert (layout.shape, layout.slots, layout.element) == (shape, slots, element)
    assert memref.bind(shape) == layout
    with pytest.raises(ShapeError, match="is of shape"):
        memref.bind((*shape, 2))


def test_bare_strides():
    assert mlir.parse("strided<[10, 1], offset: 3>").bind((2, 4)).offsets().tolist() == [[3, 4, 5, 6], [13, 14, 15, 16]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("affine_map<(d0) -> (d0 * d0)>", "a product of two dimensions is not affine"),
        ("affine_map<(d0, d1) -> (d0 floordiv d1)>", "floordiv by a dimension is not affine"),
        ("affine_map<(d0) -> (d0 mod 0)>", "mod by 0 has no meaning"),
        ("affine_map<(d0) -> (d0 floordiv -2)>", "floordiv by -2 has no meaning"),
        ("affine_map<(d0)[s0] -> (d0 + s0)>", "a map with symbols"),
        ("affine_map<(d0) -> (d1)>", "one of the dimensions d0"),
        ("affine_map<(d0, d0) -> (d0)>", "dimension 'd0' is named twice"),
        ("affine_map<(d0) -> (d0 % 2)>", "the remainder is mod"),
        ("affine_map<(d0) -> (d0 / 2)>", "division is floordiv, ceildiv or mod"),
        ("affine_map<(d0) -> (d0 // 2)>", "behind // is a comment; division is floordiv"),
        ("affine_map<(d0) -> (d0)", "expected '>'"),
        ("affine_map<(d0) -> ()> x", "expected the end of the text"),
        (f"affine_map<(d0) -> (d0 * {10**30})>", "does not fit in 64 bits"),
        ("affine_map<(d0) -> (" + "(" * 100 + "d0" + ")" * 100 + ")>", "nested more than 60 deep"),
        ("affine_map<(1) -> (0)>", "expected the name of a dimension"),
        ("memref<3x?xf32>", "a size that is not known"),
        ("memref<*xf32>", "expected a size"),
        ("memref<2x2xf32, #map>", "#map is an alias, which may stand for a layout or a memory space"),
        ("memref<2x2xf32, #map1, 1>", "#map1 is an alias"),
        ("memref<2x2xf32, #>", "expected the name of an attribute"),
        ("memref<2x2xf32, #foo.bar<a<b>>", "expected '>'"),
        ("memref<3x5xfoo>", "'foo' is no element type"),
        ("memref<4xf33>", "'f33' is no element type"),
        ("memref<4xi08>", "'i08' is no element type"),
        ("memref<4xcomplex<index>>", "'complex<index>' is no element type"),
        ("memref<4xvector<0xf32>>", "'vector<0xf32>' is no element type"),
        ("memref<4xvector<2xvector<2xf32>>>", "'vector<2xvector<2xf32>>' is no element type"),
        ("memref<4xtensor<2xf32>>", "'tensor<2xf32>' is no element type"),
        ("memref<4xnone>", "'none' is no element type"),
        ("memref<4xvector<2xf32>", "expected '>', found the end of the text"),
        ("memref<4xvector<2xf32", "expected '>', found the end of the text"),
        ("memref<4x", "expected an element type, such as f32"),
        ("memref<3x5xf32, strided<[5]>>", "a layout of 1 dimensions for a memref of 2"),
        ("memref<3x5xf32, affine_map<(d0) -> (d0)>>", "a layout of 1 dimensions for a memref of 2"),
        ("strided<[?, 1]>", "a size that is not known"),
        ("tensor<3xf32>", "expected affine_map"),
        ("", "expected affine_map"),
    ],
)
def test_other_text_is_refused(text, said):
    with pytest.raises(LayoutSyntaxError) as error:
        mlir.parse(text)
    assert said in str(error.value)
    assert str(error.value).count("^") == 1


@pytest.mark.parametrize(
    ("text", "shape", "said"),
    [
        ("affine_map<(d0) -> (-d0 + 5)>", (7,), "goes down to -1"),
        ("affine_map<(d0) -> (d0)>", (2, 3), "for arrays of 1 dimensions"),
        ("affine_map<(d0) -> (d0)>", None, "give a shape of 1 dimensions"),
        ("affine_map<(d0) -> (d0 * 9000000000000000000)>", (3,), "64-bit"),
        ("affine_map<(d0, d1) -> (d0, d1)>", (2**40, 2**40), "64-bit"),
        ("affine_map<(d0) -> (d0 mod 9223372036854775807, d0)>", (3,), "64-bit"),
        ("strided<[-1]>", (3,), "slot -2"),
        ("strided<[1, 1]>", "ab", "is no shape"),
    ],
)
def test_shapes_that_do_not_fit(text, shape, said):
    with pytest.raises(LayoutError, match=said):
        mlir.parse(text).bind(shape)


@pytest.mark.parametrize(
    "text",
    [
        "affine_map<(d0) -> (d0" + " mod 7 mod 5" * 60 + ")>",
        "affine_map<(d0) -> (d0 * 9223372036854775807 * 9223372036854775807)>",
    ],
)
def test_expressions_beyond_limits(text):
    with pytest.raises(LayoutError, match=r"more than 60 deep|does not fit"):
        mlir.parse(text)


def test_divisors_beyond_64_bits_still_read_back():
    text = "affine_map<(d0) -> (d0 floordiv 9223372036854775807 floordiv 9223372036854775807)>"
    assert mlir.parse(str(mlir.parse(text))) == mlir.parse(text)
    with pytest.raises(ShapeError, match="64-bit"):
        mlir.parse(text).bind((5,))


@pytest.mark.parametrize("thing", [None, 3, b"affine_map"])
def test_other_things_are_refused(thing):
    with pytest.raises(LayoutError, match=r"is an? .*; it takes MLIR's text"):
        mlir.parse(thing)
