/* Leaves at an edge, made whole: what exists of a small one is read into rows aside, with the fill around it, and moves from there as
 * the others do. Else they would be filled up in pieces of a few bytes. Those of a run are written whole at once.
 */
#ifndef TL_WHOLE_H
#define TL_WHOLE_H

#include "tl_sharing.h"

typedef struct {
    const tl_plan *of;
    tl_plan plan; /* of the rows aside, */
    char *row;    /* which are here, or NULL where leaves are not made whole, */
    int64_t pitch; /* and so many bytes apart */
} tl_whole;

/* Bytes of a leaf at the most, so that it stays in the nearest cache. Rows of the source that are less than a line are not worth it,
 * but where a kernel fills them up. */
#define TL_MOST_WHOLE 8192
static inline int tl_makes_whole(const tl_plan *p)
{
    int64_t row = p->u.n * p->width;
    return p->level >= TL_512 && p->move != tl_run && !tl_is_shared(p) && (p->u.axis >= 0 || p->v.axis >= 0) && (row >= TL_LINE || p->ended)
           && row * p->v.n <= TL_MOST_WHOLE;
}

/* Bytes that this takes, and how it begins in them. */
static inline int64_t tl_room_whole(const tl_plan *p)
{
    return tl_makes_whole(p) ? p->v.n * ((int64_t)sizeof(int64_t) + tl_whole_lines(p->u.n * p->width)) + TL_LINE : 0;
}
static inline void tl_begin_whole(tl_whole *whole, const tl_plan *p, char *room)
{
    whole->row = NULL;
    if (!tl_makes_whole(p))
        return;
    int64_t *at = (int64_t *)room;
    whole->of = p, whole->plan = *p;
    whole->pitch = tl_whole_lines(p->u.n * p->width);
    for (int64_t v = 0; v < p->v.n; v++)
        at[v] = v * whole->pitch;
    whole->plan.v.at = at, whole->plan.v_from = whole->pitch, whole->plan.ahead = 0;
    whole->row = (char *)(at + p->v.n);
    whole->row += -(uintptr_t)whole->row & (TL_LINE - 1);
}

/* The whole leaf of which nu x nv elements exist, line by line: a load of what several stores wrote waits for all stores before it. */
#ifdef TL_WIDE
TL_BY_512 static const char *tl_made_whole(const tl_whole *whole, const char *from, int64_t nu, int64_t nv, const unsigned char *fill)
{
    const tl_plan *p = whole->of;
    __m512i padding = tl_pattern_512(fill);
    char *to = whole->row;
    for (int64_t v = 0; v < p->v.n; v++)
        for (int64_t b = 0; b < whole->pitch; b += TL_LINE, to += TL_LINE) {
            int64_t there = v < nv ? nu * p->width - b : 0;
            __m512i x = padding;
            if (there > 0) {
                const char *f = from + p->v.at[v] + b;
                x = _mm512_mask_loadu_epi8(padding, tl_first(there), f);
                if (p->ahead)
                    tl_fetch_far(f + p->ahead, 1);
            }
            _mm512_store_si512((void *)to, x);
        }
    return whole->row;
}

#if TL_MASKED
/* The rows of a run, of so many bytes: nv of them are there, and so many bytes of each. */
TL_BY_512 static void tl_end_rows_512(const tl_plan *p, const char *from, char *to, int64_t there, int64_t nv, int64_t rows, int64_t bytes,
                                      const unsigned char *fill)
{
    __m512i padding = tl_pattern_512(fill);
    int64_t r = 0;
    if (bytes < TL_LINE && bytes == p->v_to) {
        tl_spacing spacing = tl_spacing_of(p, there, bytes, 0);
        tl_space(&spacing, p->v.at, from, to, nv, padding);
        r = nv, to += nv * bytes;
    }
    for (; r < rows; r++, to += p->v_to)
        for (int64_t b = 0; b < bytes; b += TL_LINE) {
            __m512i x = tl_get_ended(from + p->v.at[r] + b, r < nv ? there - b : 0, padding);
            if (p->way == TL_ASKED_FOR)
                tl_ask_ahead(to + b);
            if (bytes - b >= TL_LINE)
                _mm512_storeu_si512((void *)(to + b), x);
            else
                _mm512_mask_storeu_epi8(to + b, tl_first(bytes - b), x);
        }
}
#endif
#else
static inline const char *tl_made_whole(const tl_whole *whole, const char *from, int64_t nu, int64_t nv, const unsigned char *fill)
{
    (void)from, (void)nu, (void)nv, (void)fill;
    return whole->row;
}
#endif

#endif
