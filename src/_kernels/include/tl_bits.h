/* Elements narrower than a byte: one to a byte <-> 8 / bits to a byte, the first in the low bits.
 *
 * Neighbours are put together in pairs, which doubles their bits, until they fill a byte; and taken apart the same way.
 * Both are loops over bytes that compilers make vectors of, a block at a time that stays in the nearest cache.
 */
#ifndef TL_BITS_H
#define TL_BITS_H

#include <stdint.h>
#include <string.h>

#if defined(_MSC_VER)
#define TL_APART __restrict
#else
#define TL_APART restrict
#endif

/* Elements at a time: a multiple of the 8 that a byte may hold. */
#define TL_ELEMENTS 4096

/* What may stand in a byte above the element's bits. */
enum tl_above { TL_ANYTHING, TL_ZEROS, TL_SIGN };

static inline void tl_pair(int bits, const uint8_t *TL_APART from, int64_t pairs, uint8_t *TL_APART to)
{
    uint8_t mask = (uint8_t)((1 << bits) - 1);
    for (int64_t i = 0; i < pairs; i++)
        to[i] = (uint8_t)((from[2 * i] & mask) | (from[2 * i + 1] & mask) << bits);
}

static inline void tl_part(int bits, const uint8_t *TL_APART from, int64_t pairs, uint8_t *TL_APART to)
{
    uint8_t mask = (uint8_t)((1 << bits) - 1);
    for (int64_t i = 0; i < pairs; i++) {
        to[2 * i] = from[i] & mask;
        to[2 * i + 1] = (uint8_t)(from[i] >> bits) & mask;
    }
}

/* What stands above the element, and should not. */
static inline uint8_t tl_stray(uint8_t x, int bits, enum tl_above above)
{
    uint8_t high = (uint8_t)(x & 0xFF << bits);
    uint8_t sign = (uint8_t)(above == TL_SIGN && x >> (bits - 1) & 1 ? 0xFF << bits : 0);
    return above == TL_ANYTHING ? 0 : high ^ sign;
}

static inline int tl_any_stray(const uint8_t *from, int64_t n, int bits, enum tl_above above)
{
    /* Moved up by half its range, a value that fits is one of the first 2**bits. */
    uint8_t half = (uint8_t)(above == TL_SIGN ? 1 << (bits - 1) : 0), found = 0;
    if (above == TL_ANYTHING)
        return 0;
    for (int64_t i = 0; i < n; i++)
        found |= (uint8_t)(from[i] + half);
    return found >> bits != 0;
}

/* n elements, whole bytes of them, of which there are at most TL_ELEMENTS. */
static inline void tl_narrow(int bits, const uint8_t *from, int64_t n, uint8_t *to)
{
    uint8_t fours[TL_ELEMENTS / 2], twos[TL_ELEMENTS / 2];
    if (bits == 1) {
        tl_pair(1, from, n / 2, twos);
        tl_pair(2, twos, n / 4, fours);
        tl_pair(4, fours, n / 8, to);
    } else if (bits == 2) {
        tl_pair(2, from, n / 2, fours);
        tl_pair(4, fours, n / 4, to);
    } else {
        tl_pair(4, from, n / 2, to);
    }
}

static inline void tl_widen(int bits, const uint8_t *from, int64_t n, uint8_t *to)
{
    uint8_t fours[TL_ELEMENTS / 2], twos[TL_ELEMENTS / 2];
    if (bits == 1) {
        tl_part(4, from, n / 8, fours);
        tl_part(2, fours, n / 4, twos);
        tl_part(1, twos, n / 2, to);
    } else if (bits == 2) {
        tl_part(4, from, n / 4, fours);
        tl_part(2, fours, n / 2, to);
    } else {
        tl_part(4, from, n / 2, to);
    }
}

static inline void tl_extend_signs(int bits, int64_t n, uint8_t *at)
{
    uint8_t half = (uint8_t)(1 << (bits - 1));
    for (int64_t i = 0; i < n; i++)
        at[i] = (uint8_t)((at[i] ^ half) - half);
}

/* The first of n elements of one byte each that does not fit, or n. */
static inline int64_t tl_first_misfit(int bits, enum tl_above above, const uint8_t *from, int64_t n)
{
    for (int64_t i = 0; i < n; i += TL_ELEMENTS)
        if (tl_any_stray(from + i, n - i < TL_ELEMENTS ? n - i : TL_ELEMENTS, bits, above))
            for (;; i++)
                if (tl_stray(from[i], bits, above))
                    return i;
    return n;
}

/* Pack n elements of one byte each; returns the first that does not fit, or n. */
static inline int64_t tl_pack_bits(int bits, enum tl_above above, const uint8_t *from, int64_t n, uint8_t *to)
{
    int64_t per = 8 / bits, first = n;
    for (int64_t i = 0; i < n; i += TL_ELEMENTS) {
        int64_t here = n - i < TL_ELEMENTS ? n - i : TL_ELEMENTS, whole = here - here % per;
        if (first == n) {
            int64_t misfit = tl_first_misfit(bits, above, from + i, here);
            first = misfit < here ? i + misfit : n;
        }
        tl_narrow(bits, from + i, whole, to + i / per);
        if (whole < here) {
            uint8_t last[8] = {0};
            memcpy(last, from + i + whole, (size_t)(here - whole));
            tl_narrow(bits, last, per, to + (i + whole) / per);
        }
    }
    return first;
}

static inline void tl_unpack_bits(int bits, int sign, const uint8_t *from, int64_t n, uint8_t *to)
{
    int64_t per = 8 / bits;
    for (int64_t i = 0; i < n; i += TL_ELEMENTS) {
        int64_t here = n - i < TL_ELEMENTS ? n - i : TL_ELEMENTS, whole = here - here % per;
        tl_widen(bits, from + i / per, whole, to + i);
        if (whole < here) {
            uint8_t last[8];
            tl_widen(bits, from + (i + whole) / per, per, last);
            memcpy(to + i + whole, last, (size_t)(here - whole));
        }
        if (sign)
            tl_extend_signs(bits, here, to + i);
    }
}

#endif
