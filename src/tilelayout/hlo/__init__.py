"""HLO text: the arrays of a program with their layouts, and what padding costs them.

    >>> from tilelayout import hlo
    >>> module = hlo.read("%copy.1 = bf16[2,200]{1,0:T(8,128)(2,1)} copy(%p)")
    >>> [(array.name, array.logical_bytes, array.padded_bytes) for array in module]
    [('copy.1', 800, 4096)]

``read`` takes dumps as ``--xla_dump_to`` writes them and pieces of them, ``oom`` what a TPU compiler says when a program does not
fit. Both read a line at a time, so a text may be larger than memory.
"""

from .arrays import Array
from .configs import Configured, op_name
from .module import Module, read
from .problems import Problem
from .reports import Allocation, Report, oom
from .scanning import Computation, Instruction
from .tables import ranked
from .units import read_size, size_text

__all__ = [
    "Allocation",
    "Array",
    "Computation",
    "Configured",
    "Instruction",
    "Module",
    "Problem",
    "Report",
    "oom",
    "op_name",
    "ranked",
    "read",
    "read_size",
    "size_text",
]
