"""Copies by vectors of 256 bits whose pairs do what those of 512 do elsewhere: tl_copy.h once more, compiled so (tl_pairs.h)."""

cdef extern from *:
    """
    #define TL_PAIRS 1
    """

cdef extern from "tl_copy.h" nogil:
    enum tl_kernel:
        pass
    ctypedef struct tl_plan:
        pass
    bint tl_choose_pairs(tl_plan *, tl_kernel)


cdef bint choose_pairs(void *plan, int kernel) noexcept nogil:
    """Set the kernels of a plan that takes pairs; whether there are any for it."""
    return tl_choose_pairs(<tl_plan *>plan, <tl_kernel>kernel)
