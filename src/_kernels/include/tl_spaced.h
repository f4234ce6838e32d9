/* Rows of less than a line that follow one another in the target: brought together, or filled up to longer ones. A vector moves as many as it
 * has room for, where they lie at even distances in the source.
 */
#ifndef TL_SPACED_H
#define TL_SPACED_H

#include "tl_plan.h"
#include "tl_wide.h"

#ifdef TL_WIDE

/* What a vector moves: so many `rows`, `step` bytes apart in the source, of which each has `bytes` that exist and is filled up to `row`;
 * `which` byte of the source comes to each place, and which places have one that is `there`. */
typedef struct {
    __m512i which;
    __mmask64 there;
    int64_t rows, step, bytes, row;
} tl_spacing;

/* The bytes between rows of the source, or -1 where they are not all the same. */
static inline int64_t tl_even_step(const int64_t *at, int64_t rows)
{
    int64_t step = rows > 1 ? at[1] - at[0] : 0, other = 0;
    for (int64_t r = 1; r < rows; r++)
        other |= at[r] - at[r - 1] - step;
    return other ? -1 : step;
}

/* How rows of so many bytes come to be filled up to `row`, a line at the most. */
TL_BY_512 static inline tl_spacing tl_spacing_of(const tl_plan *p, int64_t bytes, int64_t row)
{
    tl_spacing s = {.which = tl_numbers(), .there = tl_first(bytes), .rows = 1, .bytes = bytes, .row = row};
    s.step = tl_even_step(p->v.at, p->v.n);
    if (s.step < 0 || !tl_permutes_bytes(p->level))
        return s;
    s.rows = tl_least(TL_LINE / row, s.step ? (TL_LINE - bytes) / s.step + 1 : TL_LINE);
    for (int64_t r = 1; r < s.rows; r++) {
        s.which = _mm512_mask_add_epi8(s.which, ~(__mmask64)0 << r * row, s.which, _mm512_set1_epi8((char)(s.step - row)));
        s.there |= tl_first(bytes) << r * row;
    }
    return s;
}

/* Writes so many rows one behind the other, with padding behind each. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_space(const tl_spacing *s, const int64_t *at, const char *from, char *to, int64_t rows,
                                                 __m512i padding)
{
    __mmask64 read = tl_first((s->rows - 1) * s->step + s->bytes);
    for (int64_t r = 0; r < rows; r += s->rows, to += s->rows * s->row) {
        int64_t left = rows - r;
        if (left < s->rows)
            read = tl_first((left - 1) * s->step + s->bytes);
        __m512i x = _mm512_maskz_loadu_epi8(read, from + at[r]);
        if (s->rows > 1)
            x = tl_permuted_bytes(s->which, x);
        x = _mm512_mask_blend_epi8(s->there, padding, x);
        if (left * s->row >= TL_LINE)
            _mm512_storeu_si512((void *)to, x);
        else
            _mm512_mask_storeu_epi8(to, tl_first(tl_least(left, s->rows) * s->row), x);
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

/* Rows of a run of so many bytes each, brought together if a vector moves several; whether it does. */
TL_BY_512 static int tl_closer(const tl_plan *p, const char *from, char *to, int64_t rows, int64_t bytes)
{
    tl_spacing s = tl_spacing_of(p, bytes, bytes);
    if (s.rows == 1)
        return 0;
    tl_space(&s, p->v.at, from, to, rows, _mm512_setzero_si512());
    return 1;
}

#endif
#endif
