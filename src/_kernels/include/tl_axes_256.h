/* Coordinates of slots in vectors of 32 bytes. */
#ifndef TL_AXES_256_H
#define TL_AXES_256_H

#include "tl_index_256.h"

/* Takes slots apart by the parts of the last register; top bits of `hole` where no element lies. */
TL_BY_256 static TL_ALWAYS_INLINE void tl_take_eights_apart(__m256i *slot, const tl_part *p, const tl_part *end, __m256i (*x)[TL_EIGHTS],
                                                             __m256i *hole)
{
    for (; p < end; p++) {
        const __m256i last = _mm256_set1_epi32((int)p->radix - 1), below = _mm256_set1_epi32((int)p->stride - 1);
        const __m128i left = _mm_cvtsi32_si128(p->left);
        for (int k = 0; k < TL_EIGHTS; k++) {
            const __m256i q = tl_divided_256(slot[k], p->by);
            const __m256i digit = p->left < 0 ? tl_times_256(q, p->divisor) : _mm256_sll_epi32(q, left);
            slot[k] = p->left < 0 ? _mm256_sub_epi32(slot[k], tl_times_256(q, p->stride)) : _mm256_and_si256(slot[k], below);
            *hole = _mm256_or_si256(*hole, _mm256_sub_epi32(last, q));
            x[p->source][k] = _mm256_add_epi32(x[p->source][k], digit);
        }
    }
    for (int k = 0; k < TL_EIGHTS; k++) /* nothing is left */
        *hole = _mm256_or_si256(*hole, _mm256_sub_epi32(_mm256_setzero_si256(), slot[k]));
}

/* Coordinates on two axes of eight rows, `step` integers each. */
TL_BY_256 static TL_ALWAYS_INLINE void tl_give_two(int64_t *to, const int64_t step, __m256i x, __m256i y, enum tl_way way)
{
    const __m256i first = _mm256_unpacklo_epi32(x, y), second = _mm256_unpackhi_epi32(x, y);
    const __m128i two[] = {_mm256_castsi256_si128(first), _mm256_extracti128_si256(first, 1), _mm256_castsi256_si128(second),
                           _mm256_extracti128_si256(second, 1)};
    for (int k = 0; k < 4; k++, to += 2 * step) {
        const __m256i rows = _mm256_cvtepu32_epi64(two[k]);
        if (step == 2)
            tl_store_4(to, rows, way);
        else {
            _mm_storeu_si128((__m128i *)to, _mm256_castsi256_si128(rows));
            _mm_storeu_si128((__m128i *)(to + step), _mm256_extracti128_si256(rows, 1));
        }
    }
}

/* Eight rows of A coordinates: past the caches by way of `aside`, where they are more than two. */
TL_BY_256 static TL_ALWAYS_INLINE void tl_give_rows_256(const int A, int64_t *to, __m256i (*x)[TL_EIGHTS], int k, enum tl_way way)
{
    int64_t aside[8 * TL_ROW], *rows = A > 2 && way == TL_PAST ? aside : to;
    if (A == 1) {
        tl_store_eight(to, x[0][k], way);
        return;
    }
    TL_UNROLL
    for (int two = 0; 2 * two < A; two++) {
        const int a = tl_first_of_two(A, two);
        tl_give_two(rows + a, A, x[a][k], x[a + 1][k], way);
    }
    for (int v = 0; rows != to && v < 2 * A; v++)
        tl_store_4(to + 4 * v, _mm256_loadu_si256((const __m256i *)(aside + 4 * v)), way);
}

/* Coordinates of slots by moves or else by parts; whether a slot is outside or holds none. */
TL_BY_256 static TL_ALWAYS_INLINE int tl_axes_of_slots_by(const int A, const int width, const tl_network *net, const char *from, size_t n,
                                                           int64_t *to, enum tl_way way)
{
    const tl_move *move = net->back + net->back_begin[A], *move_end = net->back + net->back_begin[A + 1];
    const tl_part *part = net->part + net->part_begin[A], *part_end = net->part + net->part_begin[A + 1];
    __m256i most = _mm256_setzero_si256(), found[TL_ROW], hole = most;
    int bad = 0;
    for (int a = 0; a < A; a++)
        found[a] = most;
    for (size_t i = 0; i < n; i += 8 * TL_EIGHTS) {
        __m256i slot[TL_EIGHTS], x[TL_ROW][TL_EIGHTS];
        for (int k = 0; k < TL_EIGHTS; k++) {
            slot[k] = tl_order_lanes(width, tl_take_eight(width, from + (i + 8 * (size_t)k) * (size_t)width, &most));
            for (int a = 0; a < A; a++)
                x[a][k] = _mm256_setzero_si256();
        }
        for (const tl_move *m = move; m < move_end; m++)
            tl_move_eights(slot, m, m + 1, x[A == 1 ? 0 : m->target]);
        if (move == move_end)
            tl_take_eights_apart(slot, part, part_end, x, &hole);
        for (int k = 0; k < TL_EIGHTS; k++) {
            for (int a = 0; a < A; a++)
                found[a] = tl_more(found[a], x[a][k]);
            tl_give_rows_256(A, to + A * (i + 8 * (size_t)k), x, k, way);
        }
    }
    for (int a = 0; a < A; a++)
        bad |= tl_reaches(4, found[a], net->extent[a], net->extent[a]);
    return bad | tl_reaches(width, most, net->slots, net->slots) | (_mm256_movemask_ps(_mm256_castsi256_ps(hole)) != 0);
}
TL_BY_256 static int tl_axes_of_whole_slots(const tl_network *net, int width, const char *from, size_t n, int64_t *to, enum tl_way way)
{
    const int axes = net->axes;
    int bad;
#define TL_AXES_OF_SLOTS(A)                                                                                     \
    bad = width == 4 ? tl_axes_of_slots_by(A, 4, net, from, n, to, way) : tl_axes_of_slots_by(A, 8, net, from, n, to, way)
    if (axes == 1)
        TL_AXES_OF_SLOTS(1);
    else if (axes == 2)
        TL_AXES_OF_SLOTS(2);
    else
        TL_BY_AXES(TL_AXES_OF_SLOTS)
    return bad;
}
TL_BY_256 static int tl_axes_of_slots_256(const tl_network *net, tl_kind kind, const char *from, size_t n, int64_t *to, enum tl_way way)
{
    enum { STEP = 8 * TL_EIGHTS };
    const size_t rest = n % STEP, whole = n - rest, width = (size_t)-kind, axes = (size_t)net->axes;
    int bad = tl_axes_of_whole_slots(net, (int)width, from, whole, to, way);
    if (rest) {
        char left[STEP * 8];
        int64_t found[TL_ROW * STEP];
        for (size_t i = 0; i < STEP; i++)
            memcpy(left + i * width, from + (whole + (i < rest ? i : 0)) * width, width);
        bad |= tl_axes_of_whole_slots(net, (int)width, left, STEP, found, TL_STORED);
        memcpy(to + axes * whole, found, axes * rest * sizeof *found);
    }
    return bad;
}

#endif
