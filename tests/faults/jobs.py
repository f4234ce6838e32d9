"""Every command that writes a file, with input for it, and child processes to run it in."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tilelayout import cli, files

SHAPE = (1000, 1100)
TILED, OTHER = "f32[1000,1100]{1,0:T(8,128)}", "f32[1000,1100]{0,1:T(8,128)}"
LIMITS = ("--memory", "1", "--threads", "2")
OLD = b"old"


class Job(NamedTuple):
    """A command without its output, and what it writes."""

    words: tuple[str, ...]
    target: str

    def arguments(self, target: str | Path) -> list[str]:
        """The command's words, to write there."""
        return [str(target) if word == "OUT" else word for word in self.words]


JOBS = {
    "pack": Job(("pack", "x.npy", TILED, "OUT", *LIMITS), "out.npy"),
    "pack, scattered": Job(("pack", "small.npy", "f32[60,130]{1,0:T(4,4)(3,3)}", "OUT", *LIMITS), "out.bin"),
    "unpack": Job(("unpack", "packed.npy", TILED, "OUT", *LIMITS), "out.npy"),
    "relayout": Job(("relayout", "packed.npy", TILED, OTHER, "OUT", *LIMITS), "out.bin"),
    "pack-checkpoint": Job(("pack-checkpoint", "x.safetensors", "OUT", "--rule", "*={1,0:T(8,128)}", *LIMITS), "out.safetensors"),
    "unpack-checkpoint": Job(("unpack-checkpoint", "packed.safetensors", "OUT", *LIMITS), "out.safetensors"),
    "draw": Job(("draw", "f32[60,60]{1,0:T(8,128)}", "--to", "OUT"), "out.svg"),
    "explore": Job(("explore", "f32[60,60]{1,0:T(8,128)}", "--to", "OUT"), "out.html"),
}


def write_inputs(folder: Path) -> None:
    """The files that the jobs read."""
    array = np.random.default_rng(0).standard_normal(SHAPE, np.float32)
    np.save(folder / "x.npy", array)
    np.save(folder / "small.npy", array[:60, :130])
    files.pack(folder / "x.npy", TILED, folder / "packed.npy")
    header = f'{{"w":{{"dtype":"F32","shape":[{SHAPE[0]},{SHAPE[1]}],"data_offsets":[0,{array.nbytes}]}}}}'.encode()
    (folder / "x.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + array.tobytes())
    files.pack_checkpoint(folder / "x.safetensors", folder / "packed.safetensors", "*={1,0:T(8,128)}")


def strays(folder: Path) -> list[str]:
    """What is there beside the files that were asked for."""
    return [path.name for path in folder.iterdir() if path.name.startswith(".")]


def forked(work: Callable[[], int | None]) -> int:
    """A child process that does this, says nothing, and ends with what it returns; its id."""
    child = os.fork()
    if not child:
        code = 99
        try:
            sys.stdout = sys.stderr = io.StringIO()
            code = work() or 0
        finally:
            os._exit(code)
    return child


def run(arguments: list[str]) -> int:
    """The exit code of a command that a child process runs."""
    return os.waitstatus_to_exitcode(os.waitpid(forked(lambda: cli.main(arguments)), 0)[1])


def said(work: Callable[[], object]) -> str:
    """What the work prints in a child process, which has to end well; an error is said in one line."""
    with tempfile.TemporaryFile() as out:
        child = os.fork()
        if not child:
            try:
                answer = str(work())
            except BaseException as error:
                answer = f"{type(error).__name__}: {error}"
            os.write(out.fileno(), answer.encode())
            os._exit(0)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert code == 0, f"the child ended with {code}"
        out.seek(0)
        return out.read().decode()


def script(text: str, *arguments: object, seconds: int = 120) -> subprocess.CompletedProcess[str]:
    """A program of its own, which is given up if it hangs."""
    words = [sys.executable, "-c", text, *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, timeout=seconds, check=False)
