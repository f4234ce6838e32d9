"""Presets: laws that all of them keep, the language of their names, and refusals."""

from __future__ import annotations

import pickle
import re
from contextlib import suppress
from itertools import product
from math import prod
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tilelayout as tl
from tilelayout import presets
from tilelayout.storage import numpy_dtype

ALL = [presets.get(name) for name in presets.names()]
EVERY = pytest.mark.parametrize("preset", ALL, ids=presets.names())
WITH_AXES = [preset for preset in ALL if preset.axes]
DOCUMENT = Path(__file__).parent.parent / "docs" / "languages" / "presets.md"


def random_array(shape, element, seed=0):
    """Random bits that the element can hold; of two bytes where it is free."""
    bits = 16 if element is None else element.bits
    dtype = f"u{max(1, bits // 8)}"
    return np.random.default_rng(seed).integers(0, 1 << bits, shape, dtype=dtype)


@st.composite
def bound_presets(draw):
    """A preset with axes, and a shape that it takes: small, empty and uneven ones."""
    preset = draw(st.sampled_from(WITH_AXES))
    shape = []
    for axis in preset.axes:
        multiple = preset.multiples.get(axis, 1)
        shape.append(multiple * draw(st.integers(0, 3 if multiple > 1 else 20)))
    return preset, tuple(shape)


@EVERY
def test_example_gives_each_element_its_own_slot(preset):
    layout = preset.bind(preset.example)
    offsets = layout.offsets().ravel()
    assert layout.shape == preset.example
    assert len(np.unique(offsets)) == layout.size > 0
    assert 0 <= offsets.min() <= offsets.max() < layout.slots
    assert layout.element == preset.element


@EVERY
def test_example_packs_and_comes_back(preset):
    x = random_array(preset.example, preset.element)
    packed = tl.pack(x, preset)
    back = tl.unpack(packed, preset, shape=preset.example, dtype=x.dtype)
    assert np.array_equal(back, x)
    assert packed.nbytes == -(-preset.bind(preset.example).slots * (16 if preset.element is None else preset.element.bits) // 8)


@given(bound_presets())
def test_any_shape_that_fits(case):
    preset, shape = case
    layout = preset.bind(shape)
    offsets = layout.offsets().ravel()
    assert layout.shape == shape
    assert len(np.unique(offsets)) == prod(shape)
    assert not offsets.size or offsets.max() < layout.slots
    x = random_array(shape, preset.element)
    assert np.array_equal(tl.unpack(tl.pack(x, preset), preset, shape=shape, dtype=x.dtype), x)


@given(bound_presets())
def test_slots_are_what_the_constraints_say(case):
    """Without headers, the slots are the product of the extents, rounded up where the constraints say so, and nothing else."""
    preset, shape = case
    if ".." in str(preset.recipe):
        return
    told = dict(re.findall(r"(\w+) is padded to a multiple of (\d+)", preset.constraints))
    rounded = [-(-n // int(told.get(axis, 1))) * int(told.get(axis, 1)) for axis, n in zip(preset.axes, shape, strict=True)]
    assert preset.bind(shape).slots == prod(rounded)


@given(st.data())
def test_shapes_that_do_not_divide_are_refused(data):
    preset = data.draw(st.sampled_from([p for p in WITH_AXES if p.multiples]))
    axis = data.draw(st.sampled_from(sorted(preset.multiples)))
    multiple, place = preset.multiples[axis], preset.axes.index(axis)
    size = multiple * data.draw(st.integers(0, 5)) + data.draw(st.integers(1, multiple - 1))
    shape = (*preset.example[:place], size, *preset.example[place + 1 :])
    wanted = f"{axis} a multiple of {multiple}, not {size} in shape {shape}; the next is {-(-size // multiple) * multiple}"
    with pytest.raises(tl.ShapeError, match=re.escape(wanted)):
        preset.bind(shape)


@EVERY
def test_text_is_read_back(preset):
    assert presets.parse(str(preset)) == preset == presets.get(preset.name.upper())
    assert str(preset) == f"preset:{preset.name}"
    assert eval(repr(preset)) == preset
    assert pickle.loads(pickle.dumps(preset)) == preset
    assert hash(pickle.loads(pickle.dumps(preset))) == hash(preset)


@EVERY
def test_text_in_the_registry_of_languages(preset):
    layout = preset.bind(preset.example)
    assert tl.layout(str(preset), preset.example) == layout
    assert tl.layout(layout.to("preset"), preset.example) == layout
    assert tl.layout("preset:" + layout.to("preset"), preset.example) == layout


@EVERY
def test_what_it_is_is_told(preset):
    assert preset.summary and preset.source and str(preset.recipe)
    assert (preset.axes == ()) == preset.constraints.startswith("any rank")
    assert set(preset.multiples) <= set(preset.axes)


def test_names_differ_in_any_case():
    assert len({name.casefold() for name in presets.names()}) == len(presets.names())
    assert not any(presets.recognizes(name) for name in presets.names())


def test_express_finds_an_equal_layout_for_every_example():
    for preset in ALL:
        layout = preset.bind(preset.example)
        found = presets.express(layout)
        assert found.bind(layout.shape) == layout
        assert found.element in (None, layout.element)


@pytest.mark.parametrize(
    "name", ["awq_int4", "gptq_int4", "marlin_int4", "tensor_core_tiled_8", "nvfp4_scales", "rocm_scales_32x8", "q4_0_8x8"]
)
def test_express_tells_which_it_is_from_the_slots_alone(name):
    layout = presets.get(name).bind(presets.get(name).example)
    bare = tl.Layout(layout.shape, layout.digits, slots=layout.slots)
    assert presets.express(bare).name == name


def test_express_minds_what_lies_in_a_slot():
    layout = presets.get("mxfp8_scales").bind((200, 6))
    assert presets.express(layout).name == "mxfp8_scales"
    other = tl.Layout(layout.shape, layout.digits, slots=layout.slots, element=("int8", 8))
    with pytest.raises(tl.NotExpressible, match="this order and padding, with int8 in slots of 8 bits"):
        presets.express(other)


@EVERY
def test_express_takes_slots_that_only_say_how_wide_they_are(preset):
    layout = preset.bind(preset.example)
    if preset.element is not None:
        wide = tl.Layout(layout.shape, layout.digits, slots=layout.slots, element=("", preset.element.bits))
        found = presets.express(wide)
        assert found.bind(layout.shape) == layout
        assert found.element.bits == preset.element.bits
        other = tl.Layout(layout.shape, layout.digits, slots=layout.slots, element=("", 3 * preset.element.bits))
        with suppress(tl.NotExpressible):
            assert presets.express(other).element is None


def test_express_reads_what_xla_says_without_a_type():
    """A layout alone, as XLA prints it within a shape, has the width of a slot and no type."""
    assert tl.layout("{1,0:T(64,128)(8,1)E(4)}", (128, 300)).to("preset") == "preset:tpu_s4"


@given(st.permutations(range(3)), st.tuples(*[st.sampled_from([1, 2, 4, 8])] * 3))
def test_express_is_right_to_refuse(order, shape):
    """Against all presets tried in turn: it is found exactly when one of them has the same slots."""
    strides = {axis: prod(shape[later] for later in order[k + 1 :]) for k, axis in enumerate(order)}
    layout = tl.Layout(shape, [(axis, 1, shape[axis], strides[axis]) for axis in order], slots=prod(shape))
    same = []
    for preset in ALL:
        if len(preset.axes) not in (0, 3) or any(n % preset.multiples.get(a, 1) for a, n in zip(preset.axes, shape, strict=False)):
            continue
        bound = preset.bind(shape)
        if bound.slots == layout.slots and all(bound(*c) == layout(*c) for c in product(*map(range, shape))):
            same.append(preset)
    if same:
        assert presets.express(layout) in same
    else:
        with pytest.raises(tl.NotExpressible, match="not expressible in presets"):
            presets.express(layout)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nvfp4", "did you mean nvfp4_scales?"),
        ("awq", "did you mean awq_int4"),
        ("marlin", "did you mean marlin_int4 or marlin_int8 or marlin_scales?"),
        ("OIhw16o4i", "OIhw4i16o4i"),
        ("", "presets.names() lists them all"),
        ("preset:", "presets.names() lists them all"),
        ("?" * 100_000, "presets.names() lists them all"),
        ("awq_int4\n{1,0}", "no preset is called 'awq_int4"),
    ],
)
def test_unknown_names(name, said):
    with pytest.raises(tl.LayoutSyntaxError) as caught:
        presets.get(name)
    assert said in str(caught.value)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("name", [None, 3, b"awq_int4", ["awq_int4"], np.str_, object()])
def test_names_are_text(name):
    with pytest.raises(tl.LayoutError, match="its name, a str such as 'awq_int4', not"):
        presets.get(name)


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        (None, r"says nothing of sizes: give a shape \(K, N\), such as \(4, 16\)"),
        ((), r"arrays of shape \(K, N\), such as \(4, 16\), not arrays of 0 dimensions"),
        ((8,), "not arrays of 1 dimensions"),
        ((1, 2, 8), "not arrays of 3 dimensions"),
        ((4, 12), r"N a multiple of 8, not 12 in shape \(4, 12\); the next is 16"),
        ((4, -8), "negative extent"),
        ((4, 10**30), "more than a signed 64-bit integer holds"),
        ((10**5000, 8), "more than a signed 64-bit integer holds"),
        ((4, 8.0), "is no shape"),
        ((4, "8"), "is no shape"),
        (8, "is no shape"),
        ((4, None), "is no shape"),
    ],
)
def test_shapes_that_are_refused(shape, said):
    with pytest.raises(tl.ShapeError, match=said):
        presets.get("awq_int4").bind(shape)


def test_padding_may_not_pass_64_bits():
    with pytest.raises(tl.ShapeError, match="more than a signed 64-bit integer holds"):
        presets.get("nvfp4_scales").bind((2**62, 1))
    with pytest.raises(tl.ShapeError, match="64-bit"):
        presets.get("q4_0").bind((2**58, 32))


def test_arrays_of_another_type_are_refused():
    with pytest.raises(tl.LayoutError, match="float32 for a layout of uint4"):
        tl.pack(np.zeros((4, 8), "float32"), presets.get("awq_int4"))


def test_presets_of_any_rank_take_scalars_and_nothing():
    for preset in (p for p in ALL if not p.axes):
        assert preset.bind(()).size == 1
        assert preset.bind((0, 5)).slots == 0
        with pytest.raises(tl.ShapeError, match="says nothing of sizes: give a shape, such as"):
            preset.bind()


def test_narrow_types_come_back_as_themselves():
    pytest.importorskip("ml_dtypes")
    for name in ("nvfp4_scales", "mxfp8_scales", "tpu_bf16"):
        preset = presets.get(name)
        x = random_array((40, 6), preset.element).view(numpy_dtype(preset.element.name))
        assert tl.unpack(tl.pack(x, preset), preset, shape=(40, 6)).dtype == x.dtype


def document_rows():
    """The rows of the document's tables, as tuples of cells without their markup."""
    rows = [line.strip("|").split(" | ") for line in DOCUMENT.read_text().splitlines() if line.startswith("| `")]
    return [tuple(cell.strip().strip("`") for cell in row) for row in rows]


def test_document_lists_exactly_the_presets():
    told = [(p.name, p.summary, str(p.recipe), p.constraints, p.source) for p in ALL]
    assert document_rows() == told
