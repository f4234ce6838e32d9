"""Shapes and layouts as values: built in Python, compared, printed, copied."""

import copy
import pickle
from dataclasses import FrozenInstanceError

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given

from strategies_xla import layouts, shapes
from tilelayout import LayoutError, ShapeError
from tilelayout.elements import BITS
from tilelayout.notations import xla
from tilelayout.notations.xla.types import NUMPY_NAMES


@given(shapes())
def test_shapes_are_values(shape):
    assert eval(repr(shape), {"xla": xla}) == shape
    twin = pickle.loads(pickle.dumps(shape))
    assert (twin, hash(twin)) == (shape, hash(shape))
    assert copy.deepcopy(shape) == shape


@given(layouts())
def test_layouts_are_values(layout):
    assert eval(repr(layout), {"xla": xla}) == layout
    twin = pickle.loads(pickle.dumps(layout))
    assert (twin, hash(twin)) == (layout, hash(layout))


def test_repr_leaves_defaults_out():
    assert repr(xla.parse_shape("f32[3,5]{1,0:T(2,2)}")) == "xla.Shape('f32', (3, 5), layout=xla.Layout((1, 0), tiles=((2, 2),)))"
    assert repr(xla.parse_shape("f32[?,<=5]")) == "xla.Shape('f32', (None, 5), dynamic=(True, True))"
    assert repr(xla.parse_layout("{1,0:T(*,2)SC(0:3)}")) == "xla.Layout((1, 0), tiles=((xla.COMBINE, 2),), split_configs=((0, (3,)),))"


def test_values_do_not_change():
    shape = xla.parse_shape("f32[3]")
    with pytest.raises(FrozenInstanceError):
        shape.dims = (4,)
    with pytest.raises(FrozenInstanceError):
        shape.layout.tiles = ()


@pytest.mark.parametrize("star", ["*", -1, -(2**63), xla.COMBINE])
def test_spellings_of_a_combined_dimension(star):
    layout = xla.Layout([1, 0], tiles=[[star, 2]])
    assert str(layout) == "{1,0:T(*,2)}"
    assert layout.tiles[0][0] is xla.COMBINE
    assert pickle.loads(pickle.dumps(xla.COMBINE)) is xla.COMBINE


def test_any_sequences_of_integers_are_taken():
    given_arrays = xla.Layout(np.array([1, 0]), tiles=[np.array([8, 128], np.uint8)], memory_space=np.int64(1), split_configs=[[0, [1]]])
    assert given_arrays == xla.parse_layout("{1,0:T(8,128)S(1)SC(0:1)}")
    assert type(given_arrays.tiles[0][0]) is type(given_arrays.memory_space) is int
    assert xla.Shape(np.float32, [np.int8(2), 3]) == xla.parse_shape("f32[2,3]")


def test_an_array_without_a_layout_is_row_major():
    assert xla.Shape("f32", (2, 3)).layout == xla.Layout((1, 0)) == xla.Layout.descending(2)


def test_dynamic_flags():
    shape = xla.parse_shape("f32[<=4,3,?]")
    assert (shape.dims, shape.dynamic) == ((4, 3, None), (True, False, True))
    assert xla.parse_shape("f32[<=4]") != xla.parse_shape("f32[4]")
    assert xla.parse_shape("f32[<=4,3]").bounds == (4, 3)


def test_leaves():
    shape = xla.parse_shape("(f32[2], (), (token[], b(s8[3])), opaque[])")
    assert [str(leaf) for leaf in shape.leaves()] == ["f32[2]{0}", "token[]", "s8[3]{0}", "opaque[]"]
    assert [leaf.is_array for leaf in shape.leaves()] == [True, False, True, False]


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: xla.Layout(3), "minor_to_major 3 is no sequence of integers"),
        (lambda: xla.Layout("10"), "minor_to_major '10' is no sequence of integers"),
        (lambda: xla.Layout((0.0,)), r"minor_to_major \(0.0,\) is no sequence of integers"),
        (lambda: xla.Layout((0,), tiles="T(8)"), r"tiles 'T\(8\)' is no sequence of tiles"),
        (lambda: xla.Layout((0,), tiles=(8,)), "tile 8 is no sequence of sizes"),
        (lambda: xla.Layout((0,), tiles=((8, -2),)), "has the tile dimension -2"),
        (lambda: xla.Layout((0,), tiles=((2**63,),)), "has the tile dimension 9223372036854775808"),
        (lambda: xla.Layout((0,), tail_padding_alignment_in_elements=0), r"alignment L\(0\) is out of range"),
        (lambda: xla.Layout((0,), element_size_in_bits=-1), r"element size E\(-1\) is out of range"),
        (lambda: xla.Layout((0,), memory_space=128), r"memory space S\(128\) is out of range"),
        (lambda: xla.Layout((0,), memory_space=None), "memory space S None is no integer"),
        (lambda: xla.Layout((0,), dynamic_shape_metadata_prefix_bytes=-1), r"prefix M\(-1\) is out of range"),
        (lambda: xla.Layout((0,), index_primitive_type="f32"), "'f32' is no integer type"),
        (lambda: xla.Layout((0,), pointer_primitive_type=["u8"]), r"\['u8'\] is no integer type"),
        (lambda: xla.Layout((0,), split_configs=(3,)), r"split_configs \(3,\) is no sequence"),
        (lambda: xla.Layout((0,), split_configs=((0, 3),)), "split indices 3 is no sequence"),
        (lambda: xla.Layout((0,), physical_shape="f32[2]"), "physical_shape .* is no xla.Shape"),
        (lambda: xla.Layout.descending(-1), "rank=-1 is no number of dimensions"),
        (lambda: xla.Shape("f33", (2,)), "'f33' is no XLA element type"),
        (lambda: xla.Shape(None, (2,)), "None is no XLA element type"),
        (lambda: xla.Shape("f32", 2), "dims 2 are no sequence of sizes"),
        (lambda: xla.Shape("f32", (-2,)), "negative size -2"),
        (lambda: xla.Shape("f32", (2**63,)), "9223372036854775808 elements are more than"),
        (lambda: xla.Shape("f32", (2,), "{0}"), r"layout '\{0\}' is no xla.Layout"),
        (lambda: xla.Shape("f32", (2,), dynamic=(True, False)), "2 dynamic flags are given for 1 dimensions"),
        (lambda: xla.Shape("f32", (2,), dynamic=1), "dynamic 1 is no sequence of flags"),
        (lambda: xla.Shape("f32", (2,), parts=(xla.Shape("token"),)), "an array of f32 has no parts"),
        (lambda: xla.Shape("token", (2,)), "token has neither dimensions nor a layout"),
        (lambda: xla.Shape("token", parts=(xla.Shape("token"),)), "do not make a token"),
        (lambda: xla.Shape("tuple", layout=xla.Layout(())), "tuple has neither dimensions nor a layout"),
        (lambda: xla.Shape("tuple", parts=("f32[2]",)), r"parts \('f32\[2\]',\) do not make a tuple"),
        (lambda: xla.Shape("tuple", parts=3), "parts 3 do not make a tuple"),
        (lambda: xla.Shape("buffer"), r"b\(\) is no buffer"),
        (lambda: xla.Shape("buffer", parts=(xla.Shape("token"),)), r"b\(token\[\]\) is no buffer"),
        (lambda: xla.Layout((0,)).bind((2,), "f33"), "'f33' is no XLA element type"),
        (lambda: xla.Layout((0,)).bind(2), "2 is no shape"),
    ],
)
def test_what_is_no_value(build, said):
    with pytest.raises(LayoutError, match=said):
        build()


def test_tuples_too_deep_to_print_are_not_built():
    shape = xla.Shape("tuple")
    for _ in range(99):
        shape = xla.Shape("tuple", parts=(shape,))
    assert xla.parse_shape(str(shape)) == shape
    with pytest.raises(LayoutError, match="nested 101 deep"):
        xla.Shape("tuple", parts=(shape,))


def test_every_element_type_has_a_type_of_the_core():
    assert set(NUMPY_NAMES.values()) == set(BITS)
    for name, numpy_name in NUMPY_NAMES.items():
        assert xla.element_type(numpy_name) == name == xla.element_type(name)
        shape = xla.parse_shape(f"{name}[2,3]")
        assert shape.byte_size == 6 * -(-BITS[numpy_name] // 8)


@pytest.mark.parametrize(
    ("dtype", "name"),
    [
        (np.float32, "f32"),
        (np.dtype(">i2"), "s16"),
        (np.dtype(bool), "pred"),
        (np.longlong, "s64"),
        (np.complex128, "c128"),
        (ml_dtypes.bfloat16, "bf16"),
        (np.dtype(ml_dtypes.int4), "s4"),
        (ml_dtypes.float8_e4m3fn, "f8e4m3fn"),
        (np.dtype(ml_dtypes.float4_e2m1fn), "f4e2m1fn"),
        ("float8_e8m0fnu", "f8e8m0fnu"),
    ],
)
def test_dtypes_by_name_or_object(dtype, name):
    assert xla.element_type(dtype) == name


@pytest.mark.parametrize("dtype", [None, "f4", "<f4", "S3", np.dtype("S3"), np.dtype("M8[s]"), np.dtype([("a", "f4")]), 3, object()])
def test_what_is_no_dtype(dtype):
    with pytest.raises(LayoutError, match="is no XLA element type"):
        xla.element_type(dtype)


def test_shape_errors_are_told_apart():
    with pytest.raises(ShapeError, match="Dimensions size is 2, but minor to major size is 1"):
        xla.Shape("f32", (2, 3), xla.Layout((0,)))
