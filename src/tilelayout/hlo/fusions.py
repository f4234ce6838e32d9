"""Which computations are fused: what an instruction inside one makes never lies in memory, but for the fusion's own result."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .scanning import Computation, Instruction

#: A fusion, and the beginning of an asynchronous one.
_FUSING = frozenset(("fusion", "fusion-start"))
_CALLS = re.compile(r"\bcalls=%?([^\s,]+)")


def fused_computations(instructions: Iterable[Instruction]) -> frozenset[int]:
    """The lines on which the fused computations among the instructions begin."""
    fused: set[int] = set()
    begins: dict[str, int] = {}
    called: set[str] = set()
    current = Computation(module_line=-1)
    for instruction in instructions:
        computation = instruction.computation
        if computation is not current:
            if computation.module_line != current.module_line:
                begins.clear()
                called.clear()
            current = computation
            begins[computation.name] = computation.line
            if computation.name in called:
                fused.add(computation.line)
        if instruction.opcode in _FUSING and (found := _CALLS.search(instruction.text)):
            called.add(found[1])
            if found[1] in begins:
                fused.add(begins[found[1]])
    return frozenset(fused)
