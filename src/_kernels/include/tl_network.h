/* What a network of registers is made of; tl_index.h sends queries through it. */
#ifndef TL_NETWORK_H
#define TL_NETWORK_H

#include <stdint.h>

/* x / divisor: x * magic, of which the low half is all there is or the high half is taken, or x itself, shifted right. */
typedef struct {
    uint64_t magic;
    int shift;
    enum { TL_ITSELF, TL_LOW, TL_HIGH } of;
} tl_division;

/* Flips the bits of the target that the mask has and the source, rotated to the left. */
typedef struct {
    int source, target, left;
    uint64_t mask;
} tl_move;

/* Adds weight * (source / divisor). */
typedef struct {
    int source;
    tl_division by;
    uint64_t weight;
} tl_quotient;

/* One digit on the way back: the rest of a register divided by the stride belongs, times the divisor, to the source. Where a digit runs
 * backwards its stride is without the sign, and the divisor has it. */
typedef struct {
    int source, left; /* log2 of the divisor where that and the stride are powers of two, else -1 */
    tl_division by;
    uint64_t stride, radix, divisor;
} tl_part;

typedef struct {
    int axes, registers, narrow;
    int64_t slots;
    int64_t *extent;   /* one a register; no value of it reaches this */
    int64_t *constant; /* one a register, what is added to it, */
    int64_t *least, *start; /* and on the way back: what is taken from it first, and what parts are added to */
    int *move_begin, *quotient_begin, *back_begin, *part_begin; /* registers + 1 each: what makes a register, and what takes it apart */
    tl_move *move, *back;
    tl_quotient *quotient;
    tl_part *part;
} tl_network;

#endif
