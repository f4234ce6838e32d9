"""Layouts: what they are made of, what they refuse, and the offsets of their coordinates."""

import copy
import json
import pickle
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tilelayout as tl
from strategies_cute import full_shapes, identities, layouts, swizzled
from strategies_cute import strides as some_strides
from tilelayout import CoordinateError, LayoutError, ShapeError, cute
from tilelayout.cute import ComposedLayout, E, Layout, Swizzle

DATA = Path(__file__).parent / "data"


def offset_by_definition(layout, coordinate):
    """The inner product of the hierarchical coordinate and the strides."""
    return sum(cute.flatten_to_tuple(cute.transform_leaf(lambda c, d: c * d, coordinate, layout.stride)))


@given(layouts())
def test_offsets_are_inner_products(layout):
    for i, coordinate in enumerate(cute.coordinates(layout)):
        assert layout(coordinate) == layout(i) == layout.extended(i) == offset_by_definition(layout, coordinate)
        assert cute.crd2idx(coordinate, layout.shape) == i


@given(identities())
def test_basis_strides_lead_to_coordinates(layout):
    for coordinate in cute.coordinates(layout):
        scales = cute.transform_leaf(lambda basis: basis.value if isinstance(basis, cute.ScaledBasis) else basis, layout.stride)
        assert layout(coordinate) == cute.transform_leaf(lambda c, scale: c * scale, coordinate, scales)


@given(full_shapes)
def test_identity_layouts_are_identities(shape):
    assert all(cute.make_identity_layout(shape)(c) == c for c in cute.coordinates(shape))


@given(layouts())
def test_cosize_spans_the_offsets(layout):
    offsets = [layout(i) for i in range(layout.size)]
    assert layout.cosize == cute.cosize(layout) == max(offsets) - min(offsets) + 1
    assert (layout.rank, layout.depth, layout.size) == (cute.rank(layout), cute.depth(layout.shape), len(offsets))
    assert [extent for extent, _ in layout.flat] == list(cute.flatten_to_tuple(layout.shape))


@given(layouts(), st.data())
def test_past_the_end_the_last_leaf_counts_on(layout, data):
    """As with a last extent that is large enough; and at -i stands minus the offset of i."""
    i = data.draw(st.integers(0, 4 * layout.size))
    if not layout.flat:
        return
    *flat, (_, last) = layout.flat
    longer = Layout((*(s for s, _ in flat), 5 * layout.size), (*(d for _, d in flat), last))
    assert layout.extended(i) == longer(i)
    assert layout.extended(-i) == -layout.extended(i)


@given(layouts(), st.data())
def test_a_slice_and_its_offset_are_the_layout(layout, data):
    holes = cute.transform_leaf(lambda extent: data.draw(st.none() | st.integers(0, extent - 1)), layout.shape)
    part, offset = cute.slice_and_offset(holes, layout)
    if all(leaf is not None for leaf in cute.flatten_to_tuple(holes)):
        assert offset == layout(holes)
        assert part.size == 1
        return
    assert layout(holes) == part == cute.slice_(layout, holes)
    flat = cute.flatten_to_tuple(holes)
    for c in cute.coordinates(part.shape):
        filling = iter(cute.flatten_to_tuple(c))
        filled = cute.unflatten((next(filling) if leaf is None else leaf for leaf in flat), layout.shape)
        assert part(c) + offset == layout(filled)


@given(layouts())
def test_modes_are_layouts(layout):
    assert [str(mode) for mode in layout] == [str(layout[i]) for i in range(layout.rank)]
    if isinstance(layout.shape, tuple):
        assert cute.make_layout(*layout) == layout
        assert cute.make_layout(layout.shape, layout.stride) == layout
    else:
        assert layout[0] == layout


@given(layouts() | identities() | swizzled())
def test_layouts_are_values(layout):
    namespace = {"cute": cute}
    for twin in (pickle.loads(pickle.dumps(layout)), copy.deepcopy(layout), eval(repr(layout), namespace)):
        assert twin == layout
        assert hash(twin) == hash(layout)
    with pytest.raises((AttributeError, TypeError)):
        layout.shape = 1


def test_equality_is_that_of_the_text():
    assert Layout(4, 1) != Layout((4,), (1,))
    assert Layout((2, 2), (1, 2)) != Layout(4, 1)
    assert Layout([4, [2, 3]], [1, [4, 8]]) == Layout((4, (2, 3)))
    assert len({Layout((4, 8)), Layout((4, 8), (1, 4)), Layout((4, 8), (8, 1))}) == 2


@pytest.mark.parametrize(
    ("shape", "stride", "message"),
    [
        ((4, 8), 2, "expects a tuple of 2, got an integer"),
        ((4, 8), (1,), "expects a tuple of 2, got a tuple of 1"),
        (4, (1,), "expects an integer, got a tuple of 1"),
        ((4, (8, 2)), (1, 4), r"got an integer \(4\) at mode path \[1\]"),
        (((2, 3), (4, (5, 6))), ((1, 2), (6, (24,))), r"got a tuple of 1 \(\(24\)\) at mode path \[1, 1\]"),
        ((4, 0), (1, 4), r"at least 1, got 0 at mode path \[1\]"),
        ((4, -8), None, "at least 1, got -8"),
        ((4, 2.5), None, "no integer"),
        ("48", None, "no integer"),
        (None, None, "no integer"),
        ((2**32, 2**31), None, "64-bit"),
        ((2, 2), (2**62, 2**62), "64-bit"),
        (4, 2**63, "64-bit"),
        pytest.param(10**5000, None, "64-bit", id="thousands of digits"),
        ((2, 3), (1, E(0)), "all integers or all scaled basis vectors"),
        ((2, 3), (E(0), E(0, 1)), "paths|another"),
    ],
)
def test_what_makes_no_layout(shape, stride, message):
    with pytest.raises(LayoutError, match=message):
        Layout(shape, stride)


def test_nesting_is_bounded():
    shape = 2
    for _ in range(200):
        shape = (shape,)
    with pytest.raises(LayoutError, match="nested"):
        Layout(shape)


def test_sizes_up_to_64_bits_are_served():
    layout = Layout((2**31, 2**31))
    assert layout(2**62 - 1) == 2**62 - 1
    assert Layout((2, 2), (2**62 - 1, 2**62 - 1)).cosize == 2**63 - 1
    with pytest.raises(ShapeError, match=r"the cosize of .* does not fit in signed 64-bit integers"):
        Layout((2, 2), (2**62, 2**62))
    assert Layout((2, 2), ((2**63 - 2) * E(0), E(1))).coshape == (2**63 - 1, 2)
    with pytest.raises(ShapeError, match="64-bit"):
        Layout((2, 2), ((2**63 - 1) * E(0), E(1)))


@pytest.mark.parametrize(
    ("coordinate", "message"),
    [
        ((24,), "takes 0 to 23"),
        ((-1,), "takes 0 to 23"),
        ((1, 6), r"at mode path \[1\]; it takes 0 to 5"),
        ((1, (2, 0)), r"at mode path \[1, 0\]; it takes 0 to 1"),
        ((4, None), r"at mode path \[0\]"),
        ((1, 2, 3), "does not fit"),
        ((), "does not fit"),
        (((1, 2), 0), r"\(1,2\) does not fit shape 4 at mode path \[0\]"),
    ],
)
def test_coordinates_outside(coordinate, message):
    with pytest.raises(CoordinateError, match=message):
        Layout((4, (2, 3)), (2, (1, 8)))(*coordinate)


def test_what_is_no_coordinate():
    for strange in (1.5, "3", [1, 2], ((1.5, 0),)):
        with pytest.raises(LayoutError, match=r"is no integer|does not fit shape"):
            Layout((4, 6))(strange)


def test_the_empty_layout_has_one_coordinate():
    assert Layout(())() == 0
    assert Layout(())(0) == 0
    with pytest.raises(CoordinateError, match="coordinate 1 is outside shape"):
        Layout(())(1)
    with pytest.raises(CoordinateError, match="coordinate 1 is outside the shape"):
        Layout(()).extended(1)


def test_a_layout_has_modes_and_no_length():
    layout = Layout((4, (2, 3)))
    assert layout[1, 0] == layout[[1, 0]] == layout[1][0] == Layout(2, 4)
    for mode in (2, -1, (1, 2), (0, 0)):
        with pytest.raises(IndexError):
            layout[mode]
    with pytest.raises(TypeError):
        len(layout)
    assert layout


@pytest.mark.parametrize("name", ["cute_open", "cute_majority", "cute_cpp_unit"])
def test_offsets_of_the_headers(name):
    """The sizes and offset tables that CuTe C++ and its peers computed of the layouts that they returned."""
    tables = 0
    for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        if not isinstance(case["expect"], str) or case.get("error"):
            continue
        if case["size"] == 0:
            with pytest.raises(LayoutError, match="at least 1, got -1"):  # one left inverse of the headers has a negative extent
                cute.parse(case["expect"])
            continue
        for text in (case["expect"], *case.get("accept", [])):
            layout = cute.parse_layout(text)
            assert layout.size == case["size"], case["id"]
            if "modes" in case and text == case["expect"]:
                assert list(cute.product_each(layout.shape)) == case["modes"], case["id"]
                assert layout.cosize == case["cosize"], case["id"]
            if case.get("table"):
                assert [layout(i) for i in range(layout.size)][: len(case["table"])] == case["table"], case["id"]
                tables += 1
    assert tables > 20


@given(swizzled())
def test_swizzled_offsets(layout):
    inner, links = layout, []
    while isinstance(inner, ComposedLayout):
        links.append(inner)
        inner = inner.inner
    for i, c in enumerate(cute.coordinates(layout)):
        offset = inner(i)
        for link in reversed(links):
            offset = link.outer(link.offset + offset)
        assert layout(i) == layout(c) == offset
    assert layout.cosize == 1 + max(layout(i) for i in range(layout.size))


def test_a_swizzle_may_reach_beyond_the_layout_inside():
    layout = ComposedLayout(Swizzle(1, 0, 1), 0, Layout(3))
    assert [layout(i) for i in range(3)] == [0, 1, 3]
    assert layout.cosize == 4
    large = ComposedLayout(Swizzle(3, 4, 3), 0, Layout((8192, 8192), (8192, 1)))
    assert large.cosize == 2**26


@pytest.mark.parametrize(
    "text",
    [
        "S<1,0,-2> o 10 o 2:-2",  # backwards, so the last coordinate has the least offset
        "S<1,1,-2> o 8 o 2:1",  # offsets below those of the layout would lead further
        "S<1,0,1> o 0 o (2,3):(0,1)",
    ],
)
def test_cosize_of_a_swizzled_layout_is_that_of_its_offsets(text):
    layout = cute.parse(text)
    assert layout.cosize == 1 + max(layout(i) for i in range(layout.size))


def test_steps_to_a_cosize_are_bounded(monkeypatch):
    layout = ComposedLayout(Swizzle(1, 2, 1), 0, Layout(8))
    monkeypatch.setattr("tilelayout.cute.composed.MOST_COUNTED", 8)
    assert layout.cosize == 1 + max(layout(i) for i in range(8))
    monkeypatch.setattr("tilelayout.cute.composed.MOST_COUNTED", 7)
    with pytest.raises(LayoutError, match=r"more than 7 steps \(8\)"):
        _ = layout.cosize


def test_composed_layouts_have_modes_a_repr_and_bounds():
    layout = ComposedLayout(Swizzle(2, 0, 2), 1, Layout((4, (2, 2))))
    assert list(layout) == [layout[0], layout[1]]
    assert eval(repr(layout), {"cute": cute}) == layout
    for outside in (16, -1, (4, 0), (0, (0, 2))):
        with pytest.raises(CoordinateError, match="outside"):
            layout(outside)


def test_64_layouts_may_be_composed():
    chain = Layout(8)
    for _ in range(64):
        chain = ComposedLayout(Swizzle(0, 0, 0), 1, chain)
    assert chain(3) == 67
    with pytest.raises(LayoutError, match="more than 64 layouts"):
        ComposedLayout(Swizzle(0, 0, 0), 1, chain)


def test_composed_with_a_layout():
    """The values of CUTLASS 4.7, test/.../SizeIndex/layout_eval.mlir."""
    assert ComposedLayout(Layout((20,), (3,)), 2, Layout((20,), (3,)))((4,)) == 42
    basis = Layout((2, 3), (E(1), 2 * E(0)))
    assert ComposedLayout(Layout((6, 2), (1, 3)), (2, 1), basis)(3) == 10
    left = ComposedLayout(ComposedLayout(Swizzle(1, 4, 3), 2, Layout(32, 32)), 1, Layout(4, 2))
    right = ComposedLayout(Swizzle(1, 4, 3), 2, ComposedLayout(Layout(32, 32), 1, Layout(4, 2)))
    assert left == right
    assert [left(i) for i in range(4)] == [Swizzle(1, 4, 3)(2 + 32 * (1 + 2 * i)) for i in range(4)]


@pytest.mark.parametrize(
    ("outer", "offset", "inner", "said"),
    [
        (Swizzle(3, 4, 3), 0, cute.make_identity_layout((4, 2)), "swizzles integers, got the offset 0"),
        (Swizzle(3, 4, 3), (0, 0), Layout((4, 2)), r"swizzles integers, got the offset \(0,0\)"),
        (Layout((6, 2), (1, 3)), 2, Layout((2, 3), (E(1), 2 * E(0))), "cannot be added: one is an integer and the other a tuple"),
        (Layout((4, 5)), 0, Layout(((2, 2),), ((E(0, 0), E(0, 1)),)), "is no coordinate of"),
        (Layout((4, 5)), 0, Swizzle(3, 4, 3), "outer is a Swizzle or Layout"),
        ("S<3,4,3>", 0, Layout(4), "'S<3,4,3>' o 0 o 4:1: outer is"),
        (Layout(4), "0", Layout(4), "'0' is no integer"),
    ],
)
def test_what_cannot_be_composed(outer, offset, inner, said):
    with pytest.raises(LayoutError, match=said):
        ComposedLayout(outer, offset, inner)


def test_the_value_of_a_basis_is_a_plain_integer():
    assert type(cute.ScaledBasis(np.int64(3), 0).value) is int
    with pytest.raises(LayoutError, match=r"1\.5 is no integer"):
        cute.ScaledBasis(1.5, 0)


@pytest.mark.parametrize("path", [(0,) * 64, (255,), [255, 0]])
def test_paths_to_modes(path):
    assert cute.ScaledBasis(3, path).path == tuple(path)
    assert cute.parse(str(cute.ScaledBasis(3, path))) == cute.ScaledBasis(3, path)


@pytest.mark.parametrize("path", [(), (0,) * 65, (0, -1), (256, 0)])
def test_what_is_no_path_to_a_mode(path):
    with pytest.raises(LayoutError, match="is no path to a mode; it takes 1 to 64 mode numbers from 0 to 255"):
        cute.ScaledBasis(3, path)


def test_what_has_no_cosize():
    with pytest.raises(LayoutError, match="cosize"):
        cute.cosize(ComposedLayout(Layout((2, 3)), 0, Layout((4, 5))))
    with pytest.raises(LayoutError, match="only swizzled layouts have one"):
        cute.cosize(ComposedLayout(Swizzle(1, 0, 2), 0, ComposedLayout(Layout(8), 0, Layout(4))))
    with pytest.raises(LayoutError, match="swizzles take offsets of 0 or more"):
        cute.cosize(ComposedLayout(Swizzle(1, 0, 1), 0, Layout(4, -1)))
    with pytest.raises(LayoutError, match=r"S<3,4,3> of -8 is not defined; swizzles take offsets of 0 or more"):
        cute.parse("S<3,4,3> o -8 o (8,8):(1,8)").bind()
    with pytest.raises(LayoutError, match="more than 1048576 steps"):
        cute.cosize(ComposedLayout(Swizzle(1, 0, 31), 0, Layout(2**40)))
    with pytest.raises(LayoutError, match="cosize"):
        cute.cosize((4, 8))


@given(st.integers(0, 2**20), st.integers(0, 3), st.integers(0, 5), st.integers(-6, 6))
def test_swizzles_fold_bits(x, bits, base, shift):
    if abs(shift) < bits:
        with pytest.raises(LayoutError, match="is no swizzle: bits and base are 0 or more"):
            Swizzle(bits, base, shift)
        return
    swizzle = Swizzle(bits, base, shift)
    expected = x
    for bit in range(bits):
        expected ^= (x >> base + max(0, shift) + bit & 1) << base - min(0, shift) + bit
    assert swizzle(x) == expected
    assert swizzle(swizzle(x)) == x
    if bits:
        assert cute.make_swizzle(swizzle.source_mask, swizzle.target_mask) == swizzle
    else:
        assert cute.make_swizzle(swizzle.source_mask, swizzle.target_mask) == Swizzle(0, 0, 0)


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ((-1, 0, 3), "is no swizzle: bits and base are 0 or more"),
        ((1, -1, 3), "is no swizzle: bits and base are 0 or more"),
        ((5, 0, 1), "is no swizzle: bits and base are 0 or more"),
        ((3, 4, -2), "is no swizzle: bits and base are 0 or more"),
        ((5, 29, 5), "reaches beyond bit 32"),
        ((10, 20, 10), "reaches beyond bit 32"),
        ((1, 16, 16), "reaches beyond bit 32"),
        ((1.0, 0, 3), "1.0 is no integer"),
        ((1, 0, 3.0), "3.0 is no integer"),
    ],
)
def test_what_is_no_swizzle(numbers, said):
    with pytest.raises(LayoutError, match=said):
        Swizzle(*numbers)


@pytest.mark.parametrize("masks", [(0b101000, 0b101), (0b111000, 0b11), (0b110, 0b011), (0, 1), (1, 0), (-8, 1), (8, -1)])
def test_masks_that_make_no_swizzle(masks):
    with pytest.raises(LayoutError, match="make no swizzle; each is one run of bits"):
        cute.make_swizzle(*masks)


def test_swizzles_take_no_negative_offsets():
    with pytest.raises(LayoutError, match="0 or more"):
        Swizzle(3, 4, 3)(-1)


def test_basis_vectors_add_to_coordinates():
    assert E(0, 1) + 2 * E(1) == ((0, 1), 2)
    assert (1, 2) + -E(1) == (1, 1)
    assert E(1) + 0 == (0, 1)
    with pytest.raises(LayoutError, match="only 0 adds to both"):
        E(1) + 3
    for path in ((), (-1,), (256,), (0,) * 65):
        with pytest.raises(LayoutError, match="is no path to a mode"):
            cute.ScaledBasis(1, path)


#: Coordinates that strides lead to, and nothing; what is added to them, and what takes them further.
LED = [0, E(0), 2 * E(0), E(1), 0 * E(1), E(0, 0), E(0, 1), 0 * E(0)]
OFFSETS = [0, (0, 0), (1, 0), (0, 2), ((0, 1), 0)]
FURTHER = [Layout((2, 3), (5, 1)), Layout(((2, 2), 3), ((1, 20), 4)), Layout((4, (2, 2)), (6, (1, 30)))]


@pytest.mark.parametrize("shape", [(2, 3), ((2, 2), 3)], ids=str)
@pytest.mark.parametrize("outer", FURTHER, ids=str)
def test_composed_layouts_bind_to_what_they_answer(shape, outer):
    """A stride of 0 beside basis vectors, and an offset before strides of 0 alone, bound to a layout with all elements in slot 0."""
    answered = refused = 0
    for strides in product(LED, repeat=len(cute.flatten_to_tuple(shape))):
        stride = strides if len(strides) == 2 else (strides[:2], strides[2])
        for offset in OFFSETS:
            try:
                layout = ComposedLayout(outer, offset, Layout(shape, stride))
                expected = [layout(i) for i in range(layout.size)]
            except LayoutError:
                with pytest.raises(LayoutError):
                    ComposedLayout(outer, offset, Layout(shape, stride)).bind()
                refused += 1
                continue
            assert layout.bind().offsets().ravel(order="F").tolist() == expected, layout
            assert layout(np.arange(layout.size)).tolist() == expected, layout
            answered += 1
    assert answered > 50
    assert refused > 50


#: Layouts that go backwards behind others, and their least slot's offset: less far below 0 than each mode on its own might be.
BACKWARDS = [
    ("(4,4):(-1,4) o 0 o 4:4", 0),
    ("(4,2):(-1,5) o (0,1) o 4:1@0", 2),
    ("(4,4):(-1,4) o 0 o 3:5", 0),
    ("(2,4):(-1,4) o 0 o 4:2", 0),
    ("(3,4):(-1,4) o 0 o 5:2", -2),
    ("(4,4):(-1,4) o 1 o 4:4", -1),
    ("((2,2),(2,3)):((-2,-12),(1,4)) o (0,0) o (3,5):(1@0,1@1)", -12),
    ("(4,8):(-1,4)", -3),
    ("(1024,4096):(-1,1024) o 0 o (2048,2048):(2048,1)", -1023),
]


@pytest.mark.parametrize(("text", "least"), BACKWARDS)
def test_the_least_slot_is_0_where_offsets_go_below_it(text, least):
    layout = cute.parse_layout(text)
    offsets = layout(np.arange(layout.size))
    assert offsets.min() == least
    bound = layout.bind()
    assert (bound.offsets().ravel(order="F") == offsets - min(0, least)).all()
    assert bound.slots == offsets.max() - min(0, least) + 1
    packed = tl.pack(np.arange(layout.size, dtype=np.int32).reshape(bound.shape, order="F"), bound, fill=0)
    assert (packed[bound.offsets().ravel(order="F")] == np.arange(layout.size)).all()


@given(
    st.lists(st.tuples(st.integers(1, 5), st.integers(-12, 20)), min_size=1, max_size=3), st.integers(0, 7), layouts(some_strides.map(abs))
)
def test_composed_layouts_that_go_backwards_begin_at_slot_0(modes, offset, inner):
    layout = ComposedLayout(Layout(*map(tuple, zip(*modes, strict=True))), offset, inner)
    offsets = np.array([layout(i) for i in range(layout.size)])
    assert (layout.bind().offsets().ravel(order="F") == offsets - min(0, offsets.min())).all()
    assert (layout(np.arange(layout.size)) == offsets).all()


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(-12, 20)), min_size=1, max_size=3), st.integers(-9, 7), layouts(some_strides))
@example([(3, -1), (1, 1)], 0, Layout((3, 2), (-2, 1)))
def test_composed_layouts_reached_below_0_are_bound_to_what_they_answer_or_not_at_all(modes, offset, inner):
    layout = ComposedLayout(Layout(*map(tuple, zip(*modes, strict=True))), offset, inner)
    offsets = np.array([layout(i) for i in range(layout.size)])
    try:
        bound = layout.bind()
    except LayoutError as error:
        assert "sums that digits read are 0 or more" in str(error)
    else:
        assert (bound.offsets().ravel(order="F") == offsets - min(0, offsets.min())).all()
        assert (layout(np.arange(layout.size)) == offsets).all()


@pytest.mark.parametrize(
    ("text", "offsets"),
    [
        ("8:2 o -3 o 6:1", [-6, -4, -2, 0, 2, 4]),
        ("8:0 o -3 o 6:1", [0] * 6),
        ("(1,4,2):(7,-1,-4) o -3 o (2,3):(3,1)", [3, 0, 2, -1, 1, -2]),
        ("(4,4):(2,9) o -3 o 7:1", [-6, -4, -2, 0, 2, 4, 6]),  # as far as the first mode reaches
        ("(4,4):(2,9) o (-3,0) o (7):(1@0)", [-6, -4, -2, 0, 2, 4, 6]),
        ("S<1,0,1> o 8 o (2,2):(2,-4) o -1 o 3:1", [7, 8, 11]),
    ],
)
def test_what_goes_on_evenly_does_so_below_0(text, offsets):
    layout = cute.parse_layout(text)
    assert [layout(i) for i in range(layout.size)] == offsets
    assert layout(np.arange(layout.size)).tolist() == offsets
    assert layout.bind().offsets().ravel(order="F").tolist() == [offset - min(0, *offsets) for offset in offsets]


@pytest.mark.parametrize("text", ["(4,4):(2,9) o -4 o 7:1", "(4,4):(-2,9) o -3 o 8:1", "(1,4,2):(7,-1,4) o -1 o 6:-1"])
def test_what_goes_on_unevenly_below_0_has_no_slots(text):
    for call in (cute.parse_layout(text).bind, lambda: cute.parse_layout(text)(np.arange(2))):
        with pytest.raises(LayoutError, match="sums that digits read are 0 or more"):
            call()


@pytest.mark.parametrize("text", ["():() o 0 o 3:1", "():() o 1 o 1:0", "():() o 0 o 3:-1"])
def test_the_one_coordinate_of_a_layout_without_modes(text):
    for call in (cute.parse_layout(text).bind, lambda: cute.parse_layout(text)(cute.size(cute.parse_layout(text)) - 1)):
        with pytest.raises(LayoutError, match="has the one coordinate 0"):
            call()


def test_layouts_that_are_equal_backwards():
    assert tl.layout("(4,4):(-1,4) o 0 o 4:4") == tl.layout("4:4")


@pytest.mark.parametrize(("most", "is_bound"), [(3, True), (2, False)])
def test_least_slots_among_as_many_as_are_looked_at(most, is_bound, monkeypatch):
    monkeypatch.setattr(cute.binding, "MOST_LOOKED_AT", most)
    layout = cute.parse_layout("(4,4):(-1,4) o 0 o 3:5")
    if is_bound:
        assert layout.bind().offsets().tolist() == [0, 3, 6]
    else:
        with pytest.raises(LayoutError, match="3 elements, and 2 are looked at"):
            layout.bind()


def test_least_slots_among_too_many():
    layout = cute.parse_layout("(4,4):(-1,4) o 0 o (4096,4096):(5,20480)")
    with pytest.raises(LayoutError, match="16777216 elements, and 1048576 are looked at"):
        layout.bind()
    assert layout(np.arange(3)).tolist() == [0, 3, 6]
