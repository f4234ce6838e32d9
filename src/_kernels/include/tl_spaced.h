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

/* What a vector moves: so many `rows` of `bytes` bytes that exist, `step` bytes apart in the source (-1: one, wherever it is) and `row` in the
 * target; `which` byte of the source, or, `by_pairs`, which pair of bytes, comes to each place, and which bytes are `there`. */
typedef struct tl_spacing {
    uint8_t which[TL_LINE];
    uint64_t there;
    int64_t rows, step, bytes, row;
    enum tl_written written;
    int by_pairs;
} tl_spacing;

/* How rows of so many bytes come to lie `row` bytes apart, a line at the most: filled up, or with gaps between them. */
static inline tl_spacing tl_spacing_of(const tl_plan *p, int64_t bytes, int64_t row, int has_gaps)
{
    tl_spacing s = {.rows = 1, .step = p->v_from, .bytes = bytes, .row = row, .by_pairs = !tl_permutes_bytes(p->level)};
    if (s.step >= 0 && !(s.by_pairs && (bytes | row | s.step) % 2))
        s.rows = tl_least((TL_LINE - (has_gaps ? bytes : row)) / row + 1, s.step ? (TL_LINE - bytes) / s.step + 1 : TL_LINE);
    s.written = has_gaps ? TL_THERE : s.rows * row <= TL_LINE / 2 ? TL_HALF : TL_WHOLE;
    uint8_t in_order[TL_LINE];
    for (int b = 0; b < TL_LINE; b++)
        in_order[b] = (uint8_t)(!s.by_pairs ? b : b % 2 ? 0 : b / 2);
    for (int64_t r = 0; r < s.rows; r++) {
        memcpy(s.which + r * row, in_order + (s.rows > 1 ? r * s.step : 0), (size_t)bytes);
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

/* A vector of the source, each byte where it comes to. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_spaced(__m512i which, __m512i x, const int by_pairs)
{
    return by_pairs ? _mm512_permutexvar_epi16(which, x) : tl_permuted_bytes(which, x);
}
static inline __mmask64 tl_read_by(const tl_spacing *s, int64_t rows) { return tl_first((rows - 1) * s->step + s->bytes); }

/* Writes so many rows, with padding behind each where that is written. Where they lie at even distances, they are read by whole vectors as long
 * as these lie within them: a load under a mask is none of those from which some machines (Zen 5) tell what to fetch. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_space_by(const tl_spacing *s, tl_starts starts, const char *from, char *to, int64_t rows,
                                                   __m512i padding, const enum tl_written written, const int by_pairs)
{
    __m512i which = _mm512_loadu_si512((const void *)s->which);
    __mmask64 read = tl_read_by(s, s->rows);
    int64_t r = 0, step = s->step > 0 ? s->step : 0, end = step ? (rows - 1) * step + s->bytes : 0;
    for (; (rows - r) * s->row >= (written == TL_HALF ? TL_LINE / 2 : TL_LINE); r += s->rows, to += s->rows * s->row) {
        const char *f = from + tl_start(starts, r);
        __m512i x = r * step + TL_LINE <= end ? _mm512_loadu_si512((const void *)f) : _mm512_maskz_loadu_epi8(read, f);
        x = tl_spaced(which, x, by_pairs);
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
        __m512i x = tl_spaced(which, _mm512_maskz_loadu_epi8(tl_read_by(s, n), from + tl_start(starts, r)), by_pairs);
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
#define TL_SPACE_AS(WRITTEN)                                                                                    \
    case WRITTEN:                                                                                               \
        if (s->by_pairs)                                                                                        \
            tl_space_by(s, starts, from, to, rows, padding, WRITTEN, 1);                                        \
        else                                                                                                    \
            tl_space_by(s, starts, from, to, rows, padding, WRITTEN, 0);                                        \
        break;
    switch (s->written) {
        TL_SPACE_AS(TL_WHOLE)
        TL_SPACE_AS(TL_HALF)
        TL_SPACE_AS(TL_THERE)
    }
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
