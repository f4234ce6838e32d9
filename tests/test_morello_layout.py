"""Morello's layouts as values, their shapes and offsets: Morello's own tests, what it computed, and the formulas."""

import copy
import json
import pickle
import re
from math import lcm, prod
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import morello_model
import tilelayout as tl
from strategies_morello import bound, layouts, plain
from tilelayout import LayoutError, ShapeError
from tilelayout.notations import morello
from tilelayout.notations.morello import PhysDim, probing

DATA = Path(__file__).parent / "data" / "morello.jsonl"
LINES = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]


def offsets(text, shape):
    return morello.parse(text, normalized=False).bind(shape).offsets().ravel().tolist()


def kind(named):
    if named == "Dynamic":
        return PhysDim.Dynamic
    ((name, size),) = named.items()
    return getattr(PhysDim, name)(size)


def test_every_line_that_morello_computed():
    assert len(LINES) == 280
    for line in LINES:
        layout = morello.Layout([(dim, kind(named)) for dim, named in line["dims"]])
        shape = tuple(line["shape"])
        assert str(layout) == line["display"]
        if "error" in line:
            assert not layout.applies_to_shape(shape)
            words = {"cover": "takes the rest", "div": "a multiple of", "small": "finds"}[line["reason"]]
            with pytest.raises(ShapeError, match=f"does not apply to shape .*{words}"):
                layout.bind(shape)
            continue
        assert layout.physical_shape(shape) == tuple(line["physical_shape"])
        assert layout.bind(shape).offsets().ravel().tolist() == line["offsets"]
        assert str(layout.canonicalize(shape)) == line["canonical"]
        assert line["morello_agrees"] or line["morello_offsets_defect"] != line["offsets"]


# Morello's book, "Data Layouts": the two figures of a 6x8 matrix, and the column-major one of the text.


def test_the_figure_of_the_row_major_matrix():
    layout = morello.row_major((6, 8))
    assert layout == morello.parse("[0, 1]")
    assert layout.bind((6, 8)).offsets().tolist() == [[8 * d0 + d1 for d1 in range(8)] for d0 in range(6)]


def test_the_figure_of_the_packed_matrix():
    layout = morello.parse("[1, 0, 1 p(4)]")
    assert layout.physical_shape((6, 8)) == (2, 6, 4)
    assert layout.bind((6, 8)).offsets().tolist() == [
        [0, 1, 2, 3, 24, 25, 26, 27],
        [4, 5, 6, 7, 28, 29, 30, 31],
        [8, 9, 10, 11, 32, 33, 34, 35],
        [12, 13, 14, 15, 36, 37, 38, 39],
        [16, 17, 18, 19, 40, 41, 42, 43],
        [20, 21, 22, 23, 44, 45, 46, 47],
    ]


def test_the_book_counts_a_term_of_the_packed_matrix_twice():
    """Its last formula is b_alpha + b_beta + 24 floor(d1/4), where b_beta has b_alpha in it; its figure has b_beta + 24 floor(d1/4)."""
    here = morello.parse("[1, 0, 1 p(4)]").bind((6, 8))(5, 7)
    assert here == (7 % 4 + 4 * 5) + 24 * (7 // 4)


def test_the_column_major_matrix_of_the_book():
    assert morello.col_major((6, 8)).bind((6, 8)).offsets().tolist() == [[6 * d1 + d0 for d1 in range(8)] for d0 in range(6)]


# morello/src/layout.rs, tests of expand_physical_shape and applies_to_shape.


@pytest.mark.parametrize(
    ("text", "shape", "sizes"),
    [
        ("[0, 1, 0 p(4)]", (64, 64), (16, 64, 4)),
        ("[0, 1 p(2)]", (2, 2), (2, 2)),
        ("[0 p(4), 1]", (1, 64), (1, 64)),
        ("[0 p(2)]", (6,), None),
        ("[0, 1, 0 p(4)]", (2, 64), (1, 64, 2)),
        ("[0 p(2)]", (1,), (1,)),
        ("[0 p(4)]", (2,), (2,)),
        ("[0 oe(4)]", (1,), (1,)),
        ("[0 oe(4)]", (2,), None),
        ("[0 p(4), 1]", (8, 64), None),
        ("[1, 0, 1 p(8)]", (10, 4), (1, 10, 4)),
        ("[1, 0, 1 p(4), 0 p(2), 1 p(4)]", (10, 8), (1, 5, 2, 2, 4)),
        ("[1, 0, 1 p(4), 0 p(2), 1 p(4)]", (10, 6), None),
        ("[1, 0, 2, 0 p(2)]", (3, 1, 1), None),
        ("[1, 0, 2, 0 p(2)]", (1, 1, 1), (1, 1, 1, 1)),
        ("[1, 0, 2, 0 p(2)]", (2, 1, 1), (1, 1, 1, 2)),
        ("[1, 0, 2, 0 p(2)]", (4, 1, 1), (1, 2, 1, 2)),
        ("[1, 0, 2, 0 p(2)]", (6, 1, 1), (1, 3, 1, 2)),
        ("[0, 1, 0 p(4), 2, 0 p(4)]", (4, 3, 5), (1, 3, 1, 5, 4)),
        ("[0, 1, 0 p(4), 2, 0 p(4)]", (8, 3, 5), (1, 3, 2, 5, 4)),
        ("[0, 1, 0 p(4), 2, 0 p(4)]", (12, 3, 5), (1, 3, 3, 5, 4)),
        ("[0, 1, 0 p(4), 2, 0 p(4)]", (16, 3, 5), (1, 3, 4, 5, 4)),
        ("[0, 1, 0 p(4), 2, 0 p(4)]", (32, 3, 5), (2, 3, 4, 5, 4)),
        ("[0, 1, 0 p(4), 2, 0 p(4)]", (1, 3, 5), None),
        ("[0, 1, 0 p(4), 2, 0 p(4)]", (2, 3, 5), None),
        ("[0, 1, 0 p(4), 2, 0 p(4)]", (24, 3, 5), None),
        ("[0 oe(4), 1, 0 p(2)]", (1, 2), None),
        ("[0, 1, 0 oe(4)]", (3, 10), None),
        ("[0]", (4, 1), (4,)),
        ("[0]", (4, 3), None),
        ("[]", (1, 1), ()),
        ("[]", (1, 2), None),
    ],
)
def test_physical_shapes(text, shape, sizes):
    layout = morello.parse(text)
    assert layout.applies_to_shape(shape) == (sizes is not None)
    if sizes is not None:
        assert layout.physical_shape(shape) == sizes


# morello/src/layout.rs, tests of buffer_indexing_expr, and figures that its formula gives.


@pytest.mark.parametrize(
    ("text", "shape", "slots"),
    [
        ("[0 oe(8)]", (8,), [0, 4, 1, 5, 2, 6, 3, 7]),
        ("[0, 0 oe(8)]", (16,), [0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15]),
        ("[0, 1 oe(8)]", (2, 8), [0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15]),
        (
            "[0, 1, 0 oe(4)]",
            (8, 3),
            [0, 4, 8, 2, 6, 10, 1, 5, 9, 3, 7, 11, 12, 16, 20, 14, 18, 22, 13, 17, 21, 15, 19, 23],
        ),
        (
            "[1, 0, 1 oe(4)]",
            (3, 8),
            [0, 2, 1, 3, 12, 14, 13, 15, 4, 6, 5, 7, 16, 18, 17, 19, 8, 10, 9, 11, 20, 22, 21, 23],
        ),
        ("[0, 1, 1 oe(8)]", (2, 16), [row + x for row in (0, 16) for x in (0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15)]),
        ("[0 p(2), 0 oe(4)]", (8,), [0, 2, 1, 3, 4, 6, 5, 7]),
        ("[0, 1, 0 p(2), 0 oe(4)]", (8, 2), [0, 8, 2, 10, 1, 9, 3, 11, 4, 12, 6, 14, 5, 13, 7, 15]),
        ("[0, 1, 0 p(2), 1 p(2)]", (4, 4), [0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15]),
        ("[0, 1, 0 p(2)]", (4, 6), [*range(0, 12, 2), *range(1, 12, 2), *range(12, 24, 2), *range(13, 24, 2)]),
        ("[1, 0, 1 p(4)]", (6, 2), list(range(12))),
        (
            "[0, 2, 1, 2 p(4)]",
            (2, 3, 8),
            [24 * a + 4 * b + x for a in range(2) for b in range(3) for x in (0, 1, 2, 3, 12, 13, 14, 15)],
        ),
        (
            "[0, 1, 2, 1 p(3), 2 p(2)]",
            (1, 6, 4),
            [0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11, 12, 13, 18, 19, 14, 15, 20, 21, 16, 17, 22, 23],
        ),
        (
            "[0, 1, 2, 1 p(4)]",
            (1, 8, 3),
            [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11, 12, 16, 20, 13, 17, 21, 14, 18, 22, 15, 19, 23],
        ),
        ("NHWC", (2, 3, 4, 5), [60 * n + 15 * h + 3 * w + c for n in range(2) for c in range(3) for h in range(4) for w in range(5)]),
        (
            "[0, 1, 2, 3, 1 p(4)]",
            (1, 8, 2, 3),
            [24 * (c // 4) + c % 4 + 12 * h + 4 * w for c in range(8) for h in range(2) for w in range(3)],
        ),
        ("[1, 0 oe(4), 0 p(2)]", (8, 2), [0, 8, 1, 9, 4, 12, 5, 13, 2, 10, 3, 11, 6, 14, 7, 15]),
    ],
)
def test_offsets(text, shape, slots):
    assert offsets(text, shape) == slots


def test_two_levels_of_a_morton_curve():
    rows = morello.parse("[0,1,0 p(2),1 p(2),0 p(2),1 p(2)]").bind((8, 8)).offsets()
    for r in range(8):
        for c in range(8):
            assert rows[r, c] == sum((r >> bit & 1) << (2 * bit + 1) | (c >> bit & 1) << (2 * bit) for bit in range(3))


def test_oddeven_has_the_even_indices_first():
    """Morello's tests, formula and AVX2 kernels; a comment in layout.rs says the odd ones."""
    assert np.argsort(offsets("[0 oe(8)]", (8,))).tolist() == [0, 2, 4, 6, 1, 3, 5, 7]


def test_oddeven_outside_of_a_pack_is_a_bijection():
    """Morello takes the parity before it divides, and gives 0, 8, 3, 11, 0, 8, ...: two elements to a slot."""
    assert sorted(offsets("[1, 0 oe(4), 0 p(2)]", (8, 2))) == list(range(16))


def test_awq_and_rotary_embeddings_are_oddeven():
    """AWQ stores int4 weights in the order 0 2 4 6 1 3 5 7; Meta's rotary weights have pairs where Hugging Face has halves."""
    assert np.argsort(offsets("[0 oe(8)]", (8,))).tolist() == [0, 2, 4, 6, 1, 3, 5, 7]
    heads, size, width = 2, 6, 3
    meta = np.arange(heads * size * width).reshape(heads * size, width)
    there = meta.reshape(heads, size // 2, 2, width).transpose(0, 2, 1, 3).ravel()
    assert tl.pack(meta, morello.parse("[0, 0 oe(6), 1]").bind(meta.shape)).tolist() == there.tolist()


def test_views():
    """Tests of squeeze, one_prefix and transpose in morello/src/views.rs."""
    squeezed = morello.row_major((2, 1, 3)).dim_drop({1})
    assert squeezed.index_expression((2, 3)) == "3(p0) + (p1)"
    assert morello.row_major((2, 3)).one_prefix().index_expression((1, 2, 3)) == "3(p1) + (p2)"
    assert morello.row_major((2, 3)).swap_dims((0, 1)).bind((3, 2)).offsets().tolist() == [[0, 3], [1, 4], [2, 5]]


@given(bound())
def test_offsets_are_those_of_the_formulas(pair):
    layout, shape = pair
    bound_layout = layout.bind(shape)
    found = bound_layout.offsets().ravel().tolist()
    if prod(shape) <= 600:
        assert tuple(found) == morello_model.offsets(plain(layout), shape)
    assert sorted(found) == list(range(prod(shape)))
    assert bound_layout.slots == prod(shape) == prod(layout.physical_shape(shape))
    assert bound_layout.coordinates(found).tolist() == [list(x) for x in np.ndindex(*shape)]


@given(layouts(), st.lists(st.integers(1, 24), min_size=3, max_size=3).map(tuple))
def test_shapes_that_apply_are_those_of_the_rules(layout, shape):
    sizes = morello_model.physical(plain(layout), shape)
    assert layout.applies_to_shape(shape) == (sizes is not None)
    if sizes is not None:
        assert layout.physical_shape(shape) == tuple(sizes)
        assert layout.bind(shape, pad=True) == layout.bind(shape)


@given(layouts(), st.lists(st.integers(1, 24), min_size=3, max_size=3).map(tuple))
def test_padding_rounds_each_pack_up(layout, shape):
    """Padded, every dimension has a multiple of the packs that it fills; the elements keep their places in the padded array."""
    try:
        padded = layout.bind(shape, pad=True)
    except ShapeError as error:
        assert "takes the rest" in str(error)
        return
    values = np.arange(prod(shape)).reshape(shape)
    assert np.array_equal(tl.unpack(tl.pack(values, padded), padded), values)
    if not layout.applies_to_shape(shape):
        assert padded.slots >= prod(shape)


def test_padding():
    layout = morello.parse("[0, 1, 0 p(4)]")
    assert layout.bind((6, 2), pad=True).slots == layout.bind((8, 2)).slots == 16
    assert layout.bind((6, 2), pad=True).offsets().tolist() == layout.bind((8, 2)).offsets()[:6].tolist()
    assert layout.bind((2, 2), pad=True) == layout.bind((2, 2))
    assert morello.parse("[0 oe(8)]").bind((5,), pad=True).offsets().tolist() == [0, 4, 1, 5, 2]
    assert morello.parse("[0, 1, 0 p(4), 2, 0 p(4)]").bind((2, 3, 5), pad=True).slots == 30
    assert morello.parse("[0, 0 oe(4), 0 p(4)]").bind((20,), pad=True).slots == 32


@given(bound())
def test_pack_and_unpack(pair):
    layout, shape = pair
    values = np.arange(prod(shape), dtype=np.int32).reshape(shape)
    buffer = tl.pack(values, layout.bind(shape))
    assert np.array_equal(tl.unpack(buffer, layout.bind(shape)), values)


def _value(expression, point):
    """An index expression as Python, at a point."""
    text = expression.replace("/", "//")
    for digit in "0123456789":
        text = text.replace(f"{digit}(", f"{digit}*(")
    return eval(text, {f"p{axis}": x for axis, x in enumerate(point)})


@given(bound(largest=12))
def test_the_index_expression_is_the_offset(pair):
    layout, shape = pair
    expression = layout.index_expression(shape)
    bound_layout = layout.bind(shape)
    for point in list(np.ndindex(*shape))[:: 1 + prod(shape) // 100]:
        assert _value(expression, point) == bound_layout(*point)


@pytest.mark.parametrize(
    ("text", "shape", "expression"),
    [
        ("[0, 1]", (16, 4), "4(p0) + (p1)"),
        ("[1, 0, 1 p(4)]", (6, 8), "24(((p1)) / 4) + 4(p0) + (((p1)) % 4)"),
        ("[0 oe(8)]", (8,), "(((((p0)) % 8)) / 2) + 4(((p0)) % 2)"),
        ("[0, 0 oe(8)]", (16,), "8(((p0)) / 8) + (((((p0)) % 8)) / 2) + 4(((p0)) % 2)"),
        ("[0, 1, 0 p(4), 2, 0 p(4)]", (32, 3, 5), "240(((p0)) / 16) + 80(p1) + 20(((((p0)) % 16)) / 4) + 4(p2) + (((p0)) % 4)"),
        ("[0 oe(2)]", (2,), "(((p0)) % 2)"),
        ("[]", (1,), "0"),
    ],
)
def test_index_expressions(text, shape, expression):
    """The first as morello/src/layout.rs has it, printed by the rules of morello/src/expr.rs."""
    assert morello.parse(text).index_expression(shape) == expression


def test_makers():
    assert str(morello.row_major((1, 4, 1, 5))) == "[1, 3]"
    assert str(morello.row_major((1, 1))) == "[]"
    assert str(morello.col_major((1, 4, 5))) == "[2, 1]"
    assert str(morello.batched_col_major((2, 2, 2, 2))) == "[0, 3, 2, 1]"
    assert str(morello.batched_col_major((1, 3, 4))) == "[2, 1]"
    assert str(morello.batched_col_major((5, 3, 4))) == "[0, 2, 1]"
    assert morello.batched_col_major(()).is_empty
    assert str(morello.nhwc((1, 3, 4, 5))) == "[2, 3, 1]"
    with pytest.raises(ShapeError, match=r"four dimensions.*\(3, 4\) has 2"):
        morello.nhwc((3, 4))
    for make in (morello.row_major, morello.col_major, morello.batched_col_major):
        with pytest.raises(ShapeError, match="size 0 in dimension 1"):
            make((3, 0))


@given(st.lists(st.integers(1, 64), max_size=4).map(tuple), st.sampled_from([1, 2, 4, 16, 64]))
def test_candidates_apply_and_differ(shape, element_bytes):
    found = morello.candidates(shape, element_bytes)
    assert len(set(found)) == len(found)
    assert all(layout.bind(shape).slots == prod(shape) for layout in found)


def test_a_vector_of_one_element_makes_no_pack():
    assert [str(layout) for layout in morello.candidates((4, 2), 16, vector_bytes=(16,))] == [
        "[0, 1]",
        "[1, 0]",
        "[0, 1, 0 p(2)]",
        "[1, 0, 1 p(2)]",
    ]


def test_candidates_of_four_dimensions():
    texts = [str(layout) for layout in morello.candidates((1, 8, 2, 16), 2, vector_bytes=(16,))]
    assert texts[:2] == ["[1, 2, 3]", "[2, 3, 1]"]
    assert texts[2:] == [
        *("[1, 2, 3, 1 p(2)]", "[1, 2, 3, 1 p(8)]", "[1, 2, 3, 2 p(2)]"),
        *("[2, 3, 1, 2 p(2)]", "[2, 3, 1, 3 p(2)]", "[2, 3, 1, 3 p(8)]"),
        *("[1, 2, 3, 3 oe(16)]", "[2, 3, 1, 3 oe(16)]"),
    ]


def test_predicates():
    """They look at the list alone."""
    of = morello.parse
    assert all(of(text).is_row_major for text in ("[0]", "[0, 2]", "[]", "([0, 1], c0)"))
    assert all(of(text).is_col_major for text in ("[0]", "[2, 0]", "[]"))
    assert not any(of(text).is_row_major for text in ("[1, 0]", "[0, 1 p(4)]", "[0 oe(2)]"))
    assert not any(of(text).is_col_major for text in ("[0, 1]", "[1, 0 p(4)]"))
    assert of("[0, 1]").is_fully_contiguous
    assert not of("([0, 1], c1)").is_fully_contiguous
    assert of("[]").is_empty
    assert of("[]").is_fully_contiguous


@given(layouts())
def test_values(layout):
    again = eval(repr(layout), {"morello": morello})
    assert again == layout
    assert hash(again) == hash(layout)
    assert pickle.loads(pickle.dumps(layout)) == copy.deepcopy(layout) == layout
    with pytest.raises(AttributeError):
        layout.contig = 0


@given(layouts(), layouts())
def test_equality_is_of_what_is_written(one, other):
    assert (one == other) == ((one.dims, one.contig) == (other.dims, other.contig)) == (repr(one) == repr(other))


def test_there_is_one_dynamic():
    assert copy.deepcopy(PhysDim.Dynamic) is pickle.loads(pickle.dumps(PhysDim.Dynamic)) is PhysDim.Dynamic


def test_kinds_of_one_size_differ():
    assert PhysDim.Packed(4) != PhysDim.OddEven(4)
    assert len({PhysDim.Packed(4), PhysDim.OddEven(4), PhysDim.Packed(np.int64(4)), PhysDim.Dynamic}) == 3


DYNAMIC = PhysDim.Dynamic


@pytest.mark.parametrize(
    ("dims", "message"),
    [
        (5, "no list of"),
        ("[0]", "which morello.parse reads"),
        ([0], "no physical dimension, which is a pair"),
        ([(0, DYNAMIC, 1)], "no physical dimension"),
        ([("0", DYNAMIC)], "no physical dimension"),
        ([(0.0, DYNAMIC)], "no physical dimension"),
        ([(0, 4)], "4 is no kind"),
        ([(0, PhysDim)], "is no kind"),
        ([(0, PhysDim())], "is no kind"),
        ([(0, PhysDim.Packed)], "is no kind"),
        ([(-1, DYNAMIC)], "-1 is no logical dimension: Morello numbers them from 0 to 255"),
        ([(256, DYNAMIC)], "from 0 to 255"),
        ([(10**5000, DYNAMIC)], "a very large int"),
        ([(0, DYNAMIC), (1, DYNAMIC), (0, DYNAMIC)], "more than one Dynamic of dimension 0"),
        ([(0, PhysDim.Packed(2)), (1, DYNAMIC), (0, DYNAMIC)], r"0 p\(2\) outside of 0, which is Dynamic"),
        ([(0, PhysDim.OddEven(4)), (0, DYNAMIC)], r"0 oe\(4\) outside of 0"),
        ([(0, PhysDim.OddEven(4)), (0, PhysDim.OddEven(6))], r"0 oe\(4\) and 0 oe\(6\) side by side"),
        ([(dim, DYNAMIC) for dim in range(256)], "at most 255"),
        ([(0, PhysDim.Packed(2**62)), (0, PhysDim.Packed(2))], "fits in 64 bits"),
    ],
)
def test_lists_that_are_no_layout(dims, message):
    with pytest.raises(LayoutError, match=message):
        morello.Layout(dims)


@pytest.mark.parametrize("size", [0, 1, -4, 2**63, 10**30, 2.0, "4", None, float("nan")])
@pytest.mark.parametrize("make", [PhysDim.Packed, PhysDim.OddEven])
def test_sizes_that_no_pack_has(make, size):
    with pytest.raises(LayoutError, match=r"2 or more|no size"):
        make(size)


def test_the_largest_size_of_a_pack():
    assert PhysDim.Packed(2**63 - 1).size == 2**63 - 1


def test_odd_oddevens():
    """In a release build Morello takes them, and gives two elements one slot."""
    with pytest.raises(LayoutError, match=r"OddEven\(3\) .* 4 would be right"):
        PhysDim.OddEven(3)


@pytest.mark.parametrize("contig", [-1, 3, 10**30, 1.0, "2"])
def test_contiguities_that_cannot_be(contig):
    with pytest.raises(LayoutError, match="contig="):
        morello.Layout([(0, DYNAMIC), (1, DYNAMIC)], contig)


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (None, "says nothing of sizes"),
        ((6,), "names dimension 1, and there are 1"),
        ((6, 0), "size 0 in dimension 1"),
        ((6, -1), "negative"),
        ((6, 2**63), "64-bit"),
        ((6, 8.0), "no shape"),
        ("68", "no shape"),
        (6, "no shape"),
        ((6, 7), r"1 p\(4\) finds 7 left of dimension 1; a multiple of 4 would do, or fewer than 4; .* rounds up to 8"),
        ((6, 8, 2), "covers 1 of the 2 indices of dimension 2; a 2 at the front"),
    ],
)
def test_shapes_that_are_refused(shape, message):
    layout = morello.parse("[1, 0, 1 p(4)]")
    with pytest.raises(ShapeError, match=message):
        layout.bind(shape)


def test_shapes_beyond_morellos_own():
    """Morello's sizes have 32 bits; ours have 63, and the array fits in as many slots."""
    assert morello.parse("[1, 0, 1 p(4)]").bind((3, 2**60))(2, 2**60 - 1) == 3 * 2**60 - 1
    with pytest.raises(ShapeError, match="64-bit"):
        morello.parse("[0, 1, 0 p(4)]").bind((2**61 - 1, 4), pad=True)
    assert morello.parse("[255]").bind((1,) * 255 + (7,)).slots == 7


def test_what_is_not_merged_says_so():
    apart = morello.Layout([(0, PhysDim.Packed(2)), (0, PhysDim.Packed(3))], normalized=False)
    assert apart.dims == ((0, PhysDim.Packed(2)), (0, PhysDim.Packed(3)))
    again = eval(repr(apart), {"morello": morello})
    assert again == apart
    assert again != morello.Layout(apart.dims)


def test_what_is_not_merged_stays_so():
    apart = morello.Layout([(0, PhysDim.Dynamic), (0, PhysDim.Packed(4))], normalized=False)
    assert apart.swap_dims((0, 1)).dims == ((1, PhysDim.Dynamic), (1, PhysDim.Packed(4)))
    assert apart.one_prefix().dims == ((0, PhysDim.Dynamic), (1, PhysDim.Dynamic), (1, PhysDim.Packed(4)))
    assert repr(apart) == "morello.Layout([(0, morello.PhysDim.Dynamic), (0, morello.PhysDim.Packed(4))], normalized=False)"


def test_the_bounds_of_morello_are_allowed():
    widest = morello.Layout([(dim, PhysDim.Dynamic) for dim in range(255)])
    assert len(widest.dims) == 255
    assert widest.dim_drop([255]) == widest
    with pytest.raises(LayoutError, match="-1 is no logical dimension"):
        morello.Layout([(1, PhysDim.Dynamic)]).dim_drop([-1])


def test_vectors_of_two_are_tried():
    assert "[0, 1, 0 oe(4)]" in [str(layout) for layout in morello.candidates((8, 16), 8)]


def test_sizes_are_plain_integers():
    assert type(PhysDim.Packed(np.int64(4)).size) is int


@pytest.mark.parametrize(
    ("text", "shape", "told"),
    [
        ("[]", None, "a shape of 0 dimensions or more"),
        (
            "[0, 1, 0 oe(4)]",
            (2, 3),
            "0 oe(4) finds 2 left of dimension 0; a multiple of 4 would do, or 1; bind(shape, pad=True) rounds up to 4",
        ),
        (
            "[0, 1, 0 p(4)]",
            (6, 3),
            "0 p(4) finds 6 left of dimension 0; a multiple of 4 would do, or fewer than 4; bind(shape, pad=True) rounds up to 8",
        ),
        ("[0, 0 p(2), 1, 0 p(4)]", (3, 2), "0 p(2) finds 1 left of dimension 0, and one inside it found fewer than its size before"),
        ("[0 oe(4)]", (3,), "0 oe(4) finds 3 left of dimension 0; a multiple of 4 would do, or 1; bind(shape, pad=True) rounds up to 4"),
        ("[0 oe(4)]", (6,), "or 1; it covers 4 of the 6 indices of dimension 0; a 0 at the front, which is Dynamic, takes the rest"),
        ("[0 p(2), 1, 0 oe(4)]", (12, 2), "or fewer than 2; it covers 8 of the 12 indices of dimension 0; a 0 at the front"),
    ],
)
def test_what_is_said_of_shapes(text, shape, told):
    with pytest.raises(LayoutError, match=re.escape(told)):
        morello.parse(text, normalized=False).bind(shape)


def test_what_is_said_of_two_odd_evens_is_of_these_two():
    with pytest.raises(LayoutError, match=re.escape(" has 0 oe(4) and 0 oe(2) side by side")):
        morello.Layout([(0, PhysDim.OddEven(4)), (0, PhysDim.OddEven(2)), (1, PhysDim.Dynamic)])


def test_digits_are_found_from_slots(monkeypatch):
    layout = tl.Layout((8,), [(0, 2, 4, 1), (0, 1, 2, 4)])
    monkeypatch.setattr(probing, "MOST_ELEMENTS", 8)
    assert set(probing.probed(layout).digits) == set(layout.digits)
    monkeypatch.setattr(probing, "MOST_ELEMENTS", 7)
    assert probing.probed(layout) is None


def test_what_is_left_out_is_what_the_cpu_targets_have():
    """Lines of 64 bytes, and vectors of 16 and 32."""
    layout = morello.Layout([(0, PhysDim.Dynamic), (1, PhysDim.Dynamic)], contig=1)
    assert [layout.estimate_cache_lines((6, columns), 1) for columns in (64, 65)] == [6, 12]
    shape = (lcm(30, 34, 62, 66, 64),) * 2
    assert morello.candidates(shape, 1) == morello.candidates(shape, 1, vector_bytes=(16, 32))


def test_packs_are_not_merged_across_the_end_of_what_is_contiguous():
    packs = [(0, PhysDim.Packed(2)), (0, PhysDim.Packed(3))]
    assert morello.Layout(packs, contig=1).dims == tuple(packs)
    assert morello.Layout(packs, contig=2).dims == ((0, PhysDim.Packed(6)),)
