"""What stands beside us, each in a file of its own: numpy, torch, numba and oneDNN, as far as they are installed.

A peer offers ``VERSION`` and ``transfer(workload, direction, array, buffer)``, which prepares all that can be prepared and gives
back a function from a number of threads to the work, or None where the peer has no way to do it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from sys import prefix
from types import ModuleType
from typing import TypeAlias

from measure import Work

#: From a number of threads to the work with so many.
Threaded: TypeAlias = Callable[[int], Work]

#: oneDNN comes as a library alone: ``onednn-cpu-gomp`` puts it there.
ONEDNN = Path(prefix) / "lib" / "libdnnl.so.3"


#: All of them. Those that are not installed are left out.
NAMES = ("numpy", "torch", "numba", "oneDNN")


@cache
def installed(names: tuple[str, ...] = NAMES) -> dict[str, ModuleType]:
    """Those of the peers that are installed, by name."""
    there = [name for name in names if (ONEDNN.exists() if name == "oneDNN" else find_spec(name))]
    return {name: import_module(f"peers.{name.lower()}_peer") for name in there}
