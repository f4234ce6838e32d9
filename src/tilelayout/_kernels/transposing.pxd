cdef void choose_transposes(void *plan) noexcept nogil
