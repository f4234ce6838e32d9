"""The padding doctor: what padding costs an array, which tile is guilty, and what would cost less.

    >>> from tilelayout import doctor
    >>> print(doctor.diagnose("f32[1000,3]{1,0:T(8,128)}"))
    f32[1000,3]{1,0:T(8,128)}
    elements take 11.7K, memory 500.0K (42.7x): 488.3K more
    <BLANKLINE>
    what makes it so:
      +488.3K  42.67x  dim 1 (3) is filled up to 128 by tile (8,128)
    <BLANKLINE>
    the same elements for less (3 of 3 that were tried):
      12.0K  -488.0K  f32[3000]{0:T(1024)}       dimensions merged
      16.0K  -484.0K  f32[1000,3]{0,1:T(4,128)}  tiles of a TPU v5e, another order of dimensions
      32.0K  -468.0K  f32[1000,3]{0,1:T(8,128)}  another order of dimensions, the same tiles
    <BLANKLINE>
    other sizes:
      500.0K  +0B  f32[1000,128]{1,0:T(8,128)}  more elements

The sizes are exact. Which order of dimensions an array has is for the compiler to choose, unless the program asks for one, as by
JAX's ``Format``, or transposes or reshapes the array.
"""

from .causes import Cause, causes
from .diagnosis import Diagnosis, diagnose, facts
from .dumps import Finding, examine
from .remedies import Remedy

__all__ = ["Cause", "Diagnosis", "Finding", "Remedy", "causes", "diagnose", "examine", "facts"]
