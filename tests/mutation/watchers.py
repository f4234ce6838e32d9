"""The modules whose logic everything rests on, and the tests that ought to notice when one of them is wrong."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "tilelayout"

QUERIES = ("layout", "few_queries", "memory", "index_kernels", "regressions", "joining", "moves", "bitwise")
COPIES = (
    "loops",
    "orders",
    "plans",
    "memory",
    "copy_engine",
    "copy_slices",
    "pack",
    "relayout",
    "calls",
    "regressions",
    "regions",
    "runs",
    "small_copies",
    "swizzled_copies",
)

#: Modules that are compiled.
KERNELS = sorted(f"_kernels.{path.stem}" for path in (ROOT / "src" / "_kernels").glob("*.pyx"))

#: Modules, and tests by the name of their file. Every module's own examples watch it too.
GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "radix joining moves digits network queries chains bitwise",
        (*QUERIES, "threads", "strides", "mlir_pack", "triton", "languages", "xla_bind", "runs", "describe"),
    ),
    ("places verifying", ("layout", "strides", "xla_express", "morello_express", "languages", "blocked", "einops")),
    ("sizes", ("regressions", "layout", "hostile_numbers", "xla_sizes", "files")),
    (
        "regions runs loops planning parts twosteps swizzled flipped sharing storage values narrow doors calls transfers stored packing"
        " relayouts",
        (*COPIES, "layout", "bridges", "threads", "strides", "mlir_pack", "xla_values", "presets"),
    ),
    (
        "notations.xla.*",
        (
            *("xla_parse", "xla_bind", "xla_conformance", "xla_sizes", "xla_proto", "xla_formulas", "xla_tpu"),
            *("xla_truth", "xla_express", "xla_values", "languages", "hostile_numbers", "regressions"),
        ),
    ),
    (
        "notations.morello.*",
        ("morello_text", "morello_layout", "morello_express", "morello_equivalents", "morello_tiling", "languages", "regressions"),
    ),
    (
        "cute.* cute.algebra.* cute.expressing.*",
        (
            *("cute_tuples", "cute_coordinates", "cute_text", "cute_layout", "cute_modes", "cute_kernel", "cute_batch"),
            *("cute_algebra_page", "cute_algebra_refusals", "cute_algebra_properties", "cute_algebra_conformance", "cute_express"),
            *("cute_explain", "languages", "regressions"),
        ),
    ),
    ("threads _kernels.crew", ("crew", "threads", "processes", "hostile_numbers")),
    (
        "_kernels.registers _kernels.index _kernels.queried _kernels.shapes",
        (*QUERIES, "threads", "calls", "layout", "strides", "cute_batch", "hostile_numbers"),
    ),
    (
        "_kernels.loops _kernels.orders _kernels.leaves _kernels.fitting _kernels.transposes _kernels.chains _kernels.nests"
        " _kernels.pacing _kernels.merits _kernels.shared _kernels.copy _kernels.steps _kernels.calls _kernels.bits _kernels.pages",
        (*COPIES, "layout", "strides", "xla_values", "threads", "hostile_numbers", "dask"),
    ),
    (
        "_kernels.modes",
        (
            "memory",
            "cute_kernel",
            "cute_at_once",
            "cute_algebra_page",
            "cute_algebra_refusals",
            "cute_algebra_properties",
            "cute_algebra_conformance",
        ),
    ),
)


def path_of(module: str) -> Path:
    """The file of a module."""
    if module in KERNELS:
        return ROOT / "src" / f"{module.replace('.', '/')}.pyx"
    return PACKAGE / f"{module.replace('.', '/')}.py"


def _named(pattern: str) -> list[str]:
    if pattern in KERNELS:
        return [pattern]
    found = (path.relative_to(PACKAGE).with_suffix("") for path in PACKAGE.glob(pattern.replace(".", "/") + ".py"))
    return sorted(".".join(path.parts) for path in found if path.name != "__init__")


WATCHERS: dict[str, tuple[str, ...]] = {
    module: (*([] if module in KERNELS else [f"doctests.py::test_examples[tilelayout.{module}]"]), *(f"{name}.py" for name in tests))
    for patterns, tests in GROUPS
    for pattern in patterns.split()
    for module in _named(pattern)
}

#: All that ``make sanitize`` runs.
KERNEL_WATCHERS = {"copies_in_cache.py", "fuzz.py", "short_rows.py"}.union(*(WATCHERS.get(module, ()) for module in KERNELS))

if __name__ == "__main__":
    print(*(f"tests/test_{name}" for name in sorted(KERNEL_WATCHERS)))
