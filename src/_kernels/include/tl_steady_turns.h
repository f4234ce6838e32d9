/* Whole leaves of transposes to rows that are each carried on, from registers or by way of a panel. */
#ifndef TL_STEADY_TURNS_H
#define TL_STEADY_TURNS_H

#include "tl_carried.h"

#ifdef TL_WIDE

/* Whether all rows of a transpose begin a whole number of four bytes behind a line, in each of the leaves. */
static inline int tl_are_words(const tl_plan *p, const tl_leaves *s)
{
    int64_t places = (int64_t)(uintptr_t)s->to | s->to_step;
    for (int64_t u = 0; u < p->u.n; u++)
        places |= p->u.at[u];
    return places % 4 == 0;
}

/* Transposes to rows of whole lines, each apart: within lanes, and then lanes against lanes, as in TL_DEFINE_LINES. Two lines of a row are
 * written together, for lines that each are far from the last take longer. Where rows do not lie alike in their lines, each has a turn of its
 * own. */
#define TL_DEFINE_STEADY_TURN(W, B, STAGES, SI)                                                                 \
    /* So many lines of 4 * B rows, from the elements at u and v on. */                                         \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_turn_block_##W(                                                   \
        const tl_plan *p, const tl_leaves s, int64_t u, int64_t v, int on, const int lines, const tl_turn *alike, tl_coming *next,\
        const enum tl_steps steps)                                                                              \
    {                                                                                                           \
        __m512i panel[2][4 * B];                                                                                \
        const int64_t *v_at = p->v.at + v, ahead = p->ahead;                                                    \
        for (int l = 0; l < lines; l++, v_at += 4 * B)                                                          \
            TL_UNROLL                                                                                           \
            for (int g = 0; g < 4; g++) {                                                                       \
                __m512i a[B], b[B];                                                                             \
                for (int j = 0; j < B; j++) {                                                                   \
                    const char *f = s.from + u * W + v_at[g * B + j];                                           \
                    a[j] = _mm512_loadu_si512((const void *)f);                                                 \
                }                                                                                               \
                TL_LADDER(_mm512, B, STAGES, SI)                                                                \
                TL_UNROLL                                                                                       \
                for (int j = 0; j < B; j++)                                                                     \
                    panel[l][4 * j + g] = a[j];                                                                 \
            }                                                                                                   \
        v_at = p->v.at + v;                                                                                     \
        for (int j = 0; j < B; j++) {                                                                           \
            for (int l = 0; l < lines; l++)                                                                     \
                tl_turn_lanes(panel[l] + 4 * j);                                                                \
            for (int lane = 0; lane < 4; lane++) {                                                              \
                int64_t row = u + lane * B + j;                                                                 \
                for (int l = 0; l < lines; l++)                                                                 \
                    if (next)                                                                                   \
                        tl_fetch_coming(next);                                                                  \
                    else                                                                                        \
                        tl_fetch_ahead(ahead, s.from + u * W + v_at[4 * (l * B + j) + lane]);                   \
                tl_emit_row(s.to + p->u.at[row] + v * W, panel[0] + 4 * j + lane, 4 * B, lines, s.carry + row * TL_LINE, on, alike,\
                            steps);                                                                             \
            }                                                                                                   \
        }                                                                                                       \
    }                                                                                                           \
    TL_BY_512 static TL_ALWAYS_INLINE int tl_turn_leaves_by_##W(                                                \
        const tl_plan *p, tl_leaves s, const int sweeps, const int alike, const enum tl_steps steps)            \
    {                                                                                                           \
        int on = s.on;                                                                                          \
        int64_t nu = p->u.n, nv = p->v.n;                                                                       \
        tl_turn t = tl_turn_to(tl_place(s.to), TL_PAST), *turn = alike ? &t : NULL;                             \
        for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {                                                    \
            tl_coming coming = tl_coming_of(p, s.from, tl_behind(&s, q)), *next = sweeps ? &coming : NULL;      \
            for (int64_t v = 0, n; v < nv; v += n, on = 1) {                                                    \
                n = !TL_IS_NARROW(W) && nv - v > 4 * B ? 8 * B : 4 * B;                                         \
                for (int64_t u = 0; u < nu; u += 4 * B) {                                                       \
                    if (!on)                                                                                    \
                        tl_ask_for_chains(p, s.to + v * W, u + 4 * B, tl_least(nu, u + 8 * B));                 \
                    if (n > 4 * B)                                                                              \
                        tl_turn_block_##W(p, s, u, v, on, 2, turn, next, steps);                                \
                    else                                                                                        \
                        tl_turn_block_##W(p, s, u, v, on, 1, turn, next, steps);                                \
                }                                                                                               \
            }                                                                                                   \
            if (!tl_turns(&s, &on) && !(on = s.to_step == nv * W) && q + 1 < s.count)                           \
                tl_emit_rests(p, nu, s.to + nv * W, s.carry);                                                   \
        }                                                                                                       \
        return 1;                                                                                               \
    }                                                                                                           \
    TL_BY_512 static TL_ALWAYS_INLINE int tl_turn_leaves_##W(                                                   \
        const tl_plan *p, const tl_leaves s, const int alike, const enum tl_steps steps)                        \
    {                                                                                                           \
        return tl_sweeps(p) ? tl_turn_leaves_by_##W(p, s, 1, alike, steps) : tl_turn_leaves_by_##W(p, s, 0, alike, steps);\
    }                                                                                                           \
    TL_BY_512 static int tl_steady_turn_##W(const tl_plan *p, const tl_leaves *given)                           \
    {                                                                                                           \
        return tl_turn_leaves_##W(p, *given, 1, TL_WORDS);                                                      \
    }                                                                                                           \
    TL_BY_512 static int tl_steady_turn_any_##W(const tl_plan *p, const tl_leaves *given)                       \
    {                                                                                                           \
        if (W >= 4 && tl_are_words(p, given))                                                                   \
            return tl_turn_leaves_##W(p, *given, 0, TL_WORDS);                                                  \
        return tl_turns_bytes(p->level) ? tl_turn_leaves_##W(p, *given, 0, TL_BYTES) : tl_turn_leaves_##W(p, *given, 0, TL_BITS);\
    }
TL_DEFINE_STEADY_TURN(1, 16, 4, 8)
TL_DEFINE_STEADY_TURN(2, 8, 3, 16)
TL_DEFINE_STEADY_TURN(4, 4, 2, 32)
TL_DEFINE_STEADY_TURN(8, 2, 1, 64)
TL_DEFINE_STEADY_TURN(16, 1, 0, 64)

/* Elements of u that a panel holds in turn: as many as there is room for, and at last a line, some of which may have been moved before. */
#define TL_PANEL_OF(LINE, MOST, LEFT) ((LEFT) < (LINE) ? (LINE) : (LEFT) < (MOST) ? (LEFT) - (LEFT) % (LINE) : (MOST))

/* Transposes by way of a panel, to rows that begin anywhere in a line, each carried on: of narrow elements, and of bytes that elements share across
 * rows, spread to so many `bits` or joined from so many; and by pairs of vectors, to rows that lie alike in their lines. */
#define TL_DEFINE_PANEL_LEAVES(W, B, R)                                                                         \
    /* So many lines from v on of the n rows from u on, but for those before `done`. */                         \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_emit_panel_##W(                                                   \
        const tl_plan *p, const tl_leaves *s, int64_t u, int64_t n, int64_t done, int64_t v, int on, const __m512i *panel,\
        const int64_t together, tl_coming *next, const tl_turn *alike, const int bits, const int joined, const enum tl_steps steps)\
    {                                                                                                           \
        const int per = 8 / bits;                                                                               \
        __m512i half = _mm512_set1_epi8((char)tl_half(bits, p->sharing.sign));                                  \
        int64_t pitch = TL_PART(n, B, R);                                                                       \
        for (int64_t b = 0; b < n; b += 4 * B) {                                                                \
            if (!on)                                                                                            \
                tl_ask_for_chains(p, s->to + v * W, (u + b + 4 * B) * per, tl_least(u + n, u + b + 8 * B) * per);\
            for (int j = 0; j < R; j++) {                                                                       \
                __m512i x[TL_MOST_TOGETHER(W)][4 * B / R];                                                      \
                tl_all_lines_##W(panel + b * R / (4 * B) + j, pitch, together, x);                              \
                TL_ROLLED                                                                                       \
                for (int k = 0; k < 4 * B / R; k++) {                                                           \
                    int64_t row = u + b + TL_ELEMENT_OF(j, k, B, R);                                            \
                    if (row < done)                                                                             \
                        continue;                                                                               \
                    for (int l = 0; l < together * 8 / joined; l++)                                             \
                        if (next)                                                                               \
                            tl_fetch_coming(next);                                                              \
                    for (int e = 0; e < per; e++) {                                                             \
                        int64_t own = row * per + e;                                                            \
                        char *to = s->to + p->u.at[own] + v * W, *carried = s->carry + own * TL_LINE;           \
                        __m512i line[TL_MOST_TOGETHER(W)];                                                      \
                        for (int64_t l = 0; l < together && bits < 8; l++)                                      \
                            line[l] = tl_own_bits(x[l][k], e * bits, bits, half);                               \
                        if (bits < 8)                                                                           \
                            tl_emit_row(to, line, 1, (int)together, carried, on, alike, steps);                 \
                        else                                                                                    \
                            tl_emit_row(to, x[0] + k, 4 * B / R, (int)together, carried, on, alike, steps);     \
                    }                                                                                           \
                }                                                                                               \
            }                                                                                                   \
        }                                                                                                       \
    }                                                                                                           \
    TL_BY_512 static TL_ALWAYS_INLINE int tl_panel_leaves_##W(                                                  \
        const tl_plan *p, tl_leaves s, const int is_alike, const int bits, const int joined, const enum tl_steps steps)\
    {                                                                                                           \
        int on = s.on;                                                                                          \
        tl_turn t = tl_turn_by(tl_place(s.to), TL_PAST, steps);                                                 \
        const tl_turn *alike = is_alike ? &t : NULL;                                                            \
        int64_t nu = s.rows * bits / 8, nv = p->v.n * joined / 8;                                               \
        __m512i seen = _mm512_setzero_si512(), half = _mm512_set1_epi8((char)tl_half(joined, p->sharing.sign)); \
        __m512i *panel = (__m512i *)s.room.at;                                                                  \
        for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {                                                    \
            tl_coming coming = tl_coming_of(p, s.from, tl_behind(&s, q)), *next = coming.line ? &coming : NULL; \
            if (bits < 8 && next)                                                                               \
                coming.bytes = nu, coming.end = coming.line + nu;                                               \
            int64_t ahead = next ? 0 : p->ahead;                                                                \
            for (int64_t v = 0, lines; v < nv; v += lines * 4 * B, on = 1) {                                    \
                lines = tl_together_of((nv - v) / (4 * B), TL_MOST_TOGETHER(W));                                \
                int64_t most = TL_MOST_IN(s.room, lines, B);                                                    \
                for (int64_t done = 0, n, u; done < nu; done = u + n) {                                         \
                    n = TL_PANEL_OF(4 * B, most, nu - done), u = tl_least(done, nu - n);                        \
                    const int64_t *at = p->v.at + v * 8 / joined;                                               \
                    int parts = (int)lines * 4 * B / R;                                                         \
                    if (joined < 8)                                                                             \
                        tl_join_to_panel_##W(at, s.from + u * W, n, parts, panel, ahead, joined, half, &seen);  \
                    else                                                                                        \
                        tl_to_panel_##W(at, s.from + u * W, n, parts, lines * 4 * B, panel, ahead, NULL, 0);    \
                    if (lines == 1)                                                                             \
                        tl_emit_panel_##W(p, &s, u, n, done, v, on, panel, 1, next, alike, bits, joined, steps);\
                    else if (lines == 2 || TL_MOST_TOGETHER(W) == 2)                                            \
                        tl_emit_panel_##W(p, &s, u, n, done, v, on, panel, 2, next, alike, bits, joined, steps);\
                    else                                                                                        \
                        tl_emit_panel_##W(p, &s, u, n, done, v, on, panel, lines, next, alike, bits, joined, steps);\
                }                                                                                               \
            }                                                                                                   \
            if (!(on = s.to_step == nv * W) && q + 1 < s.count)                                                 \
                tl_emit_rests(p, s.rows, s.to + nv * W, s.carry);                                               \
        }                                                                                                       \
        if (joined < 8)                                                                                         \
            *s.sums |= tl_bytes_between(seen);                                                                  \
        return 1;                                                                                               \
    }
#define TL_DEFINE_STEADY_PANEL_ANY(W)                                                                           \
    TL_BY_512 static int tl_steady_panel_any_##W(const tl_plan *p, const tl_leaves *given)                      \
    {                                                                                                           \
        if (tl_turns_bytes(p->level))                                                                           \
            return tl_panel_leaves_##W(p, *given, 0, 8, 8, TL_BYTES);                                           \
        return tl_panel_leaves_##W(p, *given, 0, 8, 8, TL_BITS);                                                \
    }
#define TL_DEFINE_STEADY_PANEL(W)                                                                               \
    TL_BY_512 static int tl_steady_panel_##W(const tl_plan *p, const tl_leaves *given)                          \
    {                                                                                                           \
        return tl_panel_leaves_##W(p, *given, 1, 8, 8, TL_WORDS);                                               \
    }
TL_DEFINE_PANEL_LEAVES(1, 16, 8)
TL_DEFINE_PANEL_LEAVES(2, 8, 8)
TL_DEFINE_STEADY_PANEL_ANY(1)
TL_DEFINE_STEADY_PANEL_ANY(2)
#define TL_SPREAD_BY_PANEL(P, S, BITS, STEPS) tl_panel_leaves_1(P, S, 0, BITS, 8, STEPS)
#define TL_JOIN_BY_PANEL(P, S, BITS, STEPS) tl_panel_leaves_1(P, S, 0, 8, BITS, STEPS)
TL_BY_512 static int tl_steady_panel_spread(const tl_plan *p, const tl_leaves *given) { TL_FOR_BITS_ANYWHERE(TL_SPREAD_BY_PANEL) }
TL_BY_512 static int tl_steady_panel_join(const tl_plan *p, const tl_leaves *given) { TL_FOR_BITS_ANYWHERE(TL_JOIN_BY_PANEL) }
#if !TL_MASKED
TL_DEFINE_PANEL_LEAVES(4, 4, 4)
TL_DEFINE_STEADY_PANEL(1)
TL_DEFINE_STEADY_PANEL(2)
TL_DEFINE_STEADY_PANEL(4)
#endif
#endif

#endif
