/* Wider kernels for x86: vectors of 32 and 64 bytes, taken as lanes of 16.
 *
 * The zip of tl_shuffle.h works within each lane, so wide vectors transpose as many B x B blocks at once as they have lanes:
 * neighbours along u, so that a row of the source is read in one piece. Lane k of what comes out goes to block k.
 */
#ifndef TL_WIDE_H
#define TL_WIDE_H

#include "tl_stream.h"

#ifdef TL_WIDE

#include <immintrin.h>

#include "tl_pairs.h"

/* Stages of zips between the two halves of a[0] to a[N - 1], within each lane. */
#define TL_LADDER(PREFIX, N, STAGES, SI)                                                                        \
    for (int stage = 0; stage < STAGES; stage++) {                                                              \
        for (int j = 0; j < N / 2; j++) {                                                                       \
            b[2 * j] = PREFIX##_unpacklo_epi##SI(a[j], a[j + N / 2]);                                           \
            b[2 * j + 1] = PREFIX##_unpackhi_epi##SI(a[j], a[j + N / 2]);                                       \
        }                                                                                                       \
        for (int j = 0; j < N; j++)                                                                             \
            a[j] = b[j];                                                                                        \
    }

#if TL_MASKED
/* The numbers of a vector's words of four bytes. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_numbers_of_words(void)
{
    return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/* Those of its bytes. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_numbers(void)
{
    return _mm512_add_epi32(_mm512_mullo_epi32(tl_numbers_of_words(), _mm512_set1_epi32(0x04040404)), _mm512_set1_epi32(0x03020100));
}

/* The numbers of its pairs of bytes. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_numbers_of_pairs(void)
{
    return _mm512_add_epi32(_mm512_mullo_epi32(tl_numbers_of_words(), _mm512_set1_epi32(0x00020002)), _mm512_set1_epi32(0x00010000));
}

/* Bytes in any order, by machines that tl_permutes_bytes: what is compiled for others as well may hold the instruction, but no intrinsic. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_permuted_bytes(__m512i which, __m512i x)
{
    __m512i y;
    __asm__("vpermb %2, %1, %0" : "=v"(y) : "v"(which), "v"(x));
    return y;
}
#endif

/* The 4 x 4 lanes of four vectors, transposed. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_turn_lanes(__m512i *x)
{
    __m512i a = _mm512_shuffle_i32x4(x[0], x[1], 0x44), b = _mm512_shuffle_i32x4(x[2], x[3], 0x44);
    __m512i c = _mm512_shuffle_i32x4(x[0], x[1], 0xee), d = _mm512_shuffle_i32x4(x[2], x[3], 0xee);
    x[0] = _mm512_shuffle_i32x4(a, b, 0x88), x[1] = _mm512_shuffle_i32x4(a, b, 0xdd);
    x[2] = _mm512_shuffle_i32x4(c, d, 0x88), x[3] = _mm512_shuffle_i32x4(c, d, 0xdd);
}

/* The 8 x 8 halves of lanes of eight vectors, transposed. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_turn_halves(__m512i *x)
{
    __m512i even[4], odd[4];
    for (int g = 0; g < 4; g++)
        even[g] = _mm512_unpacklo_epi64(x[2 * g], x[2 * g + 1]), odd[g] = _mm512_unpackhi_epi64(x[2 * g], x[2 * g + 1]);
    tl_turn_lanes(even), tl_turn_lanes(odd);
    for (int g = 0; g < 4; g++)
        x[2 * g] = even[g], x[2 * g + 1] = odd[g];
}

/* Bytes of a row from which most of its lines are read whole, so that its ends, which tl_get_part reads, need not be asked for. */
#define TL_NOTICED 512

/* A line of what fills padding, a pattern of 16 bytes. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_pattern_512(const unsigned char *fill)
{
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const void *)fill));
}

/* The first n bytes of a line, or all of them. */
static TL_ALWAYS_INLINE __mmask64 tl_first(int64_t n) { return ~(__mmask64)0 >> (n < TL_LINE ? TL_LINE - n : 0); }

/* A line of a row of which n bytes are there, and padding behind them. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_get_ended(const char *from, int64_t n, __m512i padding)
{
    return n >= TL_LINE ? _mm512_loadu_si512((const void *)from) : n <= 0 ? padding : _mm512_mask_loadu_epi8(padding, tl_first(n), from);
}

/* Writes as much of a line as n bytes. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_put_ended(char *to, int64_t n, __m512i x)
{
    if (n >= TL_LINE)
        _mm512_storeu_si512((void *)to, x);
    else
        _mm512_mask_storeu_epi8(to, tl_first(n), x);
}

/* The bytes that lie at `first`, in a vector from `place` on, as far as the mask has their places; no other byte is touched. Some machines
 * (Zen 5) do not count a load under a mask when they guess what to prefetch: so in rows of few bytes (`row`) the line is asked for as well. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_get_part(const char *first, int64_t place, __mmask64 there, int64_t row)
{
    if (row < TL_NOTICED)
        __builtin_prefetch(first, 0, 3);
    return _mm512_maskz_loadu_epi8(there, first - place);
}

/* A vector whose bytes go on by so many places, and from its end at its beginning. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_rotated(__m512i x, int64_t by)
{
#if TL_MASKED
    return tl_permuted_bytes(_mm512_sub_epi8(tl_numbers(), _mm512_set1_epi8((char)by)), x);
#else
    tl_rotation r = tl_rotation_by(by);
    return tl_rotated_by(x, &r);
#endif
}

/* The first bytes of a row, from `place` on, and its last ones, `n` of them: as far as there are so many, and whatever else behind. A load under
 * a mask fetches lines of which it reads nothing. So where vectors `turn` byte by byte, a line of the row is read. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_get_head(const char *row, int64_t place, int64_t bytes, const int turn)
{
    if (turn && bytes >= TL_LINE)
        return tl_rotated(_mm512_loadu_si512((const void *)row), place);
    return tl_get_part(row, place, tl_first(bytes) << place, bytes);
}
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_get_tail(const char *row, int64_t n, int64_t bytes, const int turn)
{
    if (turn && bytes >= TL_LINE)
        return tl_rotated(_mm512_loadu_si512((const void *)(row + bytes - TL_LINE)), n);
    return tl_get_part(row + bytes - n, 0, ((__mmask64)1 << n) - 1, bytes);
}
/* A row of less than a line, from `place` on and from the end of the vector at its beginning, with zeros behind it; likewise from no other line
 * than those that have it. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_get_short(const char *row, int64_t place, int64_t bytes)
{
    int64_t before = tl_place(row) + bytes <= TL_LINE ? tl_place(row) : 0;
    return tl_rotated(tl_get_part(row, before, tl_first(bytes) << before, bytes), place - before);
}

/* A line. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_put_line(char *line, __m512i x, enum tl_way way)
{
    if (way == TL_PAST) {
        _mm512_stream_si512((void *)line, x);
        return;
    }
    if (way == TL_ASKED_FOR)
        tl_ask_ahead(line);
    _mm512_store_si512((void *)line, x);
}

/* As many bytes to any place, not past the caches. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_store_line(char *to, __m512i x, enum tl_way way)
{
    if (way == TL_ASKED_FOR)
        tl_ask_ahead(to);
    _mm512_storeu_si512((void *)to, x);
}

#endif
#endif
