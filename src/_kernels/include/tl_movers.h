/* The kernels that move one leaf, and which of them a plan takes; and where the rows of a leaf, and chains of them, lie in the target. */
#ifndef TL_MOVERS_H
#define TL_MOVERS_H

#include <string.h>

#include "tl_blocks.h"
#include "tl_few.h"
#include "tl_lines.h"
#include "tl_panels.h"
#include "tl_plan.h"
#include "tl_shuffle.h"
#include "tl_spaced.h"
#include "tl_stream.h"
#include "tl_tuples.h"
#include "tl_units.h"

/* Elements [u0, u1) x [v0, v1) of a leaf, one by one. */
#define TL_DEFINE_STRIDED(W)                                                                                    \
    static inline void tl_elements_##W(const tl_plan *p, const char *from, char *to, int64_t u0, int64_t u1,    \
                                       int64_t v0, int64_t v1)                                                  \
    {                                                                                                           \
        for (int64_t u = u0; u < u1; u++) {                                                                     \
            const char *f = from + u * W;                                                                       \
            char *t = to + p->u.at[u];                                                                          \
            for (int64_t v = v0; v < v1; v++)                                                                   \
                memcpy(t + v * W, f + p->v.at[v], W);                                                           \
        }                                                                                                       \
    }                                                                                                           \
    static void tl_strided_##W(const tl_plan *p, const char *from, char *to, int64_t nu, int64_t nv)            \
    {                                                                                                           \
        tl_elements_##W(p, from, to, 0, nu, 0, nv);                                                             \
    }
TL_DEFINE_STRIDED(1)
TL_DEFINE_STRIDED(2)
TL_DEFINE_STRIDED(4)
TL_DEFINE_STRIDED(8)
TL_DEFINE_STRIDED(16)

/* Rows of less than a line, each to_step behind the last: one move of a known size, or two, which may overlap. */
#define TL_ROWS_BY(N)                                                                                           \
    if (bytes == N && starts.step >= 0) {                                                                       \
        from += starts.first;                                                                                   \
        TL_UNROLL                                                                                               \
        for (int64_t r = 0; r < rows; r++, to += to_step, from += starts.step)                                  \
            memcpy(to, from, N);                                                                                \
        return;                                                                                                 \
    }                                                                                                           \
    for (int64_t r = 0; r < rows; r++, to += to_step) {                                                         \
        const char *f = from + tl_start(starts, r);                                                             \
        memcpy(to, f, N);                                                                                       \
        memcpy(to + bytes - N, f + bytes - N, N);                                                               \
    }
static inline void tl_short_rows(const int64_t *at, int64_t step, int64_t to_step, const char *from, char *to, int64_t rows, int64_t bytes)
{
    tl_starts starts = tl_starts_at(at, step);
    if (bytes == 1) {
        TL_ROWS_BY(1)
    } else if (bytes < 4) {
        TL_ROWS_BY(2)
    } else if (bytes < 8) {
        TL_ROWS_BY(4)
    } else if (bytes < 16) {
        TL_ROWS_BY(8)
    } else if (bytes < 32) {
        TL_ROWS_BY(16)
    } else {
        TL_ROWS_BY(32)
    }
}

/* Bytes of a row up to which calling memcpy costs more than it gains. */
#define TL_SHORT 2048

/* Whether rows of so many bytes are moved line by line. */
static inline int tl_are_lines(const tl_plan *p, int64_t bytes)
{
    return p->level >= TL_512 && bytes >= TL_LINE && bytes <= TL_SHORT;
}

/* An element of 1, 2, 4, 8 or 16 bytes, again and again: a line at least. In registers, as a load would wait for narrower stores. */
static inline void tl_repeat(const char *from, int64_t width, char *to, int64_t bytes)
{
    uint64_t x[2] = {0, 0};
    switch (width) {
    case 1: memset(to, *from, (size_t)bytes); return;
    case 2: { uint16_t y; memcpy(&y, from, 2); x[0] = y * (uint64_t)0x0001000100010001; break; }
    case 4: { uint32_t y; memcpy(&y, from, 4); x[0] = y * (uint64_t)0x0000000100000001; break; }
    default: memcpy(x, from, 8);
    }
    memcpy(x + 1, width == 16 ? from + 8 : (const char *)x, 8);
    uint64_t lo = x[0], hi = x[1];
    for (int64_t b = 0; b < bytes; b += TL_LINE) {
        char *line = to + tl_least(b, bytes - TL_LINE);
        TL_UNROLL
        for (int k = 0; k < TL_LINE; k += 16) {
            memcpy(line + k, &lo, 8);
            memcpy(line + k + 8, &hi, 8);
        }
    }
}

static void tl_run(const tl_plan *p, const char *from, char *to, int64_t nu, int64_t nv)
{
    size_t bytes = (size_t)(nu * p->width);
    if (p->v_from == 0 && bytes && bytes == (size_t)p->v_to && 16 % bytes == 0 && nv * p->v_to >= TL_LINE) {
        tl_repeat(from + p->v.at[0], (int64_t)bytes, to, nv * (int64_t)bytes);
        return;
    }
#if TL_MASKED
    if (tl_are_spaced(p, (int64_t)bytes, nv)) {
        tl_several(p, from, to, nv);
        return;
    }
#endif
    if (bytes && bytes < TL_LINE) {
        tl_short_rows(p->v.at, p->v_from, p->v_to, from, to, nv, (int64_t)bytes);
        return;
    }
#ifdef TL_WIDE
    if (tl_are_lines(p, (int64_t)bytes)) {
        tl_long_rows_512(p->v.at, p->v_from, p->v_to, from, to, nv, (int64_t)bytes, p->way);
        return;
    }
#endif
    for (int64_t v = 0; v < nv; v++)
        memcpy(to + v * p->v_to, from + p->v.at[v], bytes);
}

/* Elements of a number of bytes that is no power of two, less than 16. */
static void tl_units(const tl_plan *p, const char *from, char *to, int64_t nu, int64_t nv)
{
#if TL_MASKED
    if (p->level >= TL_512) {
        (p->width < 4 ? tl_units_4 : p->width < 8 ? tl_units_8 : tl_units_16)(p->v.at, p->u.at, from, to, nu, nv, p->width);
        return;
    }
#endif
    for (int64_t u = 0; u < nu; u++)
        tl_short_rows(p->v.at, -1, p->width, from + u * p->width, to + p->u.at[u], nv, p->width);
}

#ifdef TL_VECTORS
/* What vectors leave of nu x nv: the elements beyond [0, u) x [0, v). */
#define TL_REST(W, u, v)                                                                                        \
    do {                                                                                                        \
        if ((v) < nv)                                                                                           \
            tl_elements_##W(p, from, to, 0, u, v, nv);                                                          \
        if ((u) < nu)                                                                                           \
            tl_elements_##W(p, from, to, u, nu, 0, nv);                                                         \
    } while (0)

/* Blocks of B x B, as wide as the level allows; the last ones along a side may move again what others have. */
#ifdef TL_WIDE
#define TL_WIDER(W)                                                                                             \
    TL_WIDEST(W)                                                                                                \
    if (p->level >= TL_256)                                                                                     \
        done = tl_transpose_##W##_256(p->v.at, p->u.at, from, to, whole_u, whole_v);
#else
#define TL_WIDER(W)
#endif
#if TL_MASKED
#define TL_WIDEST(W)                                                                                            \
    if (p->level >= TL_512) {                                                                                   \
        tl_any_##W(p->v.at, p->u.at, from, to, nu, nv, p->even);                                                \
        return;                                                                                                 \
    }
#else
#define TL_WIDEST(W)
#endif
#define TL_DEFINE_TRANSPOSE(W, B, STAGES)                                                                       \
    static void tl_transpose_##W(const tl_plan *p, const char *from, char *to, int64_t nu, int64_t nv)          \
    {                                                                                                           \
        int64_t whole_u = nu - nu % B, whole_v = nv - nv % B, done = 0;                                         \
        TL_WIDER(W)                                                                                             \
        if (whole_u && nv < B && nv > TL_SINGLY)                                                                \
            tl_to_tuples_##W(p->v.at, p->u.at, from, to, nu, nv);                                               \
        else if (whole_v && nu < B && nu > TL_SINGLY)                                                           \
            tl_from_tuples_##W(p->v.at, p->u.at, from, to, nu, nv);                                             \
        else if (!whole_u || !whole_v)                                                                          \
            tl_elements_##W(p, from, to, 0, nu, 0, nv);                                                         \
        for (int64_t next_v = 0, v; whole_u && whole_v && next_v < nv; next_v = v + B) {                        \
            v = tl_least(next_v, nv - B);                                                                       \
            for (int64_t next_u = v == next_v ? done : 0, u; next_u < nu; next_u = u + B) {                     \
                u = tl_least(next_u, nu - B);                                                                   \
                tl_zip_##W(B, STAGES, from + u * W, p->v.at + v, 0, to + v * W, p->u.at + u, 0);                \
            }                                                                                                   \
        }                                                                                                       \
    }
TL_DEFINE_TRANSPOSE(1, 16, 4)
TL_DEFINE_TRANSPOSE(2, 8, 3)
TL_DEFINE_TRANSPOSE(4, 4, 2)
TL_DEFINE_TRANSPOSE(8, 2, 1)

/* Elements of whole lanes. */
static void tl_transpose_16(const tl_plan *p, const char *from, char *to, int64_t nu, int64_t nv)
{
#if TL_MASKED
    if (p->level >= TL_512) {
        tl_any_16(p->v.at, p->u.at, from, to, nu, nv, p->even);
        return;
    }
#endif
    tl_strided_16(p, from, to, nu, nv);
}

#ifdef TL_WIDE
/* Past the caches, nothing under a mask: a store under a mask waits for its line, and holds up those behind it. Nor do pairs of vectors anywhere,
 * as they copy what is under one by itself. */
#define TL_WIDER_ZIP(W, K)                                                                                      \
    if (p->level >= TL_512 && nv == K && ((TL_MASKED && !p->past) || nu >= TL_LINE / W))                        \
        tl_zip_##W##_##K##_512(p->v.at, p->u.at, from, to, done = nu, p->way);
#define TL_WIDER_UNZIP(W, K)                                                                                    \
    if (p->level >= TL_512)                                                                                     \
        done = tl_unzip_##W##_##K##_512(p->v.at, p->u.at, from, to, nu, nv, !TL_MASKED || p->past, p->v_from == K * W, p->way);
#else
#define TL_WIDER_ZIP(W, K)
#define TL_WIDER_UNZIP(W, K)
#endif

/* K rows become one row of K-tuples, and back. */
#define TL_DEFINE_NARROW(W, K, B, IN, OUT)                                                                      \
    static void tl_zip_##W##_##K(const tl_plan *p, const char *from, char *to, int64_t nu, int64_t nv)          \
    {                                                                                                           \
        int64_t done = 0;                                                                                       \
        TL_WIDER_ZIP(W, K)                                                                                      \
        for (; nv == K && nu - done >= B; done += B)                                                            \
            tl_zip_##W(K, IN, from + done * W, p->v.at, 0, to + p->u.at[done], 0, 16);                          \
        TL_REST(W, done, nv);                                                                                   \
    }                                                                                                           \
    static void tl_unzip_##W##_##K(const tl_plan *p, const char *from, char *to, int64_t nu, int64_t nv)        \
    {                                                                                                           \
        int64_t done = 0;                                                                                       \
        TL_WIDER_UNZIP(W, K)                                                                                    \
        for (; nu == K && nv - done >= B; done += B)                                                            \
            tl_zip_##W(K, OUT, from + p->v.at[done], 0, 16, to + done * W, p->u.at, 0);                         \
        TL_REST(W, nu, done);                                                                                   \
    }
TL_DEFINE_NARROW(1, 2, 16, 1, 4)
TL_DEFINE_NARROW(1, 4, 16, 2, 4)
TL_DEFINE_NARROW(1, 8, 16, 3, 4)
TL_DEFINE_NARROW(2, 2, 8, 1, 3)
TL_DEFINE_NARROW(2, 4, 8, 2, 3)
TL_DEFINE_NARROW(4, 2, 4, 1, 2)
TL_DEFINE_NARROW(4, 4, 4, 2, 2)
TL_DEFINE_NARROW(8, 2, 2, 1, 1)

/* Three rows become one row of triples, and back: by vectors that bytes can be picked from only. */
#ifdef TL_WIDE
#define TL_ZIP_TRIPLES(W)                                                                                       \
    TL_WIDER_ZIP(W, 3)                                                                                          \
    if (p->level >= TL_256 && nv == 3 && done < nu)                                                             \
        done = tl_zip_##W##_3_256(p->v.at, p->u.at, from, to, done, nu);
#define TL_UNZIP_TRIPLES(W)                                                                                     \
    TL_WIDER_UNZIP(W, 3)                                                                                        \
    if (p->level >= TL_256 && nu == 3 && done < nv)                                                             \
        done = tl_unzip_##W##_3_256(p->v.at, p->u.at, from, to, done, nv);
#else
#define TL_ZIP_TRIPLES(W)
#define TL_UNZIP_TRIPLES(W)
#endif
#define TL_DEFINE_TRIPLE_MOVERS(W)                                                                              \
    static void tl_zip_##W##_3(const tl_plan *p, const char *from, char *to, int64_t nu, int64_t nv)            \
    {                                                                                                           \
        int64_t done = 0;                                                                                       \
        TL_ZIP_TRIPLES(W)                                                                                       \
        TL_REST(W, done, nv);                                                                                   \
    }                                                                                                           \
    static void tl_unzip_##W##_3(const tl_plan *p, const char *from, char *to, int64_t nu, int64_t nv)          \
    {                                                                                                           \
        int64_t done = 0;                                                                                       \
        TL_UNZIP_TRIPLES(W)                                                                                     \
        TL_REST(W, nu, done);                                                                                   \
    }
TL_DEFINE_TRIPLE_MOVERS(1)
TL_DEFINE_TRIPLE_MOVERS(2)
TL_DEFINE_TRIPLE_MOVERS(4)
TL_DEFINE_TRIPLE_MOVERS(8)

/* So do more than four rows that are no power of two; by square blocks, where vectors do not blend these. */
#define TL_DEFINE_BLENDED_MOVERS(W, K)                                                                          \
    static void tl_zip_##W##_##K(const tl_plan *p, const char *from, char *to, int64_t nu, int64_t nv)          \
    {                                                                                                           \
        int64_t done = 0;                                                                                       \
        if (nv < K || !tl_blends(p->level, W, K) || (!TL_MASKED && nu < TL_LINE / W)) {                         \
            tl_transpose_##W(p, from, to, nu, nv);                                                              \
            return;                                                                                             \
        }                                                                                                       \
        TL_WIDER_ZIP(W, K)                                                                                      \
        TL_REST(W, done, nv);                                                                                   \
    }                                                                                                           \
    static void tl_unzip_##W##_##K(const tl_plan *p, const char *from, char *to, int64_t nu, int64_t nv)        \
    {                                                                                                           \
        int64_t done = 0;                                                                                       \
        if (!tl_blends(p->level, W, K) || (!TL_MASKED && nv < TL_LINE / W)) {                                   \
            tl_transpose_##W(p, from, to, nu, nv);                                                              \
            return;                                                                                             \
        }                                                                                                       \
        TL_WIDER_UNZIP(W, K)                                                                                    \
        TL_REST(W, nu, done);                                                                                   \
    }
TL_ALL_BLENDED(TL_DEFINE_BLENDED_MOVERS)

#ifdef TL_WIDE
#define TL_DEFINE_PAST(W)                                                                                       \
    static void tl_past_##W(                                                                                    \
        const tl_plan *p, const char *from, char *to, int64_t nu, int64_t nv, tl_scratch room, const char *after)\
    {                                                                                                           \
        tl_coming next = tl_coming_of(p, from, after);                                                          \
        tl_streamed_##W(p->v.at, p->u.at, from, to, nu, nv, room, p->ahead, &next);                             \
    }
TL_DEFINE_PAST(1)
TL_DEFINE_PAST(2)
TL_DEFINE_PAST(4)
TL_DEFINE_PAST(8)
TL_DEFINE_PAST(16)
#endif
#endif

/* The kernel for a plan whose sides are set; element by element where there is no better one. */
static inline tl_mover tl_choose(const tl_plan *p, enum tl_kernel kernel)
{
    if (kernel == TL_RUN)
        return tl_run;
    if (p->width & (p->width - 1))
        return tl_units;
#ifdef TL_VECTORS
    if (p->level == TL_SCALARS)
        kernel = TL_STRIDED;
#define TL_MOVER_IF(KIND, W, WHEN, MOVER)                                                                       \
    if (TL_IS(kernel, KIND) && p->width == W && (WHEN))                                                         \
        return MOVER;
#define TL_BOTH_MOVERS(W, K)                                                                                    \
    TL_MOVER_IF(TL_ZIP, W, p->v.n == K, tl_zip_##W##_##K)                                                       \
    TL_MOVER_IF(TL_UNZIP, W, p->u.n == K, tl_unzip_##W##_##K)
    TL_MOVER_IF(TL_TRANSPOSE, 1, 1, tl_transpose_1)
    TL_MOVER_IF(TL_TRANSPOSE, 2, 1, tl_transpose_2)
    TL_MOVER_IF(TL_TRANSPOSE, 4, 1, tl_transpose_4)
    TL_MOVER_IF(TL_TRANSPOSE, 8, 1, tl_transpose_8)
    TL_MOVER_IF(TL_TRANSPOSE, 16, 1, tl_transpose_16)
    TL_ALL_ZIPPED(TL_BOTH_MOVERS)
#endif
    switch (p->width) {
    case 1: return tl_strided_1;
    case 2: return tl_strided_2;
    case 4: return tl_strided_4;
    case 8: return tl_strided_8;
    default: return tl_strided_16;
    }
}

/* The kernel for a plan of transposes that writes whole lines past the caches, or NULL. */
static inline tl_liner tl_choose_lines(const tl_plan *p, enum tl_kernel kernel)
{
#ifdef TL_WIDE
    if (TL_IS(kernel, TL_TRANSPOSE) && p->level >= TL_512)
        switch (p->width) {
        case 1: return tl_past_1;
        case 2: return tl_past_2;
        case 4: return tl_past_4;
        case 8: return tl_past_8;
        case 16: return tl_past_16;
        }
#else
    (void)p, (void)kernel;
#endif
    return NULL;
}

/* The rows of a leaf are what lies together in `to`: of a run the rows of v, else those of u. */
static inline int64_t tl_rows_of(const tl_plan *p, int64_t nu, int64_t nv) { return p->move == tl_run ? nv : nu; }
static inline int64_t tl_row_of(const tl_plan *p, int64_t nu, int64_t nv) { return (p->move == tl_run ? nu : nv) * p->width; }
static inline int64_t tl_rows(const tl_plan *p) { return tl_rows_of(p, p->u.n, p->v.n); }
static inline int64_t tl_row_bytes(const tl_plan *p) { return tl_row_of(p, p->u.n, p->v.n); }
static inline int64_t tl_row_at(const tl_plan *p, int64_t row) { return p->move == tl_run ? row * p->v_to : p->u.at[row]; }

/* Bytes of small leaves, or short rows, that are put together in the scratch at the most. */
#define TL_TOGETHER 4096

/* Whether a plan is a streamed run of rows of a line at the most, so few that all of a leaf finds room in TL_TOGETHER bytes. */
static inline int tl_are_short_rows(const tl_plan *p)
{
    int64_t row = tl_row_bytes(p);
    return p->past && p->move == tl_run && row <= TL_LINE && row * p->v.n <= TL_TOGETHER;
}

/* How many chains so many rows are, the first row of a chain, and which chain a row belongs to. */
static inline int64_t tl_chains_of(const tl_plan *p, int64_t rows) { return (rows + p->chain - 1) / p->chain; }
static inline int64_t tl_first_of(const tl_plan *p, int64_t chain)
{
    return p->hop == 1 ? chain * p->chain : chain / p->hop * p->hop * p->chain + chain % p->hop;
}
static inline int64_t tl_chain_of(const tl_plan *p, int64_t row)
{
    return p->hop == 1 ? row / p->chain : row / (p->hop * p->chain) * p->hop + row % p->hop;
}

/* Whether the chain linked to chain c is among the first so many rows of a leaf, and begins where c ends. */
static inline int tl_goes_on_in(const tl_plan *p, int64_t rows, int64_t c)
{
    int64_t r = tl_first_of(p, c) + (p->chain - 1) * p->hop, next = tl_first_of(p, c + p->link);
    return p->link && c >= 0 && next < rows && p->u.at[next] == p->u.at[r] + p->v.n * p->width;
}

/* Where a row comes among all rows in the scratch, where those of each chain follow one another. */
static inline int64_t tl_place_in_chains(const tl_plan *p, int64_t row)
{
    return p->hop == 1 ? row : tl_chain_of(p, row) * p->chain + row % (p->hop * p->chain) / p->hop;
}

/* Ask for the lines amid which chains begin if their leaf is at `to` (or end, if it ends there): those of chains `asked` to `chains` - 1.
 * Returns how many have been asked for. Inline as tl_fetch is. */
static TL_ALWAYS_INLINE int64_t tl_ask_for_chains(const tl_plan *p, const char *to, int64_t asked, int64_t chains)
{
    for (; asked < chains; asked++) {
        const char *at = to + tl_row_at(p, tl_first_of(p, asked));
        if (tl_place(at))
            tl_ask_for(at);
    }
    return asked;
}

#endif
