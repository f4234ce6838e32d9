/* Slots of rows and of columns of coordinates in vectors of 32 bytes, and of pairs in lanes of 64 bits. */
#ifndef TL_SLOTS_256_H
#define TL_SLOTS_256_H

#include "tl_index_256.h"

/* What slots are made of: bits that were moved, and quotients that were added. */
typedef struct {
    __m256i moved[TL_EIGHTS], added[TL_EIGHTS];
} tl_slot_sums;
TL_BY_256 static TL_ALWAYS_INLINE void tl_begin_sums(tl_slot_sums *sums, const tl_bare_slots *slots)
{
    for (int k = 0; k < TL_EIGHTS; k++)
        sums->moved[k] = _mm256_setzero_si256(), sums->added[k] = _mm256_set1_epi32((int)slots->constant);
}
TL_BY_256 static TL_ALWAYS_INLINE void tl_count_axis(tl_slot_sums *sums, const tl_bare_slots *slots, int axis, const __m256i *x)
{
    tl_move_eights(x, slots->move[axis], slots->move[axis + 1], sums->moved);
    tl_add_eights(x, slots->quotient[axis], slots->quotient[axis + 1], sums->added);
}
TL_BY_256 static TL_ALWAYS_INLINE __m256i tl_slot_sum(const tl_slot_sums *sums, int k)
{
    return _mm256_add_epi32(sums->moved[k], sums->added[k]);
}

/* Slots of so many rows, whole vectors; whether one is outside. */
TL_BY_256 static TL_ALWAYS_INLINE int tl_slots_of_rows_256_by(const int A, const int width, const tl_bare_slots *slots, const char *from,
                                                               size_t n, int64_t *to)
{
    enum { STEP = 8 * TL_EIGHTS };
    __m256i most[TL_ROW / 2] = {_mm256_setzero_si256()};
    int outside = 0;
    for (size_t i = 0; i < n; i += STEP, from += STEP * A * width) {
        tl_slot_sums sums;
        tl_begin_sums(&sums, slots);
        tl_fetch_far(from + slots->asks, STEP * A * width);
        TL_UNROLL
        for (int two = 0; 2 * two < A; two++) {
            const int a = tl_first_of_two(A, two);
            __m256i x[TL_EIGHTS], y[TL_EIGHTS];
            for (int k = 0; k < TL_EIGHTS; k++)
                tl_take_two(width, from + (8 * k * A + a) * width, A * width, &most[two], &x[k], &y[k]);
            if (a == 2 * two)
                tl_count_axis(&sums, slots, a, x);
            tl_count_axis(&sums, slots, a + 1, y);
        }
        for (int k = 0; k < TL_EIGHTS; k++)
            tl_store_eight(to + i + 8 * k, tl_slot_sum(&sums, k), slots->way);
    }
    TL_UNROLL
    for (int two = 0; 2 * two < A; two++) {
        const int64_t *extent = slots->extent + tl_first_of_two(A, two);
        outside |= tl_reaches(width, most[two], extent[0], extent[1]);
    }
    return outside;
}

TL_BY_256 static int tl_slots_of_whole_rows_256(int axes, int width, const tl_bare_slots *slots, const char *from, size_t n, int64_t *to)
{
    int outside;
#define TL_SLOTS_OF_ROWS_256(A)                                                                                 \
    outside = width == 4 ? tl_slots_of_rows_256_by(A, 4, slots, from, n, to) : tl_slots_of_rows_256_by(A, 8, slots, from, n, to)
    if (axes == 2)
        TL_SLOTS_OF_ROWS_256(2);
    else
        TL_BY_AXES(TL_SLOTS_OF_ROWS_256)
    return outside;
}

/* Slots of n rows of coordinates; whether one is outside. */
TL_BY_256 static int tl_slots_of_rows_256(int axes, int width, const tl_bare_slots *slots, const char *from, size_t n, int64_t *to)
{
    enum { STEP = 8 * TL_EIGHTS };
    const size_t rest = n % STEP, whole = n - rest, row = (size_t)(axes * width);
    int outside = tl_slots_of_whole_rows_256(axes, width, slots, from, whole, to);
    if (rest) {
        char left[STEP * 8 * TL_ROW] = {0};
        int64_t found[STEP];
        tl_bare_slots last = *slots;
        last.way = TL_STORED;
        memcpy(left, from + whole * row, rest * row);
        outside |= tl_slots_of_whole_rows_256(axes, width, &last, left, STEP, found);
        memcpy(to + whole, found, rest * sizeof *found);
    }
    return outside;
}

/* The same of coordinates in columns, one for each axis. */
TL_BY_256 static TL_ALWAYS_INLINE int tl_slots_of_columns_256_by(const int A, const int width, const tl_bare_slots *slots,
                                                                  const tl_column *columns, int64_t begin, size_t n, int64_t *to)
{
    __m256i most[TL_ROW];
    int outside = 0;
    for (int a = 0; a < A; a++)
        most[a] = _mm256_setzero_si256();
    for (size_t i = 0; i < n; i += 8 * TL_EIGHTS) {
        tl_slot_sums sums;
        tl_begin_sums(&sums, slots);
        for (int a = 0; a < A; a++) {
            const char *from = columns[a].at + (begin + (int64_t)i) * width;
            __m256i x[TL_EIGHTS], top = most[a];
            tl_fetch_far(from + slots->asks, 8 * TL_EIGHTS * width);
            for (int k = 0; k < TL_EIGHTS; k++)
                x[k] = tl_take_eight(width, from + 8 * k * width, &top);
            most[a] = top;
            tl_count_axis(&sums, slots, a, x);
        }
        for (int k = 0; k < TL_EIGHTS; k++)
            tl_store_eight(to + i + 8 * k, tl_order_lanes(width, tl_slot_sum(&sums, k)), slots->way);
    }
    for (int a = 0; a < A; a++)
        outside |= tl_reaches(width, most[a], slots->extent[a], slots->extent[a]);
    return outside;
}
TL_BY_256 static int tl_slots_of_whole_columns_256(int axes, const tl_bare_slots *slots, const tl_column *columns, int64_t begin, size_t n,
                                                   int64_t *to)
{
    const int is_narrow = columns->step == 4;
    if (axes == 1)
        return is_narrow ? tl_slots_of_columns_256_by(1, 4, slots, columns, begin, n, to)
                         : tl_slots_of_columns_256_by(1, 8, slots, columns, begin, n, to);
    return is_narrow ? tl_slots_of_columns_256_by(axes, 4, slots, columns, begin, n, to)
                     : tl_slots_of_columns_256_by(axes, 8, slots, columns, begin, n, to);
}
TL_BY_256 static int tl_slots_of_columns_256(int axes, const tl_bare_slots *slots, const tl_column *columns, int64_t begin, size_t n,
                                             int64_t *to)
{
    enum { STEP = 8 * TL_EIGHTS };
    const size_t rest = n % STEP, whole = n - rest, width = (size_t)columns->step;
    int outside = tl_slots_of_whole_columns_256(axes, slots, columns, begin, whole, to);
    if (rest) {
        char left[TL_ROW][STEP * 8] = {{0}};
        int64_t found[STEP];
        tl_column column[TL_ROW];
        tl_bare_slots last = *slots;
        last.way = TL_STORED;
        for (int a = 0; a < axes; a++) {
            memcpy(left[a], columns[a].at + (begin + (int64_t)whole) * columns->step, rest * width);
            column[a] = (tl_column){columns->kind, left[a], columns->step};
        }
        outside |= tl_slots_of_whole_columns_256(axes, &last, column, 0, STEP, found);
        memcpy(to + whole, found, rest * sizeof *found);
    }
    return outside;
}

/* Pairs in lanes of 64 bits. */

/* Flip what a move does, as tl_move_eights. */
TL_BY_256 static TL_ALWAYS_INLINE void tl_move_fours(const __m256i *x, int left, uint64_t mask, __m256i *to)
{
    const uint64_t low = ((uint64_t)1 << left) - 1;
    const __m256i masks = _mm256_set1_epi64x((int64_t)mask);
    if (mask & ~low)
        for (int k = 0; k < TL_FOURS; k++)
            to[k] = _mm256_xor_si256(to[k], _mm256_and_si256(_mm256_sll_epi64(x[k], _mm_cvtsi32_si128(left)), masks));
    if (mask & low)
        for (int k = 0; k < TL_FOURS; k++)
            to[k] = _mm256_xor_si256(to[k], _mm256_and_si256(_mm256_srl_epi64(x[k], _mm_cvtsi32_si128(64 - left)), masks));
}

/* Slots of pairs by so many moves of each, side by side or, where `other` is not NULL, apart; whether one is outside. */
TL_BY_256 static TL_ALWAYS_INLINE int tl_long_slots_256(const int apart, const tl_pair *m, const char *from, const char *other, size_t n,
                                                         const int64_t *extent, int64_t *to, enum tl_way way)
{
    const __m256i last0 = _mm256_set1_epi64x(extent[0] - 1), last1 = _mm256_set1_epi64x(extent[1] - 1);
    __m256i outside = _mm256_setzero_si256();
    for (size_t i = 0; i < n; i += 4 * TL_FOURS) {
        __m256i x[TL_FOURS], y[TL_FOURS], slot[TL_FOURS];
        for (int k = 0; k < TL_FOURS; k++) {
            const size_t first = i + 4 * (size_t)k;
            if (apart) {
                x[k] = _mm256_loadu_si256((const __m256i *)(from + 8 * first));
                y[k] = _mm256_loadu_si256((const __m256i *)(other + 8 * first));
            } else {
                const char *rows = from + 16 * first;
                const __m256i a = tl_two_lanes(rows, rows + 32), b = tl_two_lanes(rows + 16, rows + 48);
                x[k] = _mm256_unpacklo_epi64(a, b), y[k] = _mm256_unpackhi_epi64(a, b);
            }
            outside = _mm256_or_si256(outside, _mm256_or_si256(x[k], _mm256_sub_epi64(last0, x[k])));
            outside = _mm256_or_si256(outside, _mm256_or_si256(y[k], _mm256_sub_epi64(last1, y[k])));
            slot[k] = _mm256_setzero_si256();
        }
        for (int k = 0; k < m->moves; k++) {
            tl_move_fours(x, m->left[0][k], m->mask[0][k], slot);
            tl_move_fours(y, m->left[1][k], m->mask[1][k], slot);
        }
        for (int k = 0; k < TL_FOURS; k++)
            tl_store_4(to + i + 4 * k, slot[k], way);
    }
    return _mm256_movemask_pd(_mm256_castsi256_pd(outside)) != 0;
}
TL_BY_256 static int tl_long_slots_of_whole(const tl_pair *m, const char *from, const char *other, size_t n, const int64_t *extent, int64_t *to,
                                            enum tl_way way)
{
    return other ? tl_long_slots_256(1, m, from, other, n, extent, to, way) : tl_long_slots_256(0, m, from, NULL, n, extent, to, way);
}
TL_BY_256 static int tl_slots_of_pairs_256_64(const tl_pair *m, const tl_column *c, int64_t begin, size_t n, const int64_t *extent, int64_t *to,
                                              enum tl_way way)
{
    enum { STEP = 4 * TL_FOURS };
    const size_t rest = n % STEP, whole = n - rest, step = (size_t)c->step;
    const char *from = c->at + begin * c->step, *other = step == 8 ? c[1].at + begin * c->step : NULL;
    int outside = tl_long_slots_of_whole(m, from, other, whole, extent, to, way);
    if (rest) {
        char left[STEP * 16] = {0}, left_other[STEP * 8] = {0};
        int64_t found[STEP];
        memcpy(left, from + whole * step, rest * step);
        if (other)
            memcpy(left_other, other + whole * step, rest * step);
        outside |= tl_long_slots_of_whole(m, left, other ? left_other : NULL, STEP, extent, found, TL_STORED);
        memcpy(to + whole, found, rest * sizeof *found);
    }
    return outside;
}

#endif
