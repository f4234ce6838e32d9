/* What a plan that runs keeps beside it, and padding that it fills. */
#ifndef TL_STATE_H
#define TL_STATE_H

#include "tl_order.h"
#include "tl_sharing.h"
#include "tl_whole.h"

/* What leaves left of the last lines of their rows, for those that go on there. */
typedef struct {
    char *next;      /* where these go on, */
    int64_t waiting; /* if so many rows wait for it */
    char *carry;     /* a line for each chain */
} tl_bank;

typedef struct {
    const tl_plan *plan;
    int64_t *left;
    int64_t begin, end; /* which iterations of the second loop are gone through, where threads share those as well */
    int64_t there[4]; /* by enum tl_cut: how many of u and of v exist in the leaf at hand, and how many iterations of the innermost loop */
    const unsigned char *fill; /* 16 bytes, a whole number of elements, or NULL */
    int fill_byte;             /* the byte that all 16 are, or -1 */
    tl_plan gather;            /* the plan with rows of the scratch for those of the target */
    tl_scratch room;           /* a few rows */
    tl_bank *banks, *bank;     /* of leaves that take turns; that of the leaf at hand */
    tl_aside aside;            /* where elements share bytes */
    tl_ordered ordered;        /* where bytes come in another order */
    tl_whole whole;            /* where leaves at an edge are made whole */
    const tl_plan *leaf;       /* the plan by which leaves are written: of rows aside where their bytes are joined or put in order */
    int64_t head;              /* the units of v after which lines of the target begin; 0 where they begin with it, or anywhere */
} tl_state;

/* How many steps of `divisor` start within what is left of the axis, at most n. */
static inline int64_t tl_valid(int64_t left, int64_t divisor, int64_t n)
{
    if (left >= n * divisor)
        return n;
    return left <= 0 ? 0 : tl_least(n, (left + divisor - 1) / divisor);
}

static inline void tl_fill(const tl_state *st, char *to, int64_t bytes)
{
    if (!bytes)
        return;
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
