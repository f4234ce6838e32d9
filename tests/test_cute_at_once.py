"""Layouts of plain integers are made and called in C; what is not plain goes the long way, and either way answers alike."""

import pickle
from itertools import product

import numpy as np
import pytest

import tilelayout as tl
from tilelayout import cute
from tilelayout._kernels import modes

BIG = 2**63
PLAIN = [
    (4, 2),
    (1, 0),
    (7, 0),
    ((), ()),
    ((4,), (3,)),
    ((4, 8), (8, 1)),
    ((4, 3), (-3, 1)),
    ((1, 4, 1), (0, 3, 9)),
    ((4, (2, 3)), (2, (1, 8))),
    (((2, (1, 3)), 5), ((1, (4, 2)), 10)),
    ((2**31, 2**31), (1, 2**31)),
    ((2**62, 1), (2, BIG - 1)),
    (2, BIG - 2),
    (2, -(BIG - 2)),
    ((2, 2), (2**62, -(2**62) + 2)),
    ((2, 2), (2**62, 2**62 - 2)),
    ((2,) * 62, tuple(1 << k for k in range(62))),
]
COMPACT = [5, 1, (), (3,), (2, 1, 3), ((2, (1, 3)), 4), (2**31, 2**31), (1, 2**62, 1), ((1, 1), 1)]


class Short(cute.Layout):
    """A layout that knows no long way."""

    __slots__ = ()
    _called = None

    @staticmethod
    def _checked(shape, stride):
        raise AssertionError(shape, stride)


def answer(function, *arguments):
    """What a call returns or raises."""
    try:
        result = function(*arguments)
    except tl.LayoutError as error:
        return type(error), str(error)
    return type(result), result


@pytest.mark.parametrize(("shape", "stride"), PLAIN, ids=str)
def test_plain_layouts_are_made_and_called_at_once(shape, stride):
    layout = Short(shape, stride)
    long = cute.Layout._checked(shape, stride)
    assert (layout.shape, layout.stride, layout.flat, layout.size) == long
    for index in {k for k in (0, 1, 2, 5, layout.size // 2, layout.size - 1) if 0 <= k < layout.size}:
        assert layout(index) == cute.Layout(shape, stride)._called((index,))
    if isinstance(shape, tuple) and len(shape) == len(layout.flat) > 0:
        for place in [[0] * len(shape), [n - 1 for n in shape], [n // 2 for n in shape]]:
            assert layout(*place) == sum(x * step for x, step in zip(place, stride, strict=True))


@pytest.mark.parametrize("shape", COMPACT, ids=str)
def test_compact_layouts_are_made_at_once(shape):
    layout = Short(shape)
    assert (layout.shape, layout.stride, layout.flat, layout.size) == cute.Layout._checked(shape, None)


@pytest.mark.parametrize(
    "shape", [0, -1, True, 2.0, BIG, 2**70, (4, 0), (4, [2]), [4, 2], (2**32, 2**32), (4, None), "4", None, np.int64(3)], ids=str
)
@pytest.mark.parametrize("stride", [None, 1, (1, 4), BIG, -BIG, 2**70, (1, True), (1, 2.0), [1, 4], (1, (4,)), (1, 4, 8), "1"], ids=str)
def test_others_are_made_or_refused_the_long_way(shape, stride):
    made = answer(cute.Layout, shape, stride)
    checked = answer(cute.Layout._checked, shape, stride)
    if checked[0] is tuple:
        layout = made[1]
        assert (layout.shape, layout.stride, layout.flat, layout.size) == checked[1]
        for index in (0, 1, layout.size - 1, layout.size):
            assert answer(layout, index) == answer(layout._called, (index,))
        assert modes.coalesce(layout) == modes.coalesce(cute.Layout(layout.shape, layout.stride))
    else:
        assert made == checked


@pytest.mark.parametrize(
    ("shape", "stride"),
    [((2, 2), (2**62, 2**62)), ((2**32, 2**32), (1, 1)), (3, BIG // 2), ((BIG - 1, 2), (1, 0)), (2, BIG - 1), ((2, 2), (2**62, 2**62 - 1))],
)
def test_what_does_not_fit_is_refused(shape, stride):
    assert answer(cute.Layout, shape, stride)[0] is tl.ShapeError
    assert answer(cute.Layout, shape, stride) == answer(cute.Layout._checked, shape, stride)


@pytest.mark.parametrize("depth", [62, 63, 64, 65, 70, 100_000])
def test_deep_nests_go_the_long_way(depth):
    shape, stride = 2, 1
    for _ in range(depth):
        shape, stride = (shape,), (stride,)
    if depth < 65:
        assert cute.Layout(shape, stride)(1) == cute.Layout(shape)(1) == 1
        return
    assert answer(cute.Layout, shape, stride) == answer(cute.Layout._checked, shape, stride)
    assert answer(cute.Layout, shape) == answer(cute.Layout._checked, shape, None)


ODD = [-1, 0, 1, 2, 3, 4, 6, 7, 100, BIG - 1, BIG, -BIG, 2**70, True, np.int64(1), None, (1,), (0, 1), "1", 1.0]


@pytest.mark.parametrize(
    ("shape", "stride"), [(4, 2), ((), ()), ((4,), (3,)), ((4, 8), (8, 1)), ((4, (2, 3)), (2, (1, 8))), ((4, 3, 2), (6, 2, 1))], ids=str
)
def test_calls_that_are_not_plain_go_the_long_way(shape, stride):
    layout = cute.Layout(shape, stride)
    for arguments in [(), *product(ODD, repeat=1), *product(ODD, repeat=2), *product([-1, 0, 1, 2, 4, BIG, True, None], repeat=3)]:
        assert answer(layout, *arguments) == answer(layout._called, arguments), arguments


def test_layouts_are_equal_where_they_are_written_alike():
    layout = cute.Layout((4, 2), (1, 4))
    assert layout == cute.Layout((4, 2), (1, 4))
    assert layout != cute.Layout((4, 2), (2, 1))
    assert layout != cute.Layout((2, 4), (1, 4))
    assert layout.__eq__((4, 2)) is NotImplemented
    assert hash(layout) == hash(cute.Layout((4, 2), (1, 4))) != hash(cute.Layout((4, 2), (2, 1)))
    assert pickle.loads(pickle.dumps(layout)) == layout


def test_the_algebra_decides_what_it_can():
    a = cute.Layout((3, 5), (1, 7))
    assert modes.coalesce(a) == a
    assert modes.coalesce(cute.Layout((), ())) is None
    assert modes.composition(a, cute.Layout(3, 1)) == cute.Layout(3, 1)
    assert modes.composition(cute.Layout((), ()), cute.Layout(1, 0)) is None
    assert modes.complement(cute.Layout((2, 2), (1, 6)), 24) == cute.Layout((3, 2), (2, 12))
    assert modes.divide(cute.Layout(12, 1), cute.Layout(3, 1)) == cute.Layout((3, 4), (1, 3))
    assert modes.divide(cute.Layout(24, 1), cute.Layout((2, 2), (1, 6))) == cute.Layout(((2, 2), (3, 2)), ((1, 6), (2, 12)))
