"""The commands that convert, compare, infer and list layouts, run as a user would."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tilelayout as tl
from tilelayout import presets
from tilelayout.cli import main
from tilelayout.formulas import LANGUAGES as PROGRAMS
from tilelayout.formulas import formula
from tilelayout.notations import LANGUAGES
from tilelayout.recipes import recipe

FIGURE_1 = "f32[3,5]{1,0:T(2,2)}"
BARE = "{1,0:T(2,2)}"
BACKWARDS = "cute:(4,3):(-1,4)"


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    """A folder of its own, with an array and its buffer."""
    monkeypatch.chdir(tmp_path)
    array = np.arange(15, dtype="f4").reshape(3, 5)
    np.save("x.npy", array)
    np.save("packed.npy", tl.pack(array, FIGURE_1))
    Path("packed.bin").write_bytes(tl.pack(array, FIGURE_1).tobytes())
    Path("other.bin").write_bytes(bytes(96))
    Path("cut.bin").write_bytes(bytes(7))


class TestConvert:
    def test_to_one(self, answers):
        assert answers("convert", "cute:(4,(2,4)):(2,(1,8))", "--to", "xla") == tl.layout("cute:(4,(2,4)):(2,(1,8))").to("xla") + "\n"

    def test_what_is_printed_reads_back(self, answers):
        for name in LANGUAGES:
            if main(["convert", FIGURE_1, "--to", name]) == 0:
                answers("diff", FIGURE_1, f"{name}:{tl.layout(FIGURE_1).to(name)}", "--shape", "3,5")

    def test_to_all(self, answers):
        lines = answers("convert", BARE, "--shape", "3,5").splitlines()
        assert [line.split()[0] for line in lines] == list(LANGUAGES)
        assert f"xla{' ' * (max(map(len, LANGUAGES)) - 3)}   {BARE}" in lines

    def test_why_not(self, answers):
        (line,) = [line for line in answers("convert", BACKWARDS).splitlines() if line.startswith("xla ")]
        assert re.search(r"^xla +cannot: a layout of shape \(4, 3\) and 12 slots is not expressible in XLA's notation: digit ", line)

    def test_none_is_a_no(self, answers):
        said = answers("convert", BACKWARDS, "--to", "xla", code=1)
        assert said.startswith("a layout of shape (4, 3) and 12 slots is not expressible in XLA's notation: digit ")

    def test_json(self, answers):
        said = json.loads(answers("convert", BACKWARDS, "--json"))
        assert said["layout"] == BACKWARDS
        assert list(said["notations"]) == list(LANGUAGES)
        assert said["notations"]["xla"]["text"] is None
        assert "not expressible" in said["notations"]["xla"]["why_not"]
        assert all((told["text"] is None) != (told["why_not"] is None) for told in said["notations"].values())
        assert list(json.loads(answers("convert", BACKWARDS, "--to", "xla", "--json", code=1))["notations"]) == ["xla"]

    def test_unknown_notations(self, complains):
        assert "argument --to: invalid choice: 'fortran'" in complains("convert", FIGURE_1, "--to", "fortran")


class TestFormula:
    @pytest.mark.parametrize("language", PROGRAMS)
    def test_every_language(self, language, answers):
        assert answers("formula", BARE, "--shape", "3,5", "--language", language) == formula(FIGURE_1, language) + "\n"

    def test_python_is_the_default(self, answers):
        assert answers("formula", FIGURE_1) == formula(FIGURE_1, "python") + "\n"

    def test_json(self, answers):
        said = json.loads(answers("formula", FIGURE_1, "--language", "c", "--json"))
        assert said == {"layout": FIGURE_1, "language": "c", "formula": formula(FIGURE_1, "c")}

    def test_unknown_languages(self, complains):
        assert "argument --language: invalid choice: 'perl'" in complains("formula", FIGURE_1, "--language", "perl")


class TestRecipe:
    def test_words(self, answers):
        assert answers("recipe", BARE, "--shape", "3,5") == f"{recipe(FIGURE_1)}\n"

    def test_code(self, answers):
        names = {}
        exec(answers("recipe", FIGURE_1, "--code"), names)
        np.testing.assert_array_equal(names["pack"](np.load("x.npy")), np.load("packed.npy"))

    def test_json(self, answers):
        said = json.loads(answers("recipe", FIGURE_1, "--json"))
        assert said["steps"][0] == {"action": "pad", "before": [3, 5], "after": [4, 6], "order": []}
        assert (said["words"], said["code"]) == (str(recipe(FIGURE_1)), recipe(FIGURE_1).code())

    def test_none_is_a_no(self, answers):
        said = answers("recipe", BACKWARDS, code=1)
        assert "is not expressible in pads, reshapes and transposes: digit (0, 1, 4, -1)" in said
        assert json.loads(answers("recipe", BACKWARDS, "--json", code=1)) == {"layout": BACKWARDS, "steps": None, "why_not": said.strip()}


class TestDiff:
    def test_a_difference_is_a_no(self, answers):
        assert "13 of 15 elements lie in another slot\nfirst 0,2: slot 4 in a, 2 in b\n" in answers("diff", FIGURE_1, "f32[3,5]", code=1)

    def test_equal_layouts(self, answers):
        assert answers("diff", FIGURE_1, BARE, "--shape", "3,5").endswith("\nequal: every element has the same slot in both\n")

    def test_json(self, answers):
        said = json.loads(answers("diff", FIGURE_1, "f32[3,5]", "--json", code=1))
        assert said == {
            "equal": False,
            "a": {"layout": FIGURE_1, "shape": [3, 5], "slots": 24},
            "b": {"layout": "f32[3,5]", "shape": [3, 5], "slots": 15},
            "first": [0, 2],
            "first_slots": [4, 2],
            "count": 13,
        }

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            ([FIGURE_1], "the following arguments are required: B"),
            ([FIGURE_1, "nonsense"], "form of no notation"),
            ([BARE, "{0,1}"], "--shape 3,5"),
            ([FIGURE_1, BARE, "--shape", "3,6"], "3, 6"),
        ],
    )
    def test_wrong_layouts(self, words, message, complains):
        assert message in complains("diff", *words)


class TestInfer:
    @pytest.mark.parametrize("buffer", ["packed.npy", "packed.bin"])
    def test_words(self, buffer, answers):
        said = answers("infer", "x.npy", buffer)
        assert "shape (3, 5) in 24 slots: 12*(x0 // 2) + 4*(x1 // 2) + 2*(x0 % 2) + (x1 % 2)\n" in said
        assert f"\nxla: {BARE}\n" in said

    def test_json(self, answers):
        said = json.loads(answers("infer", "x.npy", "packed.bin", "--json"))
        assert (said["layout"]["slots"], said["layout"]["padding"]) == (24, 9)
        assert tl.layout(said["notations"]["xla"], (3, 5)) == tl.layout(FIGURE_1)
        assert said["alternatives"] == []

    def test_none_is_a_no(self, answers):
        said = answers("infer", "x.npy", "other.bin", code=1)
        assert "the buffer is no arrangement of the array" in said
        assert json.loads(answers("infer", "x.npy", "other.bin", "--json", code=1)) == {"layout": None, "why_not": said.strip()}

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["missing.npy", "packed.bin"], "cannot read 'missing.npy'"),
            (["x.npy", "missing.bin"], "cannot read 'missing.bin'"),
            (["packed.bin", "x.npy"], "is no .npy file"),
            (["x.npy", "cut.bin"], "7 bytes for elements of float32"),
        ],
    )
    def test_wrong_files(self, words, message, complains):
        assert message in complains("infer", *words)


class TestPresets:
    def test_all(self, answers):
        lines = answers("presets").splitlines()
        assert [line.split()[0] for line in lines] == list(presets.names())
        assert presets.get("awq_int4").summary in "\n".join(lines)

    def test_one(self, answers):
        said = answers("presets", "awq_int4")
        assert re.search(r"^axes +K, N$", said, re.MULTILINE)
        assert presets.get("awq_int4").source in said

    def test_one_for_a_shape(self, answers):
        assert "\npreset:awq_int4 of shape 4,16\n\nshape   4,16 (64 elements" in answers("presets", "awq_int4", "--shape", "4,16")

    def test_every_one_of_its_example(self, answers):
        for name in presets.names():
            shape = ",".join(map(str, presets.get(name).example)) or "()"
            assert (
                json.loads(answers("presets", name, "--shape", shape, "--json"))["layout"]["slots"]
                == presets.get(name).bind(presets.get(name).example).slots
            )

    def test_json(self, answers):
        listed = json.loads(answers("presets", "--json"))
        assert [preset["name"] for preset in listed] == list(presets.names())
        assert {**json.loads(answers("presets", "awq_int4", "--json"))} == {
            **next(preset for preset in listed if preset["name"] == "awq_int4"),
            "layout": None,
        }

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["nope"], "no preset is called 'nope'"),
            (["awq_int4", "--shape", "4,17"], "N a multiple of 8, not 17"),
            (["awq_int4", "--shape", "4,x"], "'4,x' makes no shape"),
            (["awq_int4", "--shape", "4"], "(K, N)"),
            (["--shape", "4,16"], "--shape 4,16 is for one preset; name it"),
        ],
    )
    def test_wrong_ones(self, words, message, complains):
        assert message in complains("presets", *words)


class TestHelp:
    @pytest.mark.parametrize("command", ["convert", "formula", "recipe", "diff", "infer", "presets"])
    def test_every_example_works(self, command, answers):
        assert re.search(rf"^    {command} ", answers("--help"), re.MULTILINE)
        examples = re.findall(r"^  (tilelayout .*)$", answers(command, "--help"), re.MULTILINE)
        assert examples
        for example in examples:
            line = example.replace("tilelayout", shlex.join([sys.executable, "-m", "tilelayout"]))
            done = subprocess.run(["sh", "-c", line], capture_output=True, timeout=60, check=False)
            assert (done.returncode, done.stderr) == (0, b"")
            assert done.stdout
