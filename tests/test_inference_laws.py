"""Laws of inference: what it finds is right to the last element, and what it is sure to find it finds."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tilelayout as tl
from strategies import layouts, strided_layouts
from strategies_inference import merged_tilings, numbered, pipelines, tilings
from tilelayout.inference import Inferred, NotInferred, infer, probe


@given(tilings())
def test_any_tiling_is_found(layout):
    x = numbered(layout.shape)
    found = infer(x, tl.pack(x, layout))
    assert found == layout
    assert found.is_unique


@given(merged_tilings())
def test_tilings_of_merged_axes_are_found(layout):
    x = numbered(layout.shape)
    assert infer(x, tl.pack(x, layout)) == layout


@given(strided_layouts())
def test_strided_layouts_are_found(layout):
    assert infer(layout.shape, lambda x: tl.pack(x, layout)) == layout


@given(pipelines())
def test_any_reshape_and_transpose_is_found(pipeline):
    shape, function = pipeline
    x = numbered(shape)
    found = infer(x, function(x))
    assert np.array_equal(tl.pack(x, found), function(x))
    assert infer(shape, function) == found


@given(layouts())
def test_whatever_is_found_is_the_layout(layout):
    x = numbered(layout.shape)
    try:
        found = infer(x, tl.pack(x, layout))
    except NotInferred as error:
        assert not layout.is_separable or any(isinstance(digit.axis, tuple) for digit in layout.canonical)
        assert error.placed == layout.size
    else:
        assert found == layout


@settings(max_examples=50)
@given(layouts(most_slots=1 << 12) | tilings(), st.data())
def test_repeated_values_are_explained_or_refused(layout, data):
    """Few values, so that many layouts would do; what comes back reproduces every element, and so do the alternatives."""
    few = data.draw(st.integers(1, 6))
    x = np.random.default_rng(data.draw(st.integers(0, 99))).integers(1, 1 + few, layout.shape).astype(np.uint8)
    packed = tl.pack(x, layout)
    try:
        found = infer(x, packed)
    except NotInferred:
        return
    for each in (found, *found.alternatives):
        assert np.array_equal(tl.unpack(packed, each), x)
        bits = each.element.bits if each.element else 8  # so few values may be read as sharing bytes
        assert each.slots * bits == 8 * layout.slots
    assert all(a != b for k, a in enumerate((found, *found.alternatives)) for b in found.alternatives[k:] if a is not b)
    assert found.is_unique <= (not found.alternatives)


def test_alternatives_share_bytes_as_the_simplest_does():
    ones = np.ones((5, 4, 2, 5), np.uint8)
    digits = [(1, 1, 4, 2), (0, 1, 2, 8), (0, 2, 3, 16), (2, 1, 2, 96), (3, 1, 5, 192), (None, 1, 2, 0)]
    packed = tl.pack(ones, tl.Layout(ones.shape, digits, slots=960))
    found = infer(ones, packed)
    assert found.element is not None
    assert found.alternatives
    for each in found.alternatives:
        assert each.element == found.element
        assert np.array_equal(tl.unpack(packed, each), ones)


@given(st.permutations(range(9)))
@example([8, 3, 7, 2, 6, 1, 5, 0, 4])  # digits that would reach below slot 0, for coordinates beyond the last
def test_random_orders_are_explained_exactly_or_refused(order):
    x = numbered((9,))
    try:
        found = infer(x, x[list(order)])
    except NotInferred as error:
        assert error.element is not None or "make no layout" in str(error)
    else:
        assert np.array_equal(tl.pack(x, found), x[list(order)])


@given(
    tilings(), st.sampled_from(["uint8", "int8", "uint16", "float16", "float32", "complex128", "bool", "bfloat16", "float8_e4m3fn", "int4"])
)
def test_functions_are_probed_in_any_dtype(layout, name):
    from tilelayout.elements import numpy_dtype

    assert probe(lambda x: tl.pack(x, layout), layout.shape, numpy_dtype(name)) == layout


@st.composite
def swizzled(draw):
    """CuTe swizzles of row-major and column-major matrices, the longer strides powers of two."""
    rows, columns = draw(st.sampled_from([4, 6, 8, 16])), draw(st.sampled_from([8, 16, 64]))
    bits = draw(st.integers(0, 3))
    swizzle = f"S<{bits},{draw(st.integers(0, 3))},{draw(st.integers(bits, 4)) * draw(st.sampled_from([1, -1]))}>"
    stride = draw(st.sampled_from([f"({columns},1)", f"(1,{1 << (rows - 1).bit_length()})"]))
    return tl.layout(f"cute:{swizzle} o 0 o ({rows},{columns}):{stride}")


@given(swizzled())
def test_swizzles_of_powers_of_two_are_found(layout):
    x = numbered(layout.shape)
    assert infer(x, tl.pack(x, layout)) == layout


FACTORS = st.sampled_from([2, 4, 8])


@settings(max_examples=30)
@given(st.lists(FACTORS, min_size=3, max_size=4), st.lists(FACTORS, min_size=2, max_size=3), st.data())
@pytest.mark.parametrize("kind", ["float32", "bfloat16 bits", "int4"])
def test_tiles_of_real_values_are_found(kind, rows, columns, data):
    """Any order of power-of-two digits of a matrix, in data with repeats: Marlin's, VNNI's and AWQ's layouts are of this kind."""
    order = data.draw(st.permutations(range(len(rows) + len(columns))))
    normal = np.random.default_rng(data.draw(st.integers(0, 99))).standard_normal((np.prod(rows), np.prod(columns))).astype("float32")
    x = {
        "float32": normal,
        "bfloat16 bits": (normal.view("u4") >> 16).astype("u2"),
        "int4": np.clip(np.round(normal * 2), -8, 7).astype("i1"),
    }[kind]
    packed = x.reshape(*rows, *columns).transpose(order).ravel()
    found = infer(x, packed)
    assert np.array_equal(tl.pack(x, found), packed)
    number = numbered(x.shape)
    if x.size > 512:
        assert infer(number, number.reshape(*rows, *columns).transpose(order)) in (found, *found.alternatives)
    assert isinstance(found, Inferred)
