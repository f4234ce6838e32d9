/* Numbers that the planner (leaves.pyx and its neighbours) and the kernels share. */
#ifndef TL_AGREED_H
#define TL_AGREED_H

/* Bytes in a line of the caches, and in a lane of the micro-kernels. */
#define TL_LINE 64
#define TL_LANE_BYTES 16
/* Bytes of an element up to which it is narrow: a transpose of narrow ones goes by way of a panel (tl_panels.h). */
#define TL_NARROW 2
/* Lines that may be carried at a time, so that they stay in the nearest cache. */
#define TL_MOST_CARRIES 256
/* Bytes of a leaf that registers hold at once: of an unzip whose rows follow each other in the target (tl_steady_apart). */
#define TL_HELD 512
/* Bytes of a row from which on tl_steady_chains.h makes two of its lines at a time. */
#define TL_PAIRED 512

/* What a loop goes through in blocks: nothing, a side of the leaf, or the innermost loop. */
enum tl_cut { TL_UNCUT, TL_U, TL_V, TL_INNERMOST };

#endif
