"""Tiles of Morello's layouts: canonical forms, contiguity, dropped dimensions; Morello's tests and properties, and brute force."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import morello_model
from strategies_morello import bound, from_plain, plain, tilings
from tilelayout import LayoutError, ShapeError
from tilelayout.notations import morello
from tilelayout.notations.morello import PhysDim, normal


def tiled(layout, parent, tile):
    """The layout for a tile, unless it would have two OddEvens of a dimension side by side."""
    try:
        return layout.update_for_tiling(parent, tile)
    except LayoutError as error:
        assume("side by side" not in str(error))
        raise


# morello/src/layout.rs, tests of update_for_tiling and canonicalize.


@pytest.mark.parametrize(
    ("text", "parent", "tile", "result"),
    [
        ("[1, 0]", (128, 128), (8, 1), "[0]"),
        ("[1, 0, 1 p(4)]", (64, 64), (16, 1), "([0], c0)"),
        ("[1, 0, 1 p(4)]", (64, 64), (16, 2), "([0, 1], c1)"),
        ("[1, 0, 1 p(4)]", (64, 64), (16, 4), "[0, 1]"),
        ("[1, 0, 1 p(4)]", (64, 64), (64, 4), "[0, 1]"),
        ("[1, 0, 1 p(4)]", (64, 64), (64, 8), "[1, 0, 1 p(4)]"),
        ("[1, 0, 1 p(4)]", (64, 64), (16, 8), "([1, 0, 1 p(4)], c2)"),
        ("([0 oe(4), 1], c0)", (4, 64), (1, 1), "[]"),
        ("[0 oe(4), 1]", (4, 64), (2, 1), None),
        ("[0 oe(4), 1]", (4, 64), (3, 1), None),
        ("[0, 2, 1, 2 p(32)]", (2, 4, 64), (1, 4, 16), "([1, 2], c1)"),
        ("[0, 1, 0 p(2)]", (6, 8), (6, 1), "([0, 0 p(2)], c1)"),
        ("([0, 1, 0 p(2)], c0)", (6, 8), (6, 1), "([0, 0 p(2)], c0)"),
        ("([0, 1, 0 p(2), 2], c2)", (6, 8, 5), (6, 1, 5), "([0, 0 p(2), 2], c2)"),
        ("[1, 0, 2, 0 p(2)]", (6, 8, 8), (3, 1, 1), None),
        ("[1, 0, 2, 0 p(2)]", (6, 8, 8), (1, 1, 1), "[]"),
        ("[1, 0, 2, 0 p(2)]", (6, 8, 8), (2, 1, 1), "[0]"),
        ("[1, 0, 2, 0 p(2)]", (6, 8, 8), (4, 1, 1), "([0, 0 p(2)], c1)"),
        ("[1, 0, 2, 0 p(2)]", (6, 8, 8), (6, 1, 1), "([0, 0 p(2)], c1)"),
        ("[1, 2, 1 p(2)]", (1, 8, 8), (1, 8, 1), "([1, 1 p(2)], c1)"),
        ("([0, 1], c1)", (4, 4), (4, 1), "([0], c0)"),
        ("[0, 1]", (6, 8), (1, 8), "[1]"),
        ("[0, 1]", (6, 8), (2, 8), "[0, 1]"),
        ("[0, 1]", (6, 8), (6, 4), "([0, 1], c1)"),
        ("[0, 1]", (6, 8), (1, 4), "[1]"),
        ("[0, 1]", (6, 8), (1, 1), "[]"),
        ("[0, 1, 2, 1 p(8)]", (1, 64, 64), (1, 8, 64), "[2, 1]"),
        ("[1, 0, 1 p(8)]", (32, 8), (32, 8), "[0, 1]"),
        ("([3], c0)", (1, 1, 1, 2, 1), (1, 1, 1, 2, 1), "([3], c0)"),
        ("(NHWC, c3)", (5, 2, 8, 4), (5, 2, 8, 4), "(NHWC, c3)"),
        ("[0, 2, 1]", (1, 1, 5), (1, 1, 5), "[2]"),
        ("[2, 1, 2 p(16), 1 p(2)]", (1, 8, 16), (1, 8, 16), "[1, 2, 1 p(2)]"),
        ("[2, 1, 2 p(16), 1 p(2)]", (1, 8, 32), (1, 8, 32), "[2, 1, 2 p(16), 1 p(2)]"),
        ("[1, 0, 1 p(2), 0 p(4), 1 p(2)]", (4, 16), (4, 16), "[1, 0, 1 p(2)]"),
    ],
)
def test_tiles(text, parent, tile, result):
    layout = morello.parse(text)
    if result is None:
        with pytest.raises(ShapeError, match="does not apply"):
            layout.update_for_tiling(parent, tile)
    else:
        assert str(layout.update_for_tiling(parent, tile)) == result


@pytest.mark.parametrize(
    ("text", "shape", "result"),
    [
        ("[0, 1, 0 p(4)]", (4, 1024), "[1, 0]"),
        ("[0, 1, 2, 1 p(256), 2 p(512), 1 p(4)]", (1, 2048, 512), "[0, 1, 2, 1 p(4)]"),
        ("[1, 0 oe(4), 0 p(2)]", (8, 16), "[1, 0 oe(4), 0 p(2)]"),
        ("[0, 1, 0 p(2), 0 oe(4)]", (8, 16), "[1, 0, 0 oe(4)]"),
        ("[0 oe(6), 1, 0 p(4)]", (12, 16), "[0 oe(6), 1, 0 p(4)]"),
        ("[0, 1, 0 p(2), 2, 0 p(2)]", (8, 1, 1), "[0, 1, 0 p(2), 2, 0 p(2)]"),
    ],
)
def test_packs_that_are_not_needed(text, shape, result):
    """Tests of drop_unneeded_packings in morello/src/layout.rs."""
    layout = morello.parse(text)
    assert str(morello.Layout(*normal.without_needless_packs(layout.dims, layout.contig, shape), normalized=False)) == result


@pytest.mark.parametrize(
    ("kinds", "contig", "result"),
    [
        ((None, 2), 2, "[0]"),
        ((None, 2), 1, "([0, 0 p(2)], c1)"),
        ((None, 2), 0, "([0, 0 p(2)], c0)"),
        ((2, 3), 1, "([0 p(2), 0 p(3)], c1)"),
        ((2, 3), 2, "[0 p(6)]"),
        ((2, 3), 0, "([0 p(6)], c0)"),
        ((2, 3, 5), 2, "([0 p(2), 0 p(15)], c1)"),
        ((2, 3, 5), 1, "([0 p(6), 0 p(5)], c1)"),
        ((None, 3, 5), 2, "([0, 0 p(15)], c1)"),
    ],
)
def test_neighbours_merge_unless_the_contiguous_ones_end_between_them(kinds, contig, result):
    """The first, second and fourth are tests of merge_consecutive_dimensions in morello/src/layout.rs."""
    dims = [(0, PhysDim.Dynamic if size is None else PhysDim.Packed(size)) for size in kinds]
    assert str(morello.Layout(dims, contig)) == result
    assert str(morello.Layout(dims, contig, normalized=False)).count("0") >= len(dims)


# morello/src/layout.rs, tests of dim_drop.


@pytest.mark.parametrize(
    ("text", "dropped", "result"),
    [
        ("[0, 1]", {0}, "[0]"),
        ("[0, 1, 0 p(4)]", {1}, "[0]"),
        ("[0, 1, 0 p(4), 2]", {1}, "[0, 1]"),
        ("[0, 1, 0 p(4), 2]", {0}, "[0, 1]"),
        ("[0, 1, 0 p(4), 2]", {2}, "[0, 1, 0 p(4)]"),
        ("([0, 1, 0 p(4), 2], c3)", {1}, "([0, 1], c1)"),
        ("([0, 1, 0 p(4), 2], c2)", {1}, "([0, 1], c1)"),
        ("([0, 1, 0 p(4), 2], c3)", {0}, "[0, 1]"),
        ("[3, 0, 5]", (4, 1), "[2, 0, 3]"),
        ("[1, 0]", (), "[1, 0]"),
    ],
)
def test_dropped_dimensions(text, dropped, result):
    assert str(morello.parse(text).dim_drop(dropped)) == result


@given(bound())
def test_dropping_dimensions_of_size_one_leaves_the_slots(pair):
    layout, shape = pair
    ones = {dim for dim, size in enumerate(shape) if size == 1}
    try:
        dropped = layout.dim_drop(ones)
    except LayoutError as error:
        assert "side by side" in str(error)
        return
    smaller = tuple(size for size in shape if size != 1)
    assert dropped.bind(smaller).offsets().ravel().tolist() == layout.bind(shape).offsets().ravel().tolist()
    assert 0 <= dropped.contig <= len(dropped.dims)
    prefixed = layout.one_prefix()
    assert prefixed.bind((1, *shape)).offsets()[0].tolist() == layout.bind(shape).offsets().tolist()
    assert prefixed.is_fully_contiguous == layout.is_fully_contiguous
    assert prefixed.dim_drop({0}) == layout.dim_drop({3})


@given(bound(), st.permutations(range(3)))
def test_swapping_dimensions_transposes(pair, order):
    layout, shape = pair
    first, second, _ = order
    there = layout.swap_dims((first, second))
    swapped = list(shape)
    swapped[first], swapped[second] = shape[second], shape[first]
    assert there.bind(swapped).offsets().swapaxes(first, second).tolist() == layout.bind(shape).offsets().tolist()
    assert there.swap_dims((first, second)) == layout
    assert there.contig == layout.contig


@given(bound())
def test_canonical_forms(pair):
    """Properties of Morello's: the same offsets, done once for all, no neighbours to merge, no needless pack.

    But for what keeps two OddEvens of a dimension apart, where Morello's own code ends.
    """
    layout, shape = pair
    found = tiled(layout, shape, shape)
    assert found == layout.canonicalize(shape)
    assert found.bind(shape) == layout.bind(shape)
    assert found.canonicalize(shape) == found
    assert found == morello.Layout(found.dims, found.contig)
    assert found.is_fully_contiguous or not layout.is_fully_contiguous
    split = {dim for dim, kind in found.dims if isinstance(kind, PhysDim.OddEven)}
    triples = zip(found.dims, found.dims[1:], found.dims[2:], strict=False)
    parting = {dim for a, (dim, _), b in triples if a[0] == b[0] and all(isinstance(kind, PhysDim.OddEven) for _, kind in (a, b))}
    for dim, kind in found.dims:
        assert shape[dim] > 1 or dim in parting
        assert not isinstance(kind, PhysDim.Packed) or dim in split | parting or kind.size < shape[dim]


@given(tilings())
def test_tiles_stay_as_they_are(tiling):
    layout, parent, tile = tiling
    found = tiled(layout, parent, tile)
    assert found.bind(tile) == layout.bind(tile)
    assert tiled(found, tile, tile) == found
    assert morello.parse(str(found)) == found


@given(tilings())
def test_contiguity_is_what_the_elements_say(tiling):
    layout, parent, tile = tiling
    whole = morello.Layout(layout.dims, normalized=False)
    assert whole.contiguity(parent, tile) == morello_model.runs(plain(layout), parent, tile)
    assert layout.contiguity(parent, tile) == min(layout.contig, whole.contiguity(parent, tile))


@pytest.mark.parametrize(("parent", "tile"), [((12, 4), (6, 2)), ((12, 4), (3, 4)), ((8, 6), (3, 4)), ((16, 2), (3, 2))], ids=str)
def test_contiguity_of_every_small_layout(parent, tile):
    checked = 0
    for dims in morello_model.every_list(parent, 4, sizes=(2, 4)):
        if morello_model.physical(dims, tile) is not None:
            checked += 1
            assert from_plain(dims).contiguity(parent, tile) == morello_model.runs(dims, parent, tile), dims
    assert checked > 20


@given(tilings())
def test_morellos_claim_is_no_more_than_the_truth_where_packs_are_cut_evenly(tiling):
    layout, parent, tile = tiling
    whole = morello.Layout(layout.dims, normalized=False)
    inside = [1, 1]
    for (dim, _), size in zip(reversed(whole.dims), reversed(whole.physical_shape(parent)), strict=True):
        inside[dim] *= size
        assume(inside[dim] % tile[dim] == 0 or tile[dim] % inside[dim] == 0)
    claim = tiled(whole, parent, tile)
    if claim.is_fully_contiguous:
        assert whole.contiguity(parent, tile) == len(whole.dims)


@pytest.mark.parametrize(
    ("text", "parent", "tile", "claim", "truth"),
    [
        ("[0, 1, 0 p(4)]", (12, 4), (3, 1), "[0]", 0),
        ("[1, 0, 1 p(3)]", (2, 12), (1, 2), "[1]", 0),
        ("[0, 1, 0 p(4)]", (12, 4), (2, 1), "[0]", 3),
        ("[1, 0, 1 oe(8)]", (6, 8), (3, 8), "([1, 0, 1 oe(8)], c2)", 3),
    ],
)
def test_where_morello_claims_too_much_or_too_little(text, parent, tile, claim, truth):
    """Tiles that run over the end of a pack are no run; an outer dimension of size 1 breaks none."""
    layout = morello.parse(text)
    assert str(layout.update_for_tiling(parent, tile)) == claim
    assert layout.contiguity(parent, tile) == truth


def test_cache_lines():
    """Tests of estimate_cache_lines in morello/src/layout.rs."""
    lines = morello.Layout.estimate_cache_lines
    assert lines(morello.row_major((1, 1, 1)), (1, 1, 1), 4) == 1
    assert lines(morello.row_major((128, 16)), (128, 16), 4) == 128
    assert lines(morello.row_major((64, 64)), (64, 64), 1) == 64
    assert lines(morello.parse("([0, 1], c1)"), (6, 128), 4) == 48
    assert lines(morello.parse("[2, 1, 2 p(16)]"), (1, 128, 2048), 4) == 16384
    assert lines(morello.row_major((3, 3)), (3, 3), 4) == 1
    assert lines(morello.parse("([0, 1], c1)"), (3, 3), 4) == 3
    assert lines(morello.row_major((64,)), (64,), 4, line_bytes=128) == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda layout: layout.update_for_tiling((6, 8), (6, 8, 1)), "is no tile of"),
        (lambda layout: layout.contiguity((6, 8), (6, 16)), r"\(6, 16\) is no tile of \(6, 8\)"),
        (lambda layout: layout.canonicalize((6, 0)), "size 0"),
        (lambda layout: layout.canonicalize(None), "says nothing of sizes"),
        (lambda layout: layout.estimate_cache_lines((6, 8), 0), "element_bytes=0"),
        (lambda layout: layout.estimate_cache_lines((6, 8), 4, line_bytes="64"), "line_bytes='64'"),
        (lambda layout: morello.candidates((6, 8), 1.5), "element_bytes=1.5"),
        (lambda layout: morello.candidates((6, 8), 4, vector_bytes=16), "vector_bytes=16"),
        (lambda layout: layout.swap_dims(0), "no dimensions to swap"),
        (lambda layout: layout.swap_dims((0, 1, 2)), "no two dimensions"),
        (lambda layout: layout.swap_dims((0, "1")), "no dimensions to swap"),
        (lambda layout: layout.swap_dims((0, 999)), "999 is no logical dimension"),
        (lambda layout: layout.dim_drop(1), "no dimensions to drop"),
        (lambda layout: layout.dim_drop({-1}), "-1 is no logical dimension"),
        (lambda layout: morello.parse("[255]").one_prefix(), "256 is no logical dimension"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(LayoutError, match=message):
        call(morello.parse("[1, 0, 1 p(4)]"))


@pytest.mark.parametrize(
    ("text", "shape", "canonical"),
    [
        ("[0 oe(2), 1, 0 oe(4)]", (8, 1), "[0 oe(2), 1, 0 oe(4)]"),
        ("[0 oe(4), 1, 2, 0 oe(4)]", (16, 1, 1), "[0 oe(4), 1, 0 oe(4)]"),
        ("[0 oe(2), 1, 0 oe(4), 1 p(8)]", (8, 8), "[0 oe(2), 1, 0 oe(4), 1 p(8)]"),
        ("[0, 1, 2, 0 oe(4), 2 p(4), 0 oe(4), 0 p(4), 1 p(4)]", (16, 16, 1), "[0, 1, 0 oe(4), 2, 0 oe(4), 0 p(4), 1 p(4)]"),
    ],
)
def test_what_keeps_two_odd_evens_apart_stays(text, shape, canonical):
    """Side by side they would be what Morello leaves undefined."""
    layout = morello.parse(text)
    found = layout.canonicalize(shape)
    assert str(found) == canonical
    assert found.canonicalize(shape) == found
    assert (found.bind(shape).offsets() == layout.bind(shape).offsets()).all()
