"""Three implementations, one answer, over small spaces: kernels, ``reference.py``, and pads, reshapes and transposes of numpy.

docs/trust.md lists the spaces. What is too large for an ordinary run is walked in steps, the same every time;
``THREE_WAYS=all`` in the environment walks it to the end.
"""

from itertools import combinations_with_replacement, pairwise, permutations, product
from math import prod

import numpy as np
import pytest

import three_ways
import tilelayout as tl
from cute_search import best_agreement, without_kernel
from tilelayout import LayoutError, NotInjective, cute
from tilelayout.notations import morello, xla

pytestmark = pytest.mark.slow

EXTENTS = (1, 2, 3, 4, 5)
SHAPES = {rank: list(product(EXTENTS, repeat=rank)) for rank in (0, 1, 2, 3)}
#: Every tile of up to three dimensions of up to 5, stars among them, that does not end in a star.
TILES = [(*head, last) for rank in (1, 2, 3) for head in product((*EXTENTS, "*"), repeat=rank - 1) for last in EXTENTS]
TILINGS = {0: [()], 1: [(tile,) for tile in TILES], 2: list(product(TILES, repeat=2))}


def xla_space(rank, levels):
    """How many layouts there are of that rank with so many tiles, and the k-th of them."""
    axes = [*product(SHAPES[rank], permutations(range(rank)))]

    def case(k):
        at, tiling = divmod(k, len(TILINGS[levels]))
        return *axes[at], TILINGS[levels][tiling]

    return len(axes) * len(TILINGS[levels]), case


def xla_text(order, tiles):
    written = "".join(f"({','.join(map(str, tile))})" for tile in tiles)
    return f"{{{','.join(map(str, order))}{':T' if tiles else ''}{written}}}"


def test_the_sizes_of_the_spaces_of_xla():
    assert [sum(xla_space(rank, levels)[0] for rank in SHAPES) for levels in TILINGS] == [806, 173_290, 37_257_350]
    assert sum(map(len, SHAPES.values())) * len(TILINGS[2]) == 7_211_100


@pytest.mark.parametrize("rank", SHAPES)
@pytest.mark.parametrize(("levels", "most"), [(0, 1000), (1, 11_000)])
def test_every_xla_layout(rank, levels, most):
    size, case = xla_space(rank, levels)
    for k in three_ways.walk(size, most):
        shape, order, tiles = case(k)
        three_ways.agree(tl.layout(xla_text(order, tiles), shape), three_ways.xla(shape, order, tiles), shape, k)


@pytest.mark.parametrize("sizes", [sizes for rank in SHAPES for sizes in combinations_with_replacement(EXTENTS, rank)], ids=str)
def test_every_pair_of_tiles(sizes):
    """On arrays whose dimensions are these, in every order in memory, with axes in every order.

    Rows are compared with numpy one by one, and of those that come to the same digits the first is asked everything. Any other order has
    the digits of rows with other axes in them; of every tenth pair it is asked as well.
    """
    orders, known = list(permutations(reversed(range(len(sizes))))), {}
    arrangements = [(order, *renamed(physical, order)) for physical in {*permutations(sizes)} for order in orders]
    for k in three_ways.walk(len(TILINGS[2]), 60):
        tiles = TILINGS[2][k]
        formats = {order: xla.parse(xla_text(order, tiles)) for order in orders}
        for order, shape, numbers in arrangements:
            layout = formats[order].bind(shape)
            if order == orders[0]:
                rows, table = layout, three_ways.tiled(three_ways.numbered(shape), tiles)
                digits, found = hash((shape, layout.digits, layout.slots)), hash(table.tobytes())
                if digits not in known:
                    three_ways.agree(layout, table, shape, k)
                assert known.setdefault(digits, found) == found, repr(layout)
            else:
                assert (layout.shape, layout.slots) == (shape, rows.slots), repr(layout)
                assert layout.digits == tuple(named(digit, order[::-1]) for digit in rows.digits), repr(layout)
                if k % 10 == 0:
                    three_ways.agree_compiled(layout, numbers[table], shape, k)


def renamed(physical, order):
    """The shape whose axes lie in memory in that order with those dimensions, and by the numbers of elements in memory those in it."""
    axes = order[::-1]
    shape = tuple(physical[axes.index(axis)] for axis in range(len(axes)))
    return shape, np.append(0, three_ways.numbered(shape).transpose(axes))


def named(digit, axes):
    """A digit of memory as one of the axes that lie there."""
    match digit.axis:
        case int(place):
            return digit._replace(axis=axes[place])
        case tuple(terms):
            return digit._replace(axis=tuple(named(term, axes) for term in terms))
    return digit


KINDS = [("d", 0), *(("p", n) for n in (2, 3, 4, 5, 6)), *(("oe", n) for n in (2, 4, 6))]
#: Of how many axes, the largest extent, how many layouts that apply, and the step of an ordinary run.
MORELLO_SPACES = [(0, 1, 1, 1), (1, 24, 2401, 1), (2, 6, 140_057, 23), (3, 3, 757_054, 127)]


def morello_text(dims):
    return f"[{', '.join(str(dim) if kind == 'd' else f'{dim} {kind}({n})' for dim, kind, n in dims)}]"


def every_morello(shape, most, inner=()):
    """Every list of up to so many physical dimensions that applies to the shape, grown outwards from the fastest."""
    if three_ways.physical(inner, shape) is not None:
        yield inner
    if len(inner) == most:
        return
    for dim, (kind, n) in product(range(len(shape)), KINDS):
        grown = ((dim, kind, n), *inner)
        rest = [(axis, "d", 0) for axis in range(len(shape)) if (axis, "d", 0) not in grown]  # takes all that is left
        if is_defined(grown) and three_ways.physical([*rest, *grown], shape) is not None:
            yield from every_morello(shape, most, grown)


def is_defined(dims):
    """Whether no two odd-even dimensions of one axis lie side by side, which Morello leaves undefined."""
    return not any(a[:2] == b[:2] == (a[0], "oe") for a, b in pairwise(dims))


@pytest.mark.parametrize(("rank", "largest", "count", "step"), MORELLO_SPACES)
def test_every_morello_layout(rank, largest, count, step):
    begin, every = three_ways.share(step)
    seen = 0
    for shape in product(range(1, largest + 1), repeat=rank):
        for dims in every_morello(shape, 4):
            if seen % every == begin:
                layout = morello.parse(morello_text(dims), normalized=False).bind(shape)
                three_ways.agree(layout, three_ways.morello(dims, shape), shape, seen)
            seen += 1
    assert seen == count


def test_morello_layouts_that_do_not_apply():
    """Every list of up to three dimensions over two axes: taken or refused as the rules say, on every shape up to (6, 6)."""
    entries = [(dim, *kind) for dim in range(2) for kind in KINDS]
    lists = [dims for n in range(4) for dims in product(entries, repeat=n)]
    shapes = [*product(range(1, 7), repeat=2)]
    applied = refused = 0
    for k in three_ways.walk(len(lists) * len(shapes), 20_000):
        dims, shape = lists[k // len(shapes)], shapes[k % len(shapes)]
        try:
            bound = morello.parse(morello_text(dims), normalized=False).bind(shape)
        except LayoutError:
            assert not is_defined(dims) or three_ways.physical(dims, shape) is None, (dims, shape)
            refused += 1
        else:
            assert bound.slots == len(three_ways.morello(dims, shape)), (dims, shape)
            applied += 1
    assert applied
    assert refused > applied


CUTE_MODES = [[*product(product((1, 2, 3, 4), range(stride)), repeat=rank)] for rank, stride in ((1, 13), (2, 9), (3, 7))]
#: Modes by axis: flat, and those in one bracket.
NESTS = {1: [((0,),)], 2: [((0,), (1,)), ((0, 1),)], 3: [((0,), (1,), (2,)), ((0, 1), (2,)), ((0,), (1, 2)), ((0, 1, 2),)]}


def test_every_cute_layout():
    """Flat and nested, injective or not, of up to three modes of up to 4."""
    space = [(modes, nest) for listed in CUTE_MODES for modes in listed for nest in NESTS[len(modes)]]
    assert len(space) == 90_452
    for k in three_ways.walk(len(space), 8000):
        modes, nest = space[k]
        axes = [[modes[m] for m in group] for group in nest]
        shape = tuple(prod(extent for extent, _ in axis) for axis in axes)
        place = np.zeros((), np.int64)
        for axis, size in zip(axes, shape, strict=True):
            place = np.add.outer(place, three_ways.cute(axis, np.arange(size)))
        layout = tl.layout("cute:" + cute_text(axes))
        if len(np.unique(place)) == place.size:
            table = np.zeros(int(place.max()) + 1, np.int64)
            table[place] = three_ways.numbered(shape)
            three_ways.agree(layout, table, shape, k)
        else:
            assert np.array_equal(layout.offsets(), place)
            with pytest.raises(NotInjective):
                tl.pack(np.zeros(shape), layout)


def cute_text(axes):
    extents, strides = (",".join(f"({','.join(str(mode[part]) for mode in axis)})" for axis in axes) for part in (0, 1))
    return f"({extents}):({strides})"


#: Layouts of one mode and of two, as a pair of which compositions are made.
PAIRED = [modes for rank in (1, 2) for modes in product(product((1, 2, 3, 4), (0, 1, 2, 3, 4, 6, 8)), repeat=rank)]


@pytest.mark.parametrize("half", ["compiled", "python"])
def test_every_composition_of_two_modes(half, monkeypatch):
    """A composition is the function that numpy gathers, or there is no layout for it, as trying every layout shows."""
    if half == "python":
        without_kernel(monkeypatch)
    found = refused = 0
    for k in three_ways.walk(len(PAIRED) ** 2, 15_000):
        a, b = PAIRED[k // len(PAIRED)], PAIRED[k % len(PAIRED)]
        left, right = (cute.Layout(*zip(*modes, strict=True)) for modes in (a, b))
        function = three_ways.cute(a, three_ways.cute(b, np.arange(right.size)))
        try:
            result = cute.composition(left, right)
        except LayoutError:
            assert best_agreement(left, right) < right.size, (a, b)
            refused += 1
            continue
        assert cute.product_each(result.shape) == tuple(extent for extent, _ in b), (a, b)
        assert np.array_equal(three_ways.cute(result.flat, np.arange(right.size)), function), (a, b)
        assert [result(c) for c in range(right.size)] == function.tolist(), (a, b)
        found += 1
    assert found > refused > 0
