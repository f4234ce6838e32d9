"""What is installed: one top-level package, typed, that imports little and in any order."""

import importlib.metadata
import os
import pkgutil
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tilelayout

MODULES = sorted(m.name for m in pkgutil.walk_packages(tilelayout.__path__, "tilelayout.") if not m.name.endswith("__main__"))
#: Tests that they are shared among, which are done side by side.
PARTS = 8


#: Prints which of these modules cannot be imported first. Each has a process of its own, in which only numpy is imported already.
EACH_ALONE = """
import importlib, os, sys, traceback, warnings
import numpy
for name in sys.argv[1:]:
    with warnings.catch_warnings(action="ignore"):  # numpy has threads
        child = os.fork()
    if not child:
        try:
            importlib.import_module(name)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        print(name)
"""


def run(code, *words, cwd=None):
    return subprocess.run([sys.executable, "-W", "error", "-c", code, *words], cwd=cwd, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks a process for each")
@pytest.mark.parametrize("part", range(PARTS))
def test_every_module_imports_on_its_own(part):
    done = run(EACH_ALONE, *MODULES[part::PARTS])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_import_brings_numpy_and_nothing_else():
    done = run(
        "import sys, numpy; before = set(sys.modules); import tilelayout; print(*{m.split('.')[0] for m in set(sys.modules) - before})"
    )
    beyond = set(done.stdout.split()) - set(sys.stdlib_module_names) - {"numpy", "tilelayout", "cython_runtime"}
    assert not {name for name in beyond if not name.startswith("_cython_")}


def test_import_starts_no_thread_and_reads_no_environment():
    done = run("import threading, tilelayout; from tilelayout._kernels import crew; print(threading.active_count(), crew.number())")
    assert done.stdout.split() == ["1", "0"]


def test_the_public_names():
    assert set(tilelayout.__all__) <= set(dir(tilelayout))
    assert list(tilelayout.__all__) == sorted(tilelayout.__all__)


def test_the_version_is_the_installed_one():
    assert importlib.metadata.version("tilelayout") == tilelayout.__version__


def test_the_installed_top_level_is_tilelayout_alone():
    distribution = importlib.metadata.distribution("tilelayout")
    assert (distribution.read_text("top_level.txt") or "").split() == ["tilelayout"]


def test_a_source_folder_without_kernels_says_how_to_build_them(tmp_path):
    """As a clone has them, in whose folder ``src`` Python imports what is not installed."""
    shutil.copytree(
        Path(tilelayout.__file__).parent, tmp_path / "tilelayout", ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
    )
    said = run("import tilelayout; tilelayout.layout('f32[3]')", cwd=tmp_path).stderr.splitlines()[-1]
    assert said.startswith(f"ImportError: {str(tmp_path / 'tilelayout' / '_kernels')!r} has no compiled kernels for ")
    assert "make build" in said
    assert "pip install ." in said


def test_modules_are_walked_where_no_extra_is_installed():
    """Whoever walks through the modules of a package passes over those that raise ``ImportError``, and no others."""
    extras = ["ml_dtypes", "jax", "tqdm", "zarr", "dask", "cairosvg"]
    done = run(
        f"import sys; sys.modules.update(dict.fromkeys({extras})); import pkgutil, tilelayout; "
        "print(*(module.name for module in pkgutil.walk_packages(tilelayout.__path__, 'tilelayout.')))"
    )
    assert "tilelayout.zarr" in done.stdout.split(), done.stderr
