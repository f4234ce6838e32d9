/* Vectors of elements below a byte, which share their bytes or have one each. */
#ifndef TL_SPREAD_H
#define TL_SPREAD_H

#include "tl_bits.h"
#include "tl_wide.h"

#ifdef TL_WIDE

/* What a kernel returns for leaves that all begin at the same place in a line: compiled for every number of bits. */
#define TL_FOR_BITS(LEAVES, STEPS)                                                                              \
    return p->sharing.bits == 4   ? LEAVES(p, *given, 4, STEPS)                                                 \
           : p->sharing.bits == 2 ? LEAVES(p, *given, 2, STEPS)                                                 \
                                  : LEAVES(p, *given, 1, STEPS);
/* The same for leaves that begin anywhere in a line. */
#define TL_FOR_BITS_ANYWHERE(LEAVES)                                                                            \
    if (tl_turns_bytes(p->level)) {                                                                             \
        TL_FOR_BITS(LEAVES, TL_BYTES)                                                                           \
    }                                                                                                           \
    TL_FOR_BITS(LEAVES, TL_BITS)

/* The elements of so many bits that begin with bit `from` of each byte. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_own_bits(__m512i x, int from, const int bits, __m512i half)
{
    x = _mm512_and_si512(_mm512_srl_epi16(x, _mm_cvtsi32_si128(from)), _mm512_set1_epi8((char)((1 << bits) - 1)));
    return _mm512_sub_epi8(_mm512_xor_si512(x, half), half);
}

/* A line of each of 8 / bits rows, joined to bytes; what the elements are, moved up by half a range, goes to `seen`. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_joined_rows(const char *from, const int64_t *at, const int bits, __m512i half, __m512i *seen)
{
    __m512i joined = _mm512_setzero_si512();
    TL_UNROLL
    for (int k = 0; k < 8 / bits; k++) {
        __m512i x = _mm512_loadu_si512((const void *)(from + at[k]));
        *seen = _mm512_or_si512(*seen, _mm512_add_epi8(x, half));
        x = _mm512_sll_epi16(_mm512_and_si512(x, _mm512_set1_epi8((char)((1 << bits) - 1))), _mm_cvtsi32_si128(k * bits));
        joined = _mm512_or_si512(joined, x);
    }
    return joined;
}

/* What the bytes of a vector are between them. */
TL_BY_512 static TL_ALWAYS_INLINE uint8_t tl_bytes_between(__m512i x)
{
    uint64_t found = (uint64_t)_mm512_reduce_or_epi64(x);
    for (int by = 32; by >= 8; by /= 2)
        found |= found >> by;
    return (uint8_t)found;
}
#endif

#endif
