/* Pack and unpack: one clipped, strided copy of N loops between an array and a buffer.
 *
 * A plan is a nest of loops around a leaf. The leaf moves a block of two dimensions: u, whose neighbours lie side by side
 * in `from`, and v, whose neighbours lie side by side in `to` (in a run they are the same, and v counts its rows). Element
 * (u, v) is read at from + u * width + v_from[v] and written at to + v * width + u_to[u].
 *
 * An axis whose size its digits overrun is clipped: left[axis] is what remains of it, each loop takes from it, and
 * what lies beyond is padding, written in the same pass when there is a fill.
 */
#ifndef TL_COPY_H
#define TL_COPY_H

#include <stdint.h>
#include <string.h>

#include "tl_shuffle.h"
#include "tl_stream.h"
#include "tl_wide.h"

/* How wide vectors may be: not at all, or so many bits. */
enum tl_level { TL_SCALARS, TL_128, TL_256, TL_512 };

enum tl_kernel { TL_RUN, TL_TRANSPOSE, TL_ZIP, TL_UNZIP, TL_STRIDED };

typedef struct {
    int64_t n, from, to; /* iterations, and what each adds in bytes */
    int axis;            /* the clipped axis it walks, or -1 */
    int64_t divisor;     /* how far along that axis it steps */
    int leaf;            /* 0, or 1 (u) or 2 (v): it walks blocks of that leaf dimension, */
    int64_t total, per;  /* of which there are `total` in all, `per` an iteration */
} tl_loop;

typedef struct {
    int64_t n;       /* elements in a whole leaf */
    int64_t unit;    /* elements that one of a leaf loop's `total` stands for */
    int axis;
    int64_t divisor;
    const int64_t *at; /* n byte offsets: in `to` for u, in `from` for v */
} tl_side;

struct tl_plan;
/* Moves the elements u < nu, v < nv of the leaf at from and to. */
typedef void (*tl_mover)(const struct tl_plan *, const char *from, char *to, int64_t nu, int64_t nv);

typedef struct tl_plan {
    int depth, axes, width, level;
    tl_mover move;
    tl_loop *loop;
    tl_side u, v;
    int64_t v_to;        /* only in a run: bytes between rows in `to` */
    int64_t chain;       /* rows of a leaf that follow each other in `to`; 0 if it is written directly, else through writers */
    int64_t ahead;       /* how far behind a leaf in `from` the one lies that is to be fetched with it */
    int near;            /* whether the rows of a leaf lie close together in `to` */
    int64_t slice;       /* how much of v is fetched and moved at a time, so that the one goes on during the other */
    const int64_t *size; /* one a clipped axis */
} tl_plan;

typedef struct {
    const tl_plan *plan;
    int64_t *left;
    int64_t there[3]; /* [1], [2]: how many of u and of v exist in the leaf at hand */
    const unsigned char *fill; /* 16 bytes, a whole number of elements, or NULL */
    int fill_byte;             /* the byte that all 16 are, or -1 */
    int is_fresh;              /* whether nobody has written to the target yet, and its lines are not long gone from the caches */
    tl_plan gather;            /* the plan with `row` for u.at */
    char *scratch;
    int64_t *row;              /* where each row of a leaf lies in the scratch, while `to` lies at `place` in its line */
    int64_t place;
    char *next;                /* where leaves go on if `waiting` rows of the last one wait for it */
    int64_t waiting;
} tl_state;

static inline int64_t tl_min(int64_t a, int64_t b) { return a < b ? a : b; }

/* How many steps of `divisor` start within what is left of the axis, at most n. */
static inline int64_t tl_valid(int64_t left, int64_t divisor, int64_t n)
{
    if (left >= n * divisor)
        return n;
    return left <= 0 ? 0 : tl_min(n, (left + divisor - 1) / divisor);
}

static inline void tl_fill(const tl_state *st, char *to, int64_t bytes)
{
    if (st->fill_byte >= 0) {
        memset(to, st->fill_byte, (size_t)bytes);
        return;
    }
    int64_t b = 0;
    for (; b + 16 <= bytes; b += 16)
        memcpy(to + b, st->fill, 16);
    memcpy(to + b, st->fill, (size_t)(bytes - b));
}

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

/* Bytes up to which calling the library's copy costs more than it gains. */
#define TL_SHORT 2048

static void tl_run(const tl_plan *p, const char *from, char *to, int64_t nu, int64_t nv)
{
    size_t bytes = (size_t)(nu * p->width);
#ifdef TL_WIDE
    if (p->level >= TL_512 && bytes <= TL_SHORT && bytes % TL_LINE == 0) {
        tl_rows_512(p->v.at, p->v_to, from, to, nv, (int64_t)bytes);
        return;
    }
#endif
    for (int64_t v = 0; v < nv; v++)
        memcpy(to + v * p->v_to, from + p->v.at[v], bytes);
}

#ifdef TL_VECTORS
/* What vectors leave of nu x nv: the elements beyond [0, u) x [0, v). */
#define TL_REST(W, u, v)                                     \
    do {                                                     \
        if ((v) < nv)                                        \
            tl_elements_##W(p, from, to, 0, u, v, nv);       \
        if ((u) < nu)                                        \
            tl_elements_##W(p, from, to, u, nu, 0, nv);      \
    } while (0)

/* Blocks of B x B, as wide as the level allows. */
#ifdef TL_WIDE
#define TL_WIDER(W)                                                                             \
    if (p->level >= TL_512)                                                                     \
        done = tl_transpose_##W##_512(p->v.at, p->u.at, from, to, whole_u, whole_v);            \
    if (p->level >= TL_256)                                                                     \
        done += tl_transpose_##W##_256(p->v.at, p->u.at + done, from + done * W, to, whole_u - done, whole_v);
#else
#define TL_WIDER(W)
#endif
#define TL_DEFINE_TRANSPOSE(W, B, STAGES)                                                                       \
    static void tl_transpose_##W(const tl_plan *p, const char *from, char *to, int64_t nu, int64_t nv)          \
    {                                                                                                           \
        int64_t whole_u = nu - nu % B, whole_v = nv - nv % B, done = 0;                                         \
        TL_WIDER(W)                                                                                             \
        for (int64_t v = 0; v < whole_v; v += B)                                                                \
            for (int64_t u = done; u < whole_u; u += B)                                                         \
                tl_zip_##W(B, STAGES, from + u * W, p->v.at + v, 0, to + v * W, p->u.at + u, 0);                \
        TL_REST(W, whole_u, whole_v);                                                                           \
    }
TL_DEFINE_TRANSPOSE(1, 16, 4)
TL_DEFINE_TRANSPOSE(2, 8, 3)
TL_DEFINE_TRANSPOSE(4, 4, 2)
TL_DEFINE_TRANSPOSE(8, 2, 1)

/* K rows become one row of K-tuples, and back. */
#define TL_DEFINE_NARROW(W, K, B, IN, OUT)                                                                      \
    static void tl_zip_##W##_##K(const tl_plan *p, const char *from, char *to, int64_t nu, int64_t nv)          \
    {                                                                                                           \
        int64_t whole = nv < K ? 0 : nu - nu % B;                                                               \
        for (int64_t u = 0; u < whole; u += B)                                                                  \
            tl_zip_##W(K, IN, from + u * W, p->v.at, 0, to + p->u.at[u], 0, 16);                                      \
        TL_REST(W, whole, nv);                                                                                  \
    }                                                                                                           \
    static void tl_unzip_##W##_##K(const tl_plan *p, const char *from, char *to, int64_t nu, int64_t nv)        \
    {                                                                                                           \
        int64_t whole = nu < K ? 0 : nv - nv % B;                                                               \
        for (int64_t v = 0; v < whole; v += B)                                                                  \
            tl_zip_##W(K, OUT, from + p->v.at[v], 0, 16, to + v * W, p->u.at, 0);                               \
        TL_REST(W, nu, whole);                                                                                  \
    }
TL_DEFINE_NARROW(1, 2, 16, 1, 4)
TL_DEFINE_NARROW(1, 4, 16, 2, 4)
TL_DEFINE_NARROW(1, 8, 16, 3, 4)
TL_DEFINE_NARROW(2, 2, 8, 1, 3)
TL_DEFINE_NARROW(2, 4, 8, 2, 3)
TL_DEFINE_NARROW(4, 2, 4, 1, 2)

static const struct {
    enum tl_kernel kernel;
    int width, narrow; /* narrow: the extent of the short side, 0 for any */
    tl_mover mover;
} tl_movers[] = {
    {TL_TRANSPOSE, 1, 0, tl_transpose_1}, {TL_TRANSPOSE, 2, 0, tl_transpose_2},
    {TL_TRANSPOSE, 4, 0, tl_transpose_4}, {TL_TRANSPOSE, 8, 0, tl_transpose_8},
    {TL_ZIP, 1, 2, tl_zip_1_2}, {TL_ZIP, 1, 4, tl_zip_1_4}, {TL_ZIP, 1, 8, tl_zip_1_8},
    {TL_ZIP, 2, 2, tl_zip_2_2}, {TL_ZIP, 2, 4, tl_zip_2_4}, {TL_ZIP, 4, 2, tl_zip_4_2},
    {TL_UNZIP, 1, 2, tl_unzip_1_2}, {TL_UNZIP, 1, 4, tl_unzip_1_4}, {TL_UNZIP, 1, 8, tl_unzip_1_8},
    {TL_UNZIP, 2, 2, tl_unzip_2_2}, {TL_UNZIP, 2, 4, tl_unzip_2_4}, {TL_UNZIP, 4, 2, tl_unzip_4_2},
};
#endif

/* The widest level that this machine has. */
static inline int tl_best_level(void)
{
#ifdef TL_WIDE
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"))
        return TL_512;
    if (__builtin_cpu_supports("avx2"))
        return TL_256;
#endif
#ifdef TL_VECTORS
    return TL_128;
#else
    return TL_SCALARS;
#endif
}

/* The kernel for a plan whose sides are set; element by element where there is no better one. */
static inline tl_mover tl_choose(const tl_plan *p, enum tl_kernel kernel)
{
    if (kernel == TL_RUN)
        return tl_run;
#ifdef TL_VECTORS
    if (p->level == TL_SCALARS)
        kernel = TL_STRIDED;
    int64_t narrow = kernel == TL_ZIP ? p->v.n : kernel == TL_UNZIP ? p->u.n : 0;
    for (size_t k = 0; k < sizeof tl_movers / sizeof *tl_movers; k++)
        if (tl_movers[k].kernel == kernel && tl_movers[k].width == p->width && tl_movers[k].narrow == narrow)
            return tl_movers[k].mover;
#endif
    switch (p->width) {
    case 1: return tl_strided_1;
    case 2: return tl_strided_2;
    case 4: return tl_strided_4;
    case 8: return tl_strided_8;
    default: return tl_strided_16;
    }
}

/* The rows of a leaf are what lies together in `to`: of a run the rows of v, else those of u. */
static inline int64_t tl_rows(const tl_plan *p) { return p->move == tl_run ? p->v.n : p->u.n; }
static inline int64_t tl_row_bytes(const tl_plan *p) { return (p->move == tl_run ? p->u.n : p->v.n) * p->width; }
static inline int64_t tl_row_at(const tl_plan *p, int64_t row) { return p->move == tl_run ? row * p->v_to : p->u.at[row]; }

/* The scratch that a plan streams through has a segment for each chain of rows. */
static inline int64_t tl_chains(const tl_plan *p) { return p->chain ? (tl_rows(p) - 1) / p->chain + 1 : 0; }
static inline int64_t tl_segment_bytes(const tl_plan *p) { return tl_whole_lines(p->chain * tl_row_bytes(p)) + TL_LINE; }

/* Store what waits at the fronts of segments. */
static inline void tl_settle(tl_state *st)
{
    const tl_plan *p = st->plan;
    for (int64_t r = 0; r < st->waiting; r += p->chain) {
        int64_t place = st->row[r] & (TL_LINE - 1);
        memcpy(st->next + tl_row_at(p, r) - place, st->scratch + st->row[r] - place, (size_t)place);
    }
    st->waiting = 0;
}

/* Lay the rows out in the scratch as they lie in their lines at `to`. */
static void tl_lay_out(tl_state *st, const char *to)
{
    const tl_plan *p = st->plan;
    int64_t rows = tl_rows(p), segment = tl_segment_bytes(p), pitch = tl_row_bytes(p);
    tl_settle(st);
    st->place = tl_place(to);
    for (int64_t r = 0, c = 0; r < rows; c++) {
        int64_t at = c * segment + tl_place(to + tl_row_at(p, r));
        for (int64_t end = tl_min(rows, r + p->chain); r < end; r++, at += pitch)
            st->row[r] = at;
    }
}

/* Write the first so many rows from the scratch, so many bytes of each. */
static void tl_write_rows(tl_state *st, char *to, int64_t rows, int64_t bytes)
{
    const tl_plan *p = st->plan;
    int64_t n = p->chain * bytes;
    int whole = bytes == tl_row_bytes(p) && rows % p->chain == 0;
    int goes_on = whole && rows == st->waiting && to == st->next;
    if (!goes_on)
        tl_settle(st);
    if (!whole) {
        for (int64_t r = 0; r < rows; r++)
            memcpy(to + tl_row_at(p, r), st->scratch + st->row[r], (size_t)bytes);
        return;
    }
    for (int64_t r = 0; r < rows; r += p->chain) {
        int64_t place = st->row[r] & (TL_LINE - 1);
        tl_write(to + tl_row_at(p, r), st->scratch + st->row[r] - place, place, n, goes_on, st->is_fresh);
    }
    st->waiting = n % TL_LINE ? 0 : rows;
    st->next = to + n;
}

/* Fetch what lies ahead of n rows of a leaf's source. */
static TL_ALWAYS_INLINE void tl_fetch_rows(const tl_plan *p, const char *from, int64_t nu, int64_t v, int64_t n)
{
    int64_t side = nu * p->width;
    if (n > 1 && p->v.at[v + n - 1] - p->v.at[v] == (n - 1) * side)
        tl_fetch(from + p->v.at[v] + p->ahead, n * side);
    else
        for (int64_t k = v; k < v + n; k++)
            tl_fetch(from + p->v.at[k] + p->ahead, side);
}

/* A leaf by way of the scratch: moved there, with fill behind what exists, and then written chain by chain. */
static void tl_leaf_streamed(tl_state *st, const char *from, char *to, int64_t nu, int64_t nv)
{
    const tl_plan *p = st->plan;
    tl_plan *g = &st->gather;
    int run = p->move == tl_run;
    int64_t pitch = tl_row_bytes(p), width = p->width, side = nu * width;
    const int64_t *v_at = p->v.at;
    if (tl_place(to) != st->place)
        tl_lay_out(st, to);
    for (int64_t v = 0; v < nv; v += p->slice) {
        int64_t n = tl_min(p->slice, nv - v);
        if (p->ahead)
            tl_fetch_rows(p, from, nu, v, n);
        if (run)
            for (int64_t k = v; k < v + n; k++)
                memcpy(st->scratch + st->row[k], from + v_at[k], (size_t)side);
        else {
            g->v.at = v_at + v;
            g->move(g, from, st->scratch + v * width, nu, n);
        }
    }
    int64_t rows = run ? nv : nu, bytes = (run ? nu : nv) * width;
    if (st->fill) {
        int64_t all = run ? st->there[2] : st->there[1], whole = (run ? st->there[1] : st->there[2]) * width;
        for (int64_t r = 0; r < rows && bytes < whole; r++)
            tl_fill(st, st->scratch + st->row[r] + bytes, whole - bytes);
        for (int64_t r = rows; r < all; r++)
            tl_fill(st, st->scratch + st->row[r], whole);
        rows = all, bytes = whole;
    }
    if (rows && bytes)
        tl_write_rows(st, to, rows, bytes);
}

static inline void tl_leaf(tl_state *st, const char *from, char *to, int padding)
{
    const tl_plan *p = st->plan;
    int64_t there_u = st->there[1], there_v = st->there[2];
    int64_t nu = there_u, nv = there_v;
    if (padding)
        nu = nv = 0;
    if (nu && p->u.axis >= 0)
        nu = tl_valid(st->left[p->u.axis], p->u.divisor, nu);
    if (nv && p->v.axis >= 0)
        nv = tl_valid(st->left[p->v.axis], p->v.divisor, nv);
    if (!nu || !nv)
        nu = nv = 0;
    if (p->chain) {
        tl_leaf_streamed(st, from, to, nu, nv);
        return;
    }
    if (p->ahead)
        tl_fetch_rows(p, from, nu, 0, nv);
    if (nu)
        p->move(p, from, to, nu, nv);
    if (!st->fill || (nu == there_u && nv == there_v))
        return;
    int64_t width = p->width;
    if (p->move == tl_run) {
        for (int64_t v = 0; v < nv; v++)
            tl_fill(st, to + v * p->v_to + nu * width, (there_u - nu) * width);
        for (int64_t v = nv; v < there_v; v++)
            tl_fill(st, to + v * p->v_to, there_u * width);
    } else {
        for (int64_t u = 0; u < nu; u++)
            tl_fill(st, to + p->u.at[u] + nv * width, (there_v - nv) * width);
        for (int64_t u = nu; u < there_u; u++)
            tl_fill(st, to + p->u.at[u], there_v * width);
    }
}

static void tl_walk(tl_state *st, int level, int64_t begin, int64_t end, const char *from, char *to, int padding)
{
    const tl_plan *p = st->plan;
    const tl_loop *l = p->loop + level;
    int64_t inside = padding ? 0 : l->n;
    int64_t was = 0;
    if (!padding && l->axis >= 0) {
        was = st->left[l->axis];
        inside = tl_valid(was, l->divisor, l->n);
        st->left[l->axis] = was - begin * l->divisor;
    }
    if (!st->fill)
        end = tl_min(end, inside);
    for (int64_t q = begin; q < end; q++) {
        if (l->leaf) {
            const tl_side *side = l->leaf == 1 ? &p->u : &p->v;
            st->there[l->leaf] = tl_min(l->per, l->total - q * l->per) * side->unit;
        }
        int hole = q >= inside;
        const char *at = hole ? from : from + q * l->from;
        if (level + 1 == p->depth)
            tl_leaf(st, at, to + q * l->to, hole);
        else
            tl_walk(st, level + 1, 0, p->loop[level + 1].n, at, to + q * l->to, hole);
        if (!padding && l->axis >= 0)
            st->left[l->axis] -= l->divisor;
    }
    if (!padding && l->axis >= 0)
        st->left[l->axis] = was;
}

/* Bytes that a plan needs to run: what is left of its axes, and rows and scratch if it streams. */
static inline int64_t tl_room(const tl_plan *p)
{
    int64_t chains = tl_chains(p), rows = chains ? tl_rows(p) : 0;
    return tl_whole_lines((p->axes + rows) * (int64_t)sizeof(int64_t)) + chains * tl_segment_bytes(p) + TL_LINE;
}

/* Iterations begin .. end-1 of the outermost loop (0 and 1 where there is none), in tl_room bytes. */
static inline void tl_copy(const tl_plan *p, const char *from, char *to, const unsigned char *fill, int64_t begin,
                           int64_t end, char *room, int is_fresh)
{
    tl_state st = {.plan = p, .left = (int64_t *)room, .there = {0, p->u.n, p->v.n}, .fill = fill, .fill_byte = -1, .is_fresh = is_fresh && p->near, .gather = *p};
    st.row = st.left + p->axes;
    st.scratch = (char *)(st.row + (p->chain ? tl_rows(p) : 0));
    st.scratch += -(uintptr_t)st.scratch & (TL_LINE - 1);
    st.gather.u.at = st.row;
    st.place = -1;
    if (fill) {
        st.fill_byte = fill[0];
        for (int b = 1; b < 16; b++)
            if (fill[b] != fill[0])
                st.fill_byte = -1;
    }
    memcpy(st.left, p->size, (size_t)p->axes * sizeof *st.left);
    if (p->depth)
        tl_walk(&st, 0, begin, end, from, to, 0);
    else
        tl_leaf(&st, from, to, 0);
    if (p->chain) {
        tl_settle(&st);
        tl_fence();
    }
}

#endif
