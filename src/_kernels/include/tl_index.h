/* Index queries: a layout as a small network of registers.
 *
 * Registers 0 .. axes-1 hold the coordinates, the last one the slot, those between hold merged sums. Forwards a register is
 *     target = constant + (XOR of its moves, bits of other registers) + sum of its quotients, weight * (source / divisor) each
 * and backwards moves give its sources, or else it is taken apart by falling stride. Queries go through in blocks, a few moves or
 * one quotient at a time, so that every loop is short, simple and without branches; compilers make vectors of them.
 *
 * What is added up may wrap around, for only what comes out must fit: weights are taken modulo 2^32 or 2^64. A network in
 * which every value of every register stays below 2^31 is narrow, and goes in lanes of 32 bits. In both widths a value that
 * is in bounds leaves the top bit clear, and so does limit - value.
 */
#ifndef TL_INDEX_H
#define TL_INDEX_H

#include <stdint.h>
#include <string.h>

#include "tl_network.h"
#include "tl_stream.h"

enum {
    TL_BLOCK = 256,    /* queries that go through together */
    TL_FEW = 32,       /* registers that need no memory but the stack */
    TL_PAIR_MOVES = 4, /* moves of each of two axes at the most where a slot of pairs stays in a vector */
    TL_ROW = 8,        /* coordinates of a row at the most that vectors take apart, and columns that they take together */
};

/* Integers that queries arrive in: width in bytes, negative for signed. */
typedef int tl_kind;

/* The coordinates of queries on one axis, so many bytes from each to the next. */
typedef struct {
    tl_kind kind;
    const char *at;
    int64_t step;
} tl_column;

/* One query, as a number whose top bit is set where it is below 0 or too large for int64. */
static inline int64_t tl_read(tl_kind kind, const char *from)
{
    union {
        uint8_t u1;
        uint16_t u2;
        uint32_t u4;
        int8_t i1;
        int16_t i2;
        int32_t i4;
        int64_t i8;
    } x;
    memcpy(&x, from, (size_t)(kind < 0 ? -kind : kind));
    switch (kind) {
    case 1: return x.u1;
    case 2: return x.u2;
    case 4: return x.u4;
    case -1: return x.i1;
    case -2: return x.i2;
    case -4: return x.i4;
    default: return x.i8;
    }
}

/* The first of n queries, from one on, that is out of bounds; n if there is none. */
static inline int64_t tl_first_outside(const tl_column *columns, int axes, const int64_t *extent, int64_t begin, int64_t n)
{
    for (int64_t i = begin; i < n; i++)
        for (const tl_column *c = columns; c < columns + axes; c++)
            if ((uint64_t)tl_read(c->kind, c->at + i * c->step) >= (uint64_t)extent[c - columns])
                return i;
    return n;
}

/* Whether two columns are those of pairs side by side. */
static inline int tl_are_pairs(const tl_column *c)
{
    const int width = c->kind < 0 ? -c->kind : c->kind;
    return width >= 4 && c[1].kind == c->kind && c[1].at == c->at + width && c->step == 2 * width && c[1].step == c->step;
}

/* Whether columns are those of rows of `least` or more side by side, which vectors take apart. */
static inline int tl_are_rows(const tl_column *c, int axes, int least)
{
    const int width = c->kind < 0 ? -c->kind : c->kind;
    if (axes < least || axes > TL_ROW || width < 4)
        return 0;
    for (int a = 0; a < axes; a++)
        if (c[a].kind != c->kind || c[a].at != c->at + a * width || c[a].step != axes * width)
            return 0;
    return 1;
}

/* Whether two columns are of signed integers side by side, each for itself. */
static inline int tl_are_apart(const tl_column *c)
{
    return (c->kind == -4 || c->kind == -8) && c[1].kind == c->kind && c->step == -c->kind && c[1].step == c->step;
}

/* Whether columns are of integers of 4 or 8 bytes, all alike, each column in one piece. */
static inline int tl_are_columns(const tl_column *c, int axes)
{
    const int width = c->kind < 0 ? -c->kind : c->kind;
    if (axes < 1 || axes > TL_ROW || width < 4)
        return 0;
    for (int a = 0; a < axes; a++)
        if (c[a].kind != c->kind || c[a].step != width)
            return 0;
    return 1;
}

static TL_ALWAYS_INLINE uint64_t tl_high_64(uint64_t x, uint64_t y)
{
#if defined(__SIZEOF_INT128__)
    return (uint64_t)((unsigned __int128)x * y >> 64);
#else
    uint64_t low = (uint32_t)x * (y & 0xffffffff), left = (x >> 32) * (y & 0xffffffff), right = (uint32_t)x * (y >> 32);
    uint64_t carry = ((low >> 32) + (uint32_t)left + (uint32_t)right) >> 32;
    return (x >> 32) * (y >> 32) + (left >> 32) + (right >> 32) + carry;
#endif
}

static TL_ALWAYS_INLINE uint32_t tl_high_32(uint32_t x, uint32_t y) { return (uint32_t)((uint64_t)x * y >> 32); }

/* As many moves between a slot and each of two axes, some of them with empty masks; the quotients that a slot has of each, or on the way
 * back its parts. */
typedef struct {
    int moves, left[2][TL_PAIR_MOVES];
    uint64_t mask[2][TL_PAIR_MOVES];
    const tl_quotient *quotient[3];
    const tl_part *part, *part_end;
} tl_pair;

/* What makes a slot of two axes and of nothing else, or them of a slot; whether that is so and moves are few. */
static inline int tl_is_of_pair(const tl_network *net, int back, tl_pair *to)
{
    const tl_move *m = back ? net->back : net->move;
    const int *begin = back ? net->back_begin : net->move_begin;
    int count[2] = {0, 0};
    if (net->axes != 2 || net->registers != 3 || (back ? net->least[2] || net->start[0] || net->start[1] : net->constant[2] != 0))
        return 0;
    memset(to, 0, sizeof *to);
    to->part = net->part;
    to->part_end = to->part + (back ? net->part_begin[3] : 0);
    const tl_quotient *t = to->quotient[0] = net->quotient, *end = to->quotient[2] = t + (back ? 0 : net->quotient_begin[3]);
    while (t < end && t->source == 0)
        t++;
    to->quotient[1] = t;
    for (; t < end; t++)
        if (t->source != 1)
            return 0;
    for (int k = begin[2]; k < begin[3]; k++) {
        int axis = back ? m[k].target : m[k].source, at = count[axis]++;
        if (at == TL_PAIR_MOVES)
            return 0;
        to->left[axis][at] = m[k].left;
        to->mask[axis][at] = m[k].mask;
    }
    to->moves = count[0] > count[1] ? count[0] : count[1];
    return 1;
}

/* What makes slots of coordinates on at most TL_ROW axes, and of nothing else: the moves and quotients of each axis, up to those of the
 * next; how many bytes ahead rows are asked for, and how slots are stored. */
typedef struct {
    const tl_move *move[TL_ROW + 1];
    const tl_quotient *quotient[TL_ROW + 1];
    int64_t constant, asks;
    const int64_t *extent;
    enum tl_way way;
} tl_bare_slots;

static inline tl_bare_slots tl_bare_slots_of(const tl_network *net, int64_t asks)
{
    const int slot = net->registers - 1;
    const tl_move *m = net->move + net->move_begin[slot], *move_end = net->move + net->move_begin[slot + 1];
    const tl_quotient *t = net->quotient + net->quotient_begin[slot], *quotient_end = net->quotient + net->quotient_begin[slot + 1];
    tl_bare_slots slots = {.constant = net->constant[slot], .asks = asks, .extent = net->extent};
    for (int a = 0; a <= net->axes; a++) {
        slots.move[a] = m;
        slots.quotient[a] = t;
        while (m < move_end && m->source == a)
            m++;
        while (t < quotient_end && t->source == a)
            t++;
    }
    return slots;
}

/* Whether coordinates on at most TL_ROW axes are made of a slot and of nothing else, and none begins with anything but 0. */
static inline int tl_is_bare_back(const tl_network *net)
{
    int is_bare = net->registers == net->axes + 1 && net->axes >= 1 && net->axes <= TL_ROW && !net->least[net->axes];
    for (int a = 0; a < net->axes && is_bare; a++)
        is_bare = !net->start[a];
    return is_bare;
}

/* The busiest loops, in lanes of one width; those from `slots_of_pairs` on only where they are known. */
typedef struct {
    void (*moves)(const tl_move *, const tl_move *, void *, size_t);
    int (*load_pairs)(tl_kind, const char *, size_t, const int64_t *, void *, void *);
    void (*store_slots)(int64_t *, const void *, size_t, enum tl_way way);
    void (*store_pairs)(int64_t *, const void *, const void *, size_t, enum tl_way way);
    int (*slots_of_pairs)(const tl_pair *, const tl_column *, int64_t, size_t, const int64_t *, int64_t *, enum tl_way way);
    int (*pairs_of_slots)(const tl_pair *, tl_kind, const char *, size_t, const int64_t *, int64_t *, enum tl_way way);
    int (*slots_of_rows)(int axes, int width, const tl_bare_slots *, const char *, size_t, int64_t *);
    int (*slots_of_columns)(int axes, const tl_bare_slots *, const tl_column *, int64_t, size_t, int64_t *);
    int (*axes_of_slots)(const tl_network *, tl_kind, const char *, size_t, int64_t *, enum tl_way way);
    int axes_at_once; /* as many of them at the most */
    int (*take_rows)(int axes, int width, const char *, size_t, const int64_t *, uint32_t *);
    void (*give_rows)(int axes, int64_t *, const uint32_t *, size_t, enum tl_way way);
} tl_loops;

/* From so many integers on they are stored past the caches, where vectors have 32 bytes at least. */
#define TL_PAST_CACHES (1 << 19)
/* How this machine stores lines best, past the caches or not. */
static inline enum tl_way tl_way_to(int past) { return past ? TL_PAST : tl_asks_late() ? TL_ASKED_FOR : TL_STORED; }

/* A call for one of the numbers of axes from three to TL_ROW. */
#define TL_BY_AXES(CALL)                                                                                        \
    switch (axes) {                                                                                             \
    case 3: CALL(3); break;                                                                                     \
    case 4: CALL(4); break;                                                                                     \
    case 5: CALL(5); break;                                                                                     \
    case 6: CALL(6); break;                                                                                     \
    case 7: CALL(7); break;                                                                                     \
    default: CALL(8);                                                                                           \
    }

/* How many bytes ahead of those at hand is asked for. */
#define TL_ASKED 0x2000

/* How many rows of so many integers come before one that begins with a line; -1 where none does. */
static inline int64_t tl_rows_to_line(const int64_t *to, int integers)
{
    for (int64_t r = 0; r < TL_LINE / 8; r++)
        if (!tl_place((const char *)(to + r * integers)))
            return r;
    return -1;
}

#define TL_WIDTH 32
#include "tl_lanes.h"
#undef TL_WIDTH
#define TL_WIDTH 64
#include "tl_lanes.h"
#undef TL_WIDTH

/* The slot of one element, or -1 where a coordinate is out of bounds; the network has TL_FEW registers at the most. */
static inline int64_t tl_slot(const tl_network *net, tl_kind kind, const char *from, int64_t axis_step)
{
    union {
        uint32_t narrow[TL_FEW];
        uint64_t wide[TL_FEW];
    } reg;
    for (int a = 0; a < net->axes; a++) {
        const uint64_t x = (uint64_t)tl_read(kind, from + a * axis_step);
        if (x >= (uint64_t)net->extent[a])
            return -1;
        if (net->narrow)
            reg.narrow[a] = (uint32_t)x;
        else
            reg.wide[a] = x;
    }
    return (int64_t)(net->narrow ? tl_slot_in_32(net, reg.narrow) : tl_slot_in_64(net, reg.wide));
}

/* The same code for one kind of machine each; a level may have busiest loops of its own. */
typedef struct {
    const char *name;
    int64_t (*slots)(const tl_network *, const tl_column *, int64_t, int64_t, int64_t *, void *);
    int64_t (*coordinates)(const tl_network *, tl_column, int64_t, int64_t, int64_t *, unsigned char *, int, void *);
    void (*enumerate)(const tl_network *, int64_t, int64_t, int64_t *, void *);
} tl_index_level;

#define TL_DEFINE_MOVES(NAME, TARGET, BITS)                                                                     \
    TARGET static void tl_moves_##NAME##_##BITS(const tl_move *m, const tl_move *end, void *reg, size_t n)      \
    {                                                                                                           \
        tl_moves_in_##BITS(m, end, reg, n);                                                                     \
    }
#define TL_DEFINE_PAIRS(NAME, TARGET, BITS)                                                                     \
    TARGET static int tl_load_pairs_##NAME##_##BITS(tl_kind kind, const char *from, size_t n, const int64_t *extent, void *x, void *y) \
    {                                                                                                           \
        return tl_load_pair_in_##BITS(kind, from, n, extent, x, y);                                             \
    }
#define TL_DEFINE_STORE_PAIRS(NAME, TARGET, BITS)                                                               \
    TARGET static void tl_store_pairs_##NAME##_##BITS(int64_t *to, const void *x, const void *y, size_t n, enum tl_way way) \
    {                                                                                                           \
        tl_store_pairs_in_##BITS(to, x, y, n, way);                                                             \
    }
#define TL_DEFINE_STORE(NAME, TARGET, BITS)                                                                     \
    TARGET static void tl_store_slots_##NAME##_##BITS(int64_t *to, const void *slots, size_t n, enum tl_way way)       \
    {                                                                                                           \
        tl_store_slots_in_##BITS(to, slots, n, way);                                                            \
    }
#define TL_LOOPS(NAME, BITS)                                                                                    \
    .moves = tl_moves_##NAME##_##BITS, .load_pairs = tl_load_pairs_##NAME##_##BITS,                             \
    .store_slots = tl_store_slots_##NAME##_##BITS, .store_pairs = tl_store_pairs_##NAME##_##BITS

#define TL_DEFINE_LOOPS(NAME, TARGET)                                                                           \
    TL_DEFINE_MOVES(NAME, TARGET, 32)                                                                           \
    TL_DEFINE_MOVES(NAME, TARGET, 64)                                                                           \
    TL_DEFINE_PAIRS(NAME, TARGET, 32)                                                                           \
    TL_DEFINE_PAIRS(NAME, TARGET, 64)                                                                           \
    TL_DEFINE_STORE_PAIRS(NAME, TARGET, 32)                                                                     \
    TL_DEFINE_STORE_PAIRS(NAME, TARGET, 64)                                                                     \
    TL_DEFINE_STORE(NAME, TARGET, 32)                                                                           \
    TL_DEFINE_STORE(NAME, TARGET, 64)                                                                           \
    static const tl_loops tl_loops_##NAME[] = {{TL_LOOPS(NAME, 32)}, {TL_LOOPS(NAME, 64)}};

#define TL_DEFINE_LEVEL(NAME, TARGET)                                                                           \
    TARGET static int64_t tl_slots_##NAME(const tl_network *net, const tl_column *columns, int64_t n, int64_t all, int64_t *out, \
                                          void *reg)                                                            \
    {                                                                                                           \
        return net->narrow ? tl_slots_in_32(net, columns, n, all, out, reg, &tl_loops_##NAME[0])                \
                           : tl_slots_in_64(net, columns, n, all, out, reg, &tl_loops_##NAME[1]);               \
    }                                                                                                           \
    TARGET static int64_t tl_coordinates_##NAME(const tl_network *net, tl_column slots, int64_t n, int64_t all, int64_t *out, \
                                                unsigned char *holes, int stop_at_hole, void *reg)              \
    {                                                                                                           \
        return net->narrow ? tl_coordinates_in_32(net, slots, n, all, out, holes, stop_at_hole, reg, &tl_loops_##NAME[0]) \
                           : tl_coordinates_in_64(net, slots, n, all, out, holes, stop_at_hole, reg, &tl_loops_##NAME[1]); \
    }                                                                                                           \
    TARGET static void tl_enumerate_##NAME(const tl_network *net, int64_t begin, int64_t end, int64_t *out, void *reg) \
    {                                                                                                           \
        if (net->narrow)                                                                                        \
            tl_enumerate_in_32(net, begin, end, out, reg, &tl_loops_##NAME[0]);                                 \
        else                                                                                                    \
            tl_enumerate_in_64(net, begin, end, out, reg, &tl_loops_##NAME[1]);                                 \
    }
#define TL_LEVEL(NAME) {#NAME, tl_slots_##NAME, tl_coordinates_##NAME, tl_enumerate_##NAME}

TL_DEFINE_LOOPS(scalar, )
TL_DEFINE_LEVEL(scalar, )

#ifdef TL_WIDE
#include "tl_axes_256.h"
#include "tl_slots_256.h"
#include "tl_index_512.h"
#include "tl_rows_512.h"
#include "tl_columns_512.h"

TL_DEFINE_MOVES(256, TL_BY_256, 32)
TL_DEFINE_MOVES(256, TL_BY_256, 64)
TL_DEFINE_PAIRS(256, TL_BY_256, 32)
TL_DEFINE_PAIRS(256, TL_BY_256, 64)
TL_DEFINE_STORE_PAIRS(256, TL_BY_256, 32)
TL_DEFINE_STORE_PAIRS(256, TL_BY_256, 64)
static const tl_loops tl_loops_256[] = {
    {TL_LOOPS(256, 32), .slots_of_rows = tl_slots_of_rows_256, .slots_of_columns = tl_slots_of_columns_256,
     .axes_of_slots = tl_axes_of_slots_256, .axes_at_once = TL_ROW},
    {TL_LOOPS(256, 64), .slots_of_pairs = tl_slots_of_pairs_256_64},
};
TL_DEFINE_LEVEL(256, TL_BY_256)
TL_DEFINE_PAIRS(512, TL_BY_ALL_512, 64)
static const tl_loops tl_loops_512[] = {
    {TL_LOOPS(512, 32), .slots_of_pairs = tl_slots_of_pairs_512_32, .pairs_of_slots = tl_pairs_of_slots_512,
     .slots_of_rows = tl_slots_of_rows_512, .slots_of_columns = tl_slots_of_columns_512,
     .axes_of_slots = tl_axis_of_slots_512, .axes_at_once = 1, .take_rows = tl_take_rows_512, .give_rows = tl_give_rows_512},
    {TL_LOOPS(512, 64), .slots_of_pairs = tl_slots_of_pairs_512_64},
};
TL_DEFINE_LEVEL(512, TL_BY_ALL_512)

static const tl_index_level tl_levels[] = {TL_LEVEL(scalar), TL_LEVEL(256), TL_LEVEL(512)};

/* How many of the levels this machine has. */
static inline int tl_count_levels(void)
{
    return tl_has_512() ? 3 : __builtin_cpu_supports("avx2") ? 2 : 1;
}
#else
static const tl_index_level tl_levels[] = {TL_LEVEL(scalar)};

static inline int tl_count_levels(void) { return 1; }
#endif

#endif
