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

/* What may stand in a byte above the element's bits. */
enum tl_above { TL_ANYTHING, TL_ZEROS, TL_SIGN };

/* The lowest `bits` bits of every `lane` bits. */
static inline uint64_t tl_lanes(int lane, int bits)
{
    uint64_t mask = bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
    for (int at = lane; at < 64; at *= 2)
        mask |= mask << at;
    return mask;
}

static inline uint64_t tl_load8(const uint8_t *from)
{
    uint64_t x = 0;
    for (int b = 0; b < 8; b++) /* compilers make this one load, whatever the byte order */
        x |= (uint64_t)from[b] << 8 * b;
    return x;
}

static inline void tl_store(uint64_t x, int bytes, uint8_t *to)
{
    for (int b = 0; b < bytes; b++)
        to[b] = (uint8_t)(x >> 8 * b);
}

/* Each byte's bits above the element's, where the element's top bit is set. */
static inline uint64_t tl_signs(uint64_t x, int bits)
{
    return ((x >> (bits - 1)) & tl_lanes(8, 1)) * (0xFF & 0xFF << bits);
}

/* n elements of one byte each; returns the first that does not fit, or n. */
static TL_INLINE int64_t tl_pack_bits_of(int bits, enum tl_above above, const uint8_t *from,
                                         int64_t n, uint8_t *to)
{
    for (int64_t i = 0; i < n; i += 8) {
        uint8_t last[8] = {0};
        int count = n - i < 8 ? (int)(n - i) : 8;
        if (count < 8)
            memcpy(last, from + i, (size_t)count);
        uint64_t x = tl_load8(count < 8 ? last : from + i);
        uint64_t high = above == TL_ANYTHING ? 0 : x & ~tl_lanes(8, bits);
        if (above == TL_SIGN)
            high ^= tl_signs(x, bits);
        if (high) {
            int k = 0;
            while (!(high >> 8 * k & 0xFF))
                k++;
            return i + k;
        }
        x &= tl_lanes(8, bits);
        x = (x | x >> (8 - bits)) & tl_lanes(16, 2 * bits);
        x = (x | x >> (16 - 2 * bits)) & tl_lanes(32, 4 * bits);
        x = (x | x >> (32 - 4 * bits)) & tl_lanes(64, 8 * bits);
        tl_store(x, (count * bits + 7) / 8, to + i / 8 * bits);
    }
    return n;
}

static TL_INLINE void tl_unpack_bits_of(int bits, int sign, const uint8_t *from, int64_t n,
                                        uint8_t *to)
{
    for (int64_t i = 0; i < n; i += 8) {
        int count = n - i < 8 ? (int)(n - i) : 8;
        uint64_t x = 0;
        for (int b = 0; b < (count * bits + 7) / 8; b++)
            x |= (uint64_t)from[i / 8 * bits + b] << 8 * b;
        x = (x | x << (32 - 4 * bits)) & tl_lanes(32, 4 * bits);
        x = (x | x << (16 - 2 * bits)) & tl_lanes(16, 2 * bits);
        x = (x | x << (8 - bits)) & tl_lanes(8, bits);
        if (sign)
            x |= tl_signs(x, bits);
        tl_store(x, count, to + i);
    }
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
