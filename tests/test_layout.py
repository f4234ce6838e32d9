"""The core's value: what a layout answers, what makes two equal, and what it refuses."""

import copy
import pickle
import tracemalloc
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tilelayout as tl
from strategies import layouts, strided_layouts
from tilelayout import Layout, ShapeError, moves, queries, reference
from tilelayout.drawing import draw
from tilelayout.radix import Digit, in_words
from tilelayout.verifying import is_equal

FIGURE_1 = tl.layout("f32[3,5]{1,0:T(2,2)}")
any_layout = st.one_of(layouts(), strided_layouts())


def all_indices(layout):
    return np.array(list(reference.indices(layout.shape)), np.int64).reshape(layout.size, layout.ndim)


@given(any_layout)
def test_index_and_offsets_agree_with_the_reference(layout):
    expected = reference.offsets(layout.shape, layout.digits)
    assert layout.offsets().ravel().tolist() == expected
    assert layout.index(all_indices(layout)).tolist() == expected
    assert [layout(*index) for index in list(reference.indices(layout.shape))[:20]] == expected[:20]


@given(any_layout)
def test_coordinates_agree_with_the_reference(layout):
    slots = range(layout.slots)
    expected = reference.coordinates(layout.shape, layout.digits, slots)
    marked = layout.coordinates(slots, padding="mark").tolist()
    assert layout.is_padding(slots).tolist() == [index is None for index in expected]
    if layout.ndim:
        assert [None if -1 in index else tuple(index) for index in marked] == expected


@given(any_layout)
def test_coordinates_undo_index(layout):
    indices = all_indices(layout)
    assert (layout.coordinates(layout.index(indices)) == indices).all()


@given(any_layout)
def test_the_padding_is_counted(layout):
    assert layout.padding == np.count_nonzero(layout.is_padding(np.arange(layout.slots)))


@given(layouts(), layouts())
def test_equality_is_of_what_is_answered(a, b):
    same = (a.shape, a.slots) == (b.shape, b.slots) and (a.offsets() == b.offsets()).all()
    assert (a == b) is bool(same)
    if same:
        assert hash(a) == hash(b)


@given(layouts())
def test_equal_layouts_written_differently(layout):
    again = Layout(layout.shape, layout.canonical, slots=layout.slots)
    assert again == layout
    assert hash(again) == hash(layout)


@given(any_layout)
def test_copies_and_repr_give_the_same_layout(layout):
    for twin in (pickle.loads(pickle.dumps(layout)), copy.deepcopy(layout), eval(repr(layout), {"Layout": Layout})):
        assert twin == layout
        assert twin.digits == layout.digits
        assert twin.element == layout.element
        assert repr(twin) == repr(layout)


def test_the_element_survives_copies():
    layout = tl.layout("s4[3]{0:E(4)}")
    assert pickle.loads(pickle.dumps(layout)).element == tl.Element("int4", 4)
    assert eval(repr(layout), {"Layout": Layout}).element == tl.Element("int4", 4)


@pytest.mark.parametrize("name", ["shape", "digits", "slots", "element", "calls", "ready", "anything"])
def test_a_layout_does_not_change(name):
    """One that did was shared by all who asked for its text, and was copied beyond the end of the array that its new slots made."""
    found = tl.infer(np.arange(15, dtype="f4").reshape(3, 5), np.arange(15, dtype="f4"))
    for layout in (tl.layout("f32[3,5]{1,0:T(2,2)}"), found):
        before = repr(layout)
        with pytest.raises(AttributeError, match=f"cannot assign to field '{name}'"):
            setattr(layout, name, 4)
        with pytest.raises(AttributeError, match=f"cannot delete field '{name}'"):
            delattr(layout, name)
        assert repr(layout) == before


def test_axes_that_run_backwards_are_taken_apart_at_once():
    layout = tl.layout("strides=(-1000000,1), offset=999999000000", shape=(10**6, 10**6))
    assert layout.coordinates([5, 999999000000]).tolist() == [[999999, 5], [0, 0]]
    assert layout.padding == 0


def test_a_layout_pickles_small():
    layout = tl.layout("bf16[4096,8192]{1,0:T(8,128)(2,1)}")
    layout.index([[0, 0]] * 100_000)
    assert len(pickle.dumps(layout)) < 400


def test_figure_1_of_the_tiled_layout_page():
    assert (FIGURE_1.shape, FIGURE_1.size, FIGURE_1.slots) == ((3, 5), 15, 24)
    assert FIGURE_1(2, 3) == 17
    assert FIGURE_1.index([[2, 3], [0, 4]]).tolist() == [17, 8]
    assert FIGURE_1.coordinates([17, 8]).tolist() == [[2, 3], [0, 4]]
    assert [tuple(d) for d in FIGURE_1.digits] == [(0, 2, 2, 12), (1, 2, 3, 4), (0, 1, 2, 2), (1, 1, 2, 1)]


def test_the_hash_tells_orders_and_tiles_apart():
    texts = ("{1,0}", "{0,1}", "{1,0:T(2,2)}", "{1,0:T(4,2)}")
    assert len({hash(Layout((4, 6), tl.layout(text, (4, 6)).digits, slots=24)) for text in texts}) == len(texts)


def test_a_slot_is_a_sum_over_the_axes_unless_they_are_merged():
    assert FIGURE_1.is_separable
    assert TestConstantsAndBackwardStrides.backwards.is_separable
    assert not tl.layout("f32[7,9,5]{2,1,0:T(*,4)}").is_separable


def test_layouts_are_not_equal_to_other_things():
    assert FIGURE_1 != "f32[3,5]{1,0:T(2,2)}"
    assert tl.layout("f32[3,5]") != FIGURE_1


def test_what_lies_in_a_slot_does_not_matter_to_equality():
    assert tl.layout("f32[3,5]{1,0:T(2,2)}") == tl.layout("bf16[3,5]{1,0:T(2,2)}")


@given(layouts())
def test_queries_of_any_shape_dtype_and_strides(layout):
    indices = all_indices(layout)
    expected = layout.index(indices)
    for dtype in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.uint64, ">i4", ">u8"):
        assert (layout.index(indices.astype(dtype)) == expected).all()
    assert (layout.index(np.asfortranarray(indices)) == expected).all()
    assert (layout.index(indices[::-1]) == expected[::-1]).all()
    stacked = np.stack([indices, indices])
    assert (layout.index(stacked) == expected).all()
    assert (layout.index(stacked.swapaxes(0, 1)) == expected[:, None]).all()
    assert (layout.coordinates(np.stack([expected, expected], axis=1)) == indices[:, None]).all()


def test_leading_axes_that_no_one_stride_walks():
    layout = tl.layout("f32[7,9]{1,0:T(2,4)}")
    indices = all_indices(layout).reshape(7, 9, 2)
    wide = np.zeros((9, 2, 7, 3), np.int16)
    view = wide.transpose(2, 0, 1, 3)[:, :, :, 1]
    view[...] = indices
    assert (layout.index(view) == layout.offsets()).all()


@pytest.mark.parametrize("shape", [(2, 3_000_000, 2), (3_000_000, 2, 2), (440_000, 5, 2), (1500, 2, 1000, 2)])
def test_many_queries_that_no_one_stride_walks(shape):
    layout = tl.layout("f32[7,9]{1,0:T(2,4)}")
    indices = np.random.default_rng(0).integers(0, 7, shape, np.uint8).swapaxes(0, 1).swapaxes(-3, -2 if len(shape) > 3 else -3)
    slots = layout.index(indices, threads=3)
    assert slots.shape == indices.shape[:-1]
    assert (slots == layout.offsets()[indices[..., 0], indices[..., 1]]).all()


@pytest.mark.parametrize("layout", [FIGURE_1, Layout((2, 3), [(0, 1, 2, 3), (1, 1, 3, 2)])], ids=str)
@pytest.mark.parametrize("form", [list, np.array, lambda slots: np.array(slots, np.int16)])
def test_slots_in_any_form_are_answered_alike(layout, form):
    slots = list(range(layout.slots))
    expected = reference.coordinates(layout.shape, layout.digits, slots)
    held = [slot for slot, index in zip(slots, expected, strict=True) if index is not None]
    assert layout.coordinates(form(held)).tolist() == [list(index) for index in expected if index is not None]
    assert layout.coordinates(form(slots), padding="mark").tolist() == [list(index) if index else [-1, -1] for index in expected]
    hole = next(slot for slot in slots if slot not in held)
    with pytest.raises(tl.CoordinateError, match=f"slot {hole} .* is padding"):
        layout.coordinates(form([*held, hole]))
    for ask in (layout.coordinates, layout.is_padding):
        for slot in (-1, layout.slots):
            with pytest.raises(tl.CoordinateError, match=f"slot {slot} lies outside"):
                ask(form([0, slot]))


@pytest.mark.parametrize("size", [1, 4, 15, 16])
def test_blocks_are_the_offsets_in_bounded_pieces(size):
    blocks = [*queries.blocks(FIGURE_1, size)]
    assert np.concatenate(blocks).tolist() == FIGURE_1.offsets().ravel().tolist()
    assert max(map(len, blocks)) <= size


def test_empty_queries():
    assert FIGURE_1.index(np.zeros((0, 2), int)).shape == (0,)
    assert FIGURE_1.index(np.zeros((4, 0, 2), int)).shape == (4, 0)
    assert FIGURE_1.coordinates([]).shape == (0, 2)
    assert FIGURE_1.is_padding([]).shape == (0,)


def test_rank_zero():
    scalar = tl.layout("f32[]{:T(4)}")
    assert scalar() == 0
    assert scalar.index(np.zeros((3, 0), int)).tolist() == [0, 0, 0]
    assert scalar.coordinates([0]).shape == (1, 0)
    assert scalar.is_padding(range(4)).tolist() == [False, True, True, True]
    assert scalar.offsets().shape == ()


def test_no_elements():
    empty = tl.layout("f32[0,3]{1,0:T(2,2)}")
    assert (empty.size, empty.slots) == (0, 0)
    assert empty.offsets().shape == (0, 3)
    with pytest.raises(tl.CoordinateError, match="allowed are none"):
        empty(0, 0)


def test_a_layout_whose_slots_cannot_be_taken_apart_digit_by_digit():
    layout = Layout((2, 3), [(0, 1, 2, 3), (1, 1, 3, 2)])  # 0 2 4 / 3 5 7
    assert not layout.ready.is_reversible
    assert layout.coordinates([3, 4, 7]).tolist() == [[1, 0], [0, 2], [1, 2]]
    assert layout.ready.table is not None  # of a moderate layout it is kept
    assert layout.is_padding(range(8)).tolist() == [False, True, False, False, False, False, True, False]
    assert layout.coordinates([1, 2], padding="mark").tolist() == [[-1, -1], [0, 1]]
    with pytest.raises(tl.CoordinateError, match=r"slot 6 .* is padding"):
        layout.coordinates(6)
    assert layout.coordinates([[3, 4], [7, 0]]).tolist() == [[[1, 0], [0, 2]], [[1, 2], [0, 0]]]
    without_axes = Layout((), [(((None, 1, 2, 3),), 2, 2, 1), (((None, 1, 2, 3),), 1, 2, 1)])
    assert not without_axes.ready.is_reversible
    assert without_axes.coordinates([[2]]).shape == (1, 1, 0)


def test_layouts_of_any_size_are_compared_at_once():
    """The first quarter and the ends lie alike, and nobody can look at what is between them."""
    one, other = (Layout((2**40,), [(0, 1, 2**38, 1), (0, 2**38, 2, a), (0, 2**39, 2, b)]) for a, b in [(2**38, 2**39), (2**39, 2**38)])
    assert one != other
    assert one == Layout((2**40,), [(0, 1, 2**40, 1)])


def test_layouts_that_read_an_axis_twice_are_compared_at_once():
    """What digits gain together decides, of an axis and of a sum, however many elements there are."""
    size, slots = 2**40, 2**42
    one = Layout((size,), [(0, 1, size, 1), (0, 3, size, 4)], slots=slots)
    assert one == Layout((size,), [(0, 1, 3, 1), (0, 3, size, 7)], slots=slots)
    assert one != Layout((size,), [(0, 1, 3, 1), (0, 3, size // 3, 7), (0, 3 * (size // 3), 2, 6)], slots=slots)
    both = ((0, 8, size // 8, 1), (1, 1, 1000, 1))
    twice = Layout((size, 1000), [(both, 1, size, 5), (both, 1, size, 2), (None, 1, 2, 3)])
    assert twice == Layout((size, 1000), [(both, 1, size, 7), (None, 1, 2, 3)])
    assert twice != Layout((size, 1000), [(both, 1, size, 7), (None, 1, 2, 2)], slots=twice.slots)


def test_large_layouts_that_are_told_by_their_slots():
    """The sum cannot be taken apart, so the slots are compared a piece at a time; the first piece and both ends are alike."""
    columns = (1, 1, queries.PIECE, 5)
    one = Layout((4, queries.PIECE), [(((0, 1, 4, 3),), 2, 3, 1), (((0, 1, 4, 3),), 6, 2, 3), columns])
    same, other = (Layout((4, queries.PIECE), [(0, 1, 2, a), (0, 2, 2, b), columns], slots=one.slots) for a, b in [(1, 3), (3, 1)])
    assert one.canonical != same.canonical
    assert one == same
    assert one != other
    assert is_equal(one, same) is True
    assert is_equal(one, other) is False


def test_what_reads_nothing_does_not_matter():
    plain = Layout((1, 4), [(1, 1, 4, 1)], slots=16)
    for nothing in [(0, 1, 2, 4), (0, 1, 1, 4), (0, 3, 5, 4), (1, 4, 2, 7), (1, 1, 4, 0), ((), 1, 2, 3), (None, 1, 2, 0)]:
        layout = Layout((1, 4), [(1, 1, 4, 1), nothing], slots=16)
        assert layout == plain and hash(layout) == hash(plain)
        assert layout.canonical == plain.canonical


def test_slots_end_where_the_axes_do():
    assert Layout((3,), [(0, 2, 8, 10), (0, 1, 2, 1)]).slots == 12
    assert Layout((3,), [(0, 1, 9, 1)], slots=2**63 - 1).slots == 2**63 - 1
    with pytest.raises(ShapeError, match="more than the"):
        Layout((3,), [(0, 1, 9, 1)], slots=2**63)


def test_every_digit_of_an_axis():
    """Bits in place, bits that would carry, and quotients: the kernel, one call, and the formula."""
    x = np.arange(16)
    for divisor, radix in product(range(1, 10), repeat=2):
        for stride, below in product([1, 2, 3, 4, 6, 8], [1, 2]):
            layout = Layout((16,), [(0, divisor, radix, stride), (0, 1, 2, below)])
            expected = x // divisor % radix * stride + x % 2 * below
            assert layout.offsets().tolist() == layout.index(x[:, None]).tolist() == expected.tolist()
            assert [layout(int(at)) for at in x] == [layout(at) for at in x] == expected.tolist()


def test_slots_that_only_bits_tell():
    """A swizzle, and a bit that is written twice, of more elements than can be listed."""
    twice = Layout((2**60,), [(0, 1, 2**60, 1), (0, 1, 2, 2**60)])
    far = Layout((2**60,), [(0, 1, 2**60, 1), (0, 1, 2, 2**62)])  # of 63 bits
    for layout in (tl.layout("S<3,4,3> o 0 o 4611686018427387904:1"), twice, far):
        places = [[0], [layout.size - 1], [2**59 + 12345], [1 << 9]]
        assert layout.coordinates(layout.index(places)).tolist() == places
    assert twice.is_padding([0, 1, 2**60, 2**60 + 1]).tolist() == [False, True, True, False]


def test_slots_of_a_layout_without_elements():
    for layout in (Layout((0, 3), [], slots=4), Layout((0,), [(0, 1, 3, 1)], slots=4)):
        assert layout.is_padding([0, 3]).all()
        assert (layout.coordinates([1, 3], padding="mark") == -1).all()
        with pytest.raises(tl.CoordinateError, match=r"slot 1 .* is padding"):
            layout.coordinates([1])


def test_one_slot_in_no_list():
    assert [FIGURE_1.is_padding(slot).tolist() for slot in (8, 9)] == [False, True]
    assert FIGURE_1.is_padding(9).shape == ()
    assert FIGURE_1.coordinates(np.array(8, ">i4")).tolist() == [0, 4]
    first_is_padding = Layout((2,), [(0, 1, 2, 1), (None, 1, 2, 1)])
    with pytest.raises(tl.CoordinateError, match=r"slot 0 .* is padding"):
        first_is_padding.coordinates(0)
    without_axes = Layout((), [(((None, 1, 2, 3),), 2, 2, 1), (((None, 1, 2, 3),), 1, 2, 1)])
    assert without_axes.coordinates([0, 2], padding="mark").shape == (2, 0)


@pytest.mark.parametrize("form", ["no one stride", "foreign", "foreign, from the other end"])
def test_queries_that_are_copied_are_copied_in_pieces(form):
    """As large as the queries are, what is set aside stays small."""
    layout = tl.layout("f32[7,9]{1,0:T(2,4)}")
    if form == "no one stride":
        asked = np.zeros((2048, 2048, 2), np.int16).transpose(1, 0, 2)
    else:
        asked = np.zeros((1 << 22, 2), ">i2")[:: -1 if "end" in form else 1]
    asked[...] = np.random.default_rng(1).integers(0, 7, asked.shape)
    out = np.empty(asked.shape[:-1], np.int64)
    tracemalloc.start()
    try:
        layout.index(asked, out=out)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 3 * queries.PIECE * 2 * asked.itemsize < asked.nbytes
    assert np.array_equal(out, layout.offsets()[tuple(np.moveaxis(asked, -1, 0))])


def test_notebooks_show_the_drawing():
    assert FIGURE_1._repr_svg_() == draw(FIGURE_1).svg


def test_digits_in_words():
    assert in_words(Digit(None, 1, 2, 5), (16,)) == "5"
    assert in_words(Digit(0, 1, 16, 1), (16,)) == "x0"
    assert in_words(Digit(0, 2, 8, 3), (16,)) == "3*(x0 // 2)"
    assert in_words(Digit(0, 1, 8, 3), (16,)) == "3*(x0 % 8)"


@pytest.mark.parametrize("notation", ["fortran", 5, None, ["xla"]])
def test_no_notation(notation):
    with pytest.raises(tl.LayoutError, match=r"is no notation; known are .*xla"):
        FIGURE_1.to(notation)


def test_what_is_no_layout_is_asked_whether_it_is_equal():
    class Anything:
        def __eq__(self, other):
            return True

        __hash__ = None

    layout = Layout((2,), [(0, 1, 2, 1)])
    assert (layout == 3) is False
    assert layout == Anything()


def test_sums_that_digits_read_stay_below_the_largest_number():
    assert Layout((2,), [(((0, 1, 2, 2**63 - 2),), 1, 2, 1)]).slots == 2
    with pytest.raises(tl.ShapeError, match=f"goes up to {2**63 - 1}; sums that digits read stay below {2**63 - 1}"):
        Layout((2,), [(((0, 1, 2, 2**63 - 1),), 1, 2, 1)])


def test_a_slot_that_two_elements_share_has_no_coordinate():
    layout = Layout((2, 2), [(0, 1, 2, 1), (1, 1, 2, 1)])
    assert layout.index([[0, 1], [1, 0]]).tolist() == [1, 1]
    assert layout.coordinates([0, 2]).tolist() == [[0, 0], [1, 1]]
    with pytest.raises(tl.NotInjective, match="slot 1 is shared"):
        layout.coordinates(1)
    with pytest.raises(tl.NotInjective, match="slot 4 is shared"):  # the first of them
        Layout((2, 2, 2), [(0, 1, 2, 3), (1, 1, 2, 1), (2, 1, 2, 1)]).coordinates([3, 0, 4, 1])


def test_more_elements_than_slots_share_some():
    """Two of as many as there are slots and one more do, which takes no table of them all: this one would have 10^12 entries."""
    layout = tl.layout("(1000000,1000000):(1,3)")
    shared = layout.shared_slot
    assert layout(shared % 3, shared // 3) == layout(shared % 3 + 3, shared // 3 - 1) == shared
    with pytest.raises(tl.NotInjective, match=f"sends several elements to slot {shared}"):
        tl.pack(np.broadcast_to(np.uint8(1), layout.shape), layout)


@pytest.mark.parametrize("bits", [0, -4])
def test_no_element_has_so_few_bits(bits):
    with pytest.raises(tl.LayoutError, match="a slot has one bit or more"):
        Layout((3,), [(0, 1, 3, 1)], element=("int4", bits))


def test_10000_digits_make_a_layout():
    nothing = (0, 1, 4, 0)
    assert tl.Layout((4,), [(0, 1, 4, 1)] + [nothing] * 9_999)(3) == 3
    with pytest.raises(tl.LayoutError, match="too many digits: a layout has at most 10000"):
        tl.Layout((4,), [(0, 1, 4, 1)] + [nothing] * 10_000)


def test_shapes_of_many_extents():
    assert tl.Layout([1] * 65536, []).ndim == 65536
    for shape in ([1] * 65537, (1,) * 65537, iter([1] * 65537)):
        with pytest.raises(tl.ShapeError, match="more than 65536 items"):
            tl.Layout(shape, [])


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((3, -1), r"shape \(3, -1\) has a negative extent"),
        ((0, 2**40, 2**40), r"^0( [*] 1099511627776){2} elements are more than .* holds \(\d+\); sizes of 0 do not count"),
        ((2**40, 2**40), r"^1099511627776 [*] 1099511627776 elements are more than a signed 64-bit integer holds \(\d+\)$"),
        ((1, *[256] * 16), "^256( [*] 256){15} elements are more"),
        ((1, *[256] * 17), r"^256( [*] 256){15} [*] \.\.\. elements are more"),
    ],
    ids=["negative", "none", "too many", "16 factors", "17 factors"],
)
def test_what_is_no_shape(shape, message):
    with pytest.raises(tl.ShapeError, match=message):
        tl.Layout(shape, [])


@pytest.mark.parametrize(("power", "length"), [(15, 200), (16, 201)])
def test_errors_repeat_200_characters_of_a_formula(power, length):
    terms = [(axis, 1, 2, 3 * 10 ** (power if axis == 0 else 5)) for axis in range(15)]
    formula = f"(({' + '.join(f'{stride}*x{axis}' for axis, _, _, stride in terms)}) % 7)"
    assert len(formula) == length
    with pytest.raises(tl.NotExpressible) as caught:
        tl.Layout((2,) * 15, [(terms, 1, 7, 1)]).to("morello")
    told = formula if length == 200 else formula[:200] + "…"
    assert f"digit {told} cannot be said" in str(caught.value)


def test_slots_up_to_the_edge_of_64_bits():
    layout = moves.compact((2**31, 2**31), moves.permute(moves.axes((2**31, 2**31)), (1, 0)))
    corner = (2**31 - 1, 2**31 - 2)
    slot = (2**31 - 2) * 2**31 + 2**31 - 1
    assert layout(*corner) == slot
    assert layout.index([corner]).tolist() == [slot]
    assert layout.coordinates(slot).tolist() == list(corner)


@pytest.mark.parametrize("place", [1, 2, 3])
def test_numbers_of_a_digit_up_to_the_edge_of_64_bits(place):
    def with_number(number):
        digit = [0, 1, 1, 1]
        digit[place] = number
        return Layout((1,), [(0, 1, 1, 1), digit])

    assert with_number(2**63 - 1)(0) == 0
    with pytest.raises(ShapeError, match=r"does not fit in signed 64-bit"):
        with_number(2**63)


def test_the_highest_bit_of_a_coordinate():
    layout = Layout((2**63 - 1,), [(0, 2**62, 2, 3)])
    assert layout.index([[5], [2**62 - 1], [2**62], [2**63 - 2]]).tolist() == [0, 0, 3, 3]


class TestConstantsAndBackwardStrides:
    """What other languages than XLA's need: an offset, strides below zero, and digits of such sums."""

    backwards = Layout((2, 4), [(0, 1, 2, 4), (1, 1, 4, -1), (None, 1, 2, 3)])

    def test_an_offset_and_a_negative_stride(self):
        assert self.backwards.offsets().tolist() == [[3, 2, 1, 0], [7, 6, 5, 4]]
        assert self.backwards(1, 1) == 6
        assert self.backwards.slots == 8
        assert (self.backwards.coordinates(range(8)) == np.argsort(self.backwards.offsets().ravel()).reshape(8, 1) // [4, 1] % [2, 4]).all()
        packed = tl.pack([[1, 2, 3, 4], [5, 6, 7, 8]], self.backwards)
        assert packed.tolist() == [4, 3, 2, 1, 8, 7, 6, 5]
        assert tl.unpack(packed, self.backwards).tolist() == [[1, 2, 3, 4], [5, 6, 7, 8]]

    @given(strided_layouts(), st.integers(1, 5))
    def test_an_offset_moves_every_slot(self, layout, offset):
        moved = Layout(layout.shape, [*layout.digits, (None, 1, 2, offset)])
        assert (moved.offsets() == layout.offsets() + offset).all()
        assert (moved.coordinates(moved.offsets()) == layout.coordinates(layout.offsets())).all()
        assert moved.is_padding(range(offset)).all()
        array = np.arange(layout.size).reshape(layout.shape)
        assert (tl.unpack(tl.pack(array, moved), moved) == array).all()

    def test_a_constant_inside_a_sum(self):
        layout = Layout((4,), [(((0, 1, 4, 1), (None, 1, 2, 3)), 2, 2, 1), (((0, 1, 4, 1), (None, 1, 2, 3)), 4, 2, 2)])
        assert layout.offsets().tolist() == [reference.slot((x,), layout.digits) for x in range(4)] == [1, 2, 2, 3]

    def test_exclusive_or_is_a_digit_of_a_sum(self):
        """A bit of a swizzle is the sum of two bits, modulo 2."""
        x = (0, 1, 64, 1)
        bits = [((((x,), 1 << k, 2, 1), ((x,), 1 << k + 3, 2, 1)), 1, 2, 1 << k) for k in range(3)]
        layout = Layout((64,), [((x,), 8, 8, 8), *bits])
        assert layout.offsets().tolist() == [i ^ (i >> 3 & 7) for i in range(64)]
        assert layout.coordinates(range(64)).ravel().tolist() == np.argsort(layout.offsets()).tolist()

    def test_equal_however_the_constant_is_written(self):
        split = Layout((2, 4), [(1, 1, 4, -1), (None, 1, 2, 1), (0, 1, 2, 4), (None, 1, 2, 2)])
        assert split == self.backwards
        assert hash(split) == hash(self.backwards)
        assert eval(repr(split), {"Layout": Layout}).digits == split.digits

    def test_a_constant_is_written_in_one_way(self):
        with pytest.raises(tl.LayoutError, match="is no constant"):
            Layout((2,), [(None, 1, 3, 1)])


class TestBadQueries:
    @pytest.mark.parametrize("index", [(3, 0), (0, 5), (-1, 0), (0, -1), (2**63 - 1, 0), (-(2**63), 0)])
    def test_out_of_range(self, index):
        for ask in (lambda: FIGURE_1.index([index]), lambda: FIGURE_1(*index)):
            with pytest.raises(tl.CoordinateError, match=r"lie outside shape \(3, 5\).*allowed are 0 to"):
                ask()

    def test_the_first_bad_one_is_named(self):
        with pytest.raises(tl.CoordinateError, match=r"\(1, 7\) lie outside shape \(3, 5\): 7 on axis 1"):
            FIGURE_1.index([[0, 0]] * 1000 + [[1, 7], [9, 9]])

    def test_unsigned_and_huge(self):
        with pytest.raises(tl.CoordinateError, match="18446744073709551615 on axis 0"):
            FIGURE_1.index(np.array([[2**64 - 1, 0]], np.uint64))
        with pytest.raises(tl.CoordinateError, match="beyond 64 bits"):
            FIGURE_1.index([[2**70, 0]])
        with pytest.raises(tl.CoordinateError, match=f"reach to {2**63}, beyond 64 bits"):
            FIGURE_1.index([[2**63, 0]])
        with pytest.raises(tl.CoordinateError, match="1180591620717411303424 on axis 0"):
            FIGURE_1(2**70, 0)

    def test_a_coordinate_error_is_an_index_error(self):
        with pytest.raises(IndexError):
            FIGURE_1(3, 0)

    @pytest.mark.parametrize("bad", [[[0.0, 1.0]], [[np.nan, 0]], [["a", "b"]], [[None, 1]], [[True, False]], [[1], [1, 2]], object()])
    def test_not_integers(self, bad):
        with pytest.raises(tl.LayoutError, match=r"coordinates (of dtype .* are no integers|make no array)"):
            FIGURE_1.index(bad)
        with pytest.raises(tl.LayoutError, match=r"slots (of dtype .* are no integers|make no array)"):
            FIGURE_1.coordinates(bad)

    @pytest.mark.parametrize("bad", [[0, 1, 2], [[0, 1, 2]], 0, [[[0]]]])
    def test_wrong_rank(self, bad):
        with pytest.raises(tl.ShapeError, match="the last axis holds the 2 coordinates"):
            FIGURE_1.index(bad)

    @pytest.mark.parametrize("threads", [0, -1, 1.5, "some"])
    def test_no_number_of_threads(self, threads):
        for ask, asked in ((FIGURE_1.index, [[0, 0]]), (FIGURE_1.coordinates, [0])):
            for form in (list, np.array):
                with pytest.raises(tl.LayoutError, match="is no number of threads"):
                    ask(form(asked), threads=threads)

    def test_scalar_calls(self):
        with pytest.raises(tl.CoordinateError, match="it takes 2"):
            FIGURE_1(1)
        with pytest.raises(tl.CoordinateError, match=r"one coordinate, \(\(2, 3\),\), .* it takes 2, each an argument of its own"):
            FIGURE_1((2, 3))
        with pytest.raises(tl.LayoutError, match="coordinates are integers"):
            FIGURE_1(1.0, 2)

    @pytest.mark.parametrize("slot", [-1, 24, 2**62])
    def test_slots_outside(self, slot):
        for ask in (FIGURE_1.coordinates, FIGURE_1.is_padding):
            with pytest.raises(tl.CoordinateError, match=r"outside a buffer of 24 slots \(0 to 23\)"):
                ask([0, slot])
        with pytest.raises(tl.CoordinateError, match="outside a buffer of 24 slots"):
            FIGURE_1.coordinates([slot], padding="mark")

    def test_padding(self):
        with pytest.raises(tl.CoordinateError, match=r"slot 9 .* is padding"):
            FIGURE_1.coordinates([0, 9])
        with pytest.raises(tl.LayoutError, match="neither 'error'"):
            FIGURE_1.coordinates([0], padding="skip")


class TestBadLayouts:
    @pytest.mark.parametrize(
        ("shape", "digits", "message"),
        [
            ((3,), [(1, 1, 3, 1)], "names axis 1 of an array of 1 dimensions"),
            ((3,), [(-1, 1, 3, 1)], "names axis -1 of an array of 1 dimensions"),
            ((0,), [(0, 1, -1, 1)], "radix -1"),
            ((3,), [(0, 0, 3, 1)], "divisor 0"),
            ((3,), [(0, 1, -3, 1)], "radix -3"),
            ((3,), [(0, 1, 3)], "is no digit"),
            ((3,), [(0, 1, 3, 1.5)], "is no digit"),
            ((3,), [None], "is no digit"),
            ((-3,), [], "negative extent"),
            ((2.5,), [], "is no shape"),
            (3, [], "is no shape"),
            ((2**40, 2**40), [], "more than a signed 64-bit"),
            ((3,), [(0, 1, 3, 2**62)], "do not fit|signed 64-bit"),
            ((3,), [(0, 1, 3, 2**70)], "64-bit"),
            ((3,), [(0, 1, 3, -1)], "slot -2"),
            ((2, 2), [(0, 1, 2, -1), (1, 1, 2, 5)], "slot -1"),
            ((2,), [(((((0, 1, 2, -1), (None, 1, 2, 0)), 1, 2, 1),), 1, 3, 1)], "goes down to -1"),
            ((3,), [(((0, 1, 3, -1),), 1, 3, 1)], "goes down to -2"),
        ],
    )
    def test_refused(self, shape, digits, message):
        with pytest.raises(tl.LayoutError, match=message):
            Layout(shape, digits)

    def test_nested_too_deep(self):
        def nested(times):
            return ((nested(times - 1),), 1, 2, 1) if times else (0, 1, 2, 1)

        assert Layout((2,), [nested(60)]).offsets().tolist() == [0, 1]
        for times in (61, 500):
            with pytest.raises(tl.LayoutError, match="nested 60 deep"):
                Layout((2,), [nested(times)])

    def test_too_few_slots(self):
        with pytest.raises(tl.ShapeError, match="do not fit in a buffer of 2 slots"):
            Layout((3,), [(0, 1, 3, 1)], slots=2)
