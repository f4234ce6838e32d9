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

#include "tl_bits.h"
#include "tl_stream.h"

enum tl_kernel { TL_RUN, TL_TRANSPOSE, TL_ZIP, TL_UNZIP, TL_STRIDED };

typedef struct {
    int64_t n, from, to; /* iterations, and what each adds in bytes */
    int axis;            /* the clipped axis it walks, or -1 */
    int64_t divisor;     /* how far along that axis it steps */
    int cuts;            /* what it walks in blocks, an enum tl_cut: */
    int64_t total, per;  /* `total` steps in all, `per` an iteration */
    const int64_t *at;   /* n + 1 offsets in `from` where it stands for several loops that do not go on evenly there, or NULL */
} tl_loop;

typedef struct {
    int64_t n;       /* elements in a whole leaf */
    int64_t unit;    /* elements that one of a leaf loop's `total` stands for */
    int axis;
    int64_t divisor;
    const int64_t *at; /* n byte offsets: in `to` for u, in `from` for v */
} tl_side;

/* How elements of less than a byte share bytes on one side. */
typedef struct {
    int bits;   /* of an element, or 8 where none share any */
    int joins;  /* whether that side is `to`, so that elements are joined; else they are spread */
    int across; /* whether those of a byte are in as many rows of v in `from`, or of u in `to`; else they lie along a row */
    int sign;   /* whether their top bit is a sign */
} tl_sharing;

/* Which byte of a line of elements comes where; or, in a run, by which bits the places of each row's bytes are flipped. */
typedef struct {
    uint8_t at[TL_LINE];
    int unit;     /* so many stay together, 8 at the most, or 16 where places are flipped */
    int in_lanes; /* whether they stay in theirs, which all have the same order */
    const int64_t *flips; /* one for each row: what comes to b is at b ^ flip; or NULL */
} tl_order;

struct tl_plan;
/* Moves the elements u < nu, v < nv of the leaf at from and to. */
typedef void (*tl_mover)(const struct tl_plan *, const char *from, char *to, int64_t nu, int64_t nv);
/* The same past the caches, of whole lines to where lines begin. */
typedef void (*tl_liner)(const struct tl_plan *, const char *from, char *to, int64_t nu, int64_t nv, tl_scratch room);

/* Leaves at from + q * from_step, to to + q * to_step. */
typedef struct {
    const char *from;
    char *to;
    int64_t from_step, to_step, count;
    const int64_t *at; /* where each is in `from`, or NULL where they are from_step apart */
    int64_t rows;  /* of u: all, or of an unzip or by way of a panel those that there are, or of chains of a transpose, in whole blocks and chains */
    int64_t nv;    /* of v: all, or of a single leaf of an unzip, or of one that is filled up, those that there are */
    int64_t there; /* bytes of each row of a leaf that is filled up, */
    const unsigned char *fill; /* and with what: a pattern of 16 bytes */
    enum tl_way way; /* how lines are written */
    int on;        /* whether the first (each, where they take turns) goes on where others ended, */
    char *carry;   /* whose tails are here, a line for each chain, */
    int64_t bank_step; /* and those for the next leaf as many bytes further where leaves take turns; else 0 */
    tl_scratch room;
    uint8_t *sums; /* where elements are joined: what they are between them, as tl_sums has it */
} tl_leaves;
/* Moves whole leaves of a plan, lines of the target from registers. Whether their own tails are left in `carry`. */
typedef int (*tl_steady)(const struct tl_plan *, const tl_leaves *);

typedef struct tl_plan {
    int depth, axes, width, level;
    tl_mover move;
    tl_liner lines; /* or NULL */
    tl_steady steady, loose; /* loose: wherever rows are in their lines; or NULL */
    tl_steady along;  /* for leaves that do not begin with lines, whose rows the next ones go on with; or NULL */
    tl_steady partly; /* for leaves of which a part of u is there, or of single unzips of v, a line at least; or NULL */
    tl_steady ended;  /* for leaves of which an equal part is there, that are filled up; or NULL */
    int fused;        /* whether `steady` itself joins or spreads the elements that share bytes, or puts bytes in order */
    tl_loop *loop;
    tl_side u, v;
    int64_t v_to;        /* only in a run: bytes between rows in `to` */
    int64_t inner;       /* iterations of the second loop that threads share as well, where the outermost has few; else 1 */
    int past;            /* whether it is streamed: written in whole lines, past the caches */
    int64_t chain, hop;  /* rows of a leaf that follow each other in `to`, of which each is so many rows behind the last, */
    int64_t link;        /* and how many chains behind each is the one that goes on where it ends, if it is of the leaf; 0 where none is */
    int64_t banks;       /* leaves that take turns, each going on where it ended the last time: iterations of the innermost loop, or 1 */
    int64_t ahead;       /* how far behind a leaf in `from` the one lies that is to be fetched with it */
    int64_t strip;       /* how many rows of a leaf go through the scratch at a time, a whole number of chains */
    int even;            /* whether all rows lie alike in their lines */
    int64_t slice;       /* how much of v is fetched and moved at a time, so that the one goes on during the other */
    const int64_t *size; /* one a clipped axis */
    tl_sharing sharing;  /* then lengths are of elements, strides of bytes, and `move` is of bytes */
    const tl_order *order; /* of the bytes of elements, or NULL where they stay in theirs */
} tl_plan;

/* How lines of a plan are written. */
static inline enum tl_way tl_way_of(const tl_plan *p) { return p->past ? TL_PAST : p->level == TL_512_ASKING ? TL_ASKED_FOR : TL_STORED; }

#endif
