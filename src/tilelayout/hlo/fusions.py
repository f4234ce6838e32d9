"""Which computations are fused, or applied to elements: what an instruction inside one makes never lies in memory as an array.

Of a fusion its own result does. Reductions, sorts and scatters apply a computation to elements; calls, loops and branches run one on
arrays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .scanning import Computation, Instruction

#: A fusion, and the beginning of an asynchronous one.
_FUSING = frozenset(("fusion", "fusion-start"))
#: What runs a computation on arrays, though it names it as others do that apply one to elements.
_RUNNING = frozenset(("call", "call-start", "async-start", "custom-call"))
#: What applies two computations, one to choose elements of a window.
_SELECTING = "select-and-scatter"
#: What follows a name of an attribute: that of a computation, or nothing where it is written in place behind the line.
_FUSED = re.compile(r"\bcalls=(?:%?([^\s,]+)|\s*\Z)")
_APPLIED = re.compile(r"\b(?:to_apply|select|scatter)=(?:%?([^\s,]+)|\s*\Z)")


def fused_computations(instructions: Iterable[Instruction]) -> frozenset[int]:
    """The lines on which the computations among the instructions begin that are fused, or applied to elements.

    Where computations are written in place, which have no names, those that have are there a second time, but for the entry.
    """
    fused: set[int] = set()
    begins: dict[str, int] = {}
    called: set[str] = set()
    named: set[int] = set()
    is_in_place = False
    current = Computation(module_line=-1)
    calls: list[str] = []
    for instruction in instructions:
        computation = instruction.computation
        if computation is not current:
            if computation.module_line != current.module_line:
                fused.update(named if is_in_place else ())
                is_in_place = False
                for kept in (begins, called, named):
                    kept.clear()
            if computation.name in called or (not computation.name and "" in calls):
                fused.add(computation.line)
            is_in_place |= bool(computation.line and not computation.name)
            if computation.name and not computation.is_entry:
                named.add(computation.line)
            current = computation
            begins[computation.name] = computation.line
        calls = _calls(instruction)
        for name in filter(None, calls):
            called.add(name)
            if name in begins:
                fused.add(begins[name])
    return frozenset(fused | named if is_in_place else fused)


def _calls(instruction: Instruction) -> list[str]:
    """The names of the computations that an instruction fuses or applies to elements, empty of one that is written in place."""
    opcode, text = instruction.opcode, instruction.text
    if opcode in _FUSING:
        form = _FUSED
    elif opcode == _SELECTING or ("to_apply=" in text and opcode not in _RUNNING):
        form = _APPLIED
    else:
        return []
    return [found[1] or "" for found in form.finditer(text)]
