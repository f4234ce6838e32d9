/* A few rows that are zipped to one of tuples, or taken apart again, where these are as many as vectors cannot halve: 5 to 12, which square
 * blocks would move with half of their lanes empty.
 *
 * K lines of rows become K lines of tuples, or these become rows. Those that are read stay in registers, and each that is written picks its
 * elements from two of them at a time.
 */
#ifndef TL_MIXED_H
#define TL_MIXED_H

#include <stdlib.h>
#include <string.h>

#include "tl_plan.h"
#include "tl_wide.h"

#ifdef TL_WIDE

#define TL_MOST_MIXED 12

/* Moves so many tuples, of each row a line at least; row k is at[k] bytes behind where rows begin. */
typedef void (*tl_mixer)(const struct tl_mix *, const int64_t *at, const char *from, char *to, int64_t tuples);

/* For each line that is written: `which` element of two lines comes to each place, and at which places it is `there` in the first two that are
 * read, in the next two, and so on. */
typedef struct tl_mix {
    uint8_t which[TL_MOST_MIXED][TL_LINE];
    uint64_t there[TL_MOST_MIXED][TL_MOST_MIXED / 2];
    tl_mixer move;
    int64_t rows;
    int zips; /* whether rows are zipped, or taken apart */
} tl_mix;

#define TL_PICKS_1 __attribute__((target("avx512f,avx512bw,avx512vbmi")))
#define TL_PICKS_2 TL_BY_512
#define TL_PICKS_4 TL_BY_512
#define TL_PICKED_1(THERE, A, WHICH, B) _mm512_maskz_permutex2var_epi8((__mmask64)(THERE), A, WHICH, B)
#define TL_PICKED_2(THERE, A, WHICH, B) _mm512_maskz_permutex2var_epi16((__mmask32)(THERE), A, WHICH, B)
#define TL_PICKED_4(THERE, A, WHICH, B) _mm512_maskz_permutex2var_epi32((__mmask16)(THERE), A, WHICH, B)

/* Where the tuples are no whole lines of rows, the last of them move twice. */
#define TL_DEFINE_MIXED(W, K)                                                                                   \
    TL_PICKS_##W static TL_ALWAYS_INLINE void tl_mixed_##W##_##K(                                               \
        const tl_mix *m, const int64_t *at, const char *from, char *to, int64_t tuples, const int zips)         \
    {                                                                                                           \
        enum { IN_LINE = TL_LINE / W };                                                                         \
        for (int64_t next = 0, t; next < tuples; next = t + IN_LINE) {                                          \
            __m512i a[K + 1];                                                                                   \
            t = tl_least(next, tuples - IN_LINE);                                                               \
            TL_UNROLL                                                                                           \
            for (int k = 0; k < K; k++)                                                                         \
                a[k] = _mm512_loadu_si512((const void *)(from + (zips ? at[k] + t * W : t * W * K + k * TL_LINE)));\
            a[K] = a[K - 1];                                                                                    \
            for (int k = 0; k < K; k++) {                                                                       \
                __m512i which = _mm512_loadu_si512((const void *)m->which[k]);                                  \
                __m512i x = TL_PICKED_##W(m->there[k][0], a[0], which, a[1]);                                   \
                TL_UNROLL                                                                                       \
                for (int j = 1; 2 * j < K; j++)                                                                 \
                    x = _mm512_or_si512(x, TL_PICKED_##W(m->there[k][j], a[2 * j], which, a[2 * j + 1]));       \
                _mm512_storeu_si512((void *)(to + (zips ? t * W * K + k * TL_LINE : at[k] + t * W)), x);        \
            }                                                                                                   \
        }                                                                                                       \
    }                                                                                                           \
    TL_PICKS_##W static void tl_mixed_zip_##W##_##K(const tl_mix *m, const int64_t *at, const char *from, char *to, int64_t tuples)\
    {                                                                                                           \
        tl_mixed_##W##_##K(m, at, from, to, tuples, 1);                                                         \
    }                                                                                                           \
    TL_PICKS_##W static void tl_mixed_unzip_##W##_##K(const tl_mix *m, const int64_t *at, const char *from, char *to, int64_t tuples)\
    {                                                                                                           \
        tl_mixed_##W##_##K(m, at, from, to, tuples, 0);                                                         \
    }

TL_ALL_MIXED(TL_DEFINE_MIXED)

/* The kernel for so many rows, or NULL. */
static inline tl_mixer tl_choose_mixer(int width, int64_t rows, int zips)
{
#define TL_IF_MIXED(W, K)                                                                                       \
    if (width == W && rows == K)                                                                                \
        return zips ? tl_mixed_zip_##W##_##K : tl_mixed_unzip_##W##_##K;
    TL_ALL_MIXED(TL_IF_MIXED)
    return NULL;
}

/* How the rows of a leaf are mixed: those of v, if these are zipped to a chain, or those of u, if they are taken apart from tuples that follow
 * each other; or NULL. The caller frees it. */
static inline tl_mix *tl_mix_of(const tl_plan *p)
{
    int64_t u = p->u.n, v = p->v.n, in_line = TL_LINE / p->width;
    if (p->level < TL_512 || (p->width == 1 && !tl_permutes_bytes(p->level)))
        return NULL;
    int zips = u >= in_line && p->chain == u && p->hop == 1;
    if (!zips && !(v >= in_line && tl_follow(p->v.at, v, u * p->width)))
        return NULL;
    tl_mixer move = tl_choose_mixer(p->width, zips ? v : u, zips);
    tl_mix *m = move ? calloc(1, sizeof *m) : NULL;
    if (!m)
        return NULL;
    m->move = move, m->rows = zips ? v : u, m->zips = zips;
    for (int64_t k = 0; k < m->rows; k++)
        for (int64_t place = 0; place < in_line; place++) {
            int64_t element = zips ? k * in_line + place : place * m->rows + k, by = zips ? m->rows : in_line;
            int64_t line = zips ? element % by : element / by, which = line % 2 * in_line + (zips ? element / by : element % by);
            memcpy(m->which[k] + place * p->width, &which, (size_t)p->width);
            m->there[k][line / 2] |= (uint64_t)1 << place;
        }
    return m;
}

/* Moves nu x nv elements so, if these are all rows, and a line of each at least; whether it did. */
static inline int tl_mixed(const tl_plan *p, const char *from, char *to, int64_t nu, int64_t nv)
{
    const tl_mix *m = p->mix;
    if (!m || (m->zips ? nv : nu) != m->rows || (m->zips ? nu : nv) * p->width < TL_LINE)
        return 0;
    if (m->zips)
        m->move(m, p->v.at, from, to + p->u.at[0], nu);
    else
        m->move(m, p->u.at, from + p->v.at[0], to, nv);
    return 1;
}

#else
typedef struct tl_mix tl_mix;
static inline tl_mix *tl_mix_of(const tl_plan *p)
{
    (void)p;
    return NULL;
}
#endif

#endif
