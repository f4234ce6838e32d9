from libc.stdint cimport int64_t

from tilelayout._kernels.calls cimport Copier
from tilelayout._kernels.crew cimport Pieces


cdef struct Copying:
    #: A tl_plan, what it reads from and writes to, and a pattern of padding or NULL.
    const void *plan
    const char *source
    char *target
    const unsigned char *fill


cdef const void *plan_of(Copier copy, int64_t *source, int64_t *target) except NULL
cdef int64_t room_of(const Copying *copying) noexcept nogil
cdef void copy_whole(const Copying *copying, char *room) noexcept nogil
cdef bint shared(void (*work)(void *, Pieces *) noexcept nogil, void *what, stint) except -1
