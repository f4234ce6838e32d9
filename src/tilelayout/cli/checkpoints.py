"""The commands for checkpoints in safetensors files: pack-checkpoint and unpack-checkpoint."""

from __future__ import annotations

import stat
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path

from .. import files
from ..describe import counted, padding_words
from ..digits import Layout
from .arguments import Commands, command, takes_input, takes_output
from .output import is_output, say, say_json
from .progress import shown_progress
from .transfers import limits, takes_limits

_PACK = """\
A rule is GLOB=LAYOUT or GLOB=TYPE LAYOUT; the first whose glob matches the name of a tensor counts. LAYOUT is text in any notation,
tpu:v5e (what XLA:TPU takes for that generation), or plain, which leaves the tensor as it is. Tensors that no rule matches are copied.
A rule that counts for no tensor is an error, unless --allow-unmatched is given, as for one of several files of a checkpoint.

  tilelayout pack-checkpoint model.safetensors out.safetensors --rule '*.weight=bf16 tpu:v5e'
  tilelayout pack-checkpoint model.safetensors out.safetensors --rule 'embed*=plain' --rule '*.weight={1,0:T(8,128)}'

What is packed how is written in OUT itself. OUT is written whole or not at all.
"""

_UNPACK = """\
  tilelayout unpack-checkpoint out.safetensors again.safetensors

Tensors that were converted come back as the type that they were converted to. OUT is written whole or not at all.
"""


def declare(commands: Commands) -> None:
    """Add these commands."""
    packs = command(commands, "pack-checkpoint", pack, _PACK)
    takes_input(packs, "source", "IN", "the checkpoint")
    takes_output(packs, "target", "OUT", "the checkpoint with packed tensors")
    packs.add_argument("--rule", metavar="RULE", action="append", required=True, help="such as '*.weight=bf16 tpu:v5e'; may be repeated")
    packs.add_argument("--allow-unmatched", action="store_true", help="rules may count for no tensor")

    unpacks = command(commands, "unpack-checkpoint", unpack, _UNPACK)
    takes_input(unpacks, "source", "IN", "a checkpoint that pack-checkpoint wrote")
    takes_output(unpacks, "target", "OUT", "the checkpoint with plain tensors")

    for parser in (packs, unpacks):
        takes_limits(parser)


def pack(options: Namespace) -> int:
    """Lay the tensors of a safetensors file out by rules."""
    with shown_progress() as progress:
        how = {"allow_unmatched": options.allow_unmatched, "progress": progress, **limits(options)}
        layouts = files.pack_checkpoint(options.source, options.target, options.rule, **how)
    return _report("packed", layouts, options)


def unpack(options: Namespace) -> int:
    """Take the packed tensors of a safetensors file back."""
    with shown_progress() as progress:
        layouts = files.unpack_checkpoint(options.source, options.target, progress=progress, **limits(options))
    return _report("unpacked", layouts, options)


def _report(done: str, layouts: Mapping[str, Layout], options: Namespace) -> int:
    if is_output(options.target):
        return 0
    slots = sum(layout.slots for layout in layouts.values())
    padding = sum(layout.padding for layout in layouts.values())
    logical = sum(_bytes(layout.size, layout) for layout in layouts.values())
    padded = sum(_bytes(layout.slots, layout) for layout in layouts.values())
    size = _size(options.target)
    if options.json:
        facts = {"slots": slots, "padding": padding, "logical_bytes": logical, "padded_bytes": padded}
        say_json({"out": options.target, "tensors": [*layouts], **facts, "bytes": size})
    else:
        held = f"{counted(slots, 'slot')}, {padding_words(padding, slots)}"
        taken = f"{counted(logical, 'byte')} of elements in {padded} with padding"
        written = "" if size is None else f"; {counted(size, 'byte')}"
        say(f"{done} {counted(len(layouts), 'tensor')} of {held}: {taken}{written} in {options.target}")
    return 0


def _size(target: str) -> int | None:
    """The bytes of a file; None of a pipe, and of what somebody has moved away already."""
    try:
        found = Path(target).stat()
    except OSError:
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None


def _bytes(slots: int, layout: Layout) -> int:
    """The bytes of so many slots."""
    assert layout.element is not None  # a checkpoint's layouts say their type
    return -(-slots * layout.element.bits // 8)
