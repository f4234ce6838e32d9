/* The busiest loops of index queries in vectors of 64 bytes, which rotate lanes and pick among those of two. */
#ifndef TL_INDEX_512_H
#define TL_INDEX_512_H

#include <immintrin.h>

/* K moves to one target, of n lanes rounded up to whole vectors. */
#define TL_DEFINE_MOVES_512(BITS)                                                                               \
    TL_BY_ALL_512 static TL_ALWAYS_INLINE void tl_some_moves_512_##BITS(const int K, const tl_move *m, char *reg, int64_t size, size_t n) \
    {                                                                                                           \
        __m512i left[6], mask[6], *to = (__m512i *)(reg + m->target * size);                                    \
        const __m512i *from[6];                                                                                 \
        for (int k = 0; k < K; k++) {                                                                           \
            left[k] = _mm512_set1_epi##BITS(m[k].left);                                                         \
            mask[k] = _mm512_set1_epi##BITS((int64_t)m[k].mask);                                                \
            from[k] = (const __m512i *)(reg + m[k].source * size);                                              \
        }                                                                                                       \
        for (size_t i = 0; i < (n * BITS + 511) / 512; i++) {                                                   \
            __m512i x = to[i];                                                                                  \
            for (int k = 0; k < K; k++) /* x ^ (moved & mask) */                                                \
                x = _mm512_ternarylogic_epi64(x, _mm512_rolv_epi##BITS(from[k][i], left[k]), mask[k], 0x78);    \
            to[i] = x;                                                                                          \
        }                                                                                                       \
    }                                                                                                           \
    TL_BY_ALL_512 static void tl_moves_512_##BITS(const tl_move *m, const tl_move *end, void *reg, size_t n)        \
    {                                                                                                           \
        const int64_t size = TL_BLOCK * BITS / 8;                                                               \
        while (m < end) {                                                                                       \
            int together = 1;                                                                                   \
            while (together < 6 && m + together < end && m[together].target == m->target)                       \
                together++;                                                                                     \
            switch (together) {                                                                                 \
            case 1: tl_some_moves_512_##BITS(1, m, reg, size, n); break;                                        \
            case 2: tl_some_moves_512_##BITS(2, m, reg, size, n); break;                                        \
            case 3: tl_some_moves_512_##BITS(3, m, reg, size, n); break;                                        \
            case 4: tl_some_moves_512_##BITS(4, m, reg, size, n); break;                                        \
            case 5: tl_some_moves_512_##BITS(5, m, reg, size, n); break;                                        \
            default: tl_some_moves_512_##BITS(6, m, reg, size, n);                                              \
            }                                                                                                   \
            m += together;                                                                                      \
        }                                                                                                       \
    }
TL_DEFINE_MOVES_512(32)
TL_DEFINE_MOVES_512(64)

/* Which lines are asked for: none, those of a cache, or those of memory. */
enum tl_asking { TL_NOTHING, TL_NEAR, TL_FAR };

/* What is asked for of coordinates that are read while slots are written. Where those go past the caches, a load may wait for a store that goes to
 * the same place of another page, and fetches nothing until then. A machine that does not fetch several columns by itself gains by asking, but
 * for two of them (`are_two`). */
TL_BY_ALL_512 static TL_ALWAYS_INLINE enum tl_asking tl_asking_by(enum tl_way way, const int are_two)
{
    if (way == TL_PAST)
        return tl_asks_late() || !(are_two || tl_fetches_rows()) ? TL_FAR : TL_NOTHING;
    return way == TL_ASKED_FOR ? TL_NEAR : TL_NOTHING;
}

/* Ask for what is further on: of a long stream to the second cache, and from there to the nearest. */
TL_BY_ALL_512 static TL_ALWAYS_INLINE void tl_ask(const char *from, enum tl_asking asks)
{
    if (asks == TL_NEAR)
        tl_ask_ahead(from);
    if (asks != TL_FAR)
        return;
    tl_fetch_far(from + TL_ASKED, 1);
    tl_fetch(from + TL_ASKED / 4, 1);
}

/* So many vectors, and the most that each lane has held so far, as unsigned: what comes out is compared with an extent once. That waits for what it
 * was but once, however many vectors there are. */
#define TL_DEFINE_TAKE(WIDTH, BITS)                                                                             \
    TL_BY_ALL_512 static TL_ALWAYS_INLINE void tl_take_all_##WIDTH(const int vectors, const char *from, enum tl_asking asks, __m512i *most, \
                                                                   __m512i *in)                                 \
    {                                                                                                           \
        __m512i top = _mm512_setzero_si512();                                                                   \
        for (int k = 0; k < vectors; k++) {                                                                     \
            tl_ask(from + 64 * k, asks);                                                                        \
            in[k] = _mm512_loadu_si512(from + 64 * k);                                                          \
            top = k ? _mm512_max_epu##BITS(top, in[k]) : in[k];                                                 \
        }                                                                                                       \
        *most = _mm512_max_epu##BITS(*most, top);                                                               \
    }                                                                                                           \
    TL_BY_ALL_512 static TL_ALWAYS_INLINE __m512i tl_take_##WIDTH(const char *from, enum tl_asking asks, __m512i *most) \
    {                                                                                                           \
        __m512i x;                                                                                              \
        tl_take_all_##WIDTH(1, from, asks, most, &x);                                                           \
        return x;                                                                                               \
    }
TL_DEFINE_TAKE(4, 32)
TL_DEFINE_TAKE(8, 64)

TL_BY_ALL_512 static TL_ALWAYS_INLINE int tl_reaches_4(__m512i most, __m512i extent) { return _mm512_cmpge_epu32_mask(most, extent) != 0; }
TL_BY_ALL_512 static TL_ALWAYS_INLINE int tl_reaches_8(__m512i most, __m512i extent) { return _mm512_cmpge_epu64_mask(most, extent) != 0; }
TL_BY_ALL_512 static TL_ALWAYS_INLINE __m512i tl_all_4(int64_t x) { return _mm512_set1_epi32((int)x); }
TL_BY_ALL_512 static TL_ALWAYS_INLINE __m512i tl_all_8(int64_t x) { return _mm512_set1_epi64(x); }
TL_BY_ALL_512 static TL_ALWAYS_INLINE __m512i tl_pairs_4(const int64_t *x)
{
    return _mm512_set1_epi64((int64_t)((uint64_t)x[1] << 32 | (uint32_t)x[0]));
}
TL_BY_ALL_512 static TL_ALWAYS_INLINE __m512i tl_pairs_8(const int64_t *x)
{
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)x));
}

/* 16 slots in lanes of 32 bits. */
TL_BY_ALL_512 static TL_ALWAYS_INLINE __m512i tl_take_16_4(const char *from, enum tl_asking asks, __m512i *most)
{
    return tl_take_4(from, asks, most);
}
TL_BY_ALL_512 static TL_ALWAYS_INLINE __m512i tl_take_16_8(const char *from, enum tl_asking asks, __m512i *most)
{
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    __m512i in[2];
    tl_take_all_8(2, from, asks, most, in);
    return _mm512_permutex2var_epi32(in[0], even, in[1]);
}

/* Eight integers. */
TL_BY_ALL_512 static TL_ALWAYS_INLINE void tl_store_8(int64_t *to, __m512i x, enum tl_way way)
{
    if (way == TL_PAST) {
        _mm512_stream_si512((void *)to, x);
        return;
    }
    if (way == TL_ASKED_FOR)
        tl_ask_ahead((const char *)to);
    _mm512_storeu_si512(to, x);
}

TL_BY_ALL_512 static TL_ALWAYS_INLINE void tl_spread_moves(const int K, const tl_pair *m, __m512i (*left)[TL_PAIR_MOVES],
                                         __m512i (*mask)[TL_PAIR_MOVES])
{
    for (int a = 0; a < 2; a++)
        for (int k = 0; k < K; k++) {
            left[a][k] = _mm512_set1_epi32(m->left[a][k]);
            mask[a][k] = _mm512_set1_epi32((int)m->mask[a][k]);
        }
}

/* The low halves of the first eight, between them those of the others. */
TL_BY_ALL_512 static TL_ALWAYS_INLINE __m512i tl_by_turns(__m512i first, __m512i second)
{
    return _mm512_castps_si512(_mm512_mask_moveldup_ps(_mm512_castsi512_ps(first), 0xaaaa, _mm512_castsi512_ps(second)));
}

/* The coordinates of 16 pairs, those of the k-th in lane 2 * k, those of the k-th of the other eight in lane 2 * k + 1. */
TL_BY_ALL_512 static TL_ALWAYS_INLINE void tl_take_pairs_4(const char *from, enum tl_asking asks, __m512i *most, __m512i *x, __m512i *y)
{
    __m512i in[2];
    tl_take_all_4(2, from, asks, most, in);
    *x = tl_by_turns(in[0], in[1]);
    *y = _mm512_castps_si512(_mm512_mask_movehdup_ps(_mm512_castsi512_ps(in[1]), 0x5555, _mm512_castsi512_ps(in[0])));
}
TL_BY_ALL_512 static TL_ALWAYS_INLINE void tl_take_pairs_8(const char *from, enum tl_asking asks, __m512i *most, __m512i *x, __m512i *y)
{
    const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), odd = _mm512_add_epi64(even, _mm512_set1_epi64(1));
    __m512i in[4];
    tl_take_all_8(4, from, asks, most, in);
    const __m512i c = tl_by_turns(in[0], in[2]), d = tl_by_turns(in[1], in[3]);
    *x = _mm512_permutex2var_epi64(c, even, d);
    *y = _mm512_permutex2var_epi64(c, odd, d);
}
TL_BY_ALL_512 static TL_ALWAYS_INLINE __m512i tl_take_axis_4(const char *from, enum tl_asking asks, __m512i *most)
{
    return _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15), tl_take_4(from, asks, most));
}
TL_BY_ALL_512 static TL_ALWAYS_INLINE __m512i tl_take_axis_8(const char *from, enum tl_asking asks, __m512i *most)
{
    __m512i in[2];
    tl_take_all_8(2, from, asks, most, in);
    return tl_by_turns(in[0], in[1]);
}

/* The high halves of the products of 32 bits. */
TL_BY_ALL_512 static TL_ALWAYS_INLINE __m512i tl_high_halves(__m512i x, __m512i y)
{
    return _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(_mm512_mul_epu32(x, y), 32), _mm512_mul_epu32(_mm512_srli_epi64(x, 32), y));
}

TL_BY_ALL_512 static TL_ALWAYS_INLINE __m512i tl_times_512(__m512i x, uint64_t y)
{
    return y == 1 ? x : _mm512_mullo_epi32(x, _mm512_set1_epi32((int)y));
}

TL_BY_ALL_512 static TL_ALWAYS_INLINE __m512i tl_divided_512(__m512i x, tl_division by)
{
    const __m512i magic = _mm512_set1_epi32((int)by.magic);
    const __m512i product = by.of == TL_ITSELF ? x : by.of == TL_LOW ? _mm512_mullo_epi32(x, magic) : tl_high_halves(x, magic);
    return _mm512_srlv_epi32(product, _mm512_set1_epi32(by.shift));
}

/* A slot and some quotients of one axis. */
TL_BY_ALL_512 static TL_ALWAYS_INLINE __m512i tl_with_quotients(__m512i slot, __m512i x, const tl_quotient *t, const tl_quotient *end)
{
    for (; t < end; t++)
        slot = _mm512_add_epi32(slot, tl_times_512(tl_divided_512(x, t->by), t->weight));
    return slot;
}

/* Flip what moves of one register do, of which these are values. */
TL_BY_ALL_512 static TL_ALWAYS_INLINE void tl_move_axis(const int vectors, const __m512i *x, const tl_move *m, const tl_move *end, __m512i *to)
{
    for (; m < end; m++) { /* to ^ (moved & mask) */
        const __m512i left = _mm512_set1_epi32(m->left), mask = _mm512_set1_epi32((int)m->mask);
        for (int k = 0; k < vectors; k++)
            to[k] = _mm512_ternarylogic_epi32(to[k], _mm512_rolv_epi32(x[k], left), mask, 0x78);
    }
}

/* Add the quotients of one axis, of which these are the coordinates. */
TL_BY_ALL_512 static TL_ALWAYS_INLINE void tl_add_axis(const int vectors, const __m512i *x, const tl_quotient *t, const tl_quotient *end,
                                                       __m512i *to)
{
    for (; t < end; t++)
        for (int k = 0; k < vectors; k++)
            to[k] = _mm512_add_epi32(to[k], tl_times_512(tl_divided_512(x[k], t->by), t->weight));
}

/* The coordinates of a slot by some parts; top bits of `hole` where no element lies. */
TL_BY_ALL_512 static TL_ALWAYS_INLINE void tl_take_apart(__m512i slot, const tl_part *p, const tl_part *end, __m512i *x, __m512i *y,
                                                          __m512i *hole)
{
    for (; p < end; p++) {
        const __m512i q = tl_divided_512(slot, p->by), digit = tl_times_512(q, p->divisor);
        slot = _mm512_sub_epi32(slot, tl_times_512(q, p->stride));
        *hole = _mm512_or_si512(*hole, _mm512_sub_epi32(_mm512_set1_epi32((int)p->radix - 1), q));
        if (p->source)
            *y = _mm512_add_epi32(*y, digit);
        else
            *x = _mm512_add_epi32(*x, digit);
    }
    *hole = _mm512_or_si512(*hole, _mm512_sub_epi32(_mm512_setzero_si512(), slot)); /* nothing is left */
}

/* Slots of pairs by so many moves of each, side by side or, where `other` is not NULL, apart; whether one is outside. */
#define TL_DEFINE_SLOTS_OF_PAIRS(WIDTH)                                                                         \
    TL_BY_ALL_512 static TL_ALWAYS_INLINE int tl_slots_by_##WIDTH(                                            \
        const int K, const int apart, const tl_pair *m, const char *from, const char *other, size_t n, const int64_t *extent, int64_t *out, \
        enum tl_way way)                                                                                        \
    {                                                                                                           \
        const int has_quotients = m->quotient[0] < m->quotient[2];                                              \
        const __m512i low = _mm512_set1_epi64(0xffffffff);                                                      \
        const __m512i end = apart ? tl_all_##WIDTH(extent[0]) : tl_pairs_##WIDTH(extent), end_other = tl_all_##WIDTH(extent[1]); \
        __m512i most = _mm512_setzero_si512(), most_other = most, left[2][TL_PAIR_MOVES], mask[2][TL_PAIR_MOVES]; \
        const enum tl_asking asks = tl_asking_by(way, apart);                                                   \
        tl_spread_moves(K, m, left, mask);                                                                      \
        for (size_t i = 0; i < n; i += 16) {                                                                    \
            __m512i x, y, slot = _mm512_setzero_si512();                                                        \
            if (apart) {                                                                                        \
                x = tl_take_axis_##WIDTH(from + i * WIDTH, asks, &most);                                        \
                y = tl_take_axis_##WIDTH(other + i * WIDTH, asks, &most_other);                                 \
            } else                                                                                              \
                tl_take_pairs_##WIDTH(from + i * 2 * WIDTH, asks, &most, &x, &y);                               \
            for (int k = 0; k < K; k++) { /* slot ^ (moved & mask) */                                           \
                slot = _mm512_ternarylogic_epi32(slot, _mm512_rolv_epi32(x, left[0][k]), mask[0][k], 0x78);     \
                slot = _mm512_ternarylogic_epi32(slot, _mm512_rolv_epi32(y, left[1][k]), mask[1][k], 0x78);     \
            }                                                                                                   \
            if (has_quotients) {                                                                                \
                slot = tl_with_quotients(slot, x, m->quotient[0], m->quotient[1]);                              \
                slot = tl_with_quotients(slot, y, m->quotient[1], m->quotient[2]);                              \
            }                                                                                                   \
            tl_store_8(out + i, _mm512_and_si512(slot, low), way);                                             \
            tl_store_8(out + i + 8, _mm512_srli_epi64(slot, 32), way);                                         \
        }                                                                                                       \
        return tl_reaches_##WIDTH(most, end) | (apart && tl_reaches_##WIDTH(most_other, end_other));            \
    }                                                                                                           \
    TL_BY_ALL_512 static TL_ALWAYS_INLINE int tl_slots_of_pairs_##WIDTH(const tl_pair *m, const char *from, const char *other, size_t n, \
                                                      const int64_t *extent, int64_t *out, enum tl_way way)            \
    {                                                                                                           \
        switch (2 * m->moves + (other != NULL)) {                                                               \
        case 0: return tl_slots_by_##WIDTH(0, 0, m, from, other, n, extent, out, way);                         \
        case 1: return tl_slots_by_##WIDTH(0, 1, m, from, other, n, extent, out, way);                         \
        case 2: return tl_slots_by_##WIDTH(1, 0, m, from, other, n, extent, out, way);                         \
        case 3: return tl_slots_by_##WIDTH(1, 1, m, from, other, n, extent, out, way);                         \
        case 4: return tl_slots_by_##WIDTH(2, 0, m, from, other, n, extent, out, way);                         \
        case 5: return tl_slots_by_##WIDTH(2, 1, m, from, other, n, extent, out, way);                         \
        case 6: return tl_slots_by_##WIDTH(3, 0, m, from, other, n, extent, out, way);                         \
        case 7: return tl_slots_by_##WIDTH(3, 1, m, from, other, n, extent, out, way);                         \
        case 8: return tl_slots_by_##WIDTH(4, 0, m, from, other, n, extent, out, way);                         \
        default: return tl_slots_by_##WIDTH(4, 1, m, from, other, n, extent, out, way);                        \
        }                                                                                                       \
    }
TL_DEFINE_SLOTS_OF_PAIRS(4)
TL_DEFINE_SLOTS_OF_PAIRS(8)

/* The same of int64 in lanes of 64 bits. */
TL_BY_ALL_512 static TL_ALWAYS_INLINE int tl_long_slots(const int apart, const tl_pair *m, const char *from, const char *other, size_t n,
                                      const int64_t *extent, int64_t *out, enum tl_way way)
{
    const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), odd = _mm512_add_epi64(even, _mm512_set1_epi64(1));
    const __m512i end0 = apart ? tl_all_8(extent[0]) : tl_pairs_8(extent), end1 = apart ? tl_all_8(extent[1]) : end0;
    __m512i most0 = _mm512_setzero_si512(), most1 = most0;
    const enum tl_asking asks = tl_asking_by(way, apart);
    for (size_t i = 0; i < n; i += 8) {
        const __m512i a = tl_take_8(apart ? from + 8 * i : from + 16 * i, asks, &most0);
        const __m512i b = tl_take_8(apart ? other + 8 * i : from + 16 * i + 64, asks, &most1);
        const __m512i x = apart ? a : _mm512_permutex2var_epi64(a, even, b), y = apart ? b : _mm512_permutex2var_epi64(a, odd, b);
        __m512i slot = _mm512_setzero_si512();
        for (int k = 0; k < m->moves; k++) { /* slot ^ (moved & mask) */
            const __m512i left0 = _mm512_set1_epi64(m->left[0][k]), mask0 = _mm512_set1_epi64((int64_t)m->mask[0][k]);
            const __m512i left1 = _mm512_set1_epi64(m->left[1][k]), mask1 = _mm512_set1_epi64((int64_t)m->mask[1][k]);
            slot = _mm512_ternarylogic_epi64(slot, _mm512_rolv_epi64(x, left0), mask0, 0x78);
            slot = _mm512_ternarylogic_epi64(slot, _mm512_rolv_epi64(y, left1), mask1, 0x78);
        }
        tl_store_8(out + i, slot, way);
    }
    return tl_reaches_8(most0, end0) | tl_reaches_8(most1, end1);
}

TL_BY_ALL_512 static TL_ALWAYS_INLINE int tl_slots_of_any(const int lanes, const tl_pair *m, int width, const char *from, const char *other,
                                                           size_t n, const int64_t *extent, int64_t *out, enum tl_way way)
{
    if (lanes == 8)
        return other ? tl_long_slots(1, m, from, other, n, extent, out, way) : tl_long_slots(0, m, from, other, n, extent, out, way);
    if (width == 8)
        return tl_slots_of_pairs_8(m, from, other, n, extent, out, way);
    return tl_slots_of_pairs_4(m, from, other, n, extent, out, way);
}

/* The last few of n pairs, which fill no vector, are moved aside. */
TL_BY_ALL_512 static TL_ALWAYS_INLINE int tl_slots_of_two(const int lanes, const tl_pair *m, const tl_column *c, int64_t begin, size_t n,
                                            const int64_t *extent, int64_t *out, enum tl_way way)
{
    const size_t rest = n % (size_t)lanes, whole = n - rest, step = (size_t)c->step;
    const int width = -c->kind;
    const char *from = c->at + begin * c->step, *other = c->step == width ? c[1].at + begin * c->step : NULL;
    int outside = tl_slots_of_any(lanes, m, width, from, other, whole, extent, out, way);
    if (rest) {
        char left[256] = {0}, left_other[128] = {0};
        int64_t slots[16];
        memcpy(left, from + whole * step, rest * step);
        if (other)
            memcpy(left_other, other + whole * step, rest * step);
        outside |= tl_slots_of_any(lanes, m, width, left, other ? left_other : NULL, (size_t)lanes, extent, slots, TL_STORED);
        memcpy(out + whole, slots, rest * sizeof *slots);
    }
    return outside;
}

TL_BY_ALL_512 static int tl_slots_of_pairs_512_32(const tl_pair *m, const tl_column *c, int64_t begin, size_t n, const int64_t *extent,
                                              int64_t *out, enum tl_way way)
{
    return tl_slots_of_two(16, m, c, begin, n, extent, out, way);
}
TL_BY_ALL_512 static int tl_slots_of_pairs_512_64(const tl_pair *m, const tl_column *c, int64_t begin, size_t n, const int64_t *extent,
                                              int64_t *out, enum tl_way way)
{
    return tl_slots_of_two(8, m, c, begin, n, extent, out, way);
}

/* Pairs of slots by as many moves to each or by parts; whether a slot is outside or holds none. */
#define TL_DEFINE_PAIRS_OF_SLOTS(WIDTH)                                                                         \
    TL_BY_ALL_512 static TL_ALWAYS_INLINE int tl_pairs_by_##WIDTH(                                            \
        const int K, const tl_pair *m, const char *from, size_t n, const int64_t *extent, int64_t *out, enum tl_way way) \
    {                                                                                                           \
        const __m512i by_turns = _mm512_setr_epi32(0, 0, 16, 0, 1, 0, 17, 0, 2, 0, 18, 0, 3, 0, 19, 0);         \
        __m512i most = _mm512_setzero_si512(), most0 = most, most1 = most, hole = most;                         \
        __m512i left[2][TL_PAIR_MOVES], mask[2][TL_PAIR_MOVES];                                                 \
        const enum tl_asking asks = tl_asking_by(way, 0);                                                       \
        tl_spread_moves(K, m, left, mask);                                                                      \
        for (size_t i = 0; i < n; i += 16) {                                                                    \
            __m512i slot = tl_take_16_##WIDTH(from + i * WIDTH, asks, &most), x = _mm512_setzero_si512(), y = x; \
            for (int k = 0; k < K; k++) { /* x ^ (moved & mask) */                                              \
                x = _mm512_ternarylogic_epi32(x, _mm512_rolv_epi32(slot, left[0][k]), mask[0][k], 0x78);        \
                y = _mm512_ternarylogic_epi32(y, _mm512_rolv_epi32(slot, left[1][k]), mask[1][k], 0x78);        \
            }                                                                                                   \
            if (!K)                                                                                             \
                tl_take_apart(slot, m->part, m->part_end, &x, &y, &hole);                                       \
            most0 = _mm512_max_epu32(most0, x);                                                                 \
            most1 = _mm512_max_epu32(most1, y);                                                                 \
            for (int k = 0; k < 16; k += 4)                                                                     \
                tl_store_8(out + 2 * (i + k),                                                                   \
                           _mm512_maskz_permutex2var_epi32(0x5555, x, _mm512_add_epi32(by_turns, _mm512_set1_epi32(k)), y), way); \
        }                                                                                                       \
        return tl_reaches_##WIDTH(most, tl_all_##WIDTH(extent[2])) | tl_reaches_4(most0, tl_all_4(extent[0])) | \
               tl_reaches_4(most1, tl_all_4(extent[1])) | (_mm512_movepi32_mask(hole) != 0);                    \
    }                                                                                                           \
    TL_BY_ALL_512 static TL_ALWAYS_INLINE int tl_pairs_of_slots_##WIDTH(const tl_pair *m, const char *from, size_t n, const int64_t *extent, \
                                                      int64_t *out, enum tl_way way)                                   \
    {                                                                                                           \
        switch (m->moves) {                                                                                     \
        case 0: return tl_pairs_by_##WIDTH(0, m, from, n, extent, out, way);                                   \
        case 1: return tl_pairs_by_##WIDTH(1, m, from, n, extent, out, way);                                   \
        case 2: return tl_pairs_by_##WIDTH(2, m, from, n, extent, out, way);                                   \
        case 3: return tl_pairs_by_##WIDTH(3, m, from, n, extent, out, way);                                   \
        default: return tl_pairs_by_##WIDTH(4, m, from, n, extent, out, way);                                  \
        }                                                                                                       \
    }
TL_DEFINE_PAIRS_OF_SLOTS(4)
TL_DEFINE_PAIRS_OF_SLOTS(8)

TL_BY_ALL_512 static int tl_pairs_of_slots_512(const tl_pair *m, tl_kind kind, const char *from, size_t n, const int64_t *extent,
                                           int64_t *out, enum tl_way way)
{
    const size_t whole = n & ~(size_t)15, width = (size_t)-kind;
    int bad = kind == -4 ? tl_pairs_of_slots_4(m, from, whole, extent, out, way) : tl_pairs_of_slots_8(m, from, whole, extent, out, way);
    if (whole < n) {
        char left[128];
        int64_t pairs[32];
        for (size_t i = 0; i < 16; i++)
            memcpy(left + i * width, from + (whole + i < n ? whole + i : whole) * width, width);
        bad |= kind == -4 ? tl_pairs_of_slots_4(m, left, 16, extent, pairs, TL_STORED)
                          : tl_pairs_of_slots_8(m, left, 16, extent, pairs, TL_STORED);
        memcpy(out + 2 * whole, pairs, 2 * (n - whole) * sizeof *pairs);
    }
    return bad;
}

/* 16 pairs to a register each, in their order. */
TL_BY_ALL_512 static TL_ALWAYS_INLINE void tl_move_16_pairs(const char *from, enum tl_asking asks, __m512i *most, uint32_t *to0, uint32_t *to1)
{
    const __m512i even_then_odd = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 2, 6, 10, 14, 18, 22, 26, 30);
    __m512i x[4];
    tl_take_all_8(4, from, asks, most, x);
    x[0] = _mm512_permutex2var_epi32(x[0], even_then_odd, x[1]);
    x[2] = _mm512_permutex2var_epi32(x[2], even_then_odd, x[3]);
    _mm512_storeu_si512(to0, _mm512_shuffle_i64x2(x[0], x[2], 0x44));
    _mm512_storeu_si512(to1, _mm512_shuffle_i64x2(x[0], x[2], 0xee));
}

TL_BY_ALL_512 static int tl_load_pairs_512_32(tl_kind kind, const char *from, size_t n, const int64_t *extent, void *to0, void *to1)
{
    if (kind == -4 || kind == 4)
        return tl_load_pair_in_32(kind, from, n, extent, to0, to1);
    const size_t whole = n & ~(size_t)15;
    const enum tl_asking asks = tl_asks_late() ? TL_FAR : TL_NOTHING;
    __m512i most = _mm512_setzero_si512();
    for (size_t i = 0; i < whole; i += 16)
        tl_move_16_pairs(from + 16 * i, asks, &most, (uint32_t *)to0 + i, (uint32_t *)to1 + i);
    if (whole < n) {
        char left[256] = {0};
        memcpy(left, from + 16 * whole, 16 * (n - whole));
        tl_move_16_pairs(left, TL_NOTHING, &most, (uint32_t *)to0 + whole, (uint32_t *)to1 + whole);
    }
    return tl_reaches_8(most, tl_pairs_8(extent));
}

/* Slots as int64. */
#define TL_DEFINE_STORE_512(BITS, LOAD)                                                                         \
    TL_BY_ALL_512 static void tl_store_slots_512_##BITS(int64_t *to, const void *slots, size_t n, enum tl_way way)         \
    {                                                                                                           \
        const uint##BITS##_t *slot = (const uint##BITS##_t *)slots;                                             \
        size_t i = 0;                                                                                           \
        for (; i + 8 <= n; i += 8)                                                                              \
            tl_store_8(to + i, LOAD(slot + i), way);                                                           \
        for (; i < n; i++)                                                                                      \
            to[i] = (int64_t)slot[i];                                                                           \
    }
#define TL_LOAD_8_32(AT) _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)(AT)))
#define TL_LOAD_8_64(AT) _mm512_loadu_si512(AT)
TL_DEFINE_STORE_512(32, TL_LOAD_8_32)
TL_DEFINE_STORE_512(64, TL_LOAD_8_64)

/* Two columns side by side, as int64, none of them negative. */
TL_BY_ALL_512 static void tl_store_pairs_512_32(int64_t *to, const void *x, const void *y, size_t n, enum tl_way way)
{
    const __m512i by_turns = _mm512_setr_epi32(0, 0, 16, 0, 1, 0, 17, 0, 2, 0, 18, 0, 3, 0, 19, 0), four = _mm512_set1_epi32(4);
    for (size_t i = 0; i < n; i += 16) {
        __m512i a = _mm512_loadu_si512((const uint32_t *)x + i), b = _mm512_loadu_si512((const uint32_t *)y + i), which = by_turns;
        for (size_t k = i; k < i + 16; k += 4, which = _mm512_add_epi32(which, four)) {
            __m512i pairs = _mm512_maskz_permutex2var_epi32(0x5555, a, which, b);
            if (k + 4 <= n)
                tl_store_8(to + 2 * k, pairs, way);
            else if (k < n)
                _mm512_mask_storeu_epi64(to + 2 * k, (__mmask8)((1 << 2 * (n - k)) - 1), pairs);
        }
    }
}

/* The same of lanes of 64 bits. */
TL_BY_ALL_512 static void tl_store_pairs_512_64(int64_t *to, const void *x, const void *y, size_t n, enum tl_way way)
{
    const __m512i first = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), rest = _mm512_add_epi64(first, _mm512_set1_epi64(4));
    const size_t whole = n & ~(size_t)7;
    for (size_t i = 0; i < whole; i += 8) {
        const __m512i a = _mm512_loadu_si512((const int64_t *)x + i), b = _mm512_loadu_si512((const int64_t *)y + i);
        tl_store_8(to + 2 * i, _mm512_permutex2var_epi64(a, first, b), way);
        tl_store_8(to + 2 * i + 8, _mm512_permutex2var_epi64(a, rest, b), way);
    }
    tl_store_pairs_in_64(to + 2 * whole, (const int64_t *)x + whole, (const int64_t *)y + whole, n - whole, way);
}

#endif
