"""JAX's layouts: ``jax.experimental.layout.Layout`` and ``Format``, as objects and as the text that they print.

    >>> layout = parse("Layout(major_to_minor=(0, 1), tiling=((8, 128), (2, 1)), sub_byte_element_size_in_bits=0)")
    >>> layout.bind((16, 256)).slots
    4096

They are XLA's layouts, with the order of dimensions the other way round. What they do not say is XLA's default. The names
of before JAX 0.7 are read too: ``DeviceLocalLayout``, whose fields begin with an underscore, in a ``Layout`` with a sharding.
The meaning of the fields is that of ``_to_xla_layout`` in jax/_src/layout.py.
"""

from .expressing import express
from .layout import Layout
from .objects import adopt, from_jax, to_jax
from .parser import parse, recognizes

__all__ = ["Layout", "adopt", "express", "from_jax", "parse", "recognizes", "to_jax"]
