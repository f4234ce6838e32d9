/* A single leaf that is streamed: written past the caches, line by line, while the tails of its rows are carried on to the next leaf. */
#ifndef TL_STREAMED_LEAF_H
#define TL_STREAMED_LEAF_H

#include "tl_state.h"
#include "tl_steady.h"

/* Chains of rows in a leaf that is streamed, and the bytes between its rows in the scratch, where those of a chain follow each other. */
static inline int64_t tl_chains(const tl_plan *p) { return tl_chains_of(p, tl_rows(p)); }
static inline int64_t tl_pitch(const tl_plan *p) { return p->chain > 1 ? tl_row_bytes(p) : tl_whole_lines(tl_row_bytes(p)); }

/* Write what chains left of their last lines: those from c on, of so many, each of which ends where it would begin if the leaf were at
 * `next`. */
static inline void tl_write_tails(const tl_plan *p, char *next, const char *carry, int64_t c, int64_t chains)
{
    for (int64_t asked = c; c < chains; c++) {
        char *end = next + tl_row_at(p, tl_first_of(p, c));
        asked = tl_ask_for_chains(p, next, asked, tl_least(chains, c + TL_ASKED_CHAINS));
        tl_piece(end - tl_place(end), carry + c * TL_LINE, tl_place(end));
    }
}

/* Write the tails that wait in a bank. */
static inline void tl_settle(const tl_plan *p, tl_bank *bank)
{
    tl_write_tails(p, bank->next, bank->carry, 0, tl_chains_of(p, bank->waiting));
    bank->waiting = 0;
}

/* The same before a leaf of so many rows at `to`; the lines in which its first chains begin are asked for. */
static inline void tl_begin_rows(const tl_plan *p, tl_bank *bank, int64_t rows, const char *to)
{
    tl_settle(p, bank);
    if (p->past)
        tl_ask_for_chains(p, to, 0, tl_least(tl_chains_of(p, rows), TL_ASKED_CHAINS));
}

/* Whether leaves of so many rows, the first at `to` and each `step` behind the last, all go on with the tails of their banks. */
static inline int tl_all_go_on(const tl_bank *bank, int64_t banks, int64_t rows, const char *to, int64_t step)
{
    int64_t k = 0;
    while (k < banks && bank[k].waiting == rows && bank[k].next == to + k * step)
        k++;
    return k == banks;
}

/* Whether a leaf of so many rows at `to` goes on with the tails of a bank; else these are written. */
static inline int tl_goes_on(const tl_plan *p, tl_bank *bank, int64_t rows, const char *to)
{
    if (tl_all_go_on(bank, 1, rows, to, 0))
        return 1;
    tl_begin_rows(p, bank, rows, to);
    return 0;
}

/* The leaf at hand alone, as a steady kernel takes leaves: nu x nv elements of it exist. Field by field, as what sets many to 0 at once may wait
 * for all stores before it. */
static TL_ALWAYS_INLINE void tl_set_one_leaf(tl_leaves *leaf, const tl_state *st, const tl_plan *p, const char *from, char *to, int64_t nu,
                                             int64_t nv, int goes_on)
{
    leaf->from = from, leaf->to = to, leaf->from_step = 0, leaf->to_step = 0, leaf->count = 1, leaf->at = NULL;
    leaf->lap = 1, leaf->left = 1, leaf->from_lap = 0, leaf->to_lap = 0;
    leaf->rows = p->u.n, leaf->nv = nv, leaf->there = leaf->last = nu * p->width, leaf->fill = st->fill;
    leaf->way = p->way, leaf->next = NULL, leaf->on = goes_on, leaf->carry = st->bank->carry, leaf->bank_step = 0;
    leaf->after = st->after;
    leaf->room = st->room, leaf->sums = NULL;
}

/* Fetch what lies ahead of n rows of a leaf in the source, from row v on, of nu elements each. */
static TL_ALWAYS_INLINE void tl_fetch_rows(const tl_plan *p, const char *from, int64_t nu, int64_t v, int64_t n)
{
    int64_t side = nu * p->width * p->sharing.bits / 8;
    if (n > 1 && p->v.at[v + n - 1] - p->v.at[v] == (n - 1) * side)
        tl_fetch_far(from + p->v.at[v] + p->ahead, n * side);
    else
        for (int64_t k = v; k < v + n; k++)
            tl_fetch_far(from + p->v.at[k] + p->ahead, side);
}

/* What is written of a leaf: `rows` rows of the target, n bytes each. Of these the first `there` rows exist, and the first `bytes` bytes of
 * each, and nv elements of v; the rest is filled. */
typedef struct {
    int64_t rows, there, n, bytes, nv;
} tl_extent;

/* A run: its rows as they are, or, where they are spread, filled up or short, by way of the scratch. Whether tails wait. */
static TL_ALWAYS_INLINE int tl_stream_run(tl_state *st, const tl_plan *p, const char *from, char *to, const tl_extent *e, int goes_on,
                                          tl_append *append)
{
    int waits = 1, on = 1, are_short = p->chain > 1 && e->n < TL_LINE && !tl_is_spread(p);
    int follow = !p->ahead && e->bytes == e->n && !tl_is_spread(p) && tl_follow(p->v.at, e->there, e->n); /* as rows aside may */
    char *carry = st->bank->carry - TL_LINE;
    for (int64_t r = 0, next = 0; r < e->rows; r++) {
        const char *row = from + p->v.at[r];
        if (r == next) {
            waits &= on, on = goes_on;
            next += p->chain, carry += TL_LINE;
        }
        if (follow && r < e->there) {
            int64_t rows = tl_least(next, e->there) - r;
            on = append(to + r * p->v_to, row, rows * e->n, on, carry);
            r += rows - 1;
            continue;
        }
        int64_t together = are_short ? tl_least(next - r, st->room.bytes / e->n) : 0;
        if (together > 1) {
            int64_t there = e->bytes && r < e->there ? tl_least(together, e->there - r) : 0;
            if (there < together || e->bytes < e->n)
                tl_fill(st, st->room.at, together * e->n);
            if (there)
                tl_short_rows(p->v.at + r, p->v_from, e->n, from, st->room.at, there, e->bytes);
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

/* Whether rows r to end - 1 are all of a leaf whose chains are linked: these are written to their ends, and no tails wait. */
static TL_ALWAYS_INLINE int tl_is_all_linked(const tl_plan *p, const tl_extent *e, int64_t r, int64_t end)
{
    return p->link && !r && end == e->rows;
}

/* All chains of a leaf of so many rows, which are at `row`, each followed by those that go on where it ends: of these the last has a tail. */
static TL_ALWAYS_INLINE void tl_stream_linked(const tl_plan *p, char *to, const char *row, int64_t pitch, int64_t rows, char *carry,
                                              tl_append *append)
{
    int64_t bytes = p->chain * tl_row_bytes(p);
    for (int64_t first = 0; first < tl_chains_of(p, rows); first++) {
        if (tl_goes_on_in(p, rows, first - p->link))
            continue;
        int64_t c = first;
        int on = append(to + tl_row_at(p, tl_first_of(p, c)), row + c * p->chain * pitch, bytes, 0, carry);
        while (tl_goes_on_in(p, rows, c)) {
            c += p->link;
            on = append(to + tl_row_at(p, tl_first_of(p, c)), row + c * p->chain * pitch, bytes, on, carry);
        }
        char *end = to + tl_row_at(p, tl_first_of(p, c)) + bytes;
        tl_piece(end - tl_place(end), carry, tl_place(end));
    }
}

/* Rows r to end - 1 of any other leaf, whole chains or a part of one: by way of the scratch. Whether tails wait. */
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
    if (tl_is_all_linked(p, e, r, end)) {
        tl_stream_linked(p, to, row, pitch, end, st->bank->carry, append);
        return 0;
    }
    int waits = 1;
    int64_t done = r % p->chain, n = tl_least(p->chain, end - r);
    for (int64_t c = r / p->chain; c * p->chain < end; c++, row += n * pitch)
        waits &= append(to + tl_row_at(p, tl_first_of(p, c) + done), row, n * e->n, goes_on, st->bank->carry + c * TL_LINE);
    return waits;
}

/* Whole chains of rows, without the scratch where a kernel makes lines of them; whether anything waits behind them. Linked chains leave nothing
 * to another leaf. */
static TL_ALWAYS_INLINE int tl_stream_by(tl_state *st, const tl_plan *p, const char *from, char *to, const tl_extent *e, int goes_on,
                                         tl_store *store, tl_append *append)
{
    if (p->move == tl_run)
        return tl_stream_run(st, p, from, to, e, goes_on, append);
    tl_leaves leaf;
    tl_set_one_leaf(&leaf, st, p, from, to, p->u.n, p->v.n, goes_on);
    if (e->there == e->rows && e->bytes == e->n && tl_takes_part(p, e->there, e->nv)) {
        leaf.rows = e->there, leaf.nv = e->nv;
        return p->partly(p, &leaf);
    }
    int waits = 1;
    int64_t block = TL_LINE / p->width, lines = p->even && e->bytes == tl_row_bytes(p) ? e->there & -block : 0;
    while (lines % (p->hop * p->chain))
        lines -= block;
    tl_steady chains = p->chain > 1 ? tl_taking(p, to, 0) : NULL;
    if (lines && chains) {
        leaf.rows = lines;
        waits = chains(p, &leaf);
    } else if (lines && p->lines && !tl_place(to))
        p->lines(p, from, to, lines, e->nv, st->room, st->after);
    else
        lines = 0;
    for (int64_t r = lines, end, on = goes_on; r < e->rows; r = end) {
        int64_t ends = p->piece < p->chain ? r - r % p->chain + p->chain : e->rows;
        end = tl_least(tl_least(e->rows, ends), r + p->piece);
        on = tl_stream_strip(st, p, from, to, r, end, e, r % p->chain ? (int)on : goes_on, store, append);
        if (end % p->chain == 0)
            waits &= (int)on;
    }
    if (!p->link)
        return waits;
    if (!tl_is_all_linked(p, e, lines, tl_least(e->rows, lines + p->piece)))
        tl_write_tails(p, to + p->chain * e->n, st->bank->carry, tl_chains_of(p, lines), tl_chains_of(p, e->rows));
    return 0;
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

#endif
