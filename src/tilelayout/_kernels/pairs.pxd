cdef bint choose_pairs(void *plan, int kernel) noexcept nogil
