/* Index queries: a layout as a small network of registers joined by mixed-radix digits.
 *
 * Registers 0 .. axes-1 hold the coordinates, the last one the slot, those between hold merged sums. A wire carries
 * digits from one register to a later one:  target += sum over its digits of stride * ((source / divisor) % radix).
 * Queries go through in blocks, one register at a time, so that every loop is short, simple and without branches.
 */
#ifndef TL_INDEX_H
#define TL_INDEX_H

#include <stdint.h>
#include <string.h>

enum { TL_BLOCK = 256 };

/* Kinds of integers that queries arrive in: width in bytes, negative for signed. */
typedef int tl_kind;

typedef struct {
    int64_t divisor, radix, stride;
    int divisor_shift, radix_shift, stride_shift; /* log2 where it is a power of two, else -1 */
} tl_digit;

typedef struct {
    int source, target;
    int begin, end;       /* its digits */
    const int64_t *table; /* target's share for each value of source, or NULL */
} tl_wire;

/* The slot taken apart again: digits of a target by falling stride, each with the register it belongs to. */
typedef struct {
    int source;
    tl_digit digit;
} tl_part;

typedef struct {
    int axes, registers, wires;
    int64_t slots;
    int64_t *extent;   /* one a register; no value of it reaches this */
    int64_t *constant; /* one a register; where its sum begins */
    tl_wire *wire;    /* by rising target */
    tl_digit *digit;
    int *part_begin;  /* registers + 1 */
    tl_part *part;
} tl_network;

static inline int tl_log2(int64_t x)
{
    if (x <= 0 || (x & (x - 1)))
        return -1;
    int n = 0;
    while (x >>= 1)
        n++;
    return n;
}

static inline int64_t tl_divide(int64_t x, int64_t by, int shift)
{
    return shift >= 0 ? x >> shift : x / by;
}

static inline int64_t tl_modulo(int64_t x, int64_t by, int shift)
{
    return shift >= 0 ? x & (by - 1) : x % by;
}

static inline int64_t tl_evaluate(const tl_digit *d, int count, int64_t x)
{
    int64_t sum = 0;
    for (int k = 0; k < count; k++)
        sum += d[k].stride * tl_modulo(tl_divide(x, d[k].divisor, d[k].divisor_shift), d[k].radix, d[k].radix_shift);
    return sum;
}

/* One column of queries into a register; returns the first one outside [0, extent), or n. */
#define TL_LOAD(TYPE)                                                                                  \
    do {                                                                                               \
        for (int i = 0; i < n; i++) {                                                                  \
            TYPE value;                                                                                \
            memcpy(&value, from + i * step, sizeof value);                                             \
            to[i] = (int64_t)value;                                                                    \
            bad |= (uint64_t)to[i] >= (uint64_t)extent;                                                \
        }                                                                                              \
    } while (0)

static inline int tl_load(tl_kind kind, const char *from, int64_t step, int n, int64_t extent, int64_t *to)
{
    int bad = 0;
    switch (kind) {
    case 1: TL_LOAD(uint8_t); break;
    case 2: TL_LOAD(uint16_t); break;
    case 4: TL_LOAD(uint32_t); break;
    case 8: TL_LOAD(uint64_t); break;
    case -1: TL_LOAD(int8_t); break;
    case -2: TL_LOAD(int16_t); break;
    case -4: TL_LOAD(int32_t); break;
    default: TL_LOAD(int64_t); break;
    }
    if (!bad)
        return n;
    int i = 0;
    while ((uint64_t)to[i] < (uint64_t)extent)
        i++;
    return i;
}

/* Registers axes .. registers-1 from the coordinates in registers 0 .. axes-1. */
static inline void tl_forward(const tl_network *net, int64_t (*reg)[TL_BLOCK], int n)
{
    for (int r = net->axes; r < net->registers; r++)
        for (int i = 0; i < n; i++)
            reg[r][i] = net->constant[r];
    for (int w = 0; w < net->wires; w++) {
        const tl_wire *wire = net->wire + w;
        const int64_t *from = reg[wire->source];
        int64_t *to = reg[wire->target];
        if (wire->table) {
            const int64_t *table = wire->table;
            for (int i = 0; i < n; i++)
                to[i] += table[from[i]];
            continue;
        }
        for (int k = wire->begin; k < wire->end; k++) {
            const tl_digit d = net->digit[k];
            if (d.divisor_shift >= 0 && d.radix_shift >= 0) {
                const int shift = d.divisor_shift;
                const int64_t mask = d.radix - 1, stride = d.stride;
                for (int i = 0; i < n; i++)
                    to[i] += stride * ((from[i] >> shift) & mask);
            } else {
                for (int i = 0; i < n; i++)
                    to[i] += d.stride * tl_modulo(tl_divide(from[i], d.divisor, d.divisor_shift), d.radix, d.radix_shift);
            }
        }
    }
}

/* The registers below from the slots in the last one; hole[i] becomes nonzero where no element lies. */
static inline void tl_backward(const tl_network *net, int64_t (*reg)[TL_BLOCK], unsigned char *hole, int n)
{
    int slot = net->registers - 1;
    for (int r = 0; r < slot; r++)
        memset(reg[r], 0, (size_t)n * sizeof reg[r][0]);
    memset(hole, 0, (size_t)n);
    for (int r = slot; r >= net->axes; r--) {
        int64_t *rest = reg[r];
        if (r < slot)
            for (int i = 0; i < n; i++)
                hole[i] |= rest[i] >= net->extent[r];
        if (net->constant[r])
            for (int i = 0; i < n; i++) {
                unsigned char below = rest[i] < net->constant[r];
                hole[i] |= below;
                rest[i] = below ? 0 : rest[i] - net->constant[r];
            }
        for (int k = net->part_begin[r]; k < net->part_begin[r + 1]; k++) {
            const tl_part part = net->part[k];
            const tl_digit d = part.digit;
            int64_t *to = reg[part.source];
            for (int i = 0; i < n; i++) {
                int64_t q = tl_divide(rest[i], d.stride, d.stride_shift);
                rest[i] -= q * d.stride;
                unsigned char outside = q >= d.radix;
                hole[i] |= outside;
                to[i] += (outside ? 0 : q) * d.divisor;
            }
        }
        for (int i = 0; i < n; i++)
            hole[i] |= rest[i] != 0;
    }
    for (int r = 0; r < net->axes; r++)
        for (int i = 0; i < n; i++)
            hole[i] |= reg[r][i] >= net->extent[r];
}

/* Slots of n coordinates; returns how many were done before the first one out of bounds. */
static inline int64_t tl_slots(const tl_network *net, tl_kind kind, const char *from, int64_t step, int64_t axis_step,
                               int64_t n, int64_t *out, int64_t (*reg)[TL_BLOCK])
{
    for (int64_t done = 0; done < n; done += TL_BLOCK) {
        int count = n - done < TL_BLOCK ? (int)(n - done) : TL_BLOCK;
        int good = count;
        for (int a = 0; a < net->axes; a++) {
            int g = tl_load(kind, from + done * step + a * axis_step, step, count, net->extent[a], reg[a]);
            if (g < good)
                good = g;
        }
        if (good < count)
            return done + good;
        tl_forward(net, reg, count);
        memcpy(out + done, reg[net->registers - 1], (size_t)count * sizeof *out);
    }
    return n;
}

/* Coordinates of n slots, -1 in every one where no element lies (holes counts those); returns as tl_slots.
 * Either of out and hole_out may be NULL. With stop_at_hole the first hole ends it too. */
static inline int64_t tl_coordinates(const tl_network *net, tl_kind kind, const char *from, int64_t step, int64_t n,
                                     int64_t *out, unsigned char *hole_out, int stop_at_hole, int64_t (*reg)[TL_BLOCK])
{
    unsigned char hole[TL_BLOCK];
    for (int64_t done = 0; done < n; done += TL_BLOCK) {
        int count = n - done < TL_BLOCK ? (int)(n - done) : TL_BLOCK;
        int good = tl_load(kind, from + done * step, step, count, net->slots, reg[net->registers - 1]);
        if (good < count)
            return done + good;
        tl_backward(net, reg, hole, count);
        if (stop_at_hole)
            for (int i = 0; i < count; i++)
                if (hole[i])
                    return done + i;
        if (hole_out)
            memcpy(hole_out + done, hole, (size_t)count);
        if (out)
            for (int a = 0; a < net->axes; a++)
                for (int i = 0; i < count; i++)
                    out[(done + i) * net->axes + a] = hole[i] ? -1 : reg[a][i];
    }
    return n;
}

/* Slots of the elements begin .. end-1 of the array, in row-major order of their coordinates. */
static inline void tl_enumerate(const tl_network *net, int64_t begin, int64_t end, int64_t *out, int64_t (*reg)[TL_BLOCK])
{
    for (int64_t done = begin; done < end; done += TL_BLOCK) {
        int count = end - done < TL_BLOCK ? (int)(end - done) : TL_BLOCK;
        int64_t rest = done;
        int64_t period = 1; /* how many elements share a coordinate of the axis at hand */
        for (int a = net->axes - 1; a >= 0; a--) {
            int64_t size = net->extent[a], x = rest % size, left = period - done % period;
            for (int i = 0; i < count; i++) {
                reg[a][i] = x;
                if (--left == 0) {
                    left = period;
                    if (++x == size)
                        x = 0;
                }
            }
            rest /= size;
            period *= size;
        }
        tl_forward(net, reg, count);
        memcpy(out + (done - begin), reg[net->registers - 1], (size_t)count * sizeof *out);
    }
}

#endif
