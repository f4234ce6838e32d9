"""Blocked layouts of CPU kernels: channels in blocks, weights in blocks, and the pairs and quads of dot-product instructions."""

from __future__ import annotations

from .order import Order
from .preset import Preset

_TAGS = "oneDNN, dnnl_types.h (dnnl_format_tag_t); for padding its guide *Understanding Memory Formats*"
_VNNI = "Intel SDM, {}; libxsmm, TRANSFORM_NORM_TO_{}"

#: Tags of oneDNN by name: the axes, and the order.
_ONEDNN = {
    **{f"nChw{block}c": ("N C H W", f"N C/{block} H W C%{block}") for block in (4, 8, 16)},
    "OIhw8i8o": ("O I H W", "O/8 I/8 H W I%8 O%8"),
    "OIhw16i16o": ("O I H W", "O/16 I/16 H W I%16 O%16"),
    "OIhw16o16i": ("O I H W", "O/16 I/16 H W O%16 I%16"),
    "OIhw4i16o4i": ("O I H W", "O/16 I/16 H W I/4%4 O%16 I%4"),
    "OIhw8i16o2i": ("O I H W", "O/16 I/16 H W I/2%8 O%16 I%2"),
    "OIhw16i16o2i": ("O I H W", "O/16 I/32 H W I/2%16 O%16 I%2"),
    "OIhw16i16o4i": ("O I H W", "O/16 I/64 H W I/4%16 O%16 I%4"),
    **{f"BA16a{n}b2a": ("A B", f"B/{n} A/32 A/2%16 B%{n} A%2") for n in (16, 32, 48, 64)},
    **{f"BA16a{n}b4a": ("A B", f"B/{n} A/64 A/4%16 B%{n} A%4") for n in (16, 32, 48, 64)},
}

_EXAMPLES = {2: (70, 40), 4: (33, 17, 2, 3)}


def _summary(name: str) -> str:
    if name.startswith("nChw"):
        return f"oneDNN's activations in blocks of {name[4:-1]} channels; TVM's NCHW{name[4:-1]}c"
    if name.startswith("OIhw"):
        return "oneDNN's blocked weights of a convolution"
    tile = {"BA16a16b2a": ": AMX tiles of 16-bit elements", "BA16a16b4a": ": AMX tiles of bytes"}.get(name, "")
    return f"oneDNN's blocked weights of a matrix product, A down its depth{tile}"


def _onednn(name: str, axes: str, order: str) -> Preset:
    recipe = Order(tuple(axes.split()), order)
    return Preset(name, _summary(name), _TAGS, recipe, _EXAMPLES[len(recipe.axes)])


PRESETS = (
    *(_onednn(name, *definition) for name, definition in _ONEDNN.items()),
    Preset(
        "vnni2",
        "Pairs down the depth of a matrix, for dot products of 16-bit elements; of shape (32, 16) one AMX tile",
        _VNNI.format("TDPBF16PS", "VNNI2"),
        Order(("K", "N"), "K/2 N K%2"),
        (32, 16),
        {"K": 2},
    ),
    Preset(
        "vnni4",
        "Quads down the depth of a matrix, for dot products of bytes; of shape (64, 16) one AMX tile",
        _VNNI.format("TDPBSSD", "VNNI4"),
        Order(("K", "N"), "K/4 N K%4"),
        (64, 16),
        {"K": 4},
    ),
)
