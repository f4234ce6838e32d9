/* Rows of three or more coordinates side by side, taken apart to a register for each axis, and put together again.
 *
 * 16 rows of A coordinates are A vectors of lanes of 32 bits. Numbered through, lane A * row + axis holds a coordinate. A vector of
 * 16 coordinates of one axis, or of 16 lanes of rows, picks its own out of A others, two of those at a time.
 */
#ifndef TL_ROWS_512_H
#define TL_ROWS_512_H

#include "tl_index_512.h"

TL_BY_512 TL_INLINE __m512i tl_first_16(void) { return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15); }

/* Of the lanes from `begin` on, those of which row they are and, by way of `axis`, of which axis. */
TL_BY_512 TL_INLINE __m512i tl_rows_of_lanes(const int A, int begin, __m512i *axis)
{
    const __m512i lane = _mm512_add_epi32(_mm512_set1_epi32(begin), tl_first_16());
    const __m512i row = _mm512_srli_epi32(_mm512_mullo_epi32(lane, _mm512_set1_epi32(0x10000 / A + 1)), 16);
    *axis = _mm512_sub_epi32(lane, _mm512_mullo_epi32(row, _mm512_set1_epi32(A)));
    return row;
}

/* 16 lanes out of `vectors` vectors: of each two those that `here` has, by their low five bits. */
TL_BY_512 TL_INLINE __m512i tl_pick(const int vectors, const __m512i *in, __m512i lane, const __mmask16 *here)
{
    __m512i x = _mm512_setzero_si512();
    for (int k = 0; 2 * k < vectors; k++)
        x = _mm512_or_si512(x, _mm512_maskz_permutex2var_epi32(here[k], in[2 * k], lane, in[2 * k + (2 * k + 1 < vectors)]));
    return x;
}
TL_BY_512 TL_INLINE void tl_two_by_two(const int vectors, __m512i vector, __mmask16 *here)
{
    for (int k = 0; 2 * k < vectors; k++)
        here[k] = _mm512_cmpeq_epi32_mask(_mm512_srli_epi32(vector, 1), _mm512_set1_epi32(k));
}

/* 16 coordinates in lanes of 32 bits; `outside` has a top bit set where one is outside. */
TL_BY_512 TL_INLINE __m512i tl_lanes_4(const char *from, __m512i last, __m512i *outside)
{
    __m512i x = _mm512_loadu_si512(from);
    *outside = _mm512_ternarylogic_epi32(*outside, x, _mm512_sub_epi32(last, x), 0xfe); /* or */
    return x;
}
TL_BY_512 TL_INLINE __m512i tl_lanes_8(const char *from, __m512i last0, __m512i last1, __m512i *outside)
{
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    __m512i a = _mm512_loadu_si512(from), b = _mm512_loadu_si512(from + 64);
    *outside = _mm512_ternarylogic_epi64(*outside, a, _mm512_sub_epi64(last0, a), 0xfe);
    *outside = _mm512_ternarylogic_epi64(*outside, b, _mm512_sub_epi64(last1, b), 0xfe);
    return _mm512_permutex2var_epi32(a, even, b);
}

TL_BY_512 TL_INLINE int tl_load_rows_by(const int A, const int width, const char *from, size_t n, const int64_t *extent, uint32_t *reg)
{
    const __m512i lasts = _mm512_sub_epi64(_mm512_maskz_loadu_epi64((__mmask8)((1 << A) - 1), extent), _mm512_set1_epi64(1));
    __m512i in[TL_ROW], last[TL_ROW], lane[TL_ROW], axis, outside = _mm512_setzero_si512();
    __mmask16 here[TL_ROW][TL_ROW / 2];
    for (int a = 0; a < A; a++) {
        tl_rows_of_lanes(A, 64 / width * a, &axis);
        last[a] = width == 4 ? _mm512_permutexvar_epi32(_mm512_slli_epi32(axis, 1), lasts)
                             : _mm512_permutexvar_epi64(_mm512_cvtepu32_epi64(_mm512_castsi512_si256(axis)), lasts);
        lane[a] = _mm512_add_epi32(_mm512_mullo_epi32(tl_first_16(), _mm512_set1_epi32(A)), _mm512_set1_epi32(a));
        tl_two_by_two(A, _mm512_srli_epi32(lane[a], 4), here[a]);
    }
    for (size_t i = 0; i < n; i += 16) {
        for (int v = 0; v < A; v++, from += 16 * width) {
            tl_fetch(from + TL_BLOCK * A * width, 16 * width);
            in[v] = width == 4 ? tl_lanes_4(from, last[v], &outside)
                               : tl_lanes_8(from, last[2 * v % A], last[(2 * v + 1) % A], &outside);
        }
        for (int a = 0; a < A; a++)
            _mm512_storeu_si512(reg + a * TL_BLOCK + i, tl_pick(A, in, lane[a], here[a]));
    }
    return (width == 4 ? _mm512_movepi32_mask(outside) : _mm512_movepi64_mask(outside)) != 0;
}

TL_BY_512 TL_INLINE void tl_store_rows_by(const int A, const enum tl_way way, int64_t *to, const uint32_t *reg, size_t n)
{
    __m512i in[TL_ROW], lane[TL_ROW], axis;
    __mmask16 here[TL_ROW][TL_ROW / 2];
    for (int v = 0; v < A; v++) {
        const __m512i row = tl_rows_of_lanes(A, 16 * v, &axis);
        lane[v] = _mm512_add_epi32(row, _mm512_slli_epi32(axis, 4));
        tl_two_by_two(A, axis, here[v]);
    }
    for (size_t i = 0; i < n; i += 16) {
        for (int a = 0; a < A; a++)
            in[a] = _mm512_loadu_si512(reg + a * TL_BLOCK + i);
        for (int v = 0; v < A; v++, to += 16) {
            const __m512i x = tl_pick(A, in, lane[v], here[v]);
            tl_store_8(to, _mm512_cvtepi32_epi64(_mm512_castsi512_si256(x)), way);
            tl_store_8(to + 8, _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(x, 1)), way);
        }
    }
}

#define TL_BY_AXES(CALL)                                                                                        \
    switch (axes) {                                                                                             \
    case 3: CALL(3); break;                                                                                     \
    case 4: CALL(4); break;                                                                                     \
    case 5: CALL(5); break;                                                                                     \
    case 6: CALL(6); break;                                                                                     \
    case 7: CALL(7); break;                                                                                     \
    default: CALL(8);                                                                                           \
    }

TL_BY_512 static int tl_load_rows_512(int axes, int width, const char *from, size_t n, const int64_t *extent, uint32_t *reg)
{
    int outside;
#define TL_LOAD_ROWS(A) outside = width == 4 ? tl_load_rows_by(A, 4, from, n, extent, reg) : tl_load_rows_by(A, 8, from, n, extent, reg)
    TL_BY_AXES(TL_LOAD_ROWS)
    return outside;
}
TL_BY_512 static void tl_store_rows_512(int axes, int64_t *to, const uint32_t *reg, size_t n, enum tl_way way)
{
#define TL_STORE_ROWS(A) tl_store_rows_by(A, way, to, reg, n)
    TL_BY_AXES(TL_STORE_ROWS)
}

/* Rows of n coordinates into a register for each axis; whether one is outside. */
TL_BY_512 static int tl_take_rows_512(int axes, int width, const char *from, size_t n, const int64_t *extent, uint32_t *reg)
{
    const size_t whole = n & ~(size_t)15, row = (size_t)(axes * width);
    int outside = tl_load_rows_512(axes, width, from, whole, extent, reg);
    if (whole < n) {
        char left[16 * 8 * TL_ROW] = {0};
        memcpy(left, from + whole * row, (n - whole) * row);
        outside |= tl_load_rows_512(axes, width, left, 16, extent, reg + whole);
    }
    return outside;
}

/* Rows of n coordinates, or of -1, from a register for each axis; past the caches from where a line begins. */
TL_BY_512 static void tl_give_rows_512(int axes, int64_t *to, const uint32_t *reg, size_t n, enum tl_way way)
{
    const size_t whole = n & ~(size_t)15, row = (size_t)axes;
    tl_store_rows_512(axes, to, reg, whole, way);
    if (whole < n) {
        int64_t left[16 * TL_ROW];
        tl_store_rows_512(axes, left, reg + whole, 16, TL_STORED);
        memcpy(to + whole * row, left, (n - whole) * row * sizeof *left);
    }
}

#endif
