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

/* 16 pairs of int64 into two vectors of lanes of 32 bits; `outside` has a top bit set where one is outside. */
TL_BY_512 TL_INLINE void tl_load_16_pairs(const int64_t *from, __m512i last, __m512i *outside, void *to0, void *to1)
{
    const __m512i even_then_odd = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 2, 6, 10, 14, 18, 22, 26, 30);
    __m512i x[4];
    for (int k = 0; k < 4; k++) {
        x[k] = _mm512_loadu_si512(from + 8 * k);
        *outside = _mm512_ternarylogic_epi64(*outside, x[k], _mm512_sub_epi64(last, x[k]), 0xfe); /* or */
    }
    x[0] = _mm512_permutex2var_epi32(x[0], even_then_odd, x[1]);
    x[2] = _mm512_permutex2var_epi32(x[2], even_then_odd, x[3]);
    _mm512_storeu_si512(to0, _mm512_shuffle_i64x2(x[0], x[2], 0x44));
    _mm512_storeu_si512(to1, _mm512_shuffle_i64x2(x[0], x[2], 0xee));
}

TL_BY_512 static int tl_load_pairs_512_32(tl_kind kind, const char *from, size_t n, const int64_t *extent, void *to0, void *to1)
{
    if (kind == -4 || kind == 4)
        return tl_load_pair_in_32(kind, from, n, extent, to0, to1);
    const int64_t last0 = extent[0] - 1, last1 = extent[1] - 1;
    const __m512i last = _mm512_setr_epi64(last0, last1, last0, last1, last0, last1, last0, last1);
    __m512i outside = _mm512_setzero_si512();
    size_t whole = n & ~(size_t)15;
    for (size_t i = 0; i < whole; i += 16)
        tl_load_16_pairs((const int64_t *)from + 2 * i, last, &outside, (uint32_t *)to0 + i, (uint32_t *)to1 + i);
    if (whole < n) {
        int64_t left[32] = {0};
        memcpy(left, from + 16 * whole, 16 * (n - whole));
        tl_load_16_pairs(left, last, &outside, (uint32_t *)to0 + whole, (uint32_t *)to1 + whole);
    }
    return _mm512_movepi64_mask(outside) != 0;
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
