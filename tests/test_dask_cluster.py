"""An array larger than what one worker may hold, packed and stored by several worker processes, one of which is killed on the way."""

import os
import signal

import numpy as np
import pytest

import tilelayout as tl

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

import tilelayout.dask as tld  # noqa: E402 - after what it needs

# What the cluster warns of, such as a slow disk, is no failure.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]

MEMORY = 256 << 20
ROWS, COLUMNS = 9_216, 8_192
LAYOUT = tl.layout(f"u32[{ROWS},{COLUMNS}]{{1,0:T(8,128)}}")


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with (
        distributed.LocalCluster(
            n_workers=3,
            threads_per_worker=1,
            memory_limit=MEMORY,
            dashboard_address=None,
            local_directory=str(tmp_path_factory.mktemp("workers")),
        ) as cluster,
        distributed.Client(cluster, timeout="60s") as client,
    ):
        yield client


def source(chunks, victim=None):
    """An array whose elements are their own numbers; ``victim`` is a path, at which the worker that has a chunk in the middle dies."""
    return da.map_blocks(numbers, victim, chunks=da.core.normalize_chunks(chunks, LAYOUT.shape), dtype="u4", meta=np.empty((0, 0), "u4"))


def numbers(victim, block_info=None):
    (top, bottom), (left, right) = block_info[None]["array-location"]
    if victim is not None and top <= ROWS // 2 < bottom and not victim.exists():
        victim.write_text(str(os.getpid()))
        os.kill(os.getpid(), signal.SIGKILL)
    return (np.arange(top, bottom, dtype="u4")[:, None] * np.uint32(COLUMNS)) + np.arange(left, right, dtype="u4")


def check(buffer):
    """Every element is where the layout says: the whole, read a few rows at a time."""
    assert LAYOUT.size * 4 > MEMORY
    for row in range(0, ROWS, 1024):
        rows = tl.unpack(buffer, LAYOUT, region=np.s_[row : row + 1024])
        np.testing.assert_array_equal(rows, np.arange(row * COLUMNS, (row + 1024) * COLUMNS, dtype="u4").reshape(1024, COLUMNS))


def test_a_file_written_by_all_workers(client, tmp_path):
    x = source(tld.suggest_chunks(LAYOUT, limit="16MiB"))
    tld.save(tld.pack(x, LAYOUT), tmp_path / "packed.npy")
    check(np.load(tmp_path / "packed.npy", mmap_mode="r"))


def test_a_file_while_a_worker_is_killed(client, tmp_path):
    victim = tmp_path / "victim"
    pids = [*client.run(os.getpid).values()]
    x = source(tld.suggest_chunks(LAYOUT, limit="16MiB"), victim)
    tld.save(tld.pack(x, LAYOUT), tmp_path / "packed.bin")
    assert int(victim.read_text()) in pids
    check(np.memmap(tmp_path / "packed.bin", "u4", "r"))


def test_unaligned_chunks_to_zarr_and_back(client, tmp_path):
    pytest.importorskip("zarr")
    layout = tl.layout(f"u32[512,{COLUMNS}]{{1,0:T(8,128)}}")
    x = source((300, 1100))[:512]
    with dask.config.set({"array.chunk-size": "1MiB"}):
        packed = tld.pack(x, layout)
        packed.rechunk(1 << 18).to_zarr(str(tmp_path / "packed.zarr"))
        stored = da.from_zarr(str(tmp_path / "packed.zarr"))
        back = tld.unpack(stored, layout, chunks=(100, COLUMNS))
    assert packed.npartitions > 3
    np.testing.assert_array_equal(stored, tl.pack(x.compute(), layout))
    np.testing.assert_array_equal(back, x.compute())
