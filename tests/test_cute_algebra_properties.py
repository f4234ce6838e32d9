"""What the algebra promises, on generated layouts; composition also against trying every layout there is."""

import random
import re
from contextlib import suppress
from importlib import import_module
from itertools import pairwise, permutations, product
from math import prod

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from cute_search import best_agreement, without_kernel
from strategies_cute import layouts, swizzles
from tilelayout import LayoutError, NotInjective, cute
from tilelayout.cute import ComposedLayout, Layout, Swizzle

extents = st.sampled_from([1, 2, 2, 3, 4, 4, 5, 6, 8, 9])
steps = st.sampled_from([0, 1, 1, 2, 3, 4, 5, 6, 8, 9, 12, 16, 20, 32])


def offsets(layout):
    return [layout(i) for i in range(layout.size)]


def flat_layouts(most=4, step=steps):
    pairs = st.lists(st.tuples(extents, step), min_size=1, max_size=most)
    return pairs.filter(lambda p: prod(s for s, _ in p) <= 400).map(lambda p: Layout(tuple(s for s, _ in p), tuple(d for _, d in p)))


@st.composite
def compact(draw, most=4):
    """Layouts that reach each offset once, without gaps, in any order of modes."""
    shape = draw(st.lists(extents, min_size=1, max_size=most).filter(lambda s: prod(s) <= 400))
    return cute.make_ordered_layout(tuple(shape), tuple(draw(st.permutations(range(len(shape))))))


any_layout = st.one_of(flat_layouts(), compact(), layouts())


def check_composition(a, b):
    """The composition, or None where there is none, held against the function."""
    try:
        result = cute.composition(a, b)
    except LayoutError as error:
        return int(re.search(r"at c = (\d+) ", str(error))[1])
    assert cute.compatible(b, result)
    assert offsets(result) == [a.extended(b(i)) for i in range(b.size)]
    return result


@pytest.mark.parametrize("shape", [(2, 3), (4, 2), (3, 2), (2, 2, 2)])
@pytest.mark.parametrize("compiled", [True, False])
def test_composition_with_what_goes_backwards(shape, compiled, monkeypatch):
    if not compiled:
        without_kernel(monkeypatch)
    ways = [Layout(s, d) for s in [(2, 2), (3, 2), (2, 4), (4,)] for d in product([-4, -2, -1, 1, 2, 3, 6], repeat=len(s)) if min(d) < 0]
    for a in [Layout(shape, strides) for strides in product([1, 2, 5, -3], repeat=len(shape))][::5]:
        for b in ways:
            try:
                found = cute.composition(a, b)
            except LayoutError:
                assert best_agreement(a, b) < b.size, (a, b)
            else:
                assert offsets(found) == [a.extended(i) for i in offsets(b)], (a, b)


@given(any_layout, any_layout)
def test_composition_is_the_function(a, b):
    assume(b.size <= 512 and a.flat)
    check_composition(a, b)


@given(flat_layouts(), flat_layouts(3, st.one_of(steps, st.integers(-20, 40))))
def test_composition_is_found_exactly_when_there_is_one(a, b):
    assume(b.size <= 48)
    result = check_composition(a, b)
    expected = best_agreement(a, b)
    assert (expected if isinstance(result, int) else b.size) == expected
    assert isinstance(result, Layout) or result == expected


def random_pair(dice):
    """A pair of layouts as they are written by hand: compact or nearly so, B with strides that often divide A's extents."""
    a_shape = [dice.choice([1, 2, 3, 4, 5, 6, 7, 8]) for _ in range(dice.randint(1, 3))]
    strides = [dice.choice([0, 1, 2, 3, 7, 8, 24, 59]) for _ in a_shape]
    a = Layout(tuple(a_shape), tuple(strides)) if dice.random() < 0.6 else Layout(tuple(a_shape))
    b_shape = [dice.choice([1, 2, 3, 4, 6, 8]) for _ in range(dice.randint(1, 3))]
    inside = [prod(a_shape[:k]) for k in range(len(a_shape) + 1)]
    b = Layout(tuple(b_shape), tuple(dice.choice([0, 1, 2, 3, 4, 6, *inside, -1]) for _ in b_shape))
    return a, b


def sweep(pairs):
    found = refused = 0
    for a, b in pairs:
        result, expected = check_composition(a, b), best_agreement(a, b)
        if isinstance(result, Layout):
            assert expected == b.size, (a, b)
            found += 1
        else:
            assert result == expected < b.size, (a, b)
            refused += 1
    return found, refused


@pytest.mark.parametrize("half", ["compiled", "python"])
def test_composition_against_every_layout(half, monkeypatch):
    if half == "python":
        without_kernel(monkeypatch)
    dice = random.Random(3)
    found, refused = sweep((a, b) for a, b in (random_pair(dice) for _ in range(2500)) if b.size <= 48)
    assert found > 500
    assert refused > 300


@pytest.mark.slow
def test_composition_against_every_layout_of_two_modes():
    pairs = (
        (Layout((s, t), (d, e)), Layout(n, step))
        for s, t in product((1, 2, 3, 4, 6), (1, 2, 3, 5))
        for d, e in product((0, 1, 2, 5), (0, 1, 3, 6, 12))
        for n, step in product((1, 2, 3, 4, 6, 8, 12), range(-3, 15))
    )
    found, refused = sweep(pairs)
    assert found > 10000
    assert refused > 8000


@pytest.mark.slow
def test_composition_against_every_layout_at_random():
    dice = random.Random(4)
    found, refused = sweep((a, b) for a, b in (random_pair(dice) for _ in range(40000)) if b.size <= 64)
    assert found > 10000
    assert refused > 5000


@given(compact(), compact(3), compact(2))
def test_composition_is_associative(a, b, c):
    """On the coordinates where nothing runs past the end of B, where ``A o B`` and ``B`` go on in ways of their own."""
    assume(c.cosize <= b.size)
    try:
        left = cute.composition(cute.composition(a, b), c)
        right = cute.composition(a, cute.composition(b, c))
    except LayoutError:
        assume(False)
    assert offsets(left) == offsets(right)


@given(any_layout)
def test_coalesce_is_the_same_function_in_the_fewest_modes(layout):
    result = cute.coalesce(layout)
    assert result.depth <= 1
    assert result.size == layout.size
    assert offsets(result) == offsets(layout)
    flat = result.flat
    assert flat == ((1, 0),) or all(s > 1 for s, _ in flat)
    assert all(s * d != after for (s, d), (_, after) in pairwise(flat))


@given(layouts())
def test_coalesce_by_profile_keeps_the_modes(layout):
    profile = tuple(1 for _ in range(layout.rank)) if isinstance(layout.shape, tuple) else 1
    result = cute.coalesce(layout, profile)
    assert cute.product_each(result.shape) == cute.product_each(layout.shape)
    assert offsets(result) == offsets(layout)
    for mode in range(layout.rank if isinstance(layout.shape, tuple) else 0):
        assert cute.coalesce(layout, mode=mode)[mode] == cute.coalesce(layout[mode])


@given(st.one_of(flat_layouts(), compact()), st.integers(1, 300))
def test_complement_is_ordered_and_disjoint(layout, cotarget):
    try:
        rest = cute.complement(layout, cotarget)
    except NotInjective:
        # a mode that begins inside the run of those before it
        modes = sorted((d, s) for s, d in cute.filter(layout).flat if s > 1)
        assert any(later < s * d for (d, s), (later, _) in pairwise(modes))
        return
    values = offsets(rest)
    assert values == sorted(set(values))
    assert not set(values[1:]) & set(offsets(layout))
    both = offsets(cute.make_layout(cute.filter(layout), rest))
    assert len(both) == len(set(both))
    strides = sorted((d, s) for s, d in cute.filter(layout).flat if s > 1)
    runs = [1, *(d * s for d, s in strides)]
    if all(d % run == 0 for (d, _), run in zip(strides, runs, strict=False)):
        assert set(both) >= set(range(cotarget))


@given(any_layout, flat_layouts(2))
@example(cute.Layout((5, 1), (0, 1)), cute.Layout((1, 2), (6, 1)))
def test_divisions_hold_every_element_once(a, tiler):
    assume(a.size <= 200)
    try:
        zipped = cute.zipped_divide(a, tiler)
    except LayoutError:
        assume(False)
    tile = cute.composition(a, tiler)
    assert zipped[0].shape == tile.shape
    assert offsets(zipped[0]) == offsets(tile)  # the stride of a mode of one element, which nothing is multiplied by, may be another
    assert cute.logical_divide(a, tiler) == zipped
    starts = offsets(zipped[1])
    assert offsets(zipped) == [start + offset for start in starts for offset in offsets(tile)]
    # all elements of A are among those of the tiles; of a tiler without broadcasts, as often as in A or more
    for offset in set(offsets(a)):
        assert offsets(zipped).count(offset) >= (offsets(a).count(offset) if all(d or s == 1 for s, d in tiler.flat) else 1)


@given(compact(3), st.data())
def test_divisions_by_mode(a, data):
    tiler = tuple(data.draw(st.sampled_from([1, 2, 3, 4, 8])) for _ in range(data.draw(st.integers(1, a.rank))))
    logical, zipped = cute.logical_divide(a, tiler), cute.zipped_divide(a, tiler)
    assert zipped[0] == cute.composition(a, tiler) or any(n == 1 for n in tiler)
    assert offsets(zipped[0]) == offsets(cute.composition(a, tiler))
    for k, n in enumerate(tiler):
        assert logical[k] == cute.logical_divide(a[k], n)
    assert list(logical)[len(tiler) :] == list(a)[len(tiler) :]
    assert sorted(offsets(logical)) == sorted(offsets(zipped)) == sorted(offsets(cute.flat_divide(a, tiler)))
    assert offsets(cute.tiled_divide(a, tiler)) == offsets(cute.flat_divide(a, tiler)) == offsets(zipped)
    assert set(offsets(a)) <= set(offsets(zipped))
    assert logical.size == prod(-(-s // n) * n for s, n in zip(cute.product_each(a.shape), tiler, strict=False)) * prod(
        cute.product_each(a.shape)[len(tiler) :]
    )


def divides_on(layout):
    """Whether each stride, by size, divides by the end of the run before."""
    end = 1
    for extent, stride in sorted(cute.filter(layout).flat, key=lambda mode: mode[::-1]):
        if stride % end:
            return False
        end = extent * stride
    return True


@pytest.mark.parametrize(
    ("block", "tiler", "product"),
    [
        ("(4,2):(16,3)", "2:6", "((4,2),2):((16,3),12)"),
        ("(2,5):(5,14)", "2:6", "((2,5),2):((5,14),6)"),
        ("(2,3,4):(3,68,16)", "2:6", "((2,3,4),2):((3,68,16),12)"),
        ("(2,4):(5,14)", "4:2", "((2,4),4):((5,14),2)"),
        ("(3,4):(3,22)", "(3,2):(3,0)", "((3,4),(3,2)):((3,22),(9,0))"),
        ("(2,3,1):(31,3,64)", "4:3", "((2,3,1),4):((31,3,64),9)"),
        ("(3,2):(3,13)", "(1,2):(3,3)", "((3,2),(1,2)):((3,13),(3,3))"),
    ],
)
def test_products_of_blocks_whose_strides_do_not_divide(block, tiler, product):
    """The complement ends with its last gap where that holds all copies, and goes on as that (CUTLASS C++ 4.2, the DSL 4.8, executed)."""
    got = cute.logical_product(cute.parse_layout(block), cute.parse_layout(tiler))
    assert got.shape == cute.parse_layout(product).shape
    assert offsets(got) == offsets(cute.parse_layout(product))


@given(st.one_of(flat_layouts(2), compact(2)), compact(2))
def test_products_repeat_the_block_without_overlap(block, tiler):
    try:
        result = cute.logical_product(block, tiler)
    except LayoutError:
        assume(False)
    assert result[0] == block
    assert cute.compatible(tiler, result[1])
    rest = cute.complement(block, block.size * tiler.cosize)
    assert offsets(result[1]) == [rest.extended(i) for i in offsets(tiler)]
    if divides_on(block):
        moving = cute.filter(block)
        values = [offset + start for start in offsets(result[1]) for offset in offsets(moving)]
        assert len(values) == len(set(values))
    blocked, raked = cute.blocked_product(block, tiler), cute.raked_product(block, tiler)
    assert sorted(offsets(blocked)) == sorted(offsets(raked)) == sorted(offsets(result))
    for k in range(min(block.rank, tiler.rank)):
        assert offsets(blocked[k][0]) == offsets(raked[k][1]) == offsets(block[k])


@given(compact(3), st.data())
def test_tile_to_shape_covers_the_shape(block, data):
    target = tuple(data.draw(st.integers(1, 20)) for _ in range(block.rank))
    order = tuple(data.draw(st.permutations(range(block.rank))))
    result = cute.tile_to_shape(block, target, order)
    sizes = cute.product_each(block.shape)
    assert cute.product_each(result.shape) == tuple(-(-t // s) * s for t, s in zip(target, sizes, strict=True))
    assert sorted(offsets(result)) == list(range(result.size))


@given(any_layout)
def test_right_inverse(layout):
    inverse = cute.right_inverse(layout)
    assert [layout(inverse(i)) for i in range(inverse.size)] == list(range(inverse.size))
    if sorted(offsets(layout)) == list(range(layout.size)):
        assert inverse.size == layout.size


@given(layouts(st.sampled_from([1, 1, 2, 3, 4, 8, 16])))
def test_right_inverses_follow_the_first_mode_of_each_stride(layout):
    inverse = cute.right_inverse(layout)
    assert [layout(inverse(i)) for i in range(inverse.size)] == list(range(inverse.size))
    end, first = 1, {}
    for extent, stride in cute.coalesce(layout).flat:
        first.setdefault(stride, extent)
    while first.get(end, 1) > 1:
        end *= first[end]
    assert inverse.size == end
    assert cute.max_common_vector(layout, layout) == inverse.size


@pytest.mark.parametrize(
    ("text", "inverse"),
    [
        ("(64,3,3):(1,1,66)", "64:1"),
        ("(8,2):(1,1)", "8:1"),
        ("(2,8):(1,1)", "2:1"),
        ("(4,2,3):(1,1,2)", "4:1"),
        ("(4,4):(1,1)", "4:1"),
        ("(4,5,5):(1,1,20)", "4:1"),
        ("(6,2,3):(3,1,1)", "2:6"),
        ("(16,2):(1@1@0,1@1@0)", "((1,16)):((0,1))"),
    ],
)
def test_right_inverses_of_modes_with_one_stride(text, inverse):
    """The first, though another leads further: so CUTLASS C++ 4.2 and the CuTe DSL 4.8, executed."""
    assert str(cute.right_inverse(cute.parse_layout(text))) == inverse


@pytest.mark.parametrize(
    ("a", "b", "common"),
    [
        ("(64,3,3):(1,1,66)", "(64,3,3):(1,1,66)", "64:1"),
        ("(4,8):(1,4)", "(4,8):(1,1)", "4:1"),
        ("(4,8):(4,1)", "(4,8):(1,1)", "1:0"),
        ("(8,4,16):(0,1,2)", "(8,4,16):(1,1,1)", "1:0"),
        ("(6,2):(1,6)", "(4,3):(1,4)", "12:1"),
        ("(3,4):(1,0)", "(2,4,2):(1,0,2)", "2:1"),
        ("(4,3,2,5):(1,0,12,1)", "(4,3,2,5):(1,0,12,1)", "4:1"),
        ("(2,8):(1,4)", "(2,8):(4,4)", "1:0"),
        ("(4,8):(1@0,1@1)", "(4,8):(1@0,1@1)", "1:0"),
    ],
)
def test_what_is_common_where_modes_have_one_stride(a, b, common):
    assert str(cute.max_common_layout(cute.parse_layout(a), cute.parse_layout(b))) == common


@given(flat_layouts(step=st.sampled_from([1, 1, 2, 4])), flat_layouts(step=st.sampled_from([1, 2, 2, 4])))
def test_what_is_common_is_as_long_as_that_of_the_first_modes(a, b):
    """C++ follows the first mode of each stride; that never reaches further."""
    common = cute.max_common_layout(a, b)
    assert [a.extended(i) for i in offsets(common)] == [b(i) for i in offsets(common)] == list(range(common.size))
    end, weight, first = 1, 1, {}
    for extent, stride in cute.coalesce(b).flat:
        first.setdefault(stride, (extent, weight))
        weight *= extent
    chain = []
    while first.get(end, (1, 0))[0] > 1:
        chain.append(first[end])
        end *= chain[-1][0]
    inverse = Layout(*map(tuple, zip(*chain, strict=True))) if chain else Layout(1, 0)
    try:
        [(extent, stride), *_] = cute.coalesce(cute.composition(a, inverse)).flat
    except LayoutError:
        return
    assert common.size >= (extent if stride == 1 else 1)


@given(any_layout)
def test_left_inverse(layout):
    try:
        inverse = cute.left_inverse(layout)
    except LayoutError:
        steps = sorted((d, s) for s, d in cute.coalesce(layout).flat if d)
        chain = [1, *(d * s for d, s in steps)]
        assert any(d < 0 for d, _ in steps) or any(
            d % before or d < run for (d, _), (before, _), run in zip(steps[1:], steps, chain[1:], strict=False)
        )
        return
    for i in range(layout.size):
        assert layout.extended(inverse.extended(layout(i))) == layout(i)
        back = inverse.extended(layout(i))
        assert layout(i) < 0 or back >= layout.size or inverse(layout(i)) == back


@pytest.mark.parametrize(
    ("text", "inverse"),
    [
        ("(4,2):(1,1)", "2:4"),
        ("(2,4):(1,1)", "4:2"),
        ("(2,2):(-1,-1)", "2:-2"),
        ("(6,2):(1,2)", "(2,2):(1,6)"),
        ("(6,2):(1@0,2@0)", "((2,2)):((1,6))"),
        ("(3,6,2):(1@1,1@0@0,2@0@0)", "(((2,2)),3):(((3,18)),1)"),
        ("(5,2,6):(2,2,8)", "(2,4,6):(0,1,10)"),
    ],
)
def test_left_inverses_of_modes_that_overlap(text, inverse):
    """The CuTe DSL's answers, but for (2,2):(-1,-1), which it refuses, and (5,2,6):(2,2,8), where its answer does not lead all back."""
    layout = cute.parse_layout(text)
    found = cute.left_inverse(layout)
    assert str(found) == inverse
    assert all(layout.extended(found.extended(layout(i))) == layout(i) for i in range(layout.size))


@pytest.mark.parametrize("text", ["(3,3):(4,2)", "(8,8):(3,1)", "(3,3):(4@1,2@1)"])
def test_no_left_inverse(text):
    with pytest.raises(NotInjective, match="lies inside the run"):
        cute.left_inverse(cute.parse_layout(text))


@pytest.mark.parametrize(("most", "is_found"), [(8, True), (7, False)])
def test_left_inverses_are_looked_at_up_to_a_size(most, is_found, monkeypatch):
    monkeypatch.setattr(import_module("tilelayout.cute.algebra.inverse"), "MOST_LED_BACK", most)
    layout = Layout((4, 2), (1, 1))
    if is_found:
        assert str(cute.left_inverse(layout)) == "2:4"
    else:
        with pytest.raises(NotInjective):
            cute.left_inverse(layout)


@given(flat_layouts(step=st.sampled_from([1, 1, 2, 2, 4, 8])), st.booleans())
def test_left_inverses_are_found_in_either_order_of_equal_strides(layout, leads_to_coordinates):
    """Refused is a layout only where neither the last mode of each stride nor the longest leads all offsets back."""
    steps, weight = [], 1
    for extent, stride in cute.coalesce(layout).flat:
        steps.append((stride, extent, weight))
        weight *= extent
    asked = Layout(layout.shape, tuple(d * cute.E(0) for d in layout.stride)) if leads_to_coordinates else layout
    try:
        cute.left_inverse(asked)
    except NotInjective:
        for ordered in (sorted(steps, key=lambda step: step[0]), sorted(steps)):
            gaps = [(b[0] // a[0], a[2]) for a, b in pairwise([(1, 1, 0), *ordered])]
            inverse = Layout(*map(tuple, zip(*gaps, ordered[-1][1:], strict=True)))
            assert any(layout.extended(inverse.extended(x)) != x for x in offsets(layout))


@given(any_layout)
def test_nullspace_leads_to_zero(layout):
    kernel = cute.nullspace(layout)
    assert {layout(i) for i in offsets(kernel)} == {0}
    assert kernel.size == prod(s for s, d in layout.flat if d == 0)
    assert len(set(offsets(kernel))) == kernel.size


@given(compact(3), compact(3))
def test_max_common_layout(a, b):
    common = cute.max_common_layout(a, b)
    assert [a.extended(i) for i in offsets(common)] == [b(i) for i in offsets(common)] == list(range(common.size))
    assert cute.max_common_vector(a, b) == common.size
    assert cute.max_common_vector(a, a) == a.size


@given(compact(3), compact(3), swizzles(), st.sampled_from((0, 0, 1, 4, 8, 24)), st.none() | swizzles())
def test_swizzled_layouts_have_runs_in_common(a, b, swizzle, offset, other):
    swizzled, b = ComposedLayout(swizzle, offset, a), ComposedLayout(other, 0, b) if other else b
    found = []
    for pair in ((swizzled, b), (b, swizzled)):
        vector = cute.max_common_vector(*pair)
        try:
            common = cute.max_common_layout(*pair)
        except LayoutError:  # so many of the elements are no layout
            assert cute.max_common_layout(*(getattr(x, "inner", x) for x in pair)).size > vector
            continue
        gone = [[x.extended(i) - x.extended(0) for i in offsets(common)] for x in pair]
        assert gone[0] == gone[1]
        assert (other, 0) == (swizzle, offset) or gone[0] == list(range(vector))  # those that are swizzled alike may both be out of order
        found.append(common)
    assert other or found[1:] == found[:1]  # the swizzled one comes first
    assert cute.max_common_vector(swizzled, swizzled) == a.size


def test_two_swizzles_leave_in_order_what_each_does():
    a, b = cute.parse("S<3,3,3> o 0 o (64,8):(1,64)"), cute.parse("S<1,4,3> o 0 o (64,8):(1,64)")
    assert str(cute.max_common_layout(a, b)) == str(cute.max_common_layout(b, a)) == "8:1"


@pytest.mark.parametrize(
    ("a", "b", "vector", "common"),
    [
        ("S<3,4,3> o 0 o (8,64):(64,1)", "(8,64):(64,1)", 16, "16:8"),
        ("(64,8):(8,1)", "S<2,3,-3> o 0 o (64,8):(8,1)", 8, "8:64"),
        ("S<1,2,3> o 0 o (2,4):(4,1)", "(2,4):(4,1)", 4, "4:2"),
        ("S<3,3,3> o 0 o (24,8):(1,24)", "(24,8):(1,24)", 8, "8:1"),
    ],
)
def test_swizzled_layouts_have_in_common_what_cutlass_says(a, b, vector, common):
    """CUTLASS's max_common_vector and max_common_layout (include/cute/swizzle_layout.hpp), executed."""
    a, b = cute.parse(a), cute.parse(b)
    assert (cute.max_common_vector(a, b), str(cute.max_common_layout(a, b))) == (vector, common)


@given(any_layout)
def test_filters_keep_the_offsets(layout):
    for keep in (cute.filter, cute.filter_zeros, cute.sort, cute.squeeze):
        assert set(offsets(keep(layout))) == set(offsets(layout))
    assert sorted(offsets(cute.sort(layout))) == sorted(offsets(layout))
    assert offsets(cute.squeeze(layout)) == offsets(layout)
    assert cute.filter(layout).size == prod(s for s, d in layout.flat if d)


@given(st.one_of(flat_layouts(), compact(), layouts(steps)), st.sampled_from([1, 2, 3, 4, 8]))
def test_recasts_cover_the_same_memory(layout, n):
    """Where no mode overlaps another within a wide element: CuTe takes them one by one."""
    values = set(offsets(layout))
    try:
        wide = cute.upcast(layout, n)
    except LayoutError:
        assert any(d % n and n % d for s, d in layout.flat if s > 1)
    else:
        assert stays_within(layout.flat, n) <= (set(offsets(wide)) == {value // n for value in values})
    units = sum(d == 1 for _, d in layout.flat)
    if units:
        narrow = cute.downcast(layout, n)
        assert (units == 1) <= (set(offsets(narrow)) == {value * n + part for value in values for part in range(n)})
        assert cute.upcast(narrow, n).size == layout.size


def stays_within(flat, n):
    """Whether strides below n add up to less than n, so that every wide element is where the others lead."""
    return sum((min(s, n // abs(d)) - 1) * abs(d) for s, d in flat if d and abs(d) < n) < n


@given(swizzles(), st.integers(0, 3), flat_layouts(3, st.sampled_from([0, 1, 2, 4, 8, 16, 32])), st.sampled_from([1, 2, 4]))
def test_recasts_of_swizzled_layouts(swizzle, offset, layout, n):
    composed = ComposedLayout(swizzle, offset * n, layout)
    try:
        wide = cute.upcast(composed, n)
    except LayoutError:
        assume(False)
    assume(stays_within(layout.flat, n))
    assert {wide(i) for i in range(wide.size)} == {composed(i) // n for i in range(composed.size)}


@given(compact(3), st.integers(-9, 9), flat_layouts(2, st.sampled_from([0, 1, 2, 4, -4])), st.sampled_from([2, 3, 4]))
@example(Layout((2, 3), (1, 4)), -3, Layout(6, 1), 2)
@example(Layout((4, 4), (1, 16)), -8, Layout(8, 1), 4)
def test_recasts_behind_a_layout(outer, offset, inner, n):
    composed = ComposedLayout(outer, offset, inner)
    values = set(offsets(composed))
    assume(stays_within(inner.flat, n) and sum(d == 1 for _, d in inner.flat) <= 1)
    with suppress(LayoutError):
        assert set(offsets(cute.downcast(composed, n))) == {value * n + part for value in values for part in range(n)}
    with suppress(LayoutError):
        assert set(offsets(cute.upcast(composed, n))) == {value // n for value in values}


@given(swizzles(), st.one_of(flat_layouts(3, st.sampled_from([0, 1, 2, 4, 8, 16, 32])), compact()))
def test_swizzles_behind_a_layout(swizzle, layout):
    result = cute.composition(layout, swizzle)
    assert [result(i) for i in range(layout.size)] == [layout.extended(swizzle(i)) for i in range(layout.size)]


@pytest.mark.parametrize("strides", [*permutations((1, 2, 4, 8))])
def test_a_swizzle_passes_bits_that_are_moved_alike(strides):
    """Where neighbours do not stay neighbours, or the two pairs are not moved alike, it stays behind the layout."""
    layout, swizzle = Layout((2, 2, 2, 2), strides), Swizzle(2, 0, 2)
    result = cute.composition(layout, swizzle)
    assert offsets(result) == [layout(swizzle(i)) for i in range(16)]
    assert isinstance(result.outer, Swizzle) == (strides in [(1, 2, 4, 8), (2, 1, 8, 4), (4, 8, 1, 2), (8, 4, 2, 1)])


@given(swizzles(), swizzles(), st.integers(0, 3), compact(), compact())
def test_compositions_of_swizzled_layouts(outer, inner, start, a, b):
    swizzled = ComposedLayout(inner, start, b)
    result = cute.composition(a, swizzled)
    assert offsets(result) == [a.extended(swizzled(i)) for i in range(b.size)]
    assert offsets(cute.composition(ComposedLayout(outer, 0, a), swizzled)) == [outer(offset) for offset in offsets(result)]
    assert offsets(cute.composition(outer, swizzled)) == [outer(offset) for offset in offsets(swizzled)]


@given(swizzles(), swizzles())
def test_swizzles_in_a_row(a, b):
    try:
        both = cute.composition(a, b)
    except LayoutError:
        assume(False)
    assert [both(x) for x in range(1 << 11)] == [a(b(x)) for x in range(1 << 11)]


@given(swizzles(), compact())
def test_inverses_of_swizzled_layouts(swizzle, layout):
    swizzled = ComposedLayout(swizzle, 0, layout)
    left = cute.left_inverse(swizzled)
    assert [left(offset) for offset in offsets(swizzled)] == list(range(layout.size))
    try:
        right = cute.right_inverse(swizzled)
    except LayoutError:
        assert any(swizzle(i) >= layout.size for i in range(layout.size))
        return
    assert [swizzled(right(i)) for i in range(right.size)] == list(range(layout.size))


@given(swizzles(), compact(3), st.sampled_from([2, 3, 4]))
def test_operations_on_the_domain_of_a_swizzled_layout(swizzle, layout, n):
    swizzled = ComposedLayout(swizzle, 0, layout)
    for operation in (cute.coalesce, lambda x: cute.logical_divide(x, n), lambda x: cute.zipped_divide(x, (n,)), cute.filter):
        try:
            expected = operation(layout)
        except LayoutError:
            with pytest.raises(LayoutError, match="no layout equals"):
                operation(swizzled)
        else:
            assert operation(swizzled) == ComposedLayout(swizzle, 0, expected)


@given(st.integers(1, 200), st.lists(st.integers(1, 12), min_size=1, max_size=4))
def test_domain_distribute_divides_evenly(count, shape):
    share = cute.domain_distribute(tuple(shape), count)
    assert share.size <= count
    assert count % share.size == 0
    assert cute.size(tuple(shape)) % share.size == 0
    values = offsets(share)
    assert values == sorted(set(values))
    everything = offsets(cute.make_layout(share, cute.complement(share, tuple(shape))))
    assert len(everything) == len(set(everything))


@given(compact(2), st.data())
def test_partitions_are_of_the_layout(layout, data):
    shape = cute.product_each(layout.shape)
    tiler = tuple(data.draw(st.sampled_from([n for n in range(1, s + 1) if s % n == 0])) for s in shape)
    tiles = [cute.local_tile(layout, tiler, place) for place in cute.coordinates(cute.ceil_div(shape, tiler))]
    assert sorted(start + offset for tile, start in tiles for offset in offsets(tile)) == sorted(offsets(layout))
    threads = Layout(tiler)
    parts = [cute.local_partition(layout, threads, k) for k in range(threads.size)]
    assert sorted(start + offset for part, start in parts for offset in offsets(part)) == sorted(offsets(layout))


@given(compact(2), compact(2))
def test_layouts_of_threads_and_values(threads, values):
    tile, layout = cute.make_layout_tv(threads, values)
    assert sorted(offsets(layout)) == list(range(cute.size(tile)))
    assert cute.product_each(layout.shape) == (threads.size, values.size)


@given(layouts(st.integers(0, 4)), layouts(st.integers(0, 4)))
def test_threads_and_values_fill_their_tile_or_are_refused(threads, values):
    try:
        tile, layout = cute.make_layout_tv(threads, values)
    except LayoutError:
        return
    assert sorted(offsets(layout)) == list(range(cute.size(tile)))


@given(st.lists(st.tuples(extents, st.integers(1, 4)), min_size=1, max_size=3), compact(3))
def test_tiler_to_layout_tiles_as_the_tiler(pairs, a):
    tiler = tuple(Layout(s, d) for s, d in pairs[: a.rank])
    by_mode = cute.composition(a, tiler)
    as_layout = cute.composition(a, cute.tiler_to_layout(tiler))
    assert offsets(by_mode) == offsets(as_layout)
