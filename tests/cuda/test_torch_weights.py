"""Weights of four bits as torch keeps them for its tensor cores: packed by torch, and packed here and multiplied by torch."""

import numpy as np
import pytest

import cuda_layouts
import tilelayout as tl

pytestmark = [pytest.mark.cuda, pytest.mark.filterwarnings("default")]  # the warnings of other libraries


@pytest.mark.parametrize("inner", [2, 4, 8])
@pytest.mark.parametrize("shape", [(8, 256), (64, 128), (24, 512)])
def test_torch_packs_the_same(torch, record, inner, shape):
    """torch takes two columns in a byte, the first in the high bits, as torchao's TensorCoreTiledLayout gives them."""
    x = np.random.default_rng(inner).integers(0, 16, shape, "u1")
    packed = torch._convert_weight_to_int4pack(torch.from_numpy(x[:, ::2] << 4 | x[:, 1::2]).cuda(), inner).cpu().numpy()
    if shape == (8, 256):
        record("torchao", f"inner_k_tiles={inner}", {"weights": x, "packed": packed.ravel()})
    assert packed.shape == (shape[0] // 8, shape[1] // (16 * inner), 32, inner // 2)
    cuda_layouts.check_weights(inner, x, packed.view("u4").ravel())


@pytest.mark.parametrize("inner", [2, 4, 8])
def test_torch_multiplies_what_pack_lays_out(torch, inner):
    """Each column of the product with ones on the diagonal is a row of the weights, less 8."""
    x = np.random.default_rng(inner).integers(0, 16, (64, 256), "u1")
    words = tl.pack(x, tl.presets.get(f"tensor_core_tiled_{inner}")).view("<i4").reshape(8, 256 // (16 * inner), 32, inner // 2)
    scales = torch.stack([torch.ones(256 // 64, 64), torch.zeros(256 // 64, 64)], dim=-1).to(torch.bfloat16).cuda()
    eye = torch.eye(256, dtype=torch.bfloat16, device="cuda")
    product = torch._weight_int4pack_mm(eye, torch.from_numpy(words.copy()).cuda(), 64, scales.contiguous())
    assert np.array_equal(product.float().cpu().numpy().T, x.astype("f4") - 8)
