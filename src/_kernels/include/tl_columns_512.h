/* Index queries in columns: the coordinates on each axis in one piece, or the slots of a single one. */
#ifndef TL_COLUMNS_512_H
#define TL_COLUMNS_512_H

#include "tl_index_512.h"

enum { TL_ABREAST = 4 }; /* vectors of 16 queries that go through together */

/* Slots of so many queries, whole vectors, whose coordinates on A axes have so many bytes; whether one is outside. */
TL_BY_ALL_512 static TL_ALWAYS_INLINE int tl_slots_of_columns_by(const int A, const int width, const tl_bare_slots *slots,
                                                                  const tl_column *columns, int64_t begin, size_t n, int64_t *to)
{
    const __m512i low = _mm512_set1_epi64(0xffffffff);
    const enum tl_asking asks = tl_asking_by(slots->way, 0);
    __m512i most[TL_ROW];
    int outside = 0;
    for (int a = 0; a < A; a++)
        most[a] = _mm512_setzero_si512();
    for (size_t i = 0; i < n; i += 16 * TL_ABREAST) {
        __m512i moved[TL_ABREAST], added[TL_ABREAST];
        for (int k = 0; k < TL_ABREAST; k++) {
            moved[k] = _mm512_setzero_si512();
            added[k] = _mm512_set1_epi32((int)slots->constant);
        }
        for (int a = 0; a < A; a++) {
            __m512i x[TL_ABREAST], top = most[a];
            for (int k = 0; k < TL_ABREAST; k++) {
                const char *from = columns[a].at + (begin + (int64_t)i + 16 * k) * width;
                x[k] = width == 4 ? tl_take_axis_4(from, asks, &top) : tl_take_axis_8(from, asks, &top);
            }
            most[a] = top;
            tl_move_axis(TL_ABREAST, x, slots->move[a], slots->move[a + 1], moved);
            tl_add_axis(TL_ABREAST, x, slots->quotient[a], slots->quotient[a + 1], added);
        }
        for (int k = 0; k < TL_ABREAST; k++) {
            const __m512i slot = _mm512_add_epi32(moved[k], added[k]);
            tl_store_8(to + i + 16 * k, _mm512_and_si512(slot, low), slots->way);
            tl_store_8(to + i + 16 * k + 8, _mm512_srli_epi64(slot, 32), slots->way);
        }
    }
    for (int a = 0; a < A; a++)
        outside |= width == 4 ? tl_reaches_4(most[a], tl_all_4(slots->extent[a])) : tl_reaches_8(most[a], tl_all_8(slots->extent[a]));
    return outside;
}

TL_BY_ALL_512 static int tl_slots_of_whole_columns(int axes, const tl_bare_slots *slots, const tl_column *columns, int64_t begin, size_t n,
                                                   int64_t *to)
{
    const int is_narrow = columns->step == 4;
    if (axes == 1)
        return is_narrow ? tl_slots_of_columns_by(1, 4, slots, columns, begin, n, to)
                         : tl_slots_of_columns_by(1, 8, slots, columns, begin, n, to);
    return is_narrow ? tl_slots_of_columns_by(axes, 4, slots, columns, begin, n, to)
                     : tl_slots_of_columns_by(axes, 8, slots, columns, begin, n, to);
}

/* The last few of n, which fill no vectors, are moved aside. */
TL_BY_ALL_512 static int tl_slots_of_columns_512(int axes, const tl_bare_slots *slots, const tl_column *columns, int64_t begin, size_t n,
                                                 int64_t *to)
{
    const size_t rest = n % (16 * TL_ABREAST), whole = n - rest, width = (size_t)columns->step;
    int outside = tl_slots_of_whole_columns(axes, slots, columns, begin, whole, to);
    if (rest) {
        char left[TL_ROW][16 * TL_ABREAST * 8] = {{0}};
        int64_t found[16 * TL_ABREAST];
        tl_column column[TL_ROW];
        tl_bare_slots last = *slots;
        last.way = TL_STORED;
        for (int a = 0; a < axes; a++) {
            memcpy(left[a], columns[a].at + (begin + (int64_t)whole) * columns->step, rest * width);
            column[a] = (tl_column){columns->kind, left[a], columns->step};
        }
        outside |= tl_slots_of_whole_columns(axes, &last, column, 0, 16 * TL_ABREAST, found);
        memcpy(to + whole, found, rest * sizeof *found);
    }
    return outside;
}

/* Coordinates on the one axis of slots, by its moves or else its parts; whether a slot is outside or holds none. */
TL_BY_ALL_512 static TL_ALWAYS_INLINE int tl_axis_of_slots_by(const int width, const tl_network *net, const char *from, size_t n,
                                                               int64_t *to, enum tl_way way)
{
    const __m512i low = _mm512_set1_epi64(0xffffffff);
    const enum tl_asking asks = tl_asking_by(way, 0);
    const tl_move *move = net->back + net->back_begin[1], *move_end = net->back + net->back_begin[2];
    const tl_part *part = net->part + net->part_begin[1], *part_end = net->part + net->part_begin[2];
    __m512i most = _mm512_setzero_si512(), most_found = most, hole = most, none = most;
    for (size_t i = 0; i < n; i += 16 * TL_ABREAST) {
        __m512i slot[TL_ABREAST], x[TL_ABREAST];
        for (int k = 0; k < TL_ABREAST; k++) {
            const char *at = from + (i + 16 * (size_t)k) * (size_t)width;
            slot[k] = width == 4 ? tl_take_axis_4(at, asks, &most) : tl_take_axis_8(at, asks, &most);
            x[k] = _mm512_setzero_si512();
        }
        tl_move_axis(TL_ABREAST, slot, move, move_end, x);
        for (int k = 0; k < TL_ABREAST; k++) {
            if (move == move_end)
                tl_take_apart(slot[k], part, part_end, &x[k], &none, &hole);
            most_found = _mm512_max_epu32(most_found, x[k]);
            tl_store_8(to + i + 16 * k, _mm512_and_si512(x[k], low), way);
            tl_store_8(to + i + 16 * k + 8, _mm512_srli_epi64(x[k], 32), way);
        }
    }
    return (width == 4 ? tl_reaches_4(most, tl_all_4(net->slots)) : tl_reaches_8(most, tl_all_8(net->slots))) |
           tl_reaches_4(most_found, tl_all_4(net->extent[0])) | (_mm512_movepi32_mask(hole) != 0);
}

TL_BY_ALL_512 static int tl_axis_of_slots_512(const tl_network *net, tl_kind kind, const char *from, size_t n, int64_t *to,
                                              enum tl_way way)
{
    const size_t rest = n % (16 * TL_ABREAST), whole = n - rest, width = (size_t)-kind;
    int bad = width == 4 ? tl_axis_of_slots_by(4, net, from, whole, to, way) : tl_axis_of_slots_by(8, net, from, whole, to, way);
    if (rest) {
        char left[16 * TL_ABREAST * 8];
        int64_t found[16 * TL_ABREAST];
        for (size_t i = 0; i < 16 * TL_ABREAST; i++)
            memcpy(left + i * width, from + (whole + (i < rest ? i : 0)) * width, width);
        bad |= width == 4 ? tl_axis_of_slots_by(4, net, left, 16 * TL_ABREAST, found, TL_STORED)
                          : tl_axis_of_slots_by(8, net, left, 16 * TL_ABREAST, found, TL_STORED);
        memcpy(to + whole, found, rest * sizeof *found);
    }
    return bad;
}

#endif
