/* Whole leaves of elements whose bytes change places, straight from the source to lines of the target. */
#ifndef TL_STEADY_ORDER_H
#define TL_STEADY_ORDER_H

#include "tl_steady_patched.h"

#if TL_MASKED

/* Rows of elements of K lines (TL_DEFINE_ORDER) that follow one another in the target, wherever they begin. */
#define TL_DEFINE_STEADY_ORDER(W, K)                                                                            \
    TL_PICKS_##W static int tl_steady_order_##W##_##K(const tl_plan *p, const tl_leaves *given)                 \
    {                                                                                                           \
        tl_leaves s = *given;                                                                                   \
        const tl_order *order = p->order;                                                                       \
        const char *next = s.next;                                                                              \
        int on = s.on;                                                                                          \
        int64_t step = order->step, row = p->u.n * p->width, ahead = p->ahead;                                  \
        TL_PICKS_OF(K)                                                                                          \
        __m512i carry = _mm512_load_si512((const void *)s.carry);                                               \
        for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {                                                    \
            int64_t place = tl_place(s.to);                                                                     \
            char *line = s.to - place;                                                                          \
            __mmask64 before = ((__mmask64)1 << place) - 1;                                                     \
            for (int64_t r = 0; r < p->v.n; r++) {                                                              \
                const char *f = s.from + p->v.at[r];                                                            \
                for (int64_t b = 0; b < row; b += step, f += step) {                                            \
                    __m512i lines[K + 1];                                                                       \
                    int64_t here = tl_least(row - b, step);                                                     \
                    tl_turn t = tl_turn_by(place, s.way, TL_BYTES);                                             \
                    next = next ? tl_fetch_row(ahead, next, f, here) : tl_fetch_row(ahead, NULL, f, K * TL_LINE);\
                    tl_get_lines(lines, K, f, here);                                                            \
                    TL_UNROLL                                                                                   \
                    for (int k = 0; k < K; k++) {                                                               \
                        if (k && k * TL_LINE >= here)                                                           \
                            break;                                                                              \
                        __m512i x = tl_turned(tl_picked_##W(which[k], order->picks->there[k], lines, K), &t, TL_BYTES);\
                        carry = _mm512_mask_blend_epi8(t.before, x, carry);                                     \
                        if (place + here - k * TL_LINE < TL_LINE)                                               \
                            break;                                                                              \
                        if (on)                                                                                 \
                            tl_put_line(line, carry, s.way);                                                    \
                        else                                                                                    \
                            _mm512_mask_storeu_epi8(line, ~before, carry);                                      \
                        carry = x, on = 1, line += TL_LINE;                                                     \
                    }                                                                                           \
                    place = (place + here) % TL_LINE;                                                           \
                }                                                                                               \
            }                                                                                                   \
            carry = tl_between(&s, q, row * p->v.n, line + place, carry, &on);                                  \
        }                                                                                                       \
        _mm512_store_si512((void *)s.carry, carry);                                                             \
        return 1;                                                                                               \
    }
TL_ALL_PICKED(TL_DEFINE_STEADY_ORDER)

#endif

/* Whether rows are put in order straight from the source to the target, if there is a kernel that does so. */
static inline int tl_are_ordered_at_once(const tl_plan *p)
{
    return p->past && p->order && p->chain == p->v.n && p->u.n * p->v.n * p->width >= TL_LINE && !tl_are_scattered(p);
}

/* The kernel for a run that is streamed, if vectors turn its elements to any place; or NULL. */
static inline tl_steady tl_choose_steady_order(const tl_plan *p)
{
#if TL_MASKED
    if (!tl_are_ordered_at_once(p) || !p->order->picks || !tl_permutes_bytes(p->level))
        return NULL;
#define TL_IF_STEADY_ORDER(W, K)                                                                                \
    if (p->order->width == W && tl_ceil_div(p->order->step, TL_LINE) == K)                                      \
        return tl_steady_order_##W##_##K;
    TL_ALL_PICKED(TL_IF_STEADY_ORDER)
#elif defined(TL_WIDE)
    if (tl_are_ordered_at_once(p) && p->order->patches)
        return tl_steady_patched;
#else
    (void)p;
#endif
    return NULL;
}

#endif
