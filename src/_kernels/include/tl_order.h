/* Elements whose bytes come in another order: they are put in order in rows aside, and move from there. Some steady kernels do without that, as
 * they put bytes in order when they read them (tl_orders, tl_steady_flipped). */
#ifndef TL_ORDER_H
#define TL_ORDER_H

#include "tl_movers.h"

/* The order of which `at` is the list. */
static inline tl_order tl_order_of(const uint8_t *at)
{
    tl_order order = {.unit = 8, .in_lanes = 1};
    memcpy(order.at, at, TL_LINE);
    for (int k = 0; k < TL_LINE; k++) {
        order.in_lanes &= at[k] / 16 == k / 16;
        while (at[k] % order.unit != k % order.unit || at[k - k % order.unit] != at[k] - k % order.unit)
            order.unit /= 2;
    }
    return order;
}

/* The order of so many rows by `flips`, one for each. */
static inline tl_order tl_order_flipped(const int64_t *flips, int64_t rows)
{
    tl_order order = {.unit = 16, .flips = flips};
    for (int64_t r = 0; r < rows; r++)
        while (flips[r] % order.unit)
            order.unit /= 2;
    return order;
}

/* A row of n bytes, unit by unit from the place that `flip` makes of its own. */
#define TL_DEFINE_FLIP_UNITS(W)                                                                                     \
    static inline void tl_flip_units_##W(const char *from, int64_t n, int64_t flip, char *to)                       \
    {                                                                                                               \
        for (int64_t b = 0; b < n; b += W)                                                                          \
            memcpy(to + b, from + (b ^ flip), W);                                                                   \
    }
TL_DEFINE_FLIP_UNITS(1)
TL_DEFINE_FLIP_UNITS(2)
TL_DEFINE_FLIP_UNITS(4)
TL_DEFINE_FLIP_UNITS(8)
TL_DEFINE_FLIP_UNITS(16)
static void tl_flip_units(int unit, const char *from, int64_t n, int64_t flip, char *to)
{
    switch (unit) {
    case 1: tl_flip_units_1(from, n, flip, to); break;
    case 2: tl_flip_units_2(from, n, flip, to); break;
    case 4: tl_flip_units_4(from, n, flip, to); break;
    case 8: tl_flip_units_8(from, n, flip, to); break;
    default: tl_flip_units_16(from, n, flip, to);
    }
}

/* Puts n bytes, whole elements, in order; `to` may be `from`. */
typedef void tl_orderer(const tl_order *order, const char *from, int64_t n, char *to);

#define TL_DEFINE_ORDER_UNITS(W)                                                                                    \
    static inline void tl_order_units_##W(const tl_order *order, const char *from, int64_t n, char *to)             \
    {                                                                                                           \
        char line[TL_LINE];                                                                                     \
        for (int64_t b = 0; b < n; b += TL_LINE) {                                                              \
            int64_t here = n - b < TL_LINE ? n - b : TL_LINE;                                                   \
            for (int64_t k = 0; k < here; k += W)                                                               \
                memcpy(line + k, from + b + order->at[k], W);                                                   \
            memcpy(to + b, line, (size_t)here);                                                                 \
        }                                                                                                       \
    }
TL_DEFINE_ORDER_UNITS(1)
TL_DEFINE_ORDER_UNITS(2)
TL_DEFINE_ORDER_UNITS(4)
TL_DEFINE_ORDER_UNITS(8)
static void tl_order_units(const tl_order *order, const char *from, int64_t n, char *to)
{
    switch (order->unit) {
    case 1: tl_order_units_1(order, from, n, to); break;
    case 2: tl_order_units_2(order, from, n, to); break;
    case 4: tl_order_units_4(order, from, n, to); break;
    default: tl_order_units_8(order, from, n, to);
    }
}
#ifdef TL_WIDE
TL_BY_256 static void tl_order_lanes_256(const tl_order *order, const char *from, int64_t n, char *to)
{
    __m256i at = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)order->at));
    int64_t b = 0;
    for (; b + 32 <= n; b += 32)
        _mm256_storeu_si256((void *)(to + b), _mm256_shuffle_epi8(_mm256_loadu_si256((const void *)(from + b)), at));
    tl_order_units(order, from + b, n - b, to + b);
}
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_order_512(const tl_order *order)
{
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const void *)order->at));
}
#define TL_DEFINE_ORDER_512(NAME, AT, PUT)                                                                      \
    TL_BY_512 static void NAME(const tl_order *order, const char *from, int64_t n, char *to)                    \
    {                                                                                                           \
        __m512i at = AT;                                                                                        \
        int64_t b = 0;                                                                                          \
        for (; b + TL_LINE <= n; b += TL_LINE) {                                                                \
            __m512i x = _mm512_loadu_si512((const void *)(from + b));                                           \
            _mm512_storeu_si512((void *)(to + b), PUT);                                                         \
        }                                                                                                       \
        if (b < n) {                                                                                            \
            __mmask64 rest = tl_first(n - b);                                                                   \
            __m512i x = _mm512_maskz_loadu_epi8(rest, from + b);                                                \
            _mm512_mask_storeu_epi8(to + b, rest, PUT);                                                         \
        }                                                                                                       \
    }
#define TL_ORDER_AT _mm512_loadu_si512((const void *)order->at)
TL_DEFINE_ORDER_512(tl_order_lanes_512, tl_order_512(order), _mm512_shuffle_epi8(x, at))
/* Of pairs of bytes, half of what at[] says of the even byte is the number of the pair that comes there. */
TL_DEFINE_ORDER_512(tl_order_pairs_512, _mm512_srli_epi16(TL_ORDER_AT, 1), _mm512_permutexvar_epi16(at, x))
TL_DEFINE_ORDER_512(tl_order_bytes_512, TL_ORDER_AT, tl_permuted_bytes(at, x))
#endif

static inline tl_orderer *tl_choose_order(const tl_plan *p)
{
    if (p->order->flips)
        return NULL;
#ifdef TL_WIDE
    if (p->order->in_lanes && p->level >= TL_256)
        return p->level >= TL_512 ? tl_order_lanes_512 : tl_order_lanes_256;
    if (p->level >= TL_512 && p->order->unit > 1)
        return tl_order_pairs_512;
    if (tl_permutes_bytes(p->level))
        return tl_order_bytes_512;
#endif
    return tl_order_units;
}

typedef struct {
    tl_plan plan;  /* of the rows aside, */
    char *row;     /* which are here */
    int64_t pitch; /* and so many bytes apart */
    int follow;    /* whether they follow each other in the source */
    tl_orderer *put;
} tl_ordered;

/* Bytes between rows aside: short ones follow each other; others do not share the places of a cache. */
static inline int64_t tl_pitch_ordered(const tl_plan *p)
{
    int64_t row = p->u.n * p->width;
    return row < TL_LINE ? row : tl_whole_lines(row) + TL_LINE;
}

/* Bytes that this takes, and how it begins in them. */
static inline int64_t tl_room_ordered(const tl_plan *p)
{
    return p->order ? p->v.n * (int64_t)sizeof(int64_t) + tl_whole_lines(p->v.n * tl_pitch_ordered(p)) + TL_LINE : 0;
}
static inline void tl_begin_ordered(tl_ordered *ordered, const tl_plan *p, char *room)
{
    ordered->plan = *p;
    if (!p->order)
        return;
    int64_t *at = (int64_t *)room;
    ordered->pitch = tl_pitch_ordered(p), ordered->follow = 1, ordered->put = tl_choose_order(p);
    for (int64_t v = 0; v < p->v.n; v++) {
        at[v] = v * ordered->pitch;
        ordered->follow &= p->v.at[v] == p->v.at[0] + at[v];
    }
    ordered->plan.v.at = at, ordered->plan.ahead = 0, ordered->plan.order = NULL;
    ordered->row = (char *)(at + p->v.n);
    ordered->row += -(uintptr_t)ordered->row & (TL_LINE - 1);
}

/* Puts nu x nv elements of a leaf in order, in rows aside, and returns these. Short rows are first put one behind the other: a load of what
 * several stores wrote waits for them, unless that was long ago. */
static TL_APART_FROM_CALLERS const char *tl_in_order(const tl_ordered *ordered, const tl_plan *p, const char *from, int64_t nu, int64_t nv)
{
    int64_t n = nu * p->width, rows = 1, are_short = n == ordered->pitch;
    if (p->order->flips) {
        for (int64_t v = 0; v < nv; v++) {
            if (p->ahead)
                tl_fetch(from + p->v.at[v] + p->ahead, n);
            tl_flip_units(p->order->unit, from + p->v.at[v], n, p->order->flips[v], ordered->row + v * ordered->pitch);
        }
        return ordered->row;
    }
    if (are_short && !ordered->follow && nv > 1) {
        if (p->ahead)
            for (int64_t v = 0; v < nv; v++)
                tl_fetch(from + p->v.at[v] + p->ahead, 1);
        tl_short_rows(p->v.at, n, from, ordered->row, nv, n);
        ordered->put(p->order, ordered->row, nv * n, ordered->row);
        return ordered->row;
    }
    if (are_short)
        n *= nv, rows = nv;
    for (int64_t v = 0; v < nv; v += rows) {
        const char *row = from + p->v.at[v];
        if (p->ahead)
            tl_fetch(row + p->ahead, n);
        ordered->put(p->order, row, n, ordered->row + v * ordered->pitch);
    }
    return ordered->row;
}

#endif
