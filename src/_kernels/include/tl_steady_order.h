/* Whole leaves of elements whose bytes change places, straight from the source to lines of the target. */
#ifndef TL_STEADY_ORDER_H
#define TL_STEADY_ORDER_H

#include "tl_carried.h"

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

#elif defined(TL_WIDE)

/* Bytes that are put in order aside before whole lines of them are written, and room for these, which begin at the same place of a page as the
 * line of the target that they become: else each load of theirs would wait for a store that is on its way to such a place. */
#define TL_MADE 1024
#define TL_PLACES 4096
typedef struct {
    char *room, *line, *first, *end; /* what lies from `first`, the beginning of a line, to `end` comes to `line` */
    __mmask64 before;                /* bytes of the first line that stay, unless it goes `on` with what was carried */
    int on;
} tl_made;

/* Begin with what comes to a line, so many bytes. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_begin_made(tl_made *m, char *line, int64_t n, __m512i carry)
{
    m->line = line, m->first = m->room + ((uintptr_t)line - (uintptr_t)m->room) % TL_PLACES;
    _mm512_storeu_si512((void *)m->first, carry);
    m->end = m->first + n;
}

/* Write the lines that are whole, and begin with what is left, which is returned. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_emit_made(tl_made *m, enum tl_way way)
{
    char *line = m->line;
    const char *f = m->first;
    for (; m->end - f >= TL_LINE; f += TL_LINE, line += TL_LINE) {
        __m512i x = _mm512_loadu_si512((const void *)f);
        if (m->on)
            tl_put_line(line, x, way);
        else
            _mm512_mask_storeu_epi8(line, ~m->before, x);
        m->on = 1;
    }
    __m512i rest = _mm512_loadu_si512((const void *)f);
    tl_begin_made(m, line, m->end - f, rest);
    return rest;
}

/* Count bytes that were added, and write lines once they are many. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_add_made(tl_made *m, int64_t bytes, enum tl_way way)
{
    m->end += bytes;
    if (m->end - m->first >= TL_MADE)
        tl_emit_made(m, way);
}

/* Rows that patches put in order and that follow one another in the target, wherever they begin. Rows that have a stride
 * are taken as one. */
TL_BY_512 static int tl_steady_patched(const tl_plan *p, const tl_leaves *given)
{
    char room[TL_PLACES + 2 * (TL_MADE + TL_MOST_ORDERED)] __attribute__((aligned(TL_LINE)));
    tl_leaves s = *given;
    const struct tl_patches *patches = p->order->patches;
    const char *next = s.next;
    int64_t step = patches->step, row = p->u.n * p->width, size = row * p->v.n, most = TL_MADE / step;
    int64_t stride = tl_stride_of(patches, p->v.at, p->v.n, row), is_one = stride != 0;
    int64_t rows = is_one ? 1 : p->v.n, steps = is_one ? p->v.n : row / step, rest = is_one ? 0 : row % step;
    __m512i carry = _mm512_load_si512((const void *)s.carry);
    tl_made m = {.room = room, .on = s.on};
    if (!is_one)
        stride = step;
    for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {
        if (!m.end) {
            int64_t place = tl_place(s.to);
            m.before = ((__mmask64)1 << place) - 1;
            tl_begin_made(&m, s.to - place, place, carry);
        }
        for (int64_t r = 0; r < rows; r++) {
            const char *f = s.from + p->v.at[r];
            for (int64_t left = steps, n; left; left -= n, f += n * stride) {
                n = tl_least(left, most);
                next = next ? tl_fetch_row(0, next, NULL, n * step) : NULL;
                patches->put(patches, f, n, stride, m.end, next ? 0 : p->ahead);
                tl_add_made(&m, n * step, s.way);
            }
            if (rest) {
                tl_put_some(patches, f, rest, m.end);
                tl_add_made(&m, rest, s.way);
            }
        }
        if (q + 1 < s.count && !s.bank_step && s.to_step == size)
            continue;
        carry = tl_emit_made(&m, s.way);
        carry = tl_between(&s, q, size, m.line + (m.end - m.first), carry, &m.on);
        m.end = NULL;
    }
    _mm512_store_si512((void *)s.carry, carry);
    return 1;
}
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
