"""Shapes and coordinates in arrays: the bindings of tl_shapes.h. Callers have made all arrays contiguous int64 of equal rows."""

cimport numpy as cnp
from libc.stdint cimport int64_t

cnp.import_array()

cdef extern from "tl_shapes.h" nogil:
    int64_t tl_shape_div(const int64_t *, const int64_t *, int64_t, int, int64_t *)
    int64_t tl_shape_mod(const int64_t *, const int64_t *, int64_t, int, int64_t *)
    int64_t tl_idx2crd(const int64_t *, const int64_t *, int64_t, int, int64_t *)
    int64_t tl_crd2idx(const int64_t *, const int64_t *, int64_t, int, int64_t *)

ctypedef int64_t (*operation_t)(const int64_t *, const int64_t *, int64_t, int, int64_t *) noexcept nogil


cdef int64_t _run(operation_t operation, cnp.ndarray a, cnp.ndarray b, cnp.ndarray out, int64_t rows, int n):
    cdef const int64_t *first = <const int64_t *>cnp.PyArray_DATA(a)
    cdef const int64_t *second = <const int64_t *>cnp.PyArray_DATA(b)
    cdef int64_t *to = <int64_t *>cnp.PyArray_DATA(out)
    with nogil:
        rows = operation(first, second, rows, n, to)
    return rows


def shape_div(cnp.ndarray shapes, cnp.ndarray divisors, cnp.ndarray out):
    """Fill ``out`` (rows, n) from shapes (rows, n) and divisors (rows,); return the first row without an exact answer, or their number."""
    return _run(tl_shape_div, shapes, divisors, out, shapes.shape[0], shapes.shape[1])


def shape_mod(cnp.ndarray shapes, cnp.ndarray counts, cnp.ndarray out):
    """Fill ``out`` (rows, n) from shapes (rows, n) and counts (rows,); return as ``shape_div``."""
    return _run(tl_shape_mod, shapes, counts, out, shapes.shape[0], shapes.shape[1])


def idx2crd(cnp.ndarray indices, cnp.ndarray shapes, cnp.ndarray out):
    """Fill ``out`` (rows, n) from indices (rows,) and shapes (rows, n); return as ``shape_div``."""
    return _run(tl_idx2crd, indices, shapes, out, shapes.shape[0], shapes.shape[1])


def crd2idx(cnp.ndarray coordinates, cnp.ndarray strides, cnp.ndarray out):
    """Fill ``out`` (rows,) from coordinates and strides (rows, n); return as ``shape_div``."""
    return _run(tl_crd2idx, coordinates, strides, out, coordinates.shape[0], coordinates.shape[1])
