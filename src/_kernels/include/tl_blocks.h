/* Transposes by blocks of wide vectors, and by masks what they leave. */
#ifndef TL_BLOCKS_H
#define TL_BLOCKS_H

#include "tl_panels.h"

#ifdef TL_WIDE

/* Blocks of (2 * B) x B by vectors of 32 bytes, as far as whole ones go; how far along u is returned. */
#define TL_DEFINE_WIDE_256(W, B, STAGES, SI)                                                                    \
    TL_BY_256 static int64_t tl_transpose_##W##_256(                                                            \
        const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t nu, int64_t nv)           \
    {                                                                                                           \
        int64_t whole_u = nu - nu % (2 * B);                                                                    \
        for (int64_t u = 0; u < whole_u; u += 2 * B)                                                            \
            for (int64_t v = 0; v < nv; v += B) {                                                               \
                __m256i a[B], b[B];                                                                             \
                for (int j = 0; j < B; j++)                                                                     \
                    a[j] = _mm256_loadu_si256((const __m256i *)(from + u * W + v_at[v + j]));                   \
                TL_LADDER(_mm256, B, STAGES, SI)                                                                \
                TL_UNROLL                                                                                       \
                for (int j = 0; j < B; j++) {                                                                   \
                    _mm_storeu_si128((__m128i *)(to + v * W + u_at[u + j]), _mm256_castsi256_si128(a[j]));      \
                    _mm_storeu_si128((__m128i *)(to + v * W + u_at[u + B + j]), _mm256_extracti128_si256(a[j], 1));\
                }                                                                                               \
            }                                                                                                   \
        return whole_u;                                                                                         \
    }
TL_DEFINE_WIDE_256(1, 16, 4, 8)
TL_DEFINE_WIDE_256(2, 8, 3, 16)
TL_DEFINE_WIDE_256(4, 4, 2, 32)
TL_DEFINE_WIDE_256(8, 2, 1, 64)

#if TL_MASKED
TL_BY_512 static TL_ALWAYS_INLINE __m128i tl_lane(__m512i x, int k)
{
    return k == 0   ? _mm512_castsi512_si128(x)
           : k == 1 ? _mm512_extracti32x4_epi32(x, 1)
           : k == 2 ? _mm512_extracti32x4_epi32(x, 2)
                    : _mm512_extracti32x4_epi32(x, 3);
}

/* The first bytes of a vector of 16, none beyond them touched. */
TL_BY_512 static TL_ALWAYS_INLINE __m128i tl_load_some(const char *from, __mmask64 some)
{
    return _mm512_castsi512_si128(_mm512_maskz_loadu_epi8(some, (const void *)from));
}
TL_BY_512 static TL_ALWAYS_INLINE void tl_store_some(char *to, __m128i x, __mmask64 some)
{
    _mm512_mask_storeu_epi8((void *)to, some, _mm512_castsi128_si512(x));
}

/* Blocks of any size, for what whole lines on both sides leave. Tall ones are of up to B elements of u, each a line of the target, and flat
 * ones of up to a line of the source and B of its rows; what is no whole block is read and written by masks. Of blocks that end a side which
 * is longer than they are, elements move twice. */
#define TL_DEFINE_PARTS(W, B, STAGES, SI)                                                                       \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_tall_block_##W(const int64_t *v_at, const int64_t *u_at, const char *from, char *to,\
                                                             int64_t nu, int64_t nv, const int whole_u, const int whole_v)\
    {                                                                                                           \
        const __mmask64 some_u = ~(__mmask64)0 >> (64 - nu * W), some_v = ~(__mmask64)0 >> (64 - nv * W);       \
        __m512i a[B], b[B];                                                                                     \
        TL_UNROLL                                                                                               \
        for (int j = 0; j < B; j++) {                                                                           \
            __m128i x[4];                                                                                       \
            TL_UNROLL                                                                                           \
            for (int k = 0; k < 4; k++) {                                                                       \
                const int is_there = whole_v || k * B + j < nv;                                                 \
                const char *f = from + v_at[is_there ? k * B + j : 0];                                          \
                x[k] = whole_u ? _mm_loadu_si128((const __m128i *)f) : tl_load_some(f, is_there ? some_u : 0);  \
            }                                                                                                   \
            a[j] = _mm512_inserti32x4(_mm512_inserti32x4(_mm512_inserti32x4(_mm512_castsi128_si512(x[0]), x[1], 1), x[2], 2), x[3], 3);\
        }                                                                                                       \
        TL_LADDER(_mm512, B, STAGES, SI)                                                                        \
        TL_UNROLL                                                                                               \
        for (int j = 0; j < B; j++)                                                                             \
            if (whole_u || j < nu) {                                                                            \
                if (whole_v)                                                                                    \
                    _mm512_storeu_si512((void *)(to + u_at[j]), a[j]);                                          \
                else                                                                                            \
                    _mm512_mask_storeu_epi8((void *)(to + u_at[j]), some_v, a[j]);                              \
            }                                                                                                   \
    }                                                                                                           \
    TL_BY_512 static void tl_tall_##W(const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t nu, int64_t nv)\
    {                                                                                                           \
        for (int64_t v = 0, more_v; v < nv; v += more_v) {                                                      \
            int64_t there_v = nv < 4 * B ? nv : 4 * B, first_v = tl_least(v, nv - there_v);                     \
            more_v = first_v + there_v - v;                                                                     \
            for (int64_t u = 0, more_u; u < nu; u += more_u) {                                                  \
                int64_t there_u = nu < B ? nu : B, first_u = tl_least(u, nu - there_u);                         \
                const int64_t *at_v = v_at + first_v, *at_u = u_at + first_u;                                   \
                const char *f = from + first_u * W;                                                             \
                char *t = to + first_v * W;                                                                     \
                more_u = first_u + there_u - u;                                                                 \
                if (there_v < 4 * B)                                                                            \
                    tl_tall_block_##W(at_v, at_u, f, t, there_u, there_v, 0, 0);                                \
                else if (there_u < B)                                                                           \
                    tl_tall_block_##W(at_v, at_u, f, t, there_u, 4 * B, 0, 1);                                  \
                else                                                                                            \
                    tl_tall_block_##W(at_v, at_u, f, t, B, 4 * B, 1, 1);                                        \
            }                                                                                                   \
        }                                                                                                       \
    }                                                                                                           \
    /* Where rows follow each other, so many short ones may be written as 16 bytes, and their places need not be looked up: a load that\
     * seems to be of what was just stored (4 KiB away) would hold up the stores that wait for it. */           \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_flat_block_##W(const int64_t *v_at, const int64_t *u_at, const char *from, char *to,\
                                                             int64_t nu, int64_t nv, int64_t spare, const int whole_u, const int whole_v,\
                                                             const int follow, int64_t step)                    \
    {                                                                                                           \
        to += follow ? u_at[0] : 0;                                                                             \
        const __mmask64 some_u = ~(__mmask64)0 >> (64 - nu * W), some_v = ~(__mmask64)0 >> (64 - nv * W);       \
        __m512i a[B], b[B];                                                                                     \
        TL_UNROLL                                                                                               \
        for (int j = 0; j < B; j++) {                                                                           \
            const int is_there = whole_v || j < nv;                                                             \
            const void *f = (const void *)(from + v_at[is_there ? j : 0]);                                      \
            a[j] = !is_there ? _mm512_setzero_si512() : whole_u ? _mm512_loadu_si512(f) : _mm512_maskz_loadu_epi8(some_u, f);\
        }                                                                                                       \
        TL_LADDER(_mm512, B, STAGES, SI)                                                                        \
        TL_UNROLL                                                                                               \
        for (int k = 0; k < 4; k++)                                                                             \
            TL_UNROLL                                                                                           \
            for (int j = 0; j < B; j++)                                                                         \
                if (whole_u || k * B + j < nu) {                                                                \
                    char *t = follow ? to : to + u_at[k * B + j];                                               \
                    if (whole_v || k * B + j < spare)                                                           \
                        _mm_storeu_si128((__m128i *)t, tl_lane(a[j], k));                                       \
                    else                                                                                        \
                        tl_store_some(t, tl_lane(a[j], k), some_v);                                             \
                    to += follow ? step : 0;                                                                    \
                }                                                                                               \
    }                                                                                                           \
    TL_BY_512 static void tl_flat_##W(const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t nu, int64_t nv)\
    {                                                                                                           \
        int64_t step = nv * W, follow = tl_follow(u_at, nu, step);                                              \
        int64_t spare = nv < B && follow ? nu - tl_ceil_div(16, step) + 1 : 0;                                  \
        for (int64_t u = 0, more_u; u < nu; u += more_u) {                                                      \
            int64_t there_u = nu < 4 * B ? nu : 4 * B, first_u = tl_least(u, nu - there_u);                     \
            more_u = first_u + there_u - u;                                                                     \
            for (int64_t v = 0, more_v; v < nv; v += more_v) {                                                  \
                int64_t there_v = nv < B ? nv : B, first_v = tl_least(v, nv - there_v);                         \
                const int64_t *at_v = v_at + first_v, *at_u = u_at + first_u;                                   \
                const char *f = from + first_u * W;                                                             \
                char *t = to + first_v * W;                                                                     \
                more_v = first_v + there_v - v;                                                                 \
                if (there_u < 4 * B)                                                                            \
                    tl_flat_block_##W(at_v, at_u, f, t, there_u, there_v, spare, 0, 0, 0, 0);                   \
                else if (there_v < B && follow)                                                                 \
                    tl_flat_block_##W(at_v, at_u, f, t, 4 * B, there_v, spare - first_u, 1, 0, 1, step);        \
                else if (there_v < B)                                                                           \
                    tl_flat_block_##W(at_v, at_u, f, t, 4 * B, there_v, 0, 1, 0, 0, 0);                         \
                else if (follow)                                                                                \
                    tl_flat_block_##W(at_v, at_u, f, t, 4 * B, B, 0, 1, 1, 1, step);                            \
                else                                                                                            \
                    tl_flat_block_##W(at_v, at_u, f, t, 4 * B, B, 0, 1, 1, 0, 0);                               \
            }                                                                                                   \
        }                                                                                                       \
    }                                                                                                           \
    /* A transpose of any size: whole lines on both sides, and what is left. Where rows make no line, and there \
     * are as many flat blocks as tall ones, flat ones: tall ones would be read and written by masks. */        \
    static void tl_any_##W(const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t nu, int64_t nv, int is_even)\
    {                                                                                                           \
        int64_t tall = tl_ceil_div(nu, B) * tl_ceil_div(nv, 4 * B), flat = tl_ceil_div(nu, 4 * B) * tl_ceil_div(nv, B);\
        int64_t lines_u = nu - nu % (4 * B), lines_v = nv - nv % (4 * B);                                       \
        if (!lines_u || !lines_v) {                                                                             \
            (tall < flat + (nv >= 4 * B) ? tl_tall_##W : tl_flat_##W)(v_at, u_at, from, to, nu, nv);            \
            return;                                                                                             \
        }                                                                                                       \
        tl_stored_##W(v_at, u_at, from, to, lines_u, lines_v, is_even);                                         \
        if (lines_v < nv) {                                                                                     \
            int64_t v = nv - tl_ceil_div(nv - lines_v, B) * B;                                                  \
            tl_flat_##W(v_at + v, u_at, from, to + v * W, lines_u, nv - v);                                     \
        }                                                                                                       \
        if (lines_u < nu) {                                                                                     \
            int64_t u = nu - tl_ceil_div(nu - lines_u, B) * B;                                                  \
            tl_tall_##W(v_at, u_at + u, from + u * W, to, nu - u, nv);                                          \
        }                                                                                                       \
    }
TL_DEFINE_PARTS(1, 16, 4, 8)
TL_DEFINE_PARTS(2, 8, 3, 16)
TL_DEFINE_PARTS(4, 4, 2, 32)
TL_DEFINE_PARTS(8, 2, 1, 64)
TL_DEFINE_PARTS(16, 1, 0, 64)
#endif
#endif

#endif
