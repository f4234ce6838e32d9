/* Whole leaves of zips and unzips, to lines of the target. */
#ifndef TL_STEADY_ZIPS_H
#define TL_STEADY_ZIPS_H

#include "tl_carried.h"

#ifdef TL_WIDE

#define TL_DEFINE_STEADY(W, K)                                                                                  \
    TL_BY_512 static TL_ALWAYS_INLINE int tl_zip_leaves_##W##_##K(const tl_plan *p, tl_leaves s, const int ends)\
    {                                                                                                           \
        int on = s.on;                                                                                          \
        const char *next = s.next;                                                                              \
        __m512i padding = ends ? tl_pattern_512(s.fill) : _mm512_setzero_si512();                               \
        const int64_t *at = p->v.at;                                                                            \
        int64_t side = p->u.n * W, whole = side & -TL_LINE, place = tl_place(s.to);                             \
        __mmask64 some = ((__mmask64)1 << (side - whole)) - 1;                                                  \
        tl_turn t = tl_turn_to(place, s.way);                                                                   \
        __m512i carry = _mm512_load_si512((const void *)s.carry);                                               \
        for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {                                                    \
            char *line = s.to - place;                                                                          \
            for (int64_t u = 0; u < whole; u += TL_LINE, line += K * TL_LINE) {                                 \
                __m512i a[K];                                                                                   \
                TL_UNROLL                                                                                       \
                for (int j = 0; j < K; j++) {                                                                   \
                    const char *f = s.from + u + at[j];                                                         \
                    next = tl_fetch_next(p, next, f);                                                           \
                    a[j] = ends ? tl_get_ended(f, j < s.nv ? s.there - u : 0, padding) : _mm512_loadu_si512((const void *)f);\
                }                                                                                               \
                tl_zipped_##W##_##K(a);                                                                         \
                TL_UNROLL                                                                                       \
                for (int j = 0; j < K; j++, on = 1)                                                             \
                    carry = tl_emit(line + j * TL_LINE, a[j], carry, on, &t);                                   \
            }                                                                                                   \
            if (whole < side) {                                                                                 \
                __m512i a[K];                                                                                   \
                TL_UNROLL                                                                                       \
                for (int j = 0; j < K; j++) {                                                                   \
                    const char *f = s.from + whole + at[j];                                                     \
                    next = tl_fetch_next(p, next, f);                                                           \
                    a[j] = ends ? tl_get_ended(f, j < s.nv ? s.there - whole : 0, padding) : tl_get_part(f, 0, some, side);\
                }                                                                                               \
                tl_zipped_##W##_##K(a);                                                                         \
                TL_UNROLL                                                                                       \
                for (int j = 0; j < K; j++)                                                                     \
                    if (j * TL_LINE < (side - whole) * K)                                                       \
                        carry = tl_emit(line, a[j], carry, on, &t), on = 1, line += TL_LINE;                    \
            }                                                                                                   \
            carry = tl_between(&s, q, K * side, line + place, carry, &on);                                      \
        }                                                                                                       \
        _mm512_store_si512((void *)s.carry, carry);                                                             \
        return 1;                                                                                               \
    }                                                                                                           \
    TL_BY_512 static int tl_steady_zip_##W##_##K(const tl_plan *p, const tl_leaves *given)                      \
    {                                                                                                           \
        return tl_zip_leaves_##W##_##K(p, *given, 0);                                                           \
    }                                                                                                           \
    TL_BY_512 static int tl_ended_zip_##W##_##K(const tl_plan *p, const tl_leaves *given)                       \
    {                                                                                                           \
        return tl_zip_leaves_##W##_##K(p, *given, 1);                                                           \
    }                                                                                                           \
    TL_BY_512 static TL_ALWAYS_INLINE int tl_unzip_leaves_##W##_##K(                                            \
        const tl_plan *p, tl_leaves s, const enum tl_steps steps, const int one_line, const int64_t rows)       \
    {                                                                                                           \
        int on = s.on;                                                                                          \
        __mmask64 there = tl_first(TL_LINE - (K - rows) * W);                                                   \
        int64_t side = one_line ? TL_LINE : s.nv * W, whole = side & -TL_LINE;                                  \
        const int any = steps != TL_WORDS;                                                                      \
        tl_turn t[K];                                                                                           \
        t[0] = tl_turn_by(tl_place(s.to), TL_PAST, steps);                                                      \
        for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {                                                    \
            char *line[K];                                                                                      \
            __m512i carry[K];                                                                                   \
            TL_UNROLL                                                                                           \
            for (int j = 0; j < K; j++) {                                                                       \
                line[j] = NULL, carry[j] = _mm512_setzero_si512();                                              \
                if (j >= rows)                                                                                  \
                    continue;                                                                                   \
                char *to = s.to + p->u.at[j];                                                                   \
                int64_t place = tl_place(any ? to : s.to);                                                      \
                if (any)                                                                                        \
                    t[j] = tl_turn_by(place, TL_PAST, steps);                                                   \
                line[j] = to - place;                                                                           \
                carry[j] = _mm512_load_si512((const void *)(s.carry + j * TL_LINE));                            \
            }                                                                                                   \
            for (int64_t v = 0; v < whole; v += TL_LINE) {                                                      \
                __m512i a[K];                                                                                   \
                TL_UNROLL                                                                                       \
                for (int j = 0; j < K; j++) {                                                                   \
                    int has_its_own = one_line || rows < K;                                                     \
                    const char *f = s.from + (has_its_own ? TL_TUPLES_AT(p->v.at, v / W, j, W, K) : p->v.at[v / W] + j * TL_LINE);\
                    int is_whole = TL_IS_WHOLE_LINE(j, rows, K);                                                \
                    tl_fetch_ahead(p, f);                                                                       \
                    a[j] = is_whole ? _mm512_loadu_si512((const void *)f) : _mm512_maskz_loadu_epi8(there, f);  \
                }                                                                                               \
                tl_apart_##W##_##K(a);                                                                          \
                TL_UNROLL                                                                                       \
                for (int j = 0; j < K; j++)                                                                     \
                    if (j < rows)                                                                               \
                        carry[j] = tl_emit_by(line[j] + v, a[j], carry[j], on, t + any * j, steps);             \
                on = 1;                                                                                         \
            }                                                                                                   \
            if (whole < side) {                                                                                 \
                __m512i a[K];                                                                                   \
                TL_UNROLL                                                                                       \
                for (int j = 0; j < K; j++) {                                                                   \
                    const char *f = s.from + p->v.at[whole / W] + j * TL_LINE;                                  \
                    int64_t left = (side - whole) * K - (K - rows) * W - j * TL_LINE;                           \
                    a[j] = left > 0 ? tl_get_part(f, 0, tl_first(left), side * K) : _mm512_setzero_si512();     \
                }                                                                                               \
                tl_apart_##W##_##K(a);                                                                          \
                for (int j = 0; j < K && j < rows; j++)                                                         \
                    carry[j] = tl_emit_part(line[j] + whole, a[j], side - whole, carry[j], t + any * j, steps); \
            }                                                                                                   \
            for (int j = 0; j < K && j < rows; j++)                                                             \
                _mm512_store_si512((void *)(s.carry + j * TL_LINE), carry[j]);                                  \
            if (!tl_turns(&s, &on) && s.to_step != side && q + 1 < s.count) {                                   \
                for (int j = 0; j < K && j < rows; j++)                                                         \
                    tl_emit_tail(line[j] + side, carry[j], t + any * j);                                        \
                on = 0;                                                                                         \
            }                                                                                                   \
        }                                                                                                       \
        return 1;                                                                                               \
    }                                                                                                           \
    TL_BY_512 static TL_ALWAYS_INLINE int tl_unzip_all_##W##_##K(const tl_plan *p, const tl_leaves *given, const enum tl_steps steps)\
    {                                                                                                           \
        return p->v.n * W == TL_LINE ? tl_unzip_leaves_##W##_##K(p, *given, steps, 1, K) : tl_unzip_leaves_##W##_##K(p, *given, steps, 0, K);\
    }                                                                                                           \
    TL_BY_512 static int tl_steady_unzip_##W##_##K(const tl_plan *p, const tl_leaves *given)                    \
    {                                                                                                           \
        return tl_unzip_all_##W##_##K(p, given, TL_WORDS);                                                      \
    }

#define TL_DEFINE_STEADY_APART(W, K)                                                                            \
    TL_BY_512 static int tl_steady_apart_##W##_##K(const tl_plan *p, const tl_leaves *given)                    \
    {                                                                                                           \
        tl_leaves s = *given;                                                                                   \
        int on = s.on;                                                                                          \
        enum { LINES = TL_HELD / TL_LINE };                                                                     \
        int64_t place = tl_place(s.to);                                                                         \
        tl_turn t = tl_turn_to(place, s.way);                                                                   \
        __m512i carry = _mm512_load_si512((const void *)s.carry), rows[LINES];                                  \
        for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {                                                    \
            char *line = s.to - place;                                                                          \
            TL_UNROLL                                                                                           \
            for (int l = 0; l < LINES / K; l++) {                                                               \
                const char *f = s.from + p->v.at[l * TL_LINE / W];                                              \
                __m512i a[K];                                                                                   \
                TL_UNROLL                                                                                       \
                for (int j = 0; j < K; j++) {                                                                   \
                    tl_fetch_ahead(p, f + j * TL_LINE);                                                         \
                    a[j] = _mm512_loadu_si512((const void *)(f + j * TL_LINE));                                 \
                }                                                                                               \
                tl_apart_##W##_##K(a);                                                                          \
                TL_UNROLL                                                                                       \
                for (int j = 0; j < K; j++)                                                                     \
                    rows[j * (LINES / K) + l] = a[j];                                                           \
            }                                                                                                   \
            TL_UNROLL                                                                                           \
            for (int j = 0; j < LINES; j++, on = 1)                                                             \
                carry = tl_emit(line + j * TL_LINE, rows[j], carry, on, &t);                                    \
            carry = tl_between(&s, q, TL_HELD, line + TL_HELD + place, carry, &on);                             \
        }                                                                                                       \
        _mm512_store_si512((void *)s.carry, carry);                                                             \
        return 1;                                                                                               \
    }

/* Those that a machine's vectors have steady kernels for. */
#if TL_MASKED
#define TL_ALL_STEADY TL_ALL_ZIPPED
#else
#define TL_ALL_STEADY TL_ALL_HALVED
#endif
TL_ALL_STEADY(TL_DEFINE_STEADY)
#if TL_MASKED
#define TL_DEFINE_STEADY_ANY(W, K)                                                                              \
    TL_BY_512 static int tl_steady_unzip_any_##W##_##K(const tl_plan *p, const tl_leaves *given)                \
    {                                                                                                           \
        int by_bytes = tl_permutes_bytes(p->level);                                                             \
        if (given->rows < K)                                                                                    \
            return by_bytes ? tl_unzip_leaves_##W##_##K(p, *given, TL_BYTES, 0, given->rows)                    \
                            : tl_unzip_leaves_##W##_##K(p, *given, TL_BITS, 0, given->rows);                    \
        return by_bytes ? tl_unzip_all_##W##_##K(p, given, TL_BYTES) : tl_unzip_all_##W##_##K(p, given, TL_BITS);\
    }
TL_ALL_STEADY(TL_DEFINE_STEADY_ANY)
#endif
#define TL_ALL_APART(DO) DO(1, 2) DO(1, 4) DO(1, 8) DO(2, 2) DO(2, 4) DO(4, 2)
TL_ALL_APART(TL_DEFINE_STEADY_APART)
#endif

#endif
