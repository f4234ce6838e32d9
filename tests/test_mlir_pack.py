"""MLIR's linalg.pack."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
import tilelayout as tl
from tilelayout.elements import Element
from tilelayout.errors import LayoutError, LayoutSyntaxError, ShapeError
from tilelayout.notations import mlir

#: The examples of the operation's documentation (LinalgRelayoutOps.td).
DOCUMENTED = [
    "linalg.pack %source inner_dims_pos = [0, 1] inner_tiles = [8, 32] into %dest : tensor<128x256xf32> -> tensor<16x8 x 8x32 xf32>",
    "%0 = linalg.pack %source outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [8, 32] into %dest"
    " : tensor<128x256xf32> -> tensor<8x16 x 8x32 xf32>",
    "%0 = linalg.pack %arg0 padding_value(%pad : f32) outer_dims_perm = [2, 1, 0] inner_dims_pos = [1] inner_tiles = [2] into %arg1"
    " : tensor<200x127x256xf32> -> tensor<256x64x200x2xf32>",
]


@pytest.mark.parametrize("text", DOCUMENTED)
def test_documented_operations(text):
    operation = mlir.parse(text)
    assert mlir.recognizes(text)
    assert mlir.parse(str(operation)) == operation
    layout = operation.bind()
    assert layout.element == Element("float32", 32)
    assert layout.slots == np.prod(operation.pack.packed_shape(layout.shape))
    assert mlir.express(layout).bind(layout.shape) == layout


@st.composite
def packs(draw):
    rank = draw(st.integers(1, 4))
    positions = draw(st.lists(st.integers(0, rank - 1), unique=True, max_size=rank))
    tiles = tuple(draw(st.sampled_from([1, 2, 3, 4, 8])) for _ in positions)
    order = tuple(draw(st.permutations(range(rank)))) if draw(st.booleans()) else ()
    shape = tuple(draw(strategies.extents) for _ in range(rank))
    return mlir.Pack(tuple(positions), tiles, order), shape


def packed_by_numpy(pack, x):
    """Pad, cut, and move the axes."""
    tiles = dict(zip(pack.inner_dims_pos, pack.inner_tiles, strict=True))
    x = np.pad(x, [(0, -size % tiles.get(axis, 1)) for axis, size in enumerate(x.shape)])
    cut = x.reshape([n for axis, size in enumerate(x.shape) for n in (size // tiles.get(axis, 1), tiles.get(axis, 1))])
    order = pack.outer_dims_perm or range(x.ndim)
    return cut.transpose([*(2 * axis for axis in order), *(2 * axis + 1 for axis in pack.inner_dims_pos), *(
        2 * axis + 1 for axis in range(x.ndim) if axis not in tiles
    )])  # fmt: skip


@given(packs())
def test_packs_go_there_and_back(drawn):
    pack, shape = drawn
    assert mlir.parse(str(pack)) == pack
    layout = pack.bind(shape)
    x = np.arange(1, 1 + np.prod(shape), dtype=np.int32).reshape(shape)
    expected = packed_by_numpy(pack, x)
    assert tl.pack(x, layout).tolist() == expected.ravel().tolist()
    assert pack.packed_shape(shape) == expected.shape[: len(shape) + len(pack.inner_tiles)]
    assert mlir.express(layout).bind(shape) == layout


def test_attributes_come_in_any_order():
    text = "inner_dims_pos = [1] inner_tiles = [4] outer_dims_perm = [1, 0]"
    assert str(mlir.parse(text)) == "outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [4]"
    assert mlir.parse(text).bind((6, 8)).offsets()[1].tolist() == [4, 5, 6, 7, 28, 29, 30, 31]


def test_the_old_spelling():
    text = "tensor.pack %a inner_dims_pos = [1] inner_tiles = [4] into %b : tensor<6x8xf32> -> tensor<6x2x4xf32>"
    assert mlir.parse(text) == mlir.parse(text.replace("tensor.pack", "linalg.pack"))


@pytest.mark.parametrize(
    "text",
    [
        '%p = linalg.pack %a inner_dims_pos = [1] inner_tiles = [4] into %b {a = "}", b = {c = #config<"x">}} : tensor<6x8xf32> '
        "-> tensor<6x2x4xf32>",
        '%p = linalg.pack %a inner_dims_pos = [1] inner_tiles = [4] into %b : tensor<6x8xf32> -> tensor<6x2x4xf32> loc("a.py":1:2)',
        'linalg.pack %a inner_dims_pos = [1] inner_tiles = [4] into %b {} : memref<6x8xf32> -> memref<6x2x4xf32> loc(fused["a", "b"])',
        "linalg.pack %a inner_dims_pos = [1] inner_tiles = [4] into %b : memref<6x8xf32, strided<[16, 1]>, 3> -> memref<6x2x4xf32, 1>",
    ],
)
def test_operations_as_they_are_printed(text):
    """With attributes, on memrefs, and with the place that it comes from."""
    plain = "%p = linalg.pack %a inner_dims_pos = [1] inner_tiles = [4] into %b : tensor<6x8xf32> -> tensor<6x2x4xf32>"
    assert mlir.parse(text) == mlir.parse(plain)
    assert tl.layout(text) == tl.layout(plain)


def test_elements_that_are_vectors():
    text = "linalg.pack %a inner_dims_pos = [1] inner_tiles = [4] into %b : tensor<6x8xvector<4xf32>> -> tensor<6x2x4xvector<4 x f32>>"
    layout = mlir.parse(text).bind()
    assert (layout.slots, layout.element) == (48, None)
    assert mlir.parse(str(mlir.parse(text))) == mlir.parse(text)


def test_an_axis_cut_twice_is_no_pack():
    layout = tl.layout("{0:T(8)(2)}", (32,))
    assert isinstance(mlir.express(layout), mlir.AffineMap)


OPERATION = "linalg.pack %a {} into %b : tensor<6x9xf32> -> {}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("inner_dims_pos = [1, 1] inner_tiles = [2, 2]", "names a dimension twice"),
        ("inner_dims_pos = [1] inner_tiles = [0]", "a tile of 0"),
        ("inner_dims_pos = [1] inner_tiles = [2, 2]", "2 tiles for 1 dimensions"),
        ("inner_dims_pos = [1]", "expected inner_tiles = [...]"),
        ("inner_dims_pos = [1] inner_dims_pos = [1]", "inner_dims_pos is given twice"),
        ("outer_dims_perm = [1, 1] inner_dims_pos = [1] inner_tiles = [2]", "no permutation"),
        ("outer_dims_perm = [1, 0] inner_dims_pos = [2] inner_tiles = [2]", "goes beyond the 2 dimensions"),
        ("inner_dims_pos = [-1] inner_tiles = [2]", "expected the number of a dimension"),
        (f"inner_dims_pos = [1] inner_tiles = [{10**40}]", "does not fit in 64 bits"),
        (OPERATION.format("inner_dims_pos = [1] inner_tiles = [4]", "tensor<6x3x4xf32>"), "take a padding_value"),
        (
            "%p = linalg.pack %a inner_dims_pos = [1] inner_tiles = [2] into %b : tensor<0x5xf32> -> tensor<0x3x2xf32>",
            "take a padding_value",
        ),
        (OPERATION.format("inner_dims_pos = [1] inner_tiles = [3]", "tensor<6x3x4xf32>"), "than tensor<6x3x3xf32>"),
        (OPERATION.format("inner_dims_pos = [1] inner_tiles = [3]", "tensor<6x3x3xf64>"), "than tensor<6x3x3xf32>"),
        (OPERATION.format("inner_dims_pos = [1] inner_tiles = [%c3]", "tensor<6x3x3xf32>"), "tile '%c3' is not known"),
        (f"%p = {OPERATION}".format("inner_dims_pos = [1] inner_tiles = [3]", "memref<6x3x3xf32>"), "expected tensor, found 'memref'"),
        (
            OPERATION.replace("tensor", "memref").format("inner_dims_pos = [1] inner_tiles = [3]", "memref<6x3x3xf32, strided<[9, 3, 1]>>"),
            "the packed memref is of another type than memref<6x3x3xf32>",
        ),
        (
            "%p = linalg.pack %a inner_dims_pos = [1] inner_tiles = [3] into %b : memref<6x9xf32> -> memref<6x3x3xf32>",
            "expected tensor, found 'memref'",
        ),
        (
            "linalg.pack %a padding_value(%d : i32) inner_dims_pos = [1] inner_tiles = [2] into %b : tensor<6x9xf32> -> tensor<6x5x2xf32>",
            "a padding_value of i32 among elements of f32",
        ),
        (
            "linalg.pack %a padding_value(%d : 4xf32) inner_dims_pos = [1] inner_tiles = [2] into %b : tensor<6x9xf32> -> ",
            "expected an element type",
        ),
        ("linalg.pack %a inner_dims_pos = [1] inner_tiles = [3] into %b {a = 1 : tensor<6x9xf32>", "expected '}'"),
        (OPERATION.format("inner_dims_pos = [1] inner_tiles = [3]", "tensor<6x3x3xf32> loc"), "expected '('"),
        (
            "linalg.pack %a inner_dims_pos = [1] inner_tiles = [3] into %b : tensor<9xmemref<2xf32>> -> tensor<3x3xmemref<2xf32>>",
            "a tensor has no memrefs for its elements",
        ),
        ("linalg.pack inner_dims_pos = [1] inner_tiles = [4]", "expected an SSA value"),
        (
            f"% = {OPERATION}".format("inner_dims_pos = [1] inner_tiles = [3]", "tensor<6x3x3xf32>"),
            "expected an SSA value, such as %0, found '%'",
        ),
        ("linalg.unpack %a", "expected affine_map"),
    ],
)
def test_other_text_is_refused(text, said):
    """Each is refused by MLIR's verifier or parser, too."""
    with pytest.raises(LayoutSyntaxError) as error:
        mlir.parse(text)
    assert said in str(error.value)


@pytest.mark.parametrize(
    "fields", [((0,), ()), ((0, 0), (2, 2)), ((-1,), (2,)), ((0,), (0,)), ((0,), (2,), (1,)), (None, ()), ((0,), ("a",))], ids=str
)
def test_fields_that_are_no_pack(fields):
    with pytest.raises(LayoutError, match="are no attributes of a pack"):
        mlir.Pack(*fields)


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        (None, "says nothing of sizes"),
        ((), r"cuts dimension 1 of shape \(\)"),
        ((2,), r"cuts dimension 1 of shape \(2,\)"),
        ((2, -3), "negative extent"),
        (3, "3 is no shape"),
        ((2**62, 2**62), "64-bit"),
    ],
)
def test_shapes_that_do_not_fit(shape, said):
    with pytest.raises(ShapeError, match=said):
        mlir.parse("inner_dims_pos = [1] inner_tiles = [4]").bind(shape)


def test_a_shape_of_its_own():
    operation = mlir.parse(DOCUMENTED[0])
    with pytest.raises(LayoutError, match="is of shape"):
        operation.bind((256, 128))


def test_chains_of_tiles_of_one_axis_round_trip():
    for sizes in itertools.product([2, 3], repeat=3):
        text = "{0:T(12)" + "".join(f"({size})" for size in sizes[:2]) + "}"
        layout = tl.layout(text, (24,))
        assert mlir.express(layout).bind((24,)) == layout
