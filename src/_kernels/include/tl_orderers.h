/* The kernels that put the bytes of elements in order. */
#ifndef TL_ORDERERS_H
#define TL_ORDERERS_H

#include <stdlib.h>

#include "tl_patches.h"

/* What vectors of 512 bits pick the elements of an order by; or NULL. */
static inline tl_picks *tl_picks_of(const tl_order *order)
{
    tl_picks *picks = calloc(1, sizeof *picks);
    for (int64_t b = 0; picks && b < order->step; b += order->width)
        tl_pick_from(picks, order->width, b / order->width, tl_ordered_from(order, b) / order->width);
    return picks;
}

/* The order of which `at` is the list, of so many bytes, in leaves of so many, as plans of that level put it: as many elements at a time as two
 * lines hold, or one. The caller frees what belongs to it (tl_free_order). */
static inline tl_order tl_order_of(const uint8_t *at, int64_t size, int64_t leaf, int level)
{
    tl_order order = {.size = size, .step = size, .unit = 8, .in_lanes = size == TL_LINE};
    if (size != TL_LINE)
        order.step = size > 2 * TL_LINE ? size : tl_least(2 * TL_LINE, leaf) / size * size;
    memcpy(order.at, at, (size_t)size);
    for (int k = 0; k < size; k++) {
        order.in_lanes &= at[k] / 16 == k / 16;
        while (size % order.unit || at[k] % order.unit != k % order.unit || at[k - k % order.unit] != at[k] - k % order.unit)
            order.unit /= 2;
    }
    order.width = order.unit < 4 ? order.unit : 4;
    if (!order.in_lanes && tl_picks_elements(level, order.width))
        order.picks = tl_picks_of(&order);
#ifdef TL_WIDE
    if (level >= TL_256 && !tl_permutes_bytes(level))
        order.patches = tl_patches_of(&order);
#endif
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

static inline void tl_free_order(tl_order *order)
{
    free((void *)order->flips);
    free((void *)order->picks);
    free((void *)order->patches);
}

/* A row of n bytes, unit by unit from the place that `flip` makes of its own. */
#define TL_DEFINE_FLIP_UNITS(W)                                                                                 \
    static inline void tl_flip_units_##W(const char *from, int64_t n, int64_t flip, char *to)                   \
    {                                                                                                           \
        for (int64_t b = 0; b < n; b += W)                                                                      \
            memcpy(to + b, from + (b ^ flip), W);                                                               \
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

/* Puts rows of n bytes each, whole elements, in order: row r is read `at[r]` bytes behind `from`, and written r * pitch bytes behind `to`. What
 * comes `ahead` is fetched. Nothing is written behind the last row, nor between rows. */
typedef void tl_orderer(const tl_order *order, const int64_t *at, int64_t rows, int64_t n, int64_t pitch, int64_t ahead, const char *from,
                        char *to);

#define TL_DEFINE_ORDER_UNITS(W)                                                                                \
    static inline void tl_order_units_##W(const tl_order *order, const char *from, int64_t n, char *to)         \
    {                                                                                                           \
        for (int64_t b = 0; b < n; b += order->size)                                                            \
            for (int64_t k = 0, here = tl_least(n - b, order->size); k < here; k += W)                          \
                memcpy(to + b + k, from + b + order->at[k], W);                                                 \
    }
TL_DEFINE_ORDER_UNITS(1)
TL_DEFINE_ORDER_UNITS(2)
TL_DEFINE_ORDER_UNITS(4)
TL_DEFINE_ORDER_UNITS(8)
static void tl_order_units(const tl_order *order, const int64_t *at, int64_t rows, int64_t n, int64_t pitch, int64_t ahead, const char *from,
                           char *to)
{
    for (int64_t r = 0; r < rows; r++, to += pitch) {
        const char *f = from + at[r];
        if (ahead)
            tl_fetch(f + ahead, n);
        switch (order->unit) {
        case 1: tl_order_units_1(order, f, n, to); break;
        case 2: tl_order_units_2(order, f, n, to); break;
        case 4: tl_order_units_4(order, f, n, to); break;
        default: tl_order_units_8(order, f, n, to);
        }
    }
}

#ifdef TL_WIDE
/* Up to where vectors may write in the row at t: in rows that follow each other to the end of all, as the next is written over it. */
#define TL_BOUND (pitch == n ? to + rows * n : t + n)

static void tl_order_patched(const tl_order *order, const int64_t *at, int64_t rows, int64_t n, int64_t pitch, int64_t ahead, const char *from,
                             char *to)
{
    const struct tl_patches *s = order->patches;
    int64_t step = s->step, steps = n / step, stride = pitch == n ? tl_stride_of(s, at, rows, n) : 0, r = 0;
    if (stride && rows * n > n + TL_WRITTEN_BEHIND)
        s->put(s, from + at[0], r = rows - tl_ceil_div(TL_WRITTEN_BEHIND, n), stride, to, ahead);
    for (; r < rows; r++) {
        const char *f = from + at[r];
        char *t = to + r * pitch;
        int64_t spare = TL_BOUND - t - TL_WRITTEN_BEHIND, whole = steps, done;
        while (whole && whole * step > spare)
            whole--;
        s->put(s, f, whole, step, t, ahead);
        for (int64_t b = whole * step; b < n; b += done) {
            char made[TL_MOST_ORDERED + TL_WRITTEN_BEHIND];
            done = tl_least(n - b, step);
            tl_put_some(s, f + b, done, made);
            memcpy(t + b, made, (size_t)done);
        }
    }
}

TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_order_512(const tl_order *order)
{
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const void *)order->at));
}

#if TL_MASKED
/* So many lines of which so many bytes are there: fewer at the end of a row. The last is there twice, as tl_picked_* has it. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_get_lines(__m512i *lines, const int number, const char *from, int64_t here)
{
    TL_UNROLL
    for (int k = 0; k < number; k++)
        lines[k] = tl_get_ended(from + k * TL_LINE, here - k * TL_LINE, _mm512_setzero_si512());
    lines[number] = lines[number - 1];
}
/* The same where less than a line is missing. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_get_most_lines(__m512i *lines, const int number, const char *from, __mmask64 last)
{
    TL_UNROLL
    for (int k = 0; k < number - 1; k++)
        lines[k] = _mm512_loadu_si512((const void *)(from + k * TL_LINE));
    lines[number] = lines[number - 1] = _mm512_maskz_loadu_epi8(last, from + (number - 1) * TL_LINE);
}

/* Elements of K lines, the last of which they need not fill; line k is written as PUT. */
#define TL_DEFINE_ORDER(NAME, BY, K, TABLE, PUT)                                                                \
    BY static void NAME(const tl_order *order, const int64_t *at, int64_t rows, int64_t n, int64_t pitch, int64_t ahead, const char *from,\
                        char *to)                                                                               \
    {                                                                                                           \
        int64_t step = order->step;                                                                             \
        __mmask64 last = tl_first(step - (K - 1) * TL_LINE);                                                    \
        __m512i lines[K + 1];                                                                                   \
        char *t = to;                                                                                           \
        TABLE                                                                                                   \
        for (int64_t r = 0; r < rows; r++, t += pitch) {                                                        \
            const char *f = from + at[r];                                                                       \
            const char *bound = TL_BOUND;                                                                       \
            int64_t b = 0, whole = tl_least(n - step, bound - t - K * TL_LINE);                                 \
            for (; b <= whole; b += step) {                                                                     \
                if (ahead)                                                                                      \
                    tl_fetch(f + b + ahead, K * TL_LINE);                                                       \
                tl_get_most_lines(lines, K, f + b, last);                                                       \
                TL_UNROLL                                                                                       \
                for (int k = 0; k < K; k++)                                                                     \
                    _mm512_storeu_si512((void *)(t + b + k * TL_LINE), PUT);                                    \
            }                                                                                                   \
            for (; b < n; b += step) {                                                                          \
                int64_t here = tl_least(n - b, step);                                                           \
                if (ahead)                                                                                      \
                    tl_fetch(f + b + ahead, K * TL_LINE);                                                       \
                tl_get_lines(lines, K, f + b, here);                                                            \
                TL_UNROLL                                                                                       \
                for (int k = 0; k < K; k++)                                                                     \
                    if (k * TL_LINE < here)                                                                     \
                        tl_put_ended(t + b + k * TL_LINE, bound - t - b - k * TL_LINE, PUT);                    \
            }                                                                                                   \
        }                                                                                                       \
    }
TL_DEFINE_ORDER(tl_order_lanes_512, TL_BY_512, 1, __m512i which = tl_order_512(order);, _mm512_shuffle_epi8(lines[k], which))
#define TL_ALL_PICKED(DO) DO(1, 1) DO(1, 2) DO(1, 3) DO(1, 4) DO(2, 1) DO(2, 2) DO(2, 3) DO(2, 4) DO(4, 1) DO(4, 2) DO(4, 3) DO(4, 4)
#define TL_PICKS_OF(K)                                                                                          \
    __m512i which[K];                                                                                           \
    for (int k = 0; k < K; k++)                                                                                 \
        which[k] = _mm512_loadu_si512((const void *)order->picks->which[k]);
#define TL_DEFINE_ORDER_PICKED(W, K)                                                                            \
    TL_DEFINE_ORDER(tl_order_picked_##W##_##K, TL_PICKS_##W, K, TL_PICKS_OF(K), tl_picked_##W(which[k], order->picks->there[k], lines, K))
TL_ALL_PICKED(TL_DEFINE_ORDER_PICKED)
#endif
#endif

static inline tl_orderer *tl_choose_order(const tl_order *order, int level)
{
    (void)order, (void)level;
#ifdef TL_WIDE
#if TL_MASKED
    int64_t lines = tl_whole_lines(order->step) / TL_LINE;
    if (order->in_lanes && level >= TL_512)
        return tl_order_lanes_512;
#define TL_IF_PICKED(W, K)                                                                                      \
    if (order->picks && order->width == W && lines == K)                                                        \
        return tl_order_picked_##W##_##K;
    TL_ALL_PICKED(TL_IF_PICKED)
#endif
    if (order->patches)
        return tl_order_patched;
#endif
    return tl_order_units;
}

#endif
