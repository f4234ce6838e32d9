"""The commands that move arrays between files: pack, unpack and relayout, a piece at a time."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from typing import Any

from .. import files
from ..describe import counted, padding_words
from ..digits import Layout
from ..errors import LayoutError, SizesMissing
from ..relayouts import bound
from ..tables import coordinate_text
from .arguments import QUOTES, Commands, Parser, command, takes_input, takes_layout, takes_output
from .output import is_output, say, say_json
from .progress import shown_progress
from .words import described, integer, number, sizes

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

_RELAYOUT = f"""\
{QUOTES}

  tilelayout relayout packed.npy '{{1,0:T(2,2)}}' '{{0,1}}' again.npy --shape 3,5
  tilelayout relayout packed.bin 'f32[3,5]{{1,0:T(2,2)}}' '{{1,0:T(8,128)}}' again.bin

One layout that has the shape is enough, and one that has the type. Types that numpy has no name for, such as bfloat16, are
moved as their bits; a fill for them is an integer, the bits too, unless --dtype names the type. OUT is written whole or not
at all.
"""


def declare(commands: Commands) -> None:
    """Add these commands."""
    packs = command(commands, "pack", pack, _PACK)
    takes_input(packs, "source", "IN.npy", "the array")
    takes_layout(packs, shape=False)
    takes_output(packs, "target", "OUT", "the packed buffer: .npy, or the raw bytes under any other name")
    _takes_fill(packs)

    unpacks = command(commands, "unpack", unpack, _UNPACK)
    takes_input(unpacks, "source", "IN", "the packed buffer: .npy, or the raw bytes under any other name")
    takes_layout(unpacks)
    takes_output(unpacks, "target", "OUT.npy", "the array")
    _takes_dtype(unpacks)

    moves = command(commands, "relayout", relayout, _RELAYOUT)
    takes_input(moves, "source", "IN", "the packed buffer: .npy, or the raw bytes under any other name")
    takes_layout(moves, name="layout", metavar="FROM")
    takes_layout(moves, shape=False, name="after", metavar="TO")
    takes_output(moves, "target", "OUT", "the buffer: .npy, or the raw bytes under any other name")
    _takes_dtype(moves)
    _takes_fill(moves)

    for parser in (packs, unpacks, moves):
        takes_limits(parser)


def takes_limits(parser: Parser) -> None:
    """Add the options that bound what a command takes of the machine."""
    parser.add_argument("--memory", metavar="MIB", default="256", help="at most so many MiB for the pieces that are moved (default 256)")
    parser.add_argument("--threads", metavar="N", help="at most so many threads (default: all that the process may use)")


def _takes_fill(parser: Parser) -> None:
    parser.add_argument("--fill", metavar="V", default="0", help="what padding holds (default 0)")


def _takes_dtype(parser: Parser) -> None:
    parser.add_argument("--dtype", metavar="D", help="the type of the elements, such as float32, where neither IN nor a layout says it")


def pack(options: Namespace) -> int:
    """Lay an array out as a layout says."""
    try:
        with shown_progress() as progress:
            fill = number(options.fill)
            done = files.pack(options.source, options.layout, options.target, fill=fill, progress=progress, **limits(options))
    except SizesMissing as error:
        raise SizesMissing(f"{error}\na .npy file says its sizes; any other is bytes alone, of which the layout has to say them") from None
    layout = done.layout
    facts = {"elements": layout.size, "slots": layout.slots, "padding": layout.padding}
    return _report(done, options, facts, f"packed {counted(layout.size, 'element')} into {_of_buffer(done, options)}")


def unpack(options: Namespace) -> int:
    """Read an array back from a packed buffer."""
    layout = described(options)
    _check_type(options, layout)
    with shown_progress() as progress:
        done = files.unpack(options.source, layout, options.target, dtype=options.dtype, progress=progress, **limits(options))
    facts = {"shape": list(done.shape), "elements": layout.size, "slots": layout.slots}
    words = (
        f"unpacked {counted(layout.slots, 'slot')} into shape {coordinate_text(done.shape)} ({counted(layout.size, 'element')}): "
        f"{counted(done.nbytes, 'byte')} as {done.dtype} in {options.target}"
    )
    return _report(done, options, facts, words)


def relayout(options: Namespace) -> int:
    """Take a packed buffer from one layout to another."""
    before, after = bound(options.layout, options.after, sizes(options))
    _check_type(options, before, after)
    fill = number(options.fill)
    with shown_progress() as progress:
        done = files.relayout(
            options.source, before, after, options.target, dtype=options.dtype, fill=fill, progress=progress, **limits(options)
        )
    facts = {"elements": after.size, "slots": after.slots, "padding": after.padding}
    return _report(done, options, facts, f"laid {counted(before.slots, 'slot')} out as {_of_buffer(done, options)}")


def _report(done: files.Written, options: Namespace, facts: Mapping[str, object], words: str) -> int:
    """Say what was done, unless it went where words would."""
    if is_output(options.target):
        return 0
    if options.json:
        say_json({"out": options.target, **facts, "bytes": done.nbytes, "dtype": str(done.dtype)})
    else:
        say(words)
    return 0


def limits(options: Namespace) -> dict[str, Any]:
    """The bounds that the options set."""
    threads = None if options.threads is None else integer(options.threads, "number of threads")
    memory = integer(options.memory, "number of MiB")
    if memory < 1:
        raise LayoutError(f"--memory {memory} is no number of MiB; give 1 or more")
    return {"threads": threads, "memory": memory << 20}


def _of_buffer(done: files.Written, options: Namespace) -> str:
    slots = done.layout.slots
    padding = padding_words(done.layout.padding, slots)
    return f"{counted(slots, 'slot')}, {padding}: {counted(done.nbytes, 'byte')} as {done.dtype} in {options.target}"


def _check_type(options: Namespace, *layouts: Layout) -> None:
    """Refuse raw bytes of which nothing says what they are."""
    is_told = any(files.bits_dtype(layout.element) is not None for layout in layouts)
    if not (is_told or options.dtype or files.is_npy(options.source)):
        raise LayoutError(
            f"{options.source!r} is raw bytes, and the layout names no type of element; say it with --dtype, such as --dtype float32"
        )
