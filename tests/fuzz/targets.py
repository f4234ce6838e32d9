"""What is fuzzed: by name a function of bytes, which returns, or raises ``LayoutError``, or has found something.

Texts come as UTF-8; bytes that are none arrive as lone surrogates. A last line of sizes, such as ``3,5``, is the shape that the text is
bound to.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import partial
from pathlib import Path
from unittest.mock import patch

import numpy as np
import safetensors as safetensors_package

import tilelayout as tl
from tilelayout import cli, cute
from tilelayout.cute.analysis import listing
from tilelayout.files import npy
from tilelayout.files.safetensors import header as safetensors
from tilelayout.notations import LANGUAGES
from tilelayout.presets import parse as parse_preset

from . import laws

_SHAPE = re.compile(r"\(?([0-9]{1,30}(?:,[0-9]{1,30})*)?,?\)?", re.ASCII)


def text_of(data: bytes) -> str:
    """The bytes as text, whatever they are."""
    return data.decode("utf-8", "surrogateescape")


def text_and_shape(data: bytes) -> tuple[str, tuple[int, ...] | None]:
    """A text, and the shape in its last line if that is one."""
    text, line, last = text_of(data).rpartition("\n")
    if line and (sizes := _SHAPE.fullmatch(last)):
        return text, tuple(map(int, sizes[1].split(","))) if sizes[1] else ()
    return text_of(data), None


def language(name: str, parse: Callable[[str], object], data: bytes) -> None:
    """Text of one language: what is read prints as what reads the same, and binds to a layout with the right slots."""
    text, shape = text_and_shape(data)
    if name in LANGUAGES:
        LANGUAGES[name].recognizes(text)
    described = parse(text)
    again = parse(str(described))
    assert again == described, (text, str(described))
    assert str(again) == str(described), (text, str(described), str(again))
    laws.answers(described.bind(shape))


def anything(data: bytes) -> None:
    """Text of any language, told apart by its form, and everything that is done with a layout."""
    text, shape = text_and_shape(data)
    laws.hold(tl.layout(text, shape))


def shapes(data: bytes) -> None:
    """XLA's shapes, tuples and all, with their sizes."""
    shape = tl.xla.parse_shape(text_of(data))
    assert tl.xla.parse_shape(str(shape)) == shape, str(shape)
    with suppress(tl.LayoutError):
        assert shape.byte_size >= 0
    with suppress(tl.LayoutError):
        message = tl.xla.to_proto(shape)
        assert tl.xla.from_proto(json.dumps(message)) == tl.xla.from_proto(message), message
    for leaf in shape.leaves():
        with suppress(tl.LayoutError):
            str(tl.doctor.diagnose(leaf))


def proto(data: bytes) -> None:
    """XLA's messages as JSON."""
    described = tl.xla.from_proto(text_of(data))
    assert tl.xla.from_proto(tl.xla.to_proto(described)) == described, described


def hlo(data: bytes) -> None:
    """HLO text, and reports in it."""
    lines = text_of(data).split("\n")
    if "\0" in lines[0]:
        lines[0] = ""
    module = tl.hlo.read(lines)
    for array in module:
        str(array)
    list(module.configs())
    list(module.buffers())
    for instruction in module.instructions():
        tl.hlo.op_name(instruction)
    tl.hlo.ranked(module, top=3)
    for finding in tl.doctor.examine(module, top=2):
        str(finding.diagnosis)
    str(module.problems)
    report = tl.hlo.oom(lines)
    for allocation in report.allocations:
        _ = allocation.shape, allocation.computed, allocation.agrees, allocation.size_in_bytes
    tl.doctor.examine(report.allocations, top=2)


def sizes(data: bytes) -> None:
    """Sizes in memory."""
    size = tl.hlo.read_size(text_of(data))
    tl.hlo.read_size(tl.hlo.size_text(size))


def npy_header(data: bytes) -> None:
    """The headers of ``.npy`` files: what is read here numpy reads as well, without pickles."""
    file = io.BytesIO(data)
    header = npy.read_header(file, len(data), Path("fuzzed.npy"))
    assert header.nbytes == len(data) - file.tell()
    with suppress(UserWarning):  # of headers as Python 2 wrote them
        array = np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
        assert (array.dtype, array.shape) == (header.dtype, header.shape)


def safetensors_header(data: bytes) -> None:
    """The headers of safetensors files: what is read here the format's own library reads as well, and alike."""
    header = safetensors.read(io.BytesIO(data), len(data), Path("fuzzed.safetensors"))
    assert sum(tensor.nbytes for tensor in header.tensors.values()) == len(data) - header.begin
    theirs = {name: (tensor["dtype"], tuple(tensor["shape"])) for name, tensor in safetensors_package.deserialize(data)}
    assert theirs == {name: (tensor.tag, tensor.shape) for name, tensor in header.tensors.items()}
    safetensors.write(io.BytesIO(), header.tensors, header.metadata)


#: The functions of CuTe's that take layouts and shapes, by how many.
UNARY = (
    cute.coalesce, cute.filter, cute.filter_zeros, cute.flatten, cute.sort, cute.squeeze, cute.left_inverse, cute.right_inverse,
    cute.nullspace, cute.complement, cute.coshape, cute.cosize, cute.size, cute.rank, cute.depth, cute.is_injective, cute.is_bijective,
    cute.is_surjective, cute.is_compact, cute.contiguity, cute.max_alignment, cute.make_layout_like, cute.make_fragment_like,
    cute.product, cute.product_each, cute.prefix_product, cute.suffix_product, cute.basis_like, cute.tuple_max, cute.row_major,
    cute.column_major, cute.make_identity_layout, cute.tiler_to_layout, cute.to_text, cute.express, cute.footprint, cute.image,
    cute.flatten_to_tuple, cute.make_layout,
    partial(cute.recast_layout, 8, 16), partial(cute.recast_layout, 16, 4), partial(cute.bank_conflicts, element_bytes=2),
    partial(cute.coalescing_efficiency, element_bytes=4), partial(cute.explain, "coalesce"), partial(cute.explain, "right_inverse"),
)  # fmt: skip
BINARY = (
    cute.composition, cute.complement, cute.logical_divide, cute.zipped_divide, cute.tiled_divide, cute.flat_divide, cute.logical_product,
    cute.zipped_product, cute.tiled_product, cute.flat_product, cute.blocked_product, cute.raked_product, cute.tile_to_shape,
    cute.functionally_equal, cute.max_common_layout, cute.max_common_vector, cute.compatible, cute.congruent, cute.weakly_congruent,
    cute.ceil_div, cute.round_up, cute.shape_div, cute.shape_mod, cute.elem_scale, cute.elem_less, cute.lex_less, cute.colex_less,
    cute.crd2idx, cute.idx2crd, cute.dice, cute.slice_, cute.domain_offset, cute.slice_and_offset, cute.increment_coord,
    cute.inner_product, cute.evenly_divides, cute.make_layout_tv, cute.coalesce, cute.upcast, cute.downcast, cute.append, cute.prepend,
    cute.get, cute.select, cute.take, cute.group, cute.make_ordered_layout, cute.product_like, cute.repeat_like, cute.unflatten,
    cute.tuple_add, cute.get_flat_coord, cute.get_hier_coord, cute.get_1d_coord, cute.domain_distribute, cute.zip2_by, cute.make_layout,
    partial(cute.explain, "composition"), partial(cute.explain, "logical_divide"),
    partial(cute.explain, "complement"), partial(cute.explain, "logical_product"),
)  # fmt: skip


@patch.object(listing, "MOST_LISTED", 1 << 16)
def algebra(data: bytes) -> None:
    """CuTe's functions, on what the lines of a text say; fewer offsets are listed than usual."""
    values = [cute.parse(line) for line in text_of(data).split("\n")[:3]]
    for value in values:
        assert cute.parse(cute.to_text(value)) == value, value
    for function, arguments in [(f, values[:1]) for f in UNARY] + [(f, values[:2]) for f in BINARY if len(values) > 1]:
        try:
            made = function(*arguments)
        except tl.LayoutError:
            continue
        if isinstance(made, cute.Layout | cute.ComposedLayout):
            assert cute.parse(str(made)) == made, (function, arguments, str(made))
            with suppress(tl.LayoutError):
                laws.answers(made.bind())
    if len(values) == 3:
        for function in (cute.local_tile, cute.local_partition, cute.crd2idx, cute.crd2crd, cute.idx2crd, cute.make_composed_layout):
            with suppress(tl.LayoutError):
                function(*values)


#: The commands that take a layout, and the words behind it that they need.
COMMANDS = {
    "show": (), "index": ("0",), "coords": ("0",), "convert": (), "formula": (), "recipe": (), "draw": (), "doctor": (), "diff": ("{0}",),
}  # fmt: skip


def command_line(data: bytes) -> None:
    """The command line: a command, then its words, one a line; ``--to`` writes files and is left out."""
    command, *rest = text_of(data).split("\n")
    if command not in COMMANDS or any(word.startswith("--to") or word == "-" for word in rest):
        return
    said, complained = io.StringIO(), io.StringIO()
    with redirect_stdout(said), redirect_stderr(complained):
        code = cli.main([command, *(rest or ["{0}"])])
    assert code in (0, 1, 2), code
    assert code != 2 or complained.getvalue(), rest
    (said.getvalue() + complained.getvalue()).encode()


TARGETS: dict[str, Callable[[bytes], None]] = {
    **{name: partial(language, name, tongue.parse) for name, tongue in LANGUAGES.items()},
    "preset": partial(language, "preset", parse_preset),
    "anything": anything,
    "shapes": shapes,
    "proto": proto,
    "hlo": hlo,
    "sizes": sizes,
    "npy": npy_header,
    "safetensors": safetensors_header,
    "algebra": algebra,
    "command_line": command_line,
}


def tried(name: str, data: bytes) -> bool:
    """Whether the input was read; refused is right as well."""
    try:
        TARGETS[name](data)
    except tl.LayoutError as error:
        message = str(error)
        assert message, name
        message.encode()
        return False
    return True
