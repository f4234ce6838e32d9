"""Inference on the layouts that people meet, on values that repeat, and on what is no layout."""

import copy
import pickle

import numpy as np
import pytest

import tilelayout as tl
from strategies_inference import numbered
from tilelayout.errors import LayoutError, ShapeError
from tilelayout.inference import NotInferred, infer, probe

AWQ_ORDER = [0, 2, 4, 6, 1, 3, 5, 7]
RNG = np.random.default_rng(20)
NORMAL = RNG.standard_normal((200, 300)).astype("float32")
VALUES = {
    "float32": NORMAL,
    "bfloat16 bits": (NORMAL.view("u4") >> 16).astype("u2"),
    "four-bit values": RNG.integers(0, 16, NORMAL.shape).astype("u1"),
    "integers": np.arange(NORMAL.size).reshape(NORMAL.shape),
}


def block_scales(scales):
    """Block scales as NVIDIA's tensor cores read them: (m/128, k/4, 32, 4 of m, 4 of k), padded with zeros.

    The order is cuBLAS's, "1D Block Scaling Factors Layout" in its documentation.
    """
    m, k = (-(-n // t) * t for n, t in zip(scales.shape, (128, 4), strict=True))
    padded = np.zeros((m, k), scales.dtype)
    padded[: scales.shape[0], : scales.shape[1]] = scales
    return padded.reshape(m // 128, 4, 32, k // 4, 4).transpose(0, 3, 2, 1, 4).ravel()


def nibbles(values):
    """Two values a byte, the first in the low bits."""
    return (values.ravel()[::2] & 15 | (values.ravel()[1::2] & 15) << 4).astype(np.uint8)


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("layout", ["{1,0}", "{0,1}", "{1,0:T(8,128)}", "{1,0:T(8,128)(2,1)}", "{0,1:T(8,128)(4,1)}", "{1,0:T(1024)}"])
def test_tpu_formats(layout, kind):
    x = VALUES[kind]
    if layout.endswith("T(1024)}"):
        x = x.reshape(-1)
        layout = "{0:T(1024)}"
    found = infer(x, tl.pack(x, layout))
    assert found == tl.layout(layout, x.shape)
    assert found.is_unique


@pytest.mark.parametrize("kind", VALUES)
def test_fill_of_a_value_that_occurs(kind):
    x = VALUES[kind]
    packed = tl.pack(x, "{1,0:T(8,128)}", fill=x.flat[0])
    assert infer(x, packed) == tl.layout("{1,0:T(8,128)}", x.shape)


def test_padding_that_holds_anything():
    layout = tl.layout("{1,0:T(8,128)}", (50, 70))
    x = RNG.integers(0, 256, (50, 70)).astype("u1")
    packed = tl.pack(x, layout, out=RNG.integers(0, 256, layout.slots).astype("u1"), fill=None)
    assert infer(x, packed) == layout


@pytest.mark.parametrize(
    "text",
    [
        "S<3,4,3> o 0 o (8,64):(64,1)",
        "S<2,3,3> o 0 o (64,64):(64,1)",
        "S<3,3,3> o 0 o (128,64):(64,1)",
        "S<1,0,-1> o 0 o (4,4):(4,1)",
        "S<3,0,3> o 0 o (6,8):(8,1)",
        "S<2,1,3> o 0 o ((4,2),(8,8)):((8,256),(1,32))",
    ],
)
def test_swizzles(text):
    layout = tl.layout("cute:" + text)
    x = numbered(layout.shape)
    assert infer(x, tl.pack(x, layout)) == layout


def test_a_swizzle_of_values_that_repeat():
    layout = tl.layout("cute:S<3,4,3> o 0 o (64,64):(64,1)")
    x = RNG.integers(0, 16, (64, 64)).astype("u1")
    assert infer(x, tl.pack(x, layout)) == layout


def test_bits_that_depend_on_each_other_all_round():
    """Every bit of the coordinate goes into two bits of the slot, so none can be taken off alone."""
    matrix = [0b101, 0b110, 0b111]
    order = [(x & 1) * matrix[0] ^ (x >> 1 & 1) * matrix[1] ^ (x >> 2 & 1) * matrix[2] for x in range(8)]
    packed = np.zeros(8, np.uint32)
    packed[order] = range(1, 9)
    assert infer(numbered((2, 2, 2)), packed).offsets().ravel().tolist() == order


def test_odd_even():
    """Evens first, as Morello's OddEven(8) has them: element x goes to slot 0, 4, 1, 5, 2, 6, 3, 7."""
    x = numbered((16,))
    found = infer(x, np.concatenate([x[:8:2], x[1:8:2], x[8::2], x[9::2]]))
    assert found.offsets().tolist() == [0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15]
    assert len(found.digits) == 3


@pytest.mark.parametrize("shape", [(128, 4), (256, 16), (100, 10), (300, 5), (1000, 64)])
def test_block_scales(shape):
    scales = RNG.integers(1, 256, shape).astype("u1")
    found = infer(scales, block_scales(scales))
    assert np.array_equal(tl.pack(scales, found), block_scales(scales))
    rows = -(-shape[0] // 128), -(-shape[1] // 4)
    digits = [(0, 128, rows[0], 512 * rows[1]), (1, 4, rows[1], 512), (0, 1, 32, 16), (0, 32, 4, 4), (1, 1, 4, 1)]
    assert found == tl.Layout(shape, digits, slots=512 * rows[0] * rows[1])


@pytest.mark.parametrize("word", ["u1", "<i4", "<u8"])
def test_awq_words(word):
    """AutoAWQ's order of eight four-bit weights in a word: AWQ_REVERSE_ORDER is [0, 4, 1, 5, 2, 6, 3, 7]."""
    weights = RNG.integers(0, 16, (64, 128)).astype("u1")
    packed = nibbles(weights.reshape(64, 16, 8)[..., AWQ_ORDER]).view(word)
    found = infer(weights, packed)
    assert found.index([[0, k] for k in range(8)]).tolist() == [0, 4, 1, 5, 2, 6, 3, 7]
    assert found.element == tl.Element("uint4", 4)
    assert np.array_equal(tl.pack(weights, found), packed.view(np.uint8).ravel())


def test_nibbles_in_both_orders():
    for dtype, low, name in (("int8", -8, "int4"), ("uint8", 0, "uint4")):
        x = RNG.integers(low, low + 16, (64, 64)).astype(dtype)
        plain, swapped = infer(x, nibbles(x)), infer(x, nibbles(x.reshape(-1, 2)[:, ::-1]))
        assert plain == tl.layout("{1,0}", x.shape)
        assert swapped.offsets().ravel()[:4].tolist() == [1, 0, 3, 2]
        assert plain.element == swapped.element == tl.Element(name, 4)


def test_an_odd_number_of_nibbles():
    x = RNG.integers(1, 16, 333).astype("u1")
    found = infer(x, tl.pack(x, "u4[333]{0:E(4)}"))
    assert (found.shape, found.slots, found.digits) == ((333,), 334, (tl.Digit(0, 1, 333, 1),))


def test_bits():
    x = RNG.integers(0, 2, (32, 64)).astype(bool)
    found = infer(x, tl.pack(x.T.copy(), "pred[64,32]{1,0:E(1)}"))
    assert found == tl.layout("{0,1}", x.shape)
    assert found.element == tl.Element("bool", 1)


def test_pairs_of_rows():
    """VNNI: two rows interleaved, so that a pair along the summed axis lies together."""
    x = VALUES["bfloat16 bits"]
    assert infer(x, x.reshape(100, 2, 300).transpose(0, 2, 1)).digits == ((0, 2, 100, 600), (1, 1, 300, 2), (0, 1, 2, 1))


def test_views_that_walk_backwards():
    x = VALUES["float32"]
    found = infer(x, x[::-1, ::-1].T)
    assert (found(0, 0), found(199, 299)) == (59999, 0)


def test_merged_axes():
    layout = tl.layout("f32[2,3,5,7]{3,2,1,0:T(2,*,4,7)}")
    x = numbered(layout.shape).astype("f4")
    assert infer(x, tl.pack(x, layout)) == layout


def test_bytes_and_bits_of_any_width():
    for dtype in ("u1", "<f2", ">f2", "<i4", ">u4", "f8", "c16"):
        x = np.arange(1, 101).reshape(4, 25).astype(dtype)
        packed = tl.pack(x, "{0,1}")
        for after in (packed, packed.tobytes(), bytearray(packed), packed.view("u1"), packed.reshape(5, 20)):
            assert infer(x, after) == tl.layout("{0,1}", (4, 25))
    x = np.arange(1, 101).reshape(4, 25).astype(">u4")
    assert infer(x, tl.pack(x, "{0,1}").astype("<u4")) == tl.layout("{0,1}", (4, 25))


def test_another_shape():
    x = np.arange(12)
    assert infer(x, x.reshape(3, 4).T, shape=(3, 4)) == tl.layout("{0,1}", (3, 4))


@pytest.mark.parametrize("shape", [(), (1,), (1, 1, 1), (0,), (3, 0, 2)])
def test_small_shapes(shape):
    x = numbered(shape)
    found = infer(x, np.r_[x.ravel(), np.uint32(0)])
    assert (found.shape, found.slots) == (shape, x.size + 1)
    assert found.is_unique


def test_one_element_in_many_slots():
    for one in (np.array(7), np.array([7]), np.array([[7]])):
        found = infer(one, [7, 7, 7])
        assert not found.is_unique
        assert [int(each.offsets().sum()) for each in (found, *found.alternatives)] == [0, 1, 2]
        assert found.slots == 3


@pytest.mark.parametrize(
    ("array", "buffer", "other"),
    [
        ([[2, 4, 1], [4, 3, 0]], [2, 4, 1, 0, 4, 3, 0], "strides=(4,1)"),
        ([[1], [3], [3], [3], [1], [0]], [0, 1, 3, 3, 3, 1, 0], "strides=(-1,1), offset=5"),
    ],
)
def test_what_is_found_now_and_then_may_have_others_beside_it(array, buffer, other):
    """Rows of four of which the last is short, and a layout that runs backwards: neither is searched for."""
    array, buffer = np.array(array), np.array(buffer)
    found = infer(array, buffer)
    assert (buffer[found.offsets()] == array).all()
    assert (buffer[tl.layout(other, array.shape).offsets()] == array).all()
    assert not found.is_unique
    assert "not carried to its end" in found.report()


def test_a_row_without_anchors_may_lie_elsewhere():
    """Most slots are certain, but where the last row lies only the padding tells, and that holds the same."""
    x = np.zeros((4, 2048), "f4")
    x[:3] = np.arange(1, 3 * 2048 + 1).reshape(3, 2048)
    far = tl.Layout(x.shape, [(0, 3, 2, 12288), (0, 1, 3, 2048), (1, 1, 2048, 1)], slots=24576)
    found = infer(x, tl.pack(x, far))
    assert not found.is_unique
    assert far in found.alternatives


def test_bytes_for_which_none_was_found_leave_nibbles_in_doubt():
    x = np.array([2, 0, 0, 1, 0], "u1")
    far = tl.layout("strides=(2,)", x.shape)
    found = infer(x, tl.pack(x, far))
    assert found.element == tl.Element("uint4", 4)
    assert not found.is_unique


def test_constant_arrays_have_alternatives():
    found = infer(np.zeros((4, 6)), np.zeros(24))
    assert found == tl.layout("{1,0}", (4, 6))
    assert found.alternatives[0] == tl.layout("{0,1}", (4, 6))
    assert not found.is_unique
    assert "as well explained by:\n  4*x1 + x0" in found.report()


def test_symmetry_leaves_two_answers():
    a = np.arange(16).reshape(4, 4)
    x = a + a.T
    found = infer(x, x)
    assert found == tl.layout("{1,0}", (4, 4))
    assert tl.layout("{0,1}", (4, 4)) in found.alternatives


def test_report():
    x = numbered((3, 5))
    assert infer(x, tl.pack(x, "{1,0:T(2,2)}", fill=77)).report() == (
        "shape (3, 5) in 24 slots: 12*(x0 // 2) + 4*(x1 // 2) + 2*(x0 % 2) + (x1 % 2)\n"
        "found: each value lies in one slot, so the slot of every element is known\n"
        "settled by 15 of 15 elements\n"
        "padding: 9 slots, which hold 0x4d"
    )
    assert "padding: none" in infer(x, x).report()
    assert infer(x[:1, :1], x[:1, :1]).report().startswith("shape (1, 1) in 1 slot: 0\n")
    assert "settled by 1 of 1 element\n" in infer(x[:1, :1], x[:1, :1]).report()
    assert "padding: 1 slot, which holds 0x63" in infer(x, np.append(x, np.uint32(99))).report()
    assert "2 different values" in infer(x, np.append(x, np.uint32([0, 99]))).report()
    merged = infer((6, 10), lambda x: x.reshape(4, 15).T)
    assert "4*(m0 % 15) + (m0 // 15)\n  m0 = 10*x0 + x1\n" in merged.report()


def test_it_is_a_layout():
    x = numbered((3, 5))
    found = infer(x, tl.pack(x, "{1,0:T(2,2)}"))
    assert hash(found) == hash(tl.layout("{1,0:T(2,2)}", (3, 5)))
    assert copy.copy(found) == pickle.loads(pickle.dumps(found)) == tl.layout("{1,0:T(2,2)}", (3, 5))
    assert tl.layout(found) is found


def test_functions():
    assert infer((6, 8), np.transpose) == tl.layout("{0,1}", (6, 8))
    assert infer([6, 8], lambda x: x.tobytes()) == tl.layout("{1,0}", (6, 8))
    assert infer((), lambda x: x).shape == ()
    assert infer((0, 3), lambda x: x).slots == 0
    layout = tl.layout("{1,0:T(8,128)(4,1)}", (500, 700))
    assert probe(lambda x: tl.pack(x, layout), (500, 700), np.uint8) == layout


def test_functions_that_pack_nibbles():
    found = probe(nibbles, (64, 32), "uint8", bits=4)
    assert found == tl.layout("{1,0}", (64, 32))
    assert found.element == tl.Element("uint4", 4)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ([1, 2, 3], [1, 2, 4], r"the value of element \(2,\) \(bits 0x3\) occurs 1 time in the array and 0 times in the buffer"),
        ([1, 2, 2], [1, 2, 4], r"element \(1,\).* occurs 2 times in the array and 1 time in the buffer"),
        (np.ones((1,) * 33), [2.0], r"the value of element \(0, 0, 0.* occurs 1 time in the array and 0 times in the buffer"),
        ([[1, 2], [3, 4]], [1, 2, 3], r"a buffer of 3 slots cannot hold the 4 elements of an array of shape \(2, 2\)"),
        (np.arange(1, 6), [1, 3, 2, 5, 4], r"the steps along axis 0 are no digits: the first element that breaks it is \(3,\), in slot 4"),
        (
            np.arange(1, 31).reshape(6, 5),
            np.arange(1, 31).reshape(6, 5)[[0, 2, 5, 4, 1, 3]],
            r"the steps along axis 1 are digits, those along axis 0 are not: the first element that breaks it is \(5, 0\), in slot 10",
        ),
        (
            np.arange(1, 26).reshape(5, 5),
            np.array([np.roll(np.arange(5 * k + 1, 5 * k + 6), k) for k in range(5)]),
            r"axes 0 and 1 are digits, but the axes do not add up, .* first element that breaks it is \(1, 4\), in slot 5",
        ),
    ],
)
def test_what_is_no_layout(before, after, message):
    with pytest.raises(NotInferred, match=message):
        infer(before, after)


def test_errors_carry_what_they_say():
    x = np.arange(1, 31).reshape(6, 5)
    with pytest.raises(NotInferred) as caught:
        infer(x, x[[0, 2, 5, 4, 1, 3]])
    assert (caught.value.axes, caught.value.element, caught.value.placed) == ((1,), (5, 0), 30)
    with pytest.raises(NotInferred) as caught:
        infer([1, 2, 3], [1, 2, 4])
    assert (caught.value.axes, caught.value.element, caught.value.placed) == ((), (2,), 2)


def test_noise_of_few_values_is_refused():
    x = RNG.integers(0, 4, 512).astype("u1")
    with pytest.raises(NotInferred, match="0 of 512 elements have a value that lies in one slot"):
        infer(x, RNG.permutation(x))


def test_noise_that_shares_bytes_is_an_arrangement():
    """In a buffer with room for whole bytes, too, what is said is not that some value is missing among them."""
    x = RNG.integers(1, 16, 512).astype("u1")
    with pytest.raises(NotInferred, match=r"0 of 512 elements .* the buffer of 1024 slots"):
        infer(x, nibbles(RNG.permutation(np.concatenate([x, np.zeros_like(x)]))))


def test_numbers_in_no_order_are_bytes_that_are_all_there():
    """They may be nibbles too, one of which would be missing."""
    x = np.arange(16, dtype="u1")
    with pytest.raises(NotInferred, match="holds every element once"):
        infer(x, np.random.default_rng(0).permutation(x))


@pytest.mark.parametrize(
    ("before", "after", "shape", "message"),
    [
        (np.arange(4, dtype="f4"), np.arange(4, dtype="f8"), None, "a buffer of float64 for elements of float32"),
        (np.arange(4, dtype="f4"), b"abc", None, "a buffer of 3 bytes for elements of float32; it takes a multiple of 4"),
        (["a", "b"], [1, 2], None, "dtype <U1 cannot be packed"),
        ([1, object()], [1, 2], None, "dtype object cannot be packed"),
        ([[1], [2, 3]], [1, 2, 3], None, "before makes no array"),
        ([1, 2, 3], [[1], [2, 3]], None, "after makes no array"),
        (np.ma.array([1, 2]), [1, 2], None, "before is a masked array"),
        ([1, 2], np.ma.array([1, 2]), None, "after is a masked array"),
        ([1, 2], None, None, "after is None, and no array"),
        ([10**30, 1], [1, 2], None, "dtype object cannot be packed"),
        ([1, 2, 3], [1, 2, 3], (2, 2), r"before has 3 elements, and shape=\(2, 2\) takes 4"),
        ([1, 2, 3], [1, 2, 3], (-3,), "negative extent"),
        ([1, 2, 3], [1, 2, 3], "abc", "is no shape"),
        ([1, 2, 3], [1, 2, 3], 3, "3 is no shape"),
        ((10**30,), np.ravel, None, "more than a signed 64-bit integer"),
        ((2**61,), np.ravel, None, "does not fit in memory"),
        ("text", np.ravel, None, "is no shape"),
        (None, np.ravel, None, "None is no shape"),
        ((3,), lambda x: x.astype("f8"), None, "the value of element .* occurs 1 time in the array"),
        ((300,), lambda x: x.astype("f8"), None, "the function returns 300 elements of float64 for an array of uint16"),
        ((3,), lambda x: None, None, "what the function returns is None, and no array"),
        ((3,), lambda x: "abc", None, "what the function returns is 'abc', and no array; what is in a file"),
        ((3,), lambda x: x[:2], None, "a buffer of 2 slots cannot hold the 3 elements"),
    ],
)
def test_bad_input(before, after, shape, message):
    with pytest.raises(LayoutError, match=message):
        infer(before, after, shape=shape)


@pytest.mark.parametrize(
    ("dtype", "bits", "message"),
    [
        ("no such", None, "no element type is called 'no such'"),
        ("U3", None, "cannot be packed"),
        ("u1", 9, "bits=9 is no number of bits that elements of uint8 carry; it takes 1 to 8"),
        ("u1", 0, "bits=0 is no number"),
        ("u1", "x", "bits='x' is no number"),
        ("u1", 10**30, "is no number of bits"),
    ],
)
def test_bad_probes(dtype, bits, message):
    with pytest.raises(LayoutError, match=message):
        probe(np.ravel, (300,), dtype, bits=bits)


def test_functions_that_change_their_mind():
    lengths = iter([300, 400])
    with pytest.raises(NotInferred, match=r"gives 300 slots for one array of shape \(300,\) and 400 for the next"):
        probe(lambda x: np.resize(x, next(lengths)), (300,), "u1")


def test_functions_with_errors_of_their_own():
    def fails(x):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        infer((3,), fails)


def test_shape_errors_are_shape_errors():
    with pytest.raises(ShapeError, match="before has 3 elements, and shape="):
        infer([1, 2, 3], [1, 2, 3], shape=(4,))


@pytest.mark.slow
def test_ten_million_elements():
    x = np.arange(1, 10_000_001, dtype=np.uint32).reshape(2500, 4000)
    assert infer(x, tl.pack(x, "{1,0:T(8,128)}")) == tl.layout("{1,0:T(8,128)}", x.shape)
