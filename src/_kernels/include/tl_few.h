/* Transposes of fewer rows than a lane has elements, and of tuples of fewer: a lane is filled up with whatever there is, and only what belongs
 * to a tuple is used.
 *
 * What a lane writes behind a tuple is written over by the next one, if tuples follow each other; and what is read behind it is the next one.
 */
#ifndef TL_FEW_H
#define TL_FEW_H

#include "tl_shuffle.h"
#include "tl_stream.h"

/* The first n bytes of a lane, some elements but not all: one move of a known size, or two, which may overlap. */
#define TL_MOVE_BY(N)                                                                                           \
    if (N >= width && n >= N) {                                                                                 \
        memcpy(to, from, N);                                                                                    \
        memcpy(to + n - N, from + n - N, N);                                                                    \
        return;                                                                                                 \
    }
static TL_ALWAYS_INLINE void tl_move_few(char *to, const char *from, int64_t n, const int width)
{
    TL_MOVE_BY(8)
    TL_MOVE_BY(4)
    TL_MOVE_BY(2)
    TL_MOVE_BY(1)
}

#ifdef TL_VECTORS

/* Elements of a side, if it has no more, that are sooner moved one by one. */
#define TL_SINGLY 2

/* How many of n tuples of so many bytes have a lane's bytes before the end of the last one, where they follow each other; else none. */
static inline int64_t tl_spare(const int64_t *at, int64_t n, int64_t size) { return tl_follow(at, n, size) ? n - (15 / size) : 0; }

/* B is how many elements a lane has, and STAGES its binary logarithm. There are as many tuples at least; the last B of them are moved together,
 * some for the second time where they are no whole number of blocks. */
#define TL_DEFINE_FEW(W, B, STAGES)                                                                             \
    static void tl_to_tuples_##W(const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t nu, int64_t nv)\
    {                                                                                                           \
        int64_t spare = tl_spare(u_at, nu, nv * W), at[B];                                                      \
        for (int64_t v = 0; v < B; v++)                                                                         \
            at[v] = v_at[tl_least(v, nv - 1)];                                                                  \
        for (int64_t next = 0, u; next < nu; next = u + B) {                                                    \
            char made[B][TL_LANE_BYTES];                                                                        \
            u = tl_least(next, nu - B);                                                                         \
            tl_zip_##W(B, STAGES, from + u * W, at, 0, made[0], NULL, TL_LANE_BYTES);                           \
            for (int64_t j = 0; j < B; j++)                                                                     \
                if (u + j < spare)                                                                              \
                    memcpy(to + u_at[u + j], made[j], TL_LANE_BYTES);                                           \
                else                                                                                            \
                    tl_move_few(to + u_at[u + j], made[j], nv * W, W);                                          \
        }                                                                                                       \
    }                                                                                                           \
    static void tl_from_tuples_##W(const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t nu, int64_t nv)\
    {                                                                                                           \
        int64_t spare = tl_spare(v_at, nv, nu * W);                                                             \
        for (int64_t next = 0, v; next < nv; next = v + B) {                                                    \
            char aside[B][TL_LANE_BYTES], made[B][TL_LANE_BYTES];                                               \
            v = tl_least(next, nv - B);                                                                         \
            for (int64_t j = 0; j < B && v + B > spare; j++)                                                    \
                tl_move_few(aside[j], from + v_at[v + j], nu * W, W);                                           \
            if (v + B > spare)                                                                                  \
                tl_zip_##W(B, STAGES, aside[0], NULL, TL_LANE_BYTES, made[0], NULL, TL_LANE_BYTES);             \
            else                                                                                                \
                tl_zip_##W(B, STAGES, from, v_at + v, 0, made[0], NULL, TL_LANE_BYTES);                         \
            for (int64_t j = 0; j < nu; j++)                                                                    \
                memcpy(to + u_at[j] + v * W, made[j], TL_LANE_BYTES);                                           \
        }                                                                                                       \
    }
TL_DEFINE_FEW(1, 16, 4)
TL_DEFINE_FEW(2, 8, 3)
TL_DEFINE_FEW(4, 4, 2)
TL_DEFINE_FEW(8, 2, 1)

#endif
#endif
