"""The crew: threads that help the one that called a kernel.

Work is cut into pieces, and whoever is free takes the next. Helpers run nothing of Python's, so they wait for no lock of its to begin or
to end. They are begun when they are first needed, and sleep in between. Those that nobody has are listed, behind one lock; whoever has
called some waits for those that have begun to be done, and the others never begin.

The locks are Python's, which every system has. They are of the kind that another thread may release.
"""

from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free

cdef extern from "pythread.h" nogil:
    ctypedef void *PyThread_type_lock
    enum:
        WAIT_LOCK
        NOWAIT_LOCK
    const unsigned long PYTHREAD_INVALID_THREAD_ID
    unsigned long PyThread_start_new_thread(void (*)(void *) noexcept nogil, void *)
    PyThread_type_lock PyThread_allocate_lock()
    void PyThread_free_lock(PyThread_type_lock)
    int PyThread_acquire_lock(PyThread_type_lock, int)
    void PyThread_release_lock(PyThread_type_lock)

cdef enum:
    #: How often a thread tries a lock before it sleeps, from which it would take longer to wake: some ten microseconds.
    TRIES = 4000

cdef struct Helper:
    #: Both are held: one until it is called, the other until it is done with what it began.
    PyThread_type_lock call, done
    #: Whether it was called and has not heard it yet.
    bint is_called
    #: What it is to help with, until it begins.
    Pieces *pieces
    Helper *next

cdef PyThread_type_lock _lock = PyThread_allocate_lock()
cdef Helper *_idle = NULL
cdef int _number = 0
if _lock is NULL:
    raise MemoryError


def forget():
    """Leave the crew to the process that this one was forked from, with whatever its threads held."""
    global _lock, _idle, _number
    _lock, _idle, _number = PyThread_allocate_lock(), NULL, 0


def number():
    """How many helpers there are."""
    return _number


cdef int64_t done_by(void (*work)(void *, Pieces *) noexcept nogil, void *what, stint) except? -2:
    """Have a ``threads.Stint`` done piece by piece, by several threads, this one among them; the least that they reported, or its end.

    Raises ``MemoryError`` where pieces are left, as no thread had the memory to work in.
    """
    begin, end, number, threads = stint
    cdef Pieces pieces = Pieces(work, what, begin, end, number, threads, 0, end)
    cdef Helper *helpers = _gathered(&pieces, min(pieces.threads, pieces.number) - 1)
    with nogil:
        _call(helpers)
        work(what, &pieces)
        _dismiss(helpers)
    if pieces.taken < pieces.number:
        raise MemoryError
    return pieces.least


cdef bint take(Pieces *pieces, int64_t *begin, int64_t *end) noexcept nogil:
    """Take a piece, if any is left."""
    cdef int64_t each = (pieces.end - pieces.begin) // pieces.number
    cdef int64_t more = (pieces.end - pieces.begin) % pieces.number
    cdef int64_t k
    _acquire()
    k = pieces.taken
    if k < pieces.number:
        pieces.taken += 1
    _release()
    if k == pieces.number:
        return False
    begin[0] = pieces.begin + k * each + min(k, more)
    end[0] = begin[0] + each + (k < more)
    return True


cdef void report(Pieces *pieces, int64_t value) noexcept nogil:
    """Let the caller know of this, or of what is less."""
    _acquire()
    pieces.least = min(pieces.least, value)
    _release()


cdef Helper *_gathered(Pieces *pieces, int wanted) noexcept:
    """Helpers, as many as are wanted or can be had, who may begin."""
    cdef Helper *gathered = NULL
    cdef Helper *helper
    cdef int _
    for _ in range(wanted):
        helper = _idle_or_new(wanted)
        if helper is NULL:
            break
        helper.next = gathered
        gathered = helper
        _acquire()
        helper.pieces = pieces
        _release()
    return gathered


cdef Helper *_idle_or_new(int most) noexcept:
    """One that nobody has, or a new one if there are not that many; NULL where there is none."""
    global _idle, _number
    cdef Helper *helper
    cdef bint is_new
    _acquire()
    helper = _idle
    is_new = helper is NULL and _number < most
    if helper is not NULL:
        _idle = helper.next
    _number += is_new
    _release()
    if is_new:
        helper = _begun()
        if helper is NULL:
            _acquire()
            _number -= 1
            _release()
    return helper


cdef Helper *_begun() noexcept:
    """A new helper, asleep; NULL where the system has no thread or no memory for one."""
    cdef Helper *helper = <Helper *>calloc(1, sizeof(Helper))
    if helper is NULL:
        return NULL
    helper.call, helper.done = PyThread_allocate_lock(), PyThread_allocate_lock()
    if helper.call is not NULL and helper.done is not NULL:
        PyThread_acquire_lock(helper.call, WAIT_LOCK)
        PyThread_acquire_lock(helper.done, WAIT_LOCK)
        if PyThread_start_new_thread(_help, helper) != PYTHREAD_INVALID_THREAD_ID:
            return helper
    if helper.call is not NULL:
        PyThread_free_lock(helper.call)
    if helper.done is not NULL:
        PyThread_free_lock(helper.done)
    free(helper)
    return NULL


cdef void _help(void *given) noexcept nogil:
    """What a helper does for ever."""
    cdef Helper *helper = <Helper *>given
    cdef Pieces *pieces
    while True:
        _await(helper.call)
        _acquire()
        pieces, helper.pieces, helper.is_called = helper.pieces, NULL, False
        _release()
        if pieces is not NULL:
            pieces.work(pieces.what, pieces)
            PyThread_release_lock(helper.done)


cdef void _call(Helper *helper) noexcept nogil:
    """Call all of these that are not awake yet."""
    cdef bint is_asleep
    while helper is not NULL:
        _acquire()
        is_asleep = helper.pieces is not NULL and not helper.is_called
        helper.is_called |= is_asleep
        _release()
        if is_asleep:
            PyThread_release_lock(helper.call)
        helper = helper.next


cdef void _dismiss(Helper *helpers) noexcept nogil:
    """Wait for those that have begun, see that the others do not, and let whoever comes next have them."""
    global _idle
    cdef Helper *helper
    cdef bint has_begun
    while helpers is not NULL:
        helper, helpers = helpers, helpers.next
        _acquire()
        has_begun, helper.pieces = helper.pieces is NULL, NULL
        _release()
        if has_begun:
            _await(helper.done)
        _acquire()
        _idle, helper.next = helper, _idle
        _release()


cdef inline void _acquire() noexcept nogil:
    _await(_lock)


cdef inline void _release() noexcept nogil:
    PyThread_release_lock(_lock)


cdef inline void _await(PyThread_type_lock lock) noexcept nogil:
    cdef int _
    for _ in range(TRIES):
        if PyThread_acquire_lock(lock, NOWAIT_LOCK):
            return
    PyThread_acquire_lock(lock, WAIT_LOCK)
