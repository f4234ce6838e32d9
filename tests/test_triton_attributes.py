"""Triton's attributes and types, against the linear layouts that Triton itself makes of them."""

from __future__ import annotations

import json
from math import prod
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cuda_layouts
import tilelayout as tl
from tilelayout import Layout, LayoutError, LayoutSyntaxError, NotInjective, ShapeError, notations
from tilelayout.notations import triton
from tilelayout.notations.triton import (
    AmdMfma,
    AmdRotatingShared,
    AmdWmma,
    Blocked,
    DotOp,
    LinearLayout,
    MemDescType,
    NvidiaMma,
    NvmmaShared,
    PaddedShared,
    Slice,
    SwizzledShared,
    TensorType,
)

DATA = Path(__file__).parent / "data"
#: Attributes as Triton 3.9.0 prints them, shapes, and the bases of the linear layouts that it makes of them (``to_linear_layout`` of its
#: Gluon builder; of rotating memory those that ``memdesc_reshape`` infers).
CASES = [json.loads(line) for line in (DATA / "triton_attributes.jsonl").read_text().splitlines()]
KINDS = ("register", "lane", "warp", "block")

MMA = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>"
BLOCKED = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>"
NVMMA = "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>"


def coordinates_of(bases, rank):
    """Where each slot lies: the XOR of the bases of the bits that are set."""
    slots = np.arange(1 << len(bases))
    found = np.zeros((len(slots), rank), int)
    for bit, basis in enumerate(bases):
        found ^= (slots >> bit & 1)[:, None] * np.array(basis)
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['text'].partition('<')[0]}-{case['shape']}")
def test_as_triton_has_it(case):
    text, shape, kinds = case["text"], tuple(case["shape"]), [kind for kind in ("offset", *KINDS) if kind in case]
    attribute = triton.parse(text)
    assert str(attribute) == text
    assert triton.recognizes(text)
    linear = attribute.linear(shape)
    assert linear.shape == shape
    told = {kind: [list(basis) for basis in bases] for kind, bases in linear.bases}
    assert told == {kind: case[kind] for kind in kinds if case[kind] or kind in told}
    assert linear.alignment == case.get("alignment", 16)
    bases = [basis for kind in kinds for basis in case[kind]]
    if any(not any(basis) for kind in kinds if kind != "offset" for basis in case[kind]):
        with pytest.raises(NotInjective, match="in several places"):
            attribute.bind(shape)
        return
    layout = attribute.bind(shape)
    assert layout.slots == 1 << len(bases)
    held = np.full(shape, -1)
    for slot, at in reversed(list(enumerate(map(tuple, coordinates_of(bases, len(shape)))))):
        held[at] = slot  # the least one: a bit of offset without a basis is 0
    assert np.array_equal(layout.offsets(), held)


def in_gluon(text):
    """What Gluon calls by other names."""
    return eval(
        text,
        {
            "BlockedLayout": Blocked,
            "SliceLayout": Slice,
            "NVMMADistributedLayout": lambda version, warps_per_cta, instr_shape, cga_layout=(): NvidiaMma(
                *version, warps_per_cta, instr_shape, CGALayout=cga_layout
            ),
            "DotOperandLayout": DotOp,
            "SwizzledSharedLayout": SwizzledShared,
            "NVMMASharedLayout": lambda width, bits, rank, transposed=False: NvmmaShared(width, transposed, bits, rank=rank),
        },
    )


#: What a GPU holds where, for all but linear layouts, in which nothing is worked out.
HELD = {name: fact for name, fact in cuda_layouts.read_facts("triton").items() if "LinearLayout" not in fact["asked"]}


@pytest.mark.parametrize("name", HELD)
def test_as_a_gpu_has_it(name):
    """On an H200, with Triton 3.6: every register of every lane, and every place of shared memory."""
    fact = HELD[name]
    shape = tuple(fact["shape"]) if "shape" in fact else cuda_layouts.SHARED[name.removeprefix("shared: ")][1]
    layout = in_gluon(fact["asked"]).bind(shape)
    assert np.array_equal(tl.pack(np.arange(prod(shape)).reshape(shape), layout), fact["held"])


#: As Triton 3.5.1 prints blocks, and as 3.9.0 does.
OLDER = [
    ("CTAsPerCGA = [2, 2], CTASplitNum = [2, 1], CTAOrder = [0, 1]", "CGALayout = [[1, 0], [0, 0]]"),
    ("CTAsPerCGA = [2, 2], CTASplitNum = [2, 1], CTAOrder = [1, 0]", "CGALayout = [[0, 0], [1, 0]]"),
    ("CTAsPerCGA = [1, 8], CTASplitNum = [1, 4], CTAOrder = [1, 0]", "CGALayout = [[0, 1], [0, 2], [0, 0]]"),
    ("CTAsPerCGA = [1, 1], CTASplitNum = [1, 1], CTAOrder = [1, 0]", None),
]


@pytest.mark.parametrize(("older", "newer"), OLDER)
@pytest.mark.parametrize("text", [BLOCKED, MMA, NVMMA])
def test_blocks_as_older_versions_print_them(text, older, newer):
    assert triton.parse(text.replace("}>", f", {older}}}>")) == triton.parse(text.replace("}>", f", {newer}}}>") if newer else text)


def test_older_shared_memory_of_more_axes():
    text = NVMMA.replace("}>", ", CTAsPerCGA = [1, 1, 1], CTASplitNum = [1, 1, 1], CTAOrder = [2, 1, 0]}>")
    assert triton.parse(text) == NvmmaShared(128, False, 16, rank=3)


def powers(low=0, high=2):
    return st.integers(low, high).map(lambda bit: 1 << bit)


def several(rank, high=2):
    return st.tuples(*[powers(0, high)] * rank)


@st.composite
def blocks(draw, rank):
    """Bases of blocks: steps along axes, and zeros."""
    taken = [0] * rank
    bases = []
    for axis in draw(st.lists(st.integers(0, rank), max_size=2)):
        bases.append(tuple(1 << taken[axis] if k == axis else 0 for k in range(rank)))
        if axis < rank:
            taken[axis] += 1
    return tuple(draw(st.permutations(bases)))


@st.composite
def blocked(draw, least=1, most=4):
    rank = draw(st.integers(least, most))
    return Blocked(*(draw(several(rank)) for _ in range(3)), tuple(draw(st.permutations(range(rank)))), draw(blocks(rank)))


@st.composite
def mma(draw):
    if draw(st.booleans()):
        return NvidiaMma(3, 0, draw(several(2)), (16, draw(powers(3, 5)), 16), CGALayout=draw(blocks(2)))
    rank = draw(st.integers(2, 3))
    return NvidiaMma(2, 0, draw(several(rank)), (*[1] * (rank - 2), 16, 8), CGALayout=draw(blocks(rank)))


@st.composite
def mfma(draw):
    size, rank = draw(st.sampled_from([(32, 32, 8), (16, 16), (4, 64, 4)])), draw(st.integers(2, 3))
    tiles = draw(st.sampled_from([(), (2, 1), (1, 4)])) if rank == 2 else ()
    return AmdMfma(3, draw(several(rank)), size, draw(st.booleans()), draw(blocks(rank)), tiles, draw(st.sampled_from([32, 64])))


@st.composite
def wmma(draw):
    version, size = draw(st.sampled_from([(1, (16, 16, 16)), (2, (16, 16, 32)), (3, (32, 16, 128))]))
    return AmdWmma(version, draw(st.booleans()), (("warp", ((1, 0), (0, 1))),), draw(blocks(2)), size)


@st.composite
def operand(draw):
    parent = draw(blocked(2, 3) | mma() | mfma() | wmma())
    side = 0 if isinstance(parent, NvidiaMma) and parent.versionMajor == 3 else draw(st.integers(0, 1))
    return DotOp(side, parent, 0 if isinstance(parent, Blocked) else 8)


@st.composite
def sliced(draw):
    parent = draw(blocked(2, 4) | mma() | mfma() | wmma() | operand())
    return Slice(draw(st.integers(0, parent.rank - 1)), parent)


@st.composite
def swizzled(draw):
    rank = draw(st.integers(1, 3))
    kind = draw(st.sampled_from([SwizzledShared, AmdRotatingShared]))
    layout = kind(*(draw(powers(0, 3)) for _ in range(3)), tuple(draw(st.permutations(range(rank)))))
    return (
        layout
        if kind is AmdRotatingShared
        else SwizzledShared(layout.vec, layout.perPhase, layout.maxPhase, layout.order, draw(blocks(rank)))
    )


@st.composite
def nvmma(draw):
    width, rank = draw(st.sampled_from([0, 32, 64, 128])), draw(st.integers(2, 4))
    transposed = draw(st.booleans()) and (width > 0 or rank == 2)
    return NvmmaShared(width, transposed, draw(st.sampled_from([8, 16, 32])), False, draw(blocks(rank)), rank)


@st.composite
def bound(draw, attributes):
    """An attribute and a shape that it has."""
    attribute = draw(attributes)
    shape = draw(several(attribute.rank, {1: 10, 2: 6, 3: 4}.get(attribute.rank, 3)))
    if isinstance(attribute, NvmmaShared):
        inner, cut = 0 if attribute.transposed else attribute.rank - 1, 4
        shape = tuple(
            128 * cut if axis == inner else 8 * cut if axis in (0, attribute.rank - 1) else 2 * cut for axis in range(attribute.rank)
        )
        shape = tuple(extent // (1 if axis in (0, attribute.rank - 1) else 2) for axis, extent in enumerate(shape))
    return attribute, shape


THREADS = blocked() | mma() | mfma() | wmma() | operand() | sliced()
SHARED = swizzled() | nvmma()


@given(bound(THREADS | SHARED))
def test_text_comes_back(asked):
    attribute, shape = asked
    assert triton.parse(str(attribute)) == attribute == eval(repr(attribute), vars(triton))
    kind = TensorType if "lane" in dict(attribute.linear(shape).bases) else MemDescType
    typed = kind(shape, "f16", attribute)
    assert triton.parse(str(typed)) == typed == triton.parse(f"#a = {attribute}\n{str(typed).replace(str(attribute), '#a')}")
    assert triton.recognizes(str(typed))


@given(bound(THREADS | SHARED))
def test_each_element_has_one_place_or_there_are_copies(asked):
    attribute, shape = asked
    linear = attribute.linear(shape)
    assert linear.shape == shape
    copied = [basis for kind, bases in linear.bases for basis in bases if kind != "offset" and not any(basis)]
    if copied:
        with pytest.raises(NotInjective, match="has a basis of zeros"):
            attribute.bind(shape)
    else:
        layout = attribute.bind(shape)
        assert len(np.unique(layout.offsets())) == layout.size == layout.slots


@given(blocked(1, 3), st.data())
def test_blocked_is_three_products_one_in_the_other(layout, data):
    """In each axis: which warp, which lane in it, which register in that; each counted along ``order``."""
    layout = Blocked(layout.sizePerThread, layout.threadsPerWarp, layout.warpsPerCTA, layout.order)
    tile = [prod(sizes) for sizes in zip(layout.sizePerThread, layout.threadsPerWarp, layout.warpsPerCTA, strict=True)]
    slot = data.draw(st.integers(0, prod(tile) - 1))
    left, coordinates, weight = slot, [0] * layout.rank, [1] * layout.rank
    for sizes in (layout.sizePerThread, layout.threadsPerWarp, layout.warpsPerCTA):
        for axis in layout.order:
            left, digit = divmod(left, sizes[axis])
            coordinates[axis] += digit * weight[axis]
            weight[axis] *= sizes[axis]
    assert layout.bind(tile)(*coordinates) == slot


@given(bound(sliced()))
def test_a_slice_is_its_parent_without_an_axis(asked):
    attribute, shape = asked
    whole = dict(attribute.parent.linear((*shape[: attribute.dim], 1, *shape[attribute.dim :])).bases)
    for kind, bases in attribute.linear(shape).bases:
        left = [(*basis[: attribute.dim], *basis[attribute.dim + 1 :]) for basis in whole[kind]]
        assert list(bases) == [basis for basis in left if kind != "register" or any(basis)]


def test_larger_arrays_go_on_in_registers():
    layout = tl.layout(BLOCKED, (64, 64))
    assert (layout.slots, layout(0, 0), layout(0, 16), layout(32, 0), layout(1, 0)) == (4096, 0, 4, 16, 1 << 7)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        (f"#blocked = {BLOCKED}", Blocked((1, 4), (8, 4), (4, 1), (1, 0))),
        (f"#a = {BLOCKED} // a comment\n#b = {MMA}\n#smem = #ttg.shared_memory\n#a", Blocked((1, 4), (8, 4), (4, 1), (1, 0))),
        (f"#mma = {MMA}\n#ttg.dot_op<{{opIdx = 0, parent = #mma, kWidth = 2}}>", DotOp(0, NvidiaMma(2, 0, (2, 2), (16, 8)), 2)),
        (
            f"!ttg.memdesc<64x64xf16, {NVMMA}, #ttg.shared_memory, mutable>",
            MemDescType((64, 64), "f16", NvmmaShared(128, False, 16), mutable=True),
        ),
        (
            f"#shared = {NVMMA}\n#smem = #ttg.shared_memory\n!ttg.memdesc<64x64xf16, #shared, #smem>",
            MemDescType((64, 64), "f16", NvmmaShared(128, False, 16)),
        ),
        (f"tensor<8x16x!tt.ptr<f16>, {BLOCKED}>", TensorType((8, 16), "!tt.ptr<f16>", Blocked((1, 4), (8, 4), (4, 1), (1, 0)))),
        (
            "#ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 8, rank = 1}>",
            NvmmaShared(0, False, 8, rank=1),
        ),
        (
            f'#blocked = {BLOCKED}\n#loc = loc("a//b.py":5:0)\n#mma = {MMA}\n#loc1 = loc("x)"(#loc))\ntensor<8x16xf16, #mma>',
            TensorType((8, 16), "f16", NvidiaMma(2, 0, (2, 2), (16, 8))),
        ),
        (
            f"#loc = loc(unknown)\n#mma = {MMA}\n#smem = #ttg.shared_memory\n#dot = #ttg.dot_op<{{opIdx = 1, parent = #mma, kWidth = 2}}>",
            DotOp(1, NvidiaMma(2, 0, (2, 2), (16, 8)), 2),
        ),
        (
            "#shared = #triton_gpu.shared<{vec = 1, perPhase = 1, maxPhase = 8, order = [1, 0], hasLeadingOffset = false}>\n"
            "!tt.memdesc<8x8xf16, #shared, #triton_gpu.shared_memory, mutable>",
            MemDescType((8, 8), "f16", SwizzledShared(1, 1, 8, (1, 0)), mutable=True),
        ),
    ],
)
def test_texts_of_dumps(text, same):
    assert triton.recognizes(text)
    assert triton.parse(text) == same


def test_types_have_shapes_and_elements():
    layout = tl.layout(f"tensor<32x16xbf16, {BLOCKED}>")
    assert (layout.shape, layout.element.name) == ((32, 16), "bfloat16")
    assert layout == tl.layout(BLOCKED, (32, 16))
    assert tl.layout(f"tensor<32x16x!tt.ptr<f16>, {BLOCKED}>").element is None
    memory = tl.layout("!ttg.memdesc<8xf32, #ttg.padded_shared<[4:+2] {order = [0], shape = [8]}>, #ttg.shared_memory>", (8,))
    assert memory.offsets().tolist() == [0, 1, 2, 3, 6, 7, 8, 9]
    linear = "#ttg.linear<{register = [[1]], lane = [], warp = [], block = []}>"
    assert tl.layout(f"tensor<2xi8, {linear}>") == Layout((2,), [(0, 1, 2, 1)])


@pytest.mark.parametrize(
    ("text", "under", "message"),
    [
        ("#ttg.blocked<{}>", "{}>", "sizePerThread, threadsPerWarp, warpsPerCTA, order is missing"),
        (BLOCKED.replace("[8, 4]", "[8, 3]"), "[8, 3]", "threadsPerWarp = [8, 3] are no powers of two"),
        (BLOCKED.replace("[8, 4]", "[8]"), "[8]", "threadsPerWarp = [8] has 1 numbers where there are 2 axes"),
        (BLOCKED.replace("[1, 0]", "[1, 1]"), "[1, 1]", "order = [1, 1] does not name each axis of 2 once"),
        (BLOCKED.replace("[1, 4]", "[]"), "[], threads", "sizePerThread = [] are no powers of two"),
        (BLOCKED.replace("}>", ", CGALayout = [[2, 0]]}>"), "[[2, 0]]", "make steps of 1, 2, 4 and so on along each axis"),
        (BLOCKED.replace("}>", ", CGALayout = [[1, 1]]}>"), "[[1, 1]]", "of which one at most is not 0"),
        (BLOCKED.replace("}>", ", CGALayout = [[1]]}>"), "[[1]]", "have a coordinate for each of 2 axes"),
        (BLOCKED.replace("}>", ", CTAsPerCGA = [2, 1]}>"), "[2, 1]}", "CTAsPerCGA, CTASplitNum, CTAOrder are written all three"),
        (
            BLOCKED.replace("}>", ", CTAsPerCGA = [2, 1], CTASplitNum = [4, 1], CTAOrder = [0, 1]}>"),
            "[4, 1], CTA",
            "CTASplitNum = [4, 1] splits an axis into 4 parts for 2 CTAs",
        ),
        (
            BLOCKED.replace("}>", ", CTAsPerCGA = [1, 2], CTASplitNum = [1, 1], CTAOrder = [1, 2]}>"),
            "[1, 2]}",
            "CTAOrder = [1, 2] does not",
        ),
        (
            BLOCKED.replace("}>", ", CTAsPerCGA = [1, 2, 1], CTASplitNum = [1, 2, 1], CTAOrder = [2, 1, 0]}>"),
            "[1, 2, 1], CTAS",
            "along each axis; that is what CTAsPerCGA, CTASplitNum, CTAOrder mean",
        ),
        (
            BLOCKED.replace("}>", ", CTAsPerCGA = [1, 1, 1], CTASplitNum = [1, 1, 1], CTAOrder = [2, 1, 0]}>"),
            "[2, 1, 0]}",
            "CTAOrder = [2, 1, 0] has 3 numbers where there are 2 axes",
        ),
        (BLOCKED.replace("order", "order = [1, 0], order"), "order = [1, 0]}", "order is given twice"),
        (BLOCKED.replace("order", "hint"), "hint", "expected sizePerThread or"),
        (MMA.replace("versionMajor = 2", "versionMajor = 1"), "1, versionMinor", "versionMajor = 1 is none of 2, 3"),
        (MMA.replace("versionMajor = 2", "versionMajor = 5"), "5, versionMinor", "versionMajor = 5 is none of 2, 3"),
        (MMA.replace("[16, 8]", "[16, 24]"), "[16, 24]", "instrShape = [16, 24] are no powers of two"),
        (MMA.replace("[16, 8]", "[16, 4]"), "[16, 4]", "m and n are multiples of 8"),
        (MMA.replace("[16, 8]", "[2, 16, 8]"), "[2, 16, 8]", "no shape that the layout has for 2 axes"),
        (MMA.replace("[2, 2]", "[2]"), "[2]", "warpsPerCTA = [2] has 1 numbers"),
        (f"#ttg.dot_op<{{opIdx = 2, parent = {MMA}, kWidth = 2}}>", "2, parent", "opIdx = 2 is none of 0, 1"),
        (f"#ttg.dot_op<{{opIdx = 0, parent = {MMA}}}>", "#ttg.dot_op", "kWidth = 0 is no power of two"),
        (f"#ttg.dot_op<{{opIdx = 0, parent = {MMA}, kWidth = 3}}>", "3}", "kWidth = 3 is no power of two"),
        (f"#ttg.dot_op<{{opIdx = 0, parent = {BLOCKED}, kWidth = 2}}>", "2}>", "kWidth = 2 is not said of an operand"),
        (f"#ttg.dot_op<{{opIdx = 0, parent = {NVMMA}, kWidth = 2}}>", "#ttg.nvmma", "no layout of a dot's result"),
        (
            "#ttg.dot_op<{opIdx = 1, parent = "
            "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8, 16]}>, kWidth = 2}>",
            "1, parent",
            "wgmma reads it in shared memory",
        ),
        (f"#ttg.slice<{{dim = 2, parent = {BLOCKED}}}>", "2, parent", "dim = 2 is no axis of a parent that has 2"),
        (f"#ttg.slice<{{dim = 0, parent = {NVMMA}}}>", "#ttg.nvmma", "no layout of registers, lanes and warps"),
        (
            "#ttg.slice<{dim = 0, parent = #ttg.linear<{register = [], lane = [], warp = [], block = []}>}>",
            "#ttg.linear",
            "of 2 axes or more",
        ),
        ("#ttg.slice<{dim = 0, parent = #blocked}>", "#blocked", "the alias #blocked is not known here"),
        ("#ttg.slice<{dim = 0, parent = " * 40, "", "more than 32 attributes lie in each other"),
        (NVMMA.replace("128", "16", 1), "16, trans", "swizzlingByteWidth = 16 is none of 0, 32, 64, 128"),
        (NVMMA.replace("= 16", "= 24"), "24}", "elementBitWidth = 24 is none of 4, 8, 16, 32, 64"),
        (NVMMA.replace("false", "0"), "0, element", "expected true or false, found '0'"),
        (NVMMA.replace("}>", ", rank = 0}>"), "0}", "rank = 0 is no number of axes from 1 to 32"),
        (NVMMA.replace("}>", ", CGALayout = [[0, 0, 1]], rank = 2}>"), "[[0, 0, 1]]", "have a coordinate for each of 2 axes"),
        (NVMMA.replace("}>", ", rank = 1}>"), "1}", "rank = 1 is of arrays that are not swizzled"),
        (
            NVMMA.replace("128", "0", 1).replace("false", "true").replace("}>", ", rank = 3}>"),
            "true",
            "transposed = True is of arrays of 2 axes where swizzlingByteWidth = 0",
        ),
        (
            "#ttg.amd_mfma<{version = 5, warpsPerCTA = [1, 1], instrShape = [32, 32], isTransposed = true}>",
            "5,",
            "version = 5 is none of 0",
        ),
        (
            "#ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], instrShape = [64, 4], isTransposed = false}>",
            "[64, 4]",
            "where [64, 4] is transposed",
        ),
        ("#ttg.amd_mfma<{version = 3, warpsPerCTA = [1], instrShape = [32, 32], isTransposed = true}>", "[1]", "there are 2 or 3 axes"),
        ("#ttg.amd_wmma<{version = 1, isTranspose = false, ctaLayout = {}}>", "{}}>", "which bases must tell"),
        ("#ttg.amd_wmma<{version = 4, isTranspose = false, ctaLayout = {warp = [[1, 0]]}}>", "4,", "version = 4 is none of 1, 2, 3"),
        (
            "#ttg.amd_wmma<{version = 1, isTranspose = false, ctaLayout = {warp = [[1, 0]]}, instrShape = [16, 16, 4]}>",
            "[16, 16, 4]",
            "is none of version 1",
        ),
        ("#ttg.amd_wmma<{version = 1, isTranspose = false, ctaLayout = {warp = [[2, 0]]}}>", "{warp", "make steps of 1, 2, 4"),
        (
            "#ttg.amd_rotating_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>",
            "[[1]]",
            "of rotating memory is not read; write #ttg.shared_linear",
        ),
        ("#ttg.tensor_memory_encoding<blockM = 128>", "#ttg.tensor", "expected a layout attribute"),
        ("#smem = #ttg.shared_memory", "#smem", "this names memory or places in a program, not how an array lies"),
        ("#loc = loc(unknown)", "#loc", "this names memory or places in a program, not how an array lies"),
        (f"#a = {BLOCKED}\n#a = {MMA}\n#a", f"#a = {MMA}", "the alias #a is given twice"),
        (f"#a = {BLOCKED}\n#b = {MMA}", "", "2 layouts are named, and none is said to be meant"),
        (f"#a = {BLOCKED}\n#map = affine_map<(d0) -> (d0)>", "affine_map", "expected a layout attribute"),
        ("#a = #b\n#b = #a", "#b\n", "the alias #b is not known here"),
        (f"tensor<?x64xf32, {BLOCKED}>", "?", "write a number in its place"),
        (f"!ttg.memdesc<64x?xf32, {NVMMA}, #ttg.shared_memory>", "?", "write a number in its place"),
        ("#smem = #ttg.shared_memory #smem", "#smem", "expected a layout attribute, found '#smem'"),
        (f"tensor<8x8xf33, {BLOCKED}>", "f33", "'f33' is no element type that is known"),
        ("tensor<8x8xf32, #blocked>", "#blocked", "the alias #blocked is not known here"),
        (f"tensor<99999999999999999999x8xf32, {BLOCKED}>", "tensor", "does not fit in 64 bits"),
        (f"tensor<64xf32, {BLOCKED}>", "#ttg.blocked", "is for arrays of 2 dimensions, not for shape (64,)"),
        (f"tensor<64x64xf16, {NVMMA}>", "#ttg.nvmma", "is no attribute of threads"),
        (f"!ttg.memdesc<64x64xf16, {BLOCKED}, #ttg.shared_memory>", "#ttg.blocked", "is no attribute of shared memory"),
        (f"!ttg.memdesc<3x64x64xf16, {NVMMA}, #ttg.shared_memory>", "#ttg.nvmma", "of several buffers, write the type of one"),
        (f"!ttg.memdesc<64x64xf16, {NVMMA}, #ttg.shared_memory, mutable, 2x64x64>", ", 2x", "a part of a larger array is not read"),
        (f"!ttg.memdesc<64x64xf16, {NVMMA}, #ttg.shared_memory, 2x64x64>", "2x64x64", "expected mutable"),
        (f"!ttg.memdesc<64x64xf16, {NVMMA}, #ttng.tensor_memory>", "#ttng", "expected #ttg.shared_memory"),
        ("#triton_gpu.shared<{vec=1, perPhase=1, maxPhase=1, order=[0], hasLeadingOffset=true}>", "true", "write it as #ttg.nvmma_shared"),
    ],
)
def test_refusals_point_at_the_fault(text, under, message):
    with pytest.raises(LayoutSyntaxError) as caught:
        triton.parse(text)
    assert message in str(caught.value)
    assert text[caught.value.position :].startswith(under)


def sliced_often(times):
    """A layout of more axes than that, without so many of them."""
    layout = Blocked(*[(1,) * (times + 1)] * 3, range(times + 1))
    for _ in range(times):
        layout = Slice(0, layout)
    return layout


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: tl.layout(BLOCKED), ShapeError, "says nothing of sizes: give a shape of 2 dimensions"),
        (lambda: tl.layout(BLOCKED, (64,)), ShapeError, "is for arrays of 2 dimensions"),
        (lambda: tl.layout(BLOCKED, (64, 48)), ShapeError, r"extents are powers of two; got shape \(64, 48\)"),
        (lambda: tl.layout(BLOCKED, (64, 0)), ShapeError, "extents are powers of two"),
        (
            lambda: tl.layout(BLOCKED, (8, 16)),
            NotInjective,
            r"elements of shape \(8, 16\) in several places: warp=1 in .* has a basis of zeros",
        ),
        (lambda: tl.layout(f"tensor<64x64xf16, {BLOCKED}>", (64, 32)), ShapeError, r"is of shape \(64, 64\), not \(64, 32\)"),
        (lambda: tl.layout(NVMMA, (64, 32)), ShapeError, "8 rows of 64 elements or more along axis 1; .* one has 64 of 32"),
        (lambda: tl.layout(NVMMA, (4, 64)), ShapeError, "one has 4 of 64"),
        (lambda: Blocked((2,) * 60, (2,) * 60, (2,) * 60, range(60)).linear((1,) * 60), ShapeError, "more than 62 bits to number"),
        (lambda: Slice(0, LinearLayout((("offset", ((1, 0),)),))), LayoutError, "no layout of registers, lanes and warps"),
        (
            lambda: Slice(0, triton.parse("#ttg.linear<{register = [[1, 0], [0, 1]], lane = [[1, 2]], warp = [], block = []}>")).linear(
                (8,)
            ),
            ShapeError,
            "only where its bases are single steps",
        ),
        (lambda: Slice("x", Blocked((1, 1), (1, 1), (1, 1), (1, 0))), LayoutError, "dim = 'x' is no axis"),
        (lambda: Blocked(5, (1,), (1,), (0,)), LayoutError, "sizePerThread = 5 are no powers of two"),
        (lambda: Blocked((1,), (1,), (1,), (0,), 5), LayoutError, "CGALayout = 5 is no list of bases"),
        (lambda: NvidiaMma(2, -1, (1, 1), (16, 8)), LayoutError, "versionMinor = -1 is no integer of 0 or more"),
        (lambda: NvmmaShared(32, 1, 16), LayoutError, "transposed = 1 is neither True nor False"),
        (lambda: NvmmaShared(32, False, 16, rank=99), LayoutError, "rank = 99 is no number of axes"),
        (lambda: DotOp(0, NvidiaMma(2, 0, (1, 1), (16, 8)), "x"), LayoutError, "kWidth = 'x' is no integer"),
        (lambda: AmdWmma(1, False, 5), LayoutError, "ctaLayout = 5 is no list of places and their bases: .* make no linear layout"),
        (lambda: NvmmaShared(32, False, 16, rank="x"), LayoutError, "rank = 'x' is no number of axes"),
        (
            lambda: MemDescType((8,), "f32", SwizzledShared(1, 1, 1, (0,)), mutable=[]),
            LayoutError,
            r"mutable = \[\] is neither True nor False",
        ),
        (lambda: MemDescType((2,), "f32", LinearLayout((("tile", ((1,),)),))), LayoutError, "is no attribute of shared memory"),
        (lambda: sliced_often(40), LayoutError, "32 attributes in each other, which are the most"),
        (
            lambda: triton.parse(BLOCKED.replace("}>", f", CGALayout = [{', '.join(['[0, 0]'] * 100)}]}}>")).linear((4, 8)),
            ShapeError,
            r"#ttg.blocked<.* in shape \(4, 8\): 10\d bases make more slots",
        ),
        (lambda: AmdWmma(1, False, (("lane", ((1, 0),)),)), LayoutError, "has bases of lane; it is for register and warp"),
        (lambda: TensorType((8,), "f33", Blocked((1,), (1,), (1,), (0,))), LayoutError, "'f33' is no element type"),
        (
            lambda: TensorType((8,), "f32", PaddedShared(((4, 2),), LinearLayout((("offset", ()),)))),
            LayoutError,
            "is no attribute of threads",
        ),
        (lambda: MemDescType((8,), "f32", 5), LayoutError, "5 is no attribute of shared memory"),
    ],
)
def test_bad_input_is_told_what_would_be_right(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_attributes_lie_in_each_other_up_to_a_depth():
    """A chain of aliases is no deeper text, and ends all the same."""
    layout = sliced_often(31)
    assert triton.parse(str(layout)) == layout
    assert layout.bind((1,)).slots == 1
    ones, order = [1] * 1500, list(range(1500))
    chain = [f"#a0 = #ttg.blocked<{{sizePerThread = {ones}, threadsPerWarp = {ones}, warpsPerCTA = {ones}, order = {order}}}>"]
    chain += [f"#a{k + 1} = #ttg.slice<{{dim = 0, parent = #a{k}}}>" for k in range(1400)]
    with pytest.raises(LayoutSyntaxError, match="32 attributes in each other"):
        triton.parse("\n".join(chain))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (f"#a = {BLOCKED}", "triton"),
        (f"#loc = loc(unknown)\n#loc1 = loc(unknown)\n#a = {BLOCKED}", "triton"),
        (f"tensor<8x8xf32, {BLOCKED}>", "triton"),
        ("tensor<8x8x!tt.ptr<tensor<8xf16, #shared>>, #blocked>", "triton"),
        ("tensor<8x8xf32>", None),
        ("#map = affine_map<(d0, d1) -> (d1, d0)>", None),
        ("#loc = loc(unknown)\n#map = affine_map<(d0, d1) -> (d1, d0)>", None),
        ("tensor<8x8xf32, #sparse_tensor.encoding<{}>>", None),
        ("#tiled = #tpu.tiled<(8,128),[1,1]>", None),
        ("#tpu.tiled<(8,128),[1,1]>", "mosaic"),
        ("memref<8x8xf32, #tpu.tiled<(8,128),[1,1]>>", "mosaic"),
    ],
)
def test_texts_of_other_languages_are_left_to_them(text, language):
    assert notations.identified(text)[0] == language
