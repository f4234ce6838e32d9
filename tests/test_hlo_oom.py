"""Reports of TPU compilers that a program does not fit, in the forms they had since 2019."""

import csv
import json
from pathlib import Path

import pytest

import tilelayout as tl
from tilelayout import hlo
from tilelayout.cli import main

with (Path(__file__).parent / "data" / "tpu_reported_sizes.tsv").open() as _file:
    ROWS = list(csv.DictReader(_file, delimiter="\t"))


def entry(number, shape, size, unpadded, *extra_and_expansion, operator='op_name="a"'):
    """An allocation in the words of XLA:TPU."""
    padding = "\n     Extra memory due to padding: {} ({}x expansion)".format(*extra_and_expansion) if extra_and_expansion else ""
    return (
        f"  {number}. Size: {size}\n     Operator: {operator}\n     Shape: {shape}\n     Unpadded size: {unpadded}{padding}\n"
        f"     XLA label: %x = ...\n     Allocation type: HLO temp\n     ==========================\n\n"
    )


def report(*entries):
    head = (
        "Ran out of memory in memory space hbm. Used 17.60G of 16.00G hbm. Exceeded hbm capacity by 1.60G.\n\nTotal hbm usage >= 17.60G:\n"
    )
    return head + "    reserved        528.00M\n\n  Largest program allocations in hbm:\n\n" + "".join(entries)


@pytest.mark.parametrize("row", ROWS, ids=[row["shape"] for row in ROWS])
def test_every_reported_size_is_ours(row):
    size = row["reported_size"] if row["reported_size"][0].isdigit() else hlo.size_text(int(row["computed_bytes"]))
    (allocation,) = hlo.oom(report(entry(1, row["shape"], size, row["reported_unpadded"]))).allocations
    logical, padded = allocation.computed
    assert (logical, padded) == (int(row["computed_unpadded"]), int(row["computed_bytes"]))
    assert allocation.agrees
    assert abs(hlo.read_size(row["reported_unpadded"]) - logical) <= 0.01 * logical
    assert round(padded / logical, 1) == float(row["reported_expansion"])


def test_all_that_a_report_says():
    text = report(
        entry(
            1,
            "f32[4,128,128,9,18]{4,3,0,2,1:T(8,128)}",
            "512.00M",
            "40.50M",
            "471.50M",
            "12.6",
            operator='op_type="OneHot" op_name="one_hot"',
        ),
        entry(2, "(f32[64]{0:T(256)}, bf16[4,512,512,64]{3,0,2,1:T(4,128)(2,1)})", "256.00M", "128.00M"),
    )
    found = hlo.oom(text)
    assert (found.memory, found.used, found.capacity) == ("hbm", "17.60G", "16.00G")
    first, second = found.allocations
    assert first.operator == 'op_type="OneHot" op_name="one_hot"'
    assert (first.number, first.size_in_bytes, first.extra, first.expansion) == (1, 512 * 2**20, "471.50M", "12.6")
    assert (first.label, first.kind) == ("%x = ...", "HLO temp")
    assert hlo.size_text(first.computed[1] - first.computed[0]) == first.extra
    assert second.computed == (256 + 2**27, 1024 + 2**28)
    assert second.extra == ""


def test_behind_the_prefixes_of_a_log():
    prefix = "2020-05-04 09:05:40.719785: E    1578 tensorflow/compiler/xla/xla_client/xla_util.cc:76] "
    text = report(entry(3, "u32[12582912,1]{1,0:T(8,128)}", "6.00G", "48.00M", "5.95G", "128.0"))
    found = hlo.oom("".join(f"{prefix}{line}\n" for line in text.splitlines()))
    assert found == hlo.oom(text)
    assert found.allocations[0].agrees


def test_an_operator_may_go_over_lines():
    operator = 'op_type="broadcast" op_name="jit(f)/b[ dims=(  )\n\n     shape=(1024, 245, 64) ]"'
    (found,) = hlo.oom(
        report(entry(17, "f32[1024,245,64]{1,2,0:T(8,128)}", "64.00M", "61.25M", "2.75M", "1.0", operator=operator))
    ).allocations
    assert found.operator == 'op_type="broadcast" op_name="jit(f)/b[ dims=(  )  shape=(1024, 245, 64) ]"'
    assert found.shape_text == "f32[1024,245,64]{1,2,0:T(8,128)}"


def test_the_form_of_libtpu_in_2026():
    """As libtpu 0.0.51 says it: no list."""
    found = hlo.oom(
        "RESOURCE_EXHAUSTED: E1000: CompileTimeHbmOom: Ran out of memory on HBM, the total memory required for HLO temporaries (276.80G) "
        "exceeds available HBM (15.75G). HLO module: jit_g.\nSee https://openxla.org/xla/errors/error_1000 for more details.\n"
    )
    assert found == hlo.Report("hbm", "276.80G", "15.75G", ())


def test_a_report_without_tiles_does_not_agree():
    """As in tensorflow#30803, of 2019: 64.00M reported, 32.00M unpadded."""
    (found,) = hlo.oom(report(entry(10, "f32[32,128,32,64]{3,0,2,1}", "64.00M", "32.00M", "32.00M", "2.0"))).allocations
    assert found.computed == (2**25, 2**25)
    assert found.agrees is False


@pytest.mark.parametrize("shape", ["bf16[4,512,51...", "", "token[]", "f32[?]{0}", "(" * 500])
def test_shapes_that_tell_no_size(shape):
    (found,) = hlo.oom(report(entry(1, shape, "1.00G", "1.00G"))).allocations
    assert (found.computed, found.agrees) == (None, None)


def test_cut_off_anywhere():
    text = report(*(entry(k, "f32[8,4]{1,0:T(8,128)}", "4.0K", "128B", "3.9K", "32.0") for k in range(1, 4)))
    for end in range(75, len(text)):
        assert len(hlo.oom(text[:end] + "\n").allocations) <= 3
    assert [found.number for found in hlo.oom(text).allocations] == [1, 2, 3]
    for end in range(0, len(text), 7):
        assert hlo.oom(f"{text[:end]}\n{text}") == hlo.oom(f"{text}{text[:end]}\n") == hlo.oom(text)


@pytest.mark.parametrize("text", ["\n", "Size: 5G\n", "x = f32[2]{0} add(y)\n", "Ran out of memory\n"])
def test_no_report(text):
    with pytest.raises(tl.LayoutError, match="this is no report of a TPU's memory: it has no line such as"):
        hlo.oom(text)


def test_the_command_reads_reports(capsys, tmp_path):
    text = report(entry(1, ROWS[0]["shape"], "512.00M", "40.50M", "471.50M", "12.6")) + "HloModule m\nx = f32[3,5]{1,0:T(8,128)} add(y)\n"
    (tmp_path / "log.txt").write_text(text)
    assert main(["hlo", str(tmp_path / "log.txt")]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "out of memory in hbm: 17.60G of 16.00G"
    assert out[2].split()[:5] == ["512.00M", "40.50M", "12.6x", "512.00M", ROWS[0]["shape"]]
    assert out[4] == "m: 1 array"
    assert main(["hlo", "--json", str(tmp_path / "log.txt")]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["report"]["allocations"][0]["computed"] == [42467328, 536870912]
    assert said["report"]["allocations"][0]["agrees"] is True


def test_the_command_lists_the_largest_alone(capsys, tmp_path):
    (tmp_path / "log.txt").write_text(report(*(entry(k, "f32[8,4]{1,0:T(8,128)}", "4.0K", "128B", "3.9K", "32.0") for k in range(1, 4))))
    assert main(["hlo", "--top", "2", str(tmp_path / "log.txt")]) == 0
    out = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in out[1:-1]] == ["size", "4.0K", "4.0K"]
    assert out[-1] == "and 1 more; --top 3 lists all"


SCOPED = (
    "Ran out of memory in memory space vmem while allocating on stack for %gmm.1 = f32[16384,512]{1,0:T(8,128)} custom-call(%x). "
    "Scoped allocation with size 18.00M and limit 16.00M exceeded scoped vmem limit by 2.00M.\n"
)


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        (SCOPED, ("vmem", "18.00M", "16.00M")),
        # jax-ml/jax#7822
        (
            "Aborting compilation early because it's unlikely to have enough memory. Requires 3.47E, has 14.49G available.\n",
            (None, "3.47E", "14.49G"),
        ),
        # openxla.org/xla/errors/error_1000
        (
            "RESOURCE_EXHAUSTED: TPU TensorCore Hbm usage: 34.82G, SparseCore Hbm usage 174.10G, exceeding available bytes: 95.74G\n",
            ("hbm", "208.92G", "95.74G"),
        ),
    ],
)
def test_other_ways_to_say_it(text, fits, capsys, tmp_path):
    found = hlo.oom(text)
    assert (found.memory, found.used, found.capacity) == fits
    assert hlo.read_size(found.used) > hlo.read_size(found.capacity)
    (tmp_path / "log.txt").write_text(text)
    assert main(["hlo", str(tmp_path / "log.txt")]) == 0
    assert f"{found.used} of {found.capacity}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("shape", "size", "memory", "capacity"),
    [
        ("f32[1048576]{0:T(128)}", 4194304, "smem", 1048576),
        ("f32[8192,8192]{1,0:T(8,128)}", 268435456, "vmem", 67108864),
        ("s32[100000]{0}", 400000, "sflag", 16384),
    ],
)
def test_an_allocation_that_is_too_large_alone(shape, size, memory, capacity):
    """As libtpu 0.0.52 says it for v7x of scratch operands of Pallas."""
    found = hlo.oom(
        f"RESOURCE_EXHAUSTED: Allocation (size={size}) would exceed memory (size={capacity}) :: #allocation3 [shape = '{shape}', "
        f"space={memory}, size = {size:#x}, scoped, tag = 'scratch operand'] :: {memory}.1\n"
    )
    assert found == hlo.Report(memory, str(size), str(capacity), (hlo.Allocation(3, str(size), shape_text=shape, kind="scoped"),))
    assert (found.allocations[0].size_in_bytes, found.allocations[0].agrees) == (size, True)


def test_the_heading_of_a_list_names_the_memory(capsys, tmp_path):
    """jax-ml/jax#1737, without a line of what is used; a heading alone is no report."""
    text = "  Largest program allocations in hbm:\n\n" + entry(1, "f32[1,8,2176,1056,2]{3,4,2,1,0:T(2,128)}", "8.77G", "140.25M")
    found = hlo.oom(text)
    assert (found.memory, found.used, found.capacity, len(found.allocations)) == ("hbm", None, None, 1)
    (tmp_path / "log.txt").write_text(text)
    assert main(["hlo", str(tmp_path / "log.txt")]) == 0
    assert capsys.readouterr().out.startswith("the largest allocations in hbm\n")
    with pytest.raises(tl.LayoutError, match="this is no report"):
        hlo.oom("Largest program allocations in hbm:\n")


@pytest.mark.parametrize(
    "prefix",
    [
        "(EngineCore pid=106339) ERROR 06-03 07:41:1{} [core.py:1184] ",
        "ERROR 06-03 07:41:1{} [core.py:1184] ",
        "(TrainWorker pid=1, ip=10.0.0.{}) ",
        "> ",
        "[2025-01-02 03:04:0{}] ",
        "2025-06-01 12:00:0{},123 - ERROR - ",
    ],
)
def test_behind_the_prefixes_of_servers(prefix):
    """As in vllm-project/tpu-inference#2803."""
    text = report(entry(3, "u32[12582912,1]{1,0:T(8,128)}", "6.00G", "48.00M", "5.95G", "128.0"))
    found = hlo.oom("".join(f"{prefix.format(k % 10)}{line}\n" for k, line in enumerate(text.splitlines())))
    assert found == hlo.oom(text)
    assert found.allocations[0].agrees


def test_a_report_that_is_there_twice():
    text = report(*(entry(k, "f32[8,4]{1,0:T(8,128)}", "4.0K", "128B", "3.9K", "32.0") for k in range(1, 4)))
    assert hlo.oom(text + "During handling of the above exception, another exception occurred:\n" + text) == hlo.oom(text)


VMEM = (
    "Ran out of memory in memory space vmem. Used 33.00M of 16.00M vmem. Exceeded vmem capacity by 17.00M.\n\n"
    "  Largest program allocations in vmem:\n\n" + entry(1, "f32[8192,1024]{1,0:T(8,128)}", "32.00M", "32.00M")
)


def test_two_reports_are_two(capsys, tmp_path):
    first = report(entry(1, "s32[8388608,8,4]{2,1,0:T(8,128)}", "32.00G", "1.00G", "31.00G", "32.0"))
    found = hlo.oom(f"{first}retrying\n{VMEM}")
    assert found == hlo.oom(first)
    assert hlo.oom(f"{VMEM}{first}") == hlo.oom(VMEM)
    (tmp_path / "log.txt").write_text(f"{first}retrying\n{VMEM}{first}x = f32[3,5]{{1,0:T(8,128)}} add(y)\n")
    assert main(["hlo", str(tmp_path / "log.txt")]) == 0
    heads = [line for line in capsys.readouterr().out.split("\n") if not line.startswith(" ")]
    assert heads[:2] == ["out of memory in hbm: 17.60G of 16.00G", "32.00G     1.00G  32.0x  32.00G  " + first_of(found)]
    assert heads[2:5] == ["", "out of memory in vmem: 33.00M of 16.00M", "32.00M    32.00M         32.00M  " + first_of(hlo.oom(VMEM))]
    assert heads[5:7] == ["", "1 array"]
    assert main(["hlo", "--json", str(tmp_path / "log.txt")]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["report"]["memory"], [other["memory"] for other in said["other_reports"]]) == ("hbm", ["vmem"])
    assert main(["doctor", "--json", str(tmp_path / "log.txt")]) == 0
    assert len(json.loads(capsys.readouterr().out)["findings"]) == 1  # the other wastes nothing


def first_of(found):
    return f"{found.allocations[0].shape_text}  {found.allocations[0].operator}"


def test_a_list_that_begins_again_with_others_is_another_report():
    """Of the first there is nothing else, and what stands there again, in part, is the same."""
    first = entry(1, "f32[8,4]{1,0:T(8,128)}", "4.0K", "128B", "3.9K", "32.0") + entry(2, "f32[8,3]{1,0:T(8,128)}", "4.0K", "96B")
    other = entry(1, "f32[8,5]{1,0:T(8,128)}", "4.0K", "160B")
    assert [found.shape_text for found in hlo.oom(first + other).allocations] == ["f32[8,4]{1,0:T(8,128)}", "f32[8,3]{1,0:T(8,128)}"]
    head = "Ran out of memory in memory space hbm. Used 17.60G of 16.00G hbm.\n"
    assert hlo.oom(other + head + first) == hlo.oom(other)
    assert hlo.oom(first + head + first[:60] + "\n") == hlo.oom(head + first)
    assert hlo.oom(first[:60] + "\n" + head + first) == hlo.oom(head + first)


def test_fields_that_are_not_kept_and_fields_on_one_line():
    """Both as reports of v7x have them."""
    (found,) = hlo.oom("  1. Size: 36.00M  Shape: f8e4m3fn[2,2048,9,4,256]  Tag: scratch operand\n").allocations
    assert (found.size, found.shape_text) == ("36.00M", "f8e4m3fn[2,2048,9,4,256]")
    (found,) = hlo.oom('1. Size: 4.0K\n   Operator: op_name="x"\n   Tag: scratch operand\n   Shape: f32[8,4]{1,0:T(8,128)}\n').allocations
    assert (found.operator, found.shape_text) == ('op_name="x"', "f32[8,4]{1,0:T(8,128)}")


def test_what_a_terminal_would_obey_is_shown(capsys, tmp_path):
    (tmp_path / "log.txt").write_text(report(entry(1, "f32[8,4]{1,0:T(8,128)}", "4.0K", "128B", operator='op_name="\x1b[31mf"')))
    assert main(["hlo", str(tmp_path / "log.txt")]) == 0
    assert r'op_name="\x1b[31mf"' in capsys.readouterr().out


TWO = report(
    entry(1, "s32[2048,1,128,128,4]{4,3,2,0,1:T(8,128)}", "16.00G", "512.00M", "15.50G", "32.0"),
    entry(2, "f32[268435456]{0:T(1024)}", "1.00G", "1.00G"),
)


def test_times_of_any_width_in_front_of_each_line():
    """Kubernetes leaves out the last zeros of a time."""
    text = "".join(f"2026-11-29T00:00:00.{'1' * (9 - k % 3)}Z {line}\n" for k, line in enumerate(TWO.splitlines()))
    assert hlo.oom(text).allocations == hlo.oom(TWO).allocations


def test_a_report_in_a_line_of_json():
    assert hlo.oom(json.dumps({"severity": "ERROR", "message": TWO}) + "\n").allocations == hlo.oom(TWO).allocations


def test_the_doctor_says_what_it_has_not_diagnosed(capsys, tmp_path):
    path = tmp_path / "log.txt"
    path.write_text(
        "  1. Size: 16.00G\n     Shape: s32[2048,4]{1,0:T(8,12...\n     Extra memory due to padding: 15.50G (32.0x expansion)\n\n"
    )
    assert main(["doctor", str(path)]) == 0
    assert capsys.readouterr().out == (
        "not diagnosed: allocation 1 of 16.00G, 15.50G of which is padding, which has the shape s32[2048,4]{1,0:T(8,12...\n"
    )
    assert main(["doctor", str(path), "--json"]) == 0
    assert [each["size"] for each in json.loads(capsys.readouterr().out)["unread_allocations"]] == ["16.00G"]
    path.write_text("Ran out of memory in memory space hbm. Used 17.60G of 16.00G hbm. Exceeded\n")
    assert main(["doctor", str(path)]) == 2
    assert "lists no arrays" in capsys.readouterr().err
