"""Extension modules only: every other fact is in pyproject.toml."""

import os
import re
import subprocess
from pathlib import Path

import numpy as np
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

KERNELS = Path("src/_kernels")
DECLARATIONS = Path("src/tilelayout/_kernels")
#: How a file of the kernels names a header, or a kernel whose declarations it takes.
NAMED = re.compile(r'(?:#include|cdef extern from) "(\w+\.h)"|from tilelayout\._kernels\.(\w+) cimport')
#: Whether Cython's own checks of bounds and of None are compiled in, and little is optimized, as ``make sanitize`` has them.
CHECKED = os.environ.get("TILELAYOUT_CHECKED") == "1"
BUILT = Path("build/checked" if CHECKED else "build/cython")
#: Whether the kernels are built too: not where an editable install finds them built in place.
IS_WHOLE = os.environ.get("TILELAYOUT_KERNELS") != "0"
#: The kernels that take longest to compile, the longest first.
LONGEST = ["transposing", "copy", "pairs", "index"]
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": CHECKED,
    "wraparound": False,
    "initializedcheck": CHECKED,
    "nonecheck": CHECKED,
    "cdivision": True,
    "freethreading_compatible": True,
}
#: Where branches lie within lines of code can cost a kernel half as much time again, and would be left to whatever comes before it.
#: Clang has no such word for jumps, and warns of loops that it does not unroll.
ALIGNED = ["-falign-functions=64", "-falign-loops=64"]
FOR_GCC, FOR_CLANG = ["-falign-jumps=32"], ["-Wno-pass-failed"]
#: What CFLAGS say comes before what is said here, and would have no effect behind it.
GIVEN = os.environ.get("CFLAGS", "").split()
MACROS = [
    ("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION"),
    ("NPY_TARGET_VERSION", "NPY_2_0_API_VERSION"),
]


class BuildExt(build_ext):
    """Compiles as many kernels at a time as there are processors, with the flags that depend on the compiler, which is known only here."""

    def finalize_options(self):
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def build_extensions(self):
        if self.compiler.compiler_type != "msvc":
            own = FOR_CLANG if self._is_clang() else FOR_GCC
            # -g0 keeps Python's own -g from making each module ten times its size.
            levels = {"-O": "-O1" if CHECKED else "-O3", "-g": "-g0"}
            chosen = [flag for kind, flag in levels.items() if CHECKED or not any(given.startswith(kind) for given in GIVEN)]
            for extension in self.extensions:
                extension.extra_compile_args = [*chosen, "-fvisibility=hidden", *ALIGNED, *own]
        super().build_extensions()

    def _is_clang(self):
        told = subprocess.run([self.compiler.compiler_so[0], "--version"], capture_output=True, text=True, check=False)
        return "clang" in told.stdout


def files_of(path):
    """A kernel and what it is made with of ours: what it and its own declarations name, and what that names in turn."""
    found, left = set(), [path, DECLARATIONS / f"{path.stem}.pxd"]
    while left:
        file = left.pop()
        if file.exists() and file not in found:
            found.add(file)
            for header, declared in NAMED.findall(file.read_text(encoding="utf-8")):
                left.append(KERNELS / "include" / header if header else DECLARATIONS / f"{declared}.pxd")
    return found


def turn(path):
    """When a kernel is compiled: those first that take longest, as others are compiled beside them."""
    return LONGEST.index(path.stem) if path.stem in LONGEST else len(LONGEST), path


def kernel(path):
    files, made = files_of(path), BUILT / path.with_suffix(".c")
    if made.exists() and any(file.suffix == ".pxd" and file.stat().st_mtime > made.stat().st_mtime for file in files):
        made.unlink()  # Cython does not make it anew for what the kernel itself declares
    return Extension(
        f"tilelayout._kernels.{path.stem}",
        sources=[str(path)],
        include_dirs=[str(KERNELS / "include"), np.get_include()],
        depends=sorted(str(file) for file in files if file.suffix == ".h"),
        define_macros=MACROS,
    )


setup(
    ext_modules=cythonize(
        [kernel(path) for path in sorted(KERNELS.glob("*.pyx"), key=turn) if IS_WHOLE],
        include_path=["src"],
        compiler_directives=DIRECTIVES,
        annotate=os.environ.get("TILELAYOUT_ANNOTATE") == "1",
        build_dir=str(BUILT),
    ),
    cmdclass={"build_ext": BuildExt},
)
