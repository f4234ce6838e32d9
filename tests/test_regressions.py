"""What once went wrong, and must not again: each test is a bug that was found by hand or by fuzzing."""

import time

import ml_dtypes
import numpy as np
import pytest

import tilelayout as tl
from tilelayout import cute, describe
from tilelayout.notations import LANGUAGES

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


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: tl.Layout((4,), 5), "digits=5 is no sequence of digits"),
        (lambda: tl.Layout((4,), [], slots=1.5), "slots=1.5 is no number of slots"),
        (lambda: tl.Layout((4,), [], element=5), "element=5 is no element"),
        (lambda: tl.Layout((4,), [], element="f32"), "element='f32' is no element"),
        (lambda: tl.Layout((4,), [], element=("nope", 8)), "no element type is called 'nope'"),
        (lambda: tl.Layout((4,), [], element=(5, 8)), "its name is text"),
        (lambda: tl.Layout((4,), [], element=("int4", "x")), "element=.* is no element"),
        (lambda: tl.pack(RAMP, tl.Layout((4,), [(0, 1, 4, 1)]), fill=[[1], [1, 2]]), "fill makes no array"),
        (lambda: tl.pack(RAMP, tl.Layout((4,), [(0, 1, 4, 1)], slots=2**62), fill=None), "does not fit in memory"),
        (lambda: tl.xla.Layout((1, 0), tiles=[np.array([[1, 2], [3, 4]])]), "is no sequence of sizes"),
    ],
)
def test_only_layout_errors_escape(call, said):
    with pytest.raises(tl.LayoutError, match=said):
        call()


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda n: tl.Layout((n,), []), "a very large int elements are more than"),
        (lambda n: tl.Layout((3,), [(0, 1, 3, n)]), "digit .* does not fit in signed 64-bit"),
        (lambda n: tl.Layout((3,), [(0, 1, 3, 1)], slots=n), "a very large int slots are more than"),
        (tl.layout("f32[3]"), "a very large int on axis 0"),
        (lambda n: tl.layout("f32[3]").index([n]), "coordinates reach to a very large int"),
        (lambda n: tl.layout("{0}", shape=(n,)), "a very large int elements are more than"),
        (tl.layout, "a very large int is an int"),
        (lambda n: tl.pack([1.0], "{0}", fill=n), "fill=a very large int is no value of dtype float64"),
    ],
)
def test_integers_too_long_to_print(ask, said):
    with pytest.raises(tl.LayoutError, match=said):
        ask(10**5000)


def test_a_class_is_no_layout():
    with pytest.raises(tl.LayoutError, match="a layout is text"):
        tl.layout(tl.xla.Layout)


def test_a_mask_is_not_dropped_unseen():
    with pytest.raises(tl.LayoutError, match="masked"):
        tl.pack(np.ma.masked_array([1, 2, 3], [0, 1, 0]), "{0}")


HUGE = 10**5000
WIDE = np.broadcast_to(np.uint8(1), 2**40)
PLANE = memoryview(bytes(6)).cast("B", (2, 3))
PAIR = np.array([1, 2])


def nest(depth):
    value: object = 1
    for _ in range(depth):
        value = (value,)
    return value


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: tl.xla.Layout(HUGE), "minor_to_major a very large int is no sequence"),
        (lambda: tl.xla.Layout((HUGE,)), "out-of-bounds value"),
        (lambda: tl.xla.Layout((0,), tiles=((HUGE,),)), "tile dimension a very large int"),
        (lambda: tl.xla.Layout((0,), memory_space=HUGE), "out of range"),
        (lambda: tl.xla.Layout((0,), tiles=(PAIR, np.array([[1]]))), "no sequence of sizes"),
        (lambda: tl.xla.Layout(b"\x00"), "no sequence of integers"),
        (lambda: tl.xla.Layout({0, 1}), "no sequence of integers"),
        (lambda: tl.xla.format_layout("8x128", 10**12), "rank=1000000000000"),
        (lambda: tl.xla.format_layout(PAIR, 2), "no format is called"),
        (lambda: tl.xla.tpu_layout((3, 5), "f32", generation=PAIR), "no TPU generation"),
        (lambda: tl.xla.tpu_layout((3, 5), "f32", large_second_minor=PAIR), "neither True, False nor None"),
        (lambda: tl.xla.Shape("f32", (3,), dynamic=[PAIR]), "no sequence of flags"),
        (lambda: tl.xla.Shape("f32", WIDE), "more than 65536 items"),
        (lambda: tl.xla.Shape("f32", (3,), parts=PAIR), "has no parts"),
        (lambda: tl.linear_index_with_tile([0], (3,), range(10**20)), "more than 65536 items"),
        (lambda: tl.layout("{0}", shape=WIDE), "more than 65536 items"),
        (lambda: tl.layout("{}", shape=""), "is no shape"),
        (lambda: tl.Layout({3, 5}, []), "is no shape"),
        (lambda: tl.Layout((3,), [WIDE]), "is no digit"),
        (lambda: tl.Layout((3,), PLANE), "is no sequence of digits"),
        (lambda: tl.Layout((3,), [], element=PLANE), "is no element"),
        (lambda: tl.unpack(np.zeros(3, np.dtypes.StringDType()), "f32[3]{0}"), "a buffer of dtype StringDType"),
        (lambda: tl.files.save("x.bin", WIDE), "not in row-major order, and does not fit in memory"),
        (lambda: tl.files.bits_dtype(3), "is no element"),
        (lambda: tl.files.pack_checkpoint("x", "y", WIDE), "a rule is text"),
        (lambda: tl.files.pack_checkpoint("x", "y", PLANE), "are no rules"),
        (lambda: tl.morello.row_major(WIDE), "more than 65536 items"),
        (lambda: tl.strides.Layout(range(10**20)), "more than 65536 items"),
        (lambda: tl.mosaic.TiledLayout((), WIDE), "more than 65536 items"),
        (lambda: tl.einops.Layout(WIDE, ()), "is no pattern"),
        (lambda: tl.einops.Layout(((PAIR,),), ()), "is no name"),
        (lambda: tl.infer(WIDE, b"\x00"), "a buffer of 1 slots cannot hold"),
        (lambda: tl.probe("text", (3, 5), "uint8"), "'text' is no function"),
        (lambda: tl.probe(np.ravel, (1,) * 65, "uint8"), "have 64 at the most"),
        (lambda: tl.probe(np.ravel, (3,), nest(3000)), "is no dtype"),
        (lambda: tl.unpack(b"", "{0}", shape=(0,), dtype=nest(3000)), "is no dtype"),
        (lambda: tl.layout("{1,0}", shape=(1,) * 40_000), "Dimensions size is 40000.{1,400}$"),
        (lambda: tl.cute.Layout(8, 1).bind(2.5), "is no shape"),
        (lambda: tl.cute.ComposedLayout(tl.cute.Layout(8), 0, tl.cute.Layout(8))(PAIR, [[1], [1, 2]]), "no array|arrays for"),
        (lambda: tl.cute.make_layout(stride=(1,)), "got neither"),
        (tl.cute.zip_, "none is given"),
        (lambda: tl.cute.unflatten(np.array(3), (1, 2)), "1 elements do not fill"),
        (lambda: tl.cute.append((4,), 1, up_to_rank=2**40), "a rank of 1 to 65536"),
        (lambda: tl.cute.fold("f", (1, 2), 0), "'f' is no function"),
    ],
)
def test_values_of_any_kind_are_refused_in_words(call, said):
    """These left as ValueError, TypeError, MemoryError or OverflowError, or ran until memory was full."""
    with pytest.raises(tl.LayoutError, match=said):
        call()


@pytest.mark.parametrize("language", sorted(LANGUAGES))
@pytest.mark.parametrize("value", [None, "{1,0}", HUGE, WIDE, tl.Layout], ids=["none", "text", "huge", "wide", "class"])
def test_what_is_no_layout_is_expressed_in_no_language(language, value):
    with pytest.raises(tl.LayoutError, match="no Layout"):
        LANGUAGES[language].express(value)
    if not isinstance(value, str):
        assert not LANGUAGES[language].recognizes(value)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: tl.mlir.AffineMap(2, ("d0",)), "are no affine map"),
        (lambda: tl.mlir.AffineMap(10**30, ()), "are no affine map"),
        (lambda: tl.mlir.AffineMap(1, tl.mlir.parse("affine_map<(d0, d1) -> (d1)>").results), "are no affine map"),
        (lambda: tl.mlir.Strided("ab"), "no strided layout"),
        (lambda: tl.mlir.Strided((1,), 2.5), "no strided layout"),
        (lambda: tl.mlir.Strided((HUGE,)), "no strided layout"),
        (lambda: tl.mlir.MemRef((3, -5), "f32"), "negative extent"),
        (lambda: tl.mlir.MemRef((3, 5), "f32", "{1,0}"), "is no mlir.AffineMap"),
        (lambda: tl.mlir.MemRef((3, 5), "f32", tl.mlir.Strided((1,))), "arrays of 1 dimensions"),
        (lambda: tl.mlir.Pack((0.5,), (4,)), "no attributes of a pack"),
        (lambda: tl.mlir.Pack((0,), (HUGE, 1)), "no attributes of a pack"),
        (lambda: tl.mlir.PackOp(tl.mlir.Pack((3,), (4,)), (2,), "f32"), "cuts dimension 3"),
        (lambda: tl.mlir.PackOp(None, (2,), "f32"), "is no mlir.Pack"),
        (lambda: tl.tvm.Bijection((), "W"), "is no layout string"),
        (lambda: tl.tvm.Bijection((("H", None),), (("W", None),)), "the axes H are laid out as W"),
        (lambda: tl.tvm.Bijection((("H", None),), (("H", None), ("H", 0))), "is no layout string"),
        (lambda: tl.onednn.Tag(3), "no format tag"),
        (lambda: tl.onednn.Tag((0,), (("x", 2),)), "no format tag"),
        (lambda: tl.onednn.Memory("f32", "ab"), "is no onednn.Tag"),
        (lambda: tl.onednn.Memory("f32", tl.onednn.Tag((0, 1)), (1, 2.5)), "give one for each"),
        (lambda: tl.onednn.Memory("f32", tl.onednn.Tag((0, 1)), (1, -5)), "0 or more"),
        (lambda: tl.presets.Preset(HUGE, "", "", None, ()), "no name, summary and source"),
        (lambda: tl.Inferred("{1,0}", how="", placed=0, filled=""), "no Layout"),
    ],
)
def test_values_built_by_hand_are_checked(call, said):
    """These were made as they were given, and failed later with whatever Python said."""
    with pytest.raises(tl.LayoutError, match=said):
        call()


def test_values_built_from_lists_are_those_built_from_tuples():
    """Lists were kept as they were, so that equal values had no hash."""
    assert hash(tl.onednn.Tag([0, 1], [[1, 4]])) == hash(tl.onednn.Tag((0, 1), ((1, 4),)))
    assert hash(tl.mlir.Pack([1], np.array([4]), [1, 0])) == hash(tl.mlir.Pack((1,), (4,), (1, 0)))
    assert hash(tl.mlir.MemRef([3, 5], "f32", tl.mlir.Strided([8, 1]))) == hash(tl.mlir.MemRef((3, 5), "f32", tl.mlir.Strided((8, 1))))
    sides = [["H", None], ["W", None]], [["W", None], ["H", None], ["W", 4]]
    assert tl.tvm.Bijection(*sides) == tl.tvm.parse("HW->WH4w")
    assert hash(tl.tvm.Bijection(*sides)) == hash(tl.tvm.parse("HW->WH4w"))


def test_chains_of_composed_layouts_are_refused_in_short_time():
    """Each link doubled what the next one read, and 20 of them took seconds to be counted."""
    chain = tl.cute.Layout(8)
    for _ in range(40):
        chain = tl.cute.ComposedLayout(tl.cute.Layout((2, 4), (4, 1)), 0, chain)
    start = time.process_time()
    with pytest.raises(tl.LayoutError, match="too many digits"):
        chain.bind()
    assert time.process_time() - start < 2


def test_long_tiles_are_bound_in_short_time():
    """The time grew with the square of a tile's entries: 20,000 took eight seconds."""
    start = time.process_time()
    assert tl.xla.Layout((0,), tiles=((1,) * 20_000, (2,))).bind((3,)).slots == 6
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    "name", ["size", "depth", "flatten", "product", "prefix_product", "congruent", "elem_scale", "crd2crd", "tuple_add", "slice_"]
)
def test_tuples_nested_without_end_are_refused(name):
    """They left with a RecursionError, or now do not care how deep tuples are."""
    deep = nest(5000)
    function = getattr(tl.cute, name)
    arguments = {"congruent": 2, "elem_scale": 2, "crd2crd": 3, "tuple_add": 2, "slice_": 2}.get(name, 1)
    try:
        function(*[deep] * arguments)
    except tl.LayoutError as error:
        assert "deep" in str(error)


def test_products_of_many_large_factors_are_refused_at_once():
    """They were multiplied to the end first."""
    start = time.process_time()
    with pytest.raises(tl.ShapeError, match="a very large int"):
        tl.Layout((HUGE,) * 60_000, [])
    assert time.process_time() - start < 2


def test_a_remainder_of_a_remainder_prints_as_it_is_read():
    """What the outer one makes 0 was left in it."""
    parsed = tl.mlir.parse("affine_map<(d0) -> (((d0 + d0) mod 4) mod 2)>")
    assert str(parsed) == "affine_map<(d0) -> (0)>"
    assert tl.mlir.parse(str(parsed)) == parsed


def test_padding_that_shares_a_byte_with_the_end_of_a_row_is_left_alone():
    layout = tl.layout("s4[3,5]{1,0:T(8)E(4)}")
    assert layout.slots == 24
    packed = tl.pack(np.zeros((3, 5), np.int8), layout, fill=None, out=np.full(12, 0xFF, np.uint8))
    assert packed.tolist() == [0, 0, 0xF0, 0xFF] * 3


def test_a_view_of_memory_with_two_axes_is_no_shape():
    with pytest.raises(tl.LayoutError, match="is no shape"):
        tl.layout("{1,0}", shape=memoryview(np.zeros((2, 2), np.int64)))


@pytest.mark.parametrize("step", [2, 3, -1, -2])
@pytest.mark.parametrize("is_new", [True, False])
def test_elements_that_do_not_fit_are_found_where_they_lie_apart(step, is_new):
    """Those between them were looked at in their stead."""
    layout = tl.layout("u2[40]{0:E(2)}")
    between = np.full(400, 7, np.uint8)
    array = between[200::step][:40]
    array[...] = np.arange(40) % 4
    expected = np.bitwise_or.reduce((np.arange(40, dtype=np.uint8) % 4).reshape(-1, 4) << np.array([0, 2, 4, 6], np.uint8), axis=1)
    assert (tl.pack(array, layout, out=None if is_new else np.zeros(10, np.uint8)) == expected).all()
    array[39] = 5
    with pytest.raises(tl.LayoutError, match="holds 5, which does not fit in 2 bits"):
        tl.pack(array, layout, out=None if is_new else np.zeros(10, np.uint8))


@pytest.mark.parametrize("bits", [1, 2, 4])
@pytest.mark.parametrize("start", [1, 2, 3, 4, 5, 8])
def test_elements_below_a_byte_that_begin_within_one(start, bits):
    """They were packed and read from where the byte begins."""
    layout = tl.Layout((40,), [(None, 1, 2, start), (0, 1, 40, 1)], slots=48, element=(f"uint{bits}", bits))
    array = (np.arange(40) * 5 % 7 % (1 << bits)).astype(np.uint8)
    slots = np.zeros(48, np.uint8)
    slots[start : start + 40] = array
    per_byte = 8 // bits
    expected = np.bitwise_or.reduce(slots.reshape(-1, per_byte) << np.arange(per_byte, dtype=np.uint8) * bits, axis=1)
    assert (tl.pack(array, layout) == expected).all()
    assert (tl.unpack(expected, layout, dtype=np.uint8) == array).all()


@pytest.mark.parametrize(
    "text",
    [
        "(8):(1) o (2) o (4):(1@0)",
        "S<1,1,2> o 1 o 6:1",
        "S<3,4,3> o 5 o (8,4):(1,8)",
        "S<3,4,3> o 64 o (4,8):(8,1)",
        "((2,2),(2,4)):((4,1),(2,8)) o (1,2) o (3,5):(1@0,1@1)",
    ],
)
def test_what_is_added_within_sums_that_fall_apart(text):
    """Whole arrays were packed and read from where the sums began, without what is added in them."""
    layout = tl.layout(text)
    slots, values = layout.offsets(), np.arange(1, layout.size + 1, dtype=np.int32).reshape(layout.shape)
    expected = np.zeros(layout.slots, np.int32)
    expected[slots] = values
    assert (tl.pack(values, layout) == expected).all()
    assert (tl.unpack(expected, layout) == values).all()
    assert (tl.relayout(expected, layout, layout) == expected).all()
    again = expected.copy()
    assert (tl.relayout(again, layout, layout, out=again) == expected).all()
    whole = tl.layout(
        "strides=({})".format(",".join(str(step // 4) for step in values.strides) + ("," if values.ndim == 1 else "")), layout.shape
    )
    assert (tl.relayout(expected, layout, whole) == values.ravel()).all()
    narrow = tl.Layout(layout.shape, layout.digits, slots=layout.slots, element=("uint4", 4))
    few = (values % 16).astype(np.uint8)
    assert (tl.unpack(tl.pack(few, narrow), narrow) == few).all()


def test_equal_layouts_move_alike():
    within = tl.Layout((4,), [(((0, 1, 4, 1), (None, 1, 2, 1)), 1, 8, 1)], slots=5)
    beside = tl.Layout((4,), [(None, 1, 2, 1), (0, 1, 4, 1)], slots=5)
    assert within == beside
    assert tl.unpack(np.arange(5), within).tolist() == tl.unpack(np.arange(5), beside).tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("name", ["int1", "int2", "int4", "uint1", "uint2", "uint4"])
@pytest.mark.parametrize("bits", [2, 4, 8, 16, 32])
def test_integers_below_a_byte_in_slots_with_room_for_more(name, bits):
    """Signs were those of the slot, and a value that fits in the slot alone was taken."""
    own, signed = int(name[-1]), name[0] == "i"
    if own > bits:
        return
    text = f"{'s' if signed else 'u'}{own}[2,3]{{1,0:T(2,2){f'E({bits})' if bits != 8 else ''}}}"
    low = -(1 << own - 1) if signed else 0
    values = low + np.arange(6).reshape(2, 3) % (1 << own)
    carrier = np.int8 if signed else np.uint8
    packed = [tl.pack(values.astype(dtype), text) for dtype in (getattr(ml_dtypes, name), carrier)]
    for given, dtype in zip(packed, (name, carrier), strict=True):
        assert (tl.unpack(given, text, dtype=dtype).astype(int) == values).all()
        assert (tl.unpack(given, text, dtype=dtype, region=np.s_[1:, :2]).astype(int) == values[1:, :2]).all()
    if bits == 8:
        return
    assert packed[0].tobytes() == packed[1].tobytes()
    for other in (1, 2, 4, 16, 64):
        if other >= own:
            after = text.replace(f"E({bits})", f"E({other})")
            moved = tl.relayout(packed[0], text, after, dtype=carrier)
            assert moved.tobytes() == tl.pack(values.astype(carrier), after).tobytes()
    wrong = values.astype(carrier)
    wrong[1, 2] = low + (1 << own)
    room = packed[0].copy()
    with pytest.raises(tl.LayoutError, match=f"does not fit in {own} bits of {name}"):
        tl.pack(wrong, text, out=room)
    assert own == bits or (room == packed[0]).all()
    room = packed[0].copy()
    part = tl.pack(values[:1].astype(carrier), text, out=room, region=np.s_[:1])
    assert (part == packed[0]).all()


def test_padding_does_not_have_to_fit_where_elements_get_room():
    """What padding holds is nobody's value."""
    source = np.array([1, 100, 2, 100], np.int8)
    assert tl.unpack(tl.relayout(source, "s4[2,1]{1,0:T(1,2)}", "s4[2,1]{1,0:E(16)}"), "s4[2,1]{1,0:E(16)}", dtype="int8").tolist() == [
        [1],
        [2],
    ]
    with pytest.raises(tl.LayoutError, match="holds 100, which does not fit in 4 bits"):
        tl.relayout(source, "s4[4]{0}", "s4[4]{0:E(16)}")


def test_two_types_are_not_one():
    for given in (np.arange(4, dtype=np.uint32), np.arange(4, dtype=np.float32)):
        with pytest.raises(tl.LayoutError, match="a buffer of float32 laid out anew as int32"):
            tl.relayout(given, "f32[4]{0}", "s32[4]{0}")


def test_shapes_that_are_arrays():
    layout = tl.layout("{1,0:T(2,2)}", (3, 5))
    assert tl.layout(layout, np.array([3, 5])) is layout
    assert tl.unpack(np.zeros(24, np.float32), layout, shape=np.array([3, 5])).shape == (3, 5)
    for wrong in (np.array([5, 3]), np.array([3.0, 5.0]), np.int8(1)):
        with pytest.raises(tl.ShapeError):
            tl.layout(layout, wrong)


def test_zero_and_what_cannot_be_added():
    with pytest.raises(tl.LayoutError, match="cannot be added"):
        tl.cute.tuple_add(np.array([1, 2]), (3, 4))
    assert tl.cute.tuple_add(np.int64(0), (3, 4)) == (3, 4)


def test_a_table_that_does_not_fit_in_memory(monkeypatch):
    def full(*_, **__):
        raise MemoryError

    layout = tl.Layout((3, 4), [(0, 1, 3, 2), (1, 1, 4, 3)])
    monkeypatch.setattr("tilelayout.queries.np.argsort", full)
    with pytest.raises(tl.LayoutError, match="a table of 12 slots does not fit in memory"):
        layout.coordinates([3])


def test_types_without_elements_are_not_meant_by_their_own_names():
    for name in ("token", "opaque"):
        with pytest.raises(tl.LayoutError) as caught:
            tl.xla.tpu_layout((2,), name)
        assert "did you mean" not in str(caught.value)


def test_no_arrays_are_counted_all_the_same(tmp_path, capsys):
    (tmp_path / "dump.txt").write_text("x = f32[4,4]{1,0:T(8,128)} add(y, z)\n")
    assert tl.cli.main(["hlo", str(tmp_path / "dump.txt"), "--top", "0"]) == 0
    assert "and 1 more; --top 1 lists all" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["s4[]{:E(16)}", "u4[]{:T(8,128)E(32)}", "s2[]{:E(4)}", "u1[]{:T(8)E(2)}", "s4[]{:E(128)}", "s4[]"])
def test_elements_of_no_dimensions_in_wider_slots(text):
    """numpy makes no array of what ``&`` leaves of one without dimensions."""
    value = np.array(1, "int8" if text[0] == "s" and "1" not in text[:2] else "uint8")
    packed = tl.pack(value, text)
    assert packed.ndim == 1
    assert tl.unpack(packed, text, dtype=value.dtype) == 1
    assert tl.relayout(packed, text, text).tobytes() == packed.tobytes()


def test_bits_of_a_byte_come_back_with_their_sign():
    """A byte of an int4 has zeros above it, in ml_dtypes and XLA; asked for as int8 it came back as 15."""
    array = np.array([-1, 3, -8], "int4")
    assert tl.pack(array, "s4[3]").tobytes() == array.tobytes() == b"\x0f\x03\x08"
    for buffer in (array.tobytes(), array.view("u1")):
        assert tl.unpack(buffer, "s4[3]", dtype="int8").tolist() == [-1, 3, -8]
        assert tl.relayout(buffer, "s4[3]", "s4[3]{0:E(4)}", dtype="int8").tolist() == [0x3F, 0x08]
    assert tl.unpack(np.array([-1, 3, -8], "int8"), "s4[3]", dtype="int8").tolist() == [-1, 3, -8]


def test_more_axes_than_arrays_have(tmp_path):
    """Runs and differences of merged axes left as ValueError, and facts and padding were refused; the file was none that numpy reads."""
    ones, zeros = (1,) * 63, (0,) * 63
    merged = ((0, 1, 2, 3), (1, 1, 3, 1))
    layout = tl.Layout((2, 3, *ones), [(merged, 2, 3, 1), (merged, 1, 2, 3)])
    shared = tl.Layout((2, 3, *ones), [(merged, 2, 3, 1)])
    assert layout.runs(np.s_[0]).tolist() == [[0, 2], [3, 1]]
    assert (tl.diff(layout, shared).first, shared.padding, shared.shared_slot) == ((0, 1, *zeros), 0, 0)
    assert tl.Layout((2, 3, *ones), [(merged, 1, 3, 2), (merged, 3, 2, 3)]).coordinates([7, 3]).tolist() == [[1, 2, *zeros], [1, 0, *zeros]]
    assert describe.facts(shared)["offsets"] is None
    with pytest.raises(tl.ShapeError, match="65 dimensions; numpy's have 64"):
        tl.files.unpack(np.zeros(6), layout, tmp_path / "x.npy")


def test_sizes_of_very_many_digits():
    """Python refuses to print them, which left as a ValueError."""
    with pytest.raises(tl.ShapeError, match="a very large int"):
        tl.layout(tl.layout("f32[3,5]"), shape=(10**5000,))
    with pytest.raises(tl.LayoutError, match="a very large int bytes are more"):
        tl.hlo.size_text(10**5000)


def test_strides_counted_from_the_first_element():
    """The first slot was counted twice, and the number of slots that came of it was refused as if it had been asked for."""
    far = tl.layout("strides=(1,7), offset=4611686018427387904", (5, 6))
    with pytest.raises(tl.NotExpressible, match="first 4611686018427387904 slots lie before"):
        far.to("mosaic")


MANY = np.broadcast_to(np.int64(1), (2**40,))
MAP = tl.mlir.parse("affine_map<(d0, d1) -> (d1, d0)>")


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: tl.Layout((3,), [(0, 1, 3, 1)], slots=-(10**5000)), "do not fit in a buffer of a very large int slots"),
        (lambda: cute.parse("(4,8):(8,1)")(MANY, 0), "does not fit in memory"),
        (lambda: cute.idx2crd(MANY, (4, 8)), "does not fit in memory"),
        (lambda: cute.shape_div(np.broadcast_to(MANY[:, None], (2**40, 2)), 2), "does not fit in memory"),
        (lambda: tl.triton.SwizzledShared(1, 1, 1, range(10**18)), "more than 65536 items"),
        (lambda: tl.jax.Layout((0, 1), tiling=np.array([[-1, 2]])), "has a size of -1"),
        (lambda: tl.morello.parse("[0,1]", normalized=np.array([1, 2])), "it takes True or False"),
        (lambda: tl.mlir.Pack((0,), (2,)).packed_shape(None), "give a shape"),
        (lambda: tl.mlir.Pack((1,), (2,)).packed_shape((3,)), "cuts dimension 1"),
        (lambda: tl.mlir.Pack((0,), (2,)).packed_shape((-3,)), "negative extent"),
        (lambda: tl.mlir.Pack((0,), (2,)).packed_shape((3.5,)), "no shape"),
        (lambda: MAP.slots((3,)), "arrays of 2 dimensions"),
        (lambda: MAP.slots(None), "give a shape"),
        (lambda: tl.mosaic.parse("#tpu.tiled<(8,128),[1,1]>").bound(None, None), "no shape"),
        (lambda: tl.layout("{1,0}", (3, 5)).digits[0].value(None), "no coordinates"),
        (lambda: tl.layout("{1,0}", (3, 5)).digits[1].value((1,)), "no coordinates"),
        (lambda: cute.explain("x" * 100_000, cute.Layout(4)), r"xxx\.\.\. is no operation"),
        (
            lambda: tl.pack(np.ones((1, 5), "f4"), "f32[3,5]{1,0}", out=np.zeros(15, "f4"), region=np.s_[:1], fill="garbage"),
            "fill='garbage'",
        ),
    ],
)
def test_what_parts_of_the_library_are_asked_is_checked(ask, said):
    """Also where it is one part that asks another, mostly."""
    with pytest.raises(tl.LayoutError, match=said) as caught:
        ask()
    assert len(str(caught.value)) < 1000
