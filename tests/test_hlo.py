"""HLO text: what is read of dumps that XLA wrote, of every trap in such text, and of text that is none."""

import gzip
import io
import json
import os
import random
import re
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tilelayout as tl
from peaks import HIGHEST
from strategies_xla import shapes
from tilelayout import hlo
from tilelayout.cli import main
from tilelayout.files import FileError
from tilelayout.hlo import lines
from tilelayout.notations import xla

DATA = Path(__file__).parent / "data" / "hlo"
CPU, TPU = DATA / "step_cpu.txt", DATA / "step_v5e.txt"


def names(text):
    return [array.name for array in hlo.read(text)]


def obvious_shapes(path):
    """Name and arrays of every instruction: the first text behind `` = `` that the parser of shapes takes, found by trying."""
    for line in path.read_text().splitlines():
        head, equals, rest = line.partition(" = ")
        if not equals or not line.startswith("  "):
            continue
        for end in (match.start() for match in re.finditer(r"\s[a-z][\w\-]*\(", rest)):
            try:
                shape = xla.parse_shape(rest[:end])
            except tl.LayoutError:
                continue
            yield head.split()[-1].lstrip("%"), [leaf for leaf in shape.leaves() if leaf.is_array]
            break


@pytest.mark.parametrize("path", [CPU, TPU], ids=["cpu", "tpu"])
class TestRealDumps:
    def test_every_array_is_read(self, path):
        expected = [(name, leaf) for name, leaves in obvious_shapes(path) for leaf in leaves]
        module = hlo.read(path)
        assert [(array.instruction.name, array.shape) for array in module] == expected
        assert module.problems == ()
        assert len(expected) > 90

    def test_sizes_are_those_of_the_shapes(self, path):
        for array in hlo.read(path):
            assert (array.logical_bytes, array.padded_bytes) == (array.shape.logical_byte_size, array.shape.allocation_byte_size)
            assert array.waste == array.padded_bytes - array.logical_bytes
            assert array.memory_space == array.shape.memory_space

    def test_arrays_are_those_of_their_computations(self, path):
        text = path.read_text()
        for array in hlo.read(path):
            body = text.split(f"%{array.computation.name} (", 1)[1].split("\n}", 1)[0]
            assert f"%{array.instruction.name} = " in body
            assert array.computation.is_entry == (array.computation.name.startswith("main"))
            assert array.computation.module == "jit_step"

    def test_path_text_lines_and_file_are_read_alike(self, path):
        text = path.read_text()
        expected = list(hlo.read(path))
        assert list(hlo.read(str(path))) == expected
        assert list(hlo.read(text)) == expected
        assert list(hlo.read(text.splitlines())) == expected
        assert list(hlo.read(iter(text.splitlines(keepends=True)))) == expected
        with path.open() as file:
            module = hlo.read(file)
        assert list(module) == list(module) == expected

    def test_cut_off_anywhere_it_reads_what_is_there(self, path):
        text = path.read_text()
        expected = names(text)
        for end in range(1, len(text), 997):
            module = hlo.read(text[:end] + "\n")
            found = [array.name for array in module]
            assert found == expected[: len(found)]
            assert len(found) >= text[: text.rfind("\n", 0, end) + 1].count(" parameter(")


#: What ``compiled.memory_analysis().argument_size_in_bytes`` of jax 0.10.2 said of these two programs.
@pytest.mark.parametrize(("path", "reported"), [(CPU, 165_000), (TPU, 272_384)], ids=["cpu", "tpu"])
def test_arguments_take_what_the_compiler_says(path, reported):
    assert sum(array.padded_bytes for array in hlo.read(path) if array.is_argument) == reported


def test_what_lies_nowhere_is_no_buffer():
    module = hlo.read(TPU)
    text = TPU.read_text()
    fused = set(re.findall(r"fusion\(.*calls=%([^,]+)|(?:reduce|sort)\(.*to_apply=%([^,]+)", text))
    fused = {name for pair in fused for name in pair if name}
    buffers = list(module.buffers())
    assert {array.computation.name for array in module} & fused
    assert not {array.computation.name for array in buffers} & fused
    kept = [array for array in module if array.computation.name not in fused and not array.is_passed_on]
    assert buffers == kept
    assert all(array.opcode not in ("tuple", "get-tuple-element", "while") for array in buffers)
    assert {"weights.1", "x.1"} <= {array.name for array in buffers}


ASYNCHRONOUS = """
ENTRY %e (p: f32[2]) -> f32[2] {
  %p = f32[2] parameter(0)
  %copy-start = (f32[2]{0:S(1)}, f32[2], u32[]{:S(2)}) copy-start(%p)
  %copy-done = f32[2]{0:S(1)} copy-done(%copy-start)
  %ag = ((f32[2], f32[2]), (f32[4], f32[4])) all-gather-start(%p, %p), dimensions={0}
  %agd = (f32[4], f32[4]) all-gather-done(%ag)
  %ar = f32[2] all-reduce-start(%p), to_apply=%add
  %ard = f32[2] all-reduce-done(%ar)
  %cp = (f32[2], f32[2], u32[], u32[]) collective-permute-start(%p)
  %cpd = f32[2] collective-permute-done(%cp)
  %as = ((f32[2]), f32[2], s32[]) async-start(%p), calls=%wrapped
  %au = ((f32[2]), f32[2], s32[]) async-update(%as)
  %ad = f32[2] async-done(%au)
  %send = (f32[2], u32[], token[]) send(%p, %t)
  %recv = (f32[2], u32[], token[]) recv(%t)
  %recv-done = (f32[2], token[]) recv-done(%recv)
  ROOT %d = f32[2] add-dependency(%p, %t)
}
"""


def test_what_goes_on_meanwhile_is_counted_once():
    """Which elements are operands is that of XLA's HloDataflowAnalysis."""
    kept = "p copy-start{0} copy-start{2} ag{1,0} ag{1,1} ar cp{1} cp{2} cp{3} as{2} send{1} recv{0} recv{1}"
    assert [array.name for array in hlo.read(ASYNCHRONOUS).buffers()] == kept.split()


@pytest.mark.parametrize(
    ("begun", "kept"),
    [
        ("copy", "q s{1} s{2}"),
        ("all-reduce", "q s{1} s{2}"),
        ("custom-call", "q s{1} s{2}"),
        ("fusion", "q s{1} s{2}"),
        ("async", "q s{2}"),
        ("call", "q s{2}"),
        ("bitcast", "q s{2}"),
    ],
)
def test_what_is_begun_with_its_operands_in_a_tuple(begun, kept):
    """The short form that XLA prints of an ``async-start``; results of computations that are called are counted there."""
    text = f"ENTRY e {{\n  q = f32[9] parameter(0)\n  s = ((f32[9]), f32[9], s32[]) {begun}-start(q)\n  d = f32[9] {begun}-done(s)\n}}\n"
    assert [array.name for array in hlo.read(text).buffers()] == kept.split()


def test_what_begins_without_operands_has_its_contexts():
    """XLA's buffer assignment for v7x (libtpu 0.0.52) gives each of them memory of its own."""
    text = "ENTRY e {\n  s = ((), (), (s32[8192]{0:T(1024)}, s32[25]{0:T(1)S(11)})) async-start(), calls=c\n}\n"
    assert [(array.name, array.padded_bytes) for array in hlo.read(text).buffers()] == [("s{2,0}", 32768), ("s{2,1}", 100)]


def test_an_asynchronous_fusion_hides_what_is_made_inside():
    text = """
%fused (p0: f32[128]) -> f32[128] {
  %p0 = f32[128]{0} parameter(0)
  %exp = f32[128]{0} exponential(%p0)
  ROOT %neg = f32[128]{0} negate(%exp)
}
ENTRY %e (q: f32[128]) -> f32[128] {
  %q = f32[128]{0} parameter(0)
  %s = ((f32[128]{0}), f32[128]{0}, s32[]) fusion-start(%q), kind=kLoop, calls=%fused
  ROOT %d = f32[128]{0} fusion-done(%s)
}
"""
    assert [array.name for array in hlo.read(text).buffers()] == ["q", "s{1}", "s{2}"]


@pytest.mark.parametrize(
    "prefix",
    [
        *("12:", "12-", "12:  ", "dump/m.txt:12:", "dump/m-1.txt-12-  ", "    12\t", "+", "-  ", "> "),
        *("[worker 3] ", "[3]: ", "worker-0: ", "worker|", "INFO:root:", "INFO ", "(main pid=1) "),
        *("2026-01-01 12:00:00 INFO ", "2026-01-01T12:00:00.123Z ", "2026-01-01 12:00:00,123 [INFO] ", "I0101 12:00:00.1 1 x.cc:100] "),
    ],
)
def test_lines_that_were_picked_out_are_read_without_what_stands_in_front(prefix):
    """As ``grep -n``, ``cat -n``, ``diff`` and logs put it; a whole text keeps its computations and fusions."""
    text = """HloModule m
%fused (p: f32[8]) -> f32[8] {
  %p = f32[8]{0} parameter(0)
  ROOT %n = (f32[8]{0}, f32[8]{0}) custom-call(%p), metadata={op_name="a: %b = f32[2]{0} c("}
}
ENTRY %e (x: f32[8]) -> f32[8] {
  %x = f32[8]{0} parameter(0)
  ROOT %f = f32[8]{0} fusion(%x), kind=kLoop, calls=%fused
}
"""
    plain, prefixed = (hlo.read("".join(f"{front}{line}\n" for line in text.splitlines())) for front in ("", prefix))
    assert [(array.name, array.computation) for array in prefixed] == [(array.name, array.computation) for array in plain]
    assert [array.name for array in prefixed.buffers()] == [array.name for array in plain.buffers()] == ["x", "f"]
    assert not prefixed.problems


def test_a_mark_of_byte_order_hides_nothing(tmp_path):
    (tmp_path / "x.txt").write_text(TPU.read_text(), encoding="utf-8-sig")
    assert [(array.name, array.computation) for array in hlo.read(tmp_path / "x.txt")] == [(a.name, a.computation) for a in hlo.read(TPU)]


def test_shapes_in_backend_config_are_read():
    configs = list(hlo.read(TPU).configs())
    assert len(configs) == TPU.read_text().count('"original_shape"') == 11
    assert {config.path for config in configs} == {"float_type_correction_info.original_shape"}
    assert {str(config.described) for config in configs} == {
        "bf16[100,150]{0,1:T(8,128)(2,1)}",
        "bf16[100,3]{0,1:T(4,128)(2,1)}",
    }


def test_two_modules_in_one_text_keep_their_fusions_apart():
    first = "HloModule a\nc {\n  x = f32[2]{0} add(p)\n}\nENTRY e {\n  y = f32[2]{0} fusion(q), calls=c\n}\n"
    second = "HloModule b\nc {\n  x = f32[2]{0} add(p)\n}\nENTRY e {\n  y = f32[2]{0} call(q), to_apply=c\n}\n"
    module = hlo.read(first + second)
    assert [(array.computation.module, array.name) for array in module.buffers()] == [("a", "y"), ("b", "x")]


def test_a_fusion_may_stand_before_what_it_calls():
    module = hlo.read("ENTRY e {\n  y = f32[2]{0} fusion(q), calls=%c\n}\n%c {\n  x = f32[2]{0} add(p)\n}\n")
    assert [array.name for array in module.buffers()] == ["y"]


#: Lines that hold what looks like shapes, and the arrays that are in them: the traps of HLO text.
TRAPS = [
    ("%x = f32[6]{0} add(%y), sharding={devices=[6,35]<=[7,10,3]T(2,1,0)}", ["f32[6]{0}"]),
    ("%x = f32[8]{0} all-reduce(%y), replica_groups=[2,4]<=[8]T(1,0), to_apply=%sum", ["f32[8]{0}"]),
    ("%x = f32[123] copy(%y)", ["f32[123]{0}"]),
    ('%x = f32[2]{0} add(%y), metadata={op_name="a = f32[9]{0} add(f32[8]{0} %z)"}', ["f32[2]{0}"]),
    ('%x = f32[2]{0} custom-call(%y), backend_config="{\\"a\\": \\"b = s32[4]{0} add(\\"}"', ["f32[2]{0}"]),
    ("x = (f32[1]{0}, f32[2]{0}, f32[3]{0}, f32[4]{0}, f32[5]{0}, /*index=5*/f32[6]{0}) tuple(a, b, c, d, e, f)", 6),
    ("%t = ((f32[2,3]{1,0:T(8,128)}, s32[]), token[], (), u32[]{:S(2)}) async-start(%p)", 3),
    ("%x = pred[4]{0} constant({1, 0, 1, 0})", ["pred[4]{0}"]),
    ("%c = f32[] constant(nan(0x1))", ["f32[]"]),
    ("%c = f32[1,2]{1,0} convolution(%a, %b), window={size=1x7 pad=0_0x3_3}, dim_labels=b01f_01io->b01f", ["f32[1,2]{1,0}"]),
    ("%s = f32[1,6144]{1,0} slice(f32[4,6144]{1,0} %a), slice={[0:1], [0:6144]}", ["f32[1,6144]{1,0}"]),
    ("ROOT s.1 = f32[ 2 , 3 ] {1, 0 : T( 2 , 2 )} add(a, b)", ["f32[2,3]{1,0:T(2,2)}"]),
    ("%token = token[] after-all()", []),
    ("%b = b(f32[2,3]{1,0:T(2,2)}) custom-call()", ["f32[2,3]{1,0:T(2,2)}"]),
    ("%b = (b(f32[2]{0:T(128)}), s32[]) custom-call()", ["f32[2]{0:T(128)}", "s32[]"]),
    ("%d = s32[<=4096]{0:T(8)M(1024)} copy(%a)", ["s32[<=4096]{0:T(8)M(1024)}"]),
    ("2020-05-04 09:05:40.719745: E    1578 tensorflow/x.cc:76]   %x = f32[2]{0} add(%y)", ["f32[2]{0}"]),
    ("I0504 09:05:40.719745    1578 dump.cc:76] ROOT %x = (f32[2]{0}, s8[4]{0}) tuple(%y)", 2),
    ("  shape=(1024, 245, 64) ]", []),
    ("      XLA label: %fusion = f32[2]{0} fusion(%y)", []),
    ('1 {file_name_id=1 function_name_id=1 line=30 column=14}\n1 "a = f32[2] b("', []),
    ("%e (p: f32[2], (q): s32[]) -> f32[123] {", []),
    ("HloModule m, entry_computation_layout={(f32[8,8]{0,1:T(8,128)})->f32[]{:T(128)}}", []),
]


@pytest.mark.parametrize(("text", "expected"), TRAPS, ids=[text[:40] for text, _ in TRAPS])
def test_traps(text, expected):
    found = [str(array.shape) for array in hlo.read(text + "\n")]
    assert len(found) == expected if isinstance(expected, int) else found == expected


def test_a_brace_behind_dimensions_may_begin_a_computation():
    module = hlo.read("%c (p: f32[2]) -> f32[123] {\n  p = f32[2] parameter(0)\n}\nENTRY %e () -> f32[] {\n  x = f32[] add()\n}\n")
    assert [(array.name, array.computation.name, array.computation.is_entry) for array in module] == [("p", "c", False), ("x", "e", True)]


def test_a_string_may_go_over_lines():
    text = 'c {\n  x = f32[2]{0} add(y), metadata={op_name="scan[\n}\n shape=f32[3]{0} add(y)\nENTRY d {\n ]"}\n  w = f32[4]{0} add(x)\n}\n'
    assert [(array.name, array.computation.name) for array in hlo.read(text)] == [("x", "c"), ("w", "c")]


def test_a_string_that_does_not_end_hides_nothing():
    text = 'c {\n  x = f32[2]{0} add(y), metadata={op_name="abc\n  z = f32[3]{0} add(y)\n}\n'
    assert names(text) == ["x", "z"]


def test_a_line_that_a_log_cut_off_hides_nothing():
    text = 'x = f32[2]{0} add(y), metadata={op_type="Ma...\ny = f32[3]{0} add(z)\nz = f32[4]{0} add(z), metadata={op_name="b...\n'
    assert names(text) == ["x", "y", "z"]


@pytest.mark.parametrize("end", [35, 40, 55])
def test_lines_that_were_all_cut_at_a_column_hide_nothing(end):
    lines = [f'x{k} = f32[{k}]{{0}} add(y), metadata={{op_name="jit(f)/a/long/name"}}'[:end] for k in range(2, 9)]
    assert names("\n".join(lines)) == [f"x{k}" for k in range(2, 9)]


@pytest.mark.parametrize("between", ["\n", "\n\n  \n", " \n\t"])
@pytest.mark.parametrize("signature", ["ENTRY e (p: f32[2]) -> f32[2]", "ENTRY %e"])
def test_a_brace_may_stand_below_the_signature(signature, between):
    (array,) = module = hlo.read(f"HloModule m\n{signature}{between}{{\n  p = f32[2]{{0}} parameter(0)\n}}\n")
    assert (array.name, array.computation.name, array.is_argument) == ("p", "e", True)
    assert module.problems == ()


def test_a_brace_below_an_instruction_opens_nothing():
    module = hlo.read("x = (f32[2], s32[]) tuple(y)\n{\ny = f32[3] add(x)\n{\nz = f32[3] add(x)\n")
    assert [(array.name, array.computation.name) for array in module] == [("x{0}", ""), ("x{1}", ""), ("y", ""), ("z", "")]


def test_comments_may_stand_anywhere():
    text = """
c (p: f32[2]) -> f32[2] {
  /*a*/ROOT /*b*/ r = /*c*/ f32[2]{0} /*d*/ add/*e*/(p, p)
  t/**/ = /*f*/ (f32[2], /*g*/ s32[]) /*h*/ tuple(p)
  a/b = b(f32[3]) custom-call(p)
  /* not
  n = f32[99] negate(p)
  not */ y = f32[4] negate(p)
}
"""
    module = hlo.read(text)
    assert [(array.name, str(array.shape), array.opcode) for array in module] == [
        ("r", "f32[2]{0}", "add"),
        ("t{0}", "f32[2]{0}", "tuple"),
        ("t{1}", "s32[]", "tuple"),
        ("a/b", "f32[3]{0}", "custom-call"),
        ("y", "f32[4]{0}", "negate"),
    ]
    assert module.problems == ()


def test_not_every_brace_opens_or_closes_a_computation():
    text = "if (x) {\na = f32[2]{0} add(y)\nc {\n  x = f32[2]{0} add(y), a={b\n}, other=1\n  z = f32[3]{0} add(x)\n}\n"
    module = hlo.read(text)
    assert [(array.name, array.computation.name) for array in module] == [("a", ""), ("x", "c"), ("z", "c")]
    assert module.problems == ()


def test_a_literal_that_does_not_end_hides_nothing():
    module = hlo.read("c {\n  x = s32[2]{0} constant({\n  y = (f32[], f32[]) tuple(x)\n  z = f32[] add(x)\n}\n")
    assert [array.name for array in module] == ["x", "y{0}", "y{1}", "z"]
    assert module.problems == ()


def test_a_literal_may_go_over_lines():
    text = "c {\n  x = s32[2,1,2]{2,1,0} constant({\n{ /*i0=0*/\n{ 1, 2 }\n},\n{ /*i0=1*/\n{ 3, 4 }\n}\n})\n  y = f32[] add(x)\n}\n"
    assert [(array.name, array.computation.name) for array in hlo.read(text)] == [("x", "c"), ("y", "c")]


@settings(max_examples=40)
@given(st.lists(shapes(), min_size=1, max_size=2), st.booleans())
def test_an_instruction_has_the_leaves_of_its_shape(parts, nested):
    shape = xla.Shape("tuple", parts=tuple(parts))
    shape = xla.Shape("tuple", parts=(xla.Shape("token"), shape)) if nested else shape
    module = hlo.read(f"%x.1 = {shape} custom-call(%y), metadata={{}}")
    (instruction,) = module.instructions()
    leaves = list(shape.leaves())
    assert len(instruction.leaves) == len(leaves)
    for (path, text), leaf in zip(instruction.leaves, leaves, strict=True):
        at = shape
        for place in path:
            at = at.parts[place]
        assert xla.parse_shape(text) == at
        assert leaf in (at, *at.parts)


WORDS = re.split(r"(\W)", TPU.read_text()[3000:9000])
INSTRUCTIONS = [line for line in TPU.read_text().splitlines() if line.startswith("  ") and " = " in line]


@given(st.lists(st.sampled_from(WORDS), max_size=300).map("".join))
def test_shuffled_text_is_no_disaster(text):
    module = hlo.read(text + "\n")
    list(module.buffers())
    list(module.configs())


@given(st.sampled_from(INSTRUCTIONS), st.data())
def test_instructions_with_other_words_are_no_disaster(line, data):
    words = re.split(r"(\W)", line)
    for _ in range(data.draw(st.integers(0, 3))):
        words[data.draw(st.integers(0, len(words) - 1))] = data.draw(st.sampled_from(WORDS))
    module = hlo.read(f"c {{\n{INSTRUCTIONS[0]}\n{''.join(words)}\n}}\n")
    arrays = list(module)
    assert arrays
    assert all(array.padded_bytes is None or array.padded_bytes >= 0 for array in arrays)
    list(module.buffers())
    list(module.configs())


PROBLEMS = [
    ("c {\n  x = q32[3]{0} add(y)\n}", 2, "'x' has the shape 'q32[3]{0}': expected an element type"),
    ("c {\n  x = f32[3]{1} add(y)\n}", 2, "out-of-bounds"),
    ("c {\n  x = f32[8388608,8,4]{2,1,0:T(8,\n}", 2, "'x' has no shape and operation that can be read: 'f32[8388608,8,4]{2,1,0:T(8,'"),
    ("x = f32[4,512,51...\n", 1, "'x' has no shape and operation"),
    ("c {\n  x = (f32[2]{0}, f32[3]{0} tuple(y)\n}", 2, "'x' has no shape and operation"),
    ("c {\n  x = " + "(" * 200 + "f32[]" + ")" * 200 + " tuple(y)\n}", 2, "'x' has no shape and operation"),
    ("c {\n  x = f32[99999999999,99999999999]{1,0} add(y)\n}", 2, "Dimensions overflow"),
    ("c {\n  x = f32[" + "9" * 5000 + "]{0} add(y)\n}", 2, "does not fit in 64 bits"),
    ("c {\n  x = f32[4,4]{1,0:T(2,*)} add(y)\n}", 2, "ends in '*'"),
    ("a = (f32[2]{0}, f32[4,51...", 1, "'a' has no shape and operation"),
    ("a = ((/*index=0*/ s8[2]), ...) tuple(x)", 1, "'a' has no shape and operation"),
    ("a = (f32[1], /*index=1*/F32[6], f32[7], /*index=3*/f32[11]) tuple(x)", 1, "'a' has no shape and operation"),
    ("a = (f32[1] f32[3], f32[2]) tuple(x)", 1, "'a' has no shape and operation"),
    ("a = (f32[1],, f32[2]) tuple(x)", 1, "'a' has no shape and operation"),
    ("a = (f32[1],) tuple(x)", 1, "'a' has no shape and operation"),
    ("a = (f32[1], " + "/*a*/" * 1000 + "!) tuple(x)", 1, "'a' has no shape and operation"),
    ("a {\nb {\n}", 2, "computation 'a' is not closed before 'b' begins"),
    ("a {\n  x = f32[] add()\n", 4, "the text ends within computation 'a'"),
    ("ok = f32[] add()\n/* x = f32[] add(y)", 2, "a comment begins that is not closed"),
]


@pytest.mark.parametrize(("text", "line", "message"), PROBLEMS, ids=[message[:40] for *_, message in PROBLEMS])
def test_what_cannot_be_read_is_noted_and_the_rest_is_read(text, line, message):
    module = hlo.read(f"{text}\nok = f32[7]{{0}} add(y)\n")
    assert "ok" in [array.name for array in module]
    assert module.problem_count == 1
    assert module.problems[0].line == line
    assert message in str(module.problems[0])
    assert len(str(module.problems[0])) < 400


def test_sizes_of_dynamic_arrays_and_of_pieces_are_the_compilers():
    """XLA's buffer assignments of libtpu 0.0.52: of a dynamic program for v5e, and of one for v7x that cuts an array in two."""
    text = "x = f32[<=100,300]{0,1:T(8,128)M(1024)} custom-call(y)\nz = s2[130,256]{1,0:T(16,128)(16,1)E(2)S(1)SC(0:72)} copy(y)\n"
    dynamic, cut = hlo.read(text)
    assert (dynamic.logical_bytes, dynamic.padded_bytes) == (120_000, 156_672)
    assert (cut.logical_bytes, cut.padded_bytes) == (72 * 256, 5120)


def test_unbounded_arrays_have_no_size():
    (array,) = hlo.read("x = f32[?,3]{1,0} add(y)")
    assert (array.logical_bytes, array.padded_bytes, array.waste, array.expansion) == (None, None, None, None)
    assert hlo.ranked(hlo.read("x = f32[?]{0} add(y)\nz = s4[8]{0:E(4)} add(y)\n"))[0].name == "z"


def test_problems_are_counted_beyond_those_that_are_kept():
    module = hlo.read("x = f32[2]{1} add(y)\n" * 250)
    assert list(module) == []
    assert (module.problem_count, len(module.problems)) == (250, 100)


CONFIGS = [
    (
        'backend_config={"a":[{"layout":{"minor_to_major":["1","0"],"tiles":[{"dimensions":["8","128"]}]}}]}',
        [("a[0].layout", "{1,0:T(8,128)}")],
        0,
    ),
    ('backend_config=[{"minor_to_major":[]},{"minor_to_major":[0]}]', [("[0]", "{}"), ("[1]", "{0}")], 0),
    ('backend_config="{\\"minorToMajor\\": [\\"0\\"]}"', [("", "{0}")], 0),
    ('metadata={op_name="backend_config={\\"minor_to_major\\":[0]}"}', [], 0),
    ('backend_config="minor_to_major"', [], 0),
    ('backend_config={"minor_to_major":["1","0"', [], 1),
    ('backend_config={"x":{"minor_to_major":["0","0"]},"y":{"minor_to_major":["0"]}}', [("y", "{0}")], 1),
    ('backend_config={"minor_to_major":' + "[" * 5000, [], 1),
    ('backend_config={"minor_to_major":[' + "9" * 6000 + "]}", [], 1),
    ("backend_config=", [], 0),
    ('metadata={op_name="minor_to_major' + '\\"' * 5000, [], 0),
]


@pytest.mark.parametrize(("text", "expected", "problems"), CONFIGS, ids=[text[:40] for text, *_ in CONFIGS])
def test_configurations(text, expected, problems):
    module = hlo.read(f"x = f32[2]{{0}} custom-call(y), {text}\n")
    assert [(config.path, str(config.described)) for config in module.configs()] == expected
    assert module.problem_count == problems


def test_op_name():
    (instruction,) = hlo.read('x = f32[2]{0} add(y), note="op_name=no", metadata={op_type="a" op_name="jit(f)/\\"q\\""}\n').instructions()
    assert hlo.op_name(instruction) == 'jit(f)/"q"'
    (instruction,) = hlo.read(r'x = f32[2]{0} add(y), metadata={op_name="a\\b\n\303\251\'c"}' + "\n").instructions()
    assert hlo.op_name(instruction) == "a\\b\n\u00e9'c"
    (instruction,) = hlo.read("x = f32[2]{0} add(y)\n").instructions()
    assert hlo.op_name(instruction) is None


class TestSources:
    def test_no_such_file(self, tmp_path):
        with pytest.raises(FileError, match=r"cannot read .*nothing\.txt': No such file or directory; check its name"):
            hlo.read(tmp_path / "nothing.txt")

    def test_a_directory_and_a_name_with_nul(self, tmp_path):
        with pytest.raises(FileError, match="Is a directory"):
            hlo.read(tmp_path)
        with pytest.raises(FileError, match="NUL"):
            hlo.read("a\0b")

    @pytest.mark.parametrize("given", [b"%a = f32[3] copy(%p)", bytearray(b"x"), memoryview(b"x")])
    def test_bytes(self, given):
        with pytest.raises(tl.LayoutError, match=r"(b'|bytearray|memory).* is no text: give the path of a file, the text itself"):
            hlo.read(given)

    def test_a_binary_file(self, tmp_path):
        (tmp_path / "x.pb").write_bytes(bytes(range(256)) * 100)
        with pytest.raises(FileError, match=r"x\.pb' is no text: it has NUL in it, as an HLO proto has"):
            hlo.read(tmp_path / "x.pb")

    @pytest.mark.parametrize("written", [gzip.compress, lambda content: b"\x1f\x8b no NUL"])
    def test_a_compressed_file(self, written, tmp_path):
        path = tmp_path / "dump.gz"
        path.write_bytes(written(TPU.read_bytes()))
        with pytest.raises(FileError, match=r"dump\.gz' is no text: it is compressed by gzip; .* gunzip"):
            hlo.read(path)
        for errors in ("replace", "surrogateescape"):
            with path.open(errors=errors) as file, pytest.raises(FileError, match="what was given is no text: it is compressed by gzip"):
                hlo.read(file)
        with gzip.open(path, "wt") as file:
            file.write(TPU.read_text())
        with gzip.open(path, "rt") as file:
            assert names(file) == names(TPU)

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
    def test_another_encoding(self, encoding, tmp_path):
        (tmp_path / "x.txt").write_bytes(TPU.read_text().encode(encoding))
        with pytest.raises(FileError, match=r"x\.txt' is text in UTF-16, and UTF-8 is read; .* iconv -f UTF-16 -t UTF-8"):
            hlo.read(tmp_path / "x.txt")
        with (tmp_path / "x.txt").open(errors="replace") as file, pytest.raises(FileError, match="what was given is text in UTF-16"):
            hlo.read(file)

    @pytest.mark.parametrize("text", ["\0" * 99, "ab\0c", "a\0\0\0" * 33])
    def test_nul_that_is_no_encoding(self, text, tmp_path):
        (tmp_path / "x.pb").write_text(text)
        with pytest.raises(FileError, match="it has NUL in it"):
            hlo.read(tmp_path / "x.pb")

    def test_bytes_that_are_no_utf8_harm_no_line_but_theirs(self, tmp_path):
        (tmp_path / "x.txt").write_bytes(b'\xff\xfe\xfa\nx = f32[2]{0} add(y), metadata={op_name="\xe9"}\n\x80 = f32[2]{0} add(y)\n')
        assert names(tmp_path / "x.txt") == ["x", "\ufffd"]

    def test_random_bytes(self, tmp_path):
        noise = random.Random(5)
        (tmp_path / "x.txt").write_bytes(bytes(noise.randrange(1, 256) for _ in range(200_000)))
        assert names(tmp_path / "x.txt") == []

    @pytest.mark.parametrize("source", [None, 5, b"x = f32[2]{0} add(y)\n", [1, 2], object()])
    def test_no_text(self, source):
        with pytest.raises(tl.LayoutError, match=r"is no (line of )?text"):
            hlo.read(source)

    def test_empty_text(self):
        assert list(hlo.read("\n")) == list(hlo.read([])) == []

    def test_a_file_that_goes_away(self, tmp_path):
        (tmp_path / "x.txt").write_text("x = f32[2]{0} add(y)\n")
        module = hlo.read(tmp_path / "x.txt")
        (tmp_path / "x.txt").unlink()
        with pytest.raises(FileError, match="cannot read"):
            list(module)

    def test_a_pipe_is_read_more_than_once(self, tmp_path):
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        writer = threading.Thread(target=pipe.write_text, args=(TPU.read_text(),))
        writer.start()
        module = hlo.read(pipe)
        writer.join()
        assert list(module.buffers()) == list(hlo.read(TPU).buffers())

    def test_what_was_kept_goes_with_the_module(self):
        module = hlo.read(iter(["x = f32[2]{0} add(y)"]))
        kept = module._lines.path
        assert kept.exists()
        assert [array.name for array in module] == ["x"]
        del module
        assert not kept.exists()

    def test_a_line_that_is_too_long_is_cut(self, monkeypatch):
        monkeypatch.setattr(lines, "LONGEST_LINE", 100)
        text = f'x = f32[200]{{0}} constant({{{"1, " * 5000}}}), metadata={{op_name="a"}}\ny = f32[2]{{0}} add(x)\n'
        module = hlo.read(text)
        assert [(array.name, array.instruction.line) for array in module] == [("x", 1), ("y", 2)]
        assert max(len(instruction.text) for instruction in module.instructions()) == 100

    def test_lines_of_megabytes(self):
        wide = ", ".join(["f32[3,5]{1,0:T(8,128)}"] * 20_000)
        literal = "1," * 500_000
        rest = f"{' ' * 2_000_000}\nz = f32[2]{{0}} constant({{{literal}}})\n{'(' * 1_000_000}\n{'a' * 1_000_000} ="
        text = f"x = ({wide}) tuple(y)\n{rest}"
        module = hlo.read(text)
        assert sum(array.padded_bytes for array in module) == 20_000 * 4096 + 8
        assert module.problem_count == 0


class TestRanking:
    def test_it_sorts_as_sorted_does(self):
        arrays = list(hlo.read(TPU))
        by_waste = sorted(arrays, key=lambda array: (array.waste, array.padded_bytes), reverse=True)
        assert hlo.ranked(arrays) == by_waste
        assert hlo.ranked(arrays, top=7) == by_waste[:7]
        sizes = sorted((array.padded_bytes for array in arrays), reverse=True)
        assert [array.padded_bytes for array in hlo.ranked(arrays, "bytes", 5)] == sizes[:5]
        assert [array.name for array in hlo.ranked(arrays, "name", 9)] == sorted(array.name for array in arrays)[:9]
        assert by_waste[0] in hlo.ranked(arrays, at_least=by_waste[0].padded_bytes)
        assert hlo.ranked(arrays, at_least=100_000) == [array for array in by_waste if array.padded_bytes >= 100_000]
        assert hlo.ranked(arrays, top=0) == []
        for wrong in ([1], "f32", np.array(3), None):
            with pytest.raises(tl.LayoutError, match=r"is an? .*; it takes the arrays of tilelayout\.hlo\.read"):
                hlo.ranked(wrong)

    def test_no_other_order(self):
        with pytest.raises(tl.LayoutError, match="cannot be sorted by 'size'; they are by waste, bytes, name"):
            hlo.ranked([], "size")
        with pytest.raises(tl.LayoutError, match="cannot be sorted by"):
            hlo.ranked([], ["waste"])
        for top in (-1, "5", 2.5):
            with pytest.raises(tl.LayoutError, match=r"top=.* is no number to count to; it takes an integer"):
                hlo.ranked([], top=top)


@given(st.integers(0, 2**62))
@example(1_099_506_259_067)  # 1024.00G, which is read as 1.00T
def test_sizes_are_read_back_to_their_rounding(size):
    text = hlo.size_text(size)
    read = hlo.read_size(text)
    assert hlo.read_size(hlo.size_text(read)) == read
    assert abs(read - size) <= size * 0.05
    assert hlo.size_text(-size) == (f"-{text}" if size else "0B")


#: Sizes that TPU compilers printed, and their bytes; the last two, of f32[128,256,896,18] and s32[29360128,10], in a log of a TPU v3.
@pytest.mark.parametrize(
    ("size", "text"),
    [
        (42467328, "40.50M"),
        (17179869184, "16.00G"),
        (10240, "10.0K"),
        (0, "0B"),
        (512, "512B"),
        (2818572288, "2.62G"),
        (13857980416, "12.91G"),
        (1262254080, "1.17G"),  # f32[246534,1280]: 1203 whole M
    ],
)
def test_sizes_print_as_compilers_print_them(size, text):
    assert hlo.size_text(size) == text


@pytest.mark.parametrize("text", ["", "1x", "G", "-5", "1.2.3", "1e5", "9" * 50, "٣M"])
def test_no_size(text):
    with pytest.raises(tl.LayoutError, match="is no size in memory; such are 4096, 64M and"):
        hlo.read_size(text)


class TestCommand:
    def run(self, capsys, *words, code=0):
        assert main(("hlo", *map(str, words))) == code
        out, err = capsys.readouterr()
        return err if code else out

    def test_table(self, capsys):
        out = self.run(capsys, TPU, "--top", 3).splitlines()
        assert out[0] == "jit_step: 19 arrays; 2 arguments take 266.0K, of which 161.1K are elements"
        assert out[2].split() == ["waste", "bytes", "unpadded", "times", "shape", "instruction", "operation", "computation"]
        first = hlo.ranked(hlo.read(TPU).buffers(), top=3)
        assert [line.split()[5] for line in out[3:6]] == [array.name for array in first]
        assert out[6:] == ["and 16 more; --top 19 lists all"]
        assert out[3].split()[:5] == ["141.4K", "200.0K", "58.6K", "3.4x", "f32[5,20,3,50]{3,2,1,0:T(4,128)S(1)}"]

    def test_how_many_are_left_out(self, capsys):
        assert self.run(capsys, TPU, "--top", 20).splitlines()[-1].split()[5] in {array.name for array in hlo.read(TPU).buffers()}
        assert self.run(capsys, TPU, "--top", 1, "--min", "100K").endswith("\nand 2 more; --top 3 lists all\n")
        assert self.run(capsys, TPU, "--min", "1G").splitlines()[2:] == ["none of them takes 1G"]

    def test_json(self, capsys):
        said = json.loads(self.run(capsys, TPU, "--json", "--all", "--sort", "name", "--top", 1000, "--min", "32K"))
        assert (said["modules"], said["arguments"], said["argument_bytes"]) == (["jit_step"], 2, 272_384)
        assert said["count"] == len(list(hlo.read(TPU)))
        listed = [array["instruction"] + (f"{{{array['shape_index'][0]}}}" if array["shape_index"] else "") for array in said["arrays"]]
        assert listed == sorted(listed)
        assert all(array["padded_bytes"] >= 32 * 1024 for array in said["arrays"])
        configured = [array["configured"] for array in said["arrays"] if array["configured"]]
        assert configured[0] == {"float_type_correction_info.original_shape": "bf16[100,150]{0,1:T(8,128)(2,1)}"}

    @pytest.mark.parametrize("name", ["bf16.txt", "f32-run.log", "s8", "token"])
    def test_files_that_are_named_as_shapes_begin(self, name, capsys, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        Path(name).write_text(TPU.read_text())
        assert self.run(capsys, name) == self.run(capsys, TPU)
        assert main(["doctor", name]) == 0
        assert "elements take 58.6K, memory 200.0K" in capsys.readouterr().out
        Path(name).write_bytes(TPU.read_text().encode("utf-16"))
        assert f"'{name}' is text in UTF-16" in self.run(capsys, name, code=2)

    def test_standard_input_and_problems(self, capsys, monkeypatch):
        text = "c {\n  x = f32[3,5]{1,0:T(8,128)} add(y)\n" + "  z = f32[2]{5} add(y)\n" * 7 + "}\n"
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))
        out = self.run(capsys, "-")
        assert "f32[3,5]{1,0:T(8,128)}" in out
        assert out.endswith("and 2 more\n")
        assert "line 3: 'z' has the shape 'f32[2]{5}'" in out

    def test_that_all_are_left_out_is_said(self, capsys, tmp_path):
        (tmp_path / "x.txt").write_text("%w = (s32[]{:T(128)}, f32[8,100]{1,0:T(8,128)}) while(%t), condition=%c, body=%b\n")
        assert "has 2 arrays of HLO in it, and all are left out" in self.run(capsys, tmp_path / "x.txt", code=2)
        assert "f32[8,100]" in self.run(capsys, tmp_path / "x.txt", "--all")

    def test_refusals(self, capsys, tmp_path):
        (tmp_path / "x.txt").write_text("nothing = here\n")
        assert "has no arrays of HLO in it" in self.run(capsys, tmp_path / "x.txt", code=2)
        assert "No such file" in self.run(capsys, tmp_path / "y.txt", code=2)
        assert "is a layout in the notation xla, and no file that can be read\nhlo takes" in self.run(capsys, "f32[3]{0}", code=2)
        assert "is no number of arrays" in self.run(capsys, TPU, "--top", "x", code=2)
        assert "--top -1 is no number of arrays" in self.run(capsys, TPU, "--top", "-1", code=2)
        assert "'1x' is no size in memory" in self.run(capsys, TPU, "--min", "1x", code=2)


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is told in other ways elsewhere")
@pytest.mark.slow
def test_a_hundred_megabytes_in_bounded_time_and_little_memory(tmp_path):
    """Ten seconds are the aim, on a machine that does nothing else."""
    text = TPU.read_text()
    with (tmp_path / "big.txt").open("w") as file:
        for _ in range(100_000_000 // len(text) + 1):
            file.write(text)
    program = HIGHEST + (
        "import sys, time; from tilelayout.cli import main; before, begin = highest(), time.monotonic(); main(sys.argv[1:]); "
        "print(time.monotonic() - begin, highest() - before)"
    )
    done = subprocess.run([sys.executable, "-c", program, "hlo", tmp_path / "big.txt"], capture_output=True, text=True, check=True)
    seconds, rise = map(float, done.stdout.splitlines()[-1].split())
    assert seconds < 60
    assert rise < 100_000_000


CANONICAL = """HloModule jit_f, entry_computation_layout={(f32[8]{0})->f32[]}

fused_computation {
  tmp_0 = f32[8]{0} parameter(0)
  ROOT tmp_1 = f32[8]{0} multiply(f32[8]{0} tmp_0, f32[8]{0} tmp_0)
}

region_0.1 {
  tmp_0 = f32[] parameter(0)
  tmp_1 = f32[] parameter(1)
  ROOT tmp_2 = f32[] add(f32[] tmp_0, f32[] tmp_1)
}

ENTRY main {
  tmp_0 = f32[8]{0} parameter(0)
  tmp_1 = f32[8]{0} fusion(f32[8]{0} tmp_0), kind=kLoop, calls=
  {
    tmp_0 = f32[8]{0} parameter(0)
    ROOT tmp_1 = f32[8]{0} multiply(f32[8]{0} tmp_0, f32[8]{0} tmp_0)
  }
  tmp_2 = f32[8]{0} conditional(s32[] tmp_9, f32[8]{0} tmp_1, f32[8]{0} tmp_0), branch_computations={
  {
    tmp_0 = f32[8]{0} parameter(0)
    ROOT tmp_1 = f32[8]{0} negate(f32[8]{0} tmp_0)
  },
  {
    tmp_0 = f32[8]{0} parameter(0)
    ROOT tmp_1 = f32[8]{0} abs(f32[8]{0} tmp_0)
  }
  }
  ROOT tmp_3 = f32[] reduce(f32[8]{0} tmp_2, f32[] tmp_4), dimensions={0}, to_apply=
  {
    tmp_0 = f32[] parameter(0)
    tmp_1 = f32[] parameter(1)
    ROOT tmp_2 = f32[] add(f32[] tmp_0, f32[] tmp_1)
  }
}
"""


def test_computations_written_in_place():
    """As jaxlib's ``HloPrintOptions.canonical()`` has them: each in place, and all but the entry by themselves as well."""
    module = hlo.read(CANONICAL)
    assert [array.opcode for array in module.buffers()] == ["parameter", "fusion", "negate", "abs", "reduce"]
    assert [array.instruction.line for array in module if array.is_argument] == [15]
    assert module.problems == ()


def test_computations_without_names_are_noted():
    module = hlo.read("HloModule m\n\nENTRY %(p: f32[2]) -> f32[2] {\n  %p = f32[2]{0} parameter(0)\n}\n")
    assert [array.is_argument for array in module] == [True]
    assert [problem.line for problem in module.problems] == [3]


@pytest.mark.parametrize("line", ["%y =", "%z", "%w f32[8]{0} copy(%x)", "f32[8]{0} add(%x)", "ROOT r"])
def test_lines_that_are_meant_for_instructions_are_noted(line):
    module = hlo.read(f"ENTRY e {{\n  %x = f32[8]{{0}} parameter(0)\n  {line}\n}}\n")
    assert [array.name for array in module] == ["x"]
    assert [problem.line for problem in module.problems] == [3]


@pytest.mark.parametrize("written", ["%v=f32[8]{0} copy(%x)", "%v= f32[8]{0} copy(%x)", "v =f32[8]{0} copy(x)"])
def test_blanks_beside_the_equals_sign_are_not_needed(written):
    """XLA's parser takes them so."""
    module = hlo.read(f"ENTRY e {{\n  %x = f32[8]{{0}} parameter(0)\n  {written}\n}}\n")
    assert ([array.name for array in module], module.problems) == (["x", "v"], ())


def test_an_instruction_beside_the_head_of_its_computation_is_noted():
    module = hlo.read("ENTRY e { x = f32[8] parameter(0)\n  ROOT z = f32[8] copy(x) }\n")
    assert [array.name for array in module] == ["z"]
    assert [problem.line for problem in module.problems] == [1]


@pytest.mark.parametrize("prefix", ["I0504 09:05:40.719745    1578 a.cc:76] ", "12:", "dump.txt-3-"])
def test_strings_cut_off_in_a_log(prefix):
    """An instruction behind a prefix ends a string that was cut off as well as one without."""
    lines = [f"%{name} = f32[8,128]{{1,0}} copy(%x)" for name in ("a", "b", "c", "d")]
    lines[0] += ', metadata={op_name="jit(f)/verylo'
    lines[2] += ', metadata={op_name="jit(f)/verylo'
    assert [array.name for array in hlo.read("\n".join(prefix + line for line in lines) + "\n")] == ["a", "b", "c", "d"]


def test_lines_of_dashes_and_numbers_are_read_in_short_time():
    module = hlo.read("-".join(map(str, range(300))) + " ring\n%x = f32[2]{0} copy(%a)\n")
    assert [array.name for array in module] == ["x"]


def test_lines_are_those_that_grep_counts(tmp_path):
    """A carriage return alone ends no line: what a progress bar wrote over is left out."""
    text = "epoch 1\repoch 2\r%x = f32[2]{0} copy(%a)\r\nENTRY e {\r\n  %c = f32[2] constant({\r\n}\r\n)\r\n  %y = f32[2] copy(%c)\r\n}\r\n"
    path = tmp_path / "log.txt"
    path.write_bytes(text.encode())
    for module in (hlo.read(text), hlo.read(path)):
        assert [(array.name, array.instruction.line, array.computation.name) for array in module] == [
            ("x", 1, ""),
            ("c", 3, "e"),
            ("y", 6, "e"),
        ]
        assert module.problems == ()


def test_a_file_whose_name_looks_like_text(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a = b.txt").write_text("%x = f32[2]{0} copy(%a)\n")
    assert main(["hlo", "a = b.txt"]) == 0
    assert "1 array" in capsys.readouterr().out


def test_arguments_of_unknown_size_are_told(capsys, tmp_path):
    path = tmp_path / "dump.txt"
    path.write_text("ENTRY e {\n  x = f32[?,1024] parameter(0)\n  y = f32[8] parameter(1)\n}\n")
    main(["hlo", str(path)])
    assert "2 arguments take 32B, of which 32B are elements, but for 1 of unknown size" in capsys.readouterr().out
    main(["hlo", str(path), "--json"])
    assert json.loads(capsys.readouterr().out)["unsized_arguments"] == 1


def test_layouts_in_a_configuration_that_cannot_be_read_are_told_in_json(capsys, tmp_path):
    path = tmp_path / "dump.txt"
    path.write_text('x = f32[2]{0} custom-call(y), backend_config={"a":{"minor_to_major":["9"],"tiles":[]}}\n')
    main(["hlo", str(path), "--json"])
    assert "backend_config.a" in json.loads(capsys.readouterr().out)["problems"][0]["message"]
