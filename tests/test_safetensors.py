"""Checkpoints are packed by rules and come back as they were; the files are what the package safetensors reads and writes."""

import json
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tilelayout as tl
from tilelayout import LayoutError, ShapeError, cli, files
from tilelayout.files import FileError
from tilelayout.files.safetensors.converting import conversion
from tilelayout.files.safetensors.dtypes import NAMES
from tilelayout.files.safetensors.rules import Rule, matched, rule

safetensors = pytest.importorskip("safetensors")
numpy_files = pytest.importorskip("safetensors.numpy")

TPU = "tpu:v5e"
TYPES = {"bfloat16": "BF16", "float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2", "float8_e8m0fnu": "F8_E8M0"}


def file_of(header, data=b"", length=None) -> bytes:
    """A safetensors file of our own."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text + data


def entry(dtype="F32", shape=(2,), offsets=(0, 8)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


def tensors_of(path: Path) -> dict[str, tuple[str, tuple[int, ...], bytes]]:
    """What the package reads: dtype, shape and bytes of each tensor."""
    return {name: (t["dtype"], tuple(t["shape"]), bytes(t["data"])) for name, t in safetensors.deserialize(path.read_bytes())}


def metadata_of(path: Path) -> dict[str, str]:
    with safetensors.safe_open(path, "np") as file:
        return file.metadata() or {}


@pytest.fixture
def model(tmp_path, monkeypatch):
    """A small model, written by the package."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    tensors = {
        "embed.weight": rng.standard_normal((100, 300)).astype("f4"),
        "norm.bias": rng.standard_normal(300).astype("f4"),
        "scale": np.array(2.5, "f4"),
        "ids": np.arange(12).reshape(1, 12),
        "mask": np.array([[True, False, True]]),
        "q": rng.integers(-8, 8, (40, 130)).astype("i1"),
        "empty": np.empty((0, 4), "f2"),
    }
    numpy_files.save_file(tensors, "model.safetensors", {"format": "pt"})
    return tensors


class TestPack:
    def test_a_selection_by_glob(self, model):
        layouts = files.pack_checkpoint("model.safetensors", "packed.safetensors", ["*.weight=tpu:v5e", "*.bias={0:T(128)}"])
        given, packed = tensors_of(Path("model.safetensors")), tensors_of(Path("packed.safetensors"))
        assert layouts.keys() == {"embed.weight", "norm.bias"}
        expected = tl.pack(model["embed.weight"], "f32[100,300]{1,0:T(8,128)}").tobytes()
        assert packed["embed.weight"] == ("U8", (len(expected),), expected)
        assert packed["norm.bias"][2] == tl.pack(model["norm.bias"], "{0:T(128)}").tobytes()
        assert all(packed[name] == given[name] for name in given.keys() - layouts.keys())

    def test_what_is_packed_is_written_in_the_file(self, model):
        files.pack_checkpoint("model.safetensors", "packed.safetensors", "*.weight=bf16 tpu:v5e")
        metadata = metadata_of(Path("packed.safetensors"))
        assert metadata["format"] == "pt"
        assert json.loads(metadata["tilelayout"]) == {
            "version": 1,
            "tensors": {"embed.weight": {"layout": "bf16[100,300]{1,0:T(8,128)(2,1)}", "dtype": "bfloat16", "shape": [100, 300]}},
        }

    @pytest.mark.parametrize("memory", [50_000, 1 << 28])
    def test_conversion(self, memory, model):
        files.pack_checkpoint("model.safetensors", "packed.safetensors", "*.weight=bf16 tpu:v5e", memory=memory)
        bits = model["embed.weight"].astype(ml_dtypes.bfloat16)
        expected = tl.pack(bits, "bf16[100,300]{1,0:T(8,128)(2,1)}").tobytes()
        assert tensors_of(Path("packed.safetensors"))["embed.weight"][2] == expected
        files.unpack_checkpoint("packed.safetensors", "again.safetensors")
        assert tensors_of(Path("again.safetensors"))["embed.weight"] == ("BF16", (100, 300), bits.tobytes())

    def test_integers_below_a_byte(self, model):
        files.pack_checkpoint("model.safetensors", "packed.safetensors", "q=int4 tpu:v5e")
        expected = tl.pack(model["q"], f"s4[40,130]{tl.xla.tpu_layout((40, 130), 's4')}")
        assert tensors_of(Path("packed.safetensors"))["q"] == ("U8", (expected.nbytes,), expected.tobytes())
        files.unpack_checkpoint("packed.safetensors", "again.safetensors")
        assert tensors_of(Path("again.safetensors"))["q"] == ("I8", (40, 130), model["q"].tobytes())

    def test_the_first_rule_that_matches_counts(self, model):
        layouts = files.pack_checkpoint("model.safetensors", "packed.safetensors", ["ids=plain", "*s={0:T(256)}", "[nq]*=tpu:v4"])
        assert layouts["norm.bias"].slots == 512
        assert layouts.keys() == {"norm.bias", "q"}

    @pytest.mark.parametrize("name", TYPES)
    @pytest.mark.parametrize("how", ["given", "converted"])
    def test_narrow_floats(self, name, how, tmp_path):
        values = np.abs(np.linspace(0.25, 3, 24).reshape(4, 6)).astype(name)
        source, tag = (values, TYPES[name]) if how == "given" else (values.astype("f4"), "F32")
        (tmp_path / "m").write_bytes(file_of({"w": entry(tag, (4, 6), (0, source.nbytes))}, source.tobytes()))
        files.pack_checkpoint(tmp_path / "m", tmp_path / "p", f"w={name + ' ' if how == 'converted' else ''}{{1,0:T(2,128)}}")
        files.unpack_checkpoint(tmp_path / "p", tmp_path / "a")
        assert tensors_of(tmp_path / "a")["w"] == (TYPES[name], (4, 6), values.tobytes())

    def test_floats_that_share_bytes(self, tmp_path):
        data = bytes(range(12))
        (tmp_path / "m").write_bytes(file_of({"w": entry("F4", (4, 6), (0, 12))}, data))
        files.pack_checkpoint(tmp_path / "m", tmp_path / "p", f"w={TPU}")
        files.unpack_checkpoint(tmp_path / "p", tmp_path / "a")
        assert tensors_of(tmp_path / "a")["w"] == ("F4", (4, 6), data)

    def test_everything_comes_back(self, model):
        files.pack_checkpoint("model.safetensors", "packed.safetensors", ["ids={0,1:T(4,4)(3,3)}", f"*={TPU}"], memory=20_000)
        assert {tag for tag, _, _ in tensors_of(Path("packed.safetensors")).values()} == {"U8"}
        files.unpack_checkpoint("packed.safetensors", "again.safetensors", memory=20_000)
        assert tensors_of(Path("again.safetensors")) == tensors_of(Path("model.safetensors"))
        assert metadata_of(Path("again.safetensors")) == {"format": "pt"}

    def test_a_pipe_takes_bytes_in_order(self, model):
        files.pack_checkpoint("model.safetensors", "packed.safetensors", "*.weight=bf16 tpu:v5e")
        os.mkfifo("pipe")
        reader = subprocess.Popen(["cat", "pipe"], stdout=subprocess.PIPE)
        files.pack_checkpoint("model.safetensors", "pipe", "*.weight=bf16 tpu:v5e", memory=1 << 16)
        assert reader.communicate(timeout=60)[0] == Path("packed.safetensors").read_bytes()

    def test_progress(self, model):
        told = []
        files.pack_checkpoint("model.safetensors", "packed.safetensors", "*.weight=tpu:v5e", progress=lambda *done: told.append(done))
        total = sum(tensor.nbytes for tensor in model.values())
        assert told == sorted(told)
        assert told[-1] == (total, total)

    @pytest.mark.parametrize("tag", sorted(NAMES))
    def test_every_type_of_the_format(self, tag, tmp_path):
        bits = {"BOOL": 8, "BF16": 16, "C64": 64, "F4": 4}.get(tag) or int(re.match(r"[A-Z](\d+)", tag)[1])
        data = np.random.default_rng(0).integers(0, 2, 8 * 16 * bits // 8, dtype="u1").tobytes()
        (tmp_path / "x").write_bytes(file_of({"x": entry(tag, (8, 16), (0, len(data)))}, data))
        assert tensors_of(tmp_path / "x") == {"x": (tag, (8, 16), data)}  # the package agrees
        files.pack_checkpoint(tmp_path / "x", tmp_path / "p", "x=plain" if bits == 6 else f"x={{0,1:T(4,8){'E(4)' if bits == 4 else ''}}}")
        if bits == 6:
            assert tensors_of(tmp_path / "p") == tensors_of(tmp_path / "x")
            return
        assert tensors_of(tmp_path / "p")["x"][:2] == ("U8", (len(data),))
        files.unpack_checkpoint(tmp_path / "p", tmp_path / "y")
        assert tensors_of(tmp_path / "y") == tensors_of(tmp_path / "x")

    @pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "float16", "float32"])
    @given(st.data())
    def test_doubles_are_rounded_to_the_nearest(self, name, data):
        target = np.dtype(getattr(ml_dtypes, name, name))
        low = data.draw(st.integers(1, min(1 << 15, 0x77 << 8 * target.itemsize - 8)))
        below, above = np.array([low, low + 1], f"u{target.itemsize}").view(target).astype("f8")
        middle = (below + above) / 2
        step = data.draw(st.sampled_from([-1, 1])) * (above - below) * 2.0 ** -data.draw(st.integers(2, 28))
        sign = -1 if data.draw(st.booleans()) and name != "float8_e8m0fnu" else 1
        value = np.array([sign * (middle + step)])
        rounded = conversion("float64", name)(value).view(target)
        assert rounded.astype("f8") == sign * (below if step < 0 else above)

    @pytest.mark.parametrize("source", ["float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e8m0fnu", "bfloat16"])
    @pytest.mark.parametrize("target", ["float8_e8m0fnu", "float4_e2m1fn", "float8_e5m2", "float8_e5m2fnuz", "bfloat16", "float16"])
    def test_between_narrow_floats(self, source, target):
        before, after = (np.dtype(getattr(ml_dtypes, name, name)) for name in (source, target))
        values = np.array([1, 2, 4], before)
        convert = conversion(source, target)
        assert ((values if convert is None else convert(values).view(after)).astype("f4") == [1, 2, 4]).all()

    def test_one_of_several_files_of_a_checkpoint(self, model, capsys):
        rules = ["q=tpu:v5e", "layers.*={1,0}", "*=plain", "head={0}"]
        with pytest.raises(LayoutError, match=r"rule 'layers\.\*=\{1,0\}' matches no tensor; there are"):
            files.pack_checkpoint("model.safetensors", "packed.safetensors", rules)
        assert files.pack_checkpoint("model.safetensors", "packed.safetensors", rules, allow_unmatched=True).keys() == {"q"}
        words = ["pack-checkpoint", "model.safetensors", "again.safetensors", *(word for rule in rules for word in ("--rule", rule))]
        assert cli.main(words) == 2
        assert "matches no tensor" in capsys.readouterr().err
        assert cli.main([*words, "--allow-unmatched"]) == 0
        assert Path("again.safetensors").read_bytes() == Path("packed.safetensors").read_bytes()

    def test_a_name_with_brackets_is_matched_by_itself(self):
        """It was none that a rule could name: brackets are one of several characters."""
        names = ["a[0].weight", "a0.weight", "b=c"]
        assert matched([rule("a[0].weight={0}"), rule("b?c={1}")], names) == {
            **{"a[0].weight": rule("a[0].weight={0}"), "a0.weight": rule("a[0].weight={0}"), "b=c": rule("b?c={1}")}
        }

    @pytest.mark.parametrize("name", ["p.npy", "p.NPZ", "p.gguf", "p.pt"])
    def test_names_of_other_formats(self, name, model):
        """A checkpoint was written to them without a word."""
        files.pack_checkpoint("model.safetensors", "packed.safetensors", "q=tpu:v5e")
        for work in (
            lambda: files.pack_checkpoint("model.safetensors", name, "q=tpu:v5e"),
            lambda: files.unpack_checkpoint("packed.safetensors", name),
        ):
            with pytest.raises(FileError, match=r"would be taken for .*; what is written is a checkpoint, as p\.safetensors"):
                work()
        assert not Path(name).exists()

    def test_floats_that_share_bytes_are_not_converted(self, tmp_path):
        """That was said to be because floats are rounded to floats."""
        (tmp_path / "m").write_bytes(file_of({"w": entry("F4", (4, 6), (0, 12))}, bytes(12)))
        with pytest.raises(LayoutError, match=r"float4_e2m1fn is not converted to bfloat16, for its elements share bytes .*; name no type"):
            files.pack_checkpoint(tmp_path / "m", tmp_path / "p", "w=bf16 {1,0}")

    def test_what_entries_say_besides(self, tmp_path):
        """The format's own library reads such a file."""
        content = file_of({"w": {**entry(), "note": {"by": "others"}}}, np.array([1, 2], "f4").tobytes())
        assert safetensors.deserialize(content)
        (tmp_path / "m").write_bytes(content)
        files.pack_checkpoint(tmp_path / "m", tmp_path / "p", "w={0}")
        assert tensors_of(tmp_path / "p")["w"][2] == content[-8:]

    def test_a_file_that_is_written_to_while_it_is_read(self, model):
        os.utime("model.safetensors", (1, 1))

        def accident(*_):
            with Path("model.safetensors").open("r+b") as file:
                file.seek(-8, os.SEEK_END)
                file.write(bytes(8))

        with pytest.raises(FileError, match="was written to after it was opened"):
            files.pack_checkpoint("model.safetensors", "packed.safetensors", "q=tpu:v5e", progress=accident)
        assert not Path("packed.safetensors").exists()

    @pytest.mark.parametrize("rules", ["*={0:T(4611686018427387904)}", "*={0:T(1537228672809129302)}"])
    def test_tensors_of_more_bytes_than_64_bits_count(self, rules, tmp_path):
        """The second are too large only together."""
        (tmp_path / "m").write_bytes(file_of({"a": entry(), "b": entry(offsets=(8, 16))}, bytes(16)))
        with pytest.raises(ShapeError, match="more than a signed 64-bit integer holds"):
            files.pack_checkpoint(tmp_path / "m", tmp_path / "p", rules)
        assert not (tmp_path / "p").exists()

    def test_rules_for_each_of_very_many_tensors(self):
        names = [f"layer.{k}.weight" for k in range(20_000)]
        rules = [Rule(name, None, f"{{0:T({k + 1})}}") for k, name in enumerate(names)]
        begin = time.process_time()
        assert matched([*rules, Rule("*", None, "plain")], [*names, "norm"]) == dict(zip(names, rules, strict=True))
        assert time.process_time() - begin < 5

    def test_places_suit_the_elements(self, model):
        files.pack_checkpoint("model.safetensors", "packed.safetensors", "q=int4 tpu:v5e")
        content = Path("packed.safetensors").read_bytes()
        length = int.from_bytes(content[:8], "little")
        header = json.loads(content[8 : 8 + length])
        widths = {"F32": 4, "I64": 8, "F16": 2}
        assert length % 8 == 0
        assert all(t["data_offsets"][0] % widths.get(t["dtype"], 1) == 0 for name, t in header.items() if name != "__metadata__")


class TestCommandLine:
    def test_there_and_back(self, model, capsys):
        assert (
            cli.main(["pack-checkpoint", "model.safetensors", "packed.safetensors", "--rule", "ids=plain", "--rule", "*s={0:T(128)}"]) == 0
        )
        size = Path("packed.safetensors").stat().st_size
        said = "packed 1 tensor of 384 slots, of which 84 are padding (21.88%): 1200 bytes of elements in 1536 with padding; "
        said += f"{size} bytes in packed.safetensors\n"
        assert capsys.readouterr().out == said
        assert cli.main(["unpack-checkpoint", "packed.safetensors", "again.safetensors", "--json", "--memory", "1"]) == 0
        size = Path("again.safetensors").stat().st_size
        told = json.loads(capsys.readouterr().out)
        facts = {"slots": 384, "padding": 84, "logical_bytes": 1200, "padded_bytes": 1536}
        assert told == {"out": "again.safetensors", "tensors": ["norm.bias"], **facts, "bytes": size}
        assert tensors_of(Path("again.safetensors")) == tensors_of(Path("model.safetensors"))

    @pytest.mark.skipif(not Path("/dev/stdin").exists(), reason="there is no name for standard input")
    def test_a_dash_is_standard_input_and_output(self, model):
        content = Path("model.safetensors").read_bytes()
        for words in (["pack-checkpoint", "-", "-", "--rule", "norm.*={0:T(128)}"], ["unpack-checkpoint", "-", "-"]):
            command = [sys.executable, "-m", "tilelayout", *words]
            done = subprocess.run(command, input=content, capture_output=True, timeout=60, check=True)
            assert done.stderr == b""
            content = done.stdout
        Path("again.safetensors").write_bytes(content)
        assert tensors_of(Path("again.safetensors")) == tensors_of(Path("model.safetensors"))

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
    def test_to_a_pipe_and_to_a_file_that_is_moved_away(self, model, capsys):
        os.mkfifo("p")
        taken = []

        def take():
            with Path("p").open("rb") as pipe:
                Path("p").unlink()
                taken.append(pipe.read())

        reader = threading.Thread(target=take)
        reader.start()
        assert cli.main(["pack-checkpoint", "model.safetensors", "p", "--rule", "q={1,0:T(8,128)}"]) == 0
        reader.join()
        assert capsys.readouterr().out.endswith("with padding in p\n")
        assert cli.main(["pack-checkpoint", "model.safetensors", "packed.safetensors", "--rule", "q={1,0:T(8,128)}"]) == 0
        assert taken == [Path("packed.safetensors").read_bytes()]

    def test_a_rule_that_matches_nothing(self, model, capsys):
        assert cli.main(["pack-checkpoint", "model.safetensors", "packed.safetensors", "--rule", "x=tpu:v5e"]) == 2
        assert "rule 'x=tpu:v5e' matches no tensor" in capsys.readouterr().err
        assert not Path("packed.safetensors").exists()


class TestRefusals:
    @pytest.mark.parametrize(
        ("rules", "message"),
        [
            ("*.weight", "is no rule"),
            ("=tpu:v5e", "is no rule"),
            ("*=", "is no rule"),
            ([3], "rule 3 is an int"),
            (3, "rules=3 are no rules"),
            ("*=bf16", "this is the form of no notation|names a type and no layout"),
            ("*=bf16 plain", "converts what it leaves as it is"),
            ("*=bf61 tpu:v5e", "names no layout: 'bf61 tpu:v5e' is neither 'tpu:' with a generation, nor 'plain', nor text in a notation"),
            ("*=tpu", "names no layout: 'tpu' is neither"),
            ("*=bf16 v5e", "names no layout: 'v5e' is neither"),
            ("*.wieght=tpu:v5e", r"rule '\*\.wieght=tpu:v5e' matches no tensor; there are \['ids'"),
            ("ids=tpu:v5e", r"tensor 'ids', by rule 'ids=tpu:v5e': s64 lies on a TPU in 2 arrays"),
            ("q=tpu:v9", "no TPU generation is called 'v9'"),
            ("ids=bf16 {1,0}", "int64 is not converted to bfloat16"),
            ("mask=bf16 {1,0}", "bool is not converted to bfloat16: floats are rounded to floats"),
            (
                ["*=plain", "*.weight=bf16 tpu:v5e"],
                r"rule '\*\.weight=bfloat16 tpu:v5e' matches no tensor that no rule before it has; there are",
            ),
            (["*={0}", "*=plain"], r"rule '\*=plain' matches no tensor that no rule before it has"),
            ("q=int2 {1,0}", r"tensor 'q' of 'model.safetensors': it holds values from -8 to 7, where int2 has -2 to 1"),
            ("embed.weight=float16 s4[100,300]{1,0:E(4)}", "the layout is one of int4, and the elements are float16"),
            ("embed.weight={0}", "tensor 'embed.weight', by rule"),
            ("norm.bias=complex128 {0}", "complex128 has no name in safetensors files"),
            ("norm.bias=float6_e2m3fn {0}", "elements of 6 bits"),
            ("norm.bias=cute:(300):(0)", "300 elements are more than the 1 slots"),
        ],
    )
    def test_rules(self, rules, message, model):
        Path("packed.safetensors").write_bytes(b"old")
        with pytest.raises(LayoutError, match=message):
            files.pack_checkpoint("model.safetensors", "packed.safetensors", rules)
        assert Path("packed.safetensors").read_bytes() == b"old"
        assert not [path for path in Path().iterdir() if path.name.startswith(".")]

    def test_what_overflows(self, tmp_path):
        (tmp_path / "m").write_bytes(file_of({"w": entry()}, np.array([1, 1e30], "f4").tobytes()))
        with pytest.raises(LayoutError, match=r"holds 1.*e\+30, which is beyond what float16 can say"):
            files.pack_checkpoint(tmp_path / "m", tmp_path / "p", "w=float16 {0}")

    def test_a_machine_of_the_other_byte_order(self, model, monkeypatch):
        monkeypatch.setattr("sys.byteorder", "big")
        with pytest.raises(FileError, match=r"'model\.safetensors' holds its numbers in little-endian bytes, and this machine"):
            files.pack_checkpoint("model.safetensors", "packed.safetensors", "q=tpu:v5e")
        assert not Path("packed.safetensors").exists()

    def test_what_is_packed_already(self, model):
        files.pack_checkpoint("model.safetensors", "packed.safetensors", "q=tpu:v5e")
        with pytest.raises(LayoutError, match="it is packed already; unpack it first"):
            files.pack_checkpoint("packed.safetensors", "again.safetensors", "scale=tpu:v5e")

    def test_what_is_not_packed(self, model):
        with pytest.raises(LayoutError, match=r"'model\.safetensors': its metadata has no 'tilelayout'"):
            files.unpack_checkpoint("model.safetensors", "again.safetensors")


class TestHostileHeaders:
    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"", "its first 8 bytes"),
            (bytes(7), "its first 8 bytes"),
            (file_of(b"{}", length=2**64 - 1), "the header has 18446744073709551615 bytes, where 2 are left"),
            (file_of(b"{}", length=3), "the header has 3 bytes, where 2 are left"),
            (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 90868376\n", "no safetensors file, but .* git lfs pull"),
            (b'{\n  "metadata": {},\n  "weight_map": {}\n}', "no safetensors file, but JSON, as the index of a checkpoint"),
            (b"GGUF\3\0\0\0" + bytes(16), "no safetensors file, but a GGUF file"),
            (b"PK\3\4\0\0\x08\x08" + bytes(99), "no safetensors file, but a zip archive, as torch.save writes"),
            (b"\x80\2\x8a\nl\xfc\x9cF\xf9", "no safetensors file, but a pickle"),
            (file_of(b"", length=0x80), "the header has 128 bytes, where 0 are left"),
            (file_of(b"[" * 100_000), "damaged header"),
            (file_of(b"\xff\xff"), "damaged header"),
            (file_of(b"{} x"), "damaged header"),
            (file_of(b"[]"), r"a header that is no dict: \[\]"),
            (file_of(b'{"a":1,"a":2}'), "has 'a' twice"),
            (file_of(b'{"w":{"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]}}', bytes(8)), "has 'dtype' twice"),
            (file_of({"__metadata__": {"a": 1}}), "maps no text to text"),
            (file_of({"__metadata__": 1}), "maps no text to text"),
            (file_of({"w": 3}), "tensor 'w' of .* is described by 3"),
            (file_of({"w": {"dtype": "F32"}}), "it takes dtype, shape and data_offsets"),
            (file_of({"w": entry("F31")}, bytes(8)), "has dtype 'F31'; known are"),
            (file_of({"w": entry(["F32"])}, bytes(8)), r"has dtype \['F32'\]"),
            (file_of({"w": entry(shape=(-2,))}, bytes(8)), "no list of sizes"),
            (file_of({"w": entry(shape=(2.0,))}, bytes(8)), "no list of sizes"),
            (file_of({"w": entry(shape=(True, 2))}, bytes(8)), "no list of sizes"),
            (file_of({"w": entry(shape=(10**30,))}, bytes(8)), "no list of sizes"),
            (file_of({"w": entry(shape=(2**40, 2**40))}, bytes(8)), "cannot be read: .* 64-bit"),
            (file_of({"w": entry(shape=(2**40,))}, bytes(8)), "where shape .* takes"),
            (file_of({"w": entry(offsets=(0, 7))}, bytes(7)), "where shape .* takes 64 bits"),
            (file_of({"w": entry(offsets=(8, 0))}, bytes(8)), "where shape .* takes 64 bits"),
            (file_of({"w": entry(offsets=(0,))}, bytes(8)), "its first byte and the one after its last"),
            (file_of({"w": entry("F4", (3,), (0, 2))}, bytes(2)), "takes 12 bits"),
            (file_of({"w": entry()}, bytes(7)), "is cut short"),
            (file_of({"w": entry()}, bytes(9)), "goes on after its tensors"),
            (file_of({"w": entry(offsets=(8, 16))}, bytes(16)), "leaves a gap"),
            (file_of({"a": entry(), "b": entry()}, bytes(8)), "overlaps the one before it"),
            (file_of({"a": entry(), "b": entry(offsets=(4, 12))}, bytes(12)), "overlaps the one before it"),
        ],
    )
    def test_each_is_refused(self, content, message, tmp_path):
        (tmp_path / "m").write_bytes(content)
        with pytest.raises(FileError, match=message):
            files.pack_checkpoint(tmp_path / "m", tmp_path / "p", "*={0}")
        assert not (tmp_path / "p").exists()

    def test_the_format_s_own_limit(self, tmp_path):
        with (tmp_path / "m").open("wb") as file:
            file.write((100_000_001).to_bytes(8, "little"))
            file.truncate(200_000_000)
        with pytest.raises(FileError, match="100000001 bytes"):
            files.pack_checkpoint(tmp_path / "m", tmp_path / "p", "*={0}")

    @pytest.mark.parametrize(
        ("said", "message"),
        [
            ("", "of what is packed; version 1"),
            ("[" * 100_000, "of what is packed"),
            ({"version": 2, "tensors": {}}, "of what is packed; version 1"),
            ({"version": True, "tensors": {}}, "of what is packed; version 1"),
            ({"version": 1, "tensors": []}, "of what is packed"),
            ('{"version":1,"tensors":{"w":{},"w":{}}}', "it has 'w' twice in the 'tilelayout' of its metadata"),
            ({"version": 1, "tensors": {"x": {}}}, "it says that 'x' is packed, and has no tensor of that name"),
            ({"version": 1, "tensors": {"w": 3}}, "it is described by 3"),
            ({"layout": 3}, "is described by"),
            ({"layout": "{1,0:T("}, "tensor 'w': expected"),
            ({"dtype": "F32"}, "its dtype is 'F32'"),
            ({"dtype": ["float32"]}, "its dtype is"),
            ({"shape": 3}, "its shape is 3"),
            ({"shape": [True, 6]}, "its shape is .* no list of sizes"),
            ({"shape": [2, -3]}, "negative"),
            ({"shape": [10**30, 3]}, "64-bit"),
            ({"shape": [2, 30]}, "U8 of shape"),
            ({"dtype": "float64"}, "U8 of shape"),
            ({"layout": "cute:(2,3):(0,0)", "dtype": "uint8"}, "U8 of shape"),
            ({"layout": "s32[2,3]{1,0:T(2,2)}"}, "the layout is one of int32"),
        ],
    )
    def test_metadata_that_lies(self, said, message, tmp_path):
        if isinstance(said, dict) and "version" not in said:
            said = {"version": 1, "tensors": {"w": {"layout": "{1,0:T(2,2)}", "dtype": "float32", "shape": [2, 3], **said}}}
        text = said if isinstance(said, str) else json.dumps(said)
        (tmp_path / "m").write_bytes(file_of({"__metadata__": {"tilelayout": text}, "w": entry("U8", (32,), (0, 32))}, bytes(32)))
        with pytest.raises(LayoutError, match=message):
            files.unpack_checkpoint(tmp_path / "m", tmp_path / "p")
        assert not (tmp_path / "p").exists()

    def test_layouts_that_blow_up(self, tmp_path):
        said = {"version": 1, "tensors": {"w": {"layout": f"cute:({10**15}):(0)", "dtype": "uint8", "shape": [10**15]}}}
        header = {"__metadata__": {"tilelayout": json.dumps(said)}, "w": entry("U8", (1,), (0, 1))}
        (tmp_path / "m").write_bytes(file_of(header, bytes(1)))
        with pytest.raises(LayoutError, match="tensor 'w': it is U8 of shape"):
            files.unpack_checkpoint(tmp_path / "m", tmp_path / "p")


class TestRules:
    @pytest.mark.parametrize("text", ["*.weight=bfloat16 tpu:v5e", "*={1,0:T(8,128)}", "a[0-9]=plain", "w=a b -> b a"])
    def test_text(self, text):
        assert str(rule(text)) == text

    @pytest.mark.parametrize(
        ("word", "name"), [("bf16", "bfloat16"), ("f8e4m3fn", "float8_e4m3fn"), ("s4", "int4"), ("float16", "float16")]
    )
    def test_types_by_either_name(self, word, name):
        assert rule(f" * = {word}  tpu:v5e ") == ("*", name, "tpu:v5e")
