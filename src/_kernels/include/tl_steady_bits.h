/* Whole leaves of elements that share bytes, to lines of the target: across rows in zips and unzips, or along rows. */
#ifndef TL_STEADY_BITS_H
#define TL_STEADY_BITS_H

#include "tl_spread.h"
#include "tl_steady_rows.h"

#ifdef TL_WIDE

/* Interleaved elements that share bytes across rows: joined as they are read, and spread as they are written. */
#define TL_DEFINE_STEADY_SHARED(K)                                                                              \
    TL_BY_512 static TL_ALWAYS_INLINE int tl_join_leaves_##K(const tl_plan *p, tl_leaves s, const int bits, const enum tl_steps steps)\
    {                                                                                                           \
        int on = s.on;                                                                                          \
        const char *next = s.next;                                                                              \
        const int per = 8 / bits;                                                                               \
        int64_t side = p->u.n, place = tl_place(s.to), ahead = p->ahead;                                        \
        tl_turn t = tl_turn_by(place, s.way, steps);                                                            \
        __m512i seen = _mm512_setzero_si512(), half = _mm512_set1_epi8((char)tl_half(bits, p->sharing.sign));   \
        __m512i carry = _mm512_load_si512((const void *)s.carry);                                               \
        for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {                                                    \
            char *line = s.to - place;                                                                          \
            for (int64_t u = 0; u < side; u += TL_LINE, line += K * TL_LINE) {                                  \
                __m512i a[K];                                                                                   \
                const int64_t *at = p->v.at;                                                                    \
                TL_UNROLL                                                                                       \
                for (int j = 0; j < K; j++) {                                                                   \
                    for (int k = 0; k < per; k++)                                                               \
                        next = tl_fetch_next(ahead, next, s.from + u + at[j * per + k]);                        \
                    a[j] = tl_joined_rows(s.from + u, at + j * per, bits, half, &seen);                         \
                }                                                                                               \
                tl_zipped_1_##K(a);                                                                             \
                TL_UNROLL                                                                                       \
                for (int j = 0; j < K; j++, on = 1)                                                             \
                    carry = tl_emit_by(line + j * TL_LINE, a[j], carry, on, &t, steps);                         \
            }                                                                                                   \
            carry = tl_between(&s, q, K * side, line + place, carry, &on);                                      \
        }                                                                                                       \
        _mm512_store_si512((void *)s.carry, carry);                                                             \
        *s.sums |= tl_bytes_between(seen);                                                                      \
        return 1;                                                                                               \
    }                                                                                                           \
    /* The vectors of source bytes that hold a line of all rows, taken apart: each has its line of 8 / bits rows. */\
    TL_BY_512 static TL_ALWAYS_INLINE void tl_take_line_##K(const char *f, int64_t ahead, __m512i *a)           \
    {                                                                                                           \
        for (int j = 0; j < K; j++) {                                                                           \
            tl_fetch_ahead(ahead, f + j * TL_LINE);                                                             \
            a[j] = _mm512_loadu_si512((const void *)(f + j * TL_LINE));                                         \
        }                                                                                                       \
        tl_apart_1_##K(a);                                                                                      \
    }                                                                                                           \
    /* Each row carried on: all begin at the same place in a line, or, unless they turn by TL_WORDS, anywhere. */\
    TL_BY_512 static TL_ALWAYS_INLINE int tl_spread_leaves_##K(const tl_plan *p, tl_leaves s, const int bits, const enum tl_steps steps)\
    {                                                                                                           \
        int on = s.on;                                                                                          \
        const int per = 8 / bits, any = steps != TL_WORDS;                                                      \
        int64_t side = p->v.n, place = tl_place(s.to);                                                          \
        tl_turn t[any ? K * 8 : 1];                                                                             \
        t[0] = tl_turn_by(place, s.way, steps);                                                                 \
        __m512i half = _mm512_set1_epi8((char)tl_half(bits, p->sharing.sign));                                  \
        for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {                                                    \
            char *to = s.to;                                                                                    \
            for (int row = 0; any && row < K * per; row++)                                                      \
                t[row] = tl_turn_by(tl_place(s.to + p->u.at[row]), s.way, steps);                               \
            for (int64_t v = 0; v < side; v += TL_LINE, to += TL_LINE, on = 1) {                                \
                __m512i a[K];                                                                                   \
                tl_take_line_##K(s.from + p->v.at[v], p->ahead, a);                                             \
                TL_UNROLL                                                                                       \
                for (int row = 0; row < K * per; row++) {                                                       \
                    __m512i *carry = (__m512i *)s.carry + row;                                                  \
                    char *begin = to + p->u.at[row], *line = begin - (any ? tl_place(begin) : place);           \
                    __m512i x = tl_own_bits(a[row / per], row % per * bits, bits, half);                        \
                    *carry = tl_emit_by(line, x, *carry, on, t + any * row, steps);                             \
                }                                                                                               \
            }                                                                                                   \
            if (!tl_turns(&s, &on) && !(on = s.to_step == side) && q + 1 < s.count)                             \
                tl_emit_rests(p, p->u.n, s.to + side, s.carry);                                                 \
        }                                                                                                       \
        return 1;                                                                                               \
    }                                                                                                           \
    /* Rows that follow each other: one stretch. */                                                             \
    TL_BY_512 static TL_ALWAYS_INLINE int tl_spread_stretches_##K(const tl_plan *p, tl_leaves s, const int bits, const enum tl_steps steps)\
    {                                                                                                           \
        int on = s.on;                                                                                          \
        const int per = 8 / bits;                                                                               \
        int64_t side = p->v.n, place = tl_place(s.to);                                                          \
        tl_turn t = tl_turn_by(place, s.way, steps);                                                            \
        __m512i half = _mm512_set1_epi8((char)tl_half(bits, p->sharing.sign));                                  \
        __m512i carry = _mm512_load_si512((const void *)s.carry), held[TL_HELD / TL_LINE];                      \
        for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {                                                    \
            char *line = s.to - place;                                                                          \
            for (int64_t v = 0; v < side; v += TL_LINE)                                                         \
                tl_take_line_##K(s.from + p->v.at[v], p->ahead, held + v / TL_LINE * K);                        \
            TL_UNROLL                                                                                           \
            for (int row = 0; row < K * per; row++)                                                             \
                for (int64_t v = 0; v < side; v += TL_LINE, line += TL_LINE, on = 1) {                          \
                    __m512i x = tl_own_bits(held[v / TL_LINE * K + row / per], row % per * bits, bits, half);   \
                    carry = tl_emit_by(line, x, carry, on, &t, steps);                                          \
                }                                                                                               \
            carry = tl_between(&s, q, K * per * side, line + place, carry, &on);                                \
        }                                                                                                       \
        _mm512_store_si512((void *)s.carry, carry);                                                             \
        return 1;                                                                                               \
    }                                                                                                           \
    TL_BY_512 static int tl_steady_join_##K(const tl_plan *p, const tl_leaves *given)                           \
    {                                                                                                           \
        TL_FOR_BITS(tl_join_leaves_##K, TL_WORDS)                                                               \
    }                                                                                                           \
    TL_BY_512 static int tl_steady_spread_##K(const tl_plan *p, const tl_leaves *given)                         \
    {                                                                                                           \
        TL_FOR_BITS(tl_spread_leaves_##K, TL_WORDS)                                                             \
    }                                                                                                           \
    TL_BY_512 static int tl_steady_spread_any_##K(const tl_plan *p, const tl_leaves *given)                     \
    {                                                                                                           \
        TL_FOR_BITS_ANYWHERE(tl_spread_leaves_##K)                                                              \
    }                                                                                                           \
    TL_BY_512 static int tl_steady_spread_apart_##K(const tl_plan *p, const tl_leaves *given)                   \
    {                                                                                                           \
        TL_FOR_BITS(tl_spread_stretches_##K, TL_WORDS)                                                          \
    }
TL_DEFINE_STEADY_SHARED(2)
TL_DEFINE_STEADY_SHARED(4)

/* A line of bytes of the elements that lie along a row, which go to `seen`, moved up by half a range: pairs are joined, and pairs of these. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_joined_line(int64_t ahead, const char *from, const int bits, __m512i half, __m512i *seen)
{
    const __m512i own = _mm512_set1_epi8((char)((1 << bits) - 1)), pair = _mm512_set1_epi16((short)(1 | 0x100 << bits));
    __m512i x[8];
    TL_UNROLL
    for (int k = 0; k < 8 / bits; k++) {
        tl_fetch_ahead(ahead, from + k * TL_LINE);
        x[k] = _mm512_loadu_si512((const void *)(from + k * TL_LINE));
        *seen = _mm512_or_si512(*seen, _mm512_add_epi8(x[k], half));
    }
    if (bits == 1) {
        uint64_t words[8];
        for (int k = 0; k < 8; k++)
            words[k] = (uint64_t)_mm512_test_epi8_mask(x[k], own);
        return _mm512_loadu_si512((const void *)words);
    }
    TL_UNROLL
    for (int k = 0; k < 8 / bits; k++) {
        x[k] = _mm512_maddubs_epi16(_mm512_and_si512(x[k], own), pair);
        if (bits == 2)
            x[k] = _mm512_madd_epi16(x[k], _mm512_set1_epi32(1 | 16 << 16));
    }
    if (bits == 4)
        return _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15), _mm512_packus_epi16(x[0], x[1]));
    x[0] = _mm512_packus_epi16(_mm512_packus_epi32(x[0], x[1]), _mm512_packus_epi32(x[2], x[3]));
    return _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), x[0]);
}

/* The elements of a line, spread from as many bits. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_spread_line(int64_t ahead, const char *from, const int bits, __m512i half)
{
    __m512i x;
    tl_fetch_ahead(ahead, from);
    if (bits == 4) {
        x = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)from));
        x = _mm512_or_si512(x, _mm512_slli_epi16(x, 4));
    } else if (bits == 2) {
        x = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)from));
        x = _mm512_or_si512(x, _mm512_slli_epi32(x, 12));
        x = _mm512_or_si512(x, _mm512_slli_epi32(x, 6));
    } else {
        uint64_t word;
        memcpy(&word, from, sizeof word);
        x = _mm512_maskz_set1_epi8((__mmask64)word, 1);
    }
    x = _mm512_and_si512(x, _mm512_set1_epi8((char)((1 << bits) - 1)));
    return _mm512_sub_epi8(_mm512_xor_si512(x, half), half);
}

/* Rows whose elements share bytes with their neighbours, whole lines of them: joined to rows that follow one another, and spread to rows of
 * any place. */
TL_BY_512 static TL_ALWAYS_INLINE int tl_join_rows(const tl_plan *p, tl_leaves s, const int bits, const enum tl_steps steps)
{
    int on = s.on;
    int64_t n = p->u.n * p->width, place = tl_place(s.to), ahead = p->ahead;
    tl_turn t = tl_turn_by(place, s.way, steps);
    __m512i seen = _mm512_setzero_si512(), half = _mm512_set1_epi8((char)tl_half(bits, p->sharing.sign));
    __m512i carry = _mm512_load_si512((const void *)s.carry);
    for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {
        char *line = s.to - place;
        for (int64_t r = 0; r < p->v.n; r++)
            for (int64_t e = 0; e < n; e += TL_LINE * 8 / bits, line += TL_LINE, on = 1)
                carry = tl_emit_by(line, tl_joined_line(ahead, s.from + p->v.at[r] + e, bits, half, &seen), carry, on, &t, steps);
        carry = tl_between(&s, q, p->v.n * n * bits / 8, line + place, carry, &on);
    }
    _mm512_store_si512((void *)s.carry, carry);
    *s.sums |= tl_bytes_between(seen);
    return 1;
}
TL_BY_512 static TL_ALWAYS_INLINE int tl_spread_rows_by(const tl_plan *p, tl_leaves s, const int bits, const enum tl_steps steps)
{
    int64_t ahead = p->ahead;
    __m512i half = _mm512_set1_epi8((char)tl_half(bits, p->sharing.sign));
    TL_EMIT_ROWS(p, s, steps, tl_spread_line(ahead, row + b * bits / 8, bits, half))
}
TL_BY_512 static int tl_steady_join_rows(const tl_plan *p, const tl_leaves *given) { TL_FOR_BITS(tl_join_rows, TL_WORDS) }
TL_BY_512 static int tl_steady_spread_rows(const tl_plan *p, const tl_leaves *given) { TL_FOR_BITS_ANYWHERE(tl_spread_rows_by) }
#endif

#endif
