"""Digits as loops, by the kernel: against coordinates that are walked, and against the network that queries run on."""

from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from strategies import layouts, strided_layouts
from tilelayout import reference
from tilelayout._kernels import loops as kernel
from tilelayout.loops import in_bytes, in_strides, refined
from tilelayout.network import Wiring
from tilelayout.radix import Digit

some = st.one_of(layouts(), strided_layouts()).filter(lambda layout: 0 < layout.size <= 500)


def walked(loops, shape):
    """Where each element is read and written, by its coordinates."""
    found = {}
    for steps in product(*(range(loop.n) for loop in loops)):
        at = [0] * (len(shape) + 1)
        for k, loop in zip(steps, loops, strict=True):
            at[loop.axis] += k * loop.divisor
        *coordinates, beyond = at
        if not beyond and all(x < n for x, n in zip(coordinates, shape, strict=True)):
            assert tuple(coordinates) not in found
            found[tuple(coordinates)] = tuple(
                sum(k * getattr(loop, side) for k, loop in zip(steps, loops, strict=True)) for side in ("source", "target")
            )
    return found


@given(st.data(), some, st.sampled_from([1, 2, 16]), st.booleans())
def test_loops_reach_every_element_once(data, layout, width, padded):
    strides = data.draw(st.tuples(*(st.integers(-50, 50) for _ in layout.shape)))
    loops = refined(layout.shape, in_strides(layout.shape, strides), in_bytes(layout.digits, width), padded=padded)
    assume(loops is not None)
    start = reference.slot((0,) * layout.ndim, layout.digits)
    assert walked(loops, layout.shape) == {
        x: (sum(map(int.__mul__, x, strides)), width * (reference.slot(x, layout.digits) - start))
        for x in product(*map(range, layout.shape))
    }


@given(some)
def test_digits_fall_apart_where_the_network_does(layout):
    told = kernel.fall_apart(layout.digits, layout.shape)
    if any(isinstance(digit.axis, tuple) and digit.axis for digit in layout.digits):
        assert not told
    else:
        assert told == Wiring(layout.shape, layout.canonical, layout.slots)._gives_all(by_bits=False)


@pytest.mark.parametrize("digit", [Digit(0, 1, 2, 2**63), Digit(0, 2**62, 4, 1), Digit(0, 1, 2**64, 1)])
def test_what_is_beyond_64_bits_is_left_to_others(digit):
    shape = (2**62 + 1,)
    assert refined(shape, in_strides(shape, (1,)), [digit], padded=True) is None
    assert not kernel.fall_apart([digit], shape)
