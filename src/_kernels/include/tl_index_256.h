/* The busiest loops of index queries in vectors of 32 bytes, where those are the widest.
 *
 * Eight queries are a vector of lanes of 32 bits, in the order 0 1 4 5 2 3 6 7: widened half by half of each 16 bytes, they are int64 in their
 * order. Coordinates are taken two axes at a time, which lie side by side in every row; of an odd number of axes the last two once more.
 */
#ifndef TL_INDEX_256_H
#define TL_INDEX_256_H

#include <immintrin.h>

enum { TL_EIGHTS = 4, TL_FOURS = 4 }; /* vectors of eight queries, or of four, that go through together */

/* So many integers past the caches or not, as tl_store_8 does. */
TL_BY_256 static TL_ALWAYS_INLINE void tl_store_4(int64_t *to, __m256i x, enum tl_way way)
{
    if (way == TL_PAST) {
        _mm256_stream_si256((void *)to, x);
        return;
    }
    if (way == TL_ASKED_FOR)
        tl_ask_ahead((const char *)to);
    _mm256_storeu_si256((void *)to, x);
}
TL_BY_256 static TL_ALWAYS_INLINE void tl_store_eight(int64_t *to, __m256i x, enum tl_way way)
{
    tl_store_4(to, _mm256_unpacklo_epi32(x, _mm256_setzero_si256()), way);
    tl_store_4(to + 4, _mm256_unpackhi_epi32(x, _mm256_setzero_si256()), way);
}

/* Two vectors of 16 bytes as one. */
TL_BY_256 static TL_ALWAYS_INLINE __m256i tl_two_lanes(const char *low, const char *high)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)low)), _mm_loadu_si128((const __m128i *)high), 1);
}
TL_BY_256 static TL_ALWAYS_INLINE __m128i tl_two_words(const char *low, const char *high)
{
    return _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)low), _mm_loadl_epi64((const __m128i *)high));
}

/* Of each 16 bytes of `low` and then of `high` the lanes of 32 bits that `which` says. */
#define TL_LANES_OF(LOW, HIGH, WHICH)                                                                           \
    _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(LOW), _mm256_castsi256_ps(HIGH), WHICH))
#define TL_EVEN_OF(LOW, HIGH) TL_LANES_OF(LOW, HIGH, 0x88)
#define TL_ODD_OF(LOW, HIGH) TL_LANES_OF(LOW, HIGH, 0xdd)

/* What lanes of 32 bits have held at the most, as unsigned: of int64 each half by itself. */
TL_BY_256 static TL_ALWAYS_INLINE __m256i tl_more(__m256i x, __m256i y) { return _mm256_max_epu32(x, y); }

/* Whether one of them reaches the extents of two axes by turns: then the upper half of an int64 is not 0, or the lower one is too large. */
TL_BY_256 static TL_ALWAYS_INLINE int tl_reaches(const int width, __m256i most, int64_t extent0, int64_t extent1)
{
    const int first = (int)(uint32_t)extent0, second = (int)(uint32_t)extent1;
    const __m256i extents = width == 4 ? _mm256_setr_epi32(first, second, first, second, first, second, first, second)
                                       : _mm256_setr_epi32(first, 1, second, 1, first, 1, second, 1);
    return _mm256_movemask_epi8(_mm256_cmpeq_epi32(tl_more(most, extents), most)) != 0;
}

/* The coordinates of eight rows, `step` bytes each, on two axes. */
TL_BY_256 static TL_ALWAYS_INLINE void tl_take_two(const int width, const char *from, const int64_t step, __m256i *most, __m256i *x, __m256i *y)
{
    __m256i first, second; /* of both axes by turns, rows 0 to 3 and 4 to 7 */
    if (width == 4 && step == 8) {
        first = _mm256_loadu_si256((const __m256i *)from);
        second = _mm256_loadu_si256((const __m256i *)(from + 32));
    } else if (width == 4) {
        const char *other = from + 4 * step;
        first = _mm256_set_m128i(tl_two_words(from + 2 * step, from + 3 * step), tl_two_words(from, from + step));
        second = _mm256_set_m128i(tl_two_words(other + 2 * step, other + 3 * step), tl_two_words(other, other + step));
    }
    if (width == 4)
        *most = tl_more(*most, tl_more(first, second));
    else {
        const __m256i a = tl_two_lanes(from, from + 2 * step), b = tl_two_lanes(from + step, from + 3 * step);
        const __m256i c = tl_two_lanes(from + 4 * step, from + 6 * step), d = tl_two_lanes(from + 5 * step, from + 7 * step);
        *most = tl_more(*most, tl_more(tl_more(a, b), tl_more(c, d)));
        first = TL_EVEN_OF(a, b), second = TL_EVEN_OF(c, d);
    }
    *x = TL_EVEN_OF(first, second);
    *y = TL_ODD_OF(first, second);
}

/* Eight integers one behind the other: lanes of those of 32 bits are as they lie, and come into the order of all others afterwards. */
TL_BY_256 static TL_ALWAYS_INLINE __m256i tl_take_eight(const int width, const char *from, __m256i *most)
{
    const __m256i first = _mm256_loadu_si256((const __m256i *)from);
    if (width == 4) {
        *most = tl_more(*most, first);
        return first;
    }
    const __m256i second = _mm256_loadu_si256((const __m256i *)(from + 32));
    *most = tl_more(*most, tl_more(first, second));
    return TL_EVEN_OF(first, second);
}

TL_BY_256 static TL_ALWAYS_INLINE __m256i tl_order_lanes(const int width, __m256i x)
{
    return width == 4 ? _mm256_permute4x64_epi64(x, 0xd8) : x;
}

/* The high halves of the products of 32 bits. */
TL_BY_256 static TL_ALWAYS_INLINE __m256i tl_high_halves_256(__m256i x, __m256i y)
{
    return _mm256_blend_epi32(_mm256_srli_epi64(_mm256_mul_epu32(x, y), 32), _mm256_mul_epu32(_mm256_srli_epi64(x, 32), y), 0xaa);
}
TL_BY_256 static TL_ALWAYS_INLINE __m256i tl_times_256(__m256i x, uint64_t y)
{
    return y == 1 ? x : _mm256_mullo_epi32(x, _mm256_set1_epi32((int)y));
}
TL_BY_256 static TL_ALWAYS_INLINE __m256i tl_divided_256(__m256i x, tl_division by)
{
    const __m256i magic = _mm256_set1_epi32((int)by.magic);
    const __m256i product = by.of == TL_ITSELF ? x : by.of == TL_LOW ? _mm256_mullo_epi32(x, magic) : tl_high_halves_256(x, magic);
    return _mm256_srl_epi32(product, _mm_cvtsi32_si128(by.shift));
}

/* Flip what moves of one register do, of which these are values. Bits that all go up, or all go down, are shifted but once. */
TL_BY_256 static TL_ALWAYS_INLINE void tl_move_eights(const __m256i *x, const tl_move *m, const tl_move *end, __m256i *to)
{
    for (; m < end; m++) {
        const uint32_t mask = (uint32_t)m->mask, low = (uint32_t)(((uint64_t)1 << m->left) - 1);
        const __m256i masks = _mm256_set1_epi32((int)m->mask);
        if (mask & ~low)
            for (int k = 0; k < TL_EIGHTS; k++)
                to[k] = _mm256_xor_si256(to[k], _mm256_and_si256(_mm256_sll_epi32(x[k], _mm_cvtsi32_si128(m->left)), masks));
        if (mask & low)
            for (int k = 0; k < TL_EIGHTS; k++)
                to[k] = _mm256_xor_si256(to[k], _mm256_and_si256(_mm256_srl_epi32(x[k], _mm_cvtsi32_si128(32 - m->left)), masks));
    }
}

/* Add the quotients of one axis, of which these are the coordinates. */
TL_BY_256 static TL_ALWAYS_INLINE void tl_add_eights(const __m256i *x, const tl_quotient *t, const tl_quotient *end, __m256i *to)
{
    for (; t < end; t++)
        for (int k = 0; k < TL_EIGHTS; k++)
            to[k] = _mm256_add_epi32(to[k], tl_times_256(tl_divided_256(x[k], t->by), t->weight));
}

/* The first of the axes that are taken together with the one behind: every other one, and the last but one. */
static TL_ALWAYS_INLINE int tl_first_of_two(const int axes, int two) { return 2 * two + 1 < axes ? 2 * two : axes - 2; }

/* Slots as int64, from a register of either width. */
#define TL_DEFINE_STORE_256(BITS, LOAD)                                                                         \
    TL_BY_256 static void tl_store_slots_256_##BITS(int64_t *to, const void *slots, size_t n, enum tl_way way)  \
    {                                                                                                           \
        const uint##BITS##_t *slot = (const uint##BITS##_t *)slots;                                             \
        size_t i = 0;                                                                                           \
        for (; i + 4 <= n; i += 4)                                                                              \
            tl_store_4(to + i, LOAD(slot + i), way);                                                            \
        for (; i < n; i++)                                                                                      \
            to[i] = (int64_t)slot[i];                                                                           \
    }
#define TL_LOAD_4_32(AT) _mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)(AT)))
#define TL_LOAD_4_64(AT) _mm256_loadu_si256((const __m256i *)(AT))
TL_DEFINE_STORE_256(32, TL_LOAD_4_32)
TL_DEFINE_STORE_256(64, TL_LOAD_4_64)

#endif
