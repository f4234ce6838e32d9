"""Against TVM itself: the slots that its bijective layouts lead to.

Run with ``make test-live``, which installs apache-tvm.
"""

import numpy as np
import pytest

from tilelayout.notations import tvm

pytestmark = [pytest.mark.live, pytest.mark.filterwarnings("ignore")]

CASES = [
    ("NCHW", "NCHW16c", (2, 33, 3, 2)), ("NCHW", "NHWC", (2, 3, 4, 5)), ("NCHW", "16cNCHW", (1, 17, 2, 2)),
    ("NCHW", "N4hCH4cW", (2, 5, 6, 3)), ("HW", "WH4w", (6, 8)), ("OI", "IO[4i8o]", (16, 8)), ("OIHW", "OIHW4i4o", (5, 6, 1, 2)),
    ("NCHW16c", "NCHW8c", (1, 2, 2, 2, 16)), ("NCHW4c", "NHWC", (1, 2, 2, 2, 4)), ("W", "2wW", (8,)),
]  # fmt: skip


@pytest.mark.parametrize(("source", "target", "shape"), CASES, ids=str)
def test_tvm_agrees(source, target, shape):
    pair = pytest.importorskip("tvm.s_tir").sbijective_layout(source, target)
    buffer = [int(n) for n in pair.forward_shape(list(shape))]
    layout = tvm.parse(f"{source}->{target}").bind(shape)
    assert layout.slots == np.prod(buffer)
    for index in np.random.default_rng(0).permutation(list(np.ndindex(*shape)))[:20].tolist():
        assert layout(*index) == np.ravel_multi_index([int(n) for n in pair.forward_index(index)], buffer)
