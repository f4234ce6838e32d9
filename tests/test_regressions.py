"""What once went wrong, and must not again: each test is a bug that was found by hand or by fuzzing."""

import threading
import time

import numpy as np
import pytest

import tilelayout as tl
from tilelayout import threads as pool

RAMP = np.arange(4)


@pytest.mark.parametrize(
    "digits",
    [
        [(0, 1, 1 << 20, 1)],
        [((), 1, 1 << 20, 4), (0, 1, 4, 1)],
        [(0, 1, 2**62, 1)],
        [(0, 1, 4, 1), (0, 4, 2**62, 0)],
        [(0, 1, 4, 1), *[((), 1, 2, 0)] * 9000],
    ],
    ids=["long radix", "long padding", "longest radix", "repeats beyond the axis", "many padding digits"],
)
def test_digits_that_count_past_the_buffer_write_and_read_within_it(digits):
    """These wrote padding behind the buffer, or walked 2**62 loops or a stack's depth of them."""
    layout = tl.Layout((4,), digits)
    assert layout.slots == 4
    for fill in (0, 7, None):
        assert tl.pack(RAMP, layout, fill=fill).tolist() == [0, 1, 2, 3]
    assert tl.unpack(RAMP, layout).tolist() == [0, 1, 2, 3]


def test_a_digit_of_radix_zero_needs_an_empty_array():
    """It was taken for any array, divided by zero in the hash, and packed nothing."""
    with pytest.raises(tl.LayoutError, match="radix 0"):
        tl.Layout((4,), [(0, 1, 0, 1)])
    assert tl.Layout((0,), [(0, 1, 0, 1)]).slots == 0


def test_digits_nested_without_end_are_refused():
    cyclic: list = []
    cyclic.append((cyclic, 1, 1, 1))
    shared: object = 0
    for _ in range(50):
        shared = ((shared, 1, 4, 1), (shared, 1, 4, 1))
    for source in (cyclic, shared):
        with pytest.raises(tl.LayoutError, match="too many digits"):
            tl.Layout((4,), [(source, 1, 4, 1)])
    with pytest.raises(tl.LayoutError, match="too many digits"):  # each pair of these tiles doubles the digits
        tl.layout("f32[40,50]{1,0:T(*,7)" + "(*,3,5)(*,7)" * 20 + "}")


def test_a_sum_beyond_64_bits_is_refused():
    """It left the compiled network with an OverflowError."""
    with pytest.raises(tl.ShapeError, match="goes up to"):
        tl.Layout((4, 4), [(((0, 1, 4, 2**62), (1, 1, 4, 2**62)), 1, 2, 1)])


@pytest.mark.parametrize(
    ("shape", "one", "other"),
    [
        ((4,), [(0, 1, 4, 1), (0, 1, 4, 1)], [(0, 1, 4, 2)]),
        ((4,), [(0, 1, 2, 1), (0, 1, 4, 2)], [(0, 1, 4, 2), (0, 1, 2, 1)]),
        ((4,), [(0, 1, 3, 1), (0, 3, 2, 4)], [(0, 1, 4, 1), (0, 3, 2, 1)]),
        ((0, 4), [(1, 1, 4, 1)], [(1, 1, 4, 2)]),
    ],
    ids=["twice", "in another order", "overlapping", "no elements"],
)
def test_layouts_with_the_same_answers_are_equal(shape, one, other):
    one, other = tl.Layout(shape, one, slots=50), tl.Layout(shape, other, slots=50)
    assert one == other
    assert hash(one) == hash(other)


def test_large_slots_of_an_unsigned_dtype_are_told_apart():
    """numpy compares int64 with uint64 as floats, which hold 53 bits."""
    layout = tl.Layout((4,), [(0, 1, 2, 2**60), (0, 1, 4, 1)], slots=2**62)
    slots = layout.offsets().astype(np.uint64)
    assert layout.coordinates(slots).ravel().tolist() == [0, 1, 2, 3]
    assert layout.is_padding(slots + np.uint64(4)).all()


def test_bytes_in_slots_of_128_bits_come_back():
    """numpy has no way back from the 16-byte values that it makes of integers."""
    elements = np.array([1, 2, 255], np.uint8)
    packed = tl.pack(elements, "u8[3]{0:E(128)}")
    assert packed.tobytes() == b"".join(int(x).to_bytes(16, "little") for x in elements)
    assert tl.unpack(packed.tobytes(), "u8[3]{0:E(128)}").tolist() == [1, 2, 255]


def test_nobody_writes_after_an_interrupted_copy():
    """Pieces in hand went on writing into ``out`` after Ctrl-C had reached the caller."""
    began, ended = [], []
    first = threading.Event()

    def work(begin, end):
        if begin == 0:
            first.wait(10)
            raise KeyboardInterrupt
        began.append(begin)
        first.set()
        time.sleep(0.05)
        ended.append(begin)

    with pytest.raises(KeyboardInterrupt):
        pool.share(work, 64, 1 << 30, 2)
    finished = list(ended)
    time.sleep(0.15)
    assert sorted(began) == sorted(ended) == sorted(finished)


@pytest.mark.parametrize(
    "call",
    [
        lambda: tl.Layout((4,), 5),
        lambda: tl.Layout((4,), [], slots=1.5),
        lambda: tl.Layout((4,), [], element=5),
        lambda: tl.Layout((4,), [], element="f32"),
        lambda: tl.Layout((4,), [], element=("nope", 8)),
        lambda: tl.Layout((4,), [], element=(5, 8)),
        lambda: tl.Layout((4,), [], element=("int4", "x")),
        lambda: tl.pack(RAMP, tl.Layout((4,), [(0, 1, 4, 1)]), fill=[[1], [1, 2]]),
        lambda: tl.pack(RAMP, tl.Layout((4,), [(0, 1, 4, 1)], slots=2**62), fill=None),
        lambda: tl.unpack(memoryview(b"abcdefgh")[::2], tl.Layout((4,), [(0, 1, 4, 1)])),
        lambda: tl.xla.Layout((1, 0), tiles=[np.array([[1, 2], [3, 4]])]),
    ],
)
def test_only_layout_errors_escape(call):
    with pytest.raises(tl.LayoutError):
        call()


@pytest.mark.parametrize(
    "ask",
    [
        lambda n: tl.Layout((n,), []),
        lambda n: tl.Layout((3,), [(0, 1, 3, n)]),
        lambda n: tl.Layout((3,), [(0, 1, 3, 1)], slots=n),
        tl.layout("f32[3]"),
        lambda n: tl.layout("f32[3]").index([n]),
        lambda n: tl.layout("{0}", shape=(n,)),
        tl.layout,
        lambda n: tl.pack([1.0], "{0}", fill=n),
    ],
)
def test_integers_too_long_to_print(ask):
    with pytest.raises(tl.LayoutError):
        ask(10**5000)


def test_a_class_is_no_layout():
    with pytest.raises(tl.LayoutError, match="a layout is text"):
        tl.layout(tl.xla.Layout)


def test_a_mask_is_not_dropped_unseen():
    with pytest.raises(tl.LayoutError, match="masked"):
        tl.pack(np.ma.masked_array([1, 2, 3], [0, 1, 0]), "{0}")
