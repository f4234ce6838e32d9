"""Several copies of each block, one after the other, some of them by way of a scratch."""

cimport numpy as cnp
from libc.stdint cimport int64_t, uintptr_t
from libc.stdlib cimport calloc, free, malloc

from tilelayout._kernels.calls cimport Copier
from tilelayout._kernels.copy cimport Copying, copy_whole, plan_of, room_of, shared
from tilelayout._kernels.crew cimport Pieces, take
from tilelayout._kernels.leaves cimport LINE

cdef extern from "tl_stream.h":
    void tl_read_over(const char *source, int64_t size) noexcept nogil

cnp.import_array()


cdef struct Block:
    #: A loop over blocks: ``n`` steps, ``per`` a block, and what each adds in bytes. The last block ends where the loop does.
    int64_t n, per, source, target


cdef struct Step:
    #: A copy, the bytes behind the beginning of each side where it begins, and whether it ``reads`` from the scratch instead of the source,
    #: or ``writes`` to the scratch instead of the target.
    const void *plan
    int64_t source, target
    bint reads, writes


cdef struct Reading:
    #: Pieces of the source, of ``size`` bytes each, at the steps of so many loops (``Block.source``), outermost first; ``begin`` is how far
    #: behind the beginning of a block the first piece is. None where ``size`` is 0.
    Block *loops
    int64_t depth, begin, size


cdef struct Stepping:
    #: The copies, the loops over ``number`` blocks, and the bytes of the scratch. Each of the ``iterations`` that threads share goes
    #: through ``together`` blocks, and the last also through those that are left.
    const Step *steps
    int64_t count
    const Block *blocks
    int64_t depth, number, together, iterations, held
    const char *source
    char *target
    const unsigned char *fill
    #: What is read over before the copies of each block.
    Reading reading


cdef class CopyInSteps(Copier):
    """Copies, one after the other, block by block, by way of a scratch of ``held`` bytes if there is one.

    ``steps`` are the copies, each with whether it reads the scratch, and whether it writes it. ``blocks`` are the loops around them,
    outermost first: how many steps, how many of them in a block, and the bytes that each steps in the source and in the target. An
    iteration is a block, or, where some are not even, those of a step of the outermost loop. The copy begins ``source`` and ``target``
    bytes behind what it is given.

    With ``reading``, what a block reads is brought to a cache first: pieces of so many bytes, the first of them so far behind the beginning
    of the block, and as many others as the loops have iterations, of which each has a number and a step in bytes.
    """
    cdef tuple copies
    cdef Step *steps
    cdef Block *blocks
    cdef Reading reading
    cdef int64_t count, depth, number, together, held, source, target
    cdef readonly int64_t iterations

    def __cinit__(self, list steps not None, int64_t held, list blocks, int64_t source=0, int64_t target=0, tuple reading=(0, 0, ())):
        cdef int64_t k
        cdef bint is_even = True
        self.copies = tuple([copy for copy, _, _ in steps])
        self.held, self.source, self.target = held, source, target
        size, begin, loops = reading
        self.steps, self.blocks = <Step *>calloc(len(steps) + 1, sizeof(Step)), <Block *>calloc(len(blocks) + 1, sizeof(Block))
        self.reading = Reading(<Block *>calloc(len(loops) + 1, sizeof(Block)), len(loops), begin, size)
        if not self.steps or not self.blocks or not self.reading.loops:
            raise MemoryError
        self.count, self.depth, self.number = len(steps), len(blocks), 1
        for k, (copy, reads, writes) in enumerate(steps):
            self.steps[k].plan = plan_of(copy, &self.steps[k].source, &self.steps[k].target)
            self.steps[k].reads, self.steps[k].writes = reads, writes
        for k, (n, per, from_, to) in enumerate(blocks):
            self.blocks[k] = Block(n, per, from_, to)
            self.number *= _number(&self.blocks[k])
            is_even &= n % per == 0
        for k, (n, from_) in enumerate(loops):
            self.reading.loops[k] = Block(n, 1, from_, 0)
        self.together, self.iterations = 1, self.number
        if not is_even:  # then some blocks share elements with the one before, and are in the same iteration
            self.together = self.number // _number(self.blocks)
            self.iterations = _number(self.blocks) - (self.blocks[0].n % self.blocks[0].per > 0)

    def __dealloc__(self):
        free(self.steps)
        free(self.blocks)
        free(self.reading.loops)

    def run(self, cnp.ndarray source, cnp.ndarray target, bytes fill, stint=None):
        """Copy a stint of the iterations, or all where that is None; ``fill`` is 16 bytes or None."""
        cdef Stepping stepping
        if stint is None:
            return self.copy(cnp.PyArray_BYTES(source), cnp.PyArray_BYTES(target), fill, False)
        stepping = self._stepping(cnp.PyArray_BYTES(source), cnp.PyArray_BYTES(target), fill)
        return shared(_step_pieces, &stepping, stint)

    cdef bint copy(self, const char *source, char *target, bytes fill, bint is_little) except -1:
        cdef Stepping stepping = self._stepping(source, target, fill)
        cdef char *room = _room(&stepping)
        if not room:
            raise MemoryError
        with nogil:
            _step(&stepping, 0, self.iterations, room)
        free(room)
        return True

    cdef Stepping _stepping(self, const char *source, char *target, bytes fill) noexcept:
        cdef const unsigned char *pattern = NULL
        if fill is not None:
            pattern = fill
        return Stepping(
            self.steps,
            self.count,
            self.blocks,
            self.depth,
            self.number,
            self.together,
            self.iterations,
            self.held,
            &source[self.source],
            &target[self.target],
            pattern,
            self.reading,
        )


cdef inline int64_t _number(const Block *block) noexcept nogil:
    """How many blocks a loop has."""
    return (block.n + block.per - 1) // block.per


cdef char *_room(const Stepping *stepping) noexcept nogil:
    """Room for what is held between steps, a whole number of lines, and for what any sets aside; NULL where there is none."""
    cdef int64_t k, aside = 0
    cdef Copying copying
    for k in range(stepping.count):
        copying.plan = stepping.steps[k].plan
        aside = max(aside, room_of(&copying))
    return <char *>malloc(2 * LINE + stepping.held + aside)


cdef void _read_over(const Block *loops, int64_t depth, int64_t size, const char *source) noexcept nogil:
    """Pieces of so many bytes, in the order of the loops."""
    cdef int64_t k
    if not depth:
        tl_read_over(source, size)
        return
    for k in range(loops.n):
        _read_over(&loops[1], depth - 1, size, source + k * loops.source)


cdef void _step(const Stepping *stepping, int64_t begin, int64_t end, char *room) noexcept nogil:
    """Iterations ``begin`` to ``end - 1``."""
    cdef char *held = room + LINE - <uintptr_t>room % LINE
    cdef char *aside = held + (stepping.held + LINE - 1) // LINE * LINE
    cdef int64_t last = stepping.number if end == stepping.iterations else end * stepping.together
    cdef int64_t k, q, i, at, source, target
    cdef const Block *block
    cdef const Step *step
    cdef const Reading *reading = &stepping.reading
    cdef Copying copying
    for q in range(begin * stepping.together, last):
        i, k, source, target = q, stepping.depth, 0, 0
        while k > 0:
            k -= 1
            block = &stepping.blocks[k]
            at = min(i % _number(block) * block.per, block.n - block.per)
            source += at * block.source
            target += at * block.target
            i //= _number(block)
        if reading.size:
            _read_over(reading.loops, reading.depth, reading.size, stepping.source + source + reading.begin)
        for k in range(stepping.count):
            step = &stepping.steps[k]
            copying = Copying(
                step.plan,
                (<const char *>held if step.reads else stepping.source + source) + step.source,
                (held if step.writes else stepping.target + target) + step.target,
                stepping.fill,
            )
            copy_whole(&copying, aside)


cdef void _step_pieces(void *what, Pieces *pieces) noexcept nogil:
    """What each thread does of a copy in steps: nothing, if it has no memory to work in."""
    cdef const Stepping *stepping = <const Stepping *>what
    cdef char *room = _room(stepping)
    cdef int64_t begin, end
    while room is not NULL and take(pieces, &begin, &end):
        _step(stepping, begin, end, room)
    free(room)
