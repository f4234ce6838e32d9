"""From digits to bases."""

from __future__ import annotations

from ... import digits
from ...bitwise import bits, inverted, transposed
from ...places import refusal
from ...verifying import first_equal
from .layout import MOST_BITS, Basis, LinearLayout

_TRITON = "bases of a linear layout"


def express(layout: digits.Layout) -> LinearLayout:
    """The layout as bases of offsets in shared memory.

    >>> import tilelayout as tl
    >>> print(express(tl.layout("S<1,0,1> o 0 o (2,2):(2,1)")))
    #ttg.shared_linear<{offset = [[0, 1], [1, 1]]}, alignment = 16>

    Raises ``NotExpressible`` where an extent or the number of slots is no power of two, and where a bit of the slot is no sum (XOR)
    of bits of the coordinates.
    """
    digits.check_layout(layout)
    for axis, extent in enumerate(layout.shape):
        if extent.bit_count() != 1:
            raise refusal(_TRITON, layout, f"axis {axis} has {extent} coordinates, which is no power of two")
    width = layout.slots.bit_length() - 1
    if layout.slots != 1 << width or width > MOST_BITS:
        raise refusal(_TRITON, layout, f"{layout.slots} slots are no power of two up to 2**{MOST_BITS}")
    if width and not layout.ndim:
        raise refusal(_TRITON, layout, "without axes there are no bases, and one slot")
    places = [(axis, bit) for axis, extent in enumerate(layout.shape) for bit in range(extent.bit_length() - 1)]
    if layout(*(0,) * layout.ndim):
        raise refusal(_TRITON, layout, f"its first element lies in slot {layout(*(0,) * layout.ndim)}; XOR leads from zeros to 0")
    columns = [layout(*(1 << bit if k == axis else 0 for k in range(layout.ndim))) for axis, bit in places]
    used = [bit for bit in range(width) if any(column >> bit & 1 for column in columns)]
    packed = [sum((column >> bit & 1) << number for number, bit in enumerate(used)) for column in columns]
    rows = inverted(packed) if len(used) == len(columns) else None
    if rows is None:
        raise refusal(_TRITON, layout, f"{len(columns)} bits of coordinates set {len(used)} bits of slots; as many must tell each other")
    bases: list[Basis] = [(0,) * layout.ndim] * width
    for bit, row in zip(used, transposed(rows), strict=True):
        reached = [places[number] for number in bits(row)]
        bases[bit] = tuple(sum(1 << bit for at, bit in reached if at == axis) for axis in range(layout.ndim))
    found = first_equal([LinearLayout((("offset", tuple(bases)),))], layout, _TRITON)
    if found is None:
        raise refusal(_TRITON, layout, "its slots are no sums (XOR) of those that the powers of two among its coordinates have")
    return found
