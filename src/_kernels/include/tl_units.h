/* Transposes of elements of 3, 5 to 7 or 9 to 15 bytes: each has a cell of 4, 8 or 16 bytes while it is turned. */
#ifndef TL_UNITS_H
#define TL_UNITS_H

#include "tl_wide.h"

#if TL_MASKED

/* How elements come from bytes that follow one another to the cells of a vector, and back: first pairs of bytes (words) go to their lanes, then
 * bytes to their places in these. On the way back a pair may be made of two lanes, where elements begin amid it: so pairs of even lanes are put
 * in place apart from those of odd lanes; `there` says which pairs either have. */
typedef struct {
    __m512i words, bytes, bytes_back, words_back[2];
    __mmask32 there[2];
} tl_cells;

TL_BY_512 static tl_cells tl_cells_of(int unit, int cell)
{
    tl_cells cells = {.there = {0, 0}};
    uint16_t words[32], words_back[2][32] = {{0}};
    uint8_t bytes[64], bytes_back[64];
    int size = 16 / cell * unit;
    for (int lane = 0; lane < 4; lane++) {
        int begin = lane * size, odd = begin % 2;
        for (int w = 0; w < 8; w++)
            words[8 * lane + w] = (uint16_t)((begin / 2 + w) % 32);
        for (int b = 0; b < 16; b++) {
            int within = b % cell, at = b - odd;
            bytes[16 * lane + b] = (uint8_t)(within < unit ? odd + b / cell * unit + within : 0x80);
            bytes_back[16 * lane + b] = (uint8_t)(at >= 0 && at < size ? at / unit * cell + at % unit : 0x80);
        }
        for (int w = begin / 2; 2 * w < begin + size; w++) {
            words_back[lane % 2][w] = (uint16_t)(8 * lane + w - begin / 2);
            cells.there[lane % 2] |= (__mmask32)1 << w;
        }
    }
    cells.words = _mm512_loadu_si512((const void *)words), cells.bytes = _mm512_loadu_si512((const void *)bytes);
    cells.bytes_back = _mm512_loadu_si512((const void *)bytes_back);
    for (int k = 0; k < 2; k++)
        cells.words_back[k] = _mm512_loadu_si512((const void *)words_back[k]);
    return cells;
}

TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_to_cells(__m512i x, const tl_cells *c)
{
    return _mm512_shuffle_epi8(_mm512_permutexvar_epi16(c->words, x), c->bytes);
}
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_from_cells(__m512i x, const tl_cells *c)
{
    x = _mm512_shuffle_epi8(x, c->bytes_back);
    return _mm512_or_si512(_mm512_maskz_permutexvar_epi16(c->there[0], c->words_back[0], x),
                           _mm512_maskz_permutexvar_epi16(c->there[1], c->words_back[1], x));
}

/* nu x nv elements, block by block of as many of each as a vector has cells of W bytes: four times B. */
#define TL_DEFINE_UNITS(W, B, STAGES, SI)                                                                       \
    TL_BY_512 static void tl_units_##W(const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t nu, int64_t nv, int unit) \
    {                                                                                                           \
        const tl_cells cells = tl_cells_of(unit, W);                                                            \
        for (int64_t u = 0; u < nu; u += 4 * B) {                                                               \
            __mmask64 read = tl_first(tl_least(nu - u, 4 * B) * unit);                                          \
            for (int64_t v = 0; v < nv; v += 4 * B) {                                                           \
                __mmask64 written = tl_first(tl_least(nv - v, 4 * B) * unit);                                   \
                __m512i panel[4 * B];                                                                           \
                TL_UNROLL                                                                                       \
                for (int g = 0; g < 4; g++) {                                                                   \
                    __m512i a[B], b[B];                                                                         \
                    for (int j = 0; j < B; j++) {                                                               \
                        int64_t row = v + g * B + j;                                                            \
                        a[j] = row < nv ? _mm512_maskz_loadu_epi8(read, from + u * unit + v_at[row]) : _mm512_setzero_si512(); \
                        a[j] = tl_to_cells(a[j], &cells);                                                       \
                    }                                                                                           \
                    TL_LADDER(_mm512, B, STAGES, SI)                                                            \
                    for (int j = 0; j < B; j++)                                                                 \
                        panel[4 * j + g] = a[j];                                                                \
                }                                                                                               \
                for (int j = 0; j < B; j++) {                                                                   \
                    tl_turn_lanes(panel + 4 * j);                                                               \
                    for (int lane = 0; lane < 4; lane++)                                                        \
                        if (u + lane * B + j < nu)                                                              \
                            _mm512_mask_storeu_epi8(to + u_at[u + lane * B + j] + v * unit, written,            \
                                                    tl_from_cells(panel[4 * j + lane], &cells));                \
                }                                                                                               \
            }                                                                                                   \
        }                                                                                                       \
    }
TL_DEFINE_UNITS(4, 4, 2, 32)
TL_DEFINE_UNITS(8, 2, 1, 64)
TL_DEFINE_UNITS(16, 1, 0, 64)

#endif
#endif
