/* Whole leaves of transposes between long rows and short ones, to lines of the target. */
#ifndef TL_STEADY_SHORT_H
#define TL_STEADY_SHORT_H

#include "tl_carried.h"

#ifdef TL_WIDE

/* Transposes between rows of whole lines and short ones, of one lane or two: to a stretch of short ones, and back. Long rows often share
 * the few places of a cache, so they are read by their own lines, each once: the first and the last of a leaf are parts. */
#define TL_DEFINE_STEADY_SHORT(W, B, STAGES, SI, LANES)                                                         \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_short_lines_##W##_##LANES(                                        \
        const int64_t *at, const char *from, const int is_whole, __mmask64 own, __m512i *lines)                 \
    {                                                                                                           \
        __m512i made[LANES][B];                                                                                 \
        TL_UNROLL                                                                                               \
        for (int g = 0; g < LANES; g++) {                                                                       \
            __m512i a[B], b[B];                                                                                 \
            for (int j = 0; j < B; j++) {                                                                       \
                const char *f = from + at[g * B + j];                                                           \
                a[j] = is_whole ? _mm512_loadu_si512((const void *)f) : _mm512_maskz_loadu_epi8(own, f);        \
            }                                                                                                   \
            TL_LADDER(_mm512, B, STAGES, SI)                                                                    \
            for (int j = 0; j < B; j++)                                                                         \
                made[g][j] = a[j];                                                                              \
        }                                                                                                       \
        TL_UNROLL                                                                                               \
        for (int m = 0; m < LANES * B / 4; m++) {                                                               \
            __m512i x[4];                                                                                       \
            for (int k = 0; k < 4; k++)                                                                         \
                x[k] = made[k % LANES][m * 4 / LANES + k / LANES];                                              \
            tl_turn_lanes(x);                                                                                   \
            for (int k = 0; k < 4; k++)                                                                         \
                lines[k * LANES * B / 4 + m] = x[k];                                                            \
        }                                                                                                       \
    }                                                                                                           \
    TL_BY_512 static int tl_steady_short_##W##_##LANES(const tl_plan *p, const tl_leaves *given)                \
    {                                                                                                           \
        tl_leaves s = *given;                                                                                   \
        enum { ROWS = LANES * 16 / W };                                                                         \
        int on = s.on;                                                                                          \
        const int64_t *at = p->v.at;                                                                            \
        int64_t side = p->u.n * W, place = tl_place(s.to), ahead = p->ahead;                                    \
        tl_turn t = tl_turn_to(place, s.way);                                                                   \
        __m512i carry = _mm512_load_si512((const void *)s.carry);                                               \
        for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {                                                    \
            char *line = s.to - place;                                                                          \
            int64_t before = side < TL_LEAST_KEPT ? 0 : tl_place_of_rows(at, s.from, ROWS);                     \
            for (int64_t u = before * ROWS % TL_LINE ? 0 : -before; u < side; u += TL_LINE) {                   \
                const char *f = s.from + u;                                                                     \
                __m512i lines[LANES * B];                                                                       \
                if (u >= 0 && u + TL_LINE <= side) { /* apart, for known counts are a fifth faster */           \
                    tl_short_lines_##W##_##LANES(at, f, 1, 0, lines);                                           \
                    for (int k = 0; k < LANES * B; k++, line += TL_LINE, on = 1) {                              \
                        tl_fetch_in_rows(ahead, f + at[k]);                                                     \
                        carry = tl_emit(line, lines[k], carry, on, &t);                                         \
                    }                                                                                           \
                    continue;                                                                                   \
                }                                                                                               \
                int64_t skipped = u < 0 ? -u : 0, there = side - u < TL_LINE ? side - u : TL_LINE;              \
                tl_short_lines_##W##_##LANES(at, f, 0, ~(__mmask64)0 << skipped & tl_first(there), lines);      \
                for (int64_t k = skipped * ROWS / TL_LINE; k < there * ROWS / TL_LINE; k++, line += TL_LINE, on = 1) {\
                    tl_fetch_in_rows(ahead, f + at[k]);                                                         \
                    carry = tl_emit(line, lines[k], carry, on, &t);                                             \
                }                                                                                               \
            }                                                                                                   \
            carry = tl_between(&s, q, ROWS * side, line + place, carry, &on);                                   \
        }                                                                                                       \
        _mm512_store_si512((void *)s.carry, carry);                                                             \
        return 1;                                                                                               \
    }                                                                                                           \
    /* A line of each long row: from the short ones at `from`. */                                               \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_long_lines_##W##_##LANES(int64_t ahead, const int64_t *at, const char *from, __m512i *lines)\
    {                                                                                                           \
        __m512i made[LANES][B];                                                                                 \
        TL_UNROLL                                                                                               \
        for (int m = 0; m < LANES * B / 4; m++) {                                                               \
            __m512i x[4];                                                                                       \
            for (int k = 0; k < 4; k++) {                                                                       \
                const char *f = from + at[(k * LANES * B / 4 + m) * (4 / LANES)];                               \
                tl_fetch_ahead(ahead, f);                                                                       \
                x[k] = _mm512_loadu_si512((const void *)f);                                                     \
            }                                                                                                   \
            tl_turn_lanes(x);                                                                                   \
            for (int k = 0; k < 4; k++)                                                                         \
                made[k % LANES][m * 4 / LANES + k / LANES] = x[k];                                              \
        }                                                                                                       \
        for (int g = 0; g < LANES; g++) {                                                                       \
            __m512i a[B], b[B];                                                                                 \
            for (int j = 0; j < B; j++)                                                                         \
                a[j] = made[g][j];                                                                              \
            TL_LADDER(_mm512, B, STAGES, SI)                                                                    \
            for (int j = 0; j < B; j++)                                                                         \
                lines[g * B + j] = a[j];                                                                        \
        }                                                                                                       \
    }                                                                                                           \
    /* So many lines of each long row, whose tails are carried on. */                                           \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_put_long_##W##_##LANES(                                           \
        const tl_plan *p, const int64_t *at, const char *from, char *to, char *carried, int on, const int together, const tl_turn *alike,\
        const enum tl_steps steps)                                                                              \
    {                                                                                                           \
        __m512i lines[2][LANES * B];                                                                            \
        for (int l = 0; l < together; l++)                                                                      \
            tl_long_lines_##W##_##LANES(p->ahead, at + l * TL_LINE / W, from, lines[l]);                        \
        TL_UNROLL                                                                                               \
        for (int row = 0; row < LANES * B; row++)                                                               \
            tl_emit_row(to + p->u.at[row], lines[0] + row, LANES * B, together, carried + row * TL_LINE, on, alike, steps);\
    }                                                                                                           \
    TL_BY_512 static TL_ALWAYS_INLINE int tl_long_leaves_##W##_##LANES(                                         \
        const tl_plan *p, tl_leaves s, int in_pairs, const int alike, const enum tl_steps steps)                \
    {                                                                                                           \
        int on = s.on;                                                                                          \
        int64_t side = p->v.n * W;                                                                              \
        tl_turn t = tl_turn_to(tl_place(s.to), TL_PAST), *turn = alike ? &t : NULL;                             \
        for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {                                                    \
            for (int64_t v = 0, n; v < side; v += n, on = 1) {                                                  \
                n = in_pairs && side - v > TL_LINE ? 2 * TL_LINE : TL_LINE;                                     \
                if (n > TL_LINE)                                                                                \
                    tl_put_long_##W##_##LANES(p, p->v.at + v / W, s.from, s.to + v, s.carry, on, 2, turn, steps);\
                else                                                                                            \
                    tl_put_long_##W##_##LANES(p, p->v.at + v / W, s.from, s.to + v, s.carry, on, 1, turn, steps);\
            }                                                                                                   \
            if (!tl_turns(&s, &on) && !(on = s.to_step == side) && q + 1 < s.count)                             \
                tl_emit_rests(p, p->u.n, s.to + side, s.carry);                                                 \
        }                                                                                                       \
        return 1;                                                                                               \
    }                                                                                                           \
    TL_BY_512 static int tl_steady_long_##W##_##LANES(const tl_plan *p, const tl_leaves *given)                 \
    {                                                                                                           \
        return tl_long_leaves_##W##_##LANES(p, *given, tl_are_alike(p, p->u.n, 2 * TL_LINE), 1, TL_WORDS);      \
    }                                                                                                           \
    TL_BY_512 static int tl_steady_long_any_##W##_##LANES(const tl_plan *p, const tl_leaves *given)             \
    {                                                                                                           \
        return tl_turns_bytes(p->level) ? tl_long_leaves_##W##_##LANES(p, *given, 1, 0, TL_BYTES)               \
                                        : tl_long_leaves_##W##_##LANES(p, *given, 1, 0, TL_BITS);               \
    }
TL_DEFINE_STEADY_SHORT(1, 16, 4, 8, 1)
TL_DEFINE_STEADY_SHORT(1, 16, 4, 8, 2)
TL_DEFINE_STEADY_SHORT(2, 8, 3, 16, 1)
TL_DEFINE_STEADY_SHORT(2, 8, 3, 16, 2)
TL_DEFINE_STEADY_SHORT(4, 4, 2, 32, 1)
TL_DEFINE_STEADY_SHORT(4, 4, 2, 32, 2)
TL_DEFINE_STEADY_SHORT(8, 2, 1, 64, 2)
/* Those, by the bytes of an element and the lanes of a row. */
#define TL_ALL_SHORT(DO) DO(1, 1) DO(1, 2) DO(2, 1) DO(2, 2) DO(4, 1) DO(4, 2) DO(8, 2)
#endif

#endif
