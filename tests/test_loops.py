"""Loops of a copy: which are one, and which walk an axis to an end that is not theirs."""

import numpy as np
import pytest

import tilelayout as tl
from tilelayout.loops import NO_AXIS, Loop

INNER = Loop(4, 1, 1, 1, 1, False)


def test_loops_that_count_one_axis_are_one_even_if_it_ends_early():
    outer = Loop(3, 4, 4, 1, 4, True)
    assert outer.around(INNER) == outer.along(INNER) == Loop(12, 1, 1, 1, 1, True)


@pytest.mark.parametrize("clipped", [0, 1])
def test_loops_of_several_axes_are_one_only_where_none_ends_early(clipped):
    outer = Loop(3, 4, 4, 0, 4, False)
    assert outer.around(INNER) == outer.along(INNER) == Loop(12, 1, 1, NO_AXIS, 1, False)
    loops = [outer, INNER]
    loops[clipped] = loops[clipped]._replace(clipped=True)
    assert loops[0].along(loops[1]) is None


@pytest.mark.parametrize(("source", "target"), [(5, 4), (4, 5), (4, 1)])
def test_loops_are_not_one_where_a_stride_does_not_go_on(source, target):
    assert Loop(3, source, target, 1, 4, False).around(INNER) is None


@pytest.mark.parametrize("text", ["{0:T(2,4)}", "{0:T(4,4)(2,1)}", "{0:T(3,8)}"])
def test_rows_that_only_pad_hold_the_fill_value(text):
    layout = tl.layout(text, (5,))
    packed = tl.pack(np.arange(1, 6, dtype="int16"), layout, fill=-1)
    assert (packed == -1).tolist() == layout.is_padding(range(layout.slots)).tolist()
    assert tl.unpack(packed, layout).tolist() == [1, 2, 3, 4, 5]
