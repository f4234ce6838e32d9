/* A few rows that are zipped to one of tuples, or taken apart again, where these are as many as vectors cannot halve: 5 to 12, which square
 * blocks would move with half of their lanes empty.
 *
 * K lines of rows become K lines of tuples, or these become rows. Those that are read stay in registers, and each that is written picks its
 * elements from two of them at a time.
 */
#ifndef TL_MIXED_H
#define TL_MIXED_H

#include <stdlib.h>

#include "tl_plan.h"
#include "tl_wide.h"

#ifdef TL_WIDE

/* Moves so many tuples, of each row a line at least; row k is at[k] bytes behind where rows begin. */
typedef void (*tl_mixer)(const struct tl_mix *, const int64_t *at, const char *from, char *to, int64_t tuples);

typedef struct tl_mix {
    tl_picks picks;
    tl_mixer move;
    int64_t rows;
    int zips; /* whether rows are zipped, or taken apart */
} tl_mix;

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
                __m512i which = _mm512_loadu_si512((const void *)m->picks.which[k]);                            \
                __m512i x = tl_picked_##W(which, m->picks.there[k], a, K);                                      \
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

/* How the rows of a leaf are mixed: those of v, if it zips them, or else those of u, which are taken apart; NULL if vectors cannot. The caller
 * frees it. */
static inline tl_mix *tl_mix_of(const tl_plan *p, int zips)
{
    int64_t rows = zips ? p->v.n : p->u.n, in_line = TL_LINE / p->width;
    tl_mix *m = tl_picks_elements(p->level, p->width) ? calloc(1, sizeof *m) : NULL;
    if (!m)
        return NULL;
    m->move = tl_choose_mixer(p->width, rows, zips), m->rows = rows, m->zips = zips;
    for (int64_t e = 0; e < m->rows * in_line; e++)
        tl_pick_from(&m->picks, p->width, e, zips ? e % m->rows * in_line + e / m->rows : e % in_line * m->rows + e / in_line);
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
static inline tl_mix *tl_mix_of(const tl_plan *p, int zips)
{
    (void)p, (void)zips;
    return NULL;
}
#endif

#endif
