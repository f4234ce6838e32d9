"""Checkpoints packed by rules, and unpacked by what they say of themselves: each tensor is streamed from one file into another."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import partial

from ...digits import Layout
from ...errors import LayoutError, shown
from ..atomic import replacing
from ..buffers import check_ending
from ..errors import FileError, checked_path
from ..moving import move
from ..opening import body
from ..sides import Progress, Side, Terms
from ..source import opened, unchanged
from ..stores import FileStore
from ..streaming import MEMORY, check_apart, checked_terms
from . import header
from .header import Header
from .plans import Plan, packing, unpacking
from .rules import Rule, rule


def pack_checkpoint(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    rules: Iterable[str] | str,
    *,
    allow_unmatched: bool = False,
    memory: int = MEMORY,
    progress: Progress | None = None,
    threads: int | None = None,
) -> dict[str, Layout]:
    """Pack tensors of a safetensors file by rules into another, which says of itself what is packed how; the layouts by name.

    >>> import pathlib, tempfile, numpy as np
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> header = b'{"w":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}}'
    >>> _ = (folder / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + np.arange(6, dtype="f4").tobytes())
    >>> pack_checkpoint(folder / "model.safetensors", folder / "packed.safetensors", "*={1,0:T(2,2)}")["w"].slots
    8
    >>> _ = unpack_checkpoint(folder / "packed.safetensors", folder / "again.safetensors")
    >>> np.frombuffer((folder / "again.safetensors").read_bytes()[-24:], "f4")
    array([0., 1., 2., 3., 4., 5.], dtype=float32)

    Parameters
    ----------
    source, target
        Paths. The target is written whole or not at all; tensors that no rule matches are copied.
    rules
        One or several, each ``glob=layout`` or ``glob=type layout``, of which the first that matches a tensor's name counts. A name with
        brackets in it is matched by itself too, and an ``=`` in one by ``?``. The layout is text in any notation for the tensor's shape,
        ``tpu:v5e`` (``xla.tpu_layout``, of any generation), or ``plain``, which leaves the tensor as it is. Floats are rounded to a float
        type that is named, integers keep their values; padding is zero.
    allow_unmatched
        Whether rules may match no tensor, as in each of the files of a checkpoint that has several.
    memory, progress, threads
        As in ``pack``; tensors are streamed one after the other.

    Raises ``LayoutError`` naming the tensor for what cannot be converted or laid out, and for a rule that matches none, or none that no
    rule before it has; ``FileError`` for a file that cannot be read or written, is damaged, or is written to while it is read, and for a
    target whose name says that it is a file of another format.
    """
    planned = partial(packing, rules=_parsed(rules), allow_unmatched=allow_unmatched)
    return _rewrite(source, target, planned, checked_terms(memory, progress, threads))


def unpack_checkpoint(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    memory: int = MEMORY,
    progress: Progress | None = None,
    threads: int | None = None,
) -> dict[str, Layout]:
    """Take every packed tensor of a file back to the tensor that it was, in another file; the layouts that they were in, by name.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> header = b'{"w":{"dtype":"U8","shape":[2,3],"data_offsets":[0,6]}}'
    >>> _ = (folder / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + bytes(range(6)))
    >>> _ = pack_checkpoint(folder / "model.safetensors", folder / "packed.safetensors", "w={0,1}")
    >>> unpack_checkpoint(folder / "packed.safetensors", folder / "again.safetensors")["w"].shape
    (2, 3)
    >>> (folder / "again.safetensors").read_bytes()[-6:]
    b'\\x00\\x01\\x02\\x03\\x04\\x05'

    Parameters
    ----------
    source
        The path of a file that ``pack_checkpoint`` wrote. A tensor that was converted comes back as the type that it was converted to;
        integers below a byte come back as bytes.
    target
        A path; the file is written whole or not at all, and tensors that are not packed are copied.
    memory, progress, threads
        As in ``pack``; tensors are streamed one after the other.

    Raises ``LayoutError`` for a file that does not say what is packed how, or says what cannot be; ``FileError`` as ``pack_checkpoint``.
    """
    return _rewrite(source, target, unpacking, checked_terms(memory, progress, threads))


def _parsed(rules: Iterable[str] | str) -> tuple[Rule, ...]:
    try:
        return tuple(map(rule, (rules,) if isinstance(rules, str) else rules))
    except (TypeError, NotImplementedError):  # the second is that of a view of memory with several axes
        raise LayoutError(f"rules={shown(rules)} are no rules; they are a list of texts such as '*.weight=bf16 tpu:v5e'") from None


def _rewrite(
    source: str | os.PathLike[str], target: str | os.PathLike[str], planned: Callable[[Header], Plan], terms: Terms
) -> dict[str, Layout]:
    """Read a file, and write what the plan makes of it."""
    path = checked_path(source)
    check_ending(target, ".safetensors")
    with opened(path) as (given, size):
        check = unchanged(given, path)
        head = header.read(given, size, path)
        try:
            plan = planned(head)
        except FileError:
            raise
        except LayoutError as error:
            raise LayoutError(f"{os.fspath(path)!r}: {error}") from None
        tensors = header.placed({name: part.target for name, part in plan.parts.items()})
        total = sum(tensor.nbytes for tensor in head.tensors.values())
        with replacing(target) as file:
            header.write(file, tensors, plan.metadata)
            done = 0
            with body(file, checked_path(target), sum(tensor.nbytes for tensor in tensors.values())) as room:
                for name, tensor in tensors.items():
                    part = plan.parts[name]
                    read = FileStore(given, path, head.begin + part.source.begin, part.source.nbytes)
                    on_terms = part.terms(terms, done, total)
                    try:
                        check_apart(part.after, terms.memory)
                        dtype = on_terms.check(part.held, part.before, part.after)
                        move(Side(read, part.before, part.held), Side(room(tensor.begin, tensor.nbytes), part.after, dtype), on_terms)
                    except FileError:
                        raise
                    except LayoutError as error:
                        raise LayoutError(f"tensor {shown(name)} of {os.fspath(path)!r}: {error}") from None
                    done += part.source.nbytes
                check()
    return plan.layouts
