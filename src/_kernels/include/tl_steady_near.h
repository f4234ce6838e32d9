/* Leaves in a cache, where the machine does not fetch the rows that it reads in turn (tl_fetches_rows).
 *
 * What a Zen 5 fetches then, by what it guesses from loads and stores, is not what comes next, and takes as long as what is moved. It counts no
 * loads and stores under a mask. So all of them are under one, and the source is fetched as it lies there. Rows are stored across lines, and
 * nothing is read from a table behind the stores of a leaf, as a load may wait for those.
 */
#ifndef TL_STEADY_NEAR_H
#define TL_STEADY_NEAR_H

#include "tl_carried.h"

#if TL_MASKED

/* A mask that leaves nothing out, which the compiler is not to know. */
TL_BY_512 static TL_ALWAYS_INLINE __mmask8 tl_all(void)
{
    __mmask8 all = 0xff;
    __asm__("" : "+Yk"(all));
    return all;
}
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_load_near(const char *from) { return _mm512_maskz_loadu_epi64(tl_all(), from); }
TL_BY_512 static TL_ALWAYS_INLINE void tl_store_near(char *to, __m512i x) { _mm512_mask_storeu_epi64(to, tl_all(), x); }

/* Fetches so many lines of what comes next. */
static TL_ALWAYS_INLINE void tl_fetch_near(const char **next, const int lines)
{
    tl_fetch(*next, lines * TL_LINE);
    *next += lines * TL_LINE;
}

/* Goes on to the leaf that begins `step` bytes further on in the source. */
static TL_ALWAYS_INLINE void tl_next_near(tl_leaves *s, int64_t step)
{
    s->from += step;
    s->to += s->to_step;
    if (!--s->left)
        s->to += s->to_lap, s->left = s->lap;
}

/* N lines, half of them from another row, of which none is stored before all are loaded. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_copy_rows_near(const int N, char *to, char *other_to, const char *from, const char *other_from,
                                                         const char **next)
{
    __m512i line[4];
    TL_UNROLL
    for (int k = 0; k < N; k++)
        line[k] = tl_load_near(k < N / 2 ? from + k * TL_LINE : other_from + (k - N / 2) * TL_LINE);
    tl_fetch_near(next, N);
    TL_UNROLL
    for (int k = 0; k < N; k++)
        tl_store_near(k < N / 2 ? to + k * TL_LINE : other_to + (k - N / 2) * TL_LINE, line[k]);
}
/* The same from one row. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_copy_near(const int N, char *to, const char *from, const char **next)
{
    tl_copy_rows_near(N, to, to + N / 2 * TL_LINE, from, from + N / 2 * TL_LINE, next);
}

/* The first n bytes of a line, all of them, or none. */
static TL_ALWAYS_INLINE __mmask64 tl_some(int64_t n) { return n <= 0 ? 0 : tl_first(n); }

/* So many bytes of padding. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_fill_near(char *to, int64_t bytes, __m512i padding)
{
    int64_t b = 0;
    for (; b <= bytes - TL_LINE; b += TL_LINE)
        tl_store_near(to + b, padding);
    if (b < bytes)
        _mm512_mask_storeu_epi8(to + b, tl_first(bytes - b), padding);
}

/* Rows, filled up if there is a fill. */
TL_BY_512 static int tl_near_run(const tl_plan *p, const tl_leaves *given)
{
    tl_leaves s = *given;
    tl_starts starts = tl_starts_at(p->v.at, p->v_from);
    const char *next = s.next ? s.next : s.from;
    int64_t bytes = p->u.n * p->width, apart = p->v_to, padded = s.fill ? p->v.n : s.nv;
    __m512i padding = s.fill ? tl_pattern_512(s.fill) : _mm512_setzero_si512();
    for (int64_t q = 0; q < s.count; q++) {
        int64_t step = tl_from_step(&s, q), there = s.left == 1 ? s.last : s.there, row_bytes = s.fill ? bytes : there;
        char *to = s.to;
        int64_t r = 0;
        for (; there == 2 * TL_LINE && row_bytes == there && r + 1 < s.nv; r += 2, to += 2 * apart)
            tl_copy_rows_near(4, to, to + apart, s.from + tl_start(starts, r), s.from + tl_start(starts, r + 1), &next);
        for (; r < s.nv; r++, to += apart) {
            const char *row = s.from + tl_start(starts, r);
            int64_t b = 0;
            for (; b <= there - 4 * TL_LINE; b += 4 * TL_LINE)
                tl_copy_near(4, to + b, row + b, &next);
            if (b <= there - 2 * TL_LINE) {
                tl_copy_near(2, to + b, row + b, &next);
                b += 2 * TL_LINE;
            }
            if (b <= there - TL_LINE) {
                tl_copy_near(1, to + b, row + b, &next);
                b += TL_LINE;
            }
            if (b < there) {
                tl_fetch_near(&next, 1);
                _mm512_mask_storeu_epi8(to + b, tl_first(row_bytes - b), _mm512_mask_loadu_epi8(padding, tl_first(there - b), row + b));
                b += TL_LINE;
            }
            if (b < row_bytes)
                tl_fill_near(to + b, row_bytes - b, padding);
        }
        for (; r < padded; r++, to += apart)
            tl_fill_near(to, row_bytes, padding);
        tl_next_near(&s, step);
    }
    return 0;
}

/* Rows that are zipped, and filled up. */
#define TL_DEFINE_NEAR(W, K)                                                                                    \
    TL_BY_512 static int tl_near_zip_##W##_##K(const tl_plan *p, const tl_leaves *given)                        \
    {                                                                                                           \
        tl_leaves s = *given;                                                                                   \
        const char *next = s.next ? s.next : s.from;                                                            \
        int64_t side = p->u.n * W, at[K];                                                                       \
        __m512i padding = s.fill ? tl_pattern_512(s.fill) : _mm512_setzero_si512();                             \
        __mmask8 is_there[K];                                                                                   \
        for (int j = 0; j < K; j++)                                                                             \
            at[j] = p->v.at[j], is_there[j] = j < s.nv ? tl_all() : 0;                                          \
        for (int64_t q = 0; q < s.count; q++) {                                                                 \
            int64_t step = tl_from_step(&s, q), there = s.left == 1 ? s.last : s.there;                         \
            int64_t u = 0;                                                                                      \
            __m512i a[K];                                                                                       \
            for (; u <= there - TL_LINE; u += TL_LINE) {                                                        \
                TL_UNROLL                                                                                       \
                for (int j = 0; j < K; j++)                                                                     \
                    a[j] = _mm512_mask_loadu_epi64(padding, is_there[j], s.from + u + at[j]);                   \
                tl_fetch_near(&next, K);                                                                        \
                tl_zipped_##W##_##K(a);                                                                         \
                TL_UNROLL                                                                                       \
                for (int j = 0; j < K; j++)                                                                     \
                    tl_store_near(s.to + K * u + j * TL_LINE, a[j]);                                            \
            }                                                                                                   \
            if (u < there) {                                                                                    \
                TL_UNROLL                                                                                       \
                for (int j = 0; j < K; j++)                                                                     \
                    a[j] = _mm512_mask_loadu_epi8(padding, j < s.nv ? tl_first(there - u) : 0, s.from + u + at[j]);\
                tl_fetch_near(&next, K);                                                                        \
                tl_zipped_##W##_##K(a);                                                                         \
                TL_UNROLL                                                                                       \
                for (int j = 0; j < K; j++)                                                                     \
                    _mm512_mask_storeu_epi8(s.to + K * u + j * TL_LINE, tl_some(K * (side - u) - j * TL_LINE), a[j]);\
                u += TL_LINE;                                                                                   \
            }                                                                                                   \
            if (u < side)                                                                                       \
                tl_fill_near(s.to + K * u, K * (side - u), padding);                                            \
            tl_next_near(&s, step);                                                                             \
        }                                                                                                       \
        return 0;                                                                                               \
    }                                                                                                           \
    /* Tuples that are taken apart, of which those of a line lie together: of each the first elements, as many as there are rows. */\
    TL_BY_512 static int tl_near_unzip_##W##_##K(const tl_plan *p, const tl_leaves *given)                      \
    {                                                                                                           \
        enum { IN_LINE = TL_LINE / W };                                                                         \
        tl_leaves s = *given;                                                                                   \
        tl_starts starts = tl_starts_at(p->v.at, p->v_from);                                                    \
        const char *next = s.next ? s.next : s.from;                                                            \
        int64_t n = s.nv, whole = (s.rows == K ? n : n - 1) & -IN_LINE, to_row[K];                              \
        __mmask8 is_there[K];                                                                                   \
        for (int j = 0; j < K; j++)                                                                             \
            to_row[j] = j < s.rows ? p->u.at[j] : 0, is_there[j] = j < s.rows ? tl_all() : 0;                   \
        for (int64_t q = 0; q < s.count; q++) {                                                                 \
            int64_t step = tl_from_step(&s, q), at = starts.first, v;                                           \
            __m512i a[K];                                                                                       \
            for (v = 0; v < whole; v += IN_LINE) {                                                              \
                const char *f = s.from + at;                                                                    \
                at = v + IN_LINE < n ? tl_start(starts, v + IN_LINE) : 0;                                       \
                TL_UNROLL                                                                                       \
                for (int j = 0; j < K; j++)                                                                     \
                    a[j] = tl_load_near(f + j * TL_LINE);                                                       \
                tl_fetch_near(&next, K);                                                                        \
                tl_apart_##W##_##K(a);                                                                          \
                TL_UNROLL                                                                                       \
                for (int j = 0; j < K; j++)                                                                     \
                    _mm512_mask_storeu_epi64(s.to + to_row[j] + v * W, is_there[j], a[j]);                      \
            }                                                                                                   \
            if (v < n) {                                                                                        \
                const char *f = s.from + at;                                                                    \
                int64_t left = (n - v) * K * W - (K - s.rows) * W;                                              \
                TL_UNROLL                                                                                       \
                for (int j = 0; j < K; j++)                                                                     \
                    a[j] = _mm512_maskz_loadu_epi8(tl_some(left - j * TL_LINE), f + j * TL_LINE);               \
                tl_apart_##W##_##K(a);                                                                          \
                TL_UNROLL                                                                                       \
                for (int j = 0; j < K; j++)                                                                     \
                    if (j < s.rows)                                                                             \
                        _mm512_mask_storeu_epi8(s.to + to_row[j] + v * W, tl_first((n - v) * W), a[j]);          \
            }                                                                                                   \
            tl_next_near(&s, step);                                                                             \
        }                                                                                                       \
        return 0;                                                                                               \
    }
TL_ALL_ZIPPED(TL_DEFINE_NEAR)
#endif

#endif
