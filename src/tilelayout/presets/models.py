"""Orders of rows that model families disagree on: rotary halves and pairs, gates and ups."""

from __future__ import annotations

from .order import Order
from .preset import Preset

_HDK = ("H", "D", "K")
_LLAMA = "transformers 01cc9cd9, models/llama/convert_llama_weights_to_hf.py (permute)"

PRESETS = (
    Preset(
        "rope_half_split",
        "Meta's query and key weights, whose rotary pairs lie side by side, as Hugging Face stores them: first all evens, then all odds",
        _LLAMA,
        Order(_HDK, "H D%2 D/2 K"),
        (2, 8, 6),
        {"D": 2},
    ),
    Preset(
        "rope_interleaved",
        "The inverse: Hugging Face's query and key weights with the two halves of a head interleaved, as Meta stores them",
        _LLAMA,
        Order(_HDK, "H D%half D/half K"),
        (2, 8, 6),
        {"D": 2},
    ),
    Preset(
        "gate_up_interleaved",
        "Rows of gates and then as many of ups, interleaved: gate 0, up 0, gate 1, ... as in GPT-OSS",
        "openai/gpt-oss, gpt_oss/torch/model.py (swiglu: x[..., ::2] is the gate, x[..., 1::2] the linear part)",
        Order(("N", "K"), "N%half N/half K"),
        (10, 4),
        {"N": 2},
    ),
)
