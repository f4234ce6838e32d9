"""What is said of a layout in words, formulas and tables is what the layout does."""

import itertools
import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
import strategies_cute
import strategies_written
import tilelayout as tl
from tilelayout import tables
from tilelayout.cuts import tiles
from tilelayout.describe import explain, facts, padding_slots
from tilelayout.formulas.sums import Formula
from tilelayout.worked import example

FIGURE_1 = "f32[3,5]{1,0:T(2,2)}"

LAYOUTS = {
    text: tl.layout(text)
    for text in (
        FIGURE_1,
        "f32[]",
        "f32[]{:T(8)}",
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


any_layout = st.one_of(
    strategies.layouts(),
    strategies.strided_layouts(),
    strategies_cute.layouts().map(lambda layout: layout.bind()),
    strategies_written.some(),
).filter(lambda layout: layout.size)


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

    @by_name
    def test_the_first_slots_hold_what_is_said(self, layout):
        known = facts(layout)["first_slots"]
        if known is None:
            assert not layout.ready.is_reversible
            return
        held = {layout(*x): list(x) for x in np.ndindex(layout.shape)}
        assert known == [held.get(slot) for slot in range(min(layout.slots, 8))]

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
            "axis 0 is cut into 2 blocks of 2; for these it is filled up from 3 to 4\n"
            "axis 1 is cut into 3 blocks of 2; for these it is filled up from 5 to 6\n"
            "this makes 2 x 3 = 6 tiles of 2,2, each of 4 slots side by side\n"
            "\n"
            "digit by digit, the slowest first:\n"
            "  x0 // 2   2 values   stride 12   which block of 2 along axis 0\n"
            "  x1 // 2   3 values   stride 4    which block of 2 along axis 1\n"
            "  x0 % 2    2 values   stride 2    where in its block of 2 along axis 0\n"
            "  x1 % 2    2 values   stride 1    where in its block of 2 along axis 1\n"
            "\n"
            "element 2,3, digit by digit:\n"
            "  x0 // 2 = 2 // 2 = 1   times 12   is 12\n"
            "  x1 // 2 = 3 // 2 = 1   times 4    is 4\n"
            "  x0 % 2  = 2 % 2  = 0   times 2    is 0\n"
            "  x1 % 2  = 3 % 2  = 1   times 1    is 1\n"
            "12 + 4 + 0 + 1 = 17, its slot: bytes 68 to 71 of the buffer\n"
            "it lies in tile 1,1, and there at 0,1\n"
            "\n"
            "padding lies in slots 9, 11, 14 to 15, 18 to 19, 21 to 23\n"
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
            ("bf16[16,256]{1,0:T(8,128)(2,1)}", "the first slots hold: 0,0  1,0  0,1  1,1  0,2  1,2  0,3  1,3"),
            ("f32[3,5,7]{2,1,0:T(*,4)}", "m0 = 7*x1 + x2\nslot = "),
            ("bf16[16,256]{1,0:T(8,128)(2,1)}", "axis 0 is cut into 2 blocks of 8, each of these into 4 of 2\n"),
            ("bf16[13,256]{1,0:T(8,128)(2,1)}", "8, each of these into 4 of 2; for these it is filled up from 13 to 16\n"),
            ("bf16[16,256]{1,0:T(8,128)(2,1)}", "this makes 2 x 2 = 4 tiles of 8,128, each of 1024 slots side by side"),
            ("u8[6]{0:T(4)}", "this makes 2 tiles of 4, each of 4 slots side by side"),
            ("f32[3,5,7]{2,1,0:T(*,4)}", "m0 is cut into 9 blocks of 4; for these it is filled up from 35 to 36"),
            ("f32[3,5,7]{2,1,0:T(*,4)}", "  m0 = 7*x1 + x2 = 7*3 + 4 = 25\n"),
            ("S<2,0,3> o 0 o (8,8):(8,1)", "whether m1 is odd: the exclusive or of the bits that it adds"),
            ("S<2,0,3> o 5 o (8,8):(8,1)", "m0 = 8*x0 + x1 + 5 = 8*5 + 5 + 5 = 50\n"),
            ("(4,8):(0,1)", "the place along axis 0, which adds nothing"),
            ("(3,2):(0,0)", "digit by digit, the slowest first:"),
            ("(3,2):(1,3)", "digit by digit:"),
            ("s4[10]{0:T(4)E(4)}", "4 + 2 = 6, its slot: bits 0 to 3, counted from the lowest, of byte 3 of the buffer"),
            ("pred[9]{0:E(1)}", "its slot: bit 6, counted from the lowest, of byte 0 of the buffer"),
            ("s8[9]", "its slot: byte 6 of the buffer"),
            ("f32[1000000,1000000]{1,0:T(8,128)}", "the first 1048576 slots hold no padding"),
            ("f32[4,3]{0,1:T(8)}", "padding lies in slots 4 to 7, 12 to 15, 20 to 23\n"),
            ("f32[40,3]{1,0:T(4)}", "padding lies in slots 3, 7, 11, 15, 19, 23, ...\n"),
            ("f32[]", "element ()\nits slot is 0: bytes 0 to 3 of the buffer"),
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

    def test_nothing_is_placed_where_there_are_no_elements(self):
        said = explain(LAYOUTS["f32[0,3]{1,0:T(2,4)}"])
        assert "element" not in said.replace("0 elements", "").replace("are elements", "")
        assert "padding lies" not in said

    def test_an_axis_that_nothing_reads(self):
        said = explain(tl.Layout((3, 4), [(1, 1, 4, 1)]))
        assert "axis 0 is read by no digit: elements that differ in it alone share a slot" in said

    def test_an_element_of_ones_own_choice(self):
        layout = tl.layout(FIGURE_1)
        assert layout.explain() == layout.explain(2, 3)
        assert "element 0,4, digit by digit:" in layout.explain(0, 4)
        for wrong in ((3, 0), (1,), (1, 2, 3)):
            with pytest.raises(tl.LayoutError, match=r"\(3, 5\)"):
                layout.explain(*wrong)

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


class TestTruth:
    """What is said of any layout, in whatever language it was written, is so: every number is worked out again from the text."""

    @settings(max_examples=100, deadline=None)
    @given(any_layout, st.data())
    def test_the_example_adds_up(self, layout, data):
        x = tuple(data.draw(st.integers(0, n - 1)) for n in layout.shape)
        said = layout.explain(*x) if x else layout.explain()
        names = {f"x{axis}": value for axis, value in enumerate(x)}
        lines = said[said.index("\nelement ") :].split("\n\n")[0].splitlines()[2:]
        terms = []
        for line in lines:
            if row := re.fullmatch(r"  (.*?)   +(?:times (-?\d+) +)?is (-?\d+)", line):
                if row[1].strip() != "a constant":
                    chain = {eval(side, {}, names) for side in row[1].split(" = ")}
                    assert len(chain) == 1
                    assert chain.pop() * int(row[2]) == int(row[3])
                terms.append(int(row[3]))
            elif merged := re.fullmatch(r"  (m\d+) = (.*)", line):
                values = {eval(side, {}, names) for side in merged[2].split(" = ")}
                assert len(values) == 1
                names[merged[1]] = values.pop()
        assert len(terms) == len(layout.digits)
        assert sum(terms) == layout(*x)
        (end,) = (line for line in lines if "its slot" in line)
        found = re.fullmatch(r"(?:(.*) = |its slot is )(\d+)(?:, its slot)?(?:: (bytes?|bits?) (\d+).*)?", end)
        assert int(found[2]) == layout(*x) == eval(found[1] or found[2])
        if layout.element and layout.element.bits % 8 == 0:
            assert int(found[4]) * 8 == layout(*x) * layout.element.bits

    @settings(max_examples=100, deadline=None)
    @given(any_layout)
    def test_tiles_are_what_lies_side_by_side(self, layout):
        said = re.search(r"^this makes (?:.* = )?(\d+) tiles? of (\S+), each of (\d+) slots side by side$", layout.explain(), re.MULTILINE)
        if said is None:
            assert tiles(layout) is None
            return
        extents, whole = [int(n) for n in said[2].split(",")], int(said[3])
        x = np.moveaxis(np.indices(layout.shape), 0, -1).reshape(-1, layout.ndim)
        numbers = [tuple(tile) for tile in (x // extents).tolist()]
        assert len(set(numbers)) <= int(said[1])
        slots = {}
        for number, slot in zip(numbers, layout.index(x).tolist(), strict=True):
            slots.setdefault(number, set()).add(slot)
        for held in slots.values():
            assert max(held) - min(held) < whole == np.prod(extents)
        lies = re.search(r"^it lies in tile (\S+), and there at (\S+)$", layout.explain(), re.MULTILINE)
        tile, inside = ([int(n) for n in part.split(",")] for part in lies.groups())
        assert [t * n + i for t, n, i in zip(tile, extents, inside, strict=True)] == list(example(layout))

    @settings(max_examples=100, deadline=None)
    @given(any_layout)
    def test_blocks_cover_their_axis(self, layout):
        for axis, text in re.findall(r"^axis (\d+) is (cut into .*|filled up .*)$", layout.explain(), re.MULTILINE):
            size = layout.shape[int(axis)]
            filled = re.search(r"filled up from (\d+) to (\d+)", text)
            assert filled is None or (int(filled[1]) == size < int(filled[2]))
            counts = [(int(many), int(block)) for many, block in re.findall(r"into (\d+)(?: blocks?)? of (\d+)", text)]
            if counts:
                many, block = counts[0]
                assert many * block == (int(filled[2]) if filled else -(-size // block) * block)
            for (_, outer), (many, inner) in itertools.pairwise(counts):
                assert many * inner == outer

    @settings(max_examples=100, deadline=None)
    @given(any_layout)
    def test_padding_lies_where_it_is_said_to(self, layout):
        said = re.search(r"^padding lies in slots ([\d ,to]*)(\.\.\.)?$", layout.explain(), re.MULTILINE)
        if said is None:
            assert not layout.ready.is_reversible or not layout.padding
            return
        listed = set()
        for run in said[1].rstrip(", ").split(", "):
            first, _, end = run.partition(" to ")
            listed |= set(range(int(first), int(end or first) + 1))
        padding = set(np.flatnonzero(layout.is_padding(np.arange(layout.slots))).tolist())
        last = max(listed)
        assert listed == {slot for slot in padding if slot <= last}
        assert (listed == padding) == (said[2] is None)
