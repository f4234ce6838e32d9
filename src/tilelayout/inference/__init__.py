"""From an array and its packed buffer to the layout between them.

``infer`` finds the layout, or raises ``NotInferred``; ``probe`` asks a packing function. Both place as many elements as
their values tell (``placing``), explain the slots by digits (``explaining``, ``steps``, ``folding``), and check every element.
"""

from .inferring import infer, probe
from .result import Inferred, NotInferred

__all__ = ["Inferred", "NotInferred", "infer", "probe"]
