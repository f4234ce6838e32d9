/* Which kernel takes whole leaves one after the other, straight from registers to lines of the target.
 *
 * Where a leaf is one stretch of the target (or a few rows that each go on where the last leaf left them), what does not fill a line is carried
 * to the next leaf (tl_carried.h).
 */
#ifndef TL_STEADY_H
#define TL_STEADY_H

#include "tl_sharing.h"
#include "tl_steady_bits.h"
#include "tl_steady_chains.h"
#include "tl_steady_near.h"
#include "tl_steady_order.h"
#include "tl_steady_rows.h"
#include "tl_steady_short.h"
#include "tl_steady_turns.h"
#include "tl_steady_zips.h"

#ifdef TL_WIDE

/* Whether all chains of a leaf begin at the same place in a line; and, unless they are linked, each ends where no other begins. */
static inline int tl_are_chains(const tl_plan *p)
{
    for (int64_t c = 1; c < tl_chains_of(p, p->u.n) && !p->link; c++) {
        int64_t u = tl_first_of(p, c);
        if (u >= p->hop && p->u.at[u] == p->u.at[u - p->hop] + p->v.n * p->width)
            return 0;
    }
    return tl_are_alike(p, p->u.n, TL_LINE);
}
/* Whether the tuples of a zip or an unzip, if it is one, are of as many elements as this level makes and takes apart. */
static inline int tl_takes_tuples(const tl_plan *p, enum tl_kernel kernel)
{
    return TL_IS(kernel, TL_ZIP) ? tl_blends(p->level, p->width, p->v.n) : !TL_IS(kernel, TL_UNZIP) || tl_blends(p->level, p->width, p->u.n);
}
/* Whether a transpose reads rows of narrow elements that are not long. */
static inline int tl_reads_short_rows(const tl_plan *p) { return TL_IS_NARROW(p->width) && p->u.n * p->width < TL_LEAST_KEPT; }
/* Whether all elements of u lie together in the source, and those of `together` neighbours of v follow each other: they are tuples then, and so
 * many of them lie together. Not where elements are joined, which are read from rows aside. */
static inline int tl_are_tuples(const tl_plan *p, int64_t together)
{
    if (p->sharing.bits < 8 && p->sharing.joins)
        return 0;
    if (p->order)
        return tl_pitch_ordered(p) == p->u.n * p->width;
    for (int64_t v = 0; v < p->v.n; v += together)
        if (!tl_follow(p->v.at + v, tl_least(together, p->v.n - v), p->u.n * p->width))
            return 0;
    return 1;
}
#endif

/* Bytes of a row from which on runs in a cache that do not begin with a line are better made lines of than stored across lines. */
#define TL_LONG_RUN 256

/* A plan's steady kernel for whole leaves, the first at `to` and each `step` behind the last; or NULL, where p->move does better.
 *
 * Leaves are alike if all begin at the same place in a line, a multiple of an element and of four bytes. Then it is `steady`, or, if there is
 * none and that place is not 0, `along`; else `loose`. In a cache, unless `steady` is fused, there is none for runs that begin with a line. Of
 * other runs in a cache there is none for rows that tl_are_lines, or of less than TL_LONG_RUN, if `steady` does not take them; where lines are
 * asked for, there is none for the former, whether or not it does. Where a line is a pair of vectors, `lines` is faster if it can be used, but
 * for what tl_reads_short_rows, and so is `along` by way of a panel. Where the source is fetched `onward`, both are one kernel, that takes any. */
static inline tl_steady tl_taking(const tl_plan *p, const char *to, int64_t step)
{
#ifdef TL_WIDE
    int grain = p->width > 4 ? p->width : 4;
    int are_alike = step % TL_LINE == 0 && (uintptr_t)to % grain == 0, is_asked = p->way == TL_ASKED_FOR;
    int64_t row = p->u.n * p->width;
    if (p->fused && are_alike)
        return p->steady;
    if (p->onward)
        return p->loose;
    if (!p->past && p->move == tl_run && !tl_place(to))
        return NULL;
    if (!p->past && p->move == tl_run && (is_asked || !are_alike || !p->steady) && (tl_are_lines(p, row) || (row < TL_LONG_RUN && !is_asked)))
        return NULL;
    if (!TL_MASKED && p->lines && p->even && !tl_place(to) && !tl_reads_short_rows(p))
        return NULL;
    tl_steady along = tl_place(to) ? p->along : NULL, alike = p->steady ? p->steady : along;
    if (!TL_MASKED && along && TL_IN_PANEL(p->width))
        alike = along;
    return are_alike && alike ? alike : p->loose;
#else
    (void)p, (void)to, (void)step;
    return NULL;
#endif
}

/* The steady kernel that itself joins elements to bytes, or spreads them, or flips the places of bytes; or NULL. `bytes` is the leaf as its
 * bytes move (tl_of_bytes). */
static inline tl_steady tl_choose_fused(const tl_plan *p, const tl_plan *bytes, enum tl_kernel kernel)
{
#ifdef TL_WIDE
    int64_t u = bytes->u.n, v = bytes->v.n, row = p->u.n * p->width;
    if (p->level < TL_512)
        return NULL;
#if TL_MASKED
    if (p->order && p->order->flips)
        return p->order->unit > 1 && row % TL_LINE == 0 && p->v_to % 4 == 0 ? tl_steady_flipped : NULL;
#endif
    if (p->sharing.bits == 8)
        return NULL;
    if (TL_IS(kernel, TL_RUN) && p->sharing.joins)
        return p->chain == v && row * p->sharing.bits % (8 * TL_LINE) == 0 ? tl_steady_join_rows : NULL;
    if (TL_IS(kernel, TL_RUN))
        return row % TL_LINE == 0 ? tl_steady_spread_rows : NULL;
    if (!p->sharing.across)
        return NULL;
    if (TL_IS(kernel, TL_ZIP) && p->chain == u && u % TL_LINE == 0)
        return v == 2 ? tl_steady_join_2 : v == 4 ? tl_steady_join_4 : NULL;
    if (TL_IS(kernel, TL_TRANSPOSE) && p->sharing.joins)
        return p->past && p->chain == 1 && v % TL_LINE == 0 && u >= TL_LINE ? tl_steady_panel_join : NULL;
    if (!TL_IS(kernel, TL_UNZIP) || v % TL_LINE || !tl_are_tuples(bytes, TL_LINE))
        return NULL;
    if (p->chain == p->u.n && u * v <= TL_HELD)
        return u == 2 ? tl_steady_spread_apart_2 : u == 4 ? tl_steady_spread_apart_4 : NULL;
    if (p->chain == 1 && tl_are_alike(bytes, p->u.n, TL_LINE))
        return u == 2 ? tl_steady_spread_2 : u == 4 ? tl_steady_spread_4 : NULL;
#else
    (void)p, (void)bytes, (void)kernel;
#endif
    return NULL;
}

/* Whether a steady kernel itself puts the bytes of elements in order. */
static inline int tl_orders(tl_steady steady)
{
#if TL_MASKED
#define TL_IS_STEADY_ORDER(W, K) || steady == tl_steady_order_##W##_##K
    if (TL_HAS(TL_TRANSPOSE) && (steady == tl_steady_chains_4 || steady == tl_steady_chains_8 || steady == tl_steady_chains_16))
        return 1;
    return TL_HAS(TL_RUN) && (0 TL_ALL_PICKED(TL_IS_STEADY_ORDER));
#elif defined(TL_WIDE)
    return TL_HAS(TL_RUN) && steady == tl_steady_patched;
#else
    (void)steady;
    return 0;
#endif
}

/* The kernel `steady` (tl_plan.h), or NULL; p is the leaf as its bytes move. */
static inline tl_steady tl_choose_steady(const tl_plan *p, enum tl_kernel kernel)
{
#ifdef TL_WIDE
    int64_t u = p->u.n, v = p->v.n, w = p->width, line = TL_LINE / w, chain = p->chain;
    int64_t whole_u = u % line == 0, whole_v = v % line == 0;
    if (p->level < TL_512)
        return NULL;
    if (p->sharing.bits < 8 && !p->sharing.joins)
        return NULL;
    if (!p->past && (TL_IS(kernel, TL_TRANSPOSE) || (TL_IS(kernel, TL_UNZIP) && chain == 1)))
        return NULL; /* in a cache, what is carried costs more than lines gain */
    if (!tl_takes_tuples(p, kernel))
        return NULL;
    if (TL_IS(kernel, TL_RUN)) {
        tl_steady ordered = tl_choose_steady_order(p);
        return ordered ? ordered : chain == v && whole_u ? tl_steady_run : NULL;
    }
#define TL_STEADY_IF(W, WHEN, STEADY)                                                                           \
    if (w == W && (WHEN))                                                                                       \
        return STEADY;
/* Whether the tuples of a line lie together in the source, or, where there is but one, those of each line that is read. */
#define TL_ARE_TUPLES(W, K) tl_are_tuples(p, p->v.n * W == TL_LINE ? TL_TUPLES(W, K) : TL_LINE / W)
#define TL_STEADY_ZIP(W, K)                                                                                     \
    TL_STEADY_IF(W, TL_IS(kernel, TL_ZIP) && v == K && chain == u && u * W * K % TL_LINE == 0 && !TL_ACROSS_LINES(p->past),\
                 tl_steady_zip_##W##_##K)                                                                       \
    TL_STEADY_IF(W, TL_ARE_HELD(K) && TL_IS(kernel, TL_UNZIP) && u == K && chain == 1 && whole_v && tl_are_alike(p, u, TL_LINE) &&\
                    TL_ARE_TUPLES(W, K), tl_steady_unzip_##W##_##K)
#define TL_STEADY_APART(W, K)                                                                                   \
    TL_STEADY_IF(W, TL_IS(kernel, TL_UNZIP) && u == K && chain == u && u * v * W == TL_HELD && tl_are_tuples(p, line), tl_steady_apart_##W##_##K)
#define TL_STEADY_SHORT(W, LANES)                                                                               \
    TL_STEADY_IF(W, v == LANES * 16 / W && chain == u && whole_u, tl_steady_short_##W##_##LANES)                \
    TL_STEADY_IF(W, u == LANES * 16 / W && chain == 1 && whole_v && tl_are_alike(p, u, TL_LINE) && tl_are_tuples(p, 4 / LANES),\
                 tl_steady_long_##W##_##LANES)
#define TL_STEADY_PANEL(W)                                                                                      \
    TL_STEADY_IF(W, whole_u && whole_v && chain == 1 && u <= TL_MOST_CARRIES && v > line && tl_are_alike(p, u, TL_LINE), tl_steady_panel_##W)
#define TL_STEADY_TURN(W)                                                                                       \
    TL_STEADY_IF(W, whole_u && whole_v && chain > 1 && v * W <= TL_LONGEST_CHAINED && tl_are_chains(p), tl_steady_chains_##W)\
    TL_STEADY_IF(W, whole_u && whole_v && chain == 1 && u <= TL_MOST_CARRIES && tl_are_alike(p, u, TL_LINE), tl_steady_turn_##W)
    TL_ALL_ZIPPED(TL_STEADY_ZIP)
    TL_ALL_APART(TL_STEADY_APART)
    if (!TL_IS(kernel, TL_TRANSPOSE))
        return NULL;
    TL_ALL_SHORT(TL_STEADY_SHORT)
#if !TL_MASKED
    TL_STEADY_PANEL(1)
    TL_STEADY_PANEL(2)
    TL_STEADY_PANEL(4)
#endif
    TL_STEADY_TURN(1)
    TL_STEADY_TURN(2)
    TL_STEADY_TURN(4)
    TL_STEADY_TURN(8)
    TL_STEADY_TURN(16)
#else
    (void)p, (void)kernel;
#endif
    return NULL;
}

/* The kernel `along` (tl_plan.h), or NULL: only for transposes, and not where blocks of v can be cut so that they begin with lines, as those
 * are then (tl_walk_lines). */
static inline tl_steady tl_choose_along(const tl_plan *p, enum tl_kernel kernel)
{
#ifdef TL_WIDE
    int64_t u = p->u.n, w = p->width, row = p->v.n * w, line = TL_LINE / w;
    if (p->level < TL_512 || !p->past || !TL_IS(kernel, TL_TRANSPOSE) || p->chain > 1 || u % line || row % TL_LINE || row > TL_LONGEST_CHAINED)
        return NULL;
    for (int k = 0; k < p->depth; k++)
        if (p->loop[k].cuts == TL_V && p->v.unit == 1)
            return NULL;
    if (p->sharing.bits < 8 || !tl_are_alike(p, u, TL_LINE))
        return NULL;
    TL_STEADY_IF(1, 1, tl_steady_along_1)
    TL_STEADY_IF(2, 1, tl_steady_along_2)
    TL_STEADY_IF(4, 1, tl_steady_along_4)
    TL_STEADY_IF(8, 1, tl_steady_along_8)
    TL_STEADY_IF(16, 1, tl_steady_along_16)
#else
    (void)p, (void)kernel;
#endif
    return NULL;
}

/* The kernel of tl_steady_near.h, or NULL. It takes whole leaves and, of a zip if they are filled up, and of an unzip if not, parts of them. */
static inline tl_steady tl_choose_near(const tl_plan *p, enum tl_kernel kernel)
{
#if TL_MASKED
    int64_t u = p->u.n, v = p->v.n, w = p->width, line = TL_LINE / w;
    if (!p->onward || p->level < TL_512 || p->way != TL_STORED || tl_is_shared(p) || p->order)
        return NULL;
    if (TL_IS(kernel, TL_RUN))
        return u * w >= TL_LINE ? tl_near_run : NULL;
    if (!tl_takes_tuples(p, kernel))
        return NULL;
#define TL_CHOOSE_NEAR(W, K)                                                                                    \
    TL_STEADY_IF(W, TL_IS(kernel, TL_ZIP) && v == K && p->chain == u && u >= line, tl_near_zip_##W##_##K)       \
    TL_STEADY_IF(W, TL_IS(kernel, TL_UNZIP) && u == K && tl_are_tuples(p, line), tl_near_unzip_##W##_##K)
    TL_ALL_ZIPPED(TL_CHOOSE_NEAR)
#else
    (void)p, (void)kernel;
#endif
    return NULL;
}

/* The kernel `ended` (tl_plan.h), or NULL: it fills leaves up, and writes what is written of whole ones. */
static inline tl_steady tl_choose_ended(const tl_plan *p, enum tl_kernel kernel)
{
#ifdef TL_WIDE
#define TL_ENDED_ZIP(W, K)                                                                                      \
    if (TL_HAS(TL_ZIP) && p->steady == tl_steady_zip_##W##_##K)                                                 \
        return tl_ended_zip_##W##_##K;
    if (TL_IS(kernel, TL_RUN) && (p->level < TL_512 || tl_is_shared(p) || p->chain != p->v.n))
        return NULL;
#if TL_MASKED
    if (TL_IS(kernel, TL_RUN) && tl_are_short_rows(p))
        return tl_ended_spaced;
#else
    if (TL_IS(kernel, TL_RUN) && p->loose == tl_steady_close)
        return tl_ended_close;
#endif
    if (TL_IS(kernel, TL_RUN) && p->past)
        return p->steady == tl_steady_run ? tl_ended_rows : p->loose == tl_steady_rows ? tl_ended_any_rows : NULL;
    if (TL_IS(kernel, TL_RUN))
        return NULL;
    TL_ALL_ZIPPED(TL_ENDED_ZIP)
#else
    (void)p, (void)kernel;
#endif
    return NULL;
}

/* The kernel `loose` (tl_plan.h), or NULL. That of an unzip also moves leaves of which a part of v exists, if it is a line at least. In a cache
 * there is one for runs only: to carry tails costs others more than they gain by whole lines. */
static inline tl_steady tl_choose_loose(const tl_plan *p, enum tl_kernel kernel)
{
#ifdef TL_WIDE
    int64_t u = p->u.n, v = p->v.n, w = p->width, chain = p->chain;
    if (p->level < TL_512)
        return NULL;
    if (p->sharing.bits < 8 && !p->sharing.joins) {
        if (!p->past || !p->sharing.across || chain > 1 || v % TL_LINE)
            return NULL;
        if (TL_IS(kernel, TL_TRANSPOSE))
            return u >= TL_LINE ? tl_steady_panel_spread : NULL;
        if (!TL_IS(kernel, TL_UNZIP) || !tl_are_tuples(p, TL_LINE))
            return NULL;
        return u == 2 ? tl_steady_spread_any_2 : u == 4 ? tl_steady_spread_any_4 : NULL;
    }
    tl_steady ordered = TL_IS(kernel, TL_RUN) ? tl_choose_steady_order(p) : NULL;
    if (ordered)
        return ordered;
    if (TL_IS(kernel, TL_RUN) && p->order && chain == v && tl_pitch_ordered(p) == u * w && u * v * w >= TL_LINE)
        return tl_steady_stretch;
    if (TL_IS(kernel, TL_RUN) && u * w >= TL_LINE)
        return tl_steady_rows;
#if TL_MASKED
    if (TL_IS(kernel, TL_RUN) && (!tl_are_short_rows(p) || chain != v || u * v * w < TL_LINE))
        return NULL;
    if (TL_IS(kernel, TL_RUN))
        return u * w > TL_LINE / 2 ? tl_steady_short_rows : tl_steady_spaced;
#else
    if (TL_IS(kernel, TL_RUN))
        return p->past && tl_are_close_rows(p) ? tl_steady_close : NULL;
#endif
    if (!p->past)
        return NULL;
    if (TL_IS(kernel, TL_UNZIP) && chain == u && u * v * w >= TL_LINE)
        return tl_steady_stretches;
    if (chain > 1 || v * w % TL_LINE || !tl_takes_tuples(p, kernel))
        return NULL;
#define TL_LOOSE_UNZIP(W, K) TL_STEADY_IF(W, TL_IS(kernel, TL_UNZIP) && u == K && TL_ARE_TUPLES(W, K), tl_steady_unzip_any_##W##_##K)
#define TL_LOOSE_TURN(W) TL_STEADY_IF(W, TL_IS(kernel, TL_TRANSPOSE) && u * w % TL_LINE == 0 && u <= TL_MOST_CARRIES, tl_steady_turn_any_##W)
    TL_ALL_ZIPPED(TL_LOOSE_UNZIP)
    TL_LOOSE_TURN(1)
    TL_LOOSE_TURN(2)
    TL_LOOSE_TURN(4)
    TL_LOOSE_TURN(8)
    TL_LOOSE_TURN(16)
#define TL_LOOSE_LONG(W, LANES)                                                                                 \
    TL_STEADY_IF(W, TL_IS(kernel, TL_TRANSPOSE) && u == LANES * 16 / W && tl_are_tuples(p, 4 / LANES), tl_steady_long_any_##W##_##LANES)
    TL_ALL_SHORT(TL_LOOSE_LONG)
#define TL_LOOSE_PANEL(W) TL_STEADY_IF(W, TL_IS(kernel, TL_TRANSPOSE) && !p->even && u * w >= TL_LINE, tl_steady_panel_any_##W)
    TL_LOOSE_PANEL(1)
    TL_LOOSE_PANEL(2)
#else
    (void)p, (void)kernel;
#endif
    return NULL;
}

static inline int tl_is_panel(tl_steady steady)
{
#ifdef TL_WIDE
    return TL_HAS(TL_TRANSPOSE) && (steady == tl_steady_panel_any_1 || steady == tl_steady_panel_any_2);
#else
    (void)steady;
    return 0;
#endif
}

/* The kernel `loose` beside a `steady` that is fused, or NULL: the same one, if that takes leaves that begin anywhere. */
static inline tl_steady tl_choose_fused_loose(const tl_plan *p, const tl_plan *bytes, enum tl_kernel kernel)
{
#ifdef TL_WIDE
    if (TL_HAS(TL_TRANSPOSE) && p->steady == tl_steady_panel_join)
        return p->steady;
#endif
    return p->sharing.joins ? NULL : tl_choose_loose(bytes, kernel);
}

/* The kernel `partly` (tl_plan.h), or NULL: it is `loose`, if that takes parts of leaves, or of a run its like for parts of rows. */
static inline tl_steady tl_choose_partly(const tl_plan *p, enum tl_kernel kernel)
{
#ifdef TL_WIDE
    if (TL_IS(kernel, TL_RUN))
        return p->past && p->loose == tl_steady_rows && p->chain == 1 ? tl_part_rows : NULL;
#endif
    return tl_is_panel(p->loose) || (TL_IS(kernel, TL_UNZIP) && p->chain == 1 && !tl_is_shared(p)) ? p->loose : NULL;
}

/* Whether `partly` takes a leaf of so many elements of u and v: by way of a panel only of a line of u at least, and of all of v. */
static inline int tl_takes_part(const tl_plan *p, int64_t nu, int64_t nv)
{
    return p->partly && (!tl_is_panel(p->partly) || (nu * p->width >= TL_LINE && nv == p->v.n));
}

#endif
