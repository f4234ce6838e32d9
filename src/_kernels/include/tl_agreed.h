/* What those who make plans and the kernels that run them go by alike. */
#ifndef TL_AGREED_H
#define TL_AGREED_H

/* Bytes in a line of the caches, and in a lane of the micro-kernels. */
#define TL_LINE 64
#define TL_LANE_BYTES 16
/* Bytes of an element up to which a transpose reads few rows at a time. */
#define TL_NARROW 2
/* Lines that may be carried at a time, so that they stay in the nearest cache. */
#define TL_MOST_CARRIES 256
/* Bytes of an unzip whose rows follow each other, so that they are one stretch of the target: what the registers hold. */
#define TL_HELD 512
/* Bytes of a row from which on two of its lines are made together where rows mostly follow one another. */
#define TL_PAIRED 512

/* What a loop walks in blocks: nothing, a side of the leaf, or the innermost loop. */
enum tl_cut { TL_UNCUT, TL_U, TL_V, TL_INNERMOST };

#endif
