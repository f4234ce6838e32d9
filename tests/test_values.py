"""Values of fill, and floats that are rounded: exact, as near as can be, or refused."""

import sys
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from math import isfinite

import ml_dtypes
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import tilelayout as tl
from tilelayout.errors import LayoutError
from tilelayout.values import _greatest, is_lost, scalar

NARROW = ["float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn", "float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "bfloat16", "float16"]


def of(name):
    return np.dtype(getattr(ml_dtypes, name, name))


@pytest.mark.parametrize("name", ["int1", "int2", "int4", "uint1", "uint2", "uint4"])
@pytest.mark.parametrize("given", [int, float, np.int64, np.float32, np.array])
def test_integers_below_a_byte(name, given):
    bits, low = int(name[-1]), 0 if name[0] == "u" else -(1 << int(name[-1]) - 1)
    for value in range(low - 20, low + 40):
        if low <= value < low + (1 << bits):
            assert int(scalar(given(value), of(name))) == value
        else:
            with pytest.raises(tl.LayoutError, match="is no value of dtype"):
                scalar(given(value), of(name))
    with pytest.raises(tl.LayoutError, match="is no value of dtype"):
        scalar(0.5, of(name))


@pytest.mark.parametrize("name", NARROW)
def test_floats_are_the_nearest_or_refused(name):
    dtype = of(name)
    finite = np.arange(1 << 8 * dtype.itemsize, dtype=f"u{dtype.itemsize}").view(dtype)
    if name.startswith("float6") or name.startswith("float4"):
        finite = finite[: 1 << int(name[5])]
    with np.errstate(invalid="ignore"):
        finite = np.sort(finite[np.isfinite(finite)].astype(np.float64))
    half = (finite[-1] - finite[-2]) / 2
    for value in [*finite[:: max(1, len(finite) // 100)], finite[-1] + 0.9 * half, -finite[-1] - 0.9 * half]:
        assert abs(float(scalar(value, dtype)) - value) <= half
        assert not is_lost(np.array([value]), np.array([value]).astype(dtype)).any()
    for value in (finite[-1] + 1.1 * half, -finite[-1] - 1.1 * half, 1e300):
        with pytest.raises(tl.LayoutError, match="is no value of dtype"):
            scalar(value, dtype)
        with np.errstate(all="ignore"):
            assert is_lost(np.array([value]), np.array([value]).astype(dtype)).all()


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("name", [*NARROW, "float32", "float64"])
def test_what_is_no_number_stays_so_or_is_refused(name, value):
    dtype = of(name)
    with np.errstate(all="ignore"):
        rounded = np.array(value).astype(dtype)
    if np.array_equal(rounded.astype(np.float64), np.array(value), equal_nan=True):
        assert scalar(value, dtype).tobytes() == rounded.tobytes()
    else:
        with pytest.raises(tl.LayoutError, match="is no value of dtype"):
            scalar(value, dtype)


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (np.complex64(1 + 2j), "f4"),
        (1 + 2j, "f4"),
        (np.datetime64("NaT", "s"), "f4"),
        (np.datetime64("5000-01-01"), "M8[ns]"),
        (np.float64(1.5), "M8[s]"),
        (np.datetime64("2020-01-01T00:00:00.5"), "M8[s]"),
        ("2020-01-01T00:00:00.5", "M8[s]"),
        ("5000-01-01", "M8[ns]"),
        (datetime(5000, 1, 1), "M8[ns]"),
        (datetime(2020, 1, 1, 12), "M8[D]"),
        (timedelta(hours=1), "m8[D]"),
        (np.timedelta64(5, "D"), "M8[s]"),
        (np.datetime64("2020-01-01"), "m8[ms]"),
        (np.datetime64("NaT", "s"), "m8[s]"),
        (1e39, ">f4"),
        (np.array(1e300, ">f8"), "f4"),
        (complex(1e39, np.nan), "c8"),
        (complex(np.inf, 1e39), "c8"),
        (np.int8(-1), "u1"),
        (2**64, "u8"),
        ("x", "f4"),
        ("7", "i4"),
        (b"7", "u1"),
        ("1", "c8"),
        ([1], "f4"),
        (Decimal("sNaN"), "?"),
        (Decimal("1e400"), "f8"),
        (Decimal("-1e400"), "c16"),
        ("1e400", "f4"),
        (np.float64(1.5), "V16"),
        (np.str_("2"), "V16"),
        (b"x" * 17, "V16"),
    ],
)
def test_other_kinds_are_refused(value, dtype):
    with pytest.raises(tl.LayoutError, match="fill="):
        scalar(value, np.dtype(dtype))


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        (2**70, ml_dtypes.bfloat16, 2.0**70),
        (2**70, "f4", 2.0**70),
        (True, "f4", 1.0),
        (3, "c8", 3 + 0j),
        (np.complex128(1 + 2j), "c8", 1 + 2j),
        (2**64 - 1, "u8", 2**64 - 1),
        (np.array(7), "i2", 7),
        (1.5, ">f4", 1.5),
        (np.array(1.5, ">f8"), "f4", 1.5),
        (datetime(2020, 1, 1, 12), "M8[s]", datetime(2020, 1, 1, 12)),
        ("2020-01-01T12", "M8[s]", datetime(2020, 1, 1, 12)),
        (timedelta(hours=1), "m8[s]", timedelta(hours=1)),
        (Decimal("-Infinity"), "f4", -np.inf),
        ("inf", "f8", np.inf),
        (b"x", "V16", np.void(b"x" + bytes(15))),
        ("5", "m8[m]", timedelta(minutes=5)),
    ],
)
def test_values_that_are_taken(value, dtype, expected):
    assert scalar(value, np.dtype(dtype)).astype(object) == expected


@pytest.mark.skipif(np.finfo("g").nmant == np.finfo("d").nmant, reason="a long double is a double there")
def test_long_doubles_keep_what_doubles_have_no_room_for():
    assert int(scalar(2**63 + 1, np.dtype("g"))) == 2**63 + 1
    for dtype in ("f4", "f8", "c16"):
        with pytest.raises(tl.LayoutError, match="would become"):
            scalar(np.longdouble(2) ** 1024, np.dtype(dtype))


def test_times():
    assert scalar(np.datetime64("2020-01-01"), np.dtype("M8[s]")) == np.datetime64("2020-01-01", "s")
    for fill, dtype in (("NaT", "M8[s]"), ("NaT", "m8[as]"), (np.datetime64("NaT", "D"), "M8[s]")):
        assert np.isnat(scalar(fill, np.dtype(dtype)))


def test_strangers_that_raise():
    class Stranger:
        def __array__(self, dtype=None, copy=None):
            raise KeyError("x")

    layout = tl.layout("{1,0:T(2,2)}", (3, 5))
    for ask in (layout.index, layout.coordinates, layout.is_padding, lambda x: tl.pack(np.zeros((3, 5)), layout, fill=x)):
        with pytest.raises(tl.LayoutError, match="make"):
            ask(Stranger())


@pytest.mark.parametrize("order", "=<>")
@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_floats_of_numpys_own_ask_nothing_of_ml_dtypes(name, order, monkeypatch):
    """Where the order of bytes is said they are not builtin, numpy says, and were taken for those of ml_dtypes."""
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    _greatest.cache_clear()
    dtype = np.dtype(name).newbyteorder(order)
    assert scalar(-1, dtype) == -1
    assert is_lost(np.array([1e300]), np.array([np.inf], dtype)) == [True]
    assert is_lost(np.array([1e300]).astype(np.dtype("f8").newbyteorder(order)), np.array([np.inf], dtype)) == [True]


@pytest.mark.parametrize("fill", [1, -1.5, np.nan])
@pytest.mark.parametrize("name", ["bfloat16", "float8_e5m2"])
def test_borrowed_floats_in_the_order_of_another_machine(name, fill):
    """ml_dtypes assigns to them in the machine's own order; so the fill value was refused, or would have been another."""
    ml_dtypes = pytest.importorskip("ml_dtypes")
    native = np.dtype(getattr(ml_dtypes, name))
    foreign = native.newbyteorder(">" if sys.byteorder == "little" else "<")
    packed = tl.pack(np.ones(3, native).astype(foreign), "{0:T(4)}", fill=fill)
    assert packed.dtype == foreign
    assert packed.astype(native).tobytes() == tl.pack(np.ones(3, native), "{0:T(4)}", fill=fill).tobytes()


@pytest.mark.parametrize("name", [*NARROW, "float32"])
@given(data=st.data())
def test_floats_are_the_nearest(name, data):
    """A wider float on the way would round once more: 1 + 2**-8 + 2**-40 is nearer to 1 + 2**-7 than to 1 in bfloat16."""
    dtype = of(name)
    bits = int(name[5]) if name.startswith(("float4", "float6")) else 8 * dtype.itemsize
    below = data.draw(st.integers(0, (1 << bits - 1) - 2))
    lower, upper = np.array([below, below + 1], f"u{dtype.itemsize}").view(dtype).astype(np.float64).tolist()
    assume(isfinite(lower) and isfinite(upper))
    middle = (Fraction(lower) + Fraction(upper)) / 2
    side = data.draw(st.sampled_from([-1, 0, 1]))
    value = middle + side * abs(middle) / (1 << 40)
    found = scalar(float(value), dtype).view(f"u{dtype.itemsize}")[()]
    assert found == (below + (below & 1) if side == 0 else below + (side > 0))


def test_fills_of_bits_are_bits_or_floats():
    """Of an array that holds the bits of floats, an integer is bits as well, and a float is a float."""
    bits = np.full((1, 3), 0x3F80, np.uint16)
    for fill in (1.0, np.float32(1), 0x3F80, of("bfloat16").type(1)):
        assert (tl.pack(bits, "bf16[1,3]{1,0:T(2,2)}", fill=fill) == 0x3F80).all()
    assert np.isnan(tl.pack(bits, "bf16[1,3]{1,0:T(2,2)}", fill=np.nan).view(of("bfloat16"))[3])
    assert tl.relayout(bits.ravel(), "bf16[3]{0}", "bf16[3]{0:T(4)}", fill=1.0).tolist() == [0x3F80] * 4


@pytest.mark.parametrize(("dtype", "fill"), [("m8[ns]", np.uint64(2**64 - 1)), ("M8[s]", np.uint64(2**63)), ("M8", np.float64(2))])
def test_no_time_wraps_around(dtype, fill):
    with pytest.raises(LayoutError, match="no value of dtype"):
        tl.pack(np.zeros(3, dtype), "{0:T(4)}", fill=fill)


def test_what_a_stranger_raises_is_said():
    class Stranger:
        def __float__(self):
            raise KeyError("k")

    with pytest.raises(LayoutError, match="no value of dtype"):
        tl.pack(np.zeros(3, "f4"), "{0:T(4)}", fill=Stranger())
