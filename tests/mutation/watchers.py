"""The modules whose logic everything rests on, and the tests that ought to notice when one of them is wrong."""

from __future__ import annotations

QUERIES = ("layout", "index_kernels", "regressions")
COPIES = ("copy_engine", "pack", "relayout", "calls", "regressions")
XLA = ("xla_truth", "xla_bind", "xla_values", "xla_parse", "xla_conformance", "xla_sizes")
MORELLO = ("morello_text", "morello_layout", "morello_express", "morello_equivalents", "morello_tiling")
CUTE = (
    *("cute_algebra_page", "cute_algebra_refusals", "cute_modes", "cute_layout", "cute_kernel"),
    *("cute_algebra_properties", "cute_algebra_conformance"),
)

#: Tests by module, those that run quickest first; every module's own examples run before them.
WATCHERS: dict[str, tuple[str, ...]] = {
    "radix": ("joining", *QUERIES, "moves"),
    "joining": ("joining", *QUERIES, "languages"),
    "chains": ("copy_engine", "strides", "mlir_pack", "relayout"),
    "moves": ("moves", "layout", "xla_bind", "regressions"),
    "places": ("strides", "xla_express", "morello_express", "languages", "blocked", "einops"),
    "bitwise": ("bitwise", "triton"),
    "sizes": ("regressions", "layout", "xla_sizes", "files"),
    "digits": (*QUERIES, "joining", "moves"),
    "network": QUERIES,
    "queries": (*QUERIES, "threads"),
    "regions": ("regions", "regressions"),
    "runs": ("runs", "regressions"),
    "loops": ("loops", *COPIES),
    "planning": (*COPIES, "streaming", "regions"),
    "notations.xla.tiling": XLA,
    "notations.xla.validation": XLA,
    "notations.xla.expressing": ("xla_express", "languages"),
    "notations.morello.layout": MORELLO,
    "notations.morello.kinds": MORELLO,
    "notations.morello.physical": MORELLO,
    "notations.morello.normal": MORELLO,
    "notations.morello.making": MORELLO,
    "notations.morello.tiling": MORELLO,
    "notations.morello.validation": MORELLO,
    "notations.morello.expressing": (*MORELLO, "languages"),
    "cute.algebra.coalesce": CUTE,
    "cute.algebra.complement": CUTE,
    "cute.algebra.composition": CUTE,
    "cute.algebra.composing": CUTE,
    "cute.algebra.divide": CUTE,
    "cute.algebra.domain": CUTE,
    "cute.algebra.exact": CUTE,
    "cute.algebra.filtering": CUTE,
    "cute.algebra.inverse": CUTE,
    "cute.algebra.modes": CUTE,
    "cute.algebra.product": CUTE,
    "cute.algebra.recast": (*CUTE, "cute_text"),
    "cute.algebra.strides": CUTE,
    "cute.algebra.swizzled": (*CUTE, "cute_express"),
}
