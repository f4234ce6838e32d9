"""Few queries are answered at once, in C from the door on; what is not plain goes the long way, to the same answer."""

import numpy as np
import pytest

import tilelayout as tl
from tilelayout import queries, reference

LAYOUT = tl.layout("f32[300,70000]{1,0:T(8,128)(2,1)}")
INTEGERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]


def random(layout, n, most=128):
    return np.random.default_rng(n).integers(0, np.minimum(layout.shape, most), (n, layout.ndim))


@pytest.fixture
def at_once(monkeypatch):
    """No way but the short one."""
    for name in ("index", "coordinates", "slot"):
        monkeypatch.setattr(queries, name, None)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("n", [0, 1, 2, 3, 8, 9, 300])
def test_slots_at_once(n, dtype):
    asked = random(LAYOUT, n)
    slots = [reference.slot(x, LAYOUT.digits) for x in asked.tolist()]
    out = np.empty(n, np.int64)
    assert LAYOUT.index(asked.astype(dtype)).tolist() == slots
    assert LAYOUT.index(asked.astype(dtype)[:, ::-1].copy()[:, ::-1]).tolist() == slots
    assert LAYOUT.index(asked.astype(dtype), out=out) is out
    assert out.tolist() == slots
    assert [LAYOUT(*x) for x in asked.tolist()] == slots


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("padding", ["error", "mark"])
@pytest.mark.parametrize("n", [0, 1, 2, 8, 9, 300])
def test_coordinates_at_once(n, padding):
    asked = random(LAYOUT, n)
    slots = LAYOUT.index(asked)
    out = np.empty((n, 2), np.int64)
    assert LAYOUT.coordinates(slots, padding=padding).tolist() == asked.tolist()
    assert LAYOUT.coordinates(np.repeat(slots, 2)[::2], padding=padding, out=out) is out
    assert out.tolist() == asked.tolist()


@pytest.mark.usefixtures("at_once")
def test_padding_is_marked_at_once():
    assert LAYOUT.coordinates(np.array([LAYOUT.slots - 1]), padding="mark").tolist() == [[-1, -1]]


def test_padding_is_an_error():
    with pytest.raises(tl.CoordinateError, match="padding"):
        LAYOUT.coordinates(np.array([LAYOUT.slots - 1]))


@pytest.mark.parametrize("padding", ["none", "", None, 1, ["error"], b"mark"])
def test_other_words_for_padding_are_refused(padding):
    with pytest.raises(tl.LayoutError, match="padding"):
        LAYOUT.coordinates(np.array([0]), padding=padding)


@pytest.mark.parametrize("axes", [0, 1, 3, 4])
@pytest.mark.parametrize("n", [1, 2, 3, 8, 9])
def test_coordinates_of_other_axes_are_refused(n, axes):
    with pytest.raises(tl.ShapeError, match="coordinates of shape"):
        LAYOUT.index(np.zeros((n, axes), np.int64))


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8"])
@pytest.mark.parametrize("n", [1, 8, 9, 300])
def test_negative_numbers_of_any_width_are_out_of_bounds(n, dtype):
    """Which, read without their sign, may lie within them."""
    layout = tl.Layout((1 << 33, 2), [(0, 1, 1 << 33, 2), (1, 1, 2, 1)])
    asked = np.zeros((n, 2), dtype)
    asked[-1, 0] = -1
    with pytest.raises(tl.CoordinateError, match="-1 on axis 0, where the allowed are 0 to"):
        layout.index(asked)
    with pytest.raises(tl.CoordinateError, match="-1 on axis 0, where the allowed are 0 to"):
        queries.index_by_axis(layout, [*asked.T.copy()])
    with pytest.raises(tl.CoordinateError, match="slot -1 lies outside a buffer of 17179869184 slots"):
        layout.coordinates(asked[:, 0].copy())


@pytest.mark.parametrize("n", [1, 8, 9, 300])
@pytest.mark.parametrize("axes", [31, 32, 33, 50])
def test_any_number_of_axes(axes, n):
    layout = tl.Layout((2,) * axes, [(axis, 1, 2, 1 << axis) for axis in range(axes)])
    asked = random(layout, n)
    slots = (asked << np.arange(axes)).sum(axis=1)
    assert layout.index(asked).tolist() == slots.tolist()
    assert layout.coordinates(slots).tolist() == asked.tolist()
    assert [layout(*x) for x in asked.tolist()] == slots.tolist()


@pytest.mark.parametrize(
    ("dtype", "step"),
    [
        ("i8", (16, 8)),
        ("i8", (-16, 8)),
        ("i8", (16, -8)),
        ("i8", (-16, -8)),
        ("i8", (8, 24)),
        ("i1", (2, 1)),
        ("i1", (-2, -1)),
        ("i1", (9, -1)),
    ],
)
def test_answers_that_may_overlap_what_is_asked_go_the_long_way(dtype, step):
    layout = tl.Layout((9, 9), [(0, 1, 9, 9), (1, 1, 9, 1)])
    first = 240
    low = first + sum((n - 1) * s for n, s in zip((3, 2), step, strict=True) if s < 0)
    high = first + np.dtype(dtype).itemsize + sum((n - 1) * s for n, s in zip((3, 2), step, strict=True) if s > 0)
    for at in range(57):
        room = np.zeros(60, np.int64)
        asked = np.lib.stride_tricks.as_strided(room.view(dtype)[first // np.dtype(dtype).itemsize :], (3, 2), step)
        out = room[at : at + 3]
        overlap = at * 8 < high and low < at * 8 + 24
        assert (layout._few_slots(asked, out, None) is None) == overlap
        if dtype == "i8" and asked.flags.c_contiguous:
            assert (layout._few_coordinates(out, asked, "error", None) is None) == overlap


def test_numbers_that_are_none_are_refused():
    for zeros in (np.zeros((1, 2)), np.zeros((1, 2), bool), np.zeros((1, 2), "m8[s]"), np.zeros((1, 2), complex)):
        with pytest.raises(tl.LayoutError, match="are no integers"):
            LAYOUT.index(zeros)


def test_numbers_of_the_other_byte_order_are_read_in_theirs():
    asked = np.array([[0, 256], [256, 1]], ">i2")
    assert LAYOUT.index(asked).tolist() == [reference.slot(x, LAYOUT.digits) for x in asked.tolist()]


@pytest.mark.parametrize(
    "out",
    [
        np.zeros(4, np.int64),
        np.zeros((3, 1), np.int64),
        np.zeros(3, np.uint64),
        np.zeros(3, np.dtype(np.int64).newbyteorder()),
        np.zeros(3, np.int32),
        np.zeros(6, np.int64)[::2],
        np.frombuffer(bytes(24), np.int64),
        [0, 0, 0],
    ],
    ids=repr,
)
def test_answers_go_the_long_way_where_out_is_not_plain(out):
    assert LAYOUT._few_slots(random(LAYOUT, 3), out, None) is None


def test_much_goes_the_long_way():
    assert LAYOUT._few_slots(np.zeros((1 << 16, 2), np.int64), None, None) is not None
    much = np.zeros(((1 << 16) + 1, 2), np.int64)
    out = np.empty(len(much), np.int64)
    assert LAYOUT._few_slots(much, None, None) is LAYOUT._few_slots(much, out, None) is LAYOUT._few_slots(much, None, 1) is None
    assert LAYOUT._few_slots(much, out, 1) is out
    assert not out.any()


def test_queries_that_take_no_memory_and_answers_that_no_memory_holds():
    with pytest.raises(tl.ShapeError, match="does not fit in memory"):
        tl.layout("f32[]").index(np.empty((1 << 45, 0), np.int64))
