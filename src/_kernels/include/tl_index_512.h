/* The busiest loops of index queries in vectors of 64 bytes, which rotate lanes and pick among those of two. */
#ifndef TL_INDEX_512_H
#define TL_INDEX_512_H

#include <immintrin.h>

/* K moves to one target, of n lanes rounded up to whole vectors. */
#define TL_DEFINE_MOVES_512(BITS)                                                                                                          \
    TL_BY_512 TL_INLINE void tl_some_moves_512_##BITS(const int K, const tl_move *m, char *reg, int64_t size, size_t n)                    \
    {                                                                                                                                      \
        __m512i left[6], mask[6], *to = (__m512i *)(reg + m->target * size);                                                               \
        const __m512i *from[6];                                                                                                            \
        for (int k = 0; k < K; k++) {                                                                                                      \
            left[k] = _mm512_set1_epi##BITS(m[k].left);                                                                                    \
            mask[k] = _mm512_set1_epi##BITS((int64_t)m[k].mask);                                                                           \
            from[k] = (const __m512i *)(reg + m[k].source * size);                                                                         \
        }                                                                                                                                  \
        for (size_t i = 0; i < (n * BITS + 511) / 512; i++) {                                                                              \
            __m512i x = to[i];                                                                                                             \
            for (int k = 0; k < K; k++) /* x ^ (moved & mask) */                                                                           \
                x = _mm512_ternarylogic_epi64(x, _mm512_rolv_epi##BITS(from[k][i], left[k]), mask[k], 0x78);                               \
            to[i] = x;                                                                                                                     \
        }                                                                                                                                  \
    }                                                                                                                                      \
    TL_BY_512 static void tl_moves_512_##BITS(const tl_move *m, const tl_move *end, void *reg, size_t n)                                   \
    {                                                                                                                                      \
        const int64_t size = TL_BLOCK * BITS / 8;                                                                                          \
        while (m < end) {                                                                                                                  \
            int together = 1;                                                                                                              \
            while (together < 6 && m + together < end && m[together].target == m->target)                                                  \
                together++;                                                                                                                \
            switch (together) {                                                                                                            \
            case 1: tl_some_moves_512_##BITS(1, m, reg, size, n); break;                                                                   \
            case 2: tl_some_moves_512_##BITS(2, m, reg, size, n); break;                                                                   \
            case 3: tl_some_moves_512_##BITS(3, m, reg, size, n); break;                                                                   \
            case 4: tl_some_moves_512_##BITS(4, m, reg, size, n); break;                                                                   \
            case 5: tl_some_moves_512_##BITS(5, m, reg, size, n); break;                                                                   \
            default: tl_some_moves_512_##BITS(6, m, reg, size, n);                                                                         \
            }                                                                                                                              \
            m += together;                                                                                                                 \
        }                                                                                                                                  \
    }
TL_DEFINE_MOVES_512(32)
TL_DEFINE_MOVES_512(64)

/* 16 pairs into two vectors of lanes of 32 bits; `outside` has a top bit set where one is outside. */
TL_BY_512 TL_INLINE void tl_take_16_pairs_4(const char *from, __m512i last, __m512i *outside, __m512i *x, __m512i *y)
{
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    __m512i a = _mm512_loadu_si512(from), b = _mm512_loadu_si512(from + 64);
    *outside = _mm512_ternarylogic_epi32(*outside, a, _mm512_sub_epi32(last, a), 0xfe); /* or */
    *outside = _mm512_ternarylogic_epi32(*outside, b, _mm512_sub_epi32(last, b), 0xfe);
    *x = _mm512_permutex2var_epi32(a, even, b);
    *y = _mm512_permutex2var_epi32(a, _mm512_add_epi32(even, _mm512_set1_epi32(1)), b);
}
TL_BY_512 TL_INLINE void tl_take_16_pairs_8(const char *from, __m512i last, __m512i *outside, __m512i *to0, __m512i *to1)
{
    const __m512i even_then_odd = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 2, 6, 10, 14, 18, 22, 26, 30);
    __m512i x[4];
    for (int k = 0; k < 4; k++) {
        x[k] = _mm512_loadu_si512(from + 64 * k);
        *outside = _mm512_ternarylogic_epi64(*outside, x[k], _mm512_sub_epi64(last, x[k]), 0xfe); /* or */
    }
    x[0] = _mm512_permutex2var_epi32(x[0], even_then_odd, x[1]);
    x[2] = _mm512_permutex2var_epi32(x[2], even_then_odd, x[3]);
    *to0 = _mm512_shuffle_i64x2(x[0], x[2], 0x44);
    *to1 = _mm512_shuffle_i64x2(x[0], x[2], 0xee);
}

TL_BY_512 TL_INLINE __m512i tl_lasts_4(const int64_t *extent)
{
    return _mm512_set1_epi64((int64_t)((uint64_t)(extent[1] - 1) << 32 | (uint32_t)(extent[0] - 1)));
}
TL_BY_512 TL_INLINE __m512i tl_lasts_8(const int64_t *extent)
{
    return _mm512_broadcast_i32x4(_mm_set_epi64x(extent[1] - 1, extent[0] - 1));
}
TL_BY_512 TL_INLINE int tl_tops_4(__m512i x) { return _mm512_movepi32_mask(x) != 0; }
TL_BY_512 TL_INLINE int tl_tops_8(__m512i x) { return _mm512_movepi64_mask(x) != 0; }

/* 16 slots, or coordinates of one axis, in lanes of 32 bits. */
TL_BY_512 TL_INLINE __m512i tl_take_16_4(const char *from, __m512i last, __m512i *outside)
{
    __m512i x = _mm512_loadu_si512(from);
    *outside = _mm512_ternarylogic_epi32(*outside, x, _mm512_sub_epi32(last, x), 0xfe); /* or */
    return x;
}
TL_BY_512 TL_INLINE __m512i tl_take_8_and_8(const char *from, __m512i last0, __m512i last1, __m512i *outside)
{
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    __m512i a = _mm512_loadu_si512(from), b = _mm512_loadu_si512(from + 64);
    *outside = _mm512_ternarylogic_epi64(*outside, a, _mm512_sub_epi64(last0, a), 0xfe);
    *outside = _mm512_ternarylogic_epi64(*outside, b, _mm512_sub_epi64(last1, b), 0xfe);
    return _mm512_permutex2var_epi32(a, even, b);
}
TL_BY_512 TL_INLINE __m512i tl_take_16_8(const char *from, __m512i last, __m512i *outside)
{
    return tl_take_8_and_8(from, last, last, outside);
}
TL_BY_512 TL_INLINE __m512i tl_last_4(int64_t last) { return _mm512_set1_epi32((int)last); }
TL_BY_512 TL_INLINE __m512i tl_last_8(int64_t last) { return _mm512_set1_epi64(last); }

/* 16 integers, past the caches if `past`. */
TL_BY_512 TL_INLINE void tl_store_16(int64_t *to, __m512i x, __m512i y, int past)
{
    if (past) {
        _mm512_stream_si512((void *)to, x);
        _mm512_stream_si512((void *)(to + 8), y);
    } else {
        _mm512_storeu_si512(to, x);
        _mm512_storeu_si512(to + 8, y);
    }
}

TL_BY_512 TL_INLINE void tl_spread_moves(const int K, const tl_pair_moves *m, __m512i (*left)[TL_PAIR_MOVES], __m512i (*mask)[TL_PAIR_MOVES])
{
    for (int a = 0; a < 2; a++)
        for (int k = 0; k < K; k++) {
            left[a][k] = _mm512_set1_epi32(m->left[a][k]);
            mask[a][k] = _mm512_set1_epi32((int)m->mask[a][k]);
        }
}

/* Slots of pairs by as many moves of each, side by side or, where `other` is not NULL, apart; whether one is outside. */
#define TL_DEFINE_SLOTS_OF_PAIRS(WIDTH)                                                                                                    \
    TL_BY_512 TL_INLINE int tl_slots_by_##WIDTH(const int K, const int apart, const tl_pair_moves *m, const char *from, const char *other, \
                                                size_t n, const int64_t *extent, int64_t *out, int past)                                   \
    {                                                                                                                                      \
        const __m512i last = tl_lasts_##WIDTH(extent), last0 = tl_last_##WIDTH(extent[0] - 1), last1 = tl_last_##WIDTH(extent[1] - 1);     \
        __m512i outside = _mm512_setzero_si512(), left[2][TL_PAIR_MOVES], mask[2][TL_PAIR_MOVES];                                          \
        tl_spread_moves(K, m, left, mask);                                                                                                 \
        for (size_t i = 0; i < n; i += 16) {                                                                                               \
            __m512i x, y, slot = _mm512_setzero_si512();                                                                                   \
            if (apart) {                                                                                                                   \
                x = tl_take_16_##WIDTH(from + i * WIDTH, last0, &outside);                                                                 \
                y = tl_take_16_##WIDTH(other + i * WIDTH, last1, &outside);                                                                \
            } else                                                                                                                         \
                tl_take_16_pairs_##WIDTH(from + i * 2 * WIDTH, last, &outside, &x, &y);                                                    \
            for (int k = 0; k < K; k++) { /* slot ^ (moved & mask) */                                                                      \
                slot = _mm512_ternarylogic_epi32(slot, _mm512_rolv_epi32(x, left[0][k]), mask[0][k], 0x78);                                \
                slot = _mm512_ternarylogic_epi32(slot, _mm512_rolv_epi32(y, left[1][k]), mask[1][k], 0x78);                                \
            }                                                                                                                              \
            x = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(slot));                                                                       \
            y = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(slot, 1));                                                                 \
            tl_store_16(out + i, x, y, past);                                                                                              \
        }                                                                                                                                  \
        return tl_tops_##WIDTH(outside);                                                                                                   \
    }                                                                                                                                      \
    TL_BY_512 TL_INLINE int tl_slots_of_pairs_##WIDTH(const tl_pair_moves *m, const char *from, const char *other, size_t n,               \
                                                      const int64_t *extent, int64_t *out, int past)                                       \
    {                                                                                                                                      \
        switch (2 * m->moves + (other != NULL)) {                                                                                          \
        case 2: return tl_slots_by_##WIDTH(1, 0, m, from, other, n, extent, out, past);                                                    \
        case 3: return tl_slots_by_##WIDTH(1, 1, m, from, other, n, extent, out, past);                                                    \
        case 4: return tl_slots_by_##WIDTH(2, 0, m, from, other, n, extent, out, past);                                                    \
        case 5: return tl_slots_by_##WIDTH(2, 1, m, from, other, n, extent, out, past);                                                    \
        case 6: return tl_slots_by_##WIDTH(3, 0, m, from, other, n, extent, out, past);                                                    \
        case 7: return tl_slots_by_##WIDTH(3, 1, m, from, other, n, extent, out, past);                                                    \
        case 8: return tl_slots_by_##WIDTH(4, 0, m, from, other, n, extent, out, past);                                                    \
        default: return tl_slots_by_##WIDTH(4, 1, m, from, other, n, extent, out, past);                                                   \
        }                                                                                                                                  \
    }
TL_DEFINE_SLOTS_OF_PAIRS(4)
TL_DEFINE_SLOTS_OF_PAIRS(8)

/* The same of int64 in lanes of 64 bits. */
TL_BY_512 TL_INLINE int tl_long_slots(const int apart, const tl_pair_moves *m, const char *from, const char *other, size_t n,
                                      const int64_t *extent, int64_t *out, int past)
{
    const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), odd = _mm512_add_epi64(even, _mm512_set1_epi64(1));
    const __m512i last0 = apart ? tl_last_8(extent[0] - 1) : tl_lasts_8(extent), last1 = apart ? tl_last_8(extent[1] - 1) : last0;
    __m512i outside = _mm512_setzero_si512();
    for (size_t i = 0; i < n; i += 8) {
        const __m512i a = _mm512_loadu_si512(apart ? from + 8 * i : from + 16 * i);
        const __m512i b = _mm512_loadu_si512(apart ? other + 8 * i : from + 16 * i + 64);
        const __m512i x = apart ? a : _mm512_permutex2var_epi64(a, even, b), y = apart ? b : _mm512_permutex2var_epi64(a, odd, b);
        __m512i slot = _mm512_setzero_si512();
        outside = _mm512_ternarylogic_epi64(outside, a, _mm512_sub_epi64(last0, a), 0xfe); /* or */
        outside = _mm512_ternarylogic_epi64(outside, b, _mm512_sub_epi64(last1, b), 0xfe);
        for (int k = 0; k < m->moves; k++) { /* slot ^ (moved & mask) */
            const __m512i left0 = _mm512_set1_epi64(m->left[0][k]), mask0 = _mm512_set1_epi64((int64_t)m->mask[0][k]);
            const __m512i left1 = _mm512_set1_epi64(m->left[1][k]), mask1 = _mm512_set1_epi64((int64_t)m->mask[1][k]);
            slot = _mm512_ternarylogic_epi64(slot, _mm512_rolv_epi64(x, left0), mask0, 0x78);
            slot = _mm512_ternarylogic_epi64(slot, _mm512_rolv_epi64(y, left1), mask1, 0x78);
        }
        if (past)
            _mm512_stream_si512((void *)(out + i), slot);
        else
            _mm512_storeu_si512(out + i, slot);
    }
    return tl_tops_8(outside);
}

TL_BY_512 TL_INLINE int tl_slots_of_any(const int lanes, const tl_pair_moves *m, int width, const char *from, const char *other, size_t n,
                                        const int64_t *extent, int64_t *out, int past)
{
    if (lanes == 8)
        return other ? tl_long_slots(1, m, from, other, n, extent, out, past) : tl_long_slots(0, m, from, other, n, extent, out, past);
    if (width == 8)
        return tl_slots_of_pairs_8(m, from, other, n, extent, out, past);
    return tl_slots_of_pairs_4(m, from, other, n, extent, out, past);
}

/* The last few of n pairs, which fill no vector, are moved aside. */
TL_BY_512 TL_INLINE int tl_slots_of_columns(const int lanes, const tl_pair_moves *m, const tl_column *c, int64_t begin, size_t n,
                                            const int64_t *extent, int64_t *out, int past)
{
    const size_t rest = n % (size_t)lanes, whole = n - rest, step = (size_t)c->step;
    const int width = -c->kind;
    const char *from = c->at + begin * c->step, *other = c->step == width ? c[1].at + begin * c->step : NULL;
    int outside = tl_slots_of_any(lanes, m, width, from, other, whole, extent, out, past);
    if (rest) {
        char left[256] = {0}, left_other[128] = {0};
        int64_t slots[16];
        memcpy(left, from + whole * step, rest * step);
        if (other)
            memcpy(left_other, other + whole * step, rest * step);
        outside |= tl_slots_of_any(lanes, m, width, left, other ? left_other : NULL, (size_t)lanes, extent, slots, 0);
        memcpy(out + whole, slots, rest * sizeof *slots);
    }
    return outside;
}

TL_BY_512 static int tl_slots_of_pairs_512_32(const tl_pair_moves *m, const tl_column *c, int64_t begin, size_t n, const int64_t *extent,
                                              int64_t *out, int past)
{
    return tl_slots_of_columns(16, m, c, begin, n, extent, out, past);
}
TL_BY_512 static int tl_slots_of_pairs_512_64(const tl_pair_moves *m, const tl_column *c, int64_t begin, size_t n, const int64_t *extent,
                                              int64_t *out, int past)
{
    return tl_slots_of_columns(8, m, c, begin, n, extent, out, past);
}

/* Pairs of slots by as many moves to each; whether a slot is outside or holds none. */
#define TL_DEFINE_PAIRS_OF_SLOTS(WIDTH)                                                                                                    \
    TL_BY_512 TL_INLINE int tl_pairs_by_##WIDTH(const int K, const tl_pair_moves *m, const char *from, size_t n, const int64_t *extent,    \
                                                int64_t *out)                                                                              \
    {                                                                                                                                      \
        const __m512i last = tl_last_##WIDTH(extent[2] - 1);                                                                               \
        const __m512i last0 = _mm512_set1_epi32((int)(extent[0] - 1)), last1 = _mm512_set1_epi32((int)(extent[1] - 1));                    \
        const __m512i by_turns = _mm512_setr_epi32(0, 0, 16, 0, 1, 0, 17, 0, 2, 0, 18, 0, 3, 0, 19, 0);                                    \
        __m512i outside = _mm512_setzero_si512(), hole = outside, left[2][TL_PAIR_MOVES], mask[2][TL_PAIR_MOVES];                          \
        tl_spread_moves(K, m, left, mask);                                                                                                 \
        for (size_t i = 0; i < n; i += 16) {                                                                                               \
            __m512i slot = tl_take_16_##WIDTH(from + i * WIDTH, last, &outside), x = _mm512_setzero_si512(), y = x;                        \
            for (int k = 0; k < K; k++) { /* x ^ (moved & mask) */                                                                         \
                x = _mm512_ternarylogic_epi32(x, _mm512_rolv_epi32(slot, left[0][k]), mask[0][k], 0x78);                                   \
                y = _mm512_ternarylogic_epi32(y, _mm512_rolv_epi32(slot, left[1][k]), mask[1][k], 0x78);                                   \
            }                                                                                                                              \
            hole = _mm512_ternarylogic_epi32(hole, _mm512_sub_epi32(last0, x), _mm512_sub_epi32(last1, y), 0xfe); /* or */                 \
            for (int k = 0; k < 16; k += 4)                                                                                                \
                _mm512_storeu_si512(out + 2 * (i + k), _mm512_maskz_permutex2var_epi32(                                                    \
                                                           0x5555, x, _mm512_add_epi32(by_turns, _mm512_set1_epi32(k)), y));               \
        }                                                                                                                                  \
        return tl_tops_##WIDTH(outside) | tl_tops_4(hole);                                                                                 \
    }                                                                                                                                      \
    TL_BY_512 TL_INLINE int tl_pairs_of_slots_##WIDTH(const tl_pair_moves *m, const char *from, size_t n, const int64_t *extent,           \
                                                      int64_t *out)                                                                        \
    {                                                                                                                                      \
        switch (m->moves) {                                                                                                                \
        case 1: return tl_pairs_by_##WIDTH(1, m, from, n, extent, out);                                                                    \
        case 2: return tl_pairs_by_##WIDTH(2, m, from, n, extent, out);                                                                    \
        case 3: return tl_pairs_by_##WIDTH(3, m, from, n, extent, out);                                                                    \
        default: return tl_pairs_by_##WIDTH(4, m, from, n, extent, out);                                                                   \
        }                                                                                                                                  \
    }
TL_DEFINE_PAIRS_OF_SLOTS(4)
TL_DEFINE_PAIRS_OF_SLOTS(8)

TL_BY_512 static int tl_pairs_of_slots_512(const tl_pair_moves *m, tl_kind kind, const char *from, size_t n, const int64_t *extent,
                                           int64_t *out)
{
    const size_t whole = n & ~(size_t)15, width = (size_t)-kind;
    int bad = kind == -4 ? tl_pairs_of_slots_4(m, from, whole, extent, out) : tl_pairs_of_slots_8(m, from, whole, extent, out);
    if (whole < n) {
        char left[128];
        int64_t pairs[32];
        for (size_t i = 0; i < 16; i++)
            memcpy(left + i * width, from + (whole + i < n ? whole + i : whole) * width, width);
        bad |= kind == -4 ? tl_pairs_of_slots_4(m, left, 16, extent, pairs) : tl_pairs_of_slots_8(m, left, 16, extent, pairs);
        memcpy(out + 2 * whole, pairs, 2 * (n - whole) * sizeof *pairs);
    }
    return bad;
}

TL_BY_512 static int tl_load_pairs_512_32(tl_kind kind, const char *from, size_t n, const int64_t *extent, void *to0, void *to1)
{
    if (kind == -4 || kind == 4)
        return tl_load_pair_in_32(kind, from, n, extent, to0, to1);
    const __m512i last = tl_lasts_8(extent);
    __m512i outside = _mm512_setzero_si512(), x, y;
    size_t whole = n & ~(size_t)15;
    for (size_t i = 0; i < whole; i += 16) {
        tl_take_16_pairs_8(from + 16 * i, last, &outside, &x, &y);
        _mm512_storeu_si512((uint32_t *)to0 + i, x);
        _mm512_storeu_si512((uint32_t *)to1 + i, y);
    }
    if (whole < n) {
        char left[256] = {0};
        memcpy(left, from + 16 * whole, 16 * (n - whole));
        tl_take_16_pairs_8(left, last, &outside, &x, &y);
        _mm512_storeu_si512((uint32_t *)to0 + whole, x);
        _mm512_storeu_si512((uint32_t *)to1 + whole, y);
    }
    return tl_tops_8(outside);
}

/* Slots as int64, whole lines past the caches if `past`. */
#define TL_DEFINE_STORE_512(BITS, LOAD)                                                                                                    \
    TL_BY_512 static void tl_store_slots_512_##BITS(int64_t *to, const void *slots, size_t n, int past)                                    \
    {                                                                                                                                      \
        const uint##BITS##_t *slot = (const uint##BITS##_t *)slots;                                                                        \
        const size_t head = (size_t)(-(uintptr_t)to & 63) / 8;                                                                             \
        size_t i = 0;                                                                                                                      \
        if (past && (uintptr_t)to % 8 == 0 && n > head) {                                                                                  \
            for (; i < head; i++)                                                                                                          \
                to[i] = (int64_t)slot[i];                                                                                                  \
            for (; i + 8 <= n; i += 8)                                                                                                     \
                _mm512_stream_si512((void *)(to + i), LOAD(slot + i));                                                                     \
        }                                                                                                                                  \
        for (; i < n; i++)                                                                                                                 \
            to[i] = (int64_t)slot[i];                                                                                                      \
    }
#define TL_LOAD_8_32(AT) _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)(AT)))
#define TL_LOAD_8_64(AT) _mm512_loadu_si512(AT)
TL_DEFINE_STORE_512(32, TL_LOAD_8_32)
TL_DEFINE_STORE_512(64, TL_LOAD_8_64)

/* Two columns side by side, as int64, none of them negative. */
TL_BY_512 static void tl_store_pairs_512_32(int64_t *to, const void *x, const void *y, size_t n)
{
    const __m512i by_turns = _mm512_setr_epi32(0, 0, 16, 0, 1, 0, 17, 0, 2, 0, 18, 0, 3, 0, 19, 0), four = _mm512_set1_epi32(4);
    for (size_t i = 0; i < n; i += 16) {
        __m512i a = _mm512_loadu_si512((const uint32_t *)x + i), b = _mm512_loadu_si512((const uint32_t *)y + i), which = by_turns;
        for (size_t k = i; k < i + 16; k += 4, which = _mm512_add_epi32(which, four)) {
            __m512i pairs = _mm512_maskz_permutex2var_epi32(0x5555, a, which, b);
            if (k + 4 <= n)
                _mm512_storeu_si512(to + 2 * k, pairs);
            else if (k < n)
                _mm512_mask_storeu_epi64(to + 2 * k, (__mmask8)((1 << 2 * (n - k)) - 1), pairs);
        }
    }
}

#endif
