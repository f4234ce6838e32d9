"""XLA's notation written: the layout that was asked for, in the words that XLA would use, and an error only where there are none."""

import json
from itertools import combinations, islice, permutations, product
from math import prod
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
import tilelayout as tl
import xla_definition
from tilelayout import NotExpressible, cute
from tilelayout.notations import xla
from tilelayout.notations.xla import expressing
from tilelayout.notations.xla.expressing import row_major_tiles, without_element
from tilelayout.places import places

DATA = Path(__file__).parent / "data"


def table(layout):
    """All that equality is about."""
    return layout.shape, layout.slots, layout.offsets().tobytes()


def without_a_place(shape):
    """The shape of an array, without what says nothing of where its elements lie."""
    kept = ("minor_to_major", "tiles", "tail_padding_alignment_in_elements", "element_size_in_bits")
    return xla.Shape(shape.element_type, shape.dims, xla.Layout(**{name: getattr(shape.layout, name) for name in kept}))


def arrays_in(shape):
    """The arrays of known sizes in a shape."""
    for leaf in shape.leaves():
        array = leaf.parts[0] if leaf.element_type == "buffer" else leaf
        if array.is_array and None not in array.dims and () not in array.layout.tiles:
            yield without_a_place(array)


def of_strings():
    rows = [line.split("\t") for line in (DATA / "xla_shape_strings.tsv").read_text(encoding="utf-8").splitlines()[1:]]
    return [array for text, printed, *_ in rows if not printed.startswith("ERR") for array in arrays_in(xla.parse_shape(text))]


def of_the_compiler():
    lines = [json.loads(line) for line in (DATA / "tpu_truth.jsonl").read_text(encoding="utf-8").splitlines()]
    return [array for line in lines for key in ("layout", "argument_layout") for array in arrays_in(xla.parse_shape(line[key]))]


def of_vectors():
    cases = [json.loads(line) for line in (DATA / "xla_vectors.jsonl").read_text(encoding="utf-8").splitlines()]
    return [xla.Shape("f32", case["dims"], xla.Layout(case["minor_to_major"], tiles=case["tiles"])) for case in cases]


@pytest.mark.parametrize("rows", [1, 2, 4, 8, 16, 32, 64, 128])
def test_tiles_of_any_rows_that_a_tpu_has_come_back(rows):
    """Other tiles would say some of these in fewer numbers."""
    for text in [f"f32[8,1]{{0,1:T({rows},128)}}", *([f"u2[130,5]{{1,0:T({rows},128)(16,1)}}"] if rows > 1 else [])]:
        assert str(xla.express(xla.parse_shape(text).bind())) == text


@pytest.mark.parametrize(
    "text",
    ["bf16[130]{0:T(128)(128)(2,1)}", "s4[300]{0:T(1024)(128)(8,1)}", "u2[300]{0:T(2048)(128)(16,1)}", "u1[256]{0:T(4096)(128)(32,1)}"],
)
def test_tiles_of_one_dimension_that_a_tpu_has_come_back(text):
    assert str(xla.express(xla.parse_shape(text).bind())) == text


@pytest.mark.parametrize(
    ("arrays", "least_same"),
    [(of_strings, 0.8), (of_the_compiler, 0.9), (of_vectors, 0.2)],
    ids=["strings of XLA and its dumps", "layouts of the TPU compiler", "generated tiles"],
)
def test_what_xla_prints_comes_back(arrays, least_same):
    same = 0
    for array in (known := arrays()):
        layout = array.bind()
        written = xla.express(layout)
        assert written.bind() == layout, array
        assert written.bind().element == layout.element
        same += str(written) == str(array)
    assert len(known) >= 350
    assert same >= least_same * len(known)


@pytest.mark.parametrize(
    "text",
    [
        "f32[3,5]{1,0:T(2,2)}",  # XLA's tiled-layout page
        "bf16[5,9]{1,0:T(4,4)(2,1)}",
        "f32[3,5]{1,0:T(8,128)}",
        "bf16[17,257]{1,0:T(8,128)(2,1)}",
        "f32[2,300]{1,0:T(2,128)}",
        "s8[70,200]{1,0:T(8,128)(4,1)}",
        "s4[70,200]{1,0:T(64,128)(8,1)E(4)}",
        "pred[70,200]{1,0:T(8,128)E(32)}",
        "bf16[1500]{0:T(1024)(128)(2,1)}",
        "s32[8388608,8,4]{2,1,0:T(8,128)}",  # flowpm#27
        "bf16[2048,1,7168]{2,0,1:T(16,128)(2,1)}",
        "u32[12582912,1]{1,0:T(8,128)}",  # pytorch/xla#1965
        "u32[]{:T(128)}",
        "f32[]",
        "f32[16,256]{1,0}",
        "f32[16,256]{0,1}",
        "s4[64,128]{1,0:E(4)}",
        "f32[3,5]{1,0:L(2)}",
        "f32[8]{0:T(2)(4,1)}",
        "f32[0,3]{1,0}",
        "f32[5,6,7]{1,2,0}",
        "f32[4,6]{1,0:T(2,3)(*,8)}",
        "f32[1,5]{1,0:T(1,128)}",  # not (128), and the next not {0,1:T(128,2)}: a TPU's tiles come first
        "bf16[8,512]{1,0:T(8,128)(2,1)}",
        "f32[5,5,4]{2,1,0:T(*,8)(3,1)}",  # not (2,4)(3,1,1,1), which is longer
    ],
)
def test_the_same_words(text):
    assert str(xla.express(tl.layout(text))) == text


def test_without_a_type_only_what_stands_between_the_braces():
    layout = tl.layout("{1,0:T(8,128)}", (3, 5))
    assert isinstance(xla.express(layout), xla.Layout)
    assert str(xla.express(layout)) == "{1,0:T(8,128)}"
    assert str(xla.express(tl.layout("{1,0:T(8,128)E(4)}", (3, 5)))) == "{1,0:T(8,128)E(4)}"
    assert str(xla.express(tl.Layout((), [], slots=6))) == "{:T(6)}"


@pytest.mark.parametrize(
    ("layout", "text"),
    [
        (tl.Layout((6, 8), [(1, 4, 2, 24), (0, 1, 6, 4), (1, 1, 4, 1)]), "{1,0:T(6,4)}"),  # 8 columns in groups of 4, row by row
        (tl.Layout((8,), [(0, 1, 2, 4), (0, 2, 4, 1)]), "{0:T(2)(4,1)}"),  # first the even ones, then the odd
        (tl.Layout((4,), [(0, 1, 4, 2)], slots=8), "{0:T(2,1)}"),
        (tl.Layout((1000, 1000), [(0, 1, 1000, 1024), (1, 1, 1000, 1)], slots=1024000), "{1,0:T(1024)}"),
        (tl.Layout((4, 2, 3), [(0, 1, 4, 8), (1, 1, 2, 3), (2, 1, 3, 1)], slots=32), "{2,1,0:T(*,8)}"),
        (tl.Layout((5,), [(0, 1, 5, 1)], slots=7), "{0:T(7)}"),
        (tl.layout("cute:(4,(2,4)):(2,(1,8))"), "{1,0:T(4,2)}"),  # as short as {0,1:T(2,1)}, and in the order of the axes
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_few_tiles_where_few_do(layout, text):
    assert str(xla.express(layout)) == text
    assert tl.layout(f"xla:{text}", layout.shape) == layout


@pytest.mark.parametrize("bits", [10, 40])
def test_bits_in_reverse_take_many_tiles(bits):
    layout = tl.Layout((2**bits,), [(0, 2**k, 2, 2 ** (bits - 1 - k)) for k in range(bits)])
    written = xla.express(layout)
    assert written.bind(layout.shape) == layout
    assert written.bind(layout.shape)(6) == 3 << bits - 3


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ((4, 8), "{0,1:T(4,2)(2,1,2)(*,*,9,1,2)(3,1,1)(2,1,1,1,1,3,1,3,24,1,1)(3,1,1,1)}"),
        ((6, 3, 5), "{0,2,1:T(3)(3,5,2,8)(8)(4,1,1,2)(3,2,2,1,4,4,1,1,3)(4,1,1,1,1)}"),
        ((2, 8), "{1,0:T(*,16)(4)(4,12)(12)(3)(4,1,4,4)(4)(2)(4,1,4,1,2,48)(48)(4,1,4,1,2,1,48)(1)(4)}"),
    ],
)
def test_axes_beside_fused_ones_that_take_many_tiles(shape, text):
    """More tiles than are searched for: they are constructed, with fusions and axes that are whole side by side."""
    layout = tl.layout(text, shape)
    assert xla.express(layout).bind(shape) == layout


def test_room_between_dimensions_that_are_put_in_order(monkeypatch):
    """The sum has room below it, and what comes after that is neither in the order of its axes nor fastest; no tiles are searched for."""
    monkeypatch.setattr("tilelayout.notations.xla.expressing._MOST_TILES", -1)
    merged = ((0, 2, 2, 2), (1, 1, 3, 4))
    layout = tl.Layout((4, 3, 3), [(merged, 1, 5, 18), (merged, 5, 3, 6), (0, 1, 2, 3), (2, 1, 3, 1)])
    assert xla.express(layout).bind(layout.shape) == layout


@given(strategies.layouts())
def test_moves_of_any_kind_are_expressible(layout):
    assert xla.express(layout).bind(layout.shape) == layout


@given(strategies.strided_layouts())
def test_what_falls_apart_into_places_is_expressible(layout):
    assert places(layout, "places") is not None
    assert xla.express(layout).bind(layout.shape) == layout


def tiles(entries, longest):
    """Every tile of these entries that is defined."""
    return [tile for rank in range(1, longest + 1) for tile in product(entries, repeat=rank) if tile[-1] != "*"]


def reachable(shape, most, each):
    """Every table that this many tiles make, by the page's definition and no digits, with a layout that has it."""
    found = {}
    indices = list(np.ndindex(*shape))
    for order in permutations(range(len(shape))):
        for chosen in (chosen for count in range(most + 1) for chosen in product(each, repeat=count)):
            cells = [xla_definition.nested(index, shape, order, chosen) for index in indices]
            offsets = np.array([slot for slot, _ in cells], np.int64)
            found.setdefault((shape, cells[0][1], offsets.tobytes()), xla.Layout(order, tiles=chosen))
    return found


SMALL = [
    ((5,), 2, tiles((1, 2, 3, "*"), 2)),
    ((6,), 2, tiles((2, 4, 3, "*"), 2)),
    ((4, 1), 2, tiles((1, 2, 3), 2)),
    ((2, 3), 1, tiles((1, 2, 3, 4, "*"), 3)),
    ((2, 3), 2, tiles((1, 2, 4, "*"), 2)),
    ((4, 4), 2, [(2,), (3,), (2, 2), (2, 1), (1, 3), ("*", 3), ("*", 4), ("*", 6)]),
    ((2, 3, 2), 1, tiles((1, 2, "*"), 3)),
    ((3, 4), 2, tiles((1, 2, 3), 2)),
]


@pytest.mark.parametrize(("shape", "most", "each"), SMALL, ids=str)
def test_whatever_tiles_make_is_expressed(shape, most, each):
    for key, layout in reachable(shape, most, each).items():
        bound = layout.bind(shape)
        assert table(bound) == key
        written = xla.express(bound)
        assert table(written.bind(shape)) == key, layout
        if all("*" not in tile for tile in each) and len(shape) == 2 and 1 not in shape:
            assert len(written.tiles) <= len(layout.tiles) + 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "most", "each"),
    [
        ((5,), 3, tiles((1, 2, 3, 4, "*"), 2)),
        ((6,), 3, tiles((2, 3, 4, "*"), 2)),
        ((2, 3), 3, tiles((1, 2, 3, "*"), 2)),
        ((4, 3), 2, tiles((1, 2, 3, 4, "*"), 2)),
        ((3, 4), 2, tiles((1, 2, 3, 4, "*"), 2)),
        ((2, 2, 3), 2, tiles((1, 2, 3, "*"), 3)),
    ],
    ids=str,
)
def test_whatever_more_tiles_make_is_expressed(shape, most, each):
    test_whatever_tiles_make_is_expressed(shape, most, each)


def test_refused_is_what_no_tiles_make():
    shape = (2, 3)
    within_reach = reachable(shape, 2, tiles((1, 2, 3, 4, "*"), 2))
    refused = 0
    for strides in product(range(7), repeat=2):
        for slots in range(sum(stride * (n - 1) for stride, n in zip(strides, shape, strict=True)) + 1, 25):
            layout = tl.Layout(shape, [(0, 1, 2, strides[0]), (1, 1, 3, strides[1])], slots=slots)
            try:
                assert xla.express(layout).bind(shape) == layout
            except NotExpressible:
                refused += 1
                assert table(layout) not in within_reach, layout
    assert refused > 100


@pytest.mark.parametrize(
    "text",
    [
        "Sw<1,0,1> o 0 o 4:1",
        "Sw<1,0,2> o 0 o (2,4):(4,1)",
        "Sw<2,0,2> o 0 o (4,4):(4,1)",
        "(2,2):(1,1)",
        "(4,2):(0,1)",
        "(2,2):(3,2)",
        "4:3",
    ],
)
def test_layouts_of_cute_that_no_tiles_make(text):
    layout = cute.parse_layout(text).bind()
    assert table(layout) not in reachable(layout.shape, 2, tiles((1, 2, 3, 4, "*"), 2))
    with pytest.raises(NotExpressible, match="not expressible in XLA's notation"):
        xla.express(layout)


@pytest.mark.parametrize(
    ("layout", "said"),
    [
        (tl.Layout((3, 3), [(0, 1, 3, 1), (1, 1, 3, 1)], slots=7), r"digit \(0, 1, 3, 1\).* begins after 1"),
        (tl.Layout((8,), [(0, 1, 8, -1), (None, 1, 2, 7)]), r"digit \(0, 1, 8, -1\).* it walks backwards"),
        (
            tl.Layout((4,), [(0, 1, 4, 2)], slots=7),
            r"digit \(0, 1, 4, 2\).* steps of 2, with room for each of them, make a buffer of 8 slots",
        ),
        (tl.Layout((2, 2), [(0, 1, 2, 2), (1, 1, 2, 3)]), r"digit \(1, 1, 2, 3\).* no multiple of 2"),
        (tl.Layout((0, 3), [], slots=5), r"shape \(0, 3\) and 5 slots .* without elements has no slots"),
        (
            tl.Layout((4, 4), [(((0, 1, 4, 1), (1, 1, 4, 1)), 1, 4, 4), (1, 1, 4, 1)]),
            r"digit 4\*\(\(x0 \+ x1\) % 4\) cannot be said: it reads a sum",
        ),
        (tl.Layout((4,), [(0, 1, 4, 8), (0, 1, 2, 1)], slots=32), r"axis 0 do not read each part of its 4 coordinates once"),
        (tl.Layout((6,), [(0, 2, 3, 1)], slots=3), r"axis 0 do not read each part of its 6 coordinates once"),
    ],
    ids=lambda value: "" if isinstance(value, str) else None,
)
def test_the_error_names_the_digit(layout, said):
    with pytest.raises(NotExpressible, match=said):
        xla.express(layout)


@given(st.lists(st.integers(1, 3), max_size=4).map(tuple), st.data())
def test_holes_anywhere(shape, data):
    """Each digit of each axis at any place, with room of any size above it."""
    pieces = []
    for axis, size in enumerate(shape):
        cut = data.draw(st.integers(1, size))
        pieces += [(axis, 1, cut), (axis, cut, -(-size // cut))]
    stride, digits = data.draw(st.integers(1, 3)), []
    for axis, divisor, radix in data.draw(st.permutations(pieces)):
        digits.append((axis, divisor, radix, stride))
        stride *= radix + data.draw(st.integers(0, 1))
    layout = tl.Layout(shape, digits, slots=stride + data.draw(st.integers(0, 5)))
    assert xla.express(layout).bind(shape) == layout


@pytest.mark.parametrize("stride", [2, 3, 8])
@pytest.mark.parametrize("shape", [(4,), (3, 5)])
def test_room_after_each_element(stride, shape):
    digits = [(k, 1, n, stride * prod(shape[k + 1 :])) for k, n in enumerate(shape)]
    layout = tl.Layout(shape, digits, slots=stride * prod(shape))
    assert tl.layout(layout.to("xla"), shape) == layout


@pytest.mark.parametrize("tried", [None, 2])
def test_an_alignment_makes_the_slots(tried, monkeypatch):
    """The smallest one, or any that makes them, where only a few are tried."""
    if tried:
        monkeypatch.setattr(expressing, "_MOST_DIVISORS", tried)
    for used, slots in combinations(range(1, 31), 2):
        assert -(-used // (n := expressing._alignment(used, slots))) * n == slots
    assert [expressing._alignment(used, 2**40) for used in (2**39, 3 << 38)] == [2**40, 2**39]


def test_the_smallest_alignment_is_said():
    for used, slots in combinations(range(1, 31), 2):
        layout = tl.Layout((used,), [(0, 1, used, 1)], slots=slots)
        said = xla.parse_layout(layout.to("xla"))
        assert said.bind((used,)) == layout
        if said.tiles == ():
            assert said.tail_padding_alignment_in_elements == min(n for n in range(slots - used + 1, slots + 1) if slots % n == 0)


def test_alignments_of_many_slots():
    for used in (2**39, 3 << 38):
        layout = tl.Layout((used,), [(0, 1, used, 1)], slots=2**40)
        assert tl.layout(layout.to("xla"), (used,)) == layout


@pytest.mark.parametrize(
    ("layout", "text"),
    [
        (tl.layout("{0:T(4096)}", (1,)), "{0:T(4096)}"),
        (tl.layout("{1,0:T(*,4)(8,1)}", (7, 5)), "{1,0:T(*,4)(8,1)}"),
        (tl.Layout((4, 15), [(0, 1, 4, 1), (1, 8, 2, 4), (1, 2, 4, 8), (1, 1, 2, 32)], slots=193), "{1,0:T(2)(4,4,1)(2,1,4,1,1)L(193)}"),
        (tl.layout("bf16[130,5]{0,1:T(32,128)(2,1)}"), "bf16[130,5]{0,1:T(32,128)(2,1)}"),
        (tl.layout("s8[1]{0:T(256)(128)(4,1)}"), "s8[1]{0:T(512)(128)(4,1)}"),
        (tl.Layout((12, 1), [(0, 1, 2, 1), (1, 1, 1, 6), (0, 2, 2, 6), (0, 4, 3, 13)], slots=79), "{1,0:T(2,1)(2,1,6,1)(*,*,13,1)L(79)}"),
        # The smallest alignment that rounds up to the slots, and what stands there where it is not among the first 10,000 numbers.
        (tl.Layout((99999,), [(0, 1, 99999, 1)], slots=100000), "{0:L(2)}"),
        (tl.Layout((10007**2 - 7,), [(0, 1, 10007**2 - 7, 1)], slots=10007**2), "{0:L(10007)}"),
        (tl.Layout((10007**2 - 6,), [(0, 1, 10007**2 - 6, 1)], slots=10007**2), "{0:T(100140049)}"),
        (tl.Layout((215132,), [(0, 1, 215132, 1)], slots=240132), "{0:L(40022)}"),
        (tl.Layout((200110,), [(0, 1, 200110, 1)], slots=240132), "{0:L(60033)}"),
        # A TPU's tiles, which are tried first, would have more slots than there are numbers for.
        (tl.layout("onednn:bDac4d", (4096, 1, 1000, 2**31)), "{2,0,3,1:T(4,1,1)}"),
        (tl.layout("onednn:cBA8b5a", (2**31, 2**20, 1)), "{2,0,1:T(8,5,1)}"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_words_of_some_layouts(layout, text):
    written = xla.express(layout)
    assert str(written) == text
    assert (written.bind() if isinstance(written, xla.Shape) else written.bind(layout.shape)) == layout


@pytest.mark.parametrize(
    ("layout", "text"),
    [
        (tl.Layout((8,), [(0, 1, 2, 3), (0, 4, 2, 18), (0, 2, 2, 36)], slots=73), "{0:T(4)(2)(2,1,6)(1)(3)(*,*,*,*,*,*,73)(73)}"),
        (
            tl.Layout((1, 12), [(0, 1, 1, 1), (1, 2, 3, 1), (1, 6, 2, 5), (1, 1, 2, 10)], slots=65),
            "{1,0:T(6)(2)(2,3,6)(2,3,1)(*,13,3,1)(13,5,1)}",
        ),
        (
            tl.Layout((12, 1), [(0, 1, 2, 1), (1, 1, 1, 6), (0, 2, 2, 6), (0, 4, 3, 13)], slots=79),
            "{1,0:T(4,1)(2,1)(3,1,2,1,6,1)(*,*,13,1)(6,1,1,1,13,1)(*,*,*,*,79,1)(79,1)}",
        ),
        (
            tl.Layout((24, 2), [(0, 1, 4, 1), (0, 12, 2, 4), (0, 4, 3, 8), (1, 1, 2, 25)], slots=151),
            "{0,1:T(12)(4)(2,1,4)(*,*,*,*,25)(6,1,1,25)(*,*,*,151)(151)}",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_words_without_an_alignment(layout, text):
    """As JAX needs them."""
    written = without_element(layout, aligned=False)
    assert str(written) == text
    assert written.bind(layout.shape) == layout


@pytest.mark.parametrize(
    ("layout", "tiles"),
    [
        (tl.layout("{1,0:T(2,3,1,4)}", (1, 5)), [((4,), (24,)), ((4,), (2, 24)), ((4,), (24,), (24,))]),
        (tl.layout("{0:T(3,*,1,4)(*,4,2)}", (6,)), [((2,), (4, 8)), ((8,), (2,), (8,)), ((2,), (4, 8), (8,))]),
        (tl.layout("{0:T(8192)(128)(2,1)}", (8,)), []),
        (tl.layout("{0,1:T(4,4)(3)}", (12, 12)), [((4, 1), (3, 4, 6, 1)), ((12, 4), (4, 1), (6, 1)), ((12, 1), (4, 4, 1), (6, 1))]),
        (tl.Layout((7,), [(0, 4, 2, 1), (0, 2, 2, 2), (0, 1, 2, 4)], slots=16), [((4,), (2,), (2, 2, 4), (2, 2, 1), (2, 1, 1))]),
        (
            tl.layout("{2,3,1,0:T(2,4,1,2)}", (8, 12, 7, 5)),
            [((2, 4, 8, 1), (2, 4, 2, 1)), ((8, 1), (2, 4, 1, 1, 2, 1)), ((4, 8, 1), (2, 1, 1, 1, 4, 2, 1))],
        ),
        (
            tl.layout("{0,1,2:T(8,128)(2,1)}", (130, 9, 16)),
            [
                ((128, 16, 1), (2, 1, 1, 128, 8, 1), (128, 2, 1)),
                ((256, 16, 1), (256, 8, 1), (128, 2, 1)),
                ((16, 1), (256, 1, 1, 8, 1), (128, 1, 1, 2, 1)),
            ],
        ),
        (
            tl.Layout((2, 24), [(0, 1, 2, 1), (1, 1, 3, 2), (1, 12, 2, 6), (1, 3, 4, 12)], slots=96),
            [((12,), (3,), (2, 2, 8, 3), (2, 2, 1, 3), (2, 1, 1, 1))],
        ),
    ],
)
def test_the_first_tiles_of_axes_in_row_major_order(layout, tiles):
    """The fewest first."""
    assert list(islice(row_major_tiles(layout), 3)) == tiles


def test_how_many_slots_a_layout_would_take():
    layout = tl.Layout((8, 24), [(1, 8, 3, 1), (0, 4, 2, 4), (1, 1, 2, 8), (0, 1, 4, 16), (1, 2, 4, 64)])
    with pytest.raises(NotExpressible, match="make a buffer of 256 slots"):
        xla.express(layout)


def test_only_layouts_are_expressed():
    with pytest.raises(tl.LayoutError, match="Layout"):
        xla.express("f32[3]")
