"""Runs and vectors: against the reference, which lists every slot."""

from itertools import combinations, product
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilelayout as tl
from strategies_regions import any_layout, indices, shapes
from tilelayout import reference, regions, runs
from tilelayout.chains import chains
from tilelayout.radix import Digit


@settings(max_examples=150)
@given(st.data(), shapes)
def test_runs_agree_with_the_reference(data, shape):
    layout, index = data.draw(any_layout(shape)), data.draw(indices(shape))
    box = regions.box_of(index, shape)
    expected = reference.runs(reference.slot(x, layout.digits) for x in reference.box(box.start, box.extents))
    found = layout.runs(index)
    assert found.dtype == np.int64
    assert found.shape == (len(expected), 2)
    assert [tuple(run) for run in found.tolist()] == expected


@given(st.data(), st.sampled_from([(), (5,), (8,), (4, 6), (8, 16), (7, 9), (3, 4, 8)]))
def test_widest_vector_agrees_with_the_reference(data, shape):
    layout = data.draw(any_layout(shape))
    tile = tuple(data.draw(st.integers(1, n + 1)) for n in shape)
    assert layout.widest_vector(tile) == reference.widest_vector(
        shape, layout.digits, [min(t, n) for t, n in zip(tile, shape, strict=True)]
    )


def test_elements_of_merged_axes_that_share_slots():
    layout = tl.Layout((2, 7), [(((0, 1, 2, 1), (1, 1, 7, 1)), 1, 4, 1)])
    assert [layout.widest_vector(tile) for tile in ((2, 2), (2, 7), (1, 1))] == [1, 4, 1]


def test_without_a_region_it_is_the_whole_array():
    layout = tl.layout("f32[16,256]{1,0:T(8,128)}")
    assert layout.runs().tolist() == [[0, 4096]]
    assert tl.layout("f32[15,256]{1,0:T(8,128)}").runs().tolist() == [[0, 2944], [3072, 896]]


def test_a_layout_that_no_memory_holds():
    layout = tl.layout("f32[1048576,1048576]{1,0:T(8,128)}")
    assert layout.runs(np.s_[-1, -256:]).tolist() == [[2**40 - 1152, 128], [2**40 - 128, 128]]
    assert layout.runs().tolist() == [[0, 2**40]]
    assert layout.runs(np.s_[8:16]).tolist() == [[8 << 20, 8 << 20]]
    assert len(layout.runs(np.s_[:, 64 : 64 + 128])) == 15 * 2**17  # rows in halves, but the last of a tile goes on in the next tile
    with pytest.raises(tl.LayoutError, match=r"a box of shape \(1073741824, 1\) lies in 1073741824 stretches of slots, more than 16777216"):
        tl.layout("f32[1073741824,2]{1,0}").runs(np.s_[:, 1])
    assert layout.widest_vector((8, 128)) == 1024
    assert layout.widest_vector((4096, 12 << 10)) == 1 << 15


def test_in_bytes():
    layout = tl.layout("s4[4,8]{1,0:E(4)}")
    assert layout.runs(np.s_[1:3, 2:6], bits=4).tolist() == [[5, 2], [9, 2]]
    assert layout.runs(np.s_[1:3, 2:6], bits=32).tolist() == [[40, 16], [72, 16]]
    assert layout.runs(np.s_[0, :4], bits=6).tolist() == [[0, 3]]
    assert layout.runs(np.s_[1, :], bits=1).tolist() == [[1, 1]]
    with pytest.raises(tl.LayoutError, match="the run of 4 slots from slot 9 on begins or ends within a byte, where a slot has 4 bits"):
        layout.runs(np.s_[1:3, 1:5], bits=4)


@pytest.mark.parametrize("bits", [0, -8, 1.5, "8", float("nan")])
def test_no_width(bits):
    with pytest.raises(tl.LayoutError, match="is no width of a slot"):
        tl.layout("f32[8]{0}").runs(bits=bits)


def test_bytes_beyond_64_bits():
    layout = tl.Layout((2,), [(0, 1, 2, 2**62)])
    assert layout.runs(bits=8).tolist() == [[0, 1], [2**62, 1]]
    assert tl.Layout((4,), [(0, 2, 2, 2**62), (0, 1, 2, 1)]).runs(bits=4).tolist() == [[0, 1], [2**61, 1]]
    assert tl.layout("{0}", (2**63 - 1,)).runs(bits=8).tolist() == [[0, 2**63 - 1]]
    with pytest.raises(tl.ShapeError, match="more bytes than a signed 64-bit integer holds"):
        layout.runs(bits=32)
    with pytest.raises(tl.ShapeError, match="more bytes than"):
        layout.runs(bits=10**30)


@pytest.mark.parametrize("tile", [(0, 8), (8,), (8, 8, 8), 8, "ab", (1.5, 8), (-1, 8), None, (10**30,)])
def test_no_tile(tile):
    with pytest.raises(tl.ShapeError, match=r"tile .* for a layout of shape \(16, 256\); it takes 2 extents of 1 or more"):
        tl.layout("f32[16,256]{1,0:T(8,128)}").widest_vector(tile)


def test_a_tile_larger_than_the_array_is_the_array():
    assert tl.layout("f32[16,256]{1,0:T(8,128)}").widest_vector((10**30, 10**30)) == 4096


def test_nothing_to_move():
    assert tl.layout("f32[0,3]{1,0}").runs().shape == (0, 2)
    with pytest.raises(tl.LayoutError, match="has no elements"):
        tl.layout("f32[0,3]{1,0}").widest_vector((1, 1))
    assert reference.widest_vector((0, 3), [], (1, 1)) == 0, "it was looked for without end"


def test_tiles_that_lie_alike_are_looked_at_once():
    assert tl.layout("f32[1099511627776]{0}").widest_vector((1,)) == 1
    assert tl.layout("f32[1099511627776]{0}").widest_vector((12,)) == 4
    assert tl.layout("f32[1099511627776]{0:T(1024)}").widest_vector((1536,)) == 512


def test_too_many_tiles():
    with pytest.raises(
        tl.LayoutError, match=r"tiles of \(1048573,\) lie in .* in up to 1048576 ways, more than the 65536 that are looked at"
    ):
        tl.layout("{1,0:T(8,1048576)}", (8, 2**40)).widest_vector((8, 1048573))


def test_too_many_tiles_of_two_axes():
    with pytest.raises(tl.LayoutError, match=r"in up to .* ways, more than the 65536"):
        tl.layout("{1,0:T(1024,1024)}", (2**30, 2**30)).widest_vector((1023, 1021))


def test_too_many_blocks():
    bits_swapped = [(axis, divisor, 2, 4**axis * stride) for axis in range(25) for divisor, stride in ((2, 1), (1, 2))]
    with pytest.raises(tl.LayoutError, match=r"lies in 33554432 stretches of slots, more than 16777216"):
        tl.Layout((4,) * 25, bits_swapped).runs((slice(1, 4),) * 25)


@pytest.mark.parametrize(
    ("bound", "most", "ask"),
    [
        ("MOST_RUNS", 8, lambda: tl.layout("{1,0}", (8, 2)).runs(np.s_[:, 1])),
        ("MOST_RUNS", 4, lambda: tl.layout("{1,0:T(*,8)(2,4)}", (4, 6)).runs(np.s_[:, 1])),
        ("MOST_LISTED", 24, lambda: tl.layout("{1,0:T(*,8)(2,4)}", (4, 6)).runs()),
        ("MOST_LISTED", 32, lambda: tl.layout("{1,0:T(*,8)(2,4)}", (4, 6)).widest_vector((1, 1))),
        ("MOST_TILES", 2, lambda: tl.Layout((4, 2), [(0, 1, 4, 3), (1, 1, 2, 1)]).widest_vector((1, 2))),
    ],
)
def test_as_many_as_there_may_be(bound, most, ask, monkeypatch):
    monkeypatch.setattr(runs, bound, most)
    ask()
    monkeypatch.setattr(runs, bound, most - 1)
    with pytest.raises(tl.LayoutError, match=f"more than (the )?{most - 1}"):
        ask()


@pytest.mark.parametrize("ask", [tl.Layout.runs, lambda layout: layout.widest_vector((2, 2))])
def test_too_many_elements_to_look_at_one_by_one(ask):
    """They were gone through for as long as it took, which was years."""
    with pytest.raises(tl.LayoutError, match="more than the 33554432 that are then looked at one by one"):
        ask(tl.layout("{1,0:T(*,7)(3,5)}", (2**30, 2**30)))


def test_each_tile_counts_not_only_the_first_and_the_last():
    layout = tl.Layout((6,), [(0, 2, 3, 3), (0, 1, 2, 1)])  # 0 1, 3 4, 6 7
    assert [layout.widest_vector((n,)) for n in (1, 2, 4)] == [1, 1, 1]
    assert tl.Layout((12,), [(0, 4, 3, 9), (0, 2, 2, 4), (0, 1, 2, 1)]).widest_vector((4,)) == 1  # the second begins at slot 9
    assert tl.Layout((24,), [(0, 8, 3, 21), (0, 2, 4, 1), (0, 1, 2, 8)]).widest_vector((8,)) == 1  # and at 21


def test_merged_layouts_in_pieces(monkeypatch):
    layout = tl.layout("f32[40,50]{1,0:T(*,7)(3,5)}")
    assert any(isinstance(digit.axis, tuple) for digit in layout.canonical)
    whole, part, widest = layout.runs(), layout.runs(np.s_[3:30, 7:22]), layout.widest_vector((4, 10))
    monkeypatch.setattr(runs.queries, "PIECE", 64)
    assert np.array_equal(layout.runs(), whole)
    assert np.array_equal(layout.runs(np.s_[3:30, 7:22]), part)
    assert layout.widest_vector((4, 10)) == widest


@pytest.mark.parametrize(("tile", "widest"), [((2, 8), 4), ((1, 2), 2), ((1, 1), 1)])
def test_widest_vector_of_a_merged_layout(tile, widest, monkeypatch):
    layout = tl.layout("f32[4,6]{1,0:T(*,8)(2,4)}")
    assert any(isinstance(digit.axis, tuple) for digit in layout.canonical)
    assert reference.widest_vector(layout.shape, layout.digits, tile) == widest
    for piece in (7, 8, layout.slots):
        monkeypatch.setattr(runs.queries, "PIECE", piece)
        assert layout.widest_vector(tile) == widest


#: Digits of an axis of 12: blocks near and far, backwards, not in order, with parts that share a slot, cut short, and in three.
WALKS = [
    *([(0, block, -(-12 // block), far), (0, 1, block, 1)] for block in (1, 2, 3, 4, 5, 8) for far in (block, block + 1, 12, 16)),
    [(0, 1, 12, -1), (None, 1, 2, 11)],
    [(0, 4, 3, 8), (0, 1, 4, -1), (None, 1, 2, 3)],
    [(0, 4, 3, -6), (0, 1, 4, 1), (None, 1, 2, 14)],
    [(0, 4, 3, 1), (0, 1, 4, 3)],
    [(0, 4, 3, 4)],
    [(0, 4, 3, 8), (0, 1, 2, 1)],
    [(0, 1, 4, 1)],
    [(0, 6, 2, 6), (0, 3, 2, 16), (0, 1, 3, 2)],
    [(0, 4, 3, 4), (0, 2, 2, 1), (0, 1, 2, 2), (None, 1, 2, 4)],
    [],
]


@pytest.mark.parametrize("digits", WALKS, ids=str)
@pytest.mark.parametrize("other", [[], [(1, 1, 2, 32)], [(1, 1, 2, 2)]], ids=str)
def test_every_interval_of_an_axis(digits, other):
    layout = tl.Layout((12, 2), digits + other)
    slots = layout.offsets()
    for low, high in combinations(range(13), 2):
        for columns in (np.s_[:], np.s_[1]):
            expected = reference.runs(slots[low:high, columns].ravel().tolist())
            assert [tuple(run) for run in layout.runs(np.s_[low:high, columns]).tolist()] == expected


@pytest.mark.parametrize("digits", WALKS, ids=str)
@pytest.mark.parametrize("offset", [0, 1, 2, 4, 8])
def test_every_tile_of_an_axis(digits, offset):
    digits = [*digits, (None, 1, 2, offset)]
    for size in (12, 11, 9, 7):
        layout = tl.Layout((size,), digits)
        if len(set(layout.offsets().tolist())) == size:
            for tile in range(1, size + 1):
                assert layout.widest_vector((tile,)) == reference.widest_vector((size,), layout.digits, (tile,)), tile


@pytest.mark.parametrize("text", ["{1,0:T(*,8)(2,4)}", "{1,0:T(*,4)(2,2)}", "{1,0:T(*,6)(3,2)}", "{1,0:T(*,8)(4,2)}", "{1,0:T(*,7)(3,5)}"])
@pytest.mark.parametrize("shape", [(4, 6), (4, 8), (3, 5), (8, 4)])
def test_every_tile_of_merged_axes(text, shape):
    layout = tl.layout(text, shape)
    longer = tl.Layout(shape, layout.digits, slots=layout.slots + 1)
    for tile in product(*(range(1, n + 1) for n in shape)):
        assert layout.widest_vector(tile) == reference.widest_vector(shape, layout.digits, tile), tile
        assert longer.widest_vector(tile) == layout.widest_vector(tile), tile


@pytest.mark.parametrize(
    "digits", [[], [(0, 1, 12, 1)], [(0, 2, 3, 1)], [(0, 3, 4, 2)], [(0, 2, 2, 4), (0, 8, 2, 1)], [(0, 5, 2, 3)]], ids=str
)
def test_a_chain_reads_all_of_its_axis(digits):
    """It is as many digits as it takes, one beginning where the one below it ends."""
    (chain,) = chains([Digit(*digit) for digit in digits], (12,))
    for x in range(12):
        assert sum(digit.stride * digit.value((x,)) for digit in chain) == sum(stride * (x // d % r) for _, d, r, stride in digits)
    assert [digit.divisor for digit in chain] == [prod(digit.radix for digit in chain[:k]) for k in range(len(chain))]
    assert all(digit.radix == -(-12 // digit.divisor) for digit in chain[-1:] if not digit.stride)
    assert prod(digit.radix for digit in chain) >= 12 > prod(digit.radix for digit in chain[:-1])


def test_what_makes_no_chain():
    assert chains([Digit(0, 1, 4, 1), Digit(0, 2, 2, 1)], (8,)) is None  # the same part twice
    assert chains([Digit(0, 1, 2, 1), Digit(0, 3, 2, 2)], (8,)) is None  # a part that lies across two
    assert chains([Digit((Digit(0, 1, 8, 3),), 2, 4, 1)], (8,)) is None
    assert chains([Digit(None, 1, 2, 5), Digit((), 1, 2, 5), Digit(0, 1, 1, 7), Digit(0, 1, 8, 1)], (8,)) == ((Digit(0, 1, 8, 1),),)
