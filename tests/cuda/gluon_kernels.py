"""Kernels in Gluon, Triton's language of layouts."""

from __future__ import annotations

import re

import pytest


class Triton:
    """Kernels in Gluon that tell which element each register and each byte of shared memory holds."""

    def __init__(self):
        gluon = pytest.importorskip("triton.experimental.gluon")
        ttgl = pytest.importorskip("triton.experimental.gluon.language")
        hopper = pytest.importorskip("triton.experimental.gluon.language.nvidia.hopper")
        self.ttgl = ttgl

        @gluon.jit
        def tell(out, held, asm: ttgl.constexpr, words: ttgl.constexpr, pack: ttgl.constexpr):
            linear: ttgl.constexpr = ttgl.to_linear_layout(held.type.layout, held.type.shape)
            held = ttgl.convert_layout(held, linear, assert_trivial=True)  # by which Triton prints it
            place = ttgl.inline_asm_elementwise(asm, words, [held], dtype=ttgl.int32, is_pure=True, pack=pack)
            ttgl.store(out + place, held)

        @gluon.jit
        def places(a, m: ttgl.constexpr, n: ttgl.constexpr, layout: ttgl.constexpr):
            rows = ttgl.arange(0, m, layout=ttgl.SliceLayout(1, layout))
            return a + rows[:, None] * n + ttgl.arange(0, n, layout=ttgl.SliceLayout(0, layout))[None, :]

        @gluon.jit
        def matrix(  # noqa: PLR0917
            out, m: ttgl.constexpr, n: ttgl.constexpr, layout: ttgl.constexpr,
            asm: ttgl.constexpr, words: ttgl.constexpr, pack: ttgl.constexpr,
        ):  # fmt: skip
            rows = ttgl.arange(0, m, layout=ttgl.SliceLayout(1, layout))
            tell(out, rows[:, None] * n + ttgl.arange(0, n, layout=ttgl.SliceLayout(0, layout))[None, :], asm, words, pack)

        @gluon.jit
        def line(  # noqa: PLR0917
            out, n: ttgl.constexpr, layout: ttgl.constexpr, asm: ttgl.constexpr, words: ttgl.constexpr, pack: ttgl.constexpr,
        ):  # fmt: skip
            tell(out, ttgl.arange(0, n, layout=layout), asm, words, pack)

        @gluon.jit
        def by_warps(  # noqa: PLR0917
            a, b, out, m: ttgl.constexpr, n: ttgl.constexpr, k: ttgl.constexpr, layout: ttgl.constexpr, left: ttgl.constexpr,
            right: ttgl.constexpr, asm: ttgl.constexpr, words: ttgl.constexpr, pack: ttgl.constexpr,
        ):  # fmt: skip
            x, y = ttgl.load(places(a, m, k, left)), ttgl.load(places(b, k, n, right))
            product = hopper.mma_v2(x, y, ttgl.full([m, n], 0, ttgl.float32, layout))
            tell(out, product.to(ttgl.int32), asm, words, pack)

        @gluon.jit
        def by_a_group(  # noqa: PLR0917
            a, b, out, m: ttgl.constexpr, n: ttgl.constexpr, k: ttgl.constexpr, layout: ttgl.constexpr, plain: ttgl.constexpr,
            left: ttgl.constexpr, right: ttgl.constexpr, asm: ttgl.constexpr, words: ttgl.constexpr, pack: ttgl.constexpr,
        ):  # fmt: skip
            x = ttgl.allocate_shared_memory(ttgl.float16, [m, k], left, ttgl.load(places(a, m, k, plain)))
            y = ttgl.allocate_shared_memory(ttgl.float16, [k, n], right, ttgl.load(places(b, k, n, plain)))
            hopper.fence_async_shared()
            product = hopper.warpgroup_mma(x, y, ttgl.full([m, n], 0, ttgl.float32, layout), is_async=False)
            tell(out, product.to(ttgl.int32), asm, words, pack)

        @gluon.jit
        def shared(  # noqa: PLR0917
            out, m: ttgl.constexpr, n: ttgl.constexpr, layout: ttgl.constexpr,
            flat: ttgl.constexpr, plain: ttgl.constexpr, line: ttgl.constexpr,
        ):  # fmt: skip
            memory = ttgl.allocate_shared_memory(ttgl.int16, [m, n], layout, places(0, m, n, plain).to(ttgl.int16))
            ttgl.store(out + ttgl.arange(0, m * n, layout=line), memory._reinterpret(ttgl.int16, [m * n], flat).load(line))

        self.matrix, self.line, self.by_warps, self.by_a_group, self.shared = matrix, line, by_warps, by_a_group, shared

    @staticmethod
    def told(size, warps):
        """Assembly that gives every register of every thread a number: the thread's number times their count, plus its own."""
        pack = size // (32 * warps)
        lines = " ".join(f"mad.lo.u32 ${k}, t, {pack}, {k};" for k in range(pack))
        return "{ .reg .u32 t; mov.u32 t, %tid.x; " + lines + " }", ",".join(["=r"] * pack + ["r"] * pack), pack

    def made(self, text):
        """A layout of Gluon from its text."""
        return eval(text, {name: getattr(self.ttgl, name) for name in re.findall(r"\w+Layout", text)})  # of these tests
