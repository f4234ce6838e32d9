"""Drawings as text, and the command that makes drawings, run as a user would."""

import io
import json
import re
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
import tilelayout as tl
from tilelayout import Layout
from tilelayout.cli import main
from tilelayout.drawing import compare, draw
from tilelayout.drawing.lines import WIDEST
from tilelayout.tables import coordinate_text

FIGURE_1 = "f32[3,5]{1,0:T(2,2)}"
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


class TestText:
    def test_figure_1_of_the_tiled_layout_page(self):
        assert draw(FIGURE_1).text() == "\n".join(
            [
                "f32[3,5]{1,0:T(2,2)}",
                "3×5 elements of float32 in 24 slots, of which 9 are padding (37.5%)",
                "slot = 12*(x0 // 2) + 4*(x1 // 2) + 2*(x0 % 2) + (x1 % 2)",
                "",
                " x1    0    1     2    3     4    5",
                " x0┏━━━━━━━━━━┳━━━━━━━━━━┳━━━━━━━━━━┓",
                "  0┃   0    1 ┃   4    5 ┃   8   ·9 ┃",
                "  1┃   2    3 ┃   6    7 ┃  10  ·11 ┃",
                "   ┣━━━━━━━━━━╋━━━━━━━━━━╋━━━━━━━━━━┫",
                "  2┃  12   13 ┃  16   17 ┃  20  ·21 ┃",
                "  3┃ ·14  ·15 ┃ ·18  ·19 ┃ ·22  ·23 ┃",
                "   ┗━━━━━━━━━━┻━━━━━━━━━━┻━━━━━━━━━━┛",
                "",
                "slot",
                "   0┃ 0,0   0,1   1,0   1,1 ┃ 0,2   0,3   1,2   1,3 ┃ 0,4    ..   1,4    .. ┃ byte 0",
                "  12┃ 2,0   2,1    ..    .. ┃ 2,2   2,3    ..    .. ┃ 2,4    ..    ..    .. ┃ byte 48",
                "",
                "colours: tile x0//2, x1//2",
                ".. and · padding",
            ]
        )

    @settings(max_examples=20)
    @given(st.one_of(strategies.layouts(most_slots=150), strategies.strided_layouts()))
    def test_small_layouts_are_told_whole(self, layout):
        grid, _, strip = draw(layout).text().partition("\nslot\n")
        if max(layout.shape[-2:], default=0) <= 8 and np.prod(layout.shape[:-2]) <= 4 and layout.size:
            shown = [int(number) for number in re.findall(r"[┃│ ](\d+)(?= )", cells_of(grid))]
            assert sorted(shown) == sorted(layout.offsets().ravel().tolist())
        if layout.slots <= 64 and layout.slots:
            held = layout.coordinates(range(layout.slots), padding="mark").tolist() if layout.size else []
            padding = layout.is_padding(range(layout.slots)) if layout.size else [True] * layout.slots
            wanted = [".." if nothing else coordinate_text(x) for x, nothing in zip(held or padding, padding, strict=True)]
            rows = [line.split("┃")[1:] for line in strip.split("\n\n")[0].splitlines()]
            assert " ".join(" ".join(parts[: -1 if parts[-1:] else None]) for parts in rows).replace("│", " ").split() == wanted

    def test_elements_are_told_before_the_padding_that_is_left_out(self):
        text = draw(Layout((7,), [(0, 5, 8, 5), (0, 1, 5, 1)], slots=40)).text()
        assert re.search(r"┃ +0 +1 +2 +3 +4 ┃ +5 +6 +·7", text)
        assert "left out: x0 = 8 to 9, 11 to 14" in text

    def test_levels_have_their_own_lines(self):
        text = draw("bf16[16,256]{1,0:T(8,128)(2,1)}").text()
        assert text.count("┠") == 6
        assert text.count("┣") == 1

    @settings(max_examples=15)
    @given(strategies.layouts(most_slots=150))
    def test_colours_and_ascii_change_nothing_else(self, layout):
        picture = draw(layout)
        plain = picture.text()
        assert ESCAPES.sub("", picture.text(color=True)) == plain == str(picture)
        bare = picture.text(ascii_only=True)
        assert bare.isascii()
        assert [len(line) for line in bare.splitlines()] == [len(line) for line in plain.splitlines()]

    @pytest.mark.parametrize(
        "described", ["f32[2,3,4,5]", "bf16[16,256]{1,0:T(8,128)(2,1)}", "NCHW4c", "S<3,3,3> o 0 o (8,64):(64,1)", "f32[8,100]{1,0:T(8)}"]
    )
    def test_panels_and_strips_stay_narrow(self, described):
        text = draw(described, (1, 6, 2, 3) if described == "NCHW4c" else None).text()
        assert max(map(len, text.splitlines())) <= WIDEST

    @settings(max_examples=30)
    @given(strategies.layouts(), st.integers(60, 200))
    def test_no_line_is_wider_than_asked(self, layout, columns):
        picture = draw(layout)
        said = [picture.scenes[0].title, *picture.scenes[0].summary]
        assert max(len(line) for line in picture.text(columns=columns).splitlines() if line not in said) <= columns

    def test_two_drawings_with_padding_of_one_are_no_wider(self):
        lines = compare("f32[33]{0}", "f32[33]{0:T(16)}", region=slice(7, 14)).text().splitlines()
        assert max(map(len, lines)) <= WIDEST
        one, other = ([int(x) for x in line.split()[1:]] for line in lines if line.lstrip().startswith("x0  "))
        assert other == [*one, 33, 47]

    def test_what_is_left_out_goes_on_in_the_next_line(self):
        text = draw("((32,2,4,2,8)):((1,256,64,32,512))").text()
        assert "left out: x0 = 2 to 510, 513 to 1023, 1025 to 1535, 1537 to 2047, 2049 to 2559" in text
        assert "3073 to 3582,\n3585 to 4093" in text
        assert max(map(len, text.splitlines())) <= WIDEST

    def test_narrow_text_keeps_the_ends_and_the_padding(self):
        text = draw("bf16[1000,700]{1,0:T(8,128)(2,1)}").text(columns=80)
        drawn = [line for line in text.splitlines() if "┃" in line]
        assert max(map(len, drawn)) <= 80
        assert text.splitlines()[4].split() == ["x1", "0", "127", "128", "699", "700", "767"]
        assert "{1,0" in draw("{1,0}", (900, 900)).text(columns=1)

    def test_narrow_text_keeps_the_region(self):
        text = draw("{1,0:T(8,128)}", (100, 300), region=np.s_[5:7, 100:102]).text(columns=40)
        assert text.splitlines()[4].split() == ["x1", "0", "100", "101", "383"]
        assert "   5┃         …     740     741  …" in text

    @pytest.mark.parametrize("columns", [0, -1, "80", 80.0, None])
    def test_widths_that_are_none(self, columns):
        with pytest.raises(tl.LayoutError, match="is no width of a text"):
            draw(FIGURE_1).text(columns=columns)

    def test_lines_of_a_colour_drawing_line_up(self):
        text = compare("{1,0}", "{0,1}", (2, 4)).text(color=True)
        assert len({ESCAPES.sub("", line).rfind("┃") for line in text.splitlines() if line.count("┃") == 4}) <= 2

    def test_what_moved_is_starred(self):
        text = draw("{0,1}", (2, 2), against="{1,0}").text()
        assert re.findall(r"\*\d\b(?!,)", text) == ["*2", "*1"]
        assert "* elements that lie in another slot" in text

    @pytest.mark.parametrize("described", ["f32[]", "f32[0,3]", "f32[7]", "cute:(4,4):(1,0)"])
    def test_anything_is_drawn(self, described):
        assert draw(described).text().startswith(described)

    def test_layouts_without_text_say_their_shape(self):
        assert draw(Layout((2,), [(0, 1, 2, 1)])).text().startswith("layout of shape 2\n")


def cells_of(grid):
    """The lines with cells, without the coordinates before them."""
    lines = [re.sub(r"(^|    )\s*\d*┃", r"\1┃", line) for line in grid.splitlines() if "┃" in line]
    return re.sub(r"·\d+", "", "\n".join(lines))


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


class TestCommand:
    @pytest.fixture(autouse=True)
    def _in_a_folder_of_its_own(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)

    def test_text(self, answers):
        assert answers("draw", FIGURE_1) == draw(FIGURE_1).text() + "\n"

    def test_a_file(self, answers, tmp_path):
        assert answers("draw", "{1,0:T(2,2)}", "--shape", "3,5", "--to", "x.svg", "--color", "x1") == "drew {1,0:T(2,2)} in x.svg\n"
        assert (tmp_path / "x.svg").read_text(encoding="utf-8") == draw("{1,0:T(2,2)}", (3, 5), color="x1").svg

    def test_a_file_and_text(self, answers, tmp_path):
        assert answers("draw", FIGURE_1, "--to", "x.svg", "--text") == draw(FIGURE_1).text() + "\n"
        assert (tmp_path / "x.svg").exists()

    def test_two_layouts(self, answers):
        assert answers("draw", "{1,0}", "--shape", "2,2", "--beside", "{0,1}") == compare("{1,0}", "{0,1}", (2, 2)).text() + "\n"
        assert answers("draw", "{1,0}", "--shape", "2,2", "--against", "{0,1}") == draw("{1,0}", (2, 2), against="{0,1}").text() + "\n"

    def test_what_to_look_at(self, answers):
        picture = draw(FIGURE_1, label="T{slot%4}", region=np.s_[1:, 2:4], most=8)
        assert answers("draw", FIGURE_1, "--label", "T{slot%4}", "--region", "1:,2:4", "--most", "8") == picture.text() + "\n"
        both = compare("{1,0}", "{0,1}", (2, 2), region=np.s_[-1])
        assert answers("draw", "{1,0}", "--shape", "2,2", "--beside", "{0,1}", "--region=-1") == both.text() + "\n"

    def test_json(self, answers):
        assert json.loads(answers("draw", FIGURE_1, "--json")) == {"layout": FIGURE_1, "out": None, "text": draw(FIGURE_1).text()}

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (("{1,0}",), "--shape"),
            ((FIGURE_1, "--to", "x.gif"), "must end in .svg, .png, .pdf"),
            ((FIGURE_1, "--color", "x9"), "found 'x9'"),
            ((FIGURE_1, "--region", "1:2:3:4"), "'1:2:3:4' is no region"),
            ((FIGURE_1, "--region", "a"), "'a' is no region"),
            ((FIGURE_1, "--most", "a"), "'a' is no number of coordinates"),
            ((FIGURE_1, "--beside", "f32[2]", "--against", "f32[2]"), "not allowed with"),
            ((FIGURE_1, "--beside", "f32[2]"), "an array of shape (2,), not (3, 5)"),
        ],
    )
    def test_what_is_refused(self, complains, words, message):
        assert message in complains("draw", *words)

    @pytest.mark.parametrize(
        ("environment", "colored"), [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)]
    )
    def test_colours_on_terminals(self, monkeypatch, environment, colored):
        """no-color.org: set and not empty, whatever its value."""
        for name in ("NO_COLOR", "TERM"):
            monkeypatch.delenv(name, raising=False)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "stdout", Terminal())
        assert main(["draw", FIGURE_1]) == 0
        assert ("\x1b[" in sys.stdout.getvalue()) == colored

    def test_as_wide_as_the_terminal(self, monkeypatch):
        described = "bf16[1000,700]{1,0:T(8,128)(2,1)}"
        monkeypatch.setenv("COLUMNS", "80")
        monkeypatch.setenv("NO_COLOR", "1")
        monkeypatch.setattr(sys, "stdout", Terminal())
        assert main(["draw", described]) == 0
        assert sys.stdout.getvalue() == draw(described).text(columns=80) + "\n"
        monkeypatch.setattr(sys, "stdout", io.StringIO())
        assert main(["draw", described]) == 0
        assert sys.stdout.getvalue() == draw(described).text() + "\n"

    def test_terminals_without_box_characters(self, monkeypatch):
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii", write_through=True))
        assert main(["draw", FIGURE_1]) == 0
        assert sys.stdout.buffer.getvalue().decode("ascii") == draw(FIGURE_1).text(ascii_only=True) + "\n"


def test_presets_are_drawn_by_name():
    assert "tile x1//8" in draw(tl.presets.get("awq_int4"), (2, 16)).text()
