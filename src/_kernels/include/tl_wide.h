/* Wider transposes for x86: vectors of 32 and 64 bytes, taken as lanes of 16.
 *
 * The zip of tl_shuffle.h works within each lane, so wide vectors transpose as many B x B blocks at once as they have lanes:
 * neighbours along u, so that a row of the source is read in one piece. Lane k of what comes out goes to block k.
 */
#ifndef TL_WIDE_H
#define TL_WIDE_H

#if defined(__GNUC__) && defined(__x86_64__) && defined(TL_VECTORS)
#define TL_WIDE 1

#include <immintrin.h>

#define TL_LANE(to, lane) _mm_storeu_si128((__m128i *)(to), lane)
#define TL_STORE_256(B, x)                                                                                      \
    TL_LANE(t + at[j], _mm256_castsi256_si128(x)), TL_LANE(t + at[j + B], _mm256_extracti128_si256(x, 1))
#define TL_STORE_512(B, x)                                                                                      \
    TL_LANE(t + at[j], _mm512_castsi512_si128(x)), TL_LANE(t + at[j + B], _mm512_extracti32x4_epi32(x, 1)),     \
        TL_LANE(t + at[j + 2 * B], _mm512_extracti32x4_epi32(x, 2)),                                            \
        TL_LANE(t + at[j + 3 * B], _mm512_extracti32x4_epi32(x, 3))

/* Blocks of (lanes * B) x B, as far as whole ones go; how far along u is returned. */
#define TL_DEFINE_WIDE(W, B, STAGES, BITS, TARGET, VECTOR, PREFIX, SI)                                          \
    __attribute__((target(TARGET))) static int64_t tl_transpose_##W##_##BITS(                                   \
        const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t nu, int64_t nv)           \
    {                                                                                                           \
        int64_t across = BITS / 128 * B, whole_u = nu - nu % across;                                            \
        for (int64_t u = 0; u < whole_u; u += across)                                                           \
            for (int64_t v = 0; v < nv; v += B) {                                                               \
                char *t = to + v * W;                                                                           \
                const int64_t *at = u_at + u;                                                                   \
                VECTOR a[B], b[B];                                                                              \
                for (int j = 0; j < B; j++)                                                                     \
                    a[j] = PREFIX##_loadu_si##BITS((const VECTOR *)(from + u * W + v_at[v + j]));               \
                for (int s = 0; s < STAGES; s++) {                                                              \
                    for (int j = 0; j < B / 2; j++) {                                                           \
                        b[2 * j] = PREFIX##_unpacklo_epi##SI(a[j], a[j + B / 2]);                               \
                        b[2 * j + 1] = PREFIX##_unpackhi_epi##SI(a[j], a[j + B / 2]);                           \
                    }                                                                                           \
                    for (int j = 0; j < B; j++)                                                                 \
                        a[j] = b[j];                                                                            \
                }                                                                                               \
                for (int j = 0; j < B; j++)                                                                     \
                    TL_STORE_##BITS(B, a[j]);                                                                   \
            }                                                                                                   \
        return whole_u;                                                                                         \
    }
#define TL_DEFINE_WIDE_BOTH(W, B, STAGES, SI)                                                                   \
    TL_DEFINE_WIDE(W, B, STAGES, 256, "avx2", __m256i, _mm256, SI)                                              \
    TL_DEFINE_WIDE(W, B, STAGES, 512, "avx512f,avx512bw", __m512i, _mm512, SI)
TL_DEFINE_WIDE_BOTH(1, 16, 4, 8)
TL_DEFINE_WIDE_BOTH(2, 8, 3, 16)
TL_DEFINE_WIDE_BOTH(4, 4, 2, 32)
TL_DEFINE_WIDE_BOTH(8, 2, 1, 64)

/* Rows of whole lines. */
__attribute__((target("avx512f"))) static void tl_rows_512(const int64_t *from_at, int64_t to_step, const char *from, char *to,
                                                           int64_t rows, int64_t bytes)
{
    for (int64_t r = 0; r < rows; r++)
        for (int64_t b = 0; b < bytes; b += 64)
            _mm512_storeu_si512((void *)(to + r * to_step + b), _mm512_loadu_si512((const void *)(from + from_at[r] + b)));
}

#endif
#endif
