cdef class Copier:
    cdef bint copy(self, const char *source, char *target, bytes fill, bint is_little) except -1
