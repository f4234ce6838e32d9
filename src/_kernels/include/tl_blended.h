/* Rows that are zipped to one of tuples, and taken apart again, in registers: as many as no power of two, which square blocks would move with half of
 * their lanes empty.
 *
 * A line has a power of two of elements, so where rows are odd in number no two elements of a line of one row have the same place in lines of
 * tuples. One permutation brings them to these places, or back from there, and blends gather what comes from each line. Where rows are even in
 * number, pairs or fours of them are zipped first, and are wider elements of rows that are odd in number.
 */
#ifndef TL_BLENDED_H
#define TL_BLENDED_H

#include "tl_zipped.h"

/* Whether vectors of this level zip so many rows, if there is a kernel for them: an odd number of rows of bytes by an instruction of its own. */
#define TL_IS_BLENDED_BY_BYTES(WIDTH, ROWS) ((WIDTH) == 1 && (ROWS) % 2 && (ROWS) != 3)
static inline int tl_blends(int level, int width, int64_t rows)
{
    return level >= TL_512 && (!TL_IS_BLENDED_BY_BYTES(width, rows) || tl_permutes_bytes(level));
}

#if TL_MASKED

/* Every K-th place of a line from the first on. */
#define TL_LAST_OF(K) ((uint64_t)1 << 63 / (K) * (K))
#define TL_EVERY(K) ((TL_LAST_OF(K) - 1) / (((uint64_t)1 << (K)) - 1) | TL_LAST_OF(K))

/* The number that K, which is odd, has to be multiplied by for 1 more than a multiple of 64. */
#define TL_INVERSE(K) ((K) * (2 - (K) * (K)))

/* The numbers of a vector's words of eight bytes. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_numbers_of_long_words(void) { return _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7); }

/* Elements of INT, as many as INTS has; NUMBERS are those of their places. */
#define TL_DEFINE_BLENDED(W, K, INT, INTS, NUMBERS, PERMUTED, MASK, BLENDED)                                    \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_zipped_##W##_##K(__m512i *a)                                      \
    {                                                                                                           \
        __m512i x[K];                                                                                           \
        TL_UNROLL                                                                                               \
        for (int k = 0; k < K; k++)                                                                             \
            x[k] = PERMUTED((__m512i)(((INTS)NUMBERS - (INT)k) * (INT)TL_INVERSE(K)), a[k]);                    \
        TL_UNROLL                                                                                               \
        for (int j = 0; j < K; j++) {                                                                           \
            a[j] = x[0];                                                                                        \
            TL_UNROLL                                                                                           \
            for (int k = 1; k < K; k++)                                                                         \
                a[j] = BLENDED((MASK)(TL_EVERY(K) << (k + (K - j) * (TL_LINE / W)) % K), a[j], x[k]);           \
        }                                                                                                       \
    }                                                                                                           \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_apart_##W##_##K(__m512i *a)                                       \
    {                                                                                                           \
        __m512i x[K];                                                                                           \
        TL_UNROLL                                                                                               \
        for (int k = 0; k < K; k++)                                                                             \
            x[k] = a[k];                                                                                        \
        TL_UNROLL                                                                                               \
        for (int j = 0; j < K; j++) {                                                                           \
            a[j] = x[0];                                                                                        \
            TL_UNROLL                                                                                           \
            for (int k = 1; k < K; k++)                                                                         \
                a[j] = BLENDED((MASK)(TL_EVERY(K) << (j + (K - k) * (TL_LINE / W)) % K), a[j], x[k]);           \
            a[j] = PERMUTED((__m512i)((INTS)NUMBERS * (INT)K + (INT)j), a[j]);                                  \
        }                                                                                                       \
    }
#define TL_DEFINE_BLENDED_1(K)                                                                                  \
    TL_DEFINE_BLENDED(1, K, uint8_t, __v64qu, tl_numbers(), tl_permuted_bytes, __mmask64, _mm512_mask_blend_epi8)
#define TL_DEFINE_BLENDED_2(K)                                                                                  \
    TL_DEFINE_BLENDED(2, K, uint16_t, __v32hu, tl_numbers_of_pairs(), _mm512_permutexvar_epi16, __mmask32, _mm512_mask_blend_epi16)
#define TL_DEFINE_BLENDED_4(K)                                                                                  \
    TL_DEFINE_BLENDED(4, K, uint32_t, __v16su, tl_numbers_of_words(), _mm512_permutexvar_epi32, __mmask16, _mm512_mask_blend_epi32)
#define TL_DEFINE_BLENDED_8(K)                                                                                  \
    TL_DEFINE_BLENDED(8, K, uint64_t, __v8du, tl_numbers_of_long_words(), _mm512_permutexvar_epi64, __mmask8, _mm512_mask_blend_epi64)
TL_DEFINE_BLENDED_1(5)
TL_DEFINE_BLENDED_1(7)
TL_DEFINE_BLENDED_1(9)
TL_DEFINE_BLENDED_1(11)
TL_DEFINE_BLENDED_2(3)
TL_DEFINE_BLENDED_2(5)
TL_DEFINE_BLENDED_2(7)
TL_DEFINE_BLENDED_2(9)
TL_DEFINE_BLENDED_2(11)
TL_DEFINE_BLENDED_4(3)
TL_DEFINE_BLENDED_4(5)
TL_DEFINE_BLENDED_4(7)
TL_DEFINE_BLENDED_4(9)
TL_DEFINE_BLENDED_8(3)

/* M * ODD rows, of elements of W bytes, as M-tuples of WM. */
#define TL_DEFINE_BLENDED_TUPLES(W, K, M, WM, ODD)                                                              \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_zipped_##W##_##K(__m512i *a)                                      \
    {                                                                                                           \
        __m512i x[K];                                                                                           \
        TL_UNROLL                                                                                               \
        for (int g = 0; g < ODD; g++) {                                                                         \
            tl_zipped_##W##_##M(a + g * M);                                                                     \
            TL_UNROLL                                                                                           \
            for (int m = 0; m < M; m++)                                                                         \
                x[m * ODD + g] = a[g * M + m];                                                                  \
        }                                                                                                       \
        TL_UNROLL                                                                                               \
        for (int m = 0; m < M; m++)                                                                             \
            tl_zipped_##WM##_##ODD(x + m * ODD);                                                                \
        TL_UNROLL                                                                                               \
        for (int k = 0; k < K; k++)                                                                             \
            a[k] = x[k];                                                                                        \
    }                                                                                                           \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_apart_##W##_##K(__m512i *a)                                       \
    {                                                                                                           \
        __m512i x[K];                                                                                           \
        TL_UNROLL                                                                                               \
        for (int m = 0; m < M; m++) {                                                                           \
            tl_apart_##WM##_##ODD(a + m * ODD);                                                                 \
            TL_UNROLL                                                                                           \
            for (int g = 0; g < ODD; g++)                                                                       \
                x[g * M + m] = a[m * ODD + g];                                                                  \
        }                                                                                                       \
        TL_UNROLL                                                                                               \
        for (int g = 0; g < ODD; g++)                                                                           \
            tl_apart_##W##_##M(x + g * M);                                                                      \
        TL_UNROLL                                                                                               \
        for (int k = 0; k < K; k++)                                                                             \
            a[k] = x[k];                                                                                        \
    }
TL_DEFINE_BLENDED_TUPLES(1, 6, 2, 2, 3)
TL_DEFINE_BLENDED_TUPLES(1, 10, 2, 2, 5)
TL_DEFINE_BLENDED_TUPLES(1, 12, 4, 4, 3)
TL_DEFINE_BLENDED_TUPLES(2, 6, 2, 4, 3)
TL_DEFINE_BLENDED_TUPLES(2, 10, 2, 4, 5)
TL_DEFINE_BLENDED_TUPLES(2, 12, 4, 8, 3)
TL_DEFINE_BLENDED_TUPLES(4, 6, 2, 8, 3)

#endif

#endif
