/* Index queries in lanes of TL_WIDTH bits; tl_index.h includes this once for each width. */

#define TL_GLUE_(a, b) a##b
#define TL_GLUE(a, b) TL_GLUE_(a, b)
#define TL_IN(name) TL_GLUE(name##_in_, TL_WIDTH)
#define TL_LANE TL_GLUE(TL_GLUE(uint, TL_WIDTH), _t)
#define TL_SIGNED_LANE TL_GLUE(TL_GLUE(int, TL_WIDTH), _t)
#define TL_HIGH_OF TL_GLUE(tl_high_, TL_WIDTH)

typedef TL_LANE TL_IN(tl_block)[TL_BLOCK];

/* A statement for every i below n, and one that uses the quotient q of from[i]. */
#define TL_FOR_EACH(STATEMENT)                                                                                      \
    for (size_t i = 0; i < n; i++) {                                                                            \
        STATEMENT;                                                                                              \
    }
#define TL_FOR_EACH_QUOTIENT(BY, STATEMENT)                                                                         \
    do {                                                                                                        \
        const tl_division by = BY;                                                                              \
        if (by.of == TL_ITSELF)                                                                                 \
            TL_FOR_EACH(const TL_LANE q = TL_IN(tl_divided)(from[i], TL_ITSELF, by); STATEMENT)                     \
        else if (by.of == TL_LOW)                                                                               \
            TL_FOR_EACH(const TL_LANE q = TL_IN(tl_divided)(from[i], TL_LOW, by); STATEMENT)                        \
        else                                                                                                    \
            TL_FOR_EACH(const TL_LANE q = TL_IN(tl_divided)(from[i], TL_HIGH, by); STATEMENT)                       \
    } while (0)

static TL_ALWAYS_INLINE TL_LANE TL_IN(tl_divided)(TL_LANE x, int of, tl_division by)
{
    const TL_LANE magic = (TL_LANE)by.magic;
    return (of == TL_ITSELF ? x : of == TL_LOW ? (TL_LANE)(x * magic) : TL_HIGH_OF(x, magic)) >> by.shift;
}

/* The bits that the k-th of some moves flips. */
#define TL_TAKE(k)                                                                                              \
    const TL_LANE *__restrict from##k = reg[m[k].source];                                                       \
    const TL_LANE mask##k = (TL_LANE)m[k].mask;                                                                 \
    const int left##k = m[k].left, right##k = -left##k & (TL_WIDTH - 1)
#define TL_TAKEN(k) ((TL_LANE)(from##k[i] << left##k | from##k[i] >> right##k) & mask##k)

/* Load n queries of a TYPE into a register; whether one is outside. A WIDE holds every value in bounds, and no other becomes one. */
#define TL_LOAD(TYPE, WIDE, STEP)                                                                               \
    do {                                                                                                        \
        const WIDE last = (WIDE)(extent - 1);                                                                   \
        WIDE outside = 0;                                                                                       \
        for (size_t i = 0; i < n; i++) {                                                                        \
            TYPE x;                                                                                             \
            memcpy(&x, from + (int64_t)i * (STEP), sizeof x);                                                   \
            outside |= (WIDE)x | (last - (WIDE)x);                                                              \
            to[i] = (TL_LANE)x;                                                                                 \
        }                                                                                                       \
        return (int)(outside >> (8 * sizeof(WIDE) - 1));                                                        \
    } while (0)

#define TL_LOAD_EITHER(TYPE, WIDE)                                                                              \
    do {                                                                                                        \
        if (step == (int64_t)sizeof(TYPE))                                                                      \
            TL_LOAD(TYPE, WIDE, (int64_t)sizeof(TYPE));                                                         \
        else                                                                                                    \
            TL_LOAD(TYPE, WIDE, step);                                                                          \
    } while (0)

/* The same for two axes that lie side by side. */
#define TL_LOAD_PAIR(TYPE, WIDE)                                                                                \
    do {                                                                                                        \
        const WIDE last0 = (WIDE)(extent[0] - 1), last1 = (WIDE)(extent[1] - 1);                                \
        WIDE outside = 0;                                                                                       \
        for (size_t i = 0; i < n; i++) {                                                                        \
            TYPE a, b;                                                                                          \
            memcpy(&a, from + 2 * i * sizeof a, sizeof a);                                                      \
            memcpy(&b, from + (2 * i + 1) * sizeof b, sizeof b);                                                \
            outside |= (WIDE)a | (last0 - (WIDE)a) | (WIDE)b | (last1 - (WIDE)b);                               \
            to0[i] = (TL_LANE)a;                                                                                \
            to1[i] = (TL_LANE)b;                                                                                \
        }                                                                                                       \
        return (int)(outside >> (8 * sizeof(WIDE) - 1));                                                        \
    } while (0)

/* One column of queries into a register; whether one is outside [0, extent). */
static TL_ALWAYS_INLINE int TL_IN(tl_load)(tl_kind kind, const char *__restrict from, int64_t step, size_t n, int64_t extent,
                                          TL_LANE *__restrict to)
{
    switch (kind) {
    case 1: TL_LOAD(uint8_t, TL_LANE, step);
    case 2: TL_LOAD(uint16_t, TL_LANE, step);
    case 4: TL_LOAD_EITHER(uint32_t, TL_LANE);
    case -1: TL_LOAD(int8_t, TL_LANE, step);
    case -2: TL_LOAD(int16_t, TL_LANE, step);
    case -4: TL_LOAD_EITHER(int32_t, TL_LANE);
    default: TL_LOAD_EITHER(int64_t, uint64_t);
    }
}

static TL_ALWAYS_INLINE int TL_IN(tl_load_pair)(tl_kind kind, const char *__restrict from, size_t n, const int64_t *extent, void *x, void *y)
{
    TL_LANE *__restrict to0 = x, *__restrict to1 = y;
    switch (kind) {
    case 4: TL_LOAD_PAIR(uint32_t, TL_LANE);
    case -4: TL_LOAD_PAIR(int32_t, TL_LANE);
    default: TL_LOAD_PAIR(int64_t, uint64_t);
    }
}

/* Some moves, those of one target side by side. */
static TL_ALWAYS_INLINE void TL_IN(tl_moves)(const tl_move *m, const tl_move *end, void *registers, size_t n)
{
    TL_IN(tl_block) *reg = registers;
    while (m < end) {
        TL_LANE *__restrict to = reg[m->target];
        int together = 1;
        while (together < 4 && m + together < end && m[together].target == m->target)
            together++;
        TL_TAKE(0);
        if (together == 1) {
            TL_FOR_EACH(to[i] ^= TL_TAKEN(0))
        } else if (together == 2) {
            TL_TAKE(1);
            TL_FOR_EACH(to[i] ^= TL_TAKEN(0) ^ TL_TAKEN(1))
        } else if (together == 3) {
            TL_TAKE(1);
            TL_TAKE(2);
            TL_FOR_EACH(to[i] ^= TL_TAKEN(0) ^ TL_TAKEN(1) ^ TL_TAKEN(2))
        } else {
            TL_TAKE(1);
            TL_TAKE(2);
            TL_TAKE(3);
            TL_FOR_EACH(to[i] ^= TL_TAKEN(0) ^ TL_TAKEN(1) ^ TL_TAKEN(2) ^ TL_TAKEN(3))
        }
        m += together;
    }
}

/* Slots as int64. */
static TL_ALWAYS_INLINE void TL_IN(tl_store_slots)(int64_t *__restrict to, const void *slots, size_t n, enum tl_way way)
{
    const TL_LANE *__restrict slot = slots;
    (void)way;
    for (size_t i = 0; i < n; i++)
        to[i] = (int64_t)slot[i];
}

/* Two columns side by side, as int64. */
static TL_ALWAYS_INLINE void TL_IN(tl_store_pairs)(int64_t *__restrict to, const void *first, const void *second, size_t n, enum tl_way way)
{
    const TL_SIGNED_LANE *__restrict x = first, *__restrict y = second;
    (void)way;
    for (size_t i = 0; i < n; i++) {
        to[2 * i] = x[i];
        to[2 * i + 1] = y[i];
    }
}

/* Registers axes .. registers-1 from the coordinates in registers 0 .. axes-1. */
static TL_ALWAYS_INLINE void TL_IN(tl_forward)(const tl_network *net, TL_IN(tl_block) *reg, size_t n, const tl_loops *loops)
{
    for (int r = net->axes; r < net->registers; r++) {
        TL_LANE *__restrict to = reg[r];
        const TL_LANE constant = (TL_LANE)net->constant[r];
        memset(to, 0, n * sizeof *to);
        loops->moves(net->move + net->move_begin[r], net->move + net->move_begin[r + 1], reg, n);
        for (const tl_quotient *t = net->quotient + net->quotient_begin[r]; t < net->quotient + net->quotient_begin[r + 1]; t++) {
            const TL_LANE *__restrict from = reg[t->source];
            const TL_LANE weight = (TL_LANE)t->weight;
            TL_FOR_EACH_QUOTIENT(t->by, to[i] += q * weight);
        }
        if (constant)
            TL_FOR_EACH(to[i] += constant)
    }
}

/* The same for one element, register by register; the slot. */
static TL_ALWAYS_INLINE TL_LANE TL_IN(tl_slot)(const tl_network *net, TL_LANE *reg)
{
    for (int r = net->axes; r < net->registers; r++) {
        TL_LANE to = 0;
        for (const tl_move *m = net->move + net->move_begin[r]; m < net->move + net->move_begin[r + 1]; m++) {
            const TL_LANE from = reg[m->source];
            to ^= (TL_LANE)(from << m->left | from >> (-m->left & (TL_WIDTH - 1))) & (TL_LANE)m->mask;
        }
        for (const tl_quotient *t = net->quotient + net->quotient_begin[r]; t < net->quotient + net->quotient_begin[r + 1]; t++) {
            to += TL_IN(tl_divided)(reg[t->source], t->by.of, t->by) * (TL_LANE)t->weight;
        }
        reg[r] = to + (TL_LANE)net->constant[r];
    }
    return reg[net->registers - 1];
}

/* The registers below from the slots in the last one; the top bit of hole[i] is set where no element lies. */
static TL_ALWAYS_INLINE void TL_IN(tl_backward)(const tl_network *net, TL_IN(tl_block) *reg, TL_LANE *__restrict hole, size_t n,
                                               const tl_loops *loops)
{
    int slot = net->registers - 1;
    for (int r = 0; r < slot; r++) {
        TL_LANE *__restrict to = reg[r];
        const TL_LANE start = (TL_LANE)net->start[r];
        TL_FOR_EACH(to[i] = start)
    }
    memset(hole, 0, n * sizeof *hole);
    for (int r = slot; r >= 0; r--) {
        TL_LANE *__restrict from = reg[r];
        const TL_LANE last = (TL_LANE)(net->extent[r] - 1), least = (TL_LANE)net->least[r];
        if (r < slot)
            for (size_t i = 0; i < n; i++)
                hole[i] |= last - from[i];
        if (r < net->axes)
            continue;
        if (net->back_begin[r] < net->back_begin[r + 1]) {
            loops->moves(net->back + net->back_begin[r], net->back + net->back_begin[r + 1], reg, n);
            continue;
        }
        if (least)
            for (size_t i = 0; i < n; i++) {
                from[i] -= least;
                hole[i] |= from[i];
            }
        TL_LANE unit = 0;
        for (const tl_part *p = net->part + net->part_begin[r]; p < net->part + net->part_begin[r + 1]; p++) {
            const TL_LANE radix = (TL_LANE)p->radix, divisor = (TL_LANE)p->divisor;
            TL_LANE *__restrict to = reg[p->source];
            unit = (TL_LANE)p->stride;
            const TL_LANE stride = unit;
            if (p->left >= 0) {
                const int left = p->left, right = p->by.shift;
                TL_FOR_EACH(const TL_LANE q = from[i] >> right; from[i] &= stride - 1; hole[i] |= radix - 1 - q; to[i] += q << left)
            } else
                TL_FOR_EACH_QUOTIENT(p->by, from[i] -= q * stride; hole[i] |= radix - 1 - q; to[i] += q * divisor);
        }
        if (unit != 1)
            for (size_t i = 0; i < n; i++)
                hole[i] |= 0 - from[i];
    }
}

/* Slots of n coordinates, where threads are asked for those of `all`; returns how many were done before the first one out of bounds. */
static TL_ALWAYS_INLINE int64_t TL_IN(tl_slots)(const tl_network *net, const tl_column *columns, int64_t n, int64_t all, int64_t *out, void *room,
                                  const tl_loops *loops)
{
    TL_IN(tl_block) *reg = room;
    const TL_LANE *__restrict slot = reg[net->registers - 1];
    const int is_pair = net->axes == 2 && tl_are_pairs(columns);
    const int least = loops->slots_of_pairs ? 3 : 2; /* of two axes there may be kernels of their own */
    const int is_row = loops->slots_of_rows && tl_are_rows(columns, net->axes, least);
    tl_pair pair;
    const int is_of_two = loops->slots_of_pairs && net->axes == 2 && (is_pair || tl_are_apart(columns)) &&
                          (columns->kind == -8 || (columns->kind == -4 && TL_WIDTH == 32)); /* no narrower than lanes */
    const int is_at_once = is_of_two && tl_is_of_pair(net, 0, &pair) && (TL_WIDTH == 32 || pair.quotient[0] == pair.quotient[2]);
    const int is_bare = net->registers == net->axes + 1 && net->axes <= TL_ROW, width = is_row ? (int)columns->step / net->axes : 0;
    const int is_row_at_once = is_row && is_bare;
    const int is_column_at_once = is_bare && !is_at_once && loops->slots_of_columns && tl_are_columns(columns, net->axes);
    const int is_direct = is_at_once || is_row_at_once || is_column_at_once; /* without registers, which hold no more than a block */
    tl_bare_slots slots = {.asks = 0};
    if (is_bare)
        slots = tl_bare_slots_of(net, n > 16 * TL_BLOCK ? 2 * TL_ASKED : 0);
    const int64_t block = is_direct ? 8 * TL_BLOCK : TL_BLOCK;
    const int64_t head = n >= 2 * TL_BLOCK ? tl_rows_to_line(out, 1) : 0;
    const int is_large = all >= TL_PAST_CACHES && head >= 0;
    size_t count;
    for (int64_t done = 0; done < n; done += (int64_t)count) {
        const int64_t most = !done && head > 0 ? head : block;
        const enum tl_way way = slots.way = tl_way_to(is_large && done >= head);
        count = (size_t)(n - done < most ? n - done : most);
        int outside = 0;
        if (is_at_once)
            outside = loops->slots_of_pairs(&pair, columns, done, count, net->extent, out + done, way);
        else if (is_row_at_once)
            outside = loops->slots_of_rows(net->axes, width, &slots, columns->at + done * columns->step, count, out + done);
        else if (is_column_at_once)
            outside = loops->slots_of_columns(net->axes, &slots, columns, done, count, out + done);
        else if (is_pair)
            outside = loops->load_pairs(columns->kind, columns->at + done * columns->step, count, net->extent, reg[0], reg[1]);
        else if (is_row && loops->take_rows)
            outside = loops->take_rows(net->axes, width, columns->at + done * columns->step, count, net->extent, (uint32_t *)reg);
        else
            for (int a = 0; a < net->axes; a++) {
                const tl_column *c = columns + a;
                outside |= TL_IN(tl_load)(c->kind, c->at + done * c->step, c->step, count, net->extent[a], reg[a]);
            }
        if (outside)
            return tl_first_outside(columns, net->axes, net->extent, done, n);
        if (is_direct)
            continue;
        TL_IN(tl_forward)(net, reg, count, loops);
        loops->store_slots(out + done, slot, count, way);
    }
    if (is_large)
        tl_fence();
    return n;
}

/* Coordinates of n slots, -1 in every one where no element lies (holes counts those); returns as tl_slots.
 * Either of out and holes may be NULL. With stop_at_hole the first hole ends it too. */
static TL_ALWAYS_INLINE int64_t TL_IN(tl_coordinates)(const tl_network *net, tl_column slots, int64_t n, int64_t all, int64_t *out,
                                        unsigned char *__restrict holes, int stop_at_hole, void *room, const tl_loops *loops)
{
    TL_IN(tl_block) *reg = room;
    TL_LANE *hole = reg[net->registers];
    const int axes = net->axes, is_plain = out && !holes && (slots.kind == -8 || slots.kind == -4) && slots.step == -slots.kind;
    tl_pair pair;
    const int is_at_once = is_plain && loops->pairs_of_slots && tl_is_of_pair(net, 1, &pair);
    const int are_axes_at_once = is_plain && axes <= loops->axes_at_once && tl_is_bare_back(net);
    const int64_t head = out && n >= 2 * TL_BLOCK ? tl_rows_to_line(out, axes) : 0;
    const int is_large = out && axes && all >= TL_PAST_CACHES / axes && head >= 0;
    size_t count;
    for (int64_t done = 0; done < n; done += (int64_t)count) {
        const int64_t most = !done && head > 0 ? head : TL_BLOCK;
        const enum tl_way way = tl_way_to(is_large && done >= head);
        const char *from = slots.at + done * slots.step;
        count = (size_t)(n - done < most ? n - done : most);
        if (is_at_once && !loops->pairs_of_slots(&pair, slots.kind, from, count, net->extent, out + done * axes, way))
            continue;
        if (are_axes_at_once && !loops->axes_of_slots(net, slots.kind, from, count, out + done * axes, way))
            continue;
        if (is_large && tl_asks_late())
            tl_fetch_far(from + TL_ASKED, (int64_t)count * slots.step);
        if (TL_IN(tl_load)(slots.kind, from, slots.step, count, net->slots, reg[net->registers - 1]))
            return tl_first_outside(&slots, 1, &net->slots, done, n);
        TL_IN(tl_backward)(net, reg, hole, count, loops);
        TL_LANE some = 0;
        for (size_t i = 0; i < count; i++)
            some |= hole[i];
        const int has_holes = (int)(some >> (TL_WIDTH - 1));
        if (has_holes && stop_at_hole)
            for (size_t i = 0; i < count; i++)
                if (hole[i] >> (TL_WIDTH - 1))
                    return done + (int64_t)i;
        for (size_t i = 0; (has_holes || holes) && i < count; i++)
            hole[i] = (TL_LANE)((TL_SIGNED_LANE)hole[i] >> (TL_WIDTH - 1));
        if (holes)
            for (size_t i = 0; i < count; i++)
                holes[done + (int64_t)i] = hole[i] & 1;
        if (!out || !axes)
            continue;
        int64_t *__restrict to = out + done * axes;
        for (int a = 0; has_holes && a < axes; a++)
            for (size_t i = 0; i < count; i++)
                reg[a][i] |= hole[i];
        if (axes == 2) {
            if (has_holes)
                TL_IN(tl_store_pairs)(to, reg[0], reg[1], count, way);
            else
                loops->store_pairs(to, reg[0], reg[1], count, way);
        } else if (loops->give_rows && axes > 2 && axes <= TL_ROW)
            loops->give_rows(axes, to, (const uint32_t *)reg, count, way);
        else
            for (int a = 0; a < axes; a++)
                for (size_t i = 0; i < count; i++)
                    to[i * (size_t)axes + (size_t)a] = (TL_SIGNED_LANE)reg[a][i];
    }
    if (is_large)
        tl_fence();
    return n;
}

/* Slots of the elements begin .. end-1 of the array, in row-major order of their coordinates. */
static TL_ALWAYS_INLINE void TL_IN(tl_enumerate)(const tl_network *net, int64_t begin, int64_t end, int64_t *__restrict out, void *room,
                                   const tl_loops *loops)
{
    TL_IN(tl_block) *reg = room;
    for (int64_t done = begin; done < end; done += TL_BLOCK) {
        size_t count = end - done < TL_BLOCK ? (size_t)(end - done) : TL_BLOCK;
        int64_t rest = done;
        int64_t period = 1; /* how many elements share a coordinate of the axis at hand */
        for (int a = net->axes - 1; a >= 0; a--) {
            int64_t size = net->extent[a], x = rest % size, left = period - done % period;
            for (size_t i = 0; i < count; i++) {
                reg[a][i] = (TL_LANE)x;
                if (--left == 0) {
                    left = period;
                    if (++x == size)
                        x = 0;
                }
            }
            rest /= size;
            period *= size;
        }
        TL_IN(tl_forward)(net, reg, count, loops);
        for (size_t i = 0; i < count; i++)
            out[done - begin + i] = (int64_t)reg[net->registers - 1][i];
    }
}

#undef TL_GLUE_
#undef TL_GLUE
#undef TL_IN
#undef TL_LANE
#undef TL_SIGNED_LANE
#undef TL_HIGH_OF
#undef TL_FOR_EACH
#undef TL_FOR_EACH_QUOTIENT
#undef TL_TAKE
#undef TL_TAKEN
#undef TL_LOAD
#undef TL_LOAD_EITHER
#undef TL_LOAD_PAIR
