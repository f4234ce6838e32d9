"""What can be asked of the library: every public function, with answers that can be compared."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import tilelayout as tl
from tilelayout import cute, doctor, files, hlo, presets

TEXT = "u16[70,300]{1,0:T(8,128)(2,1)}"
OTHER = "{0,1:T(8,128)}"
CUTE = "cute:((7,10),(4,75)):((1,28),(7,280))"
SMALL = "f32[3,10]{1,0:T(2,4)}"
ARRAY = np.random.default_rng(0).integers(0, 1 << 16, (70, 300)).astype(np.uint16)
LARGE = np.arange(1100 * 1100, dtype=np.float32).reshape(1100, 1100)
HLO = "%copy.1 = bf16[2,200]{1,0:T(8,128)(2,1)} copy(%p)"


def fresh(text: str = TEXT) -> tl.Layout:
    """A layout that nobody has asked anything yet."""
    found = tl.layout(text)
    return tl.Layout(found.shape, found.digits, slots=found.slots)


def places(layout: tl.Layout) -> np.ndarray:
    """Coordinates of some elements."""
    return np.stack([np.arange(0, size, 3)[:20] for size in layout.shape], axis=-1)


def streamed() -> bytes:
    """An array packed piece by piece."""
    layout = fresh()
    packed = np.zeros(layout.slots, np.uint16)
    files.pack(ARRAY, layout, packed, memory=50_000)
    return packed.tobytes()


QUESTIONS: dict[str, Callable[[], object]] = {
    "pack": lambda: tl.pack(ARRAY, fresh()).tobytes(),
    "pack again": lambda: tl.pack(ARRAY, TEXT, fill=7).tobytes(),
    "pack with threads": lambda: tl.pack(LARGE, "{1,0:T(8,128)}", threads=3).tobytes(),
    "pack int4": lambda: tl.pack((ARRAY % 8).astype(np.int8), "s4[70,300]{1,0:T(8,128)E(4)}").tobytes(),
    "unpack": lambda: tl.unpack(np.arange(fresh().slots, dtype=np.uint16), fresh()).tobytes(),
    "relayout": lambda: tl.relayout(np.arange(fresh().slots, dtype=np.uint16), fresh(), tl.layout(OTHER, (70, 300))).tobytes(),
    "layout": lambda: repr(tl.layout(TEXT)),
    "layout of CuTe": lambda: repr(tl.layout(CUTE, (70, 300))),
    "layout to": lambda: [fresh(CUTE).to("cute"), fresh().to("xla")],
    "index": lambda: fresh().index(places(fresh())).tolist(),
    "coordinates": lambda: fresh().coordinates(np.arange(5000), padding="mark").tolist(),
    "is_padding": lambda: fresh().is_padding(np.arange(5000)).tolist(),
    "offsets": lambda: fresh().offsets().tobytes(),
    "equal": lambda: (fresh() == tl.layout(TEXT), fresh() == fresh(f"f32[70,300]{OTHER}"), hash(fresh())),
    "infer": lambda: repr(tl.infer(LARGE[:40, :60], tl.pack(LARGE[:40, :60], "{1,0:T(8,4)}"))),
    "probe": lambda: repr(tl.probe(lambda x: x.reshape(4, 5, 4).transpose(0, 2, 1), (20, 4), "uint8")),
    "formula": lambda: str(tl.formula(TEXT)),
    "recipe": lambda: str(tl.recipe(SMALL)),
    "diff": lambda: str(tl.diff(SMALL, "f32[3,10]{1,0}")),
    "draw": lambda: (tl.draw(SMALL).text(), tl.draw(SMALL).svg),
    "explore": lambda: tl.explore(SMALL).html,
    "linear_index": lambda: int(tl.linear_index((2, 3), (3, 5))),
    "linear_index_with_tile": lambda: int(tl.linear_index_with_tile((2, 3), (3, 5), (2, 2))),
    "composition": lambda: str(cute.composition(cute.Layout((20, 2), (16, 4)), cute.Layout((4, 5), (1, 4)))),
    "logical_divide": lambda: str(cute.logical_divide(cute.Layout((8, (2, 3)), (1, (8, 16))), cute.Layout(4, 2))),
    "flat": lambda: str(cute.coalesce(cute.Layout((2, (1, 6)), (1, (6, 2))))),
    "doctor": lambda: str(doctor.diagnose("f32[1000,3]{1,0:T(8,128)}")),
    "presets": lambda: [str(presets.get(name)) for name in presets.names()],
    "hlo": lambda: [array.padded_bytes for array in hlo.read(HLO)],
    "refusal": lambda: refused(lambda: tl.layout("f32[3,5]{1,0:T(2,")),
    "files": streamed,
}


def refused(ask: Callable[[], object]) -> str:
    """What the library says where it cannot."""
    try:
        ask()
    except tl.LayoutError as error:
        return str(error)
    raise AssertionError("it was not refused")


def packed_sum(threads: int) -> float:
    """An answer of a child process."""
    layout = tl.Layout((1100, 1100), tl.layout("{1,0:T(8,128)}", (1100, 1100)).digits)
    return float(tl.pack(LARGE, layout, threads=threads)[:: 1 << 10].sum())
