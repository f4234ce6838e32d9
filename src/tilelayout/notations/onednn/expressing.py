"""From digits to a format tag."""

from __future__ import annotations

from ...digits import Layout, check_layout
from ...places import refusal
from .. import blocked
from .names import MOST_AXES, MOST_BLOCK
from .tag import Tag

_LANGUAGE = "oneDNN's format tags"


def express(layout: Layout) -> Tag:
    """The format tag of a layout, in the letters ``a``, ``b``, ``c`` ... of the axes in order.

    >>> import tilelayout as tl
    >>> print(express(tl.layout("{1,0:T(8,128)(2,1)}", (32, 256))))
    AB4a128b2a
    """
    check_layout(layout)
    if not 0 < layout.ndim <= MOST_AXES:
        raise refusal(_LANGUAGE, layout, f"they have 1 to {MOST_AXES} axes, not {layout.ndim}")
    found = blocked.express(layout, _LANGUAGE, most=MOST_BLOCK)
    if len(found.inner) > MOST_AXES or max((size for _, size in found.inner), default=0) > MOST_BLOCK:
        raise refusal(_LANGUAGE, layout, f"they have at most {MOST_AXES} blocks, none above {MOST_BLOCK}, and it takes {found.inner}")
    return Tag(found.outer, found.inner)
