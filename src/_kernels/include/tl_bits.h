/* Elements narrower than a byte: one to a byte <-> 8 / bits to a byte, the first in the low bits.
 *
 * Those that share a byte follow one another along a row of elements, or stand at one place of as many rows (across). Along a row they
 * are words of as many bytes, whose bytes move towards each other in steps, each over twice as many bits as the one before.
 * The loops are such that compilers make vectors of them, of the width that a level has.
 */
#ifndef TL_BITS_H
#define TL_BITS_H

#include <stdint.h>
#include <string.h>

#include "tl_level.h"

/* Elements at a time: a multiple of the 8 that a byte may hold. */
#define TL_ELEMENTS 4096

/* What may stand in a byte above the element's bits. */
enum tl_above { TL_ANYTHING, TL_ZEROS, TL_SIGN };

/* Words whose first byte is their lowest. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define TL_LOWEST_FIRST(W, x) __builtin_bswap##W(x)
#else
#define TL_LOWEST_FIRST(W, x) (x)
#endif
/* A byte in each byte of a word. */
#define TL_EACH(W, byte) ((uint##W##_t)((uint##W##_t)-1 / 255 * (byte)))

/* Elements in the bytes of a word, their signs repeated above them: a sign bit that is moved up, less itself, is the bits between. */
#define TL_SIGNS(W, bits, x) ((uint64_t)(x) & TL_EACH(W, 1 << ((bits) - 1)))
#define TL_SIGNED(W, bits, x) ((uint##W##_t)((x) | ((TL_SIGNS(W, bits, x) << (9 - (bits))) - (TL_SIGNS(W, bits, x) << 1))))

#define TL_DEFINE_ALONG(BITS, W, TOGETHER, APART)                                                               \
    static TL_ALWAYS_INLINE void tl_join_along_##BITS(const uint8_t *__restrict from, int64_t bytes, uint8_t *__restrict to) \
    {                                                                                                           \
        for (int64_t i = 0; i < bytes; i++) {                                                                   \
            uint##W##_t x;                                                                                      \
            memcpy(&x, from + i * (W / 8), W / 8);                                                              \
            x = TL_LOWEST_FIRST(W, x) & TL_EACH(W, (1 << BITS) - 1);                                            \
            TOGETHER;                                                                                           \
            to[i] = (uint8_t)x;                                                                                 \
        }                                                                                                       \
    }                                                                                                           \
    static TL_ALWAYS_INLINE void tl_spread_along_##BITS(const uint8_t *__restrict from, int64_t bytes, int sign, uint8_t *__restrict to) \
    {                                                                                                           \
        for (int64_t i = 0; i < bytes; i++) {                                                                   \
            uint##W##_t x = from[i];                                                                            \
            APART;                                                                                              \
            x &= TL_EACH(W, (1 << BITS) - 1);                                                                   \
            if (sign)                                                                                           \
                x = TL_SIGNED(W, BITS, x);                                                                      \
            x = TL_LOWEST_FIRST(W, x);                                                                          \
            memcpy(to + i * (W / 8), &x, W / 8);                                                                \
        }                                                                                                       \
    }
TL_DEFINE_ALONG(4, 16, x |= x >> 4, x |= (uint16_t)(x << 4))
TL_DEFINE_ALONG(2, 32, (x |= x >> 6, x |= x >> 12), (x = (x | x << 12) & 0x000F000F, x |= x << 6))
TL_DEFINE_ALONG(1, 64, (x |= x >> 7, x |= x >> 14, x |= x >> 28),
                (x = (x | x << 28) & 0x0000000F0000000F, x = (x | x << 14) & 0x0003000300030003, x |= x << 7))

/* Rows joined place by place, eight bytes of each at a time. */
#define TL_DEFINE_ACROSS(BITS)                                                                                  \
    static TL_ALWAYS_INLINE void tl_join_across_##BITS(const uint8_t *from, const int64_t *at, int64_t bytes, uint8_t *__restrict to) \
    {                                                                                                           \
        const uint8_t *row[8 / BITS];                                                                           \
        for (int k = 0; k < 8 / BITS; k++)                                                                      \
            row[k] = from + at[k];                                                                              \
        int64_t whole = bytes & ~(int64_t)7;                                                                    \
        for (int64_t i = 0; i < whole; i += 8) {                                                                \
            uint64_t joined = 0, x;                                                                             \
            for (int k = 0; k < 8 / BITS; k++) {                                                                \
                memcpy(&x, row[k] + i, 8);                                                                      \
                joined |= (x & TL_EACH(64, (1 << BITS) - 1)) << k * BITS;                                       \
            }                                                                                                   \
            memcpy(to + i, &joined, 8);                                                                         \
        }                                                                                                       \
        for (int64_t i = whole; i < bytes; i++) {                                                               \
            to[i] = 0;                                                                                          \
            for (int k = 0; k < 8 / BITS; k++)                                                                  \
                to[i] |= (uint8_t)((row[k][i] & ((1 << BITS) - 1)) << k * BITS);                                \
        }                                                                                                       \
    }
TL_DEFINE_ACROSS(4)
TL_DEFINE_ACROSS(2)
TL_DEFINE_ACROSS(1)

/* What n elements are between them, moved up by half a range: no bits above an element's where all fit. */
static TL_ALWAYS_INLINE uint8_t tl_sums(const uint8_t *from, int64_t n, uint8_t half)
{
    uint8_t found = 0;
    for (int64_t i = 0; i < n; i++)
        found |= (uint8_t)(from[i] + half);
    return found;
}

/* The elements at place k of n bytes. */
static TL_ALWAYS_INLINE uint64_t tl_eight_places(uint64_t x, int bits, int k, int sign)
{
    x = x >> k * bits & TL_EACH(64, (1 << bits) - 1);
    return sign ? TL_SIGNED(64, bits, x) : x;
}
static TL_ALWAYS_INLINE void tl_places(const uint8_t *__restrict from, int64_t n, int bits, int k, int sign, uint8_t *__restrict to)
{
    int64_t whole = n & ~(int64_t)7;
    uint64_t x;
    for (int64_t i = 0; i < whole; i += 8) {
        memcpy(&x, from + i, 8);
        x = tl_eight_places(x, bits, k, sign);
        memcpy(to + i, &x, 8);
    }
    for (int64_t i = whole; i < n; i++)
        to[i] = (uint8_t)tl_eight_places(from[i], bits, k, sign);
}

typedef struct {
    uint8_t (*sums)(const uint8_t *from, int64_t n, uint8_t half);
    void (*join_along)(int bits, const uint8_t *from, int64_t bytes, uint8_t *to);
    void (*join_across)(int bits, const uint8_t *from, const int64_t *at, int64_t bytes, uint8_t *to);
    void (*spread_along)(int bits, int sign, const uint8_t *from, int64_t bytes, uint8_t *to);
    void (*places)(int bits, int k, int sign, const uint8_t *from, int64_t n, uint8_t *to);
} tl_bit_movers;

#define TL_BY_BITS(NAME, ...) (bits == 1 ? NAME##_1(__VA_ARGS__) : bits == 2 ? NAME##_2(__VA_ARGS__) : NAME##_4(__VA_ARGS__))
#define TL_DEFINE_BIT_MOVERS(LEVEL, TARGET)                                                                     \
    TARGET static uint8_t tl_sums_##LEVEL(const uint8_t *from, int64_t n, uint8_t half) { return tl_sums(from, n, half); } \
    TARGET static void tl_join_along_by_##LEVEL(int bits, const uint8_t *from, int64_t bytes, uint8_t *to)      \
    {                                                                                                           \
        TL_BY_BITS(tl_join_along, from, bytes, to);                                                             \
    }                                                                                                           \
    TARGET static void tl_join_across_by_##LEVEL(int bits, const uint8_t *from, const int64_t *at, int64_t bytes, uint8_t *to) \
    {                                                                                                           \
        TL_BY_BITS(tl_join_across, from, at, bytes, to);                                                        \
    }                                                                                                           \
    TARGET static void tl_spread_along_by_##LEVEL(int bits, int sign, const uint8_t *from, int64_t bytes, uint8_t *to) \
    {                                                                                                           \
        TL_BY_BITS(tl_spread_along, from, bytes, sign, to);                                                     \
    }                                                                                                           \
    TARGET static void tl_places_##LEVEL(int bits, int k, int sign, const uint8_t *from, int64_t n, uint8_t *to) \
    {                                                                                                           \
        tl_places(from, n, bits, k, sign, to);                                                                  \
    }
#define TL_BIT_MOVERS(LEVEL)                                                                                    \
    {tl_sums_##LEVEL, tl_join_along_by_##LEVEL, tl_join_across_by_##LEVEL, tl_spread_along_by_##LEVEL, tl_places_##LEVEL}

TL_DEFINE_BIT_MOVERS(128, )
#ifdef TL_WIDE
TL_DEFINE_BIT_MOVERS(256, TL_BY_256)
TL_DEFINE_BIT_MOVERS(512, TL_BY_ALL_512)
static const tl_bit_movers tl_bit_levels[TL_LEVELS] = {
    [TL_SCALARS] = TL_BIT_MOVERS(128), [TL_128] = TL_BIT_MOVERS(128), [TL_256] = TL_BIT_MOVERS(256), [TL_512] = TL_BIT_MOVERS(512),
    [TL_512_BYTES] = TL_BIT_MOVERS(512), [TL_512_ASKING] = TL_BIT_MOVERS(512),
};
#else
static const tl_bit_movers tl_bit_levels[] = {[TL_SCALARS] = TL_BIT_MOVERS(128), [TL_128] = TL_BIT_MOVERS(128)};
#endif

/* What moves elements up so that those that fit have no bits above their own: half their range, if they have a sign. */
static inline uint8_t tl_half(int bits, int sign) { return (uint8_t)(sign ? 1 << (bits - 1) : 0); }

/* The first of n elements of one byte each that does not fit, or n. */
static inline int64_t tl_first_misfit(const tl_bit_movers *by, int bits, enum tl_above above, const uint8_t *from, int64_t n)
{
    uint8_t half = tl_half(bits, above == TL_SIGN);
    for (int64_t i = 0; i < n && above != TL_ANYTHING; i += TL_ELEMENTS)
        if (by->sums(from + i, n - i < TL_ELEMENTS ? n - i : TL_ELEMENTS, half) >> bits)
            for (;; i++)
                if ((uint8_t)(from[i] + half) >> bits)
                    return i;
    return n;
}

/* n elements along a row; the last byte, if they do not fill it, keeps of `rest` what they leave. */
static inline void tl_join(const tl_bit_movers *by, int bits, const uint8_t *from, int64_t n, uint8_t rest, uint8_t *to)
{
    int64_t whole = n * bits / 8, left = n - whole * 8 / bits;
    by->join_along(bits, from, whole, to);
    if (left) {
        uint8_t last[8] = {0}, joined, mine = (uint8_t)((1 << left * bits) - 1);
        memcpy(last, from + n - left, (size_t)left);
        by->join_along(bits, last, 1, &joined);
        to[whole] = (uint8_t)((joined & mine) | (rest & ~mine));
    }
}

static inline void tl_spread(const tl_bit_movers *by, int bits, int sign, const uint8_t *from, int64_t n, uint8_t *to)
{
    int64_t whole = n * bits / 8, left = n - whole * 8 / bits;
    by->spread_along(bits, sign, from, whole, to);
    if (left) {
        uint8_t last[8];
        by->spread_along(bits, sign, from + whole, 1, last);
        memcpy(to + n - left, last, (size_t)left);
    }
}

/* Pack n elements of one byte each; returns the first that does not fit, or n. */
static inline int64_t tl_pack_bits(const tl_bit_movers *by, int bits, enum tl_above above, const uint8_t *from, int64_t n, uint8_t *to)
{
    int64_t first = n;
    for (int64_t i = 0; i < n; i += TL_ELEMENTS) {
        int64_t here = n - i < TL_ELEMENTS ? n - i : TL_ELEMENTS;
        if (first == n) {
            int64_t misfit = tl_first_misfit(by, bits, above, from + i, here);
            first = misfit < here ? i + misfit : n;
        }
        tl_join(by, bits, from + i, here, 0, to + i * bits / 8);
    }
    return first;
}

#endif
