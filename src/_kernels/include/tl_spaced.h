/* Rows of less than a line, at even distances in the target: brought together, filled up to longer ones, or with gaps between them, which are
 * left alone. A vector moves as many as it has room for, where they lie at even distances in the source, too.
 */
#ifndef TL_SPACED_H
#define TL_SPACED_H

#include "tl_plan.h"
#include "tl_wide.h"

#ifdef TL_WIDE

/* What a vector moves: so many `rows` of `bytes` bytes that exist, `step` bytes apart in the source and `row` in the target; `which` byte of
 * the source, or, `by_pairs`, which pair of bytes, comes to each place, and which bytes are `there`. */
typedef struct {
    __m512i which;
    __mmask64 there;
    int64_t rows, step, bytes, row;
    int by_pairs;
} tl_spacing;

/* How rows of so many bytes come to lie `row` bytes apart, a line at the most; a vector is to have room for `last` bytes of its last one. */
TL_BY_512 static inline tl_spacing tl_spacing_of(const tl_plan *p, int64_t bytes, int64_t row, int64_t last)
{
    int by_pairs = !tl_permutes_bytes(p->level);
    tl_spacing s = {.which = by_pairs ? tl_numbers_of_pairs() : tl_numbers(), .there = tl_first(bytes), .rows = 1, .bytes = bytes, .row = row};
    s.step = p->v.step, s.by_pairs = by_pairs;
    if (s.step < 0 || (by_pairs && (bytes | row | s.step) % 2))
        return s;
    s.rows = tl_least((TL_LINE - last) / row + 1, s.step ? (TL_LINE - bytes) / s.step + 1 : TL_LINE);
    for (int64_t r = 1; r < s.rows; r++) {
        int64_t more = s.step - row;
        s.which = by_pairs ? _mm512_mask_add_epi16(s.which, ~(__mmask32)0 << r * row / 2, s.which, _mm512_set1_epi16((short)(more / 2)))
                           : _mm512_mask_add_epi8(s.which, ~(__mmask64)0 << r * row, s.which, _mm512_set1_epi8((char)more));
        s.there |= tl_first(bytes) << r * row;
    }
    return s;
}

/* A vector of the source, of which so many rows are read, each where it comes to. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_spaced(const tl_spacing *s, const char *from, __mmask64 read, const int by_pairs)
{
    __m512i x = _mm512_maskz_loadu_epi8(read, from);
    return by_pairs ? _mm512_permutexvar_epi16(s->which, x) : tl_permuted_bytes(s->which, x);
}
static inline __mmask64 tl_read_by(const tl_spacing *s, int64_t rows) { return tl_first((rows - 1) * s->step + s->bytes); }

static inline int64_t tl_row_of(const tl_spacing *s, const int64_t *at, int64_t r) { return s->step < 0 ? at[r] : r * s->step; }

/* Writes so many rows, with padding behind each, or, where there are `gaps`, nothing else; what whole lines hold beyond them is written over. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_space_by(const tl_spacing *s, const int64_t *at, const char *from, char *to, int64_t rows,
                                                   __m512i padding, const int gaps, const int by_pairs)
{
    __mmask64 read = tl_read_by(s, s->rows);
    int64_t r = 0;
    for (; (rows - r) * s->row >= TL_LINE; r += s->rows, to += s->rows * s->row) {
        __m512i x = tl_spaced(s, from + tl_row_of(s, at, r), read, by_pairs);
        if (gaps)
            _mm512_mask_storeu_epi8(to, s->there, x);
        else
            _mm512_storeu_si512((void *)to, _mm512_mask_blend_epi8(s->there, padding, x));
    }
    for (; r < rows; r += s->rows, to += s->rows * s->row) {
        int64_t n = tl_least(rows - r, s->rows);
        __m512i x = tl_spaced(s, from + tl_row_of(s, at, r), tl_read_by(s, n), by_pairs);
        __mmask64 written = tl_first(n * s->row);
        _mm512_mask_storeu_epi8(to, gaps ? written & s->there : written, gaps ? x : _mm512_mask_blend_epi8(s->there, padding, x));
    }
}
TL_BY_512 static TL_ALWAYS_INLINE void tl_space(const tl_spacing *s, const int64_t *at, const char *from, char *to, int64_t rows,
                                                __m512i padding, const int gaps)
{
    if (s->by_pairs)
        tl_space_by(s, at, from, to, rows, padding, gaps, 1);
    else
        tl_space_by(s, at, from, to, rows, padding, gaps, 0);
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

/* Moves that a vector has to spare, at least, for it to be quicker than those. */
#define TL_SPARED 4

/* Rows of a run of so many bytes each, if a vector moves so many that it is quicker than one or two moves for each: whether it does. */
TL_BY_512 static int tl_several(const tl_plan *p, const char *from, char *to, int64_t rows, int64_t bytes)
{
    tl_spacing s = tl_spacing_of(p, bytes, p->v_to, bytes);
    if (s.rows * (bytes & (bytes - 1) ? 2 : 1) < TL_SPARED)
        return 0;
    tl_space(&s, p->v.at, from, to, rows, _mm512_setzero_si512(), s.row > bytes);
    return 1;
}

#endif
#endif
