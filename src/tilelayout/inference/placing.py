"""The slot of each element, as far as its value tells: a value that occurs once in the array and once in the buffer is an anchor."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .steps import Values

#: Bits of elements, or of slots, as unsigned integers.
Tokens = npt.NDArray[np.unsignedinteger]

#: What an element has for a slot while its slot is unknown.
UNKNOWN = -1


def place(before: Tokens, after: Tokens) -> Values:
    """The slot of every element that is certain, ``UNKNOWN`` for the others.

    >>> place(np.array([7, 5, 5], "u1"), np.array([5, 0, 7, 5], "u1")).tolist()
    [2, -1, -1]
    """
    slots = np.full(len(before), UNKNOWN)
    if not len(before):
        return slots
    if _is_dense(before, after):
        before, after = before.astype(np.int64), after.astype(np.int64)  # a table takes no uint64 for an index
        values = np.bincount(after, minlength=int(before.max()) + 1)
        place_of = np.empty(len(values), np.int64)
        place_of[after] = np.arange(len(after))
        once = (values == 1) & (np.bincount(before, minlength=len(values)) == 1)
        certain = once[before]
        slots[certain] = place_of[before[certain]]
        return slots
    order, places = np.argsort(before), np.argsort(after)
    wanted, held = before[order], after[places]
    first = np.searchsorted(held, wanted)
    inside = np.minimum(first, len(held) - 1)
    twice = np.append(held[1:] == held[:-1], False)
    repeated = np.zeros(len(wanted) + 1, np.bool_)
    repeated[1:-1] = wanted[1:] == wanted[:-1]
    certain = (held[inside] == wanted) & ~twice[inside] & ~(repeated[1:] | repeated[:-1])
    slots[order[certain]] = places[inside[certain]]
    return slots


def first_missing(before: Tokens, after: Tokens) -> int | None:
    """The first element whose value the buffer lacks, or has fewer times than the array; None if there is none."""
    if not len(before):
        return None
    wanted, element, counts = np.unique(before, return_index=True, return_counts=True)
    held = np.sort(after)
    had = np.searchsorted(held, wanted, "right") - np.searchsorted(held, wanted)
    short = had < counts
    return int(element[short].min()) if short.any() else None


def _is_dense(before: Tokens, after: Tokens) -> bool:
    """Whether the values are so small that a table of them is no longer than the arrays."""
    return int(max(before.max(), after.max(initial=0))) < 2 * (len(before) + len(after)) + (1 << 16)
