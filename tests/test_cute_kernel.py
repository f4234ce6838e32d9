"""The compiled algebra: wherever it answers, it answers as the search that it saves."""

from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tilelayout as tl
from strategies_cute import layouts
from tilelayout import cute
from tilelayout._kernels import modes

coalescing, complementing, composing, dividing = (
    import_module(f"tilelayout.cute.algebra.{name}") for name in ("coalesce", "complement", "composition", "divide")
)


class Undecided:
    """A kernel that leaves everything to the search."""

    coalesce = composition = complement = divide = staticmethod(lambda *_: None)


@pytest.fixture(scope="module")
def searched():
    """The operations without the kernel."""

    def without(module, operation):
        def run(*arguments):
            with pytest.MonkeyPatch.context() as patch:
                for each in (coalescing, complementing, composing, dividing):
                    patch.setattr(each, "kernel", Undecided)
                try:
                    return getattr(module, operation)(*arguments)
                except tl.LayoutError as error:
                    return error

        return run

    return without


def agrees(quick, slow):
    return quick is None or (isinstance(slow, cute.Layout) and (quick.shape, quick.stride) == (slow.shape, slow.stride))


@given(layout=layouts())
def test_coalesce(searched, layout):
    assert agrees(modes.coalesce(layout), searched(coalescing, "coalesce")(layout))


@given(a=layouts(), b=layouts())
def test_composition(searched, a, b):
    assert agrees(modes.composition(a, b), searched(composing, "layout_after")(a, b))


@given(layout=layouts(), size=st.integers(1, 500))
def test_complement(searched, layout, size):
    assert agrees(modes.complement(layout, size), searched(complementing, "complement")(layout, size))


@given(layout=layouts(), tiler=layouts())
def test_divide(searched, layout, tiler):
    assert agrees(modes.divide(layout, tiler), searched(dividing, "logical_divide")(layout, tiler))


def test_it_does_answer():
    a, b = cute.Layout((128, 128), (128, 1)), cute.Layout((4, 8), (1, 16))
    assert str(modes.composition(a, b)) == "(4,8):(128,2048)"
    assert str(modes.complement(cute.Layout((4, 8), (8, 1)), 16384)) == "512:32"
    assert modes.divide(a, b) is not None
    assert str(modes.coalesce(cute.Layout((2, (1, 6)), (1, (6, 2))))) == "12:1"


def test_what_does_not_fit_is_left_to_the_search():
    assert modes.composition(cute.Layout(4, 2**40), cute.Layout(2, 2**30)) is None
    assert modes.composition(cute.Layout((4, 6, 8), (2, 3, 5)), cute.Layout(6, 3)) is None
    assert modes.complement(cute.Layout((3, 3), (1, 2)), 24) is None


@given(layouts(), st.data())
def test_calls_agree_with_the_sum_of_the_leaves(layout, data):
    index = data.draw(st.integers(0, layout.size - 1))
    rest, total = index, 0
    for extent, stride in layout.flat:
        total += rest % extent * stride
        rest //= extent
    assert layout(index) == total == layout(cute.idx2crd(index, layout.shape))
    if layout.rank > 1:
        assert layout(*cute.idx2crd(index, layout.shape)) == total
