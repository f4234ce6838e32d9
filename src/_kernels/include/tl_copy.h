/* Pack and unpack: the loops of a plan (tl_plan.h) walked around its leaves (tl_leaf.h). */
#ifndef TL_COPY_H
#define TL_COPY_H

#include "tl_leaf.h"

static void tl_walk(tl_state *st, int level, int64_t begin, int64_t end, const char *from, char *to, int padding);
static void tl_walk_shared(tl_state *st, int level, int64_t begin, int64_t end, const char *from, char *to, int padding);

/* How far along `from` an iteration of a loop is. */
static inline int64_t tl_from(const tl_loop *l, int64_t q) { return l->at ? l->at[q] : q * l->from; }

/* Iterations of the loops inside this one that threads share as well, counted as one loop. */
static inline int64_t tl_shared_inside(const tl_plan *p, int level)
{
    int64_t n = 1;
    for (int k = level + 1; k < p->shared; k++)
        n *= p->loop[k].n;
    return n;
}

/* Whether only a part of the iteration at hand of this loop is gone through, as threads share loops inside as well. */
static inline int tl_is_parted(const tl_state *st, int level)
{
    return level + 1 < st->plan->shared && st->end - st->begin < tl_shared_inside(st->plan, level);
}

/* Goes through what is inside an iteration of a loop. */
static inline void tl_inside(tl_state *st, int level, const char *from, char *to, int padding)
{
    if (level + 1 == st->plan->depth)
        tl_leaf(st, from, to, padding);
    else if (tl_is_parted(st, level))
        tl_walk_shared(st, level + 1, st->begin, st->end, from, to, padding);
    else
        tl_walk(st, level + 1, 0, level + 2 == st->plan->depth ? st->there[TL_INNERMOST] : st->plan->loop[level + 1].n, from, to, padding);
}

/* Iterations begin .. end-1 of the loop over blocks of v where lines of the target do not begin with these: iteration 0 is only as long as
 * brings the others to where lines begin, and what that leaves over is a block of its own, in the last. */
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

/* The first iteration of a loop from `begin` on, `end` at the most, in the course of which less than `extent` of an axis would be left: each
 * takes from it, and so does the loop inside, if that walks the axis. */
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

/* How many iterations of one of the two inner loops from `begin` on, before `end`, have nothing but leaves that are whole, or of which at least
 * nu elements of u and nv of v exist. */
static inline int64_t tl_count_whole(const tl_state *st, int level, int64_t begin, int64_t end, int64_t nu, int64_t nv)
{
    const tl_plan *p = st->plan;
    const tl_loop *l = p->loop + level;
    for (int k = TL_U; k <= TL_V; k++) {
        const tl_side *side = k == TL_U ? &p->u : &p->v;
        if (l->cuts == k)
            end = tl_least(end, l->total / l->per);
        else if (st->there[k] != side->n)
            return 0;
        end = tl_end_along(st, level, side->axis, side->divisor * ((k == TL_U ? nu : nv) / side->each), begin, end);
    }
    if (level + 1 < p->depth)
        end = tl_end_along(st, level, l[1].axis, 1, begin, end);
    return end > begin ? end - begin : 0;
}

/* Bytes at the most that are fetched at once at the end of a round: gaps in it, and what was not moved by a steady kernel. */
#define TL_MOST_LEFT 0x1000

/* Begins with the next piece of a round. */
static inline void tl_begin_piece(tl_state *st)
{
    const tl_plan *p = st->plan;
    const tl_loop *l = p->loop + p->round;
    st->next = st->round + (p->sweeps ? p->v.at[st->pieces] : 0);
    st->last = st->next + (p->sweeps ? l[1].n * l[1].from : l->from);
    st->pieces++;
}

/* Begins iteration q of a loop, `end` excluded, or of one around it: if that is a round, the one ahead is fetched with it. Behind the loop comes
 * what is `after` it. */
static inline void tl_begin_round(tl_state *st, int level, int64_t q, int64_t end, const char *from, const char *after)
{
    const tl_plan *p = st->plan;
    const tl_loop *l = p->loop + level;
    if (level > p->round && !p->follows)
        return;
    st->after = q + 1 < end ? from + tl_from(l, q + 1) : after;
    if (level != p->round)
        return;
    if (st->last > st->next)
        tl_fetch(st->next, tl_least(st->last - st->next, TL_MOST_LEFT));
    st->round = p->sweeps && st->after ? st->after : from + tl_from(l, q) + p->ahead, st->pieces = 0;
    tl_begin_piece(st);
}

/* Counts bytes that were fetched of a piece of a round: the next one begins where it ends. */
static inline void tl_count_fetched(tl_state *st, int64_t bytes)
{
    st->next += bytes;
    if (st->next >= st->last && st->plan->sweeps && st->pieces < st->plan->v.n)
        tl_begin_piece(st);
}

/* tl_walk_steady by a kernel of tl_steady_near.h, with which no leaf goes on where another ended. What is fetched goes on from call to call, as long
 * as the source does. */
static inline void tl_walk_near(tl_state *st, tl_steady near, const tl_loop *l, int64_t begin, const char *from, char *to, int64_t count,
                                int64_t laps, int64_t nu, int64_t nv, int64_t last)
{
    const tl_plan *p = st->plan;
    const char *f = from + tl_from(l, begin);
    if ((uintptr_t)st->next - (uintptr_t)f > (uintptr_t)(2 * p->onward))
        st->next = f + p->onward;
    tl_leaves leaves = {.from = f, .to = to, .from_step = l->from, .to_step = l->to, .count = count * laps, .lap = count, .left = count,
                        .at = l->at ? l->at + begin : NULL, .next = st->next, .rows = nu, .nv = nv, .there = nu * p->width,
                        .last = last * p->width, .fill = st->fill};
    if (laps > 1)
        leaves.from_lap = l[-1].from - count * l->from, leaves.to_lap = l[-1].to - count * l->to;
    near(p, &leaves);
    st->next += leaves.count * nu * nv * p->width;
}

/* Moves `count` leaves, from that of iteration `begin` on, by a steady kernel, in so many laps, which are iterations of the loop around this one.
 * Of each, the first nu elements of u and nv of v exist: `partly` moves these alone, `ended` fills up the others, and any other kernel is given
 * whole leaves. Of the last one of each lap, `last` elements of u exist, which only those of tl_steady_near.h take to be fewer than nu. */
static inline void tl_walk_steady(tl_state *st, tl_steady steady, const tl_loop *l, int64_t begin, const char *from, char *to,
                                  int64_t count, int64_t laps, int64_t nu, int64_t nv, int64_t last)
{
    const tl_plan *p = st->plan, *leaf = st->leaf;
    if (p->onward) {
        tl_walk_near(st, steady, l, begin, from, to, count, laps, nu, nv, last);
        return;
    }
    int is_fused = p->fused && steady == p->steady, is_aside = leaf != p && !is_fused, in_turn = p->banks > 1;
    int is_part = steady == leaf->partly;
    int64_t row = tl_row_of(p, nu, nv), there = is_part && p->move != tl_run && nu < p->u.n ? nu : leaf->u.n;
    int64_t stretch = is_part && row < tl_row_bytes(p) ? row : leaf->chain * tl_row_bytes(leaf);
    int64_t rows = there < leaf->u.n ? there : tl_rows(leaf);
    int64_t size = nu * nv * p->width, bank_step = in_turn ? tl_chains(leaf) * TL_LINE : 0;
    int64_t from_lap = 0, to_lap = 0, lapped = 0;
    if (laps > 1)
        from_lap = l[-1].from - count * l->from, to_lap = l[-1].to - count * l->to, lapped = (laps - 1) * l[-1].to;
    for (int64_t q = begin, together; q < begin + count; q += together, to += together * l->to) {
        together = is_aside ? 1 : begin + count - q;
        if (p->sweeps && st->last > st->next)
            together = tl_least(together, tl_ceil_div(st->last - st->next, size));
        int64_t banks = in_turn ? together : 1;
        tl_bank *bank = in_turn ? st->banks + q : st->banks;
        int goes_on = tl_all_go_on(bank, banks, rows, to, l->to);
        for (int64_t k = 0; k < banks && !goes_on; k++)
            tl_begin_rows(leaf, bank + k, rows, to + k * l->to);
        const char *f = from + tl_from(l, q);
        if (is_aside)
            f = tl_set_aside(st, f, p->u.n, p->v.n, 0);
        const char *after = q + together < l->n ? from + tl_from(l, q + together) : st->after;
        tl_leaves leaves = {.from = f, .after = after, .to = to, .from_step = l->from, .to_step = l->to, .count = together * laps,
                            .lap = together, .left = together, .from_lap = from_lap, .to_lap = to_lap,
                            .at = l->at ? l->at + q : NULL, .next = st->next,
                            .rows = there, .nv = nv < p->v.n ? nv : leaf->v.n, .way = leaf->way, .there = nu * leaf->width,
                            .fill = st->fill, .on = goes_on, .carry = bank->carry, .bank_step = bank_step,
                            .room = st->room, .sums = &st->aside.sums};
        int64_t waiting = steady(is_fused ? p : leaf, &leaves) ? rows : 0;
        if (st->next)
            tl_count_fetched(st, together * size);
        for (int64_t k = 0; k < banks; k++)
            bank[k].waiting = waiting, bank[k].next = to + lapped + (in_turn ? k : together - 1) * l->to + stretch;
    }
}

/* Whether iterations of the loop around the innermost one are laps: leaves, or turns of them, go on as far as these go, a whole number of lines
 * each, and nothing has to be done in between. */
static inline int tl_are_laps(const tl_state *st, const tl_loop *l)
{
    const tl_plan *p = st->plan;
    if (p->onward)
        return st->leaf == p && !l[1].at;
    int64_t lap = p->banks > 1 ? p->chain * tl_row_bytes(p) : l[1].n * l[1].to;
    return l->to == lap && lap % TL_LINE == 0 && st->leaf == p && p->round < 0 && !l[1].at;
}

/* The kernel of tl_steady_near.h for leaves of which a part exists, or NULL. */
static inline tl_steady tl_near_part(const tl_state *st) { return st->fill ? st->plan->ended : st->plan->partly; }

/* How much of u the last leaf of each lap may lack: all that is there counts where a kernel takes it with the others, else whole leaves do. */
static inline int64_t tl_last_of(const tl_state *st, const tl_loop *inner)
{
    const tl_side *u = &st->plan->u;
    if (!st->plan->onward || !st->plan->ended || inner->axis < 0 || inner->axis != u->axis)
        return u->n;
    int64_t left = st->left[u->axis] - (inner->n - 1) * inner->divisor;
    return left > 0 ? tl_least(u->n, tl_valid(left, u->divisor, u->n) * u->each) : u->n;
}

/* Does iterations of the loop around the innermost one, as long as all leaves inside are whole and a steady kernel takes them; how many. */
static inline int64_t tl_walk_rounds(tl_state *st, int level, int64_t begin, int64_t end, const char *from, char *to)
{
    const tl_loop *l = st->plan->loop + level, *inner = l + 1;
    const char *after = st->after;
    int64_t nu = st->plan->u.n, nv = st->plan->v.n, last = tl_last_of(st, inner), q = begin;
    int64_t count = inner->cuts || l->cuts == TL_INNERMOST ? 0 : tl_count_whole(st, level, begin, end, last, nv);
    for (int64_t laps; q < begin + count; q += laps) {
        char *there = to + q * l->to;
        tl_steady steady = last < nu ? tl_near_part(st) : tl_taking(st->leaf, there, inner->to);
        if (!steady)
            break;
        laps = tl_are_laps(st, l) ? begin + count - q : 1;
        tl_begin_round(st, level, q + laps - 1, end, from, after);
        tl_walk_steady(st, steady, inner, 0, from + tl_from(l, q), there, st->there[TL_INNERMOST], laps, nu, nv, last);
    }
    st->after = after;
    return q - begin;
}

/* Whether leaves that all lack the same elements are moved together, by `ended`; `steady` is the kernel for whole ones. */
static inline int tl_are_ended(const tl_state *st, const tl_loop *l, tl_steady steady)
{
    const tl_plan *p = st->plan;
    if (!steady || !p->ended || st->leaf != p || !st->fill)
        return 0;
    return p->move == tl_run || (steady == p->steady && st->whole.row && !l->cuts);
}

/* The kernel for leaves of which all have the first nu of u and nv of v: filled up, or as they are; or NULL. Parts of rows are moved as they are
 * only of leaves that take turns, and of less than a line only if whole ones have several, and all go on where they ended. */
static inline tl_steady tl_taking_parts(const tl_state *st, const tl_loop *l, tl_steady steady, int64_t begin, int64_t end, int64_t nu,
                                        int64_t nv, const char *to)
{
    const tl_plan *p = st->plan;
    int64_t row = tl_row_of(p, nu, nv), rows = tl_rows_of(p, nu, nv), whole = tl_row_bytes(p);
    if (p->onward)
        return nu && nv ? tl_near_part(st) : NULL;
    if (!nu || !nv || (nu < p->u.n && l->axis == p->u.axis) || (nv < p->v.n && l->axis == p->v.axis))
        return NULL;
    if (p->move == tl_run && rows < tl_rows(p))
        return NULL;
    if (tl_are_ended(st, l, steady))
        return p->ended;
    if (row < whole && (p->banks == 1 || (row < TL_LINE && (whole == TL_LINE || !tl_all_go_on(st->banks + begin, end - begin, rows, to, l->to)))))
        return NULL;
    return st->leaf == p && !st->fill && tl_takes_part(p, nu, nv) ? p->partly : NULL;
}

/* Does iterations of the innermost loop from `begin` on, as long as leaves are whole, or all lack the same elements; how many. */
static inline int64_t tl_walk_whole(tl_state *st, int level, int64_t begin, int64_t end, const char *from, char *to)
{
    const tl_plan *p = st->plan;
    const tl_loop *l = p->loop + level;
    tl_steady steady = tl_taking(st->leaf, to, l->to);
    if (!steady && (p->past || tl_is_shared(p) || p->order))
        return 0;
    int64_t nu = p->u.n, nv = p->v.n, count = tl_count_whole(st, level, begin, end, nu, nv);
    to += begin * l->to;
    if (!count) {
        int64_t there_u = tl_there(st, &p->u, nu), there_v = tl_there(st, &p->v, nv);
        tl_steady parts = tl_taking_parts(st, l, steady, begin, end, there_u, there_v, to);
        if (parts) {
            nu = there_u, nv = there_v, steady = parts;
            count = tl_count_whole(st, level, begin, end, nu, nv);
        }
    }
    if (steady)
        tl_walk_steady(st, steady, l, begin, from, to, count, 1, nu, nv, nu);
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
    const char *after = st->after;
    int64_t inside = padding ? 0 : l->n;
    int64_t was = 0;
    if (!padding && l->axis >= 0) {
        was = st->left[l->axis];
        inside = tl_valid(was, l->divisor, l->n);
        st->left[l->axis] = was - begin * l->divisor;
    }
    if (!st->fill)
        end = tl_least(end, inside);
    if (level + 2 >= p->depth && !padding && !tl_is_parted(st, level)) {
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
        tl_begin_round(st, level, q, end, from, after);
        tl_inside(st, level, hole ? from : from + tl_from(l, q), to + q * l->to, hole);
        if (!padding && l->axis >= 0)
            st->left[l->axis] -= l->divisor;
    }
    st->after = after;
    if (!padding && l->axis >= 0)
        st->left[l->axis] = was;
}

/* Bytes that a plan needs to run: for what is left of its axes, its banks and a line for each of their chains, rows aside, and if it streams
 * the scratch and where rows of it begin. Where the scratch holds a panel, that takes the bytes of the rows, and those of up to 2 * TL_LINE
 * rows more, which lie between its parts. */
static inline int64_t tl_scratch_rows(const tl_plan *p) { return !p->past ? 0 : p->move == tl_run ? 1 : p->strip; }
static inline int64_t tl_scratch_bytes(const tl_plan *leaf, int64_t rows)
{
    int64_t bytes = (rows + (leaf->move == tl_run ? 1 : 2) * TL_LINE) * tl_pitch(leaf);
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
#define TL_LITTLE_WORDS 1
#else
#define TL_LITTLE_WORDS 0x800
#endif

/* Iterations begin .. end-1 of a loop and of those inside that threads share, counted as one: whole ones of the first in one go. What part of
 * the loop around this one is at hand stays as it is, as tl_walk_lines may come to it more than once. */
static void tl_walk_shared(tl_state *st, int level, int64_t begin, int64_t end, const char *from, char *to, int padding)
{
    int64_t inside = tl_shared_inside(st->plan, level), done, around_begin = st->begin, around_end = st->end;
    for (; begin < end; begin += done) {
        int64_t q = begin / inside, whole = begin % inside ? 0 : (end - begin) / inside;
        st->begin = begin % inside;
        st->end = whole ? inside : tl_least(inside, st->begin + end - begin);
        done = whole ? whole * inside : st->end - st->begin;
        tl_walk(st, level, q, q + (whole ? whole : 1), from, to, padding);
    }
    st->begin = around_begin, st->end = around_end;
}

/* Iterations begin .. end-1 of the loops that threads share (0 and 1 where there are none), in tl_room bytes. Whether all
 * elements that were joined fit in their bits, as far as that is asked. */
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
            at[r] = tl_place_in_chains(p, r) * pitch;
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
        tl_walk_shared(&st, 0, begin, end, from, to, 0);
    else
        tl_leaf(&st, from, to, 0);
    for (int64_t k = 0; k < p->banks; k++)
        tl_settle(st.leaf, st.banks + k);
    if (p->past)
        tl_fence();
    return st.aside.sums >> p->sharing.bits == 0;
}

/* Sets the kernels of a plan that has everything else. */
static inline void tl_choose_kernels(tl_plan *p, enum tl_kernel kernel)
{
    int shares = p->sharing.bits < 8;
    p->copy = tl_copy, p->room = tl_room;
    p->move = tl_choose(p, kernel); /* tl_of_bytes asks whether that is a run */
    tl_plan of_bytes = tl_of_bytes(p);
    p->move = of_bytes.move = tl_choose(&of_bytes, kernel);
    p->spacing = TL_MASKED && TL_IS(kernel, TL_RUN) && !shares ? tl_new_spacing(p) : NULL;
    p->lines = shares ? NULL : tl_choose_lines(p, kernel);
    tl_steady near = tl_choose_near(p, kernel);
    if (near) {
        p->steady = p->loose = near, p->ended = TL_IS(kernel, TL_UNZIP) ? NULL : near, p->partly = TL_IS(kernel, TL_ZIP) ? NULL : near;
        return;
    }
    p->onward = 0;
    p->steady = tl_choose_fused(p, &of_bytes, kernel);
    p->fused = p->steady != NULL;
    if (p->fused) {
        p->loose = tl_choose_fused_loose(p, &of_bytes, kernel);
        return;
    }
    p->steady = tl_choose_steady(&of_bytes, kernel), p->loose = tl_choose_loose(&of_bytes, kernel);
    p->along = tl_choose_along(&of_bytes, kernel);
    p->fused = p->order && tl_orders(p->steady);
    p->ended = tl_choose_ended(p, kernel);
    p->partly = tl_choose_partly(p, kernel);
}

/* How many rows are zipped, or unzipped; or 0. */
static inline int64_t tl_narrow(const tl_plan *p, enum tl_kernel kernel) { return kernel == TL_ZIP ? p->v.n : kernel == TL_UNZIP ? p->u.n : 0; }

/* Where this is compiled for pairs (pairs.pyx): the same for a plan that takes these, to which they are vectors of 512 bits. Whether any kernel
 * makes lines of its leaves, or in a cache moves them by pairs; else they had better go by way of the scratch with single vectors. */
#if defined(TL_PAIRS) && defined(TL_WIDE)
static inline int tl_choose_pairs(tl_plan *p, enum tl_kernel kernel)
{
    int level = p->level;
    p->level = TL_512;
    tl_choose_kernels(p, kernel);
    int64_t narrow = tl_narrow(p, kernel);
    int takes = tl_is_joined(p) ? p->fused : p->steady || p->loose || p->along || p->lines || (narrow && TL_ACROSS_LINES(p->past));
    if (!takes)
        p->level = level;
    return takes;
}
#elif defined(TL_PAIRS)
static inline int tl_choose_pairs(tl_plan *p, enum tl_kernel kernel) { return (void)p, (void)kernel, 0; }
#endif

/* Whether pairs of vectors of 256 bits do better than single ones: with rows that become tuples, or are made of them; and past the caches with runs
 * of a line or more, of rows that tl_are_close_rows or that tl_are_ordered_at_once, and with transposes, but most of those that tl_reads_short_rows.
 * Such close and ordered rows also do better by pairs than by vectors of 512 bits that put no bytes in order. */
static inline int tl_takes_pairs(const tl_plan *p, enum tl_kernel kernel)
{
#ifdef TL_WIDE
    int64_t narrow = tl_narrow(p, kernel);
    int are_rows = kernel == TL_RUN && (p->order ? p->order->patches && tl_are_ordered_at_once(p) : tl_are_close_rows(p));
    if (p->level >= TL_512)
        return p->past && are_rows && !tl_permutes_bytes(p->level);
    if (p->level != TL_256 || (!p->past && (!narrow || tl_is_shared(p))))
        return 0;
    if (p->order)
        return are_rows;
    if (tl_is_shared(p))
        return 1;
    if (kernel == TL_RUN)
        return p->u.n * p->width >= TL_LINE || are_rows;
    if (p->width & (p->width - 1))
        return 0;
    if (kernel == TL_TRANSPOSE)
        return !tl_reads_short_rows(p) || (p->width == 2 && p->chain == 1);
    return tl_zips(p->width, narrow);
#else
    (void)p, (void)kernel;
    return 0;
#endif
}

#endif
