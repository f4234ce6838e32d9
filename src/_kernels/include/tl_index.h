/* Index queries: a layout as a small network of registers.
 *
 * Registers 0 .. axes-1 hold the coordinates, the last one the slot, those between hold merged sums. Forwards a register is
 *     target = constant + sum over its terms of weight * (source / divisor)
 * and backwards it is taken apart by falling stride. Queries go through in blocks, one term at a time, so that every loop is
 * short, simple and without branches; compilers make vectors of them.
 *
 * What is added up may wrap around, for only what comes out must fit: weights are taken modulo 2^32 or 2^64. A network in
 * which every value of every register stays below 2^31 is narrow, and goes in lanes of 32 bits. In both widths a value that
 * is in bounds leaves the top bit clear, and so does limit - value.
 */
#ifndef TL_INDEX_H
#define TL_INDEX_H

#include <stdint.h>
#include <string.h>

#include "tl_stream.h"

#if defined(__GNUC__)
#define TL_INLINE static inline __attribute__((always_inline))
#else
#define TL_INLINE static inline
#endif

enum { TL_BLOCK = 256 };

/* Integers that queries arrive in: width in bytes, negative for signed. */
typedef int tl_kind;

/* x / divisor: the high half of x * magic, or x itself where magic is 0, shifted right. */
typedef struct {
    uint64_t magic;
    int shift;
} tl_division;

/* Adds weight * (source / divisor), or where there is a mask, (source & mask) << shift. */
typedef struct {
    int source, target;
    tl_division by;
    uint64_t weight, mask;
} tl_term;

/* One digit on the way back: the rest of a register divided by the stride belongs, times the divisor, to the source. */
typedef struct {
    int source, left; /* log2 of the divisor where that and the stride are powers of two, else -1 */
    tl_division by;
    uint64_t stride, radix, divisor;
} tl_part;

typedef struct {
    int axes, registers, terms, narrow;
    int64_t slots;
    int64_t *extent;   /* one a register; no value of it reaches this */
    int64_t *constant; /* one a register; where its sum begins */
    tl_term *term;     /* by rising target */
    int *part_begin;   /* registers + 1 */
    tl_part *part;
} tl_network;

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

/* The first of n queries of so many axes that is out of bounds, or n. */
static inline int64_t tl_first_outside(tl_kind kind, const char *from, int64_t step, int64_t axis_step, int axes,
                                       const int64_t *extent, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        for (int a = 0; a < axes; a++)
            if ((uint64_t)tl_read(kind, from + i * step + a * axis_step) >= (uint64_t)extent[a])
                return i;
    return n;
}

/* Where to put answers that belong at `to`: there, or in the segment that is streamed, behind the line that it carries on. */
TL_INLINE int64_t *tl_begin(int64_t *to, char *segment)
{
    return segment ? (int64_t *)(segment + TL_LINE) : to;
}

/* Stream so many bytes of answers; the first do not go on where others ended, and nothing waits behind the last. */
static inline void tl_end(int64_t *to, char *segment, int64_t bytes, int goes_on, int is_last)
{
    if (!segment)
        return;
    int waits = tl_append((char *)to, segment + TL_LINE, bytes, goes_on, segment, tl_store_lines);
    if (is_last) {
        int64_t place = tl_place((char *)to + bytes);
        if (waits)
            tl_piece((char *)to + bytes - place, segment, place);
        tl_fence();
    }
}

TL_INLINE uint64_t tl_high_64(uint64_t x, uint64_t y)
{
#if defined(__SIZEOF_INT128__)
    return (uint64_t)((unsigned __int128)x * y >> 64);
#else
    uint64_t low = (uint32_t)x * (y & 0xffffffff), left = (x >> 32) * (y & 0xffffffff), right = (uint32_t)x * (y >> 32);
    uint64_t carry = ((low >> 32) + (uint32_t)left + (uint32_t)right) >> 32;
    return (x >> 32) * (y >> 32) + (left >> 32) + (right >> 32) + carry;
#endif
}

TL_INLINE uint32_t tl_high_32(uint32_t x, uint32_t y) { return (uint32_t)((uint64_t)x * y >> 32); }

#define TL_BITS 32
#include "tl_lanes.h"
#undef TL_BITS
#define TL_BITS 64
#include "tl_lanes.h"
#undef TL_BITS

/* The same code for one kind of machine each. */
typedef struct {
    const char *name;
    int64_t (*slots)(const tl_network *, tl_kind, const char *, int64_t, int64_t, int64_t, int64_t *, char *, void *);
    int64_t (*coordinates)(const tl_network *, tl_kind, const char *, int64_t, int64_t, int64_t *, unsigned char *, int, char *,
                           void *);
    void (*enumerate)(const tl_network *, int64_t, int64_t, int64_t *, void *);
} tl_level;

#define TL_DEFINE_LEVEL(NAME, TARGET)                                                                                                      \
    TARGET static int64_t tl_slots_##NAME(const tl_network *net, tl_kind kind, const char *from, int64_t step,                             \
                                          int64_t axis_step, int64_t n, int64_t *out, char *segment, void *reg)                            \
    {                                                                                                                                      \
        return net->narrow ? tl_slots_in_32(net, kind, from, step, axis_step, n, out, segment, reg)                                        \
                           : tl_slots_in_64(net, kind, from, step, axis_step, n, out, segment, reg);                                       \
    }                                                                                                                                      \
    TARGET static int64_t tl_coordinates_##NAME(const tl_network *net, tl_kind kind, const char *from, int64_t step,                       \
                                                int64_t n, int64_t *out, unsigned char *holes, int stop_at_hole, char *segment, void *reg) \
    {                                                                                                                                      \
        return net->narrow ? tl_coordinates_in_32(net, kind, from, step, n, out, holes, stop_at_hole, segment, reg)                        \
                           : tl_coordinates_in_64(net, kind, from, step, n, out, holes, stop_at_hole, segment, reg);                       \
    }                                                                                                                                      \
    TARGET static void tl_enumerate_##NAME(const tl_network *net, int64_t begin, int64_t end, int64_t *out, void *reg)                     \
    {                                                                                                                                      \
        if (net->narrow)                                                                                                                   \
            tl_enumerate_in_32(net, begin, end, out, reg);                                                                                 \
        else                                                                                                                               \
            tl_enumerate_in_64(net, begin, end, out, reg);                                                                                 \
    }
#define TL_LEVEL(NAME) {#NAME, tl_slots_##NAME, tl_coordinates_##NAME, tl_enumerate_##NAME}

TL_DEFINE_LEVEL(scalar, )

#if defined(__GNUC__) && defined(__x86_64__)
#if defined(__clang__)
#define TL_512 "avx512f,avx512bw,avx512dq,avx512vl"
#else
#define TL_512 "avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512"
#endif
TL_DEFINE_LEVEL(256, __attribute__((target("avx2"))))
TL_DEFINE_LEVEL(512, __attribute__((target(TL_512))))

static const tl_level tl_levels[] = {TL_LEVEL(scalar), TL_LEVEL(256), TL_LEVEL(512)};

/* How many of the levels this machine has. */
static inline int tl_count_levels(void)
{
    if (!__builtin_cpu_supports("avx2"))
        return 1;
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512vl")
               ? 3
               : 2;
}
#else
static const tl_level tl_levels[] = {TL_LEVEL(scalar)};

static inline int tl_count_levels(void) { return 1; }
#endif

#endif
