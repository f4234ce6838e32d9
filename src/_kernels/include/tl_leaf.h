/* A leaf: moved (tl_movers.h) or streamed, and the padding around what is there filled. */
#ifndef TL_LEAF_H
#define TL_LEAF_H

#include "tl_streamed_leaf.h"

/* Moves the first nu x nv elements of a leaf to where they belong; those that share bytes are spread. */
static inline void tl_move_leaf(tl_state *st, const tl_plan *p, const char *from, char *to, int64_t nu, int64_t nv)
{
    if (!tl_is_spread(p))
        p->move(p, from, to, nu, nv);
    else if (p->move != tl_run)
        tl_spread_rows(&st->aside, p, from, 0, nu, 0, nv, to, p->u.at);
    else
        for (int64_t v = 0; v < nv; v++)
            tl_spread_row(&st->aside, p, from + p->v.at[v], nu * p->width, to + v * p->v_to);
}

/* Whether so much of a leaf is streamed: rows of full length, if they are whole chains or all there are, or shorter ones of a line at least,
 * if none are chained. */
static inline int tl_is_streamed(const tl_plan *p, const tl_extent *e)
{
    int64_t row = tl_row_bytes(p);
    return e->rows && (e->n == row ? e->rows % (p->hop * p->chain) == 0 || e->rows == tl_rows(p) : p->chain == 1 && e->n >= TL_LINE);
}

/* Moves a single leaf by a steady kernel: nu x nv elements of it exist, and it is written whole. */
static inline void tl_move_by(tl_state *st, const tl_plan *p, tl_steady steady, const char *from, char *to, int64_t nu, int64_t nv)
{
    int goes_on = tl_goes_on(p, st->bank, tl_rows(p), to);
    tl_leaves leaf;
    tl_set_one_leaf(&leaf, st, p, from, to, nu, nv, goes_on);
    st->bank->waiting = steady(p, &leaf) ? tl_rows(p) : 0;
    st->bank->next = to + p->chain * tl_row_bytes(p);
}

/* Joins the elements of a leaf to bytes, or puts its bytes in order, in rows aside, where the plan says so. Returns where the leaf is moved
 * from then. A byte that is not full of elements gets the other bits of `rest`. */
static inline const char *tl_set_aside(tl_state *st, const char *from, int64_t nu, int64_t nv, uint8_t rest)
{
    const tl_plan *p = st->plan;
    if (tl_is_joined(p))
        return tl_joined(&st->aside, p, from, nu, nv, rest);
    return p->order ? tl_in_order(&st->ordered, p, from, nu, nv) : from;
}

/* Moves what exists of the leaf at hand and fills up the rest, if there is a fill; with `padding` all of it lies beyond an axis. */
static inline void tl_leaf(tl_state *st, const char *from, char *to, int padding)
{
    const tl_plan *p = st->plan;
    int64_t there_u = st->there[TL_U], there_v = st->there[TL_V];
    int64_t nu = padding ? 0 : tl_there(st, &p->u, there_u), nv = padding ? 0 : tl_there(st, &p->v, there_v);
    if (!nu || !nv)
        nu = nv = 0;
    if (p->order && !p->order->flips && p->move == tl_run && !p->past && nu == there_u && nv == there_v) {
        tl_put_in_order(&st->ordered, p, from, to, nu, nv);
        return;
    }
    from = tl_set_aside(st, from, nu, nv, st->fill ? st->fill[0] : 0);
    if (tl_is_joined(p)) {
        nu = tl_bytes_u(p, nu), nv = tl_bytes_v(p, nv);
        there_u = tl_bytes_u(p, there_u), there_v = tl_bytes_v(p, there_v);
    }
    p = st->leaf;
    if (st->whole.row && st->fill && nu && (nu < there_u || nv < there_v) && there_u == p->u.n && there_v == p->v.n) {
        tl_steady steady = tl_taking(p, to, 0);
        if (steady && steady == p->steady && p->ended) {
            tl_move_by(st, p, p->ended, from, to, nu, nv);
            return;
        }
        from = tl_made_whole(&st->whole, from, nu, nv, st->fill);
        p = &st->whole.plan, nu = there_u, nv = there_v;
        if (steady) {
            tl_move_by(st, p, steady, from, to, nu, nv);
            return;
        }
    }
    if (p->past) {
        int run = p->move == tl_run;
        tl_extent e = {.there = run ? nv : nu, .bytes = (run ? nu : nv) * p->width, .nv = nv};
        e.rows = st->fill ? run ? there_v : there_u : e.there;
        e.n = st->fill ? (run ? there_u : there_v) * p->width : e.bytes;
        if (tl_is_streamed(p, &e)) {
            int goes_on = tl_goes_on(p, st->bank, e.rows, to);
            st->bank->waiting = tl_stream(st, p, from, to, &e, goes_on) ? e.rows : 0;
            st->bank->next = to + p->chain * e.n;
            return;
        }
    }
#if TL_MASKED
    if (p->move == tl_run && p->level >= TL_512 && !p->past && st->fill && nu && !tl_is_shared(p) && (nu < there_u || nv < there_v)) {
        if (p->ahead)
            tl_fetch_rows(p, from, nu, 0, nv);
        tl_end_rows_512(p, from, to, nu * p->width, nv, there_v, there_u * p->width, st->fill);
        return;
    }
#endif
    int64_t width = p->width, row = there_u * width;
    int are_filled = st->fill && p->move == tl_run && nu < there_u && row < TL_LINE && p->v_to == row;
    if (nu) {
        if (p->ahead)
            tl_fetch_rows(p, from, nu, 0, nv);
        if (are_filled)
            tl_fill(st, to, nv * row);
        tl_move_leaf(st, p, from, to, nu, nv);
    }
    if (!st->fill || (nu == there_u && nv == there_v))
        return;
    if (p->move == tl_run) {
        for (int64_t v = 0; v < nv && !are_filled; v++)
            tl_fill(st, to + v * p->v_to + nu * width, (there_u - nu) * width);
        if (p->v_to == row)
            tl_fill(st, to + nv * row, (there_v - nv) * row);
        else
            for (int64_t v = nv; v < there_v; v++)
                tl_fill(st, to + v * p->v_to, row);
    } else {
        for (int64_t u = 0; u < nu; u++)
            tl_fill(st, to + p->u.at[u] + nv * width, (there_v - nv) * width);
        int64_t together = there_v == p->v.n && p->hop == 1 ? p->chain : 1;
        for (int64_t u = nu, next; u < there_u; u = next) {
            next = tl_least(there_u, u + together - u % together);
            tl_fill(st, to + p->u.at[u], (next - u) * there_v * width);
        }
    }
}

#endif
