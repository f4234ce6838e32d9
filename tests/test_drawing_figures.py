"""The figures of others, drawn: the same numbers in the same cells, and the same cells alike."""

import xml.etree.ElementTree as ET
from itertools import product

import pytest

import tilelayout as tl
from tilelayout import cute
from tilelayout.drawing import draw

SVG = "{http://www.w3.org/2000/svg}"


def cells(drawing, part):
    """The labels and the fills of a part, by coordinates in the grid and in order in the memory."""
    root = ET.fromstring(drawing.svg)
    [found] = [group for group in root.iter(f"{SVG}g") if group.get("data-part") == part]
    told = [group for group in found.iter(f"{SVG}g") if group.get("data-slot") is not None]
    return [(group.get("data-x"), group.find(f"{SVG}text").text, group.find(f"{SVG}rect").get("fill")) for group in told]


def grid(drawing):
    """The labels of the grid as rows."""
    rows = {}
    for x, label, _ in cells(drawing, "grid"):
        rows.setdefault(x.split(",")[0], []).append(label)
    return [" ".join(row) for row in rows.values()]


class TestTiledLayout:
    """XLA, "Tiled layout" (openxla.org/xla/tiled_layout)."""

    def test_figure_1(self):
        """Figure 1: F32[3,5] in tiles of 2x2, "white" padding making the tiles at the edges whole; left the array, right the memory."""
        drawing = draw("f32[3,5]{1,0:T(2,2)}")
        assert grid(drawing) == ["0 1 4 5 8 9", "2 3 6 7 10 11", "12 13 16 17 20 21", "14 15 18 19 22 23"]
        memory = cells(drawing, "memory")
        assert [label for _, label, _ in memory] == [
            *("0,0", "0,1", "1,0", "1,1"), *("0,2", "0,3", "1,2", "1,3"), *("0,4", "pad", "1,4", "pad"),
            *("2,0", "2,1", "pad", "pad"), *("2,2", "2,3", "pad", "pad"), *("2,4", "pad", "pad", "pad"),
        ]  # fmt: skip
        assert all((fill == "url(#tl-hatch)") == (label == "pad") for _, label, fill in memory)
        assert len({fill for _, label, fill in memory if label != "pad"}) == 6

    def test_figure_2(self):
        """Figure 2: 4x8 in tiles of 2x4, each of a colour, and these in tiles of 2x1; the numbers are the linear indices in memory."""
        drawing = draw("bf16[4,8]{1,0:T(2,4)(2,1)}")
        assert grid(drawing) == ["0 2 4 6 8 10 12 14", "1 3 5 7 9 11 13 15", "16 18 20 22 24 26 28 30", "17 19 21 23 25 27 29 31"]
        fills = {tuple(map(int, x.split(","))): fill for x, _, fill in cells(drawing, "grid")}
        assert len(set(fills.values())) == 4
        for x, y in product(fills, fills):
            assert (fills[x] == fills[y]) == ((x[0] // 2, x[1] // 4) == (y[0] // 2, y[1] // 4))

    @pytest.mark.parametrize("text", ["f32[3,5]{1,0:T(2,2)}", "bf16[4,8]{1,0:T(2,4)}"])
    def test_the_formula_of_the_page_says_the_same(self, text):
        """The page's own linear_index_with_tile."""
        layout = tl.layout(text)
        tile = (2, 2) if layout.shape == (3, 5) else (2, 4)
        for x, label, fill in cells(draw(layout), "grid"):
            if fill != "url(#tl-hatch)":
                assert int(label) == tl.linear_index_with_tile(tuple(map(int, x.split(","))), layout.shape, tile)


class TestCute:
    def test_the_colours_of_print_latex(self):
        """CUTLASS, include/cute/util/print_latex.hpp: TikzColor_BWx8 shades a cell by its index modulo 8."""
        layout = cute.Layout(((2, 2), (2, 4)), ((1, 4), (2, 8)))
        fills = {}
        for _, label, fill in cells(draw(layout, color="slot%8"), "grid"):
            fills.setdefault(int(label) % 8, set()).add(fill)
        assert sorted(map(len, fills.values())) == [1] * 8
        assert len(set.union(*fills.values())) == 8
        assert grid(draw(layout)) == ["0 2 8 10 16 18 24 26", "1 3 9 11 17 19 25 27", "4 6 12 14 20 22 28 30", "5 7 13 15 21 23 29 31"]

    def test_threads_and_values_of_a_tensor_core(self):
        """PTX ISA, "Matrix Fragments for mma.m16n8k8": lane and register of the elements of C, which CUTLASS calls SM80_16x8_Row."""
        threads = cute.Layout(((4, 8), (2, 2)), ((32, 1), (16, 8)))
        matrix = cute.composition(cute.right_inverse(threads), cute.Layout((16, 8)))
        drawing = draw(matrix, color="slot%32", label="T{slot%32} V{slot//32}")
        told = {x: label for x, label, _ in cells(drawing, "grid")}
        assert told == {
            f"{row},{column}": f"T{row % 8 * 4 + column // 2} V{row // 8 * 2 + column % 2}" for row, column in product(range(16), range(8))
        }
        assert len({fill for x, _, fill in cells(drawing, "grid") if told[x].startswith("T5 ")}) == 1

    @pytest.mark.parametrize(
        ("shape", "stride", "bits"),
        [(((2, 2), (2, 4)), ((1, 4), (2, 8)), None), ((8, 8), (8, 1), (3, 0, 3)), ((8, 32), (32, 1), (2, 3, 3))],
    )
    def test_the_numbers_of_tensor_layouts(self, shape, stride, bits):
        """What viz.draw_layout and viz.draw_swizzle write into their cells."""
        peer = pytest.importorskip("tensor_layouts")
        theirs = peer.Layout(shape, stride) if bits is None else peer.compose(peer.Swizzle(*bits), peer.Layout(shape, stride))
        ours = cute.Layout(shape, stride) if bits is None else cute.ComposedLayout(cute.Swizzle(*bits), 0, cute.Layout(shape, stride))
        for x, label, _ in cells(draw(ours, most=32), "grid"):
            row, column = map(int, x.split(","))
            assert int(label) == theirs(row, column)
