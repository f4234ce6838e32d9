/* Whole leaves of rows, and what is side by side in a scratch, to lines of the target. */
#ifndef TL_STEADY_ROWS_H
#define TL_STEADY_ROWS_H

#include "tl_carried.h"

#ifdef TL_WIDE

/* Rows of whole lines that follow one another, the first of them at `place` in a line. */
TL_BY_512 static TL_ALWAYS_INLINE int tl_run_by(const tl_plan *p, tl_leaves s, const int64_t place, const int turn)
{
    int on = s.on;
    tl_starts starts = tl_starts_at(p->v.at, p->v_from);
    const char *next = s.next;
    int64_t rows = p->v.n, bytes = p->u.n * p->width, size = rows * bytes, ahead = p->ahead;
    __mmask64 before = ((__mmask64)1 << place) - 1;
    __m512i carry = _mm512_load_si512((const void *)s.carry);
    for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {
        char *line = s.to - place;
        for (int64_t r = 0; r < rows; r++) {
            const char *row = s.from + tl_start(starts, r);
            next = tl_fetch_row(ahead, next, row, bytes);
            __m512i first = tl_get_head(row, place, bytes, turn);
            if (!TL_MASKED && !place)
                tl_put_line(line, first, s.way);
            else if (on)
                tl_put_line(line, _mm512_mask_blend_epi8(before, first, carry), s.way);
            else
                _mm512_mask_storeu_epi8(line, ~before, first);
            on = 1;
            for (int64_t b = TL_LINE; b < bytes; b += TL_LINE)
                tl_put_line(line + b, _mm512_loadu_si512((const void *)(row - place + b)), s.way);
            carry = tl_get_tail(row, place, bytes, turn);
            line += bytes;
        }
        carry = tl_between(&s, q, size, line + place, carry, &on);
    }
    _mm512_store_si512((void *)s.carry, carry);
    return 1;
}
TL_BY_512 static int tl_steady_run(const tl_plan *p, const tl_leaves *given)
{
    int64_t place = tl_place(given->to);
    if (!TL_MASKED && !place)
        return tl_run_by(p, *given, 0, 1);
    return tl_turns_bytes(p->level) ? tl_run_by(p, *given, place, 1) : tl_run_by(p, *given, place, 0);
}

/* A leaf of `size` bytes: fetched, and moved side by side with others. */
static TL_ALWAYS_INLINE void tl_fetch_leaf(const tl_plan *p, const char *from, int64_t size, const tl_spacing *spacing)
{
#if TL_MASKED
    if (spacing) {
        tl_fetch_spaced(spacing, p->v.at, from, p->v.n);
        return;
    }
#endif
    (void)p, (void)spacing;
    tl_fetch(from, size);
}
TL_BY_512 static TL_ALWAYS_INLINE void tl_put_aside(const tl_plan *p, const char *from, char *aside, const tl_spacing *spacing, __m512i padding)
{
#if TL_MASKED
    if (spacing) {
        tl_space(spacing, p->v.at, from, aside, p->v.n, padding);
        return;
    }
#endif
    (void)spacing, (void)padding;
    p->move(p, from, aside, p->u.n, p->v.n);
}

/* Leaves that are one stretch of the target each, a line at least: side by side to the scratch, and from there to lines. They are of any kind,
 * or, where there is a spacing, of short rows with padding behind each. */
TL_BY_512 static TL_ALWAYS_INLINE int tl_side_by_side(const tl_plan *p, tl_leaves s, const tl_spacing *spacing, __m512i padding)
{
    int on = s.on;
    const char *next = s.next;
    int64_t size = p->u.n * p->v.n * p->width, together = s.room.bytes < TL_TOGETHER ? s.room.bytes : TL_TOGETHER;
    int64_t most = s.to_step == size && size < together ? together / size : 1;
    for (int64_t q = 0, n; q < s.count; tl_next(&s, q + n - 1), q += n) {
        char *to = s.to;
        n = tl_least(s.count - q, most);
        tl_ask_for_ends(&s, s.to, size, 1);
        for (int64_t k = 0; k < n; k++) {
            char *aside = s.room.at + k * size;
            if (next) {
                tl_fetch(next, size);
                next += size;
            } else if (p->ahead)
                tl_fetch_leaf(p, s.from + p->ahead, size, spacing);
            tl_put_aside(p, s.from, aside, spacing, padding);
            if (k + 1 < n)
                tl_next(&s, q + k);
        }
        tl_append_512(to, s.room.at, n * size, on, s.carry, s.way);
        if (!tl_turns(&s, &on) && !(on = s.to_step == size) && q + n < s.count)
            tl_emit_rest(to + n * size, _mm512_load_si512((const void *)s.carry));
    }
    return 1;
}
TL_BY_512 static int tl_steady_stretches(const tl_plan *p, const tl_leaves *given)
{
    return tl_side_by_side(p, *given, NULL, _mm512_setzero_si512());
}
#if TL_MASKED
/* Short rows that are all there, and those of which so many bytes are. */
TL_BY_512 static int tl_steady_spaced(const tl_plan *p, const tl_leaves *given)
{
    const tl_spacing spacing = tl_spacing_of(p, tl_row_bytes(p), tl_row_bytes(p), 0);
    return tl_side_by_side(p, *given, &spacing, _mm512_setzero_si512());
}
TL_BY_512 static int tl_ended_spaced(const tl_plan *p, const tl_leaves *given)
{
    const tl_spacing spacing = tl_spacing_of(p, given->there, tl_row_bytes(p), 0);
    return tl_side_by_side(p, *given, &spacing, tl_pattern_512(given->fill));
}
#endif

/* Rows of any length and place, of a line at least, or of less if they go on in lines that were begun. */
TL_BY_512 static TL_ALWAYS_INLINE int tl_rows_by(const tl_plan *p, tl_leaves s, int64_t bytes, const int turn)
{
    int on = s.on;
    tl_starts starts = tl_starts_at(p->v.at, p->v_from);
    const char *next = s.next;
    int64_t rows = p->v.n, chain = p->chain, size = chain * bytes, apart = p->v_to, ahead = p->ahead;
    for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {
        char *carry = s.carry;
        for (int64_t c = 0; c < rows; c += chain, carry += TL_LINE) {
            tl_ask_for_ends(&s, s.to + c * apart, size, rows / chain);
            for (int64_t r = c, goes_on = on; r < c + chain; r++, goes_on = 1) {
                const char *row = s.from + tl_start(starts, r);
                next = tl_fetch_row(ahead, next, row, bytes);
                tl_append_by(s.to + r * apart, row, bytes, (int)goes_on, carry, s.way, turn);
            }
        }
        if (!tl_turns(&s, &on) && !(on = s.to_step == size) && q + 1 < s.count)
            tl_end_rows(p, s.to + size, s.carry);
    }
    return 1;
}
TL_BY_512 static int tl_steady_rows(const tl_plan *p, const tl_leaves *given)
{
    int64_t bytes = p->u.n * p->width;
    return tl_turns_bytes(p->level) ? tl_rows_by(p, *given, bytes, 1) : tl_rows_by(p, *given, bytes, 0);
}
/* Those of which so many bytes are there. */
TL_BY_512 static int tl_part_rows(const tl_plan *p, const tl_leaves *given)
{
    return tl_turns_bytes(p->level) ? tl_rows_by(p, *given, given->there, 1) : tl_rows_by(p, *given, given->there, 0);
}

/* Rows aside that follow one another there as well: a leaf is one stretch on both sides. */
TL_BY_512 static int tl_steady_stretch(const tl_plan *p, const tl_leaves *given)
{
    tl_leaves s = *given;
    int on = s.on;
    int64_t size = p->u.n * p->v.n * p->width;
    for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {
        tl_ask_for_ends(&s, s.to, size, 1);
        tl_append_512(s.to, s.from, size, on, s.carry, s.way);
        if (!tl_turns(&s, &on) && !(on = s.to_step == size) && q + 1 < s.count)
            tl_emit_rest(s.to + size, _mm512_load_si512((const void *)s.carry));
    }
    return 1;
}

#if TL_MASKED
/* Rows of more than half a line, and less than one, that follow one another: each is read once, and turned to where it comes to stand in its
 * line, or else read from there, and once more for what begins the next. */
TL_BY_512 static TL_ALWAYS_INLINE int tl_short_rows_by(const tl_plan *p, tl_leaves s, const int turn)
{
    int on = s.on;
    tl_starts starts = tl_starts_at(p->v.at, p->v_from);
    const char *next = s.next;
    int64_t rows = p->v.n, bytes = p->u.n * p->width, ahead = p->ahead;
    __mmask64 row = tl_first(bytes);
    __m512i carry = _mm512_load_si512((const void *)s.carry), x;
    for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {
        int64_t place = tl_place(s.to);
        char *line = s.to - place;
        __mmask64 before = ((__mmask64)1 << place) - 1;
        carry = _mm512_maskz_mov_epi8(before, carry);
        for (int64_t r = 0; r < rows; r++) {
            const char *f = s.from + tl_start(starts, r);
            next = tl_fetch_row(ahead, next, f, bytes);
            x = turn ? tl_get_short(f, place, bytes) : tl_get_part(f, place, row << place, bytes);
            carry = _mm512_or_si512(carry, turn ? _mm512_maskz_mov_epi8(row << place, x) : x);
            place += bytes;
            if (place < TL_LINE)
                continue;
            if (on)
                tl_put_line(line, carry, s.way);
            else
                _mm512_mask_storeu_epi8(line, ~before, carry);
            on = 1, place -= TL_LINE, line += TL_LINE;
            carry = turn ? _mm512_maskz_mov_epi8(((__mmask64)1 << place) - 1, x) : tl_get_tail(f, place, bytes, 0);
        }
        carry = tl_between(&s, q, rows * bytes, line + place, carry, &on);
    }
    _mm512_store_si512((void *)s.carry, carry);
    return 1;
}
TL_BY_512 static int tl_steady_short_rows(const tl_plan *p, const tl_leaves *given)
{
    return tl_turns_bytes(p->level) ? tl_short_rows_by(p, *given, 1) : tl_short_rows_by(p, *given, 0);
}
#endif

/* A line of a row of which n bytes are there. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_ended_line(int64_t ahead, const char **next, const char *from, int64_t n, __m512i padding)
{
    if (n > 0)
        *next = tl_fetch_row(ahead, *next, from, TL_LINE);
    return tl_get_ended(from, n, padding);
}

/* Rows of whole lines, to any place: LINE is the one that comes to b of `row`, which is the r-th of a leaf. */
#define TL_EMIT_ROWS(P, S, STEPS, LINE)                                                                         \
    int on = S.on;                                                                                              \
    tl_starts starts = tl_starts_at(P->v.at, P->v_from);                                                        \
    int64_t n = P->u.n * P->width, size = P->chain * n, place = tl_place(S.to);                                 \
    tl_turn t = tl_turn_by(place, S.way, STEPS);                                                                \
    for (int64_t q = 0; q < S.count; tl_next(&S, q++)) {                                                        \
        char *carried = S.carry;                                                                                \
        for (int64_t c = 0; c < P->v.n; c += P->chain, carried += TL_LINE) {                                    \
            char *to = S.to + c * P->v_to;                                                                      \
            if (place != tl_place(to))                                                                          \
                place = tl_place(to), t = tl_turn_by(place, S.way, STEPS);                                      \
            __m512i carry = _mm512_load_si512((const void *)carried);                                           \
            int goes_on = on;                                                                                   \
            tl_ask_for_ends(&S, to, size, P->v.n / P->chain);                                                   \
            to -= place;                                                                                        \
            for (int64_t r = c; r < c + P->chain; r++) {                                                        \
                const char *row = S.from + tl_start(starts, r);                                                 \
                for (int64_t b = 0; b < n; b += TL_LINE, to += TL_LINE, goes_on = 1)                            \
                    carry = tl_emit_by(to, LINE, carry, goes_on, &t, STEPS);                                    \
            }                                                                                                   \
            _mm512_store_si512((void *)carried, carry);                                                         \
        }                                                                                                       \
        if (!tl_turns(&S, &on) && !(on = S.to_step == size) && q + 1 < S.count)                                 \
            tl_end_rows(P, S.to + size, S.carry);                                                               \
    }                                                                                                           \
    return 1;

/* Those of which so many bytes are there, filled up. */
TL_BY_512 static TL_ALWAYS_INLINE int tl_ended_rows_by(const tl_plan *p, tl_leaves s, const enum tl_steps steps)
{
    const char *next = s.next;
    int64_t ahead = p->ahead;
    __m512i padding = tl_pattern_512(s.fill);
    TL_EMIT_ROWS(p, s, steps, tl_ended_line(ahead, &next, row + b, s.there - b, padding))
}
TL_BY_512 static int tl_ended_rows(const tl_plan *p, const tl_leaves *given)
{
    if ((tl_place(given->to) | given->to_step) % 4 == 0)
        return tl_ended_rows_by(p, *given, TL_WORDS);
    return tl_turns_bytes(p->level) ? tl_ended_rows_by(p, *given, TL_BYTES) : tl_ended_rows_by(p, *given, TL_BITS);
}

/* The same of rows of any length, of a line at least, likewise to any place. */
TL_BY_512 static TL_ALWAYS_INLINE int tl_ended_any_by(const tl_plan *p, tl_leaves s, const int turn)
{
    int on = s.on;
    tl_starts starts = tl_starts_at(p->v.at, p->v_from);
    const char *next = s.next;
    int64_t rows = p->v.n, row = p->u.n * p->width, ahead = p->ahead;
    enum { FILLED = 8 * TL_LINE };
    char padding[FILLED] __attribute__((aligned(TL_LINE)));
    for (int64_t b = 0; b < FILLED; b += TL_LINE)
        _mm512_store_si512((void *)(padding + b), tl_pattern_512(s.fill));
    for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {
        char *to = s.to;
        tl_ask_for_ends(&s, to, rows * row, 1);
        for (int64_t r = 0; r < rows; r++) {
            const char *from = s.from + tl_start(starts, r);
            next = tl_fetch_row(ahead, next, from, s.there);
            on = tl_append_by(to, from, s.there, on, s.carry, s.way, turn);
            to += s.there;
            for (int64_t left = row - s.there, n; left; left -= n, to += n) {
                n = tl_least(left, FILLED);
                on = tl_append_by(to, padding, n, on, s.carry, s.way, turn);
            }
        }
        if (!tl_turns(&s, &on) && !(on = s.to_step == rows * row) && q + 1 < s.count)
            tl_emit_rest(to, _mm512_load_si512((const void *)s.carry));
    }
    return 1;
}
TL_BY_512 static int tl_ended_any_rows(const tl_plan *p, const tl_leaves *given)
{
    return tl_turns_bytes(p->level) ? tl_ended_any_by(p, *given, 1) : tl_ended_any_by(p, *given, 0);
}

#if TL_MASKED
/* A line of a row the places of whose bytes are flipped: it is another one in another order, of pairs at the least. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_flipped_line(int64_t ahead, const char *row, int64_t b, int64_t flip)
{
    const char *line = row + (b ^ (flip & -TL_LINE));
    __m512i at = _mm512_xor_si512(tl_numbers_of_pairs(), _mm512_set1_epi16((short)((flip & (TL_LINE - 1)) >> 1)));
    tl_fetch_ahead(ahead, line);
    return _mm512_permutexvar_epi16(at, _mm512_loadu_si512((const void *)line));
}
TL_BY_512 static int tl_steady_flipped(const tl_plan *p, const tl_leaves *given)
{
    tl_leaves s = *given;
    const int64_t *flips = p->order->flips, ahead = p->ahead;
    TL_EMIT_ROWS(p, s, TL_WORDS, tl_flipped_line(ahead, row, b, flips[r]))
}
#endif
#endif

#endif
