"""Drawings as SVG: every label is right, padding is shaded, what is kept of large layouts, and what is refused."""

import copy
import pickle
import re
import sys
import types
import xml.etree.ElementTree as ET
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
import tilelayout as tl
from tilelayout import Layout
from tilelayout.drawing import compare, draw
from tilelayout.drawing.coloring import TILE_FILLS
from tilelayout.drawing.palette import FILLS, ROLES, mixed, terminal_color
from tilelayout.drawing.sides import NO_AXIS, block_sizes, side
from tilelayout.drawing.svg_cells import PALE

SVG = "{http://www.w3.org/2000/svg}"
FIGURE_1 = "f32[3,5]{1,0:T(2,2)}"
SHARED = "cute:(4,4):(1,0)"
SWIZZLED = "cute:S<2,0,3> o 0 o (8,8):(8,1)"
ANY = st.one_of(strategies.layouts(most_slots=300), strategies.strided_layouts())


class Drawn(NamedTuple):
    """A cell as the SVG has it."""

    x: tuple[int, ...] | None
    slot: int
    label: str
    fill: str
    pale: bool
    bold: bool


def drawn(svg, part, scene=0):
    root = ET.fromstring(svg)
    found = [group for group in root.iter(f"{SVG}g") if group.get("data-part") == part][scene]
    cells = []
    for group in found.iter(f"{SVG}g"):
        if (slot := group.get("data-slot")) is not None:
            x, text, rect = group.get("data-x"), group.find(f"{SVG}text"), group.find(f"{SVG}rect")
            at = None if x is None else tuple(map(int, x.split(","))) if x else ()
            cells.append(
                Drawn(at, int(slot), text.text, rect.get("fill"), rect.get("fill-opacity") is not None, text.get("font-weight") == "bold")
            )
    return cells


def words(svg):
    return [text.text for text in ET.fromstring(svg).iter(f"{SVG}text")]


def inside(x, shape):
    return all(0 <= k < n for k, n in zip(x, shape, strict=True))


def is_whole(layout):
    """Small enough that nothing is left out."""
    return max(layout.shape[-2:], default=0) <= 8 and np.prod(layout.shape[:-2]) <= 4


class TestLabels:
    @settings(max_examples=20)
    @given(ANY)
    def test_every_label_of_the_grid_is_the_slot_that_index_says(self, layout):
        for cell in drawn(draw(layout).svg, "grid"):
            assert cell.label == str(cell.slot)
            if inside(cell.x, layout.shape):
                assert layout(*cell.x) == cell.slot
                assert cell.fill != "url(#tl-hatch)"
            else:
                assert layout.is_padding(cell.slot)
                assert cell.fill == "url(#tl-hatch)"

    @settings(max_examples=20)
    @given(ANY)
    def test_every_label_of_the_strip_is_the_element_in_the_slot_and_padding_is_shaded(self, layout):
        for cell in drawn(draw(layout).svg, "memory"):
            if layout.size and not layout.is_padding(cell.slot):
                assert cell.label == (",".join(map(str, cell.x)) or "()")
                assert layout(*cell.x) == cell.slot
                assert cell.fill != "url(#tl-hatch)"
            else:
                assert (cell.x, cell.label, cell.fill) == (None, "pad", "url(#tl-hatch)")

    @settings(max_examples=20)
    @given(ANY)
    def test_small_layouts_are_drawn_whole(self, layout):
        svg = draw(layout).svg
        if is_whole(layout):
            shown = [cell.x for cell in drawn(svg, "grid") if inside(cell.x, layout.shape)]
            assert sorted(shown) == sorted(product(*map(range, layout.shape)))
        if layout.slots <= 64:
            assert [cell.slot for cell in drawn(svg, "memory")] == list(range(layout.slots))

    def test_figure_1_of_the_tiled_layout_page(self):
        """XLA's page on tiled layout: element (2, 3) is in slot 17; the padding of its figure 1 lies around the array too."""
        grid = {cell.x: cell for cell in drawn(draw(FIGURE_1).svg, "grid")}
        assert grid[2, 3].label == "17"
        assert {x for x, cell in grid.items() if cell.fill == "url(#tl-hatch)"} == {
            (r, c) for r in range(4) for c in range(6) if r > 2 or c > 4
        }

    def test_padding_that_has_no_place_around_the_array_is_only_in_the_strip(self):
        layout = Layout((3,), [(0, 1, 9, 2)], slots=9)  # the digit counts on to slots that do not exist
        assert [cell.slot for cell in drawn(draw(layout).svg, "grid")] == [0, 2, 4]
        assert [cell.label for cell in drawn(draw(layout).svg, "memory")] == ["0", "pad", "1", "pad", "2", *["pad"] * 4]
        folded = Layout((3, 3), [(0, 1, 4, 3), (1, 1, 3, 1)], slots=12)
        overlapping = Layout((3, 3), [(0, 1, 3, 3), (1, 1, 4, 1)], slots=12)
        assert len(drawn(draw(folded).svg, "grid")) == 12
        assert len(drawn(draw(overlapping).svg, "grid")) == 9  # what would lie beyond the end of a row begins the next

    def test_elements_that_share_slots_are_counted(self):
        assert [cell.label for cell in drawn(draw(SHARED).svg, "memory")] == ["0,0 +3", "1,0 +3", "2,0 +3", "3,0 +3"]
        assert "(1,0) → slot 1, shared by 4 elements" in draw(SHARED).svg

    @pytest.mark.parametrize(
        ("text", "cells", "slots"), [("f32[]", 1, 1), ("f32[0,3]", 0, 0), ("f32[1,1,1]", 1, 1), ("f32[1]{0:T(4)}", 4, 4)]
    )
    def test_ranks_and_sizes_of_nothing(self, text, cells, slots):
        svg = draw(text).svg
        assert (len(drawn(svg, "grid")), len(drawn(svg, "memory"))) == (cells, slots)
        assert ("no elements" in words(svg)) == (cells == 0)

    def test_an_empty_array_in_a_buffer_that_is_not(self):
        assert [cell.label for cell in drawn(draw(Layout((0, 2), [], slots=3)).svg, "memory")] == ["pad"] * 3

    def test_leading_axes_are_panels(self):
        names = [word for word in words(draw("NCHW4c", (1, 6, 2, 3)).svg) if word.startswith("x1 =")]
        assert names == [f"x1 = {channel}" for channel in range(8)]  # the last two are padding

    def test_blocks_of_every_level_are_numbered(self):
        heads = words(draw("((2,2),(2,4)):((1,4),(2,8))").svg)
        assert heads.count("x0//2") == heads.count("x1//2") == 1
        deep = words(draw("((2,2,2),(2,2,2)):((1,4,16),(2,8,32))").svg)
        assert {"x0//4", "x0//2%2", "x0", "x1//4", "x1//2%2", "x1"} <= set(deep)
        uneven = side(Layout((24,), [(0, 6, 4, 12), (0, 4, 2, 3), (0, 1, 4, 1)]), 0, 24, 24)
        assert [level.name for level in uneven.levels] == ["x0//8", "x0//6", "x0//4", "x0"]  # none divides the one before
        assert block_sizes(tl.layout("bf16[16,256]{1,0:T(8,128)(2,1)}"), 0) == (8, 2)


class TestNarrowElements:
    def test_bytes_and_words_are_marked(self):
        told = words(draw(tl.presets.get("awq_int4"), (2, 16)).svg)
        assert [word for word in told if word.startswith("byte")] == [f"byte {byte}" for byte in range(16)]
        assert [word for word in told if word.startswith("word")] == [f"word {word}" for word in range(4)]

    def test_a_row_is_a_word(self):
        """AutoAWQ: the nibbles of a word, lowest first, are columns 0, 2, 4, 6, 1, 3, 5, 7."""
        memory = drawn(draw(tl.presets.get("awq_int4"), (1, 8)).svg, "memory")
        assert [cell.x[1] for cell in memory] == [0, 2, 4, 6, 1, 3, 5, 7]

    @pytest.mark.parametrize("bits", [1, 3, 6, 10**30])
    def test_widths_that_divide_nothing(self, bits):
        layout = Layout((9,), [(0, 1, 9, 1)], element=("", bits))
        told = words(draw(layout).svg)
        if bits < 8:
            shown = [int(word.split()[-1]) for word in told if re.fullmatch(r"byte \d+", word)]
            assert set(shown) <= set(range(-(-9 * bits // 8)))
        assert len(drawn(draw(layout).svg, "memory")) == 9

    def test_rows_of_bits_that_are_no_word_say_their_byte(self):
        strip = draw("pred[9,9]{1,0:T(4,4)E(1)}").scenes[0].strip
        assert [strip.place(row[0].slot) for row in strip.rows[:3]] == ["byte 0", "byte 2", "byte 4"]

    def test_rows_of_wide_elements_say_their_byte(self):
        assert [word for word in words(draw(FIGURE_1).svg) if word.startswith("byte")] == ["byte 0", "byte 48"]


class TestElision:
    @given(st.integers(1, 5000), st.integers(0, 200), st.lists(st.integers(2, 600), max_size=3), st.integers(8, 24))
    def test_the_coordinates_that_matter_are_kept(self, size, padding, cuts, most):
        layout = Layout((size,), [(0, cut, size, 1) for cut in cuts] + [(0, 1, size, 1)])
        kept = side(layout, 0, size + padding, most)
        wanted = {0, size + padding - 1, size - 1} | ({size} if padding else set())
        if kept.blocks:
            last = (size - 1) // kept.blocks[0] * kept.blocks[0]
            wanted |= {kept.blocks[0] - 1, kept.blocks[0], last - 1, last}
        assert wanted <= set(kept.kept)
        assert list(kept.kept) == sorted(set(kept.kept))
        assert len(kept.kept) == min(most, size + padding)
        assert {(size - 1) // 2, size // 2} <= set(side(layout, 0, size + padding, 4, ((size - 1) // 2, size // 2)).kept)
        left_out = {x for a, b in kept.left_out for x in range(a, b + 1)}
        assert left_out | set(kept.kept) == set(range(size + padding))
        assert not left_out & set(kept.kept)

    def test_a_large_array_keeps_its_ends_and_first_and_last_tiles(self):
        layout = tl.layout("f32[1000,1000]{1,0:T(8,128)}")
        svg = draw(layout).svg
        grid, memory = ({cell.x: cell for cell in drawn(svg, part)} for part in ("grid", "memory"))
        for r, c in product((0, 7, 8, 991, 992, 999), (0, 127, 128, 895, 896, 999)):
            assert grid[r, c].slot == layout(r, c)
        assert grid[0, 1000].fill == grid[999, 1023].fill == "url(#tl-hatch)"
        slots = {cell.slot for cell in drawn(svg, "memory")}
        ends = [layout(0, 999), layout(999, 0), layout(999, 999)]
        assert {0, layout.slots - 1, layout(8, 0), layout(0, 128), *ends, *(end + 1 for end in ends)} <= slots
        assert memory[0, 0].slot == 0
        assert len(grid) + len(memory) < 1000
        assert "left out: x0 = 3 to 4, 11 to 989, 994 to 996" in words(svg)

    def test_what_is_left_out_of_memory_is_said(self):
        svg = draw("f32[1000]").svg
        shown = {cell.slot for cell in drawn(svg, "memory")}
        stretches = [re.fullmatch(r"… slots (\d+) to (\d+) …", word) for word in words(svg)]
        left_out = {slot for match in stretches if match for slot in range(int(match[1]), int(match[2]) + 1)}
        assert shown | left_out == set(range(1000))
        assert not shown & left_out

    def test_memory_with_gaps_shows_where_the_second_row_of_an_array_begins(self):
        cells = drawn(draw("strides=(128,1), offset=5", (4, 6)).svg, "memory")
        assert {cell.x for cell in cells if cell.x and len(cell.x) == 2} >= {(row, column) for row in (0, 1, 3) for column in range(6)}

    def test_an_offset_is_no_turn(self):
        assert tl.draw("strides=(128,1), offset=5", (4, 6)).scenes[0].strip.width == 16

    def test_long_formulas_have_a_line_for_each_sum(self):
        told = words(draw("S<3,3,3> o 0 o (8,64):(64,1)").svg)
        assert told[2:4] == ["m0 = 64*x0 + x1", "m1 = (m0 // 8 % 2) + (m0 // 64 % 2)"]
        assert told[6].startswith("slot = (m0 % 8) + 8*(m1 % 2)")
        lines = draw("S<7,3,7> o 0 o (1024,1024):(1024,1)").text().splitlines()
        assert lines[2] == ""

    def test_many_panels(self):
        layout = tl.layout("f32[50,40,2,2]{3,2,1,0:T(8,2,2)}")
        svg = draw(layout).svg
        panels = {cell.x[:2] for cell in drawn(svg, "grid")}
        assert {(0, 0), (49, 39), (49, 0), (0, 8), (0, 39)} <= panels
        assert f"left out: {50 * 40 - len(panels)} panels of 2000" in words(svg)

    @pytest.mark.parametrize(
        "described", ["f32[2147483648,2147483647]", "cute:S<3,3,3> o 0 o (32768,32768):(32768,1)", "s4[3,2305843009213693951]{1,0}"]
    )
    def test_what_is_too_large_to_hold(self, described):
        layout = tl.layout(described)
        for cell in drawn(draw(described).svg, "grid"):
            assert layout(*cell.x) == cell.slot

    def test_memory_that_cannot_be_told(self):
        picture = draw("cute:(8192,8192):(1,0)")
        assert any(word.startswith("memory is not drawn") for word in words(picture.svg))
        assert "memory is not drawn" in picture.text()

    def test_many_axes(self):
        svg = draw(Layout((2,) * 40, [(axis, 1, 2, 1 << axis) for axis in range(40)])).svg
        assert 0 < len(drawn(svg, "grid")) <= 48


class TestColors:
    def test_by_a_coordinate(self):
        fills = {cell.x: cell.fill for cell in drawn(draw(FIGURE_1, color="x1//2").svg, "grid")}
        assert {fills[r, c] for r in range(3) for c in (2, 3)} == {FILLS[1].light}

    @pytest.mark.parametrize(
        ("color", "value"),
        [("x0", lambda x, slot: x[0]), ("slot%4", lambda x, slot: slot % 4), (" x1 // 2 % 2 ", lambda x, slot: x[1] // 2 % 2)],
    )
    def test_by_an_expression(self, color, value):
        for cell in drawn(draw("u8[6,6]", color=color).svg, "memory"):
            assert cell.fill == FILLS[value(cell.x, cell.slot)].light

    def test_by_a_digit(self):
        layout = tl.layout(FIGURE_1)
        for digit in layout.digits:
            for cell in drawn(draw(layout, color=digit).svg, "grid"):
                if inside(cell.x, layout.shape):
                    assert cell.fill == FILLS[digit.value(cell.x)].light

    @settings(max_examples=20)
    @given(strategies.layouts(strategies.shapes.filter(lambda shape: len(shape) >= 1), most_slots=500))
    def test_tiles_side_by_side_differ(self, layout):
        fills = {cell.x: cell.fill for cell in drawn(draw(layout).svg, "grid") if inside(cell.x, layout.shape)}
        if "colours: tile" not in draw(layout).text():
            return
        blocks = [next(iter(block_sizes(layout, axis)), size) for axis, size in enumerate(layout.shape)]
        if np.prod([-(-size // block) for size, block in zip(layout.shape, blocks, strict=True)]) <= len(FILLS):
            assert len(set(fills.values())) == len({tuple(np.floor_divide(x, blocks)) for x in fills})
        else:
            assert set(fills.values()) <= {fill.light for fill in FILLS[:TILE_FILLS]}
        for axis in range(layout.ndim):
            block = next(iter(block_sizes(layout, axis)), None)
            for x, fill in fills.items():
                neighbour = (*x[:axis], x[axis] + 1, *x[axis + 1 :])
                if neighbour in fills:
                    assert (fills[neighbour] == fill) == (not block or neighbour[axis] % block != 0)

    def test_swizzles_by_what_they_change(self):
        assert "colours: slot%4" in words(draw(SWIZZLED).svg)
        assert "colours: slot//8%8" in words(draw("cute:S<3,3,3> o 0 o (8,64):(64,1)").svg)

    @pytest.mark.parametrize(("color", "values"), [("slot%4", 4), ("x1//2%3", 3), (tl.Digit(1, 1, 5, 1), 5), ("x1", 0), ("slot%17", 0)])
    def test_few_values_have_a_legend(self, color, values):
        root = ET.fromstring(draw(FIGURE_1, color=color).svg)
        [sheet] = [child for child in root if child.tag == f"{SVG}g"]
        assert [rect.get("fill") for rect in sheet.findall(f"{SVG}rect")] == [fill.light for fill in FILLS[:values]]

    def test_merged_axes_by_their_blocks(self):
        assert "colours: m0//4, m0 = 7*x1 + x2" in words(draw("f32[3,5,7]{2,1,0:T(*,4)}").svg)

    def test_none(self):
        svg = draw(FIGURE_1, color="none").svg
        assert {cell.fill for cell in drawn(svg, "grid")} == {FILLS[0].light, "url(#tl-hatch)"}
        assert not any(word.startswith("colours") for word in words(svg))

    @pytest.mark.parametrize("dark", [False, True])
    def test_text_is_legible(self, dark):
        """WCAG 2.1, 1.4.3: contrast of at least 4.5 to 1."""
        color = (lambda role: role.dark) if dark else (lambda role: role.light)
        for fill in (*FILLS, ROLES["paper"], ROLES["void"]):
            assert contrast(color(fill), color(ROLES["ink"])) >= 4.5
        for fill in FILLS:
            pale = mixed(rgb(color(ROLES["paper"])), rgb(color(fill)), PALE)
            assert contrast(pale, color(ROLES["muted"])) >= 4.5
        for ground in ("paper", "void"):
            assert contrast(color(ROLES[ground]), color(ROLES["muted"])) >= 4.5

    def test_every_color_has_its_dark_counterpart(self):
        style = ET.fromstring(draw(FIGURE_1).svg).find(f"{SVG}style").text
        assert "prefers-color-scheme: dark" in style
        assert all(f".tl-{name} {{ {role.attribute}: {role.dark} }}" in style for name, role in ROLES.items())
        classes = set(re.findall(r'class="([^"]*)"', draw(FIGURE_1).svg))
        assert classes <= {f"tl-{name}" for name in ROLES}

    def test_terminals_tell_the_fills_of_tiles_apart(self):
        assert len({terminal_color(number) for number in range(8)}) == 8


def rgb(color):
    return tuple(int(color[k : k + 2], 16) for k in (1, 3, 5))


def contrast(one, other):
    def luminance(color):
        parts = [part / 255 for part in rgb(color)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


class TestLooking:
    """What of a layout is looked at: labels, a region, and how much is drawn."""

    @settings(max_examples=20)
    @given(st.data(), strategies.layouts(most_slots=300))
    def test_labels_tell_quotients(self, data, layout):
        axis = data.draw(st.sampled_from([None, *range(layout.ndim)]))
        divisor, modulus = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 9))
        name = "slot" if axis is None else f"x{axis}"
        for cell in drawn(draw(layout, label=f"<{{{name} // {divisor}%{modulus}}}> {{slot}}").svg, "grid"):
            if inside(cell.x, layout.shape):
                value = cell.slot if axis is None else cell.x[axis]
                assert cell.label == f"<{value // divisor % modulus}> {cell.slot}"
            else:
                assert cell.label == "pad"

    def test_labels_are_told(self):
        assert "T{slot%4} of each element" in words(draw(FIGURE_1, label="T{slot%4}").svg)
        assert "T{slot%4} of each element" in draw(FIGURE_1, label="T{slot%4}").text()
        assert {cell.label for cell in drawn(draw(FIGURE_1, label="").svg, "grid")} == {None, "pad"}

    @settings(max_examples=20)
    @given(st.data(), strategies.layouts(strategies.shapes.filter(bool), most_slots=300))
    def test_a_region_stands_out(self, data, layout):
        box = tuple(slice(*sorted((data.draw(st.integers(0, n)), data.draw(st.integers(0, n))))) for n in layout.shape)
        svg = draw(layout, region=box).svg
        for part in ("grid", "memory"):
            for cell in drawn(svg, part):
                element = cell.x is not None and inside(cell.x, layout.shape)
                within = element and all(side.start <= k < side.stop for k, side in zip(cell.x, box, strict=True))
                assert cell.pale == (element and not within)

    def test_the_ends_of_a_region_are_drawn(self):
        svg = draw("f32[9,1000,1000]{2,1,0:T(8,128)}", region=np.s_[5, 300:303, 500:503]).svg
        for part in ("grid", "memory"):
            assert {(5, r, c) for r in (300, 302) for c in (500, 502)} <= {cell.x for cell in drawn(svg, part) if not cell.pale}
        assert "pale: elements outside region [5:6, 300:303, 500:503]" in words(svg)

    def test_text_leaves_out_what_is_not_in_the_region(self):
        text = draw(FIGURE_1, region=np.s_[1:, 2:4]).text()
        assert "  1┃          ┃   6    7 ┃      ·11 ┃" in text
        assert "  12┃              ..    .. ┃ 2,2   2,3    ..    .. ┃" in text
        assert "blank: elements outside region [1:3, 2:4]" in text

    def test_differences_are_marked_in_the_region_only(self):
        cells = drawn(draw("{0,1}", (3, 3), against="{1,0}", region=np.s_[0]).svg, "grid")
        assert {cell.x for cell in cells if cell.bold} == {(0, 1), (0, 2)}

    def test_the_most_is_drawn(self):
        svg = draw("S<3,3,3> o 0 o (8,64):(64,1)", most=64).svg
        assert len(drawn(svg, "grid")) == len(drawn(svg, "memory")) == 512
        assert not any(word.startswith("left out") for word in words(svg))
        assert len(drawn(draw("f32[100,100]", most=8).svg, "grid")) == 64

    def test_every_tile_has_a_cell_where_there_is_room(self):
        cells = drawn(draw("S<3,3,3> o 0 o (8,64):(64,1)").svg, "grid")
        assert {cell.x[1] // 8 for cell in cells} == set(range(8))

    @pytest.mark.parametrize(
        ("asked", "message"),
        [
            ({"label": "T{slot"}, "label='T{slot' has a brace without its other"),
            ({"label": "}"}, "has a brace without its other"),
            ({"label": "{y}"}, "expected 'slot' or a coordinate of shape (3, 5) such as x0, found 'y'"),
            ({"label": "{}"}, "found the end of the text"),
            ({"label": "{{slot}}"}, "has a brace without its other"),
            ({"label": 5}, "label=5 is no label"),
            ({"region": np.s_[::2]}, "step 2 on axis 0"),
            ({"region": np.s_[9]}, "asks for 9 on axis 0"),
            ({"region": "1:2"}, "region"),
            ({"most": 7}, "most=7: a side is drawn with 8 to 256"),
            ({"most": 10**30}, "a side is drawn with 8 to 256"),
            ({"most": "16"}, "most='16' is no number of coordinates"),
        ],
    )
    def test_what_is_refused(self, asked, message):
        with pytest.raises(tl.LayoutError) as error:
            draw(FIGURE_1, **asked)
        assert message in str(error.value)


class TestComparing:
    @settings(max_examples=20)
    @given(st.data(), strategies.shapes)
    def test_what_moved_is_marked_and_what_stays_is_pale(self, data, shape):
        a, b = (data.draw(strategies.layouts(st.just(shape), most_slots=300)) for _ in range(2))
        svg = draw(b, against=a).svg
        for part in ("grid", "memory"):
            for cell in drawn(svg, part):
                held = cell.x is not None and inside(cell.x, shape)
                assert cell.bold == (held and a(*cell.x) != b(*cell.x))
                assert cell.pale == (held and a(*cell.x) == b(*cell.x))

    def test_the_slot_before_is_told(self):
        assert "(0,2) → slot 4, before 2" in draw("{1,0:T(2,2)}", (2, 4), against="{1,0}").svg

    def test_what_moved_is_counted(self):
        a, b = tl.layout("{1,0:T(2,2)}", (40, 40)), tl.layout("{1,0}", (40, 40))
        count = tl.diff(a, b).count
        said = "bold, with a dot: elements that lie in another slot than in"
        assert f"{said} the other layout, {count} of 1600" in words(draw(a, against=b).svg)
        assert f"{said} {{1,0}}, {count} of 1600" in words(draw(a, against="{1,0}").svg)
        assert f"{said} the first layout, {count} of 1600" in words(compare(b, a).svg)
        assert f"{said} {{1,0}}, {count} of 1600" in words(compare("{1,0}", a, (40, 40)).svg)

    @pytest.mark.parametrize(
        ("before", "after", "shape"),
        [
            ("{1,0:T(8,128)(2,1)}", "{0,1:T(8,128)}", (1000, 700)),
            ("S<3,3,3> o 0 o (8,64):(64,1)", "(8,64):(64,1)", None),
            ("{2,1,0:T(2,2)}", "{0,1,2:T(2,4)}", (30, 5, 40)),
            ("{1,0:T(8,128)}", "{1,0}", (5, 3)),
        ],
    )
    def test_side_by_side_the_same_elements_are_drawn(self, before, after, shape):
        layout = tl.layout(before, shape)
        picture = compare(before, after, shape)
        one, other = ({cell.x for cell in drawn(picture.svg, "grid", scene) if cell.x and inside(cell.x, layout.shape)} for scene in (0, 1))
        assert one <= other
        heads = [line.split()[1:] for line in picture.text().splitlines() if line.lstrip().startswith("x1  ")]
        if layout.ndim == 2:
            first, second = ([x for x in head if int(x) < layout.shape[1]] for head in heads)
            assert first == second

    @settings(max_examples=30)
    @given(st.data(), strategies.shapes, st.sampled_from([None, 8]))
    def test_any_two_are_drawn_side_by_side(self, data, shape, most):
        a, b = (data.draw(strategies.layouts(st.just(shape), most_slots=3000)) for _ in range(2))
        picture = compare(a, b, most=most)
        one, other = (
            {cell.x for cell in drawn(picture.svg, "grid", scene) if cell.x is not None and inside(cell.x, shape)} for scene in (0, 1)
        )
        assert one <= other
        assert picture.text(columns=70)

    def test_either_layout_may_have_the_sizes(self):
        assert compare(FIGURE_1, "{0,1}").svg == compare(FIGURE_1, "{0,1}", (3, 5)).svg
        assert compare("{0,1}", FIGURE_1).svg == compare("{0,1}", FIGURE_1, (3, 5)).svg
        assert draw("{0,1}", against=FIGURE_1).svg == draw("{0,1}", (3, 5), against=FIGURE_1).svg
        with pytest.raises(tl.LayoutError, match="says nothing of sizes"):
            compare("{0,1}", "{1,0}")

    @pytest.mark.parametrize("color", ["tile", "none", "x1//2", "slot%8"])
    @pytest.mark.parametrize("layout", [FIGURE_1, "cute:S<3,3,3> o 0 o (8,64):(64,1)", "f32[30,5000]{1,0:T(8,128)}"])
    def test_drawings_go_to_other_processes(self, layout, color):
        for drawing in draw(layout, color=color, label="a{slot//2}"), compare(layout, layout, color=color):
            assert pickle.loads(pickle.dumps(drawing)).svg == drawing.svg
            assert copy.deepcopy(drawing).text() == drawing.text()

    def test_wide_drawings_stand_below_each_other(self):
        wide, narrow = (ET.fromstring(compare("{1,0:T(8,128)}", "{1,0}", (n, n)).svg) for n in (1000, 4))
        tops = [[g.get("transform").split()[1] for g in root if g.tag == f"{SVG}g"] for root in (wide, narrow)]
        assert [len(set(each)) for each in tops] == [2, 1]
        assert far_corner(wide) <= (float(wide.get("width")), float(wide.get("height")))

    def test_nothing_moved(self):
        svg = draw("{1,0}", (1, 7), against="{0,1}").svg
        assert "every element drawn has the slot that it has in {0,1}" in words(svg)

    def test_what_moved_in_the_memory_alone(self):
        svg = draw("((32,2,4,2,8)):((1,256,64,32,512))", against="4096:1").svg
        assert not any(cell.bold for cell in drawn(svg, "grid"))
        assert any(cell.bold for cell in drawn(svg, "memory"))
        assert "bold, with a dot: elements that lie in another slot than in 4096:1, 2048 of 4096" in words(svg)

    def test_what_moved_and_is_not_drawn_is_counted(self):
        said = "every element of the region that is drawn has the slot that it has in {0,1}; 12 of 16 elements lie in another"
        assert said in words(draw("{1,0}", (4, 4), against="{0,1}", region=(0, 0)).svg)

    def test_side_by_side_elements_keep_their_colour(self):
        svg = compare("{1,0:T(2,2)}", "{0,1}", (4, 4)).svg
        before, after = ({cell.x: cell.fill for cell in drawn(svg, "grid", scene)} for scene in (0, 1))
        assert before == after
        assert len(set(before.values())) == 4
        moved = {cell.x for cell in drawn(svg, "grid", 1) if cell.bold}
        a, b = tl.layout("{1,0:T(2,2)}", (4, 4)), tl.layout("{0,1}", (4, 4))
        assert moved == {x for x in product(range(4), range(4)) if a(*x) != b(*x)}
        assert not any(cell.bold or cell.pale for cell in drawn(svg, "grid", 0))


class TestRefusals:
    @pytest.mark.parametrize(
        ("color", "message"),
        [
            ("tiles", "found 'tiles'"),
            ("x2", "a coordinate of shape (3, 5) such as x0, found 'x2'"),
            ("x1/2", "expected '/', found '2'"),
            ("x1//0", "0 is no divisor"),
            ("x1//-2", "-2 is no divisor"),
            ("x1%", "expected an integer"),
            ("x1//2 2", "expected the end of the text"),
            ("x1//" + "9" * 40, "does not fit in 64 bits"),
            ("", "found the end of the text"),
            (7, "color=7 is no colouring"),
            (None, "color=None is no colouring"),
            (tl.Digit(5, 1, 2, 1), "names axis 5"),
            (tl.Digit("x", 1, 2, 1), "is no digit"),
        ],
    )
    def test_colors(self, color, message):
        with pytest.raises(tl.LayoutError) as error:
            draw(FIGURE_1, color=color)
        assert message in str(error.value)

    def test_shapes_that_differ(self):
        for made in (lambda: draw(FIGURE_1, against="f32[3,4]"), lambda: compare(FIGURE_1, "f32[5,3]")):
            with pytest.raises(tl.ShapeError, match=r"is an array of shape \(\d, \d\), not \(3, 5\)"):
                made()

    @pytest.mark.parametrize("described", ["", "no layout", 5, None])
    def test_what_is_no_layout(self, described):
        with pytest.raises(tl.LayoutError, match=r"an empty text is no layout|the form of no notation|a layout is text"):
            draw(described)


class TestFiles:
    def test_svg(self, tmp_path):
        picture = draw(FIGURE_1)
        picture.save(tmp_path / "tiles.SVG")
        assert (tmp_path / "tiles.SVG").read_text(encoding="utf-8") == picture.svg == picture._repr_svg_()
        assert [path.name for path in tmp_path.iterdir()] == ["tiles.SVG"]

    @pytest.mark.parametrize("path", ["tiles", "tiles.gif", "", 5, None, b"tiles.svg"])
    def test_names_that_say_no_format(self, path, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        with pytest.raises(tl.LayoutError, match=r"\.svg, \.png, \.pdf"):
            draw(FIGURE_1).save(path)
        assert not list(tmp_path.iterdir())

    def test_a_folder_that_is_not_there(self, tmp_path):
        with pytest.raises(tl.LayoutError, match="missing"):
            draw(FIGURE_1).save(tmp_path / "missing" / "tiles.svg")

    @pytest.mark.parametrize("ending", ["png", "pdf"])
    def test_the_extra_that_is_missing_is_named(self, ending, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "cairosvg", None)
        with pytest.raises(tl.LayoutError, match=rf"{ending.upper()} needs cairosvg.*tilelayout\[viz\]"):
            draw(FIGURE_1).save(tmp_path / f"tiles.{ending}")
        assert not list(tmp_path.iterdir())

    def test_the_library_that_is_missing_is_named(self, tmp_path, monkeypatch):
        class Finder:
            def find_spec(self, name, path=None, target=None):
                if name == "cairosvg":
                    raise OSError("no library called 'cairo-2' was found")

        monkeypatch.delitem(sys.modules, "cairosvg", raising=False)
        monkeypatch.setattr(sys, "meta_path", [Finder(), *sys.meta_path])
        with pytest.raises(tl.LayoutError, match="libcairo2 on Debian"):
            draw(FIGURE_1).save(tmp_path / "tiles.png")

    def test_cairosvg_gets_the_drawing(self, tmp_path, monkeypatch):
        fake = types.SimpleNamespace(
            svg2png=lambda bytestring, scale: b"png" + bytestring, svg2pdf=lambda bytestring, scale: b"pdf" + bytestring
        )
        monkeypatch.setitem(sys.modules, "cairosvg", fake)
        for ending in ("png", "pdf"):
            draw(FIGURE_1).save(str(tmp_path / f"tiles.{ending}"))
            assert (tmp_path / f"tiles.{ending}").read_bytes() == ending.encode() + draw(FIGURE_1).svg.encode()

    @pytest.mark.parametrize(("ending", "magic"), [("png", b"\x89PNG\r\n"), ("pdf", b"%PDF-")])
    def test_real_pictures(self, ending, magic, tmp_path):
        pytest.importorskip("cairosvg", exc_type=(ImportError, OSError))
        draw("bf16[16,256]{1,0:T(8,128)(2,1)}").save(tmp_path / f"tiles.{ending}")
        assert (tmp_path / f"tiles.{ending}").read_bytes().startswith(magic)


class TestText:
    def test_titles_are_escaped(self):
        class Odd:
            def bind(self, shape=None):
                return Layout((2,), [(0, 1, 2, 1)])

            def __str__(self):
                return "<&\"'>\x00\x1b[1m\ud800\ufffe " + "x" * 500

        title = ET.fromstring(draw(Odd()).svg).find(f"{SVG}title").text
        assert title.startswith("<&\"'> [1m")
        assert len(title) <= 101
        draw(Odd()).svg.encode()

    @settings(max_examples=20)
    @given(ANY)
    def test_the_same_layout_makes_the_same_drawing(self, layout):
        again = Layout(layout.shape, layout.digits, slots=layout.slots)
        assert draw(layout).svg == draw(again).svg

    def test_the_sheet_holds_what_is_on_it(self):
        for described in (FIGURE_1, SWIZZLED, "f32[1000,1000]{1,0:T(8,128)}", "f32[2,3,4,5]"):
            root = ET.fromstring(draw(described).svg)
            assert far_corner(root) <= (float(root.get("width")), float(root.get("height")))


def far_corner(group, x=0.0, y=0.0):
    """The largest coordinates of rectangles, each on its own."""
    move = re.fullmatch(r"translate\((\S+) (\S+)\)", group.get("transform", ""))
    x, y = (x + float(move[1]), y + float(move[2])) if move else (x, y)
    corners = [(0.0, 0.0)]
    for child in group:
        if child.tag == f"{SVG}g":
            corners.append(far_corner(child, x, y))
        elif child.tag == f"{SVG}rect" and child.get("x"):
            corners.append((x + float(child.get("x")) + float(child.get("width")), y + float(child.get("y")) + float(child.get("height"))))
    return max(a for a, _ in corners), max(b for _, b in corners)


def test_a_side_without_an_axis_has_one_place():
    assert (NO_AXIS.levels, NO_AXIS.left_out) == ([], [])
