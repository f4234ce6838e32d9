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

/* Flips those bits of the target that are set both in the mask and in the source, rotated to the left by `left`. */
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

/* One digit on the way back: what is left of a register, divided by `stride`, is the digit, which is below `radix`; times `divisor`, it is
 * added to the register `source`. Where a digit runs backwards, its stride is without the sign, and the divisor has it. */
typedef struct {
    int source, left; /* log2 of the divisor where that and the stride are powers of two, else -1 */
    tl_division by;
    uint64_t stride, radix, divisor;
} tl_part;

typedef struct {
    int axes, registers, narrow;
    int64_t slots;
    int64_t *extent;   /* one a register; no value of it reaches this */
    int64_t *constant; /* one a register: what is added to it; */
    int64_t *least, *start; /* on the way back, its least value, which is taken from it before it is taken apart, and what it begins with */
    int *move_begin, *quotient_begin, *back_begin, *part_begin; /* registers + 1 each: which of the lists below belong to a register; */
    tl_move *move, *back; /* moves and quotients make it, each by rising source, */
    tl_quotient *quotient;
    tl_part *part;        /* and backs or parts take it apart */
} tl_network;

#endif
