"""Sizes: what an array takes, what its elements take, and XLA's two figures."""

import pytest
from hypothesis import given

from strategies_xla import small_arrays
from tilelayout import LayoutError, ShapeError
from tilelayout.notations import xla


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("f32[3,5]{1,0:T(2,2)}", 96),
        ("f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}", 49728),
        ("bf16[8,2,3,1004]{3,2,1,0:T(2,*,*,128)}", 98304),
        ("s4[70,200]{1,0:T(64,128)(8,1)E(4)}", 16384),
        ("s4[64,128]{1,0:E(4)}", 4096),  # shape_util_test.cc, Int4ShapeSize
        ("s4[9216,6144]{1,0:T(64,128)(8,1)E(4)}", 28311552),  # the same test
        ("s4[64,128]{1,0}", 8192),
        ("s4[3]{0:E(4)}", 2),
        ("u1[9]{0:E(1)}", 2),
        ("pred[64,512,2048]{2,1,0:T(8,128)E(32)}", 256 << 20),  # trax issue 525
        ("f32[200001,128]{1,0:T(8)L(1024)}", 102404096),
        ("s32[8388608,8,4]{2,1,0:T(8,128)}", 32 << 30),  # flowpm issue 27
        ("f32[1024,245,64]{1,2,0:T(8,128)}", 64 << 20),  # ColabFold issue 62
        ("u8[327680,327680]{1,0:T(8,128)(4,1)}", 107374182400),  # oom_debugging.md of openxla.org
        ("f32[<=100,300]{0,1:T(8,128)M(1024)}", 156672),  # XLA's buffer assignment for v5e, libtpu 0.0.52
        ("bf16[<=100,300]{0,1:T(8,128)(2,1)M(1024)}", 78848),  # the same
        ("s2[130,256]{1,0:T(16,128)(16,1)E(2)S(1)SC(0:72)}", 5120),  # XLA's buffer assignment for v7x, libtpu 0.0.52
        ("f32[0,3]{1,0:T(8,128)}", 0),
        ("b(f32[3,5]{1,0:T(2,2)})", 96),
    ],
)
def test_allocation_byte_size(text, size):
    assert xla.parse_shape(text).allocation_byte_size == size


@pytest.mark.parametrize(
    ("text", "taken", "xla_array", "xla_bytes", "logical"),
    [
        ("bf16[]{:T(512)(2,1)}", 2048, 1024, 2, 2),
        ("f32[5]{0:L(4)}", 32, 20, 20, 20),
        ("f32[5]{0:T(2)L(4)}", 32, 32, 20, 20),
        ("pred[123,456]{1,0:T(2,128)S(3)SC(1:200)}", 63488, 31744, 123 * 456, 123 * 456),
        ("s32[6]{0:T(128)S(1)SC(0:3)}", 512, 512, 24, 24),
        ("pred[10]{0:E(32)}", 40, 40, 40, 10),
        ("s4[3]{0:E(4)}", 2, 2, 2, 3),
        ("s32[5]{0:T(4)(3)}", 48, 32, 20, 20),
        ("f32[3]{0:T(8,128)}", 4096, 4096, 12, 12),
        ("f32[123,456]{1,0:T(16,128)M(1024)}", 262144, 262144, 224352, 224352),
    ],
)
def test_the_four_sizes(text, taken, xla_array, xla_bytes, logical):
    shape = xla.parse_shape(text)
    assert (shape.byte_size, shape.xla_array_size, shape.xla_byte_size, shape.logical_byte_size) == (taken, xla_array, xla_bytes, logical)


@given(small_arrays())
def test_one_tile_without_stars_is_all_that_xla_counts(shape):
    tiles = shape.layout.tiles
    if any(xla.COMBINE in tile for tile in tiles[:1]):
        with pytest.raises(LayoutError, match="ArraySize has no answer"):
            _ = shape.xla_array_size
    elif len(tiles) == 1:
        assert shape.xla_array_size == shape.byte_size
    elif not tiles:
        assert shape.xla_array_size == shape.xla_byte_size == shape.logical_byte_size


def test_largest_piece_of_a_split():
    """shape_util_test.cc: 150,200,100 in the order {0,1,2}, cut at 30, and at 40 and 130."""
    shape = xla.parse_shape("f32[150,200,100]{0,1,2:SC(0:30)(1:40,130)}")
    assert shape.max_elements_per_split == 150 * 90 * 70
    assert str(shape.largest_piece) == "f32[150,90,70]{0,1,2}"


@pytest.mark.parametrize(
    ("text", "piece"),
    [
        ("f32[<=10,4]{1,0:T(8,128)S(1)SC(0:6)}", "f32[<=6,4]{1,0:T(8,128)S(1)}"),
        ("b(f32[10]{0:SC(0:3)})", "f32[7]{0}"),
        ("b(f32[10]{0})", "f32[10]{0}"),
        ("f32[10,4]{0,1:T(2,2)}", "f32[10,4]{0,1:T(2,2)}"),
    ],
)
def test_largest_pieces(text, piece):
    assert str(xla.parse_shape(text).largest_piece) == piece


def test_memory_space():
    assert xla.parse_shape("u32[]{:S(2)}").memory_space == 2
    assert xla.parse_shape("b(u32[4])").memory_space == 0
    assert xla.parse_shape("f32[?,3]{1,0:S(5)}").memory_space == xla.parse_shape("b(f32[?]{0:S(5)})").memory_space == 5


@pytest.mark.parametrize("text", ["(f32[2])", "()", "token[]", "opaque[]", "f32[?]", "f32[4]{0:T(*)}"])
@pytest.mark.parametrize("name", ["byte_size", "padded_elements", "xla_array_size", "expanded_shape"])
def test_what_has_no_size(text, name):
    with pytest.raises(LayoutError, match=r"has no size|is no array|no answer for|does not define"):
        getattr(xla.parse_shape(text), name)


def test_sizes_that_do_not_fit():
    shape = xla.parse_shape("f32[4611686018427387904]{0:T(4,3)}")
    assert shape.elements == 2**62
    with pytest.raises(ShapeError, match="64-bit"):
        _ = shape.byte_size


@pytest.mark.parametrize(
    ("text", "elements"),
    [
        ("f32[5]{0:T(1,4)}", 8),  # a tile longer than the rank meets sizes of 1
        ("f32[5]{0:T(3,4)}", 24),
        ("f32[10]{0:T(1)SC(0:6)}", 6),  # the largest piece counts, be it the first, the last, or one between
        ("f32[10]{0:T(1)SC(0:3)}", 7),
        ("f32[10]{0:T(1)SC(0:2,7)}", 5),
    ],
)
def test_array_size_of_tiles_and_pieces(text, elements):
    assert xla.parse_shape(text).xla_array_size == 4 * elements
