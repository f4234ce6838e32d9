"""Boxes that TMA copies to shared memory: swizzled there, cut out of an array, and filled up with zeros beyond its edge."""

import numpy as np
import pytest

import tilelayout as tl
from cuda_layouts import swizzled, tile

pytestmark = [pytest.mark.cuda, pytest.mark.filterwarnings("default")]  # the warnings of other libraries

#: CUtensorMapDataType and CUtensorMapSwizzle, cuda.h.
TYPES = {"u1": 0, "u2": 1, "u4": 2, "f2": 6, "f4": 7}
SWIZZLES = {32: 1, 64: 2, 128: 3}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("wide", SWIZZLES)
@pytest.mark.parametrize("is_swizzled", [True, False])
def test_tma_swizzles(run, record, dtype, wide, is_swizzled):
    x = tile(wide, dtype)
    out = np.zeros(x.size, dtype)
    run("run_tma", x, TYPES[dtype], x.itemsize, *x.shape, *x.shape, SWIZZLES[wide] if is_swizzled else 0, out=out)
    if dtype == "u2" and is_swizzled:
        record("tma", f"{wide}B", out)
    text = f"cute:{swizzled(wide, x.itemsize)}" if is_swizzled else "{1,0}"
    assert np.array_equal(out, tl.pack(x, text))
    assert np.array_equal(tl.unpack(out, text, shape=x.shape), x)


@pytest.mark.parametrize(("shape", "box"), [((13, 100), (8, 32)), ((16, 64), (8, 64)), ((5, 20), (8, 4)), ((40, 36), (16, 12))])
def test_tma_cuts_and_pads_as_tiles_do(run, shape, box):
    """Boxes at every multiple of their extents are XLA's tiles, and what lies outside is filled with zeros."""
    x = np.arange(1, np.prod(shape) + 1, dtype="f4").reshape(shape)
    layout = tl.layout(f"f32[{shape[0]},{shape[1]}]{{1,0:T({box[0]},{box[1]})}}")
    out = run("run_tma", x, TYPES["f4"], 4, *shape, *box, 0, out=np.zeros(layout.slots, "f4"))
    assert np.array_equal(out, tl.pack(x, layout))
    assert np.array_equal(tl.unpack(out, layout), x)
