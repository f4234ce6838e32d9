"""The benchmarks' workloads and baselines, on small arrays: each way by hand gives the bytes and slots that the library gives."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tilelayout as tl
from tilelayout.notations import onednn

sys.path.append(str(Path(__file__).parent.parent / "bench"))
import idioms
import measure
import nests
import peers
import targets
from cases import copy_case, query_case
from workloads import COPIES, QUERIES, SMALL, TILES

every_workload = pytest.mark.parametrize("workload", [w.scaled() for w in (*COPIES, *TILES)], ids=lambda w: w.key)
every_query = pytest.mark.parametrize("query", QUERIES, ids=lambda q: q.key)
directions = pytest.mark.parametrize("direction", ["pack", "unpack"])


def way_and_result(peer, workload, direction):
    """A peer's way, where it writes to, and what it is to write."""
    array = workload.array()
    buffer = tl.pack(array, workload.layout())
    if direction == "pack":
        out = np.empty_like(buffer)
        return peer.transfer(workload, direction, array, out), out, buffer
    out = workload.room(array.dtype)
    return peer.transfer(workload, direction, out, buffer), out, array


def check_peer(peer, workload, direction):
    way, out, expected = way_and_result(peer, workload, direction)
    for threads in (1, 2) if way else ():
        idioms.raw(out)[...] = 0xA5
        way(threads)()
        assert out.tobytes() == expected.tobytes()


def test_names_are_unique():
    keys = [w.key for w in (*COPIES, *TILES)] + [q.key for q in QUERIES]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("workload", COPIES, ids=lambda w: w.key)
def test_workloads_are_of_64_mib_images_of_49_to_196_and_heads_of_40(workload):
    size = np.prod(workload.shape) * np.dtype(workload.scaled().room().dtype).itemsize
    assert 63 <= size / 2**20 <= 65 or (workload.name in ("E", "L", "M", "N", "X") and size / 2**20 in (40, 48, 49, 98, 196))
    assert len(workload.shape) == len(workload.small)


@pytest.mark.parametrize("workload", SMALL, ids=lambda w: w.key)
def test_small_workloads_are_of_256_kib(workload):
    assert workload.layout().slots * workload.array().itemsize == 256 << 10


@pytest.mark.parametrize("workload", COPIES, ids=lambda w: w.key)
def test_small_edges_are_of_the_same_kind(workload):
    assert bool(workload.layout().padding) == bool(workload.scaled().layout().padding)


@every_workload
def test_arrays_lie_in_memory_as_the_source_says(workload):
    array, plain = workload.array(), np.empty(workload.shape, workload.array().dtype)
    expected = {
        "x": plain,
        "x.T": plain.reshape(workload.shape[::-1]).T,
        "x[:, 3:]": np.empty((128, 259), plain.dtype)[:, 3:],
        "x[:, ::-1]": plain[..., ::-1],
        "x[..., ::-1]": plain[..., ::-1],
        "x[:, ::2]": np.empty((128, 512), plain.dtype)[:, ::2],
        "x[..., :3]": np.empty((*plain.shape[:-1], 4), plain.dtype)[..., :3],
    }
    assert array.strides == workload.room(array.dtype).strides == expected[workload.source].strides


@pytest.mark.parametrize("workload", [w for w in COPIES if w.cute], ids=lambda w: w.key)
def test_cute_says_the_same_layout(workload):
    assert tl.layout(workload.cute_text) == tl.layout(workload.array_text + workload.text)


@directions
@every_workload
def test_numpy_moves_the_same_bytes(workload, direction):
    check_peer(peers.installed(("numpy",))["numpy"], workload, direction)


@pytest.mark.slow
@directions
@pytest.mark.parametrize("name", peers.NAMES[1:])
@every_workload
def test_peers_move_the_same_bytes(workload, name, direction):
    found = peers.installed((name,))
    if not found:
        pytest.skip(f"{name} is not installed")
    check_peer(found[name], workload, direction)


@pytest.mark.parametrize("workload", TILES, ids=lambda w: w.key)
def test_the_new_array_by_numpy_is_the_buffer(workload):
    array = workload.array()
    assert idioms.fresh_pack(workload, array).tobytes() == tl.pack(array, workload.layout()).tobytes()


@every_workload
def test_a_nest_counts_the_slots(workload):
    coordinates = np.random.default_rng(4).integers(0, workload.shape, (500, len(workload.shape)))
    slots = sum(coordinates[:, d.axis] // d.divisor % d.extent * stride for d, stride in nests.slot_terms(nests.nest(workload)))
    assert slots.tolist() == workload.layout().index(coordinates).tolist()


@every_workload
def test_a_tag_says_the_layout(workload):
    tag = nests.tag(workload)
    if workload.key == "V-bf16":
        assert tag is None
    else:
        assert onednn.parse(tag).bind(workload.shape) == tl.layout(replace(workload, element="f32", bits=0).text, workload.shape)


@every_query
def test_numpy_finds_the_same_slots_and_elements(query):
    workload = query.workload.scaled()
    coordinates = np.random.default_rng(3).integers(0, workload.shape, (500, len(workload.shape))).astype(query.dtype)
    slots = workload.layout().index(coordinates)
    assert idioms.slots(workload, coordinates).tolist() == slots.tolist()
    assert idioms.slots_by_ravel(workload, coordinates).tolist() == slots.tolist()
    assert idioms.coordinates(workload, slots).tolist() == coordinates.tolist()


@every_query
def test_queries_by_axis_lie_in_columns(query):
    coordinates = replace(query, count=100).coordinates()
    assert coordinates[:, 0].flags.c_contiguous == (query.by_axis or len(query.workload.shape) == 1)
    assert coordinates.shape == (100, len(query.workload.shape))


def test_a_wrong_peer_is_found_out(monkeypatch):
    numpy_peer = peers.installed(("numpy",))["numpy"]
    right = numpy_peer.transfer

    def wrong(workload, direction, array, buffer):
        way = right(workload, direction, array, buffer)

        def prepared(threads):
            def run():
                way(threads)()
                idioms.raw(buffer)[-1] ^= 1

            return run

        return prepared

    monkeypatch.setattr(numpy_peer, "transfer", wrong)
    with pytest.raises(AssertionError, match=r"pack A-f32 by numpy: other bytes than ours"):
        copy_case(COPIES[0].scaled(), "pack", [1])


@pytest.mark.parametrize("question", ["index", "inverse"])
def test_a_query_case_answers(question):
    query = replace(QUERIES[3], workload=QUERIES[3].workload.scaled(), count=100)
    case = query_case(query, question)
    assert {"copy", "ours", "numpy"} <= set(case.works())
    assert case.traffic == 100 * 24


def test_targets_hang_on_what_was_measured():
    by_key = {w.key: w for w in COPIES}
    assert targets.of_copy(by_key["CP-s8"], "pack", 1, {}) is None
    assert targets.of_copy(by_key["CP-s8"], "pack", 1, {("C", "s8", "pack", 1): 0.9}) == pytest.approx(0.95)
    assert targets.of_copy(by_key["D-f32"], "unpack", 2, {("D", "f32", "pack", 2): 1.0}) == pytest.approx(1.1)
    assert targets.of_copy(by_key["S-s4"], "unpack", 1, {("S", "s4", "pack", 1): 9.0}) == pytest.approx(1.2)
    without = {w.name for w in COPIES if targets.of_copy(w, "pack", 1, {}) is None}
    assert without == {
        "CP",
        "C32P",
        "C32by4",
        "C32by4P",
        "JA",
        "JB",
        "JC",
        "JE",
        "K",
        "L",
        "M",
        "N",
        "R",
        "V",
        "T",
        "U",
        "W",
        "W16",
        "X",
        "Y",
        "SG",
    }


def test_the_longest_beginning_gives_the_reason(monkeypatch):
    monkeypatch.setattr(targets, "REASONS", {"pack D": "streams", "pack D-s8": "shuffles"})
    assert targets.reason("pack D-s8") == "shuffles"
    assert targets.reason("pack D-f32") == "streams"
    assert targets.reason("unpack D-f32") is None


def test_a_slow_work_sits_out_after_a_few_rounds():
    counts = {"slow": 0, "quick": 0}

    def work(name):
        counts[name] += 1

    times = measure.interleaved({"slow": lambda: work("slow"), "quick": lambda: work("quick")}, 9, patience=-1.0)
    assert counts == {"slow": measure.LEAST_ROUNDS, "quick": measure.LEAST_ROUNDS}
    assert np.isnan(times["slow"].clock[measure.LEAST_ROUNDS :]).all()
    assert times["slow"].median > 0
    assert times["slow"].over(times["slow"]) == 1.0
