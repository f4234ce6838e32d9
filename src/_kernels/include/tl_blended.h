/* Rows that are zipped to one of tuples, and taken apart again, in registers: as many as no power of two, which square blocks would move with half of
 * their lanes empty.
 *
 * A line has a power of two of elements, so where rows are odd in number no two elements of a line of one row have the same place in lines of
 * tuples. One permutation brings them to these places, or back from there, and blends gather what comes from each line. Where rows are even in
 * number, pairs or fours of them are zipped first, and are wider elements of rows that are odd in number.
 */
#ifndef TL_BLENDED_H
#define TL_BLENDED_H

#include "tl_triples.h"
#include "tl_zipped.h"

/* Whether vectors of this level zip so many rows, if there is a kernel for them: an odd number of rows of bytes by an instruction of its own, if
 * these are no pairs. */
#define TL_IS_BLENDED_BY_BYTES(WIDTH, ROWS) ((WIDTH) == 1 && (ROWS) % 2 && (ROWS) != 3)
static inline int tl_blends(int level, int width, int64_t rows)
{
    return level >= TL_512 && (!TL_IS_BLENDED_BY_BYTES(width, rows) || tl_turns_bytes(level));
}

#ifdef TL_WIDE

/* The number that K, which is odd, has to be multiplied by for 1 more than a multiple of 64. */
#define TL_INVERSE(K) ((K) * (2 - (K) * (K)))

/* More than three rows of pairs, which registers do not hold, are blended by functions of their own: within their callers they were half of a
 * module. And GCC copies pairs by pieces of 16 bytes, for which the next load of 32 has to wait, unless they are taken from memory by name. */
#if TL_MASKED
#define TL_OF_MANY TL_ALWAYS_INLINE
#define TL_LINE_AT(AT) *(AT)
#else
#define TL_OF_MANY TL_APART_FROM_CALLERS
#define TL_LINE_AT(AT) _mm512_load_si512((const void *)(AT))
#endif

#if TL_MASKED

/* Every K-th place of a line from the first on. */
#define TL_LAST_OF(K) ((uint64_t)1 << 63 / (K) * (K))
#define TL_EVERY(K) ((TL_LAST_OF(K) - 1) / (((uint64_t)1 << (K)) - 1) | TL_LAST_OF(K))

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

#else

/* Lanes have N elements. Those of the k-th of K rows have places of their own in lanes of tuples, as in lines: the bytes that come to byte O of
 * these, and from these back to byte O of the row's. */
#define TL_TO_TUPLES(k, O, W, N, K) ((((O) / (W) - (k)) * TL_INVERSE(K) & ((N) - 1)) * (W) + (O) % (W))
#define TL_FROM_TUPLES(k, O, W, N, K) ((((O) / (W) * (K) + (k)) & ((N) - 1)) * (W) + (O) % (W))
/* Whether byte O of a lane of tuples is of the e-th row that is in it, or was of the lane that element e is from. */
#define TL_IS_OF(e, O, W, N, K) ((O) / (W) % (K) == (e) ? -1 : 0)
#define TL_LANES_BY(BYTE, AT, W, K)                                                                             \
    _mm256_setr_epi8(TL_LIST_16(BYTE, AT, 0, W, (16 / (W)), K), TL_LIST_16(BYTE, AT, 0, W, (16 / (W)), K))

enum { TL_MOST_BLENDED = 11 };

/* One lane of x and one of y. */
TL_BY_256 static TL_ALWAYS_INLINE __m256i tl_lane_of_each(__m256i x, const int64_t in_x, __m256i y, const int64_t in_y)
{
    if (in_x)
        return in_y ? _mm256_permute2x128_si256(x, y, 0x31) : _mm256_permute2x128_si256(x, y, 0x21);
    return in_y ? _mm256_blend_epi32(x, y, 0xf0) : _mm256_permute2x128_si256(x, y, 0x20);
}

/* x, but y where the mask of a lane says so. */
TL_BY_256 static TL_ALWAYS_INLINE __m512i tl_blended(__m512i x, __m512i y, __m256i mask)
{
    return TL_PAIR_OF(_mm256_blendv_epi8(x.low, y.low, mask), _mm256_blendv_epi8(x.high, y.high, mask));
}

/* K lines of rows as lines of tuples, and back. The q-th lane of each row becomes K lanes of tuples, from the qK-th on, each blended from as many
 * rows as it has elements, or from all. */
TL_BY_256 static TL_ALWAYS_INLINE void tl_zipped_in_lanes(const int W, const int K, __m512i *a)
{
    const int N = TL_LANE_BYTES / W, rows = N < K ? N : K;
    __m512i x[TL_MOST_BLENDED], y[TL_MOST_BLENDED];
    TL_UNROLL
    for (int k = 0; k < K; k++)
        x[k] = _mm512_shuffle_epi8(a[k], TL_TWICE(TL_LANES_BY(TL_TO_TUPLES, k, W, K)));
    TL_UNROLL
    for (int j = 0; j < K; j++) {
        y[j] = x[N * j % K];
        TL_UNROLL
        for (int e = 1; e < rows; e++)
            y[j] = tl_blended(y[j], x[(N * j + e) % K], TL_LANES_BY(TL_IS_OF, e, W, K));
    }
#define TL_LANE_OF_TUPLES(AT) (AT) / K < 2 ? y[(AT) % K].low : y[(AT) % K].high, (AT) / K % 2
    TL_UNROLL
    for (int j = 0; j < K; j++)
        a[j] = TL_PAIR_OF(tl_lane_of_each(TL_LANE_OF_TUPLES(4 * j), TL_LANE_OF_TUPLES(4 * j + 1)),
                          tl_lane_of_each(TL_LANE_OF_TUPLES(4 * j + 2), TL_LANE_OF_TUPLES(4 * j + 3)));
}
TL_BY_256 static TL_ALWAYS_INLINE void tl_apart_in_lanes(const int W, const int K, __m512i *a)
{
    const int N = TL_LANE_BYTES / W, lanes = N < K ? N : K;
    const int by = (K * (N - (TL_INVERSE(K) & (N - 1))) + 1) / N; /* N * by is 1 more than a multiple of K */
    __m512i x[TL_MOST_BLENDED];
#define TL_LANE_OF_LINES(AT) (AT) % 4 < 2 ? a[(AT) / 4].low : a[(AT) / 4].high, (AT) % 2
    TL_UNROLL
    for (int j = 0; j < K; j++)
        x[j] = TL_PAIR_OF(tl_lane_of_each(TL_LANE_OF_LINES(j), TL_LANE_OF_LINES(K + j)),
                          tl_lane_of_each(TL_LANE_OF_LINES(2 * K + j), TL_LANE_OF_LINES(3 * K + j)));
    TL_UNROLL
    for (int k = 0; k < K; k++) {
        a[k] = x[k * by % K];
        TL_UNROLL
        for (int e = 1; e < lanes; e++)
            a[k] = tl_blended(a[k], x[(K + k - e) * by % K], TL_LANES_BY(TL_IS_OF, e, W, K));
        a[k] = _mm512_shuffle_epi8(a[k], TL_TWICE(TL_LANES_BY(TL_FROM_TUPLES, k, W, K)));
    }
}
#define TL_DEFINE_BLENDED(W, K, HOW)                                                                            \
    TL_BY_256 static HOW void tl_zipped_##W##_##K(__m512i *a) { tl_zipped_in_lanes(W, K, a); }                  \
    TL_BY_256 static HOW void tl_apart_##W##_##K(__m512i *a) { tl_apart_in_lanes(W, K, a); }
TL_DEFINE_BLENDED(1, 3, TL_ALWAYS_INLINE)
TL_DEFINE_BLENDED(2, 3, TL_ALWAYS_INLINE)
TL_DEFINE_BLENDED(4, 3, TL_ALWAYS_INLINE)
TL_DEFINE_BLENDED(8, 3, TL_ALWAYS_INLINE)
TL_DEFINE_BLENDED(1, 5, TL_OF_MANY)
TL_DEFINE_BLENDED(1, 7, TL_OF_MANY)
TL_DEFINE_BLENDED(1, 9, TL_OF_MANY)
TL_DEFINE_BLENDED(1, 11, TL_OF_MANY)
TL_DEFINE_BLENDED(2, 5, TL_OF_MANY)
TL_DEFINE_BLENDED(2, 7, TL_OF_MANY)
TL_DEFINE_BLENDED(2, 9, TL_OF_MANY)
TL_DEFINE_BLENDED(2, 11, TL_OF_MANY)
TL_DEFINE_BLENDED(4, 5, TL_OF_MANY)
TL_DEFINE_BLENDED(4, 7, TL_OF_MANY)
TL_DEFINE_BLENDED(4, 9, TL_OF_MANY)

#endif

/* M * ODD rows, of elements of W bytes, as M-tuples of WM. */
#define TL_DEFINE_BLENDED_TUPLES(W, K, M, WM, ODD)                                                              \
    TL_BY_512 static TL_OF_MANY void tl_zipped_##W##_##K(__m512i *a)                                            \
    {                                                                                                           \
        __m512i x[K];                                                                                           \
        TL_UNROLL                                                                                               \
        for (int g = 0; g < ODD; g++) {                                                                         \
            tl_zipped_##W##_##M(a + g * M);                                                                     \
            TL_UNROLL                                                                                           \
            for (int m = 0; m < M; m++)                                                                         \
                x[m * ODD + g] = TL_LINE_AT(a + g * M + m);                                                     \
        }                                                                                                       \
        TL_UNROLL                                                                                               \
        for (int m = 0; m < M; m++)                                                                             \
            tl_zipped_##WM##_##ODD(x + m * ODD);                                                                \
        TL_UNROLL                                                                                               \
        for (int k = 0; k < K; k++)                                                                             \
            a[k] = TL_LINE_AT(x + k);                                                                           \
    }                                                                                                           \
    TL_BY_512 static TL_OF_MANY void tl_apart_##W##_##K(__m512i *a)                                             \
    {                                                                                                           \
        __m512i x[K];                                                                                           \
        TL_UNROLL                                                                                               \
        for (int m = 0; m < M; m++) {                                                                           \
            tl_apart_##WM##_##ODD(a + m * ODD);                                                                 \
            TL_UNROLL                                                                                           \
            for (int g = 0; g < ODD; g++)                                                                       \
                x[g * M + m] = TL_LINE_AT(a + m * ODD + g);                                                     \
        }                                                                                                       \
        TL_UNROLL                                                                                               \
        for (int g = 0; g < ODD; g++)                                                                           \
            tl_apart_##W##_##M(x + g * M);                                                                      \
        TL_UNROLL                                                                                               \
        for (int k = 0; k < K; k++)                                                                             \
            a[k] = TL_LINE_AT(x + k);                                                                           \
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
