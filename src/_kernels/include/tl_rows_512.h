/* Rows of three or more coordinates side by side, taken apart to a vector for each axis, and put together again.
 *
 * 16 rows of A coordinates are A vectors of lanes of 32 bits. Numbered through, lane A * row + axis holds a coordinate. A vector of
 * 16 coordinates of one axis, or of 16 lanes of rows, picks its own out of A others, two of those at a time. Where A is odd, no two
 * coordinates of an axis have the same place in their vectors: blends gather all 16, and a permutation brings them in order.
 */
#ifndef TL_ROWS_512_H
#define TL_ROWS_512_H

#include "tl_index_512.h"

TL_BY_ALL_512 static TL_ALWAYS_INLINE __m512i tl_first_16(void)
{
    return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/* Of the lanes from `begin` on, those of which row they are and, by way of `axis`, of which axis. */
TL_BY_ALL_512 static TL_ALWAYS_INLINE __m512i tl_rows_of_lanes(const int A, int begin, __m512i *axis)
{
    const __m512i lane = _mm512_add_epi32(_mm512_set1_epi32(begin), tl_first_16());
    const __m512i row = _mm512_srli_epi32(_mm512_mullo_epi32(lane, _mm512_set1_epi32(0x10000 / A + 1)), 16);
    *axis = _mm512_sub_epi32(lane, _mm512_mullo_epi32(row, _mm512_set1_epi32(A)));
    return row;
}

/* 16 lanes out of `vectors` vectors: of each two those that `here` has, by their low five bits. */
TL_BY_ALL_512 static TL_ALWAYS_INLINE __m512i tl_pick(const int vectors, const __m512i *in, __m512i lane, const __mmask16 *here)
{
    __m512i x = _mm512_setzero_si512();
    for (int k = 0; 2 * k < vectors; k++)
        x = _mm512_or_si512(x, _mm512_maskz_permutex2var_epi32(here[k], in[2 * k], lane, in[2 * k + (2 * k + 1 < vectors)]));
    return x;
}
TL_BY_ALL_512 static TL_ALWAYS_INLINE void tl_two_by_two(const int vectors, __m512i vector, __mmask16 *here)
{
    for (int k = 0; 2 * k < vectors; k++)
        here[k] = _mm512_cmpeq_epi32_mask(_mm512_srli_epi32(vector, 1), _mm512_set1_epi32(k));
}

/* Where the coordinates of an axis are: their lanes, in which vectors they are two by two, and which lanes of the first vector are its. */
typedef struct {
    __m512i lane[TL_ROW];
    __mmask16 here[TL_ROW][TL_ROW / 2], first[TL_ROW];
} tl_lanes_of_axes;

TL_BY_ALL_512 static TL_ALWAYS_INLINE void tl_find_axes(const int A, tl_lanes_of_axes *of)
{
    __m512i axis;
    tl_rows_of_lanes(A, 0, &axis);
    for (int a = 0; a < A; a++) {
        of->lane[a] = _mm512_add_epi32(_mm512_mullo_epi32(tl_first_16(), _mm512_set1_epi32(A)), _mm512_set1_epi32(a));
        tl_two_by_two(A, _mm512_srli_epi32(of->lane[a], 4), of->here[a]);
        of->first[a] = _mm512_cmpeq_epi32_mask(axis, _mm512_set1_epi32(a));
    }
}

/* 16 coordinates of one axis. */
TL_BY_ALL_512 static TL_ALWAYS_INLINE __m512i tl_axis_of_rows(const int A, const int a, const __m512i *in, const tl_lanes_of_axes *of)
{
    if (A % 2 == 0)
        return tl_pick(A, in, of->lane[a], of->here[a]);
    __m512i x = in[0];
    TL_UNROLL
    for (int v = 1; v < A; v++)
        x = _mm512_mask_mov_epi32(x, of->first[(a + 16 * (A - v)) % A], in[v]);
    return _mm512_permutexvar_epi32(of->lane[a], x);
}

/* The coordinates of 16 rows in lanes of 32 bits, and the most that each lane has held. */
TL_BY_ALL_512 static TL_ALWAYS_INLINE void tl_take_16_rows(const int A, const int width, const char *from, int64_t asks, __m512i *most,
                                                            __m512i *in)
{
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    TL_UNROLL
    for (int v = 0; v < A; v++, from += 16 * width) {
        tl_fetch_far(from + asks, 16 * width);
        if (width == 4)
            in[v] = tl_take_4(from, TL_NOTHING, &most[v]);
        else {
            const __m512i a = tl_take_8(from, TL_NOTHING, &most[2 * v % A]);
            in[v] = _mm512_permutex2var_epi32(a, even, tl_take_8(from + 64, TL_NOTHING, &most[(2 * v + 1) % A]));
        }
    }
}

/* Whether one of those is outside. */
TL_BY_ALL_512 static TL_ALWAYS_INLINE int tl_is_outside(const int A, const int width, const __m512i *most, const int64_t *extent)
{
    const __m512i extents = _mm512_maskz_loadu_epi64((__mmask8)((1 << A) - 1), extent);
    int outside = 0;
    TL_UNROLL
    for (int v = 0; v < A; v++) {
        __m512i axis;
        tl_rows_of_lanes(A, 64 / width * v, &axis);
        if (width == 4)
            outside |= tl_reaches_4(most[v], _mm512_permutexvar_epi32(_mm512_slli_epi32(axis, 1), extents));
        else
            outside |= tl_reaches_8(most[v], _mm512_permutexvar_epi64(_mm512_cvtepu32_epi64(_mm512_castsi512_si256(axis)), extents));
    }
    return outside;
}

TL_BY_ALL_512 static TL_ALWAYS_INLINE int tl_load_rows_by(const int A, const int width, const char *from, size_t n, const int64_t *extent,
                                                           uint32_t *reg)
{
    __m512i in[TL_ROW], most[TL_ROW] = {_mm512_setzero_si512()};
    tl_lanes_of_axes of;
    tl_find_axes(A, &of);
    for (size_t i = 0; i < n; i += 16) {
        tl_take_16_rows(A, width, from + i * (size_t)(A * width), TL_BLOCK * A * width, most, in);
        TL_UNROLL
        for (int a = 0; a < A; a++)
            _mm512_storeu_si512(reg + a * TL_BLOCK + i, tl_axis_of_rows(A, a, in, &of));
    }
    return tl_is_outside(A, width, most, extent);
}

/* Slots of rows, twice 16 at a time. */
TL_BY_ALL_512 static TL_ALWAYS_INLINE int tl_slots_of_rows_by(const int A, const int width, const tl_bare_slots *slots, const char *from,
                                                               size_t n, int64_t *to)
{
    __m512i in[2][TL_ROW], most[TL_ROW] = {_mm512_setzero_si512()};
    tl_lanes_of_axes of;
    tl_find_axes(A, &of);
    for (size_t i = 0; i < n; i += 32) {
        __m512i moved[2], added[2], x[2];
        for (int k = 0; k < 2; k++) {
            moved[k] = _mm512_setzero_si512();
            added[k] = _mm512_set1_epi32((int)slots->constant);
            tl_take_16_rows(A, width, from + (i + 16 * k) * (size_t)(A * width), slots->asks, most, in[k]);
        }
        TL_UNROLL
        for (int a = 0; a < A; a++) {
            for (int k = 0; k < 2; k++)
                x[k] = tl_axis_of_rows(A, a, in[k], &of);
            tl_move_axis(2, x, slots->move[a], slots->move[a + 1], moved);
            tl_add_axis(2, x, slots->quotient[a], slots->quotient[a + 1], added);
        }
        for (int k = 0; k < 2; k++) {
            const __m512i slot = _mm512_add_epi32(moved[k], added[k]);
            tl_store_8(to + i + 16 * k, _mm512_cvtepu32_epi64(_mm512_castsi512_si256(slot)), slots->way);
            tl_store_8(to + i + 16 * k + 8, _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(slot, 1)), slots->way);
        }
    }
    return tl_is_outside(A, width, most, slots->extent);
}

TL_BY_ALL_512 static TL_ALWAYS_INLINE void tl_store_rows_by(const int A, const enum tl_way way, int64_t *to, const uint32_t *reg, size_t n)
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

TL_BY_ALL_512 static int tl_load_rows_512(int axes, int width, const char *from, size_t n, const int64_t *extent, uint32_t *reg)
{
    int outside;
#define TL_LOAD_ROWS(A) outside = width == 4 ? tl_load_rows_by(A, 4, from, n, extent, reg) : tl_load_rows_by(A, 8, from, n, extent, reg)
    TL_BY_AXES(TL_LOAD_ROWS)
    return outside;
}
TL_BY_ALL_512 static void tl_store_rows_512(int axes, int64_t *to, const uint32_t *reg, size_t n, enum tl_way way)
{
#define TL_STORE_ROWS(A) tl_store_rows_by(A, way, to, reg, n)
    TL_BY_AXES(TL_STORE_ROWS)
}

TL_BY_ALL_512 static int tl_slots_of_whole_rows(int axes, int width, const tl_bare_slots *slots, const char *from, size_t n, int64_t *to)
{
    int outside;
#define TL_SLOTS_OF_ROWS(A)                                                                                     \
    outside = width == 4 ? tl_slots_of_rows_by(A, 4, slots, from, n, to) : tl_slots_of_rows_by(A, 8, slots, from, n, to)
    TL_BY_AXES(TL_SLOTS_OF_ROWS)
    return outside;
}

/* Slots of n rows of coordinates; whether one is outside. */
TL_BY_ALL_512 static int tl_slots_of_rows_512(int axes, int width, const tl_bare_slots *slots, const char *from, size_t n, int64_t *to)
{
    const size_t whole = n & ~(size_t)31, row = (size_t)(axes * width);
    int outside = tl_slots_of_whole_rows(axes, width, slots, from, whole, to);
    if (whole < n) {
        char left[32 * 8 * TL_ROW] = {0};
        int64_t found[32];
        tl_bare_slots last = *slots;
        last.asks = 0;
        last.way = TL_STORED;
        memcpy(left, from + whole * row, (n - whole) * row);
        outside |= tl_slots_of_whole_rows(axes, width, &last, left, 32, found);
        memcpy(to + whole, found, (n - whole) * sizeof *found);
    }
    return outside;
}

/* Rows of n coordinates into a register for each axis; whether one is outside. */
TL_BY_ALL_512 static int tl_take_rows_512(int axes, int width, const char *from, size_t n, const int64_t *extent, uint32_t *reg)
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
TL_BY_ALL_512 static void tl_give_rows_512(int axes, int64_t *to, const uint32_t *reg, size_t n, enum tl_way way)
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
