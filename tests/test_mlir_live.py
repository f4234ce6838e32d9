"""Against MLIR itself, in IREE's compiler: that it reads what is written, and how large it makes the buffer of a memref.

Run with ``make test-live``, which installs iree-base-compiler.
"""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import strategies
from tilelayout import LayoutSyntaxError
from tilelayout.notations import mlir

pytestmark = [pytest.mark.live, pytest.mark.filterwarnings("ignore")]

MAPS = [
    ("(d0, d1) -> (d0 floordiv 8, d1 floordiv 128, d0 mod 8, d1 mod 128)", (5, 200)),
    ("(d0) -> (d0 mod 8)", (5,)),
    ("(d0, d1) -> ((d0 * 7 + d1) floordiv 4, (d0 * 7 + d1) mod 4)", (5, 7)),
    ("(d0, d1) -> (d0 * 10 + 3, d1)", (5, 7)),
    ("(d0) -> (d0 ceildiv 4, 3)", (6,)),
    ("(d0) -> (-d0 + 5)", (6,)),
    ("(d0) -> (d0 floordiv 8, (d0 floordiv 8) * -8 + d0)", (20,)),
    ("(d0) -> (d0 - (d0 floordiv 8) * 8, d0 - d0 mod 8)", (5,)),
]


@pytest.fixture(scope="module")
def ir():
    return pytest.importorskip("iree.compiler.ir")


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(layout=strategies.layouts())
def test_mlir_reads_what_is_written(ir, layout):
    if layout.ndim == 0:
        return
    form = mlir.express(layout)
    with ir.Context(), ir.Location.unknown():
        if isinstance(form, mlir.AffineMap):
            assert str(ir.Attribute.parse(str(form))).startswith("affine_map<")
            return
        operation = str(mlir.PackOp(form, layout.shape, "f32", padded=True))
        source, target = re.findall(r"tensor<[^>]*>", operation)
        ir.Module.parse(
            f"func.func @f(%source: {source}, %dest: {target}, %pad: f32) -> {target} {{ {operation}\n return %packed : {target} }}"
        )


TYPES = """
    f16 f32 f33 f64 f80 f128 bf16 tf32 f4E2M1FN f6E2M3FN f6E3M2FN f8E3M4 f8E4M3 f8E4M3FN f8E4M3FNUZ f8E4M3B11FNUZ f8E5M2 f8E5M2FNUZ
    f8E8M0FNU i0 i1 i7 i24 i128 si1 si24 ui7 ui64 index i4x none complex<f16> complex<i32> complex<index> complex<complex<f32>> tuple<f32>
    vector<4xf32> vector<f32> vector<[4]x2xi8> vector<0xf32> vector<2xindex> vector<2xcomplex<f32>> vector<2xvector<2xf32>> vector<2x>
    memref<2xf32> memref<2xmemref<3xf32,3>> tensor<2xf32>
"""


@pytest.mark.parametrize("name", TYPES.split())
def test_element_types(ir, name):
    """Of memrefs, and of tensors, which have no memrefs."""
    with ir.Context(), ir.Location.unknown():
        for kind in ("memref", "tensor"):
            try:
                ir.Type.parse(f"{kind}<4x{name}>")
            except ir.MLIRError:
                with pytest.raises(LayoutSyntaxError):
                    read_as(kind, name)
            else:
                assert read_as(kind, name) == name


def read_as(kind, name):
    """What a name of a type is read as where it stands in a memref or a tensor."""
    if kind == "memref":
        return mlir.parse(f"memref<4x{name}>").element_type
    pack = "linalg.pack %a inner_dims_pos = [0] inner_tiles = [2] into %b"
    return mlir.parse(f"{pack} : tensor<4x{name}> -> tensor<2x2x{name}>").element_type


@pytest.mark.parametrize(("text", "shape"), MAPS, ids=str)
def test_the_buffer_of_a_memref(ir, tmp_path, text, shape):
    memref = mlir.parse(f"memref<{'x'.join(map(str, shape))}xf32, affine_map<{text}>>")
    zeros = ", ".join(["%c"] * len(shape))
    program = tmp_path / "memref.mlir"
    program.write_text(
        f"func.func @f(%a: {memref}) -> f32 {{ %c = arith.constant 0 : index\n %0 = affine.load %a[{zeros}] : {memref}\n return %0 : f32 }}"
    )
    command = [str(Path(sys.executable).parent / "iree-opt"), "--normalize-memrefs", str(program)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    sizes = re.search(r"%arg0: memref<((?:\d+x)+)f32>", printed)[1].split("x")[:-1]
    assert memref.bind().slots == np.prod([int(size) for size in sizes])
