"""What the algebra refuses, in which words, and how it takes what is large, broadcast, backwards or a coordinate."""

import re
import time
from contextlib import nullcontext
from itertools import permutations, product

import numpy as np
import pytest

from cute_search import without_kernel
from tilelayout import LayoutError, NotInjective, ShapeError, cute
from tilelayout.cute import ComposedLayout, E, Layout, Swizzle
from tilelayout.cute.algebra import exact, modes
from tilelayout.cute.algebra.composing import composed
from tilelayout.cute.algebra.swizzled import after_swizzle
from tilelayout.cute.nesting import MOST_NESTED

parse = cute.parse


def offsets(layout):
    return [layout(i) for i in range(layout.size)]


@pytest.mark.parametrize(
    ("a", "b", "coordinate", "told"),
    [
        # CUTLASS answers (2,3):(6,3), which is 3 at 2 (github.com/NVIDIA/cutlass/issues/3177)
        ("(4,6,8):(2,3,5)", "6:3", 3, "call for 13, and A(B(c)) is 8"),
        ("(8,(7,4)):(1,(32,8))", "(4,8):(1,5)", 7, "call for 8, and A(B(c)) is 32"),
        # pycute answers 6:1 and 7:4, which are too small
        ("(6,4):(1,10)", "8:1", 6, "one run of 6, which does not divide 8"),
        ("(7,12):(4,1)", "12:1", 7, "one run of 7, which does not divide 12"),
        # three implementations of four agree on one wrong answer
        ("((8),(7),4):((1),(32),8)", "((2),(4,2)):((7),(4,16))", 3, "call for 11, and A(B(c)) is 35"),
    ],
)
def test_compositions_that_do_not_exist(a, b, coordinate, told):
    with pytest.raises(LayoutError, match=f"at c = {coordinate} .*{re.escape(told)}"):
        cute.composition(parse(a), parse(b))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("(5,4,9):(1,45,5)", "3:2", "3:2"),
        ("((16),9):((0),16)", "2:3", "2:0"),
        ("(16,4):(6,24)", "(3,1):(1,3)", "(3,1):(6,24)"),
        ("(8,8):(8,1)", "2:3", "2:24"),
        ("(16,7):(59,24)", "6:6", "(3,2):(354,142)"),
        ("(4,(2,16)):(2,(1,8))", "(6,(7,1)):(20,(0,1))", "((2,3),(7,1)):((17,40),(0,8))"),
        ("(4,3):(3,1)", "8:1", "(4,2):(3,1)"),
        ("(4,3,1):(3,1,0)", "24:1", "(4,3,2):(3,1,0)"),
        ("4:1", "24:1", "24:1"),
    ],
)
def test_compositions_that_others_refuse_or_cut_short(a, b, expected):
    assert str(cute.composition(parse(a), parse(b))) == expected


def test_size_does_not_matter_where_strides_divide():
    begin = time.process_time()
    a = Layout((2**30, 2**20), (2**20, 1))
    assert str(cute.composition(a, Layout((2**20, 2**15), (2**10, 2**30)))) == "(1048576,32768):(1073741824,1)"
    assert str(cute.composition(a, Layout(2**31, 2**10))) == "(1048576,2048):(1073741824,1)"
    assert cute.zipped_divide(a, (2**10, 2**5)).size == 2**50
    assert cute.complement(Layout(2**10, 2**20), 2**60).size == 2**50
    assert time.process_time() - begin < 0.1


def test_a_long_composition_that_cannot_be_is_refused_soon():
    begin = time.process_time()
    with pytest.raises(LayoutError, match="at c = 513 "):
        cute.composition(Layout((2**30, 2**20), (3, 1)), Layout(2**30, 2**29 + 2**20))
    with pytest.raises(LayoutError, match="one run of 5592406, which does not divide 16777216"):
        cute.composition(Layout((2**24 + 1, 2), (1, 7)), Layout(2**24, 3))
    with pytest.raises(LayoutError, match=f"at c = {2**31 + 1} "):
        cute.composition(Layout((4, 2**40), (2, 1)), Layout((2, 2**30, 2), (1, 0, 3)))
    assert time.process_time() - begin < 0.1


def test_the_bound_of_the_search_is_told():
    # steps of just more than half a mode, so that two and two of them fall into each round, and for very long
    with pytest.raises(LayoutError, match=rf"of \({2**30},{2**20}\):\(3,1\), .* a search of more than {exact.MOST_SEARCHED} coordinates"):
        cute.composition(Layout((2**30, 2**20), (3, 1)), Layout(2**30, 2**29 + 1))
    # two leaves that meet only beyond the bound
    half = exact.MOST_SEARCHED
    with pytest.raises(LayoutError, match=f"a search of more than {exact.MOST_SEARCHED} coordinates"):
        cute.composition(Layout((4 * half, 2), (1, 9)), Layout((3 * half, 2 * half), (1, 1)))


def test_offsets_beyond_64_bits():
    with pytest.raises(ShapeError, match="64-bit"):
        cute.composition(Layout((4, 4), (1, 2**61)), Layout(3, 8))
    with pytest.raises(LayoutError, match="no layout equals"):
        cute.composition(Layout((4, 4), (2**61, 1)), Layout(9, 3))
    with pytest.raises(ShapeError, match="64-bit"):
        cute.logical_product(Layout(2**40), Layout(2**40))
    with pytest.raises(ShapeError, match="64-bit"):
        cute.downcast(Layout(2**40), 2**40)


def test_offsets_are_numbers_of_64_bits_up_to_the_last_that_fits():
    assert modes.kind_for(((3, 2**62 - 1), (2, 1)), 2) is np.int64
    assert modes.kind_for(((3, 2**62), (2, 1)), 2) is object


def test_searching_among_numbers_beyond_64_bits():
    wide = Layout((3, 2), (2**61, 2**61 - 1))
    assert str(cute.composition(wide, Layout(2, 4))) == f"2:{2**62 - 1}"
    with pytest.raises(LayoutError, match=f"call for {3 * 2**61}, and A.B.c.. is {2**61 - 1};"):
        cute.composition(wide, Layout((3, 2, 2), (1, 2, 0)))


def test_backwards():
    """Past zero ``A(-i)`` is ``-A(i)``, as in C (test/unit/cute/core/composition.cpp)."""
    assert str(cute.composition(Layout(4), Layout(4, -1))) == "4:-1"
    assert str(cute.composition(parse("(1,(2,4)):(0,(-1,512))"), Layout(4, -1))) == "(2,2):(1,-512)"
    # forwards in one leaf and backwards in another: B(1, 1) is 3, where A is not the sum of A(4) and A(-1)
    with pytest.raises(LayoutError, match="at c = 3 "):
        cute.composition(Layout((4, 3), (10, 1)), Layout((2, 2), (-1, 4)))
    assert str(cute.composition(Layout((4, 3), (10, 1)), Layout((2, 2), (-1, 2)))) == "(2,2):(-10,20)"
    assert str(cute.coalesce(Layout((2, 3), (-1, -2)))) == "6:-1"
    assert str(cute.left_inverse(Layout((2, 3), (-1, -2)))) == "6:-1"
    with pytest.raises(NotInjective, match="positive"):
        cute.complement(Layout(4, -1), 8)
    with pytest.raises(LayoutError, match="stride -1"):
        cute.left_inverse(Layout((4, 2), (-1, 4)))


def test_complements_that_do_not_exist():
    for overlapping in ("(3,3):(1,2)", "(12,8):(20,9)", "(2,2):(1,1)", "(4,2):(1,3)"):
        with pytest.raises(NotInjective, match="begins inside a run"):
            cute.complement(parse(overlapping), 1000)
    assert str(cute.complement(Layout((2, 2), (1, 3)), 12)) == "2:6"
    assert str(cute.complement(Layout((4, 8), (9, 1)), 36)) == "1:0"
    assert str(cute.complement(Layout(3, 0), 6)) == "6:1"
    assert str(cute.complement(Layout(4, 2))) == "2:1"


def test_divisions_that_leave_elements_out_are_refused():
    with pytest.raises(LayoutError, match="leave out element 2 of 24:1"):
        cute.logical_divide(Layout(24), Layout((2, 2), (1, 3)))
    # the hole lies beyond the layout
    assert str(cute.logical_divide(Layout(6), Layout((2, 2), (1, 7)))) == "((2,2),3):((1,7),2)"
    with pytest.raises(LayoutError, match="expects rank"):
        cute.zipped_divide(Layout(24), (4, 6))
    with pytest.raises(LayoutError, match="no layout equals"):
        cute.logical_divide(Layout((12, 32), (1, 128)), Layout((4, 8), (1, 4)))


def test_tiles_that_do_not_divide_round_up():
    assert str(cute.logical_divide(Layout(10), 3)) == "(3,4):(1,3)"
    assert str(cute.logical_divide(parse("(7,3):(9,1)"), Layout(4))) == "(4,(2,3)):(9,(36,1))"
    assert str(cute.logical_divide(parse("(8,2,10):(1,8,16)"), Layout(12))) == "(12,14):(1,12)"
    assert str(cute.logical_divide(parse("(16,1):(9,3)"), (3, 4))) == "((3,6),(4,1)):((9,27),(3,0))"


def test_tilers():
    layout = Layout((4, 8), (8, 1))
    assert cute.composition(layout, None) == layout
    assert cute.composition(layout, (2, None)) == Layout((2, 8), (8, 1))
    assert cute.composition(layout, [2]) == Layout((2,), (8,))
    assert cute.composition(layout, 4) == Layout(4, 8)
    assert cute.logical_divide(layout, (None, 2)) == Layout((4, (2, 4)), (8, (1, 2)))
    kept = cute.zipped_divide(Layout(((2, 2), 8)), (None, 2))
    assert str(kept) == "((2,2),(2,4)):((1,4),(2,8))"
    for wrong in (2.5, "2", (2, "2"), ComposedLayout(Swizzle(1, 0, 1), 0, Layout(2))):
        with pytest.raises(LayoutError, match=r"is no integer|a tiler holds plain layouts"):
            cute.logical_divide(layout, wrong)
    for wrong in (0, -2, (0,), (4, 0), (1, 2, 3)):
        with pytest.raises(LayoutError, match=r"holds integers of at least 1|expects rank\(tiler\)"):
            cute.composition(layout, wrong)
    with pytest.raises(LayoutError, match="4 is no pair of modes"):
        cute.zipped_divide(layout, (None, 2))


@pytest.mark.parametrize(
    "operation",
    [
        *(cute.coalesce, cute.complement, cute.filter, cute.filter_zeros, cute.sort, cute.squeeze, cute.nullspace),
        *(cute.left_inverse, cute.right_inverse),
        *(lambda x, f=f: f(x, 2) for f in (cute.upcast, cute.downcast, cute.logical_divide, cute.zipped_divide, cute.tiled_divide)),
        *(lambda x, f=f: f(x, Layout(2)) for f in (cute.composition, cute.logical_product, cute.blocked_product, cute.raked_product)),
        *(lambda x, f=f: f(Layout(2), x) for f in (cute.blocked_product, cute.raked_product, cute.max_common_layout)),
        lambda x: cute.max_common_vector(x, Layout(2)),
        lambda x: cute.tile_to_shape(x, (4, 4)),
        lambda x: cute.recast_layout(8, 16, x),
        lambda x: cute.local_tile(x, (2,), 0),
        lambda x: cute.local_partition(x, Layout(2), 0),
        lambda x: cute.make_layout_tv(x, Layout(2)),
    ],
)
def test_what_is_no_layout_is_refused(operation):
    for value in ((4, 8), 4, None, "4:1", 4.0):
        with pytest.raises(LayoutError, match="is no layout of CuTe"):
            operation(value)


def test_a_text_is_to_be_read_first():
    with pytest.raises(LayoutError, match=r"'4:1' is no layout of CuTe; this takes one, such as .*cute\.parse\("):
        cute.coalesce("4:1")


def test_profiles_and_paths():
    layout = Layout((4, (2, 3)), (1, (4, 8)))
    with pytest.raises(LayoutError, match=r"target_profile rank \(3\) to not exceed the layout rank \(2\)"):
        cute.coalesce(layout, (1, 1, 1))
    with pytest.raises(LayoutError, match=r"at mode path \[0\]"):
        cute.coalesce(layout, ((1, 1), 1))
    assert cute.coalesce(layout, (None, 1)) == Layout((4, 6), (1, 4))
    assert cute.coalesce(layout, None) == layout
    assert cute.coalesce(Layout(((2, 2), (2, (2, 2)))), mode=(1, 1)) == Layout(((2, 2), (2, 4)), ((1, 2), (4, 8)))
    for mode in (2, -1, (1, 5), (0, 0, 1)):
        with pytest.raises(LayoutError, match=r"expects a mode index|goes past the leaf 4"):
            cute.coalesce(layout, mode=mode)


def test_inverses_that_do_not_exist():
    with pytest.raises(NotInjective, match="lies inside the run 4:1"):
        cute.left_inverse(parse("((4),2,3):((1),3,12)"))
    with pytest.raises(LayoutError, match="no multiple of"):
        cute.left_inverse(parse("(8,4,2):(13,2,1)"))
    with pytest.raises(LayoutError, match="no inverse"):
        cute.right_inverse(parse("(4,5):(1,4) o 2 o (2,3):(1,2)"))
    with pytest.raises(LayoutError, match="leads out"):
        cute.right_inverse(ComposedLayout(Swizzle(1, 0, -2), 0, Layout(3)))


def test_recasts_that_are_not_exact():
    with pytest.raises(LayoutError, match="stride 3"):
        cute.upcast(Layout((4, 2), (1, 3)), 2)
    with pytest.raises(LayoutError, match="stride 1"):
        cute.downcast(Layout(4, 2), 2)
    with pytest.raises(LayoutError, match="power of 2"):
        cute.upcast(ComposedLayout(Swizzle(2, 3, 3), 0, Layout(12)), 3)
    with pytest.raises(LayoutError, match="inside a wide one"):
        cute.upcast(ComposedLayout(Swizzle(2, 0, 3), 0, Layout(16)), 2)
    with pytest.raises(LayoutError, match="offset 3"):
        cute.upcast(ComposedLayout(Swizzle(2, 4, 3), 3, Layout(16)), 2)
    with pytest.raises(LayoutError, match="2 has to divide the strides of the others"):
        cute.upcast(parse("(4,1):(1,1) o 0 o 16:1"), 2)
    for bits in ((0, 8), (8, -4)):
        with pytest.raises(LayoutError, match="to be positive"):
            cute.recast_layout(*bits, Layout(8))


@pytest.mark.parametrize(
    ("bits", "text", "recast"),
    [
        ((8, 8), "(4,3):(12,1) o 0 o (4,8):(8,4)", "(4,3):(12,1) o 0 o (4,8):(8,4)"),
        ((8, 8), "(4,2):(1,4) o (0,3) o 4:1@0", "(4,2):(1,4) o (0,3) o 4:1@0"),
        ((6, 6), "S<3,0,3> o 1 o 9:1", "S<3,0,3> o 1 o 9:1"),
        ((8, 8), "(4,2):(1@0,1@1)", "(4,2):(1@0,1@1)"),
        ((16, 8), "9:1 o 0 o (8,2):(1,8)", "5:1 o 0 o (4,2):(1,4)"),
        ((32, 8), "(4,3):(1,4) o 8 o (8,2):(1,8)", "(1,3):(1,1) o 2 o (2,2):(1,2)"),
    ],
)
def test_recasts_of_composed_layouts(bits, text, recast):
    """By 1 nothing changes, and a last mode has no end that might lie within a wide element; the CuTe DSL answers alike."""
    layout, wide = parse(text), cute.recast_layout(*bits, parse(text))
    assert str(wide) == recast
    if wide != layout:
        factor = bits[0] // bits[1]
        assert set(offsets(wide)) == {offset // factor for offset in offsets(layout)}


@pytest.mark.parametrize("recast", [cute.upcast, cute.downcast])
def test_only_layouts_are_recast_by_1(recast):
    for value in ("8:1", (4, 8), None):
        with pytest.raises(LayoutError, match="is no layout"):
            recast(value, 1)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(
    ("operation", "arguments", "divided"),
    [
        (cute.tiled_divide, ("(4,12):(4,24)", "3:1"), "(3,24):(4,12)"),
        (cute.flat_divide, ("(4,12):(4,24)", "3:1"), "(3,24):(4,12)"),
        (cute.logical_divide, ("(7,4):(3,24)", "2:1"), "(2,16):(3,6)"),
        (cute.logical_divide, ("(7,4,5):(3,24,96)", "2:1"), "(2,80):(3,6)"),
        (cute.logical_divide, ("(7,3):(9,1)", "4:1"), "(4,(2,3)):(9,(36,1))"),
        (cute.tiled_divide, ("((4,12),5):((4,24),1000)", "[3:1;2:1]"), "((3,2),24,3):((4,1000),12,2000)"),
        (cute.logical_divide, ("(4,12):(4@0,24@0)", "3:1"), "(3,24):(4@0,12@0)"),
    ],
)
def test_modes_in_whole_tiles_are_joined(compiled, operation, arguments, divided, monkeypatch):
    """A mode made longer may end where the next begins: the CuTe DSL joins the two, which is the same function."""
    if not compiled:
        without_kernel(monkeypatch)
    assert str(operation(*map(parse, arguments))) == divided


def test_coordinates_in_the_algebra():
    """Basis strides on either side (test/unit/cute/core/composition.cpp and the dialect's tests)."""
    a = Layout((4, (2, 3)), (6, (3, 1)))
    assert cute.composition(a, Layout((2, 4), (E(1, 1), E(0)))) == Layout((2, 4), (1, 6))
    assert cute.composition(a, cute.make_identity_layout((4, 6))) == Layout((4, (2, 3)), (6, (3, 1)))
    identity = cute.make_identity_layout((12, 8))
    tile = cute.composition(identity, (Layout(3, 4), 8))
    assert str(tile) == "(3,8):(4@0,1@1)"
    assert str(cute.composition(Layout((16, 7), (59 * E(0), 24 * E(0))), Layout(6, 6))) == "(3,2):(354@0,142@0)"
    with pytest.raises(LayoutError, match=r"1@0 \+ 1@1"):
        cute.composition(Layout((2, 2), (E(0), E(1))), Layout(2, 3))
    with pytest.raises(LayoutError, match="at c = 4 "):
        cute.composition(a, Layout((2, 3), (0, 3 * E(1))))
    with pytest.raises(LayoutError, match=r"at mode path|mode index"):
        cute.composition(a, Layout((2, 4), (E(1, 1), E(5))))
    with pytest.raises(LayoutError, match="integer-only"):
        cute.logical_product(Layout((4, 3)), cute.make_identity_layout((2, 5)))
    with pytest.raises(LayoutError, match="non-integer"):
        cute.complement(identity, 24)
    assert cute.right_inverse(identity) == cute.left_inverse(identity) == Layout((12, 8))


def test_swizzles():
    row_major = Layout((8, 8), (8, 1))
    assert cute.composition(row_major, Swizzle(2, 0, -3)) == ComposedLayout(Swizzle(2, 0, 3), 0, row_major)
    assert cute.composition(Swizzle(3, 0, 3), row_major) == ComposedLayout(Swizzle(3, 0, 3), 0, row_major)
    with pytest.raises(LayoutError, match="is no swizzle"):
        cute.composition(Swizzle(2, 0, 3), Swizzle(2, 0, 4))
    odd = cute.composition(Layout((3, 5), (5, 1)), Swizzle(1, 0, 1))
    assert isinstance(odd, ComposedLayout)
    assert isinstance(odd.outer, Layout)


def test_tile_to_shape_refuses_orders_that_are_none():
    block = Layout((128, 128), (128, 1))
    for order, told in (((0, 0), "permutation"), ((1, 2), "permutation"), ((0, 1, 2), "order rank"), (1, "order rank")):
        with pytest.raises(LayoutError, match=told):
            cute.tile_to_shape(block, (1024, 512), order)
    with pytest.raises(LayoutError, match="block layout rank"):
        cute.tile_to_shape(block, 1024)


def test_partitions_refuse():
    layout = Layout((8, 6))
    for place in ((2, 0), (0, 2), 4, -1, (0, 0, 0)):
        with pytest.raises(LayoutError, match=r"is outside shape|does not fit shape"):
            cute.local_tile(layout, (4, 3), place)
    for thread in (6, -1):
        with pytest.raises(LayoutError, match="cannot take offset"):
            cute.local_partition(layout, Layout((2, 3)), thread)
    with pytest.raises(LayoutError, match="1 or more"):
        cute.domain_distribute((4, 4), 0)
    with pytest.raises(LayoutError, match="None keeps a mode"):
        cute.tiler_to_layout((4, None))


def test_after_the_empty_layout_only_zeros_are_left():
    assert cute.composition(Layout(()), Layout((1, 3), (5, 0))) == Layout((1, 3), (0, 0))
    with pytest.raises(LayoutError, match="has the one coordinate 0"):
        cute.composition(Layout(()), Layout(2, 5))


def test_a_swizzle_of_no_bits_changes_no_other():
    none, some = Swizzle(0, 4, 2), Swizzle(2, 0, 3)
    assert cute.composition(none, some) == cute.composition(some, none) == some


@pytest.mark.parametrize("layout", [Layout((3, 4), (4, 1)), Layout((6, 4), (1, 8)), Layout((4, 4), (-4, 1)), Layout((2, 2, 2), (4, 2, 6))])
def test_a_swizzle_passes_no_layout_but_those_that_move_bits(layout):
    swizzle = Swizzle(1, 0, 1)
    found = cute.composition(layout, swizzle)
    assert [found(i) for i in range(layout.size)] == [layout(swizzle(i)) for i in range(layout.size)]


@pytest.mark.parametrize("text", ["(2,6,1):(1,8,2)", "(2,6,1):(2,8,12)", "(4,6,1):(1,8,4)"])
def test_a_last_mode_of_extent_1_goes_on_in_its_own_way(text):
    """Be it where another mode ends, or where its stride times another's extent would be."""
    layout = parse(text)
    for stride in (n for n in (1, 2, 12, 24) if layout.size % n == 0):
        assert offsets(cute.composition(layout, Layout(2, stride))) == [0, layout.extended(stride)]


@pytest.mark.parametrize("flat", [((4, 3), (3, 1)), ((2, 1), (3, -4), (1, 5)), ((1, 0),), ((5, 2),)])
def test_offsets_of_many_are_those_of_each_on_both_sides_of_0(flat):
    around = np.arange(-30, 31)
    each = [modes.offset(flat, index) for index in around.tolist()]
    assert modes.offsets(flat, around).tolist() == each
    assert each == [-value for value in reversed(each)]


def test_every_mode_counts_towards_64_bits():
    assert modes.kind_for(((2, 1), (4, 2**62), (2, 1)), 15) is object
    assert modes.kind_for(((2, 1), (4, 2**61), (2, 1)), 15) is np.int64


@pytest.mark.parametrize("invert", [cute.right_inverse, cute.left_inverse])
@pytest.mark.parametrize(
    "composed", [ComposedLayout(Swizzle(1, 0, 2), 4, Layout(8, 1)), ComposedLayout(Layout(8, 2), 0, Layout(8, 1))], ids=str
)
def test_of_composed_layouts_only_a_swizzle_without_an_offset_is_inverted(invert, composed):
    with pytest.raises(LayoutError, match="has no inverse here"):
        invert(composed)


def test_inverses_where_some_modes_are_nothing():
    assert str(cute.right_inverse(Layout(4, E(1)))) == "(1,4):(0,1)"
    assert str(cute.nullspace(Layout((1, 7, 16), (0, 1, 0)))) == "(1,16):(0,7)"
    with pytest.raises(LayoutError, match=r"stride -1 goes backwards; sorted, the strides have to be positive"):
        cute.left_inverse(Layout((2, 2), (-1, 4)))


def test_steps_of_0_beside_steps_through_modes():
    assert str(cute.composition(Layout((4, 6), (6, 1)), Layout((4, 3, 2), (E(0), 0, E(1))))) == "(4,3,2):(6,0,1)"


def test_a_mode_within_a_mode_is_coalesced_alone():
    layout = parse("((2,(2,2)),((2,2),4)):((1,(16,32)),((2,4),8))")
    assert str(cute.coalesce(layout, mode=(0, 1))) == "((2,4),((2,2),4)):((1,16),((2,4),8))"
    assert str(cute.coalesce(layout, mode=(1, 0))) == "((2,(2,2)),(4,4)):((1,(16,32)),(2,8))"


def test_runs_behind_other_modes_are_refused_without_a_search():
    with pytest.raises(LayoutError, match=f"one run of 7, which does not divide {2**30}"):
        cute.composition(Layout((4, 7, 2**40), (1, 5, 100)), Layout(2**30, 4))


SWIZZLES = [Swizzle(1, 0, 1), Swizzle(1, 0, -1), Swizzle(2, 0, 2), Swizzle(2, 0, -2), Swizzle(1, 1, 2), Swizzle(2, 1, 2), Swizzle(1, 0, -3)]
PASSED = [
    *(Layout((2, 2, 2, 2), strides) for strides in permutations([1, 2, 4, 8])),
    *(Layout((4, 4), strides) for strides in [(4, 1), (1, 8), (8, 2), (2, 1), (1, 1), (0, 1), (1, 0), (-1, 4), (4, -1), (3, 16)]),
    *(Layout((2, 2, 2), strides) for strides in [(1, 2, 3), (1, 4, 6), (2, 8, 1), (16, 1, 4)]),
    *(Layout(shape, strides) for shape in [(3, 4), (4, 3), (2, 3, 2)] for strides in [(1, 8, 16)[: len(shape)], (16, 4, 1)[: len(shape)]]),
    *(Layout(4, stride) for stride in (1, 2, 3, -1)),
]


@pytest.mark.parametrize("swizzle", SWIZZLES, ids=str)
def test_every_small_layout_behind_a_swizzle(swizzle):
    passed = 0
    for layout in PASSED:
        found = cute.composition(layout, swizzle)
        passed += isinstance(found.outer, Swizzle)
        for x in range(layout.size):
            assert found(x) == layout.extended(swizzle(x)), (layout, x)
    assert 4 <= passed < len(PASSED)


def test_partitions_of_fewer_modes():
    layout = Layout((8, 6))
    assert [*map(str, cute.local_tile(layout, (4,), (1, 2)))] == ["(4):(1)", "20"]
    assert [*map(str, cute.local_tile(layout, (4,), (1,)))] == ["(4,6):(1,8)", "4"]
    assert [*map(str, cute.local_tile(layout, (4,), (None,)))] == ["(4,2,6):(1,4,8)", "0"]
    assert [*map(str, cute.local_partition(Layout((8, 6, 5)), Layout((2, 3), (3, 1)), 4))] == ["(4,2,5):(2,24,48)", "9"]
    assert [*map(str, cute.local_partition(Layout((8, 6, 5)), Layout(4), 3))] == ["(2,6,5):(4,8,48)", "3"]


@pytest.mark.parametrize("text", ["(1,4):(1,1)", "2:3", "4:-1"])
def test_elements_of_the_same_width(text):
    assert cute.downcast(parse(text), 1) == cute.upcast(parse(text), 1) == parse(text)


def test_narrow_elements_of_what_is_swizzled_from_an_offset_on():
    wide = ComposedLayout(Swizzle(1, 3, 1), 24, Layout(32))
    narrow = cute.downcast(wide, 2)
    assert [narrow(i) for i in range(64)] == [2 * wide(i // 2) + i % 2 for i in range(64)]


def test_bits_that_a_layout_turns_round_are_not_folded_by_one_swizzle():
    """Where only one half is turned: the middle one of three bits still meets its own."""
    for strides, is_one in (((1, 2, 4, 8, 16, 32), True), ((4, 2, 1, 8, 16, 32), False), ((4, 2, 1, 32, 16, 8), True)):
        layout, swizzle = Layout((2,) * 6, strides), Swizzle(3, 0, 3)
        found = cute.composition(layout, swizzle)
        assert isinstance(found.outer, Swizzle) is is_one
        assert offsets(found) == [layout(swizzle(x)) for x in range(64)]


def test_swizzles_pass_where_bits_just_move_and_only_there():
    extents, strides = (2, 3, 4), (-1, 0, 1, 2, 4, 7)
    for shape in product(extents, repeat=3):
        for stride in product(strides, repeat=3):
            layout = Layout(shape, stride)
            for swizzle in (Swizzle(1, 0, 1), Swizzle(1, 0, 2), Swizzle(1, 1, 1)):
                passed = after_swizzle(layout, swizzle, layout.size)
                if passed is not None:
                    assert [passed(layout(i)) for i in range(layout.size)] == [layout.extended(swizzle(i)) for i in range(layout.size)]


def test_swizzles_pass_what_is_broadcast_but_no_turned_bits():
    assert str(cute.composition(Layout((8, 8, 2), (8, 1, 0)), Swizzle(2, 0, -3))) == "S<2,0,3> o 0 o (8,8,2):(8,1,0)"
    assert after_swizzle(Layout((2, 2, 2, 8), (4, 2, 1, 8)), Swizzle(3, 0, 3), 64) is None
    assert after_swizzle(Layout((4, 4), (1, 1)), Swizzle(1, 0, 1), 5) is None


def test_a_layout_alone_is_its_own_tiler():
    assert cute.tiler_to_layout(Layout(4, 2)) == Layout(4, 2)
    assert str(cute.tiler_to_layout((Layout((4, 2), (E(0), 0)), 3))) == "((4,2),3):((1@0@0,0),1@1)"


@pytest.mark.parametrize(
    ("layout", "n", "wide"),
    [
        (Layout(8, 2), 4, "4:1"),
        (Layout(8, -1), 2, "4:-1"),
        (Layout((4, 4), (1, 1)), 2, "(2,2):(1,1)"),
        (Layout((1, 8), (-3, -4)), 2, "(1,8):(-2,-2)"),
        (Layout((1, 8), (3, 1)), 2, "(1,4):(2,1)"),
        (ComposedLayout(Layout((8, 4), (1, 16)), 0, Layout((8, 4), (1, 8))), 4, "(2,4):(1,4) o 0 o (2,4):(1,2)"),
        (ComposedLayout(Swizzle(0, 0, 0), 0, Layout(8)), 4, "S<0,0,0> o 0 o 2:1"),
        (ComposedLayout(Swizzle(1, 2, 3), 0, Layout(64)), 4, "S<1,0,3> o 0 o 16:1"),
    ],
)
def test_upcasts(layout, n, wide):
    assert str(cute.upcast(layout, n)) == wide


@pytest.mark.parametrize(
    ("layout", "n", "narrow"),
    [
        (Layout((2, 4), (1, 1)), 2, "(4,8):(1,1)"),
        (Layout((1, 8), (1, 1)), 2, "(2,16):(1,1)"),
        (Layout((2, 4), (1, -1)), 2, "(4,8):(1,-1)"),
        (ComposedLayout(Layout((8, 4), (1, 16)), 0, Layout((8, 4), (1, 8))), 4, "(32,4):(1,64) o 0 o (32,4):(1,32)"),
    ],
)
def test_downcasts(layout, n, narrow):
    assert str(cute.downcast(layout, n)) == narrow


@pytest.mark.parametrize(
    ("layout", "told"),
    [
        (Layout(8, -3), "stride -3 has to be a multiple of 2, or a divisor of it"),
        (ComposedLayout(Layout((8, 4), (2, 32)), 0, Layout((8, 4))), "its first mode has to be of stride 1 and an extent that 2 divides"),
        (ComposedLayout(Layout((5, 4), (1, 32)), 0, Layout((4, 4))), "its first mode has to be of stride 1 and an extent that 2 divides"),
    ],
)
def test_no_upcast(layout, told):
    with pytest.raises(LayoutError, match=re.escape(told)):
        cute.upcast(layout, 2)


@pytest.mark.parametrize(
    ("layout", "below"),
    [
        ("(2,3):(1,4) o 0 o 6:1", False),
        ("(2,3):(1,4) o -1 o 6:1", True),
        ("(2,3):(1,4) o 4 o (2,3):(1,-2)", False),
        ("(2,3):(1,4) o 3 o (2,3):(1,-2)", True),
        ("8:1 o -3 o 6:1", False),
        ("(2,3):(1,4) o 0 o S<1,0,1> o 0 o 4:1", False),
        ("(2,3):(1,4) o -1 o S<1,0,1> o 0 o 4:1", True),
        ("(2,3):(1,4) o 0 o (2,2):(1,3) o 0 o 4:1", False),
        ("(2,3):(1,4) o -1 o (2,2):(1,3) o 0 o 4:1", True),
        ("(2,3):(1,4) o 0 o (2,2):(1,-3) o 0 o 4:1", True),
        ("(2,3):(1,4) o 0 o 4:1 o -1 o 4:1", True),
    ],
)
def test_no_recast_behind_a_layout_below_0(layout, below):
    """At -2 stands -4 in ``(2,3):(1,4)``, at -1 stands -1: the two halves of either would lie at -8, -7 and -2, -1, and do not."""
    told = pytest.raises(LayoutError, match="goes below 0; it has to be 0 or more") if below else nullcontext()
    with told:
        cute.downcast(parse(layout), 2)


def test_coordinates_walk_backwards_in_the_algebra():
    layout = Layout((4, (3, 2)), (-2 * E(0), (E(1), -3 * E(1))))
    assert str(cute.coalesce(layout)) == "(4,3,2):(-2@0,1@1,-3@1)"


def test_layouts_with_nothing_in_common():
    searched = Layout((16, 7), (59, 24)), Layout((6, 9), (9, 1))
    assert str(cute.max_common_layout(*searched)) == "1:0"


@pytest.mark.parametrize("operation", [cute.coalesce, cute.composition])
def test_tuples_may_be_nested_as_deep_as_layouts_and_no_deeper(operation):
    profile = 1
    for _ in range(MOST_NESTED):
        profile = (profile,)
    operation(Layout(4), profile)
    for deeper in (1, 5000):
        for _ in range(deeper):
            profile = (profile,)
        with pytest.raises(LayoutError, match=f"more than {MOST_NESTED} deep"):
            operation(Layout(4), profile)


def test_leaves_of_both_signs_in_one_mode_need_no_search():
    b = (2**12, 1), (2**12, -(2**12))
    assert composed(((2**30, 1),), b) == tuple((mode,) for mode in b)


def test_open_modes_are_the_same_function_of_every_integer_and_odd():
    pairs = [*product((1, 2, 3), (0, 1, 2, 6, 12))]
    for flat in product(pairs, repeat=3):
        kept = modes.coalesced_open(flat)
        values = [modes.offset(flat, i) for i in range(-20, 40)]
        assert [modes.offset(kept, i) for i in range(-20, 40)] == values
        assert values[:20] == [-value for value in values[40:20:-1]]
    assert modes.coalesced_open(((2, 1), (6, 8), (1, 48))) == ((2, 1), (6, 8))


def test_64_bits_are_taken_as_far_as_they_go():
    assert modes.kind_for(((2, 2**63 - 1),), 1) is np.int64
    assert modes.kind_for(((8, 2**60),), 7) is np.int64
    assert modes.kind_for(((8, 2**60),), 7, 2) is object
    found, _ = exact.searched(((16, 59), (7, 3 << 60)), 9, 6)
    assert (found.failure.place, found.failure.offsets) == (8, (2 * (118 + (3 << 60)) + 708, 9 << 60))
    failure = exact.overflowing(((8, 1), (4, 3 << 61)), ((6, 1), (2, 12)), [0, 1]).failure
    assert failure.offsets == (8 + (3 << 61), 3 << 62)


def test_a_search_stops_where_it_is_told_to():
    a, b = ((1601, 1), (4, 10**6)), ((800, 1), (4, 800))
    assert exact.overflowing(a, b, [0, 1], 1500) is None
    assert exact.overflowing(a, b, [0, 1]).failure.place == 1601


def test_a_run_need_not_divide_what_is_searched_at_first():
    with pytest.raises(LayoutError, match="and A\\(B\\(c\\)\\) is 72"):
        cute.composition(Layout((16, 7), (59, 24)), Layout(3000, 6))


def test_a_run_too_long_for_a_search_is_still_told():
    extent = 3 * 2**24 + 1
    with pytest.raises(LayoutError, match=f"one run of {(extent + 1) // 2}, which does not divide {2**26 + 1}"):
        cute.composition(Layout((2, extent, 4), (1, 4, 7)), Layout(2**26 + 1, 4))


def test_what_is_common_where_the_whole_inverse_does_not_compose():
    assert str(cute.max_common_layout(Layout((2, 2, 2), (1, 4, 1)), Layout((2, 5, 4), (1, 8, 2)))) == "2:1"
    assert str(cute.max_common_layout(Layout((5, 4, 3), (6, 2, -1)), Layout((5, 5, 2), (20, 2, 1)))) == "2:25"  # not with all modes
