/* Elements whose bytes come in another order: they are put in order in rows aside, and move from there. Some steady kernels do without that, as
 * they put bytes in order when they read them (tl_orders, tl_steady_flipped). */
#ifndef TL_ORDER_H
#define TL_ORDER_H

#include "tl_movers.h"
#include "tl_orderers.h"

typedef struct {
    tl_plan plan;  /* of the rows aside, */
    char *row;     /* which are here */
    int64_t pitch; /* and so many bytes apart */
    char *near;    /* where they are brought together first, or NULL */
    int follow;    /* whether they follow each other when they are put in order */
    tl_orderer *put;
} tl_ordered;

/* Bytes between rows aside: those of less than a line, or of elements that are no part of one, follow each other; others do not share the places
 * of a cache. */
static inline int64_t tl_pitch_ordered(const tl_plan *p)
{
    int64_t row = p->u.n * p->width;
    return row < TL_LINE || p->order->size != TL_LINE ? row : tl_whole_lines(row) + TL_LINE;
}

/* Whether rows are brought together before they are put in order, so that many are at once: those of less than a line that lie apart. */
static inline int tl_are_scattered(const tl_plan *p)
{
    int64_t row = p->u.n * p->width;
    return p->order && !p->order->flips && row < TL_LINE && p->v_to == row && !tl_follow(p->v.at, p->v.n, row);
}

/* Bytes that this takes, and how it begins in them. */
static inline int64_t tl_bytes_ordered(const tl_plan *p) { return tl_whole_lines(p->v.n * tl_pitch_ordered(p)) + TL_LINE; }
static inline int64_t tl_room_ordered(const tl_plan *p)
{
    return p->order ? p->v.n * (int64_t)sizeof(int64_t) + tl_bytes_ordered(p) * (tl_are_scattered(p) ? 2 : 1) + TL_LINE : 0;
}
static inline void tl_begin_ordered(tl_ordered *ordered, const tl_plan *p, char *room)
{
    ordered->plan = *p;
    if (!p->order)
        return;
    int64_t *at = (int64_t *)room;
    ordered->pitch = tl_pitch_ordered(p), ordered->follow = 1, ordered->put = tl_choose_order(p->order, p->level);
    for (int64_t v = 0; v < p->v.n; v++) {
        at[v] = v * ordered->pitch;
        ordered->follow &= p->v.at[v] == p->v.at[0] + at[v];
    }
    ordered->plan.v.at = at, ordered->plan.v_from = ordered->pitch, ordered->plan.ahead = 0, ordered->plan.order = NULL;
    ordered->row = (char *)(at + p->v.n);
    ordered->row += -(uintptr_t)ordered->row & (TL_LINE - 1);
    ordered->near = tl_are_scattered(p) ? ordered->row + tl_bytes_ordered(p) : NULL;
    ordered->follow |= ordered->near != NULL;
}

/* Brings rows together, where they are scattered. Returns the plan by which they are read from then on, and sets `from`. */
static inline const tl_plan *tl_come_near(const tl_ordered *ordered, const tl_plan *p, const char **from, int64_t nu, int64_t nv)
{
    if (!ordered->near)
        return p;
    for (int64_t v = 0; p->ahead && v < nv; v++)
        tl_fetch(*from + p->v.at[v] + p->ahead, nu * p->width);
    p->move(p, *from, ordered->near, nu, nv);
    *from = ordered->near;
    return &ordered->plan;
}

/* Puts nu x nv elements of a leaf in order, in rows aside, and returns these. */
static TL_APART_FROM_CALLERS const char *tl_in_order(const tl_ordered *ordered, const tl_plan *p, const char *from, int64_t nu, int64_t nv)
{
    int64_t n = nu * p->width, pitch = ordered->pitch;
    if (p->order->flips)
        for (int64_t v = 0; v < nv; v++) {
            if (p->ahead)
                tl_fetch(from + p->v.at[v] + p->ahead, n);
            tl_flip_units(p->order->unit, from + p->v.at[v], n, p->order->flips[v], ordered->row + v * pitch);
        }
    else {
        const tl_plan *read = tl_come_near(ordered, p, &from, nu, nv);
        int follow = n == pitch && ordered->follow;
        ordered->put(p->order, read->v.at, follow ? 1 : nv, follow ? nv * n : n, pitch, read->ahead, from, ordered->row);
    }
    return ordered->row;
}

/* Puts nu x nv elements of a leaf in order, where they belong. */
static TL_APART_FROM_CALLERS void tl_put_in_order(const tl_ordered *ordered, const tl_plan *p, const char *from, char *to, int64_t nu, int64_t nv)
{
    const tl_plan *read = tl_come_near(ordered, p, &from, nu, nv);
    int64_t n = nu * p->width;
    int follow = p->v_to == n && n == ordered->pitch && ordered->follow;
    ordered->put(p->order, read->v.at, follow ? 1 : nv, follow ? nv * n : n, p->v_to, read->ahead, from, to);
}

#endif
