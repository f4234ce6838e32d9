/* Pack and unpack: a plan (tl_plan.h) run, its leaves moved (tl_movers.h) or streamed (tl_stream.h). */
#ifndef TL_COPY_H
#define TL_COPY_H

#include "tl_sharing.h"
#include "tl_steady.h"
#include "tl_whole.h"

/* What leaves left of the last lines of their rows, for those that go on there. */
typedef struct {
    char *next;      /* where these go on, */
    int64_t waiting; /* if so many rows wait for it */
    char *carry;     /* a line for each chain */
} tl_bank;

typedef struct {
    const tl_plan *plan;
    int64_t *left;
    int64_t there[4]; /* by enum tl_cut: how many of u and of v exist in the leaf at hand, and how many iterations of the innermost loop */
    const unsigned char *fill; /* 16 bytes, a whole number of elements, or NULL */
    int fill_byte;             /* the byte that all 16 are, or -1 */
    tl_plan gather;            /* the plan with rows of the scratch for those of the target */
    tl_scratch room;           /* a few rows */
    tl_bank *banks, *bank;     /* of leaves that take turns; that of the leaf at hand */
    tl_aside aside;            /* where elements share bytes */
    tl_ordered ordered;        /* where bytes come in another order */
    tl_whole whole;            /* where leaves at an edge are made whole */
    const tl_plan *leaf;       /* the plan by which leaves are written: of rows aside where their bytes are joined or put in order */
    int64_t head;              /* the units of v after which lines of the target begin; 0 where they begin with it, or anywhere */
} tl_state;

/* How many steps of `divisor` start within what is left of the axis, at most n. */
static inline int64_t tl_valid(int64_t left, int64_t divisor, int64_t n)
{
    if (left >= n * divisor)
        return n;
    return left <= 0 ? 0 : tl_least(n, (left + divisor - 1) / divisor);
}

static inline void tl_fill(const tl_state *st, char *to, int64_t bytes)
{
    if (!bytes)
        return;
    if (st->fill_byte >= 0) {
        memset(to, st->fill_byte, (size_t)bytes);
        return;
    }
    int64_t b = 0;
    for (; b + 16 <= bytes; b += 16)
        memcpy(to + b, st->fill, 16);
    memcpy(to + b, st->fill, (size_t)(bytes - b));
}

/* Chains of rows in a leaf that is streamed, and the bytes between its rows in the scratch. */
static inline int64_t tl_chains(const tl_plan *p) { return (tl_rows(p) - 1) / p->chain + 1; }
static inline int64_t tl_pitch(const tl_plan *p) { return p->chain > 1 ? tl_row_bytes(p) : tl_whole_lines(tl_row_bytes(p)); }

/* Store what chains left of their last lines. */
static inline void tl_settle(const tl_plan *p, tl_bank *bank)
{
    const char *carry = bank->carry;
    for (int64_t r = 0, asked = 0; r < bank->waiting; r += p->chain, carry += TL_LINE) {
        char *end = bank->next + tl_row_at(p, r);
        asked = tl_ask_for_rows(p, bank->next, asked, tl_least(bank->waiting, r + TL_ASKED_ROWS * p->chain));
        tl_piece(end - tl_place(end), carry, tl_place(end));
    }
    bank->waiting = 0;
}

/* The same, before so many rows begin at `to`: the lines in which they do are asked for. */
static inline void tl_begin_rows(const tl_plan *p, tl_bank *bank, int64_t rows, const char *to)
{
    tl_settle(p, bank);
    if (p->past)
        tl_ask_for_rows(p, to, 0, tl_least(rows, TL_ASKED_ROWS * p->chain));
}

/* Whether so many rows go on where the last ones of their bank ended; else what those left is stored. */
static inline int tl_goes_on(const tl_plan *p, tl_bank *bank, int64_t rows, const char *to)
{
    if (bank->waiting == rows && bank->next == to)
        return 1;
    tl_begin_rows(p, bank, rows, to);
    return 0;
}

/* The leaf at hand for kernels of many. */
static inline tl_leaves tl_one_leaf(const tl_state *st, const tl_plan *p, const char *from, char *to, int goes_on)
{
    tl_leaves leaf = {.from = from, .to = to, .count = 1, .rows = p->u.n, .nv = p->v.n, .way = tl_way_of(p), .on = goes_on,
                      .carry = st->bank->carry, .room = st->room};
    return leaf;
}

/* Fetch what lies ahead of n rows of a leaf's source. */
static TL_ALWAYS_INLINE void tl_fetch_rows(const tl_plan *p, const char *from, int64_t nu, int64_t v, int64_t n)
{
    int64_t side = nu * p->width * p->sharing.bits / 8;
    if (n > 1 && p->v.at[v + n - 1] - p->v.at[v] == (n - 1) * side)
        tl_fetch(from + p->v.at[v] + p->ahead, n * side);
    else
        for (int64_t k = v; k < v + n; k++)
            tl_fetch(from + p->v.at[k] + p->ahead, side);
}

/* What a leaf is to be: so many rows of n bytes. The first `there` of them exist, and `bytes` of each, which are those of nv elements. */
typedef struct {
    int64_t rows, there, n, bytes, nv;
} tl_extent;

/* A run: its rows from where they are to where they belong. */
static TL_ALWAYS_INLINE int tl_stream_run(tl_state *st, const tl_plan *p, const char *from, char *to, const tl_extent *e, int goes_on,
                                          tl_append *append)
{
    int waits = 1, on = 1, are_short = p->chain > 1 && e->n < TL_LINE && e->bytes && !tl_is_spread(p);
    char *carry = st->bank->carry - TL_LINE;
    for (int64_t r = 0, next = 0; r < e->rows; r++) {
        const char *row = from + p->v.at[r];
        if (r == next) {
            waits &= on, on = goes_on;
            next += p->chain, carry += TL_LINE;
        }
        int64_t together = are_short ? tl_least(tl_least(next, e->there) - r, TL_LINE) : 0;
        if (together > 1) {
            if (e->bytes < e->n)
                tl_fill(st, st->room.at, together * e->n);
            tl_short_rows(p->v.at + r, e->n, from, st->room.at, together, e->bytes);
            on = append(to + r * p->v_to, st->room.at, together * e->n, on, carry);
            r += together - 1;
            continue;
        }
        if (p->ahead && r < e->there)
            tl_fetch(row + p->ahead, e->bytes);
        int is_spread = tl_is_spread(p);
        if (is_spread || r >= e->there || e->bytes < e->n) {
            int64_t held = r < e->there ? e->bytes : 0;
            if (is_spread)
                tl_spread_row(&st->aside, p, row, held, st->room.at);
            else
                memcpy(st->room.at, row, (size_t)held);
            tl_fill(st, st->room.at + held, e->n - held);
            row = st->room.at;
        }
        on = append(to + r * p->v_to, row, e->n, on, carry);
    }
    return waits & on;
}

/* Rows r to end - 1 of any other leaf: by way of the scratch. */
static TL_ALWAYS_INLINE int tl_stream_strip(tl_state *st, const tl_plan *p, const char *from, char *to, int64_t r, int64_t end,
                                            const tl_extent *e, int goes_on, tl_store *store, tl_append *append)
{
    tl_plan *g = &st->gather;
    int64_t width = p->width, there = tl_least(end, e->there) - r, pitch = tl_pitch(p);
    for (int64_t v = 0; v < e->nv && there > 0; v += p->slice) {
        int64_t n = tl_least(p->slice, e->nv - v);
        if (p->ahead)
            tl_fetch_rows(p, from + r * width * p->sharing.bits / 8, there, v, n);
        if (tl_is_spread(p)) {
            tl_spread_rows(&st->aside, p, from, r, there, v, n, st->room.at + v * width, g->u.at);
            continue;
        }
        g->v.at = p->v.at + v;
        g->move(g, from + r * width, st->room.at + v * width, there, n);
    }
    there = there < 0 ? 0 : there;
    for (int64_t k = 0; k < there && e->bytes < e->n; k++)
        tl_fill(st, st->room.at + k * pitch + e->bytes, e->n - e->bytes);
    tl_fill(st, st->room.at + there * pitch, (end - r - there) * pitch);
    const char *row = st->room.at;
    if (p->even && e->n == tl_row_bytes(p) && p->chain == 1 && !tl_place(to)) {
        for (int64_t k = r; k < end; k++, row += pitch)
            store(to + p->u.at[k], row, e->n);
        return 1;
    }
    int waits = 1;
    char *carry = st->bank->carry + r / p->chain * TL_LINE;
    for (; r < end; r += p->chain, row += p->chain * pitch, carry += TL_LINE)
        waits &= append(to + tl_row_at(p, r), row, p->chain * e->n, goes_on, carry);
    return waits;
}

/* Whole chains of rows, without the scratch where a kernel makes lines of them; whether anything waits behind them. */
static TL_ALWAYS_INLINE int tl_stream_by(tl_state *st, const tl_plan *p, const char *from, char *to, const tl_extent *e, int goes_on,
                                         tl_store *store, tl_append *append)
{
    if (p->move == tl_run)
        return tl_stream_run(st, p, from, to, e, goes_on, append);
    tl_leaves leaf = tl_one_leaf(st, p, from, to, goes_on);
    if (p->partly && e->there == p->u.n && e->bytes == e->n) {
        leaf.nv = e->nv;
        return p->partly(p, &leaf);
    }
    int waits = 1;
    int64_t block = TL_LINE / p->width, lines = p->even && e->bytes == tl_row_bytes(p) ? e->there & -block : 0;
    while (lines % p->chain)
        lines -= block;
    tl_steady chains = p->chain > 1 ? tl_taking(p, to, 0) : NULL;
    if (lines && chains) {
        leaf.rows = lines;
        waits = chains(p, &leaf);
    } else if (lines && p->lines && !tl_place(to))
        p->lines(p, from, to, lines, e->nv, st->room);
    else
        lines = 0;
    for (int64_t r = lines; r < e->rows; r += p->strip)
        waits &= tl_stream_strip(st, p, from, to, r, tl_least(e->rows, r + p->strip), e, goes_on, store, append);
    return waits;
}
#ifdef TL_WIDE
TL_BY_512 static int tl_stream_512(tl_state *st, const tl_plan *p, const char *from, char *to, const tl_extent *e, int goes_on)
{
    return tl_stream_by(st, p, from, to, e, goes_on, tl_store_lines_512, tl_append_past_512);
}
#endif
static int tl_stream(tl_state *st, const tl_plan *p, const char *from, char *to, const tl_extent *e, int goes_on)
{
#ifdef TL_WIDE
    if (p->level >= TL_512)
        return tl_stream_512(st, p, from, to, e, goes_on);
#endif
    return tl_stream_by(st, p, from, to, e, goes_on, tl_store_lines, tl_append_past);
}

/* What exists of a leaf, where it belongs. */
static inline void tl_move(tl_state *st, const tl_plan *p, const char *from, char *to, int64_t nu, int64_t nv)
{
    if (!tl_is_spread(p))
        p->move(p, from, to, nu, nv);
    else if (p->move != tl_run)
        tl_spread_rows(&st->aside, p, from, 0, nu, 0, nv, to, p->u.at);
    else
        for (int64_t v = 0; v < nv; v++)
            tl_spread_row(&st->aside, p, from + p->v.at[v], nu * p->width, to + v * p->v_to);
}

/* Whether so much of a leaf goes past the caches: whole chains of rows, or rows that each end a line. */
static inline int tl_is_streamed(const tl_plan *p, const tl_extent *e)
{
    int64_t row = tl_row_bytes(p);
    return e->rows && (e->n == row ? e->rows % p->chain == 0 || e->rows == tl_rows(p) : p->chain == 1 && e->n >= TL_LINE);
}

/* A leaf of which a part is there, by a kernel for many: nv of v, and so many bytes of each. Its chains reach so far in the target. */
static inline void tl_move_by(tl_state *st, const tl_plan *p, tl_steady steady, const char *from, char *to, int64_t there, int64_t nv,
                              int64_t so_far)
{
    tl_leaves leaf = tl_one_leaf(st, p, from, to, tl_goes_on(p, st->bank, tl_rows(p), to));
    leaf.there = there, leaf.nv = nv, leaf.fill = st->fill;
    st->bank->waiting = steady(p, &leaf) ? tl_rows(p) : 0;
    st->bank->next = to + so_far;
}

/* Where what exists of a leaf is moved from: rows aside where its bytes are joined, those that elements do not fill by `rest`, or put in order. */
static inline const char *tl_set_aside(tl_state *st, const char *from, int64_t nu, int64_t nv, uint8_t rest)
{
    const tl_plan *p = st->plan;
    if (tl_is_joined(p))
        return tl_joined(&st->aside, p, from, nu, nv, rest);
    return p->order ? tl_in_order(&st->ordered, p, from, nu, nv) : from;
}

static inline void tl_leaf(tl_state *st, const char *from, char *to, int padding)
{
    const tl_plan *p = st->plan;
    int64_t there_u = st->there[TL_U], there_v = st->there[TL_V];
    int64_t nu = there_u, nv = there_v;
    if (padding)
        nu = nv = 0;
    if (nu && p->u.axis >= 0)
        nu = tl_valid(st->left[p->u.axis], p->u.divisor, nu);
    if (nv && p->v.axis >= 0)
        nv = tl_valid(st->left[p->v.axis], p->v.divisor, nv);
    if (!nu || !nv)
        nu = nv = 0;
    from = tl_set_aside(st, from, nu, nv, st->fill ? st->fill[0] : 0);
    if (tl_is_joined(p)) {
        nu = tl_bytes_u(p, nu), nv = tl_bytes_v(p, nv);
        there_u = tl_bytes_u(p, there_u), there_v = tl_bytes_v(p, there_v);
    }
    p = st->leaf;
    if (st->whole.row && st->fill && nu && (nu < there_u || nv < there_v) && there_u == p->u.n && there_v == p->v.n) {
        tl_steady steady = tl_taking(p, to, 0);
        int64_t chain = p->chain * tl_row_bytes(p);
        if (steady && steady == p->steady && p->ended) {
            tl_move_by(st, p, p->ended, from, to, nu * p->width, nv, chain);
            return;
        }
        from = tl_made_whole(&st->whole, from, nu, nv, st->fill);
        p = &st->whole.plan, nu = there_u, nv = there_v;
        if (steady) {
            tl_move_by(st, p, steady, from, to, nu * p->width, nv, chain);
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
#ifdef TL_WIDE
    if (p->move == tl_run && p->level >= TL_512 && !p->past && st->fill && nu && !tl_is_shared(p) && (nu < there_u || nv < there_v)) {
        tl_end_rows_512(p, from, to, nu * p->width, nv, there_v, there_u * p->width, st->fill);
        return;
    }
#endif
    int64_t width = p->width, row = there_u * width;
    int are_filled = st->fill && p->move == tl_run && nu < there_u && row < TL_LINE && p->v_to == row;
    if (p->partly && !p->past && nu == p->u.n && nv * p->width >= TL_LONG_ENOUGH && tl_taking(p, to, 0))
        tl_move_by(st, p, p->partly, from, to, nu * p->width, nv, nv * p->width);
    else if (nu) {
        if (p->ahead)
            tl_fetch_rows(p, from, nu, 0, nv);
        if (are_filled)
            tl_fill(st, to, nv * row);
        tl_move(st, p, from, to, nu, nv);
    }
    if (!st->fill || (nu == there_u && nv == there_v))
        return;
    if (p->move == tl_run) {
        for (int64_t v = 0; v < nv && !are_filled; v++)
            tl_fill(st, to + v * p->v_to + nu * width, (there_u - nu) * width);
        for (int64_t v = nv; v < there_v; v++)
            tl_fill(st, to + v * p->v_to, there_u * width);
    } else {
        for (int64_t u = 0; u < nu; u++)
            tl_fill(st, to + p->u.at[u] + nv * width, (there_v - nv) * width);
        int64_t together = there_v == p->v.n ? p->chain : 1;
        for (int64_t u = nu, next; u < there_u; u = next) {
            next = tl_least(there_u, u + together - u % together);
            tl_fill(st, to + p->u.at[u], (next - u) * there_v * width);
        }
    }
}

static void tl_walk(tl_state *st, int level, int64_t begin, int64_t end, const char *from, char *to, int padding);

/* How far along `from` an iteration of a loop is. */
static inline int64_t tl_from(const tl_loop *l, int64_t q) { return l->at ? l->at[q] : q * l->from; }

/* What is inside an iteration of a loop. */
static inline void tl_inside(tl_state *st, int level, const char *from, char *to, int padding)
{
    if (level + 1 == st->plan->depth)
        tl_leaf(st, from, to, padding);
    else
        tl_walk(st, level + 1, 0, level + 2 == st->plan->depth ? st->there[TL_INNERMOST] : st->plan->loop[level + 1].n, from, to, padding);
}

/* Iterations begin .. end-1 of the loop over blocks of v, where the first of them is short so that the others begin with lines of the target,
 * and the last is as much longer. */
static void tl_walk_lines(tl_state *st, int level, int64_t begin, int64_t end, const char *from, char *to, int padding)
{
    const tl_loop *l = st->plan->loop + level;
    int64_t step_from = l->from / l->per, step_to = l->to / l->per, divisor = l->divisor / l->per, was = 0;
    int clipped = !padding && l->axis >= 0;
    if (clipped)
        was = st->left[l->axis];
    int64_t v = begin ? st->head + (begin - 1) * l->per : 0, last = end < l->n ? st->head + (end - 1) * l->per : l->total;
    for (int64_t n = begin ? l->per : st->head; v < last; v += n, n = l->per) {
        int hole = padding || (clipped && v * divisor >= was);
        if (hole && !st->fill)
            break;
        st->there[TL_V] = tl_least(n, last - v) * st->plan->v.unit;
        if (clipped)
            st->left[l->axis] = was - v * divisor;
        tl_inside(st, level, hole ? from : from + v * step_from, to + v * step_to, hole);
    }
    if (clipped)
        st->left[l->axis] = was;
}

/* The end of the iterations of a loop from `begin` on that have so much of an axis left for themselves and the loop inside, if any. */
static inline int64_t tl_end_along(const tl_state *st, int level, int axis, int64_t extent, int64_t begin, int64_t end)
{
    const tl_loop *l = st->plan->loop + level;
    if (axis < 0)
        return end;
    int64_t spare = st->left[axis] - extent;
    if (level + 1 < st->plan->depth && l[1].axis == axis)
        spare -= (l[1].n - 1) * l[1].divisor;
    if (spare < 0)
        return begin;
    return l->axis == axis ? tl_least(end, begin + spare / l->divisor + 1) : end;
}

/* How many iterations of one of the two inner loops from `begin` on, before `end`, have nothing but whole leaves of elements, or at least
 * nu of u. */
static inline int64_t tl_count_whole(const tl_state *st, int level, int64_t begin, int64_t end, int64_t nu)
{
    const tl_plan *p = st->plan;
    const tl_loop *l = p->loop + level;
    for (int k = TL_U; k <= TL_V; k++) {
        const tl_side *side = k == TL_U ? &p->u : &p->v;
        if (l->cuts == k)
            end = tl_least(end, l->total / l->per);
        else if (st->there[k] != side->n)
            return 0;
        end = tl_end_along(st, level, side->axis, side->divisor * (k == TL_U ? nu : side->n), begin, end);
    }
    if (level + 1 < p->depth)
        end = tl_end_along(st, level, l[1].axis, 1, begin, end);
    return end > begin ? end - begin : 0;
}

/* So many leaves from that of iteration `begin` on, whole ones or those of nu elements of u, by the kernel for them. */
static inline void tl_walk_steady(tl_state *st, tl_steady steady, const tl_loop *l, int64_t begin, const char *from, char *to,
                                  int64_t count, int64_t nu)
{
    const tl_plan *p = st->plan, *leaf = st->leaf;
    int is_fused = p->fused && steady == p->steady, is_aside = leaf != p && !is_fused, in_turn = p->banks > 1;
    int64_t rows = tl_rows(leaf), stretch = leaf->chain * tl_row_bytes(leaf), together = is_aside ? 1 : count;
    int64_t banks = in_turn ? together : 1, bank_step = in_turn ? tl_chains(leaf) * TL_LINE : 0;
    for (int64_t q = begin; q < begin + count; q += together, to += together * l->to) {
        tl_bank *bank = in_turn ? st->banks + q : st->banks;
        int goes_on = 1;
        for (int64_t k = 0; k < banks; k++)
            goes_on &= bank[k].waiting == rows && bank[k].next == to + k * l->to;
        for (int64_t k = 0; k < banks && !goes_on; k++)
            tl_begin_rows(leaf, bank + k, rows, to + k * l->to);
        const char *f = from + tl_from(l, q);
        if (is_aside)
            f = tl_set_aside(st, f, p->u.n, p->v.n, 0);
        tl_leaves leaves = {.from = f, .to = to, .from_step = l->from, .to_step = l->to, .count = together,
                            .at = l->at ? l->at + q : NULL, .rows = leaf->u.n, .nv = leaf->v.n,
                            .way = tl_way_of(leaf), .there = nu * leaf->width, .fill = st->fill,
                            .on = goes_on, .carry = bank->carry, .bank_step = bank_step, .room = st->room,
                            .sums = &st->aside.sums};
        int64_t waiting = steady(is_fused ? p : leaf, &leaves) ? rows : 0;
        for (int64_t k = 0; k < banks; k++)
            bank[k].waiting = waiting, bank[k].next = to + (in_turn ? k : together - 1) * l->to + stretch;
    }
}

/* How many iterations of the loop around the innermost one are done here: rounds of whole leaves, by the kernel for them. */
static inline int64_t tl_walk_rounds(tl_state *st, int level, int64_t begin, int64_t end, const char *from, char *to)
{
    const tl_loop *l = st->plan->loop + level, *inner = l + 1;
    int64_t count = inner->cuts || l->cuts == TL_INNERMOST ? 0 : tl_count_whole(st, level, begin, end, st->plan->u.n), q = begin;
    for (; q < begin + count; q++) {
        char *there = to + q * l->to;
        tl_steady steady = tl_taking(st->leaf, there, inner->to);
        if (!steady)
            break;
        tl_walk_steady(st, steady, inner, 0, from + tl_from(l, q), there, st->there[TL_INNERMOST], st->plan->u.n);
    }
    return q - begin;
}

/* Whether leaves whose rows all end alike are taken together, to be filled up. */
static inline int tl_are_ended(const tl_state *st, const tl_loop *l, tl_steady steady)
{
    const tl_plan *p = st->plan;
    if (!steady || !p->ended || st->leaf != p || !st->fill || l->axis == p->u.axis)
        return 0;
    return p->move == tl_run || (steady == p->steady && st->whole.row && !l->cuts);
}

/* How many of the innermost loop's iterations from `begin` on are done here: leaves that need no care of their own, whole or ended alike. */
static inline int64_t tl_walk_whole(tl_state *st, int level, int64_t begin, int64_t end, const char *from, char *to)
{
    const tl_plan *p = st->plan;
    const tl_loop *l = p->loop + level;
    tl_steady steady = tl_taking(st->leaf, to, l->to);
    if (!steady && (p->past || tl_is_shared(p) || p->order))
        return 0;
    int64_t nu = p->u.n, count = tl_count_whole(st, level, begin, end, nu);
    to += begin * l->to;
    if (!count && p->u.axis >= 0 && tl_are_ended(st, l, steady)) {
        nu = tl_valid(st->left[p->u.axis], p->u.divisor, nu);
        count = nu ? tl_count_whole(st, level, begin, end, nu) : 0;
        steady = p->ended;
    }
    if (steady)
        tl_walk_steady(st, steady, l, begin, from, to, count, nu);
    else
        for (int64_t q = begin; q < begin + count; q++, to += l->to) {
            const char *f = from + tl_from(l, q);
            if (p->ahead)
                tl_fetch_rows(p, f, p->u.n, 0, p->v.n);
            p->move(p, f, to, p->u.n, p->v.n);
        }
    return count;
}

static void tl_walk(tl_state *st, int level, int64_t begin, int64_t end, const char *from, char *to, int padding)
{
    const tl_plan *p = st->plan;
    const tl_loop *l = p->loop + level;
    if (l->cuts == TL_V && st->head) {
        tl_walk_lines(st, level, begin, end, from, to, padding);
        return;
    }
    int64_t inside = padding ? 0 : l->n;
    int64_t was = 0;
    if (!padding && l->axis >= 0) {
        was = st->left[l->axis];
        inside = tl_valid(was, l->divisor, l->n);
        st->left[l->axis] = was - begin * l->divisor;
    }
    if (!st->fill)
        end = tl_least(end, inside);
    if (level + 2 >= p->depth && !padding) {
        int64_t done = (level + 1 == p->depth ? tl_walk_whole : tl_walk_rounds)(st, level, begin, tl_least(end, inside), from, to);
        begin += done;
        if (l->axis >= 0)
            st->left[l->axis] -= done * l->divisor;
    }
    for (int64_t q = begin; q < end; q++) {
        if (l->cuts)
            st->there[l->cuts] = tl_least(l->per, l->total - q * l->per) * (l->cuts == TL_U ? p->u.unit : l->cuts == TL_V ? p->v.unit : 1);
        if (p->banks > 1 && level + 1 == p->depth)
            st->bank = st->banks + q;
        int hole = q >= inside;
        tl_inside(st, level, hole ? from : from + tl_from(l, q), to + q * l->to, hole);
        if (!padding && l->axis >= 0)
            st->left[l->axis] -= l->divisor;
    }
    if (!padding && l->axis >= 0)
        st->left[l->axis] = was;
}

/* Bytes that a plan needs to run: what is left of its axes, its banks and a line for each of their chains, rows aside, and if it streams
 * a scratch and where rows of it begin. A panel in the scratch takes the bytes of these rows, and those of as many more as lie between its
 * parts: a line of the narrowest elements. */
static inline int64_t tl_scratch_rows(const tl_plan *p) { return !p->past ? 0 : p->move == tl_run ? 1 : p->strip; }
static inline int64_t tl_scratch_bytes(const tl_plan *leaf, int64_t rows)
{
    int64_t bytes = (rows + TL_LINE) * tl_pitch(leaf);
    return !rows ? 0 : bytes < TL_TOGETHER && leaf->move == tl_run && tl_row_bytes(leaf) <= TL_LINE ? TL_TOGETHER : bytes;
}
static inline int64_t tl_room(const tl_plan *p)
{
    int64_t rows = tl_scratch_rows(p), lines = p->past || p->steady || p->loose ? p->banks * tl_chains(p) + 1 : 0;
    return (p->axes + rows) * (int64_t)sizeof(int64_t) + p->banks * (int64_t)sizeof(tl_bank) + tl_room_aside(p)
           + tl_room_ordered(p) + tl_room_whole(p) + lines * TL_LINE + tl_scratch_bytes(p, rows);
}

/* Bytes on the stack for plans that need no more to run, which spares small copies an allocation. A sanitizer is to see what is written
 * beyond the bytes that a plan asks for. */
#if defined(__SANITIZE_ADDRESS__)
#define TL_LITTLE_ROOM 1
#else
#define TL_LITTLE_ROOM 0x4000
#endif

/* Iterations begin .. end-1 of the outermost loop (0 and 1 where there is none), in tl_room bytes. Whether all elements that were joined
 * fit in their bits, as far as that is asked. */
static inline int tl_copy(const tl_plan *p, const char *from, char *to, const unsigned char *fill, int64_t begin,
                           int64_t end, char *room)
{
    tl_state st = {.plan = p, .left = (int64_t *)room, .there = {0, p->u.n, p->v.n}, .fill = fill, .fill_byte = -1};
    if (p->depth)
        st.there[TL_INNERMOST] = p->loop[p->depth - 1].n;
    st.bank = st.banks = (tl_bank *)(st.left + p->axes);
    char *aside = (char *)(st.banks + p->banks);
    tl_begin_aside(&st.aside, p, aside);
    char *ordered = aside + tl_room_aside(p), *whole = ordered + tl_room_ordered(p);
    tl_begin_ordered(&st.ordered, p, ordered);
    st.leaf = tl_is_joined(p) ? &st.aside.bytes : p->order ? &st.ordered.plan : p;
    tl_begin_whole(&st.whole, st.leaf, whole);
    memset(st.banks, 0, (size_t)p->banks * sizeof(tl_bank));
    if (p->past || p->steady || p->loose) {
        int64_t rows = tl_scratch_rows(p), pitch = tl_pitch(st.leaf), lines = tl_chains(st.leaf) * TL_LINE;
        int64_t *at = (int64_t *)(whole + tl_room_whole(p));
        st.gather = *st.leaf;
        for (int64_t r = 0; r < rows; r++)
            at[r] = r * pitch;
        st.gather.u.at = at;
        char *carry = (char *)(at + rows);
        carry += -(uintptr_t)carry & (TL_LINE - 1);
        for (int64_t k = 0; k < p->banks; k++, carry += lines)
            st.banks[k].carry = carry;
        st.room = (tl_scratch){carry, tl_scratch_bytes(st.leaf, rows)};
    }
    int64_t unit = p->v.unit * p->width, head = (TL_LINE - tl_place(to)) % TL_LINE;
    if (p->even && p->chain == 1 && head % unit == 0 && !tl_taking(st.leaf, to, 0))
        st.head = head / unit;
    if (fill) {
        st.fill_byte = fill[0];
        for (int b = 1; b < 16; b++)
            if (fill[b] != fill[0])
                st.fill_byte = -1;
    }
    memcpy(st.left, p->size, (size_t)p->axes * sizeof *st.left);
    if (p->depth)
        tl_walk(&st, 0, begin, end, from, to, 0);
    else
        tl_leaf(&st, from, to, 0);
    for (int64_t k = 0; k < p->banks; k++)
        tl_settle(st.leaf, st.banks + k);
    if (p->past)
        tl_fence();
    return st.aside.sums >> p->sharing.bits == 0;
}

#endif
