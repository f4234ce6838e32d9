/* Rows that are zipped to one of tuples, and taken apart again, by vectors of 64 bytes. */
#ifndef TL_TUPLES_H
#define TL_TUPLES_H

#include "tl_agreed.h"
#include "tl_blended.h"
#include "tl_triples.h"

#ifdef TL_WIDE

/* Whether K-tuples lie across lines; how many have to lie together; and where the j-th line of those from v on is. */
#define TL_LIE_ACROSS(K) (((K) & ((K) - 1)) != 0)
#define TL_TUPLES(W, K) (64 / W / (TL_LIE_ACROSS(K) ? 1 : K))
#define TL_TUPLES_AT(AT, V, J, W, K) (TL_LIE_ACROSS(K) ? (AT)[V] + 64 * (J) : (AT)[(V) + (J) * TL_TUPLES(W, K)])
/* Whether all of the j-th line is there where so many of the K rows are. */
#define TL_IS_WHOLE_LINE(J, ROWS, K) ((ROWS) == K || (TL_LIE_ACROSS(K) && (J) < K - 1))

/* Whether tuples, or rows that are made of them, are stored across lines: so pairs of vectors do in a cache, as they turn in many steps. */
#define TL_ACROSS_LINES(PAST) (!TL_MASKED && !(PAST))

/* What is there of the j-th line of the last tuples, from v on: of the K rows the first nu, and what is behind these is not read. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_last_tuples(const int W, const int K, const int64_t *v_at, const char *from, int64_t v, int64_t nv,
                                                         int64_t nu, int j)
{
    int64_t left = (nv - v) * K * W - 64 * j, bytes = (TL_LIE_ACROSS(K) ? left : tl_least(64, left)) - (K - nu) * W;
    return bytes > 0 ? _mm512_maskz_loadu_epi8(tl_first(bytes), from + TL_TUPLES_AT(v_at, v, j, W, K)) : _mm512_setzero_si512();
}

/* K rows into one of K-tuples and back, a line of each row at a time. Where rows are no whole lines, the last elements that make one move twice;
 * those of tuples only `by_lines`, so that nothing is stored under a mask, and if they lie together, which they may if all lie at `even`
 * distances. How many tuples were taken apart is returned. */
#define TL_DEFINE_NARROW_512(W, K)                                                                              \
    TL_BY_512 static void tl_zip_##W##_##K##_512(                                                               \
        const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t nu, enum tl_way way)      \
    {                                                                                                           \
        enum { IN_LINE = TL_LINE / W };                                                                         \
        __m512i a[K];                                                                                           \
        if (nu < IN_LINE) {                                                                                     \
            TL_UNROLL                                                                                           \
            for (int j = 0; j < K; j++)                                                                         \
                a[j] = _mm512_maskz_loadu_epi8(tl_first(nu * W), from + v_at[j]);                               \
            tl_zipped_##W##_##K(a);                                                                             \
            for (int64_t j = 0, left = nu * K * W; left > 0; j++, left -= 64)                                   \
                _mm512_mask_storeu_epi8(to + u_at[0] + 64 * j, tl_first(left), a[j]);                           \
            return;                                                                                             \
        }                                                                                                       \
        for (int64_t next = 0, u; next < nu; next = u + IN_LINE) {                                              \
            u = tl_least(next, nu - IN_LINE);                                                                   \
            TL_UNROLL                                                                                           \
            for (int j = 0; j < K; j++)                                                                         \
                a[j] = _mm512_loadu_si512((const void *)(from + u * W + v_at[j]));                              \
            tl_zipped_##W##_##K(a);                                                                             \
            TL_UNROLL                                                                                           \
            for (int j = 0; j < K; j++)                                                                         \
                tl_store_line(to + u_at[u] + 64 * j, a[j], way);                                                \
        }                                                                                                       \
    }                                                                                                           \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_unzip_lines_##W##_##K(                                            \
        const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t nu, int64_t v, int64_t end, enum tl_way way)\
    {                                                                                                           \
        __mmask64 there = tl_first(64 - (K - nu) * W);                                                          \
        for (; v < end; v += TL_LINE / W) {                                                                     \
            __m512i a[K];                                                                                       \
            TL_UNROLL                                                                                           \
            for (int j = 0; j < K; j++) {                                                                       \
                const char *f = from + TL_TUPLES_AT(v_at, v, j, W, K);                                          \
                int is_whole = TL_IS_WHOLE_LINE(j, nu, K);                                                      \
                a[j] = is_whole ? _mm512_loadu_si512((const void *)f) : _mm512_maskz_loadu_epi8(there, f);      \
            }                                                                                                   \
            tl_apart_##W##_##K(a);                                                                              \
            TL_UNROLL                                                                                           \
            for (int j = 0; j < K; j++)                                                                         \
                if (j < nu)                                                                                     \
                    tl_store_line(to + v * W + u_at[j], a[j], way);                                             \
        }                                                                                                       \
    }                                                                                                           \
    TL_BY_512 static TL_ALWAYS_INLINE int64_t tl_unzip_by_##W##_##K(                                            \
        const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t nu, int64_t nv, int by_lines, int even, enum tl_way way)\
    {                                                                                                           \
        enum { IN_LINE = TL_LINE / W };                                                                         \
        int64_t whole = nv - nv % IN_LINE, again = nv - IN_LINE;                                                \
        __m512i a[K];                                                                                           \
        tl_unzip_lines_##W##_##K(v_at, u_at, from, to, nu, 0, whole, way);                                      \
        if (whole == nv)                                                                                        \
            return nv;                                                                                          \
        if (by_lines && whole && even && v_at[nv - 1] - v_at[again] == (IN_LINE - 1) * K * W) {                 \
            tl_unzip_lines_##W##_##K(v_at, u_at, from, to, nu, again, nv, way);                                 \
            return nv;                                                                                          \
        }                                                                                                       \
        if (by_lines)                                                                                           \
            return whole;                                                                                       \
        TL_UNROLL                                                                                               \
        for (int j = 0; j < K; j++)                                                                             \
            a[j] = tl_last_tuples(W, K, v_at, from, whole, nv, nu, j);                                          \
        tl_apart_##W##_##K(a);                                                                                  \
        TL_UNROLL                                                                                               \
        for (int j = 0; j < K; j++)                                                                             \
            if (j < nu)                                                                                         \
                _mm512_mask_storeu_epi8(to + whole * W + u_at[j], tl_first((nv - whole) * W), a[j]);            \
        return nv;                                                                                              \
    }                                                                                                           \
    TL_BY_512 static int64_t tl_unzip_##W##_##K##_512(                                                          \
        const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t nu, int64_t nv, int by_lines, int even, enum tl_way way)\
    {                                                                                                           \
        if (nu == K)                                                                                            \
            return tl_unzip_by_##W##_##K(v_at, u_at, from, to, K, nv, by_lines, even, way);                     \
        return tl_unzip_by_##W##_##K(v_at, u_at, from, to, nu, nv, by_lines, even, way);                        \
    }
TL_ALL_ZIPPED(TL_DEFINE_NARROW_512)
#endif

#endif
