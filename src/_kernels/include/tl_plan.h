/* A plan: one clipped, strided copy of N loops between an array and a buffer.
 *
 * A plan is a nest of loops around a leaf. The leaf moves a block of two dimensions: u, whose neighbours lie side by side
 * in `from`, and v, whose neighbours lie side by side in `to` (in a run they are the same, and v counts its rows). Element
 * (u, v) is read at from + u * width + v.at[v] and written at to + v * width + u.at[u].
 *
 * An axis whose size its digits overrun is clipped: left[axis] is what remains of it, each loop takes from it, and
 * what lies beyond is padding, written in the same pass when there is a fill.
 */
#ifndef TL_PLAN_H
#define TL_PLAN_H

#include <stdint.h>

#include "tl_picked.h"
#include "tl_stream.h"

enum tl_kernel { TL_RUN, TL_TRANSPOSE, TL_ZIP, TL_UNZIP, TL_STRIDED };

/* The kinds of kernels that are compiled here, a set of bits: all, or, as that takes long, some of them, and the others at the same time in a
 * module of their own (transposing.pyx). Nothing refers to the rest, which compilers leave out. */
#ifndef TL_KINDS
#define TL_KINDS ~0u
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#define TL_HAS(KIND) (TL_KINDS >> (KIND) & 1)
#define TL_IS(KERNEL, KIND) (TL_HAS(KIND) && (KERNEL) == (KIND))

typedef struct {
    int64_t n, from, to; /* iterations, and what each adds in bytes */
    int axis;            /* the clipped axis it walks, or -1 */
    int64_t divisor;     /* how far along that axis it steps */
    int cuts;            /* what it goes through in blocks, an enum tl_cut: */
    int64_t total, per;  /* `total` steps of that in all, `per` in an iteration, fewer in the last */
    const int64_t *at;   /* of a series: n + 1 offsets in `from`, one for each iteration; else NULL */
} tl_loop;

typedef struct {
    int64_t n;       /* elements in a whole leaf */
    int64_t unit;    /* elements in each of the `total` steps of the loop that cuts this side, if one does */
    int axis;        /* as a loop's, */
    int64_t divisor; /* of which a step has */
    int64_t each;    /* so many elements */
    const int64_t *at; /* n byte offsets: in `to` for u, in `from` for v */
} tl_side;

/* How elements of less than a byte share bytes on one side. */
typedef struct {
    int bits;   /* of an element, or 8 where none share any */
    int joins;  /* whether that side is `to`, so that elements are joined; else they are spread */
    int across; /* whether those of a byte are in as many rows of v in `from`, or of u in `to`; else they lie along a row */
    int sign;   /* whether their top bit is a sign */
} tl_sharing;

/* The order of bytes: of each line of elements, or of each element, if a line has no whole number of these; or, in a run, of each row, where
 * bits of the bytes' places are flipped. */
typedef struct {
    uint8_t at[TL_MOST_ORDERED]; /* byte b of a line or element comes from byte at[b] of it, */
    int64_t size, step;          /* which has so many; and so many are put in order at a time */
    int unit, width;             /* how many neighbours stay together: 8 at the most, or 16 where places are flipped; and 4 at the most */
    int in_lanes;                /* whether the bytes of a line stay in their lanes, which all have the same order */
    const tl_picks *picks;       /* how vectors of 512 bits put them in order, */
    const struct tl_patches *patches; /* and how those of 256 do; each NULL where there is no need */
    const int64_t *flips; /* one for each row: byte b of it comes from byte b ^ flip; or NULL */
} tl_order;

struct tl_plan;
/* Moves the elements u < nu, v < nv of the leaf at from and to. */
typedef void (*tl_mover)(const struct tl_plan *, const char *from, char *to, int64_t nu, int64_t nv);
/* The same past the caches, of whole lines to where lines begin. */
typedef void (*tl_liner)(const struct tl_plan *, const char *from, char *to, int64_t nu, int64_t nv, tl_scratch room, const char *after);

/* The leaves that a steady kernel moves in one call: number q, below `count`, is at from + q * from_step (or where `at` says), and goes to
 * to + q * to_step, but for laps. Unless said otherwise below, all of each exists. */
typedef struct {
    const char *from;
    char *to;
    int64_t from_step, to_step, count;
    int64_t lap, left;        /* so many leaves are a lap, of which those are left; */
    int64_t from_lap, to_lap; /* and so many bytes more are between the last of a lap and the first of the next */
    const int64_t *at; /* offsets of a series, or NULL where leaves are from_step apart */
    int64_t rows;  /* elements of u that exist: fewer than all only of an unzip, a panel, and, in whole blocks and chains, tl_steady_chains */
    int64_t nv;    /* elements of v that exist: fewer than all only of an unzip, and of leaves that are filled up */
    int64_t there; /* of leaves that are filled up, and of parts of a run: bytes of each source row (u) that exist */
    int64_t last;  /* the same of the last of each lap */
    const unsigned char *fill; /* what the rest is filled with: a pattern of 16 bytes */
    enum tl_way way; /* how lines are written */
    const char *after; /* where the leaf behind them begins in `from`, if the plan `follows` */
    const char *next; /* what is fetched with the first line that is read, and a line further with each of the others; or NULL */
    int on;        /* whether the first leaf (each of them, where they take turns) goes on where another ended, */
    char *carry;   /* whose tails are here, a line for each chain; */
    int64_t bank_step; /* how many bytes further those for the next leaf are, where leaves take turns; else 0 */
    tl_scratch room;
    uint8_t *sums; /* where elements are joined: all of them ORed, for tl_aside.sums */
} tl_leaves;
/* A steady kernel: moves several leaves, making whole lines of the target in registers. Returns whether it left tails of theirs in `carry`. */
typedef int (*tl_steady)(const struct tl_plan *, const tl_leaves *);

typedef struct tl_plan {
    int depth, axes, width, level;
    int shared; /* how many of the outermost loops threads share: more than one where that has few iterations */
    int round; /* the loop of which an iteration reads one piece of `from`, or as much of each row of the leaf, by the loop inside: what it reads
                * `ahead` is fetched as it lies there; or -1 */
    /* Runs it (tl_copy), by the vectors for which its kernels are compiled. */
    int (*copy)(const struct tl_plan *, const char *from, char *to, const unsigned char *fill, int64_t begin, int64_t end, char *room);
    int64_t (*room)(const struct tl_plan *); /* how many bytes that takes (tl_room), as they compute it */
    tl_mover move;
    tl_liner lines; /* or NULL */
    /* Steady kernels, each NULL where there is none. Among the first three tl_taking chooses, for whole leaves: `steady` is for those that all
     * begin at the same place in a line, a multiple of an element and of 4 bytes; `loose` for any. */
    tl_steady steady, loose;
    tl_steady along;  /* as `steady`, for leaves that do not begin with a line, where the next leaf goes on with each of their rows */
    tl_steady partly; /* for leaves of which a part of u exists, or, of an unzip, a part of v */
    tl_steady ended;  /* for leaves of which the same part exists in all, and which are filled up */
    int fused;        /* whether `steady` itself joins or spreads the elements that share bytes, or puts bytes in order */
    tl_loop *loop;
    tl_side u, v;
    int64_t v_to;        /* only in a run: bytes between rows in `to`, */
    int64_t v_from;      /* and, of any leaf, in `from`, if they lie at even distances and go forward there; else -1 */
    int past;            /* whether it is streamed: written in whole lines, */
    enum tl_way way;     /* in this way: past the caches, but where lines that come one after the other are written sooner */
    int64_t chain, hop;  /* how many rows of a leaf are a chain, as each follows the last in `to`; and how many rows behind that it is */
    int64_t link;        /* where chain c ends chain c + link begins, if the leaf has that; 0 where none does */
    int64_t banks;       /* leaves that take turns, each going on where it ended the last time: iterations of the innermost loop, or 1 */
    int64_t ahead;       /* bytes in `from` between what is moved and what is prefetched with it; 0 where nothing is */
    int64_t onward;      /* the same in a cache, where `from` is fetched as it lies (tl_steady_near.h) */
    int follows;         /* whether that is from a block to the one that is moved next, as far as the innermost loop goes */
    int sweeps;          /* whether a transpose, or a round, fetches that row by row of the leaf, each from end to end */
    int64_t strip;       /* how many rows of a leaf the scratch has room for, a whole number of chains */
    int64_t piece;       /* how many of them go through it at a time: as many, or whole chains, or a part of one */
    int by_lines;        /* whether nothing is fetched where rows of the target begin with lines, though `ahead` says what would be */
    int even;            /* whether all rows begin at the same place in a line, and are whole lines */
    int64_t slice;       /* elements of v that are fetched and then moved at a time: the next are fetched while these move */
    const int64_t *size; /* of each axis */
    tl_sharing sharing;  /* then lengths are of elements, strides of bytes, and `move` is of bytes */
    const tl_order *order; /* of the bytes of elements, or NULL where they stay in theirs */
    const struct tl_spacing *spacing; /* how vectors move several short rows of a run (tl_spaced.h), or NULL */
} tl_plan;

/* Whether what lies ahead is fetched row by row, if it is at all. */
static inline int tl_sweeps(const tl_plan *p) { return p->ahead && p->sweeps; }

/* What a transpose fetches row by row with the block at `from`: that which comes `after` it, or what lies ahead. */
static inline tl_coming tl_coming_of(const tl_plan *p, const char *from, const char *after)
{
    tl_coming next = {.from = p->follows && after ? after : from + p->ahead, .at = p->v.at + 1, .rows = p->v.n - 1, .bytes = p->u.n * p->width};
    next.line = tl_sweeps(p) ? next.from + *p->v.at : NULL, next.end = next.line + next.bytes;
    return next;
}

#endif
