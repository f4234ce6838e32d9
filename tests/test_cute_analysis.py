"""What analyses say of layouts, held against looking at every coordinate, and against facts about GPUs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies_cute import layouts, swizzled
from tilelayout import CoordinateError, LayoutError, cute
from tilelayout.cute import ComposedLayout, E, Layout, Swizzle
from tilelayout.cute.analysis import listing

any_layout = st.one_of(layouts(), layouts(st.integers(-7, 12)), swizzled())
unlisted = pytest.mark.parametrize("layout", [Layout((1 << 20, 1 << 20)), Layout((4, (1 << 30, 2)), (1 << 31, (1, 1 << 30)))], ids=str)


def offsets(layout):
    return [layout(i) for i in range(layout.size)]


@given(any_layout)
def test_reach(layout):
    found = offsets(layout)
    low, high = min(0, *found), max(found)
    assert cute.is_injective(layout) == (len(set(found)) == len(found))
    assert cute.is_surjective(layout) == (set(found) == set(range(low, high + 1)))
    assert cute.is_bijective(layout) == (sorted(found) == list(range(low, high + 1)))
    assert cute.is_compact(layout) == (sorted(found) == list(range(min(found), min(found) + len(found))))
    assert cute.image(layout).tolist() == sorted(set(found))


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(-20, 20)), min_size=1, max_size=4))
def test_injective_where_modes_interleave(modes):
    layout = Layout(tuple(s for s, _ in modes), tuple(d for _, d in modes))
    found = offsets(layout)
    assert cute.is_injective(layout) == (len(set(found)) == len(found))


@given(any_layout, st.integers(1, 40))
def test_footprint(layout, bits):
    found = set(offsets(layout))
    low, high = min(found), max(found)
    touched = {bit // 8 for offset in (low, high) for bit in (offset * bits, offset * bits + bits - 1)}
    touching = cute.footprint(layout, bits)
    assert (touching.least, touching.greatest, touching.touched) == (low, high, len(found))
    assert touching.span == high - low + 1 == touching.touched + touching.holes
    assert touching.bytes == max(touched) - min(touched) + 1


def runs(found, n):
    """Whether all blocks of ``n`` coordinates have consecutive offsets."""
    return len(found) % n == 0 and all(found[k + j] == found[k] + j for k in range(0, len(found), n) for j in range(n))


@given(any_layout, st.sampled_from([4, 8, 16, 32, 64]), st.sampled_from([32, 64, 128]))
def test_contiguity_and_vectors(layout, bits, most):
    found = offsets(layout)
    assert cute.contiguity(layout) == max(n for n in range(1, len(found) + 1) if runs(found, n))
    widths = [1 << k for k in range(9) if 1 << k == 1 or (bits << k) <= most]
    fitting = [n for n in widths if runs(found, n) and all(offset % n == 0 for offset in found[::n])]
    assert cute.vector_width(layout, bits, most) == max(fitting)


@given(st.one_of(layouts(), layouts(st.integers(-7, 12)), swizzled().filter(lambda layout: isinstance(layout.inner, Layout))))
def test_alignment(layout):
    """All offsets lie in whole aligned runs, so that the layout can be upcast."""
    n, found = cute.max_alignment(layout), set(offsets(layout))
    assert all(offset // n * n + j in found for offset in found for j in range(n))


@given(any_layout, any_layout)
def test_equal_functions(a, b):
    assert cute.functionally_equal(a, b) == (offsets(a) == offsets(b))
    assert cute.functionally_equal(a, a)
    assert cute.functionally_equal(a, cute.coalesce(a))
    assert cute.functionally_equal(a, cute.flatten(a))
    if min(offsets(a)) >= 0:
        assert cute.functionally_equal(a, ComposedLayout(Swizzle(0, 0, 0), 0, a))


@given(st.one_of(any_layout, st.builds(Layout, st.lists(st.sampled_from([1, 2, 4]), max_size=4).map(tuple))))
def test_matrix(layout):
    if layout.size & (layout.size - 1):
        with pytest.raises(LayoutError, match="powers of 2"):
            cute.to_F2_matrix(layout)
        return
    found = offsets(layout)
    sums = [xor(found[1 << k] for k in range(layout.size.bit_length()) if i >> k & 1) for i in range(layout.size)]
    broken = [i for i, offset in enumerate(found) if offset < 0 or offset != sums[i]]
    if broken:
        with pytest.raises(LayoutError, match=f"not linear .* at c = {broken[0]} "):
            cute.to_F2_matrix(layout)
        return
    matrix = cute.to_F2_matrix(layout)
    assert matrix.shape == (max(found).bit_length(), layout.size.bit_length() - 1)
    bits = np.arange(layout.size) >> np.arange(matrix.shape[1])[:, None] & 1
    assert (np.left_shift(1, np.arange(matrix.shape[0])) @ (matrix @ bits % 2) == found).all()


def xor(values):
    total = 0
    for value in values:
        total ^= value
    return total


def test_matrix_behind_a_layout():
    """Where a layout comes between, the offsets themselves tell."""
    linear = ComposedLayout(Layout((4, 4), (4, 1)), 0, Layout(16))
    assert cute.to_F2_matrix(linear).tolist() == cute.to_F2_matrix(Layout((4, 4), (4, 1))).tolist()
    with pytest.raises(LayoutError, match="at c = 3 the offset is 9, not 3 \\^ 6;"):
        cute.to_F2_matrix(ComposedLayout(Layout(4, 3), 0, Layout(4)))


@given(any_layout, st.sampled_from([1, 2, 4, 8, 16]), st.sampled_from([16, 32]), st.sampled_from([4, 8]), st.integers(1, 64))
def test_conflicts_by_counting(layout, element, banks, width, threads):
    threads = min(threads, layout.size)
    found = cute.bank_conflicts(layout, element_bytes=element, threads=threads, banks=banks, bank_bytes=width)
    together = banks * width // max(element, width)
    for phase, begin in enumerate(range(0, threads, together)):
        words = {(layout(t) * element + byte) // width for t in range(begin, min(threads, begin + together)) for byte in range(element)}
        assert found.words[phase].tolist() == [sum(word % banks == bank for word in words) for bank in range(banks)]
    assert found.words.shape == (-(-threads // together), banks)
    assert (found.degree, found.passes) == (found.words.max(), found.words.max(axis=1).sum())


def test_conflicts_are_compared():
    def ask(stride):
        return cute.bank_conflicts(Layout(32, stride), element_bytes=4)

    found = ask(2)
    others = (ask(4), cute.BankConflicts(2, 2, found.words[:, ::-1]), tuple(found))
    assert (found == ask(2), found != ask(2)) == (True, False)
    assert [(found == other, found != other) for other in others] == [(False, True)] * 3
    assert len({ask(1), ask(2), ask(1), ask(34)}) == 2
    degree, passes, words = found
    assert (degree, passes, words.sum()) == (2, 2, 32)


@given(any_layout, st.integers(1, 20), st.sampled_from([32, 64, 128]))
def test_efficiency_by_counting(layout, element, segment):
    threads = min(32, layout.size)
    touched = {layout(t) * element + byte for t in range(threads) for byte in range(element)}
    wanted = len(touched) / (len({byte // segment for byte in touched}) * segment)
    assert cute.coalescing_efficiency(layout, element_bytes=element, threads=threads, segment_bytes=segment) == wanted


def degree(layout, **how):
    return cute.bank_conflicts(layout, **how).degree


def test_columns_of_a_tile():
    """CUDA C++ Best Practices Guide, "Shared Memory in Matrix Multiplication (C=AAT)": columns of 32 floats, padded and not."""
    assert degree(Layout((32, 32), (32, 1)), element_bytes=4) == 32
    assert degree(Layout((32, 32), (33, 1)), element_bytes=4) == 1
    assert degree(Layout((32, 32), (1, 32)), element_bytes=4) == 1
    assert degree(ComposedLayout(Swizzle(5, 0, 5), 0, Layout((32, 32), (32, 1))), element_bytes=4) == 1


@pytest.mark.parametrize(("stride", "ways"), [(0, 1), (1, 1), (2, 2), (3, 1), (4, 4), (32, 32), (33, 1)])
def test_strided_accesses(stride, ways):
    """CUDA C++ Programming Guide, figure "Strided Shared Memory Accesses": strides of 1 and 3 words are free, 2 is two-way."""
    assert degree(Layout(32, stride), element_bytes=4) == ways


def test_rows_of_ldmatrix():
    """Eight rows of 16 bytes, a matrix of ldmatrix (PTX ISA), in tiles of 64 halves: CUTLASS's 128-byte swizzle frees them of conflicts.

    CUTLASS writes that swizzle S<3,4,3> of bytes, include/cute/atom/mma_traits_sm90_gmma.hpp, and S<3,3,3> of halves.
    """
    rows = Layout((8, 64), (64, 1))
    of_bytes = ComposedLayout(Swizzle(3, 4, 3), 0, Layout((8, 128), (128, 1)))
    of_halves = cute.recast_layout(16, 8, of_bytes)
    assert str(of_halves) == "S<3,3,3> o 0 o (8,64):(64,1)"
    for chunk in range(8):
        thread = Layout((8, 1), (E(0), E(1)))
        column = ComposedLayout(Layout((8, 64)), (0, 8 * chunk), thread)
        assert degree(rows, element_bytes=2, threads=column, vector=8) == 8
        assert degree(of_halves, element_bytes=2, threads=column, vector=8) == 1
        wide = ComposedLayout(Layout((8, 128)), (0, 16 * chunk), thread)
        assert degree(of_bytes, element_bytes=1, threads=wide, vector=16) == 1


def test_wide_accesses_take_a_phase_for_every_128_bytes():
    for vector, phases in [(1, 1), (2, 2), (4, 4)]:
        found = cute.bank_conflicts(Layout(128), element_bytes=4, vector=vector)
        assert (found.degree, found.passes, found.words.shape) == (1, phases, (phases, 32))
    assert cute.bank_conflicts(Layout(128), element_bytes=1, threads=32).passes == 1


def test_coalesced_access():
    """CUDA C++ Best Practices Guide, "Strided Accesses": with a stride of 2 half of what is loaded is used."""
    assert cute.coalescing_efficiency(Layout(32), element_bytes=4) == 1
    assert cute.coalescing_efficiency(Layout(32, 2), element_bytes=4) == 0.5
    assert cute.coalescing_efficiency(Layout((32, 32), (32, 1)), element_bytes=4) == 1 / 8
    assert cute.coalescing_efficiency(Layout((32, 32), (32, 1)), element_bytes=4, vector=4, threads=Layout(32)) == 1 / 2
    misaligned = ComposedLayout(Layout(64), 1, Layout(32))
    assert cute.coalescing_efficiency(misaligned, element_bytes=4) == 128 / 160


@unlisted
def test_modes_tell(layout):
    """Layouts too large to list."""
    assert cute.is_injective(layout)
    assert cute.is_injective(ComposedLayout(Swizzle(3, 4, 3), 0, layout))
    assert cute.is_compact(layout) == cute.is_bijective(layout) == cute.is_surjective(layout)
    assert cute.footprint(layout).touched == layout.size
    assert cute.functionally_equal(layout, cute.flatten(layout))
    assert cute.contiguity(layout) in (1, layout.size)
    assert cute.vector_width(layout, 16) in (1, 8)
    assert cute.max_alignment(layout) == layout.size
    assert cute.to_F2_matrix(layout).sum() == layout.size.bit_length() - 1


@unlisted
def test_what_has_to_be_listed_is_bounded(layout):
    behind = ComposedLayout(Swizzle(3, 4, 3), 1, layout)
    analyses = [cute.image, cute.contiguity, cute.footprint, cute.is_surjective, lambda value: cute.vector_width(value, 16)]
    for analysis in analyses:
        with pytest.raises(LayoutError, match=f"{layout.size} coordinates are more than the {listing.MOST_LISTED}"):
            analysis(behind)


def test_swizzles_of_whole_blocks_are_onto():
    huge = ComposedLayout(Swizzle(3, 4, 3), 0, Layout((1 << 20, 1 << 20), (1 << 20, 1)))
    assert cute.is_bijective(huge)
    assert cute.is_compact(huge)


@pytest.mark.parametrize("value", [8, (4, 8), "4:1", None, Swizzle(3, 4, 3), Layout((4, 8), (E(0), E(1)))], ids=str)
def test_what_leads_to_no_offsets_is_refused(value):
    plain = Layout(8)
    for analysis in (
        cute.is_injective,
        cute.is_surjective,
        cute.is_bijective,
        cute.is_compact,
        cute.image,
        cute.footprint,
        cute.contiguity,
    ):
        with pytest.raises(LayoutError, match="an analysis takes"):
            analysis(value)
    for call in (
        lambda: cute.vector_width(value, 16),
        lambda: cute.max_alignment(value),
        lambda: cute.to_F2_matrix(value),
        lambda: cute.functionally_equal(plain, value),
        lambda: cute.bank_conflicts(value, element_bytes=4),
        lambda: cute.coalescing_efficiency(value, element_bytes=4),
    ):
        with pytest.raises(LayoutError, match="an analysis takes"):
            call()


REFUSED = {
    "element_bytes is 0; it has to be 1 or more": {"element_bytes": 0},
    "'4' is no integer": {"element_bytes": "4"},
    "banks is -1": {"element_bytes": 4, "banks": -1},
    "bank_bytes is 0": {"element_bytes": 4, "bank_bytes": 0},
    "threads is 0": {"element_bytes": 4, "threads": 0},
    "vector is 0": {"element_bytes": 4, "vector": 0},
    "3 elements of 4 bytes make an access of 12": {"element_bytes": 4, "vector": 3, "threads": 4},
    "64 elements of 4 bytes make an access of 256": {"element_bytes": 4, "vector": 64, "threads": 1},
    "thread 1 of .* begins at byte 4": {"element_bytes": 4, "vector": 2, "threads": Layout(8)},
    "1000000000000 threads": {"element_bytes": 4, "threads": 10**12},
    "64-bit addresses": {"element_bytes": 16, "threads": Layout(2, 63)},
}


@pytest.mark.parametrize(("told", "how"), REFUSED.items(), ids=REFUSED)
def test_refused_accesses(told, how):
    with pytest.raises(LayoutError, match=told):
        cute.bank_conflicts(Layout((63, 2), (1, 1 << 60)), **how)


def test_threads_beyond_the_layout_are_refused():
    with pytest.raises(CoordinateError, match=r"thread 31 is at coordinate 31 of 31:1: .* is outside shape 31; .*; threads= says how many"):
        cute.bank_conflicts(Layout(31), element_bytes=4)
    with pytest.raises(CoordinateError, match="coordinate 62 is outside shape 62"):
        cute.coalescing_efficiency(Layout(62), element_bytes=4, vector=2)
    with pytest.raises(LayoutError, match="segment_bytes is 0"):
        cute.coalescing_efficiency(Layout(32), element_bytes=4, segment_bytes=0)
    with pytest.raises(LayoutError, match="element_bits is 0"):
        cute.footprint(Layout(32), 0)
    with pytest.raises(LayoutError, match="max_bits is -8"):
        cute.vector_width(Layout(32), 8, -8)


def test_alignment_of_a_layout_of_layouts_is_refused():
    with pytest.raises(LayoutError, match="no alignment that its modes tell"):
        cute.max_alignment(ComposedLayout(Layout(8), 0, Layout(8)))
