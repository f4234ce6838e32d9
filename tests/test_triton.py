"""Triton's linear layouts, against the definition: the XOR of the bases of the bits that are set."""

from __future__ import annotations

import random
from functools import reduce

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import strategies
import strategies_cute
import tilelayout as tl
from tilelayout import Layout, LayoutError, LayoutSyntaxError, NotExpressible, NotInjective, ShapeError, cute
from tilelayout.notations import triton
from tilelayout.notations.triton import LinearLayout, PaddedShared, SwizzledShared


def coordinates_of(linear, slot):
    """Where a slot lies by Triton's definition: kinds one after another, the first fastest, bases added by XOR."""
    listed = [basis for _, bases in linear.bases for basis in bases]
    set_bits = [basis for bit, basis in enumerate(listed) if slot >> bit & 1]
    return tuple(reduce(lambda a, b: [x ^ y for x, y in zip(a, b, strict=True)], set_bits, [0] * len(linear.shape)))


@st.composite
def linear_layouts(draw, kinds=None):
    """Invertible layouts: row operations on a permutation of the bits, cut into kinds; sometimes with bits of padding."""
    extents = draw(st.lists(st.integers(0, 3), min_size=1, max_size=3))
    places = [(axis, bit) for axis, extent in enumerate(extents) for bit in range(extent)]
    rng = random.Random(draw(st.integers(0, 10**6)))
    vectors = [1 << k for k in range(len(places))]
    rng.shuffle(vectors)
    for _ in range(draw(st.integers(0, 6))):
        if len(vectors) > 1:
            a, b = rng.sample(range(len(vectors)), 2)
            vectors[a] ^= vectors[b]
    bases = [
        tuple(sum(1 << bit for k, (at, bit) in enumerate(places) if at == axis and vector >> k & 1) for axis in range(len(extents)))
        for vector in vectors
    ]
    kinds = kinds or draw(st.sampled_from([("offset",), ("offset", "block"), ("register", "lane", "warp", "block"), ("bank", "segment")]))
    cuts = sorted(draw(st.lists(st.integers(0, len(bases)), min_size=len(kinds) - 1, max_size=len(kinds) - 1)))
    parts = [bases[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(bases)], strict=True)]
    if kinds[0] == "offset" and bases and draw(st.booleans()):
        parts[0].insert(draw(st.integers(0, len(parts[0]))), (0,) * len(extents))
    assume(any(parts))
    return LinearLayout(tuple(zip(kinds, map(tuple, parts), strict=True)))


@given(linear_layouts())
def test_slots_are_where_the_bases_lead(linear):
    layout = linear.bind()
    held = {}
    for slot in range(layout.slots):
        held.setdefault(coordinates_of(linear, slot), slot)  # the least one: a bit of padding is 0
    assert {tuple(map(int, at)): int(layout.offsets()[at]) for at in np.ndindex(layout.shape)} == held


@given(linear_layouts())
def test_text_comes_back(linear):
    assert triton.parse(str(linear)) == linear
    assert triton.recognizes(str(linear))
    layout = linear.bind()
    said = triton.express(layout)
    assert triton.parse(str(said)).bind(layout.shape) == layout
    assert [b for _, bases in said.bases for b in bases] == [b for _, bases in linear.bases for b in bases]


@given(linear_layouts(("offset",)))
def test_one_swizzle_says_it_or_cute_refuses(linear):
    layout = linear.bind()
    try:
        assert cute.parse_layout(str(cute.express(layout))).bind() == layout
    except NotExpressible as error:
        assert "digit (" in str(error) or "slots" in str(error)


@given(strategies.layouts() | strategies_cute.layouts() | strategies_cute.swizzled())
def test_what_is_said_is_equal_and_the_rest_is_not_linear(layout):
    if not isinstance(layout, Layout):
        try:
            layout = layout.bind()
        except LayoutError:
            assume(False)
    try:
        said = triton.express(layout)
    except NotExpressible:
        assert not _is_linear(layout)
    else:
        assert triton.parse(str(said)).bind(layout.shape) == layout


def _is_linear(layout):
    """Whether some bases lead from slots to coordinates: tried slot by slot."""
    if not layout.ndim:
        return layout.slots == 1
    extents = (*layout.shape, layout.slots)
    if any(extent & (extent - 1) or not extent for extent in extents):
        return False
    slots = {int(layout.offsets()[at]): at for at in np.ndindex(layout.shape)}
    if len(slots) < layout.size:
        return False
    width = layout.slots.bit_length() - 1
    bases = [slots.get(1 << bit, (0,) * layout.ndim) for bit in range(width)]
    linear = LinearLayout((("offset", tuple(bases)),))
    reached = {}
    for slot in range(layout.slots):
        reached.setdefault(coordinates_of(linear, slot) if bases else (0,) * layout.ndim, slot)
    return reached == {at: slot for slot, at in slots.items()}


#: Printed by Triton, and read in its tests and documents; the shapes are those that the tests give them.
PRINTED = [
    # test/TritonNvidiaGPU: scales of block-scaled matrix products, shape 256x4
    (
        "#ttg.shared_linear<{offset = [[0, 1], [0, 2], [32, 0], [64, 0], [1, 0], [2, 0], [4, 0], "
        "[8, 0], [16, 0], [128, 0]]}, alignment = 128>",
        (256, 4),
        "((32,4,2),4):((16,4,512),1)",
    ),
    # test/TritonGPU/amd: a transpose in registers, 32x32
    (
        "#ttg.linear<{register = [[1, 0], [2, 0], [0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [4, 0], [8, 0], [16, 0]], "
        "warp = [], block = []}>",
        (32, 32),
        "((4,8),32):((1,128),4)",
    ),
    # the core matrices of 128-byte swizzled 16-bit operands, as LinearLayout::toString prints them
    (
        " - offset=1 -> (0, 1)\n   offset=2 -> (0, 2)\n   offset=4 -> (0, 4)\n   offset=8 -> (0, 8)\n   offset=16 -> (0, 16)\n"
        "   offset=32 -> (0, 32)\n   offset=64 -> (1, 8)\n   offset=128 -> (2, 16)\n   offset=256 -> (4, 32)\n"
        "where out dims are: [dim0 (size 8), dim1 (size 64)]",
        (8, 64),
        "S<3,3,3> o 0 o (8,64):(64,1)",
    ),
    # fp4 operands padded to bytes: a basis of zeros
    (
        "#ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 0], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], "
        "[8, 0], [16, 0], [32, 0], [64, 0]], block = [[128, 0]]}, alignment = 1024>",
        (256, 64),
        "S<3,4,3> o 0 o (256,(8,8)):(128,(1,16))",
    ),
    # OddEven(8): bases of offset -> x [2, 4, 1]
    ("[2, 4, 1]", (8,), "((2,4)):((4,1))"),
]


def test_no_blocks_are_not_written():
    """As Triton 3.9 prints what it reads."""
    text = "#ttg.shared_linear<{offset = [[1], [2]]%s}, alignment = 4>"
    assert str(triton.parse(text % ", block = []")) == text % ""


@pytest.mark.parametrize(("text", "shape", "in_cute"), PRINTED)
def test_printed_layouts(text, shape, in_cute):
    layout = triton.parse(text).bind()
    assert layout.shape == shape
    assert str(cute.express(layout)) == in_cute
    assert triton.express(cute.parse_layout(in_cute).bind(shape)).bind(shape).canonical == layout.canonical


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 4, order = [1, 0]}>", (8, 64)),
        ("#ttg.swizzled_shared<{vec = 2, perPhase = 2, maxPhase = 4, order = [0, 1]}>", (16, 32)),
        ("#triton_gpu.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0], hasLeadingOffset = false}>", (16, 64)),
        ("#ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 8, order = [2, 0, 1]}>", (4, 2, 16)),
        ("#triton_gpu.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>", (8,)),
    ],
)
def test_swizzled_shared_memory(text, shape):
    """As TritonGPUAttrDefs.td has it: column c of row r lies at column c ^ (vec * (r / perPhase % maxPhase))."""
    swizzled = triton.parse(text)
    assert triton.parse(str(swizzled)) == swizzled
    offsets = swizzled.bind(shape).offsets()
    columns = shape[swizzled.order[0]]
    for at in np.ndindex(shape):
        rows = at[swizzled.order[1]] if len(shape) > 1 else 0
        column = at[swizzled.order[0]] ^ swizzled.vec * (rows // swizzled.perPhase % swizzled.maxPhase) % columns
        slot, stride = column, columns
        for axis in swizzled.order[1:]:
            slot, stride = slot + stride * at[axis], stride * shape[axis]
        assert offsets[at] == slot


#: Gluon's documentation of PaddedSharedLayout: None is padding.
PADDED = [
    ("[2:+1, 4:+2] {order = [0], shape = [8]}", [0, 1, None, 2, 3, None, None, None, 4, 5, None, 6, 7]),
    ("[2:+2] {offset = [[2], [1]], block = []}", [0, 2, None, None, 1, 3]),
    (
        "[8:+1] {offset = [[0, 1], [0, 2], [2, 0], [4, 0], [1, 0]], block = []}",
        [
            *(0, 1, 2, 3, 8, 9, 10, 11, None, 16, 17, 18, 19, 24, 25, 26, 27, None),
            *(4, 5, 6, 7, 12, 13, 14, 15, None, 20, 21, 22, 23, 28, 29, 30, 31),
        ],
    ),
]


@pytest.mark.parametrize(("text", "elements"), PADDED)
def test_padded_shared_memory(text, elements):
    padded = triton.parse(f"#ttg.padded_shared<{text}>")
    assert str(padded) == f"#ttg.padded_shared<{text}>"
    layout = padded.bind()
    assert layout.slots == len(elements)
    assert layout.offsets().ravel().tolist() == [elements.index(number) for number in range(layout.size)]


#: The addresses to which 64 threads store the elements of an array in row-major order, evaluated from the LLVM IR that Triton 3.9 makes
#: of a local_alloc for gfx942, and the bytes that it asks for, in elements of four bytes.
STORED = [
    (
        "[4:+2, 16:+1] {offset = [[0, 1], [0, 2], [1, 0], [0, 4], [4, 0], [2, 0]], block = []}",
        (8, 8),
        {(0, 3): 3, (0, 4): 12, (1, 0): 6, (2, 0): 50, (4, 0): 25, (7, 7): 96},
        97,
    ),
    ("[8:+1] {order = [0, 1], shape = [64, 1]}", (64, 1), {(7, 0): 7, (8, 0): 9, (63, 0): 70}, 71),
    ("[64:+4] {order = [1, 0], shape = [8, 8]}", (8, 8), {(7, 7): 63}, 64),
]


@pytest.mark.parametrize(("text", "shape", "slots", "size"), STORED)
def test_padded_memory_as_it_is_addressed(text, shape, slots, size):
    layout = triton.parse(f"#ttg.padded_shared<{text}>").bind(shape)
    assert layout.slots == size
    assert {at: layout(*at) for at in slots} == slots
    assert str(triton.parse(f"#ttg.padded_shared<{text}>")) == f"#ttg.padded_shared<{text}>"


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_one_element(shape):
    layout = Layout(shape, [])
    assert str(triton.express(layout)) == "#ttg.shared_linear<{offset = []}, alignment = 16>"
    assert triton.parse("#ttg.shared_linear<{offset = []}, alignment = 16>").bind(shape) == layout


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        (" - offset is a size 1 dimension\nwhere out dims are: [dim0 (size 1)]", (1,)),
        (" - register is a size 1 dimension\n - lane is a size 1 dimension\nwhere out dims are: [dim0 (size 1), dim1 (size 1)]", (1, 1)),
        (" - offset is a size 1 dimension\nwhere out dims are: []", ()),
        ("(empty layout)", ()),
        ("(empty layout with out-dims [dim0 (size 1)])", (1,)),
        ("#ttg.padded_shared<[4:+2] {order = [0], shape = [1]}>", (1,)),
    ],
)
def test_one_place_as_triton_prints_it(text, shape):
    """LinearLayout::toString of identity_1d(1, ...), its products, and what has no kind of place."""
    linear = triton.parse(text)
    assert tl.layout(text) == tl.layout(text, shape) == Layout(shape, [])
    assert triton.parse(str(linear)) == linear == eval(repr(linear), {"triton": triton, **vars(triton)})
    with pytest.raises(ShapeError, match="is for arrays of shape"):
        linear.bind((*shape, 1))


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        (Layout((6,), [(0, 1, 6, 1)]), "axis 0 has 6 coordinates, which is no power of two"),
        (Layout((0, 2), []), "axis 0 has 0 coordinates"),
        (Layout((4,), [(0, 1, 4, 1)], slots=5), "5 slots are no power of two"),
        (Layout((4,), [(None, 1, 2, 4), (0, 1, 4, 1)]), "its first element lies in slot 4"),
        (Layout((8,), [(((0, 1, 8, 3),), 1, 8, 1)]), "its slots are no sums"),
        (Layout((4,), [(0, 1, 4, 3)], slots=16), "2 bits of coordinates set 3 bits of slots"),
        (Layout((4, 2), [(0, 1, 4, 1)]), "3 bits of coordinates set 2 bits of slots"),
        (Layout((), [], slots=2), "without axes there are no bases, and one slot"),
    ],
)
def test_refusals_say_why(layout, message):
    with pytest.raises(NotExpressible) as caught:
        triton.express(layout)
    assert "is not expressible in bases of a linear layout" in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected an attribute or a type of Triton's"),
        ("#ttg.partitioned_shared<{}>", "expected a layout attribute, found '#ttg.partitioned_shared'"),
        ("#ttg.linear<{register=[[1]]}>", "lane, warp, block is missing"),
        (
            "#ttg.linear<{register=[[1]], lane=[], warp=[], block=[], offset=[]}>",
            "expected register or lane or warp or block, found 'offset'",
        ),
        ("#ttg.shared_linear<{offset=[[1]], offset=[[1]]}>", "offset is given twice"),
        ("#ttg.shared_linear<{offset=[[1]]}, alignment=3>", "alignment = 3 is no power of two"),
        ("#ttg.shared<{vec=1, perPhase=1, maxPhase=1, order=[0], hasLeadingOffset=true}>", "this is the form of NVMMA layouts"),
        ("#ttg.swizzled_shared<{vec=3, perPhase=1, maxPhase=1, order=[0]}>", "vec = 3 is no power of two"),
        ("#ttg.swizzled_shared<{vec=1, perPhase=1, maxPhase=1, order=[1]}>", "order = [1] does not name each axis once"),
        ("#ttg.partitioned_shared<{vec=1}>", "such as partitioned_shared, are written as linear or shared_linear"),
        # what Triton's own verifier refuses
        ("#ttg.padded_shared<[3:+2] {order = [0], shape = [8]}>", "3 among the intervals and paddings is no power of two"),
        ("#ttg.padded_shared<[4:+3] {order = [0], shape = [8]}>", "3 among the intervals and paddings is no power of two"),
        ("#ttg.padded_shared<[4:+2, 4:+1] {order = [0], shape = [8]}>", "have an interval twice"),
        ("#ttg.padded_shared<[] {order = [0], shape = [8]}>", "are no pairs of an interval and its padding"),
        ("#ttg.padded_shared<[4:2] {order = [0], shape = [8]}>", "expected '+', found '2'"),
        ("#ttg.padded_shared<[4:+2] {order = [0], shape = [6]}>", "extents are powers of two; got shape (6,)"),
        ("#ttg.padded_shared<[4:+2] {order = [0], shape = [4, 2]}>", "for arrays of 1 dimensions"),
        ("#ttg.padded_shared<[4:+2] {order = [0], block = []}>", "neither offset and block nor order and shape"),
        ("#ttg.padded_shared<[4:+2] {offset = [[0, 1], [1, 1]], block = []}>", "basis [1, 1] of offset is no power of two along one axis"),
        ("#ttg.padded_shared<[4:+2] {offset = [[0, 1], [0, 0]], block = []}>", "basis [0, 0] of offset is no power of two along one axis"),
        ("#ttg.padded_shared<[4:+2] {offset = [[0, 1], [0, 3]], block = []}>", "basis [0, 3] of offset is no power of two along one axis"),
        ("#tt.shared_linear<{offset = [[1]]}>", "expected a layout attribute, found '#tt.shared_linear'"),
        ("#ttg.padded_shared<[4:+2] {offset = [[0, 1]], block = [[1, 0]]}>", "each block has padded memory of its own"),
        ("[[1], [2, 3]]", "basis [2, 3] of offset=2 has 2 coordinates, the first has 1"),
        ("[[-1]]", "has a negative coordinate"),
        ("[[]]", "has 0 coordinates"),
        ("[[99999999999999999999999]]", "does not fit in 64 bits"),
        ("[[4611686018427387904]]", "lies beyond 2**62"),
        ("[" + "[1]," * 63 + "[1]]", "64 bases make more slots"),
        ("[[1]", "expected ',' or ']'"),
        ("[" * 5000, "expected an integer"),
        ("[[1]] x", "expected the end of the text"),
        (" - a=1 -> (1)\n   a=3 -> (2)", "expected 2, the next bit of a, found '3'"),
        (" - a=1 -> (1)\n - a=1 -> (2)", "'a' is no kind of place that is named once"),
        (" - a=1 -> (1)\nwhere out dims are: [d (size 4)]", "the axes have sizes (4,), and the bases reach (2,)"),
        (" - a is a size 1 dimension\nwhere out dims are: [d (size 4)]", "the axes have sizes (4,), and the bases reach (1,)"),
        ("(empty layout with out-dims [d (size 4)])", "the axes have sizes (4,), and the bases reach (1,)"),
        ("(empty layout", "expected ')', found the end of the text"),
    ],
)
def test_bad_text_has_a_caret(text, message):
    with pytest.raises(LayoutSyntaxError) as caught:
        triton.parse(text)
    assert message in str(caught.value)
    assert "^" in str(caught.value)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: triton.parse("[[1], [1]]").bind(), NotInjective, "has 2 bases for the 1 bits"),
        (lambda: triton.parse("[[1], [2], [3]]").bind(), NotInjective, "none may be a sum"),
        (lambda: triton.parse("[[1], [4]]").bind(), NotInjective, "has 2 bases for the 3 bits"),
        (
            lambda: triton.parse("#ttg.linear<{register=[[1]], lane=[[0]], warp=[], block=[]}>").bind(),
            NotInjective,
            "lane=1 in .* has a basis of zeros",
        ),
        (lambda: triton.parse("[[1]]").bind((4,)), ShapeError, r"is for arrays of shape \(2,\), which its bases reach, not \(4,\)"),
        (lambda: triton.parse("[]").bind((4,)), ShapeError, r"not \(4,\)"),
        (lambda: SwizzledShared(1, 1, 1, (0,)).bind(), ShapeError, "says nothing of sizes"),
        (lambda: SwizzledShared(1, 1, 1, (0,)).bind((6,)), ShapeError, "extents are powers of two; got shape"),
        (lambda: SwizzledShared(1, 1, 1, (1, 0)).bind((8,)), ShapeError, "for arrays of 2 dimensions"),
        (lambda: SwizzledShared(1.5, 1, 1, (0,)), LayoutError, "vec = 1.5"),
        (lambda: SwizzledShared(1, 1, 1, 5), LayoutError, "order = 5"),
        (lambda: LinearLayout(5), LayoutError, "make no linear layout"),
        (lambda: PaddedShared(5, LinearLayout((("offset", ()),))), LayoutError, "are no pairs of an interval"),
        (lambda: PaddedShared(((4, 2),), LinearLayout((("lane", ()),))), LayoutError, "is no triton.LinearLayout of offsets alone"),
        (lambda: PaddedShared(((4, 2),), 5), LayoutError, "unpadded=5 is no triton.LinearLayout of offsets alone"),
        (lambda: triton.parse("#ttg.padded_shared<[4:+2] {order=[0], shape=[8]}>").bind((4,)), ShapeError, r"not \(4,\)"),
        (lambda: triton.parse("#ttg.padded_shared<[4:+2] {offset=[[1], [4]], block=[]}>").bind(), NotInjective, "3 bits"),
        (lambda: LinearLayout((), axes="x"), LayoutError, "make no linear layout"),
        (lambda: LinearLayout((), axes=-1), LayoutError, "axes=-1: where there are bases"),
        (lambda: LinearLayout((("offset", ((1, 0),)),), axes=1), LayoutError, "axes=1: where there are bases"),
        (lambda: LinearLayout((("offset", ((1.5,),)),)), LayoutError, "make no linear layout"),
        (lambda: LinearLayout(((5, ((1,),)),)), LayoutError, "5 is no kind of place"),
        (lambda: triton.parse(5), LayoutError, "5 is an int; it takes the text of one of Triton's layouts"),
    ],
)
def test_bad_input_is_told_what_would_be_right(make, error, message):
    with pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize("prefix", ["", "triton:"])
def test_other_layouts_of_threads_are_refused_by_name(prefix):
    """What stands in their fields is no layout of Morello's."""
    with pytest.raises(LayoutSyntaxError, match="are written as linear"):
        tl.layout(f"{prefix}#ttg.partitioned_shared<{{numPartitions = 2, order = [1, 0]}}>", (32, 64))
