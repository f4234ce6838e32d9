/* Elements narrower than a byte: one to a byte <-> 8 / bits to a byte, the first in the low bits.
 *
 * Eight elements go at a time, in a 64-bit register: neighbours are moved together, in pairs, fours and eights.
 */
#ifndef TL_BITS_H
#define TL_BITS_H

#include <stdint.h>
#include <string.h>

#if defined(__GNUC__)
#define TL_INLINE inline __attribute__((always_inline))
#else
#define TL_INLINE inline
#endif

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define TL_LITTLE 0
#else
#define TL_LITTLE 1
#endif

/* What may stand in a byte above the element's bits. */
enum tl_above { TL_ANYTHING, TL_ZEROS, TL_SIGN };

/* The lowest `bits` bits of every `lane` bits. */
static TL_INLINE uint64_t tl_lanes(int lane, int bits)
{
    uint64_t mask = bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
    for (int at = lane; at < 64; at *= 2)
        mask |= mask << at;
    return mask;
}

/* The first `bytes` bytes, the first of them lowest. */
static TL_INLINE uint64_t tl_load(const uint8_t *from, int bytes)
{
    uint64_t x = 0;
#if TL_LITTLE
    memcpy(&x, from, (size_t)bytes);
#else
    for (int b = 0; b < bytes; b++)
        x |= (uint64_t)from[b] << 8 * b;
#endif
    return x;
}

static TL_INLINE void tl_store(uint64_t x, int bytes, uint8_t *to)
{
#if TL_LITTLE
    memcpy(to, &x, (size_t)bytes);
#else
    for (int b = 0; b < bytes; b++)
        to[b] = (uint8_t)(x >> 8 * b);
#endif
}

/* Each byte's bits above the element's, where the element's top bit is set. */
static TL_INLINE uint64_t tl_signs(uint64_t x, int bits)
{
    return ((x >> (bits - 1)) & tl_lanes(8, 1)) * (0xFF & 0xFF << bits);
}

/* The bits of eight bytes that do not belong to elements. */
static TL_INLINE uint64_t tl_stray(uint64_t x, int bits, enum tl_above above)
{
    if (above == TL_ANYTHING)
        return 0;
    uint64_t high = x & ~tl_lanes(8, bits);
    return above == TL_SIGN ? high ^ tl_signs(x, bits) : high;
}

static TL_INLINE uint64_t tl_narrowed(uint64_t x, int bits)
{
    x &= tl_lanes(8, bits);
    x = (x | x >> (8 - bits)) & tl_lanes(16, 2 * bits);
    x = (x | x >> (16 - 2 * bits)) & tl_lanes(32, 4 * bits);
    return (x | x >> (32 - 4 * bits)) & tl_lanes(64, 8 * bits);
}

static TL_INLINE uint64_t tl_widened(uint64_t x, int bits, int sign)
{
    x = (x | x << (32 - 4 * bits)) & tl_lanes(32, 4 * bits);
    x = (x | x << (16 - 2 * bits)) & tl_lanes(16, 2 * bits);
    x = (x | x << (8 - bits)) & tl_lanes(8, bits);
    return sign ? x | tl_signs(x, bits) : x;
}

/* n elements of one byte each; returns the first that does not fit, or n. */
static TL_INLINE int64_t tl_pack_bits_of(int bits, enum tl_above above, const uint8_t *from, int64_t n, uint8_t *to)
{
    int64_t whole = n - n % 8;
    int tail = (int)(n % 8);
    uint64_t stray = 0;
    for (int64_t i = 0; i < whole; i += 8) {
        uint64_t x = tl_load(from + i, 8);
        stray |= tl_stray(x, bits, above);
        tl_store(tl_narrowed(x, bits), bits, to + i / 8 * bits);
    }
    if (tail) {
        uint64_t x = tl_load(from + whole, tail);
        stray |= tl_stray(x, bits, above);
        tl_store(tl_narrowed(x, bits), (tail * bits + 7) / 8, to + whole / 8 * bits);
    }
    int64_t first = 0;
    if (!stray)
        return n;
    while (!tl_stray(from[first], bits, above))
        first++;
    return first;
}

static TL_INLINE void tl_unpack_bits_of(int bits, int sign, const uint8_t *from, int64_t n, uint8_t *to)
{
    int64_t whole = n - n % 8;
    int tail = (int)(n % 8);
    for (int64_t i = 0; i < whole; i += 8)
        tl_store(tl_widened(tl_load(from + i / 8 * bits, bits), bits, sign), 8, to + i);
    if (tail)
        tl_store(tl_widened(tl_load(from + whole / 8 * bits, (tail * bits + 7) / 8), bits, sign), tail, to + whole);
}

static inline int64_t tl_pack_bits(int bits, enum tl_above above, const uint8_t *from, int64_t n, uint8_t *to)
{
    switch (bits) {
    case 1: return tl_pack_bits_of(1, above, from, n, to);
    case 2: return tl_pack_bits_of(2, above, from, n, to);
    default: return tl_pack_bits_of(4, above, from, n, to);
    }
}

static inline void tl_unpack_bits(int bits, int sign, const uint8_t *from, int64_t n, uint8_t *to)
{
    switch (bits) {
    case 1: tl_unpack_bits_of(1, sign, from, n, to); break;
    case 2: tl_unpack_bits_of(2, sign, from, n, to); break;
    default: tl_unpack_bits_of(4, sign, from, n, to); break;
    }
}

#endif
