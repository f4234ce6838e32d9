/* Whole leaves of zips and unzips, to lines of the target. */
#ifndef TL_STEADY_ZIPS_H
#define TL_STEADY_ZIPS_H

#include "tl_carried.h"

#ifdef TL_WIDE

/* Whether there is a kernel for each kind of leaf of K rows, in which what is done for each row is done without a loop. Of pairs not for other numbers
 * than 3 and those that halving leads to: registers do not hold such rows anyway, and these kernels would be half of a module. */
#define TL_ARE_HELD(K) (TL_MASKED || (K) == 3 || !TL_LIE_ACROSS(K))

#define TL_DEFINE_STEADY(W, K)                                                                                  \
    TL_BY_512 static TL_ALWAYS_INLINE int tl_zip_leaves_##W##_##K(const tl_plan *p, tl_leaves s, const int ends)\
    {                                                                                                           \
        int on = s.on;                                                                                          \
        const char *next = s.next;                                                                              \
        __m512i padding = ends ? tl_pattern_512(s.fill) : _mm512_setzero_si512();                               \
        int64_t side = p->u.n * W, whole = side & -TL_LINE, place = tl_place(s.to), ahead = p->ahead, at[K];    \
        __mmask64 some = ((__mmask64)1 << (side - whole)) - 1;                                                  \
        tl_turn t = tl_turn_to(place, s.way);                                                                   \
        __m512i carry = _mm512_load_si512((const void *)s.carry);                                               \
        for (int j = 0; j < K; j++)                                                                             \
            at[j] = p->v.at[j];                                                                                 \
        for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {                                                    \
            char *line = s.to - place;                                                                          \
            for (int64_t u = 0; u < whole; u += TL_LINE, line += K * TL_LINE) {                                 \
                __m512i a[K];                                                                                   \
                TL_UNROLL_IF(TL_ARE_HELD(K))                                                                    \
                for (int j = 0; j < K; j++) {                                                                   \
                    const char *f = s.from + u + at[j];                                                         \
                    next = tl_fetch_next(ahead, next, f);                                                       \
                    a[j] = ends ? tl_get_ended(f, j < s.nv ? s.there - u : 0, padding) : _mm512_loadu_si512((const void *)f);\
                }                                                                                               \
                tl_zipped_##W##_##K(a);                                                                         \
                TL_UNROLL_IF(TL_ARE_HELD(K))                                                                    \
                for (int j = 0; j < K; j++, on = 1)                                                             \
                    carry = tl_emit(line + j * TL_LINE, a[j], carry, on, &t);                                   \
            }                                                                                                   \
            if (whole < side) {                                                                                 \
                __m512i a[K];                                                                                   \
                TL_UNROLL_IF(TL_ARE_HELD(K))                                                                    \
                for (int j = 0; j < K; j++) {                                                                   \
                    const char *f = s.from + whole + at[j];                                                     \
                    next = tl_fetch_next(ahead, next, f);                                                       \
                    a[j] = ends ? tl_get_ended(f, j < s.nv ? s.there - whole : 0, padding) : tl_get_part(f, 0, some, side);\
                }                                                                                               \
                tl_zipped_##W##_##K(a);                                                                         \
                TL_UNROLL_IF(TL_ARE_HELD(K))                                                                    \
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
    /* Leaves whose rows all begin at `place` in a line, or, unless they turn by TL_WORDS, anywhere. Pairs of vectors write two lines of a row\
     * together, as single ones that are far from the last took a sixth longer (Zen 3). */                      \
    TL_BY_512 static TL_ALWAYS_INLINE int tl_unzip_leaves_##W##_##K(                                            \
        const tl_plan *p, tl_leaves s, const int64_t place, const enum tl_steps steps, const int one_line, const int64_t rows)\
    {                                                                                                           \
        int on = s.on;                                                                                          \
        __mmask64 there = tl_first(TL_LINE - (K - rows) * W);                                                   \
        int64_t side = one_line ? TL_LINE : s.nv * W, whole = side & -TL_LINE, ahead = p->ahead, to_row[K];     \
        tl_starts starts = tl_starts_at(p->v.at, p->v_from);                                                    \
        const int any = steps != TL_WORDS, carries = TL_MASKED || any || place;                                 \
        tl_turn t[K];                                                                                           \
        t[0] = tl_turn_by(place, s.way, steps);                                                                 \
        TL_UNROLL_IF(TL_ARE_HELD(K))                                                                            \
        for (int j = 0; j < K; j++)                                                                             \
            t[j] = t[0], to_row[j] = j < rows ? p->u.at[j] : 0;                                                 \
        for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {                                                    \
            char *line[K];                                                                                      \
            __m512i carry[K];                                                                                   \
            TL_UNROLL_IF(TL_ARE_HELD(K))                                                                        \
            for (int j = 0; j < K; j++) {                                                                       \
                line[j] = NULL, carry[j] = _mm512_setzero_si512();                                              \
                if (j >= rows)                                                                                  \
                    continue;                                                                                   \
                char *to = s.to + to_row[j];                                                                    \
                int64_t at = any ? tl_place(to) : place;                                                        \
                if (any)                                                                                        \
                    t[j] = tl_turn_by(at, s.way, steps);                                                        \
                line[j] = to - at;                                                                              \
                if (carries)                                                                                    \
                    carry[j] = _mm512_load_si512((const void *)(s.carry + j * TL_LINE));                        \
            }                                                                                                   \
            for (int64_t v = 0, lines; v < whole; v += lines * TL_LINE) {                                       \
                __m512i a[2][K];                                                                                \
                lines = TL_MASKED || whole - v == TL_LINE ? 1 : 2;                                              \
                for (int64_t l = 0; l < lines; l++) {                                                           \
                    int64_t first = (v + l * TL_LINE) / W;                                                      \
                    const char *near = s.from + tl_start(starts, first);                                        \
                    TL_UNROLL_IF(TL_ARE_HELD(K))                                                                \
                    for (int j = 0; j < K; j++) {                                                               \
                        int has_its_own = (one_line || rows < K) && !TL_LIE_ACROSS(K);                          \
                        const char *f = has_its_own ? s.from + tl_start(starts, first + j * TL_TUPLES(W, K)) : near + j * TL_LINE;\
                        int is_whole = TL_IS_WHOLE_LINE(j, rows, K);                                            \
                        tl_fetch_ahead(ahead, f);                                                               \
                        a[l][j] = is_whole ? _mm512_loadu_si512((const void *)f) : _mm512_maskz_loadu_epi8(there, f);\
                    }                                                                                           \
                    tl_apart_##W##_##K(a[l]);                                                                   \
                }                                                                                               \
                TL_UNROLL_IF(TL_ARE_HELD(K))                                                                    \
                for (int j = 0; j < K; j++)                                                                     \
                    for (int64_t l = 0; l < lines && j < rows; l++)                                             \
                        carry[j] = tl_emit_by(line[j] + v + l * TL_LINE, a[l][j], carry[j], on || l, t + any * j, steps);\
                on = 1;                                                                                         \
            }                                                                                                   \
            if (whole < side) {                                                                                 \
                const char *first = s.from + tl_start(starts, whole / W);                                       \
                __m512i a[K];                                                                                   \
                TL_UNROLL_IF(TL_ARE_HELD(K))                                                                    \
                for (int j = 0; j < K; j++) {                                                                   \
                    int64_t left = (side - whole) * K - (K - rows) * W - j * TL_LINE;                           \
                    a[j] = left > 0 ? tl_get_part(first + j * TL_LINE, 0, tl_first(left), side * K) : _mm512_setzero_si512();\
                }                                                                                               \
                tl_apart_##W##_##K(a);                                                                          \
                TL_UNROLL_IF(TL_ARE_HELD(K))                                                                    \
                for (int j = 0; j < K; j++)                                                                     \
                    if (j < rows)                                                                               \
                        carry[j] = tl_emit_part(line[j] + whole, a[j], side - whole, carry[j], t + any * j, steps);\
            }                                                                                                   \
            TL_UNROLL_IF(TL_ARE_HELD(K))                                                                        \
            for (int j = 0; j < K; j++)                                                                         \
                if (j < rows && (carries || whole < side))                                                      \
                    _mm512_store_si512((void *)(s.carry + j * TL_LINE), carry[j]);                              \
            if (!tl_turns(&s, &on) && s.to_step != side && q + 1 < s.count) {                                   \
                TL_UNROLL_IF(TL_ARE_HELD(K))                                                                    \
                for (int j = 0; j < K; j++)                                                                     \
                    if (j < rows)                                                                               \
                        tl_emit_tail(line[j] + side, carry[j], t + any * j);                                    \
                on = 0;                                                                                         \
            }                                                                                                   \
        }                                                                                                       \
        return 1;                                                                                               \
    }                                                                                                           \
    TL_BY_512 static TL_ALWAYS_INLINE int tl_unzip_all_##W##_##K(                                               \
        const tl_plan *p, const tl_leaves *given, const int64_t place, const enum tl_steps steps)               \
    {                                                                                                           \
        return TL_ARE_HELD(K) && p->v.n * W == TL_LINE ? tl_unzip_leaves_##W##_##K(p, *given, place, steps, 1, K)\
                                                       : tl_unzip_leaves_##W##_##K(p, *given, place, steps, 0, K);\
    }                                                                                                           \
    TL_BY_512 static int tl_steady_unzip_##W##_##K(const tl_plan *p, const tl_leaves *given)                    \
    {                                                                                                           \
        if (!TL_MASKED && !tl_place(given->to))                                                                 \
            return tl_unzip_all_##W##_##K(p, given, 0, TL_WORDS);                                               \
        return tl_unzip_all_##W##_##K(p, given, tl_place(given->to), TL_WORDS);                                 \
    }

#define TL_DEFINE_STEADY_APART(W, K)                                                                            \
    TL_BY_512 static int tl_steady_apart_##W##_##K(const tl_plan *p, const tl_leaves *given)                    \
    {                                                                                                           \
        tl_leaves s = *given;                                                                                   \
        int on = s.on;                                                                                          \
        enum { LINES = TL_HELD / TL_LINE };                                                                     \
        int64_t place = tl_place(s.to), ahead = p->ahead;                                                       \
        tl_turn t = tl_turn_to(place, s.way);                                                                   \
        tl_starts starts = tl_starts_at(p->v.at, p->v_from);                                                    \
        __m512i carry = _mm512_load_si512((const void *)s.carry), rows[LINES];                                  \
        for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {                                                    \
            char *line = s.to - place;                                                                          \
            TL_UNROLL                                                                                           \
            for (int l = 0; l < LINES / K; l++) {                                                               \
                const char *f = s.from + tl_start(starts, l * TL_LINE / W);                                     \
                __m512i a[K];                                                                                   \
                TL_UNROLL                                                                                       \
                for (int j = 0; j < K; j++) {                                                                   \
                    tl_fetch_ahead(ahead, f + j * TL_LINE);                                                     \
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

TL_ALL_ZIPPED(TL_DEFINE_STEADY)
#define TL_DEFINE_STEADY_ANY(W, K)                                                                              \
    TL_BY_512 static int tl_steady_unzip_any_##W##_##K(const tl_plan *p, const tl_leaves *given)                \
    {                                                                                                           \
        int by_bytes = TL_IS_BLENDED_BY_BYTES(W, K) || tl_turns_bytes(p->level);                                \
        if (given->rows < K)                                                                                    \
            return by_bytes ? tl_unzip_leaves_##W##_##K(p, *given, 0, TL_BYTES, 0, given->rows)                 \
                            : tl_unzip_leaves_##W##_##K(p, *given, 0, TL_BITS, 0, given->rows);                 \
        return by_bytes ? tl_unzip_all_##W##_##K(p, given, 0, TL_BYTES) : tl_unzip_all_##W##_##K(p, given, 0, TL_BITS);\
    }
TL_ALL_ZIPPED(TL_DEFINE_STEADY_ANY)
#define TL_ALL_APART(DO) DO(1, 2) DO(1, 4) DO(1, 8) DO(2, 2) DO(2, 4) DO(4, 2)
TL_ALL_APART(TL_DEFINE_STEADY_APART)
#endif

#endif
