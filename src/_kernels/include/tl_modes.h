/* Flat modes: lists of (extent, stride), the fastest first, and the algebra on them where strides divide.
 *
 * Every function answers 0, or 1 where the numbers do not fit or where divisibility does not decide: then the caller has
 * a slower way that does. Past its last extent a list goes on counting.
 */
#ifndef TL_MODES_H
#define TL_MODES_H

#include <stdint.h>

enum { TL_MODES = 64 };

typedef struct {
    int n;
    int64_t extent[TL_MODES], stride[TL_MODES];
} tl_modes;

static inline int64_t tl_abs(int64_t x) { return x < 0 ? -x : x; }
static inline int64_t tl_ceil(int64_t x, int64_t by) { return x / by + (x % by > 0); }

/* a * b into r; 1 if it does not fit in 63 bits and a sign, or if one of them is the number that has no opposite. */
static inline int tl_times(int64_t a, int64_t b, int64_t *r)
{
    if (a == INT64_MIN || b == INT64_MIN || (a != 0 && tl_abs(b) > INT64_MAX / tl_abs(a)))
        return 1;
    *r = a * b;
    return 0;
}

static inline int tl_push(tl_modes *m, int64_t extent, int64_t stride)
{
    if (m->n == TL_MODES)
        return 1;
    m->extent[m->n] = extent;
    m->stride[m->n++] = stride;
    return 0;
}

/* Leaves out modes of extent 1, and joins each mode with the one before where it goes on as that ends. There may be none left. */
static inline int tl_merged(const tl_modes *a, tl_modes *out)
{
    out->n = 0;
    for (int k = 0; k < a->n; k++) {
        int64_t next;
        int last = out->n - 1;
        if (a->extent[k] == 1)
            continue;
        if (last >= 0 && !tl_times(out->extent[last], out->stride[last], &next) && next == a->stride[k]) {
            if (tl_times(out->extent[last], a->extent[k], &out->extent[last]))
                return 1;
        } else if (tl_push(out, a->extent[k], a->stride[k]))
            return 1;
    }
    return 0;
}

/* The fewest modes, one at least, that are the same function below the product of the extents. */
static inline int tl_coalesced(const tl_modes *a, tl_modes *out)
{
    return tl_merged(a, out) || (out->n == 0 && tl_push(out, 1, 0));
}

/* The same for every integer, beyond that product too: so a last mode of extent 1 stays, unless those before it go on with the same stride. */
static inline int tl_coalesced_open(const tl_modes *a, tl_modes *out)
{
    if (tl_merged(a, out))
        return 1;
    if (a->n && a->extent[a->n - 1] == 1) {
        int64_t onward = a->stride[a->n - 1], next;
        int last = out->n - 1;
        if (last < 0 || tl_times(out->extent[last], out->stride[last], &next) || next != onward)
            return tl_push(out, 1, onward);
    }
    return out->n == 0 && tl_push(out, 1, 0);
}

/* Appends to `out` the modes of a(stride * i), i below `size`: of one leaf (mode) of b. Adds to reach[k] the greatest digit that it has in mode
 * k of a, and sets `touched` to the last mode that it moves in. */
static inline int tl_walk_leaf(const tl_modes *a, int64_t size, int64_t stride, tl_modes *out, int64_t *reach, int *touched)
{
    int64_t sign = stride < 0 ? -1 : 1, step = tl_abs(stride), value, far;
    int k = 0, last = a->n - 1;
    if (size == 1) {
        for (; k < last; k++)
            step = tl_ceil(step, a->extent[k]);
        *touched = last;
        return tl_times(sign * step, a->stride[last], &value) || tl_push(out, 1, value);
    }
    for (; k < last; k++) {
        int64_t extent = a->extent[k];
        if (tl_times(size - 1, step, &far))
            return 1;
        if (far < extent)
            break;
        if (step % extent == 0) {
            step /= extent;
            continue;
        }
        int64_t count = extent / step;
        if (extent % step || size % count)
            return 1;
        if (tl_times(sign * step, a->stride[k], &value) || tl_push(out, count, value))
            return 1;
        reach[k] += (count - 1) * step;
        size /= count;
        step = 1;
    }
    *touched = k;
    if (tl_times(size - 1, step, &far) || tl_times(sign * step, a->stride[k], &value) || tl_push(out, size, value))
        return 1;
    return reach[k] > INT64_MAX - far || (reach[k] += far, 0);
}

/* a after b: `out` has the modes of each leaf of b one after the other, and `count` says how many each has. */
static inline int tl_compose(const tl_modes *a, const tl_modes *b, tl_modes *out, int *count)
{
    int64_t reach[TL_MODES] = {0};
    int touched[TL_MODES];
    int full = -1, up = 0, down = 0, moving_in = 0;
    out->n = 0;
    for (int k = 0; k < b->n; k++) {
        int before = out->n;
        if (tl_walk_leaf(a, b->extent[k], b->stride[k], out, reach, touched + k))
            return 1;
        count[k] = out->n - before;
    }
    for (int m = 0; m < a->n; m++) {
        moving_in += reach[m] != 0;
        if (full < 0 && m + 1 < a->n && reach[m] >= a->extent[m])
            full = m;
    }
    for (int k = 0; k < b->n; k++) {
        if (b->extent[k] == 1 || !b->stride[k])
            continue;
        up |= b->stride[k] > 0;
        down |= b->stride[k] < 0;
        if (full >= 0 && touched[k] >= full)
            return 1; /* digits of several leaves might overflow together */
    }
    return up && down && (full >= 0 || moving_in > 1);
}

/* The modes that fill the gaps between offsets of a; `end`, one more than the last offset of both; and whether there is a `hole`, an offset
 * below that which neither reaches. */
static inline int tl_gaps(const tl_modes *a, tl_modes *out, int64_t *end, int *hole)
{
    tl_modes moving = {0}, sorted, found = {0};
    for (int k = 0; k < a->n; k++)
        if (a->stride[k] && tl_push(&moving, a->extent[k], a->stride[k]))
            return 1;
    if (tl_merged(&moving, &sorted))
        return 1;
    for (int k = 1; k < sorted.n; k++) {
        int64_t extent = sorted.extent[k], stride = sorted.stride[k];
        int at = k;
        for (; at && (sorted.stride[at - 1] > stride || (sorted.stride[at - 1] == stride && sorted.extent[at - 1] > extent)); at--) {
            sorted.extent[at] = sorted.extent[at - 1];
            sorted.stride[at] = sorted.stride[at - 1];
        }
        sorted.extent[at] = extent;
        sorted.stride[at] = stride;
    }
    *end = 1;
    *hole = 0;
    for (int k = 0; k < sorted.n; k++) {
        *hole |= sorted.stride[k] % *end != 0;
        if (sorted.stride[k] < *end || tl_push(&found, sorted.stride[k] / *end, *end))
            return 1;
        if (tl_times(sorted.extent[k], sorted.stride[k], end))
            return 1;
    }
    return tl_merged(&found, out);
}

/* The complement up to a cotarget given as extents, which are divided from the left. */
static inline int tl_complement(const tl_modes *a, const tl_modes *cotarget, tl_modes *out)
{
    tl_modes found;
    int64_t rest = 1, by, end;
    int hole;
    if (tl_gaps(a, &found, &end, &hole))
        return 1;
    by = end;
    for (int k = 0; k < cotarget->n; k++) {
        if (tl_times(rest, tl_ceil(cotarget->extent[k], by), &rest))
            return 1;
        by = tl_ceil(by, cotarget->extent[k]);
    }
    return tl_push(&found, rest, end) || tl_coalesced(&found, out);
}

/* Lengthens to whole tiles the mode in which a run of `tile` coordinates ends, if that does not divide it. */
static inline int tl_whole_tiles(tl_modes *a, int64_t tile)
{
    for (int k = 0; k < a->n; k++) {
        int64_t extent = a->extent[k];
        if (extent % tile && tile < extent && tl_times(tl_ceil(extent, tile), tile, &a->extent[k]))
            return 1;
        tile = tl_ceil(tile, extent);
    }
    return 0;
}

/* Lengthens a's modes to whole tiles, and gives the complement of the tile in them as `rest`; 1 also if tiles would leave elements out. */
static inline int tl_tiled(tl_modes *a, const tl_modes *tile, tl_modes *rest)
{
    tl_modes found;
    int64_t size = 1, covered = 1, end;
    int hole;
    if (tl_gaps(tile, &found, &end, &hole) || hole || tl_complement(tile, a, rest))
        return 1;
    for (int k = 0; k < a->n; k++)
        if (tl_times(size, a->extent[k], &size))
            return 1;
    for (int k = 0; k < tile->n; k++)
        if (tile->stride[k] && tl_times(covered, tile->extent[k], &covered))
            return 1;
    for (int k = 0; k < rest->n; k++)
        if (tl_times(covered, rest->extent[k], &covered))
            return 1;
    return covered < size || tl_whole_tiles(a, end);
}

#endif
