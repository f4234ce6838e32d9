"""How kernels are built: what each of them is made of, and made anew for."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
KERNELS, DECLARATIONS = Path("src", "_kernels"), Path("src", "tilelayout", "_kernels")
COMPILER = (sysconfig.get_config_var("CC") or "").split()
#: Headers that are parts of tl_index.h.
PARTS = {"tl_lanes.h", "tl_index_256.h", "tl_slots_256.h", "tl_axes_256.h", "tl_index_512.h", "tl_rows_512.h", "tl_columns_512.h"}
HEADERS = {header.name for header in (ROOT / KERNELS / "include").glob("*.h")}
#: What setup.py says of each kernel, before Cython comes to it.
SAY = """
import setuptools, Cython.Build
from distutils.core import run_setup
Cython.Build.cythonize = lambda kernels, **options: kernels
for kernel in run_setup("setup.py", stop_after="init").ext_modules:
    print(kernel.name, *kernel.depends)
"""

pytestmark = pytest.mark.skipif(not HEADERS, reason="kernels have no source here")


@pytest.mark.skipif(not COMPILER, reason="no compiler is known")
def test_no_name_means_two_things(tmp_path):
    """The headers of all kernels in one file: that is an error then."""
    everything = tmp_path / "everything.c"
    everything.write_text("".join(f'#include "{header}"\n' for header in sorted(HEADERS - PARTS)))
    command = [*COMPILER, "-fsyntax-only", "-Werror", "-I", str(ROOT / KERNELS / "include"), str(everything)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert not done.returncode, done.stderr


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """All kernels, as if Cython had translated them before ``registers.pxd`` was changed."""
    pytest.importorskip("Cython")
    folder = tmp_path_factory.mktemp("source")
    shutil.copy(ROOT / "setup.py", folder)
    shutil.copytree(ROOT / KERNELS, folder / KERNELS)
    shutil.copytree(ROOT / DECLARATIONS, folder / DECLARATIONS, ignore=shutil.ignore_patterns("*.so", "*.pyd"))
    translated = folder / "build" / "cython" / KERNELS
    translated.mkdir(parents=True)
    for declared in (folder / DECLARATIONS).glob("*.pxd"):
        os.utime(declared, (3, 3) if declared.stem == "registers" else (1, 1))
    for kernel in (folder / KERNELS).glob("*.pyx"):
        made = translated / f"{kernel.stem}.c"
        made.touch()
        os.utime(made, (2, 2))
    return folder


@pytest.fixture(scope="module")
def headers(source):
    """The headers that each kernel is made anew for."""
    said = subprocess.run([sys.executable, "-c", SAY], cwd=source, capture_output=True, text=True, check=True, timeout=60).stdout
    return {name.rpartition(".")[2]: {Path(header).name for header in found} for name, *found in map(str.split, said.splitlines())}


def test_a_kernel_is_made_anew_for_its_headers(headers):
    """Those that it includes, that its own declarations do, and that these do in turn; and no others."""
    assert headers["shapes"] == {"tl_shapes.h", "tl_modes.h"}
    assert headers["registers"] == headers["queried"] == {"tl_network.h"}
    assert {"tl_agreed.h", "tl_copy.h", "tl_steady_zips.h"} <= headers["copy"]
    assert set().union(*headers.values()) == HEADERS


def test_a_kernel_is_made_anew_for_its_declarations(source, headers):
    """Cython knows of those that are imported, but not of its own: they are elsewhere than the kernel."""
    left = {path.stem for path in (source / "build" / "cython" / KERNELS).iterdir()}
    assert set(headers) - left == {"registers", "index", "queried"}
