/* Rows of less than a line, at even distances in the target: brought together, filled up to longer ones, or with gaps between them, which are
 * left alone. A vector moves as many as it has room for, where they lie at even distances in the source, too.
 */
#ifndef TL_SPACED_H
#define TL_SPACED_H

#include "tl_plan.h"
#include "tl_wide.h"

#include <stdlib.h>

/* How a vector of rows is written: all of it, or its first half, where what is beyond the rows is written over by the next; or only what is
 * there, so that what lies between is left alone. */
enum tl_written { TL_WHOLE, TL_HALF, TL_THERE };

/* By what a vector puts rows where they come to: single bytes, where machines have that; pairs of bytes; or bytes within lanes, each of which is
 * read from where its first one lies. */
enum tl_placed { TL_BYTE_BY_BYTE, TL_PAIR_BY_PAIR, TL_LANE_BY_LANE };

/* What a vector moves: so many `rows` of `bytes` bytes that exist, `step` bytes apart in the source (-1: one, wherever it is) and `row` in the
 * target; `which` byte of the source, pair, or byte of the lane read at `lanes`, comes to each place, and which bytes are `there`. All of
 * what is read lies within `reach` bytes. */
typedef struct tl_spacing {
    uint8_t which[TL_LINE];
    uint64_t there;
    int64_t rows, step, bytes, row, reach;
    enum tl_written written;
    enum tl_placed placed;
    int lanes[TL_LINE / TL_LANE_BYTES];
} tl_spacing;

/* Where the lanes of a vector of rows are read, if these do not overlap; whether each has its bytes from one lane of the source. */
static inline int tl_set_lanes(tl_spacing *s)
{
    int64_t set = 0;
    for (int64_t r = 0; r < s->rows; r++)
        for (int64_t b = r * s->row, from = r * s->step, end = b + s->bytes; b < end; b++, from++) {
            int64_t lane = b / TL_LANE_BYTES;
            while (set <= lane)
                s->lanes[set++] = (int)from;
            if (from - s->lanes[lane] >= TL_LANE_BYTES)
                return 0;
            s->which[b] = (uint8_t)(from - s->lanes[lane]);
        }
    for (; set < TL_LINE / TL_LANE_BYTES; set++)
        s->lanes[set] = s->lanes[set - 1];
    s->reach = s->lanes[set - 1] + TL_LANE_BYTES;
    return 1;
}

/* How rows of so many bytes come to lie `row` bytes apart, a line at the most: filled up, or with gaps between them. */
static inline tl_spacing tl_spacing_of(const tl_plan *p, int64_t bytes, int64_t row, int has_gaps)
{
    int64_t step = p->v_from, is_odd = (bytes | row | step) % 2;
    tl_spacing s = {.rows = 1, .step = step, .bytes = bytes, .row = row, .reach = TL_LINE};
    s.placed = tl_permutes_bytes(p->level) ? TL_BYTE_BY_BYTE : TL_PAIR_BY_PAIR;
    if (step >= 0)
        s.rows = tl_least((TL_LINE - (has_gaps ? bytes : row)) / row + 1, step ? (TL_LINE - bytes) / step + 1 : TL_LINE);
    if (s.placed == TL_PAIR_BY_PAIR && is_odd && s.rows > 1) {
        if (step >= bytes && tl_set_lanes(&s))
            s.placed = TL_LANE_BY_LANE;
        else
            s.rows = 1;
    }
    s.written = has_gaps ? TL_THERE : s.rows * row <= TL_LINE / 2 ? TL_HALF : TL_WHOLE;
    uint8_t in_order[TL_LINE];
    for (int b = 0; b < TL_LINE; b++)
        in_order[b] = (uint8_t)(s.placed == TL_BYTE_BY_BYTE ? b : b % 2 ? 0 : b / 2);
    for (int64_t r = 0; r < s.rows; r++) {
        if (s.placed != TL_LANE_BY_LANE)
            memcpy(s.which + r * row, in_order + (s.rows > 1 ? r * step : 0), (size_t)bytes);
        s.there |= ~(uint64_t)0 >> (TL_LINE - bytes) << r * row;
    }
    return s;
}

/* Moves that a vector has to save, at least, to be quicker than these. */
#define TL_SAVED 4

/* How vectors move the rows of a run, if they move so many that they are quicker than one or two moves for each; else NULL. */
static inline tl_spacing *tl_new_spacing(const tl_plan *p)
{
    int64_t bytes = p->u.n * p->width;
    if (p->level < TL_512 || bytes > p->v_to || p->v_to > TL_CLOSE || p->v.n < TL_MANY_ROWS)
        return NULL;
    tl_spacing s = tl_spacing_of(p, bytes, p->v_to, p->v_to > bytes), *kept = NULL;
    if (s.rows * (bytes & (bytes - 1) ? 2 : 1) >= TL_SAVED && (kept = malloc(sizeof s)))
        *kept = s;
    return kept;
}

#if TL_MASKED

/* A vector of the source, each byte where it comes to: from `from` on, or the bytes of a mask alone, where it is to read no others. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_spaced(const tl_spacing *s, __m512i which, const char *from, const enum tl_placed placed)
{
    if (placed == TL_BYTE_BY_BYTE)
        return tl_permuted_bytes(which, _mm512_loadu_si512((const void *)from));
    if (placed == TL_PAIR_BY_PAIR)
        return _mm512_permutexvar_epi16(which, _mm512_loadu_si512((const void *)from));
#define TL_LANE_OF(K) _mm_loadu_si128((const void *)(from + s->lanes[K]))
    __m512i x = _mm512_inserti32x4(_mm512_castsi128_si512(TL_LANE_OF(0)), TL_LANE_OF(1), 1);
    x = _mm512_inserti32x4(_mm512_inserti32x4(x, TL_LANE_OF(2), 2), TL_LANE_OF(3), 3);
    return _mm512_shuffle_epi8(x, which);
}
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_spaced_part(const tl_spacing *s, __m512i which, const char *from, __mmask64 there,
                                                         const enum tl_placed placed)
{
    __m512i x = _mm512_maskz_loadu_epi8(there, from);
    char near[2 * TL_LINE];
    if (placed == TL_BYTE_BY_BYTE)
        return tl_permuted_bytes(which, x);
    if (placed == TL_PAIR_BY_PAIR)
        return _mm512_permutexvar_epi16(which, x);
    _mm512_storeu_si512((void *)near, x);
    return tl_spaced(s, which, near, placed);
}
static inline __mmask64 tl_read_by(const tl_spacing *s, int64_t rows) { return tl_first((rows - 1) * s->step + s->bytes); }

/* Writes so many rows, with padding behind each where that is written. Where they lie at even distances, they are read by whole vectors as long
 * as these lie within them: a load under a mask is none of those from which some machines (Zen 5) tell what to fetch. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_space_by(const tl_spacing *s, tl_starts starts, const char *from, char *to, int64_t rows,
                                                   __m512i padding, const enum tl_written written, const enum tl_placed placed)
{
    __m512i which = _mm512_loadu_si512((const void *)s->which);
    __mmask64 read = tl_read_by(s, s->rows);
    int64_t r = 0, step = s->step > 0 ? s->step : 0, end = step ? (rows - 1) * step + s->bytes : 0;
    for (; (rows - r) * s->row >= (written == TL_HALF ? TL_LINE / 2 : TL_LINE); r += s->rows, to += s->rows * s->row) {
        const char *f = from + tl_start(starts, r);
        int are_there = r * step + (placed == TL_LANE_BY_LANE ? s->reach : TL_LINE) <= end;
        __m512i x = are_there ? tl_spaced(s, which, f, placed) : tl_spaced_part(s, which, f, read, placed);
        if (written == TL_THERE) {
            tl_ask_ahead(to);
            _mm512_mask_storeu_epi8(to, s->there, x);
        } else if (written == TL_HALF)
            _mm256_storeu_si256((void *)to, _mm512_castsi512_si256(_mm512_mask_blend_epi8(s->there, padding, x)));
        else
            _mm512_storeu_si512((void *)to, _mm512_mask_blend_epi8(s->there, padding, x));
    }
    for (; r < rows; r += s->rows, to += s->rows * s->row) {
        int64_t n = tl_least(rows - r, s->rows);
        __m512i x = tl_spaced_part(s, which, from + tl_start(starts, r), tl_read_by(s, n), placed);
        __mmask64 left = tl_first(n * s->row);
        if (written == TL_THERE)
            _mm512_mask_storeu_epi8(to, left & s->there, x);
        else
            _mm512_mask_storeu_epi8(to, left, _mm512_mask_blend_epi8(s->there, padding, x));
    }
}
TL_BY_512 static TL_ALWAYS_INLINE void tl_space(const tl_spacing *s, const int64_t *at, const char *from, char *to, int64_t rows,
                                                __m512i padding)
{
    tl_starts starts = tl_starts_at(at, s->step);
#define TL_SPACE_AS(WRITTEN, PLACED)                                                                            \
    if (s->written == WRITTEN && s->placed == PLACED)                                                           \
        tl_space_by(s, starts, from, to, rows, padding, WRITTEN, PLACED);
#define TL_SPACE_BY(PLACED) TL_SPACE_AS(TL_WHOLE, PLACED) TL_SPACE_AS(TL_HALF, PLACED) TL_SPACE_AS(TL_THERE, PLACED)
    TL_SPACE_BY(TL_BYTE_BY_BYTE)
    TL_SPACE_BY(TL_PAIR_BY_PAIR)
    TL_SPACE_BY(TL_LANE_BY_LANE)
}

/* Fetch so many rows. */
static TL_ALWAYS_INLINE void tl_fetch_spaced(const tl_spacing *s, const int64_t *at, const char *from, int64_t rows)
{
    if (s->step >= 0 && s->step <= TL_LINE)
        tl_fetch(from, (rows - 1) * s->step + s->bytes);
    else
        for (int64_t r = 0; r < rows; r++)
            tl_fetch(from + at[r], s->bytes);
}

/* Whether so many rows of so many bytes are moved as the plan has it: many that have all of their bytes, and are not aside. */
static inline int tl_are_spaced(const tl_plan *p, int64_t bytes, int64_t rows)
{
    return p->spacing && bytes == p->spacing->bytes && p->v_from == p->spacing->step && rows >= TL_MANY_ROWS;
}
TL_BY_512 static void tl_several(const tl_plan *p, const char *from, char *to, int64_t rows)
{
    const tl_spacing s = *p->spacing; /* a copy, which stores do not change */
    tl_space(&s, p->v.at, from, to, rows, _mm512_setzero_si512());
}

#endif
#endif
