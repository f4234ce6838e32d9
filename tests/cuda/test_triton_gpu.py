"""Triton's layouts: what each register and each byte of shared memory holds, against the layout that Triton prints."""

import re

import pytest

import cuda_layouts
from gluon_kernels import Triton

pytestmark = [pytest.mark.cuda, pytest.mark.filterwarnings("default")]  # the warnings of other libraries


@pytest.fixture(scope="module")
def triton():
    return Triton()


@pytest.fixture
def room(torch):
    """Makes tensors to be written on the GPU."""
    return lambda size, dtype="int32": torch.full((size,), -1, dtype=getattr(torch, dtype), device="cuda")


def first_linear(compiled):
    """The layout that Triton prints in its IR."""
    text = next(text for name in ("source", "ttgir") if "#ttg.linear<" in (text := str(compiled.asm.get(name, ""))))
    return re.findall(r"#ttg\.linear<\{[^}]*\}[^>]*>", text)[-1]


@pytest.fixture
def check(record):
    """The layout that Triton prints, as the library reads it, tells the element in each register."""

    def checked(out, compiled, shape, name, asked):
        printed, held = first_linear(compiled), out.cpu().numpy()
        record("triton", name, {"asked": str(asked), "printed": printed, "shape": shape, "held": held})
        cuda_layouts.check_registers(printed, shape, held)

    return checked


#: Layouts of Gluon by name, with the shape and the warps.
DISTRIBUTED = {
    "blocked rows": ("BlockedLayout([1, 2], [4, 8], [2, 2], [1, 0])", (16, 64), 4),
    "blocked columns": ("BlockedLayout([2, 1], [8, 4], [1, 4], [0, 1])", (64, 32), 4),
    "blocked, once over": ("BlockedLayout([2, 4], [8, 4], [4, 1], [1, 0])", (64, 16), 4),
    "mma v2": ("NVMMADistributedLayout([2, 0], [2, 2], [16, 8])", (64, 32), 4),
    "mma v2, a warp": ("NVMMADistributedLayout([2, 0], [1, 1], [16, 8])", (16, 8), 1),
    "mma v3": ("NVMMADistributedLayout([3, 0], [4, 1], [16, 32, 16])", (64, 64), 4),
    "mma v3, two groups": ("NVMMADistributedLayout([3, 0], [8, 1], [16, 16, 16])", (128, 32), 8),
    "left operand": ("DotOperandLayout(0, NVMMADistributedLayout([2, 0], [4, 1], [16, 8]), 2)", (64, 32), 4),
    "right operand": ("DotOperandLayout(1, NVMMADistributedLayout([2, 0], [1, 4], [16, 8]), 2)", (32, 32), 4),
    "left operand of bytes": ("DotOperandLayout(0, NVMMADistributedLayout([2, 0], [4, 1], [16, 8]), 4)", (64, 64), 4),
    "left operand of a group": ("DotOperandLayout(0, NVMMADistributedLayout([3, 0], [4, 1], [16, 32, 16]), 2)", (64, 32), 4),
    "linear": (
        "DistributedLinearLayout([[0, 2], [4, 0]], [[0, 4], [2, 0], [0, 1], [0, 8], [1, 0]], [[8, 0], [0, 16]], [], [16, 32])",
        (16, 32),
        4,
    ),
}


@pytest.mark.parametrize("name", DISTRIBUTED)
def test_registers(triton, room, check, name):
    text, shape, warps = DISTRIBUTED[name]
    out = room(shape[0] * shape[1])
    compiled = triton.matrix[(1,)](out, *shape, triton.made(text), *triton.told(out.numel(), warps), num_warps=warps)
    check(out, compiled, shape, name, text)


def test_registers_of_a_slice(triton, room, check):
    """No two places hold the same, for there is a thread for each element of the axis that is left."""
    text = "SliceLayout(0, BlockedLayout([1, 2], [1, 32], [1, 4], [1, 0]))"
    out = room(512)
    compiled = triton.line[(1,)](out, 512, triton.made(text), *triton.told(512, 4), num_warps=4)
    check(out, compiled, (512,), "slice", text)


def numbered(torch, m, n, k):
    """Matrices whose product has the number n * row + column at each place."""
    a, b = torch.zeros(m, k), torch.zeros(k, n)
    a[:, 0], a[:, k - 1], b[0], b[k - 1] = torch.arange(m), 1, n, torch.arange(n)
    return a.half().cuda(), b.half().cuda()


@pytest.mark.parametrize("warps", [(1, 1), (2, 2), (4, 1)])
def test_accumulators_of_warps(triton, torch, room, check, warps):
    """Each register's number comes out of the tensor cores."""
    m, n, k = 64, 32, 32
    mma = triton.ttgl.NVMMADistributedLayout([2, 0], list(warps), [16, 8])
    left, right = (triton.ttgl.DotOperandLayout(side, mma, 2) for side in (0, 1))
    out, count = room(m * n), warps[0] * warps[1]
    compiled = triton.by_warps[(1,)](*numbered(torch, m, n, k), out, m, n, k, mma, left, right, *triton.told(m * n, count), num_warps=count)
    check(out, compiled, (m, n), f"product of warps {warps}", mma)


@pytest.mark.parametrize("sizes", [(64, 32, 16), (64, 64, 64), (128, 64, 32)])
def test_accumulators_of_a_warpgroup(triton, torch, room, check, sizes):
    (m, n, wide), ttgl, k, warps = sizes, triton.ttgl, 64, 4
    mma = ttgl.NVMMADistributedLayout([3, 0], [warps, 1], [16, wide, 16])
    plain = ttgl.BlockedLayout([1, 8], [4, 8], [warps, 1], [1, 0])
    left, right = (ttgl.NVMMASharedLayout.get_default_for(list(shape), ttgl.float16) for shape in ((m, k), (k, n)))
    out = room(m * n)
    compiled = triton.by_a_group[(1,)](
        *numbered(torch, m, n, k), out, m, n, k, mma, plain, left, right, *triton.told(m * n, warps), num_warps=warps
    )
    check(out, compiled, (m, n), f"product of a group {m}x{n} by {wide}", mma)


@pytest.mark.parametrize("name", cuda_layouts.SHARED)
def test_shared_memory(triton, room, record, name):
    ttgl, (text, shape, _) = triton.ttgl, cuda_layouts.SHARED[name]
    plain, line = ttgl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0]), ttgl.BlockedLayout([1], [32], [4], [0])
    out, flat = room(shape[0] * shape[1], "int16"), ttgl.SwizzledSharedLayout(1, 1, 1, [0])
    compiled = triton.shared[(1,)](out, *shape, triton.made(text), flat, plain, line, num_warps=4)
    found = re.findall(r"#ttg\.(?:shared_linear|swizzled_shared|nvmma_shared)<.*>", compiled.asm["ttgir"])
    (printed,) = (each for each in found if "order = [0]}" not in each)  # which is that of the flat one
    held = out.cpu().numpy()
    record("triton", f"shared: {name}", {"asked": text, "printed": printed, "held": held})
    cuda_layouts.check_shared(name, printed, held)
