"""Extension modules only: every other fact is in pyproject.toml."""

import os
from pathlib import Path

import numpy as np
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

KERNELS = Path("src/_kernels")
HEADERS = sorted(str(header) for header in KERNELS.glob("include/*.h"))
#: Whether Cython's own checks of bounds and of None are compiled in, as ``make sanitize`` has them.
CHECKED = os.environ.get("TILELAYOUT_CHECKED") == "1"
#: Whether the kernels are built too: not where an editable install finds them built in place.
IS_WHOLE = os.environ.get("TILELAYOUT_KERNELS") != "0"
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": CHECKED,
    "wraparound": False,
    "initializedcheck": CHECKED,
    "nonecheck": CHECKED,
    "cdivision": True,
    "freethreading_compatible": True,
}
MACROS = [
    ("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION"),
    ("NPY_TARGET_VERSION", "NPY_2_0_API_VERSION"),
]


class BuildExt(build_ext):
    """Adds the flags that depend on the compiler, which is known only here."""

    def build_extensions(self):
        if self.compiler.compiler_type != "msvc":
            for extension in self.extensions:
                # -g0 keeps Python's own -g from making each module ten times its size.
                extension.extra_compile_args = ["-O3", "-fvisibility=hidden", "-g0"]
        super().build_extensions()


def kernel(path):
    return Extension(
        f"tilelayout._kernels.{path.stem}",
        sources=[str(path)],
        include_dirs=[str(KERNELS / "include"), np.get_include()],
        depends=HEADERS,
        define_macros=MACROS,
    )


setup(
    ext_modules=cythonize(
        [kernel(path) for path in sorted(KERNELS.glob("*.pyx")) if IS_WHOLE],
        include_path=["src"],
        compiler_directives=DIRECTIVES,
        annotate=os.environ.get("TILELAYOUT_ANNOTATE") == "1",
        build_dir="build/checked" if CHECKED else "build/cython",
    ),
    cmdclass={"build_ext": BuildExt},
)
