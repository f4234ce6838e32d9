"""What is said of a layout in words, formulas and tables is what the layout does."""

import json
import re

import numpy as np
import pytest

import tilelayout as tl
from tilelayout import tables
from tilelayout.describe import explain, facts, padding_slots
from tilelayout.formulas.sums import Formula

FIGURE_1 = "f32[3,5]{1,0:T(2,2)}"

LAYOUTS = {
    text: tl.layout(text)
    for text in (
        FIGURE_1,
        "f32[]",
        "f32[7]{0}",
        "f32[3]{0:T(2,4)}",
        "f32[3]{0:L(8)}",
        "f32[0,3]{1,0:T(2,4)}",
        "bf16[16,256]{1,0:T(8,128)(2,1)}",
        "s4[10]{0:T(4)E(4)}",
        "f32[3,5,7]{2,1,0:T(*,4)}",
        "f32[2,3,4,5]{1,3,0,2:T(2,3)}",
        "f32[9,10]{1,0:T(8,4)(3,3)}",
        "f32[2,3,5,7]{3,2,1,0:T(*,4,*,3)(2,5)}",
    )
} | {
    "strides": tl.Layout((4, 6), [(0, 1, 4, 2), (1, 1, 2, 1), (1, 2, 3, 8)]),
    "shared": tl.Layout((3, 2), [(0, 1, 3, 0), (1, 1, 2, 2)]),
}  # fmt: skip

by_name = pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)


def evaluated(formula, coordinates):
    names = {f"x{axis}": x for axis, x in enumerate(coordinates)}
    for name, meaning in formula.merged.items():
        names[name] = eval(meaning, {}, names)
    return eval(formula.slot, {}, names)


class TestFormula:
    @by_name
    def test_it_gives_the_slot_of_every_element(self, layout):
        formula = Formula(layout)
        for x in np.ndindex(layout.shape):
            assert evaluated(formula, x) == layout(*x)

    def test_merged_axes_are_named(self):
        formula = Formula(tl.layout("f32[3,5,7]{2,1,0:T(*,4)}"))
        assert formula.merged == {"m0": "7*x1 + x2"}
        assert formula.slot == "36*x0 + 4*(m0 // 4) + (m0 % 4)"

    def test_sums_of_sums_are_named_inner_first(self):
        formula = Formula(LAYOUTS["f32[2,3,5,7]{3,2,1,0:T(*,4,*,3)(2,5)}"])
        named = list(formula.merged)
        assert len(named) > 2
        for place, meaning in enumerate(formula.merged.values()):
            assert set(re.findall(r"m\d+", meaning)) <= set(named[:place])

    def test_negative_strides(self):
        class Backwards:
            shape, ndim = (3, 4), 2
            digits = (tl.Digit(0, 1, 3, -4), tl.Digit(1, 1, 4, 1))

        assert Formula(Backwards).slot == "-4*x0 + x1"


class TestFacts:
    def test_figure_1(self):
        known = facts(tl.layout(FIGURE_1))
        assert known == {
            "shape": [3, 5],
            "elements": 15,
            "slots": 24,
            "padding": 9,
            "padding_percent": 37.5,
            "element": {"name": "float32", "bits": 32},
            "element_bytes": 60,
            "buffer_bytes": 96,
            "formula": "12*(x0 // 2) + 4*(x1 // 2) + 2*(x0 % 2) + (x1 % 2)",
            "merged": {},
            "digits": [
                {"axis": 0, "divisor": 2, "radix": 2, "stride": 12},
                {"axis": 1, "divisor": 2, "radix": 3, "stride": 4},
                {"axis": 0, "divisor": 1, "radix": 2, "stride": 2},
                {"axis": 1, "divisor": 1, "radix": 2, "stride": 1},
            ],
            "first_slots": [[0, 0], [0, 1], [1, 0], [1, 1], [0, 2], [0, 3], [1, 2], [1, 3]],
            "offsets": [[0, 1, 4, 5, 8], [2, 3, 6, 7, 10], [12, 13, 16, 17, 20]],
        }

    @by_name
    def test_they_are_plain_values(self, layout):
        assert json.loads(json.dumps(facts(layout))) == facts(layout)

    @by_name
    def test_padding_is_what_no_element_lies_in(self, layout):
        assert padding_slots(layout) == layout.slots - len(np.unique(layout.offsets()))

    def test_narrow_elements_share_bytes(self):
        known = facts(tl.layout("s4[11]{0:T(4)E(4)}"))
        assert (known["element_bytes"], known["buffer_bytes"]) == (6, 6)

    def test_bits_of_no_known_type(self):
        layout = tl.layout("{0:E(4)}", shape=(5,))
        known = facts(layout)
        assert (known["element"], known["buffer_bytes"]) == ({"name": None, "bits": 4}, 3)
        assert "shape   5 (5 elements, 4 bits each)" in explain(layout, "title")

    def test_bytes_of_no_known_type(self):
        known = facts(LAYOUTS["strides"])
        assert known["element"] is known["element_bytes"] is known["buffer_bytes"] is None

    def test_shared_slots_of_a_large_layout_are_not_counted(self):
        layout = tl.Layout((1 << 20, 4), [(0, 1, 1 << 20, 1)])
        assert facts(layout)["padding"] is None
        assert "padding" not in explain(layout, "many")

    def test_layouts_too_large_to_hold_are_described(self):
        known = facts(tl.layout("f32[1000000,1000000]{1,0:T(8,128)}"))
        assert known["slots"] == 1000000 * 1000064
        assert known["offsets"] is None


class TestWords:
    def test_figure_1(self):
        assert explain(tl.layout(FIGURE_1), "Figure 1") == (
            "Figure 1\n"
            "\n"
            "shape   3,5 (15 elements of float32, 32 bits each)\n"
            "slots   24, of which 9 are padding (37.5%)\n"
            "bytes   96, of which 60 are elements\n"
            "\n"
            "slot = 12*(x0 // 2) + 4*(x1 // 2) + 2*(x0 % 2) + (x1 % 2)\n"
            "\n"
            "digit by digit, the slowest first:\n"
            "  x0 // 2   2 values   stride 12   which block of 2 along axis 0\n"
            "  x1 // 2   3 values   stride 4    which block of 2 along axis 1\n"
            "  x0 % 2    2 values   stride 2    where in its block of 2 along axis 0\n"
            "  x1 % 2    2 values   stride 1    where in its block of 2 along axis 1\n"
            "axis 0 is filled up from 3 to 4; axis 1 is filled up from 5 to 6\n"
            "\n"
            "slot of each element (rows: axis 0, columns: axis 1):\n"
            "     0   1   2   3   4\n"
            "0    0   1   4   5   8\n"
            "1    2   3   6   7  10\n"
            "2   12  13  16  17  20\n"
            "\n"
            "slots in order (.. is padding):\n"
            " 0   0,0  0,1  1,0  1,1  0,2  0,3  1,2  1,3  0,4  ..   1,4  ..\n"
            "12   2,0  2,1  ..   ..   2,2  2,3  ..   ..   2,4  ..   ..   .."
        )

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("bf16[16,256]{1,0:T(8,128)(2,1)}", "x0 // 2 % 4   4 values     stride 256    which block of 2 in its block of 8 along axis 0"),
            ("bf16[16,256]{1,0:T(8,128)(2,1)}", "the first slots hold (.. is padding): 0,0  1,0  0,1  1,1  0,2  1,2  0,3  1,3"),
            ("f32[3,5,7]{2,1,0:T(*,4)}", "m0 = 7*x1 + x2\nslot = "),
            ("f32[3,5,7]{2,1,0:T(*,4)}", "m0 is filled up from 35 to 36"),
            ("f32[3]{0:T(2,4)}", "0    2 values   stride 4   always 0: the other values are padding"),
            ("f32[3]{0:L(8)}", "5 slots at the end are beyond every digit"),
            ("f32[]{:L(2)}", "1 slot at the end is beyond every digit"),
            ("f32[]", "shape   () (1 element of float32, 32 bits each)\nslots   1, none of them padding"),
            ("f32[0,3]{1,0:T(2,4)}", "slots   0, none of them padding"),
            ("s4[3]{0:E(4)}", "shape   3 (3 elements of int4, 4 bits each)"),
            ("f32[1,2]{1,0:T(1,3)}", "slots   3, of which 1 is padding (33.33%)"),
        ],
    )
    def test_what_is_said(self, text, said):
        assert said in explain(tl.layout(text), "title")

    @by_name
    def test_every_layout_has_words_in_plain_ascii(self, layout):
        assert explain(layout, "title").isascii()

    def test_shared_slots_are_told(self):
        assert "slots   3, of which 1 is padding (33.33%), and elements share slots" in explain(LAYOUTS["shared"], "shared")


class TestTables:
    @by_name
    def test_the_grid_shows_every_slot(self, layout):
        grid = tables.grid(layout)
        if layout.ndim not in (1, 2) or layout.size == 0 or max(layout.shape) > tables.LONGEST_SIDE:
            assert grid is None
            return
        rows = [[int(cell) for cell in re.findall(r"\d+", line)] for line in grid.splitlines()[1:]]
        offsets = layout.offsets().tolist()
        assert rows == ([offsets] if layout.ndim == 1 else [[number, *row] for number, row in enumerate(offsets)])

    @by_name
    def test_the_strip_shows_every_slot_in_order(self, layout):
        strip = tables.strip(layout)
        if strip is None:
            assert layout.slots == 0 or layout.slots > tables.MOST_SLOTS or not layout.ready.is_reversible
            return
        shown = []
        for line in strip.splitlines():
            begin, *cells = line.split()
            assert int(begin) == len(shown)
            assert len(line) <= 120
            shown += cells
        assert len(shown) == layout.slots
        for slot, cell in enumerate(shown):
            if cell == "..":
                assert layout.is_padding(slot)
            else:
                assert layout(*(int(x) for x in cell.strip("()").split(",") if x)) == slot

    def test_lines_of_the_strip_are_whole_turns(self):
        lines = tables.strip(tl.layout("f32[3,5,7]{2,1,0:T(*,4)}")).splitlines()
        assert [int(line.split()[0]) for line in lines] == list(range(0, 108, 12))

    def test_large_layouts_have_none(self):
        large = tl.layout("f32[17,17]{1,0}")
        assert tables.grid(large) is None
        assert tables.strip(large) is None
