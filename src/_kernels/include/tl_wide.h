/* Wider transposes for x86: vectors of 32 and 64 bytes, taken as lanes of 16.
 *
 * The zip of tl_shuffle.h works within each lane, so a wide vector transposes as many B x B blocks at once as it has lanes.
 * Lane k is loaded from the rows of block k along v; what comes out is one stretch of the target, as wide as the vector.
 */
#ifndef TL_WIDE_H
#define TL_WIDE_H

#if defined(__GNUC__) && defined(__x86_64__) && defined(TL_VECTORS)
#define TL_WIDE 1

#include <immintrin.h>

#define TL_LANE(at) _mm_loadu_si128((const __m128i *)(at))
#define TL_LOAD_256(at, j, B) _mm256_inserti128_si256(_mm256_castsi128_si256(TL_LANE(f + at[j])), TL_LANE(f + at[j + B]), 1)
#define TL_LOAD_512(at, j, B)                                                                                   \
    _mm512_inserti32x4(_mm512_inserti32x4(_mm512_inserti32x4(_mm512_castsi128_si512(TL_LANE(f + at[j])),        \
                                                             TL_LANE(f + at[j + B]), 1),                        \
                                          TL_LANE(f + at[j + 2 * B]), 2),                                       \
                       TL_LANE(f + at[j + 3 * B]), 3)

/* Blocks of B x (lanes * B), as far as whole ones go; how far along v is returned. */
#define TL_DEFINE_WIDE(W, B, STAGES, BITS, TARGET, VECTOR, PREFIX, SI)                                          \
    __attribute__((target(TARGET))) static int64_t tl_transpose_##W##_##BITS(                                   \
        const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t nu, int64_t nv)           \
    {                                                                                                           \
        int64_t along = BITS / 128 * B, whole_v = nv - nv % along;                                              \
        for (int64_t v = 0; v < whole_v; v += along)                                                            \
            for (int64_t u = 0; u < nu; u += B) {                                                               \
                const char *f = from + u * W;                                                                   \
                const int64_t *at = v_at + v;                                                                   \
                VECTOR a[B], b[B];                                                                              \
                for (int j = 0; j < B; j++)                                                                     \
                    a[j] = TL_LOAD_##BITS(at, j, B);                                                            \
                for (int s = 0; s < STAGES; s++) {                                                              \
                    for (int j = 0; j < B / 2; j++) {                                                           \
                        b[2 * j] = PREFIX##_unpacklo_epi##SI(a[j], a[j + B / 2]);                               \
                        b[2 * j + 1] = PREFIX##_unpackhi_epi##SI(a[j], a[j + B / 2]);                           \
                    }                                                                                           \
                    for (int j = 0; j < B; j++)                                                                 \
                        a[j] = b[j];                                                                            \
                }                                                                                               \
                for (int j = 0; j < B; j++)                                                                     \
                    PREFIX##_storeu_si##BITS((VECTOR *)(to + v * W + u_at[u + j]), a[j]);                       \
            }                                                                                                   \
        return whole_v;                                                                                         \
    }
#define TL_DEFINE_WIDE_BOTH(W, B, STAGES, SI)                                                                   \
    TL_DEFINE_WIDE(W, B, STAGES, 256, "avx2", __m256i, _mm256, SI)                                              \
    TL_DEFINE_WIDE(W, B, STAGES, 512, "avx512f,avx512bw", __m512i, _mm512, SI)
TL_DEFINE_WIDE_BOTH(1, 16, 4, 8)
TL_DEFINE_WIDE_BOTH(2, 8, 3, 16)
TL_DEFINE_WIDE_BOTH(4, 4, 2, 32)
TL_DEFINE_WIDE_BOTH(8, 2, 1, 64)

#endif
#endif
