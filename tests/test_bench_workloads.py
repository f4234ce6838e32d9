"""The benchmarks' baselines, on small arrays: numpy by hand gives the bytes and slots that the library gives."""

import sys
from pathlib import Path

import numpy as np
import pytest

import tilelayout as tl

sys.path.append(str(Path(__file__).parent.parent / "bench"))
import idioms
import measure
from workloads import COPIES, QUERIES, TILES

every_workload = pytest.mark.parametrize("workload", [w.scaled() for w in (*COPIES, *TILES)], ids=lambda w: w.key)
every_query = pytest.mark.parametrize("query", QUERIES, ids=lambda q: q.key)


def test_names_are_unique():
    keys = [w.key for w in (*COPIES, *TILES)] + [q.key for q in QUERIES]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("workload", COPIES, ids=lambda w: w.key)
def test_workloads_move_about_64_mib(workload):
    dtype = np.dtype(workload.scaled().array().dtype)
    assert 60 << 20 <= np.prod(workload.shape) * dtype.itemsize <= 68 << 20
    assert len(workload.shape) == len(workload.small)


@pytest.mark.parametrize("workload", COPIES, ids=lambda w: w.key)
def test_small_edges_are_of_the_same_kind(workload):
    assert bool(workload.layout().padding) == bool(workload.scaled().layout().padding)


@every_workload
def test_numpy_packs_the_same_bytes(workload):
    array = workload.array()
    expected = tl.pack(array, workload.layout())
    out = np.ones_like(expected)
    idioms.pack(workload, array, out)
    assert out.tobytes() == expected.tobytes()


@every_workload
def test_numpy_unpacks_the_same_array(workload):
    array = workload.array()
    out = np.ones_like(array)
    idioms.unpack(workload, tl.pack(array, workload.layout()), out)
    assert out.strides == array.strides
    assert out.tobytes() == array.tobytes()


@pytest.mark.parametrize("workload", TILES, ids=lambda w: w.key)
def test_prepared_and_fresh_ways_agree(workload):
    array = workload.array()
    expected = tl.pack(array, workload.layout())
    out, back = np.empty_like(expected), np.empty_like(array)
    np.copyto(*idioms.prepared_pack(workload, array, out))
    np.copyto(*idioms.prepared_unpack(workload, expected, back))
    assert out.tobytes() == idioms.fresh_pack(workload, array).tobytes() == expected.tobytes()
    assert back.tobytes() == array.tobytes()


@every_query
def test_numpy_finds_the_same_slots_and_elements(query):
    workload = query.workload.scaled()
    coordinates = np.random.default_rng(3).integers(0, workload.shape, (500, len(workload.shape))).astype(query.dtype)
    slots = workload.layout().index(coordinates)
    assert idioms.slots(workload, coordinates).tolist() == slots.tolist()
    assert idioms.slots_by_ravel(workload, coordinates).tolist() == slots.tolist()
    assert idioms.coordinates(workload, slots).tolist() == coordinates.tolist()


def test_a_slow_work_sits_out_after_a_few_rounds():
    counts = {"slow": 0, "quick": 0}

    def work(name):
        counts[name] += 1

    times = measure.interleaved({"slow": lambda: work("slow"), "quick": lambda: work("quick")}, 9, patience=-1.0)
    assert counts == {"slow": measure.LEAST_ROUNDS, "quick": measure.LEAST_ROUNDS}
    assert np.isnan(times["slow"].clock[measure.LEAST_ROUNDS :]).all()
    assert times["slow"].median > 0
    assert times["slow"].over(times["slow"]) == 1.0
