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

enum tl_kernel { TL_RUN, TL_BLOCK_TRANSPOSE, TL_ZIP, TL_UNZIP, TL_STRIDED };

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

typedef struct {
    int depth, axes, width;
    enum tl_kernel kernel;
    tl_loop *loop;
    tl_side u, v;
    int64_t v_to;  /* only in a run: bytes between rows in `to` */
    const int64_t *size; /* one a clipped axis */
} tl_plan;

typedef struct {
    const tl_plan *plan;
    int64_t *left;
    int64_t there[3]; /* [1], [2]: how many of u and of v exist in the leaf at hand */
    const unsigned char *fill; /* 16 bytes, a whole number of elements, or NULL */
    int fill_byte;             /* the byte that all 16 are, or -1 */
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

#define TL_MOVE(W, to, from) memcpy(to, from, W)

#define TL_EACH_WIDTH(width, DO) \
    switch (width) {             \
    case 1: DO(1); break;        \
    case 2: DO(2); break;        \
    case 4: DO(4); break;        \
    case 8: DO(8); break;        \
    default: DO(16); break;      \
    }

/* Elements [u0, u1) x [v0, v1) one by one. */
static inline void tl_strided(const tl_plan *p, const char *from, char *to, int64_t u0, int64_t u1, int64_t v0, int64_t v1)
{
#define TL_DO(W)                                                                \
    for (int64_t u = u0; u < u1; u++) {                                         \
        const char *f = from + u * W;                                           \
        char *t = to + p->u.at[u];                                              \
        for (int64_t v = v0; v < v1; v++)                                       \
            TL_MOVE(W, t + v * W, f + p->v.at[v]);                              \
    }
    TL_EACH_WIDTH(p->width, TL_DO)
#undef TL_DO
}

static inline void tl_run(const tl_plan *p, const char *from, char *to, int64_t nu, int64_t nv)
{
    int64_t bytes = nu * p->width;
    for (int64_t v = 0; v < nv; v++)
        memcpy(to + v * p->v_to, from + p->v.at[v], (size_t)bytes);
}

#ifdef TL_VECTORS
/* Whole B x B blocks; returns through nu, nv how far they reached. */
#define TL_DEFINE_TRANSPOSE(W, B, STAGES)                                                                       \
    static void tl_transpose_##W(const tl_plan *p, const char *from, char *to, int64_t nu, int64_t nv)          \
    {                                                                                                           \
        for (int64_t u = 0; u + B <= nu; u += B)                                                                \
            for (int64_t v = 0; v + B <= nv; v += B)                                                            \
                tl_zip_##W(B, STAGES, from + u * W, p->v.at + v, 0, to + v * W, p->u.at + u, 0);                \
    }
TL_DEFINE_TRANSPOSE(1, 16, 4)
TL_DEFINE_TRANSPOSE(2, 8, 3)
TL_DEFINE_TRANSPOSE(4, 4, 2)
TL_DEFINE_TRANSPOSE(8, 2, 1)

/* k rows become one row of k-tuples, and back. */
#define TL_DEFINE_NARROW(W, K, B, IN, OUT)                                                                      \
    static void tl_zip_##W##_##K(const tl_plan *p, const char *from, char *to, int64_t nu)                      \
    {                                                                                                           \
        for (int64_t u = 0; u + B <= nu; u += B)                                                                \
            tl_zip_##W(K, IN, from + u * W, p->v.at, 0, to + u * K * W, 0, 16);                                 \
    }                                                                                                           \
    static void tl_unzip_##W##_##K(const tl_plan *p, const char *from, char *to, int64_t nv)                    \
    {                                                                                                           \
        for (int64_t v = 0; v + B <= nv; v += B)                                                                \
            tl_zip_##W(K, OUT, from + v * K * W, 0, 16, to + v * W, p->u.at, 0);                                \
    }
TL_DEFINE_NARROW(1, 2, 16, 1, 4)
TL_DEFINE_NARROW(1, 4, 16, 2, 4)
TL_DEFINE_NARROW(1, 8, 16, 3, 4)
TL_DEFINE_NARROW(2, 2, 8, 1, 3)
TL_DEFINE_NARROW(2, 4, 8, 2, 3)
TL_DEFINE_NARROW(4, 2, 4, 1, 2)

#define TL_NARROW(W, K, KIND, length)                     \
    if (p->width == W && narrow == K) {                   \
        tl_##KIND##_##W##_##K(p, from, to, length);       \
        return length - length % (16 / W);                \
    }

/* The narrow side whole, the long side as far as whole vectors go, which is returned. */
static inline int64_t tl_zip_rows(const tl_plan *p, const char *from, char *to, int64_t narrow, int64_t nu)
{
    TL_NARROW(1, 2, zip, nu)
    TL_NARROW(1, 4, zip, nu)
    TL_NARROW(1, 8, zip, nu)
    TL_NARROW(2, 2, zip, nu)
    TL_NARROW(2, 4, zip, nu)
    TL_NARROW(4, 2, zip, nu)
    return 0;
}

static inline int64_t tl_unzip_rows(const tl_plan *p, const char *from, char *to, int64_t narrow, int64_t nv)
{
    TL_NARROW(1, 2, unzip, nv)
    TL_NARROW(1, 4, unzip, nv)
    TL_NARROW(1, 8, unzip, nv)
    TL_NARROW(2, 2, unzip, nv)
    TL_NARROW(2, 4, unzip, nv)
    TL_NARROW(4, 2, unzip, nv)
    return 0;
}
#endif

/* The elements of a leaf that lie within the array: u < nu, v < nv. */
static inline void tl_move(const tl_plan *p, const char *from, char *to, int64_t nu, int64_t nv)
{
    int64_t done_u = 0, done_v = 0; /* what vectors did: the rest is an L of single elements */
#ifdef TL_VECTORS
    switch (p->kernel) {
    case TL_RUN: break;
    case TL_BLOCK_TRANSPOSE:
        switch (p->width) {
        case 1: tl_transpose_1(p, from, to, nu, nv); break;
        case 2: tl_transpose_2(p, from, to, nu, nv); break;
        case 4: tl_transpose_4(p, from, to, nu, nv); break;
        case 8: tl_transpose_8(p, from, to, nu, nv); break;
        default: break;
        }
        if (p->width < 16) {
            done_u = nu - nu % (16 / p->width);
            done_v = nv - nv % (16 / p->width);
        }
        break;
    case TL_ZIP:
        if (nv == p->v.n) {
            done_u = tl_zip_rows(p, from, to, nv, nu);
            done_v = nv;
        }
        break;
    case TL_UNZIP:
        if (nu == p->u.n) {
            done_v = tl_unzip_rows(p, from, to, nu, nv);
            done_u = nu;
        }
        break;
    case TL_STRIDED: break;
    }
#endif
    if (p->kernel == TL_RUN) {
        tl_run(p, from, to, nu, nv);
        return;
    }
    tl_strided(p, from, to, 0, done_u, done_v, nv);
    tl_strided(p, from, to, done_u, nu, 0, nv);
}

static inline void tl_leaf(const tl_state *st, const char *from, char *to, int padding)
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
    if (nu && nv)
        tl_move(p, from, to, nu, nv);
    if (!st->fill || (nu == there_u && nv == there_v))
        return;
    if (!nu || !nv)
        nu = nv = 0;
    int64_t width = p->width;
    if (p->kernel == TL_RUN) {
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
    if (level == p->depth) {
        tl_leaf(st, from, to, padding);
        return;
    }
    const tl_loop *l = p->loop + level;
    int64_t deeper = level + 1 < p->depth ? p->loop[level + 1].n : 0;
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
        tl_walk(st, level + 1, 0, deeper, hole ? from : from + q * l->from, to + q * l->to, hole);
        if (!padding && l->axis >= 0)
            st->left[l->axis] -= l->divisor;
    }
    if (!padding && l->axis >= 0)
        st->left[l->axis] = was;
}

/* Iterations begin .. end-1 of the outermost loop (0 and 1 where there is none). `left` is room for p->axes. */
static inline void tl_copy(const tl_plan *p, const char *from, char *to, const unsigned char *fill, int64_t begin,
                           int64_t end, int64_t *left)
{
    tl_state st = {p, left, {0, p->u.n, p->v.n}, fill, -1};
    if (fill) {
        st.fill_byte = fill[0];
        for (int b = 1; b < 16; b++)
            if (fill[b] != fill[0])
                st.fill_byte = -1;
    }
    memcpy(left, p->size, (size_t)p->axes * sizeof *left);
    tl_walk(&st, 0, begin, end, from, to, 0);
}

#endif
