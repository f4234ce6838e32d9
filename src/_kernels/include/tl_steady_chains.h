/* Whole leaves of transposes to rows that mostly follow one another, to lines of the target. */
#ifndef TL_STEADY_CHAINS_H
#define TL_STEADY_CHAINS_H

#include "tl_carried.h"

#ifdef TL_WIDE

/* The line in which a chain begins: the bytes `before` the chain are those carried, or, where `carried` is NULL, others' and stay as
 * they are. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_put_first(char *line, __m512i x, const __m512i *carried, __mmask64 before, enum tl_way way)
{
    if (carried)
        tl_put_line(line, _mm512_mask_blend_epi8(before, x, *carried), way);
    else
        _mm512_mask_storeu_epi8(line, ~before, x);
}

/* Bytes of a row at the most, where rows mostly follow one another. */
#define TL_LONGEST_CHAINED 512

/* Where in a page of code the kernel for four bytes begins: half a page behind its beginning. A Zen 5 runs it in 1.2 times a copy there, and in 1.4
 * at the ends of a page, where what comes before it would else put it now and then. Why is not known. */
#define TL_IN_PAGE_1
#define TL_IN_PAGE_2
#define TL_IN_PAGE_4 __attribute__((aligned(4096)))
#define TL_IN_PAGE_8
#define TL_IN_PAGE_16
#define TL_SHIFTED_1
#define TL_SHIFTED_2
#define TL_SHIFTED_4 __asm__ volatile("jmp 1f\n\t.skip 2048, 0xcc\n1:");
#define TL_SHIFTED_8
#define TL_SHIFTED_16

/* How many lines of a row are made before they are written: one, which stays in registers; or all, where pairs of vectors make many together, which
 * do not, and lines of a row are to be written one behind the other. */
#define TL_AT_ONCE(W) (TL_MASKED || !TL_IN_PANEL(W) ? 1 : TL_MOST_TOGETHER(W))

/* What a kernel fetches: nothing, a line ahead of each that it reads, or row by row what comes next (tl_plan.h). */
enum tl_fetching { TL_UNFETCHED, TL_AS_IT_READS, TL_ROW_BY_ROW };
#define TL_CHAINS_BY(W, ALONG, FETCHES, TOGETHER, ORDER)                                                        \
    {                                                                                                           \
        if (!(FETCHES))                                                                                         \
            return tl_chains_##W(p, *given, ALONG, TL_UNFETCHED, TOGETHER, ORDER);                              \
        if (tl_sweeps(p))                                                                                       \
            return tl_chains_##W(p, *given, ALONG, TL_ROW_BY_ROW, TOGETHER, ORDER);                             \
        return tl_chains_##W(p, *given, ALONG, TL_AS_IT_READS, TOGETHER, ORDER);                                \
    }

/* Transposes to rows that mostly follow one another: in chains, or, `along`, as the next leaf goes on with each row.
 *
 * Lines are made as they lie in the target: v is gone through from the first element with which a line begins, the `head` behind the first. The
 * last line of a row is then a seam: behind the last elements of the row come the first ones of what follows it. In a chain that is the row a
 * hop further, whose elements lie `hop` further along u in the same rows of the source; `along`, it is the row of the next leaf. So both are
 * read as rows of the source that begin so much later (v_at). Where nothing follows, a tail is carried: to the chain of this leaf that goes on
 * there, if chains are linked, or else to the next leaf.
 *
 * Panels are those of TL_DEFINE_LINES. What a kernel fetches is known when it is compiled: if it were asked for each line, lines of wide
 * elements would not stay in registers. Pairs of vectors fetch nothing as they write, for that took up to a quarter longer (Zen 3), but `along` as
 * they read. */
#define TL_DEFINE_STEADY_CHAINS(W, B, R)                                                                        \
    /* The first lines of so many rows: the bytes `before` the rows are carried, or stay. */                    \
    TL_BY_512 TL_APART_FROM_CALLERS static void tl_begin_lines_##W(                                             \
        const tl_plan *p, const tl_leaves *s, int64_t rows, int64_t place, const __m512i *carried, __mmask64 before, const __m512i *order)\
    {                                                                                                           \
        __m512i near[16 * B], x[4 * B / R];                                                                     \
        int64_t v_at[4 * B];                                                                                    \
        for (int64_t v = 0; v < 4 * B; v++)                                                                     \
            v_at[v] = p->v.at[v * W < place ? 0 : v - place / W];                                               \
        for (int64_t u = 0; u < rows; u += 4 * B) {                                                             \
            tl_to_panel_##W(v_at, s->from + u * W, 4 * B, 4 * B / R, 4 * B, near, 0, order, 0);                 \
            for (int j = 0; j < R; j++) {                                                                       \
                tl_to_lines_##W(near + j, TL_PART(4 * B, B, R), x);                                             \
                for (int k = 0; k < 4 * B / R; k++) {                                                           \
                    int64_t r = u + TL_ELEMENT_OF(j, k, B, R);                                                  \
                    if (r < rows)                                                                               \
                        tl_put_first(s->to + p->u.at[r] - place, x[k], carried ? carried + r : NULL, before, s->way);\
                }                                                                                               \
            }                                                                                                   \
        }                                                                                                       \
    }                                                                                                           \
    TL_BY_512 static TL_ALWAYS_INLINE int tl_chains_##W(                                                        \
        const tl_plan *p, tl_leaves s, const int along, const enum tl_fetching fetching, const int together, const __m512i *order)\
    {                                                                                                           \
        const int64_t *u_at = p->u.at;                                                                          \
        int64_t nu = s.rows, nv = p->v.n, row = nv * W, place = tl_place(s.to), head = place ? TL_LINE - place : 0;\
        int64_t whole = nv - head / W, hop = p->hop, v_at[TL_LONGEST_CHAINED / W];                              \
        const int is_one = !along && hop == 1 && p->chain >= nu; /* then rows are a row apart, and no table is read (tl_starts) */\
        const int in_panel = TL_IS_NARROW(W) || (TL_IN_PANEL(W) && together > 1);                               \
        __m512i near[16 * B], *panel = in_panel ? (__m512i *)s.room.at : near, *carried = (__m512i *)s.carry, tails[4 * B];\
        int64_t ahead = in_panel && !TL_MASKED && along ? p->ahead : 0;                                         \
        tl_turn t = tl_turn_to(place, s.way);                                                                   \
        for (int64_t q = 0, begins = 1, on = s.on && !p->link; q < s.count; tl_next(&s, q++)) {                 \
            int follows = s.to_step == p->chain * row, goes_on = along && follows && q + 1 < s.count;           \
            int64_t seam = !along ? hop * W : !goes_on ? 0 : tl_from_step(&s, q);                               \
            for (int64_t v = 0; v < nv; v++)                                                                    \
                v_at[v] = v < whole ? p->v.at[v + head / W] : p->v.at[v - whole] + seam;                        \
            if (place && begins)                                                                                \
                tl_begin_lines_##W(p, &s, along ? nu : hop, place, on ? carried : NULL, t.before, order);       \
            tl_coming next = tl_coming_of(p, s.from, tl_behind(&s, q));                                         \
            int64_t first = in_panel ? 0 : tl_head_of(p->v.at, s.from, nu, nv, W);                              \
            for (int64_t b = 0, lines; b < row; b += lines * TL_LINE) {                                         \
                lines = tl_together_of((row - b) / TL_LINE, together);                                          \
                int64_t most = in_panel ? TL_MOST_IN(s.room, lines, B) : 4 * B;                                 \
                for (int64_t u0 = 0, n, done = 0; u0 < nu; done = u0 + n, u0 = tl_after(u0, n, nu, first)) {    \
                    n = !in_panel || nu - u0 > most ? most : nu - u0;                                           \
                    int64_t there = along ? nv : whole - b / W, behind = u0 + n + hop - nu;                     \
                    tl_to_panel_##W(v_at + b / W, s.from + u0 * W, n, (int)lines * 4 * B / R, there, panel, ahead, order, behind);\
                    for (int64_t u = 0; u < n; u += 4 * B) {                                                    \
                        int64_t ended = 0, chain[4 * B];                                                        \
                        for (int j = 0; j < R; j++)                                                             \
                            for (int64_t first_line = 0, n_lines; first_line < lines; first_line += n_lines) {  \
                                int64_t pitch = TL_PART(n, B, R);                                               \
                                __m512i x[TL_AT_ONCE(W)][4 * B / R];                                            \
                                n_lines = TL_AT_ONCE(W) == 1 ? 1 : lines;                                       \
                                tl_all_lines_##W(panel + first_line * 4 * B / R * pitch + u * R / (4 * B) + j, pitch, n_lines, x);\
                                TL_UNROLL                                                                       \
                                for (int k = 0; k < 4 * B / R; k++)                                             \
                                    for (int64_t l = 0; l < n_lines; l++) {                                     \
                                        int64_t at = b + (first_line + l) * TL_LINE;                            \
                                        int64_t r = u0 + u + TL_ELEMENT_OF(j, k, B, R);                         \
                                        int64_t made = (j * lines + first_line + l) * (4 * B / R) + k;          \
                                        __m512i line = x[l][k];                                                 \
                                        if (r < done)                                                           \
                                            continue;                                                           \
                                        if (fetching == TL_ROW_BY_ROW)                                          \
                                            tl_fetch_coming(&next);                                             \
                                        if (fetching == TL_AS_IT_READS)                                         \
                                            tl_fetch_far(s.from + (u0 + u) * W + p->v.at[b / W + made] + p->ahead, 1);\
                                        if (!place || at + TL_LINE < row                                        \
                                            || (along ? goes_on : r + hop < nu && (is_one || u_at[r + hop] == u_at[r] + row))) {\
                                            tl_put_line(s.to + head + (is_one ? r * row : u_at[r]) + at, line, s.way);\
                                            continue;                                                           \
                                        }                                                                       \
                                        int64_t c = along ? r : tl_chain_of(p, r);                              \
                                        if (!along && r + hop < nu) {                                           \
                                            int is_on = on || tl_goes_on_in(p, nu, c + hop - p->link);          \
                                            tl_put_first(s.to - place + u_at[r + hop], line, is_on ? carried + c + hop : NULL, t.before, s.way);\
                                        }                                                                       \
                                        if (!p->link)                                                           \
                                            chain[ended] = c, tails[ended++] = line;                            \
                                        else if (tl_goes_on_in(p, nu, c))                                       \
                                            carried[c + p->link] = line;                                        \
                                        else                                                                    \
                                            _mm512_mask_storeu_epi8(s.to - place + u_at[r] + row, t.before, line);\
                                    }                                                                           \
                            }                                                                                   \
                        for (int64_t k = 0; k < ended; k++)                                                     \
                            carried[chain[k]] = tails[k];                                                       \
                    }                                                                                           \
                }                                                                                               \
            }                                                                                                   \
            begins = !goes_on, on = follows && !p->link;                                                        \
            if (!on && !p->link && q + 1 < s.count)                                                             \
                tl_emit_rests(p, nu, s.to + p->chain * row, s.carry);                                           \
        }                                                                                                       \
        return place && !p->link;                                                                               \
    }                                                                                                           \
    TL_BY_512 TL_IN_PAGE_##W static int tl_steady_chains_##W(const tl_plan *p, const tl_leaves *given)          \
    {                                                                                                           \
        TL_SHIFTED_##W                                                                                          \
        const int is_paired = TL_IS_NARROW(W) || p->v.n * W >= (TL_IN_PANEL(W) ? 2 * TL_LINE : TL_PAIRED);      \
        const int fetches = TL_MASKED && p->ahead && (is_paired || tl_place(given->to) || !p->by_lines);        \
        __m512i order;                                                                                          \
        if (TL_MASKED && p->order && !TL_IS_NARROW(W)) {                                                        \
            order = tl_order_512(p->order);                                                                     \
            if (is_paired)                                                                                      \
                TL_CHAINS_BY(W, 0, fetches, 2, &order)                                                          \
            TL_CHAINS_BY(W, 0, fetches, 1, &order)                                                              \
        }                                                                                                       \
        if (is_paired)                                                                                          \
            TL_CHAINS_BY(W, 0, fetches, TL_MOST_TOGETHER(W), NULL)                                              \
        TL_CHAINS_BY(W, 0, fetches, 1, NULL)                                                                    \
    }                                                                                                           \
    TL_BY_512 static int tl_steady_along_##W(const tl_plan *p, const tl_leaves *given)                          \
    {                                                                                                           \
        TL_CHAINS_BY(W, 1, TL_MASKED && p->ahead, TL_MOST_TOGETHER(W), NULL)                                    \
    }
TL_DEFINE_STEADY_CHAINS(1, 16, 8)
TL_DEFINE_STEADY_CHAINS(2, 8, 8)
TL_DEFINE_STEADY_CHAINS(4, 4, 4)
TL_DEFINE_STEADY_CHAINS(8, 2, 2)
TL_DEFINE_STEADY_CHAINS(16, 1, 1)
#endif

#endif
