/* Leaves of elements that share bytes on one side.
 *
 * A plan counts elements, of one byte on the side of the array. What moves are the bytes that they share on the other: elements are joined
 * to bytes before a leaf is moved to a buffer, and bytes are spread to elements after one was moved from a buffer, both by way of rows of
 * bytes in a little room aside.
 */
#ifndef TL_SHARING_H
#define TL_SHARING_H

#include "tl_bits.h"
#include "tl_movers.h"

typedef struct {
    tl_plan bytes;   /* the leaf as it moves: of rows aside on the side of the array */
    char *row;       /* those rows, */
    int64_t pitch;   /* and the bytes from one to the next */
    const tl_bit_movers *by;
    uint8_t half, sums; /* `sums`: all elements read so far, plus `half` (tl_half), ORed: all fit if no bit above an element's is set */
} tl_aside;

static inline int tl_is_shared(const tl_plan *p) { return p->sharing.bits < 8; }
static inline int tl_is_joined(const tl_plan *p) { return tl_is_shared(p) && p->sharing.joins; }
static inline int tl_is_spread(const tl_plan *p) { return tl_is_shared(p) && !p->sharing.joins; }

/* How many bytes of u, and of v, hold so many elements of a leaf. */
static inline int64_t tl_bytes_u(const tl_plan *p, int64_t nu)
{
    if (p->sharing.across)
        return p->sharing.joins ? nu : tl_ceil_div(nu * p->sharing.bits, 8);
    return p->move == tl_run ? tl_ceil_div(nu * p->width * p->sharing.bits, 8) : nu;
}
static inline int64_t tl_bytes_v(const tl_plan *p, int64_t nv)
{
    return p->sharing.across && p->sharing.joins ? tl_ceil_div(nv * p->sharing.bits, 8) : nv;
}

/* The leaf of the bytes; `move` says whether it is a run. */
static inline tl_plan tl_of_bytes(const tl_plan *p)
{
    tl_plan q = *p;
    q.u.n = tl_bytes_u(p, p->u.n);
    q.v.n = tl_bytes_v(p, p->v.n);
    if (!p->sharing.across)
        q.width = p->move == tl_run ? 1 : p->width * p->sharing.bits / 8;
    return q;
}

/* Rows aside, and the bytes between them: not a power of two, so that they do not share the sets of a cache. */
static inline int64_t tl_rows_aside(const tl_plan *q) { return q->sharing.joins ? q->v.n : q->move == tl_run ? 1 : q->u.n; }
static inline int64_t tl_pitch_aside(const tl_plan *q)
{
    return tl_whole_lines((q->sharing.joins || q->move == tl_run ? q->u.n : q->v.n) * q->width) + TL_LINE;
}

/* Bytes that what is aside takes, and how it begins in them. */
static inline int64_t tl_room_aside(const tl_plan *p)
{
    if (!tl_is_shared(p))
        return 0;
    tl_plan q = tl_of_bytes(p);
    return tl_rows_aside(&q) * ((int64_t)sizeof(int64_t) + tl_pitch_aside(&q)) + TL_LINE;
}
static inline void tl_begin_aside(tl_aside *aside, const tl_plan *p, char *room)
{
    aside->bytes = *p;
    if (!tl_is_shared(p))
        return;
    aside->bytes = tl_of_bytes(p);
    int64_t rows = tl_rows_aside(&aside->bytes), pitch = tl_pitch_aside(&aside->bytes), *at = (int64_t *)room;
    for (int64_t r = 0; r < rows; r++)
        at[r] = r * pitch;
    aside->row = (char *)(at + rows);
    aside->row += -(uintptr_t)aside->row & (TL_LINE - 1);
    aside->pitch = pitch;
    aside->by = &tl_bit_levels[p->level];
    aside->half = tl_half(p->sharing.bits, p->sharing.sign);
    if (p->sharing.joins)
        aside->bytes.v.at = at, aside->bytes.v_from = pitch, aside->bytes.ahead = 0;
    else
        aside->bytes.u.at = at;
}

/* Bytes of each row that are joined with the same of the others before what comes next: few lines are then fetched at once. */
#define TL_JOINED_AT_ONCE 256

/* Joins nu x nv elements of a leaf to bytes in rows aside, and returns these. A byte that they do not fill gets the other bits of `rest`. */
static TL_APART_FROM_CALLERS const char *tl_joined(tl_aside *aside, const tl_plan *p, const char *from, int64_t nu, int64_t nv,
                                                   uint8_t rest)
{
    int bits = p->sharing.bits, group = p->sharing.across ? 8 / bits : 1;
    int64_t n = nu * p->width;
    uint8_t *to = (uint8_t *)aside->row;
    for (int64_t v = 0; v < nv; v += group, to += aside->pitch) {
        int64_t here = v + group <= nv ? group : nv - v;
        for (int64_t i = 0, some; i < n; i += some) {
            some = tl_least(TL_JOINED_AT_ONCE, n - i);
            for (int64_t k = v; k < v + here; k++) {
                if (p->ahead)
                    tl_fetch(from + p->v.at[k] + i + p->ahead, some);
                aside->sums |= aside->by->sums((const uint8_t *)from + p->v.at[k] + i, some, aside->half);
            }
            if (group > 1 && here == group)
                aside->by->join_across(bits, (const uint8_t *)from + i, p->v.at + v, some, to + i);
        }
        if (group == 1)
            tl_join(aside->by, bits, (const uint8_t *)from + p->v.at[v], n, rest, to);
        else if (here < group)
            for (int64_t i = 0; i < n; i++) {
                to[i] = (uint8_t)(rest & -(1 << here * bits));
                for (int64_t k = 0; k < here; k++)
                    to[i] |= (uint8_t)((((const uint8_t *)from)[p->v.at[v + k] + i] & ((1 << bits) - 1)) << k * bits);
            }
    }
    return aside->row;
}

/* Rows r to r + rows - 1 of a leaf that is no run, elements v to v + n - 1 of each, to where `at` says. */
static TL_APART_FROM_CALLERS void tl_spread_rows(tl_aside *aside, const tl_plan *p, const char *from, int64_t r, int64_t rows, int64_t v,
                                                 int64_t n, char *to, const int64_t *at)
{
    tl_plan q = aside->bytes;
    int bits = p->sharing.bits, group = p->sharing.across ? 8 / bits : 1;
    q.v.at = p->v.at + v;
    q.move(&q, from + r / group * q.width, aside->row, tl_ceil_div(rows, group), n);
    for (int64_t k = 0; k < rows; k++) {
        const uint8_t *bytes = (const uint8_t *)aside->row + k / group * aside->pitch;
        if (group > 1)
            aside->by->places(bits, (int)(k % group), p->sharing.sign, bytes, n, (uint8_t *)to + at[k]);
        else
            aside->by->spread_along(bits, p->sharing.sign, bytes, n * q.width, (uint8_t *)to + at[k]);
    }
}

/* One row of a run, of so many elements. */
static TL_APART_FROM_CALLERS void tl_spread_row(tl_aside *aside, const tl_plan *p, const char *from, int64_t elements, char *to)
{
    tl_spread(aside->by, p->sharing.bits, p->sharing.sign, (const uint8_t *)from, elements, (uint8_t *)to);
}

#endif
