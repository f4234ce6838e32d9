/* Numbers that the planner (leaves.pyx and its neighbours) and the kernels share. */
#ifndef TL_AGREED_H
#define TL_AGREED_H

#include <stdint.h>

/* Bytes in a line of the caches, and in a lane of the micro-kernels. */
#define TL_LINE 64
#define TL_LANE_BYTES 16
/* Bytes of an element up to which it is narrow: a transpose of narrow ones goes by way of a panel (tl_panels.h). Where a line is a pair of
 * vectors those of TL_NARROW_PAIRED bytes do, too. */
#define TL_NARROW 2
#define TL_NARROW_PAIRED 4
/* Lines that may be carried at a time, so that they stay in the nearest cache. */
#define TL_MOST_CARRIES 256
/* Bytes of the source that registers hold at once, of a leaf of an unzip whose rows follow each other in the target (tl_steady_apart). */
#define TL_HELD 512
/* Bytes of a row from which on tl_steady_chains.h makes two of its lines at a time. */
#define TL_PAIRED 512

/* Bytes between the beginnings of rows in the target up to which a vector moves several, and rows from which on that is worth while. */
#define TL_CLOSE 32
#define TL_MANY_ROWS 16

/* Bytes of an element at the most whose parts come in another order (tl_order.h). */
#define TL_MOST_ORDERED 256

/* Elements of so many bytes, and so many rows, as there are kernels for that zip and unzip them; those that square blocks would move with half of
 * their lanes empty apart. */
#define TL_ALL_ZIPPED(DO) TL_ALL_HALVED(DO) DO(1, 3) DO(2, 3) DO(4, 3) DO(8, 3) TL_ALL_BLENDED(DO)
#define TL_ALL_HALVED(DO) DO(1, 2) DO(1, 4) DO(1, 8) DO(2, 2) DO(2, 4) DO(4, 2) DO(4, 4) DO(8, 2)
#define TL_ALL_BLENDED(DO)                                                                                      \
    DO(1, 5) DO(1, 6) DO(1, 7) DO(1, 9) DO(1, 10) DO(1, 11) DO(1, 12)                                           \
    DO(2, 5) DO(2, 6) DO(2, 7) DO(2, 9) DO(2, 10) DO(2, 11) DO(2, 12)                                           \
    DO(4, 5) DO(4, 6) DO(4, 7) DO(4, 9)
static inline int tl_zips(int64_t width, int64_t rows)
{
#define TL_IS_ZIPPED(W, K) || (width == W && rows == K)
    return 0 TL_ALL_ZIPPED(TL_IS_ZIPPED);
}

/* What a loop goes through in blocks: nothing, a side of the leaf, or the innermost loop. */
enum tl_cut { TL_UNCUT, TL_U, TL_V, TL_INNERMOST };

#endif
