/* Vectors of 512 bits as pairs of vectors of 256, for machines that have no wider ones: where TL_PAIRS is defined, kernels that are written for
 * the former are compiled for the latter.
 *
 * What follows are the operations that these kernels use, under the names of the instructions that they are elsewhere. What is read or written
 * under a mask is copied by itself, and no byte beside it is touched.
 */
#ifndef TL_PAIRS_H
#define TL_PAIRS_H

#include <string.h>

#include "tl_level.h"

#ifdef TL_PAIRS

typedef struct {
    __m256i low, high;
} tl_halves;
#define __m512i tl_halves

#define TL_PAIRWISE(TYPE, NAME) TL_BY_256 static TL_ALWAYS_INLINE TYPE tl_pair_##NAME
#define TL_PAIR_OF(LOW, HIGH) ((tl_halves){LOW, HIGH})
#define TL_TWICE(X) TL_PAIR_OF(X, X)

/* Of both halves alike. */
#define TL_OF_HALVES(NAME, OF_256)                                                                              \
    TL_PAIRWISE(tl_halves, NAME)(tl_halves x, tl_halves y) { return TL_PAIR_OF(OF_256(x.low, y.low), OF_256(x.high, y.high)); }
#define TL_ZIPPED_HALVES(SI)                                                                                    \
    TL_OF_HALVES(unpacklo_epi##SI, _mm256_unpacklo_epi##SI)                                                     \
    TL_OF_HALVES(unpackhi_epi##SI, _mm256_unpackhi_epi##SI)
TL_OF_HALVES(and_si512, _mm256_and_si256)
TL_OF_HALVES(or_si512, _mm256_or_si256)
TL_OF_HALVES(xor_si512, _mm256_xor_si256)
TL_OF_HALVES(shuffle_epi8, _mm256_shuffle_epi8)
TL_OF_HALVES(packus_epi16, _mm256_packus_epi16)
TL_OF_HALVES(packus_epi32, _mm256_packus_epi32)
TL_OF_HALVES(maddubs_epi16, _mm256_maddubs_epi16)
TL_OF_HALVES(madd_epi16, _mm256_madd_epi16)
TL_OF_HALVES(add_epi8, _mm256_add_epi8)
TL_OF_HALVES(sub_epi8, _mm256_sub_epi8)
TL_ZIPPED_HALVES(8)
TL_ZIPPED_HALVES(16)
TL_ZIPPED_HALVES(32)
TL_ZIPPED_HALVES(64)
#define TL_SHIFTED_HALVES(NAME, BY)                                                                             \
    TL_PAIRWISE(tl_halves, NAME)(tl_halves x, BY by) { return TL_PAIR_OF(_mm256_##NAME(x.low, by), _mm256_##NAME(x.high, by)); }
TL_SHIFTED_HALVES(sll_epi16, __m128i)
TL_SHIFTED_HALVES(srl_epi16, __m128i)
TL_SHIFTED_HALVES(slli_epi16, int)
TL_SHIFTED_HALVES(slli_epi32, int)

/* The same number, or lane, again and again; and words of four bytes from the first on. */
TL_PAIRWISE(tl_halves, setzero_si512)(void) { return TL_TWICE(_mm256_setzero_si256()); }
TL_PAIRWISE(tl_halves, set1_epi8)(char x) { return TL_TWICE(_mm256_set1_epi8(x)); }
TL_PAIRWISE(tl_halves, set1_epi16)(short x) { return TL_TWICE(_mm256_set1_epi16(x)); }
TL_PAIRWISE(tl_halves, set1_epi32)(int x) { return TL_TWICE(_mm256_set1_epi32(x)); }
TL_PAIRWISE(tl_halves, broadcast_i32x4)(__m128i x) { return TL_TWICE(_mm256_broadcastsi128_si256(x)); }
#define tl_pair_setr_epi32(A, B, C, D, E, F, G, H, ...) TL_PAIR_OF(_mm256_setr_epi32(A, B, C, D, E, F, G, H), _mm256_setr_epi32(__VA_ARGS__))

/* Bytes that become elements of two or four. */
TL_PAIRWISE(tl_halves, cvtepu8_epi16)(__m256i x)
{
    return TL_PAIR_OF(_mm256_cvtepu8_epi16(_mm256_castsi256_si128(x)), _mm256_cvtepu8_epi16(_mm256_extracti128_si256(x, 1)));
}
TL_PAIRWISE(tl_halves, cvtepu8_epi32)(__m128i x) { return TL_PAIR_OF(_mm256_cvtepu8_epi32(x), _mm256_cvtepu8_epi32(_mm_srli_si128(x, 8))); }

/* Whole vectors. */
TL_PAIRWISE(tl_halves, loadu_si512)(const void *from)
{
    return TL_PAIR_OF(_mm256_loadu_si256((const __m256i *)from), _mm256_loadu_si256((const __m256i *)from + 1));
}
#define TL_WRITTEN_HALVES(NAME, OF_256)                                                                         \
    TL_PAIRWISE(void, NAME)(void *to, tl_halves x)                                                              \
    {                                                                                                           \
        OF_256((__m256i *)to, x.low);                                                                           \
        OF_256((__m256i *)to + 1, x.high);                                                                      \
    }
TL_WRITTEN_HALVES(storeu_si512, _mm256_storeu_si256)
TL_WRITTEN_HALVES(stream_si512, _mm256_stream_si256)

/* Two lanes of one vector and two of another, as two bits of AT each say. */
#define TL_TWO_LANES(X, AT) _mm256_permute2x128_si256((X).low, (X).high, ((AT)&3) | ((AT) >> 2 & 3) << 4)
#define tl_pair_shuffle_i32x4(X, Y, AT) TL_PAIR_OF(TL_TWO_LANES(X, AT), TL_TWO_LANES(Y, (AT) >> 4))

/* Words of four bytes in any order. */
TL_BY_256 static TL_ALWAYS_INLINE __m256i tl_words_of(tl_halves x, __m256i which)
{
    __m256 low = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(x.low, which));
    __m256 high = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(x.high, which));
    return _mm256_castps_si256(_mm256_blendv_ps(low, high, _mm256_castsi256_ps(_mm256_slli_epi32(which, 28))));
}
TL_PAIRWISE(tl_halves, permutexvar_epi32)(tl_halves which, tl_halves x) { return TL_PAIR_OF(tl_words_of(x, which.low), tl_words_of(x, which.high)); }

/* Lanes that go on by so many places, and from the end at the beginning. */
TL_BY_256 static TL_ALWAYS_INLINE tl_halves tl_lanes_on(tl_halves x, int by)
{
    __m256i outer = _mm256_permute2x128_si256(x.low, x.high, 0x03), inner = _mm256_permute2x128_si256(x.low, x.high, 0x21);
    return by == 1 ? TL_PAIR_OF(outer, inner) : by == 2 ? TL_PAIR_OF(x.high, x.low) : by == 3 ? TL_PAIR_OF(inner, outer) : x;
}

/* Bytes that go on by so many places: by whole lanes, and then each `up` within its lane, or `down` into the next. */
typedef struct {
    int lanes, bytes;
    __m256i up, down;
} tl_rotation;
TL_BY_256 static TL_ALWAYS_INLINE tl_rotation tl_rotation_by(int64_t places)
{
    __m256i at = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    tl_rotation r = {.lanes = (int)(places >> 4 & 3), .bytes = (int)(places & 15)};
    r.up = _mm256_sub_epi8(at, _mm256_set1_epi8((char)r.bytes)); /* from beyond the lane, where the top bit is set, come zeros */
    r.down = _mm256_adds_epu8(_mm256_add_epi8(at, _mm256_set1_epi8((char)(16 - r.bytes))), _mm256_set1_epi8(0x70));
    return r;
}
TL_BY_256 static TL_ALWAYS_INLINE tl_halves tl_rotated_by(tl_halves x, const tl_rotation *r)
{
    tl_halves own = tl_lanes_on(x, r->lanes);
    if (!r->bytes)
        return own;
    tl_halves before = tl_lanes_on(own, 1);
    return TL_PAIR_OF(_mm256_or_si256(_mm256_shuffle_epi8(own.low, r->up), _mm256_shuffle_epi8(before.low, r->down)),
                      _mm256_or_si256(_mm256_shuffle_epi8(own.high, r->up), _mm256_shuffle_epi8(before.high, r->down)));
}

/* All bits of the bytes that a mask has. */
TL_BY_256 static TL_ALWAYS_INLINE __m256i tl_bytes_of(uint32_t mask)
{
    __m256i bytes = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    __m256i bit = _mm256_set1_epi64x((int64_t)0x8040201008040201);
    return _mm256_cmpeq_epi8(_mm256_and_si256(_mm256_shuffle_epi8(_mm256_set1_epi32((int)mask), bytes), bit), bit);
}
TL_PAIRWISE(tl_halves, mask_blend_epi8)(__mmask64 mask, tl_halves x, tl_halves y)
{
    return TL_PAIR_OF(_mm256_blendv_epi8(x.low, y.low, tl_bytes_of((uint32_t)mask)),
                      _mm256_blendv_epi8(x.high, y.high, tl_bytes_of((uint32_t)(mask >> 32))));
}
TL_PAIRWISE(tl_halves, maskz_mov_epi8)(__mmask64 mask, tl_halves x) { return tl_pair_mask_blend_epi8(mask, tl_pair_setzero_si512(), x); }
TL_PAIRWISE(tl_halves, maskz_set1_epi8)(__mmask64 mask, char x) { return tl_pair_maskz_mov_epi8(mask, tl_pair_set1_epi8(x)); }

/* The bytes that have a bit of those given, as a mask. */
TL_BY_256 static TL_ALWAYS_INLINE uint32_t tl_tested(__m256i x, __m256i bits)
{
    return ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_and_si256(x, bits), _mm256_setzero_si256()));
}
TL_PAIRWISE(__mmask64, test_epi8_mask)(tl_halves x, tl_halves bits)
{
    return tl_tested(x.low, bits.low) | (__mmask64)tl_tested(x.high, bits.high) << 32;
}

/* All words of eight bytes combined. */
TL_PAIRWISE(long long, reduce_or_epi64)(tl_halves x)
{
    __m256i both = _mm256_or_si256(x.low, x.high);
    __m128i lane = _mm_or_si128(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1));
    return _mm_extract_epi64(lane, 0) | _mm_extract_epi64(lane, 1);
}

/* Copies the bytes that a mask has, one stretch of them after the other. */
static TL_APART_FROM_CALLERS void tl_copy_under(char *to, const char *from, __mmask64 mask)
{
    while (mask) {
        int at = __builtin_ctzll(mask);
        __mmask64 behind = ~(mask >> at);
        int n = behind ? __builtin_ctzll(behind) : 64;
        memcpy(to + at, from + at, (size_t)n);
        mask = n + at < 64 ? mask >> (n + at) << (n + at) : 0;
    }
}
TL_PAIRWISE(tl_halves, mask_loadu_epi8)(tl_halves others, __mmask64 mask, const void *from)
{
    tl_halves x = others;
    if (!~mask)
        return tl_pair_loadu_si512(from);
    if (mask == UINT32_MAX)
        return TL_PAIR_OF(_mm256_loadu_si256((const __m256i *)from), others.high);
    tl_copy_under((char *)&x, from, mask);
    return x;
}
TL_PAIRWISE(tl_halves, maskz_loadu_epi8)(__mmask64 mask, const void *from) { return tl_pair_mask_loadu_epi8(tl_pair_setzero_si512(), mask, from); }
TL_PAIRWISE(void, mask_storeu_epi8)(void *to, __mmask64 mask, tl_halves x)
{
    if (!~mask)
        tl_pair_storeu_si512(to, x);
    else
        tl_copy_under(to, (const char *)&x, mask);
}

/* Some of these are macros of a compiler. */
#undef _mm512_setr_epi32
#undef _mm512_shuffle_i32x4
#undef _mm512_mask_blend_epi8
#undef _mm512_slli_epi16
#undef _mm512_slli_epi32
#define _mm512_or_si512 tl_pair_or_si512
#define _mm512_shuffle_epi8 tl_pair_shuffle_epi8
#define _mm512_sub_epi8 tl_pair_sub_epi8
#define _mm512_unpacklo_epi8 tl_pair_unpacklo_epi8
#define _mm512_unpackhi_epi8 tl_pair_unpackhi_epi8
#define _mm512_unpacklo_epi16 tl_pair_unpacklo_epi16
#define _mm512_unpackhi_epi16 tl_pair_unpackhi_epi16
#define _mm512_unpacklo_epi32 tl_pair_unpacklo_epi32
#define _mm512_unpackhi_epi32 tl_pair_unpackhi_epi32
#define _mm512_unpacklo_epi64 tl_pair_unpacklo_epi64
#define _mm512_unpackhi_epi64 tl_pair_unpackhi_epi64
#define _mm512_setzero_si512 tl_pair_setzero_si512
#define _mm512_set1_epi8 tl_pair_set1_epi8
#define _mm512_set1_epi32 tl_pair_set1_epi32
#define _mm512_setr_epi32 tl_pair_setr_epi32
#define _mm512_broadcast_i32x4 tl_pair_broadcast_i32x4
#define _mm512_loadu_si512 tl_pair_loadu_si512
#define _mm512_load_si512 tl_pair_loadu_si512
#define _mm512_storeu_si512 tl_pair_storeu_si512
#define _mm512_store_si512 tl_pair_storeu_si512
#define _mm512_stream_si512 tl_pair_stream_si512
#define _mm512_shuffle_i32x4 tl_pair_shuffle_i32x4
#define _mm512_permutexvar_epi32 tl_pair_permutexvar_epi32
#define _mm512_mask_blend_epi8 tl_pair_mask_blend_epi8
#define _mm512_maskz_mov_epi8 tl_pair_maskz_mov_epi8
#define _mm512_mask_loadu_epi8 tl_pair_mask_loadu_epi8
#define _mm512_maskz_loadu_epi8 tl_pair_maskz_loadu_epi8
#define _mm512_mask_storeu_epi8 tl_pair_mask_storeu_epi8
#define _mm512_and_si512 tl_pair_and_si512
#define _mm512_xor_si512 tl_pair_xor_si512
#define _mm512_add_epi8 tl_pair_add_epi8
#define _mm512_set1_epi16 tl_pair_set1_epi16
#define _mm512_sll_epi16 tl_pair_sll_epi16
#define _mm512_srl_epi16 tl_pair_srl_epi16
#define _mm512_slli_epi16 tl_pair_slli_epi16
#define _mm512_slli_epi32 tl_pair_slli_epi32
#define _mm512_packus_epi16 tl_pair_packus_epi16
#define _mm512_packus_epi32 tl_pair_packus_epi32
#define _mm512_maddubs_epi16 tl_pair_maddubs_epi16
#define _mm512_madd_epi16 tl_pair_madd_epi16
#define _mm512_cvtepu8_epi16 tl_pair_cvtepu8_epi16
#define _mm512_cvtepu8_epi32 tl_pair_cvtepu8_epi32
#define _mm512_maskz_set1_epi8 tl_pair_maskz_set1_epi8
#define _mm512_test_epi8_mask tl_pair_test_epi8_mask
#define _mm512_reduce_or_epi64 tl_pair_reduce_or_epi64

#endif
#endif
