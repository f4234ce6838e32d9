"""The algebra against every case of the files in ``data``: CuTe's unit and dialect tests, and cases that its implementations agree on.

A case agrees if the function is the same and the top-level modes have the same sizes; how many are also spelled alike is asserted too.
"""

import hashlib
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from cute_search import without_kernel
from tilelayout import LayoutError, cute

DATA = Path(__file__).parent / "data"

#: Operations that take their arguments in the order of the files.
PLAIN = {
    *("coalesce", "complement", "composition", "domain_distribute", "filter", "nullspace", "tile_to_shape", "upcast", "downcast"),
    *("left_inverse", "right_inverse", "max_common_layout", "max_common_vector", "blocked_product", "raked_product"),
    *("logical_product", "zipped_product", "tiled_product", "flat_product"),
    *("logical_divide", "zipped_divide", "tiled_divide", "flat_divide"),
}

#: Cases in which the answer differs on purpose, each with the reason.
DIFFERENCES = {
    "01789": "the expected product overlaps: CUTLASS composes (3,2):(1,3) with the complement 4:1 of 8:4 to 4, where the block is again",
    "00193": "the expected product overlaps: CUTLASS composes 3 with the complement 3:1 of (5,7):(84,3) to 3, where the block is again",
    "00874": "the expected product overlaps: CUTLASS composes 3 with the complement 3:1 of 16:3 to 3, where the block is again",
    "00734": "no layout exists: c = (0,(4,1)) is A(9) = 1, but its parts (0,(4,0)) and (0,(0,1)) are A(8) = 40 and A(1) = 5",
    "01204": "all peers refuse to compose; that they have one element in common is exact",
    "02183": "all peers refuse to compose; that they have one element in common is exact",
    "01243": "all peers stop at a scalar's mode; the product exists",
    "unit-0153": "a layout that is 0 everywhere takes the inverse of one coordinate, as in the dialect's tests (of (3,7):(0,0))",
    "unit-0154": "a layout that is 0 everywhere takes the inverse of one coordinate, as in the dialect's tests (of 4:0)",
    "unit-0175": "(-1,4):(0,1) has a negative extent; 4:-1 leads offsets back",
    **{f"unit-0{k}": "strides known only at run time end the chain of C++" for k in range(198, 204)},
    "mlir-0527": "C++ spells the complement without the mode of extent 1 that the DSL ends it with",
    "mlir-0528": "C++ spells the complement without the mode of extent 1 that the DSL ends it with",
}


@pytest.fixture(params=["compiled", "python"], autouse=True)
def half(request, monkeypatch):
    if request.param == "python":
        without_kernel(monkeypatch)


def records(name):
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [record for record in map(json.loads, lines) if record["op"] in PLAIN | {"recast_layout"}]


def argument(field):
    kind, text = field["kind"], field["text"]
    if kind in ("int", "shape", "profile", "coord", "int_tuple"):
        return cute.parse_coordinate(text)
    return cute.parse_tiler(text) if kind == "tile" else cute.parse(text)


def answer(record):
    """What the library answers, None where it refuses."""
    arguments = [argument(field) for field in record["args"]]
    try:
        if record["op"] == "recast_layout":
            return cute.recast_layout(*map(int, record["attrs"].split(",")), *arguments)
        return getattr(cute, record["op"])(*arguments)
    except LayoutError:
        return None


def table(layout):
    """The offsets at all 1-D coordinates, computed without the library where strides are integers."""
    if not isinstance(layout, cute.Layout) or any(not isinstance(d, int) for _, d in layout.flat):
        return [layout(i) for i in range(layout.size)]
    offsets = np.zeros((), np.int64)
    for extent, stride in layout.flat:
        offsets = np.add.outer(np.arange(extent, dtype=np.int64) * stride, offsets)
    return offsets.ravel()


def verdict(got, expected):
    """``exact`` or ``same`` where an answer agrees with a text, else ``wrong``."""
    if got is None or isinstance(got, int):
        return "exact" if str(got) == str(expected) else "wrong"
    wanted = cute.parse(str(expected))
    if got == wanted:
        return "exact"
    alike = cute.product_each(got.shape) == cute.product_each(wanted.shape)
    return "same" if alike and np.array_equal(table(got), table(wanted)) else "wrong"


def tally(cases, judge):
    counts, wrong = Counter(), {}
    for record in cases:
        got = answer(record)
        found = judge(record, got)
        if found == "wrong":
            wrong[record["id"]] = (record["op"], [field["text"] for field in record["args"]], str(got), record.get("expect"))
        counts[found] += 1
    explained = {key for key in DIFFERENCES if key in {record["id"] for record in cases}}
    assert set(wrong) == explained, {key: value for key, value in wrong.items() if key not in explained} or explained - set(wrong)
    return counts


def judged_by_peers(record, got):
    if record["error"]:
        return "settled" if (got is not None) == record.get("exists", False) else "wrong"
    if got is None:
        return "wrong"
    if not isinstance(got, int):
        offsets = np.asarray(table(got), "<i8")
        assert hashlib.sha256(offsets.tobytes()).hexdigest() == record["table_sha256"], record["id"]
        assert list(cute.product_each(got.shape)) == record["modes"], record["id"]
    texts = [record["expect"], *record.get("accept", ())]
    return "exact" if str(got) in map(str, texts) else verdict(got, record["expect"])


def test_cases_that_all_implementations_agree_on():
    counts = tally(records("cute_open.jsonl"), judged_by_peers)
    assert counts["exact"] >= 1947
    assert counts.total() == 2037


def test_cases_that_most_implementations_agree_on():
    counts = tally(records("cute_majority.jsonl"), judged_by_peers)
    assert counts["exact"] >= 165
    assert counts.total() == 171


def test_unit_tests_of_cutlass():
    """Answers of CUTLASS 4.7's test/unit/cute/core, executed. Where numbers are known only at run time there, modes may differ."""

    def judged(record, got):
        if record["id"] in DIFFERENCES:
            return "wrong"
        found = verdict(got, record["expect"])
        if found == "wrong" and not record["static"] and np.array_equal(table(got), table(cute.parse(record["expect"]))):
            return "same"
        return found

    counts = tally(records("cute_cpp_unit.jsonl"), judged)
    assert counts["exact"] >= 217
    assert counts.total() == 264


def test_dialect_tests_of_cutlass():
    """The static lines of CUTLASS 4.7's MLIR tests of the cute dialect."""
    cases = [record for record in records("cute_mlir.jsonl") if record["static"] and record["error_kind"] != "declared-type"]

    def judged(record, got):
        if record["error_kind"]:
            return "refused" if got is None else "wrong"
        return verdict(got, record["expect"]["text"])

    counts = tally(cases, judged)
    assert counts["exact"] >= 356
    assert counts["refused"] >= 52
    assert counts.total() >= 450


@pytest.mark.parametrize("name", ["cute_open.jsonl", "cute_majority.jsonl"])
def test_compositions_are_the_function(name):
    checked = 0
    for record in records(name):
        if record["op"] != "composition" or record["args"][1]["kind"] != "layout":
            continue
        a, b = map(argument, record["args"])
        got = answer(record)
        if got is not None:
            assert cute.compatible(b, got)
            assert [got(i) for i in range(b.size)] == [a.extended(b(i)) for i in range(b.size)], record["id"]
            checked += 1
    assert checked >= 5


@pytest.mark.parametrize("identity", ["01789", "00193", "00874"])
def test_products_that_are_refused_overlap(identity):
    [record] = [r for name in ("cute_open.jsonl", "cute_majority.jsonl") for r in records(name) if r["id"] == identity]
    expected = cute.parse(record["expect"])
    block, rest = expected[0], expected[1]
    tiles = [{start + offset for offset in map(block, range(block.size))} for start in map(rest, range(rest.size))]
    assert sum(map(len, tiles)) > len(set().union(*tiles))
