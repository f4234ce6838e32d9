from libc.stdint cimport int64_t

ctypedef struct Pieces:
    #: What each thread does: it takes pieces until there are none.
    void (*work)(void *, Pieces *) noexcept nogil
    void *what
    #: What is cut, into how many pieces, for how many threads, and how many pieces are taken.
    int64_t begin, end, number, threads, taken
    #: The least that was reported; the end, if nothing was.
    int64_t least


cdef int64_t done_by(void (*work)(void *, Pieces *) noexcept nogil, void *what, stint) except? -2
cdef bint take(Pieces *pieces, int64_t *begin, int64_t *end) noexcept nogil
cdef void report(Pieces *pieces, int64_t value) noexcept nogil
