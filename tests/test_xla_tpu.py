"""The model of XLA:TPU's choice of tiles, and the formats of the tiled-layout page."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilelayout import LayoutError, ShapeError
from tilelayout.notations import xla

SIZES = (8, 5, 3, 2, 1)


@pytest.mark.parametrize(
    ("dtype", "generation", "rows"),
    [
        ("f32", "v4", (8, 8, 4, 2, 1)),
        ("f32", "v3", (8, 8, 4, 2, 2)),
        ("bf16", "v5e", (8, 8, 4, 2, 2)),
        ("bf16", "v2", (8, 8, 4, 4, 4)),
        ("s8", "v6e", (8, 8, 4, 4, 4)),
        ("s4", "tpu7x", (8, 8, 8, 8, 8)),
        ("s2", "v4", (16, 16, 16, 16, 16)),
        ("u1", "v4", (32, 32, 32, 32, 32)),
    ],
)
def test_few_rows_take_small_tiles(dtype, generation, rows):
    layouts = [xla.tpu_layout((size, 300), dtype, generation=generation) for size in SIZES]
    assert tuple(layout.tiles[0][0] for layout in layouts) == rows


@pytest.mark.parametrize(
    ("dtype", "n", "generation", "printed"),
    [
        ("f32", 1, "v4", "{0:T(128)}"),
        ("f32", 129, "v4", "{0:T(256)}"),
        ("f32", 257, "v4", "{0:T(512)}"),
        ("f32", 513, "v4", "{0:T(1024)}"),
        ("f32", 5, "v2", "{0:T(256)}"),
        ("bf16", 1, "v5p", "{0:T(256)(128)(2,1)}"),
        ("bf16", 5000, "v5p", "{0:T(1024)(128)(2,1)}"),
        ("bf16", 1, "v3", "{0:T(512)(128)(2,1)}"),
        ("pred", 1, "v4", "{0:T(512)(128)(4,1)}"),
        ("s8", 4096, "v4", "{0:T(1024)(128)(4,1)}"),
        ("u4", 8192, "v4", "{0:T(1024)(128)(8,1)E(4)}"),
        ("u2", 8192, "v4", "{0:T(2048)(128)(16,1)E(2)}"),
    ],
)
def test_one_dimension(dtype, n, generation, printed):
    assert str(xla.tpu_layout((n,), dtype, generation=generation)) == printed


@pytest.mark.parametrize(
    ("dtype", "generation", "printed"),
    [
        ("f32", "v4", "{:T(128)}"),
        ("f32", "v3", "{:T(256)}"),
        ("bf16", "v4", "{:T(256)}"),
        ("pred", "v4", "{:T(512)}"),
        ("s8", "v4", "{:T(512)}"),
        ("bf16", "v2", "{:T(512)}"),
    ],
)
def test_scalars(dtype, generation, printed):
    assert str(xla.tpu_layout((), dtype, generation=generation)) == printed


@pytest.mark.parametrize(
    ("shape", "dtype", "generation", "printed"),
    [
        ((0, 40), "f32", "v5e", "{1,0}"),
        ((8, 0), "s4", "v7x", "{1,0:E(4)}"),
        ((8, 0), "s4", "v2", "{1,0}"),
        ((0,), "bf16", "v3", "{0}"),
        ((0,), "u1", "v6e", "{0:E(1)}"),
    ],
)
def test_arrays_without_elements_have_no_tiles(shape, dtype, generation, printed):
    """libtpu 0.0.52's get_default_layout."""
    assert str(xla.tpu_layout(shape, dtype, generation=generation)) == printed


@pytest.mark.parametrize(
    ("dtype", "rows", "by_default", "before"),
    [("f32", 8, None, 8), ("bf16", 16, False, 8), ("s8", 32, True, 8), ("s4", 64, True, 8), ("s2", 128, True, 16), ("s1", 256, True, 32)],
)
def test_tall_tiles(dtype, rows, by_default, before):
    def chosen(size, large=None, generation="v7x"):
        return xla.tpu_layout((size, 128), dtype, large_second_minor=large, generation=generation).tiles[0][0]

    normal = chosen(256, large=False)
    assert chosen(256, large=True) == rows
    assert chosen(256) == (rows if by_default else normal)
    assert chosen(rows + 1, large=True) == normal
    assert chosen(256, generation="v3") == before


def test_the_row_count_is_that_of_the_physical_order():
    assert str(xla.tpu_layout((2, 300), "f32", minor_to_major=(0, 1))) == "{0,1:T(8,128)}"
    assert str(xla.tpu_layout((300, 7, 2), "f32", minor_to_major=(0, 2, 1))) == "{0,2,1:T(2,128)}"


def test_generations_are_ordered_by_the_numbers_in_their_names():
    assert sorted(xla.GENERATIONS) == ["tpu7x", "v2", "v3", "v4", "v5e", "v5p", "v6e", "v7x"]
    assert all(str(number) in name for name, number in xla.GENERATIONS.items())


def test_old_generations_do_not_pack():
    assert str(xla.tpu_layout((64, 128), "s4", generation="v2")) == str(xla.tpu_layout((64, 128), "s8", generation="v2"))


@pytest.mark.parametrize(
    ("dtype", "shape", "printed"),
    [
        ("s2", (1, 128), "{1,0:T(16,128)(4,1)}"),
        ("s2", (9, 128), "{1,0:T(16,128)(4,1)}"),
        ("u2", (33, 200), "{1,0:T(16,128)(4,1)}"),
        ("s1", (1, 128), "{1,0:T(32,128)(4,1)}"),
        ("u1", (64, 128), "{1,0:T(32,128)(4,1)}"),
        ("s2", (), "{:T(1024)}"),
        ("s2", (1024,), "{0:T(1024)(128)(4,1)}"),
        ("s2", (1025,), "{0:T(2048)(128)(4,1)}"),
        ("s2", (9000,), "{0:T(2048)(128)(4,1)}"),
        ("s1", (1024,), "{0:T(1024)(128)(4,1)}"),
        ("s1", (1025,), "{0:T(2048)(128)(4,1)}"),
        ("s1", (2049,), "{0:T(4096)(128)(4,1)}"),
        ("s1", (9000,), "{0:T(4096)(128)(4,1)}"),
    ],
)
@pytest.mark.parametrize("generation", ["v2", "v3"])
def test_two_bits_and_one_on_old_generations(generation, dtype, shape, printed):
    """libtpu 0.0.52's get_default_layout."""
    assert str(xla.tpu_layout(shape, dtype, generation=generation)) == printed


@pytest.mark.parametrize("dtype", ["bf16", "bfloat16", ml_dtypes.bfloat16, np.dtype(ml_dtypes.bfloat16)])
def test_dtypes_in_any_form(dtype):
    assert str(xla.tpu_layout((8, 128), dtype)) == "{1,0:T(8,128)(2,1)}"


@pytest.mark.parametrize("dtype", ["f64", "s64", "u64", "c64", "c128", np.complex64])
def test_wide_types_are_split_before_layout(dtype):
    """A program of libtpu 0.0.52 that returns such a constant has one array after another of its words, each with the tiles of f32."""
    with pytest.raises(LayoutError, match=r"lies on a TPU in [24] arrays of its 32-bit parts, though XLA prints the tiles of f32"):
        xla.tpu_layout((8, 128), dtype)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"generation": "v1"}, "no TPU generation is called 'v1'; there are v2, "),
        ({"generation": ["v4"]}, "no TPU generation"),
        ({"dtype": "token"}, "no XLA element type"),
        ({"minor_to_major": (0,)}, "minor to major size is 1"),
        ({"minor_to_major": (0, 0)}, "duplicate"),
        ({"minor_to_major": 3}, "no sequence"),
        ({"shape": (-1, 2)}, "negative"),
        ({"shape": 8}, "no shape"),
    ],
)
def test_what_has_no_layout(arguments, message):
    with pytest.raises(LayoutError, match=message):
        xla.tpu_layout(**({"shape": (2, 3), "dtype": "f32"} | arguments))


@given(
    st.lists(st.integers(0, 300), max_size=4),
    st.sampled_from(("f32", "bf16", "s8", "s4", "u2", "s1", "pred", "f4e2m1fn")),
    st.sampled_from(sorted(xla.GENERATIONS)),
    st.sampled_from((True, False, None)),
)
def test_choices_are_valid_and_fill_whole_words(dims, dtype, generation, large):
    layout = xla.tpu_layout(dims, dtype, generation=generation, large_second_minor=large)
    shape = xla.Shape(dtype, dims, layout)
    assert xla.parse_shape(str(shape)) == shape
    assert shape.byte_size % 512 == 0


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("untiled", "{1,0}"),
        ("8x128", "{1,0:T(8,128)}"),
        ("4x128", "{1,0:T(4,128)}"),
        ("2x128", "{1,0:T(2,128)}"),
        ("16-bit", "{1,0:T(8,128)(2,1)}"),
        ("8-bit", "{1,0:T(8,128)(4,1)}"),
        ("1-bit", "{1,0:T(32,128)(32,1)}"),
    ],
)
def test_formats_of_the_tiled_layout_page(name, printed):
    assert str(xla.format_layout(name, 2)) == printed


def test_formats_are_checked():
    with pytest.raises(LayoutError, match="no format is called '7-bit'; there are untiled, 8x128"):
        xla.format_layout("7-bit", 2)
    with pytest.raises(ShapeError, match="rank=-2 is no number of dimensions"):
        xla.format_layout("8-bit", -2)
