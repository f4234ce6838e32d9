"""What tests on a GPU of NVIDIA's are given: the GPU itself, kernels to run there, and somewhere to keep what is measured.

Run with ``make test-cuda``, or ``python -m pytest -m cuda tests/cuda`` with what is installed of torch, Triton, CuPy and JAX. With
``TILELAYOUT_FACTS=tests/data/cuda`` what was measured is written there.
"""

import ctypes
import os
import shutil

import pytest

import cuda_kernels
import cuda_layouts


def count_gpus():
    count = ctypes.c_int(0)
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    return count.value if driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 else 0


@pytest.fixture(scope="session", autouse=True)
def _gpu():
    if not count_gpus():
        pytest.skip("there is no GPU")


@pytest.fixture(scope="session")
def torch():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch has no GPU")
    return torch


@pytest.fixture(scope="session")
def cupy():
    return pytest.importorskip("cupy")


@pytest.fixture(scope="session")
def run(tmp_path_factory):
    """Calls a kernel; see ``cuda_kernels.runner``."""
    if not shutil.which("nvcc"):
        pytest.skip("there is no nvcc")
    return cuda_kernels.runner(cuda_kernels.build(tmp_path_factory.mktemp("kernels")))


@pytest.fixture(scope="module")
def record():
    """Keeps what was measured, by subject and name, for machines without a GPU."""
    facts, folder = {}, os.environ.get("TILELAYOUT_FACTS")
    yield lambda subject, name, fact: facts.setdefault(subject, {}).update({name: fact})
    for subject, found in facts.items() if folder else ():
        cuda_layouts.write_facts(folder, subject, found)
