"""The padding doctor: every byte accounted for, every remedy what it says, and the reports of users reproduced."""

import csv
import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tilelayout as tl
from strategies_xla import small_arrays
from tilelayout import doctor, hlo
from tilelayout.cli import main
from tilelayout.doctor.remedies import merges, orders, reach
from tilelayout.notations import xla

DATA = Path(__file__).parent / "data"
with (DATA / "tpu_reported_sizes.tsv").open() as _file:
    ROWS = list(csv.DictReader(_file, delimiter="\t"))

G, M = 2**30, 2**20

#: Reports of users: the array, its bytes, those in memory, and what is guilty.
REPORTS = [
    # DifferentiableUniverseInitiative/flowpm#27: 1.00G took 32.00G.
    ("s32[8388608,8,4]{2,1,0:T(8,128)}", G, 32 * G, ["dim 2 (4) is filled up to 128 by tile (8,128)"]),
    # pytorch/xla#6674: 1.00G took 4.00G.
    ("bf16[2048,1,2048,128]{0,1,3,2:T(4,128)(2,1)}", G, 4 * G, ["dim 1 (1) is filled up to 4 by tile (4,128)"]),
    # tenstorrent/tt-xla#4761: 10 MB took 5 GB in tiles of 32x32.
    (
        "f32[1,4096,5,64,1,2]{5,4,3,2,1,0:T(32,32)}",
        10 * M,
        5 * G,
        ["dim 5 (2) is filled up to 32 by tile (32,32)", "dim 4 (1) is filled up to 32 by tile (32,32)"],
    ),
]


@pytest.mark.parametrize(("text", "logical", "padded", "guilty"), REPORTS, ids=[text for text, *_ in REPORTS])
def test_reports_of_users(text, logical, padded, guilty):
    found = doctor.diagnose(text)
    assert (found.logical_bytes, found.padded_bytes, found.waste) == (logical, padded, padded - logical)
    assert [str(cause) for cause in found.causes] == guilty
    assert found.best.bytes == logical
    assert not found.is_assumed


@pytest.mark.parametrize("row", ROWS, ids=[row["shape"] for row in ROWS])
def test_sizes_that_compilers_reported(row):
    found = doctor.diagnose(row["shape"])
    assert (found.logical_bytes, found.padded_bytes) == (int(row["computed_unpadded"]), int(row["computed_bytes"]))
    assert round(found.expansion, 1) == float(row["reported_expansion"])
    assert sum(cause.bytes for cause in found.causes) == found.waste
    if row["reported_size"][0].isdigit():
        assert hlo.size_text(found.padded_bytes) == row["reported_size"]


@given(small_arrays())
def test_the_bytes_of_the_causes_are_the_whole_difference(shape):
    found = doctor.causes(shape)
    assert sum(cause.bytes for cause in found) == (shape.allocation_byte_size - shape.logical_byte_size if shape.elements else 0)
    assert math.isclose(math.prod(cause.factor for cause in found) * shape.elements, shape.padded_elements)
    assert all(cause.bytes > 0 and cause.filled > cause.size and cause.filled % cause.multiple == 0 for cause in found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f32[5,128]{1,0:T(8,128)}", [((0,), 1536)]),
        ("f32[8,100]{1,0:T(8,128)}", [((1,), 896)]),
        ("f32[8,100]{0,1:T(8,128)}", [((0,), 48000), ((1,), 2048)]),
        ("f32[3]{0:T(8,128)}", [((0,), 500), ((), 3584)]),
        ("f32[]{:T(128)}", [((), 508)]),
        ("u8[5]{0:T(4)(3)}", [((0,), 3), ((0,), 4)]),
        ("u8[2,3,4]{2,1,0:T(*,7,3)}", [((2,), 12), ((0, 1), 6)]),
        ("pred[8]{0:E(32)}", [((), 24)]),
        ("s4[9]{0:E(4)}", [((), -4)]),
        ("u8[9]{0:L(4)}", [((), 3)]),
        ("f32[16,256]{1,0:T(8,128)}", []),
        ("f32[0,5]{1,0:T(8,128)}", []),
        ("f32[0,5]{1,0:T(8,128)E(64)}", []),
        ("f32[<=5,128]{1,0:T(8,128)M(1024)}", [((0,), 1536), ((), 1024)]),
        ("f32[<=0]{0:T(128)M(1024)}", [((), 1024)]),
        ("f32[12,128]{1,0:T(8,128)SC(0:5)}", [((0,), 512)]),
        ("s4[9]{0:E(4)M(64)}", [((), -4), ((), 64)]),
    ],
)
def test_what_is_guilty(text, expected):
    assert [(cause.axes, cause.bytes) for cause in doctor.causes(xla.parse_shape(text))] == expected


def test_a_prefix_stays_whatever_is_done():
    found = doctor.diagnose("f32[<=100,3]{1,0:T(8,128)M(1024)}")
    assert found.waste == sum(cause.bytes for cause in found.causes) == 104 * 128 * 4 + 1024 - 1200
    assert str(found.causes[-1]) == "1024 bytes stand in front, for the sizes of dynamic dimensions"
    assert (found.causes[-1].factor, doctor.causes(xla.parse_shape("f32[<=0]{0:M(64)}"))[0].factor) == (1 + 1024 / (104 * 512), 1)
    assert {remedy.shape.layout.dynamic_shape_metadata_prefix_bytes for remedy in found.remedies} == {1024}


def test_of_an_array_that_is_cut_the_largest_piece_is_diagnosed():
    cut, piece = doctor.diagnose("bf16[100,3]{1,0:T(8,128)(2,1)SC(0:40)}"), doctor.diagnose("bf16[60,3]{1,0:T(8,128)(2,1)}")
    assert cut == piece
    (finding,) = doctor.examine(hlo.read("x = bf16[100,3]{1,0:T(8,128)(2,1)SC(0:40)} copy(y)\n"))
    assert finding.diagnosis == piece


@given(small_arrays())
def test_remedies_are_what_they_say(shape):
    found = doctor.diagnose(shape)
    assert [remedy.bytes for remedy in found.remedies] == sorted(remedy.bytes for remedy in found.remedies)
    assert len({str(remedy.shape) for remedy in found.remedies} | {str(found.shape)}) == 1 + len(found.remedies)
    for kind, other, size in found.remedies:
        assert other.allocation_byte_size == size
        if kind in ("order", "tiles"):
            assert other.bounds == found.shape.bounds
        if kind == "order":
            assert other.layout.tiles == found.shape.layout.tiles
        if kind == "merge":
            assert other.elements == found.shape.elements
            assert len(other.bounds) < len(found.shape.bounds)
        if kind == "grow":
            assert other.elements >= found.shape.elements
        if kind == "shrink":
            assert 0 < other.elements < found.shape.elements
    if found.best is not None:
        assert found.best.bytes < found.padded_bytes


@given(small_arrays())
def test_no_order_of_the_dimensions_takes_less_than_the_best_of_the_remedies(shape):
    layout = shape.layout
    every = (
        xla.Shape("f32", shape.dims, xla.Layout(order, layout.tiles, layout.tail_padding_alignment_in_elements)).byte_size
        for order in itertools.permutations(range(len(shape.dims)))
    )
    tried = [remedy.bytes for remedy in doctor.diagnose(shape).remedies if remedy.kind == "order"] if layout.tiles else [shape.byte_size]
    assert min([shape.byte_size, *tried]) == min(every)


@given(st.lists(st.integers(1, 3), max_size=5))
def test_merges_are_the_shapes_with_the_same_row_major_elements(bounds):
    def cut(rest):
        yield from ([math.prod(rest)],) if rest else ([],)
        for k in range(1, len(rest)):
            yield from ([math.prod(rest[:k]), *more] for more in cut(rest[k:]))

    expected = {tuple(shape) for shape in cut(bounds) if len(shape) < len(bounds)}
    assert set(merges(tuple(bounds))) == expected


@pytest.mark.parametrize(
    ("layout", "met"),
    [
        ("{1,0}", 0),
        ("{2,1,0:T(8,128)(2,1)}", 2),
        ("{4,3,2,1,0:T(2,2)(2,2,2,2,2)}", 3),
        ("{1,0:T(2,2,2)}", 2),
        ("{4,3,2,1,0:T(2,2)(2)(2,2,2,2,2)}", 2),
        ("{4,3,2,1,0:T(*,*,128)(2,1,1)}", 4),
    ],
)
def test_the_dimensions_that_tiles_meet(layout, met):
    assert reach(xla.parse_layout(layout)) == met


def test_orders():
    assert list(orders((5, 6), (1, 0), 0)) == [(1, 0)]
    assert len(list(orders(tuple(range(2, 12)), tuple(range(10)), 2))) == 90


def test_an_array_without_tiles_has_those_of_the_tpu():
    found = doctor.diagnose("bf16[1000,3]", generation="v3")
    assert found.is_assumed
    assert str(found.shape) == f"bf16[1000,3]{xla.tpu_layout((1000, 3), 'bf16', generation='v3')}"
    assert "the text gives no tiles; these are those of a TPU v3" in str(found)
    column = doctor.diagnose("f32[1000,3]{0,1}")
    assert (str(column.shape), column.padded_bytes) == ("f32[1000,3]{0,1:T(4,128)}", 16384)
    wide = doctor.diagnose("f64[3,5]")
    assert (str(wide.shape), wide.is_assumed, wide.padded_bytes) == ("f64[3,5]{1,0:T(4,128)}", True, 4096)


@pytest.mark.parametrize(("element_type", "size"), [("f64", 98_304), ("s64", 98_304), ("c64", 98_304), ("c128", 196_608)])
def test_wide_types_have_the_tiles_of_f32(element_type, size):
    """As XLA prints them, and ``compiled.memory_analysis().argument_size_in_bytes`` of jax 0.10.2 with libtpu 0.0.52."""
    found = doctor.diagnose(f"{element_type}[31,300]")
    assert (str(found.shape), found.padded_bytes) == (f"{element_type}[31,300]{{1,0:T(8,128)}}", size)


@pytest.mark.parametrize(
    ("text", "tiled", "size"),
    [
        ("pred[1024,1024]{1,0:E(32)}", "pred[1024,1024]{1,0:T(8,128)E(32)}", 4 << 20),
        ("s8[64,256]{1,0:E(16)}", "s8[64,256]{1,0:T(8,128)(2,1)E(16)}", 32 << 10),
        ("s4[64,256]{1,0:E(8)}", "s4[64,256]{1,0:T(32,128)(4,1)E(8)}", 16 << 10),
        ("s4[64,256]{1,0:E(4)}", "s4[64,256]{1,0:T(64,128)(8,1)E(4)}", 8 << 10),
    ],
)
def test_an_array_without_tiles_keeps_the_bits_that_it_gives_its_elements(text, tiled, size):
    found = doctor.diagnose(text)
    assert (str(found.shape), found.padded_bytes) == (tiled, size)


def test_it_takes_shapes_buffers_and_arrays_of_a_dump():
    text = "f32[3,5]{1,0:T(8,128)S(1)}"
    (array,) = hlo.read(f"x = {text} add(y)")
    assert doctor.diagnose(array) == doctor.diagnose(text) == doctor.diagnose(xla.parse_shape(text)) == doctor.diagnose(f"b({text})")
    assert all(remedy.shape.memory_space == 1 for remedy in doctor.diagnose(text).remedies)


def test_a_diagnosis_in_words():
    assert str(doctor.diagnose("s32[8388608,8,4]{2,1,0:T(8,128)}")).splitlines()[:6] == [
        "s32[8388608,8,4]{2,1,0:T(8,128)}",
        "elements take 1.00G, memory 32.00G (32.0x): 31.00G more",
        "",
        "what makes it so:",
        "  +31.00G  32.00x  dim 2 (4) is filled up to 128 by tile (8,128)",
        "",
    ]
    assert str(doctor.diagnose("f32[8,128]{1,0:T(8,128)}")).splitlines()[1] == "elements take 4.0K, memory 4.0K (1.0x): nothing is wasted"
    packed = str(doctor.diagnose("s4[64,200]{1,0:T(64,128)(8,1)E(4)}")).splitlines()
    assert packed[1] == "elements take 12.5K, memory 8.0K (0.6x): padded, and packed"
    assert packed[-1].split()[:3] == ["8.0K", "+0B", "s4[64,256]{1,0:T(64,128)(8,1)E(4)}"]
    assert "none of 2 other orders and shapes of the same elements takes less" in str(doctor.diagnose("f32[9,128]{1,0:T(8)L(1024)}"))


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ("f32[?,3]", "unbounded dimension"),
        ("f32[3,5", "expected"),
        ("f32[9223372036854775807]{0:T(1024)}", "more than a signed 64-bit integer holds"),
        ("f32[4,4]{1,0:T(2,*)}", "ends in '\\*'"),
        (None, "None is no array; it takes text such as"),
        pytest.param(10**5000, "a very large int is no array", id="large"),
        (xla.parse_layout("{1,0}"), r"\{1,0\} is a layout without an array"),
        ("{1,0:T(8,128)}", r"without an array; write the array's type and sizes in front, as in f32\[100,100\]\{1,0:T\(8,128\)\}$"),
        ("(token[], (f32[3,5], s8[4]))", r"is no array; give one of its arrays at a time, such as f32\[3,5\]\{1,0\}$"),
        ("token[]", r"token\[\] is no array$"),
    ],
)
def test_refusals(shape, message):
    with pytest.raises(tl.LayoutError, match=message):
        doctor.diagnose(shape)


def test_no_such_generation():
    with pytest.raises(tl.LayoutError, match="no TPU generation is called 'v99'; there are v2"):
        doctor.diagnose("f64[3]", generation="v99")


def test_remedies_that_overflow_are_left_out():
    found = doctor.diagnose("u8[2305843009213693952,2]{0,1:T(1,128)}")
    assert found.waste == 0
    assert all(remedy.bytes < 2**63 for remedy in found.remedies)
    assert doctor.diagnose("s32[2147483647,3]{1,0:T(2147483648,2)}").padded_bytes == 2**35


@pytest.mark.parametrize("rank", [9, 14])
def test_arrays_of_high_rank_are_quick(rank):
    bounds = tuple(range(2, 2 + rank))
    found = doctor.diagnose(f"u8[{','.join(map(str, bounds))}]" if rank < 13 else f"u8[{','.join(['2'] * rank)}]")
    assert found.best.bytes < found.padded_bytes


class TestDumps:
    def test_the_worst_shapes_are_found(self):
        arrays = [array for array in hlo.read(DATA / "hlo" / "step_v5e.txt") if array.waste > 0]
        expected = sorted({str(array.shape): array.waste for array in arrays}.items(), key=lambda item: -item[1])
        for top in (1, 3, 100):
            findings = doctor.examine(arrays, top)
            assert [finding.diagnosis.waste for finding in findings] == [waste for _, waste in expected[:top]]
        assert sum(finding.arrays for finding in doctor.examine(arrays, 100)) == len(arrays)
        assert doctor.examine(arrays, 0) == doctor.examine([], 5) == []

    @given(st.lists(st.tuples(st.integers(1, 300), st.integers(1, 12)), max_size=60), st.integers(1, 4))
    def test_letting_go_loses_nothing(self, sizes, top):
        arrays = list(hlo.read("".join(f"x = f32[{a},{b}]{{1,0:T(8,128)}} add(y)\n" for a, b in sizes) + "\n"))
        findings = doctor.examine(iter(arrays), top)
        wastes = sorted({str(array.shape): array.waste for array in arrays if array.waste}.values(), reverse=True)
        assert [finding.diagnosis.waste for finding in findings] == wastes[:top]

    def test_the_command(self, capsys, tmp_path):
        assert main(["doctor", str(DATA / "hlo" / "step_v5e.txt"), "--top", "2"]) == 0
        out = capsys.readouterr().out
        assert out.count("what makes it so:") == 2
        assert out.startswith("reshape reshape.2 in main.6\nf32[5,20,3,50]{3,2,1,0:T(4,128)S(1)}\n")
        assert main(["doctor", "f32[1000,3]{1,0:T(8,128)}", "--json"]) == 0
        said = json.loads(capsys.readouterr().out)
        assert (said["waste"], said["causes"][0]["axes"]) == (500_000, [1])
        assert main(["doctor", "xla:f32[1000,3]{1,0:T(8,128)}", "--json"]) == 0
        assert json.loads(capsys.readouterr().out) == said
        assert main(["doctor", str(DATA / "hlo" / "step_cpu.txt")]) == 0
        assert capsys.readouterr().out.startswith("no array wastes anything; none has tiles")
        assert main(["doctor", str(DATA / "hlo" / "step_v5e.txt"), "--min", "1G"]) == 0
        assert capsys.readouterr().out == "no array of 1G or more wastes anything\n"
        (tmp_path / "log.txt").write_text("  1. Size: 6.00G\n     Shape: u32[12582912,1]{1,0:T(8,128)}\n")
        assert main(["doctor", str(tmp_path / "log.txt"), "--json", "--generation", "v3"]) == 0
        (finding,) = json.loads(capsys.readouterr().out)["findings"]
        assert (finding["where"], finding["padded_bytes"], finding["generation"]) == ("allocation 1", 6 * G, "v3")

    def test_a_file_may_have_the_name_of_a_layout(self, capsys, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "nchw").write_text("x = f32[3,5]{1,0:T(8,128)} add(y)\n")
        assert main(["doctor", "nchw"]) == 0
        assert capsys.readouterr().out.startswith("add x\nf32[3,5]{1,0:T(8,128)}\n")

    def test_refusals_of_the_command(self, capsys, tmp_path):
        (tmp_path / "x.txt").write_text("nothing\n")
        for words, message in [
            (["doctor", str(tmp_path / "x.txt")], "has no arrays of HLO in it"),
            (["doctor", "f32[3,5"], "expected"),
            (["doctor", "{1,0:T(8,128)}"], "error: {1,0:T(8,128)} is a layout without an array"),
            (["doctor", "f32[3]", "--generation", "v99"], "invalid choice"),
            (["doctor", "(4,8):(8,1)"], "'(4,8):(8,1)' is a layout in the notation cute, and no file that can be read\ndoctor takes"),
            (["doctor", "morello:[0, 1 p(4)]"], "is a layout in the notation morello"),
        ]:
            assert main(words) == 2
            assert message in capsys.readouterr().err


@pytest.mark.parametrize("ask", [tl.doctor.causes, tl.doctor.facts, tl.doctor.examine, tl.hlo.op_name, tl.hlo.ranked, tl.hlo.size_text])
def test_what_is_given_is_what_is_asked_for(ask):
    with pytest.raises(tl.LayoutError, match="None is a NoneType; it takes"):
        ask(None)


@pytest.mark.parametrize("ask", [tl.doctor.examine, tl.hlo.ranked])
@pytest.mark.parametrize(("arrays", "said"), [([3], "3 is an int"), (["x"], "'x' is a str"), (np.array(3), r"array\(3\) is an? ndarray")])
def test_what_is_no_array_of_a_dump(ask, arrays, said):
    with pytest.raises(tl.LayoutError, match=f"{said}; it takes the arrays of tilelayout.hlo.read"):
        ask(arrays)
