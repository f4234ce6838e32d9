/* Shapes and coordinates by the million: each row is one shape or coordinate of n integers, one after the other.
 *
 * Every function answers how many rows it did before the first that has no exact answer.
 */
#ifndef TL_SHAPES_H
#define TL_SHAPES_H

#include "tl_modes.h"

/* The shape of every divisor-th element, CuTe's shape_div: the first extents are divided by as much of the divisor as they hold. */
static inline int64_t tl_shape_div(const int64_t *shape, const int64_t *divisor, int64_t rows, int n, int64_t *out)
{
    for (int64_t row = 0; row < rows; row++, shape += n, out += n) {
        int64_t rest = divisor[row];
        for (int k = 0; k < n; k++) {
            if (rest < 1 || shape[k] < 1 || (shape[k] % rest && rest % shape[k]))
                return row;
            out[k] = tl_ceil(shape[k], rest);
            rest = tl_ceil(rest, shape[k]);
        }
    }
    return rows;
}

/* The shape of the first `count` elements, CuTe's shape_mod. */
static inline int64_t tl_shape_mod(const int64_t *shape, const int64_t *count, int64_t rows, int n, int64_t *out)
{
    for (int64_t row = 0; row < rows; row++, shape += n, out += n) {
        int64_t rest = count[row];
        int64_t left = rest;
        for (int k = 0; k < n; k++) { /* beyond the last element, all are taken */
            if (rest < 1 || shape[k] < 1)
                return row;
            left = tl_ceil(left, shape[k]);
        }
        int all = left <= 1 && rest > 1;
        if (all) {
            int64_t product = 1;
            for (int k = 0; k < n && all; k++)
                all = !tl_times(product, shape[k], &product);
            all = all && rest >= product;
        } else
            all = left > 1;
        for (int k = 0; k < n; k++) {
            out[k] = all || rest > shape[k] ? shape[k] : rest;
            if (!all && rest > shape[k] && rest % shape[k])
                return row;
            rest = rest / shape[k] > 1 ? rest / shape[k] : 1;
        }
    }
    return rows;
}

/* The natural coordinate of an index; the last one keeps the quotient. */
static inline int64_t tl_idx2crd(const int64_t *index, const int64_t *shape, int64_t rows, int n, int64_t *out)
{
    for (int64_t row = 0; row < rows; row++, shape += n, out += n) {
        int64_t rest = index[row];
        for (int k = 0; k + 1 < n; k++) {
            if (shape[k] < 1)
                return row;
            out[k] = rest % shape[k]; /* C's division rounds to zero, and so does CuTe's */
            rest /= shape[k];
        }
        if (n)
            out[n - 1] = rest;
        if (n ? shape[n - 1] < 1 : rest != 0)
            return row;
    }
    return rows;
}

/* The offset of a coordinate. */
static inline int64_t tl_crd2idx(const int64_t *coordinate, const int64_t *stride, int64_t rows, int n, int64_t *out)
{
    for (int64_t row = 0; row < rows; row++, coordinate += n, stride += n) {
        int64_t total = 0, step;
        for (int k = 0; k < n; k++) {
            if (tl_times(coordinate[k], stride[k], &step))
                return row;
            if (step > 0 ? total > INT64_MAX - step : total < -INT64_MAX - step)
                return row;
            total += step;
        }
        out[row] = total;
    }
    return rows;
}

#endif
