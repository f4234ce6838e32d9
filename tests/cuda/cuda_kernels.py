"""The kernels in CUDA of these tests, and what builds them for the GPUs that have wgmma and TMA (compute capability 9.0)."""

import ctypes
import subprocess

import numpy as np

#: Instructions on fragments in registers: name, type of the operands in PTX, registers of A, B and D.
MMAS = {
    "m16n8k16.f32.f16": ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4, 2),
    "m16n8k8.f32.f16": ("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 2, 1),
    "m16n8k16.f32.bf16": ("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2),
    "m16n8k8.f32.tf32": ("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2),
    "m16n8k4.f32.tf32": ("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", 2, 1),
    "m16n8k16.s32.s8": ("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32", 2, 1),
    "m16n8k32.s32.s8": ("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 4, 2),
}
#: Columns of the wgmma that are built.
WIDTHS = (8, 64)


def listed(count, first):
    return "{" + ", ".join(f"%{first + k}" for k in range(count)) + "}"


def mma_source(number, instruction, a, b):
    kind = "f" if ".f32." in instruction else "r"
    held, out = ("float", "__float_as_uint") if kind == "f" else ("int", "(u32)")
    asm = f"{instruction} {listed(4, 0)}, {listed(a, 4)}, {listed(b, 4 + a)}, {listed(4, 0)};"
    outs = ", ".join(f'"+{kind}"(x[{k}])' for k in range(4))
    ins = ", ".join([f'"r"(a[at * {a} + {k}])' for k in range(a)] + [f'"r"(b[at * {b} + {k}])' for k in range(b)])
    return f"""
__global__ void mma_{number}(const u32 *a, const u32 *b, u32 *d) {{
    const int at = blockIdx.x * 32 + threadIdx.x;
    {held} x[4] = {{0, 0, 0, 0}};
    asm volatile("{asm}" : {outs} : {ins});
    for (int k = 0; k < 4; k++) d[at * 4 + k] = {out}(x[k]);
}}"""


def wgmma_source(n, a_kind, trans):
    regs = n // 2
    outs = ", ".join(f'"+f"(x[{k}])' for k in range(regs))
    if a_kind == "registers":
        a, last, ins = listed(4, regs), f"%{regs + 4}, p, 1, 1, {trans}", ", ".join(f'"r"(a[step * 4 + {k}])' for k in range(4))
    else:
        a, last, ins = f"%{regs}", f"%{regs + 1}, p, 1, 1, {trans}, {trans}", '"l"(da)'
    instruction = f"wgmma.mma_async.sync.aligned.m64n{n}k16.f32.f16.f16 {listed(regs, 0)}, {a}, {last};"
    asm = "{ .reg .pred p; setp.ne.b32 p, 1, 0; " + instruction + " }"
    return f"""
__global__ void wgmma_{n}_{a_kind}_{trans}(const uint4 *a_image, const u32 *a_held, const uint4 *b_image, Walk walk, float *d) {{
    extern __shared__ __align__(1024) char memory[];
    uint4 *as = (uint4 *)aligned(memory), *bs = as + walk.a_bytes / 16;
    for (int k = threadIdx.x; k < walk.a_bytes / 16; k += 128) as[k] = a_image[k];
    for (int k = threadIdx.x; k < walk.b_bytes / 16; k += 128) bs[k] = b_image[k];
    float x[{regs}];
    for (int k = 0; k < {regs}; k++) x[k] = 0;
    [[maybe_unused]] u32 a[16];
    for (int k = 0; k < 16; k++) a[k] = a_held ? a_held[threadIdx.x * 16 + k] : 0;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    #pragma unroll
    for (int step = 0; step < 4; step++) {{
        const u64 da = descriptor(as, walk.a_step[step], walk.a_leading, walk.a_stride, walk.swizzle);
        const u64 db = descriptor(bs, walk.b_step[step], walk.b_leading, walk.b_stride, walk.swizzle);
        asm volatile("{asm}" : {outs} : {ins}, "l"(db) : "memory");
        (void)da;
    }}
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int k = 0; k < {regs}; k++) d[threadIdx.x * {regs} + k] = x[k];
}}"""


HEAD = """
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdint.h>
typedef uint32_t u32;
typedef uint64_t u64;
struct Walk { int a_bytes, b_bytes, a_step[4], b_step[4], a_leading, a_stride, b_leading, b_stride, swizzle; };

__device__ u64 descriptor(const void *base, int step, int leading, int stride, int swizzle) {
    const u64 start = (u64)__cvta_generic_to_shared(base) + step;
    return (start & 0x3FFFF) >> 4 | (u64)(leading >> 4 & 0x3FFF) << 16 | (u64)(stride >> 4 & 0x3FFF) << 32 | (u64)swizzle << 62;
}

// What swizzles ask of an address; launches have so much room to spare.
__device__ char *aligned(char *memory) { return memory + (1024 - (u32)__cvta_generic_to_shared(memory) % 1024) % 1024; }
enum { SPARE = 1024 };

// Memory of the device as long as a function runs, copied in and out.
struct Held {
    void *at = nullptr;
    size_t bytes;
    Held(const void *from, size_t bytes) : bytes(bytes) {
        cudaMalloc(&at, bytes + 16);
        from ? cudaMemcpy(at, from, bytes, cudaMemcpyHostToDevice) : cudaMemset(at, 255, bytes);
    }
    ~Held() { cudaFree(at); }
    int out(void *to) {
        const int launched = cudaGetLastError(), done = cudaDeviceSynchronize();
        const int copied = cudaMemcpy(to, at, bytes, cudaMemcpyDeviceToHost);
        return launched ? launched : done ? done : copied;
    }
};

template <int COUNT, bool TRANS> __global__ void ldmatrix(const uint4 *rows, u32 *out) {
    __shared__ __align__(128) uint4 shared[32];
    const int lane = threadIdx.x;
    shared[lane] = rows[lane];
    __syncwarp();
    const u32 at = (u32)__cvta_generic_to_shared(shared + lane % (8 * COUNT));
    u32 x[4] = {0, 0, 0, 0};
#define LOAD(n, t, regs) asm volatile("ldmatrix.sync.aligned.m8n8." n t ".shared.b16 " regs ", [%4];" \\
    : "+r"(x[0]), "+r"(x[1]), "+r"(x[2]), "+r"(x[3]) : "r"(at) : "memory")
    if (COUNT == 1) { if (TRANS) LOAD("x1", ".trans", "{%0}"); else LOAD("x1", "", "{%0}"); }
    if (COUNT == 2) { if (TRANS) LOAD("x2", ".trans", "{%0, %1}"); else LOAD("x2", "", "{%0, %1}"); }
    if (COUNT == 4) { if (TRANS) LOAD("x4", ".trans", "{%0, %1, %2, %3}"); else LOAD("x4", "", "{%0, %1, %2, %3}"); }
    for (int k = 0; k < COUNT; k++) out[lane * COUNT + k] = x[k];
}

template <bool TRANS> __global__ void stmatrix(const u32 *held, uint4 *rows) {
    __shared__ __align__(128) uint4 shared[32];
    const int lane = threadIdx.x;
    const u32 at = (u32)__cvta_generic_to_shared(shared + lane);
    const u32 *x = held + lane * 4;
    if (TRANS) asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%4], {%0, %1, %2, %3};"
        :: "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(at) : "memory");
    else asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%4], {%0, %1, %2, %3};"
        :: "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(at) : "memory");
    __syncwarp();
    rows[lane] = shared[lane];
}

__global__ void tma(const __grid_constant__ CUtensorMap map, int box_rows, int box_columns, int bytes, char *out) {
    extern __shared__ __align__(1024) char memory[];
    char *tile = aligned(memory);
    __shared__ __align__(8) u64 barrier;
    const u32 bar = (u32)__cvta_generic_to_shared(&barrier), at = (u32)__cvta_generic_to_shared(tile);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(bar) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(bar), "r"(bytes) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
            :: "r"(at), "l"(&map), "r"((int)blockIdx.x * box_columns), "r"((int)blockIdx.y * box_rows), "r"(bar) : "memory");
    }
    __syncthreads();
    u32 done = 0;
    for (int tries = 0; !done && tries < 1 << 16; tries++)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
            : "=r"(done) : "r"(bar) : "memory");
    const size_t begin = ((size_t)blockIdx.y * gridDim.x + blockIdx.x) * bytes;
    for (int k = threadIdx.x; k < bytes; k += blockDim.x) out[begin + k] = tile[k];
}
"""
TAIL = """
extern "C" int run_ldmatrix(int count, int trans, const void *rows, void *out) {
    Held a(rows, 512), x(nullptr, 128 * count);
    if (count == 1 && !trans) ldmatrix<1, false><<<1, 32>>>((uint4 *)a.at, (u32 *)x.at);
    if (count == 1 && trans) ldmatrix<1, true><<<1, 32>>>((uint4 *)a.at, (u32 *)x.at);
    if (count == 2 && !trans) ldmatrix<2, false><<<1, 32>>>((uint4 *)a.at, (u32 *)x.at);
    if (count == 2 && trans) ldmatrix<2, true><<<1, 32>>>((uint4 *)a.at, (u32 *)x.at);
    if (count == 4 && !trans) ldmatrix<4, false><<<1, 32>>>((uint4 *)a.at, (u32 *)x.at);
    if (count == 4 && trans) ldmatrix<4, true><<<1, 32>>>((uint4 *)a.at, (u32 *)x.at);
    return x.out(out);
}

extern "C" int run_stmatrix(int trans, const void *held, void *out) {
    Held a(held, 512), x(nullptr, 512);
    if (trans) stmatrix<true><<<1, 32>>>((u32 *)a.at, (uint4 *)x.at);
    else stmatrix<false><<<1, 32>>>((u32 *)a.at, (uint4 *)x.at);
    return x.out(out);
}

// Tiles of a matrix, one behind the other, as TMA puts each into shared memory; 1000 + an error of the driver.
extern "C" int run_tma(const void *data, int type, int size, int rows, int columns, int box_rows, int box_columns, int swizzle, void *out) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    auto encode = library ? (decltype(&cuTensorMapEncodeTiled))dlsym(library, "cuTensorMapEncodeTiled") : nullptr;
    if (!encode) return 999;
    const dim3 boxes((columns + box_columns - 1) / box_columns, (rows + box_rows - 1) / box_rows);
    const int bytes = box_rows * box_columns * size;
    Held a(data, (size_t)rows * columns * size), x(nullptr, (size_t)boxes.x * boxes.y * bytes);
    cuuint64_t extents[2] = {(cuuint64_t)columns, (cuuint64_t)rows}, strides[1] = {(cuuint64_t)columns * size};
    cuuint32_t box[2] = {(cuuint32_t)box_columns, (cuuint32_t)box_rows}, steps[2] = {1, 1};
    alignas(64) CUtensorMap map;
    const int failed = encode(&map, (CUtensorMapDataType)type, 2, a.at, extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
        (CUtensorMapSwizzle)swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (failed) return 1000 + failed;
    tma<<<boxes, 128, bytes + SPARE>>>(map, box_rows, box_columns, bytes, (char *)x.at);
    return x.out(out);
}

extern "C" int read_device(const void *from, size_t bytes, void *to) {
    const int before = cudaDeviceSynchronize();
    return before ? before : cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost);
}
"""


def source():
    """The whole of it, the instructions of one form written out from the tables above."""
    mmas = "".join(mma_source(number, *form) for number, form in enumerate(MMAS.values()))
    ways = [(n, kind, trans) for n in WIDTHS for kind, trans in [("memory", 0), ("registers", 0), ("memory", 1)] if n == 64 or not trans]
    wgmmas = "".join(wgmma_source(*way) for way in ways)
    chosen = "\n".join(
        f"    if (kind == {number}) mma_{number}<<<runs, 32>>>((u32 *)x.at, (u32 *)y.at, (u32 *)z.at);" for number in range(len(MMAS))
    )
    walked = "\n".join(
        f"    if (n == {n} && trans == {trans} && {'' if kind == 'registers' else '!'}held) wgmma_{n}_{kind}_{trans}<<<1, 128, bytes>>>"
        "((uint4 *)x.at, held ? (u32 *)h.at : nullptr, (uint4 *)y.at, walk, (float *)z.at);"
        for n, kind, trans in ways
    )
    return f"""{HEAD}{mmas}{wgmmas}{TAIL}
extern "C" int run_mma(int kind, int runs, int a, int b, const void *as, const void *bs, void *out) {{
    Held x(as, 128 * runs * a), y(bs, 128 * runs * b), z(nullptr, 512 * runs);
{chosen}
    return z.out(out);
}}

extern "C" int run_wgmma(int n, int trans, const void *as, const void *held, const void *bs, Walk walk, void *out) {{
    Held x(as, walk.a_bytes), h(held, 128 * 64), y(bs, walk.b_bytes), z(nullptr, 128 * n * 2);
    const int bytes = walk.a_bytes + walk.b_bytes + SPARE;
{walked}
    return z.out(out);
}}
"""


Four = ctypes.c_int * 4


class Walk(ctypes.Structure):
    """Where wgmma finds its operands: bytes from the beginning for each step of 16 along K, and the strides of descriptors."""

    _fields_ = (
        *((name, ctypes.c_int) for name in ("a_bytes", "b_bytes")),
        *((name, Four) for name in ("a_step", "b_step")),
        *((name, ctypes.c_int) for name in ("a_leading", "a_stride", "b_leading", "b_stride", "swizzle")),
    )


def build(folder):
    """The kernels as a library."""
    (folder / "kernels.cu").write_text(source())
    nvcc = ["nvcc", "-O1", "-std=c++17", "-shared", "-Xcompiler", "-fPIC", "-gencode=arch=compute_90a,code=sm_90a"]
    done = subprocess.run([*nvcc, "-o", "kernels.so", "kernels.cu", "-ldl"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return ctypes.CDLL(str(folder / "kernels.so"))


def runner(library):
    """Calls a function of the library with arrays and numbers; the last argument is the array to write, which is returned."""

    def run(name, *given, out):
        kept = [np.ascontiguousarray(x) if isinstance(x, np.ndarray) else x for x in given]
        code = getattr(library, name)(*(ctypes.c_void_p(x.ctypes.data) if isinstance(x, np.ndarray) else x for x in [*kept, out]))
        assert code == 0, f"{name} ended with error {code}"
        return out

    return run
