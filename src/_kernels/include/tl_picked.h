/* Lines whose elements are picked from other lines, two of these at a time. */
#ifndef TL_PICKED_H
#define TL_PICKED_H

#include <stdint.h>
#include <string.h>

#include "tl_agreed.h"
#include "tl_level.h"

#define TL_MOST_PICKED 12

/* Whether kernels of this level pick elements of so many bytes. */
static inline int tl_picks_elements(int level, int width) { return level >= TL_512 && (width > 1 || tl_permutes_bytes(level)); }

/* For each line that is written: `which` element of two lines comes to each place, and at which places it is `there` in the first two that are
 * read, in the next two, and so on. */
typedef struct {
    uint8_t which[TL_MOST_PICKED][TL_LINE];
    uint64_t there[TL_MOST_PICKED][TL_MOST_PICKED / 2];
} tl_picks;

/* Let element `to` of the lines that are written be picked from element `from` of those that are read. */
static inline void tl_pick_from(tl_picks *p, int width, int64_t to, int64_t from)
{
    int64_t in_line = TL_LINE / width, line = to / in_line, place = to % in_line, which = from % (2 * in_line);
    memcpy(p->which[line] + place * width, &which, (size_t)width);
    p->there[line][from / (2 * in_line)] |= (uint64_t)1 << place;
}

#if TL_MASKED
#include <immintrin.h>

#define TL_PICKS_1 __attribute__((target("avx512f,avx512bw,avx512vbmi")))
#define TL_PICKS_2 TL_BY_512
#define TL_PICKS_4 TL_BY_512
#define TL_PICKED_1(THERE, A, WHICH, B) _mm512_maskz_permutex2var_epi8((__mmask64)(THERE), A, WHICH, B)
#define TL_PICKED_2(THERE, A, WHICH, B) _mm512_maskz_permutex2var_epi16((__mmask32)(THERE), A, WHICH, B)
#define TL_PICKED_4(THERE, A, WHICH, B) _mm512_maskz_permutex2var_epi32((__mmask16)(THERE), A, WHICH, B)

/* A line that picks `which` elements of so many lines, of which the last is there twice. */
#define TL_DEFINE_PICKED(W)                                                                                     \
    TL_PICKS_##W static TL_ALWAYS_INLINE __m512i tl_picked_##W(                                                 \
        __m512i which, const uint64_t *there, const __m512i *lines, const int number)                           \
    {                                                                                                           \
        __m512i x = TL_PICKED_##W(number > 1 ? there[0] : ~(uint64_t)0, lines[0], which, lines[1]);             \
        TL_UNROLL                                                                                               \
        for (int j = 1; 2 * j < number; j++)                                                                    \
            x = _mm512_or_si512(x, TL_PICKED_##W(there[j], lines[2 * j], which, lines[2 * j + 1]));             \
        return x;                                                                                               \
    }
TL_DEFINE_PICKED(1)
TL_DEFINE_PICKED(2)
TL_DEFINE_PICKED(4)
#endif

#endif
