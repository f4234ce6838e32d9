"""Copies between layouts that XOR bits: row by row, or in turns, one for each value of the bits that turn others."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilelayout as tl
from engines import share_little
from tilelayout import parts, planning
from tilelayout._kernels.copy import CopyPlan
from tilelayout._kernels.steps import CopyInSteps
from tilelayout.loops import in_bytes, in_strides
from tilelayout.swizzled import walks


@st.composite
def swizzled(draw, rows, columns):
    """CuTe's swizzles over rows, columns and blocks."""
    block = draw(st.sampled_from([f"({rows},{columns}):({columns},1)", f"({rows},{columns}):(1,{rows})", ""]))
    block = block or f"((8,{rows // 8}),(8,{columns // 8})):((8,64),(1,{rows * 8}))"
    bits, base = draw(st.integers(1, 3)), draw(st.integers(0, 4))
    return f"S<{bits},{base},{draw(st.integers(bits, 4)) * draw(st.sampled_from([1, -1]))}> o 0 o {block}"


#: Two of one shape, of sizes that are powers of two or those times an odd number.
sizes = st.sampled_from([8, 16, 24, 64, 80, 128])
pairs_of_swizzled = st.tuples(sizes, sizes).flatmap(lambda shape: st.tuples(swizzled(*shape), swizzled(*shape)))


@settings(max_examples=150, deadline=None)
@given(
    pairs_of_swizzled,
    st.sampled_from(["u1", "u2", "u4", "u8", "c16"]),
    st.sampled_from("CFSR"),
    st.integers(1, 3),
)
def test_there_and_back_and_to_one_another(texts, dtype, form, threads):
    layouts = [tl.layout(text) for text in texts]
    shape = layouts[0].shape
    wide = np.random.default_rng(1).integers(0, 250, (shape[0], shape[1] + 3)).astype(dtype)
    array = {"C": wide[:, 3:].copy(), "F": np.asfortranarray(wide[:, 3:]), "S": wide[:, 3:], "R": wide[::-1, 3:]}[form]
    packed = [np.full(layout.slots, 9, dtype) for layout in layouts]
    with pytest.MonkeyPatch.context() as patch:
        share_little(patch)
        for layout, slots in zip(layouts, packed, strict=True):
            slots[layout.offsets()] = array
            out = np.full_like(slots, 9)
            assert (tl.pack(array, layout, fill=None, out=out, threads=threads) == slots).all()
            assert (tl.unpack(slots, layout, out=np.zeros_like(array), threads=threads) == array).all()
        moved = tl.relayout(packed[0], *layouts, fill=9, threads=threads)
        assert (moved == packed[1]).all()


def xored(chance):
    """Layouts each bit of whose slots is the XOR of any bits of the coordinates, as Triton's are, with odd factors and holes."""
    shape = chance.choice([(8,), (32,), (128,), (256,), (24,), (96,), (8, 8), (12, 16), (64, 6), (4, 8, 8), (2, 40, 4)])
    powers = [(n & -n).bit_length() - 1 for n in shape]
    bits = [(axis, bit) for axis, power in enumerate(powers) for bit in range(power)]
    rows = [{bit} for bit in bits]
    for _ in range(chance.randint(1, 4)):
        one, other = chance.sample(range(len(bits)), 2)
        rows[one] ^= rows[other]
    reads = [[(axis, 1 << bit, 2, 1) for axis, bit in sorted(row)] for row in rows]
    digits = [(*read[0][:2], 2) if len(read) == 1 else (tuple(read), 1, 2) for read in reads]
    digits += [(axis, 1 << power, n >> power) for axis, (n, power) in enumerate(zip(shape, powers, strict=True)) if n >> power > 1]
    chance.shuffle(digits)
    placed, stride = [], 1
    for source, divisor, radix in digits:
        placed.append((source, divisor, radix, stride))
        stride *= radix * chance.choice([1, 1, 1, 1, 1, 1, 3])
    return tl.Layout(shape, placed, slots=stride)


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "c16"])
@pytest.mark.parametrize("large", [0, parts.LARGE])
def test_any_bits_that_are_xored(dtype, large, monkeypatch):
    """A bit may be a digit of its own, too: such steps differ in length from way to way, and went beyond the buffer."""
    monkeypatch.setattr(parts, "LARGE", large)
    chance = random.Random(1)
    for _ in range(200):
        layout = xored(chance)
        array = np.asarray((np.arange(layout.size) % 98).reshape(layout.shape), dtype, order=chance.choice("CF"))
        packed = np.full(layout.slots, 99, dtype)
        packed[layout.offsets()] = array
        room, back = np.full(layout.slots + 512, 99, dtype), np.full(layout.size + 512, 99, dtype)
        tl.pack(array, layout, out=room[256:-256], fill=None)
        tl.unpack(packed, layout, out=back[256:-256].reshape(layout.shape))
        assert (room[256:-256] == packed).all(), layout
        assert (back[256:-256].reshape(layout.shape) == array).all(), layout
        assert all((ends == 99).all() for ends in (room[:256], room[-256:], back[:256], back[-256:])), layout


#: The swizzles of tensor cores' tiles in shared memory, rows of 32 to 256 bytes, and of plain rows; those of columns; and of narrow units.
TILES = [
    ("S<3,3,3> o 0 o ((8,128),(64,16)):((64,8192),(1,512))", "u2", CopyPlan),
    ("S<2,3,3> o 0 o ((8,128),(32,32)):((32,8192),(1,256))", "u2", CopyPlan),
    ("S<1,3,3> o 0 o ((8,128),(16,64)):((16,8192),(1,128))", "u2", CopyInSteps),
    ("S<2,4,3> o 0 o ((8,128),(64,12)):((64,6144),(1,512))", "u4", CopyPlan),
    ("S<3,4,3> o 0 o (1024,1024):(1024,1)", "u1", CopyPlan),
    ("S<3,4,3> o 0 o (768,1024):(1024,1)", "u1", CopyPlan),
    ("S<3,0,6> o 0 o (1024,1024):(1024,1)", "u1", CopyPlan),
    ("S<3,1,4> o 0 o (1024,256):(256,1)", "u2", CopyPlan),
    ("S<2,3,-3> o 0 o ((8,128),(64,16)):((64,8192),(1,512))", "u2", CopyInSteps),
    ("S<3,3,3> o 0 o ((64,16),(8,128)):((1,512),(64,8192))", "u2", CopyInSteps),
]

#: Triton's, where one bit of a coordinate is in several of the slot, and the other way.
TRITON = (
    "#ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]},"
    " alignment = 1024>"
)


@pytest.mark.parametrize(("text", "dtype", "kind"), TILES)
@pytest.mark.engines
def test_tiles_are_copied(text, dtype, kind):
    """Both ways, and each iteration is on its own."""
    layout = tl.layout(text)
    array = np.random.default_rng(2).integers(0, 250, layout.shape).astype(dtype)
    slots = np.zeros(layout.slots, dtype)
    slots[layout.offsets()] = array
    sides = in_strides(layout.shape, array.strides), in_bytes(layout.digits, array.itemsize)
    for source, target, between in (array, slots, sides), (slots, array, sides[::-1]):
        copied = np.zeros_like(target)
        copy = planning.plan(layout.shape, *between, array.itemsize).copy
        assert type(copy) is kind
        assert copy.iterations > 1
        for begin in reversed(range(copy.iterations)):
            copy.run(source, copied, None, (begin, begin + 1, 2, 1))
        assert (copied == target).all()


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("S<1,0,1> o 1 o (4,4):(4,1)", None),  # an offset that carries
        ("S<1,0,1> o 0 o (4,6):(6,1)", None),  # rows of which the sum carries
        ("S<3,4,3> o 0 o (16,1280):(1280,1)", None),  # long ones likewise
        ("S<2,0,2> o 0 o (6,2):(2,1)", None),  # an axis that cannot be halved so often
        ("S<6,0,6> o 0 o (64,64):(64,1)", None),  # too many turns
        ("{1,0:T(2,3)(4)}", (5, 7)),
    ],
)
def test_others_are_looked_up(text, shape):
    layout = tl.layout(text, shape)
    array = np.arange(np.prod(layout.shape), dtype="u2").reshape(layout.shape)
    assert walks(layout.shape, in_strides(layout.shape, array.strides), in_bytes(layout.digits, 2)) is None
    assert (tl.unpack(tl.pack(array, layout), layout) == array).all()


def test_linear_layouts_of_triton_are_copied_in_turns():
    layout = tl.layout(TRITON)
    array = np.arange(layout.size, dtype="u2").reshape(layout.shape)
    found = walks(layout.shape, in_strides(layout.shape, array.strides), in_bytes(layout.digits, 2))
    assert found is not None
    assert len(found) == 8
    slots = tl.pack(array, layout)
    assert (slots[layout.offsets()] == array).all()
    assert (tl.unpack(slots, layout) == array).all()


def test_digits_that_end_amid_what_cannot_be_halved():
    """An axis of twelve that is cut at eight, beside bits that are XORed."""
    parity = tl.Layout((12, 4), [(0, 8, 2, 48), (0, 1, 8, 4), (1, 2, 2, 2), (((1, 1, 2, 1), (1, 2, 2, 1)), 1, 2, 1)])
    array = np.arange(48, dtype="u2").reshape(12, 4)
    assert walks(parity.shape, in_strides(parity.shape, array.strides), in_bytes(parity.digits, 2)) is None
    slots = tl.pack(array, parity)
    assert (slots[parity.offsets()] == array).all()
    assert (tl.unpack(slots, parity) == array).all()


def test_turns_go_through_every_element_once():
    layout = tl.layout("S<2,1,2> o 0 o (24,8):(8,1)")
    found = walks(layout.shape, in_strides(layout.shape, (8, 1)), in_bytes(layout.digits, 1))
    assert found is not None
    pairs = []
    for walk in found:
        places = [(walk.source, walk.target)]
        for loop in walk.loops:
            assert loop.target > 0
            places = [(source + k * loop.source, target + k * loop.target) for k in range(loop.n) for source, target in places]
        pairs += places
    pairs.sort()
    assert [source for source, _ in pairs] == [*range(192)]
    assert [target for _, target in pairs] == layout.offsets().ravel().tolist()
