"""The commands, run as a user would."""

import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import tilelayout as tl
from tilelayout import cli
from tilelayout.cli import main
from tilelayout.cli.commands import DOES
from tilelayout.files import streaming

#: Figure 1 of XLA's tiled-layout page.
FIGURE_1 = "f32[3,5]{1,0:T(2,2)}"
BARE = "{1,0:T(2,2)}"
COMMAND = [sys.executable, "-m", "tilelayout"]

#: Environments in which output fails when all is said, or at once.
buffered_or_not = pytest.mark.parametrize(
    "buffering", [{**os.environ, "PYTHONUNBUFFERED": value} for value in ("", "1")], ids=["buffered", "unbuffered"]
)


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def array():
    values = np.arange(15, dtype="f4").reshape(3, 5)
    np.save("x.npy", values)
    return values


def process(*words, **options):
    return subprocess.run([*COMMAND, *words], capture_output=True, timeout=60, check=False, **options)


def pasted(line):
    """What a shell does with a line, of which nothing may go wrong."""
    done = subprocess.run(["sh", "-c", line.replace("tilelayout", shlex.join(COMMAND))], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    return done


class TestShow:
    def test_words(self, answers):
        said = answers("show", FIGURE_1)
        assert said.startswith(f"{FIGURE_1}\n\nshape   3,5 (15 elements of float32, 32 bits each)\n")
        assert "slot = 12*(x0 // 2) + 4*(x1 // 2) + 2*(x0 % 2) + (x1 % 2)" in said

    def test_json(self, answers):
        said = json.loads(answers("show", FIGURE_1, "--json"))
        assert (said["layout"], said["shape"], said["slots"], said["padding"]) == (FIGURE_1, [3, 5], 24, 9)
        assert said["offsets"][2][3] == 17

    @pytest.mark.parametrize("shape", ["3,5", "(3, 5)", "[3,5]", "3 5", "(3,5,)"])
    def test_a_shape_given_apart(self, shape, answers):
        assert "shape   3,5 (15 elements)" in answers("show", BARE, "--shape", shape)

    def test_the_element_that_is_the_example(self, answers):
        assert "8 + 0 = 20, its slot" not in answers("show", FIGURE_1)
        assert "12 + 8 + 0 + 0 = 20, its slot" in answers("show", FIGURE_1, "--element", "2,4")
        assert "element ()\nits slot is 0" in answers("show", "f32[]", "--element", "()")

    def test_a_scalar_needs_no_sizes(self, answers):
        assert "shape   ()" in answers("show", "{}", "--shape", "()")

    def test_a_missing_shape(self, complains):
        assert "--shape 3,5" in complains("show", BARE)

    @pytest.mark.parametrize("words", [["show", "f32[3,5]{2,1,0}"], ["show", BARE, "--shape", "3"], ["pack", "raw.bin", BARE, "out"]])
    def test_sizes_are_asked_for_only_where_they_help(self, words, complains):
        Path("raw.bin").write_bytes(bytes(60))
        assert "--shape" not in complains(*words)

    def test_bytes_alone_say_no_sizes(self, complains):
        Path("model.gguf").write_bytes(bytes(60))
        assert "any other is bytes alone" in complains("pack", "model.gguf", BARE, "out")

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["f32[3,5]{1,0:(2,2)}"], "did you mean {1,0:T(2,2)}?"),
            (["nonsense"], "form of no notation"),
            ([""], "an empty text is no layout"),
            ([FIGURE_1, "--shape", "3,6"], "3, 6"),
            ([BARE, "--shape", "3,x"], "'3,x' makes no shape"),
            ([BARE, "--shape", "-3,5"], "negative"),
            ([BARE, "--shape", "9" * 5000], "makes no shape"),
            (["f32[9223372036854775807,9]{1,0:T(8,128)}"], "64"),
            (["(f32[2], s8[3])"], "is no array and has no size; give one of its arrays, such as f32[2]{0}"),
            ([FIGURE_1, "--element", "2,5"], "coordinates (2, 5) lie outside shape (3, 5)"),
            ([FIGURE_1, "--element", "2"], "it takes 2, such as 0,0"),
            (["f32[0]", "--element", "0"], "it has no elements"),
        ],
    )
    def test_wrong_layouts(self, words, message, complains):
        assert message in complains("show", *words)


class TestIndex:
    def test_the_worked_example(self, answers):
        assert answers("index", FIGURE_1, "2,3") == "17\n"

    def test_a_slot_a_line(self, answers):
        assert answers("index", FIGURE_1, "2,3", "(0, 4)", "[1,1]") == "17\n8\n3\n"

    def test_json(self, answers):
        assert json.loads(answers("index", FIGURE_1, "2,3", "0,4", "--json")) == {"coordinates": [[2, 3], [0, 4]], "slots": [17, 8]}

    @pytest.mark.parametrize("words", [[BARE, "2,3", "--shape", "3,5"], ["--shape", "3,5", BARE, "2,3"], [BARE, "--shape", "3,5", "2,3"]])
    def test_options_stand_anywhere(self, words, answers):
        assert answers("index", *words) == "17\n"

    def test_a_scalar(self, answers):
        assert answers("index", "f32[]", "()") == "0\n"

    def test_standard_input(self, answers, monkeypatch):
        monkeypatch.setattr(sys, "stdin", io.StringIO("0,4\n\n  (1, 1)  \n2 3"))
        assert answers("index", FIGURE_1, "2,3", "-", "0,0") == "17\n8\n3\n17\n0\n"

    def test_nothing_on_standard_input(self, answers, monkeypatch):
        monkeypatch.setattr(sys, "stdin", io.StringIO(""))
        assert answers("index", FIGURE_1, "-") == ""

    def test_what_one_prints_the_other_reads(self):
        line = f"{shlex.join(COMMAND)} coords '{FIGURE_1}' 17 8 | {shlex.join(COMMAND)} index '{FIGURE_1}' -"
        done = subprocess.run(["sh", "-c", line], capture_output=True, timeout=60, check=False)
        assert done.stdout.split() == [b"17", b"8"]

    @pytest.mark.parametrize(
        ("coordinate", "message"),
        [
            ("-1,2", "coordinates (-1, 2) lie outside shape (3, 5): -1 on axis 0, where the allowed are 0 to 2"),
            ("2,-3", "-3 on axis 1"),
            ("-1", "-1 has 1 coordinate, and the layout is of shape 3,5; it takes 2, such as 0,0"),
            ("2,5", "5 on axis 1, where the allowed are 0 to 4"),
            ("1,2,3", "1,2,3 has 3 coordinates"),
            ("2,,3", "'2,,3' makes no coordinates"),
            ("two,3", "'two,3' makes no coordinates; such are integers with commas between, as in 2,3"),
            ("1.5,2", "makes no coordinates"),
            ("(2,3", "makes no coordinates"),
            ("padding", "makes no coordinates"),
            ("", "has 0 coordinates"),
            (f"{10**30},2", "beyond 64 bits"),
            (f"{2**63},2", f"reach to {2**63}, beyond 64 bits"),
        ],
    )
    def test_wrong_coordinates(self, coordinate, message, complains):
        assert message in complains("index", FIGURE_1, "0,0", coordinate)

    def test_wrong_lines_of_standard_input(self, complains, monkeypatch):
        monkeypatch.setattr(sys, "stdin", io.StringIO("0,0\noops\n"))
        assert "'oops\\n' makes no coordinates" in complains("index", FIGURE_1, "-")

    def test_standard_input_that_is_no_text(self, complains, monkeypatch):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"0,0\n\xff"), encoding="utf-8"))
        assert "standard input is no text" in complains("index", FIGURE_1, "-")

    def test_standard_input_that_is_closed(self, complains, monkeypatch):
        monkeypatch.setattr(sys, "stdin", None)
        assert "closed" in complains("index", FIGURE_1, "-")


class TestCoords:
    def test_the_worked_example(self, answers):
        assert answers("coords", FIGURE_1, "17", "8") == "2,3\n0,4\n"

    def test_padding_is_a_no(self, answers):
        assert answers("coords", FIGURE_1, "17", "9", "0", code=1) == "2,3\npadding\n0,0\n"

    def test_json(self, answers):
        said = answers("coords", FIGURE_1, "17", "9", "--json", code=1)
        assert json.loads(said) == {"slots": [17, 9], "coordinates": [[2, 3], None]}

    def test_a_scalar(self, answers):
        assert answers("coords", "f32[]{:L(2)}", "0", "1", code=1) == "()\npadding\n"

    def test_standard_input(self, answers, monkeypatch):
        monkeypatch.setattr(sys, "stdin", io.StringIO("17\n8\n"))
        assert answers("coords", FIGURE_1, "-") == "2,3\n0,4\n"

    @pytest.mark.parametrize(
        ("slot", "message"),
        [
            ("24", "slot 24 lies outside a buffer of 24 slots (0 to 23)"),
            ("-1", "slot -1 lies outside"),
            ("2,3", "'2,3' is no slot, which is an integer such as 17"),
            (str(10**30), "beyond 64 bits"),
        ],
    )
    def test_wrong_slots(self, slot, message, complains):
        assert message in complains("coords", FIGURE_1, slot)


class TestPack:
    def test_to_npy(self, array, answers):
        said = answers("pack", "x.npy", FIGURE_1, "y.npy")
        assert said == "packed 15 elements into 24 slots, of which 9 are padding (37.5%): 96 bytes as float32 in y.npy\n"
        np.testing.assert_array_equal(np.load("y.npy"), tl.pack(array, FIGURE_1))

    def test_to_raw_bytes(self, array, answers):
        answers("pack", "x.npy", BARE, "y.bin", "--threads", "2")
        assert Path("y.bin").read_bytes() == tl.pack(array, FIGURE_1).tobytes()

    def test_json(self, array, answers):
        said = json.loads(answers("pack", "x.npy", FIGURE_1, "y.bin", "--json"))
        assert said == {"out": "y.bin", "elements": 15, "slots": 24, "padding": 9, "bytes": 96, "dtype": "float32"}

    @pytest.mark.parametrize("fill", ["-1", "0.5", "-1.5e-3", "inf", "-inf", "-Infinity", "0x10"])
    @pytest.mark.parametrize("form", ["{0} {1}", "{0}={1}"])
    def test_fill(self, fill, form, array, answers):
        answers("pack", "x.npy", BARE, "y.npy", *form.format("--fill", fill).split())
        value = 16 if fill == "0x10" else float(fill)
        np.testing.assert_array_equal(np.load("y.npy"), tl.pack(array, FIGURE_1, fill=value))

    def test_fill_with_nan(self, array, answers):
        answers("pack", "x.npy", BARE, "y.npy", "--fill", "nan")
        assert np.isnan(np.load("y.npy")).sum() == 9

    @pytest.mark.parametrize("layout", ["{1,0:T(2,2)}", "bf16[3,5]{1,0:T(2,2)}"])
    def test_narrow_floats_are_their_bits(self, layout, answers):
        values = np.arange(15).reshape(3, 5).astype(ml_dtypes.bfloat16)
        np.save("b.npy", values)
        assert "48 bytes as uint16" in answers("pack", "b.npy", layout, "y.npy", "--fill", "0x3f80")
        expected = tl.pack(values, "bf16[3,5]{1,0:T(2,2)}", fill=ml_dtypes.bfloat16(1))
        assert np.load("y.npy").dtype == np.uint16
        assert np.load("y.npy").tobytes() == expected.tobytes()

    def test_a_file_may_be_packed_into_itself(self, array, answers):
        answers("pack", "x.npy", BARE, "x.npy")
        np.testing.assert_array_equal(np.load("x.npy"), tl.pack(array, FIGURE_1))

    def test_a_file_whose_name_is_a_negative_number(self, array, answers):
        answers("pack", "x.npy", BARE, "-5")
        assert Path("-5").stat().st_size == 96

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["missing.npy", BARE, "out"], "cannot read 'missing.npy': No such file or directory; check its name"),
            (["cut.npy", BARE, "out"], "cut short"),
            (["objects.npy", BARE, "out"], "Python objects"),
            (["text.npy", BARE, "out"], "is no .npy file"),
            (["strings.npy", "{0}", "out"], "cannot be packed"),
            (["x.npy", BARE, "out.npz"], "'out.npz' would be taken for an archive of numpy; what is written is .npy, or raw bytes"),
            (["x.npy", BARE, "out.PT"], "would be taken for a checkpoint of PyTorch"),
            ([".", BARE, "out"], "'.' is the name of a directory"),
            (["x.npy", "f32[3,6]{1,0}", "out"], "(3, 6)"),
            (["x.npy", "s32[3,5]{1,0}", "out"], "an array of dtype float32 for a layout of int32; convert it"),
            (["x.npy", "bf16[3,5]{1,0}", "out"], "an array of dtype float32 for a layout of bfloat16; convert it"),
            (["", BARE, "out"], "'' is no name of a file"),
            (["x.npy", "{1,0:T(2,", "out"], "expected"),
            (["x.npy", BARE, "missing/out"], "cannot write 'missing/out'"),
            (["x.npy", BARE, "x.npy/out"], "Not a directory"),
            (["x.npy", BARE, "folder"], "Is a directory"),
            (["x.npy", BARE, "out", "--fill", "red"], "--fill 'red' is no number; such are -1, 0.5, nan and 0x3f80"),
            (["x.npy", BARE, "out", "--fill", "1j"], "fill=1j"),
            (["x.npy", BARE, "out", "--fill", "1e300"], "fill=1e+300 is no value of dtype float32; it would become inf"),
            (["x.npy", BARE, "out", "--fill", "1e400"], "--fill '1e400' is beyond all floats, and would become inf; give a smaller number"),
            (["x.npy", BARE, "out", "--fill", "-1E400"], "--fill '-1E400' is beyond all floats, and would become -inf"),
            (["x.npy", BARE, "out", "--fill", "1e400+1j"], "--fill '1e400+1j' is beyond all floats, and would become (inf+1j)"),
            (["x.npy", BARE, "out", "--fill", "1" + "0" * 400], "is no value of dtype float32"),
            (["x.npy", BARE, "out", "--threads", "0"], "threads=0"),
            (["x.npy", BARE, "out", "--threads", "-2"], "threads=-2"),
            (["x.npy", BARE, "out", "--threads", "many"], "'many' is no number of threads"),
            (["x.npy", BARE, "out", "--memory", "0"], "--memory 0 is no number of MiB; give 1 or more"),
            (["x.npy", "{1,0:T(1000000,1000000000000)}", "out"], "cannot write 'out': File too large"),
        ],
    )
    def test_what_cannot_be_packed(self, words, message, array, complains):
        Path("cut.npy").write_bytes(Path("x.npy").read_bytes()[:-1])
        Path("text.npy").write_text("not an array")
        Path("folder").mkdir()
        np.save("objects.npy", np.array([None]), allow_pickle=True)
        np.save("strings.npy", np.array(["a"]))
        Path("out").write_bytes(b"old")
        assert message in complains("pack", *words)

    @pytest.mark.parametrize("failure", [KeyboardInterrupt, MemoryError])
    @pytest.mark.parametrize("step", ["packing", "fsync", "replace"])
    def test_nothing_is_left_half_written(self, failure, step, array, monkeypatch, capsys):
        def fail(*_, **__):
            raise failure

        owner = {"packing": streaming, "fsync": os, "replace": Path}[step]
        Path("out").write_bytes(b"old")
        with monkeypatch.context() as patch:
            patch.setattr(owner, "move" if step == "packing" else step, fail)
            code = main(["pack", "x.npy", BARE, "out"])
        out, err = capsys.readouterr()
        assert out == ""
        if failure is KeyboardInterrupt:
            assert (code, err) == (130, "")
        else:
            assert code == 2
            assert err.startswith("tilelayout: error: there is not enough memory")
        assert Path("out").read_bytes() == b"old"
        assert {path.name for path in Path().iterdir()} == {"out", "x.npy"}

    def test_a_file_that_grows_too_large(self, array):
        Path("out").write_bytes(b"old")
        script = (
            "import resource, sys, tilelayout.cli; resource.setrlimit(resource.RLIMIT_FSIZE, (50, 50)); sys.exit(tilelayout.cli.main())"
        )
        done = subprocess.run([sys.executable, "-c", script, "pack", "x.npy", BARE, "out"], capture_output=True, timeout=60, check=False)
        assert done.returncode == 2
        assert b"tilelayout: error: cannot write 'out': File too large" in done.stderr
        assert Path("out").read_bytes() == b"old"
        assert {path.name for path in Path().iterdir()} == {"out", "x.npy"}


class TestUnpack:
    def test_from_npy(self, array, answers):
        np.save("p.npy", tl.pack(array, FIGURE_1))
        said = answers("unpack", "p.npy", FIGURE_1, "y.npy")
        assert said == "unpacked 24 slots into shape 3,5 (15 elements): 60 bytes as float32 in y.npy\n"
        np.testing.assert_array_equal(np.load("y.npy"), array)

    def test_from_raw_bytes(self, array, answers):
        Path("p.bin").write_bytes(tl.pack(array, FIGURE_1).tobytes())
        answers("unpack", "p.bin", FIGURE_1, "y.npy", "--threads", "1")
        np.testing.assert_array_equal(np.load("y.npy"), array)

    def test_shape_and_dtype_given_apart(self, array, answers):
        Path("p.bin").write_bytes(tl.pack(array, FIGURE_1).tobytes())
        said = json.loads(answers("unpack", "p.bin", BARE, "y.npy", "--shape", "3,5", "--dtype", "float32", "--json"))
        assert said == {"out": "y.npy", "shape": [3, 5], "elements": 15, "slots": 24, "bytes": 60, "dtype": "float32"}
        np.testing.assert_array_equal(np.load("y.npy"), array)

    def test_to_raw_bytes(self, array, answers):
        np.save("p.npy", tl.pack(array, FIGURE_1))
        answers("unpack", "p.npy", FIGURE_1, "y.bin")
        assert Path("y.bin").read_bytes() == array.tobytes()

    @pytest.mark.parametrize("words", [[], ["--dtype", "bfloat16"], ["--dtype", "uint16"]])
    def test_narrow_floats_are_their_bits(self, words, answers):
        values = np.arange(15).reshape(3, 5).astype(ml_dtypes.bfloat16)
        Path("p.bin").write_bytes(tl.pack(values, "bf16[3,5]{1,0:T(2,2)}").tobytes())
        assert "30 bytes as uint16" in answers("unpack", "p.bin", "bf16[3,5]{1,0:T(2,2)}", "y.npy", *words)
        np.testing.assert_array_equal(np.load("y.npy"), values.view(np.uint16))

    def test_narrow_floats_need_no_other_package(self, monkeypatch, answers):
        values = np.arange(15).reshape(3, 5).astype(ml_dtypes.bfloat16)
        Path("p.bin").write_bytes(tl.pack(values, "bf16[3,5]{1,0}").tobytes())
        monkeypatch.setitem(sys.modules, "ml_dtypes", None)
        answers("unpack", "p.bin", "bf16[3,5]{1,0}", "y.npy")
        np.testing.assert_array_equal(np.load("y.npy"), values.view(np.uint16))

    @pytest.mark.parametrize("words", [[], ["--dtype", "s4"], ["--dtype", "int8"]])
    def test_elements_below_a_byte(self, words, answers):
        Path("p.bin").write_bytes(bytes([0xE1, 0x03]))
        assert "as int8 in y.npy" in answers("unpack", "p.bin", "s4[3]{0:E(4)}", "y.npy", *words)
        assert np.load("y.npy").tolist() == [1, -2, 3]

    def test_elements_below_a_byte_of_no_known_type(self, answers):
        Path("p.bin").write_bytes(bytes([0xE1, 0x03]))
        answers("unpack", "p.bin", "{0:E(4)}", "y.npy", "--shape", "3")
        assert np.load("y.npy").tolist() == [1, 14, 3]

    @pytest.mark.parametrize("layout", ["f32[3,5]{0,1:T(8,128)}", "f32[3,5]{1,0:T(*,4)}", "f32[3,5]{1,0:T(4,4)(3,3)}"])
    @pytest.mark.parametrize("middle", ["p.npy", "p.bin"])
    def test_pack_and_unpack_are_inverse(self, layout, middle, array, answers):
        answers("pack", "x.npy", layout, middle, "--fill", "nan")
        answers("unpack", middle, layout, "y.npy")
        np.testing.assert_array_equal(np.load("y.npy"), array)

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["p.bin", BARE, "out.npy", "--shape", "3,5"], "'p.bin' is raw bytes, and the layout names no type of element"),
            (["p.bin", BARE, "out.npy", "--dtype", "float32"], "--shape"),
            (["p.bin", "{1,0:T(2,2)E(16)}", "out.npy", "--shape", "3,5"], "say it with --dtype"),
            (["p.bin", FIGURE_1, "out.npy", "--dtype", "float33"], "float33"),
            (["p.bin", BARE, "out.npy", "--shape", "3,5", "--dtype", "f4,f5"], "f4,f5"),
            (["p.bin", BARE, "out.npy", "--shape", "3,5", "--dtype", "(2,3"], "(2,3"),
            (["p.bin", BARE, "out.npy", "--shape", "3,5", "--dtype", "(2,)f2"], "cannot be packed"),
            (["p.bin", BARE, "out.npy", "--shape", "3,5", "--dtype", "f4,f4"], "cannot be packed"),
            (["p.bin", BARE, "out.npy", "--shape", "3,5", "--dtype", "O"], "cannot be packed"),
            (["p.bin", "f32[3,7]{1,0:T(2,2)}", "out.npy"], "32"),
            (["short.bin", FIGURE_1, "out.npy"], "96 bytes"),
            (["missing.bin", FIGURE_1, "out.npy"], "cannot read 'missing.bin'"),
            (["raw.npy", FIGURE_1, "out.npy"], "is no .npy file"),
            (["p.bin", FIGURE_1, "p.bin/out.npy"], "Not a directory"),
        ],
    )
    def test_what_cannot_be_unpacked(self, words, message, array, complains):
        Path("p.bin").write_bytes(tl.pack(array, FIGURE_1).tobytes())
        Path("raw.npy").write_bytes(Path("p.bin").read_bytes())
        Path("short.bin").write_bytes(Path("p.bin").read_bytes()[:-1])
        Path("out.npy").write_bytes(b"old")
        assert message in complains("unpack", *words)


class TestHelp:
    COMMANDS = ("show", "index", "coords", "pack", "unpack")

    def test_the_welcome_has_three_examples_that_work_when_pasted(self, answers):
        examples = re.findall(r"^  (tilelayout .*)$", answers(), re.MULTILINE)
        assert len(examples) == 3
        for example in examples:
            assert pasted(example).stdout

    def test_version(self, answers):
        assert answers("--version") == f"tilelayout {tl.__version__}\n"

    @pytest.mark.parametrize("command", COMMANDS)
    def test_the_help_of_all_names_each_command(self, command, answers):
        assert re.search(rf"^    {command} ", answers("--help"), re.MULTILINE)

    @pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS)])
    def test_every_help_quotes_a_layout(self, command, answers):
        assert re.search(r"tilelayout .*'[^']*\{.*\}'", answers(*command, "--help"))

    @pytest.mark.parametrize("command", COMMANDS)
    def test_every_example_works(self, command, array, answers):
        np.save("packed.npy", tl.pack(array, FIGURE_1))
        Path("packed.bin").write_bytes(tl.pack(array, FIGURE_1).tobytes())
        examples = re.findall(r"^  ((?:echo .*\| )?tilelayout .*)$", answers(command, "--help"), re.MULTILINE)
        assert examples
        for example in examples:
            assert pasted(example).stdout

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["index"], "the following arguments are required: LAYOUT, COORD"),
            (["index", FIGURE_1], "the following arguments are required: COORD"),
            (["paint", FIGURE_1], "'paint' is no command; it is one of show, index, coords"),
            (["convret", FIGURE_1], "'convret' is no command; did you mean convert?"),
            (["x" * 10**5], "is no command"),
            ([FIGURE_1], f"'{FIGURE_1}' is no command"),
            (["show", FIGURE_1, "--colour"], "unrecognized arguments: --colour"),
            (["show", FIGURE_1, "-1"], "unrecognized arguments: -1\n"),
            (["show", "f32[3,5]1", "f32[3,5]0"], "unrecognized arguments: f32[3,5]0\nQuote the layout"),
            (["show", FIGURE_1, "--shape"], "expected one argument"),
            (["--js"], "unrecognized arguments: --js"),
        ],
    )
    def test_wrong_usage(self, words, message, complains):
        said = complains(*words)
        assert message in said
        assert "usage: tilelayout" in said

    @pytest.mark.parametrize("command", DOES)
    def test_words_left_over_are_answered_with_the_usage_of_the_command(self, command, complains):
        assert f"\nusage: tilelayout {command} " in complains(command, "--rule=x", "a", "b", "c", "d", "--colour")

    @pytest.mark.parametrize("words", [["index", "f32[3,5]1", "f32[3,5]0", "2,3"], ["coords", "f32[3,5]1", "f32[3,5]0", "3"]])
    def test_what_the_shell_leaves_of_a_layout_without_quotes(self, words, complains):
        """These take any number of words, and took the second half for one of them."""
        assert complains(*words).endswith("\nQuote the layout: braces and parentheses mean something to the shell.\n")

    def test_nobody_is_told_to_quote_what_is_quoted(self, complains):
        assert "Quote" not in complains("index", "f32[3,5]{1,0}x", "2,3")


class TestProcess:
    def test_the_module_is_the_command(self):
        done = process("index", FIGURE_1, "2,3")
        assert (done.returncode, done.stdout, done.stderr) == (0, b"17\n", b"")

    def test_exit_codes(self):
        assert process("coords", FIGURE_1, "9").returncode == 1
        wrong = process("coords", FIGURE_1, "24")
        assert (wrong.returncode, wrong.stdout) == (2, b"")
        assert wrong.stderr == b"tilelayout: error: slot 24 lies outside a buffer of 24 slots (0 to 23)\n"

    @pytest.mark.parametrize(
        "words", [["show", b"f32[\xff]"], ["index", FIGURE_1, b"\xff,1"], ["pack", b"\xff.npy", BARE, "out"], [b"\xff"]]
    )
    def test_arguments_that_are_no_text(self, words):
        done = process(*words)
        assert done.returncode == 2
        assert done.stderr.startswith(b"tilelayout: error: ")
        assert b"Traceback" not in done.stderr

    def test_names_that_the_output_cannot_say(self, array):
        done = process("pack", "x.npy", BARE, b"\xff.bin")
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.endswith(b" in \\udcff.bin\n")
        done = process("pack", "x.npy", BARE, "é.bin", env={**os.environ, "PYTHONIOENCODING": "ascii"})
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.endswith(b" in \\xe9.bin\n")

    @pytest.mark.parametrize("words", [["show", FIGURE_1], ["--help"], [], ["index", FIGURE_1, *["2,3"] * 10000]])
    @buffered_or_not
    def test_a_reader_that_went_away(self, words, buffering):
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run([*COMMAND, *words], stdout=write, stderr=subprocess.PIPE, env=buffering, timeout=60, check=False)
        os.close(write)
        assert (done.returncode, done.stderr) == (cli.PIPE_CLOSED, b"")

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
    @pytest.mark.parametrize("words", [["show", FIGURE_1], ["index", FIGURE_1, *["2,3"] * 10000]])
    @buffered_or_not
    def test_an_output_that_is_full(self, words, buffering):
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run([*COMMAND, *words], stdout=full, stderr=subprocess.PIPE, env=buffering, timeout=60, check=False)
        assert done.returncode == 2
        assert done.stderr == b"tilelayout: error: cannot write to standard output: No space left on device\n"

    @pytest.mark.skipif(sys.platform == "win32", reason="there is no limit of that kind")
    @buffered_or_not
    def test_an_output_that_takes_a_part(self, buffering, tmp_path):
        """A system takes some of what is written at once, and says only of the rest that it takes no more."""
        script = f"ulimit -f 8; {shlex.join([*COMMAND, 'index', FIGURE_1, '-'])} < in.txt > out.txt"
        (tmp_path / "in.txt").write_text("2,3\n" * 100_000)
        done = subprocess.run(["sh", "-c", script], stderr=subprocess.PIPE, env=buffering, cwd=tmp_path, timeout=60, check=False)
        assert done.returncode == 2
        assert done.stderr == b"tilelayout: error: cannot write to standard output: File too large\n"

    @pytest.mark.skipif(not Path("/dev/stdin").exists(), reason="there is no name for standard input")
    def test_a_dash_is_standard_input_and_output(self, array):
        packed = process("pack", "-", BARE, "-", input=Path("x.npy").read_bytes())
        assert (packed.returncode, packed.stderr, packed.stdout) == (0, b"", tl.pack(array, BARE).tobytes())
        unpacked = process("unpack", "-", FIGURE_1, "-", "--json", input=packed.stdout)
        assert (unpacked.returncode, unpacked.stderr, unpacked.stdout) == (0, b"", array.tobytes())
        turned = process("relayout", "-", FIGURE_1, "{0,1}", "-", input=packed.stdout)
        assert (turned.returncode, turned.stderr, turned.stdout) == (0, b"", array.tobytes("F"))
        assert process("infer", "-", "x.npy", input=Path("x.npy").read_bytes()).returncode == 0
        assert b"24 slots: 12*(x0 // 2)" in process("infer", "x.npy", "-", input=packed.stdout).stdout
        assert not Path("-").exists()

    @pytest.mark.skipif(not Path("/dev/stdin").exists(), reason="there is no name for standard input")
    @pytest.mark.parametrize("name", ["-", "/dev/stdin", "/dev/fd/0"])
    @pytest.mark.parametrize("before", [b"", b"what others have read"])
    def test_standard_input_that_is_a_file(self, name, before, array):
        """What is read begins where the file is at."""
        Path("in.bin").write_bytes(before + tl.pack(array, BARE).tobytes())
        with Path("in.bin").open("rb", buffering=0) as given:
            given.read(len(before))
            done = process("unpack", name, FIGURE_1, "-", stdin=given)
        assert (done.returncode, done.stderr, done.stdout) == (0, b"", array.tobytes())

    @pytest.mark.skipif(not Path("/dev/stdin").exists(), reason="there is no name for standard input")
    def test_a_file_whose_name_is_a_dash(self, array):
        assert process("pack", "x.npy", BARE, "./-").returncode == 0
        assert Path("-").read_bytes() == tl.pack(array, BARE).tobytes()

    @pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="there is no name for standard output")
    def test_a_reader_of_data_that_went_away(self, array):
        read, write = os.pipe()
        os.close(read)
        words = [*COMMAND, "pack", "x.npy", BARE, "/dev/stdout"]
        done = subprocess.run(words, stdout=write, stderr=subprocess.PIPE, timeout=60, check=False)
        os.close(write)
        assert (done.returncode, done.stderr) == (cli.PIPE_CLOSED, b"")

    @pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="there is no name for standard output")
    def test_standard_output_that_is_a_file(self, array, tmp_path):
        """What is there stays, and the next command goes on behind it."""
        command = shlex.join([*COMMAND, "pack", "x.npy", BARE])
        script = f"(echo begins; {command} /dev/stdout; {command} /dev/fd/1) > out.bin; {command} /dev/stdout >> out.bin"
        subprocess.run(["sh", "-c", script], check=True, timeout=60)
        packed = tl.pack(array, BARE).tobytes()
        assert Path("out.bin").read_bytes() == b"begins\n" + 3 * packed
        assert not [path.name for path in Path().iterdir() if "deleted" in path.name]

    @pytest.mark.parametrize(
        "words", [["index", FIGURE_1, "2,3"], ["presets"], ["--help"], ["--version"], ["pack", "x.npy", BARE, "y.bin"]]
    )
    def test_an_output_that_is_closed(self, words, array):
        script = f"{shlex.join([*COMMAND, *words])} >&-"
        done = subprocess.run(["sh", "-c", script], capture_output=True, timeout=60, check=False)
        assert (done.returncode, done.stderr) == (2, b"tilelayout: error: cannot write to standard output: it is closed\n")

    def test_a_closed_output_for_nothing(self):
        """Where there is nothing to say, nobody need be there to read it."""
        script = f"{shlex.join([*COMMAND, 'index', FIGURE_1, '-'])} < /dev/null >&-"
        done = subprocess.run(["sh", "-c", script], capture_output=True, timeout=60, check=False)
        assert (done.returncode, done.stderr) == (0, b"")

    @pytest.mark.usefixtures("interrupts_are_heard")
    def test_interrupted(self):
        running = subprocess.Popen(
            [*COMMAND, "index", FIGURE_1, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert running.stdin is not None
        running.stdin.write(b"2,3\n" * 100_000)  # more than a pipe holds: when it is gone, the command is reading
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
        assert (running.returncode, out, err) == (cli.INTERRUPTED, b"", b"")
