"""Modes in and out of tuples and layouts, and layouts made of shapes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies_cute import layouts, like, nests, shapes, swizzled
from tilelayout import CoordinateError, LayoutError, cute
from tilelayout.cute import ComposedLayout, E, Layout, Swizzle


def modes(value):
    return [value[i] for i in range(value.rank)]


@given(layouts() | swizzled(), st.data())
def test_chosen_modes_are_the_modes(layout, data):
    numbers = data.draw(st.lists(st.integers(0, max(0, layout.rank - 1)), max_size=3)) if layout.rank else []
    assert modes(cute.select(layout, numbers)) == [cute.get(layout, n) for n in numbers]
    if layout.rank:
        begin = data.draw(st.integers(0, layout.rank - 1))
        end = data.draw(st.integers(begin + 1, layout.rank))
        assert modes(cute.take(layout, begin, end)) == modes(layout)[begin:end]
        grouped = cute.group_modes(layout, begin, end)
        assert modes(grouped)[:begin] + modes(grouped[begin]) + modes(grouped)[begin + 1 :] == modes(layout)


@given(layouts() | swizzled())
def test_regrouping_keeps_the_function(layout):
    flat = cute.flatten(layout)
    assert flat.depth <= 1
    assert [flat(i) for i in range(flat.size)] == [layout(i) for i in range(layout.size)]
    for longer in (cute.append(layout), cute.append(layout, up_to_rank=layout.rank + 2), cute.prepend(layout)):
        assert [longer(i) for i in range(longer.size)] == [layout(i) for i in range(layout.size)]
    assert cute.append(layout, up_to_rank=max(1, layout.rank)).rank == max(1, layout.rank)


@given(layouts(), layouts())
def test_modes_added_and_replaced(layout, mode):
    assert modes(cute.append(layout, mode)) == [*modes(layout), mode]
    assert modes(cute.prepend(layout, mode)) == [mode, *modes(layout)]
    if layout.rank:
        assert cute.append(layout, mode, up_to_rank=layout.rank) == layout
        assert modes(cute.replace(layout, layout.rank - 1, mode)) == [*modes(layout)[:-1], mode]


@given(st.data())
def test_zipping_twice_is_nothing(data):
    pairs = data.draw(st.lists(st.tuples(nests(st.integers(0, 9)), nests(st.integers(0, 9))), min_size=1, max_size=4).map(tuple))
    first, second = cute.zip_(pairs)
    assert (first, second) == (tuple(a for a, _ in pairs), tuple(b for _, b in pairs))
    assert cute.zip_(first, second) == pairs
    assert cute.zip2_by((*pairs, 7), (None,) * len(pairs)) == (first, (*second, 7))


def test_zipped_layouts():
    left, right = cute.parse("((2,3),5):((1,2),6)"), cute.parse("(7,8):(100,700)")
    assert str(cute.zip_(left, right)) == "(((2,3),7),(5,8)):(((1,2),100),(6,700))"
    divided = cute.parse("((2,(3,4)),(5,6),7):((1,(2,6)),(24,120),720)")
    assert str(cute.zip2_by(divided, (1, 1))) == "((2,5),((3,4),6,7)):((1,24),((2,6),120,720))"


@pytest.mark.parametrize(
    "call",
    [
        lambda: cute.get((4, 8), 2),
        lambda: cute.select((4, 8, 2), [3]),
        lambda: cute.select(Layout((4, 8)), [-1]),
        lambda: cute.replace((4, 8), 2, 1),
        lambda: cute.take((4, 8), 1, 3),
        lambda: cute.take((4, 8), 1, 1),
        lambda: cute.group_modes((4, 5, 6), 2, 1),
        lambda: cute.group_modes((4, 5, 6), -1, 2),
    ],
)
def test_modes_that_are_not_there(call):
    with pytest.raises(CoordinateError, match=r"index|begin"):
        call()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: cute.append((4, 8), 1, up_to_rank=0), "expects a rank of 1 to 65536, got 0"),
        (lambda: cute.append(Layout((4, 8)), 1), "to a layout belong modes that are layouts"),
        (lambda: cute.prepend((4, 8), Layout(1, 0)), "the two do not mix"),
        (lambda: cute.select(Swizzle(3, 4, 3), [0]), "S<3,4,3>: .* the two do not mix"),
        (
            lambda: cute.append(cute.parse("S<1,4,3> o 5 o (1,2):(3,4)"), cute.parse("S<1,4,3> o 5 o (1,2):(1,0)")),
            "to a layout belong modes that are layouts",
        ),
        (lambda: cute.zip_((1, 2), (1, 2, 3)), "differ in rank"),
        (lambda: cute.zip2_by(((1, 2), 3), (1, 1)), "3 is no pair of modes"),
        (lambda: cute.zip2_by(((1, 2),), (1, 1)), "the guide has rank 2, more than rank 1"),
        (lambda: cute.make_layout(Layout(4), 4), "bring their strides, got 4:1, 4"),
        (lambda: cute.make_layout(Layout(4), stride=1), "bring their strides, got 4:1"),
        (lambda: cute.make_layout(4, 1, 2), "takes a shape and one stride, or layouts, got 4, 1, 2"),
        (
            lambda: cute.make_layout(Layout(4), ComposedLayout(Swizzle(1, 0, 1), 0, Layout(4))),
            "their strides, got 4:1, S<1,0,1>",
        ),
    ],
)
def test_modes_that_do_not_fit(call, said):
    with pytest.raises(LayoutError, match=said):
        call()


@given(st.data())
def test_ordered_layouts_are_compact_and_in_order(data):
    shape = data.draw(shapes)
    order = data.draw(like(shape, st.integers(-3, 3)))
    layout = cute.make_ordered_layout(shape, order)
    assert sorted(layout(i) for i in range(layout.size)) == list(range(layout.size))
    ranked = sorted(zip(cute.flatten_to_tuple(order), layout.flat, strict=True), key=lambda item: item[0])
    steps = [stride for _, (extent, stride) in ranked if extent > 1]
    assert steps == sorted(steps)
    assert all(stride == 0 for extent, stride in layout.flat if extent == 1)


@given(layouts())
def test_layouts_alike(layout):
    """The shape, the order of the strides, no room between, and broadcasts as they were."""
    alike = cute.make_layout_like(layout)
    assert alike.shape == layout.shape
    real = [(abs(d), e) for (s, d), (_, e) in zip(layout.flat, alike.flat, strict=True) if s > 1]
    assert all((d == 0) == (e == 0) for d, e in real)
    assert [e for _, e in sorted(real, key=lambda pair: pair[0])] == sorted(e for _, e in real)
    assert sorted({alike(i) for i in range(alike.size)}) == list(range(alike.cosize))
    assert cute.make_layout_like(alike) == alike


def test_a_fragment_keeps_broadcasts_of_its_first_mode_and_the_order_of_the_others():
    assert cute.make_fragment_like(Layout((2, (2, 2)), (0, (4, 1)))) == Layout((2, (2, 2)), (0, (2, 1)))
    assert cute.make_fragment_like(Layout(((2, 2), 3), ((1, 2), 0))) == Layout(((2, 2), 3), ((1, 2), 4))
    assert cute.make_fragment_like(Layout((4,), (0,))) == Layout((4,))  # include/cute/layout.hpp: one mode is made compact


@given(layouts())
def test_fragments(layout):
    fragment = cute.make_fragment_like(layout)
    assert fragment.shape == layout.shape
    assert sorted({fragment(i) for i in range(fragment.size)}) == list(range(fragment.cosize))
    if layout.rank > 1:
        first = [e for (s, _), (_, e) in zip(layout[0].flat, fragment[0].flat, strict=True) if e]
        assert first == sorted(first)
        assert fragment[0].cosize <= min([e for mode in modes(fragment)[1:] for s, e in mode.flat if s > 1], default=fragment.cosize)


def test_ranks_that_are_reached():
    assert cute.append((4, 8)) == (4, 8, 1)
    assert cute.prepend(Layout(4, 2)) == Layout((1, 4), (0, 2))
    assert cute.rank(cute.append(4, up_to_rank=65536)) == 65536
    with pytest.raises(LayoutError, match="a rank of 1 to 65536, got 65537"):
        cute.append(4, up_to_rank=65537)


def test_layouts_made_of_layouts_bring_their_strides():
    for parts, stride in (((Layout(4), 4), None), ((Layout(4),), 1), ((4, Layout(4), 1), None)):
        with pytest.raises(LayoutError, match="bring their strides"):
            cute.make_layout(*parts, stride=stride)
    with pytest.raises(LayoutError, match="takes a shape and one stride"):
        cute.make_layout((4, 8), (8, 1), stride=(1, 4))


def test_orders():
    assert str(cute.make_ordered_layout((2, 3), (5, 5))) == "(2,3):(1,2)"
    assert str(cute.make_ordered_layout((4, (2, 3)), (1, 0))) == "(4,(2,3)):(6,(1,2))"
    assert cute.row_major((2, (3, 4))) == cute.make_ordered_layout((2, (3, 4)), (2, (1, 0)))
    for order in ((0, 1, 2), (0, (1, 2))):
        with pytest.raises(LayoutError, match="order"):
            cute.make_ordered_layout((4, 2), order)


def test_layouts_without_integer_strides_give_no_order():
    for layout in (Layout((4, 2), (E(0), E(1))), ComposedLayout(Layout((4, 5)), 2, Layout((2, 3))), (4, 2)):
        with pytest.raises(LayoutError, match="integer strides"):
            cute.make_layout_like(layout)
    assert str(cute.make_layout_like(cute.parse("S<3,4,3> o 6 o (8,2):(2,16)"))) == "(8,2):(1,8)"
