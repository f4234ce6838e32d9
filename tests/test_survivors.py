"""Explanations of mutants are of code that is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
KERNELS, PACKAGE = ROOT / "src/_kernels", ROOT / "src/tilelayout"
#: A module and a line of it, and of Cython's the function in between.
ROW = re.compile(r"^\| `(_kernels\.\w+)` \| `\w+`: `(.*?)`: |^\| `([\w.]+)` \| `(.*?)`: ", re.MULTILINE)

pytestmark = pytest.mark.skipif(not KERNELS.exists(), reason="the kernels' source is not here")


def lines(module):
    """The lines of a module, without what is in front of them."""
    if module.startswith("_kernels."):
        path = KERNELS / f"{module.removeprefix('_kernels.')}.pyx"
    else:
        path = PACKAGE.joinpath(*module.split(".")).with_suffix(".py")
    return {line.strip() for line in path.read_text(encoding="utf-8").splitlines()} if path.exists() else set()


def test_each_line_that_is_explained_is_there():
    found = ROW.findall((ROOT / "tests/mutation/SURVIVORS.md").read_text(encoding="utf-8"))
    rows = [(kernel or module, of_kernel or line) for kernel, of_kernel, module, line in found]
    assert len(rows) > 500
    assert [(module, line) for module, line in rows if line not in lines(module)] == []
