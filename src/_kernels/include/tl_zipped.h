/* Rows that are zipped to one of tuples, and taken apart again, in registers: as many as a power of two. */
#ifndef TL_ZIPPED_H
#define TL_ZIPPED_H

#include "tl_wide.h"

#ifdef TL_WIDE

#if TL_MASKED
/* K rows as K vectors that hold a row of K-tuples: each is zipped lane by lane, so of each the pieces that are zipped together go one to each
 * lane first; where these are small, lanes change places afterwards. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_to_each_lane_2(__m512i x)
{
    return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7), x);
}
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_to_each_lane_4(__m512i x)
{
    return _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), x);
}
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_to_each_lane_8(__m512i x) { return x; }
TL_BY_512 static TL_ALWAYS_INLINE void tl_in_order_2(__m512i *a) { (void)a; }
TL_BY_512 static TL_ALWAYS_INLINE void tl_in_order_4(__m512i *a) { (void)a; }
TL_BY_512 static TL_ALWAYS_INLINE void tl_in_order_8(__m512i *a)
{
    __m512i b[8];
    tl_turn_lanes(a), tl_turn_lanes(a + 4);
    for (int j = 0; j < 4; j++)
        b[2 * j] = a[j], b[2 * j + 1] = a[4 + j];
    for (int j = 0; j < 8; j++)
        a[j] = b[j];
}
#define TL_DEFINE_ZIPPED(W, K, IN, SI)                                                                          \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_zipped_##W##_##K(__m512i *a)                                      \
    {                                                                                                           \
        __m512i b[K];                                                                                           \
        for (int j = 0; j < K; j++)                                                                             \
            a[j] = tl_to_each_lane_##K(a[j]);                                                                   \
        TL_LADDER(_mm512, K, IN, SI)                                                                            \
        tl_in_order_##K(a);                                                                                     \
    }
#else
/* K rows as K vectors that hold a row of K-tuples: half by half, each zipped lane by lane, and then the lanes of both in order. */
#define TL_DEFINE_ZIPPED(W, K, IN, SI)                                                                          \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_zipped_##W##_##K(__m512i *a)                                      \
    {                                                                                                           \
        __m256i half[2][K], b[K], lines[2 * K];                                                                 \
        for (int j = 0; j < K; j++)                                                                             \
            half[0][j] = a[j].low, half[1][j] = a[j].high;                                                      \
        for (int h = 0; h < 2; h++) {                                                                           \
            __m256i *a = half[h];                                                                               \
            TL_LADDER(_mm256, K, IN, SI)                                                                        \
            for (int j = 0; j < K / 2; j++) {                                                                   \
                lines[h * K + j] = _mm256_permute2x128_si256(a[2 * j], a[2 * j + 1], 0x20);                     \
                lines[h * K + K / 2 + j] = _mm256_permute2x128_si256(a[2 * j], a[2 * j + 1], 0x31);             \
            }                                                                                                   \
        }                                                                                                       \
        for (int j = 0; j < K; j++)                                                                             \
            a[j] = TL_PAIR_OF(lines[2 * j], lines[2 * j + 1]);                                                  \
    }
#endif
TL_DEFINE_ZIPPED(1, 2, 1, 8)
TL_DEFINE_ZIPPED(1, 4, 2, 8)
TL_DEFINE_ZIPPED(1, 8, 3, 8)
TL_DEFINE_ZIPPED(2, 2, 1, 16)
TL_DEFINE_ZIPPED(2, 4, 2, 16)
TL_DEFINE_ZIPPED(4, 2, 1, 32)
TL_DEFINE_ZIPPED(4, 4, 2, 32)
TL_DEFINE_ZIPPED(8, 2, 1, 64)

/* K vectors that hold a row of K-tuples, as K rows: within lanes the elements of each row come together, and then pieces of lanes. */
#if TL_MASKED
TL_BY_512 static TL_ALWAYS_INLINE void tl_pieces_apart_2(__m512i *a)
{
    __m512i first = _mm512_permutex2var_epi64(a[0], _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), a[1]);
    a[1] = _mm512_permutex2var_epi64(a[0], _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15), a[1]);
    a[0] = first;
}
TL_BY_512 static TL_ALWAYS_INLINE void tl_pieces_apart_4(__m512i *a)
{
    for (int j = 0; j < 4; j++)
        a[j] = tl_to_each_lane_4(a[j]);
    tl_turn_lanes(a);
}
TL_BY_512 static TL_ALWAYS_INLINE void tl_pieces_apart_8(__m512i *a)
{
    __m512i words = _mm512_set_epi16(31, 23, 15, 7, 30, 22, 14, 6, 29, 21, 13, 5, 28, 20, 12, 4,
                                     27, 19, 11, 3, 26, 18, 10, 2, 25, 17, 9, 1, 24, 16, 8, 0);
    for (int j = 0; j < 8; j++)
        a[j] = _mm512_permutexvar_epi16(words, a[j]);
    tl_turn_halves(a);
}
#else
TL_BY_512 static TL_ALWAYS_INLINE void tl_pieces_apart_2(__m512i *a)
{
    __m256i x[4];
    for (int j = 0; j < 2; j++) {
        x[j] = _mm256_permute4x64_epi64(_mm256_unpacklo_epi64(a[j].low, a[j].high), 0xd8);
        x[2 + j] = _mm256_permute4x64_epi64(_mm256_unpackhi_epi64(a[j].low, a[j].high), 0xd8);
    }
    a[0] = TL_PAIR_OF(x[0], x[1]), a[1] = TL_PAIR_OF(x[2], x[3]);
}
TL_BY_512 static TL_ALWAYS_INLINE void tl_pieces_apart_4(__m512i *a)
{
    __m256i words = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    for (int j = 0; j < 4; j++)
        a[j] = TL_PAIR_OF(_mm256_permutevar8x32_epi32(_mm256_unpacklo_epi32(a[j].low, a[j].high), words),
                          _mm256_permutevar8x32_epi32(_mm256_unpackhi_epi32(a[j].low, a[j].high), words));
    tl_turn_lanes(a);
}
TL_BY_256 static TL_ALWAYS_INLINE __m256i tl_quads_apart(__m256i x)
{
    x = _mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    return _mm256_shufflehi_epi16(_mm256_shufflelo_epi16(x, 0xd8), 0xd8);
}
TL_BY_512 static TL_ALWAYS_INLINE void tl_pieces_apart_8(__m512i *a)
{
    for (int j = 0; j < 8; j++)
        a[j] = TL_PAIR_OF(tl_quads_apart(_mm256_unpacklo_epi16(a[j].low, a[j].high)),
                          tl_quads_apart(_mm256_unpackhi_epi16(a[j].low, a[j].high)));
    tl_turn_halves(a);
}
#endif
#define TL_DEFINE_APART(W, K, ...)                                                                              \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_apart_##W##_##K(__m512i *a)                                       \
    {                                                                                                           \
        for (int j = 0; j < K; j++)                                                                             \
            a[j] = _mm512_shuffle_epi8(a[j], _mm512_broadcast_i32x4(_mm_setr_epi8(__VA_ARGS__)));               \
        tl_pieces_apart_##K(a);                                                                                 \
    }
TL_DEFINE_APART(1, 2, 0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15)
TL_DEFINE_APART(1, 4, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15)
TL_DEFINE_APART(1, 8, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15)
TL_DEFINE_APART(2, 2, 0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15)
TL_DEFINE_APART(2, 4, 0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15)
TL_DEFINE_APART(4, 2, 0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15)

TL_BY_512 static TL_ALWAYS_INLINE void tl_apart_4_4(__m512i *a) { tl_pieces_apart_4(a); }
TL_BY_512 static TL_ALWAYS_INLINE void tl_apart_8_2(__m512i *a) { tl_pieces_apart_2(a); }

#endif

#endif
