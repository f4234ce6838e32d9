"""Writes the dumps beside it: ``python step.py cpu step_cpu.txt`` and ``python step.py v5e:2x2 step_v5e.txt``; needs jax, and libtpu."""

import os
import sys
from pathlib import Path

os.environ.setdefault("TPU_SKIP_MDS_QUERY", "1")
os.environ.setdefault("TPU_ACCELERATOR_TYPE", "v5litepod-4")

import jax
import jax.numpy as jnp
from jax.experimental import topologies


def step(weights, x):
    """A loop over layers, a reshape that pads, a slice of three columns."""

    def layer(h, w):
        return jax.nn.gelu(h @ w) + h, None

    h, _ = jax.lax.scan(layer, x, weights)
    return h.astype(jnp.float32).reshape(5, 20, 3, 50).sum(1), jnp.tanh(h[:, :3])


topology, path = sys.argv[1:]
where = None
if topology != "cpu":
    where = jax.sharding.SingleDeviceSharding(topologies.get_topology_desc(platform="tpu", topology_name=topology).devices[0])
shapes = [jax.ShapeDtypeStruct(shape, jnp.bfloat16, sharding=where) for shape in ((3, 150, 150), (100, 150))]
compiled = jax.jit(step).lower(*shapes).compile()
Path(path).write_text(compiled.as_text())
print(compiled.memory_analysis())
