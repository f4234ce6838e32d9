"""Which kernels a machine gets: none of them has instructions that the machine did not say it has."""

import ctypes
import platform
import subprocess
import sysconfig
from itertools import compress, product
from pathlib import Path

import pytest

from tilelayout._kernels import copy

HEADERS = Path(__file__).parents[1] / "src" / "_kernels" / "include"
FEATURES = ["avx2", "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512vbmi", "intel"]
#: What kernels are compiled for, and what GCC 12 makes of that: ``vmovdqu8`` of 32 bytes, of VL, where it may use BW.
NEEDS = {"256": {"avx2"}, "512": {"avx2", "avx512f", "avx512bw", "avx512dq", "avx512vl"}, "bytes": {"avx512vbmi"}}

MACHINE = """
#include <string.h>
static int has(const char *feature) { for (const char **f = features; *f; f++) if (!strcmp(*f, feature)) return 1; return 0; }
#define __builtin_cpu_init()
#define __builtin_cpu_supports has
#define __builtin_cpu_is has
#include "tl_level.h"
int best(void) { return tl_best_level(); }
int permutes(int level) { return tl_permutes_bytes(level); }
int stores(void) { return tl_stores_sooner(); }
"""


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    """The functions that choose levels, on a machine that has the features which are told."""
    folder = tmp_path_factory.mktemp("machine")
    source, library = folder / "machine.c", folder / f"machine{sysconfig.get_config_var('SHLIB_SUFFIX')}"
    source.write_text(f"const char *features[{len(FEATURES) + 1}];{MACHINE}")
    compiler = (sysconfig.get_config_var("CC") or "cc").split()
    command = [*compiler, "-shared", "-fPIC", f"-I{HEADERS}", str(source), "-o", str(library)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return ctypes.CDLL(str(library))


@pytest.mark.skipif(not HEADERS.exists(), reason="kernels have no source here")
@pytest.mark.skipif(platform.machine() != "x86_64", reason="other processors have one level")
def test_no_level_has_more_than_the_machine(machine):
    told = (ctypes.c_char_p * (len(FEATURES) + 1)).in_dll(machine, "features")
    found = set()
    for chosen in product([False, True], repeat=len(FEATURES)):
        there = list(compress(FEATURES, chosen))
        told[:] = [feature.encode() for feature in there] + [None] * (len(told) - len(there))
        level = copy.LEVELS[machine.best()]
        assert NEEDS.get(level.split()[0], set()) <= set(there), (level, there)
        for other in range(len(copy.LEVELS)):
            assert not machine.permutes(other) or NEEDS["bytes"] <= set(there), (other, there)
        assert bool(machine.stores()) == ("intel" in there and level == "512 asking" and "avx512vbmi" not in there), there
        found.add(level)
    assert found == set(copy.LEVELS) - {"scalar"}
