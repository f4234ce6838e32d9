"""The commands that move arrays between files: pack and unpack."""

from __future__ import annotations

from argparse import Namespace

import numpy as np

from .. import files, packing
from ..describe import counted, padding_words
from ..digits import Layout
from ..elements import BITS
from ..errors import LayoutError
from ..notations import layout as as_layout
from ..tables import coordinate_text
from .arguments import QUOTES, Commands, command, takes_layout
from .output import say, say_json
from .words import described, integer, number

_PACK = f"""\
{QUOTES}

  tilelayout pack x.npy 'f32[3,5]{{1,0:T(2,2)}}' packed.npy
  tilelayout pack x.npy '{{1,0:T(2,2)}}' packed.bin --fill nan

Types that numpy has no name for, such as bfloat16, are read and saved as their bits; a fill for them is an integer, the
bits too. OUT is written whole or not at all.
"""

_UNPACK = f"""\
{QUOTES}

  tilelayout unpack packed.npy 'f32[3,5]{{1,0:T(2,2)}}' y.npy
  tilelayout unpack packed.bin '{{1,0:T(2,2)}}' y.npy --shape 3,5 --dtype float32

Types that numpy has no name for, such as bfloat16, are saved as their bits. OUT is written whole or not at all.
"""


def declare(commands: Commands) -> None:
    """Add these commands."""
    packs = command(commands, "pack", "lay an array out as a layout says", pack, _PACK)
    packs.add_argument("source", metavar="IN.npy", help="the array")
    takes_layout(packs, shape=False)
    packs.add_argument("target", metavar="OUT", help="the packed buffer: .npy, or the raw bytes under any other name")
    packs.add_argument("--fill", metavar="V", default="0", help="what padding holds (default 0)")

    unpacks = command(commands, "unpack", "read an array back from a packed buffer", unpack, _UNPACK)
    unpacks.add_argument("source", metavar="IN", help="the packed buffer: .npy, or the raw bytes under any other name")
    takes_layout(unpacks)
    unpacks.add_argument("target", metavar="OUT.npy", help="the array")
    unpacks.add_argument("--dtype", metavar="D", help="the type of the elements, such as float32, where neither IN nor LAYOUT says it")

    for parser in (packs, unpacks):
        parser.add_argument("--threads", metavar="N", help="at most so many threads (default: all that the process may use)")


def pack(options: Namespace) -> int:
    """Lay an array out as a layout says."""
    array = files.read(options.source)
    layout = as_layout(options.layout, array.shape)
    buffer = packing.pack(array, layout, fill=number(options.fill), threads=_threads(options))
    files.save(options.target, buffer)
    padding = layout.padding
    if options.json:
        facts = {"elements": layout.size, "slots": layout.slots, "padding": padding}
        say_json({"out": options.target, **facts, "bytes": buffer.nbytes, "dtype": str(buffer.dtype)})
    else:
        say(
            f"packed {counted(layout.size, 'element')} into {counted(layout.slots, 'slot')}, {padding_words(padding, layout.slots)}: "
            f"{counted(buffer.nbytes, 'byte')} as {buffer.dtype} in {options.target}"
        )
    return 0


def unpack(options: Namespace) -> int:
    """Read an array back from a packed buffer."""
    layout = described(options)
    dtype = options.dtype if options.dtype or files.is_npy(options.source) else _dtype_of_bytes(layout, options.source)
    buffer = files.load(options.source)
    array = files.storable(packing.unpack(buffer, layout, dtype=dtype, threads=_threads(options)))
    files.save(options.target, array)
    if options.json:
        facts = {"shape": list(array.shape), "elements": array.size, "slots": layout.slots}
        say_json({"out": options.target, **facts, "bytes": array.nbytes, "dtype": str(array.dtype)})
    else:
        say(
            f"unpacked {counted(layout.slots, 'slot')} into shape {coordinate_text(array.shape)} ({counted(array.size, 'element')}): "
            f"{counted(array.nbytes, 'byte')} as {array.dtype} in {options.target}"
        )
    return 0


def _dtype_of_bytes(layout: Layout, source: str) -> str | None:
    """The dtype to read raw bytes as: the one that the layout names, or its bits where numpy has no such type."""
    if layout.element is None or (not layout.element.name and layout.element.bits > 8):
        raise LayoutError(f"{source!r} is raw bytes, and the layout names no type of element; say it with --dtype, such as --dtype float32")
    name = layout.element.name
    if not name:
        return "uint8"
    known = hasattr(np, name) or name.lstrip("u").startswith("int")
    return None if known else f"uint{-(-BITS[name] // 8) * 8}"


def _threads(options: Namespace) -> int | None:
    return None if options.threads is None else integer(options.threads, "number of threads")
