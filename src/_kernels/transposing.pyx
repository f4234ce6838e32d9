"""Copies by transposes: tl_copy.h once more, with the kernels of these, which take longer to compile than all others."""

cdef extern from *:
    """
    #define TL_KINDS (1u << TL_TRANSPOSE)
    """

cdef extern from "tl_copy.h" nogil:
    enum tl_kernel:
        TL_TRANSPOSE
    ctypedef struct tl_plan:
        pass
    void tl_choose_kernels(tl_plan *, tl_kernel)


cdef void choose_transposes(void *plan) noexcept nogil:
    """Set the kernels of a plan of this kind."""
    tl_choose_kernels(<tl_plan *>plan, TL_TRANSPOSE)
