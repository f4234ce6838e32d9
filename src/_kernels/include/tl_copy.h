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
    tl_mover move, lines; /* lines: the same past the caches, of whole lines to where lines begin, if there is such a kernel */
    tl_loop *loop;
    tl_side u, v;
    int64_t v_to;        /* only in a run: bytes between rows in `to` */
    int64_t chain;       /* rows of a leaf that follow each other in `to`; 0 if it is written directly, else through writers */
    int64_t ahead;       /* how far behind a leaf in `from` the one lies that is to be fetched with it */
    int near;            /* whether the rows of a leaf lie close together in `to` */
    int64_t strip;       /* how many rows of a leaf go through the scratch at a time, a whole number of chains */
    int even;            /* whether all rows lie alike in their lines */
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
    tl_plan gather;            /* the plan with rows of the scratch for those of the target */
    char *scratch;
    char *carry;               /* a line for each chain: what is left of its last one */
    char *next;                /* where leaves go on if `waiting` rows of the last one wait for it */
    int64_t waiting;
    int64_t head;              /* the units of v after which lines of the target begin; 0 where they begin with it, or anywhere */
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
#define TL_WIDER(W, B)                                                                                          \
    if (p->level >= TL_512 && nv >= 4 * B && nu >= 4 * B) {                                                     \
        int64_t lines_u = nu - nu % (4 * B), lines_v = nv - nv % (4 * B);                                       \
        tl_stored_##W(p->v.at, p->u.at, from, to, lines_u, lines_v);                                            \
        if (lines_v < whole_v)                                                                                  \
            tl_transpose_##W##_256(p->v.at + lines_v, p->u.at, from, to + lines_v * W, lines_u, whole_v - lines_v); \
        done = lines_u;                                                                                         \
    }                                                                                                           \
    if (p->level >= TL_256)                                                                                     \
        done += tl_transpose_##W##_256(p->v.at, p->u.at + done, from + done * W, to, whole_u - done, whole_v);
/* Stores that reach across lines cost more than they gain. */
#define TL_WIDER_ZIP(W, K)                                                                                      \
    if (p->level >= TL_512 && nv >= K && (p->chain || !tl_place(to + p->u.at[0])))                              \
        done = tl_zip_##W##_##K##_512(p->v.at, p->u.at, from, to, nu);
#define TL_WIDER_UNZIP(W, K)                                                                                    \
    if (p->level >= TL_512 && nu >= K && (p->chain || !tl_place(to + p->u.at[0])))                              \
        done = tl_unzip_##W##_##K##_512(p->v.at, p->u.at, from, to, nv);
#else
#define TL_WIDER(W, B)
#define TL_WIDER_ZIP(W, K)
#define TL_WIDER_UNZIP(W, K)
#endif
#define TL_DEFINE_TRANSPOSE(W, B, STAGES)                                                                       \
    static void tl_transpose_##W(const tl_plan *p, const char *from, char *to, int64_t nu, int64_t nv)          \
    {                                                                                                           \
        int64_t whole_u = nu - nu % B, whole_v = nv - nv % B, done = 0;                                         \
        TL_WIDER(W, B)                                                                                          \
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
        int64_t whole = nv < K ? 0 : nu - nu % B, done = 0;                                                     \
        TL_WIDER_ZIP(W, K)                                                                                      \
        for (int64_t u = done; u < whole; u += B)                                                                  \
            tl_zip_##W(K, IN, from + u * W, p->v.at, 0, to + p->u.at[u], 0, 16);                                      \
        TL_REST(W, whole, nv);                                                                                  \
    }                                                                                                           \
    static void tl_unzip_##W##_##K(const tl_plan *p, const char *from, char *to, int64_t nu, int64_t nv)        \
    {                                                                                                           \
        int64_t whole = nu < K ? 0 : nv - nv % B, done = 0;                                                     \
        TL_WIDER_UNZIP(W, K)                                                                                    \
        for (int64_t v = done; v < whole; v += B)                                                                  \
            tl_zip_##W(K, OUT, from + p->v.at[v], 0, 16, to + v * W, p->u.at, 0);                               \
        TL_REST(W, nu, whole);                                                                                  \
    }
TL_DEFINE_NARROW(1, 2, 16, 1, 4)
TL_DEFINE_NARROW(1, 4, 16, 2, 4)
TL_DEFINE_NARROW(1, 8, 16, 3, 4)
TL_DEFINE_NARROW(2, 2, 8, 1, 3)
TL_DEFINE_NARROW(2, 4, 8, 2, 3)
TL_DEFINE_NARROW(4, 2, 4, 1, 2)

#ifdef TL_WIDE
#define TL_DEFINE_PAST(W)                                                                                       \
    static void tl_past_##W(const tl_plan *p, const char *from, char *to, int64_t nu, int64_t nv)               \
    {                                                                                                           \
        tl_streamed_##W(p->v.at, p->u.at, from, to, nu, nv);                                                    \
    }
TL_DEFINE_PAST(1)
TL_DEFINE_PAST(2)
TL_DEFINE_PAST(4)
TL_DEFINE_PAST(8)
#endif

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

/* The kernel for a plan of transposes that writes whole lines past the caches, or NULL. */
static inline tl_mover tl_choose_lines(const tl_plan *p, enum tl_kernel kernel)
{
#ifdef TL_WIDE
    if (kernel == TL_TRANSPOSE && p->level >= TL_512)
        switch (p->width) {
        case 1: return tl_past_1;
        case 2: return tl_past_2;
        case 4: return tl_past_4;
        case 8: return tl_past_8;
        }
#else
    (void)p, (void)kernel;
#endif
    return NULL;
}

/* The rows of a leaf are what lies together in `to`: of a run the rows of v, else those of u. */
static inline int64_t tl_rows(const tl_plan *p) { return p->move == tl_run ? p->v.n : p->u.n; }
static inline int64_t tl_row_bytes(const tl_plan *p) { return (p->move == tl_run ? p->u.n : p->v.n) * p->width; }
static inline int64_t tl_row_at(const tl_plan *p, int64_t row) { return p->move == tl_run ? row * p->v_to : p->u.at[row]; }

/* Chains of rows in a leaf that is streamed, and the bytes between its rows in the scratch. */
static inline int64_t tl_chains(const tl_plan *p) { return p->chain ? (tl_rows(p) - 1) / p->chain + 1 : 0; }
static inline int64_t tl_pitch(const tl_plan *p) { return p->chain > 1 ? tl_row_bytes(p) : tl_whole_lines(tl_row_bytes(p)); }

/* Store what chains left of their last lines. */
static inline void tl_settle(tl_state *st)
{
    const tl_plan *p = st->plan;
    const char *carry = st->carry;
    for (int64_t r = 0; r < st->waiting; r += p->chain, carry += TL_LINE) {
        char *end = st->next + tl_row_at(p, r);
        tl_piece(end - tl_place(end), carry, tl_place(end));
    }
    st->waiting = 0;
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

/* What a leaf is to be: so many rows of n bytes. The first `there` of them exist, and `bytes` of each, which are those of nv elements. */
typedef struct {
    int64_t rows, there, n, bytes, nv;
} tl_extent;

/* A run: its rows from where they are to where they belong. */
static TL_ALWAYS_INLINE int tl_stream_run(tl_state *st, const char *from, char *to, tl_extent e, int goes_on, tl_store *store)
{
    const tl_plan *p = st->plan;
    int waits = 1, on = 1;
    char *carry = st->carry - TL_LINE;
    for (int64_t r = 0, next = 0; r < e.rows; r++) {
        const char *row = from + p->v.at[r];
        if (r == next) {
            waits &= on, on = goes_on;
            next += p->chain, carry += TL_LINE;
        }
        if (p->ahead && r < e.there)
            tl_fetch(row + p->ahead, e.bytes);
        if (r >= e.there || e.bytes < e.n) {
            int64_t held = r < e.there ? e.bytes : 0;
            memcpy(st->scratch, row, (size_t)held);
            tl_fill(st, st->scratch + held, e.n - held);
            row = st->scratch;
        }
        on = tl_append(to + r * p->v_to, row, e.n, on, carry, store);
    }
    return waits & on;
}

/* Rows r to end - 1 of any other leaf: by way of the scratch. */
static TL_ALWAYS_INLINE int tl_stream_strip(tl_state *st, const char *from, char *to, int64_t r, int64_t end, tl_extent e, int goes_on,
                                            tl_store *store)
{
    const tl_plan *p = st->plan;
    tl_plan *g = &st->gather;
    int64_t width = p->width, there = tl_min(end, e.there) - r, pitch = tl_pitch(p);
    for (int64_t v = 0; v < e.nv && there > 0; v += p->slice) {
        int64_t n = tl_min(p->slice, e.nv - v);
        if (p->ahead)
            tl_fetch_rows(p, from + r * width, there, v, n);
        g->v.at = p->v.at + v;
        g->move(g, from + r * width, st->scratch + v * width, there, n);
    }
    for (int64_t k = e.bytes < e.n || there < 0 ? r : r + there; k < end; k++) {
        int64_t held = k < e.there ? e.bytes : 0;
        tl_fill(st, st->scratch + (k - r) * pitch + held, e.n - held);
    }
    const char *row = st->scratch;
    if (p->even && p->chain == 1 && !tl_place(to)) {
        for (int64_t k = r; k < end; k++, row += pitch)
            store(to + p->u.at[k], row, e.n);
        return 1;
    }
    int waits = 1;
    char *carry = st->carry + r / p->chain * TL_LINE;
    for (; r < end; r += p->chain, row += p->chain * pitch, carry += TL_LINE)
        waits &= tl_append(to + tl_row_at(p, r), row, p->chain * e.n, goes_on, carry, store);
    return waits;
}

/* Whole chains of rows, without the scratch where a kernel makes lines of them; whether anything waits behind them. */
static TL_ALWAYS_INLINE int tl_stream_by(tl_state *st, const char *from, char *to, tl_extent e, int goes_on, tl_store *store)
{
    const tl_plan *p = st->plan;
    if (p->move == tl_run)
        return tl_stream_run(st, from, to, e, goes_on, store);
    int64_t lines = 0;
    if (p->lines && !st->is_fresh && p->even && !tl_place(to) && e.bytes == e.n) {
        lines = e.there & -(int64_t)(TL_LINE / p->width);
        if (lines % p->chain)
            lines = 0;
        if (p->ahead)
            tl_fetch_rows(p, from, lines, 0, e.nv);
        p->lines(p, from, to, lines, e.nv);
    }
    int waits = 1;
    for (int64_t r = lines; r < e.rows; r += p->strip)
        waits &= tl_stream_strip(st, from, to, r, tl_min(e.rows, r + p->strip), e, goes_on, store);
    return waits;
}
#ifdef TL_WIDE
__attribute__((target("avx512f"))) static int tl_stream_512(tl_state *st, const char *from, char *to, tl_extent e, int goes_on)
{
    return tl_stream_by(st, from, to, e, goes_on, tl_store_lines_512);
}
#endif
static int tl_stream(tl_state *st, const char *from, char *to, tl_extent e, int goes_on)
{
    if (st->is_fresh)
        return tl_stream_by(st, from, to, e, goes_on, tl_store_fresh);
#ifdef TL_WIDE
    if (st->plan->level >= TL_512)
        return tl_stream_512(st, from, to, e, goes_on);
#endif
    return tl_stream_by(st, from, to, e, goes_on, tl_store_lines);
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
        int run = p->move == tl_run;
        tl_extent e = {.there = run ? nv : nu, .bytes = (run ? nu : nv) * p->width, .nv = nv};
        e.rows = st->fill ? run ? there_v : there_u : e.there;
        e.n = st->fill ? (run ? there_u : there_v) * p->width : e.bytes;
        if (e.n == tl_row_bytes(p) && e.rows && (e.rows == tl_rows(p) || e.rows % p->chain == 0)) {
            int goes_on = e.rows == st->waiting && to == st->next;
            if (!goes_on)
                tl_settle(st);
            st->waiting = tl_stream(st, from, to, e, goes_on) ? e.rows : 0;
            st->next = to + p->chain * e.n;
            return;
        }
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

static void tl_walk(tl_state *st, int level, int64_t begin, int64_t end, const char *from, char *to, int padding);

/* What is inside an iteration of a loop. */
static inline void tl_inside(tl_state *st, int level, const char *from, char *to, int padding)
{
    if (level + 1 == st->plan->depth)
        tl_leaf(st, from, to, padding);
    else
        tl_walk(st, level + 1, 0, st->plan->loop[level + 1].n, from, to, padding);
}

/* The loop over blocks of v, where the first of them is short so that the others begin with lines of the target. */
static void tl_walk_lines(tl_state *st, int level, const char *from, char *to, int padding)
{
    const tl_loop *l = st->plan->loop + level;
    int64_t step_from = l->from / l->per, step_to = l->to / l->per, divisor = l->divisor / l->per, was = 0;
    int clipped = !padding && l->axis >= 0;
    if (clipped)
        was = st->left[l->axis];
    for (int64_t v = 0, n = st->head; v < l->total; v += n, n = l->per) {
        int hole = padding || (clipped && v * divisor >= was);
        if (hole && !st->fill)
            break;
        st->there[2] = tl_min(n, l->total - v) * st->plan->v.unit;
        if (clipped)
            st->left[l->axis] = was - v * divisor;
        tl_inside(st, level, hole ? from : from + v * step_from, to + v * step_to, hole);
    }
    if (clipped)
        st->left[l->axis] = was;
}

static void tl_walk(tl_state *st, int level, int64_t begin, int64_t end, const char *from, char *to, int padding)
{
    const tl_plan *p = st->plan;
    const tl_loop *l = p->loop + level;
    if (l->leaf == 2 && st->head) {
        tl_walk_lines(st, level, from, to, padding);
        return;
    }
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
        tl_inside(st, level, hole ? from : from + q * l->from, to + q * l->to, hole);
        if (!padding && l->axis >= 0)
            st->left[l->axis] -= l->divisor;
    }
    if (!padding && l->axis >= 0)
        st->left[l->axis] = was;
}

/* Bytes that a plan needs to run: what is left of its axes, and if it streams where rows of the scratch begin, a line for each chain, and
 * the scratch. */
static inline int64_t tl_scratch_rows(const tl_plan *p) { return !p->chain ? 0 : p->move == tl_run ? 1 : p->strip; }
static inline int64_t tl_room(const tl_plan *p)
{
    int64_t rows = tl_scratch_rows(p);
    return (p->axes + rows) * (int64_t)sizeof(int64_t) + (p->chain ? (tl_chains(p) + 1) * TL_LINE + rows * tl_pitch(p) : 0);
}

/* Iterations begin .. end-1 of the outermost loop (0 and 1 where there is none), in tl_room bytes. */
static inline void tl_copy(const tl_plan *p, const char *from, char *to, const unsigned char *fill, int64_t begin,
                           int64_t end, char *room, int is_fresh)
{
    tl_state st = {.plan = p, .left = (int64_t *)room, .there = {0, p->u.n, p->v.n}, .fill = fill, .fill_byte = -1,
                   .is_fresh = is_fresh && p->near, .gather = *p};
    if (p->chain) {
        int64_t rows = tl_scratch_rows(p), pitch = tl_pitch(p), *at = st.left + p->axes;
        for (int64_t r = 0; r < rows; r++)
            at[r] = r * pitch;
        st.gather.u.at = at;
        st.carry = (char *)(at + rows);
        st.carry += -(uintptr_t)st.carry & (TL_LINE - 1);
        st.scratch = st.carry + tl_chains(p) * TL_LINE;
        int64_t unit = p->v.unit * p->width, head = (TL_LINE - tl_place(to)) % TL_LINE;
        if (p->even && p->chain == 1 && head % unit == 0)
            st.head = head / unit;
    }
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
