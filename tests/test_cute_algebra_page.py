"""Every numeric example of CUTLASS's documentation page "CuTe Layout Algebra" (media/docs/cpp/cute/02_layout_algebra.md).

Where the page writes modes of extent 1 that CuTe's code does not, or has a slip of the pen, the answer is that of the code,
and a comment says what the page has.
"""

import pytest

from tilelayout import LayoutError, cute
from tilelayout.cute import Layout

parse = cute.parse


def offsets(layout):
    return [layout(i) for i in range(layout.size)]


def test_coalesce():
    layout = Layout((2, (1, 6)), (1, (6, 2)))
    assert str(cute.coalesce(layout)) == "12:1"
    # "s0:d0 ++ _1:d1 => s0:d0", "_1:d0 ++ s1:d1 => s1:d1", "s0:d0 ++ s1:s0*d0 => s0*s1:d0", and else neighbours stay
    assert str(cute.coalesce(Layout((5, 1), (3, 7)))) == "5:3"
    assert str(cute.coalesce(Layout((1, 5), (7, 3)))) == "5:3"
    assert str(cute.coalesce(Layout((5, 2), (3, 15)))) == "10:3"
    assert str(cute.coalesce(Layout((5, 2), (3, 7)))) == "(5,2):(3,7)"
    assert cute.coalesce(Layout((2, 4), (1, 2))) == Layout(8, 1)


def test_by_mode_coalesce():
    layout = Layout((2, (1, 6)), (1, (6, 2)))
    result = cute.coalesce(layout, (1, 1))
    assert str(result) == "(2,6):(1,2)"
    assert result == cute.make_layout(cute.coalesce(layout[0]), cute.coalesce(layout[1]))


def test_composition_table():
    a, b = Layout((6, 2), (8, 2)), Layout((4, 3), (3, 1))
    result = cute.composition(a, b)
    assert [b(i) for i in range(12)] == [0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11]
    assert offsets(result) == [0, 24, 2, 26, 8, 32, 10, 34, 16, 40, 18, 42]
    assert str(result) == "((2,2),3):((24,2),8)"
    assert cute.compatible(b, result)


@pytest.mark.parametrize(
    ("shape", "divisor", "rest"),
    [
        ((6, 2), 2, (3, 2)),
        ((6, 2), 3, (2, 2)),
        ((6, 2), 6, (1, 2)),
        ((6, 2), 12, (1, 1)),
        ((3, 6, 2, 8), 3, (1, 6, 2, 8)),
        ((3, 6, 2, 8), 6, (1, 3, 2, 8)),
        ((3, 6, 2, 8), 9, (1, 2, 2, 8)),
        ((3, 6, 2, 8), 72, (1, 1, 1, 4)),
        ((42, 16, 3), 2, (21, 16, 3)),
        ((42, 16, 3), 6, (7, 16, 3)),
    ],
)
def test_dividing_out(shape, divisor, rest):
    assert cute.shape_div(shape, divisor) == rest
    # "every d-th element": the composition with as many as there are has the extents above 1
    every = cute.composition(Layout(shape, tuple(10 ** (k + 3) for k in range(len(shape)))), Layout(cute.size(rest), divisor))
    assert cute.flatten_to_tuple(every.shape) == (tuple(extent for extent in rest if extent > 1) or (1,))


@pytest.mark.parametrize(
    ("shape", "count", "kept"),
    [
        ((6, 2), 2, (2, 1)),
        ((6, 2), 3, (3, 1)),
        ((6, 2), 6, (6, 1)),
        ((6, 2), 12, (6, 2)),
        ((3, 6, 2, 8), 6, (3, 2, 1, 1)),
        ((3, 6, 2, 8), 9, (3, 3, 1, 1)),
        ((1, 2, 2, 8), 2, (1, 2, 1, 1)),
        ((1, 2, 2, 8), 16, (1, 2, 2, 4)),
    ],
)
def test_modding_out(shape, count, kept):
    assert cute.shape_mod(shape, count) == kept
    first = cute.composition(Layout(shape, tuple(10 ** (k + 3) for k in range(len(shape)))), Layout(count, 1))
    assert cute.flatten_to_tuple(first.shape) == tuple(extent for extent in kept if extent > 1)


def test_composition_of_a_reshape():
    """Example 1: ``20:2 o (5,4):(4,1)``, step by step."""
    a = Layout(20, 2)
    assert str(cute.composition(a, Layout(5, 4))) == "5:8"
    assert str(cute.composition(a, Layout(4, 1))) == "4:2"
    assert str(cute.composition(a, Layout((5, 4), (4, 1)))) == "(5,4):(8,2)"


def test_composition_of_a_matrix():
    """Example 2: ``(10,2):(16,4) o (5,4):(1,5)``; the page has (5,1):(16,4) for the first step, which it coalesces to 5:16."""
    a = Layout((10, 2), (16, 4))
    assert str(cute.composition(a, Layout(5, 1))) == "5:16"
    assert str(cute.composition(a, Layout(4, 5))) == "(2,2):(80,4)"
    assert str(cute.composition(a, Layout((5, 4), (1, 5)))) == "(5,(2,2)):(16,(80,4))"


def test_composition_by_mode():
    a = parse("(12,(4,8)):(59,(13,1))")
    result = cute.composition(a, parse("<3:4, 8:2>"))
    assert str(result) == "(3,(2,4)):(236,(26,1))"
    assert result == cute.make_layout(cute.composition(a[0], Layout(3, 4)), cute.composition(a[1], Layout(8, 2)))


def test_composition_with_a_shape():
    a = parse("(12,(4,8)):(59,(13,1))")
    assert str(cute.composition(a, (3, 8))) == "(3,(4,2)):(59,(13,1))"
    assert cute.composition(a, (3, 8)) == cute.composition(a, (Layout(3, 1), Layout(8, 1)))


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        ("4:1", "6:4"),
        ("6:4", "4:1"),
        ("(4,6):(1,4)", "1:0"),
        ("4:2", "(2,3):(1,8)"),
        ("(2,4):(1,6)", "3:2"),
        ("(2,2):(1,6)", "(3,2):(2,12)"),
    ],
)
def test_complements_in_24(layout, expected):
    first = parse(layout)
    rest = cute.complement(first, 24)
    assert str(rest) == expected
    both = cute.make_layout(first, rest)
    assert sorted(offsets(both)) == list(range(24))


def test_logical_divide_of_a_vector():
    """The page's tables of ``B*``, ``(B, B*)`` and the result, for A = (4,2,3):(2,1,8); older editions print A as (2,4,3):(4,1,8)."""
    a, b = Layout((4, 2, 3), (2, 1, 8)), Layout(4, 2)
    rest = cute.complement(b, a.size)
    assert str(rest) == "(2,3):(1,8)"
    assert str(cute.make_layout(b, rest)) == "(4,(2,3)):(2,(1,8))"
    assert str(cute.logical_divide(a, b)) == "((2,2),(2,3)):((4,1),(2,8))"
    older = cute.logical_divide(Layout((2, 4, 3), (4, 1, 8)), b)
    assert str(older) == "(4,(2,3)):(1,(4,8))"


NINE_BY_32 = "(9,(4,8)):(59,(13,1))"
TILER = "<3:3, (2,4):(1,8)>"


def test_logical_divide_of_a_matrix():
    a, tiler = parse(NINE_BY_32), parse(TILER)
    result = cute.logical_divide(a, tiler)
    assert str(result) == "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))"
    # the page has (3,(2,4)):(236,(13,52)) for the tile, of another example's strides; it is the composition in any case
    assert cute.make_layout(result[0, 0], result[1, 0]) == cute.composition(a, tiler) == parse("(3,(2,4)):(177,(13,2))")
    assert [cute.size(result, mode=[0, k]) for k in (0, 1)] == [3, 3]
    assert [cute.size(result, mode=[1, k]) for k in (0, 1)] == [8, 4]


def test_zipped_divide():
    a, tiler = parse(NINE_BY_32), parse(TILER)
    zipped = cute.zipped_divide(a, tiler)
    assert str(zipped) == "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))"
    assert cute.product_each(zipped.shape) == (24, 12)
    assert (zipped(0, 3), zipped(0, 7), zipped(0, (1, 2))) == (26, 60, 60)
    assert zipped[0] == cute.composition(a, tiler)


def test_arrangements_of_a_division():
    """The table of shapes: ``(M,N,L,...)`` by ``<TileM,TileN>``."""
    a, tiler = Layout((8, 6, 5)), (4, 2)
    assert cute.logical_divide(a, tiler).shape == ((4, 2), (2, 3), 5)
    assert cute.zipped_divide(a, tiler).shape == ((4, 2), (2, 3, 5))
    assert cute.tiled_divide(a, tiler).shape == ((4, 2), 2, 3, 5)
    assert cute.flat_divide(a, tiler).shape == (4, 2, 2, 3, 5)


def test_logical_product_of_a_vector():
    a, b = Layout((2, 2), (4, 1)), Layout(6, 1)
    rest = cute.complement(a, 6 * 4)
    assert str(rest) == "(2,3):(2,8)"
    assert str(cute.composition(rest, b)) == "(2,3):(2,8)"
    product = cute.logical_product(a, b)
    assert str(product) == "((2,2),(2,3)):((4,1),(2,8))"
    assert product == cute.logical_divide(Layout((4, 2, 3), (2, 1, 8)), Layout(4, 2))
    # "8 repeated tiles instead of 6 and the tiles are in a different order"
    other = cute.logical_product(a, Layout((4, 2), (2, 1)))
    assert str(other) == "((2,2),(4,2)):((4,1),(8,2))"


def test_logical_product_by_mode():
    """A 2x5 row-major block across a 3x4 column-major arrangement, with the tiler <3:5, 4:6>."""
    result = cute.logical_product(parse("(2,5):(5,1)"), parse("<3:5, 4:6>"))
    assert str(result) == "((2,3),(5,4)):((5,10),(1,30))"


def test_blocked_and_raked_product():
    block, arrangement = parse("(2,5):(5,1)"), parse("(3,4):(1,3)")
    blocked = cute.blocked_product(block, arrangement)
    assert str(blocked) == "((2,3),(5,4)):((5,10),(1,30))"
    assert blocked == cute.logical_product(block, parse("<3:5, 4:6>"))
    # the page's figure is "coalesced for us"; the code does not coalesce
    assert str(cute.coalesce(blocked, (1, 1))) == "(6,(5,4)):(5,(1,30))"
    assert str(cute.raked_product(block, arrangement)) == "((3,2),(4,5)):((10,5),(30,1))"


def test_arrangements_of_a_product():
    a, tiler = Layout((4, 2, 5)), (Layout(3, 2), Layout(2, 3))
    assert [str(layout.shape).replace(" ", "") for layout in (cute.logical_product(a, tiler), cute.zipped_product(a, tiler))] == [
        "((4,3),(2,2),5)",
        "((4,2),(3,2,5))",
    ]
    assert cute.tiled_product(a, tiler).shape == ((4, 2), 3, 2, 5)
    assert cute.flat_product(a, tiler).shape == (4, 2, 3, 2, 5)


def test_divisibility():
    """The symbolic examples of the page, with numbers: ``(3,6,2,8):(w,x,y,z)``."""
    w, x, y, z = 10007, 1009, 101, 11
    a = Layout((3, 6, 2, 8), (w, x, y, z))
    assert cute.composition(a, Layout(16, 9)) == Layout((2, 2, 4), (3 * x, y, z))  # the page has (1,2,2,4):(9*w,3*x,y,z)
    assert cute.composition(a, Layout(4, 72)) == Layout(4, 2 * z)  # the page has (1,1,1,4) for the shape
    with pytest.raises(LayoutError, match="at c = 3 "):
        cute.composition(a, Layout(16, 4))
