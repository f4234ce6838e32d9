/* What a plan that runs keeps beside it, and padding that it fills. */
#ifndef TL_STATE_H
#define TL_STATE_H

#include "tl_order.h"
#include "tl_sharing.h"
#include "tl_whole.h"

/* Tails: what a leaf left of the last lines of its rows, for the leaf that goes on there. */
typedef struct {
    char *next;      /* where a leaf has to begin (its `to`) to go on with them */
    int64_t waiting; /* how many rows it has to have; 0 where no tails wait */
    char *carry;     /* the tails, a line for each chain */
} tl_bank;

typedef struct {
    const tl_plan *plan;
    int64_t *left;     /* what remains of each axis at the iterations at hand */
    int64_t begin, end; /* which iterations of the loops inside the one at hand are gone through, where threads share those as well */
    int64_t there[4]; /* by enum tl_cut: elements of u and of v in the leaf at hand, and iterations of the innermost loop: the last of the
                       * blocks that a loop cuts has fewer than the others. What is clipped still counts. */
    const unsigned char *fill; /* 16 bytes, a whole number of elements, or NULL */
    int fill_byte;             /* the byte that all 16 are, or -1 */
    tl_plan gather;            /* the plan as it moves a leaf to rows of the scratch instead of the target */
    tl_scratch room;           /* the scratch */
    tl_bank *banks, *bank;     /* one for each leaf that takes turns; that of the leaf at hand */
    tl_aside aside;            /* where elements share bytes */
    tl_ordered ordered;        /* where bytes come in another order */
    tl_whole whole;            /* where leaves at an edge are made whole */
    const char *next, *last;   /* what is fetched next of a round, line by line, and where its piece ends; or NULL */
    const char *round;         /* where that round begins, and how many pieces of it are done */
    int64_t pieces;
    const char *after;         /* where what comes after the iteration at hand begins, of a loop of rounds, or of any if a plan `follows`; or NULL */
    const tl_plan *leaf;       /* the plan by which leaves are written: that of `aside` or `ordered` where rows are set aside there */
    int64_t head;              /* how long the first block of v is, in steps of its loop, so that others begin with lines; 0 if all are alike */
} tl_state;

/* How many of n steps of `divisor` each begin within what is left of an axis. */
static inline int64_t tl_valid(int64_t left, int64_t divisor, int64_t n)
{
    if (left >= n * divisor)
        return n;
    return left <= 0 ? 0 : tl_least(n, (left + divisor - 1) / divisor);
}

/* How many of the first n elements of a side exist. */
static inline int64_t tl_there(const tl_state *st, const tl_side *side, int64_t n)
{
    return side->axis < 0 ? n : tl_least(n, tl_valid(st->left[side->axis], side->divisor, n) * side->each);
}

/* Bytes of padding up to which a call costs more than to write them, by one move or two, which may overlap. */
#define TL_FEW_FILLED 32
static inline void tl_fill_few(const unsigned char *fill, char *to, int64_t bytes)
{
    if (bytes < TL_LANE_BYTES) {
        tl_move_few(to, (const char *)fill, bytes, 1);
        return;
    }
    memcpy(to, fill, TL_LANE_BYTES);
    memcpy(to + bytes - TL_LANE_BYTES, fill, TL_LANE_BYTES);
}

/* Writes so many bytes of padding; callers ask for none where there is no fill. */
static inline void tl_fill(const tl_state *st, char *to, int64_t bytes)
{
    if (bytes <= TL_FEW_FILLED) {
        tl_fill_few(st->fill, to, bytes);
        return;
    }
    if (st->fill_byte >= 0) {
        memset(to, st->fill_byte, (size_t)bytes);
        return;
    }
    int64_t b = 0;
    for (; b + 16 <= bytes; b += 16)
        memcpy(to + b, st->fill, 16);
    memcpy(to + b, st->fill, (size_t)(bytes - b));
}

#endif
